"""Elements that sit on a kink, where the slopes from the two sides differ: which of them the rule takes.

Where a kink may be is known for each op; what the slopes are is measured, by moving one element to either side in
double precision. So nothing is said of an element at which both sides agree. Knows no Qt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.errors import Unanswered
from gradviz.graph.answer import answering
from gradviz.graph.node import NodeFunction, widened
from gradviz.ops.fitting import sum_to
from gradviz.ops.table import TABLE
from gradviz.playback.formula.jacobian import is_elementwise
from gradviz.playback.health.finding import Finding
from gradviz.playback.names import input_names
from gradviz.playback.rules import Rules, rule_of
from gradviz.playback.track import Track
from gradviz.playback.words import number_text
from gradviz.recording import Node

if TYPE_CHECKING:
    from gradviz.ops.op import Kinks, Op

Numbers = np.ndarray[Any, np.dtype[Any]]
Params = Mapping[str, Any]

MOST_NUMBERS = 10_000
"""Elements of an input up to which kinks are looked for."""
PYTORCH = "PyTorch 2.13"
"""Whose conventions the rules of the table are."""
_STEP = 2.0**-20
"""By how much an element is moved: a power of two, so that the difference of two numbers is exact."""
_SAME = 1e-3


@dataclass(frozen=True)
class Kink:
    """An element of an input at a kink.

    Attributes:
        slot: number of the input.
        index: of the element.
        number: its value.
        left, right: the slopes of the result there from below and from above.
        taken: the slope that the rule takes.
        count: how many elements of the input are at a kink.
        is_tie: whether it is equal to another element, as against being at a fixed place.
        elsewhere: what another framework takes there, if its documentation says so.
    """

    slot: int
    index: tuple[int, ...]
    number: float
    left: float
    right: float
    taken: float
    count: int
    is_tie: bool
    elsewhere: str = ""


def kinks_of(track: Track, node: int, rules: Rules | None = None) -> tuple[Kink, ...]:
    """The first kink of each input that takes a gradient; empty for an op without any, and where values are missing."""
    recording, entry = track.recording, track.recording.nodes[node]
    op = rule_of(entry, TABLE if rules is None else rules)
    if op is None or op.kinks is None:
        return ()
    values = [recording.values[source] for source in entry.inputs]
    if recording.values[node] is None or any(value is None for value in values):
        return ()
    arrays = [np.asarray(value) for value in values if value is not None]
    if any(array.size > MOST_NUMBERS or array.dtype.kind == "c" for array in arrays):
        return ()
    found = []
    for slot, source in enumerate(entry.inputs):
        if not recording.nodes[source].requires_grad or op.rule_of(slot) is None:
            continue
        try:
            with answering("no places"):
                places = op.kinks.places(slot, arrays, entry.params)
        except Unanswered:  # params that no run has, from a file
            return ()
        kink = None if places is None or not places.any() else _measured(entry, op, op.kinks, slot, arrays, places)
        if kink is not None:
            found.append(kink)
    return tuple(found)


def kink_findings(track: Track, position: int, node: int, rules: Rules | None = None) -> tuple[Finding, ...]:
    """What is said of kinks at a node, once it is computed."""
    index = track.index_of.get(node)
    if index is None or index >= position:
        return ()
    entry = track.recording.nodes[node]
    names = input_names(track.recording, entry)
    return tuple([Finding(_text(entry, names, kink)) for kink in kinks_of(track, node, rules)])


def _text(node: Node, names: Sequence[str], kink: Kink) -> str:
    name = f"{names[kink.slot]}{list(kink.index) if kink.index else ''}"
    what = "a tie" if kink.is_tie else "a kink"
    others = kink.count - 1
    more = f", as {'is' if others == 1 else 'are'} {others:,} more" if others else ""
    left, right, taken = map(number_text, (kink.left, kink.right, kink.taken))
    slopes = f"the slopes from the left and right are {left} and {right}"
    said = (
        f"{name} = {number_text(kink.number)} is at {what} of {node.op}{more}. {PYTORCH} takes {taken} here; {slopes}."
    )
    return f"{said} {kink.elsewhere}." if kink.elsewhere else said


# ---- the slopes -----------------------------------------------------------------------------------------------------


def _measured(node: Node, op: Op, kinks: Kinks, slot: int, arrays: Sequence[Numbers], places: Numbers) -> Kink | None:
    """The first of some places at which the slopes differ, with the slope that the rule takes."""
    wide = [widened(array) for array in arrays]
    indices = [tuple(int(i) for i in each) for each in np.argwhere(places)] if places.ndim else [()]
    try:
        function = NodeFunction(node, op)
        with answering("no slopes"):
            y = np.asarray(function.forward([each[()] for each in wide]))
            given = _slope_taken(function, slot, wide, y)
            for index in indices[:8]:
                left, right = (_slope(function, slot, wide, y, index, step) for step in (-_STEP, _STEP))
                if math.isfinite(left) and math.isfinite(right) and abs(left - right) > _SAME:
                    number = float(wide[slot][index])
                    return Kink(
                        slot,
                        index,
                        number,
                        left,
                        right,
                        float(given[index]),
                        len(indices),
                        kinks.is_tie,
                        kinks.elsewhere,
                    )
    except Unanswered:
        return None
    return None


def _slope(
    function: NodeFunction, slot: int, wide: Sequence[Numbers], y: Numbers, index: tuple[int, ...], step: float
) -> float:
    """How fast the results move, all together, when one element of an input is moved by a step."""
    moved = [np.array(each) if at == slot else each for at, each in enumerate(wide)]
    moved[slot][index] += step
    after = np.asarray(function.forward([each[()] for each in moved]))
    slope = float((after - y).sum() / step)
    return float(f"{slope:.6g}") + 0.0  # a zero without a sign


def _slope_taken(function: NodeFunction, slot: int, wide: Sequence[Numbers], y: Numbers) -> Numbers:
    """What the rule sends to each element where 1 comes in everywhere."""
    sent = np.asarray(function.slopes(slot, y, [each[()] for each in wide]))
    return np.asarray(sum_to(sent, wide[slot].shape)) if is_elementwise(function.node.op) else sent
