"""Where a small rectangle finds room: of some places the one that covers least. Screen pixels."""

from __future__ import annotations

import numpy as np

from gradviz.layout.plan import Floats
from gradviz.ui.canvas.view import Rect

AIR = 5.0
"""Kept free around a label."""

_AROUND = np.array([-AIR, -AIR, AIR, AIR])
_OVER_BOX, _OUT_OF_SIGHT, _OVER_LINE, _LATER_CHOICE = 4.0, 6.0, 60.0, 12.0


def rects(corners: Floats, width: float, height: float) -> Floats:
    """Rectangles of one size by their top left corners, shape (n, 2); shape (n, 4)."""
    return np.hstack([corners, corners + np.array([width, height])])


def best_spot(spots: Floats, blocked: Floats, strokes: Floats, frame: Rect) -> Floats | None:
    """The best of some rectangles, or None where all are out of sight.

    Args:
        spots: shape (n, 4), the most wanted first.
        blocked: rectangles to keep clear of; shape (k, 4).
        strokes: points of lines to keep clear of; shape (p, 2).
        frame: what is in sight.
    """
    inside = (spots[:, 2] > frame[0]) & (spots[:, 0] < frame[2]) & (spots[:, 3] > frame[1]) & (spots[:, 1] < frame[3])
    if not inside.any():
        return None
    cost = _OVER_BOX * overlap(spots, blocked + _AROUND).sum(axis=1) + _OUT_OF_SIGHT * _sticking_out(spots, frame)
    under = (strokes[None] >= spots[:, None, :2] - AIR) & (strokes[None] <= spots[:, None, 2:] + AIR)
    cost += _OVER_LINE * under.all(axis=2).sum(axis=1) + _LATER_CHOICE * np.arange(len(spots))
    best: Floats = spots[int(np.argmin(cost))]
    return best


def overlap(spots: Floats, blocked: Floats) -> Floats:
    """The area that each pair of rectangles shares; shape (spots, blocked)."""
    low = np.maximum(spots[:, None, :2], blocked[None, :, :2])
    high = np.minimum(spots[:, None, 2:], blocked[None, :, 2:])
    area: Floats = np.clip(high - low, 0.0, None).prod(axis=2)
    return area


def _sticking_out(spots: Floats, frame: Rect) -> Floats:
    whole = (spots[:, 2:] - spots[:, :2]).prod(axis=1)
    outside: Floats = whole - overlap(spots, np.array([frame]))[:, 0]
    return outside
