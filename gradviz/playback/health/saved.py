"""What the graph keeps for backward at each position, when it is let go of, and where a second backward would stop.

As in PyTorch, a node keeps what its own rule reads, lets go of it as soon as its step has run (unless the graph is
retained), and refuses to run once more without it. A node that keeps nothing, such as a sum, can run again.
Knows no Qt.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradviz.ops.table import TABLE
from gradviz.playback import flow
from gradviz.playback.formula.lines import saved_slots
from gradviz.playback.rules import Rules, rule_of
from gradviz.playback.track import NEVER, Track
from gradviz.playback.words import label
from gradviz.recording import Node, Recording, Sweep

if TYPE_CHECKING:
    from gradviz.ops.op import Op

Sizes = np.ndarray[Any, np.dtype[np.int64]]

MOST_NODES = 5_000
"""Nodes of a track up to which what it keeps is added up."""


class Stop(NamedTuple):
    """Where a second backward would stop.

    Attributes:
        node: its id.
        torch: what PyTorch calls it, e.g. "MulBackward0".
        names: what it had saved.
        is_sure: whether it is known that it saves anything: not of a Function of the script's own.
    """

    node: int
    torch: str
    names: tuple[str, ...]
    is_sure: bool = True

    @property
    def text(self) -> str:
        """A sentence that says why."""
        what = " and ".join(self.names[:3]) or "what it saved"
        if not self.is_sure:
            return f"A second backward would stop here, at {self.torch}, if it has saved tensors: they are freed."
        return f"A second backward would stop here: {self.torch} needs {what} again, freed at its step."


class Keeping(NamedTuple):
    """What is kept at each position, each array of shape (length + 1,).

    Attributes:
        nodes: how many nodes keep something.
        bytes: of the different tensors that they keep.
    """

    nodes: Sizes
    bytes: Sizes


def second_stop(track: Track, position: int, rules: Rules | None = None) -> Stop | None:
    """Where the same backward would stop if it were called again; None where it would run.

    It goes the same way, so it stops at the first node that has let go of something by then.
    """
    table = TABLE if rules is None else rules
    if track.call is None or not _frees(track.call):
        return None
    nodes = track.recording.nodes
    for step in track.steps[: max(position - track.turn, 0)]:
        node = nodes[step.node]
        if not node.is_leaf:
            op = rule_of(node, table)
            names, is_own = _names(track.recording, node, op), op is None and node.op[:1].isupper()
            if names or is_own:
                return Stop(step.node, _torch_name(node, op), names, not is_own)
    return None


def _frees(call: Sweep) -> bool:
    return not call.retain_graph and not call.create_graph


def _names(recording: Recording, node: Node, op: Op | None) -> tuple[str, ...]:
    if op is None:
        return ()
    return tuple(dict.fromkeys(label(recording, source) for source in saved_slots(recording, node, op)))


def _torch_name(node: Node, op: Op | None) -> str:
    """PyTorch's name of the node of a backward graph."""
    if node.origin is not None and node.origin.backward_node:
        return node.origin.backward_node
    return f"{node.op}Backward" if op is None else op.node_name


def stop_text(track: Track, position: int, node: int, rules: Rules | None = None) -> str:
    """What is said at the node at which a second backward would stop; "" at any other."""
    if not flow.has_run(track, position, node):
        return ""
    stop = second_stop(track, position, rules)
    return "" if stop is None or stop.node != node else stop.text


def keeping(track: Track, rules: Rules | None = None) -> Keeping | None:
    """What is kept at each position; None where it is not known, or the track is too long."""
    table = TABLE if rules is None else rules
    if table is None or track.call is None or len(track.forward) > MOST_NODES:
        return None
    recording, end = track.recording, track.length + 1
    count, size = np.zeros(end + 1, dtype=np.int64), np.zeros(end + 1, dtype=np.int64)
    held: dict[int, tuple[int, int]] = {}
    frees = _frees(track.call)
    for index, number in enumerate(track.forward):
        node = recording.nodes[number]
        if node.is_leaf or not node.requires_grad:
            continue
        op = rule_of(node, table)
        kept = () if op is None else saved_slots(recording, node, op)
        if not kept:
            continue
        since, rank = index + 1, int(track.backward_ranks[index])
        until = rank if frees and rank != NEVER else end
        count[since] += 1
        count[until] -= 1
        for source in kept:
            first, last = held.get(source, (since, until))
            held[source] = min(first, since), max(last, until)
    for source, (first, last) in held.items():
        size[first] += _bytes(recording.nodes[source])
        size[last] -= _bytes(recording.nodes[source])
    return Keeping(np.cumsum(count)[:end], np.cumsum(size)[:end])


def keeping_text(kept: Keeping, position: int) -> str:
    """How much is kept at a position: "3 nodes keep 24 bytes for backward"."""
    nodes, size = int(kept.nodes[position]), int(kept.bytes[position])
    if not nodes:
        return "nothing is kept for backward"
    return f"{nodes:,} {'node keeps' if nodes == 1 else 'nodes keep'} {_size_text(size)} for backward"


def _size_text(size: int) -> str:
    for unit, scale in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= scale:
            return f"{size / scale:.3g} {unit}"
    return f"{size} bytes"


_BYTES = {"bool": 1, "bfloat16": 2}


def _bytes(node: Node) -> int:
    """Of the array of a node."""
    known = _BYTES.get(node.dtype)
    if known is None:
        try:
            known = np.dtype(node.dtype).itemsize
        except TypeError:
            known = 4
    return math.prod(node.shape) * known
