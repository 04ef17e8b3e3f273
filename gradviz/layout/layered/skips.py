"""Long edges beside the spine run on the right of it, where either side is as good: frames have titles on the left.

The smooth start has no left and no right, so the side would be one at random, and another when a frame is opened.
"""

from __future__ import annotations

import numpy as np

from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import Flags, Ints


def skips_on_the_right(proper: Proper, position: Ints) -> Ints:
    """Positions with the rows mirrored where most that passes beside a spine was left of it; as many links cross.

    Rows are mirrored in stretches whose links to one another have one end in common, so that they cross in no order.

    Args:
        position: of each vertex in its row; shape (v,).
    """
    stretch = _stretches(proper)
    spines = np.bincount(proper.row[proper.spine], minlength=len(stretch))
    middle = np.zeros(len(stretch), dtype=np.int64)
    middle[proper.row[proper.spine]] = position[proper.spine]
    passing = np.setdiff1d(np.arange(proper.nodes, proper.vertices), proper.spine)
    passing = passing[spines[proper.row[passing]] == 1]
    rows = proper.row[passing]
    lean = np.bincount(stretch[rows], np.sign(position[passing] - middle[rows]), len(stretch))
    # Where spines stand side by side, as those of neurons do, nothing is beside all of them.
    lean[stretch[spines > 1]] = 0.0
    is_mirrored = lean[stretch[proper.row]] < 0
    return np.where(is_mirrored, proper.row_size[proper.row] - 1 - position, position)


def _stretches(proper: Proper) -> Ints:
    """A number for each row, the same for those that can only be mirrored together; shape (rows,)."""
    is_cut = np.zeros(len(proper.component), dtype=np.bool_)
    for ends in (proper.upper, proper.lower):
        is_cut |= _have_one(ends, proper.row[proper.upper], len(is_cut))
    return np.concatenate([[0], np.cumsum(is_cut[:-1])]).astype(np.int64)


def _have_one(ends: Ints, gap: Ints, count: int) -> Flags:
    """Whether these ends of the links below each row are no more than one vertex; shape (count,)."""
    least, most = np.full(count, np.iinfo(np.int64).max), np.full(count, -1)
    np.minimum.at(least, gap, ends)
    np.maximum.at(most, gap, ends)
    found: Flags = least >= most
    return found
