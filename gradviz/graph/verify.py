"""Every rule of a recording checked where it was used: against central differences at the recorded values.

A node is linear in dL/dy, so one random v tells whether its rule is right. Moving every element would cost the
square of a tensor's size; a few random directions that move all of them, and a few single elements, find the same
faults at a cost that grows with the size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from gradviz.engine.autograd.function import Call
from gradviz.errors import Unanswered
from gradviz.graph.answer import answering
from gradviz.graph.node import STEP, NodeFunction, row_of, why_not_run, widened
from gradviz.recording import Node, Recording

TOLERANCE = 1e-5
"""Largest error, relative to the derivative where that is above 1."""
EVERY_ELEMENT_UP_TO = 24
MOST_PARTS = 60
"""Parts of a direction that are looked at to find what is wrong in it."""
LARGE = 50_000
"""Elements from which on fewer places are tried, so that a large node stays quick."""
SHARING = 3
"""Inputs from which on they share the places, so that a recurrent layer, which has seven, stays quick."""

OF_THE_ENGINE = {
    "BackwardHookFunction": "the hooks of a module may change the gradient here",
    "output": "one of several outputs",
}
"""Why there is nothing to compare at nodes that PyTorch adds by itself."""

Run = Callable[[Sequence[Any]], tuple[Any, Callable[[Any], Sequence[Any]]]]
"""An op on some inputs: its result, and what sends a v back to each of them."""

WRITING = ("scatter", "index_put")
"""Ops that write the numbers of their last input to places in the first."""
WRITTEN_OVER = "of several numbers for one place the last one stays, and PyTorch's gradient goes to all of them"


class CheckRow(NamedTuple):
    """What the check of one node found.

    Attributes:
        node: id; `op` and `name` as in the recording.
        slot: the input with the largest error, or None where nothing was compared.
        error: the largest difference from central differences, relative to the derivative where that is above 1.
        passed: no error above the tolerance. True where there is nothing to check, False where the rule itself fails.
        kink: at a kink or tie, where the two one-sided derivatives differ; the rule's choice between them is a
            convention, not a fault.
        reason: why nothing was compared, or "".
        sent, measured: where the largest error is, what the rule sends for a random dL/dy, and what differences say;
            None where nothing was compared.
        element: the index there in the input; None where many elements were moved at once.
    """

    node: int
    op: str
    name: str | None
    slot: int | None
    error: float | None
    passed: bool
    kink: bool
    reason: str
    sent: float | None = None
    measured: float | None = None
    element: tuple[int, ...] | None = None


@dataclass(frozen=True)
class _Place:
    """One node made ready: float64 inputs, the random v and what the rules send for it."""

    forward: Callable[..., Any]
    inputs: list[Any]
    y: Any
    v: Any
    sent: tuple[Any, ...]

    def change(self, slot: int, move: Any) -> float:
        """How far v·y goes when one input is moved; NaN where the op has no result there."""
        inputs = list(self.inputs)
        inputs[slot] = inputs[slot] + move
        try:
            return float(np.sum(self.v * (self.forward(*inputs) - self.y)))
        except Unanswered:
            return float("nan")


class _Finding(NamedTuple):
    slot: int
    error: float
    kink: bool
    sent: float | None = None
    measured: float | None = None
    element: tuple[int, ...] | None = None


def check(recording: Recording, custom: Mapping[int, Call] | None = None) -> list[CheckRow]:
    """One row per op node of the recording, in evaluation order.

    Args:
        recording: of any origin.
        custom: the calls of custom Functions by node id, where the run that made the recording is still at hand.
    """
    ops = custom or {}
    return [check_node(recording, node.id, ops.get(node.id)) for node in recording.nodes if not node.is_leaf]


def check_node(recording: Recording, node: int, custom: Call | None = None) -> CheckRow:
    """Compare the rules of one node with central differences in float64 around its recorded inputs.

    A node that cannot be checked passes with a reason; one whose rule ends in an error fails with it. The random
    numbers depend on the node's id alone.
    """
    entry = recording.nodes[node]
    reason = _nothing_to_check(recording, entry, custom)
    if reason:
        return _left_out(entry, reason)
    try:
        with answering(f"{entry.op} does not run on what was recorded"):
            run = _run_of(entry) if custom is None else _run_again(custom, entry)
            return _checked(recording, entry, run)
    except Unanswered as error:
        return _left_out(entry, error.message)


def _checked(recording: Recording, entry: Node, run: Run) -> CheckRow:
    node, inputs = entry.id, [widened(recording.values[source]) for source in entry.inputs]
    y, vjp = run(inputs)
    v = _random_v(entry, y)
    try:
        given = vjp(v)
    except Unanswered as error:
        why = error.__cause__
        if isinstance(why, np.linalg.LinAlgError):
            return _left_out(entry, f"its rule has no numbers here: {why}")
        return CheckRow(node, entry.op, entry.name, None, None, False, False, f"its rule ends in an error: {why}")
    takes = [recording.nodes[source].requires_grad for source in entry.inputs]
    sent = tuple([g if is_taking else None for g, is_taking in zip(given, takes, strict=True)])
    place = _Place(lambda *arrays: run(arrays)[0], inputs, y, v, sent)
    if _sends_to_the_overwritten(entry, place):
        return _left_out(entry, WRITTEN_OVER)
    findings = [found for slot in _slots(recording, entry) for found in _compared(place, slot, node)]
    if not findings:
        flows = any(g is not None for g in sent)
        return _left_out(entry, "not finite here" if flows else "no gradient flows through this result")
    worst = max(findings, key=lambda found: found.error)
    kink = any(found.kink for found in findings)
    numbers = worst.sent, worst.measured, worst.element
    return CheckRow(node, entry.op, entry.name, worst.slot, worst.error, worst.error <= TOLERANCE, kink, "", *numbers)


def _left_out(node: Node, reason: str) -> CheckRow:
    return CheckRow(node.id, node.op, node.name, None, None, True, False, reason)


def _nothing_to_check(recording: Recording, node: Node, custom: Call | None) -> str:
    if node.op in OF_THE_ENGINE:
        return OF_THE_ENGINE[node.op]
    if not list(_slots(recording, node)):
        return "no input takes a gradient"
    reason = why_not_run(recording, node, has_row=custom is None)
    if reason:
        return reason
    if all(recording.values[source].size == 0 for source in _sources(recording, node)):  # type: ignore[union-attr]
        return "no elements"
    return _by_definition(recording, node)


def _by_definition(recording: Recording, node: Node) -> str:
    """Why PyTorch's gradient of a node is no derivative, or ""."""
    if node.op == "embedding" and len(node.inputs) == 2:
        index, padding = recording.values[node.inputs[1]], node.params.get("padding_idx")
        if isinstance(padding, int) and np.any(np.asarray(index) == padding):
            return "the row padding_idx was looked up, and gets no gradient by definition"
    return ""


def _sends_to_the_overwritten(node: Node, place: _Place) -> bool:
    """Whether numbers that do not come into the result, since others went to their places, get a gradient."""
    if node.op not in WRITING or node.params.get("accumulate") or place.sent[-1] is None:
        return False
    x, *others, numbers = place.inputs
    each = np.arange(1.0, numbers.size + 1).reshape(numbers.shape)
    is_lost = ~np.isin(each, place.forward(np.zeros_like(x), *others, each))
    return bool(np.any(np.where(is_lost, place.sent[-1], 0)))


def _slots(recording: Recording, node: Node) -> Iterator[int]:
    return (slot for slot, source in enumerate(node.inputs) if recording.nodes[source].requires_grad)


def _sources(recording: Recording, node: Node) -> list[int]:
    return [node.inputs[slot] for slot in _slots(recording, node)]


def _run_of(node: Node) -> Run:
    """An op of the table on other inputs: its result, and what its rules send back for a v."""
    op = row_of(node)
    assert op is not None, node.op
    function = NodeFunction(node, op, is_exact=True)

    def run(inputs: Sequence[Any]) -> tuple[Any, Callable[[Any], Sequence[Any]]]:
        y = function.forward(inputs)
        return y, lambda v: function.vjp(v, y, inputs)

    return run


def _run_again(call: Call, node: Node) -> Run:
    """A custom Function on other inputs; what it raises is told as what rules raise."""

    def run(inputs: Sequence[Any]) -> tuple[Any, Callable[[Any], Sequence[Any]]]:
        with answering(f"{node.op} does not run on what was recorded", runs_script=True):
            y, vjp = call.run_again(inputs)

        def send(v: Any) -> Sequence[Any]:
            with answering(f"The backward of {node.op} failed", runs_script=True):
                return vjp(v)

        return y, send

    return run


def _random_v(node: Node, y: Any) -> Any:
    size = np.random.default_rng(node.id).uniform(0.5, 1.5, y.shape)
    return np.asarray(size * np.random.default_rng(node.id + 1).choice((-1.0, 1.0), y.shape))[()]


def _compared(place: _Place, slot: int, seed: int) -> Iterator[_Finding]:
    """A finding for each move of one input that gives finite numbers."""
    sent = place.sent[slot]
    if sent is None:
        return
    share = max(1, sum(g is not None for g in place.sent) - SHARING + 1)
    for move in _moves(place.inputs[slot], np.random.default_rng(seed), share):
        found = _finding(place, slot, move, float(np.sum(sent * move)))
        if found is not None:
            yield found if found.error <= TOLERANCE else _narrowed(place, slot, move, found)


def _narrowed(place: _Place, slot: int, move: Any, whole: _Finding) -> _Finding:
    """What is wrong along a direction, sought in ever smaller parts of it.

    Two kinks at once can look like a slope: from 0 along (1, -1), relu(a) - relu(b) rises by 1 on both sides. Each for
    itself is a kink. So a direction is wrong where a single element is, or where no part of it has a kink.
    """
    sent, has_kink, parts = place.sent[slot], False, [(np.flatnonzero(move), whole)]
    for _ in range(MOST_PARTS):
        if not parts:
            break
        part, found = parts.pop()
        if len(part) < 2:
            return found
        for half in np.array_split(part, 2):
            step = np.where(np.isin(np.arange(move.size), half).reshape(move.shape), move, 0.0)
            at_half = _finding(place, slot, step, float(np.sum(sent * step)))
            if at_half is not None:
                has_kink |= at_half.kink
                parts += [(half, at_half)] if at_half.error > TOLERANCE else []
    return _Finding(slot, 0.0, True) if has_kink else whole


def _moves(x: Any, random: np.random.Generator, share: int = 1) -> Iterator[Any]:
    """Single elements, or where there are many, a few of them and a few directions that move all.

    Of an input that shares the places with others, so many fewer.
    """
    chosen: Any = range(x.size)
    if x.size > max(2, EVERY_ELEMENT_UP_TO // share):
        directions, elements = (4, 12) if x.size < LARGE else (2, 2)
        chosen = random.choice(x.size, max(2, elements // share), replace=False)
        for _ in range(max(1, directions // share)):
            yield random.choice((-1.0, 1.0), x.shape) / np.sqrt(x.size)
    for number in chosen:
        move = np.zeros(x.size)
        move[number] = 1.0
        yield move.reshape(x.shape)[()]


def _finding(place: _Place, slot: int, move: Any, rule: float) -> _Finding | None:
    """The rule's derivative along a move against the differences on both sides, with ever smaller steps."""
    x = place.inputs[slot]
    size = max(1.0, float(np.max(np.abs(x[move != 0] if x.ndim else x), initial=0)))
    moved = np.argwhere(move)
    element = tuple(moved[0].tolist()) if len(moved) == 1 else None
    found = None
    middle = 0.0
    for step in (STEP * size, STEP * size / 50):
        up, down = (place.change(slot, sign * step * move) * sign / step for sign in (1, -1))
        if not np.isfinite([up, down, rule]).all():
            continue
        error = abs((up + down) / 2 - rule)
        # A strong curvature looks like a kink from afar; it does not from nearby.
        kink = abs(up - down) > 100 * TOLERANCE * max(1.0, abs(up), abs(down))
        if found is not None and abs(up + down) > 25 * abs(middle) > 0:
            # Fifty times steeper with a step a fiftieth as long: the value jumps, and has no derivative to be wrong.
            return _Finding(slot, 0.0, True)
        middle = up + down
        if kink:
            # Any value between the two one-sided derivatives is a subgradient.
            error = max(min(up, down) - rule, rule - max(up, down), 0.0)
        found = _Finding(slot, error / max(1.0, abs(rule)), kink, rule, middle / 2, element)
        if found.error <= TOLERANCE and not kink:
            break
    return found
