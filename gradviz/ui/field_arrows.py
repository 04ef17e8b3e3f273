"""Arrows as one item of a scene: shafts and heads in screen pixels, whatever the zoom, with a halo around them."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gradviz.playback.field import Floats
from gradviz.ui.field_surface import Arrows
from gradviz.ui.palette import Palette
from gradviz.ui.theme import color

SHAFT, HALO = 1.9, 1.5
"""Width of a shaft, and of the halo on each side of it, in pixels."""
HEAD, HEAD_SHARE = 10.5, 0.5
"""Length of a head in pixels; a short arrow's head is at most this share of it."""
DOT = 1.6
"""Radius in pixels of the point an arrow starts from."""


class ArrowItem(QGraphicsItem):
    """All arrows of a field. The point that is pointed at has a ring."""

    def __init__(self, arrows: Arrows, palette: Palette) -> None:
        super().__init__()
        self._arrows, self._palette = arrows, palette
        self._ring: int | None = None
        places = np.concatenate([arrows.tails, arrows.tips])
        low, high = (places.min(axis=0), places.max(axis=0)) if len(places) else (np.zeros(2), np.ones(2))
        # Heads and rings are wider than the lines they end, by pixels that no scene unit knows.
        wide, tall = arrows.cell
        self._bounds = QRectF(QPointF(*low), QPointF(*high)).normalized().adjusted(-wide, -tall, wide, tall)

    def point_out(self, place: int | None) -> None:
        """Ring the tail of the arrow at a place in `Arrows`, or none."""
        if place != self._ring:
            self._ring = place
            self.update()

    def boundingRect(self) -> QRectF:
        return self._bounds

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        to_screen = painter.worldTransform()
        tails, tips = mapped(to_screen, self._arrows.tails), mapped(to_screen, self._arrows.tips)
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        body, dots = outlines(tails, tips)
        ground, ink = color(self._palette.card), color(self._palette.backward)
        self._fill(painter, body + dots, ground, 2 * HALO)
        self._fill(painter, body, ink, 0.0)
        self._fill(painter, dots, ink, 0.0)
        if self._ring is not None:
            self._paint_ring(painter, QPointF(*tails[self._ring]))
        painter.restore()

    def _fill(self, painter: QPainter, path: QPainterPath, tint: QColor, edge: float) -> None:
        pen = QPen(tint, edge, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        painter.setPen(pen if edge else Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        painter.drawPath(path)

    def _paint_ring(self, painter: QPainter, centre: QPointF) -> None:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for tint, width in ((self._palette.card, 4.5), (self._palette.text, 1.8)):
            painter.setPen(QPen(color(tint), width))
            painter.drawEllipse(centre, 6.0, 6.0)


def mapped(transform: QTransform, points: Floats) -> Floats:
    """Points of shape (count, 2) on the screen; `transform` scales and moves only."""
    scale = np.array([transform.m11(), transform.m22()])
    result: Floats = points * scale + (transform.dx(), transform.dy())
    return result


def outlines(tails: Floats, tips: Floats) -> tuple[QPainterPath, QPainterPath]:
    """The arrows as filled outlines, and the dots at their tails; places in pixels."""
    body, dots = QPainterPath(), QPainterPath()
    body.setFillRule(Qt.FillRule.WindingFill)
    dots.setFillRule(Qt.FillRule.WindingFill)
    along = tips - tails
    lengths = np.hypot(*along.T)
    for tail, tip, length in zip(tails, tips, lengths, strict=True):
        dots.addEllipse(QPointF(*tail), DOT, DOT)
        if length > 2 * DOT:
            body.addPolygon(_outline(tail, tip, float(length)))
            body.closeSubpath()
    return body, dots


def _outline(tail: Any, tip: Any, length: float) -> QPolygonF:
    """One arrow: a shaft that runs into a notched head."""
    ahead = (tip - tail) / length
    aside = np.array([-ahead[1], ahead[0]])
    head = min(HEAD, HEAD_SHARE * length)
    half = SHAFT / 2 * min(1.0, 0.35 + head / HEAD)  # a short arrow is thinner, or its head would not be seen
    neck, barb = tip - 0.8 * head * ahead, tip - head * ahead
    wing = 0.42 * head + 0.6
    corners = (
        tail + half * aside, neck + half * aside, barb + wing * aside, tip,
        barb - wing * aside, neck - half * aside, tail - half * aside,
    )  # fmt: skip
    return QPolygonF([QPointF(*corner) for corner in corners])
