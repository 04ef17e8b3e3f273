"""What can be said of one group at one position: what flows in and out, forward and backward. Knows no Qt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from gradviz.playback.groups import Group, Groups
from gradviz.playback.track import NEVER, Track
from gradviz.playback.words import label, op_word
from gradviz.recording import Array

SAME = "same structure"


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
    value: Array | None
    gradient: Array | None
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
    inputs: tuple[Flow, ...]
    outputs: tuple[Flow, ...]
    lines: tuple[int, int] | None
    stage: str
    done: int
    total: int


def group_report(track: Track, groups: Groups, position: int, number: int) -> GroupReport:
    """What is known of a group at a position.

    Args:
        track: the whole track, not a folded one.
        groups: its groups.
        number: of the group.
    """
    nodes, group = track.recording.nodes, groups.groups[number]
    members = np.array(groups.members(number), dtype=np.int64)
    entries = [nodes[track.forward[index]] for index in members.tolist()]
    ops = Counter(op_word(entry) for entry in entries if not entry.is_leaf)
    lines = [entry.line for entry in entries if entry.line is not None and not entry.is_leaf]
    ranks = members + 1 if position <= track.turn else track.backward_ranks[members]
    ranks = ranks[ranks != NEVER]
    return GroupReport(
        number=number,
        title=group.title,
        count=group.count,
        count_text=count_text(group),
        titles=tuple(groups.groups[child].title for child in groups.children[number]) if group.count > 1 else (),
        ops=tuple(ops.most_common()),
        parameters=sum(entry.op == "leaf" for entry in entries),
        inputs=tuple(inputs_of(track, members.tolist(), position)),
        outputs=tuple(outputs_of(track, members.tolist(), position)),
        lines=(min(lines), max(lines)) if lines else None,
        stage="forward" if position <= track.turn else "backward",
        done=int((ranks <= position).sum()),
        total=len(ranks),
    )


def inputs_of(track: Track, members: Iterable[int], position: int) -> list[Flow]:
    """The tensors that come into a group from outside, in the order of their first use.

    Args:
        members: indices in `track.forward`.
    """
    inside = _flags(track, members)
    sources, consumers = track.edge_sources, track.edge_consumers
    crossing = np.flatnonzero(inside[consumers] & ~inside[sources])
    return _flows(track, crossing, position)


def outputs_of(track: Track, members: Iterable[int], position: int) -> list[Flow]:
    """The tensors of a group that are used outside it or that backward starts from, in the order of their making."""
    inside = _flags(track, members)
    sources, consumers = track.edge_sources, track.edge_consumers
    crossing = np.flatnonzero(inside[sources] & ~inside[consumers])
    crossing = crossing[np.argsort(sources[crossing], kind="stable")]
    found = {flow.node: flow for flow in _flows(track, crossing, position)}
    for output, seed in _seeds(track):
        index = track.index_of.get(output)
        if index is not None and inside[index]:
            found[output] = _with_seed(track, found.get(output), output, seed, position)
    return sorted(found.values())


def _seeds(track: Track) -> list[tuple[int, Array]]:
    call = track.call
    return [] if call is None else list(zip(call.outputs, call.seeds, strict=True))


def _with_seed(track: Track, flow: Flow | None, node: int, seed: Array, position: int) -> Flow:
    entry = track.recording.nodes[node]
    if flow is None:
        value = track.recording.values[node] if track.index_of[node] < position else None
        flow = Flow(node, label(track.recording, node), entry.shape, value, None, "")
    if position <= track.turn:
        return flow._replace(note="comes when backward begins")
    return flow._replace(gradient=seed if flow.gradient is None else np.add(flow.gradient, seed), note="")


def _flags(track: Track, members: Iterable[int]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    inside = np.zeros(len(track.forward), dtype=np.bool_)
    inside[list(members)] = True
    return inside


def _flows(track: Track, crossing: np.ndarray[tuple[int], np.dtype[np.int64]], position: int) -> list[Flow]:
    by_source: dict[int, list[int]] = {}
    for edge in crossing.tolist():
        by_source.setdefault(int(track.edge_sources[edge]), []).append(edge)
    return [_flow(track, source, edges, position) for source, edges in by_source.items()]


def _flow(track: Track, source: int, edges: list[int], position: int) -> Flow:
    node = track.recording.nodes[track.forward[source]]
    value = track.recording.values[node.id] if source < position else None
    carrying = [edge for edge in edges if track.edge_carries[edge]]
    name = label(track.recording, node.id)
    if not carrying:
        note = "takes no gradient" if not node.requires_grad else "no backward pass" if track.call is None else "none"
        return Flow(node.id, name, node.shape, value, None, note)
    if any(track.edge_sent[edge] > position for edge in carrying):
        last = int(track.edge_sent[carrying].max()) - track.turn
        return Flow(node.id, name, node.shape, value, None, f"comes at step {last}")
    total: Array | None = None
    for edge in sorted(carrying, key=lambda e: int(track.edge_sent[e])):
        term = track.edge_gradient(edge)
        if term is not None:
            total = term if total is None else np.add(total, term)
    return Flow(node.id, name, node.shape, value, total, "")
