"""The rule of one node: a typeset line per input, with letters and with its numbers, and what the rule keeps.

Knows recordings and rule table entries. Knows no Qt.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from gradviz.playback.formula.arithmetic import formula_holds, rule_gave
from gradviz.playback.formula.formula import Symbol, gradient_of, names_in, takes_numbers, typeset
from gradviz.playback.formula.jacobian import added_axes, is_elementwise
from gradviz.playback.formula.text import GRADIENT, VALUE, Piece, Pieces, plain
from gradviz.playback.names import PARAMETER_LETTERS, in_words_of, input_names, output_name
from gradviz.playback.numbers import literal
from gradviz.playback.words import label
from gradviz.recording import Array, Node, Read, Recording, Sweep

if TYPE_CHECKING:
    from gradviz.ops.op import Op

ARRAY_LIMIT = 26
"""Characters of one array in a formula."""
LINE_LIMIT = 120
"""Characters of a formula with numbers."""
FACTORS = ("alpha", "beta")
"""Parameters that are seldom anything but 1, and are then not written."""


class Line(NamedTuple):
    """The rule for one input.

    Attributes:
        slot: number of the input.
        letters: "∂L/∂a = ∂L/∂y ⊙ b".
        numbers: "[3, 5] = [1, 1] ⊙ [3, 5]"; empty where the numbers are not known yet or are too many, and where they
            do not give what went out.
        is_changed: whether what went out is not what the rule gives.
    """

    slot: int
    letters: Pieces
    numbers: Pieces
    is_changed: bool = False


class Saved(NamedTuple):
    """One tensor that the backward node keeps.

    Attributes:
        name, label: in the rule, and in the picture.
        source: id of the node that it is the value of.
        value: what it was when it was saved, if known.
        read: what the backward step read in its place, where it was changed unseen before; else None.
    """

    name: str
    label: str
    source: int
    value: Array | None
    read: Read | None = None


def input_name(op: Op | None, slot: int) -> str:
    """The name of an input in the formulas; a, b, c where the op has no entry in the rule table."""
    if op is not None and (op.is_variadic or slot < len(op.inputs)):
        return op.input_name(slot)
    return "abcdefghijklm"[slot] if slot < 13 else f"x{slot}"


def formula_for(op: Op, slot: int, node: Node | None = None) -> str:
    """The rule's text for one input, "" where the op has none."""
    if not op.is_variadic and slot >= len(op.vjp):
        return ""
    return op.formula_of(slot, node.params if node is not None else {}, len(node.inputs) if node is not None else 0)


def lines(
    recording: Recording,
    node: Node,
    op: Op,
    incoming: Array | None,
    sent: Sequence[Array | None],
    call: Sweep | None = None,
) -> tuple[Line, ...]:
    """A line for every input that takes a gradient.

    Args:
        incoming: what came in, once the step has run.
        sent: one array per input, once it has run.
        call: the backward call, which knows what was read in the place of recorded values.
    """
    found = []
    for slot, source in enumerate(node.inputs):
        text = formula_for(op, slot, node)
        if not text or not recording.nodes[source].requires_grad:
            continue
        axes = added_axes(recording.nodes[source].shape, node.shape) if is_elementwise(node.op) else ()
        left = Symbol(gradient_of(input_names(recording, node)[slot]), GRADIENT)
        letters = _equation(left, text, _letters(recording, node, op, slot), axes)
        result = sent[slot] if slot < len(sent) else None
        gave = None
        if incoming is not None and result is not None:
            gave = rule_gave(recording, node, op, slot, incoming, result, call)
        numbers: Pieces = ()
        if gave is not False:
            numbers = _with_numbers(_Shown(recording, node, op, text, axes, call), incoming, result, is_sure=bool(gave))
        found.append(Line(slot, letters, numbers, gave is False))
    return tuple(found)


class _Shown(NamedTuple):
    """A formula of one input, to be shown with numbers."""

    recording: Recording
    node: Node
    op: Op
    text: str
    axes: tuple[int, ...]
    call: Sweep | None


def equation_of(recording: Recording, node: Node, op: Op) -> str:
    """What the op computes, without factors that are 1, with what the script calls its tensors."""
    text = op.equation
    for name in FACTORS:
        if node.params.get(name) == 1:
            text = text.replace(f"{name} · ", "").replace(f" / {name}", "")
    return in_words_of(text, called(recording, node, op))


def called(recording: Recording, node: Node, op: Op) -> dict[str, str]:
    """What each letter of a row of the table is called at a node: {"y": "out", "a": "x", "b": "in"}."""
    names = {input_name(op, slot): name for slot, name in enumerate(input_names(recording, node))}
    return names | {"y": output_name(recording, node)}


def _equation(left: Symbol, text: str, names: Mapping[str, Symbol], axes: tuple[int, ...]) -> Pieces:
    right = typeset(text, names)
    if axes:
        # The loop, not the rule, undoes broadcasting; without the sum the line would not be true.
        what = f"axis {axes[0]}" if len(axes) == 1 else f"axes {', '.join(map(str, axes))}"
        summed = (Piece(" "), *right) if len(right) == 1 else (Piece("("), *right, Piece(")"))
        right = (Piece("Σ"), Piece(what, "", -1), *summed)
    return (Piece(left.text, left.role), Piece(" = "), *right)


def _letters(recording: Recording, node: Node, op: Op, slot: int) -> dict[str, Symbol]:
    names = {
        name: Symbol(PARAMETER_LETTERS.get(name, name), "", _is_number(v), 1.0 if name in FACTORS and v == 1 else None)
        for name, v in node.params.items()
    }
    names["slot"] = _parameter(slot)
    out = output_name(recording, node)
    names |= {"g": Symbol(gradient_of(out), GRADIENT, not node.shape), "y": Symbol(out, VALUE, not node.shape)}
    own = input_names(recording, node)
    for number, source in enumerate(node.inputs):
        names[input_name(op, number)] = Symbol(own[number], VALUE, not recording.nodes[source].shape)
    if op.is_variadic:
        names[op.inputs[0]] = names[input_name(op, slot)]
    return names


def _with_numbers(shown: _Shown, incoming: Array | None, result: Array | None, *, is_sure: bool) -> Pieces:
    """The formula with numbers, where they give the result; `is_sure` where the rule is known to have given it."""
    recording, node, op, text, axes, call = shown
    arrays = {"g": (incoming, GRADIENT), "y": (recording.value_read(call, node.id, node.id), VALUE)}
    for slot, source in enumerate(node.inputs):
        arrays[input_name(op, slot)] = (recording.value_read(call, node.id, source), VALUE)
    names = {name: _parameter(value) for name, value in node.params.items()}
    names |= _counted(recording, node)
    used = names_in(text) & arrays.keys()
    left = _numbers(result, GRADIENT)
    if left is None or result is None or incoming is None or not takes_numbers(text, names.keys() | arrays.keys()):
        return ()
    symbols = {name: _numbers(*arrays[name]) for name in used}
    if None in symbols.values():
        return ()
    known = {name: symbol.number for name, symbol in names.items()} | {name: arrays[name][0] for name in used}
    holds = formula_holds(text, known, result, axes)
    if holds is False or (holds is None and not is_sure):
        return ()
    names |= {name: symbol for name, symbol in symbols.items() if symbol is not None}
    pieces = _equation(left, text, names, axes)
    return pieces if len(plain(pieces)) <= LINE_LIMIT else ()


def _counted(recording: Recording, node: Node) -> dict[str, Symbol]:
    """The n of a mean: how many elements go into each result."""
    if not node.inputs:
        return {}
    elements, results = (math.prod(recording.nodes[each].shape) for each in (node.inputs[0], node.id))
    return {"n": _parameter(elements // results)} if results else {}


def _numbers(array: Array | None, role: str) -> Symbol | None:
    text = None if array is None else literal(array, ARRAY_LIMIT)
    return None if array is None or text is None else Symbol(text, role, array.ndim == 0)


def _parameter(value: Any) -> Symbol:
    return Symbol(str(value), "", _is_number(value), value if _is_number(value) else None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def saved(recording: Recording, node: Node, op: Op, call: Sweep | None = None) -> tuple[Saved, ...]:
    """What the node keeps for its backward step, inputs first; with a call that has run it, also what it read of that.

    As PyTorch does it: a tensor that only one input's gradient needs is kept only if that gradient is wanted,
    so x * w with a constant w keeps w and not x.
    """
    names = (*input_names(recording, node), output_name(recording, node))
    slots = [
        (slot, source) for slot, source in enumerate((*node.inputs, node.id)) if _is_kept(recording, node, op, slot)
    ]
    read: Mapping[tuple[int, int], Read] = {} if call is None else call.read
    return tuple(
        [
            Saved(
                *(names[slot], label(recording, source), source, recording.values[source]),
                read.get((node.id, source)),
            )
            for slot, source in slots
        ]
    )


def saved_slots(recording: Recording, node: Node, op: Op) -> tuple[int, ...]:
    """The ids of what `saved` tells of."""
    return tuple([source for slot, source in enumerate((*node.inputs, node.id)) if _is_kept(recording, node, op, slot)])


def _is_kept(recording: Recording, node: Node, op: Op, slot: int) -> bool:
    """Whether an input is kept, or the result, which is the slot after the last."""
    if not node.requires_grad or slot == len(node.inputs):
        return node.requires_grad and "y" in op.saves
    name = input_name(op, slot)
    is_saved = name in op.saves or (op.is_variadic and op.inputs[0] in op.saves)
    return is_saved and _is_wanted(recording, node, op, name)


def _is_wanted(recording: Recording, node: Node, op: Op, name: str) -> bool:
    users = [slot for slot in range(len(node.inputs)) if name in names_in(formula_for(op, slot))]
    return len(users) != 1 or recording.nodes[node.inputs[users[0]]].requires_grad
