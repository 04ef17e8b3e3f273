"""The layered graph as flat arrays: nodes, one dummy vertex per row that a long edge crosses, links between rows.

Components never touch: each has its own rows, stacked one component after the other, so the code that works
row by row works on all components at once. Vertices 0..n-1 are the nodes, the rest are dummies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.layout.plan import Ints

if TYPE_CHECKING:
    import networkx as nx

Flags = np.ndarray[Any, np.dtype[np.bool_]]

LARGE = 40_000
"""Vertices from which on the passes over a graph are halved."""

DUMMIES_PER_NODE = 4
"""Dummies allowed per node; the longest edges go without, in lanes beside the rows."""

DUMMIES_ALWAYS = 4_000
"""Dummies allowed whatever the number of nodes."""

SPAN_AT_LEAST = 12
"""An edge of up to so many rows never goes in a lane."""


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
        first: first dummy of each edge; edge e owns first[e]..first[e + 1] - 1, from top to bottom; shape (m + 1,).
        laned: the edges that go in a lane and have no dummies; shape (m,).
    """

    nodes: int
    row: Ints
    component: Ints
    upper: Ints
    lower: Ints
    ends: Ints
    first: Ints
    laned: Flags

    @property
    def vertices(self) -> int:
        """Nodes and dummies."""
        return len(self.row)

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


def components_of(graph: nx.MultiDiGraph[int]) -> Ints:
    """Component of each node 0..n-1, numbered by the smallest node in it; shape (n,)."""
    import networkx as nx

    labels = np.zeros(graph.number_of_nodes(), dtype=np.int64)
    for number, members in enumerate(sorted(nx.weakly_connected_components(graph), key=min)):
        labels[list(members)] = number
    return labels


def proper_of(ranks: Ints, components: Ints, ends: Ints, lanes: bool = True) -> Proper:
    """Stack the components' rows and give the long edges their dummies.

    Args:
        ranks: layer of each node; shape (n,).
        components: component of each node; shape (n,).
        ends: source and consumer of each edge; shape (m, 2).
        lanes: whether the longest edges may go without dummies, in lanes, where the dummies would be too many.
    """
    row, component = _dense_rows(ranks, components)
    span = row[ends[:, 1]] - row[ends[:, 0]]
    laned = span > (_span_limit(span, len(row)) if lanes else len(row))
    inner = np.where(laned, 0, span - 1)
    first = len(row) + np.concatenate([[0], np.cumsum(inner)]).astype(np.int64)
    owner = np.repeat(np.arange(len(ends)), inner)
    dummies = len(row) + np.arange(len(owner))
    depth = dummies - first[owner]
    rows = np.concatenate([row, row[ends[owner, 0]] + 1 + depth])
    upper, lower = _links(ends, first, inner, laned, owner, depth)
    return Proper(len(row), rows, component, upper, lower, ends, first, laned)


def _dense_rows(ranks: Ints, components: Ints) -> tuple[Ints, Ints]:
    """Rows without gaps, one component after the other, and each row's component."""
    height = int(ranks.max(initial=0)) + 1
    keys, row = np.unique(components * height + ranks, return_inverse=True)
    return row.astype(np.int64), keys // height


def _span_limit(span: Ints, nodes: int) -> int:
    """The longest span whose edges still get dummies."""
    budget = max(DUMMIES_ALWAYS, DUMMIES_PER_NODE * nodes)
    ordered = np.sort(span)
    fits = int(np.searchsorted(np.cumsum(ordered - 1), budget, side="right"))
    return int(span.max(initial=1)) if fits == len(span) else max(SPAN_AT_LEAST, int(ordered[fits]) - 1)


def _links(ends: Ints, first: Ints, inner: Ints, laned: Flags, owner: Ints, depth: Ints) -> tuple[Ints, Ints]:
    direct = ends[(inner == 0) & ~laned]
    long = np.flatnonzero(inner > 0)
    between = np.flatnonzero(depth < inner[owner] - 1) + (first[0] if len(first) else 0)
    upper = np.concatenate([direct[:, 0], ends[long, 0], between, first[long + 1] - 1])
    lower = np.concatenate([direct[:, 1], first[long], between + 1, ends[long, 1]])
    return upper, lower
