"""A mark: something drawn over the image of the graph, in screen pixels, with the rectangle it covers."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from gradviz.ui.canvas.ink.painter import scaled_to
from gradviz.ui.canvas.ink.text import Pen, Role, text_width
from gradviz.ui.canvas.plane.view import Rect
from gradviz.ui.look.theme import color


class Mark(NamedTuple):
    """What to draw, where it can be seen at all, and what kind of mark it is."""

    rect: QRectF
    paint: Callable[[QPainter], None]
    kind: str = ""


class Ink(NamedTuple):
    """The colours of a pill; `border` is "" for none."""

    fill: str
    text: str
    border: str = ""


def qt_rect(rect: Rect) -> QRectF:
    """A rectangle as Qt has it."""
    return QRectF(QPointF(*rect[:2]), QPointF(*rect[2:]))


def sides_of(rect: QRectF) -> Rect:
    """A rectangle of Qt's as the rest has it."""
    return rect.left(), rect.top(), rect.right(), rect.bottom()


PILL = "pill"
PILL_HEIGHT = 22.0
_PILL_PAD = 8.0


def pill_size(text: str, size: float) -> tuple[float, float]:
    """Width and height of a pill in screen pixels; `size` 1 is the text at its own size."""
    return (text_width(text, Role.LABEL) + 2 * _PILL_PAD) * size, PILL_HEIGHT * size


def pill(text: str, rect: QRectF, ink: Ink, size: float, *, radius: float = 6.0, vector: bool = False) -> Mark:
    """A text on a rounded surface."""
    inner = QRectF(0, 0, rect.width() / size, rect.height() / size)

    def paint(painter: QPainter) -> None:
        with scaled_to(painter, rect.x(), rect.y(), size):
            if not ink.border:
                soft_shadow(painter, inner, radius)
            painter.setPen(QPen(QColor(ink.border), 1.0) if ink.border else Qt.PenStyle.NoPen)
            painter.setBrush(QColor(ink.fill))
            painter.drawRoundedRect(inner, radius, radius)
            Pen(painter, vector=vector).centred(inner.center().x(), inner.center().y(), text, Role.LABEL, ink.text)

    return Mark(rect.adjusted(-4, -4, 4, 6), paint, PILL)


def soft_shadow(painter: QPainter, rect: QRectF, radius: float) -> None:
    """A faint shadow under a surface."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color("#0B1220", 0.028))
    for grow in (1.0, 2.0, 3.0):
        painter.drawRoundedRect(rect.adjusted(-grow, -grow + 1.5, grow, grow + 1.5), radius + grow, radius + grow)


def dot(x: float, y: float, radius: float, ink: str) -> Mark:
    """A filled circle."""

    def paint(painter: QPainter) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(ink))
        painter.drawEllipse(QPointF(x, y), radius, radius)

    return Mark(QRectF(x - radius - 1, y - radius - 1, 2 * radius + 2, 2 * radius + 2), paint)


def halo(rect: QRectF, ink: str) -> Mark:
    """A ring with a glow around something too small to carry its own."""

    def paint(painter: QPainter) -> None:
        path = QPainterPath()
        path.addRoundedRect(rect, 9, 9)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for pen in (QPen(color(ink, 0.22), 7.0), QPen(QColor(ink), 2.2)):
            painter.setPen(pen)
            painter.drawPath(path)

    return Mark(rect.adjusted(-5, -5, 5, 5), paint)
