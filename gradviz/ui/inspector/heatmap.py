"""An array as a picture: a heat map of two axes, bars or a line for one; `SliceChoice` leads to it from beyond two.

The scale of a heat map is signed and centred at 0: blue below, orange above, so that zero is the colour of the
background and people who tell red from green badly see the sign too. NaN and infinities have a colour of their own.
What is drawn is told apart by the chip below it, and bars and lines have its colour: blue for a value, orange for a
gradient.
pyqtgraph is imported with the first picture, since it takes half a second.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gradviz.playback.numbers import figures, rounded
from gradviz.recording import Array
from gradviz.ui.inspector.heatmap_slices import SliceChoice
from gradviz.ui.inspector.scale_bar import ScaleBar
from gradviz.ui.look.palette import SPACE, Palette
from gradviz.ui.look.scales import scale_colours, signed
from gradviz.ui.look.theme import CAPTION_PX, Theme, color, mono_font, ui_font

__all__ = ["HeatMap", "SliceChoice", "coloured", "real", "scale_colours", "shades"]

BARS_LIMIT = 200
"""Elements up to which a vector is drawn as bars."""
PIXEL_LIMIT = 1024
"""Rows and columns up to which every element is drawn; beyond, every second, third, ... of them."""
FEW = 10
"""Rows or columns up to which each has its number at the axis."""
MARKS_LIMIT = 500
"""Elements that are not finite up to which each is marked with a cross."""
ROLE_WORDS = {"forward": "value", "backward": "gradient"}
"""What the chip says, by role."""
LINE_LIMIT = 20_000
"""Points of a line."""
HEIGHT = 140
"""Of a picture, in pixels; a matrix with more rows than columns gets up to `HIGHEST`."""
HIGHEST = 240
LABEL_ROOM = 0.13
"""The least part of the height of bars between 0 and the number of another height."""
READ_LETTERS = 26
"""Room for what is read under the pointer, in letters: "[1023, 1023]  -1.23457e-05"."""

Numbers = np.ndarray[Any, np.dtype[Any]]
Image = np.ndarray[Any, np.dtype[np.uint8]]


def coloured(values: Numbers, limit: float, palette: Palette) -> Image:
    """The picture of a matrix: RGBA of shape (*values.shape, 4).

    Args:
        values: real numbers of any shape.
        limit: the magnitude that gets the full colour, above 0.
    """
    finite = np.isfinite(values)
    with np.errstate(over="ignore"):
        share = np.where(finite, values, 0) * (MIDDLE / limit)
    shade = np.clip(np.rint(share), -MIDDLE, MIDDLE).astype(np.int16) + 1 + MIDDLE
    return shades(palette)[np.where(finite, shade, 0)]


MIDDLE = 127


def shades(palette: Palette) -> Image:
    """All colours of the scale, of shape (256, 4): first that of what is not finite, then from least to greatest."""
    odd = np.array([[int(palette.error[i : i + 2], 16) for i in (1, 3, 5)] + [255]], dtype=np.uint8)
    return np.concatenate([odd, signed(palette, np.linspace(-1, 1, 2 * MIDDLE + 1))])


def real(array: Array) -> Numbers:
    """What is drawn of an array: its magnitude where it is complex, numbers where it is boolean."""
    if array.dtype.kind == "c":
        return np.asarray(np.abs(array))
    return np.asarray(array) if array.dtype.kind == "f" else np.asarray(array, dtype=np.float64)


def _few(size: int) -> list[list[tuple[float, str]]] | None:
    """The ticks of a few elements: left to itself an axis of two gets one at 0.5. None where there are many."""
    return [[(float(place), str(place)) for place in range(size)]] if size <= FEW else None


def _ticks(low: float, high: float, highest: float) -> list[tuple[float, str]]:
    """The numbers at the heights of bars: 0, and the least and the greatest where they are not too near to it.

    Args:
        highest: the greatest height there is, which `high` is not where all are 0.
    """
    least = LABEL_ROOM * (high - low)
    ends = [(low, low), (high, highest)]
    return [(0.0, "0"), *((place, rounded(number, 3)) for place, number in ends if number and abs(number) >= least)]


class _Bars(NamedTuple):
    """The bars that are drawn, above and below zero; `has_marks`: crosses stand with them."""

    palette: Palette
    items: list[Any]
    has_marks: bool


class HeatMap(QWidget):
    """A picture of an array with one or two axes longer than 1. Ctrl+wheel zooms, a double click shows all again.

    Args:
        role: "forward" for a value, "backward" for a gradient, "" for an array that is neither: its bars then have
            the colours of their signs.

    Signals:
        pointed: what is under the pointer, "[3, 0]  0.12", or "" when it leaves.
        picked: an element was clicked. Payload: its index in the array that is shown.
    """

    pointed = Signal(str)
    picked = Signal(object)

    def __init__(self, theme: Theme, role: str = "") -> None:
        super().__init__()
        import pyqtgraph as pg

        self._pg, self._theme, self._role = pg, theme, role
        self._array: Numbers = np.zeros((1, 1))
        self._drawn: Numbers = np.zeros((1, 1))
        self._stride = (1, 1)
        self._worn: Palette | None = None
        self._is_whole: bool | None = None
        self._bars: _Bars | None = None
        self._image: tuple[tuple[int, ...], Any] | None = None
        self._view = pg.PlotWidget(background=None, enableMenu=False)
        self._view.setFixedHeight(HEIGHT)
        self._view.setMinimumWidth(60)
        self._view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._view.hideButtons()
        self._view.viewport().installEventFilter(self)
        self._view.scene().sigMouseMoved.connect(self._point)
        self._view.scene().sigMouseClicked.connect(self._pick)
        self._can_pick = False
        self.bar = ScaleBar(theme)
        self.readout = QLabel()
        self.readout.setProperty("role", "dim")
        self.readout.setFont(mono_font(CAPTION_PX))
        self.readout.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.readout.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.chip = QLabel(ROLE_WORDS.get(role, ""))
        self.chip.setFont(ui_font(CAPTION_PX, bold=True))
        self.chip.setVisible(bool(self.chip.text()))
        self._below = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._below.addWidget(self.chip, 0, Qt.AlignmentFlag.AlignLeft)
        self._below.addWidget(self.readout, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE)
        column.addWidget(self._view)
        column.addWidget(self.bar)
        column.addLayout(self._below)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self._draw)
        self.pointed.connect(self._read_out)
        self._read_out("")

    def let_pick(self, is_allowed: bool) -> None:
        """Say that an element can be clicked to change it, or not."""
        if is_allowed != self._can_pick:
            self._can_pick = is_allowed
            self._read_out("")

    def show_array(self, array: Array) -> None:
        """Show an array. Axes of length 1 are left out; of what remains, two axes at most.

        Raises:
            ValueError: it has more axes; choose a slice first.
        """
        kept = tuple(size for size in array.shape if size != 1)
        if len(kept) > 2:
            raise ValueError(f"A picture has two axes, not {len(kept)}: choose a slice of shape {array.shape}.")
        self._array = real(array)
        self._draw()

    def _draw(self) -> None:
        drawn = np.squeeze(self._array)
        self._stride = tuple(max(1, -(-size // PIXEL_LIMIT)) for size in drawn.shape) if drawn.ndim == 2 else (1, 1)
        self._drawn = drawn
        numbers = figures(self._array)
        limit = max(abs(numbers.low or 0.0), abs(numbers.high or 0.0)) or 1.0
        self._dress(whole=drawn.ndim != 2)
        if drawn.ndim == 2:
            self._draw_matrix(drawn, limit)
        else:
            self._draw_vector(drawn.reshape(-1), limit)
        self.bar.setVisible(drawn.ndim == 2)
        self.bar.show_limit(limit)
        what = ROLE_WORDS.get(self._role, "an array")
        self.setAccessibleName(f"picture of {'a ' if self._role else ''}{what}: {numbers.kind}, {numbers.spread}")

    def _dress(self, *, whole: bool) -> None:
        """Put on the colours of the theme, once for each: every one makes pyqtgraph measure its axes anew.

        Args:
            whole: whether the height is always seen whole, as that of bars.
        """
        if whole != self._is_whole:
            self._is_whole = whole
            self._view.getPlotItem().getViewBox().setMouseEnabled(x=True, y=not whole)
        if self._worn is self._theme.palette:
            return
        self._worn = self._theme.palette
        self._view.setBackground(color(self._theme.palette.card))
        self._dress_axes()
        if self._role:
            ink, tint = self._role_colours()
            self.chip.setStyleSheet(f"color: {ink}; background: {tint}; border-radius: 6px; padding: 1px 7px 2px 7px;")

    def _role_colours(self) -> tuple[str, str]:
        """The colour of what is drawn, and its tint."""
        palette = self._theme.palette
        is_gradient = self._role == "backward"
        return (palette.backward, palette.backward_tint) if is_gradient else (palette.forward, palette.forward_tint)

    # ---- two axes ----------------------------------------------------------------------------------------------

    def _draw_matrix(self, values: Numbers, limit: float) -> None:
        rows, columns = values.shape
        colours = coloured(values[:: self._stride[0], :: self._stride[1]], limit, self._theme.palette)
        area = QRectF(-0.5, -0.5, columns, rows)  # element [i, j] stands around the point (j, i)
        plot = self._view.getPlotItem()
        finite = np.isfinite(values)
        is_clean = bool(finite.all())
        if self._image is not None and is_clean and self._image[0] == values.shape:
            self._image[1].setImage(colours, levels=(0, 255))
            plot.setRange(area, padding=0)
            return
        image = self._pg.ImageItem(colours, axisOrder="row-major", levels=(0, 255))
        image.setRect(area)
        self._clear()
        plot.addItem(image)
        if is_clean:
            self._image = values.shape, image
        else:
            rows_found, columns_found = np.nonzero(~finite)
            self._mark(columns_found, rows_found, self._theme.palette.on_accent)
        plot.invertY(True)
        self._view.setFixedHeight(round(min(HIGHEST, HEIGHT * max(1.0, rows / columns))))
        for side, size in (("bottom", columns), ("left", rows)):
            plot.getAxis(side).setTicks(_few(size))
        self._widen(len(str(rows)))
        plot.setLimits(xMin=-columns, xMax=2 * columns, yMin=-rows, yMax=2 * rows)
        plot.setRange(area, padding=0)

    # ---- one axis ----------------------------------------------------------------------------------------------

    def _draw_vector(self, values: Numbers, limit: float) -> None:
        plot = self._view.getPlotItem()
        plot.invertY(False)
        self._view.setFixedHeight(HEIGHT)
        finite = np.isfinite(values)
        heights = np.where(finite, values, 0.0)
        places = np.arange(values.size)
        is_clean = self._bars is not None and self._bars.palette is self._theme.palette and not self._bars.has_marks
        if values.size > BARS_LIMIT or not is_clean:
            self._clear()
        if values.size > BARS_LIMIT:
            plot.addItem(self._line(places, heights))
        else:
            self._draw_bars(places, heights, has_marks=not finite.all())
        self._mark(places[~finite], np.zeros(int((~finite).sum())), self._theme.palette.error)
        low, high = min(heights.min(initial=0.0), 0.0), max(heights.max(initial=0.0), 0.0)
        high = high if high > low else low + 1.0
        # A number at each end and at 0 says as much as ten, and takes a tenth of the time.
        ticks = _ticks(low, high, float(heights.max(initial=0.0)))
        plot.getAxis("left").setTicks([ticks])
        plot.getAxis("bottom").setTicks(_few(values.size))
        self._widen(max(len(text) for _, text in ticks))
        plot.setLimits(xMin=-values.size, xMax=2 * values.size, yMin=None, yMax=None)
        # An axis leaves out a number that it cannot show whole.
        around, room = 0.03 * values.size, 0.08 * (high - low)
        across = (-0.6 - around, values.size - 0.4 + around)
        plot.setRange(xRange=across, yRange=(low - room, high + room), padding=0.0)

    def _widen(self, letters: int) -> None:
        """Give the numbers at the left axis their room: left to itself an axis is laid out and painted twice."""
        width = round(max(letters, 2) * QFontMetricsF(mono_font(10)).horizontalAdvance("0")) + 8
        axis = self._view.getPlotItem().getAxis("left")
        if axis.width() != width:
            axis.setWidth(width)

    def _clear(self) -> None:
        """Take away all that is drawn."""
        self._view.getPlotItem().clear()
        self._bars = self._image = None

    def _draw_bars(self, places: Numbers, heights: Numbers, *, has_marks: bool) -> None:
        """Full colour for every bar: the height has the size, and pale bars for small numbers would hide them."""
        width = 0.8 if heights.size <= BARS_LIMIT // 4 else 1.0  # thin gaps come out uneven
        items = self._made_bars() if self._bars is None else self._bars.items
        self._bars = _Bars(self._theme.palette, items, has_marks)
        for chosen, bars in zip((heights > 0, heights < 0), items, strict=True):
            bars.setOpts(x=places[chosen], height=heights[chosen], width=width)

    def _made_bars(self) -> list[Any]:
        """Bars above and below zero, none yet, and the line between; from step to step only their data change."""
        plot, none = self._view.getPlotItem(), np.zeros(0)
        bars = [
            self._pg.BarGraphItem(x=none, height=none, width=1.0, brush=tint, pen=None) for tint in self._bar_colours()
        ]
        zero = self._pg.InfiniteLine(0.0, angle=0, pen=self._pg.mkPen(color(self._theme.palette.faint), width=1))
        for item in (*bars, zero):
            plot.addItem(item, ignoreBounds=True)
        return bars

    def _bar_colours(self) -> tuple[str, str]:
        """The colours of bars above and below zero."""
        low, _, high = scale_colours(self._theme.palette)
        return (self._role_colours()[0],) * 2 if self._role else (high, low)

    def _line(self, places: Numbers, heights: Numbers) -> Any:
        step = max(1, places.size // LINE_LIMIT)
        ink = self._role_colours()[0] if self._role else self._theme.palette.text
        pen = self._pg.mkPen(color(ink), width=1)
        return self._pg.PlotCurveItem(x=places[::step].astype(float), y=heights[::step], pen=pen)

    def _mark(self, x: Numbers, y: Numbers, tint: str) -> None:
        """A cross at each element that is not finite; where there are very many, their colour has to do."""
        if 0 < x.size <= MARKS_LIMIT:
            brush = self._pg.mkBrush(color(tint))
            self._view.getPlotItem().addItem(
                self._pg.ScatterPlotItem(x=x, y=y, symbol="x", size=8, brush=brush, pen=None)
            )

    def _dress_axes(self) -> None:
        plot = self._view.getPlotItem()
        for side in ("left", "bottom"):
            axis = plot.getAxis(side)
            axis.setPen(color(self._theme.palette.hairline))
            axis.setTextPen(color(self._theme.palette.dim))
            axis.setTickFont(mono_font(10))
            axis.enableAutoSIPrefix(False)
            axis.setStyle(tickLength=0, maxTickLevel=0, autoExpandTextSpace=False, autoReduceTextSpace=False)

    # ---- the pointer -------------------------------------------------------------------------------------------

    def _point(self, place: QPointF) -> None:
        at = self._view.getPlotItem().getViewBox().mapSceneToView(place)
        self.pointed.emit(self.value_at(at.x(), at.y()))

    def _pick(self, event: Any) -> None:
        if event.button() == Qt.MouseButton.LeftButton and not event.double():
            at = self._view.getPlotItem().getViewBox().mapSceneToView(event.scenePos())
            found = self._index_at(at.x(), at.y())
            if found is not None:
                self.picked.emit(tuple(self._full_index(found)))

    def _index_at(self, x: float, y: float) -> tuple[int, ...] | None:
        """The index in what is drawn of a point of the picture (column and row, or place and height)."""
        if not (math.isfinite(x) and math.isfinite(y)):
            return None
        column, row = math.floor(x + 0.5), math.floor(y + 0.5)
        found = (row, column) if self._drawn.ndim == 2 else (column,)
        shape = self._drawn.shape if self._drawn.ndim == 2 else (self._drawn.size,)
        return found if all(0 <= index < size for index, size in zip(found, shape, strict=True)) else None

    def value_at(self, x: float, y: float) -> str:
        """The element at a point of the picture: "[3, 0]  0.12", or ""."""
        found = self._index_at(x, y)
        if found is None:
            return ""
        flat = self._drawn if self._drawn.ndim == 2 else self._drawn.reshape(-1)
        return f"[{', '.join(map(str, self._full_index(found)))}]  {flat[found].item():.6g}"

    def _full_index(self, found: tuple[int, ...]) -> list[int]:
        """The index in the array as it is, axes of length 1 included."""
        if sum(size != 1 for size in self._array.shape) != len(found):
            return [0] * self._array.ndim
        rest = iter(found)
        return [0 if size == 1 else next(rest) for size in self._array.shape]

    def _read_out(self, text: str) -> None:
        if not text:
            whole = self._stride == (1, 1)
            hint = "click a value to change it" if self._can_pick else "point to read a value"
            text = hint if whole else f"one in {max(self._stride)} is drawn"
        self.readout.setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is no room for the chip and a value side by side, the value goes below it."""
        super().resizeEvent(event)
        value = READ_LETTERS * QFontMetricsF(self.readout.font()).horizontalAdvance("0")
        is_narrow = not self.chip.isHidden() and self.chip.sizeHint().width() + 2 * SPACE + value > self.width()
        directions = QBoxLayout.Direction
        self._below.setDirection(directions.TopToBottom if is_narrow else directions.LeftToRight)
        self._below.setSpacing(SPACE if is_narrow else 2 * SPACE)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QWheelEvent) and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()  # a wheel over the picture scrolls the panel
            return True
        if event.type() == QEvent.Type.MouseButtonDblClick:
            self._draw()
            return True
        if event.type() == QEvent.Type.Leave:
            self.pointed.emit("")
        return super().eventFilter(watched, event)
