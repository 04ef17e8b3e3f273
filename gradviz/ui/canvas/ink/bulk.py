"""Painters that always end, and many lines or rectangles from one numpy array in one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import shiboken6
from PySide6.QtCore import QByteArray, QDataStream, QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPaintDevice, QPainter, QPainterPath, QPixmap, QPolygonF

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.ink.memory import Pixels, fill_memory, whole_pixels

Codes = np.ndarray[Any, np.dtype[np.integer[Any]]]

_MANY = 40
"""So many rectangles are filled faster by numpy than by Qt."""

_EVERYWHERE = QRect(-1_000_000, -1_000_000, 2_000_000, 2_000_000)


@contextmanager
def painter_on(device: QPaintDevice) -> Iterator[QPainter]:
    """A painter with smooth edges that ends even after an error: Qt crashes where a device goes before it."""
    painter = QPainter(device)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    try:
        yield painter
    finally:
        painter.end()


def align(painter: QPainter) -> None:
    """Move a painter by less than a device pixel, to a whole one: a widget may begin between two."""
    at = painter.deviceTransform()
    painter.translate((round(at.dx()) - at.dx()) / at.m11(), (round(at.dy()) - at.dy()) / at.m22())


@contextmanager
def on_device(painter: QPainter, ratio: float) -> Iterator[None]:
    """Draw in device pixels, `ratio` of them to a pixel of the painter: copies are then exact, and fast."""
    if ratio == 1.0:
        yield
        return
    painter.save()
    painter.scale(1.0 / ratio, 1.0 / ratio)
    try:
        yield
    finally:
        painter.restore()


def lay(painter: QPainter, x: float, y: float, picture: QPixmap | QImage, ratio: float) -> None:
    """Copy a picture, a pixel to a device pixel.

    Args:
        x, y: where its top left corner is: a whole device pixel, in pixels of the painter.
        ratio: device pixels to a pixel of the painter; that of the picture is 1.
    """
    if ratio != 1.0:
        with on_device(painter, ratio):
            lay(painter, x * ratio, y * ratio, picture, 1.0)
    elif isinstance(picture, QPixmap):
        painter.drawPixmap(round(x), round(y), picture)
    else:
        painter.drawImage(round(x), round(y), picture)


@contextmanager
def clipped(painter: QPainter) -> Iterator[None]:
    """Draw in a clip that cuts nothing off, where there is none: in one, Qt draws thin lines five times as fast."""
    if painter.hasClipping():
        yield
        return
    painter.setClipRect(_EVERYWHERE)
    try:
        yield
    finally:
        painter.setClipping(False)


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


def fill_rects(painter: QPainter, boxes: Floats, ink: QColor) -> None:
    """Fill rectangles (left, top, right, bottom), shape (n, 4), with a colour, without smooth edges."""
    fill_pixels(painter, whole_pixels(boxes, painter.device().devicePixelRatioF()), ink)


def fill_pixels(painter: QPainter, rows: Pixels, ink: QColor) -> None:
    """Fill rectangles from `whole_pixels` with an opaque colour."""
    fill_runs(painter, rows, [0, len(rows)], [ink])


def fill_runs(painter: QPainter, rows: Pixels, starts: Sequence[int], inks: Sequence[QColor]) -> None:
    """Fill rectangles from `whole_pixels` with opaque colours.

    Into the memory of a picture they go fast where most are as large as the one before.

    Args:
        starts: where those of each colour begin, and the end of the rows.
    """
    if len(rows) >= _MANY and fill_memory(painter, rows, starts, inks):
        return
    painter.setPen(Qt.PenStyle.NoPen)
    with on_device(painter, painter.device().devicePixelRatioF()):
        for ink, (first, last) in zip(inks, pairwise(starts), strict=True):
            painter.setBrush(ink)
            painter.drawRects(_first(rows[first:last], QRect), last - first)


def _first(rows: np.ndarray[Any, Any], kind: type) -> Any:
    """The first of the Qt values that the memory of some rows is; for a call that takes it and their number."""
    return shiboken6.wrapInstance(rows.__array_interface__["data"][0], kind)


def runs(codes: Codes) -> tuple[list[int], list[int]]:
    """The different codes of a sorted row, and where each begins; the end of the row last."""
    if not len(codes):
        return [], [0]
    cuts = np.flatnonzero(codes[1:] != codes[:-1]) + 1
    starts = [0, *cuts.tolist()]
    return codes[starts].tolist(), [*starts, len(codes)]


def line_path(*lines: Floats) -> QPainterPath:
    """Points, each of shape (p, 2), as open lines."""
    path = QPainterPath()
    for points in lines:
        path.addPolygon(_polygon(points))
    return path


def curve_path(curve: Floats) -> QPainterPath:
    """A cubic Bézier chain of shape (3k + 1, 2) as an open curve."""
    path = QPainterPath(QPointF(*curve[0].tolist()))
    for piece in curve[1:].reshape(-1, 6).tolist():
        path.cubicTo(*piece)
    return path


def area_path(outlines: Sequence[Floats]) -> QPainterPath:
    """Points, each of shape (p, 2), as areas to fill; a path draws four times as fast as a polygon from Python."""
    path = QPainterPath()
    for points in outlines:
        path.addPolygon(_polygon(points))
        path.closeSubpath()
    path.setFillRule(Qt.FillRule.WindingFill)
    return path


def _polygon(points: Floats) -> QPolygonF:
    corners = QPolygonF()
    corners.resize(len(points))
    pointer: Any = shiboken6.VoidPtr
    memory = np.frombuffer(pointer(corners.data(), len(points) * 16, True), dtype=np.float64)
    memory.reshape(-1, 2)[:] = points
    return corners


def segments_path(segments: Floats) -> QPainterPath:
    """Segments (x1, y1, x2, y2), shape (n, 4), as open lines."""
    return _joined(_with_length(segments).reshape(-1, 2, 2), Qt.FillRule.OddEvenFill)


def bars_path(segments: Floats, width: float, more: QPainterPath) -> QPainterPath:
    """Segments of some width, shape (n, 4), and something more, as one area to fill."""
    segments = _with_length(segments)
    along = segments[:, 2:] - segments[:, :2]
    across = along[:, ::-1] * [-1.0, 1.0] * (width / 2 / np.maximum(np.hypot(*along.T), 1e-9))[:, None]
    starts, ends = segments[:, :2], segments[:, 2:]
    corners = [starts + across, ends + across, ends - across, starts - across, starts + across]
    path = _joined(np.stack(corners, axis=1), Qt.FillRule.WindingFill)
    path.addPath(more)
    return path


def _with_length(segments: Floats) -> Floats:
    kept: Floats = segments[(segments[:, :2] != segments[:, 2:]).any(axis=1)]
    return kept


_ELEMENT = np.dtype([("kind", ">i4"), ("x", ">f8"), ("y", ">f8")])
"""An element of a path as Qt writes it to a stream; its kind is 0 where a line begins, and 1 where it goes on."""


def _joined(lines: Floats, rule: Qt.FillRule) -> QPainterPath:
    """Lines of as many points each, shape (n, p, 2), as one path. Read from a stream, ten times as fast.

    The stream is that of Qt's QPainterPath: the number of elements, these, where the last line begins, the rule.
    """
    path = QPainterPath()
    if not len(lines):
        path.setFillRule(rule)
        return path
    elements = np.zeros(lines.shape[:2], dtype=_ELEMENT)
    elements["kind"][:, 1:] = 1
    elements["x"], elements["y"] = lines[..., 0], lines[..., 1]
    ends = np.array([elements.size, elements.size - lines.shape[1], rule.value], dtype=">i4")
    written = QByteArray(ends[:1].tobytes() + elements.tobytes() + ends[1:].tobytes())
    QDataStream(written) >> path
    return path
