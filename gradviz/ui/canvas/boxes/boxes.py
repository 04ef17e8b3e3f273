"""Draws the boxes that are in sight, in one of five levels of detail."""

from __future__ import annotations

from enum import IntEnum
from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes import compact
from gradviz.ui.canvas.boxes.gauge_painting import paint_gauge, paint_strips
from gradviz.ui.canvas.boxes.spots import far_reach, paint_spots
from gradviz.ui.canvas.boxes.sprites import MARGIN, Art, BoxForm, TileForm, large_size, paint_fold_mark
from gradviz.ui.canvas.ink.painter import scaled_to
from gradviz.ui.canvas.ink.text import Pen, Role, elided, text_width
from gradviz.ui.canvas.plane.geometry import Flags, touching
from gradviz.ui.canvas.plane.view import LEGIBLE, Rect, View
from gradviz.ui.canvas.scene.cards import NOT_REACHED, Card, Kind
from gradviz.ui.canvas.scene.measure import (
    BADGE_HEIGHT,
    BADGE_PAD,
    FOLD_MARK,
    GAP,
    GAUGE_INSET,
    GAUGE_WIDTH,
    GROUP_PAD,
    LINE_1,
    LINE_2,
    PAD,
    ROW,
    STACK,
    TEXT_X,
    TILE,
    badge_right,
    badge_width,
    gradient_place,
)
from gradviz.ui.canvas.scene.moment import Codes, Mood, mood_of
from gradviz.ui.canvas.scene.names import LARGEST_TILE, name_for, name_margin, name_scale, name_size, name_start
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import RADIUS, Palette


class Detail(IntEnum):
    """How much of a box can be read at a scale."""

    FAR = 0  # a spot of colour
    SIGN = 1  # its sign, large
    NAME = 2  # its sign and its name
    NUMBERS = 3  # its name and its numbers
    FULL = 4


_SCALES = ((0.7, Detail.FULL), (compact.LEAST, Detail.NUMBERS), (LEGIBLE, Detail.NAME), (0.11, Detail.SIGN))


def detail_of(scale: float) -> Detail:
    """The level of detail at a scale."""
    return next((detail for least, detail in _SCALES if scale >= least), Detail.FAR)


def box_reach(scale: float) -> float:
    """How far what is drawn of a box may reach beyond it, in scene units."""
    return max(MARGIN, far_reach() / scale)


def paint_boxes(
    painter: QPainter, scene: Scene, view: View, faces: Codes, area: Rect, art: Art, among: Flags | None = None
) -> None:
    """Draw the boxes that touch a rectangle of the scene; of some alone where `among` is."""
    detail = Detail.FULL if art.vector else detail_of(view.scale)
    which = touching(scene.boxes, area, box_reach(view.scale))
    which = which if among is None else which[among[which]]
    if detail is Detail.FAR:
        paint_spots(painter, scene, view, faces, which, art.palette, gauges=art.gauges)
        return
    corners = art.corners(view, scene.boxes[which])
    _Boxes(painter, scene, view, faces, which, corners, art, detail).paint()


class _Boxes:
    """Some boxes at one moment on one painter; `corners` are on the screen, shape (n, 2)."""

    def __init__(
        self,
        painter: QPainter,
        scene: Scene,
        view: View,
        faces: Codes,
        which: Ints,
        corners: Floats,
        art: Art,
        detail: Detail,
    ) -> None:
        self._painter, self._scene, self._view, self._art, self._detail = painter, scene, view, art, detail
        self._which, self._corners, self._faces = which, corners, faces[which]
        sizes = scene.layout.sizes[which]
        cards = [scene.cards[index] for index in which.tolist()]
        self._rows = list(zip(cards, self._faces.tolist(), corners.tolist(), sizes.tolist(), strict=True))

    def paint(self) -> None:
        """Draw the surfaces, then the texts: changing the font costs more than writing a word."""
        for card, face, (x, y), (width, height) in self._rows:
            self._paint_surface(card, mood_of(face), x, y, width, height)
        if self._detail is Detail.FULL:
            self._paint_texts()
        elif self._detail is Detail.NUMBERS:
            self._paint_names([row for row in self._rows if row[0].kind in _WITHOUT_NUMBERS])
            self._paint_compact([row for row in self._rows if row[0].kind not in _WITHOUT_NUMBERS])
        elif self._detail is Detail.NAME:
            self._paint_names(self._rows)
        if self._art.gauges:
            self._paint_gauges()

    def _paint_surface(self, card: Card, mood: Mood, x: float, y: float, width: float, height: float) -> None:
        art, scale, is_full = self._art, self._view.scale, self._detail is Detail.FULL
        sign = _large_sign(card, width) if self._detail is Detail.SIGN else ""
        art.box(self._painter, BoxForm(card.kind, mood, width, height, sign), x, y)
        has_tile = self._detail is not Detail.NUMBERS or card.kind is Kind.GROUP
        if self._detail is Detail.SIGN or card.kind is Kind.NUMBER or not has_tile:
            return
        front = height - (STACK if card.kind is Kind.GROUP else 0.0)
        grown = 1.0 if is_full else min(name_scale(scale), LARGEST_TILE, (front - 16) / TILE)
        drop = PAD if is_full else (front - TILE * grown) / 2
        art.tile(self._painter, TileForm(card.sign, card.kind, mood, grown), x + PAD * scale, y + drop * scale)
        if is_full and card.badge:
            wide = badge_width(card)
            right = x + (width - badge_right(card) - wide) * scale
            above = y + (LINE_1 - BADGE_HEIGHT / 2) * scale
            art.put(self._painter, ("badge", wide), right, above, (wide, BADGE_HEIGHT), 1.0,
                    lambda p: _paint_badge(p, wide, art.palette))  # fmt: skip
        if is_full and art.folds and card.kind is Kind.GROUP:
            right = x + (width - GROUP_PAD - FOLD_MARK) * scale
            above = y + (LINE_1 - FOLD_MARK / 2) * scale
            art.put(self._painter, "fold mark", right, above, (FOLD_MARK, FOLD_MARK), 1.0,
                    lambda p: paint_fold_mark(p, 0, 0, art.palette, is_open=False))  # fmt: skip

    # ---- texts ----

    def _paint_names(self, some: list[BoxRow]) -> None:
        """Only the name, large: the rest could not be read."""
        scale, art = self._view.scale, self._art
        grown = name_scale(scale)
        start = name_start(grown)
        has_paths = grown <= self._scene.largest_names
        for size, rows in self._by_size(some, start, grown, has_paths=has_paths).items():
            with scaled_to(self._painter, 0.0, 0.0, size * scale):
                pen = Pen(self._painter)
                for name, card, face, (x, y), (width, height) in rows:
                    front = height - (STACK if card.kind is Kind.GROUP else 0.0)
                    left, middle = x / scale, (y / scale + front / 2) / size
                    ink = looks.text_color(art.palette, mood_of(face))
                    if card.kind is Kind.NUMBER:
                        pen.centred((left + width / 2) / size, middle, name, Role.VALUE, ink)
                    else:
                        room = width - start - name_margin(card, gauges=art.gauges)
                        text = elided(name, Role.BIG, room / size)
                        pen.write((left + start) / size, middle, text, Role.BIG, ink)

    def _paint_compact(self, some: list[BoxRow]) -> None:
        """The name and the numbers, in a size that can be read."""
        scale, art, palette = self._view.scale, self._art, self._art.palette
        found = []
        for card, face, (x, y), (width, height) in some:
            room = width * scale - (compact.gauge_room(scale) if art.gauges and card.gradient else 0.0)
            texts = compact.texts_of(card, face, (room, height * scale))
            top = y + (height * scale - compact.PITCH * (1 + len(texts.lines))) / 2
            found.append((texts, x + compact.start_of(card), top, x + room, card, face))
        for size, role in ((compact.NAME_SIZE, Role.NAME), (compact.SIGN_SIZE, Role.TILE_SMALL)):
            with scaled_to(self._painter, 0.0, 0.0, size):
                pen = Pen(self._painter)
                for texts, x, top, right, card, face in found:
                    middle = (top + compact.PITCH / 2) / size
                    if role is Role.NAME:
                        pen.write(x / size, middle, texts.name, role, looks.text_color(palette, mood_of(face)))
                    elif texts.sign:
                        left = right / size - text_width(texts.sign, role) - 4.0
                        pen.write(left, middle, texts.sign, role, looks.kind_color(palette, card.kind))
        size = compact.NUMBER_SIZE
        with scaled_to(self._painter, 0.0, 0.0, size):
            pen = Pen(self._painter)
            for texts, x, top, _, _, face in found:
                for number, line in enumerate(texts.lines, 1):
                    ink = palette.backward if line.is_gradient else looks.text_color(palette, mood_of(face))
                    middle = (top + compact.PITCH * (number + 0.5)) / size
                    pen.write(x / size, middle, line.text, Role.VALUE, ink)

    def _by_size(
        self, some: list[BoxRow], start: float, grown: float, *, has_paths: bool
    ) -> dict[float, list[NamedRow]]:
        """The boxes with their names, by how much larger those are written."""
        found: dict[float, list[NamedRow]] = {}
        for card, face, corner, size in some:
            room = size[0] - start - name_margin(card, gauges=self._art.gauges)
            is_number = card.kind is Kind.NUMBER
            name = card.name if is_number else name_for(card, room / grown, has_path=has_paths)
            fits = grown if is_number else name_size(name, room, grown, self._view.scale)
            found.setdefault(fits, []).append((name, card, face, corner, size))
        return found

    def _paint_texts(self) -> None:
        """All texts of the boxes, font by font."""
        palette, scale = self._art.palette, self._view.scale
        with scaled_to(self._painter, 0.0, 0.0, scale):
            pen = Pen(self._painter, vector=self._art.vector)
            rows = [(card, face, x / scale, y / scale, *size) for card, face, (x, y), size in self._rows]
            for card, _, x, y, width, height in rows:
                if card.kind is Kind.NUMBER:
                    pen.centred(x + width / 2, y + height / 2, card.name, Role.VALUE, palette.dim)
            rows = [row for row in rows if row[0].kind is not Kind.NUMBER]
            for card, face, x, y, _, _ in rows:
                pen.write(x + TEXT_X, y + LINE_1, card.name, Role.NAME, looks.text_color(palette, mood_of(face)))
            for card, _, x, y, _, _ in rows:
                if card.word:
                    after = x + TEXT_X + text_width(card.name, Role.NAME) + GAP
                    pen.write(after, y + LINE_1, card.word, Role.WORD, palette.dim)
            for card, _, x, y, width, _ in rows:
                right = x + width - badge_right(card) - badge_width(card) + BADGE_PAD
                pen.write(right, y + LINE_1, card.badge, Role.BADGE, palette.dim)
            for card, face, x, y, _, _ in rows:
                if card.kind is Kind.GROUP:
                    pen.write(x + TEXT_X, y + LINE_2, card.value, Role.VALUE, palette.dim)
                elif face & 2:
                    for number, text in enumerate(card.value_rows or (card.value,)):
                        middle = y + LINE_2 + ROW * number
                        pen.write(x + TEXT_X, middle, text, Role.VALUE, looks.text_color(palette, mood_of(face)))
            for card, face, x, y, _, _ in rows:
                left, middle = gradient_place(card)
                _paint_gradient(pen, card, face, x + left, y + middle, palette)

    # ---- gauges ----

    def _paint_gauges(self) -> None:
        """Draw the gauges of boxes whose gradient is shown."""
        codes = self._scene.gauges[0][self._which]
        shown = np.flatnonzero((codes > 0) & ((self._faces & 1) == 1))
        scale, art = self._view.scale, self._art
        if self._detail is Detail.FULL:
            for row in shown.tolist():
                card, _, (x, y), (width, height) = self._rows[row]
                long = _gauge_length(card, height)
                at = (x + (width - GAUGE_INSET - GAUGE_WIDTH) * scale, y + RADIUS * scale)
                paint = partial(paint_gauge, code=int(codes[row]), height=long, palette=art.palette)
                art.put(self._painter, ("gauge", codes[row], long), *at, (GAUGE_WIDTH, long), GAUGE_WIDTH, paint)
        elif len(shown):
            longs = [[size[0] - GAUGE_INSET, RADIUS + _gauge_length(card, size[1])] for card, _, _, size in self._rows]
            ends = self._corners[shown] + np.array(longs)[shown] * scale
            tops = self._corners[shown, 1] + RADIUS * scale
            is_large = self._detail is Detail.SIGN
            paint_strips(self._painter, np.column_stack([ends[:, 0], tops, ends[:, 1]]), codes[shown], scale,
                         art.palette, is_large=is_large)  # fmt: skip


_WITHOUT_NUMBERS = (Kind.NUMBER, Kind.GROUP)
"""Kinds of boxes that are what they are called, or show how far they are in the place of numbers."""

BoxRow = tuple[Card, int, list[float], list[float]]
"""Card, face, corner on the screen, and size of a box."""

NamedRow = tuple[str, Card, int, list[float], list[float]]
"""The name that is written, card, face, corner on the screen, and size of a box."""


def _gauge_length(card: Card, height: float) -> float:
    """How long the gauge of a box of a height is, in scene units."""
    return height - 2 * RADIUS - (STACK if card.kind is Kind.GROUP else 0.0)


_LEAST_LARGE = 1.8
"""Times the size of a tile's sign: a name that would be smaller than this on a small box gives way to its sign."""


def _large_sign(card: Card, width: float) -> str:
    """What is read of a small box: the op, or what has no op of its own by name."""
    is_named = card.kind is not Kind.OP and card.short
    return card.short if is_named and large_size(card.short, width) >= _LEAST_LARGE else card.sign


def _paint_badge(painter: QPainter, width: float, palette: Palette) -> None:
    """The frame around a shape."""
    painter.setPen(QPen(QColor(palette.hairline), 1.0))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(QRectF(0, 0, width, BADGE_HEIGHT), 4.0, 4.0)


def _paint_gradient(pen: Pen, card: Card, face: int, x: float, middle: float, palette: Palette) -> None:
    if card.gradient and face & 1:
        if not card.gradient_rows:
            pen.write(x, middle, f"{card.prefix} {card.gradient}", Role.VALUE, palette.backward)
            return
        pen.write(x, middle, card.prefix, Role.VALUE, palette.backward)
        x += text_width(f"{card.prefix} ", Role.VALUE)
        for number, row in enumerate(card.gradient_rows):
            pen.write(x, middle + ROW * number, row, Role.VALUE, palette.backward)
    elif card.has_row and not card.gradient and mood_of(face) is Mood.PALE and face & 2:
        pen.write(x, middle, NOT_REACHED, Role.WORD, palette.dim)
