"""The layered graph as flat arrays: nodes, one dummy vertex per row that a long edge crosses, links between rows.

Components never touch: each has its own rows, stacked one component after the other, so the code that works
row by row works on all components at once. Vertices 0..n-1 are the nodes, the rest are dummies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from gradviz.layout.layered.plane import Plane
from gradviz.layout.layered.spine import spine_of
from gradviz.layout.plan import Flags, Floats, Ints

LARGE = 40_000
"""Vertices from which on the passes over a graph are halved."""

BENDS_PER_NODE = 4
"""So many rows may edges pass for each node, with a dummy in each; the longest go in lanes beside the rows."""

BENDS_ALWAYS = 8_000
"""So many may they pass whatever the number of nodes."""

SPAN_AT_LEAST = 12
"""An edge of up to so many rows never goes in a lane."""

ENTRY_SPAN = 2
"""What comes into a frame, and is read so many rows further down at the most, goes there straight."""

TRUNK = 3
"""So many long edges that leave one box, or enter one, run together and branch off one by one."""


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The vertices linked to each vertex on one side: `flat[start[v]:start[v + 1]]`.

    Attributes:
        aside: where on each of them the link ends, from -1/2 at its left to 1/2 at its right; shape (links,).
    """

    start: Ints
    flat: Ints
    aside: Floats

    @cached_property
    def degree(self) -> Ints:
        """How many there are; shape (vertices,)."""
        return np.diff(self.start)

    @staticmethod
    def of(keys: Ints, values: Ints, aside: Floats, count: int) -> Neighbours:
        """Group `values`, and where the links end on them, by `keys`; each of shape (links,)."""
        order = np.argsort(keys, kind="stable")
        return Neighbours(np.searchsorted(keys[order], np.arange(count + 1)), values[order], aside[order])


@dataclass(frozen=True, eq=False)
class Proper:
    """A graph in which every link joins a row to the next.

    Attributes:
        plane: the nodes and edges.
        row: row of each vertex; shape (v,). No row is empty.
        component: component of each row; shape (rows,), ascending.
        upper, lower: the two ends of each link; shape (links,). Links of nodes and dummies, no lanes.
        first: edge e passes the dummies via[first[e]:first[e + 1]], from top to bottom; shape (m + 1,).
        via: the dummies of one edge after the other. Edges of one trunk pass the same ones.
        trunk: number of the trunk of each edge; that of an edge on its own has no other edge; shape (m,).
        laned: the edges that go in a lane and have no dummies; shape (m,).
        edge: one of the edges that each link is of; shape (links,).
        attached: how far right of the middle of its upper and of its lower end each link meets it; shape (links, 2).
        aside: the same as a share of the width there; shape (links, 2).
        path: the edges of the spine.
    """

    plane: Plane
    row: Ints
    component: Ints
    upper: Ints
    lower: Ints
    first: Ints
    via: Ints
    trunk: Ints
    laned: Flags
    edge: Ints
    attached: Floats
    aside: Floats
    path: Ints

    @property
    def nodes(self) -> int:
        """How many vertices are nodes."""
        return len(self.plane.sizes)

    @property
    def ends(self) -> Ints:
        """Source and consumer of every edge; shape (m, 2)."""
        return self.plane.ends

    @cached_property
    def is_thin(self) -> Flags:
        """Which vertices are dummies and ports; shape (v,)."""
        return np.append(self.plane.is_port, np.ones(self.vertices - self.nodes, dtype=np.bool_))

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
        """Whether each link is a part of the spine; shape (links,)."""
        on_path = np.zeros(len(self.ends), dtype=np.bool_)
        on_path[self.path[~self.laned[self.path]]] = True
        upper, lower, _ = _links(
            self.ends[on_path], *self._vias_of(on_path), np.ones(int(on_path.sum()), dtype=np.bool_)
        )
        found: Flags = np.isin(self.upper * self.vertices + self.lower, upper * self.vertices + lower)
        # Of several edges between two frames one is the spine.
        is_direct = (self.upper < self.nodes) & (self.lower < self.nodes)
        return found & (~is_direct | np.isin(self.edge, self.path))

    @cached_property
    def apart(self) -> Floats:
        """How far right of its upper end the lower end of each link stands where the link is straight; (links,)."""
        return np.asarray(self.attached[:, 0] - self.attached[:, 1])

    @cached_property
    def spine(self) -> Ints:
        """The vertices of the spine."""
        return np.union1d(self.upper[self.is_spine], self.lower[self.is_spine])

    def _vias_of(self, edges: Flags) -> tuple[Ints, Ints]:
        """`first` and `via` for some edges only."""
        lengths = np.diff(self.first)[edges]
        return np.append(0, np.cumsum(lengths)), self.via[np.repeat(edges, np.diff(self.first))]

    @cached_property
    def row_size(self) -> Ints:
        """Vertices of each row; shape (rows,)."""
        return np.bincount(self.row, minlength=len(self.component))

    @cached_property
    def row_start(self) -> Ints:
        """Where each row begins when the vertices are sorted by row; shape (rows + 1,)."""
        return np.concatenate([[0], np.cumsum(self.row_size)])

    @cached_property
    def row_number(self) -> Ints:
        """The number of each row in its component; shape (rows,)."""
        return np.arange(len(self.component)) - np.searchsorted(self.component, self.component)

    @cached_property
    def largest(self) -> int:
        """How many vertices the largest component has."""
        return int(np.bincount(self.component[self.row]).max(initial=0))

    @cached_property
    def above(self) -> Neighbours:
        """Neighbours in the row above."""
        return Neighbours.of(self.lower, self.upper, self.aside[:, 0], self.vertices)

    @cached_property
    def below(self) -> Neighbours:
        """Neighbours in the row below."""
        return Neighbours.of(self.upper, self.lower, self.aside[:, 1], self.vertices)


def components_of(count: int, ends: Ints) -> Ints:
    """Component of each of the nodes 0..count-1, numbered by the smallest node in it; shape (count,).

    Args:
        ends: of every edge; shape (m, 2).
    """
    above = list(range(count))

    def top(node: int) -> int:
        while above[node] != node:
            above[node] = node = above[above[node]]
        return node

    for one, other in ends.tolist():
        first, second = sorted((top(one), top(other)))
        above[second] = first
    components: Ints = np.unique(tops_of(np.array(above, dtype=np.int64)), return_inverse=True)[1]
    return components


def tops_of(above: Ints) -> Ints:
    """The end of the chain that begins at each place; `above` has the next one, or the place itself; shape (v,)."""
    # Doubling the jumps finds the end of long chains in log steps.
    while True:
        further = above[above]
        if np.array_equal(further, above):
            return above
        above = further


def proper_of(plane: Plane, ranks: Ints, components: Ints, *, trunks: bool = False, lanes: bool = True) -> Proper:
    """Stack the components' rows and give the long edges their dummies.

    Args:
        plane: the nodes and edges.
        ranks: layer of each node; shape (n,).
        components: component of each node; shape (n,).
        trunks: whether many long edges of one tensor, or into one node, run together.
        lanes: whether the longest edges may go without dummies, in lanes, where the dummies would be too many.
    """
    ends = plane.ends
    row, component = _dense_rows(ranks, components)
    span = row[ends[:, 1]] - row[ends[:, 0]]
    path = spine_of(ends, row) if plane.spine is None else plane.spine
    trunk = _trunks(np.stack([plane.tensors, ends[:, 1]], axis=1), ends, span) if trunks else np.arange(len(ends))
    laned = np.zeros(len(ends), dtype=np.bool_)
    if lanes:
        # What comes into a frame runs along its border, but for the spine.
        laned = plane.is_entry[ends[:, 0]] & (span > ENTRY_SPAN)
        laned[path] = False
        laned |= _go_in_lanes(np.where(laned, 0, span), trunk, len(row))
    inner = np.where(laned, 0, span - 1)
    first = np.concatenate([[0], np.cumsum(inner)]).astype(np.int64)
    owner = np.repeat(np.arange(len(ends)), inner)
    passed = row[ends[owner, 0]] + 1 + np.arange(len(owner)) - first[owner]
    # Of a trunk, what passes a row is one.
    places, via = np.unique(trunk[owner] * (len(component) + 1) + passed, return_inverse=True)
    via = via.ravel() + len(row)
    upper, lower, edge = _links(ends, first, via, ~laned)
    rows = np.append(row, places % (len(component) + 1))
    attached, aside = _attached(plane, edge, upper, lower)
    return Proper(plane, rows, component, upper, lower, first, via, trunk, laned, edge, attached, aside, path)


def _attached(plane: Plane, edge: Ints, upper: Ints, lower: Ints) -> tuple[Floats, Floats]:
    """How far right of the middle of its two ends each link meets them, and the same as shares of the widths there.

    Args:
        edge: one of those that each link is of; shape (links,).
    """
    both = np.stack([upper, lower], axis=1)
    is_end = both == plane.ends[edge]
    attached, width = np.zeros(both.shape), np.ones(both.shape)
    attached[is_end] = np.nan_to_num(plane.attached[edge][is_end])
    width[is_end] = np.maximum(plane.sizes[:, 0][both[is_end]], 1.0)
    return attached, attached / width


def _trunks(keys: Ints, ends: Ints, span: Ints) -> Ints:
    """A number for each edge; the long edges of one tensor, or into one node, share it, if they are many enough.

    Args:
        keys: tensor and consumer of each edge; shape (m, 2).
    """
    trunk = np.arange(len(ends))
    # Two edges between the same boxes would become one to the eye.
    pairs = ends[:, 0] * (1 + int(ends.max(initial=0))) + ends[:, 1]
    _, pair, alike = np.unique(pairs, return_inverse=True, return_counts=True)
    may_join = (span > 1) & (alike[pair] == 1)
    for side in (0, 1):
        free = np.flatnonzero(may_join & (np.bincount(trunk, minlength=len(ends))[trunk] == 1))
        _, first, group, count = np.unique(keys[free, side], return_index=True, return_inverse=True, return_counts=True)
        many = count[group] >= TRUNK
        trunk[free[many]] = free[first[group[many]]]
    return trunk


def _dense_rows(ranks: Ints, components: Ints) -> tuple[Ints, Ints]:
    """Rows without gaps, one component after the other, and each row's component."""
    height = int(ranks.max(initial=0)) + 1
    keys, row = np.unique(components * height + ranks, return_inverse=True)
    return row.astype(np.int64), keys // height


def _go_in_lanes(span: Ints, trunk: Ints, nodes: int) -> Flags:
    """The edges of those trunks that pass the most rows, but for the short ones, where all would pass too many."""
    passed = np.bincount(trunk, np.maximum(span - 1, 0), len(span)).astype(np.int64)
    amounts = np.sort(passed[passed > 0])
    fits = int(np.searchsorted(np.cumsum(amounts), max(BENDS_ALWAYS, BENDS_PER_NODE * nodes), side="right"))
    if fits == len(amounts):
        return np.zeros(len(span), dtype=np.bool_)
    # What only a part of goes beside the rows, and the other amid them, would be two lines for one.
    laned: Flags = (passed[trunk] >= amounts[fits]) & (span > SPAN_AT_LEAST)
    return laned


def _links(ends: Ints, first: Ints, via: Ints, drawn: Flags) -> tuple[Ints, Ints, Ints]:
    """The two ends of each link, and an edge that it is of; what two edges of a trunk share is one link."""
    inner = np.diff(first)
    direct, long = np.flatnonzero((inner == 0) & drawn), np.flatnonzero(inner)
    between = np.ones(len(via), dtype=np.bool_)
    between[first[long]] = False
    onwards = np.flatnonzero(between)
    owner = np.repeat(np.arange(len(ends)), inner)
    upper = np.concatenate([ends[long, 0], via[onwards - 1], via[first[long + 1] - 1]])
    lower = np.concatenate([via[first[long]], via[onwards], ends[long, 1]])
    edge = np.concatenate([long, owner[onwards], long])
    count = len(ends) + int(max(via.max(initial=0), ends.max(initial=0))) + 1
    _, once = np.unique(upper * count + lower, return_index=True)
    return (
        np.concatenate([ends[direct, 0], upper[once]]),
        np.concatenate([ends[direct, 1], lower[once]]),
        np.concatenate([direct, edge[once]]),
    )
