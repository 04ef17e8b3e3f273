"""Where a small rectangle finds room: of some places the one that covers least. Screen pixels."""

from __future__ import annotations

import numpy as np

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.plane.geometry import Flags
from gradviz.ui.canvas.plane.view import Rect

AIR = 5.0
"""Kept free around a label."""

GAP = 2.0
"""Kept free at the least."""

_AROUND = np.array([-1.0, -1.0, 1.0, 1.0])
_NEAR_BOX, LATER_CHOICE, OVER_LINE = 4.0, 12.0, 60.0


def rects(corners: Floats, width: float, height: float) -> Floats:
    """Rectangles of one size by their top left corners, shape (n, 2); shape (n, 4)."""
    return np.hstack([corners, corners + np.array([width, height])])


def best_spot(spots: Floats, blocked: Floats, strokes: Floats, frame: Rect) -> Floats | None:
    """The best of some rectangles, or None where each covers something or is not wholly in sight.

    Args:
        spots: shape (n, 4), the most wanted first.
        blocked: rectangles that must not be covered; shape (k, 4).
        strokes: points of lines that should not be; shape (p, 2).
        frame: what is in sight.
    """
    cost = costs(spots, blocked, frame)
    if len(strokes):
        cost += OVER_LINE * meets(spots, strokes).sum(axis=1)
    cost += LATER_CHOICE * np.arange(len(spots))
    best = int(cost.argmin())
    return None if np.isinf(cost[best]) else spots[best]


def costs(spots: Floats, blocked: Floats, frame: Rect) -> Floats:
    """How crowded each place is: 0 with room all around, infinite where it covers something or is out of sight."""
    left, top, right, bottom = _around(spots)
    near = (blocked[:, 2] >= left) & (blocked[:, 0] <= right) & (blocked[:, 3] >= top) & (blocked[:, 1] <= bottom)
    if near.any():
        blocked = blocked[near]
        cost: Floats = _NEAR_BOX * overlap(spots, blocked + AIR * _AROUND).sum(axis=1)
        cost[overlap(spots, blocked + GAP * _AROUND).any(axis=1)] = np.inf
    else:
        cost = np.zeros(len(spots))
    if left < frame[0] or top < frame[1] or right > frame[2] or bottom > frame[3]:
        cost[(spots[:, :2] < frame[:2]).any(axis=1) | (spots[:, 2:] > frame[2:]).any(axis=1)] = np.inf
    return cost


def _around(spots: Floats) -> list[float]:
    """The rectangle around all places and their air."""
    low, high = spots[:, :2].min(axis=0) - AIR, spots[:, 2:].max(axis=0) + AIR
    sides: list[float] = [*low.tolist(), *high.tolist()]
    return sides


def meets(spots: Floats, strokes: Floats) -> Flags:
    """Which points each place covers or nearly covers; shape (spots, points)."""
    low, high = spots[:, :2] - AIR, spots[:, 2:] + AIR
    x, y = strokes.T
    under: Flags = (x >= low[:, :1]) & (x <= high[:, :1]) & (y >= low[:, 1:]) & (y <= high[:, 1:])
    return under


def overlap(spots: Floats, blocked: Floats) -> Floats:
    """The area that each pair of rectangles shares; shape (spots, blocked)."""
    left, top, right, bottom = blocked.T
    across = np.minimum(spots[:, 2:3], right) - np.maximum(spots[:, :1], left)
    down = np.minimum(spots[:, 3:], bottom) - np.maximum(spots[:, 1:2], top)
    area: Floats = np.maximum(across, 0.0) * np.maximum(down, 0.0)
    return area
