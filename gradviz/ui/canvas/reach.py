"""Which of many rectangles are near a place, without looking at all of them."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np

from gradviz.layout.plan import Floats, Ints

Flags = np.ndarray[Any, np.dtype[np.bool_]]

_MOST_CELLS = 40
"""A rectangle in more cells than this is looked at each time: few are, and their cells would be many."""

_FEW = 4
"""Areas in more than one of so many cells are faster compared with all rectangles."""

_HANDFUL = 150
"""Up to so many cells are faster looked through one by one than by numpy, whose calls take their time."""

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
        spans = self._cells.spans(areas)
        count = sum((span[2] - span[0] + 1) * (span[3] - span[1] + 1) for span in spans)
        if count <= _HANDFUL:
            near = np.array(self._cells.members_in(spans), dtype=np.int64)
            return near[self._touch(self.sides[near], areas)]
        if count * _FEW < len(self.sides):
            return np.unique(self._cells.pairs(areas)[0])
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
        return self._cells.pairs(areas)

    @cached_property
    def _cells(self) -> _Cells:
        return _Cells(self.sides)


class _Cells:
    """The same rectangles by the cells of a grid that they lie in, for several small areas at once."""

    def __init__(self, boxes: Floats) -> None:
        self._boxes = boxes
        sides = boxes if len(boxes) else np.zeros((1, 4))
        self._start: Floats = sides[:, :2].min(axis=0)
        extent = np.maximum(sides[:, 2:].max(axis=0) - self._start, 1.0)
        # About one cell for each rectangle, as square as can be.
        self._side = max(math.sqrt(float(extent.prod()) / max(len(boxes), 1)), float(extent.max()) / 30_000)
        self._counts = np.ceil(extent / self._side).astype(np.int64)
        spans = self._spans(boxes)
        cells = (spans[:, 2:] - spans[:, :2] + 1).prod(axis=1)
        self._large: Ints = np.flatnonzero(cells > _MOST_CELLS)
        small = np.flatnonzero(cells <= _MOST_CELLS)
        rows, starts, widths = _rows(spans[small], int(self._counts[0]))
        places, of_row = _ranges(starts, widths)
        order = np.argsort(places, kind="stable")
        self._members: Ints = small[rows][of_row][order]
        self._starts: Ints = np.searchsorted(places[order], np.arange(int(self._counts.prod()) + 1))

    def spans(self, areas: Floats) -> list[Span]:
        """The cells that some areas are in, of each area."""
        (x, y), side, (columns, rows) = self._origin, self._side, self._extent
        return [
            (
                int(min(max((left - x) / side, 0), columns)),
                int(min(max((top - y) / side, 0), rows)),
                int(min(max((right - x) / side, 0), columns)),
                int(min(max((bottom - y) / side, 0), rows)),
            )
            for left, top, right, bottom in areas.tolist()
        ]

    def members_in(self, spans: list[Span]) -> list[int]:
        """Indices of the rectangles in the cells of some areas, ascending."""
        members, starts = self._lists
        columns = self._extent[0] + 1
        found = set(self._large.tolist())
        for first, above, last, below in spans:
            for row in range(above * columns, (below + 1) * columns, columns):
                found.update(members[starts[row + first] : starts[row + last + 1]])
        return sorted(found)

    @cached_property
    def _lists(self) -> tuple[list[int], list[int]]:
        return self._members.tolist(), self._starts.tolist()

    @cached_property
    def _origin(self) -> tuple[float, float]:
        x, y = self._start.tolist()
        return x, y

    @cached_property
    def _extent(self) -> tuple[int, int]:
        """The last column and the last row."""
        columns, rows = (self._counts - 1).tolist()
        return columns, rows

    def pairs(self, areas: Floats) -> tuple[Ints, Ints]:
        """Indices of rectangles and of the areas that they touch."""
        spans = self._spans(areas)
        of_row, cells, widths = _rows(spans, int(self._counts[0]))
        firsts = self._starts[cells]
        entries, of_range = _ranges(firsts, self._starts[cells + widths] - firsts)
        found, asked = self._members[entries], of_row[of_range]
        if len(self._large):
            found = np.concatenate([found, np.tile(self._large, len(areas))])
            asked = np.concatenate([asked, np.repeat(np.arange(len(areas)), len(self._large))])
        boxes, near = self._boxes[found].T, areas[asked].T
        hits = (boxes[2] >= near[0]) & (boxes[0] <= near[2]) & (boxes[3] >= near[1]) & (boxes[1] <= near[3])
        return found[hits], asked[hits]

    def _spans(self, boxes: Floats) -> Ints:
        """First column and row, last column and row of the cells of each rectangle; shape (n, 4)."""
        places = (boxes.reshape(-1, 2, 2) - self._start) / self._side
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
