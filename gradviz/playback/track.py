"""The two passes of one sweep as a row of positions, and the state of everything at each of them.

Position 0: nothing has happened. Positions 1..F: so many nodes of the picture have been computed (forward).
Positions F+1..F+B: so many backward steps have run. A state is a function of (track, position) alone, so the
same position is the same picture whichever way it was reached.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.measures import Measures
from gradviz.playback.words import short_value
from gradviz.recording import Array, Known, Recording, Step, Summary, Sweep

Flags = np.ndarray[Any, np.dtype[np.bool_]]
States = np.ndarray[Any, np.dtype[np.uint8]]
Ranks = np.ndarray[Any, np.dtype[np.int64]]

NEVER = np.iinfo(np.int64).max
"""Rank of a node that a pass does not visit."""


class NodeState(IntEnum):
    """How far a node has come."""

    COMING = 0  # not computed yet
    COMPUTED = 1  # has its value, no gradient yet
    UNREACHED = 2  # computed, and this backward pass will never reach it
    FORWARD_NOW = 3  # being computed at this position
    BACKWARD_NOW = 4  # its gradient has come in and it sends its outgoing ones at this position
    DONE = 5  # its backward step has run


class EdgeState(IntEnum):
    """How far an edge (consumer, slot) has come."""

    COMING = 0  # its consumer is not computed yet
    COMPUTED = 1  # the value has flowed forward
    FORWARD_NOW = 2  # the value flows to the consumer being computed
    BACKWARD_NOW = 3  # the gradient goes out along it at this position
    ARRIVED = 4  # its gradient went out earlier, to the node that is current now: it "comes in"
    CARRIED = 5  # its gradient went out earlier
    NONE = 6  # the consumer's step has run and sent nothing along it


class Sent(NamedTuple):
    """A gradient that goes out to a node: at which position, and from which slot of which consumer."""

    position: int
    slot: int
    consumer: int
    gradient: Array | Summary


@dataclass(frozen=True)
class Track:
    """One sweep of a recording laid out as positions 0..length. `sweep` is None where there is no backward."""

    recording: Recording
    sweep: int | None = None

    @cached_property
    def forward(self) -> tuple[int, ...]:
        """Ids of the nodes of the picture, in the order in which they were computed (ascending)."""
        return self.recording.picture(self.sweep)

    @cached_property
    def call(self) -> Sweep | None:
        """The backward call shown, or None."""
        return None if self.sweep is None else self.recording.sweeps[self.sweep]

    @property
    def failed(self) -> int | None:
        """Id of the node at which the call ended in an error, or else the run; None where neither did."""
        for broken in (None if self.call is None else self.call.error, self.recording.failure):
            if broken is not None and broken.node is not None:
                return broken.node
        return None

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The backward steps in the order in which they ran."""
        return () if self.call is None else self.call.steps

    @cached_property
    def turn(self) -> int:
        """The position at which the forward pass is done and the backward pass has not begun."""
        return len(self.forward)

    @cached_property
    def length(self) -> int:
        """The last position."""
        return len(self.forward) + len(self.steps)

    @cached_property
    def index_of(self) -> dict[int, int]:
        """Index in `forward` by node id."""
        return {node: index for index, node in enumerate(self.forward)}

    @cached_property
    def edges(self) -> tuple[tuple[int, int], ...]:
        """All edges (consumer, slot) of the picture, consumers ascending."""
        nodes = self.recording.nodes
        return tuple((node, slot) for node in self.forward for slot in range(len(nodes[node].inputs)))

    @cached_property
    def edge_sources(self) -> Ranks:
        """Index in `forward` of each edge's source; parallel to `edges`."""
        nodes, index_of = self.recording.nodes, self.index_of
        return np.array([index_of[source] for node in self.forward for source in nodes[node].inputs], dtype=np.int64)

    @cached_property
    def edge_consumers(self) -> Ranks:
        """Index in `forward` of each edge's consumer; parallel to `edges`."""
        counts = [len(self.recording.nodes[node].inputs) for node in self.forward]
        return np.repeat(np.arange(len(counts)), np.array(counts, dtype=np.int64))

    @cached_property
    def forward_ranks(self) -> Ranks:
        """Position at which each node of `forward` is computed: 1..F."""
        return np.arange(1, len(self.forward) + 1, dtype=np.int64)

    @cached_property
    def backward_ranks(self) -> Ranks:
        """Position of the backward step of each node of `forward`, or NEVER."""
        ranks = np.full(len(self.forward), NEVER, dtype=np.int64)
        for order, step in enumerate(self.steps, self.turn + 1):
            index = self.index_of.get(step.node)
            if index is not None:
                ranks[index] = order
        return ranks

    @cached_property
    def edge_carries(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Whether a gradient goes out along each edge in this sweep; parallel to `edges`."""
        call = self.call
        if call is None:
            return np.zeros(len(self.edges), dtype=np.bool_)
        flags: list[bool] = []
        summed_up = call.summaries.outgoing
        for node in self.forward:
            order, count = call.step_of.get(node), len(self.recording.nodes[node].inputs)
            sent = () if order is None else call.steps[order].outgoing[:count]
            flags += [gradient is not None or (node, slot) in summed_up for slot, gradient in enumerate(sent)]
            flags += [False] * (count - len(sent))
        return np.array(flags, dtype=np.bool_)

    @cached_property
    def measures(self) -> Measures:
        """Norms of what flows at each position, measured when they are first needed."""
        return Measures([self.recording.value(node) for node in self.forward], self.call)

    @cached_property
    def takes_gradient(self) -> Flags:
        """Whether a gradient can flow into each node of `forward`."""
        nodes = self.recording.nodes
        return np.array([nodes[node].requires_grad for node in self.forward], dtype=np.bool_)

    @cached_property
    def edge_takes_gradient(self) -> Flags:
        """Whether a gradient can ever flow along each edge; parallel to `edges`."""
        return self.takes_gradient[self.edge_sources] if self.edges else np.zeros(0, dtype=np.bool_)

    def edge_gradient(self, edge: int) -> Array | None:
        """What goes out along an edge in this sweep, or None."""
        consumer, slot = self.edges[edge]
        order = None if self.call is None else self.call.step_of.get(consumer)
        if order is None or slot >= len(self.steps[order].outgoing):
            return None
        return self.steps[order].outgoing[slot]

    def edge_known(self, edge: int) -> Known:
        """What there is to show of what goes out along an edge in this sweep."""
        consumer, slot = self.edges[edge]
        call = self.call
        order = None if call is None else call.step_of.get(consumer)
        return None if call is None or order is None else call.outgoing(self.steps[order], slot)

    def gradients(self, edge: int) -> list[Array | Summary]:
        """All gradients that go out along an edge: one or none."""
        gradient = self.edge_known(edge)
        return [] if gradient is None else [gradient]

    def edge_value(self, edge: int) -> Known:
        """What there is to show of the value that goes forward along an edge."""
        return self.recording.value(self.forward[int(self.edge_sources[edge])])

    @cached_property
    def _sent_to(self) -> dict[int, tuple[Sent, ...]]:
        return {}

    def sent_to(self, node: int) -> tuple[Sent, ...]:
        """The gradients that are sent to a node in this sweep, in the order of the steps and slots."""
        call = self.call
        if call is not None and node not in self._sent_to:
            edges = [(call.step_of[c], slot, c) for c, slot in self.recording.consumers[node] if c in call.step_of]
            found = [(*edge, call.outgoing(call.steps[edge[0]], edge[1])) for edge in sorted(edges)]
            self._sent_to[node] = tuple(
                Sent(self.turn + 1 + order, slot, consumer, sent)
                for order, slot, consumer, sent in found
                if sent is not None
            )
        return self._sent_to.get(node, ())

    def edge_text(self, edge: int, limit: int) -> str:
        """The gradient of an edge in about `limit` characters; "" where none goes out."""
        return short_value(self.edge_known(edge), limit)

    def node_at(self, position: int) -> int | None:
        """Id of the node that is current at a position, or None at 0."""
        if not 0 < position <= self.length:
            return None
        if position <= self.turn:
            return self.forward[position - 1]
        return self.steps[position - self.turn - 1].node

    def step_at(self, position: int) -> Step | None:
        """The backward step that runs at a position, or None in the forward pass."""
        return self.steps[position - self.turn - 1] if self.turn < position <= self.length else None

    def node_states(self, position: int) -> States:
        """`NodeState` of each node of `forward` at a position; shape (n,)."""
        if position <= self.turn:
            ranks = self.forward_ranks
            now, earlier, later = NodeState.FORWARD_NOW, NodeState.COMPUTED, NodeState.COMING
        else:
            ranks = self.backward_ranks
            now, earlier, later = NodeState.BACKWARD_NOW, NodeState.DONE, NodeState.COMPUTED
        states = np.where(ranks < position, earlier, np.where(ranks == position, now, later))
        return np.where(ranks == NEVER, NodeState.UNREACHED, states).astype(np.uint8)

    def edge_states(self, position: int) -> States:
        """`EdgeState` of each edge at a position; shape (m,)."""
        if position <= self.turn:
            ranks = self._edge_computed
            coming = np.where(ranks == position, EdgeState.FORWARD_NOW, EdgeState.COMING)
            return np.where(ranks < position, EdgeState.COMPUTED, coming).astype(np.uint8)
        sent, received = self.edge_sent, self._edge_received
        carried = np.where(received == position, EdgeState.ARRIVED, EdgeState.CARRIED)
        carried = np.where(sent == position, EdgeState.BACKWARD_NOW, carried)
        done = np.where(self.edge_carries, carried, EdgeState.NONE)
        return np.where(sent <= position, done, EdgeState.COMPUTED).astype(np.uint8)

    @cached_property
    def _edge_computed(self) -> Ranks:
        """Position at which the consumer of each edge is computed."""
        return self.forward_ranks[self.edge_consumers]

    @cached_property
    def edge_sent(self) -> Ranks:
        """Position at which the consumer of each edge runs its backward step, or NEVER."""
        return self.backward_ranks[self.edge_consumers]

    @cached_property
    def _edge_received(self) -> Ranks:
        """Position at which the source of each edge runs its backward step, or NEVER."""
        return self.backward_ranks[self.edge_sources]

    def incoming(self, indices: Sequence[int]) -> list[Known]:
        """What comes into some nodes of `forward` in this sweep, summed; None where nothing does."""
        ranks: list[int] = self.backward_ranks[list(indices)].tolist()
        call = self.call
        return [
            None if rank == NEVER or call is None else call.incoming(self.steps[rank - self.turn - 1]) for rank in ranks
        ]
