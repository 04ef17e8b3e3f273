"""Above frames that many edges enter from afar, every source has a level line from which its edges branch off.

Lines that lie over one another are as far apart as can be seen; the rows make room for them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from gradviz.layout.layered.place import NEAR_FRAME
from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import Floats, Ints
from gradviz.layout.routes.buses import FEW, FLAT, TURN

LINE_GAP = 10.0
"""Scene units between two lines."""
MOST_ROOM = 1_200.0
"""Scene units that the lines between two rows may take; more lines lie closer."""


@dataclass(frozen=True, eq=False)
class Channels:
    """The lines above frames.

    Attributes:
        links: the links that run along a line; shape (c,).
        line: number of the line of each, 0 uppermost; shape (c,).
        lines: how many are below each row; shape (rows,).
    """

    links: Ints
    line: Ints
    lines: Ints

    @staticmethod
    def of(proper: Proper, x: Floats) -> Channels:
        """The lines of a graph whose vertices stand at these x; only between rows where many edges go far aside."""
        lines = np.zeros(len(proper.component), dtype=np.int64)
        links = np.flatnonzero(proper.is_entry)
        aside, row = np.abs(x[proper.lower[links]] - x[proper.upper[links]]), proper.row[proper.upper[links]]
        is_busy = np.bincount(row[aside > FLAT * NEAR_FRAME], minlength=len(lines)) >= FEW
        kept = is_busy[row] & (aside > 2 * TURN)
        links = links[kept][np.argsort(row[kept], kind="stable")]
        row = proper.row[proper.upper[links]]
        line = np.zeros(len(links), dtype=np.int64)
        bounds = [*np.flatnonzero(np.diff(row, prepend=-1)).tolist(), len(links)]
        for first, last in pairwise(bounds):
            line[first:last] = _lines(proper, x, links[first:last])
            lines[row[first]] = line[first:last].max() + 1
        return Channels(links, line, lines)

    @property
    def room(self) -> Floats:
        """What the lines below each row take, in scene units; shape (rows,)."""
        return np.asarray(np.minimum(self.lines * LINE_GAP, MOST_ROOM), dtype=np.float64)

    def heights(self, proper: Proper, pieces: Floats, edge: Ints, band: tuple[Floats, Floats]) -> Floats:
        """y of the line that each piece of an edge runs along; NaN for one that runs by itself. Shape (p,).

        Args:
            pieces: start and end of each piece, from top to bottom; shape (p, 2, 2).
            edge: of each piece, ascending; shape (p,).
            band: y where the free space below each row begins, and where it ends; each of shape (rows,).
        """
        found = np.full(len(pieces), np.nan)
        if not len(self.links):
            return found
        # A piece is known by its edge and by where it ends.
        entry, place = _entries(proper, self.links)
        row = proper.row[proper.upper[self.links[place]]]
        reach = 2.0 * (1.0 + max(float(pieces[:, :, 1].max()), float(band[1].max())))
        keys = edge * reach + pieces[:, 1, 1]
        wanted = proper.owner[entry] * reach + band[1][row]
        piece = np.minimum(np.searchsorted(keys, wanted - 0.5), len(keys) - 1)
        share = (self.line[place] + 0.5) / self.lines[row]
        height = band[0][row] + share * (band[1] - band[0])[row]
        hit = (np.abs(keys[piece] - wanted) < 0.5) & (pieces[piece, 0, 1] < height)
        hit &= np.abs(pieces[piece, 1, 0] - pieces[piece, 0, 0]) > TURN
        found[piece[hit]] = height[hit]
        return found


def _lines(proper: Proper, x: Floats, links: Ints) -> Ints:
    """The line of each link between two rows: what begins in one box runs along one, and none lies on another."""
    upper, lower = proper.upper[links], proper.lower[links]
    boxes, net = np.unique(upper, return_inverse=True)
    ends = np.concatenate([x[upper], x[lower]])
    left, right = np.full(len(boxes), np.inf), np.full(len(boxes), -np.inf)
    np.minimum.at(left, np.tile(net, 2), ends)
    np.maximum.at(right, np.tile(net, 2), ends)
    far = np.bincount(net, np.abs(x[lower] - x[upper])) / np.bincount(net)
    line = np.full(len(boxes), -1)
    # What goes further lies deeper: so lines to one frame do not cross one another.
    for one in np.argsort(far, kind="stable").tolist():
        beside = (left <= right[one] + TURN) & (right >= left[one] - TURN)
        line[one] = line[beside].max() + 1
    return line[net]


def _entries(proper: Proper, links: Ints) -> tuple[Ints, Ints]:
    """(place in `proper.via`, index in `links`) for every edge that passes one of the links."""
    before = np.append(0, proper.via[:-1])
    starts = proper.first[:-1][np.diff(proper.first) > 0]
    before[starts] = proper.ends[proper.owner[starts], 0]
    order = np.argsort(proper.upper[links] * proper.vertices + proper.lower[links])
    keys = (proper.upper[links] * proper.vertices + proper.lower[links])[order]
    wanted = before * proper.vertices + proper.via
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    entry = np.flatnonzero(keys[at] == wanted)
    return entry, order[at[entry]]
