"""One array, in the form that fits it: numbers in cells where it is small, else a picture; a slice beyond two axes."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout

from gradviz.playback.numbers import figures
from gradviz.recording import Array
from gradviz.ui.inspector.card import Text, rich, styled
from gradviz.ui.inspector.cells import Cells, fits_in_cells
from gradviz.ui.inspector.heatmap import HeatMap, SliceChoice
from gradviz.ui.look.by_width import ByWidth
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import CAPTION_PX, Theme


class ArrayView(ByWidth):
    """An array with its range and norm below. What it does not need is not made: a picture costs half a second once.

    Args:
        role: "forward" for values, "backward" for gradients.
        name: what the array is, for those who hear it.
    """

    def __init__(self, theme: Theme, role: str, name: str) -> None:
        super().__init__()
        self._theme, self._role = theme, role
        self._said = ""
        self._array: Array | None = None
        self._slices: SliceChoice | None = None
        self._map: HeatMap | None = None
        self.cells = Cells(theme, role)
        self.cells.setAccessibleName(name)
        self._spread = Text(role="dim")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(2 * SPACE)
        self._column.addWidget(self.cells)
        self._column.addWidget(self._spread)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.hide()

    def show_array(self, array: Array | None, dtype: str = "") -> None:
        """Show an array of any shape, or nothing."""
        self.setVisible(array is not None)
        if array is None or array is self._array:
            return
        self._array = array
        numbers = figures(array, dtype)
        spread = numbers.spread if array.size else f"{numbers.kind}: no elements"
        self._said = spread
        if array.ndim > 2 or self._slices is not None:
            self._offer_slices(array.shape)
        self._show_slice()

    def _offer_slices(self, shape: tuple[int, ...]) -> None:
        if self._slices is None:
            self._slices = SliceChoice()
            self._slices.changed.connect(self._show_slice)
            self._column.insertWidget(0, self._slices)
        self._slices.show_shape(shape)

    def _show_slice(self) -> None:
        array = self._array
        if array is None:
            return
        if array.ndim > 2 and self._slices is not None and array.size:
            array = np.asarray(array)[self._slices.index()]
        small = fits_in_cells(array.shape)
        self.cells.setVisible(small)
        if small:
            self.cells.show_array(array)
        if array.size and not small and self._map is None:
            self._map = HeatMap(self._theme, self._role)
            self._column.insertWidget(self._column.indexOf(self.cells) + 1, self._map)
        factor = f"× 10<sup>{self.cells.exponent}</sup>" if small and self.cells.exponent else ""
        parts = (factor.replace("-", "−"), rich(self._said))
        self._spread.say(styled(" &nbsp;·&nbsp; ".join(part for part in parts if part), pixels=CAPTION_PX))
        if self._map is not None:
            self._map.setVisible(bool(array.size) and not small)
            if array.size and not small:
                self._map.show_array(array)
