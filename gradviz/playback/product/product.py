"""The product at a node at one position: what comes in, the Jacobian of each input, and what goes out.

What goes out is what the recording has. That it is v·J is checked; where it is not, something else, such as a hook, has
changed it, and that is said. Knows no Qt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gradviz.errors import Unanswered
from gradviz.ops.table import TABLE
from gradviz.playback import flow
from gradviz.playback.formula.arithmetic import rule_gave
from gradviz.playback.formula.jacobian import kind_of
from gradviz.playback.names import input_names, output_name
from gradviz.playback.product.form import Form, form_of
from gradviz.playback.product.jacobian import Jacobian, Matrix, given_jacobian, jacobian_of
from gradviz.playback.product.structure import BLOCKS, STRIPES, Structure, structure_of
from gradviz.playback.rules import Rules, rule_of
from gradviz.playback.track import Track
from gradviz.playback.words import number_text, op_word
from gradviz.recording import Array, Node, Recording, Step

if TYPE_CHECKING:
    from gradviz.ops.op import Op

WHOLE = 12
"""Rows and columns up to which a Jacobian is drawn whole."""
BLOCK = 6
"""Rows and columns of the block that is drawn of a larger one."""
SAMPLED, LEAST_SAMPLED, MOST_ENTRIES = 24, 8, 48_000
"""Rows of a larger one that are looked at, evenly spread: fewer of long ones, to have no more entries than that."""
MOST_FACTORS = 4
"""Inputs that are drawn; all go out as the card below lists them."""

CHANGED = "This is not v·J: something, such as a hook, changed what went out."
ASKED_OF_THE_RUN = "The run is asked for the Jacobian of {op}."
NO_RULE = "{op} has no rule here, so that its Jacobian is not known."

NOTHING_CAME = "What comes in is 0, and so is all that goes out."
FLAT = "∂L/∂{to} is 0 because J is: a small change of {to} does not change {out} here."
NEARLY_FLAT = "∂L/∂{to} is nearly 0 because J is, at most {most}: {out} is saturated and hardly changes with {to} here."
CANCELS = "∂L/∂{to} is 0 because its terms cancel: {out} changes with {to}, but what v adds up of it does not."
SATURATED, CANCELLED = 1e-6, 1e-6
"""The largest entry of a J that counts as 0, and the share of the terms that rounding leaves of a sum that cancels."""

Given = Mapping[int, Sequence[Sequence[float]]]
"""The rows of the Jacobians of a custom Function, by input, as its run answers them."""


@dataclass(frozen=True, eq=False)
class Factor:
    """The Jacobian of one input, with what goes out to it.

    Attributes:
        slot: number of the input.
        name: what it is called.
        jacobian: of the whole size.
        structure: what it looks like.
        rows: numbers of the rows that `sample` has: all of them where it is drawn whole.
        sample: those rows.
        sent: what went out, flat; of length columns.
    """

    slot: int
    name: str
    jacobian: Jacobian
    structure: Structure
    rows: tuple[int, ...]
    sample: Matrix
    sent: Matrix

    @property
    def is_whole(self) -> bool:
        """Whether all of it is small enough to be drawn."""
        return max(self.jacobian.shape) <= WHOLE

    def block(self, row: int, column: int) -> tuple[int, int, Matrix]:
        """The part that is drawn around an entry: its first row and column, and its numbers.

        Raises:
            Unanswered: see `Jacobian.rows`.
        """
        if self.is_whole:
            return 0, 0, self.sample
        height, width = self.jacobian.shape
        top = min(max(row - BLOCK // 2, 0), max(height - BLOCK, 0))
        left = min(max(column - BLOCK // 2, 0), max(width - BLOCK, 0))
        numbers = self.jacobian.rows(range(top, min(top + BLOCK, height)))
        return top, left, numbers[:, left : left + BLOCK]


@dataclass(frozen=True, eq=False)
class Product:
    """v times the Jacobian of each input.

    Attributes:
        name: what the result is called.
        v: what comes in, flat.
        factors: one for each input that a gradient goes out to.
        note: why it cannot be drawn, or what is odd about it; else "".
        left_out: how many inputs are not among the factors though a gradient goes out to them.
        forms: the same product as two matrices, for inputs of ops that are multiplied so.
        zeros: why all of what goes out to an input is 0 or nearly so, a sentence for each such input.
        changed: the slots of inputs to which something else than v·J went out.
    """

    name: str
    v: Matrix
    factors: tuple[Factor, ...]
    note: str = ""
    left_out: int = 0
    forms: tuple[Form, ...] = ()
    zeros: tuple[str, ...] = ()
    changed: frozenset[int] = frozenset()


def asks_the_run(track: Track, node: int, rules: Rules | None = None) -> bool:
    """Whether the Jacobian of a node is known to nobody but the run that made it."""
    entry = track.recording.nodes[node]
    known = TABLE if rules is None else rules
    return not entry.is_leaf and known is not None and rule_of(entry, known) is None


def product_at(
    track: Track, position: int, node: int, rules: Rules | None = None, given: Given | str | None = None
) -> Product | None:
    """The product that a node makes in this backward pass; None before its step, and where nothing goes out.

    Args:
        position: 0..track.length.
        node: an id of the recording.
        rules: the table to look in; that of all ops where None.
        given: for a custom Function, the rows that its run has answered, or why it has not.
    """
    entry, step = track.recording.nodes[node], flow.step_of(track, node)
    if step is None or step.incoming is None or not flow.has_run(track, position, node):
        return None
    takers = [slot for slot, sent in enumerate(step.outgoing) if sent is not None]
    if not takers:
        return None
    op = rule_of(entry, TABLE if rules is None else rules)
    name, names = output_name(track.recording, entry), input_names(track.recording, entry)
    v = np.ravel(step.incoming).astype(np.float64)
    factors, note, is_asked = [], "", asks_the_run(track, node, rules)
    for slot in takers[:MOST_FACTORS]:
        try:
            jacobian = _jacobian(track, entry, op, slot, given, is_asked=is_asked)
            factors.append(_factor(track.recording, entry, slot, names, jacobian, step.outgoing[slot]))
        except Unanswered as why:
            note = str(why)
    shown = takers[:MOST_FACTORS]
    changed = frozenset(slot for slot in shown if op is not None and _is_changed(track, entry, op, slot, step))
    forms = [_form(track, entry, slot, step, is_changed=slot in changed) for slot in shown]
    made = tuple([form for form in forms if form is not None])
    if len(made) == len(forms):
        note = ""  # no Jacobian is needed to draw these
    changed |= {factor.slot for factor in factors if not _agrees(v, factor)}
    if not note and changed:
        note = CHANGED
    zeros = () if note == CHANGED else _zeros(name, v, factors)
    return Product(name, v, tuple(factors), note, max(len(takers) - MOST_FACTORS, 0), made, zeros, changed)


def _is_changed(track: Track, node: Node, op: Op, slot: int, step: Step) -> bool:
    sent = step.outgoing[slot]
    if step.incoming is None or sent is None:
        return False
    return rule_gave(track.recording, node, op, slot, step.incoming, sent, track.call) is False


def _zeros(name: str, v: Matrix, factors: Sequence[Factor]) -> tuple[str, ...]:
    """Why a gradient that goes out is 0 throughout: nothing came in, the op is flat here, or its terms cancel."""
    if not v.any():
        return (NOTHING_CAME,) if factors else ()
    found = []
    for factor in factors:
        entries, sent = np.abs(factor.sample), np.abs(factor.sent)
        if not sent.size or not np.isfinite(sent).all() or not np.isfinite(entries).all():
            continue
        most = float(entries.max(initial=0.0))
        if not most and not sent.any():
            found.append(FLAT.format(to=factor.name, out=name))
        elif 0 < most < SATURATED:
            found.append(NEARLY_FLAT.format(to=factor.name, out=name, most=number_text(most)))
        elif (
            factor.is_whole and bool((sent <= CANCELLED * (np.abs(v) @ entries)).all()) and (np.abs(v) @ entries).any()
        ):
            found.append(CANCELS.format(to=factor.name, out=name))
    return tuple(found)


def _form(track: Track, node: Node, slot: int, step: Step, *, is_changed: bool) -> Form | None:
    v, sent = step.incoming, step.outgoing[slot]
    if v is None or sent is None:
        return None
    return form_of(track.recording, node, slot, v, sent, track.call, is_changed=is_changed)


def _jacobian(
    track: Track, node: Node, op: Op | None, slot: int, given: Given | str | None, *, is_asked: bool
) -> Jacobian:
    recording = track.recording
    if op is not None:
        return jacobian_of(recording, node, op, slot, track.call)
    if isinstance(given, str) and node.op[:1].isupper():  # a custom Function, whose class tells why
        raise Unanswered(given)
    if given is None and is_asked:
        raise Unanswered(ASKED_OF_THE_RUN.format(op=op_word(node)))
    if given is None or isinstance(given, str) or slot not in given:
        raise Unanswered(NO_RULE.format(op=op_word(node)))
    return given_jacobian(given[slot], node.shape, recording.nodes[node.inputs[slot]].shape)


def _factor(
    recording: Recording, node: Node, slot: int, names: Sequence[str], jacobian: Jacobian, sent: Array | None
) -> Factor:
    height, width = jacobian.shape
    most = min(SAMPLED, max(MOST_ENTRIES // max(width, 1), LEAST_SAMPLED))
    rows = range(height) if max(jacobian.shape) <= WHOLE else _spread_rows(height, most)
    sample = jacobian.rows(rows)
    structure = structure_of(jacobian, rows, sample, moves=kind_of(node.op) == "move")
    found = _operand(recording, node, slot, sample if structure.block is None else structure.block)
    of_matrices = None if len(rows) == height else _of_matrices(recording, node, slot, names)
    if of_matrices is not None:
        structure = of_matrices
    elif found:
        each = ": " if structure.block is None else ", each "
        structure = structure._replace(words=f"{structure.words}{each}{found}")
    return Factor(slot, names[slot], jacobian, structure, tuple(rows), sample, np.ravel(sent).astype(np.float64))  # type: ignore[arg-type]


def _spread_rows(height: int, most: int) -> list[int]:
    """The first rows, and others evenly spread to the last."""
    return sorted({*range(min(height, 3)), *np.linspace(0, height - 1, min(height, most)).astype(int).tolist()})


def _of_matrices(recording: Recording, node: Node, slot: int, names: Sequence[str]) -> Structure | None:
    """The structure of a product of two matrices, which is known without looking at any row; None of anything else."""
    first = TABLE.left_factor_of(node.op)
    if first is None or slot not in (first, first + 1) or len(node.inputs) <= first + 1:
        return None
    left, right = (recording.nodes[node.inputs[i]].shape for i in (first, first + 1))
    if len(left) != 2 or len(right) != 2 or left[1] != right[0]:
        return None
    rows, inner, columns = *left, right[1]
    cost = f"backward made {rows * inner * columns:,} products of two numbers; "
    cost += f"the matrix would have {rows * columns * (rows * inner if slot == first else inner * columns):,}."
    if slot == first:
        return Structure(BLOCKS, f"{rows:,} equal blocks of {columns} × {inner}, each {names[first + 1]}ᵀ", cost)
    return Structure(STRIPES, f"{columns:,} equal stripes of {rows} × {inner}, each {names[first]}", cost)


def _operand(recording: Recording, node: Node, slot: int, block: Matrix) -> str:
    """Which other input a Jacobian, or the block that it repeats, is: "W" or "Wᵀ"; "" where it is none."""
    names = input_names(recording, node)
    for other, source in enumerate(node.inputs):
        value = recording.values[source]
        if other == slot or value is None or value.ndim not in (1, 2) or value.size < 2:
            continue
        array = np.atleast_2d(value).astype(np.float64)
        for turned, mark in ((array, ""), (array.T, "ᵀ" if value.ndim == 2 else "")):
            if turned.shape == block.shape and np.array_equal(turned, block):
                return f"{names[other]}{mark}"
    return ""


def _agrees(v: Matrix, factor: Factor) -> bool:
    """Whether what went out is v·J, as far as all rows are known."""
    if not factor.is_whole:
        return True
    with np.errstate(all="ignore"):
        terms = np.where(factor.sample == 0, 0.0, v[:, None] * factor.sample)  # where 0 stands there is no term
        product, size = terms.sum(axis=0), np.abs(terms).sum(axis=0)
    far = np.abs(product - factor.sent) > 1e-3 * size + 1e-6  # another order or precision of sums is no change
    return not bool((far & np.isfinite(product) & np.isfinite(factor.sent)).any())
