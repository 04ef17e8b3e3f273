"""Lanes beside a component for the edges that are too long for dummies, and components side by side.

All lane edges of one source share a lane, like a bus; lanes of sources far apart share an x.
"""

from __future__ import annotations

import heapq

import numpy as np

from gradviz.layout.place import LANE_GAP, NODE_GAP
from gradviz.layout.plan import Floats, Ints
from gradviz.layout.proper import Proper

COMPONENT_GAP = 64.0
"""Free space between two components, in scene units."""
WIDER_THAN_TALL = 1.6
"""The shape that many components are packed into."""

Extent = tuple[Floats, Floats]
"""Left and right x of each component; each of shape (components,)."""


def extents_of(proper: Proper, x: Floats, widths: Floats) -> Extent:
    """Left and right border of each component's vertices."""
    components = proper.component[proper.row]
    count = int(proper.component.max(initial=-1)) + 1
    left, right = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(left, components, x - widths / 2)
    np.maximum.at(right, components, x + widths / 2)
    return left, right


def lanes_of(proper: Proper, x: Floats, extents: Extent) -> tuple[Floats, Extent]:
    """x of each edge's lane (0 where it has none; shape (m,)), and the extents with the lanes."""
    lanes = np.zeros(len(proper.ends))
    left, right = extents[0].copy(), extents[1].copy()
    free: dict[tuple[int, bool], list[tuple[int, int]]] = {}
    for source, edges, last_row in _buses(proper):
        component = int(proper.component[proper.row[source]])
        at_left = bool(x[source] < (extents[0][component] + extents[1][component]) / 2)
        used = free.setdefault((component, at_left), [])
        number = _free_lane(used, int(proper.row[source]), last_row)
        away = NODE_GAP + number * LANE_GAP
        lanes[edges] = extents[0][component] - away if at_left else extents[1][component] + away
        left[component] = min(left[component], lanes[edges[0]])
        right[component] = max(right[component], lanes[edges[0]])
    return lanes, (left, right)


def _buses(proper: Proper) -> list[tuple[int, Ints, int]]:
    """Source, its lane edges, and the last row they reach; by the sources' rows."""
    edges = np.flatnonzero(proper.laned)
    if not len(edges):
        return []
    rows = proper.row[proper.ends]
    edges = edges[np.lexsort((edges, proper.ends[edges, 0], rows[edges, 0]))]
    sources = proper.ends[edges, 0]
    groups = np.split(edges, np.flatnonzero(np.diff(sources)) + 1)
    return [(int(proper.ends[group[0], 0]), group, int(rows[group, 1].max())) for group in groups]


def _free_lane(used: list[tuple[int, int]], first_row: int, last_row: int) -> int:
    """The number of a lane that is free from `first_row` on; `used` is a heap of (last row, number)."""
    if used and used[0][0] <= first_row:
        _, number = heapq.heapreplace(used, (last_row, used[0][1]))
        return number
    heapq.heappush(used, (last_row, len(used)))
    return len(used) - 1


def shifts_of(extents: Extent, heights: Floats) -> Floats:
    """How far to move each component so that none overlap, in shelves from the left; shape (components, 2).

    Args:
        extents: left and right of each component, with its lanes.
        heights: of each component, which begins at y = 0; shape (components,).
    """
    left, right = extents
    widths = right - left + COMPONENT_GAP
    limit = max(
        float(widths.max(initial=0.0)), float(np.sqrt((widths * (heights + COMPONENT_GAP)).sum()) * WIDER_THAN_TALL)
    )
    shifts = np.empty((len(left), 2))
    x = y = shelf = 0.0
    for component, (width, height) in enumerate(zip(widths.tolist(), heights.tolist(), strict=True)):
        if x > 0 and x + width > limit:
            x, y, shelf = 0.0, y + shelf + COMPONENT_GAP, 0.0
        shifts[component] = x - left[component], y
        x, shelf = x + width, max(shelf, height)
    return shifts
