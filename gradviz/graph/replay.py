"""Another v sent through a recorded graph, by the same reverse loop; the recording may come from a file.

What the script's own hooks did to gradients is not repeated, for they are not part of a recording.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.engine.autograd.function import Call
from gradviz.engine.backward import Pass
from gradviz.engine.saved import keeps
from gradviz.engine.state import state
from gradviz.engine.sweep import Sweep as Record
from gradviz.engine.tensor import Tensor, constant, number_next
from gradviz.errors import GradvizError, Unanswered
from gradviz.graph.answer import answering
from gradviz.graph.node import NodeFunction, described, row_of, stand_in, stored_dtype
from gradviz.graph.order import leaves_when_ready
from gradviz.recording import OUTPUT, Accumulation, Node, Recording, Step, Sweep, shape_text

RUN_AGAIN = "Run the script with this v instead: y.backward(v)."

ONE_PASS = threading.Lock()
"""Held while a pass runs: the engine of a process knows of one at a time, and a window asks from several threads."""

MOST_NUMBERS = 2**28
"""In the gradients of one replay: a gigabyte of float32. The shapes in a file may claim more than any memory holds."""


def add_sweep(recording: Recording, output: int, seed: Any) -> Recording:
    """The recording with one more sweep at its end: v·J from one of its nodes. See `sweep_of`."""
    return replace(recording, sweeps=(*recording.sweeps, sweep_of(recording, output, seed)))


def sweep_of(recording: Recording, output: int, seed: Any) -> Sweep:
    """The backward pass of v from one node of a recording; the recording itself is not changed.

    Args:
        recording: of any origin.
        output: id of the node to start from.
        seed: v, of the node's shape; taken in the node's dtype.

    Returns:
        A sweep as if it were the first: every `.grad` was None before it.

    Raises:
        GradvizError: v has another shape, the node takes no gradient, or a node on the way cannot be run backward.
    """
    v = checked_seed(recording.nodes[output], seed)
    entries = entries_of(recording, output)
    return sweep_back(recording, output, entries, v)


def sweep_back(recording: Recording, output: int, entries: Mapping[int, Tensor], v: Any) -> Sweep:
    """The pass of v from one node through entries: those of the run, or some that were made of its recording.

    Raises:
        Unanswered: a rule, or the script's own backward, fails.
    """
    record = Record((entries[output],), (v,), retain_graph=True)
    leaves = {x for x in entries.values() if x.op is None and x.tracked}
    run_pass(record, leaves, f"v cannot be sent back from {described(recording.nodes[output])}", hint=RUN_AGAIN)
    return freeze_replayed(record, {entry: i for i, entry in entries.items()}, recording.nodes)


def run_pass(
    record: Record,
    asked: Iterable[Tensor],
    what: str,
    *,
    hint: str = "",
    listen: Callable[[Tensor | None, Tensor], None] | None = None,
) -> dict[Tensor, Any]:
    """One run of the reverse loop, also through what the script's own passes have freed.

    Args:
        record: the pass, which is filled in.
        asked: the entries whose gradients are wanted.
        what: what cannot be done where a rule fails: the beginning of the sentence.
        hint: what to do then.
        listen: is told of each entry that the pass makes, and at which entry it is then.

    Returns:
        What came in at the entries asked for.

    Raises:
        Unanswered: a rule, or the script's own backward, fails.
    """
    with ONE_PASS, answering(what, hint=hint, runs_script=True):
        work = Pass(record, set(asked))
        watched, state.detects_anomaly = state.detects_anomaly, False  # NaN is an answer here
        heard = state.on_entry
        if listen is not None:
            state.on_entry = lambda entry: listen(record.at, entry)
        try:
            work.run_freed()
        finally:
            state.detects_anomaly, state.on_entry = watched, heard
    return work.found


def freeze_replayed(record: Record, ids: Mapping[Tensor, int], nodes: tuple[Node, ...]) -> Sweep:
    """A pass as a sweep, given the node of each entry; every `.grad` was None before it."""
    steps = [Step(ids[entry], g, tuple(sent)) for entry, g, *sent in record.steps if entry in ids]
    accumulated = [Accumulation(step.node, None, step.incoming) for step in steps if nodes[step.node].is_leaf]
    return Sweep(
        tuple([ids[output] for output in record.outputs]), record.seeds, tuple(leaves_when_ready(steps, list(nodes))),
        tuple(accumulated), retain_graph=record.retain_graph,
        hooked=frozenset({ids[entry] for entry in record.hooked if entry in ids} & {step.node for step in steps}),
    )  # fmt: skip


def checked_seed(node: Node, seed: Any) -> Any:
    """A v in the dtype of a node.

    Raises:
        GradvizError: it has another shape, or the node takes no gradient.
    """
    v = np.asarray(seed, dtype=stored_dtype(node))[()]
    if v.shape != node.shape:
        raise GradvizError(
            f"v has shape {shape_text(v.shape)}, but {described(node)} has shape {shape_text(node.shape)}",
            hint="v must have the shape of the output.",
        )
    if not node.requires_grad:
        raise GradvizError(
            f"no gradient flows from {described(node)}: it depends on no tensor with requires_grad=True",
            hint="Choose another output.",
        )
    return v


def entries_of(recording: Recording, output: int) -> dict[int, Tensor]:
    """The entries that a node depends on, by id, made from what was recorded.

    Raises:
        Unanswered: a node on the way has no rule, a value that its rule needs is missing, or it is all too large.
    """
    made: dict[int, Tensor] = {}
    wanted = _reached(recording, output)
    if sum(math.prod(recording.nodes[i].shape) for i in wanted) > MOST_NUMBERS:
        what = described(recording.nodes[output])
        raise Unanswered(f"v cannot be sent back from {what}: the gradients would be too large", hint=RUN_AGAIN)
    for i in recording.ancestors([output]):
        node, value = recording.nodes[i], recording.values[i]
        x = constant(stand_in(node) if value is None else value)
        if node.dtype.startswith("complex"):
            raise Unanswered(f"{described(node)} holds complex numbers, which have no rules here", hint=RUN_AGAIN)
        if i in wanted:
            x.tracked = True
            if not node.is_leaf:
                op = row_of(node)
                if op is None:
                    what = f"{described(node)} has no derivative rule here"
                    raise Unanswered(what, hint=RUN_AGAIN, line=node.line)
                x.op, x.params = op, NodeFunction(node, op).params
                x.inputs = tuple([made[source] for source in node.inputs])
                x.index = number_next()
                _check_values(recording, node, x)
        made[i] = x
    return made


def _reached(recording: Recording, output: int) -> set[int]:
    """The nodes that a gradient from `output` comes to."""
    reached, waiting = {output}, [output]
    while waiting:
        for source in recording.nodes[waiting.pop()].inputs:
            if source not in reached and recording.nodes[source].requires_grad:
                reached.add(source)
                waiting.append(source)
    return reached


def _check_values(recording: Recording, node: Node, x: Tensor) -> None:
    assert x.op is not None
    op = x.op
    for name, source in [*((op.input_name(i), source) for i, source in enumerate(node.inputs)), ("y", node.id)]:
        if recording.values[source] is None and keeps(x, name):
            raise Unanswered(
                f"the value of {described(recording.nodes[source])} is not part of the recording, but "
                f"{described(node)} needs it",
                hint=RUN_AGAIN,
            )


def call_of(entry: Tensor) -> Call | None:
    """The call of a custom Function that made an entry; None of other ops, and of one output of several."""
    call = None if entry.op is None or entry.op.name == OUTPUT else getattr(entry.op.joint, "__self__", None)
    return call if isinstance(call, Call) else None
