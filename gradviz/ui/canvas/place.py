"""Where a small rectangle finds room: of some places the one that covers least. Screen pixels."""

from __future__ import annotations

import numpy as np

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.view import Rect

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
    cost = costs(spots, blocked, frame) + OVER_LINE * covered(spots, strokes) + LATER_CHOICE * np.arange(len(spots))
    best = int(cost.argmin())
    return None if np.isinf(cost[best]) else spots[best]


def costs(spots: Floats, blocked: Floats, frame: Rect) -> Floats:
    """How crowded each place is: 0 with room all around, infinite where it covers something or is out of sight."""
    area = overlap(spots, blocked + AIR * _AROUND).sum(axis=1)
    cost: Floats = _NEAR_BOX * area
    crowded = np.flatnonzero(area)
    if len(crowded):
        cost[crowded[overlap(spots[crowded], blocked + GAP * _AROUND).any(axis=1)]] = np.inf
    outside = (spots[:, :2] < frame[:2]).any(axis=1) | (spots[:, 2:] > frame[2:]).any(axis=1)
    cost[outside] = np.inf
    return cost


def covered(spots: Floats, strokes: Floats) -> Floats:
    """How many points of lines each place covers or nearly covers."""
    x, y = strokes[:, 0], strokes[:, 1]
    grown = spots + AIR * _AROUND
    left, top, right, bottom = grown.T[:, :, None]
    under = (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
    count: Floats = under.sum(axis=1).astype(np.float64)
    return count


def overlap(spots: Floats, blocked: Floats) -> Floats:
    """The area that each pair of rectangles shares; shape (spots, blocked)."""
    low = np.maximum(spots[:, None, :2], blocked[None, :, :2])
    high = np.minimum(spots[:, None, 2:], blocked[None, :, 2:])
    area: Floats = np.clip(high - low, 0.0, None).prod(axis=2)
    return area
