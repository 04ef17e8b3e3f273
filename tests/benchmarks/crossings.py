"""How many times the curves of a layout cross, and how long they are.

Counted on the curves as drawn: every curve is cut into straight parts at common heights. Two curves cross between
two heights exactly when their order changes, and at a height when the order right above it is not the one right
below: they meet there, or one of them is a bus that runs level under or over the other. Both are counts of
inversions, O(n log n).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from gradviz.layout.layered.order_arrays import inversions
from gradviz.layout.plan import Floats, Ints, Layout

PIECES = 8
"""Straight pieces per Bézier piece."""
NEAR = 1.0
"""Heights this near are one; scene units."""


class _Parts(NamedTuple):
    """What the lines are cut into, each line from its start to its end.

    Attributes:
        line: that it belongs to; shape (p,).
        slab: between which two heights it lies; shape (p,).
        above, below: x at the upper height and at the lower one; shape (p,).
    """

    line: Ints
    slab: Ints
    above: Floats
    below: Floats


def polylines(layout: Layout) -> list[Floats]:
    """Every curve as a polyline; each of shape (PIECES * k + 1, 2)."""
    t = np.arange(1, PIECES + 1)[:, None] / PIECES
    basis = np.concatenate([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], axis=1)
    lines = []
    for curve in layout.curves:
        pieces = np.stack([curve[0:-1:3], curve[1::3], curve[2::3], curve[3::3]], axis=1)
        lines.append(np.concatenate([curve[:1], (basis @ pieces).reshape(-1, 2)]))
    return lines


def length_of(layout: Layout) -> float:
    """Total length of the curves, in scene units."""
    return float(sum(np.hypot(*np.diff(line, axis=0).T).sum() for line in polylines(layout)))


def crossings_of(layout: Layout) -> int:
    """How many times two curves of a layout that runs downwards cross."""
    return crossings_of_lines(polylines(layout))


def crossings_of_lines(lines: Sequence[Floats]) -> int:
    """How many times two of these polylines cross.

    Lines that touch, or run as one until they part, do not cross.
    """
    if not lines:
        return 0
    parts = _cut(lines)
    return _order_changes(parts.slab, parts.above, parts.below) + _changes_at_heights(parts)


def _cut(lines: Sequence[Floats]) -> _Parts:
    start = np.concatenate([line[:-1] for line in lines])
    end = np.concatenate([line[1:] for line in lines])
    line = np.repeat(np.arange(len(lines)), [len(line) - 1 for line in lines])
    levels = [np.round(ends[:, 1] / NEAR).astype(np.int64) for ends in (start, end)]
    heights = np.unique(np.concatenate(levels))
    first, last = (np.searchsorted(heights, level) for level in levels)
    count = np.abs(last - first)
    piece = np.repeat(np.arange(len(start)), count)
    number = np.arange(len(piece)) - np.repeat(np.cumsum(count) - count, count)
    # A piece that runs upwards passes its slabs from the lowest to the highest.
    slab = np.where(last > first, first, first - 1)[piece] + np.where(last > first, 1, -1)[piece] * number
    above, below = (_x_at(start[piece], end[piece], heights[slab + side] * NEAR) for side in (0, 1))
    return _Parts(line[piece], slab, np.round(above, 4), np.round(below, 4))


def _x_at(start: Floats, end: Floats, height: Floats) -> Floats:
    rise = end[:, 1] - start[:, 1]
    share = np.clip((height - start[:, 1]) / rise, 0.0, 1.0)
    return np.asarray(start[:, 0] + share * (end[:, 0] - start[:, 0]))


def _changes_at_heights(parts: _Parts) -> int:
    """How many pairs of lines pass a height in one order above it and in the other below it."""
    line, slab, above, below = parts
    passes = (line[1:] == line[:-1]) & (np.abs(np.diff(slab)) == 1)
    at = np.flatnonzero(passes)
    is_down = slab[at + 1] > slab[at]
    over, under = np.where(is_down, at, at + 1), np.where(is_down, at + 1, at)
    # Of lines that meet at the height, the one whose middle is further left comes from the left, or goes there.
    middle = (above + below) / 2
    return _order_changes(slab[under], _rank(below[over], middle[over]), _rank(above[under], middle[under]))


def _rank(x: Floats, middle: Floats) -> Floats:
    """A number for each part that sorts by x, then by the middle; equal ones get the same."""
    return np.unique(np.stack([x, middle], axis=1), axis=0, return_inverse=True)[1].ravel().astype(np.float64)


def _order_changes(slab: Ints, above: Floats, below: Floats) -> int:
    order = np.lexsort((below, above, slab))
    rank = np.empty(len(order), dtype=np.int64)
    rank[np.lexsort((np.arange(len(order)), below[order], slab[order]))] = np.arange(len(order))
    return inversions(rank)
