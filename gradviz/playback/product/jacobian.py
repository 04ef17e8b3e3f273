"""The local Jacobian of one node in one of its inputs, computed row by row and only as far as it is looked at.

Row i is what the node's own rule sends for the i-th unit vector: a rule is v·J, so it gives a row for a one-hot v. For
an elementwise op one call of the rule with ones gives every entry that is not 0. Knows no Qt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.errors import Unanswered
from gradviz.graph.answer import Missing, answering
from gradviz.graph.node import NodeFunction
from gradviz.ops.fitting import sum_to
from gradviz.playback.formula.jacobian import can_broadcast, is_elementwise, kind_of
from gradviz.playback.words import label, shape_text
from gradviz.recording import Array, Node, Recording, Sweep

if TYPE_CHECKING:
    from gradviz.ops.op import Op

Matrix = np.ndarray[Any, np.dtype[np.float64]]

MOST_NUMBERS = 20_000
"""Elements of the result and the inputs up to which a rule is called for a row: each row costs as much as a step."""
MOST_SPREAD = 200_000
"""The same for an elementwise op, of which one call gives all entries."""
MOST_OF_A_MATRIX = 1_000
"""The same for decompositions and inverses, whose rules take the third power of a matrix's size."""


@dataclass(frozen=True, eq=False)
class Jacobian:
    """The Jacobian of a node's result (rows) in one of its inputs (columns), both laid out flat in C order.

    Attributes:
        shape: number of rows and columns.
        result_shape, input_shape: of the arrays.
        find: gives one row.
    """

    result_shape: tuple[int, ...]
    input_shape: tuple[int, ...]
    find: Callable[[int], Matrix]
    _known: dict[int, Matrix] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        """How many rows and columns it would have."""
        return math.prod(self.result_shape), math.prod(self.input_shape)

    def rows(self, wanted: Sequence[int]) -> Matrix:
        """Some of the rows, one below the other.

        Raises:
            Unanswered: the rule refuses what it is given.
        """
        for row in wanted:
            if row not in self._known:
                self._known[row] = self.find(row)
        found = [self._known[row] for row in wanted]
        return np.stack(found) if found else np.zeros((0, self.shape[1]))


def jacobian_of(recording: Recording, node: Node, op: Op, slot: int, call: Sweep | None = None) -> Jacobian:
    """The Jacobian of a node in one input, by the op's own rule, with the values that a backward call read.

    Raises:
        Unanswered: no rule for that input, a value that it needs was not kept, or it is too large.
    """
    source = recording.nodes[node.inputs[slot]]
    size = math.prod(node.shape) + sum(math.prod(recording.nodes[each].shape) for each in node.inputs)
    if op.rule_of(slot) is None:
        raise Unanswered(f"{node.op} sends nothing to this input.")
    function = NodeFunction(node, op)
    try:
        y, arrays = function.values_read(recording, call)
    except Missing as missing:
        what = f"{label(recording, missing.node)} of shape {shape_text(recording.nodes[missing.node].shape)}"
        raise Unanswered(f"The value of {what} was not kept, and the rule needs it.") from missing
    if size > MOST_SPREAD:
        raise Unanswered("It is too large to be drawn.")
    if is_elementwise(node.op) and can_broadcast(source.shape, node.shape):
        entries = np.asarray(function.slopes(slot, y, arrays))
        if entries.shape == node.shape:
            return _spread(entries, node.shape, source.shape)
    if size > (MOST_OF_A_MATRIX if kind_of(node.op) == "matrix" else MOST_NUMBERS):
        raise Unanswered("It is too large to be drawn.")

    def row(number: int) -> Matrix:
        g = np.zeros(y.shape, y.dtype)
        g.flat[number] = 1
        with answering(f"The rule of {node.op} gives another shape than was recorded"):
            sent: Array = sum_to(np.asarray(function.rule(slot, g[()], y, arrays)), source.shape)
            return np.ravel(sent).astype(np.float64)

    return Jacobian(node.shape, source.shape, row)


def given_jacobian(rows: Sequence[Sequence[float]], result: tuple[int, ...], source: tuple[int, ...]) -> Jacobian:
    """A Jacobian whose rows were computed elsewhere: that of a custom Function, by the process that ran the script.

    Raises:
        Unanswered: the rows do not fit the shapes.
    """
    try:
        matrix = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.zeros(0)
    if matrix.shape != (math.prod(result), math.prod(source)):
        raise Unanswered("What the run answers does not fit the recording.")
    return Jacobian(result, source, lambda number: matrix[number])


def _spread(entries: Array, result: tuple[int, ...], source: tuple[int, ...]) -> Jacobian:
    """That of an elementwise op: entry i of the result depends on one element of the input."""
    flat = np.ravel(entries).astype(np.float64)
    columns = np.broadcast_to(np.arange(math.prod(source)).reshape(source), result).ravel()

    def row(number: int) -> Matrix:
        out = np.zeros(math.prod(source))
        out[columns[number]] = flat[number]
        return out

    return Jacobian(result, source, row)
