"""What flows into and out of one node in one backward pass: the terms of its sum, and one gradient per input.

Each answer costs as much as the node has edges, however large the graph is. Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

import numpy as np

from gradviz.playback.track import Track
from gradviz.playback.words import label, labels
from gradviz.recording import CONSTANT, Array, Known, Node, Step, Summary


class Term(NamedTuple):
    """One gradient on its way into a node's sum.

    Attributes:
        consumer: id of the node it comes from; None for a seed, the v that backward was given.
        slot: which input of the consumer the node is; None for a seed.
        label: the consumer's label; "v" for a seed.
        gradient: of the node's own shape; only its summary where it was not kept.
        has_arrived: whether the consumer's step has run at the position asked for.
    """

    consumer: int | None
    slot: int | None
    label: str
    gradient: Array | Summary
    has_arrived: bool


class Outgoing(NamedTuple):
    """What goes out to one input.

    Attributes:
        slot: number of the input.
        source: id of the input's node.
        label: its label.
        gradient: dL/d(input), of the input's shape, or its summary; None where none flows or it is not known yet.
        reason: why `gradient` is None, as in "w takes no gradient"; else "".
        never: whether no gradient will ever flow, as against one that is still to come.
    """

    slot: int
    source: int
    label: str
    gradient: Known
    reason: str
    never: bool


class Way(NamedTuple):
    """What part of the graph a gradient came or goes along.

    Attributes:
        edges: by consumer and slot.
        nodes: the ids of the nodes at their other ends; the node itself where a seed comes in.
    """

    edges: tuple[tuple[int, int], ...]
    nodes: tuple[int, ...]


def way_in(node: int, arriving: Sequence[Term]) -> Way:
    """Along what the terms of a node's sum come."""
    edges = [(term.consumer, term.slot) for term in arriving if term.consumer is not None and term.slot is not None]
    seeded = [node] if len(edges) < len(arriving) else []
    return Way(tuple(edges), (*dict.fromkeys(consumer for consumer, _ in edges), *seeded))


def way_out(track: Track, node: int, slot: int) -> Way:
    """Along what a gradient goes out to one input."""
    return Way(((node, slot),), (track.recording.nodes[node].inputs[slot],))


def is_failed(track: Track, node: int) -> bool:
    """Whether the pass came to a node and ended there in the error of the run."""
    broken = None if track.call is None else track.call.error
    if broken is not None and broken.node == node:
        return step_of(track, node) is None
    problem = track.recording.failure
    last = len(track.recording.sweeps) - 1
    return problem is not None and problem.node == node and track.sweep == last and step_of(track, node) is None


def step_of(track: Track, node: int) -> Step | None:
    """The backward step of a node, or None where the pass never comes."""
    order = step_number(track, node)
    return None if order is None else track.steps[order - 1]


def step_number(track: Track, node: int) -> int | None:
    """Which of the backward steps is the node's, from 1, or None."""
    order = None if track.call is None else track.call.step_of.get(node)
    return None if order is None else order + 1


def position_of(track: Track, node: int, position: int) -> int | None:
    """Where to stand so that a node is the current one: the nearest to a position in the sense of the pass shown there.

    That is the position itself where the node is current at it; else, once the forward pass is done, that of its
    backward step, and before, or where it has none, the one at which it is computed. None outside the picture.
    """
    if track.node_at(position) == node:
        return position
    number, index = step_number(track, node), track.index_of.get(node)
    if number is not None and position >= track.turn:
        return track.turn + number
    return None if index is None else index + 1


def has_run(track: Track, position: int, node: int) -> bool:
    """Whether the node's backward step has run or is running at a position."""
    order = step_number(track, node)
    return order is not None and track.turn + order <= position


def is_computed(track: Track, position: int, node: int) -> bool:
    """Whether the node has its value at a position; a node outside the picture always has."""
    index = track.index_of.get(node)
    return index is None or index < position


def terms(track: Track, position: int, node: int) -> tuple[Term, ...]:
    """All terms of the node's incoming sum, in the order in which they arrive: seeds, then by steps and slots."""
    call = track.call
    if call is None:
        return ()
    seeds = [call.seed(at) for at, output in enumerate(call.outputs) if output == node]
    found = [Term(None, None, "v", seed, position > track.turn) for seed in seeds if seed is not None]
    names = labels(track.recording)
    found += [
        Term(sent.consumer, sent.slot, names[sent.consumer], sent.gradient, sent.position <= position)
        for sent in track.sent_to(node)
    ]
    return tuple(found)


def partial_sum(arriving: tuple[Term, ...]) -> Array | None:
    """The sum of the terms that have arrived, in that order; None before the first, and where it cannot be known."""
    return added([term.gradient for term in arriving if term.has_arrived])


def added(terms: Sequence[Array | Summary]) -> Array | None:
    """The sum of arrays in their own precision; None of none, of one that was not kept, and of several shapes.

    Several shapes come to an op with several outputs, each of which sends the gradient of its own.
    """
    arrays = [term for term in terms if not isinstance(term, Summary)]
    if len(arrays) < len(terms) or len({array.shape for array in arrays}) != 1:
        return None
    return reduce(np.add, arrays)


def outgoing(track: Track, position: int, node: int) -> tuple[Outgoing, ...]:
    """One entry for every input of the node."""
    step, ran = step_of(track, node), has_run(track, position, node)
    entries = []
    for slot, source in enumerate(track.recording.nodes[node].inputs):
        name = label(track.recording, source)
        sent = None if step is None or track.call is None else track.call.outgoing(step, slot)
        reason = "" if ran and sent is not None else _reason(track, node, source, sent)
        entries.append(Outgoing(slot, source, name, sent if ran else None, reason, sent is None))
    return tuple(entries)


def _reason(track: Track, node: int, source: int, sent: Known) -> str:
    target, name = track.recording.nodes[source], label(track.recording, source)
    if not target.requires_grad:
        return takes_none(target, name)
    order = step_number(track, node)
    if order is None:
        return "not reached" if track.call is not None else "no backward pass"
    if sent is None:
        return f"the rule gives {name} none"
    return f"comes at step {order}"


def takes_none(node: Node, name: str) -> str:
    """Why no gradient flows to a node that does not require one."""
    return "a constant takes no gradient" if node.op == CONSTANT and name == node.op else f"{name} takes no gradient"
