"""The order of rows in numpy, many vertices of a large graph at once. The same as `order_lists`, for small ones."""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from gradviz.layout.layered.proper import Neighbours, Proper
from gradviz.layout.plan import Flags, Floats, Ints

PAIRS_AT_MOST = 4_096
"""Adjacent vertices with more pairs of links than this are not considered for an exchange."""


def inversions(permutation: Ints) -> int:
    """How many pairs of a permutation of 0..n-1 stand in the wrong order, in O(n log n) array operations."""
    size = len(permutation)
    if size < 2:
        return 0
    bits = (size - 1).bit_length()
    # Padding with larger numbers at the end adds no inversion and makes every block a power of two.
    values = np.concatenate([permutation, np.arange(size, 1 << bits)])
    total = 0
    for bit in range(bits - 1, -1, -1):
        block = values.reshape(-1, 2 << bit)
        high = ((block >> bit) & 1).astype(np.bool_)
        total += int(np.cumsum(high, axis=1)[~high].sum())
        values = np.concatenate([block[~high].reshape(-1, 1 << bit), block[high].reshape(-1, 1 << bit)], axis=1)
        values = values.reshape(-1)
    return total


def crossings_of(proper: Proper, position: Ints) -> int:
    """How many pairs of links cross when the rows stand in this order."""
    above = proper.row_start[proper.row[proper.upper]] + position[proper.upper] + proper.aside[:, 0]
    below = proper.row_start[proper.row[proper.lower]] + position[proper.lower] + proper.aside[:, 1]
    # Links that share an end do not cross: ties are broken the same way at both ends.
    order = np.lexsort((below, above))
    rank = np.empty(len(order), dtype=np.int64)
    rank[np.argsort(below[order], kind="stable")] = np.arange(len(order))
    return inversions(rank)


class _RowLinks(NamedTuple):
    """The links to one side of one row of each component, gathered so that a sweep is a few operations for all of them.

    Attributes:
        vertices: by row; shape (n,).
        rows: the row of each; shape (n,).
        places: its number in its row; shape (n,).
        linked: whether each has links; shape (n,).
        ends, aside: what those are linked to, one after the other, and where on it; shape (links,).
        offset, degree: where the links of each of those begin, and how many there are; shape (linked,).
    """

    vertices: Ints
    rows: Ints
    places: Ints
    linked: Flags
    ends: Ints
    aside: Floats
    offset: Ints
    degree: Ints


class ArrayRows:
    """The rows of a layered graph, whose vertices are sorted and exchanged by array operations."""

    def __init__(self, proper: Proper) -> None:
        self._proper = proper

    @cached_property
    def _downwards(self) -> list[_RowLinks]:
        return _row_links(self._proper, self._proper.above)

    @cached_property
    def _upwards(self) -> list[_RowLinks]:
        return _row_links(self._proper, self._proper.below)[::-1]

    def crossings(self, position: Ints) -> int:
        """As `order.Rows.crossings`."""
        return crossings_of(self._proper, position)

    def sorted_by_means(self, position: Ints, *, upwards: bool) -> Ints:
        """As `order.Rows.sorted_by_means`."""
        places = position.astype(np.float64)
        _sort_rows(self._upwards if upwards else self._downwards, places)
        return places.astype(np.int64)

    def exchanged(self, position: Ints, passes: int, least_gain: int) -> tuple[Ints, int]:
        """As `order.Rows.exchanged`."""
        position, removed = position.copy(), 0
        for _ in range(passes):
            gain = _exchange_rows(self._proper, position, least_gain)
            removed += gain
            if not gain:
                break
        return position, removed


def _row_links(proper: Proper, side: Neighbours) -> list[_RowLinks]:
    members = np.flatnonzero(proper.row_size[proper.row] > 1)
    number = proper.row_number[proper.row[members]]
    members = members[np.lexsort((proper.row[members], number))]
    gathered = []
    for vertices in np.split(members, np.flatnonzero(np.diff(np.sort(number))) + 1):
        degree = side.degree[vertices]
        linked = degree > 0
        count = degree[linked]
        if not len(count):
            continue
        offset = np.cumsum(count) - count
        links = np.repeat(side.start[vertices[linked]] - offset, count) + np.arange(int(count.sum()))
        rows = proper.row[vertices]
        places = np.arange(len(rows)) - np.searchsorted(rows, rows)
        gathered.append(_RowLinks(vertices, rows, places, linked, side.flat[links], side.aside[links], offset, count))
    return gathered


def _sort_rows(gathered: list[_RowLinks], position: Floats) -> None:
    for vertices, rows, places, linked, ends, aside, offset, degree in gathered:
        before = position[vertices]
        key = before.copy()
        key[linked] = np.add.reduceat(position[ends] + aside, offset) / degree
        # The old position breaks ties, so a row without a better order keeps its own.
        position[vertices[np.lexsort((before, key, rows))]] = places


def _exchange_rows(proper: Proper, position: Ints, least_gain: int) -> int:
    """Exchange every second pair of every second row at once, four times so that each has its turn.

    Returns how many crossings that removed.
    """
    turns = ((parity, phase) for parity in (0, 1) for phase in (0, 1))
    return sum(_exchange_pairs(proper, position, parity, phase, least_gain) for parity, phase in turns)


def _exchange_pairs(proper: Proper, position: Ints, parity: int, phase: int, least_gain: int) -> int:
    order = np.empty(proper.vertices, dtype=np.int64)
    order[proper.row_start[proper.row] + position] = np.arange(proper.vertices)
    place, row = position[order], proper.row[order]
    is_left = (place % 2 == phase) & (place + 1 < proper.row_size[row]) & (proper.row_number[row] % 2 == parity)
    at = np.flatnonzero(is_left)
    left, right = order[at], order[at + 1]
    above, below = proper.above, proper.below
    pairs = above.degree[left] * above.degree[right] + below.degree[left] * below.degree[right]
    left, right = left[pairs < PAIRS_AT_MOST], right[pairs < PAIRS_AT_MOST]
    gain = _gain(above, position, left, right) + _gain(below, position, left, right)
    gains = gain >= least_gain
    position[left[gains]] += 1
    position[right[gains]] -= 1
    return int(gain[gains].sum())


def _gain(side: Neighbours, position: Ints, left: Ints, right: Ints) -> Ints:
    """Crossings that an exchange of each pair would remove on one side; shape of `left`."""
    degree, start = side.degree, side.start
    pairs = degree[left] * degree[right]
    total = int(pairs.sum())
    if not total:
        return np.zeros(len(left), dtype=np.int64)
    pair = np.repeat(np.arange(len(left)), pairs)
    inside = np.arange(total) - np.repeat(np.cumsum(pairs) - pairs, pairs)
    width = degree[right][pair]
    one, other = start[left][pair] + inside // width, start[right][pair] + inside % width
    a = position[side.flat[one]] + side.aside[one]
    b = position[side.flat[other]] + side.aside[other]
    return np.bincount(pair, np.sign(a - b), len(left)).astype(np.int64)
