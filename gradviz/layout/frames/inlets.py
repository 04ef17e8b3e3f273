"""Long edges inside the frames that they enter from above: side by side along the borders of each, until they turn off.

What turns off first runs nearest to the boxes, so that they do not cross one another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.layout.frames.frames import Sides
from gradviz.layout.frames.nesting import Nesting
from gradviz.layout.plan import NO_FRAME, Flags, Floats, Ints

Pads = tuple[Floats, Floats]
"""Room left and right of what each frame holds; each of shape (k,)."""

GAP = 10.0
"""Between two inlets, in scene units."""

MIDDLE = 1e-3
"""What is so near to the middle of its frame is on no side of it, in positions of a row."""


@dataclass(frozen=True, eq=False)
class Inlets:
    """What of trunks runs in frames that they enter; an edge on its own is a trunk here too.

    Attributes:
        bands: the frames.
        vertices: the dummies; shape (d,).
        inlet: number of the inlet that each is of; shape (d,).
        consumers: one of those that the edges which pass each dummy lead to; shape (d,).
        frames: of each inlet; shape (i,).
        heads: the vertex above each inlet, which is not in its frame; shape (i,).
        last: the last row that each one passes; shape (i,).
    """

    bands: Nesting
    vertices: Ints
    inlet: Ints
    consumers: Ints
    frames: Ints
    heads: Ints
    last: Ints

    @staticmethod
    def of(bands: Nesting) -> Inlets:
        """The inlets of a graph with frames; a spine is none."""
        proper, framed = bands.proper, bands.framed
        entries = np.flatnonzero(proper.is_inlet[proper.via])
        vertices, first = np.unique(proper.via[entries], return_index=True)
        edges = proper.owner[entries[first]]
        _, inlet = np.unique(np.stack([framed[vertices], proper.trunk[edges]]), axis=1, return_inverse=True)
        inlet = inlet.ravel()
        frames, heads, last = np.zeros((3, int(inlet.max(initial=-1)) + 1), dtype=np.int64)
        frames[inlet] = framed[vertices]
        np.maximum.at(last, inlet, proper.row[vertices])
        of_vertex = np.full(proper.vertices, NO_FRAME)
        of_vertex[vertices] = inlet
        entered = proper.lower[proper.is_entry]
        heads[of_vertex[entered]] = proper.upper[proper.is_entry]
        return Inlets(bands, vertices, inlet, proper.ends[edges, 1], frames, heads, last)

    def pads(self, value: Floats, sides: Sides) -> Pads:
        """Room in each frame left and right of its boxes, the inlets' included; `value` sorts the rows."""
        is_right, _ = self._sides(value)
        count = len(self.bands.parents)
        left, right = (np.bincount(self.frames[side], minlength=count) * GAP for side in (~is_right, is_right))
        return sides[0] + left + GAP * (left > 0), sides[2] + right + GAP * (right > 0)

    def placed(self, x: Floats, value: Floats, borders: tuple[Floats, Floats], sides: Sides) -> Floats:
        """The x of each vertex, those of inlets inside the borders of their frames."""
        if not len(self.frames):
            return x
        is_right, far = self._sides(value)
        away = (far + 0.5) * GAP
        left, right = borders[0][self.frames] + sides[0] + away, borders[1][self.frames] - sides[2] - away
        found = x.copy()
        found[self.vertices] = np.where(is_right, right, left)[self.inlet]
        return found

    def _sides(self, value: Floats) -> tuple[Flags, Ints]:
        """For each inlet whether it is right of the boxes, and how many are between it and the border; each (i,)."""
        _, first = np.unique(self.inlet, return_index=True)
        here, fed = value[self.vertices[first]], value[self.consumers[first]]
        is_right: Flags = here > fed
        side = 2 * self.frames + is_right
        order = np.lexsort((np.where(is_right, -here, here), side))
        far = np.empty(len(order), dtype=np.int64)
        far[order] = np.arange(len(order)) - np.searchsorted(side[order], side[order])
        return is_right, far

    def drawn_in(self, x: Floats) -> Floats:
        """The x of every vertex, with the inlets amid what they feed, as long as their frames are on the move."""
        drawn = x.copy()
        drawn[self.vertices] = x[self.consumers]
        return drawn

    def along_borders(self, value: Floats) -> Floats:
        """The numbers that sort the rows, with every inlet beyond all else in its frame."""
        if not len(self.frames):
            return value
        low, high = self._extremes(value)
        coming = value[self.heads] - self.bands.keys(value)[self.frames]
        order = np.lexsort((np.abs(coming), self.last, self.frames))
        place = np.empty(len(order))
        place[order] = np.arange(len(order)) - np.searchsorted(self.frames[order], self.frames[order])
        beyond = np.where(self._is_right(value, coming), high[self.frames] + 1 + place, low[self.frames] - 1 - place)
        found = value.copy()
        found[self.vertices] = beyond[self.inlet]
        return found

    def _is_right(self, value: Floats, coming: Floats) -> Flags:
        """Whether each inlet runs on the right: where what its frame is fed is, or where it comes from, or room is."""
        keys, framed = self.bands.keys(value), self.bands.framed
        fed = value[self.consumers] - keys[self.frames[self.inlet]]
        side = np.bincount(self.frames[self.inlet], fed, len(keys))[self.frames]
        inside = np.flatnonzero(framed != NO_FRAME)
        crowd = np.bincount(framed[inside], (value - keys[framed])[inside], len(keys))[self.frames]
        for other in (coming, -crowd):
            side = np.where(np.abs(side) < MIDDLE, other, side)
        found: Flags = side > 0
        return found

    def _extremes(self, value: Floats) -> tuple[Floats, Floats]:
        """The least and the greatest number in each frame, but for inlets; each of shape (k,)."""
        bands = self.bands
        low, high = (np.full(len(bands.parents) + 1, far) for far in (np.inf, -np.inf))
        np.minimum.at(low, bands.held, value)
        np.maximum.at(high, bands.held, value)
        for frames, around in bands.generations:
            np.minimum.at(low, around, low[frames])
            np.maximum.at(high, around, high[frames])
        return low[:NO_FRAME], high[:NO_FRAME]
