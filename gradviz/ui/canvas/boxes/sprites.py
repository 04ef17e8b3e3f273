"""The surfaces of boxes: drawn once per form, size and scale, then copied. A vector file has them drawn each time."""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QPen, QPolygonF

from gradviz.layout.plan import Floats
from gradviz.ui.canvas import looks
from gradviz.ui.canvas.ink.painter import Paint, Sprite, scaled_to
from gradviz.ui.canvas.ink.text import Pen, Role, text_width
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.cards import Kind
from gradviz.ui.canvas.scene.measure import FOLD_MARK, STACK, TILE
from gradviz.ui.canvas.scene.moment import Mood
from gradviz.ui.look.palette import RADIUS, Palette
from gradviz.ui.look.theme import color

MARGIN = 12.0
"""How far a shadow or glow reaches beyond its box, in scene units."""

_LEAF_RADIUS = 26.0
_TILE_RADIUS = 9.0
_LAYERS = 7
_MOST_SPRITES = 1200


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
        self._sprites: dict[Hashable, Sprite] = {}

    def corners(self, view: View, boxes: Floats) -> Floats:
        """The top left corners of rectangles (n, 4) on the screen, on whole device pixels; shape (n, 2)."""
        screen = view.boxes_to_screen(boxes[:, :2])
        return screen if self.vector else np.floor(screen * self.ratio + 0.5) / self.ratio

    def put(
        self,
        painter: QPainter,
        form: Hashable,
        x: float,
        y: float,
        size: tuple[float, float],
        margin: float,
        paint: Paint,
    ) -> None:
        """Draw a surface with its top left corner at a screen point.

        Args:
            form: all that it depends on besides palette and scale.
            size: width and height in scene units.
            margin: how far it may reach beyond, in scene units.
            paint: draws it in scene units, its top left corner at the origin.
        """
        if self.vector:
            with scaled_to(painter, x, y, self.scale):
                paint(painter)
            return
        sprite = self._sprites.get(form)
        if sprite is None:
            if len(self._sprites) >= _MOST_SPRITES:
                self._sprites.clear()
            sprite = self._sprites[form] = Sprite(*size, paint, margin=margin, scale=self.scale, ratio=self.ratio)
        sprite.draw(painter, x, y)

    def box(self, painter: QPainter, form: BoxForm, x: float, y: float) -> None:
        """Draw a box with its top left corner at a screen point."""
        size = (form.width, form.height)
        self.put(painter, form, x, y, size, MARGIN, lambda p: paint_box(p, form, self.palette, flat=self.vector))

    def tile(self, painter: QPainter, form: TileForm, x: float, y: float) -> None:
        """Draw a tile with its top left corner at a screen point."""
        side = TILE * form.grown
        self.put(
            painter, form, x, y, (side, side), 1.0, lambda p: paint_tile(p, form, self.palette, vector=self.vector)
        )


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
    painter.scale(form.grown, form.grown)
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


def paint_fold_mark(painter: QPainter, x: float, y: float, palette: Palette, *, is_open: bool) -> None:
    """A small square with + (opens what is folded) or − (folds what is open), its left top corner at a point."""
    ink = QColor(palette.keyword)
    painter.setPen(QPen(QColor(looks.frame_border(palette)), 1.0))
    painter.setBrush(QColor(palette.card))
    square = QRectF(x, y, FOLD_MARK, FOLD_MARK)
    painter.drawRoundedRect(square, 4.5, 4.5)
    painter.setPen(QPen(ink, 1.7, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    middle, arm = square.center(), 4.2
    painter.drawLine(middle - QPointF(arm, 0), middle + QPointF(arm, 0))
    if not is_open:
        painter.drawLine(middle - QPointF(0, arm), middle + QPointF(0, arm))
