"""Which long edges are drawn alike in a window: those of a wide fan share a trunk, and one of them shows it."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.ink.bulk import runs
from gradviz.ui.canvas.plane.view import Rect
from gradviz.ui.canvas.scene.scene import Scene

_MOST_WINDOWS = 8
_FINE = 1000.0
"""Places are told apart by so many parts of a scene unit."""


class Trunks:
    """The long edges of one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._known: dict[Rect, Ints] = {}

    def apart(self, which: Ints, window: Rect | None) -> Ints:
        """Of some edges those that must be drawn so that all are seen: of each trunk the widest one.

        Args:
            which: indices of edges.
            window: what is drawn of the scene; None for all of it, in which no two edges are alike.
        """
        if window is None or not self._scene.is_long[which].any():
            return which
        firsts = self._firsts(window)[which]
        order = np.lexsort((self._scene.edge_widths[which], firsts))
        is_widest = np.append(np.diff(firsts[order]) != 0, True)
        some: Ints = which[order[is_widest]]
        return some

    def _firsts(self, window: Rect) -> Ints:
        """For each edge the first one that is like it in a window, itself if none before is; shape (m,)."""
        known = self._known.get(window)
        if known is None:
            if len(self._known) >= _MOST_WINDOWS:
                self._known.clear()
            known = self._known[window] = self._compared(window)
        return known

    def _compared(self, window: Rect) -> Ints:
        owners, cubics, ways = self._cubics
        sides = _in_parts(np.array(window).reshape(2, 2))
        touches = ((cubics.min(axis=1) <= sides[1]) & (cubics.max(axis=1) >= sides[0])).all(axis=1)
        whole = cubics[touches]
        clipped = _clipped(whole, sides)
        # Dashes begin at the source: of lines that are alike they lie as far along.
        before = ways[touches] + np.abs(clipped[:, 0] - whole[:, 0]).sum(axis=1)
        is_dashed = self._scene.is_dashed[owners[touches]]
        seen = np.column_stack([clipped.reshape(-1, 8), np.where(is_dashed, before, -1)])
        edges, starts = runs(owners[touches])
        firsts = np.arange(len(self._scene.curves))
        first_with: dict[bytes, int] = {}
        for edge, (start, end) in zip(edges, pairwise(starts), strict=True):
            firsts[edge] = first_with.setdefault(seen[start:end].tobytes(), edge)
        return firsts

    @cached_property
    def _cubics(self) -> tuple[Ints, Ints, Ints]:
        """The cubics of long edges, all places and lengths in parts of a unit.

        Returns:
            Which edge each is of, shape (p,); its points, shape (p, 4, 2); how far along its edge it begins, measured
            from point to point, shape (p,).
        """
        edges = np.flatnonzero(self._scene.is_long)
        curves = [self._scene.curves[edge] for edge in edges.tolist()]
        cubics = [np.concatenate([curve[:-1].reshape(-1, 3, 2), curve[3::3, None]], axis=1) for curve in curves]
        owners: Ints = np.repeat(edges, [len(some) for some in cubics])
        points = np.concatenate([np.zeros((0, 4, 2)), *cubics])
        lengths = np.hypot(*np.moveaxis(np.diff(points, axis=1), 2, 0)).sum(axis=1)
        ends = np.cumsum(lengths)
        starts = ends - lengths
        return owners, _in_parts(points), _in_parts(starts - starts[owners.searchsorted(owners)])


def _in_parts(places: Floats) -> Ints:
    whole: Ints = np.rint(places * _FINE).astype(np.int64)
    return whole


def _clipped(cubics: Ints, sides: Ints) -> Ints:
    """Cubics that go straight along or down as lines that end at the sides of a window; the others as they are."""
    extents = np.ptp(cubics, axis=1)
    is_straight = (extents == 0).any(axis=1) & (extents == np.abs(cubics[:, 3] - cubics[:, 0])).all(axis=1)
    lines = cubics[is_straight][:, [0, 0, 3, 3]]
    clipped = cubics.copy()
    clipped[is_straight] = lines.clip(*sides)
    return clipped
