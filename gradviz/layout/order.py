"""The order of the vertices within each row: few crossings.

A smooth start by power iteration, sweeps that sort each row by the mean position of its neighbours, then
exchanges of adjacent vertices, many rows at once. Everything is counted in positions 0, 1, 2, ... of a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradviz.layout.plan import Floats, Ints
from gradviz.layout.proper import LARGE, Flags, Neighbours, Proper
from gradviz.layout.pulse import Pulse

SMOOTH_STEPS = 400
SWEEPS = 6
PATIENCE = 3
"""Sweeps without a better order before the sweeps end."""
EXCHANGES = 24
SHAKES = 6
PAIRS_AT_MOST = 4_096
"""Adjacent vertices with more pairs of links than this are not considered for an exchange."""


def order_of(proper: Proper, pulse: Pulse) -> Ints:
    """Position of each vertex in its row, 0 at the left; shape (v,)."""
    haste = 2 if proper.vertices > LARGE else 1
    best = sorted_rows(proper, smooth(proper, SMOOTH_STEPS // haste, pulse))
    if len(proper.upper) == 0 or int(proper.row_size.max(initial=0)) < 2:
        return best
    best = sweep(proper, best, SWEEPS // haste, pulse)
    return _exchange(proper, best, EXCHANGES // haste, pulse)


def sorted_rows(proper: Proper, key: Floats) -> Ints:
    """Positions when every row is sorted by `key`; shape (v,)."""
    order = np.lexsort((key, proper.row))
    position = np.empty(proper.vertices, dtype=np.int64)
    position[order] = np.arange(proper.vertices) - np.repeat(proper.row_start[:-1], proper.row_size)
    return position


def smooth(proper: Proper, steps: int, pulse: Pulse) -> Floats:
    """The smoothest function on the links whose mean in each row is 0, by power iteration.

    Neighbours get nearby values, so sorting by them keeps what belongs together together.
    """
    rows, count = len(proper.component), proper.vertices
    upper, lower, row, size = proper.upper, proper.lower, proper.row, proper.row_size
    links = np.maximum(1, proper.above.degree + proper.below.degree)
    value = np.random.default_rng(0).normal(size=count)
    for step in range(steps):
        if step % 50 == 0:
            pulse(0.3 * step / steps)
        around = np.bincount(upper, value.take(lower), count) + np.bincount(lower, value.take(upper), count)
        value = 0.5 * value + 0.5 * around / links
        value -= (np.bincount(row, value, rows) / size).take(row)
        value /= np.abs(value).max(initial=0.0) + 1e-300
    return value


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
    above = proper.row_start[proper.row[proper.upper]] + position[proper.upper]
    below = proper.row_start[proper.row[proper.lower]] + position[proper.lower]
    # Links that share an end do not cross: ties are broken the same way at both ends.
    order = np.lexsort((below, above))
    rank = np.empty(len(order), dtype=np.int64)
    rank[np.argsort(below[order], kind="stable")] = np.arange(len(order))
    return inversions(rank)


class _RowLinks(NamedTuple):
    """The links of one row to one side, gathered so that a sweep is four array operations per row."""

    vertices: Ints
    linked: Flags
    ends: Ints
    offset: Ints
    degree: Ints


def sweep(proper: Proper, start: Ints, sweeps: int, pulse: Pulse) -> Ints:
    """Sort each row by the mean position of its neighbours, downwards and upwards in turn."""
    downwards = _row_links(proper, proper.above)
    upwards = _row_links(proper, proper.below)[::-1]
    best, fewest, failures = start, crossings_of(proper, start), 0
    position = start.astype(np.float64)
    for turn in range(sweeps):
        pulse(0.3 + 0.4 * turn / sweeps)
        _sort_rows(upwards if turn % 2 else downwards, position)
        current = position.astype(np.int64)
        crossings = crossings_of(proper, current)
        failures = 0 if crossings < fewest else failures + 1
        if crossings < fewest:
            best, fewest = current, crossings
        if failures == PATIENCE or not fewest:
            break
    return best


def _row_links(proper: Proper, side: Neighbours) -> list[_RowLinks]:
    members = np.argsort(proper.row, kind="stable")
    starts = proper.row_start.tolist()
    gathered = []
    for row in np.flatnonzero(proper.row_size > 1).tolist():
        vertices = members[starts[row] : starts[row + 1]]
        degree = side.degree[vertices]
        linked = degree > 0
        count = degree[linked]
        if not len(count):
            continue
        offset = np.cumsum(count) - count
        links = np.repeat(side.start[vertices[linked]] - offset, count) + np.arange(int(count.sum()))
        gathered.append(_RowLinks(vertices, linked, side.flat[links], offset, count))
    return gathered


def _sort_rows(rows: list[_RowLinks], position: Floats) -> None:
    for vertices, linked, ends, offset, degree in rows:
        key = position[vertices]
        # The old position breaks ties, so a row without a better order keeps its own.
        key[linked] = np.add.reduceat(position[ends], offset) / degree + 1e-7 * key[linked]
        position[vertices[np.argsort(key, kind="stable")]] = np.arange(len(vertices))


def _exchange(proper: Proper, start: Ints, passes: int, pulse: Pulse) -> Ints:
    """Swap adjacent vertices while that removes crossings; then shake and do it again, and keep the best."""
    best = position = exchanged(proper, start, passes)
    fewest = crossings_of(proper, best)
    for shake in range(SHAKES):
        pulse(0.7 + 0.3 * shake / SHAKES)
        if not fewest:
            break
        position = position.copy()
        # Swaps that change nothing lead off a plateau, as in dot's "transpose with equals".
        _exchange_rows(proper, position, 0)
        position = exchanged(proper, position, passes // 3)
        crossings = crossings_of(proper, position)
        if crossings < fewest:
            best, fewest = position, crossings
    return best


def exchanged(proper: Proper, start: Ints, passes: int) -> Ints:
    """Positions after exchanges of adjacent vertices, as long as each removes crossings; shape (v,)."""
    position = start.copy()
    for _ in range(passes):
        if not _exchange_rows(proper, position, 1):
            break
    return position


def _exchange_rows(proper: Proper, position: Ints, least_gain: int) -> int:
    """Exchange every second pair of every second row at once, four times so that each has its turn; returns swaps."""
    turns = ((parity, phase) for parity in (0, 1) for phase in (0, 1))
    return sum(_exchange_pairs(proper, position, parity, phase, least_gain) for parity, phase in turns)


def _exchange_pairs(proper: Proper, position: Ints, parity: int, phase: int, least_gain: int) -> int:
    order = np.empty(proper.vertices, dtype=np.int64)
    order[proper.row_start[proper.row] + position] = np.arange(proper.vertices)
    place, row = position[order], proper.row[order]
    is_left = (place % 2 == phase) & (place + 1 < proper.row_size[row]) & (row % 2 == parity)
    at = np.flatnonzero(is_left)
    left, right = order[at], order[at + 1]
    above, below = proper.above, proper.below
    pairs = above.degree[left] * above.degree[right] + below.degree[left] * below.degree[right]
    left, right = left[pairs < PAIRS_AT_MOST], right[pairs < PAIRS_AT_MOST]
    gain = _gain(above, position, left, right) + _gain(below, position, left, right)
    left, right = left[gain >= least_gain], right[gain >= least_gain]
    position[left] += 1
    position[right] -= 1
    return len(left)


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
    a = position[side.flat[start[left][pair] + inside // width]]
    b = position[side.flat[start[right][pair] + inside % width]]
    return np.bincount(pair, np.sign(a - b), len(left)).astype(np.int64)
