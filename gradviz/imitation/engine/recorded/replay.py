"""Another v sent through a recorded graph, by the same reverse loop that ran when it was recorded.

The recording may come from a file: its values and params are put on a tape again, up to the output asked for.
What the script's own hooks did to gradients is not repeated, for they are not part of a recording.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.autograd import backward
from gradviz.imitation.engine.dtypes import HALVES, LATE, dtype_named
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.recorded.entries import entry_of
from gradviz.imitation.engine.recorded.params import thawed
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.tensor import NO_PARAMS, UNEVEN, Tape, constant
from gradviz.errors import GradvizError
from gradviz.imitation.freeze import freeze_sweep
from gradviz.recording import Node, Recording, Sweep

RUN_AGAIN = "Run the script with this v instead: y.backward(v)."


def sweep_of(recording: Recording, output: int, seed: Any) -> Sweep:
    """The backward pass of v from one node of a recording; the recording itself is not changed.

    Args:
        output: id of the node to start from.
        seed: v, of the node's shape; taken in the node's dtype.

    Returns:
        A sweep as if it were the first: every `.grad` was None before it.

    Raises:
        GradvizError: v has another shape, the node takes no gradient, or a node on the way cannot be run backward.
    """
    node = recording.nodes[output]
    v = np.asarray(seed, dtype=dtype_named(node.dtype))
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
    tape = tape_of(recording, output)
    with tape.recording():
        try:
            done = backward([tape.entries[output]], [tape.tensor(v[()])])
        except GradvizError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise GradvizError(f"v cannot be sent back from {described(node)}: {error}", hint=RUN_AGAIN) from error
    sweep = freeze_sweep(done)
    tape.close()
    return sweep


def tape_of(recording: Recording, output: int) -> Tape:
    """A tape with the entries of a recording up to `output`; what the output does not depend on is left empty.

    Raises:
        GradvizError: a node on the way has no rule, or a value that its rule needs is missing.
    """
    tape = Tape()
    wanted = set(_ways(recording, output))
    for node, value in zip(recording.nodes[: output + 1], recording.values, strict=False):
        entry = constant(_placeholder(node) if value is None else _as_computed(node, value), tape)
        entry.index = node.id
        if node.id in wanted:
            entry.requires_grad = True
            if not node.is_leaf:
                entry.op = rule_of(recording, node)
                entry.inputs = node.inputs
                entry.params = _params(recording, node, entry.op)
        tape.entries.append(entry)
        tape.by_node |= entry.data.dtype in HALVES
    return tape


def _ways(recording: Recording, output: int) -> list[int]:
    """Ids of the nodes that a gradient from `output` comes to."""
    nodes = recording.nodes
    reached = bytearray(output + 1)
    reached[output] = 1
    for node in reversed(nodes[: output + 1]):
        if reached[node.id]:
            for source in node.inputs:
                reached[source] |= nodes[source].requires_grad
    return [number for number, is_reached in enumerate(reached) if is_reached]


def _placeholder(node: Node) -> Any:
    """Stands where a value is not known and not needed: its shape and dtype are."""
    return np.broadcast_to(np.zeros((), dtype_named(node.dtype)), node.shape)[()]


def _as_computed(node: Node, value: Any) -> Any:
    """A value in the dtype that the script computed it in; a recording has bfloat16 as float32."""
    return value.astype(dtype_named(node.dtype)) if node.dtype in LATE else value


def rule_of(recording: Recording, node: Node) -> Op:
    """The entry of the rule table for a node.

    Raises:
        GradvizError: there is none, or a value that the rule needs is missing.
    """
    op = entry_of(node, OPS)
    if op is None:
        raise GradvizError(f"{described(node)} has no derivative rule here", hint=RUN_AGAIN, line=node.line)
    if not op.is_variadic and len(node.inputs) != len(op.inputs):
        raise GradvizError(
            f"{described(node)} has {len(node.inputs)} inputs, but '{op.name}' takes {len(op.inputs)}", hint=RUN_AGAIN
        )
    needs = [recording.nodes[source].requires_grad for source in node.inputs]
    for name, source in [(op.input_name(i), source) for i, source in enumerate(node.inputs)] + [("y", node.id)]:
        if recording.values[source] is None and op.keeps(name, needs):
            raise GradvizError(
                f"the value of {described(recording.nodes[source])} is not part of the recording, "
                f"but {described(node)} needs it",
                hint=RUN_AGAIN,
            )
    return op


def _params(recording: Recording, node: Node, op: Op) -> dict[str, Any]:
    if op.plain_inputs:
        kinds = {(recording.nodes[i].shape, recording.nodes[i].dtype) for i in node.inputs}
        return NO_PARAMS if len(kinds) == 1 else UNEVEN
    try:
        return thawed(op, node.params, node.dtype)
    except ValueError as error:
        raise GradvizError(f"the params of {described(node)} cannot be read: {error}", hint=RUN_AGAIN) from error


def described(node: Node) -> str:
    """E.g. "node 7 ('loss', mul)"."""
    name = f"'{node.name}', " if node.name else ""
    return f"node {node.id} ({name}{node.op})"
