"""Which engine lays out which graph: dot where it is quick enough, layers for everything else.

What makes dot slow is not the number of nodes but edges that cross many rows, so those are counted first.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from gradviz.errors import LayoutError
from gradviz.layout.dot.dot import has_dot, lay_out_dot
from gradviz.layout.dot.process import DotProcess, TooSlow
from gradviz.layout.graph import indices_of
from gradviz.layout.layered.layers import lay_out_layers, layered
from gradviz.layout.layered.plane import Plane
from gradviz.layout.layered.ranks import ranks_of
from gradviz.layout.layered.spine import spine_of
from gradviz.layout.near import Near, is_much, lay_out_near
from gradviz.layout.plan import Layout, Request

SMALL = 60
"""Nodes up to which dot runs in this process: it needs some 20 ms, less than a process needs to start."""
SMALL_COST = 400
"""The cost up to which it does: while dot runs here, nothing else in Python does."""
MEDIUM = 1_200
"""Nodes up to which dot is tried at all; at 1,500 it takes longer than its limit more often than not."""
LIMIT_S = 2.0
"""Seconds that dot may take in its own process."""

LONG = 12
"""Rows that an edge may cross before it counts as long."""
COST = 5_000
"""The cost (see `cost_of`) up to which dot is tried; it needs some 2 s for as much."""

BRAIDED, BRAIDED_SHARE = 9, 0.2
"""A graph with so many edges in trunks, and such a share of all its edges, is laid out in layers: dot has no trunks."""

CHAIN, CHAIN_SHARE = 20, 0.75
"""A graph of so many boxes, such a share of them on its longest path, is one as well: dot does not keep it straight."""


class Layouter:
    """Lays out requests; blocking, so called off the GUI thread. Safe to share by threads.

    Args:
        process: runs dot for middle-sized graphs.
        limit_s: seconds that dot may take there.
    """

    def __init__(self, process: DotProcess | None = None, limit_s: float = LIMIT_S) -> None:
        self._process = process or DotProcess()
        self._limit_s = limit_s
        self._too_hard = COST + 1

    def prepare(self) -> None:
        """Start the dot process in the background, so that the first larger graph need not wait for it."""
        # Where it cannot start, layers do the work; nobody needs to be told.
        with suppress(LayoutError):
            if has_dot():
                self._process.prepare()

    def lay_out(
        self,
        request: Request,
        cancelled: Callable[[], bool] = lambda: False,
        progress: Callable[[float], None] = lambda _: None,
        near: Near | None = None,
    ) -> Layout:
        """Lay out a request with the best engine that is quick enough.

        Args:
            request: boxes and edges, of any number.
            near: where its boxes were in the picture before: what did not change keeps its place, if it can.
            cancelled: asked now and then; True stops the work.
            progress: told the share done, 0..1.

        Raises:
            Cancelled: `cancelled` said so.
            LayoutError: the graph has a cycle, or an edge names a node that is not there.
        """
        layout = self._try_dot(request, cancelled)
        if layout is None and (near is None or len(request.nodes) <= MEDIUM or not is_much(near.known)):
            layout = lay_out_layers(request, cancelled, progress)
        if near is not None and is_much(near.known):
            layout = lay_out_near(request, near, layout, cancelled, progress)
        assert layout is not None
        progress(1.0)
        return layout

    def close(self) -> None:
        """End the dot process. It starts again when it is needed."""
        self._process.close()

    def _try_dot(self, request: Request, cancelled: Callable[[], bool]) -> Layout | None:
        """dot's layout, or None where dot is missing, would take too long, or failed."""
        # dot has frames, its clusters, but edges and boxes in no order that people could follow.
        if len(request.frame_parents) or len(request.nodes) > MEDIUM or not has_dot():
            return None
        # Counting the cost finds a cycle or a missing node as well: then layers would fail just so.
        cost = cost_of(request)
        if cost >= self._too_hard or suits_layers(request):
            return None
        try:
            if len(request.nodes) <= SMALL and cost <= SMALL_COST:
                return lay_out_dot(request)
            return self._process.lay_out(request, self._limit_s, cancelled)
        except TooSlow:
            # A script is run again and again: the same graph must not wait for the same limit each time.
            self._too_hard = min(self._too_hard, cost)
        except LayoutError:
            pass
        self.prepare()
        return None


def suits_layers(request: Request) -> bool:
    """Whether layers make a clearer picture of a request than dot.

    So it is where many edges run side by side, which dot draws as so many lines, and of a long chain with skips, which
    dot leaves bent.
    """
    proper = layered(Plane.of(request))
    joined = int((np.bincount(proper.trunk, minlength=len(proper.trunk))[proper.trunk] > 1).sum())
    whole = len(spine_of(proper.ends, proper.row[: proper.nodes]))
    is_chain = proper.nodes >= CHAIN and whole + 1 >= CHAIN_SHARE * proper.nodes
    return is_chain or joined >= max(BRAIDED, BRAIDED_SHARE * len(proper.trunk))


def cost_of(request: Request) -> int:
    """How hard a request is for dot: its nodes, its edges beyond two per node, and the rows that long edges cross.

    Raises:
        LayoutError: the graph has a cycle, or an edge names a node that is not there.
    """
    ends = indices_of(request)
    ranks = ranks_of(len(request.nodes), ends)
    spans = ranks[ends[:, 1]] - ranks[ends[:, 0]]
    # More edges than a node or two each has are hard for dot as well.
    surplus = max(0, len(ends) - 2 * len(request.nodes))
    return len(request.nodes) + surplus + int(spans[spans > LONG].sum())
