"""What was recorded against the rules of gradviz's own engine: where real PyTorch computed something else.

Each node is looked at for itself: its recorded inputs go through our forward, its recorded incoming gradient through
our rules. So a difference stands where it arose, and is not carried along.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradviz.errors import Unanswered
from gradviz.graph.answer import answering
from gradviz.graph.node import NodeFunction, row_of, why_not_run
from gradviz.recording import OUTPUT, Array, Node, Recording, Step

TOLERANCES = {
    "float64": 1e-9,
    "complex128": 1e-9,
    "float16": 1e-2,
    "bfloat16": 2e-2,
    **dict.fromkeys(("int64", "int32", "int16", "int8", "uint8", "bool"), 0.0),
}
"""Largest difference by dtype, relative to the largest number of what is compared."""
TOLERANCE = 2e-4
"""The same of float32 and the rest: libraries add in other orders."""
RANDOM = frozenset(
    {"dropout", "native_dropout", "feature_dropout", "alpha_dropout", "bernoulli", "rrelu", "multinomial"}
)


class Compared(NamedTuple):
    """What the comparison of one node found.

    Attributes:
        node: id.
        difference: the largest, relative to the largest number of what is compared; None where nothing was compared.
        what: where the largest difference is: "the value", "the gradient of input 1"; "" where nothing was compared.
        differs: whether it is above the tolerance.
        reason: why nothing was compared, or "".
    """

    node: int
    difference: float | None
    what: str
    differs: bool
    reason: str = ""


def compare(recording: Recording, sweep: int | None, cancelled: Callable[[], bool] = lambda: False) -> list[Compared]:
    """One row for each op node of the picture of a sweep, in evaluation order.

    Args:
        recording: of any origin.
        sweep: which backward pass; None to compare values only.
        cancelled: asked before each node; True ends it early.
    """
    call = None if sweep is None else recording.sweeps[sweep]
    rows = []
    for id in recording.picture(sweep):
        node = recording.nodes[id]
        if node.is_leaf or node.op == OUTPUT:
            continue
        if cancelled():
            break
        order = None if call is None else call.step_of.get(id)
        step = None if call is None or order is None or id in call.hooked else call.steps[order]
        rows.append(_compared(recording, node, step))
    return rows


def _compared(recording: Recording, node: Node, step: Step | None) -> Compared:
    reason = no_forward(recording, node)
    if reason:
        return Compared(node.id, None, "", False, reason)
    try:
        with answering("our rule cannot be fed what was recorded"):
            found = list(_differences(recording, node, step))
    except Unanswered as error:
        return Compared(node.id, None, "", False, f"our rule cannot be fed what was recorded: {error.__cause__}")
    if not found:
        return Compared(node.id, None, "", False, "neither its value nor its gradients were kept")
    difference, what = max(found)
    dtypes = (node.dtype, *(recording.nodes[source].dtype for source in node.inputs))
    return Compared(node.id, difference, what, difference > max(TOLERANCES.get(each, TOLERANCE) for each in dtypes))


def no_forward(recording: Recording, node: Node) -> str:
    """Why our forward cannot be fed what was recorded at a node; "" where it can."""
    if node.op in RANDOM:
        return "it draws random numbers"
    return why_not_run(recording, node)


def _differences(recording: Recording, node: Node, step: Step | None) -> Iterator[tuple[float, str]]:
    op = row_of(node)
    assert op is not None
    function = NodeFunction(node, op)
    inputs = [recording.values[source] for source in node.inputs]
    value = recording.values[node.id]
    y = function.forward(inputs) if value is None or not _wrote_over_input(node) else value
    if value is not None and not _wrote_over_input(node):
        yield _difference(y, value), "the value"
    if step is None or step.incoming is None:
        return
    y = y if value is None else value
    rounding = _rounding(step.incoming, inputs)
    ours = function.vjp(step.incoming, y, inputs, [sent is not None for sent in step.outgoing])
    for slot, (own, sent) in enumerate(zip(ours, step.outgoing, strict=True)):
        if own is not None:
            yield _difference(own, sent, rounding), f"the gradient of input {slot}"


def _wrote_over_input(node: Node) -> bool:
    """Whether the input that was recorded may be the one after the op, since that wrote over it."""
    return node.origin is not None and node.origin.in_place


def _rounding(incoming: Array, inputs: Sequence[Array | None]) -> float:
    """What sums of products of these may be off by, added in another order, where nearly all of it cancels.

    A bias in front of a batch norm has such a gradient: it would be 0.
    """
    g = np.abs(np.asarray(incoming, dtype=np.float64)).ravel()
    largest = max((float(np.max(np.abs(x), initial=0.0)) for x in inputs if x is not None), default=0.0)
    off = 4 * float(np.finfo(np.float32).eps) * float(g.sum()) * max(1.0, largest)
    return off if np.isfinite(off) and np.asarray(incoming).dtype == np.float32 else 0.0


def _difference(ours: Any, theirs: Any, rounding: float = 0.0) -> float:
    """The largest, relative to the largest finite number; infinite where shapes or what is not finite differ.

    Args:
        rounding: what is no difference.
    """
    a, b = np.asarray(ours), np.asarray(theirs)
    if a.shape != b.shape:
        return float("inf")
    if not a.size:
        return 0.0
    wide = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    a, b = a.astype(wide), b.astype(wide)
    odd = ~np.isfinite(b)
    if not np.array_equal(odd, ~np.isfinite(a)):
        return float("inf")
    a, b = a[~odd], b[~odd]
    largest = float(np.max(np.abs(b), initial=0.0))
    apart = float(np.max(np.abs(a - b), initial=0.0))
    if apart <= rounding:
        return 0.0
    return apart if not largest else apart / largest
