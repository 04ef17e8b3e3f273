"""One node of a finished run as a function of arrays: its op forward, and its rules backward."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradviz.graph.answer import Missing, answering
from gradviz.ops.fitting import fit
from gradviz.ops.op import Op
from gradviz.ops.params import thaw
from gradviz.ops.table import TABLE
from gradviz.recording import Array, Node, Recording, Sweep

STEP = float(np.finfo(np.float64).eps ** (1 / 3))
"""Relative step of central differences: where the errors of truncation and rounding are equally small."""


def described(node: Node) -> str:
    """E.g. "node 7 ('loss', mul)"."""
    name = f"'{node.name}', " if node.name else ""
    return f"node {node.id} ({name}{node.op})"


def row_of(node: Node) -> Op | None:
    """The row of the table for a node; None where there is none, as for a custom Function."""
    return TABLE.find(node.op, len(node.inputs), node.params)


def why_not_run(recording: Recording, node: Node, *, has_row: bool = True) -> str:
    """Why a node cannot be run again on what was recorded; "" where it can.

    Args:
        recording: which the node is of.
        node: no leaf.
        has_row: whether it must be an op of the table, as against a custom Function that is still at hand.
    """
    if node.origin is not None and node.origin.outputs:
        return "each of its outputs has a node of its own"
    if any(recording.nodes[id].dtype.startswith("complex") for id in (node.id, *node.inputs)):
        return "complex numbers have no rules here"
    if has_row and row_of(node) is None:
        return "no rule in the table"
    if any(recording.values[source] is None for source in node.inputs):
        return "the value of an input was not kept"
    return ""


def stored_dtype(node: Node) -> np.dtype[Any]:
    """The dtype of a node's array; numpy has no bfloat16, and every bfloat16 is a float32."""
    found = np.dtype(node.dtype if node.dtype in np.sctypeDict else "float32")
    return found if found.kind in "fiub" else np.dtype("float32")


def stand_in(node: Node, number: float = 0.0) -> Any:
    """In the place of a value that was not kept, for rules that read its shape alone."""
    dtype = stored_dtype(node)
    return np.broadcast_to(np.full((), number, dtype if dtype.kind == "f" else np.float32), node.shape)[()]


def unrounded(op: Op, params: Mapping[str, Any]) -> dict[str, Any]:
    """The params with which an op is run in float64: a cast goes there too, since rounding has no derivative."""
    return {**params, "dtype": "float64"} if op.name == "to" else dict(params)


def widened(array: Any) -> Any:
    """An array of floats in float64; others as they are."""
    return array.astype(np.float64) if array.dtype.kind == "f" else array


class NodeFunction:
    """A node of a recording as its op with its params.

    Attributes:
        node: of the recording.
        op: its row of the table.
        params: as forward and rules take them.

    Raises:
        Unanswered: the params cannot be those of any op.
    """

    __slots__ = ("node", "op", "params")

    def __init__(self, node: Node, op: Op, *, is_exact: bool = False) -> None:
        self.node, self.op = node, op
        with answering(f"The params of {described(node)} cannot be read"):
            params = thaw(node.params)
        self.params = unrounded(op, params) if is_exact else params

    def forward(self, inputs: Sequence[Any]) -> Any:
        """The result for some inputs.

        Raises:
            Unanswered: the op does not run on them.
        """
        with answering(f"{self.node.op} does not run on what was recorded"):
            return self.op.forward(*inputs, **self.params)

    def rule(self, slot: int, g: Any, y: Any, inputs: Sequence[Any]) -> Any:
        """What the rule of one input gives for dL/dy, broadcast as it may be; None where the input has no rule.

        Raises:
            Unanswered: the rule cannot be called with these.
        """
        with answering(f"The rule of {self.node.op} cannot be called with what was recorded"):
            rule = self.op.rule_of(slot)
            return None if rule is None else rule(g, y, *inputs, **self.params)

    def slopes(self, slot: int, y: Any, inputs: Sequence[Any]) -> Any:
        """What the rule of one input gives for a dL/dy of ones; of an elementwise op all of its Jacobian."""
        with answering(f"{self.node.op} has too many numbers"):
            ones = np.ones_like(y)[()]
        return self.rule(slot, ones, y, inputs)

    def vjp(
        self, g: Any, y: Any, inputs: Sequence[Any], takes: Sequence[bool] | None = None
    ) -> tuple[Array | None, ...]:
        """What goes out to each input for dL/dy, in its shape and dtype; None where no gradient flows.

        Args:
            g: dL/dy, of the shape of the result.
            y: the result.
            inputs: what the node was computed from.
            takes: for each input whether it takes a gradient; None where all do.

        Raises:
            Unanswered: a rule cannot be called with these.
        """
        sent: list[Array | None] = []
        with answering(f"The rule of {self.node.op} cannot be called with what was recorded"):
            for slot, (x, rule) in enumerate(zip(inputs, self.op.rules(len(inputs)), strict=True)):
                out = None
                if rule is not None and (takes is None or takes[slot]):
                    out = rule(g, y, *inputs, **self.params)
                sent.append(None if out is None else fit(out, x))
        return tuple(sent)

    def values_read(self, recording: Recording, call: Sweep | None = None) -> tuple[Any, list[Any]]:
        """The result and the inputs as the node's step read them; zeros for those that its rules have no need of.

        Raises:
            Unanswered: one that a rule needs was not kept; it has the missing node's id as `node`.
        """
        found = []
        for slot, source in enumerate((*self.node.inputs, self.node.id)):
            value = recording.value_read(call, self.node.id, source)
            if value is None:
                name = "y" if source == self.node.id else self.op.input_name(slot)
                if name in self.op.saves or (self.op.is_variadic and self.op.inputs[0] in self.op.saves):
                    raise Missing(source)
                value = stand_in(recording.nodes[source])
            found.append(np.asarray(value)[()])
        return found[-1], found[:-1]
