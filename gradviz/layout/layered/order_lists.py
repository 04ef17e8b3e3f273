"""The order of rows in plain lists: a small graph, vertex by vertex. The same as `order_arrays`, for large ones."""

from __future__ import annotations

from bisect import bisect_right, insort
from itertools import pairwise

import numpy as np

from gradviz.layout.layered.proper import Neighbours, Proper
from gradviz.layout.plan import Ints

Lists = list[list[int]]

Ends = list[list[tuple[int, float]]]
"""The vertices linked to each vertex, and where on them each link ends, as a share of their widths."""


class ListRows:
    """The rows of a layered graph, whose vertices are sorted and exchanged one by one."""

    def __init__(self, proper: Proper) -> None:
        self._row: list[int] = proper.row.tolist()
        self._size: list[int] = proper.row_size.tolist()
        self._above, self._below = _by_vertex(proper.above), _by_vertex(proper.below)
        self._links: list[list[tuple[int, int, float, float]]] = [[] for _ in self._size]
        ends = zip(proper.upper.tolist(), proper.lower.tolist(), *proper.aside.T.tolist(), strict=True)
        for link in ends:
            self._links[self._row[link[0]]].append(link)

    def crossings(self, position: Ints) -> int:
        """As `order.Rows.crossings`."""
        place: list[int] = position.tolist()
        total = 0
        for links in self._links:
            passed: list[float] = []
            ends = [(place[upper] + out, place[lower] + into) for upper, lower, out, into in links]
            for _, end in sorted(ends) if len(ends) > 1 else ():
                total += len(passed) - bisect_right(passed, end)
                insort(passed, end)
        return total

    def sorted_by_means(self, position: Ints, *, upwards: bool) -> Ints:
        """As `order.Rows.sorted_by_means`."""
        place: list[int] = position.tolist()
        links = self._below if upwards else self._above
        rows = self._rows(place)
        for row in reversed(rows) if upwards else rows:
            if len(row) > 1:
                # The old position breaks ties, so a row without a better order keeps its own.
                row.sort(key=lambda vertex: _mean(place, links[vertex], vertex))
                for number, vertex in enumerate(row):
                    place[vertex] = number
        return np.array(place, dtype=np.int64)

    def exchanged(self, position: Ints, passes: int, least_gain: int) -> tuple[Ints, int]:
        """As `order.Rows.exchanged`."""
        place: list[int] = position.tolist()
        rows = self._rows(place)
        stale, removed = [True] * (len(rows) + 1), 0
        for _ in range(passes):
            # A row whose neighbours have not changed since has nothing new to exchange.
            due = [number for number in range(len(rows)) if any(stale[max(0, number - 1) : number + 2])]
            stale = [False] * len(stale)
            for number in due:
                gain = self._exchange(rows[number], place, least_gain)
                stale[number] = gain > 0
                removed += gain
            if not any(stale):
                break
        return np.array(place, dtype=np.int64), removed

    def _rows(self, place: list[int]) -> Lists:
        """The vertices of each row from left to right."""
        rows = [[0] * size for size in self._size]
        for vertex, (row, at) in enumerate(zip(self._row, place, strict=True)):
            rows[row][at] = vertex
        return rows

    def _exchange(self, row: list[int], place: list[int], least_gain: int) -> int:
        """Exchange neighbours of one row from left to right; returns how many crossings that removed."""
        above, below = self._above, self._below
        removed = 0
        for at in range(len(row) - 1):
            left, right = row[at], row[at + 1]
            gain = _gain(place, above[left], above[right]) + _gain(place, below[left], below[right])
            if gain >= least_gain:
                row[at], row[at + 1] = right, left
                place[left], place[right] = at + 1, at
                removed += gain
        return removed


def _by_vertex(side: Neighbours) -> Ends:
    flat = list(zip(side.flat.tolist(), side.aside.tolist(), strict=True))
    return [flat[a:b] for a, b in pairwise(side.start.tolist())]


def _mean(place: list[int], linked: list[tuple[int, float]], vertex: int) -> float:
    if not linked:
        return place[vertex]
    return sum([place[other] + aside for other, aside in linked]) / len(linked)


def _gain(place: list[int], left: list[tuple[int, float]], right: list[tuple[int, float]]) -> int:
    """Crossings that an exchange of two neighbours would remove on one side."""
    gain = 0
    ends = [place[other] + aside for other, aside in right]
    for one, aside in left:
        at = place[one] + aside
        for end in ends:
            gain += (at > end) - (at < end)
    return gain
