"""A matrix in colours, or the heights of a vector as bars or a line, with numbers at two axes.

Places are those of the data: an element stands around its index; y grows downwards in a matrix, upwards in heights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.ui.canvas.ink.painter import draw_lines, draw_rects
from gradviz.ui.look.theme import Theme, mono_font

Numbers = np.ndarray[Any, np.dtype[Any]]
Tick = tuple[float, str]
"""A place at an axis, and what is written there."""

BELOW, RIM = 18, 2
"""Pixels below the picture, for numbers, and at its other sides."""
CROSS = 3.5
"""Half a cross, in pixels."""
FEW = 10
"""Elements along an axis up to which each has its number."""
ZOOM = 0.75
"""What is left of the range that is seen after a notch of the wheel."""


class Range(NamedTuple):
    """What is seen: the places at the left, the right, the top and the bottom rim."""

    left: float
    right: float
    top: float
    bottom: float


class Matrix(NamedTuple):
    """An image, and how many rows and columns it stands for: of a large matrix fewer are drawn."""

    image: QImage
    rows: int
    columns: int


class Heights(NamedTuple):
    """A vector.

    Attributes:
        values: finite numbers; shape (n,).
        above, below: colours of bars on both sides of zero.
        line: colour of a line instead of bars, or "".
    """

    values: Numbers
    above: str
    below: str
    line: str


class Chart(QWidget):
    """Draws one array. Ctrl+wheel zooms about the pointer, dragging moves what is seen.

    Signals:
        pointed: payload: the place under the pointer, or None.
        picked: a place was clicked. Payload: the place.
    """

    pointed = Signal(object)
    picked = Signal(QPointF)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._content: Matrix | Heights | None = None
        self._whole = self.seen = Range(0.0, 1.0, 0.0, 1.0)
        self._ticks: Sequence[Tick] | None = None
        self._crosses: tuple[Numbers, str] = (np.zeros((0, 2)), "")
        self._font = mono_font(10)
        self._digit = QFontMetricsF(self._font).horizontalAdvance("0")
        self._pressed: QPointF | None = None
        self._has_moved = False
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMouseTracking(True)
        self.setMinimumWidth(60)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_content(
        self,
        content: Matrix | Heights,
        whole: Range,
        ticks: Sequence[Tick] | None = None,
        crosses: tuple[Numbers, str] = (np.zeros((0, 2)), ""),
    ) -> None:
        """Show an array, all of it.

        Args:
            whole: the range of all that there is.
            ticks: at the left axis; indices where None.
            crosses: places (x, y) that are marked, shape (k, 2), and their colour.
        """
        self._content, self._ticks, self._crosses = content, ticks, crosses
        self._whole = self.seen = whole
        self.update()

    def zoom_by(self, factor: float, about: QPointF) -> None:
        """See so many times the range, but no more than all; the place `about` stays where it is."""
        is_flat = isinstance(self._content, Heights)  # all of the height is always seen
        x, y = about.x(), about.y()
        left, right, top, bottom = self.seen
        along = [x + (end - x) * factor for end in (left, right)]
        down = [top, bottom] if is_flat else [y + (end - y) * factor for end in (top, bottom)]
        self._look(Range(*along, *down))

    def _look(self, wanted: Range) -> None:
        whole = self._whole
        across = _within(wanted.left, wanted.right, whole.left, whole.right)
        down = _within(wanted.top, wanted.bottom, whole.top, whole.bottom)
        self.seen = Range(*across, *down)
        self.update()

    # ---- where things are ----

    def _shape(self) -> tuple[int, int]:
        """Rows and columns; of a vector one row."""
        content = self._content
        if isinstance(content, Matrix):
            return content.rows, content.columns
        return 1, 1 if content is None else len(content.values)

    def _room(self) -> QRectF:
        """The picture without its axes, in pixels."""
        ticks = self._ticks
        letters = len(str(self._shape()[0])) if ticks is None else max(len(text) for _, text in ticks)
        left = round(max(letters, 2) * self._digit) + 8
        return QRectF(left, RIM, max(self.width() - left - RIM, 1), max(self.height() - RIM - BELOW, 1))

    def _to_screen(self, points: Numbers) -> Numbers:
        """Places (x, y) in pixels; shape (n, 2)."""
        room, seen = self._room(), self.seen
        scale = [room.width() / (seen.right - seen.left), room.height() / (seen.bottom - seen.top)]
        found: Numbers = (points - (seen.left, seen.top)) * scale + (room.left(), room.top())
        return found

    def to_place(self, point: QPointF) -> QPointF:
        """The place under a pixel."""
        room, seen = self._room(), self.seen
        x = seen.left + (point.x() - room.left()) * (seen.right - seen.left) / room.width()
        return QPointF(x, seen.top + (point.y() - room.top()) * (seen.bottom - seen.top) / room.height())

    def _place_at(self, point: QPointF) -> QPointF | None:
        """The place under a pixel of the picture; None beside it."""
        return self.to_place(point) if self._room().contains(point) else None

    # ---- drawing ----

    def paintEvent(self, event: QPaintEvent) -> None:
        palette, room = self._theme.palette, self._room()
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor(palette.card))
        painter.setClipRect(room)
        if isinstance(self._content, Matrix):
            self._paint_matrix(painter, self._content)
        elif isinstance(self._content, Heights):
            self._paint_heights(painter, self._content)
        self._paint_crosses(painter)
        painter.setClipping(False)
        painter.setPen(QColor(palette.hairline))
        painter.drawLine(room.topLeft(), room.bottomLeft())
        painter.drawLine(room.bottomLeft(), room.bottomRight())
        self._paint_ticks(painter, room)
        painter.end()

    def _paint_matrix(self, painter: QPainter, matrix: Matrix) -> None:
        corners = np.array([[-0.5, -0.5], [matrix.columns - 0.5, matrix.rows - 0.5]])
        (left, top), (right, bottom) = self._to_screen(corners).tolist()
        painter.drawImage(QRectF(QPointF(left, top), QPointF(right, bottom)), matrix.image)

    def _paint_heights(self, painter: QPainter, heights: Heights) -> None:
        values = heights.values
        first, last = max(math.floor(self.seen.left), 0), min(math.ceil(self.seen.right) + 1, len(values))
        places = np.arange(first, last)
        if heights.line:
            painter.setPen(QPen(QColor(heights.line), 1.0))
            draw_lines(painter, self._outline(places, values[first:last]))
            return
        thick = 0.4 if len(values) <= 50 else 0.5  # thin gaps come out uneven
        low, high = np.minimum(values[first:last], 0.0), np.maximum(values[first:last], 0.0)
        one = self._to_screen(np.column_stack([places - thick, high]))
        other = self._to_screen(np.column_stack([places + thick, low]))
        bars = np.rint(np.hstack([one, other]))
        bars[:, 2] = np.maximum(bars[:, 2], bars[:, 0] + 1.0)
        painter.setPen(Qt.PenStyle.NoPen)
        for is_there, ink in ((values[first:last] > 0, heights.above), (values[first:last] < 0, heights.below)):
            painter.setBrush(QColor(ink))
            draw_rects(painter, bars[is_there])
        zero = self._to_screen(np.array([[self.seen.left, 0.0], [self.seen.right, 0.0]]))
        painter.setPen(QColor(self._theme.palette.faint))
        draw_lines(painter, zero.reshape(1, 4))

    def _outline(self, places: Numbers, values: Numbers) -> Numbers:
        """A line through points as segments, shape (s, 4); of many on one pixel the least and the greatest."""
        columns = max(int(self._room().width()), 1)
        if len(places) <= 2 * columns:
            points = self._to_screen(np.column_stack([places, values]))
            return np.hstack([points[:-1], points[1:]])
        starts = np.arange(columns) * len(places) // columns
        ends = np.append(starts[1:], len(places) - 1) + 1  # each column with the first of the next
        pairs = np.column_stack([starts, np.minimum(ends, len(places) - 1)]).ravel()
        low, high = np.minimum.reduceat(values, pairs)[::2], np.maximum.reduceat(values, pairs)[::2]
        one, other = (self._to_screen(np.column_stack([places[starts], side])) for side in (low, high))
        return np.hstack([one, other])

    def _paint_crosses(self, painter: QPainter) -> None:
        places, ink = self._crosses
        if len(places):
            x, y = self._to_screen(places).T
            painter.setPen(QPen(QColor(ink), 2.0))
            down = np.column_stack([x - CROSS, y - CROSS, x + CROSS, y + CROSS])
            draw_lines(painter, np.concatenate([down, down[:, [0, 3, 2, 1]]]))

    def _paint_ticks(self, painter: QPainter, room: QRectF) -> None:
        """The numbers at both axes that are seen whole."""
        painter.setFont(self._font)
        painter.setPen(QColor(self._theme.palette.dim))
        seen, high, (rows, columns) = self.seen, 14.0, self._shape()
        widest = (len(str(columns)) + 2) * self._digit
        for place, text in _indices(seen.left, seen.right, columns, room.width() / widest):
            x, wide = self._to_screen(np.array([[place, seen.top]]))[0, 0], len(text) * self._digit
            left = min(x - wide / 2, self.width() - wide)
            painter.drawText(QRectF(left, room.bottom() + 2, wide + 2, high), Qt.AlignmentFlag.AlignVCenter, text)
        ticks = self._ticks
        if ticks is None:
            ticks = _indices(seen.top, seen.bottom, rows, room.height() / high)
        for place, text in ticks:
            y = self._to_screen(np.array([[seen.left, place]]))[0, 1]
            if room.top() <= y <= room.bottom():
                top = min(max(y - high / 2, 0.0), self.height() - high)
                side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                painter.drawText(QRectF(0.0, top, room.left() - 4, high), side, text)

    # ---- the pointer ----

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel over the picture scrolls the panel; with Ctrl it zooms."""
        if not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
            return
        self.zoom_by(ZOOM ** (event.angleDelta().y() / 120), self.to_place(event.position()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed, self._has_moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self.pointed.emit(self._place_at(event.position()))
            return
        way = event.position() - self._pressed
        if self._has_moved or way.manhattanLength() > 4:
            self._has_moved = True
            by = self.to_place(self._pressed) - self.to_place(event.position())
            left, right, top, bottom = self.seen
            self._look(Range(left + by.x(), right + by.x(), top + by.y(), bottom + by.y()))
            self._pressed = event.position()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = self._place_at(event.position())
        if self._pressed is not None and not self._has_moved and place is not None:
            self.picked.emit(place)
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Show all again."""
        self._look(self._whole)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit(None)


def _within(low: float, high: float, least: float, most: float) -> tuple[float, float]:
    """A range moved and cut so that it is within another; either may run downwards."""
    if least > most:
        first, second = _within(high, low, most, least)
        return second, first
    span = min(high - low, most - least)
    start = min(max(low, least), most - span)
    return start, start + span


def _indices(low: float, high: float, size: int, room: float) -> list[Tick]:
    """The indices at an axis of `size` elements: each of a few, else round ones as far as there is room.

    Args:
        low, high: what of the axis is seen.
        room: how many have room.
    """
    step = 1
    if size > FEW:
        least = max((high - low) / max(min(room, 6.0), 1.0), 1.0)
        power = 10 ** math.floor(math.log10(least))
        step = next(int(power * times) for times in (1, 2, 5, 10) if power * times >= least)
    first, last = math.ceil(max(low, 0.0) / step) * step, min(math.floor(high), size - 1)
    return [(float(place), str(place)) for place in range(first, last + 1, step)]
