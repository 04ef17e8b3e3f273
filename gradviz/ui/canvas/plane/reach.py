"""Which of many rectangles are near a place, without looking at all of them."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from gradviz.layout.plan import Floats, Ints

Flags = np.ndarray[Any, np.dtype[np.bool_]]

_LARGER = 16
"""How many times wider, or higher, the cells for rectangles of the next size are."""

_FEW = 4
"""Areas in more than one of so many cells are faster compared with all rectangles."""

_HANDFUL = 150
"""Up to so many cells are faster looked through one by one than by numpy, whose calls take their time."""

_MOST_IN_A_ROW = 30_000
"""Cells in a row or a column."""

Span = tuple[int, int, int, int]
"""First column and row, last column and row."""


class Rectangles:
    """Rectangles to be asked which of them touch one or more areas.

    Attributes:
        sides: left, top, right, bottom of each; shape (n, 4).
    """

    def __init__(self, boxes: Floats) -> None:
        self.sides = boxes
        self._order: Ints = np.argsort(boxes[:, 1], kind="stable")
        self._columns = np.ascontiguousarray(boxes[self._order].T)
        # How far down the rectangles reach up to each one: none before the first that is low enough can touch.
        self._depths = np.maximum.accumulate(self._columns[3])

    def touching(self, areas: Floats, slack: float = 0.0) -> Ints:
        """Indices of those that come within `slack` of one of some areas, ascending.

        Args:
            areas: shape (r, 4), at least one.
        """
        if len(areas) > 1:
            return self._touching_any(areas + slack * np.array([-1.0, -1.0, 1.0, 1.0]))
        left, top, right, bottom = areas[0].tolist()
        first = int(self._depths.searchsorted(top - slack))
        last = int(self._columns[1].searchsorted(bottom + slack, side="right"))
        sides = self._columns[:, first:last]
        hits = (sides[3] >= top - slack) & (sides[2] >= left - slack) & (sides[0] <= right + slack)
        if hits.all() and len(hits) == len(self._order):
            return np.arange(len(hits))
        return np.sort(self._order[first:last][hits])

    def _touching_any(self, areas: Floats) -> Ints:
        spans = [grid.spans(areas) for grid in self._grids]
        count = sum((right - left + 1) * (low - top + 1) for some in spans for left, top, right, low in some)
        if count <= _HANDFUL:
            members = [grid.members_in(some) for grid, some in zip(self._grids, spans, strict=True)]
            near = np.array(sorted(set().union(*members)), dtype=np.int64)
            return near[self._touch(self.sides[near], areas)]
        if count * _FEW < len(self.sides):
            return np.unique(self.pairs(areas)[0])
        hits = np.zeros(len(self.sides), dtype=np.bool_)
        for area in areas:
            hits |= self._touch(self.sides, area[None])
        return np.flatnonzero(hits)

    @staticmethod
    def _touch(sides: Floats, areas: Floats) -> Flags:
        """Which rectangles, shape (n, 4), touch any of some areas, shape (r, 4)."""
        left, top, right, bottom = sides.T[:, :, None]
        hits = (right >= areas[:, 0]) & (left <= areas[:, 2]) & (bottom >= areas[:, 1]) & (top <= areas[:, 3])
        any_of: Flags = np.logical_or.reduce(hits, axis=1)
        return any_of

    def pairs(self, areas: Floats) -> tuple[Ints, Ints]:
        """Which rectangle touches which area: indices of both, a pair in each place; areas of shape (r, 4)."""
        none = np.zeros(0, dtype=np.int64)
        some = [(none, none), *(grid.pairs(areas) for grid in self._grids)]
        found, asked = (np.concatenate(parts) for parts in zip(*some, strict=True))
        boxes, near = self.sides[found].T, areas[asked].T
        hits = (boxes[2] >= near[0]) & (boxes[0] <= near[2]) & (boxes[3] >= near[1]) & (boxes[1] <= near[3])
        return found[hits], asked[hits]

    def prepare(self) -> None:
        """Make what would else be made when several areas are first asked for."""
        for grid in self._grids:
            grid.prepare()

    @cached_property
    def _grids(self) -> list[_Grid]:
        """The rectangles in grids, by their widths and heights: none is in many cells, however long and thin."""
        boxes = self.sides if len(self.sides) else np.zeros((1, 4))
        start: Floats = boxes[:, :2].min(axis=0)
        extent: Floats = np.maximum(boxes[:, 2:].max(axis=0) - start, 1.0)
        # About one cell for each of the smallest rectangles, as square as can be.
        side = max(math.sqrt(float(extent.prod()) / len(boxes)), float(extent.max()) / _MOST_IN_A_ROW)
        sizes = np.maximum((self.sides[:, 2:] - self.sides[:, :2]) / side, 1.0)
        kinds = np.ceil(np.log(sizes) / math.log(_LARGER)).astype(np.int64)
        return [
            _Grid(self.sides, np.flatnonzero((kinds == kind).all(axis=1)), start, extent, side * _LARGER**kind)
            for kind in np.unique(kinds, axis=0)
        ]


class _Grid:
    """Some of the rectangles by the cells of a grid that they lie in, for several small areas at once."""

    def __init__(self, boxes: Floats, which: Ints, start: Floats, extent: Floats, sides: Floats) -> None:
        self._start, self._sides = start, sides
        self._counts: Ints = np.ceil(extent / sides).astype(np.int64)
        of_row, cells, widths = _rows(self._spans(boxes[which]), int(self._counts[0]))
        places, owners = _ranges(cells, widths)
        order = np.argsort(places, kind="stable")
        self._members: Ints = which[of_row][owners][order]
        self._starts: Ints = np.searchsorted(places[order], np.arange(int(self._counts.prod()) + 1))

    def prepare(self) -> None:
        """Make what `spans` and `members_in` need."""
        _ = self._lists, self._origin, self._extent

    def spans(self, areas: Floats) -> list[Span]:
        """The cells that some areas are in, of each area."""
        (x, y, wide, high), (columns, rows) = self._origin, self._extent
        return [
            (
                int(min(max((left - x) / wide, 0), columns)),
                int(min(max((top - y) / high, 0), rows)),
                int(min(max((right - x) / wide, 0), columns)),
                int(min(max((bottom - y) / high, 0), rows)),
            )
            for left, top, right, bottom in areas.tolist()
        ]

    def members_in(self, spans: list[Span]) -> set[int]:
        """Indices of the rectangles in the cells of some areas."""
        members, starts = self._lists
        columns = self._extent[0] + 1
        found: set[int] = set()
        for first, above, last, below in spans:
            for row in range(above * columns, (below + 1) * columns, columns):
                found.update(members[starts[row + first] : starts[row + last + 1]])
        return found

    @cached_property
    def _lists(self) -> tuple[list[int], list[int]]:
        return self._members.tolist(), self._starts.tolist()

    @cached_property
    def _origin(self) -> tuple[float, float, float, float]:
        """Where the first cell begins, and the width and height of each."""
        x, y, wide, high = np.concatenate([self._start, self._sides]).tolist()
        return x, y, wide, high

    @cached_property
    def _extent(self) -> tuple[int, int]:
        """The last column and the last row."""
        columns, rows = (self._counts - 1).tolist()
        return columns, rows

    def pairs(self, areas: Floats) -> tuple[Ints, Ints]:
        """Indices of rectangles and of the areas with which they share a cell."""
        of_row, cells, widths = _rows(self._spans(areas), int(self._counts[0]))
        firsts = self._starts[cells]
        entries, of_range = _ranges(firsts, self._starts[cells + widths] - firsts)
        return self._members[entries], of_row[of_range]

    def _spans(self, boxes: Floats) -> Ints:
        """First column and row, last column and row of the cells of each rectangle; shape (n, 4)."""
        places = (boxes.reshape(-1, 2, 2) - self._start) / self._sides
        # Clipped before they are whole numbers, as a rectangle may be very far away.
        return places.clip(0, self._counts - 1).astype(np.int64).reshape(-1, 4)


def _rows(spans: Ints, columns: int) -> tuple[Ints, Ints, Ints]:
    """The rows of cells of each span: whose they are, the cell each begins with, and how many cells it has."""
    rows, owners = _ranges(spans[:, 1], spans[:, 3] - spans[:, 1] + 1)
    return owners, rows * columns + spans[owners, 0], (spans[:, 2] - spans[:, 0] + 1)[owners]


def _ranges(starts: Ints, lengths: Ints) -> tuple[Ints, Ints]:
    """Some ranges of whole numbers, one after the other, and which range each number is of."""
    owners = np.repeat(np.arange(len(starts)), lengths)
    befores = np.cumsum(lengths) - lengths
    return np.arange(len(owners)) + (starts - befores)[owners], owners
