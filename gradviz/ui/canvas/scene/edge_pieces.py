"""Where the boxes and edges of a scene are, so that what is near a place is found without looking at all of them.

The rectangle around a long edge is mostly empty. Its pieces are small, and together cover it just as well.
"""

from __future__ import annotations

import numpy as np

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.plane.geometry import Segments
from gradviz.ui.canvas.plane.reach import Rectangles


class Pieces:
    """Boxes, and edges in pieces.

    Attributes:
        sides: left, top, right, bottom of each piece, those of an edge in a row; shape (p, 4).
        owners: the edge that each piece is of, ascending; shape (p,).
    """

    def __init__(self, boxes: Floats, sides: Floats, owners: Ints) -> None:
        self.sides, self.owners = sides, owners
        self._boxes = len(boxes)
        self._edges = int(owners[-1]) + 1 if len(owners) else 0
        self._starts: Ints = owners.searchsorted(np.arange(self._edges + 1))
        self._near = Rectangles(np.vstack([boxes, sides]))

    @classmethod
    def along(cls, boxes: Floats, segments: Segments, longest: float) -> Pieces:
        """Edges in pieces about as long as `longest`, in scene units."""
        return cls(boxes, *_cut(segments, longest))

    def prepare(self) -> None:
        """Make what would else be made when several areas are first asked for."""
        self._near.prepare()

    def near(self, areas: Floats, slack: float) -> tuple[Ints, Ints]:
        """The boxes and the edges that come within `slack` of one of some areas, shape (r, 4); both ascending."""
        found = self._near.touching(areas, slack)
        count = int(found.searchsorted(self._boxes))
        return found[:count], self._owners_of(found[count:] - self._boxes)

    def _owners_of(self, pieces: Ints) -> Ints:
        if len(self.owners) == self._edges:
            return pieces
        is_near = np.zeros(self._edges, dtype=np.bool_)
        is_near[self.owners[pieces]] = True
        return np.flatnonzero(is_near)

    def of(self, edges: Ints) -> Floats:
        """The pieces of some edges; shape (r, 4)."""
        if len(self.owners) == self._edges:
            return self.sides[edges]
        firsts = self._starts[edges]
        counts = self._starts[edges + 1] - firsts
        rows = np.arange(int(counts.sum())) + np.repeat(firsts - (np.cumsum(counts) - counts), counts)
        some: Floats = self.sides[rows]
        return some


def _cut(segments: Segments, longest: float) -> tuple[Floats, Ints]:
    """Rectangles around stretches of lines, and the line that each is of."""
    lines, line_of = _halved(segments, longest)
    lengths = np.hypot(*(lines[:, 2:] - lines[:, :2]).T)
    befores = np.cumsum(lengths) - lengths
    starts = np.searchsorted(line_of, np.arange(len(segments.counts)))
    bins = ((befores - befores[starts][line_of]) / longest).astype(np.int64)
    is_first = np.concatenate([[True], (np.diff(line_of) != 0) | (np.diff(bins) != 0)])
    firsts = np.flatnonzero(is_first)
    low, high = np.minimum(lines[:, :2], lines[:, 2:]), np.maximum(lines[:, :2], lines[:, 2:])
    return np.hstack([np.minimum.reduceat(low, firsts), np.maximum.reduceat(high, firsts)]), line_of[firsts]


def _halved(segments: Segments, longest: float) -> tuple[Floats, Ints]:
    """Segments (x1, y1, x2, y2) cut where the rectangle around one would be empty, and the line that each is of.

    None is both wider and higher than `longest`: one that goes straight along or down fills its rectangle.
    """
    lines = segments.lines
    along = lines[:, 2:] - lines[:, :2]
    counts = np.maximum(np.ceil(np.abs(along).min(axis=1) / longest), 1.0).astype(np.int64)
    which = np.repeat(np.arange(len(lines)), counts)
    number = np.arange(len(which)) - (np.cumsum(counts) - counts)[which]
    step, start = along[which] / counts[which][:, None], lines[which, :2]
    cut = np.hstack([start + number[:, None] * step, start + (number[:, None] + 1) * step])
    owners: Ints = np.repeat(np.arange(len(segments.counts)), segments.counts)[which]
    return cut, owners
