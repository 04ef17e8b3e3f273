"""What can be said of one group at one position: what flows in and out, forward and backward. Knows no Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gradviz.playback.flow import added
from gradviz.playback.groups.groups import INSIDE, Group, Groups
from gradviz.playback.track import NEVER, Flags, Ranks, Track
from gradviz.playback.words import label, op_word
from gradviz.recording import LEAF, Array, Known, Node, Summary

SAME = "same structure"

MOST_LEAVES = 12
"""Leaves of a group that are told one by one."""


def count_text(group: Group) -> str:
    """How many alike groups it stands for or holds, in words; "" for any other group."""
    if group.count == 1:
        return ""
    return f"×{group.count}, {SAME}" if group.is_run else f"{group.count} of the {SAME}"


class Flow(NamedTuple):
    """One tensor on the border of a group.

    Attributes:
        node: id of its node.
        label: what it is called.
        shape: its shape.
        value: its value, or None while it is not computed or was not recorded.
        gradient: what crosses the border backward: into the group at an output, out of it at an input, summed over
            all uses on that side; None where none flows or not all of it is known yet.
        note: why there is no gradient, else "".
    """

    node: int
    label: str
    shape: tuple[int, ...]
    value: Known
    gradient: Known
    note: str


@dataclass(frozen=True, eq=False)
class GroupReport:
    """One group at one position.

    Attributes:
        number: of the group.
        title: what it is called.
        count: how many alike groups it holds and nothing else; else 1.
        count_text: the same in words, or "".
        titles: of those.
        ops: the ops in it and how often, the most frequent first.
        parameters: how many leaves are in it.
        leaves: the first `MOST_LEAVES` of them, named as seen from the group; their gradient is `.grad` at the
            position, or what has come in where `.grad` is left alone.
        inputs, outputs: the tensors on its border.
        lines: first and last line of the source that made its ops, or None.
        stage: "forward" or "backward": the pass that `done` counts in.
        done, total: steps of that pass.
    """

    number: int
    title: str
    count: int
    count_text: str
    titles: tuple[str, ...]
    ops: tuple[tuple[str, int], ...]
    parameters: int
    leaves: tuple[Flow, ...]
    inputs: tuple[Flow, ...]
    outputs: tuple[Flow, ...]
    lines: tuple[int, int] | None
    stage: str
    done: int
    total: int


class GroupReports:
    """The reports of the groups of one track. What is the same at every position is found once for each group."""

    def __init__(self, track: Track, groups: Groups) -> None:
        self._track, self._groups = track, groups
        self._known: dict[int, _Inside] = {}

    def at(self, position: int, number: int) -> GroupReport:
        """What is known of a group at a position.

        Args:
            number: of the group.
        """
        inside = self._known.get(number)
        if inside is None:
            inside = self._known[number] = _Inside(self._track, self._groups, number)
        return inside.report(position)


class _Inside:
    """What is in one group of a track and crosses its border."""

    def __init__(self, track: Track, groups: Groups, number: int) -> None:
        self._track, self._number, self._group = track, number, groups.groups[number]
        self._members: Ranks = np.array(groups.members(number), dtype=np.int64)
        entries = [track.recording.nodes[track.forward[index]] for index in self._members.tolist()]
        made = [entry for entry in entries if not entry.is_leaf]
        self._ops = tuple(Counter(map(op_word, made)).most_common())
        leaves = [entry for entry in entries if entry.op == LEAF]
        self._parameters = len(leaves)
        self._leaves = [_Kept(track, leaf, self._group) for leaf in leaves[:MOST_LEAVES]]
        lines = [entry.line for entry in made if entry.line is not None]
        self._lines = (min(lines), max(lines)) if lines else None
        children = groups.children[number] if self._group.count > 1 else ()
        self._titles = tuple(groups.groups[child].title for child in children)
        self._inputs = _coming_in(track, self._members)
        self._outputs = _going_out(track, self._members)

    def report(self, position: int) -> GroupReport:
        turn = self._track.turn
        ranks = self._members + 1 if position <= turn else self._track.backward_ranks[self._members]
        ranks = ranks[ranks != NEVER]
        return GroupReport(
            number=self._number,
            title=self._group.title,
            count=self._group.count,
            count_text=count_text(self._group),
            titles=self._titles,
            ops=self._ops,
            parameters=self._parameters,
            leaves=tuple(leaf.at(position) for leaf in self._leaves),
            inputs=tuple(crossing.at(position) for crossing in self._inputs),
            outputs=tuple(crossing.at(position) for crossing in self._outputs),
            lines=self._lines,
            stage="forward" if position <= turn else "backward",
            done=int((ranks <= position).sum()),
            total=len(ranks),
        )


class _Kept:
    """A leaf in a group, and what its `.grad` is."""

    def __init__(self, track: Track, leaf: Node, group: Group) -> None:
        self._track, self._leaf = track, leaf
        name = label(track.recording, leaf.id)
        module = "" if leaf.origin is None else f"{leaf.origin.module}."
        inner = f"{group.title.rpartition(INSIDE)[2]}."
        around = next((path for path in (inner, module) if len(path) > 1 and path in name), "")
        self._name = name.rpartition(around)[2] if around else name

    def at(self, position: int) -> Flow:
        """What is known of it at a position."""
        track, leaf, call = self._track, self._leaf, self._track.call
        value = track.recording.value(leaf.id) if track.index_of[leaf.id] < position else None
        gradient: Known = None
        note = "no backward pass" if call is None else "none"
        if call is not None and leaf.id in call.step_of:
            order = call.step_of[leaf.id]
            is_done = position > track.turn + order
            entry = call.accumulation_of.get(leaf.id)
            if entry is not None:
                gradient = call.after(entry) if is_done else call.before(entry)
            elif is_done:
                gradient = call.incoming(call.steps[order])
            note = "" if is_done else f"comes at step {order + 1}"
        return Flow(leaf.id, self._name, leaf.shape, value, gradient, note)


def inputs_of(track: Track, members: Ranks, position: int) -> list[Flow]:
    """The tensors that come into a group from outside, in the order of their first use.

    Args:
        members: indices in `track.forward`.
    """
    return [crossing.at(position) for crossing in _coming_in(track, members)]


def outputs_of(track: Track, members: Ranks, position: int) -> list[Flow]:
    """The tensors of a group that are used outside it or that backward starts from, in the order of their making."""
    return [crossing.at(position) for crossing in _going_out(track, members)]


def _coming_in(track: Track, members: Ranks) -> list[_Crossing]:
    inside = _flags(track, members)
    crossing = np.flatnonzero(inside[track.edge_consumers] & ~inside[track.edge_sources])
    return [_Crossing(track, source, edges) for source, edges in _by_source(track, crossing).items()]


def _going_out(track: Track, members: Ranks) -> list[_Crossing]:
    inside = _flags(track, members)
    crossing = np.flatnonzero(inside[track.edge_sources] & ~inside[track.edge_consumers])
    found = _by_source(track, crossing)
    seeds: dict[int, list[Array | Summary]] = {}
    for output, seed in _seeds(track):
        index = track.index_of.get(output)
        if index is not None and inside[index]:
            seeds.setdefault(index, []).append(seed)
    sources = sorted({*found, *seeds})
    return [_Crossing(track, source, found.get(source, []), seeds.get(source, [])) for source in sources]


def _seeds(track: Track) -> list[tuple[int, Array | Summary]]:
    call = track.call
    found = [] if call is None else [(output, call.seed(at)) for at, output in enumerate(call.outputs)]
    return [(output, seed) for output, seed in found if seed is not None]


def _flags(track: Track, members: Ranks) -> Flags:
    inside = np.zeros(len(track.forward), dtype=np.bool_)
    inside[members] = True
    return inside


def _by_source(track: Track, edges: Ranks) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for edge, source in zip(edges.tolist(), track.edge_sources[edges].tolist(), strict=True):
        found.setdefault(source, []).append(edge)
    return found


class _Crossing:
    """A tensor on the border of a group: the edges on one side that take it, and the seeds it gets."""

    def __init__(self, track: Track, source: int, edges: list[int], seeds: Sequence[Array | Summary] = ()) -> None:
        self._track, self._source, self._seeds = track, source, seeds
        self._carrying = sorted((e for e in edges if track.edge_carries[e]), key=lambda e: int(track.edge_sent[e]))
        self._node = track.recording.nodes[track.forward[source]]
        self._label = label(track.recording, self._node.id)
        self._note = "none" if edges else ""
        if edges and not self._node.requires_grad:
            self._note = "takes no gradient"
        elif edges and track.call is None:
            self._note = "no backward pass"

    def at(self, position: int) -> Flow:
        """What crosses the border at a position."""
        node, note = self._node, self._note
        gradient: Known = None
        value = self._track.recording.value(node.id) if self._source < position else None
        if self._carrying:
            last = int(self._track.edge_sent[self._carrying[-1]])
            gradient, note = (None, f"comes at step {last - self._track.turn}") if last > position else (self._sum, "")
        if self._seeds and position <= self._track.turn:
            note = "comes when backward begins"
        elif self._seeds:
            gradient, note = self._with_seeds(gradient), ""
        return Flow(node.id, self._label, node.shape, value, gradient, note)

    def _with_seeds(self, gradient: Known) -> Known:
        terms = [*([] if gradient is None else [gradient]), *self._seeds]
        return terms[0] if len(terms) == 1 else added(terms)

    @cached_property
    def _sum(self) -> Known:
        terms = [self._track.edge_known(edge) for edge in self._carrying]
        found = [term for term in terms if term is not None]
        return found[0] if len(found) == 1 else added(found)
