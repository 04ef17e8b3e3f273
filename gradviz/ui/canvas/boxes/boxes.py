"""Draws the boxes that are in sight, in one of three levels of detail."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from PySide6.QtGui import QPainter, QTransform

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes.gauge_painting import gauge_form, paint_strips, strips
from gradviz.ui.canvas.boxes.spots import paint_spots
from gradviz.ui.canvas.boxes.spots import reach as spot_reach
from gradviz.ui.canvas.boxes.sprites import MARGIN, Art, BadgeForm, BoxForm, Draw, TileForm, large_size
from gradviz.ui.canvas.ink.text import Pen, Role, elided, text_width
from gradviz.ui.canvas.plane.view import LEGIBLE, View
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
    LINE_3,
    PAD,
    STACK,
    TEXT_X,
    TILE,
    badge_right,
    badge_width,
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
    FULL = 3


_SCALES = ((0.56, Detail.FULL), (LEGIBLE, Detail.NAME), (0.11, Detail.SIGN))


def detail_of(scale: float) -> Detail:
    """The level of detail at a scale."""
    return next((detail for least, detail in _SCALES if scale >= least), Detail.FAR)


def box_reach(scene: Scene, view: View, *, gauges: bool) -> float:
    """How far a box on the screen may be drawn beyond its sides, in scene units."""
    return spot_reach(scene, gauges=gauges) / view.scale if detail_of(view.scale) is Detail.FAR else MARGIN


def paint_boxes(painter: QPainter, scene: Scene, view: View, faces: Codes, which: Ints, art: Art) -> None:
    """Draw the boxes of the nodes `which` (indices)."""
    if not len(which):
        return
    detail = Detail.FULL if art.vector else detail_of(view.scale)
    if detail is Detail.FAR:
        paint_spots(painter, scene, view, faces, which, art.palette, gauges=art.gauges)
        return
    if detail is Detail.SIGN or art.vector:
        _paint_in_full(painter, scene, view, faces, which, art, detail)
        _paint_gauges(painter, scene, view, faces, which, art, detail)
        return
    corners: list[list[float]] = art.corners(view, scene.boxes[which]).tolist()
    drawn: list[int] = []
    for index, face, (x, y) in zip(which.tolist(), faces[which].tolist(), corners, strict=True):
        if not art.is_worth_a_copy((index, face)):
            drawn.append(index)
            continue
        _paint_run(painter, scene, view, faces, drawn, art, detail)
        draw = _first_drawing(scene, faces, index, art, detail)
        art.copy(painter, (index, face), scene.layout.sizes[index], x, y, draw)
    _paint_run(painter, scene, view, faces, drawn, art, detail)
    _paint_gauges(painter, scene, view, faces, which, art, detail)


def _paint_gauges(
    painter: QPainter, scene: Scene, view: View, faces: Codes, which: Ints, art: Art, detail: Detail
) -> None:
    """Draw the gauges of boxes whose gradient is shown. Not part of their copies: their soft edges meet."""
    which = which[(faces[which] & 1) == 1] if art.gauges else which[:0]
    if not len(which):
        return
    codes, sizes = scene.gauges[0][which], scene.layout.sizes[which]
    which, codes, sizes = which[codes > 0], codes[codes > 0], sizes[codes > 0]
    at = view.boxes_to_screen(scene.boxes[which])[:, :2] if art.vector else art.corners(view, scene.boxes[which])
    if detail is not Detail.FULL:
        boxes = np.hstack([at, (sizes - [0.0, STACK] * (scene.kinds[which] == Kind.GROUP)[:, None]) * view.scale])
        places = strips(boxes, view.scale, art.ratio, is_large=detail is Detail.SIGN)
        paint_strips(painter, places, codes, art.palette)
        return
    rows = zip(which.tolist(), codes.tolist(), at.tolist(), sizes.tolist(), strict=True)
    for index, code, (x, y), (width, height) in rows:
        form = gauge_form(code, height, is_group=scene.kinds[index] == Kind.GROUP)
        art.gauge(painter, form, x + (width - GAUGE_INSET - GAUGE_WIDTH) * view.scale, y + RADIUS * view.scale)


def _paint_run(
    painter: QPainter, scene: Scene, view: View, faces: Codes, drawn: list[int], art: Art, detail: Detail
) -> None:
    """Draw the boxes that wait, before the next one is copied: the order stays the same."""
    if drawn:
        _paint_in_full(painter, scene, view, faces, np.array(drawn), art, detail)
        drawn.clear()


def _first_drawing(scene: Scene, faces: Codes, index: int, art: Art, detail: Detail) -> Draw:
    """Draws one box from nothing; what is kept of it is copied from then on."""

    def draw(painter: QPainter, x: float, y: float) -> None:
        view = art.view_at(scene.boxes[index], x, y)
        _paint_in_full(painter, scene, view, faces, np.array([index]), art, detail)

    return draw


def _paint_in_full(
    painter: QPainter, scene: Scene, view: View, faces: Codes, which: Ints, art: Art, detail: Detail
) -> None:
    _paint_surfaces(painter, scene, view, faces, which, art, detail)
    if detail is Detail.SIGN:
        return
    boxes = _on_pixels(view, scene.boxes[which], art).tolist()
    painter.save()
    painter.translate(view.x, view.y)
    painter.scale(view.scale, view.scale)
    if detail is Detail.FULL:
        _paint_texts(painter, scene, faces, which.tolist(), boxes, art)
    else:
        _paint_names(painter, scene, view, faces, which.tolist(), boxes, art)
    painter.restore()


def _on_pixels(view: View, boxes: Floats, art: Art) -> Floats:
    """Boxes, shape (n, 4), moved to where their surfaces are: on whole device pixels."""
    if art.vector:
        return boxes
    corners = (art.corners(view, boxes) - (view.x, view.y)) / view.scale
    return np.hstack([corners, corners + boxes[:, 2:] - boxes[:, :2]])


# ---- near -----------------------------------------------------------------------------------------------------


def _paint_surfaces(
    painter: QPainter, scene: Scene, view: View, faces: Codes, which: Ints, art: Art, detail: Detail
) -> None:
    at = view.boxes_to_screen(scene.boxes[which][:, :2]) if art.vector else art.corners(view, scene.boxes[which])
    corners: list[list[float]] = at.tolist()
    sizes: list[list[float]] = scene.layout.sizes[which].tolist()
    for index, (x, y), (width, height) in zip(which.tolist(), corners, sizes, strict=True):
        card, mood = scene.cards[index], mood_of(faces[index])
        sign = _large_sign(card, width) if detail is Detail.SIGN else ""
        art.box(painter, BoxForm(card.kind, mood, width, height, sign), x, y)
        if detail is not Detail.SIGN and card.kind is not Kind.NUMBER:
            # A tile keeps clear of the border: where two soft edges meet, a copy may differ by a shade.
            front = height - (STACK if card.kind is Kind.GROUP else 0.0)
            grown = 1.0 if detail is Detail.FULL else min(name_scale(view.scale), LARGEST_TILE, (front - 16) / TILE)
            drop = PAD if detail is Detail.FULL else (front - TILE * grown) / 2
            art.tile(painter, TileForm(card.sign, card.kind, mood, grown), x + PAD * view.scale, y + drop * view.scale)
        if detail is Detail.FULL and card.kind is not Kind.NUMBER and card.badge:
            wide = badge_width(card)
            right = x + (width - badge_right(card) - wide) * view.scale
            above = y + (LINE_1 - BADGE_HEIGHT / 2) * view.scale
            art.badge(painter, BadgeForm(wide), right, above)
        if art.folds and detail is Detail.FULL and card.kind is Kind.GROUP:
            right = x + (width - GROUP_PAD - FOLD_MARK) * view.scale
            art.fold_mark(painter, right, y + (LINE_1 - FOLD_MARK / 2) * view.scale)


_LEAST_LARGE = 1.8
"""Times the size of a tile's sign: a name that would be smaller than this on a small box gives way to its sign."""


def _large_sign(card: Card, width: float) -> str:
    """What is read of a small box: the op, or what has no op of its own by name."""
    is_named = card.kind is not Kind.OP and card.short
    return card.short if is_named and large_size(card.short, width) >= _LEAST_LARGE else card.sign


def _paint_names(
    painter: QPainter, scene: Scene, view: View, faces: Codes, which: list[int], boxes: list[list[float]], art: Art
) -> None:
    """Only the name, large: the rest could not be read."""
    grown = name_scale(view.scale)
    start = name_start(grown)
    has_paths = grown <= scene.largest_names
    pen, base, size = Pen(painter), painter.worldTransform(), 0.0
    for index, (left, top, right, bottom) in zip(which, boxes, strict=True):
        card = scene.cards[index]
        # Not right - left, whose last bit depends on where the picture is.
        room = float(scene.layout.sizes[index, 0]) - start - name_margin(card, gauges=art.gauges)
        name = card.name if card.kind is Kind.NUMBER else name_for(card, room / grown, has_path=has_paths)
        fits = grown if card.kind is Kind.NUMBER else name_size(name, room, grown, view.scale)
        if fits != size:
            size = fits
            painter.setWorldTransform(QTransform(base).scale(size, size))
            pen.take_place()
        middle = (top + bottom - (STACK if card.kind is Kind.GROUP else 0.0)) / 2 / size
        ink = looks.text_color(art.palette, mood_of(faces[index]))
        if card.kind is Kind.NUMBER:
            pen.centred((left + right) / 2 / size, middle, name, Role.VALUE, ink)
        else:
            pen.write((left + start) / size, middle, elided(name, Role.BIG, room / size), Role.BIG, ink)


def _paint_texts(
    painter: QPainter, scene: Scene, faces: Codes, which: list[int], boxes: list[list[float]], art: Art
) -> None:
    """All texts of the boxes, font by font: changing the font costs more than writing a word."""
    pen = Pen(painter, vector=art.vector)
    rows = [
        (scene.cards[index], int(faces[index]), box)
        for index, box in zip(which, boxes, strict=True)
        if scene.cards[index].kind is not Kind.NUMBER
    ]
    numbers = [(scene.cards[i], box) for i, box in zip(which, boxes, strict=True) if scene.kinds[i] == Kind.NUMBER]
    for card, (left, top, right, bottom) in numbers:
        pen.centred((left + right) / 2, (top + bottom) / 2, card.name, Role.VALUE, art.palette.dim)
    for card, face, (left, top, _, _) in rows:
        pen.write(left + TEXT_X, top + LINE_1, card.name, Role.NAME, looks.text_color(art.palette, mood_of(face)))
    for card, _, (left, top, _, _) in rows:
        if card.word:
            x = left + TEXT_X + text_width(card.name, Role.NAME) + GAP
            pen.write(x, top + LINE_1, card.word, Role.WORD, art.palette.dim)
    for card, _, (_, top, right, _) in rows:
        x = right - badge_right(card) - badge_width(card) + BADGE_PAD
        pen.write(x, top + LINE_1, card.badge, Role.BADGE, art.palette.dim)
    for card, face, (left, top, _, _) in rows:
        if card.kind is Kind.GROUP:
            pen.write(left + TEXT_X, top + LINE_2, card.value, Role.VALUE, art.palette.dim)
        elif face & 2:
            pen.write(left + TEXT_X, top + LINE_2, card.value, Role.VALUE, looks.text_color(art.palette, mood_of(face)))
    for card, face, (left, top, _, _) in rows:
        _paint_gradient(pen, card, face, left + TEXT_X, top + LINE_3, art.palette)


def _paint_gradient(pen: Pen, card: Card, face: int, x: float, middle: float, palette: Palette) -> None:
    if card.gradient and face & 1:
        pen.write(x, middle, f"{card.prefix} {card.gradient}", Role.VALUE, palette.backward)
    elif card.has_row and not card.gradient and mood_of(face) is Mood.PALE and face & 2:
        pen.write(x, middle, NOT_REACHED, Role.WORD, palette.dim)
