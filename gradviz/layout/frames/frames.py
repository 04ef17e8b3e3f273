"""Frames around boxes that belong together: how much room they take, and what is in them."""

from __future__ import annotations

import numpy as np

from gradviz.layout.layered.place import Sides
from gradviz.layout.plan import NO_FRAME, Ints, Request

PAD = 16.0
"""Between a frame and what is in it, in scene units."""
TITLE = 34.0
"""The same at the top, where the title stands."""


def sides_of(direction: str) -> Sides:
    """Room at the left, top, right and bottom of a frame, as an engine sees it that lays everything out downwards."""
    return (PAD, TITLE, PAD, PAD) if direction == "down" else (TITLE, PAD, PAD, PAD)


def depths_of(request: Request) -> Ints:
    """How many frames are around each frame, itself counted in; shape (k,)."""
    depths: list[int] = []
    for parent in request.frame_parents.tolist():
        depths.append(1 if parent == NO_FRAME else depths[parent] + 1)
    return np.array(depths, dtype=np.int64)


def boxes_held(request: Request) -> Ints:
    """How many boxes are in each frame, those of the frames inside it counted in; shape (k,)."""
    held = np.bincount(request.framed[request.framed != NO_FRAME], minlength=len(request.frame_parents))
    for frame in range(len(held) - 1, -1, -1):
        parent = int(request.frame_parents[frame])
        if parent != NO_FRAME:
            held[parent] += held[frame]
    return held


def is_inside(request: Request, box: int, frame: int) -> bool:
    """Whether a box (by index) belongs to a frame, or to one inside it."""
    here = int(request.framed[box])
    while here not in (frame, NO_FRAME):
        here = int(request.frame_parents[here])
    return here == frame
