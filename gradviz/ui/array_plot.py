"""The picture of an array between its two axes: a small widget that paints itself in one go.

It is drawn at every step of a pass, up to six times, where a general plotting library takes ten times as long.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from gradviz.playback.numbers import rounded
from gradviz.ui.canvas.bulk import draw_lines, draw_rects, line_path, painter_on
from gradviz.ui.theme import Theme, color, mono_font

Numbers = np.ndarray[Any, np.dtype[Any]]
Image = np.ndarray[Any, np.dtype[np.uint8]]

FEW = 10
"""Rows or columns up to which each has its number at the axis."""
_TICK_PX, _GAP, _ABOVE = 10, 5.0, 6.0
_BETWEEN_ACROSS, _BETWEEN_DOWN = 32.0, 20.0
"""Least distance of two round numbers at an axis, in pixels."""
_ARM = 3.0
"""Of a cross at an element that is not finite, in pixels."""
_AIR = 0.03
"""Around a vector, as a share of its range."""
_NOTCH = 0.75
"""What a notch of the wheel leaves of the range that is shown."""


class Range(NamedTuple):
    """What is between the axes, in their units; `top` is the number at the upper end, which may be the smaller."""

    left: float
    right: float
    top: float
    bottom: float


class Place(NamedTuple):
    """Where a range is on the widget."""

    range: Range
    frame: QRectF

    def across(self, x: Any) -> Any:
        """Numbers of the lower axis in pixels."""
        return self.frame.left() + (x - self.range.left) * (self.frame.width() / (self.range.right - self.range.left))

    def down(self, y: Any) -> Any:
        """Numbers of the left axis in pixels."""
        return self.frame.top() + (y - self.range.top) * (self.frame.height() / (self.range.bottom - self.range.top))

    def under(self, point: QPointF) -> tuple[float, float]:
        """The numbers at a point of the widget."""
        x = (point.x() - self.frame.left()) / self.frame.width()
        y = (point.y() - self.frame.top()) / self.frame.height()
        left, right, top, bottom = self.range
        return left + x * (right - left), top + y * (bottom - top)


class Drawing(Protocol):
    """What stands between the axes.

    Attributes:
        whole: the range around all of it.
        is_level: whether only the lower axis is zoomed and moved.
        ticks: most numbers at each axis are round; an axis of a few elements has the number of each.
    """

    @property
    def whole(self) -> Range: ...
    @property
    def is_level(self) -> bool: ...
    def ticks_across(self, low: float, high: float, most: int) -> Sequence[float]:
        """Numbers at the lower axis."""

    def ticks_down(self, low: float, high: float, most: int) -> Sequence[float]:
        """Numbers at the left axis."""

    def paint(self, painter: QPainter, place: Place) -> None:
        """Draw it, clipped to its frame."""


class Crosses(NamedTuple):
    """Elements that are not finite, each marked."""

    x: Numbers
    y: Numbers
    ink: str

    def paint(self, painter: QPainter, place: Place) -> None:
        """Draw a cross at each."""
        middles = np.column_stack([place.across(self.x), place.down(self.y)])
        painter.setPen(QPen(QColor(self.ink), 2.0))
        for slant in ((-_ARM, -_ARM, _ARM, _ARM), (-_ARM, _ARM, _ARM, -_ARM)):
            draw_lines(painter, np.hstack([middles, middles]) + np.array(slant))


class Matrix:
    """A picture with an element around each pair of whole numbers, the first row above."""

    is_level = False

    def __init__(self, image: Image, shape: tuple[int, int], crosses: Crosses) -> None:
        self._rows, self._columns = shape
        self._crosses = crosses
        rows, columns = image.shape[:2]
        self._pixels = np.ascontiguousarray(image)  # the picture uses this memory
        self._image = QImage(self._pixels.data, columns, rows, 4 * columns, QImage.Format.Format_RGBA8888)
        self.whole = Range(-0.5, self._columns - 0.5, -0.5, self._rows - 0.5)

    def ticks_across(self, low: float, high: float, most: int) -> Sequence[float]:
        return _places(low, high, most, self._columns)

    def ticks_down(self, low: float, high: float, most: int) -> Sequence[float]:
        return _places(low, high, most, self._rows)

    def paint(self, painter: QPainter, place: Place) -> None:
        left, right, top, bottom = self.whole
        area = QRectF(QPointF(place.across(left), place.down(top)), QPointF(place.across(right), place.down(bottom)))
        painter.drawImage(area, self._image)
        self._crosses.paint(painter, place)


class Bars:
    """A bar for each element of a vector, of one colour above zero and of one below."""

    is_level = True

    def __init__(self, heights: Numbers, inks: tuple[str, str], zero: str, width: float, crosses: Crosses) -> None:
        self._heights, self._inks, self._zero, self._width = heights, inks, zero, width
        self._crosses = crosses
        self.whole = _around(heights)

    def ticks_across(self, low: float, high: float, most: int) -> Sequence[float]:
        return _places(low, high, most, self._heights.size)

    def ticks_down(self, low: float, high: float, most: int) -> Sequence[float]:
        return round_numbers(low, high, most)

    def paint(self, painter: QPainter, place: Place) -> None:
        x, half = np.arange(self._heights.size), self._width / 2
        ends = place.down(np.stack([self._heights, np.zeros_like(self._heights)]))
        sides = np.column_stack([place.across(x - half), ends.min(axis=0), place.across(x + half), ends.max(axis=0)])
        painter.setPen(Qt.PenStyle.NoPen)
        for chosen, ink in zip((self._heights > 0, self._heights < 0), self._inks, strict=True):
            painter.setBrush(QColor(ink))
            draw_rects(painter, sides[chosen])
        _paint_zero(painter, place, self._zero)
        self._crosses.paint(painter, place)


class Line:
    """A long vector as a line; every `step`-th element is a point of it."""

    is_level = True

    def __init__(self, heights: Numbers, ink: str, step: int, crosses: Crosses) -> None:
        self._points = np.column_stack([np.arange(0, heights.size, step), heights[::step]]).astype(np.float64)
        self._size, self._ink, self._crosses = heights.size, ink, crosses
        self.whole = _around(heights)

    def ticks_across(self, low: float, high: float, most: int) -> Sequence[float]:
        return _places(low, high, most, self._size)

    def ticks_down(self, low: float, high: float, most: int) -> Sequence[float]:
        return round_numbers(low, high, most)

    def paint(self, painter: QPainter, place: Place) -> None:
        painter.setPen(QPen(QColor(self._ink), 1.0))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        points = np.column_stack([place.across(self._points[:, 0]), place.down(self._points[:, 1])])
        painter.drawPath(line_path(points))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._crosses.paint(painter, place)


def _around(heights: Numbers) -> Range:
    """The range of a vector, zero in it, with a little air above and below."""
    low, high = min(heights.min(initial=0.0), 0.0), max(heights.max(initial=0.0), 0.0)
    high = high if high > low else low + 1.0
    above, beside = _AIR * high - _AIR * low, _AIR * heights.size
    return Range(-0.6 - beside, heights.size - 0.4 + beside, float(high + above), float(low - above))


def _paint_zero(painter: QPainter, place: Place, ink: str) -> None:
    y = math.floor(place.down(0.0)) + 0.5
    painter.setPen(QPen(QColor(ink), 1.0))
    painter.drawLine(QPointF(place.frame.left(), y), QPointF(place.frame.right(), y))


def round_numbers(low: float, high: float, most: int) -> list[float]:
    """Round numbers from `low` to `high` at equal distances, at most so many."""
    span = high - low
    if not (math.isfinite(span) and span > 0) or most < 1:
        return []
    unit = 10.0 ** math.floor(math.log10(span / most))
    step = next(unit * factor for factor in (1, 2, 5, 10, 20) if span / (unit * factor) <= most)
    first, last = math.ceil(low / step), math.floor(high / step)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


def _places(low: float, high: float, most: int, size: int) -> list[float]:
    """Whole numbers that are places of one of `size` elements: each of a few, else round ones."""
    low, high = max(low, 0.0), min(high, size - 1.0)
    if size <= FEW:
        every = max(1, math.ceil(size / max(most * 3 // 2, 1)))  # their numbers have one figure
        return [float(place) for place in range(0, size, every) if low <= place <= high]
    return [number for number in round_numbers(low, high, most) if number.is_integer()]


class ArrayPlot(QWidget):
    """A drawing between two axes. Ctrl+wheel zooms, dragging moves, a double click shows all again.

    Signals:
        pointed: the numbers of both axes under the pointer, or None when it leaves.
    """

    pointed = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._drawing: Drawing | None = None
        self._grip: QPointF | None = None
        self.range = Range(0.0, 1.0, 1.0, 0.0)
        self.setMouseTracking(True)
        self.setMinimumWidth(60)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def show_drawing(self, drawing: Drawing) -> None:
        """Show all of a drawing."""
        self._drawing, self.range = drawing, drawing.whole
        self.update()

    def _place(self, painter_font: QFontMetricsF) -> tuple[Place, list[tuple[float, str]], list[tuple[float, str]]]:
        """Where the range is beside the numbers of its axes, and these numbers."""
        bottom = self.height() - painter_font.height() - 1.0
        down = self._ticks_down(bottom - _ABOVE)
        wide = max((painter_font.horizontalAdvance(text) for _, text in down), default=0.0)
        left = math.ceil(wide + _GAP) + 1.0
        frame = QRectF(left, _ABOVE, max(self.width() - left - 1.0, 1.0), max(math.floor(bottom) - _ABOVE, 1.0))
        return Place(self.range, frame), self._ticks_across(frame.width()), down

    def _ticks_across(self, width: float) -> list[tuple[float, str]]:
        most = int(width / _BETWEEN_ACROSS)
        if self._drawing is None:
            return []
        return _texts(self._drawing.ticks_across(self.range.left, self.range.right, most))

    def _ticks_down(self, height: float) -> list[tuple[float, str]]:
        if self._drawing is None:
            return []
        low, high = sorted((self.range.top, self.range.bottom))
        # Of a few rows each has its number: they may stand as close as lines of text.
        most = int(height / (_BETWEEN_DOWN if self._drawing.is_level else _TICK_PX + 2.0))
        return _texts(self._drawing.ticks_down(low, high, most))

    # ---- Qt ----

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._drawing is None:
            return
        with painter_on(self) as painter:
            font = mono_font(_TICK_PX)
            painter.setFont(font)
            place, across, down = self._place(QFontMetricsF(font))
            self._paint_axes(painter, place, across, down)
            painter.setClipRect(place.frame)
            self._drawing.paint(painter, place)

    def _paint_axes(
        self, painter: QPainter, place: Place, across: list[tuple[float, str]], down: list[tuple[float, str]]
    ) -> None:
        frame, align = place.frame, Qt.AlignmentFlag
        painter.setPen(color(self._theme.palette.hairline))
        corner = QPointF(frame.left() - 0.5, frame.bottom() + 0.5)
        painter.drawLine(QPointF(corner.x(), frame.top()), corner)
        painter.drawLine(corner, QPointF(frame.right(), corner.y()))
        painter.setPen(color(self._theme.palette.dim))
        for number, text in down:
            beside = QRectF(0.0, place.down(number) - 8.0, frame.left() - _GAP, 16.0)
            painter.drawText(beside, align.AlignRight | align.AlignVCenter, text)
        for number, text in across:
            wide = painter.fontMetrics().horizontalAdvance(text) + 2.0
            x = min(max(place.across(number) - wide / 2, 0.0), self.width() - wide)
            painter.drawText(QRectF(x, frame.bottom() + 2.0, wide, 16.0), align.AlignHCenter | align.AlignTop, text)

    def _under(self, point: QPointF) -> tuple[float, float]:
        return self._place(QFontMetricsF(mono_font(_TICK_PX)))[0].under(point)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self._drawing is None or not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # a wheel over the picture scrolls the panel
            return
        left = _NOTCH ** (event.angleDelta().y() / 120.0)
        x, y = self._under(event.position())
        self._look(_zoomed(self.range, (x, y), left, is_level=self._drawing.is_level))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._grip = event.position() if event.button() is Qt.MouseButton.LeftButton else None

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grip is not None and self._drawing is not None:
            (x, y), (old_x, old_y) = self._under(event.position()), self._under(self._grip)
            rise = 0.0 if self._drawing.is_level else old_y - y
            self._grip = event.position()
            left, right, top, bottom = self.range
            self._look(Range(left + old_x - x, right + old_x - x, top + rise, bottom + rise))
        self.pointed.emit(self._under(event.position()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._grip = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._drawing is not None:
            self._look(self._drawing.whole)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit(None)
        super().leaveEvent(event)

    def _look(self, wanted: Range) -> None:
        """Show another range, as far as there is something to see: a part of the drawing stays in it."""
        if self._drawing is None:
            return
        whole = self._drawing.whole
        left, right = _kept(wanted.left, wanted.right, whole.left, whole.right)
        top, bottom = _kept(wanted.top, wanted.bottom, whole.top, whole.bottom)
        self.range = Range(left, right, top, bottom)
        self.update()


def _texts(numbers: Sequence[float]) -> list[tuple[float, str]]:
    return [(number, rounded(number, 6).replace("-", "−")) for number in numbers]


def _zoomed(shown: Range, about: tuple[float, float], left: float, *, is_level: bool) -> Range:
    """What is left of a range where so much of it is; a point stays where it is."""
    x, y = about
    first, last = x + (shown.left - x) * left, x + (shown.right - x) * left
    if is_level:
        return Range(first, last, shown.top, shown.bottom)
    return Range(first, last, y + (shown.top - y) * left, y + (shown.bottom - y) * left)


def _kept(low: float, high: float, first: float, last: float) -> tuple[float, float]:
    """A range no longer than that of all, and moved so that it lies in it; either may run downwards."""
    sign = 1.0 if last >= first else -1.0
    size, most = abs(high - low), abs(last - first)
    if size >= most:
        return first, last
    start = min(max(sign * low, sign * first), sign * last - size)
    return sign * start, sign * (start + size)
