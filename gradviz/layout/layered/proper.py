"""The layered graph as flat arrays: nodes, one dummy vertex per row that a long edge crosses, links between rows.

Components never touch: each has its own rows, stacked one component after the other, so the code that works
row by row works on all components at once. Vertices 0..n-1 are the nodes, the rest are dummies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gradviz.layout.layered.spine import spines_of
from gradviz.layout.plan import NO_FRAME, Flags, Ints

if TYPE_CHECKING:
    import networkx as nx

    from gradviz.layout.frames.entering import Entering


LARGE = 40_000
"""Vertices from which on the passes over a graph are halved."""

DUMMIES_PER_NODE = 4
"""Dummies allowed per node; the longest edges go without, in lanes beside the rows."""

DUMMIES_ALWAYS = 4_000
"""Dummies allowed whatever the number of nodes."""

SPAN_AT_LEAST = 12
"""An edge of up to so many rows never goes in a lane."""

TRUNK = 3
"""So many long edges that leave one box, or enter one, run together and branch off one by one."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The vertices linked to each vertex on one side: `flat[start[v]:start[v + 1]]`."""

    start: Ints
    flat: Ints

    @cached_property
    def degree(self) -> Ints:
        """How many there are; shape (vertices,)."""
        return np.diff(self.start)

    @staticmethod
    def of(keys: Ints, values: Ints, count: int) -> Neighbours:
        """Group `values` by `keys`, both of shape (links,)."""
        order = np.argsort(keys, kind="stable")
        return Neighbours(np.searchsorted(keys[order], np.arange(count + 1)), values[order])


@dataclass(frozen=True, eq=False)
class Proper:
    """A graph in which every link joins a row to the next.

    Attributes:
        nodes: how many vertices are nodes.
        row: row of each vertex; shape (v,). No row is empty.
        component: component of each row; shape (rows,), ascending.
        upper, lower: the two ends of each link; shape (links,). Links of nodes and dummies, no lanes.
        ends: source and consumer of every edge; shape (m, 2).
        first: edge e passes the dummies via[first[e]:first[e + 1]], from top to bottom; shape (m + 1,).
        via: the dummies of one edge after the other. Edges of one trunk pass the same ones.
        trunk: number of the trunk of each edge; that of an edge on its own has no other edge; shape (m,).
        laned: the edges that go in a lane and have no dummies; shape (m,).
        framed: the innermost frame of each vertex, or `NO_FRAME`; shape (v,).
        enters: the dummies of edges in frames that they have entered on their way; shape (v,).
    """

    nodes: int
    row: Ints
    component: Ints
    upper: Ints
    lower: Ints
    ends: Ints
    first: Ints
    via: Ints
    trunk: Ints
    laned: Flags
    framed: Ints
    enters: Flags

    @property
    def vertices(self) -> int:
        """Nodes and dummies."""
        return len(self.row)

    @property
    def owner(self) -> Ints:
        """The edge that each entry of `via` belongs to."""
        return np.repeat(np.arange(len(self.ends)), np.diff(self.first))

    @property
    def is_shared(self) -> Flags:
        """Whether more than one edge passes a vertex; shape (v,)."""
        shared: Flags = np.bincount(self.via, minlength=self.vertices) > 1
        return shared

    @cached_property
    def is_spine(self) -> Flags:
        """Whether each link is a part of the spine, or of that of a frame; shape (links,)."""
        path = spines_of(self.ends, self.row[: self.nodes], self.framed[: self.nodes])
        vertices = [self._along(edge) for edge in path[~self.laned[path]].tolist()]
        pairs = np.array([pair for places in vertices for pair in pairwise(places)], dtype=np.int64).reshape(-1, 2)
        found: Flags = np.isin(self.upper * self.vertices + self.lower, pairs[:, 0] * self.vertices + pairs[:, 1])
        return found

    @cached_property
    def is_inlet(self) -> Flags:
        """Whether each vertex is of an edge in a frame that it has entered from above; a spine's is not; shape (v,)."""
        found = self.enters.copy()
        found[self.spine] = False
        return found

    @cached_property
    def is_entry(self) -> Flags:
        """Whether each link leads an edge into a frame that it goes on in, but for those of spines; shape (links,)."""
        found: Flags = self.is_inlet[self.lower] & (self.framed[self.upper] != self.framed[self.lower])
        return found

    @cached_property
    def spine(self) -> Ints:
        """The vertices of the spine, or of those of the frames."""
        return np.union1d(self.upper[self.is_spine], self.lower[self.is_spine])

    def _along(self, edge: int) -> list[int]:
        """The vertices of an edge, from its source to its consumer."""
        source, consumer = self.ends[edge].tolist()
        passed: list[int] = self.via[self.first[edge] : self.first[edge + 1]].tolist()
        return [source, *passed, consumer]

    @cached_property
    def row_size(self) -> Ints:
        """Vertices of each row; shape (rows,)."""
        return np.bincount(self.row, minlength=len(self.component))

    @cached_property
    def row_start(self) -> Ints:
        """Where each row begins when the vertices are sorted by row; shape (rows + 1,)."""
        return np.concatenate([[0], np.cumsum(self.row_size)])

    @cached_property
    def above(self) -> Neighbours:
        """Neighbours in the row above."""
        return Neighbours.of(self.lower, self.upper, self.vertices)

    @cached_property
    def below(self) -> Neighbours:
        """Neighbours in the row below."""
        return Neighbours.of(self.upper, self.lower, self.vertices)


def components_of(graph: nx.DiGraph[int]) -> Ints:
    """Component of each node 0..n-1, numbered by the smallest node in it; shape (n,)."""
    import networkx as nx

    labels = np.zeros(graph.number_of_nodes(), dtype=np.int64)
    for number, members in enumerate(sorted(nx.weakly_connected_components(graph), key=min)):
        labels[list(members)] = number
    return labels


def proper_of(
    ranks: Ints,
    components: Ints,
    ends: Ints,
    entering: Entering | None = None,
    *,
    trunks: bool = False,
    lanes: bool = True,
) -> Proper:
    """Stack the components' rows and give the long edges their dummies.

    Args:
        ranks: layer of each node; shape (n,).
        components: component of each node; shape (n,).
        ends: source and consumer of each edge; shape (m, 2).
        entering: the frames; None: there are none.
        trunks: whether many long edges of one box run together, those with the same innermost frame around both ends.
        lanes: whether the longest edges may go without dummies, in lanes, where the dummies would be too many.
    """
    row, component = _dense_rows(ranks, components)
    span = row[ends[:, 1]] - row[ends[:, 0]]
    homes = np.full(len(ends), NO_FRAME) if entering is None else entering.homes
    trunk = _trunks(ends, span, homes) if trunks else np.arange(len(ends))
    laned = _go_in_lanes(span, trunk, len(row)) if lanes else np.zeros(len(ends), dtype=np.bool_)
    inner = np.where(laned, 0, span - 1)
    first = np.concatenate([[0], np.cumsum(inner)]).astype(np.int64)
    owner = np.repeat(np.arange(len(ends)), inner)
    passed = row[ends[owner, 0]] + 1 + np.arange(len(owner)) - first[owner]
    within = homes[owner] if entering is None else entering.frames(row, trunk, owner, passed)
    # Of a trunk, what passes a row in the same frame is one.
    places, via = np.unique(np.stack([trunk[owner], within, passed]), axis=1, return_inverse=True)
    via = via.ravel() + len(row)
    upper, lower = _links(ends, first, via, ~laned)
    framed = np.full(len(row), NO_FRAME) if entering is None else entering.request.framed
    framed, rows = np.append(framed, places[1]), np.append(row, places[2])
    enters = np.zeros(len(rows), dtype=np.bool_)
    enters[via] = within != homes[owner]
    return Proper(len(row), rows, component, upper, lower, ends, first, via, trunk, laned, framed, enters)


def _trunks(ends: Ints, span: Ints, homes: Ints) -> Ints:
    """A number for each edge; the long edges of one box and home share it, if they are many enough."""
    trunk = np.arange(len(ends))
    # Two edges between the same boxes would become one to the eye.
    _, pair, alike = np.unique(ends, axis=0, return_inverse=True, return_counts=True)
    may_join = (span > 1) & (alike[pair.ravel()] == 1)
    for side in (0, 1):
        free = np.flatnonzero(may_join & (np.bincount(trunk, minlength=len(ends))[trunk] == 1))
        keys = np.stack([ends[free, side], homes[free]], axis=1)
        _, first, group, count = np.unique(keys, axis=0, return_index=True, return_inverse=True, return_counts=True)
        many = count[group.ravel()] >= TRUNK
        trunk[free[many]] = free[first[group.ravel()[many]]]
    return trunk


def _dense_rows(ranks: Ints, components: Ints) -> tuple[Ints, Ints]:
    """Rows without gaps, one component after the other, and each row's component."""
    height = int(ranks.max(initial=0)) + 1
    keys, row = np.unique(components * height + ranks, return_inverse=True)
    return row.astype(np.int64), keys // height


def _go_in_lanes(span: Ints, trunk: Ints, nodes: int) -> Flags:
    """The edges of the longest trunks, but for the short ones, where all of them would have too many dummies."""
    reach = np.zeros(len(span), dtype=np.int64)
    np.maximum.at(reach, trunk, span)
    lengths = np.sort(reach[reach > 0])
    fits = int(np.searchsorted(np.cumsum(lengths - 1), max(DUMMIES_ALWAYS, DUMMIES_PER_NODE * nodes), side="right"))
    if fits == len(lengths):
        return np.zeros(len(span), dtype=np.bool_)
    # What only a part of goes beside the rows, and the other amid them, would be two lines for one.
    laned: Flags = (reach[trunk] >= lengths[fits]) & (span > SPAN_AT_LEAST)
    return laned


def _links(ends: Ints, first: Ints, via: Ints, drawn: Flags) -> tuple[Ints, Ints]:
    """The two ends of each link; what two edges of a trunk share is one link."""
    inner = np.diff(first)
    direct, long = np.flatnonzero((inner == 0) & drawn), np.flatnonzero(inner)
    between = np.ones(len(via), dtype=np.bool_)
    between[first[long]] = False
    onwards = np.flatnonzero(between)
    upper = np.concatenate([ends[direct, 0], ends[long, 0], via[onwards - 1], via[first[long + 1] - 1]])
    lower = np.concatenate([ends[direct, 1], via[first[long]], via[onwards], ends[long, 1]])
    once = np.unique(np.stack([upper, lower], axis=1)[len(direct) :], axis=0)
    return np.concatenate([upper[: len(direct)], once[:, 0]]), np.concatenate([lower[: len(direct)], once[:, 1]])
