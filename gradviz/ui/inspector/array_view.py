"""One array, in the form that fits it: numbers in cells where it is small, else a picture; a slice beyond two axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from gradviz.playback.difference import Pair, changed_elements, pair_text
from gradviz.playback.numbers import figures
from gradviz.playback.words import number_text
from gradviz.recording import Array
from gradviz.ui.inspector.card import Text, rich, styled
from gradviz.ui.inspector.cells import GAP, HEIGHT, LEAST_WIDTH, Cells, digit_width, fits_in_cells
from gradviz.ui.inspector.heatmap import HeatMap, SliceChoice
from gradviz.ui.look.by_width import Column
from gradviz.ui.look.number_tiles import Look, NumberTiles
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import CAPTION_PX, Theme, mono_font

_TILE_PX = 12
_WAS_LIMIT = 60
_SAME, _CHANGED = Look(), Look(is_lit=True)


class OneNumber(QWidget):
    """One number of a picture: where it is, and itself in a tile that can be changed."""

    def __init__(self, theme: Theme, role: str) -> None:
        super().__init__()
        self.where, self.tile = QLabel(), NumberTiles(theme, role, tile=(96, HEIGHT))
        self.where.setFont(mono_font(CAPTION_PX))
        self.where.setProperty("role", "dim")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * SPACE)
        row.addWidget(self.where)
        row.addWidget(self.tile)
        row.addStretch(1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def show_number(self, where: str, number: Any, *, is_changed: bool) -> None:
        """Show the number at an index; filled where it is other than in the run."""
        self.where.setText(where)
        self.tile.setAccessibleName(f"{where}, can be changed")
        self.tile.show_numbers(np.asarray(number), is_editable=True, looks=(_CHANGED if is_changed else _SAME,))


class ArrayView(Column):
    """An array with its range and norm below. What it does not need is not made.

    Args:
        role: "forward" for values, "backward" for gradients.
        name: what the array is, for those who hear it.

    Signals:
        number_changed: a number was dragged or typed. Payload: where it is, counted along the last axis first, the
            number, and whether it stays so (False while it is dragged).
        refused: what was typed is no number. Payload: the sentence.
    """

    number_changed = Signal(int, float, bool)
    refused = Signal(str)

    def __init__(self, theme: Theme, role: str, name: str) -> None:
        super().__init__(spacing=2 * SPACE)
        self._theme, self._role = theme, role
        self._said = ""
        self._array: Array | None = None
        self._slices: SliceChoice | None = None
        self._map: HeatMap | None = None
        self._name = name
        self._can_change = self._may_change = False
        self._offset = self._tiled = 0
        self._picked: int | None = None
        self._one: OneNumber | None = None
        self._was: Pair | None = None
        self.tiles: NumberTiles | None = None
        self.cells = Cells(theme, role)
        self.cells.setAccessibleName(name)
        self._spread, self._before = Text(role="dim"), Text(name=f"{name} before")
        for part in (self.cells, self._spread, self._before):
            self.add(part)
        self._before.hide()
        self.hide()

    def show_array(
        self, array: Array | None, dtype: str = "", *, can_change: bool = False, was: Pair | None = None
    ) -> None:
        """Show an array of any shape, or nothing.

        Args:
            can_change: whether its numbers can be dragged and typed; of a picture the one that was clicked.
            was: what it is compared with, where that differs.
        """
        self.setVisible(array is not None)
        if array is None or (array is self._array and can_change == self._may_change and was is self._was):
            return
        if self._array is None or array.shape != self._array.shape:
            self._picked = None
        self._array, self._was, self._may_change = array, was, can_change
        self._can_change = can_change and array.dtype.kind in "fiu"
        numbers = figures(array, dtype)
        spread = numbers.spread if array.size else f"{numbers.kind}: no elements"
        self._said = spread
        if array.ndim > 2 or self._slices is not None:
            self._offer_slices(array.shape)
        self._show_slice()
        self._show_before()

    def _show_before(self) -> None:
        was, ink = self._was, self._theme.palette.changed
        text = "" if was is None else pair_text(was, _WAS_LIMIT)
        self._before.setVisible(bool(text))
        if text:
            self._before.say(rich(f"Δ {text}", ink, bold=True, pixels=CAPTION_PX))

    # ---- numbers that can be changed ----

    def _tiles(self) -> NumberTiles:
        """The tiles, made when a number can be changed for the first time."""
        if self.tiles is None:
            tiles = self.tiles = NumberTiles(self._theme, self._role)
            tiles.setAccessibleName(f"{self._name}, can be changed")
            tiles.numbers_changed.connect(lambda array: self._tell(array, is_settled=False))
            tiles.settled.connect(lambda array: self._tell(array, is_settled=True))
            tiles.refused.connect(self.refused)
            self.add(tiles, before=self._spread)
        return self.tiles

    def _tell(self, array: Any, *, is_settled: bool) -> None:
        tiles = self._tiles()
        self.number_changed.emit(self._offset + tiles.at, float(np.ravel(array)[tiles.at]), is_settled)

    def _pick(self, index: tuple[int, ...]) -> None:
        """Show the number of a picture that was clicked, to be changed."""
        if self._can_change and self._array is not None:
            whole = (*self._slice(), *index)
            self._picked = int(np.ravel_multi_index(whole, self._array.shape))
            self._show_one()

    def _show_one(self) -> None:
        array, at = self._array, self._picked
        is_shown = self._can_change and at is not None and self._map is not None and not self._map.isHidden()
        if is_shown and self._one is None:
            one = self._one = OneNumber(self._theme, self._role)
            one.tile.numbers_changed.connect(lambda number: self._tell_one(number, is_settled=False))
            one.tile.settled.connect(lambda number: self._tell_one(number, is_settled=True))
            one.tile.refused.connect(self.refused)
            self.add(one, before=self._spread)
        if self._one is not None:
            self._one.setVisible(is_shown)
            if is_shown and array is not None and at is not None:
                where = ", ".join(map(str, np.unravel_index(at, array.shape)))
                was = None if self._was is None else changed_elements(self._was.was, array)
                is_changed = was is not None and bool(was[at])
                self._one.show_number(f"[{where}]", np.asarray(array).reshape(-1)[at], is_changed=is_changed)

    def _tell_one(self, number: Any, *, is_settled: bool) -> None:
        if self._picked is not None:
            self.number_changed.emit(self._picked, float(number), is_settled)

    def _slice(self) -> tuple[int, ...]:
        """Which slice of more than two axes is shown."""
        array = self._array
        return () if array is None or array.ndim < 3 or self._slices is None else self._slices.index()

    def _show_tiles(self, array: Array) -> None:
        """Tiles as wide as their numbers, as many in a row as fit; the rows of a matrix stay whole."""
        tiles, room = self._tiles(), max(self._tiled, 8 * HEIGHT)
        changed = None if self._was is None else changed_elements(self._was.was, array)
        looks = () if changed is None else tuple(_CHANGED if each else _SAME for each in changed.tolist())
        if tiles.is_changing and tiles.array.shape == array.shape:  # none may move away under the pointer
            tiles.show_numbers(array, columns=tiles.columns, is_editable=True, looks=looks)
            return
        wanted = (1, *array.shape)[-1] or 1
        characters = max((len(number_text(each)) for each in np.ravel(array).tolist()), default=1)
        wide = max(int(characters * digit_width(_TILE_PX)) + 14, LEAST_WIDTH + 14)
        columns = wanted if array.ndim == 2 else max(1, min(wanted, (room + GAP) // (wide + GAP)))
        wide = max(16, min(wide, (room + GAP) // columns - GAP))
        tiles.resize_tiles(wide, HEIGHT)
        tiles.show_numbers(array, columns=columns, is_editable=True, looks=looks)

    def settle(self, width: int) -> int:
        """Place everything at a width in pixels: tiles for another width are arranged anew first."""
        array, tiles = self._array, self.tiles
        if width != self._tiled and self._can_change and array is not None and tiles is not None:
            self._tiled = width
            if not tiles.isHidden():
                self._show_tiles(array)
        return super().settle(width)

    def _offer_slices(self, shape: tuple[int, ...]) -> None:
        if self._slices is None:
            self._slices = SliceChoice()
            self._slices.changed.connect(self._show_slice)
            self.add(self._slices, before=self.cells)
        self._slices.show_shape(shape)

    def _show_slice(self) -> None:
        array = self._array
        if array is None:
            return
        self._offset = 0
        if array.ndim > 2 and self._slices is not None and array.size:
            self._offset = int(np.ravel_multi_index((*self._slice(), 0, 0), array.shape))
            array = np.asarray(array)[self._slice()]
        small = fits_in_cells(array.shape)
        is_tiles = small and self._can_change and bool(array.size)
        self.cells.setVisible(small and not is_tiles)
        if is_tiles or self.tiles is not None:
            self._tiles().setVisible(is_tiles)
        if is_tiles:
            self._show_tiles(array)
        elif small:
            self.cells.show_array(array)
        if array.size and not small and self._map is None:
            self._map = HeatMap(self._theme, self._role)
            self._map.picked.connect(self._pick)
            self.add(self._map, before=self._spread)
        is_cells = small and not is_tiles
        factor = f"× 10<sup>{self.cells.exponent}</sup>" if is_cells and self.cells.exponent else ""
        parts = (factor.replace("-", "−"), rich(self._said))
        self._spread.say(styled(" &nbsp;·&nbsp; ".join(part for part in parts if part), pixels=CAPTION_PX))
        if self._map is not None:
            self._map.setVisible(bool(array.size) and not small)
            self._map.let_pick(self._can_change)
            if array.size and not small:
                self._map.show_array(array)
        self._show_one()
