"""How crowded the picture of a folding would be, found without a layout."""

from __future__ import annotations

import numpy as np

from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import Crowd
from gradviz.playback.track import Ranks


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
