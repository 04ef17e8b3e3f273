"""One sentence on the Jacobian of an op: what it looks like, and that backward never builds it.

A table from op to kind and from kind to sentence. Knows no Qt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradviz.errors import Unanswered
from gradviz.graph.node import NodeFunction
from gradviz.ops.table import TABLE
from gradviz.playback.names import output_name
from gradviz.playback.numbers import in_words
from gradviz.playback.words import label, shape_text
from gradviz.recording import Array, Node, Recording, Sweep

if TYPE_CHECKING:
    from gradviz.ops.op import Op

DIAGONAL_LIMIT = 4
"""Elements of a diagonal that are spelled out."""


def kind_of(op_name: str) -> str:
    """What kind of Jacobian an op has, e.g. "sum"; "" where it is of none."""
    return TABLE.kind_of(op_name)


def is_elementwise(op_name: str) -> bool:
    """Whether each element of the result depends on one element of each input (after broadcasting)."""
    return kind_of(op_name) == "elementwise"


def can_broadcast(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether `shape` broadcasts to `target`. A loaded file may say of a mul that it does not."""
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all(size in (1, wanted) for size, wanted in pairs)


def added_axes(shape: tuple[int, ...], target: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of `target` that broadcasting added to `shape` or stretched: (3, 1) to (2, 3, 4) gives (0, 2).

    None where `shape` does not broadcast to `target`.
    """
    if not can_broadcast(shape, target):
        return ()
    extra = len(target) - len(shape)
    stretched = [extra + axis for axis, size in enumerate(shape) if size == 1 and target[extra + axis] != 1]
    return (*range(extra), *stretched)


_TEXTS = {
    "copy": "The Jacobian is the identity: the gradient passes through unchanged.",
    "sum": (
        "Every element of the input gets the ∂L/∂y of the sum it went into; "
        "the {matrix} Jacobian of ones and zeros is never built."
    ),
    "mean": "Every element of the input gets 1/{share} of the ∂L/∂y of its mean; the {matrix} Jacobian is never built.",
    "move": (
        "The elements only change place, so the {matrix} Jacobian is a permutation: "
        "the gradient goes back the same way."
    ),
    "spread": "Forward copies elements, so backward sums the gradients of the copies.",
    "pick": (
        "Forward picks elements, so the Jacobian has a single 1 in every row: "
        "the gradient goes back to the elements picked, all others get 0."
    ),
    "join": "Forward puts pieces together, so backward cuts ∂L/∂y into pieces: every input gets its own.",
    "extreme": "The gradient goes to the elements that were chosen; all others get 0.",
    "softmax": (
        "Every result depends on all elements along its axis, so the Jacobian is not diagonal; "
        "the rule gives v·J without building the {matrix} matrix."
    ),
    "attention": (
        "Each row of the result is a mix of rows of the values, with weights that sum to 1: the values get ∂L/∂y by "
        "the same weights, queries and keys through the softmax. No Jacobian is built."
    ),
    "overwritten": "What stood there before is overwritten and gets the gradient 0; what was written in gets ∂L/∂y.",
    "drawn": "A random draw has no derivative: its Jacobian is taken as 0, so no gradient flows through it.",
    "matrix": (
        "Every element of the result depends on the whole matrix; a few matrix products give v·J without the {matrix} "
        "Jacobian."
    ),
}
_TEXTS |= {
    "convolution": (
        "Each result is a sum over one window, linear in the input and in the weights: backward is a convolution with "
        "the other one again, and the {matrix} Jacobian is never built."
    ),
    "window_mean": "Each result is the mean of a window: its ∂L/∂y is shared out equally among the window's elements.",
    "normalized": (
        "Mean and variance are those of the input itself, so that every result depends on all elements it was "
        "normalized with; the rule gives v·J without building the {matrix} matrix."
    ),
    "resized": "Each result mixes a few elements by fixed weights; backward shares ∂L/∂y out by the same weights.",
    "padded": "The border is made of copies: backward adds what came in at a copy to the element it was copied from.",
    "framed": "The elements are set among constants: backward takes ∂L/∂y where they stand and drops the rest.",
    "added": "Addition passes ∂L/∂y on unchanged, to what was there and, from each place, to what was added there.",
    "loss": "Each loss depends on its own elements alone, so that most entries of the {matrix} Jacobian are 0.",
    "nll": (
        "Each loss reads one element, −w · x[target]: every row of the {matrix} Jacobian has one entry, "
        "−w at the target, and 0 elsewhere."
    ),
    "margin": (
        "Only classes that come closer to the target than the margin allows have a slope; "
        "all other entries of the {matrix} Jacobian are 0."
    ),
    "others": "Every element of the input gets ∂L/∂y times the product of all the others, also where it is 0 itself.",
    "so_far": (
        "Each result depends on the elements up to it, so the Jacobian is a triangle; "
        "the rule adds up from the end and never builds the {matrix} matrix."
    ),
    "deviation": (
        "Every result depends on all the elements it was made of, through their mean too; "
        "the rule gives v·J without building the {matrix} matrix."
    ),
    "known": "Every element of the input that is a number gets the ∂L/∂y of the sum it went into; a NaN gets 0.",
    "shortened": (
        "What is short enough passes unchanged; what was shortened passes on only the part of ∂L/∂y across its own "
        "direction, scaled, for its length is fixed."
    ),
    "length": (
        "A length changes in the direction of the vector itself: each row of the {matrix} Jacobian is that direction, "
        "for p = 2 the vector over its length."
    ),
    "distance": (
        "Each distance depends on two rows alone: its row of the {matrix} Jacobian is the direction from one to the "
        "other, with opposite signs, and 0 elsewhere."
    ),
}
_TEXTS_FOR_A_SCALAR = {
    "loss": (
        "Every element of the input adds to the loss on its own: the Jacobian is one row of {columns} slopes, "
        "and backward multiplies it by the one ∂L/∂y."
    ),
    "nll": (
        "The loss reads one element for each target, −w · x[target]: the Jacobian is one row of {columns}, "
        "with −w/n at the targets and 0 elsewhere."
    ),
    "sum": "The Jacobian is one row of {columns} ones: every element of the input gets the same ∂L/∂y.",
    "mean": (
        "The Jacobian is one row of {columns} times 1/{share}: every element of the input gets an equal share of ∂L/∂y."
    ),
}


class _Place(NamedTuple):
    """A node and those of its slots that take a gradient."""

    recording: Recording
    node: Node
    op: Op | None
    slots: list[int]
    call: Sweep | None = None

    def source(self, slot: int) -> Node:
        return self.recording.nodes[self.node.inputs[slot]]

    def matrix(self, slot: int) -> str:
        """Rows (elements of the result) × columns (elements of the input)."""
        return f"{_count(self.node.shape)} × {_count(self.source(slot).shape)}"

    def names(self, slots: list[int]) -> str:
        return " and ".join(dict.fromkeys(label(self.recording, self.node.inputs[slot]) for slot in slots))


def jacobian_words(
    recording: Recording, node: Node, op: Op | None, call: Sweep | None = None, *, is_spelled: bool = True
) -> str:
    """What the Jacobian of this node looks like, for the inputs that take a gradient; "" where none does.

    Args:
        call: the backward call, which knows what was read in the place of recorded values.
        is_spelled: whether the numbers of a small one are told.
    """
    slots = [slot for slot, source in enumerate(node.inputs) if recording.nodes[source].requires_grad]
    if not slots:
        return ""
    words = _words(_Place(recording, node, op if is_spelled else None, slots, call))
    return words.replace("∂L/∂y", f"∂L/∂{output_name(recording, node)}")


def _words(place: _Place) -> str:
    node, slots = place.node, place.slots
    kind = kind_of(node.op)
    if kind == "elementwise" or (kind == "loss" and node.shape == place.source(slots[0]).shape):
        fits = all(can_broadcast(place.source(slot).shape, node.shape) for slot in slots)
        return _elementwise(place) if fits else _unknown(place)
    if kind == "product":
        return _product(place)
    return _from_table(place, kind) if kind in _TEXTS else _unknown(place)


def _from_table(place: _Place, kind: str) -> str:
    rows, columns = _count(place.node.shape), _count(place.source(place.slots[0]).shape)
    if rows == columns == 1 and kind in _TEXTS_FOR_A_SCALAR:
        return _one_number(place)
    text = _TEXTS_FOR_A_SCALAR.get(kind, _TEXTS[kind]) if rows == 1 else _TEXTS[kind]
    return text.format(
        matrix=place.matrix(place.slots[0]),
        columns=columns,
        share=columns // max(rows, 1),
    )


def _count(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=np.int64))


def _elementwise(place: _Place) -> str:
    shape = place.node.shape
    broadcast = [slot for slot in place.slots if added_axes(place.source(slot).shape, shape)]
    if _count(shape) == 1 and not broadcast:
        return _one_number(place)
    same = [slot for slot in place.slots if slot not in broadcast]
    parts = (_diagonal_words(place, same) if same else "", _broadcast(place, broadcast) if broadcast else "")
    return " ".join(part for part in parts if part)


def _diagonal_words(place: _Place, slots: list[int]) -> str:
    found = [_diagonal(place, slot) for slot in slots]
    known = [in_words(d.ravel()) for d in found if d is not None]
    is_short = len(known) == len(found) and all(text.startswith("[") for text in known)
    spelled = f", {' and '.join(dict.fromkeys(f'diag({text[1:-1]})' for text in known))}" if is_short else ""
    many = "The Jacobians here are diagonal" if len(slots) > 1 else "The Jacobian here is diagonal"
    return f"{many}{spelled}. Backward multiplies by the diagonal; the {place.matrix(slots[0])} matrix is never built."


def _broadcast(place: _Place, slots: list[int]) -> str:
    shapes = " and ".join(dict.fromkeys(shape_text(place.source(slot).shape) for slot in slots))
    return (
        f"{place.names(slots)} was broadcast from {shapes} to {shape_text(place.node.shape)}: "
        "its gradient is summed over the axes that broadcasting added."
    )


def _one_number(place: _Place) -> str:
    found = [_diagonal(place, slot) for slot in place.slots]
    known = [in_words(d.reshape(())) for d in found if d is not None]
    numbers = f", {' and '.join(known)}" if len(known) == len(found) else ""
    if len(found) > 1:
        return f"One number out, {len(found)} in: the local derivatives are plain numbers{numbers}."
    return f"One number in, one number out: the local derivative is a plain number{numbers}."


def _diagonal(place: _Place, slot: int) -> Array | None:
    """The diagonal of an elementwise Jacobian: the rule fed a gradient of ones. None if long or not to be known."""
    node, op, source = place.node, place.op, place.source(slot)
    if op is None or source.shape != node.shape or _count(node.shape) > DIAGONAL_LIMIT:
        return None
    try:
        function = NodeFunction(node, op)
        sent = function.slopes(slot, *function.values_read(place.recording, place.call))
    except Unanswered:
        return None
    diagonal = None if sent is None else np.asarray(sent)
    return diagonal if diagonal is not None and diagonal.shape == node.shape else None


def _product(place: _Place) -> str:
    matrices = " and ".join(dict.fromkeys(place.matrix(slot) for slot in place.slots))
    jacobians = "Jacobians are" if len(place.slots) > 1 else "Jacobian is"
    text = (
        "The op is linear in each input, so each gradient is a product with the other one; "
        f"the {matrices} {jacobians} never built."
    )
    batch = [slot for slot in place.slots if 2 <= len(place.source(slot).shape) < len(place.node.shape)]
    if batch:
        text += f" {place.names(batch)} served every matrix of the batch: its gradients are summed."
    return text


def _unknown(place: _Place) -> str:
    rows = _count(place.node.shape)
    columns = sum(_count(place.recording.nodes[i].shape) for i in {place.node.inputs[s] for s in place.slots})
    takes = "1 number" if rows == 1 else f"{rows} numbers"
    return (
        f"Backward takes {takes}, one ∂L/∂y for each element of the result, and gives back {columns}, "
        f"one for each element of the inputs: v·J without the {rows} × {columns} Jacobian."
    )
