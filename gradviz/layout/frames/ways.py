"""The way through a picture with frames, which is drawn straight: back from its end, always to what was made last.

A net in which little is on one way, as one of neurons side by side, has none; then every frame has its own, if it can.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradviz.layout.layered.spine import LEAST_SHARE, SHORTEST
from gradviz.layout.plan import NO_FRAME, Flags, Ints

NEVER = np.iinfo(np.int64).max


class Ways(NamedTuple):
    """From which depth on the pieces of an edge are on a way; `NEVER` for one on no way.

    Attributes:
        out: of the pieces in the frames that it leaves; shape (m,).
        into: of those in the frames that it enters; shape (m,).
    """

    out: Ints
    into: Ints


def ways_of(ends: Ints, made: Ints, around: Ints) -> Ways:
    """The ways through a picture.

    Args:
        ends: source and consumer of every edge; shape (m, 2).
        made: of each box how long the longest path to it is; shape (n,).
        around: for each depth the frame so deep inside others that each box is in, or `NO_FRAME`; shape (d, n).
    """
    ways = Ways(*np.full((2, len(ends)), NEVER))
    latest = _latest(ends, made)
    leaving = np.full(len(made), -1)
    is_on_way = np.zeros(len(made), dtype=np.bool_)
    is_op = np.bincount(ends[:, 1], minlength=len(made)) > 0
    for depth in range(len(around) - 1):
        group = around[depth]
        if depth:
            leaving[:] = -1
            outwards = np.flatnonzero(group[ends[:, 0]] != group[ends[:, 1]])[::-1]
            leaving[ends[outwards, 0]] = outwards
        inside = group.tolist()
        taken = set(group[is_on_way].tolist())
        ops = np.bincount(group[is_op] + 1, minlength=int(group.max(initial=0)) + 2).tolist()
        for end in _last_of(group, made, leaving >= 0, depth).tolist():
            frame = inside[end]
            if frame in taken:
                continue
            path, box = [], end
            while latest[box] >= 0 and inside[box] == frame:
                path.append(latest[box])
                box = int(ends[latest[box], 0])
            boxes = len(path) + (inside[box] == frame)
            if len(path) < SHORTEST or boxes < LEAST_SHARE * ops[frame + 1]:
                continue
            ways.into[path] = depth
            ways.out[path] = depth
            if inside[box] != frame:
                ways.out[path[-1]] = NEVER
            if leaving[end] >= 0:
                ways.out[leaving[end]] = depth
            is_on_way[ends[path, 1]] = True
            is_on_way[end] = True
    return ways


def _latest(ends: Ints, made: Ints) -> list[int]:
    """The edge into each box from what was made last of all it reads, the first of several; -1 where it reads none."""
    order = np.lexsort((np.arange(len(ends)), -made[ends[:, 0]], ends[:, 1]))
    boxes, first = np.unique(ends[order, 1], return_index=True)
    latest = np.full(len(made), -1)
    latest[boxes] = order[first]
    found: list[int] = latest.tolist()
    return found


def _last_of(group: Ints, made: Ints, leaves: Flags, depth: int) -> Ints:
    """The box of each frame that was made last, of those that are read outside, if any are."""
    boxes = np.arange(len(group)) if not depth else np.flatnonzero(group != NO_FRAME)
    order = boxes[np.lexsort((boxes, -made[boxes], ~leaves[boxes], group[boxes]))]
    _, first = np.unique(group[order], return_index=True)
    return np.asarray(order[first], dtype=np.int64)
