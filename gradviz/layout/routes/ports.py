"""Where edges leave and enter a box: spread along the border, in the order of where they go, then by slot."""

from __future__ import annotations

import numpy as np

from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import Floats, Ints

PORT_GAP = 30.0
"""Distance of two ports on a border, in scene units, where the box is wide enough."""
CORNER = 14.0
"""Free space between a port and the corner of its box."""
TIED = 0.5
"""Edges that come from x values this near count as coming from the same place."""


def ports_of(proper: Proper, x: Floats, lanes: Floats) -> tuple[Floats, Floats]:
    """x of every edge's port at its source and at its consumer; each of shape (m,).

    Args:
        proper: the layered graph.
        x: centre of each vertex; shape (v,).
        lanes: x of each edge's lane, where it has one; shape (m,).
    """
    sources, consumers = proper.ends[:, 0], proper.ends[:, 1]
    attached = proper.plane.attached
    out, into = (np.nan_to_num(attached[:, side]) for side in (0, 1))
    is_long = np.diff(proper.first) > 0
    via = np.append(proper.via, 0)  # so that an edge without a dummy at the end has an entry to leave aside
    top = np.where(is_long, via[proper.first[:-1]], consumers)
    bottom = np.where(is_long, via[proper.first[1:] - 1], sources)
    ahead = np.where(proper.laned, lanes, x[top] + np.where(is_long, 0.0, into))
    behind = np.where(proper.laned, lanes, x[bottom] + np.where(is_long, 0.0, out))
    # Of a short edge between boxes both ends can give way, so each goes half of the way towards the other.
    is_fixed = ~np.isnan(attached) | proper.plane.is_port[proper.ends]
    found = []
    for boxes, towards, side, shift in ((sources, ahead, 0, out), (consumers, behind, 1, into)):
        give = np.where(is_long | proper.laned | is_fixed[:, 1 - side], 1.0, 0.5)
        free = np.flatnonzero(~is_fixed[:, side])
        port = x[boxes] + shift
        trunk, slots = proper.trunk[free], proper.plane.slots[free]
        port[free] = _together(boxes[free], towards[free], trunk, slots, give[free], x, proper.plane.sizes[:, 0])
        found.append(port)
    return found[0], found[1]


def _together(
    boxes: Ints, towards: Floats, trunk: Ints, slots: Ints, give: Floats, x: Floats, widths: Floats
) -> Floats:
    """As `_spread`, with one port for all edges of a trunk that meet at a box."""
    _, first, group = np.unique(boxes * (int(trunk.max(initial=0)) + 1) + trunk, return_index=True, return_inverse=True)
    amid = np.bincount(group, towards) / np.bincount(group)  # where a trunk parts at once, to the middle of its edges
    return _spread(boxes[first], amid, slots[first], give[first], x, widths)[group]


def _spread(boxes: Ints, towards: Floats, slots: Ints, give: Floats, x: Floats, widths: Floats) -> Floats:
    """x of each edge's port on one border of its box.

    The ports stand symmetrically about the centre, then move together so that the straightest edge is straight.
    """
    if not len(boxes):
        return np.zeros(0)
    order = np.lexsort((slots, towards, boxes))
    group = boxes[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    count = np.diff(np.append(first, len(group)))
    usable = np.maximum(widths[group[first]] - 2 * CORNER, 0.0)
    gap = np.minimum(PORT_GAP, usable / np.maximum(count - 1, 1))
    rank = np.arange(len(group)) - np.repeat(first, count)
    offset = (rank - np.repeat((count - 1) / 2, count)) * np.repeat(gap, count)
    lean = _lean(towards[order] - x[group], offset, give[order], first, count, usable)
    room = (usable - gap * (count - 1)) / 2
    ports = np.empty(len(boxes))
    ports[order] = x[group] + offset + np.repeat(np.clip(lean, -room, room), count)
    return ports


def _lean(aside: Floats, offset: Floats, give: Floats, first: Ints, count: Ints, usable: Floats) -> Floats:
    """How far the ports of each box move together; shape (boxes,)."""
    nearest = np.minimum.reduceat(np.abs(aside), first)
    tied = np.abs(aside) <= np.repeat(nearest, count) + TIED
    wish = np.add.reduceat(np.where(tied, aside * give - offset, 0.0), first)
    wish /= np.add.reduceat(tied.astype(np.float64), first)
    # An edge from beyond the box bends in any case: then the ports stay centred.
    return np.where(nearest <= usable / 2, wish, 0.0)
