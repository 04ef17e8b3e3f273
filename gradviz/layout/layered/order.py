"""The order of the vertices within each row: few crossings.

A smooth start by power iteration, sweeps that sort each row by the mean position of its neighbours, then
exchanges of adjacent vertices. Everything is counted in positions 0, 1, 2, ... of a row.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from gradviz.layout.layered.order_arrays import ArrayRows
from gradviz.layout.layered.order_lists import ListRows
from gradviz.layout.layered.proper import LARGE, Proper
from gradviz.layout.plan import Floats, Ints
from gradviz.layout.pulse import Pulse

SMALL = 600
"""Vertices up to which rows are lists: calls of numpy for a few vertices each would take longer than the work."""
SMOOTH_STEPS = 150
PER_STEP = 4
"""Vertices for each step of the smooth start: through a small graph news travels in fewer."""
MOMENTUM = 0.24
"""How much of the step before is taken back in each: with nearly a quarter, far news comes in a tenth of the steps."""
SWEEPS = 6
PATIENCE = 3
"""Sweeps without a better order before the sweeps end."""
EXCHANGES = 24
SHAKES = 6
VAIN = 2
"""Shakes without a better order before they end."""


class Rows(Protocol):
    """The rows of a layered graph, and what is done to the order of their vertices."""

    def crossings(self, position: Ints) -> int:
        """How many pairs of links cross when the rows stand in this order."""

    def sorted_by_means(self, position: Ints, *, upwards: bool) -> Ints:
        """Each row in turn sorted by the mean position of its neighbours in the row above, or below if `upwards`."""

    def exchanged(self, position: Ints, passes: int, least_gain: int) -> tuple[Ints, int]:
        """Positions after exchanges of adjacent vertices that remove so many crossings each, and how many they did."""


def sortable_rows(proper: Proper) -> Rows:
    """The rows of a graph, in the way that is quick for its size."""
    return ListRows(proper) if proper.vertices <= SMALL else ArrayRows(proper)


def order_of(proper: Proper, pulse: Pulse) -> Ints:
    """Position of each vertex in its row, 0 at the left; shape (v,)."""
    haste = 2 if proper.vertices > LARGE else 1
    steps = min(SMOOTH_STEPS, proper.largest // PER_STEP)
    best = sorted_rows(proper, smooth(proper, steps // haste, pulse))
    if len(proper.upper) == 0 or int(proper.row_size.max(initial=0)) < 2:
        return best
    rows = sortable_rows(proper)
    best = sweep(rows, best, SWEEPS // haste, pulse)
    return _exchange(rows, best, EXCHANGES // haste, pulse)


def sorted_rows(proper: Proper, key: Floats) -> Ints:
    """Positions when every row is sorted by `key`; shape (v,)."""
    order = np.lexsort((key, proper.row))
    position = np.empty(proper.vertices, dtype=np.int64)
    position[order] = np.arange(proper.vertices) - np.repeat(proper.row_start[:-1], proper.row_size)
    return position


def smooth(proper: Proper, steps: int, pulse: Pulse) -> Floats:
    """The smoothest function on the links whose mean in each row is 0, by power iteration with momentum.

    Neighbours get nearby values, so sorting by them keeps what belongs together together.
    """
    rows, count = len(proper.component), proper.vertices
    upper, lower, row, size = proper.upper, proper.lower, proper.row, proper.row_size
    links = np.maximum(1, proper.above.degree + proper.below.degree)
    value = _start(proper)
    before = np.zeros(count)
    for step in range(steps):
        if step % 50 == 0:
            pulse(0.3 * step / steps)
        around = np.bincount(upper, value.take(lower), count) + np.bincount(lower, value.take(upper), count)
        before, value = value, 0.5 * value + 0.5 * around / links - MOMENTUM * before
        value -= (np.bincount(row, value, rows) / size).take(row)
        largest = np.abs(value).max(initial=0.0) + 1e-300
        value /= largest
        before = before / largest
    return value


def _start(proper: Proper) -> Floats:
    """Random numbers, the same in components that are alike: then they are laid out alike."""
    component = proper.component[proper.row]
    order = np.argsort(component, kind="stable")
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order)) - np.searchsorted(component[order], component[order])
    start: Floats = np.random.default_rng(0).normal(size=proper.largest)[number]
    return start


def sweep(rows: Rows, start: Ints, sweeps: int, pulse: Pulse) -> Ints:
    """Sort each row by the mean position of its neighbours, downwards and upwards in turn."""
    best, fewest, failures = start, rows.crossings(start), 0
    position = start
    for turn in range(sweeps):
        pulse(0.3 + 0.4 * turn / sweeps)
        position = rows.sorted_by_means(position, upwards=turn % 2 == 1)
        crossings = rows.crossings(position)
        failures = 0 if crossings < fewest else failures + 1
        if crossings < fewest:
            best, fewest = position, crossings
        if failures == PATIENCE or not fewest:
            break
    return best


def _exchange(rows: Rows, start: Ints, passes: int, pulse: Pulse) -> Ints:
    """Swap adjacent vertices while that removes crossings; then shake and do it again, and keep the best."""
    crossings = rows.crossings(start)
    position, removed = rows.exchanged(start, passes, 1)
    crossings -= removed
    best, fewest, failures = position, crossings, 0
    for shake in range(SHAKES):
        pulse(0.7 + 0.3 * shake / SHAKES)
        if failures == VAIN or not fewest:
            break
        # Swaps that change nothing lead off a plateau, as in dot's "transpose with equals".
        position, by_shake = rows.exchanged(position, 1, 0)
        position, removed = rows.exchanged(position, passes // 3, 1)
        crossings -= by_shake + removed
        failures = 0 if crossings < fewest else failures + 1
        if crossings < fewest:
            best, fewest = position, crossings
    return best
