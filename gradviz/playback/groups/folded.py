"""A track with some of its groups folded to one box each: the same positions, a coarser picture.

What a canvas asks of a track it can ask of this: `forward` and `edges` are then of boxes, time is that of the whole
track. A box is a node, or a folded group, whose id comes after those of all nodes. An edge of a folded group can
stand for several edges (consumer, slot); between two nodes every slot stays an edge of its own. Where plumbing has no
boxes, it is in the box of what it hands on, and edges go out of there to its consumers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gradviz.playback.flow import added
from gradviz.playback.groups.bundles import HIDDEN, Bundles, any_of, bundled
from gradviz.playback.groups.folding import OPEN, Folding, open_groups, shown_as
from gradviz.playback.groups.groups import NONE, OUTSIDE, Groups
from gradviz.playback.groups.plumbing import WHOLE, carriers_of, is_small
from gradviz.playback.groups.report import GroupReports, outputs_of
from gradviz.playback.measures import measured
from gradviz.playback.track import NEVER, EdgeState, Flags, NodeState, Ranks, States, Track
from gradviz.playback.words import short_value
from gradviz.recording import Array, Known, Summary


class Progress(NamedTuple):
    """How many steps of a group are done in the pass under way, and of how many."""

    done: int
    total: int


@dataclass(frozen=True, eq=False)
class FoldedTrack(Track):
    """A track seen through a folding.

    Attributes:
        groups: the groups of the whole track.
        folding: which of them are folded, and what alone is shown.
    """

    groups: Groups = NONE
    folding: Folding = OPEN

    @cached_property
    def base(self) -> Track:
        """The track with all its nodes."""
        return Track(self.recording, self.sweep)

    @staticmethod
    def of(base: Track, groups: Groups, folding: Folding) -> FoldedTrack:
        """A track seen through a folding; `groups` are its own."""
        made = FoldedTrack(base.recording, base.sweep, groups, folding)
        made.__dict__["base"] = base  # what has been computed for it is not computed again
        return made

    @cached_property
    def reports(self) -> GroupReports:
        """What can be said of its groups."""
        return GroupReports(self.base, self.groups)

    # ---- boxes ----

    @cached_property
    def _codes(self) -> Ranks:
        """The box of every node of the whole track, by id; shape (len(base.forward),)."""
        first = len(self.recording.nodes)
        table = np.array([*shown_as(self.folding, self.groups), OUTSIDE], dtype=np.int64)
        outer = table[self.groups.home]
        codes: Ranks = np.where(outer == OUTSIDE, np.array(self.base.forward, dtype=np.int64), first + outer)
        for index in np.flatnonzero(self.is_handed_on).tolist():  # ascending: what it hands on has its code
            codes[index] = codes[self._carriers[index]]
        return codes

    @property
    def has_plumbing(self) -> bool:
        """Whether plumbing has boxes of its own."""
        wish = self.folding.has_plumbing
        return is_small(self.base) if wish is None else wish

    @cached_property
    def _carriers(self) -> Ranks:
        """Of each node of plumbing that has no box the node it hands on, else `WHOLE`; shape (len(base.forward),)."""
        if self.has_plumbing:
            return np.full(len(self.base.forward), WHOLE, dtype=np.int64)
        return carriers_of(self.base)

    @cached_property
    def is_handed_on(self) -> Flags:
        """Whether each node of the whole track is plumbing in the box of what it hands on; in no folded group."""
        table = np.array([*shown_as(self.folding, self.groups), OUTSIDE], dtype=np.int64)
        is_free: Flags = (table[self.groups.home] == OUTSIDE) & (self._carriers != WHOLE)
        return is_free

    def handed_on_by(self, node: int) -> int:
        """The node whose tensor plumbing without a box hands on; any other node itself. Ids of the whole track."""
        index = self.base.index_of[node]
        while self._carriers[index] != WHOLE:
            index = int(self._carriers[index])
        return self.base.forward[index]

    @cached_property
    def box_of(self) -> Ranks:
        """Index in `forward` of the box of every node of the whole track, or `HIDDEN`; shape (len(base.forward),)."""
        codes = self._codes
        boxes = np.array(self.forward, dtype=np.int64)
        index = np.searchsorted(boxes, codes)
        found = boxes[np.minimum(index, len(boxes) - 1)] == codes if len(boxes) else np.zeros(len(codes), np.bool_)
        return np.where(found, index, HIDDEN)

    @cached_property
    def forward(self) -> tuple[int, ...]:
        """Ids of the boxes that are shown, ascending: nodes, then folded groups."""
        focus = self.groups.number_of.get(self.folding.focus) if self.folding.focus is not None else None
        if focus is None:
            return tuple(np.unique(self._codes).tolist())
        inside = np.zeros(len(self._codes), dtype=np.bool_)
        inside[self.groups.members(focus)] = True
        sources, consumers = self.base.edge_sources, self.base.edge_consumers
        ends = np.concatenate([consumers[inside[sources]], sources[inside[consumers]], np.flatnonzero(inside)])
        return tuple(np.unique(self._codes[ends]).tolist())

    def group_of(self, box: int) -> int | None:
        """The number of the folded group that a box stands for, or None for a node."""
        first = len(self.recording.nodes)
        return None if box < first else box - first

    def box_of_group(self, number: int) -> int:
        """The id of the box that stands for a group while it is folded."""
        return len(self.recording.nodes) + number

    @cached_property
    def index_of(self) -> dict[int, int]:
        """Index in `forward` by id of a box or of a node in it."""
        boxes = {box: index for index, box in enumerate(self.forward)}
        pairs = zip(self.base.forward, self.box_of.tolist(), strict=True)
        return {node: index for node, index in pairs if index != HIDDEN} | boxes

    @cached_property
    def members(self) -> tuple[Ranks, ...]:
        """Indices in `base.forward` of the nodes of each box, ascending; without the plumbing that hands them on."""
        order = np.argsort(self.box_of, kind="stable")
        order = order[~self.is_handed_on[order]]
        starts = np.searchsorted(self.box_of[order], np.arange(len(self.forward) + 1))
        return tuple(order[a:b] for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))

    @cached_property
    def is_group(self) -> Flags:
        """Whether each box is a folded group; parallel to `forward`."""
        return np.array(self.forward, dtype=np.int64) >= len(self.recording.nodes)

    @cached_property
    def has_folded(self) -> bool:
        """Whether a folded group is in sight."""
        return bool(self.is_group.any())

    @cached_property
    def frames(self) -> tuple[int, ...]:
        """The groups that are open and have boxes in sight, outer ones first."""
        is_there = (self.box_of != HIDDEN) & ~self.is_handed_on
        sizes = np.bincount(self.groups.home[is_there] + 1, minlength=len(self.groups.groups) + 1)[1:]
        inside = sizes.tolist()
        for number in range(len(inside) - 1, -1, -1):
            parent = self.groups.groups[number].parent
            if parent != OUTSIDE:
                inside[parent] += inside[number]
        return tuple(number for number in open_groups(self.folding, self.groups) if inside[number])

    @cached_property
    def frame_of(self) -> Ranks:
        """Place in `frames` of the innermost open group of each box, or `OUTSIDE`; parallel to `forward`."""
        place = {number: index for index, number in enumerate(self.frames)}
        homes = [int(self.groups.home[members[0]]) for members in self.members]
        return np.array(
            [next((place[g] for g in self.groups.around(home) if g in place), OUTSIDE) for home in homes],
            dtype=np.int64,
        )

    @cached_property
    def frame_parents(self) -> Ranks:
        """Place in `frames` of the frame around each frame, or `OUTSIDE`."""
        place = {number: index for index, number in enumerate(self.frames)}
        parents = [self.groups.groups[number].parent for number in self.frames]
        return np.array([place.get(parent, OUTSIDE) for parent in parents], dtype=np.int64)

    # ---- time ----

    @property
    def turn(self) -> int:
        return self.base.turn

    @property
    def length(self) -> int:
        return self.base.length

    def node_at(self, position: int) -> int | None:
        return self.base.node_at(position)

    def box_at(self, position: int) -> int:
        """Index of the box that is current at a position, or `HIDDEN`."""
        node = self.base.node_at(position)
        return HIDDEN if node is None else self.index_of.get(node, HIDDEN)

    @cached_property
    def forward_ranks(self) -> Ranks:
        """Position at which each box is whole: that of its last node."""
        return np.array([members[-1] + 1 for members in self.members], dtype=np.int64)

    @cached_property
    def _begun(self) -> Ranks:
        """Position of the first node of each box."""
        return np.array([members[0] + 1 for members in self.members], dtype=np.int64)

    @cached_property
    def backward_ranks(self) -> Ranks:
        """Position of the last backward step in each box, or NEVER."""
        ranks = np.where(self.base.backward_ranks == NEVER, -1, self.base.backward_ranks)
        lasts = np.array([ranks[members].max() for members in self.members], dtype=np.int64)
        return np.where(lasts < 0, NEVER, lasts)

    @cached_property
    def takes_gradient(self) -> Flags:
        return np.array([self.base.takes_gradient[members].any() for members in self.members], dtype=np.bool_)

    @cached_property
    def is_whole(self) -> bool:
        """Whether every node is a box, so that the boxes and edges are those of the whole track."""
        return self.forward == self.base.forward

    def node_states(self, position: int) -> States:
        if self.is_whole:
            return self.base.node_states(position)
        states = np.where(self.forward_ranks <= position, NodeState.COMPUTED, NodeState.COMING).astype(np.uint8)
        current = self.box_at(position)
        if position > self.turn:
            states[self.backward_ranks == NEVER] = NodeState.UNREACHED
            states[self.backward_ranks <= position] = NodeState.DONE
        if current != HIDDEN:
            states[current] = NodeState.FORWARD_NOW if position <= self.turn else NodeState.BACKWARD_NOW
        return states

    def progress(self, index: int, position: int) -> Progress:
        """How far the pass under way is in a box."""
        if position <= self.turn:
            ranks = self.members[index] + 1
        else:
            ranks = self.base.backward_ranks[self.members[index]]
            ranks = ranks[ranks != NEVER]
        return Progress(int((ranks <= position).sum()), len(ranks))

    def under_way(self, position: int) -> list[int]:
        """The groups that have begun in this pass and are not done."""
        groups = np.flatnonzero(self.is_group)
        if position <= self.turn:
            begun = groups[(self._begun[groups] <= position) & (self.forward_ranks[groups] > position)]
        else:
            last = self.backward_ranks[groups]
            begun = groups[(last != NEVER) & (self._backward_begun[groups] <= position) & (last > position)]
        return [index for index in begun.tolist() if self._has_run_an_op(index, position)]

    def _has_run_an_op(self, index: int, position: int) -> bool:
        """Parameters come in long before the ops that use them: that is no beginning yet."""
        if position > self.turn:
            return True
        members = self.members[index]
        nodes, forward = self.recording.nodes, self.base.forward
        return any(not nodes[forward[i]].is_leaf for i in members[members < position].tolist()[::-1])

    @cached_property
    def _backward_begun(self) -> Ranks:
        return np.array([self.base.backward_ranks[members].min() for members in self.members], dtype=np.int64)

    def incoming(self, indices: Sequence[int]) -> list[Known]:
        """What comes into some boxes from outside; of a group with several outputs, all of it in one row of numbers."""
        alone = self.base.incoming([int(self.members[index][0]) for index in indices])
        pairs = zip(indices, alone, strict=True)
        return [self._into_group(index) if self.is_group[index] else gradient for index, gradient in pairs]

    def _into_group(self, index: int) -> Known:
        flows = outputs_of(self.base, self.members[index], self.length)
        found = [flow.gradient for flow in flows if flow.gradient is not None]
        if len(found) < 2:
            return found[0] if found else None
        arrays = [np.ravel(gradient) for gradient in found if not isinstance(gradient, Summary)]
        if len(arrays) == len(found):
            return np.concatenate(arrays)
        norm = float(np.sqrt(np.sum(np.square(measured(found)[0]))))  # nan where one is not known
        return Summary((), "float32", norm=norm)

    @cached_property
    def stops(self) -> tuple[int, ...]:
        """The positions at which a box has done all it does in a row: stepping from one to the next is stepping over.

        Ascending; 0, the turn and the end are among them.
        """
        nodes = [*self.base.forward, *(step.node for step in self.steps)]
        boxes = np.array([self.index_of.get(node, HIDDEN) for node in nodes], dtype=np.int64)
        places = [self.base.index_of.get(node, HIDDEN) for node in nodes]
        own = np.flatnonzero(~np.append(self.is_handed_on, False)[places])
        boxes = boxes[own]
        ends = np.ones(len(boxes), dtype=np.bool_)
        ends[:-1] = (boxes[1:] != boxes[:-1]) | ~np.append(self.is_group, True)[boxes[:-1]]
        return tuple(np.unique([0, self.turn, self.length, *(own[ends] + 1)]).tolist())

    # ---- edges ----

    @cached_property
    def _bundles(self) -> Bundles:
        return bundled(self.base, self.box_of, self.is_group)

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All edges (box of the consumer, number of the edge there: of a node, its slot)."""
        ids = self.forward
        pairs = zip(self._bundles.consumers.tolist(), self._bundles.ports.tolist(), strict=True)
        return tuple((ids[box], port) for box, port in pairs)

    @cached_property
    def edge_sources(self) -> Ranks:
        return self._bundles.sources

    @cached_property
    def edge_consumers(self) -> Ranks:
        return self._bundles.consumers

    def real_edges(self, edge: int) -> Ranks:
        """Indices in `base.edges` of what an edge stands for."""
        first, last = self._bundles.starts[edge : edge + 2].tolist()
        return self._bundles.real[first:last]

    @cached_property
    def edge_counts(self) -> Ranks:
        return np.diff(self._bundles.starts)

    @cached_property
    def edge_carries(self) -> Flags:
        return any_of(self.base.edge_carries[self._bundles.real], self._bundles.starts)

    @cached_property
    def edge_takes_gradient(self) -> Flags:
        return any_of(self.base.edge_takes_gradient[self._bundles.real], self._bundles.starts)

    @cached_property
    def edge_sent(self) -> Ranks:
        """Position at which the last of an edge's gradients goes out, or NEVER."""
        sent, carries = self.base.edge_sent[self._bundles.real], self.base.edge_carries[self._bundles.real]
        counts = np.repeat(self.edge_carries, self.edge_counts)
        ranks = np.where((sent == NEVER) | (counts & ~carries), -1, sent)
        last = np.maximum.reduceat(ranks, self._bundles.starts[:-1]) if len(ranks) else ranks
        return np.where(last < 0, NEVER, last)

    @cached_property
    def received(self) -> Ranks:
        """Position from which on all that comes into each box from outside is known; parallel to `forward`."""
        ranks = np.zeros(len(self.forward), dtype=np.int64)
        carries = self.edge_carries
        np.maximum.at(ranks, self.edge_sources[carries], self.edge_sent[carries])
        base = self.base
        by_way = np.flatnonzero(base.edge_carries & self.is_handed_on[base.edge_consumers])
        boxes = self.box_of[base.edge_sources[by_way]]
        np.maximum.at(ranks, boxes[boxes != HIDDEN], base.edge_sent[by_way][boxes != HIDDEN])
        return ranks

    @cached_property
    def _edge_begun(self) -> Ranks:
        """Position at which the first consumer of an edge is computed."""
        computed = self.base.forward_ranks[self.base.edge_consumers][self._bundles.real]
        return np.minimum.reduceat(computed, self._bundles.starts[:-1]) if len(computed) else computed

    def edge_states(self, position: int) -> States:
        if self.is_whole:
            return self.base.edge_states(position)
        begun, current = self._edge_begun, self.box_at(position)
        states = np.where(begun <= position, EdgeState.COMPUTED, EdgeState.COMING).astype(np.uint8)
        into, out = self.edge_consumers == current, self.edge_sources == current
        if position <= self.turn:
            states[into & (begun <= position)] = EdgeState.FORWARD_NOW
            return states
        sent = self.edge_sent <= position
        states[sent] = EdgeState.NONE
        carried = sent & self.edge_carries
        states[carried] = EdgeState.CARRIED
        states[carried & out] = EdgeState.ARRIVED
        states[carried & into] = EdgeState.BACKWARD_NOW
        return states

    def gradients(self, edge: int) -> list[Array | Summary]:
        found = [self.base.edge_known(real) for real in self.real_edges(edge).tolist()]
        return [gradient for gradient in found if gradient is not None]

    def _tensors(self, edge: int) -> list[int]:
        """Ids of the nodes whose values go along an edge."""
        sources = np.unique(self.base.edge_sources[self.real_edges(edge)])
        return [self.base.forward[index] for index in sources.tolist()]

    @cached_property
    def _totals(self) -> dict[int, Array | None]:
        return {}

    def edge_gradient(self, edge: int) -> Array | None:
        """What goes out along an edge: the sum over all uses of its tensor; None where it stands for several."""
        if edge not in self._totals:
            found = self.gradients(edge)
            self._totals[edge] = added(found) if len(self._tensors(edge)) == 1 else None
        return self._totals[edge]

    def edge_known(self, edge: int) -> Known:
        total = self.edge_gradient(edge)
        found = self.gradients(edge) if total is None else []
        return found[0] if len(found) == 1 else total

    def edge_value(self, edge: int) -> Known:
        tensors = self._tensors(edge)
        return self.recording.value(tensors[0]) if len(tensors) == 1 else None

    def edge_text(self, edge: int, limit: int) -> str:
        total = self.edge_known(edge)
        if total is None and len(self.gradients(edge)) > 1:
            return f"{len(self._tensors(edge))} gradients"
        return short_value(total, limit)
