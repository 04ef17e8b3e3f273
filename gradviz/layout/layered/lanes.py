"""Lanes beside a component for the edges that are too long for dummies, and components side by side.

All lane edges of one trunk share a lane, like a bus; lanes of boxes far apart share an x.
"""

from __future__ import annotations

import heapq
from operator import itemgetter

import numpy as np

from gradviz.layout.layered.place import LANE_GAP, LINE_GAP, NODE_GAP
from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import NO_FRAME, Flags, Floats, Ints

INLET_GAP = 20.0
"""Free space between a lane and the boxes of its frame."""
MUCH_NEARER = 3.0
"""What comes into a frame runs on the left of it where that is so many times as near."""
COMPONENT_GAP = 64.0
"""Free space between two components, in scene units."""
WIDER_THAN_TALL = 1.6
"""The square root of what many small components fill, times this, is how wide a row of them may be."""

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
    is_left = _is_left(proper, x, extents)
    for edges, first_row, last_row in _buses(proper):
        component = int(proper.component[first_row])
        at_left = bool(is_left[edges[0]])
        used = free.setdefault((component, at_left), [])
        number = _free_lane(used, first_row, last_row)
        inside = proper.plane.groups[proper.ends[edges[0], 0]] != NO_FRAME
        away = INLET_GAP + number * LINE_GAP if inside else NODE_GAP + number * LANE_GAP
        lanes[edges] = extents[0][component] - away if at_left else extents[1][component] + away
        left[component] = min(left[component], lanes[edges[0]])
        right[component] = max(right[component], lanes[edges[0]])
    return lanes, (left, right)


def _is_left(proper: Proper, x: Floats, extents: Extent) -> Flags:
    """Whether the lane of each edge is left of its component: where its ends are, or what comes into a frame goes."""
    plane, component = proper.plane, proper.component[proper.row[proper.ends[:, 0]]]
    middle = (extents[0] + extents[1])[component] / 2
    total = np.bincount(proper.trunk, x[proper.ends].mean(axis=1), len(component))
    mean = total / np.maximum(np.bincount(proper.trunk, minlength=len(component)), 1)
    comes_in = plane.is_entry[proper.ends[:, 0]] & proper.laned
    # All that comes into one frame runs on one side, right but where left is much nearer: titles are on the left.
    left, right = (
        np.bincount(component, np.where(comes_in, np.abs(x[proper.ends[:, 1]] - side[component]), 0.0), len(side))
        for side in extents
    )
    found: Flags = np.where(comes_in, MUCH_NEARER * left[component] < right[component], mean[proper.trunk] < middle)
    return found


def _buses(proper: Proper) -> list[tuple[Ints, int, int]]:
    """The lane edges of each trunk, or of each port, and the first and the last row of their ends; by these rows."""
    edges = np.flatnonzero(proper.laned)
    if not len(edges):
        return []
    rows = proper.row[proper.ends]
    ports = proper.plane.is_entry[proper.ends[edges, 0]]
    bus = np.where(ports, len(proper.ends) + proper.ends[edges, 0], proper.trunk[edges])
    edges = edges[np.argsort(bus, kind="stable")]
    groups = np.split(edges, np.flatnonzero(np.diff(np.sort(bus))) + 1)
    buses = [(group, int(rows[group, 0].min()), int(rows[group, 1].max())) for group in groups]
    return sorted(buses, key=itemgetter(1, 2))


def _free_lane(used: list[tuple[int, int]], first_row: int, last_row: int) -> int:
    """The number of a lane that is free from `first_row` on; `used` is a heap of (last row, number)."""
    if used and used[0][0] <= first_row:
        _, number = heapq.heapreplace(used, (last_row, used[0][1]))
        return number
    heapq.heappush(used, (last_row, len(used)))
    return len(used) - 1


def shifts_of(extents: Extent, heights: Floats) -> Floats:
    """How far to move each component so that none overlap; shape (components, 2).

    A component that is most of the picture stands at the left and the others beside it, in shelves.

    Args:
        extents: left and right of each component, with its lanes.
        heights: of each component, which begins at y = 0; shape (components,).
    """
    left, right = extents
    boxes = np.stack([right - left, heights], axis=1) + COMPONENT_GAP
    corners = np.zeros_like(boxes)
    areas = boxes.prod(axis=1)
    main = int(areas.argmax())
    others = np.delete(np.arange(len(boxes)), main) if 2 * areas[main] > areas.sum() else np.arange(len(boxes))
    corners[others] = _shelves(boxes[others])
    if len(others) < len(boxes):
        corners[others, 0] += boxes[main, 0]
    return np.asarray(corners - np.stack([left, np.zeros_like(left)], axis=1))


def _shelves(boxes: Floats) -> Floats:
    """Left top corners of boxes of these widths and heights set side by side in rows; shape (k, 2)."""
    corners = np.empty_like(boxes)
    if not len(boxes):
        return corners
    limit = max(float(boxes[:, 0].max()), float(np.sqrt(boxes.prod(axis=1).sum())) * WIDER_THAN_TALL)
    x = y = shelf = 0.0
    for number, (width, height) in enumerate(boxes.tolist()):
        if x > 0 and x + width > limit:
            x, y, shelf = 0.0, y + shelf, 0.0
        corners[number] = x, y
        x, shelf = x + width, max(shelf, height)
    return corners
