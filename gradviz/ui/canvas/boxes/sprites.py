"""The surfaces of boxes: drawn once per form, size and scale, then copied.

Copying takes a twentieth of the time of drawing a rounded rectangle. A vector picture draws them each time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from gradviz.layout.plan import Floats
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.boxes.gauge_painting import GaugeForm, paint_gauge
from gradviz.ui.canvas.ink.bulk import lay, painter_on
from gradviz.ui.canvas.ink.stamps import on_pixel
from gradviz.ui.canvas.ink.text import Pen, Role, text_width
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.measure import BADGE_HEIGHT, FOLD_MARK, GAUGE_WIDTH, STACK, TILE
from gradviz.ui.canvas.scene.moment import Mood
from gradviz.ui.look.palette import RADIUS, Palette
from gradviz.ui.look.theme import color

MARGIN = 12.0
"""How far a shadow or glow reaches beyond its box, in scene units."""

_LEAF_RADIUS = 26.0
_TILE_RADIUS = 9.0
_LAYERS = 7
_LIMIT = 1200
_MOST_BYTES = 64_000_000
"""Of the pictures of boxes and edges at one scale: several screens full."""


class BoxForm(NamedTuple):
    """All that the surface of a box depends on; `width` and `height` in scene units, `sign` for a large sign."""

    kind: Kind
    mood: Mood
    width: float
    height: float
    sign: str = ""


class TileForm(NamedTuple):
    """All that a tile depends on; `grown` is its size over `TILE`."""

    sign: str
    kind: Kind
    mood: Mood
    grown: float = 1.0


class MarkForm(NamedTuple):
    """All that the mark that folds or unfolds a group depends on."""

    is_open: bool


Draw = Callable[[QPainter, float, float], None]
"""Draws something with its top left corner at a screen point."""


class BadgeForm(NamedTuple):
    """All that the frame of a shape depends on; in scene units."""

    width: float


class Art:
    """Draws surfaces for one palette at one scale.

    Attributes:
        scale: screen pixels per scene unit.
        ratio: device pixels per screen pixel.
        vector: draw, do not copy.
        gauges: whether boxes have gauges of their gradients.
        folds: whether what folds and unfolds has its mark.
    """

    def __init__(
        self,
        palette: Palette,
        scale: float,
        ratio: float = 1.0,
        *,
        vector: bool = False,
        gauges: bool = False,
        folds: bool = True,
    ) -> None:
        self.palette = palette
        self.scale = scale
        self.ratio = ratio
        self.vector = vector
        self.gauges = gauges
        self.folds = folds
        self._kept: dict[BoxForm | TileForm | BadgeForm | GaugeForm | MarkForm, QPixmap] = {}
        self._copies: dict[Hashable, QPixmap] = {}
        self._asked: set[Hashable] = set()
        self._bytes = 0

    def box(self, painter: QPainter, form: BoxForm, x: float, y: float) -> None:
        """Draw a box with its top left corner at a screen point."""
        size = (form.width + 2 * MARGIN, form.height + 2 * MARGIN)
        self._put(painter, form, x, y, MARGIN, size, lambda p: paint_box(p, form, self.palette, flat=self.vector))

    def tile(self, painter: QPainter, form: TileForm, x: float, y: float) -> None:
        """Draw a tile with its top left corner at a screen point."""
        side = TILE * form.grown + 2
        self._put(painter, form, x, y, 1.0, (side, side), lambda p: self._paint_tile(p, form))

    def is_worth_a_copy(self, key: Hashable) -> bool:
        """Whether this has been asked before: what is drawn once only is cheaper without a copy."""
        known = key in self._asked
        self._asked.add(key)
        return known

    def copy(self, painter: QPainter, key: Hashable, size: Sequence[float], x: float, y: float, paint: Draw) -> None:
        """Copy a whole box, texts and all, or an edge, with its top left corner at a screen point.

        Args:
            key: all that the picture depends on besides the scale.
            size: width and height in scene units; the picture may reach `MARGIN` beyond.
            paint: draws it at a screen point.
        """
        reach = math.ceil(MARGIN * self.scale * self.ratio) / self.ratio
        sprite = self._copies.get(key)
        if sprite is None:
            sprite = self._copies[key] = self._original(size, reach, paint)
            self._bytes += _bytes(sprite)
            while self._bytes > _MOST_BYTES and len(self._copies) > 1:
                self._bytes -= _bytes(self._copies.pop(next(iter(self._copies))))
        lay(painter, x - reach, y - reach, sprite, self.ratio)

    def corners(self, view: View, boxes: Floats) -> Floats:
        """The top left corners of rectangles (n, 4) on whole device pixels of the screen; shape (n, 2).

        The view's offset is rounded by itself: moved by whole pixels, every box moves by just as many.
        """
        offset = np.array([on_pixel(view.x, self.ratio), on_pixel(view.y, self.ratio)])
        places: Floats = np.floor(boxes[:, :2] * (view.scale * self.ratio) + 0.5) / self.ratio + offset
        return places

    def view_at(self, box: Floats, x: float, y: float) -> View:
        """The view in which a rectangle has its top left corner at a whole device pixel (x, y)."""
        left, top = self.corners(View(self.scale), box[None])[0].tolist()
        return View(self.scale, x - left, y - top)

    def _original(self, size: Sequence[float], reach: float, paint: Draw) -> QPixmap:
        width, height = (math.ceil((side * self.scale + 2 * reach) * self.ratio) + 1 for side in size)
        sprite = QPixmap(width, height)
        sprite.setDevicePixelRatio(self.ratio)
        sprite.fill(Qt.GlobalColor.transparent)
        with painter_on(sprite) as painter:
            paint(painter, reach, reach)
        sprite.setDevicePixelRatio(1.0)
        return sprite

    def gauge(self, painter: QPainter, form: GaugeForm, x: float, y: float) -> None:
        """Draw a gauge with its top left corner at a screen point."""
        size = (3 * GAUGE_WIDTH, form.height + 2 * GAUGE_WIDTH)
        self._put(painter, form, x, y, GAUGE_WIDTH, size, lambda p: paint_gauge(p, form, self.palette))

    def badge(self, painter: QPainter, form: BadgeForm, x: float, y: float) -> None:
        """Draw the frame around a shape with its top left corner at a screen point."""
        size = (form.width + 2, BADGE_HEIGHT + 2)
        self._put(painter, form, x, y, 1.0, size, lambda p: self._paint_badge(p, form))

    def fold_mark(self, painter: QPainter, x: float, y: float) -> None:
        """Draw the mark that unfolds a group with its top left corner at a screen point."""
        form, side = MarkForm(is_open=False), FOLD_MARK + 2
        self._put(painter, form, x, y, 1.0, (side, side), lambda p: paint_fold_mark(p, 0, 0, self.palette, form))

    def _paint_badge(self, painter: QPainter, form: BadgeForm) -> None:
        painter.setPen(QPen(QColor(self.palette.hairline), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(0, 0, form.width, BADGE_HEIGHT), 4.0, 4.0)

    def _paint_tile(self, painter: QPainter, form: TileForm) -> None:
        painter.scale(form.grown, form.grown)
        paint_tile(painter, form, self.palette, vector=self.vector)

    def _put(
        self,
        painter: QPainter,
        form: BoxForm | TileForm | BadgeForm | GaugeForm | MarkForm,
        x: float,
        y: float,
        margin: float,
        size: tuple[float, float],
        paint: Callable[[QPainter], None],
    ) -> None:
        if self.vector:
            painter.save()
            painter.translate(x, y)
            painter.scale(self.scale, self.scale)
            paint(painter)
            painter.restore()
            return
        sprite = self._kept.get(form)
        if sprite is None:
            sprite = self._drawn(margin, size, paint)
            if len(self._kept) >= _LIMIT:
                self._kept.clear()
            self._kept[form] = sprite
        # On whole device pixels a copy is exact; between them it would be blurred.
        left, top = (on_pixel(place - margin * self.scale, self.ratio) for place in (x, y))
        lay(painter, left, top, sprite, self.ratio)

    def _drawn(self, margin: float, size: tuple[float, float], paint: Callable[[QPainter], None]) -> QPixmap:
        zoom = self.scale * self.ratio
        sprite = QPixmap(int(size[0] * zoom) + 2, int(size[1] * zoom) + 2)
        sprite.fill(Qt.GlobalColor.transparent)
        with painter_on(sprite) as painter:
            painter.scale(zoom, zoom)
            painter.translate(margin, margin)
            paint(painter)
        return sprite


def _bytes(sprite: QPixmap) -> int:
    return sprite.width() * sprite.height() * 4


def outline(kind: Kind, rect: QRectF) -> QPainterPath:
    """The form of a box: a leaf is rounder on its left, a number is a chip."""
    return _rounded(rect, *_radii(kind, rect.height()))


def outline_around(kind: Kind, rect: QRectF, scale: float, gap: float) -> QPainterPath:
    """The same form on the screen, with a gap on all sides; `rect` is in screen pixels at so many of them per unit."""
    left, right = (radius * scale + gap for radius in _radii(kind, rect.height() / scale))
    return _rounded(rect.adjusted(-gap, -gap, gap, gap), left, right)


def _radii(kind: Kind, height: float) -> tuple[float, float]:
    """The radii of the corners on the left and on the right; scene units."""
    right = height / 2 if kind is Kind.NUMBER else float(RADIUS)
    return min(_LEAF_RADIUS, height / 2) if kind is Kind.LEAF else right, right


def _rounded(rect: QRectF, left: float, right: float) -> QPainterPath:
    path = QPainterPath()
    left, right = min(left, rect.height() / 2), min(right, rect.height() / 2)
    path.moveTo(rect.left() + left, rect.top())
    path.lineTo(rect.right() - right, rect.top())
    path.arcTo(rect.right() - 2 * right, rect.top(), 2 * right, 2 * right, 90, -90)
    path.lineTo(rect.right(), rect.bottom() - right)
    path.arcTo(rect.right() - 2 * right, rect.bottom() - 2 * right, 2 * right, 2 * right, 0, -90)
    path.lineTo(rect.left() + left, rect.bottom())
    path.arcTo(rect.left(), rect.bottom() - 2 * left, 2 * left, 2 * left, 270, -90)
    path.lineTo(rect.left(), rect.top() + left)
    path.arcTo(rect.left(), rect.top(), 2 * left, 2 * left, 180, -90)
    path.closeSubpath()
    return path


def paint_box(painter: QPainter, form: BoxForm, palette: Palette, *, flat: bool = False) -> None:
    """Draw the surface of a box in scene units, its top left corner at the origin.

    Args:
        flat: without a shadow, which would make up most of a vector picture; the current node keeps its glow.
    """
    rect = QRectF(0, 0, form.width, form.height)
    now = form.mood in (Mood.FORWARD, Mood.BACKWARD)
    if form.kind is Kind.GROUP:
        paint_under_cards(painter, form, palette)
        rect.setHeight(form.height - STACK)
    if form.mood is not Mood.PALE and not (flat and not now):
        _paint_shadow(painter, form, rect, palette)
    pen = QPen(QColor(looks.box_border(palette, form.kind, form.mood)), 2.5 if now else 1.0)
    if form.kind in (Kind.CONSTANT, Kind.NUMBER) and not now:
        pen.setDashPattern([4.0, 3.0])
    painter.setPen(pen)
    painter.setBrush(QBrush(QColor(looks.box_fill(palette, form.mood))))
    painter.drawPath(outline(form.kind, rect.adjusted(0.5, 0.5, -0.5, -0.5)))
    if form.sign:
        _paint_large_sign(painter, form, rect, palette)


def paint_under_cards(painter: QPainter, form: BoxForm, palette: Palette) -> None:
    """The cards of a stack that look out below the first one, the lowest first."""
    for number in (2, 1):
        drop = STACK * number / 2
        card = QRectF(6.0 * number, form.height - STACK - 2 * RADIUS + drop, form.width - 12.0 * number, 2.0 * RADIUS)
        painter.setPen(QPen(QColor(looks.box_border(palette, form.kind, form.mood)), 1.0))
        painter.setBrush(QColor(looks.box_fill(palette, form.mood)))
        painter.drawPath(outline(form.kind, card.adjusted(0.5, 0.5, -0.5, -0.5)))


def _paint_layers(painter: QPainter, ink: QColor) -> None:
    """Three sheets seen from the side: the sign of a group."""
    painter.setPen(QPen(ink, 1.7, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    middle = TILE / 2
    painter.drawPolygon(_points((middle, 8.5), (middle + 9.5, 13.5), (middle, 18.5), (middle - 9.5, 13.5)))
    for drop in (4.5, 9.0):
        painter.drawPolyline(_points((middle - 9.5, 13.5 + drop), (middle, 18.5 + drop), (middle + 9.5, 13.5 + drop)))


def _points(*corners: tuple[float, float]) -> QPolygonF:
    return QPolygonF([QPointF(x, y) for x, y in corners])


def large_size(sign: str, width: float) -> float:
    """How many times the size of a tile's sign one is written over a box of a width."""
    return min(2.9, (width - 24) / max(text_width(sign, Role.TILE), 1.0))


def _paint_large_sign(painter: QPainter, form: BoxForm, rect: QRectF, palette: Palette) -> None:
    """The sign over the whole box, on its tint: all that can be read of a small box."""
    fill, ink = _sign_colors(form, palette)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(fill))
    painter.drawPath(outline(form.kind, rect.adjusted(5, 5, -5, -5)))
    grown = min(large_size(form.sign, rect.width()), (rect.height() - 14) / 17)
    painter.save()
    painter.translate(rect.center())
    painter.scale(grown, grown)
    Pen(painter).centred(0, 0, form.sign, Role.TILE, ink)
    painter.restore()


def _sign_colors(form: BoxForm, palette: Palette) -> tuple[str, str]:
    """Surface and sign of a small box; the current one is filled, or it would be lost among the others."""
    if form.mood in (Mood.FORWARD, Mood.BACKWARD):
        return looks.box_border(palette, form.kind, form.mood), palette.on_accent
    tint = looks.kind_tint(palette, form.kind)
    if form.mood is Mood.PALE:
        return looks.mix(tint, palette.canvas, 0.45), palette.dim
    return tint, looks.kind_color(palette, form.kind)


def _paint_shadow(painter: QPainter, form: BoxForm, rect: QRectF, palette: Palette) -> None:
    """A soft shadow under a box, or a glow around the current one, as a few see-through layers."""
    painter.setPen(Qt.PenStyle.NoPen)
    now = form.mood in (Mood.FORWARD, Mood.BACKWARD)
    base = looks.box_border(palette, form.kind, form.mood) if now else "#0B1220"
    reach, alpha, drop = (10.0, 0.04, 0.0) if now else (7.0, 0.05 if palette.is_dark else 0.008, 3.0)
    painter.setBrush(color(base, alpha))
    for layer in range(1, _LAYERS + 1):
        grow = reach * layer / _LAYERS
        painter.drawPath(outline(form.kind, rect.adjusted(-grow, -grow + drop, grow, grow + drop)))


def paint_tile(painter: QPainter, form: TileForm, palette: Palette, *, vector: bool = False) -> None:
    """Draw a tile and its sign in scene units, its top left corner at the origin."""
    pale = form.mood is Mood.PALE
    painter.setPen(Qt.PenStyle.NoPen)
    tint = looks.kind_tint(palette, form.kind)
    painter.setBrush(QColor(looks.mix(tint, palette.canvas, 0.45) if pale else tint))
    painter.drawRoundedRect(QRectF(0, 0, TILE, TILE), _TILE_RADIUS, _TILE_RADIUS)
    if form.kind is Kind.GROUP and not vector:
        _paint_layers(painter, QColor(palette.dim if pale else looks.kind_color(palette, form.kind)))
        return
    role = Role.TILE if text_width(form.sign, Role.TILE) <= TILE - 10 else Role.TILE_SMALL
    sign = palette.dim if pale else looks.kind_color(palette, form.kind)
    Pen(painter, vector=vector).centred(TILE / 2, TILE / 2, form.sign, role, sign)


def paint_fold_mark(painter: QPainter, x: float, y: float, palette: Palette, form: MarkForm) -> None:
    """A small square with + (opens what is folded) or − (folds what is open), its left top corner at a point."""
    ink = QColor(palette.keyword)
    painter.setPen(QPen(QColor(looks.frame_border(palette)), 1.0))
    painter.setBrush(QColor(palette.card))
    square = QRectF(x, y, FOLD_MARK, FOLD_MARK)
    painter.drawRoundedRect(square, 4.5, 4.5)
    painter.setPen(QPen(ink, 1.7, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    middle, arm = square.center(), 4.2
    painter.drawLine(middle - QPointF(arm, 0), middle + QPointF(arm, 0))
    if not form.is_open:
        painter.drawLine(middle - QPointF(0, arm), middle + QPointF(0, arm))
