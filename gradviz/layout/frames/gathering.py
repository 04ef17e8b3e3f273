"""Where frames, as wholes, and what is in them would rather stand."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from gradviz.layout.frames.bands import Bands
from gradviz.layout.layered.place import NODE_LINK
from gradviz.layout.plan import NO_FRAME, Flags, Floats, Ints


class Gathering:
    """What draws frames and boxes to where.

    Args:
        weights: how strongly the ends of each link draw each other.
    """

    def __init__(self, bands: Bands, weights: Floats) -> None:
        self._bands, self._weights = bands, weights

    def gathered(self, x: Floats, depth: int) -> Floats:
        """Every frame with so many around it moved as a whole towards where its edges to the outside pull it.

        The outermost are drawn by their edges only, those inside one to its middle as well: so they stand close.
        """
        blocks = self._blocks[depth]
        middles = self._middles(x, depth)
        pulled, puller, weight = self._both_ways
        ends, others = np.concatenate([self._bands.proper.ends, self._bands.proper.ends[:, ::-1]]).T
        is_alone = blocks >= len(self._bands.parents)
        leaves, crosses = is_alone[pulled], ~is_alone[ends] & (blocks[ends] != blocks[others])
        drawn = np.concatenate([pulled[leaves], ends[crosses]])
        away = np.concatenate([(x[puller] - x[pulled])[leaves], (middles[others] - middles[ends])[crosses]])
        strength = np.concatenate([weight[leaves], np.full(int(crosses.sum()), NODE_LINK)])
        moved = x + _pull(blocks, drawn, away, strength) / 2
        if not depth:
            return moved
        return moved + np.where(is_alone, 0.0, self._middles(x, depth - 1) - middles) / 2

    def attended(self, x: Floats) -> Floats:
        """The bends beside an outermost frame that lead into it or out of it, drawn to it."""
        is_beside = (self._blocks[0] < len(self._bands.parents)) & (self._frames(0) == NO_FRAME)
        return np.where(is_beside, self._middles(x, 0), x)

    def _middles(self, x: Floats, depth: int) -> Floats:
        """For each vertex the middle of what is in the frame of that depth that it moves along with; shape (v,)."""
        blocks, frames = self._blocks[depth], self._frames(depth)
        member = np.flatnonzero((frames == blocks) | (blocks >= len(self._bands.parents)))
        low, high = np.full(int(blocks.max()) + 1, np.inf), np.full(int(blocks.max()) + 1, -np.inf)
        np.minimum.at(low, blocks[member], x[member])
        np.maximum.at(high, blocks[member], x[member])
        middles: Floats = (low[blocks] + high[blocks]) / 2
        return middles

    def centred(self, x: Floats) -> Floats:
        """Every vertex amid those that it is linked to inside its frame: a frame that was moved leans to no side."""
        pulled, puller, weight = self._both_ways
        inner = self._is_inside[self._bands.framed[puller], self._bands.framed[pulled]]
        return x + _pull(np.arange(len(x)), pulled[inner], (x[puller] - x[pulled])[inner], weight[inner])

    @cached_property
    def _both_ways(self) -> tuple[Ints, Ints, Floats]:
        """Both ends of each link, either of them first, and how strongly it draws."""
        upper, lower = self._bands.proper.upper, self._bands.proper.lower
        return np.concatenate([upper, lower]), np.concatenate([lower, upper]), np.tile(self._weights, 2)

    @cached_property
    def _is_inside(self) -> Flags:
        """Whether a frame is another one or in it; the last stands for no frame, in which all are; shape (k, k)."""
        inside = np.zeros((len(self._bands.chains), len(self._bands.chains)), dtype=np.bool_)
        for frame, chain in enumerate(self._bands.chains):
            inside[frame, [*chain, NO_FRAME]] = True
        return inside

    @cached_property
    def _blocks(self) -> list[Ints]:
        """For every depth the frame that each vertex is in there; what is in none is one of its own."""
        alone = len(self._bands.parents) + np.arange(self._bands.proper.vertices)
        found = []
        for depth in range(self._bands.depth):
            frames = self._attended(self._frames(depth))
            found.append(np.where(frames == NO_FRAME, alone, frames))
        return found

    def _frames(self, depth: int) -> Ints:
        """The frame of that depth that each vertex is in, or `NO_FRAME`; shape (v,)."""
        table = [chain[depth] if depth < len(chain) else NO_FRAME for chain in self._bands.chains]
        return np.array(table, dtype=np.int64)[self._bands.framed]

    def _attended(self, frames: Ints) -> Ints:
        """The frames of vertices, with the dummies beside a frame that lead into it or out of it: they move along."""
        proper, (tops, bottoms) = self._bands.proper, self._bands.spans
        found = frames.copy()
        for end in (0, 1):
            frame = frames[proper.ends[proper.owner, end]]
            row = proper.row[proper.via]
            beside = (frame != NO_FRAME) & (frames[proper.via] == NO_FRAME)
            beside &= (tops[frame] <= row) & (row <= bottoms[frame])
            found[proper.via[beside]] = frame[beside]
        return found


def _pull(blocks: Ints, pulled: Ints, away: Floats, weights: Floats) -> Floats:
    """How far vertices are pulled by what is so far away from them, those of one block alike; shape (v,)."""
    count = int(blocks.max(initial=-1)) + 1
    total = np.bincount(blocks[pulled], weights * away, count)
    pulls: Floats = total / np.maximum(np.bincount(blocks[pulled], weights, count), 1e-9)
    return pulls[blocks]
