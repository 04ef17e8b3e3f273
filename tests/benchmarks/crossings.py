"""How many times the curves of a layout cross, and how long they are.

Counted on the curves as drawn: every curve is cut into straight pieces at common heights, so that two curves
cross between two heights exactly when their order changes; that is a count of inversions, O(n log n).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gradviz.layout.order import inversions
from gradviz.layout.plan import Floats, Ints, Layout

PIECES = 8
"""Straight pieces per Bézier piece."""
NEAR = 1.0
"""Heights this near are one; scene units."""


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
    """How many times two of these polylines cross. Pieces that touch do not cross."""
    if not lines:
        return 0
    start = np.concatenate([line[:-1] for line in lines])
    end = np.concatenate([line[1:] for line in lines])
    upside_down = start[:, 1] > end[:, 1]
    start[upside_down], end[upside_down] = end[upside_down], start[upside_down].copy()
    heights = np.unique(np.round(np.concatenate([start[:, 1], end[:, 1]]) / NEAR) * NEAR)
    first = np.searchsorted(heights, np.round(start[:, 1] / NEAR) * NEAR - NEAR / 4)
    last = np.searchsorted(heights, np.round(end[:, 1] / NEAR) * NEAR - NEAR / 4)
    piece = np.repeat(np.arange(len(start)), last - first)
    slab = np.arange(len(piece)) - np.repeat(np.cumsum(last - first) - (last - first), last - first) + first[piece]
    above = _x_at(start[piece], end[piece], heights[slab])
    below = _x_at(start[piece], end[piece], heights[np.minimum(slab + 1, len(heights) - 1)])
    return _order_changes(slab, np.round(above, 4), np.round(below, 4))


def _x_at(start: Floats, end: Floats, height: Floats) -> Floats:
    rise = np.maximum(end[:, 1] - start[:, 1], 1e-9)
    share = np.clip((height - start[:, 1]) / rise, 0.0, 1.0)
    return np.asarray(start[:, 0] + share * (end[:, 0] - start[:, 0]))


def _order_changes(slab: Ints, above: Floats, below: Floats) -> int:
    order = np.lexsort((below, above, slab))
    rank = np.empty(len(order), dtype=np.int64)
    rank[np.lexsort((np.arange(len(order)), below[order], slab[order]))] = np.arange(len(order))
    return inversions(rank)
