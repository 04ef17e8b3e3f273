"""What is in which frame of a layered graph, and how frames are in one another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradviz.layout.layered.place import SPINE
from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import NO_FRAME, Floats, Ints, Request

Chain = tuple[int, ...]
"""Frames from the outermost to the innermost."""


@dataclass(frozen=True, eq=False)
class Nesting:
    """The frames of a layered graph.

    Attributes:
        proper: the layered graph.
        request: what they are in.
        framed: innermost frame of each vertex, or `NO_FRAME`; shape (v,). A dummy is in the innermost frame that
            holds both ends of its edge; one of the spine, beside boxes of a frame around its consumer, is in that.
    """

    proper: Proper
    request: Request
    framed: Ints

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The frame around each frame, or `NO_FRAME`."""
        return tuple(self.request.frame_parents.tolist())

    @cached_property
    def chains(self) -> list[Chain]:
        """The frames around each frame and itself; of `NO_FRAME` (the last): none."""
        return _chains(self.parents)

    @property
    def depth(self) -> int:
        """How many frames are inside one another at the most."""
        return max(map(len, self.chains))

    @cached_property
    def held(self) -> Ints:
        """The innermost frame of each vertex, as `framed`, but `NO_FRAME` for inlets, which frames make room for."""
        return np.where(self.proper.is_inlet, NO_FRAME, self.framed)

    @cached_property
    def depths(self) -> Ints:
        """How many frames are around each vertex; shape (v,)."""
        return np.array(list(map(len, self.chains)), dtype=np.int64)[self.framed]

    @cached_property
    def spans(self) -> tuple[Ints, Ints]:
        """The first and the last row of each frame; each of shape (k,)."""
        count = len(self.parents)
        tops, bottoms = np.full(count, self.proper.vertices), np.full(count, -1)
        inside = self.framed != NO_FRAME
        np.minimum.at(tops, self.framed[inside], self.proper.row[inside])
        np.maximum.at(bottoms, self.framed[inside], self.proper.row[inside])
        for frame in range(count - 1, -1, -1):
            parent = self.parents[frame]
            if parent != NO_FRAME:
                tops[parent], bottoms[parent] = min(tops[parent], tops[frame]), max(bottoms[parent], bottoms[frame])
        return tops, bottoms

    def keys(self, value: Floats) -> Floats:
        """The key of each frame: the mean value of its vertices, or of those of a spine in it; shape (k,)."""
        sums = np.zeros((2, len(self.parents) + 1))  # what is in no frame goes to the last place
        for total, values in zip(sums, (value * self._heavy, self._heavy), strict=True):
            np.add.at(total, self.framed, values)
            for frames, around in self.generations:
                np.add.at(total, around, total[frames])
        keys: Floats = sums[0, :NO_FRAME] / np.maximum(sums[1, :NO_FRAME], 1.0)
        return keys

    @cached_property
    def generations(self) -> list[tuple[Ints, Ints]]:
        """The frames and those around them, the innermost first; what is around an outermost one is `NO_FRAME`."""
        depths, parents = np.array([len(chain) for chain in self.chains[:NO_FRAME]]), np.array(self.parents)
        inner = [np.flatnonzero(depths == depth)[::-1] for depth in range(self.depth, 0, -1)]
        return [(frames, parents[frames]) for frames in inner]

    @cached_property
    def at_depth(self) -> list[Ints]:
        """For each depth and each frame which frame around it is so deep inside others, it too, or `NO_FRAME`.

        The last depth, which is as well the one before the first, has no frames.
        """
        return [
            np.array([chain[depth] if depth < len(chain) else NO_FRAME for chain in self.chains], dtype=np.int64)
            for depth in range(self.depth + 1)
        ]

    @cached_property
    def _heavy(self) -> Floats:
        """How much each vertex counts for the key of its frame."""
        heavy = np.ones(self.proper.vertices)
        heavy[self.proper.spine] = SPINE
        heavy[self.proper.is_inlet] = 0.0
        return heavy


def _chains(parents: Chain) -> list[Chain]:
    chains: list[Chain] = []
    for frame, parent in enumerate(parents):
        chains.append((*(chains[parent] if parent != NO_FRAME else ()), frame))
    return [*chains, ()]  # so that the chain of NO_FRAME, the last one, is empty
