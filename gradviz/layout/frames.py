"""Frames around boxes that belong together: how much room they take, and where they are.

A frame is a rectangle around its boxes and the frames inside it. Both engines keep what is foreign out of it; how
is told where they do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gradviz.layout.plan import NO_FRAME, Floats, Ints, Layout, Request

PAD = 16.0
"""Between a frame and what is in it, in scene units."""
TITLE = 34.0
"""The same at the top, where the title stands."""


Sides = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def sides_of(direction: str) -> Sides:
    """Room at the left, top, right and bottom of a frame, as an engine sees it that lays everything out downwards."""
    return (PAD, TITLE, PAD, PAD) if direction == "down" else (TITLE, PAD, PAD, PAD)


def extents_of(request: Request, values: Floats, lowest: bool) -> Floats:
    """The smallest (or greatest) value of the boxes in each frame, those of the frames inside it counted in.

    Args:
        values: of each box; shape (n,).

    Returns:
        Shape (k,).
    """
    count = len(request.frame_parents)
    found = np.full(count, np.inf if lowest else -np.inf)
    pick = np.minimum if lowest else np.maximum
    inside = request.framed != NO_FRAME
    pick.at(found, request.framed[inside], values[inside])
    for frame in range(count - 1, -1, -1):
        parent = int(request.frame_parents[frame])
        if parent != NO_FRAME:
            found[parent] = pick(found[parent], found[frame])
    return found


def row_room(request: Request, rows: Ints, count: int, sides: Sides) -> Floats:
    """Room that frames need above each row and below it, since some begin or end there; shape (2, count).

    Args:
        rows: row of each box; shape (n,).
        count: number of rows.
        sides: as `sides_of` says.
    """
    room = np.zeros((2, count))
    if not len(request.frame_parents):
        return room
    for edge, (lowest, side) in enumerate(((True, sides[1]), (False, sides[3]))):
        at = extents_of(request, rows.astype(np.float64), lowest)
        need = np.zeros(len(at))
        for frame in range(len(at) - 1, -1, -1):
            need[frame] += side
            room[edge, int(at[frame])] = max(room[edge, int(at[frame])], need[frame])
            parent = int(request.frame_parents[frame])
            if parent != NO_FRAME and at[parent] == at[frame]:
                need[parent] = max(need[parent], need[frame])
    return room


def with_frames(layout: Layout, request: Request) -> Layout:
    """The layout with its frames, moved so that its left top corner is at (0, 0)."""
    count = len(request.frame_parents)
    if not count:
        return layout
    low, high = layout.centres - layout.sizes / 2, layout.centres + layout.sizes / 2
    frames = np.full((count, 4), (np.inf, np.inf, -np.inf, -np.inf))
    inside = request.framed != NO_FRAME
    np.minimum.at(frames[:, :2], request.framed[inside], low[inside])
    np.maximum.at(frames[:, 2:], request.framed[inside], high[inside])
    for frame in range(count - 1, -1, -1):
        frames[frame] += (-PAD, -TITLE, PAD, PAD)
        parent = int(request.frame_parents[frame])
        if parent != NO_FRAME:
            frames[parent, :2] = np.minimum(frames[parent, :2], frames[frame, :2])
            frames[parent, 2:] = np.maximum(frames[parent, 2:], frames[frame, 2:])
    return _moved(layout, frames)


def _moved(layout: Layout, frames: Floats) -> Layout:
    corner = np.minimum(frames[:, :2].min(axis=0), 0.0)
    right, bottom = np.maximum(frames[:, 2:].max(axis=0), layout.bounds[2:]) - corner
    return replace(
        layout,
        centres=layout.centres - corner,
        curves=tuple(curve - corner for curve in layout.curves),
        frames=frames - np.tile(corner, 2),
        bounds=(0.0, 0.0, float(right), float(bottom)),
    )


def intruders(layout: Layout, request: Request) -> list[tuple[int, int]]:
    """(frame, index of a box) for every box that touches a frame it is not in: none, where an engine did its work."""
    low, high = layout.centres - layout.sizes / 2, layout.centres + layout.sizes / 2
    found = []
    for frame, (left, top, right, bottom) in enumerate(layout.frames.tolist()):
        touches = (high[:, 0] > left) & (low[:, 0] < right) & (high[:, 1] > top) & (low[:, 1] < bottom)
        found += [(frame, box) for box in np.flatnonzero(touches).tolist() if not is_inside(request, box, frame)]
    return found


def is_inside(request: Request, box: int, frame: int) -> bool:
    """Whether a box (by index) belongs to a frame, or to one inside it."""
    here = int(request.framed[box])
    while here not in (frame, NO_FRAME):
        here = int(request.frame_parents[here])
    return here == frame
