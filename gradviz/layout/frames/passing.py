"""Long edges that pass frames: all of an edge, or of a trunk, runs on one side of a frame, and clear of its border."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.layout.frames.nesting import Nesting
from gradviz.layout.plan import NO_FRAME, Floats, Ints

END = 1000.0
"""How much more than a bend the box counts that an edge begins or ends at, where it stands beside the frame too."""


@dataclass(frozen=True, eq=False)
class Passing:
    """What of the trunks stands beside frames of one depth; an edge on its own is a trunk here too.

    Attributes:
        frames: the frame in whose rows it stands; shape (p,).
        group: the same number for what is of one trunk and beside one frame; shape (p,).
        vertices: a dummy, which may change sides, or a box at an end of an edge, which may not; shape (p,).
        inside: the frame beside `frames` that the vertex is in, or `NO_FRAME`; shape (p,).
        weights: `END` for a box, 1 for a dummy; shape (p,).
    """

    frames: Ints
    group: Ints
    vertices: Ints
    inside: Ints
    weights: Floats

    def on_one_side(self, value: Floats, keys: Floats) -> Floats:
        """The numbers that sort the rows, with every trunk on the side of a frame where most of it was.

        Args:
            value: of each vertex; shape (v,).
            keys: of each frame; shape (k,).
        """
        own = np.where(self.inside == NO_FRAME, value[self.vertices], keys[self.inside])
        away = own - keys[self.frames]
        goes_right = np.bincount(self.group, self.weights * away)[self.group] > 0
        stays = (away > 0) == goes_right
        total, count = (np.bincount(self.group, stays * each) for each in (away, 1.0))
        bends = np.flatnonzero(self.weights < END)
        found = value.copy()
        # One number for all of a trunk here: those side by side do not change places on the way.
        found[self.vertices[bends]] = (keys[self.frames] + (total / np.maximum(count, 1.0))[self.group])[bends]
        return found


def passings_of(bands: Nesting) -> list[Passing]:
    """What passes frames, for every depth, the innermost first."""
    return [_passing(bands, depth) for depth in reversed(range(bands.depth))]


def walls_of(bands: Nesting, order: Ints, borders: tuple[Floats, Floats], gap: float) -> tuple[Floats, Floats]:
    """How far left and right an edge may go at each vertex for the frames beside it; each of shape (v,).

    Args:
        order: vertices sorted by row and x; shape (v,).
        borders: left and right x of each frame.
        gap: kept free between a border and an edge, in scene units.
    """
    low, high = np.full(len(order), -np.inf), np.full(len(order), np.inf)
    beside = np.diff(bands.proper.row[order]) == 0
    left, right = order[:-1][beside], order[1:][beside]
    for depth in reversed(range(bands.depth)):
        at = bands.at_depth[depth][bands.framed]
        ends = at[left] != at[right]
        closes, opens = ends & (at[left] != NO_FRAME), ends & (at[right] != NO_FRAME)
        low[right[closes]] = borders[1][at[left[closes]]] + gap
        high[left[opens]] = borders[0][at[right[opens]]] - gap
    inside = np.flatnonzero(bands.framed != NO_FRAME)
    low[inside] = np.maximum(low[inside], borders[0][bands.framed[inside]] + gap)
    high[inside] = np.minimum(high[inside], borders[1][bands.framed[inside]] - gap)
    return low, high


def _passing(bands: Nesting, depth: int) -> Passing:
    """Of the frames that so many others are around."""
    proper = bands.proper
    trunks, vertices = _members(bands)
    # The frame that surrounds what stands side by side at this depth, and the one of those that a vertex is in.
    around, within = (bands.at_depth[one][bands.framed[vertices]] for one in (depth - 1, depth))
    is_dummy = vertices >= proper.nodes
    is_there = (bands.depths[vertices] == depth) | (~is_dummy & (bands.depths[vertices] > depth))
    moving = np.unique(trunks[is_there & is_dummy])
    kept = np.flatnonzero(is_there & np.isin(trunks, moving))
    place = (around[kept] + 1) * len(proper.component) + proper.row[vertices[kept]]
    order = kept[np.argsort(place, kind="stable")]
    frames, entry = _beside(bands, depth, np.sort(place))
    entry = order[entry]
    is_foreign = within[entry] != frames
    frames, entry = frames[is_foreign], entry[is_foreign]
    _, group = np.unique(np.stack([frames, trunks[entry]]), axis=1, return_inverse=True)
    weights = np.where(is_dummy, 1.0, END)
    return Passing(frames, group.ravel(), vertices[entry], within[entry], weights[entry])


def _members(bands: Nesting) -> tuple[Ints, Ints]:
    """(trunk, vertex): the boxes at the ends of each trunk, and its dummies but those of spines: they stay straight."""
    proper = bands.proper
    long = np.flatnonzero(np.diff(proper.first))
    free = ~np.isin(proper.via, proper.spine)
    trunks = np.concatenate([proper.trunk[proper.owner][free], np.repeat(proper.trunk[long], 2)])
    pairs = np.unique(np.stack([trunks, np.concatenate([proper.via[free], proper.ends[long].ravel()])]), axis=1)
    return pairs[0], pairs[1]


def _beside(bands: Nesting, depth: int, places: Ints) -> tuple[Ints, Ints]:
    """(frame, index of a place) for what stands in the rows of each frame of that depth and in the frame around it.

    Args:
        places: ascending numbers of the frame around and the row.
    """
    frames = np.array([frame for frame, chain in enumerate(bands.chains[:-1]) if len(chain) == depth + 1])
    tops, bottoms = bands.spans
    base = (np.array(bands.parents)[frames] + 1) * len(bands.proper.component)
    first = np.searchsorted(places, base + tops[frames])
    count = np.searchsorted(places, base + bottoms[frames], side="right") - first
    begin = np.cumsum(count) - count
    return np.repeat(frames, count), np.arange(int(count.sum())) - np.repeat(begin - first, count)
