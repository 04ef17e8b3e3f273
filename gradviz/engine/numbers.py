"""The reverse loop over single numbers, which graphs of thousands of scalar ops are made of.

A pass begins here where many entries before its output are numbers of one dtype, and the loop of `backward` goes on
below them. Three things make it fast. A number of float64 is a Python float while the loop runs: the same arithmetic
in half the time. What depends on results alone, 1 − y² of every tanh, is computed for all of them at once. And what
the loop writes down is put into the form of a step when somebody reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.generic import OPS
from gradviz.engine.nearest import F32, F64, one_minus_square_of_each
from gradviz.engine.op import Op
from gradviz.engine.tensor import UNEVEN, Tape, Tensor

MANY = 32
"""Numbers below an output that are worth a look at all of them."""
AT_ONCE = 4096
"""Steps between two questions whether the pass shall go on."""

OfOthers = Callable[[Op, Any, Tensor], tuple[Any, ...]]
"""The outgoing gradients of an entry by the rules of its op, given the incoming one."""


class NumberPass:
    """The steps of a pass at a run of entries that are single numbers.

    Attributes:
        kind: the type of each value.
        first: position of the first of them.
        came: dL/d(entry) by position, None where none came; of float64 Python floats, from `first` on.
        order: positions of the steps as they ran, and with it `sources`, the positions of the inputs, and `sent`: the
            outgoing gradient, of more than one input a tuple.
        constants: positions that take no gradient. What was sent there is no part of a step.
        leaves: the gradients of the leaves among them, by position.
    """

    __slots__ = ("_values", "came", "constants", "first", "kind", "leaves", "order", "sent", "sources")

    def __init__(self, kind: type, first: int, values: list[Any], came: list[Any]) -> None:
        self.kind = kind
        self.first = first
        self.came = came
        self.order: list[int] = []
        self.sources: list[tuple[int, ...]] = []
        self.sent: list[Any] = []
        self.constants: set[int] = set()
        self.leaves: dict[int, Any] = {}
        self._values = values

    def run(self, tape: Tape, of_others: OfOthers) -> None:
        """Go through all the steps; what is sent to entries before `first` stands in `came`."""
        came, first, kind, values = self.came, self.first, self.kind, self._values
        array: Any = np.fromiter(values[first:], kind, len(values) - first)
        squares = one_minus_square_of_each(array)
        slopes: list[Any] = [None] * first
        if kind is F64:
            values[first:] = array.tolist()
            slopes += squares.tolist()
        else:
            slopes.extend(squares)
        for end in range(len(values) - 1, first - 1, -AT_ONCE):
            tape.pulse()
            self._go(tape.entries, range(end, max(first - 1, end - AT_ONCE), -1), slopes, of_others)
        self._values = []
        for j, entry in enumerate(tape.entries[:first]):
            if not entry.requires_grad:
                self.constants.add(j)
                came[j] = None
            elif type(came[j]) is float:
                came[j] = F64(came[j])

    def _go(self, entries: list[Tensor], positions: range, slopes: list[Any], of_others: OfOthers) -> None:
        came, order, all_sources, all_sent = self.came, self.order, self.sources, self.sent
        values, kind = self._values, self.kind
        tanh, mul, add = OPS["tanh"], OPS["mul"], OPS["add"]
        sent: Any
        for i in positions:
            g = came[i]
            if g is None:
                continue
            entry = entries[i]
            op, inputs = entry.op, entry.inputs
            if op is tanh:
                (j,) = inputs
                sent = g * slopes[i]
                before = came[j]
                came[j] = sent if before is None else before + sent
            elif op is mul and entry.params is not UNEVEN:
                j, k = inputs
                sent = out, second = g * values[k], g * values[j]
                before = came[j]
                came[j] = out if before is None else before + out
                before = came[k]
                came[k] = second if before is None else before + second
            elif op is add and entry.params is not UNEVEN:
                j, k = inputs
                sent = g, g
                before = came[j]
                came[j] = g if before is None else before + g
                before = came[k]
                came[k] = g if before is None else before + g
            elif op is not None:
                sent = of_others(op, kind(g), entry)
                for j, out in zip(inputs, sent, strict=True):
                    if out is not None:
                        before = came[j]
                        came[j] = out if before is None else before + out
            elif entry.requires_grad:
                self.leaves[i] = kind(g)
                continue
            else:
                self.constants.add(i)
                came[i] = None
                continue
            order.append(i)
            all_sources.append(inputs)
            all_sent.append(sent)

    def incoming(self) -> list[Any]:
        """dL/dy of each step."""
        kind, came = self.kind, self.came
        return [kind(came[i]) for i in self.order]

    def outgoing(self) -> list[tuple[Any, ...]]:
        """One dL/dx per input of each step, None where none flows."""
        return [self._spelled(*step) for step in zip(self.sources, self.sent, strict=True)]

    def _spelled(self, sources: tuple[int, ...], sent: Any) -> tuple[Any, ...]:
        pairs = zip(sources, sent if type(sent) is tuple else (sent,), strict=True)
        return tuple([None if g is None or j in self.constants else self.kind(g) for j, g in pairs])


def numbers_below(tape: Tape, outputs: Sequence[int], came: list[Any]) -> NumberPass | None:
    """A pass over the entries up to the last output that are numbers of one dtype, if there are many; else None.

    What was changed in place or freed stays with the loop that looks at such.

    Args:
        outputs: positions at which the pass starts.
        came: the seeds by position; taken, not copied.
    """
    entries, top = tape.entries, max(outputs)
    kind = type(entries[top].data)
    if (kind is not F64 and kind is not F32) or top < MANY or type(entries[top - MANY].data) is not kind:
        return None
    values = [x.data for x in entries[: top + 1]]
    kinds = list(map(type, values))
    first = tape.checked_until + 1
    if kinds.count(kind) <= top:
        first = max(first, 1 + max(i for i, other in enumerate(kinds) if other is not kind))
    if top - first < MANY:
        return None
    for i in outputs:
        came[i] = float(came[i]) if kind is F64 and i >= first else came[i]
    return NumberPass(kind, first, values, came)
