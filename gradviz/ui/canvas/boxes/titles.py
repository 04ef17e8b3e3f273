"""Where the titles of frames stand: over a top corner of their frame, where they cover nothing. Scene units."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.ink.text import Role, text_width
from gradviz.ui.canvas.plane.geometry import touching
from gradviz.ui.canvas.plane.view import Rect
from gradviz.ui.canvas.scene.measure import FOLD_MARK

INSET = 8.0
MARK = FOLD_MARK + 7.0
HEIGHT = 30.0
_FONT = 14.0
"""Size of a title, in scene units."""
_READABLE, _LEGIBLE = 11.5, 6.5
"""Screen pixels that a title should have and must have."""
_SIZES, _STEP = 6, 0.1
"""Sizes that are tried at the most, from the most readable to that of the boxes; and about how far they are apart."""
_LEAST_WIDTH, _CUT = 46.0, 84.0
"""Screen pixels: a narrower frame has no title; nor is one cut to fewer, where a letter or two would be left of it."""
_HAIR = 1.0
"""By which a title may reach over what is above or below it."""


def placed(
    titles: Sequence[str], sides: Floats, boxes: Floats, scale: float, mark: float = MARK
) -> tuple[Rect | None, ...]:
    """The rectangle of each title with its mark; None for one that finds no room at a scale.

    At a small scale titles are written larger than their boxes, as far as they cover neither box nor title. They
    grow upwards; one that could not be read is left out. A title stands on the left, or, where that is taken by the
    title of the frame around it, on the right.

    Args:
        sides: left, top, right, bottom of the frames, outer ones first; shape (k, 4).
        boxes: what titles keep clear of; shape (n, 4).
        mark: how wide the mark that folds is, with its gap; 0 where there is none.
    """
    sizes = [size for size in _sizes(scale) if size * scale * _FONT >= _LEGIBLE]
    tabs: list[Rect | None] = []
    taken: list[Rect] = []
    for title, (left, top, right, _) in zip(titles, sides.tolist(), strict=True):
        tabs.append(None)
        if (right - left) * scale < _LEAST_WIDTH or not sizes:
            continue
        low = top + HEIGHT
        near = boxes[touching(boxes, (left, low - HEIGHT * sizes[0], right, low))].tolist()
        for spot in _spots(text_width(title, Role.NAME) + 2 * INSET + mark, (left, right, low), sizes, scale):
            if not any(_covers(spot, other) for other in (*taken, *near)):
                tabs[-1] = spot
                taken.append(spot)
                break
    return tuple(tabs)


def _spots(width: float, frame: tuple[float, float, float], sizes: Sequence[float], scale: float) -> list[Rect]:
    """A title in each size, on the left and on the right of its frame, the most wanted first."""
    left, right, low = frame
    spots: list[Rect] = []
    for size in sizes:
        wide = min(width * size, right - left)
        if width * size <= right - left or wide * scale >= _CUT:
            high = low - HEIGHT * size
            spots += [(left, high, left + wide, low), (right - wide, high, right, low)]
    return spots


def _covers(spot: Rect, other: Sequence[float]) -> bool:
    is_beside = other[0] >= spot[2] or other[2] <= spot[0]
    return not (is_beside or other[1] >= spot[3] - _HAIR or other[3] <= spot[1] + _HAIR)


def _sizes(scale: float) -> tuple[float, ...]:
    """How much larger a title may be written at a small scale, the most readable first."""
    grown = max(_READABLE / (_FONT * scale), 1.0)
    count = min(_SIZES, 1 + math.ceil((grown - 1.0) / _STEP))
    return tuple(np.linspace(grown, 1.0, count).tolist())
