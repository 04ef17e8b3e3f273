"""Painters that always end, many lines or rectangles from one numpy array in one call, and small images kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import shiboken6
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QPaintDevice, QPainter, QPainterPath, QPixmap, QPolygonF

from gradviz.layout.plan import Floats

Paint = Callable[[QPainter], None]


@contextmanager
def painter_on(device: QPaintDevice) -> Iterator[QPainter]:
    """A painter with smooth edges that ends even after an error: Qt crashes where a device goes before it."""
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    try:
        yield painter
    finally:
        painter.end()


@contextmanager
def rough_edges(painter: QPainter) -> Iterator[None]:
    """Draw without smooth edges, which is faster, and of small rectangles sharper."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    try:
        yield
    finally:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)


@contextmanager
def scaled_to(painter: QPainter, x: float, y: float, scale: float) -> Iterator[None]:
    """Draw in units of `scale` pixels from a point on."""
    painter.save()
    painter.translate(x, y)
    painter.scale(scale, scale)
    try:
        yield
    finally:
        painter.restore()


def align(painter: QPainter) -> None:
    """Move a painter by less than a device pixel, to a whole one: a widget may begin between two."""
    at = painter.deviceTransform()
    painter.translate((round(at.dx()) - at.dx()) / at.m11(), (round(at.dy()) - at.dy()) / at.m22())


def draw_lines(painter: QPainter, lines: Floats) -> None:
    """Draw segments (x1, y1, x2, y2), shape (n, 4), with the painter's pen."""
    if len(lines):
        kept = np.ascontiguousarray(lines, dtype=np.float64)
        # A QLineF is four doubles, so the array is an array of them; it lives until the call is over.
        painter.drawLines(_first(kept, QLineF), len(kept))


def draw_rects(painter: QPainter, boxes: Floats) -> None:
    """Draw rectangles (left, top, right, bottom), shape (n, 4), with the painter's brush and pen."""
    if len(boxes):
        kept = boxes.copy()
        kept[:, 2:] -= kept[:, :2]
        painter.drawRects(_first(kept, QRectF), len(kept))


def _first(rows: np.ndarray[Any, Any], kind: type) -> Any:
    """The first of the Qt values that the memory of some rows is; for a call that takes it and their number."""
    return shiboken6.wrapInstance(rows.__array_interface__["data"][0], kind)


def line_path(points: Floats) -> QPainterPath:
    """Points of shape (p, 2) as an open line."""
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points.tolist()]))
    return path


def curve_path(curve: Floats) -> QPainterPath:
    """A cubic Bézier chain of shape (3k + 1, 2) as an open curve."""
    start, *pieces = curve[:1].tolist() + curve[1:].reshape(-1, 6).tolist()
    path = QPainterPath(QPointF(*start))
    for piece in pieces:
        path.cubicTo(*piece)
    return path


def area_path(corners: Sequence[Sequence[float]]) -> QPainterPath:
    """Corners (x, y) as an area to fill."""
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
    path.closeSubpath()
    return path


class Sprite:
    """A small image drawn once and then copied: copying takes a twentieth of the time of drawing.

    Args:
        width, height: in units of `scale` pixels.
        margin: how far `paint` may reach beyond, in the same units.
        ratio: device pixels per screen pixel.
        paint: draws it with its top left corner at the origin.
    """

    def __init__(
        self, width: float, height: float, paint: Paint, *, margin: float = 0.0, scale: float = 1.0, ratio: float = 1.0
    ) -> None:
        zoom = scale * ratio
        self._ratio = ratio
        self._margin = math.ceil(margin * zoom) / ratio
        sides = (math.ceil(side * zoom + 2 * self._margin * ratio) + 1 for side in (width, height))
        self._image = QPixmap(*sides)
        self._image.setDevicePixelRatio(ratio)
        self._image.fill(Qt.GlobalColor.transparent)
        with painter_on(self._image) as painter:
            painter.translate(self._margin, self._margin)
            painter.scale(scale, scale)
            paint(painter)

    def draw(self, painter: QPainter, x: float, y: float) -> None:
        """Copy it with its top left corner at a screen point; on whole device pixels, or it would be blurred."""
        ratio, margin = self._ratio, self._margin
        left, top = math.floor(x * ratio + 0.5) / ratio - margin, math.floor(y * ratio + 0.5) / ratio - margin
        painter.drawPixmap(QPointF(left, top), self._image)
