"""Which of many rectangles are near a place, without looking at all of them."""

from __future__ import annotations

import numpy as np

from gradviz.layout.plan import Floats, Ints


class Rectangles:
    """Rectangles (left, top, right, bottom), sorted by their tops, to be asked which of them touch an area."""

    def __init__(self, boxes: Floats) -> None:
        self._order: Ints = np.argsort(boxes[:, 1], kind="stable")
        self._sides = np.ascontiguousarray(boxes[self._order].T)
        # How far down the rectangles reach up to each one: none before the first that is low enough can touch.
        self._depths = np.maximum.accumulate(self._sides[3])

    def touching(self, areas: Floats, slack: float = 0.0) -> Ints:
        """Indices of those that come within `slack` of one of some areas, ascending.

        Args:
            areas: shape (r, 4), at least one.
        """
        left, top = (areas[:, :2].min(axis=0) - slack).tolist()
        right, bottom = (areas[:, 2:].max(axis=0) + slack).tolist()
        first = int(self._depths.searchsorted(top))
        last = int(self._sides[1].searchsorted(bottom, side="right"))
        sides = self._sides[:, first:last]
        hits = np.flatnonzero((sides[3] >= top) & (sides[2] >= left) & (sides[0] <= right))
        if len(areas) > 1:
            hits = hits[_meets_any(sides[:, hits, None], areas, slack)]
        if len(hits) == len(self._order):
            return np.arange(len(hits))
        return np.sort(self._order[first:last][hits])


def _meets_any(sides: Floats, areas: Floats, slack: float) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    low, high = areas[:, :2].T - slack, areas[:, 2:].T + slack
    meets = (sides[2] >= low[0]) & (sides[0] <= high[0]) & (sides[3] >= low[1]) & (sides[1] <= high[1])
    return meets.any(axis=1)  # type: ignore[no-any-return]
