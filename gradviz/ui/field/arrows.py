"""Arrows as one item of a scene: shafts and heads in screen pixels, whatever the zoom, with a halo around them."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF, QTransform
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gradviz.playback.field import Floats
from gradviz.ui.field.surface import Arrows
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import color

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
        outlines, dots, faint_dots = shapes(tails, tips)
        painter.save()
        painter.resetTransform()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for tint, edge in ((self._palette.card, 2 * HALO), (self._palette.backward, 0.0)):
            # One by one: as a single path, the fill of a thousand arrows takes ten times as long.
            painter.setBrush(color(tint))
            painter.setPen(_pen(tint, edge) if edge else Qt.PenStyle.NoPen)
            for outline in outlines:
                painter.drawPolygon(outline)
            for points, radius in ((dots, DOT), (faint_dots, SHAFT / 2)):
                painter.setPen(_pen(tint, 2 * radius + edge))
                painter.drawPoints(points)
        if self._ring is not None:
            self._paint_ring(painter, QPointF(*tails[self._ring]))
        painter.restore()

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


def shapes(tails: Floats, tips: Floats) -> tuple[list[QPolygonF], QPolygonF, QPolygonF]:
    """The arrows as outlines, the dots at their tails, and the dots that must be small; places in pixels."""
    lengths = np.hypot(*(tips - tails).T)
    ends = zip(tails, tips, lengths, strict=True)
    outlines = [_outline(tail, tip, float(length)) for tail, tip, length in ends if length > 2 * DOT]
    # Beside the head of a short arrow a full dot looks like another head.
    is_short = (lengths > 2 * DOT) & (lengths < 2 * HEAD)
    return outlines, _polygon(tails[~is_short]), _polygon(tails[is_short])


def _polygon(points: Floats) -> QPolygonF:
    return QPolygonF([QPointF(*point) for point in points])


def _pen(tint: str, width: float) -> QPen:
    return QPen(color(tint), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)


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
    return _polygon(np.array(corners))
