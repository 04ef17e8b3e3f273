"""How a track is first shown, by how crowded its picture would be; found without a layout."""

from __future__ import annotations

import numpy as np

from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import OPEN, Crowd, Folding, opening
from gradviz.playback.groups.groups import Groups
from gradviz.playback.groups.plumbing import WHOLE, carriers_of, is_small, layers_of
from gradviz.playback.track import Ranks, Track


def first_folding(track: Track, groups: Groups) -> Folding:
    """How a track is shown before anybody folds or opens anything: whole where it is small, else a layer as one box."""
    if is_small(track):
        return OPEN

    def crowd(folding: Folding) -> Crowd:
        return crowd_of(FoldedTrack.of(track, groups, folding))

    carriers = carriers_of(track)
    seen = Groups(groups.groups, groups.home[carriers == WHOLE])
    return opening(seen, crowd, layers_of(groups, track, carriers))


def crowd_of(board: FoldedTrack) -> Crowd:
    """How crowded a board is. Boxes are taken as early as can be, and as late; the better of both counts."""
    sources, consumers = board.edge_sources, board.edge_consumers
    is_fed = np.bincount(consumers, minlength=len(board.forward)) > 0
    rows = (_depths(sources, consumers, len(is_fed)), _depths(consumers, sources, len(is_fed)))
    abreast = min(int(np.bincount(row[is_fed]).max(initial=0)) for row in rows)
    return Crowd(len(sources), abreast)


def _depths(before: Ranks, after: Ranks, count: int) -> Ranks:
    """The longest way to each box; shape (count,)."""
    depths = np.zeros(count, dtype=np.int64)
    while True:
        deeper = depths.copy()
        np.maximum.at(deeper, after, depths[before] + 1)
        if np.array_equal(deeper, depths):
            return depths
        depths = deeper
