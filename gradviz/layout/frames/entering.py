"""Where long edges enter the frames of their consumers: from above, as what a call is given, and run down inside them.

A trunk that feeds frames side by side branches off above them. Where they follow one another, as the steps of an
unrolled loop do, it runs on beside them, and what branches off enters from the side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradviz.layout.frames.frames import chains_of, extents_of, homes_of
from gradviz.layout.plan import NO_FRAME, Flags, Ints, Request


def entering_of(request: Request, ends: Ints) -> Entering | None:
    """What a request says of frames; None: it has none."""
    return Entering(request, ends) if len(request.frame_parents) else None


@dataclass(frozen=True, eq=False)
class Entering:
    """The frames of a request, to ask which of them edges are in on their way.

    Attributes:
        request: the boxes and frames.
        ends: source and consumer of every edge, as indices; shape (m, 2).
    """

    request: Request
    ends: Ints

    @cached_property
    def homes(self) -> Ints:
        """The innermost frame around both ends of each edge, or `NO_FRAME`; shape (m,)."""
        return homes_of(self.request, self.ends)

    def frames(self, row: Ints, trunk: Ints, owner: Ints, passed: Ints) -> Ints:
        """The innermost frame that an edge is in where it passes a row, or `NO_FRAME`; shape (d,).

        Args:
            row: of each box; shape (n,).
            trunk: of each edge; shape (m,).
            owner, passed: edges, and rows that they pass; shape (d,).
        """
        homes, chains = self.homes, chains_of(self.request)
        depths = np.array(list(map(len, chains)), dtype=np.int64)
        tops, bottoms = (self._extents(row, lowest=lowest) for lowest in (True, False))
        levels = [self._at_depth(chains, depth) for depth in range(depths.max())]
        together, enters = trunk, np.ones(len(trunk), dtype=np.bool_)
        for depth, frame in enumerate(levels):
            enters &= (depth < depths[homes]) | (frame == NO_FRAME) | self._end_in(tops, bottoms, frame, row, together)
            _, together = np.unique(np.stack([together, frame]), axis=1, return_inverse=True)
            together = together.ravel()
        found = homes[owner]
        for depth, frame in enumerate(levels):
            is_inside = (enters & (frame != NO_FRAME) & (depth >= depths[homes]))[owner]
            found = np.where(is_inside & (tops[frame[owner]] <= passed), frame[owner], found)
        return found

    def _extents(self, row: Ints, *, lowest: bool) -> Ints:
        """The first or last row of each frame, and 0 for `NO_FRAME`, the last."""
        found = extents_of(self.request, row.astype(np.float64), lowest)
        return np.append(found, 0.0).astype(np.int64)

    def _at_depth(self, chains: list[frozenset[int]], depth: int) -> Ints:
        """The frame around each edge's consumer that is so deep inside others, or `NO_FRAME`; shape (m,)."""
        table = [sorted(chain)[depth] if depth < len(chain) else NO_FRAME for chain in chains]
        return np.array(table, dtype=np.int64)[self.request.framed[self.ends[:, 1]]]

    def _end_in(self, tops: Ints, bottoms: Ints, frame: Ints, row: Ints, together: Ints) -> Flags:
        """Whether every edge that runs together with each one ends in the rows of its frame; shape (m,)."""
        ending, count = row[self.ends[:, 1]], int(together.max(initial=-1)) + 1
        first, last = np.full(count, len(row)), np.full(count, -1)
        np.minimum.at(first, together, ending)
        np.maximum.at(last, together, ending)
        found: Flags = (first[together] >= tops[frame]) & (last[together] <= bottoms[frame])
        return found
