"""Above frames that many edges enter from afar, every source has a level line from which its edges branch off.

Lines that lie over one another are as far apart as can be seen; the rows make room for them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import Floats, Ints
from gradviz.layout.routes.buses import FEW, FLAT, TURN

LOW = 30.0
"""Scene units between a frame and the row above it where there are no lines."""


@dataclass(frozen=True, eq=False)
class Channels:
    """The lines above frames.

    Attributes:
        line: number of the line that each edge runs along before it enters a frame, 0 uppermost, or -1; shape (m,).
        lines: how many are below each row; shape (rows,).
    """

    line: Ints
    lines: Ints

    @staticmethod
    def of(proper: Proper, x: Floats) -> Channels:
        """The lines of a graph whose vertices stand at these x; only between rows where many edges go far aside."""
        plane = proper.plane
        lines, line = np.zeros(len(proper.component), dtype=np.int64), np.full(len(proper.ends), -1)
        edges = np.flatnonzero(plane.is_frame[proper.ends[:, 1]] & ~proper.laned)
        is_long = np.diff(proper.first)[edges] > 0
        upper = proper.ends[edges, 0]
        upper[is_long] = proper.via[proper.first[edges[is_long] + 1] - 1]
        attached = np.nan_to_num(plane.attached[edges])
        start = x[upper] + np.where(is_long, 0.0, attached[:, 0])
        end, row = x[proper.ends[edges, 1]] + attached[:, 1], proper.row[upper]
        aside = np.abs(end - start)
        is_busy = np.bincount(row[aside > FLAT * LOW], minlength=len(lines)) >= FEW
        kept = np.flatnonzero(is_busy[row] & (aside > 2 * TURN))
        kept = kept[np.argsort(row[kept], kind="stable")]
        nets = upper * (int(plane.tensors.max(initial=0)) + 1) + plane.tensors[edges]
        for some in np.split(kept, np.flatnonzero(np.diff(row[kept])) + 1):
            if len(some):
                line[edges[some]] = found = _lines(nets[some], start[some], end[some])
                lines[row[some[0]]] = found.max() + 1
        return Channels(line, lines)

    def heights(self, proper: Proper, pieces: Floats, edge: Ints, top: Floats, bottom: Floats) -> Floats:
        """y of the line that each piece of an edge runs along; NaN for one that runs by itself. Shape (p,).

        Args:
            pieces: start and end of each piece, from top to bottom; shape (p, 2, 2).
            edge: of each piece, ascending; shape (p,).
            top, bottom: y of the borders of each row; shape (rows,).
        """
        found = np.full(len(pieces), np.nan)
        last = np.flatnonzero(np.diff(edge, append=-1))
        last = last[self.line[edge[last]] >= 0]
        edges = edge[last]
        row = proper.row[proper.ends[edges, 1]] - 1
        height = bottom[row] + (self.line[edges] + 0.5) / self.lines[row] * (top[row + 1] - bottom[row])
        hit = (pieces[last, 0, 1] < height) & (np.abs(pieces[last, 1, 0] - pieces[last, 0, 0]) > TURN)
        found[last[hit]] = height[hit]
        return found


def _lines(nets: Ints, start: Floats, end: Floats) -> Ints:
    """The line of each edge between two rows: those of one net run along one, and none lies on another.

    Args:
        nets: the same number for edges that begin in one place; shape (e,).
        start, end: x of the ends of each; shape (e,).
    """
    names, net = np.unique(nets, return_inverse=True)
    left, right = np.full(len(names), np.inf), np.full(len(names), -np.inf)
    for x in (start, end):
        np.minimum.at(left, net, x)
        np.maximum.at(right, net, x)
    far = np.bincount(net, np.abs(end - start)) / np.bincount(net)
    line = np.full(len(names), -1)
    # What goes further lies deeper: so lines to one frame do not cross one another.
    for one in np.argsort(far, kind="stable").tolist():
        beside = (left <= right[one] + TURN) & (right >= left[one] - TURN)
        line[one] = line[beside].max() + 1
    return np.asarray(line[net], dtype=np.int64)
