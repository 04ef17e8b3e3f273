"""An array as a picture: a heat map of two axes, bars or a line for one; `SliceChoice` leads to it from beyond two.

The scale of a heat map is signed and centred at 0: blue below, orange above, so that zero is the colour of the
background and people who tell red from green badly see the sign too. NaN and infinities have a colour of their own.
What is drawn is told apart by the chip below it, and bars and lines have its colour: blue for a value, orange for a
gradient.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QImage, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gradviz.playback.numbers import figures, rounded
from gradviz.recording import Array
from gradviz.ui.inspector.chart import Chart, Heights, Matrix, Numbers, Range
from gradviz.ui.inspector.heatmap_slices import SliceChoice
from gradviz.ui.inspector.scale_bar import ScaleBar
from gradviz.ui.look.palette import SPACE, Palette
from gradviz.ui.look.scales import scale_colours, signed
from gradviz.ui.look.theme import CAPTION_PX, Theme, mono_font, ui_font

__all__ = ["HeatMap", "SliceChoice", "coloured", "real", "scale_colours", "shades"]

BARS_LIMIT = 200
"""Elements up to which a vector is drawn as bars."""
PIXEL_LIMIT = 1024
"""Rows and columns up to which every element is drawn; beyond, every second, third, ... of them."""
MARKS_LIMIT = 500
"""Elements that are not finite up to which each is marked with a cross."""
ROLE_WORDS = {"forward": "value", "backward": "gradient"}
"""What the chip says, by role."""
HEIGHT = 140
"""Of a picture, in pixels; a matrix with more rows than columns gets up to `HIGHEST`."""
HIGHEST = 240
LABEL_ROOM = 0.13
"""The least part of the height of bars between 0 and the number of another height."""
READ_LETTERS = 26
"""Room for what is read under the pointer, in letters: "[1023, 1023]  -1.23457e-05"."""

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


@lru_cache(maxsize=8)
def shades(palette: Palette) -> Image:
    """All colours of the scale, of shape (256, 4): first that of what is not finite, then from least to greatest."""
    odd = np.array([[int(palette.error[i : i + 2], 16) for i in (1, 3, 5)] + [255]], dtype=np.uint8)
    return np.concatenate([odd, signed(palette, np.linspace(-1, 1, 2 * MIDDLE + 1))])


def real(array: Array) -> Numbers:
    """What is drawn of an array: its magnitude where it is complex, numbers where it is boolean."""
    if array.dtype.kind == "c":
        return np.asarray(np.abs(array))
    return np.asarray(array) if array.dtype.kind == "f" else np.asarray(array, dtype=np.float64)


def _ticks(low: float, high: float, highest: float, limit: float) -> list[tuple[float, str]]:
    """The numbers at the heights of bars: 0, and the least and the greatest where they are not too near to it.

    Args:
        low, high: what is seen, as shares of the limit.
        highest: the greatest height there is, which `high` is not where all are 0.
        limit: the magnitude of a height of 1.
    """
    least = LABEL_ROOM * (high - low)
    ends = [share for share in (low, highest) if share and abs(share) >= least]
    return [(0.0, "0"), *((share, rounded(share * limit, 3)) for share in ends)]


def _crosses(places: Numbers) -> Numbers:
    """Places (x, y) that are marked; where there are very many, their colour has to do."""
    return places if len(places) <= MARKS_LIMIT else places[:0]


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
        self._theme, self._role = theme, role
        self._array: Numbers = np.zeros((1, 1))
        self._drawn: Numbers = np.zeros((1, 1))
        self._stride = (1, 1)
        self._view = Chart(theme)
        self._view.setFixedHeight(HEIGHT)
        self._view.pointed.connect(self._point)
        self._view.picked.connect(self._pick)
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
        theme.changed.connect(self._dress)
        self._dress()
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
        if drawn.ndim == 2:
            self._draw_matrix(drawn, limit)
        else:
            self._draw_vector(drawn.reshape(-1), limit)
        self.bar.setVisible(drawn.ndim == 2)
        self.bar.show_limit(limit)
        what = ROLE_WORDS.get(self._role, "an array")
        self.setAccessibleName(f"picture of {'a ' if self._role else ''}{what}: {numbers.kind}, {numbers.spread}")

    def _dress(self) -> None:
        """Put the colours of the theme on the chip."""
        if self._role:
            ink, tint = self._role_colours()
            self.chip.setStyleSheet(f"color: {ink}; background: {tint}; border-radius: 6px; padding: 1px 7px 2px 7px;")

    def _role_colours(self) -> tuple[str, str]:
        """The colour of what is drawn, and its tint."""
        palette = self._theme.palette
        is_gradient = self._role == "backward"
        return (palette.backward, palette.backward_tint) if is_gradient else (palette.forward, palette.forward_tint)

    # ---- what is drawn -----------------------------------------------------------------------------------------

    def _draw_matrix(self, values: Numbers, limit: float) -> None:
        rows, columns = values.shape
        down, across = self._stride
        colours = coloured(values[::down, ::across], limit, self._theme.palette)
        high, wide = colours.shape[:2]
        image = QImage(colours.tobytes(), wide, high, 4 * wide, QImage.Format.Format_RGBA8888).copy()
        self._view.setFixedHeight(round(min(HIGHEST, HEIGHT * max(1.0, rows / columns))))
        # Element [i, j] stands around the point (j, i).
        whole = Range(-0.5, columns - 0.5, -0.5, rows - 0.5)
        crosses = _crosses(np.argwhere(~np.isfinite(values))[:, ::-1]), self._theme.palette.on_accent
        self._view.show_content(Matrix(image, rows, columns), whole, None, crosses)

    def _draw_vector(self, values: Numbers, limit: float) -> None:
        """Full colour for every bar: the height has the size, and pale bars for small numbers would hide them."""
        finite = np.isfinite(values)
        heights = np.where(finite, values, 0.0) / limit  # 1e308 is far from -1e308
        highest = float(heights.max(initial=0.0))
        low, high = min(float(heights.min(initial=0.0)), 0.0), max(highest, 0.0)
        high = high if high > low else low + 1.0
        # A number at each end and at 0 says as much as ten. It is seen whole where there is room beyond it.
        ticks = _ticks(low, high, highest, limit)
        around, room = 0.03 * values.size, 0.08 * (high - low)
        whole = Range(-0.6 - around, values.size - 0.4 + around, high + room, low - room)
        places = np.flatnonzero(~finite)
        crosses = _crosses(np.column_stack([places, np.zeros(len(places))])), self._theme.palette.error
        ink = self._role_colours()[0] if self._role else self._theme.palette.text
        line = ink if values.size > BARS_LIMIT else ""
        self._view.setFixedHeight(HEIGHT)
        self._view.show_content(Heights(heights, *self._bar_colours(), line), whole, ticks, crosses)

    def _bar_colours(self) -> tuple[str, str]:
        """The colours of bars above and below zero."""
        low, _, high = scale_colours(self._theme.palette)
        ink = self._role_colours()[0]
        return (ink, ink) if self._role else (high, low)

    # ---- the pointer -------------------------------------------------------------------------------------------

    def _point(self, place: QPointF | None) -> None:
        self.pointed.emit("" if place is None else self.value_at(place.x(), place.y()))

    def _pick(self, place: QPointF) -> None:
        found = self._index_at(place.x(), place.y())
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
