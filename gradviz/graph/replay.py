"""Another v sent through a recorded graph, by the same reverse loop; the recording may come from a file.

What the script's own hooks did to gradients is not repeated, for they are not part of a recording.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.engine.backward import Pass
from gradviz.engine.saved import keeps
from gradviz.engine.sweep import Sweep as Record
from gradviz.engine.tensor import Tensor, constant, number_next
from gradviz.errors import GradvizError
from gradviz.graph.order import leaves_when_ready
from gradviz.ops.op import Op
from gradviz.ops.params import thaw
from gradviz.ops.table import TABLE
from gradviz.recording import Accumulation, Node, Recording, Step, Sweep

RUN_AGAIN = "Run the script with this v instead: y.backward(v)."

FAILURES = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RuntimeError, MemoryError)
"""Of rules that are fed what a file says: it may give an op other params and shapes than it ever has."""

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
    ids = {entry: i for i, entry in entries.items()}
    record = Record((entries[output],), (v,), retain_graph=True)
    with ONE_PASS, np.errstate(all="ignore"):
        try:
            Pass(record).run()
        except FAILURES as error:
            what = described(recording.nodes[output])
            raise GradvizError(f"v cannot be sent back from {what}: {error}", hint=RUN_AGAIN) from error
    return freeze_replayed(record, ids, recording.nodes)


def freeze_replayed(record: Record, ids: Mapping[Tensor, int], nodes: tuple[Node, ...]) -> Sweep:
    """A pass as a sweep, given the node of each entry; every `.grad` was None before it."""
    steps = [Step(ids[entry], g, tuple(sent)) for entry, g, *sent in record.steps if entry in ids]
    accumulated = [Accumulation(step.node, None, step.incoming) for step in steps if nodes[step.node].is_leaf]
    return Sweep(
        tuple([ids[output] for output in record.outputs]), record.seeds, tuple(leaves_when_ready(steps, list(nodes))),
        tuple(accumulated), retain_graph=record.retain_graph,
        hooked=frozenset({ids[entry] for entry in record.hooked if entry in ids} & {step.node for step in steps}),
    )  # fmt: skip


def _stored(node: Node) -> np.dtype[Any]:
    """The dtype of the node's array; numpy has no bfloat16, and every bfloat16 is a float32."""
    found = np.dtype(node.dtype if node.dtype in np.sctypeDict else "float32")
    return found if found.kind in "fiub" else np.dtype("float32")


def checked_seed(node: Node, seed: Any) -> Any:
    """A v in the dtype of a node.

    Raises:
        GradvizError: it has another shape, or the node takes no gradient.
    """
    v = np.asarray(seed, dtype=_stored(node))[()]
    if v.shape != node.shape:
        raise GradvizError(
            f"v has shape {list(v.shape)}, but {described(node)} has shape {list(node.shape)}",
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
        GradvizError: a node on the way has no rule, a value that its rule needs is missing, or it is all too large.
    """
    made: dict[int, Tensor] = {}
    wanted = _reached(recording, output)
    if sum(math.prod(recording.nodes[i].shape) for i in wanted) > MOST_NUMBERS:
        what = described(recording.nodes[output])
        raise GradvizError(f"v cannot be sent back from {what}: the gradients would be too large", hint=RUN_AGAIN)
    for i in recording.ancestors([output]):
        node, value = recording.nodes[i], recording.values[i]
        x = constant(np.broadcast_to(np.zeros((), _stored(node)), node.shape)[()] if value is None else value)
        if node.dtype.startswith("complex"):
            raise GradvizError(f"{described(node)} holds complex numbers, which have no rules here", hint=RUN_AGAIN)
        if i in wanted:
            x.tracked = True
            if not node.is_leaf:
                x.op = rule_of(node)
                x.inputs = tuple([made[source] for source in node.inputs])
                x.params = thaw(node.params)
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


def rule_of(node: Node) -> Op:
    """The row of the table for a node.

    Raises:
        GradvizError: there is none.
    """
    op = TABLE.find(node.op, len(node.inputs), node.params)
    if op is None:
        raise GradvizError(f"{described(node)} has no derivative rule here", hint=RUN_AGAIN, line=node.line)
    return op


def _check_values(recording: Recording, node: Node, x: Tensor) -> None:
    assert x.op is not None
    op = x.op
    for name, source in [*((op.input_name(i), source) for i, source in enumerate(node.inputs)), ("y", node.id)]:
        if recording.values[source] is None and keeps(x, name):
            raise GradvizError(
                f"the value of {described(recording.nodes[source])} is not part of the recording, but "
                f"{described(node)} needs it",
                hint=RUN_AGAIN,
            )


def described(node: Node) -> str:
    """E.g. "node 7 ('loss', mul)"."""
    name = f"'{node.name}', " if node.name else ""
    return f"node {node.id} ({name}{node.op})"
