"""The reverse loop over single numbers, which graphs of thousands of entries are made of.

There the arithmetic is the smaller part of the time. A pass looks for a run of numbers of one dtype below its output;
before and after it goes the loop of `backward`. Three things make it fast. A number of float64 is a Python float while
the loop runs: the same arithmetic in half the time. What depends on results alone, 1 − y² of every tanh, is computed
for all of them at once. And what the loop writes down is put into the form of a step when somebody reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kernels.nearest import F32, F64, ONE_OF, one_minus_square_of_each
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.tensor import UNEVEN, Tape, Tensor

MANY = 32
"""Numbers that are worth a look at each of them."""
ABOVE = 8
"""Entries of other kinds, such as the sum that makes a loss, that may stand above a run."""
AT_ONCE = 4096
"""Steps between two questions whether the pass shall go on."""

OfOthers = Callable[[Op, Any, Tensor], tuple[Any, ...]]
"""The outgoing gradients of an entry by the rules of its op, given the incoming one."""


class NumberPass:
    """The steps of a pass at a run of single numbers.

    Attributes:
        first, last: positions between which the entries stand, both included.
        came: dL/d(entry) by position, None where none came; in the run Python floats for float64.
        order: positions of the steps as they ran, and with it `sources`, the positions of the inputs, and `sent`: the
            outgoing gradient, of more than one input a tuple.
        constants: positions that take no gradient. What was sent there is no part of a step.

    `given` are the positions where gradients may stand before the run begins.
    """

    __slots__ = ("_given", "_kind", "_one", "_values", "came", "constants", "first", "last", "order", "sent", "sources")

    def __init__(self, first: int, values: list[Any], came: list[Any], given: set[int]) -> None:
        self.first = first
        self.last = len(values) - 1
        self.came = came
        self.order: list[int] = []
        self.sources: list[tuple[int, ...]] = []
        self.sent: list[Any] = []
        self.constants: set[int] = set()
        self._values = values
        self._given = given
        self._kind = type(values[-1])
        self._one = ONE_OF[self._kind]

    def run(self, tape: Tape, leaves: dict[int, Any], of_others: OfOthers) -> None:
        """Go through all the steps; what is sent to entries before `first` stands in `came`.

        Args:
            leaves: takes the gradients of the leaves in the run.
        """
        entries, came, first, last = tape.entries, self.came, self.first, self.last
        slopes = self._slopes()
        if self._kind is F64:
            for i in self._given:
                if first <= i <= last and came[i] is not None:
                    came[i] = float(came[i])
        for end in range(last, first - 1, -AT_ONCE):
            tape.pulse()
            self._go(entries, range(end, max(first - 1, end - AT_ONCE), -1), slopes, leaves, of_others)
        self._values = []
        for j, entry in enumerate(entries[:first]):
            if not entry.requires_grad:
                self.constants.add(j)
                came[j] = None
            elif type(came[j]) is float:
                came[j] = self._one * came[j]

    def _slopes(self) -> list[Any]:
        """1 − y² of every value by position: to choose those of tanh would take longer. Values of float64 get plain."""
        first, values = self.first, self._values
        together: Any = np.fromiter(values[first:], self._kind, len(values) - first)
        squares = one_minus_square_of_each(together)
        if self._kind is F64:
            values[first:] = together.tolist()
            squares = squares.tolist()
        return [None] * first + list(squares)

    def _go(
        self,
        entries: list[Tensor],
        positions: range,
        slopes: list[Any],
        leaves: dict[int, Any],
        of_others: OfOthers,
    ) -> None:
        came, order, all_sources, all_sent = self.came, self.order, self.sources, self.sent
        values, one = self._values, self._one
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
            elif op is add and entry.params is not UNEVEN:
                j, k = inputs
                sent = g, g
                before = came[j]
                came[j] = g if before is None else before + g
                before = came[k]
                came[k] = g if before is None else before + g
            elif op is mul and entry.params is not UNEVEN:
                # Both: a product takes less time than the question whether somebody wants it.
                j, k = inputs
                sent = out, second = g * values[k], g * values[j]
                before = came[j]
                came[j] = out if before is None else before + out
                before = came[k]
                came[k] = second if before is None else before + second
            elif op is not None:
                sent = of_others(op, one * g, entry)
                for j, out in zip(inputs, sent, strict=True):
                    if out is not None:
                        before = came[j]
                        came[j] = out if before is None else before + out
            elif entry.requires_grad:
                leaves[i] = one * g
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
        one, came = self._one, self.came
        return [one * came[i] for i in self.order]

    def outgoing(self) -> list[tuple[Any, ...]]:
        """One dL/dx per input of each step, None where none flows."""
        return [self._spelled(*step) for step in zip(self.sources, self.sent, strict=True)]

    def _spelled(self, sources: tuple[int, ...], sent: Any) -> tuple[Any, ...]:
        pairs = zip(sources, sent if type(sent) is tuple else (sent,), strict=True)
        return tuple([None if g is None or j in self.constants else self._one * g for j, g in pairs])


def numbers_below(tape: Tape, outputs: Sequence[int], came: list[Any]) -> NumberPass | None:
    """A pass over a run of numbers of one dtype, near the last output, if there are many; else None.

    What was changed in place or freed stays with the loop that looks at such.

    Args:
        outputs: positions at which the whole pass starts.
        came: the gradients by position; taken, not copied.
    """
    entries, top = tape.entries, max(outputs)
    for last in range(top, max(top - ABOVE, MANY), -1):
        kind = type(entries[last].data)
        if (kind is F64 or kind is F32) and type(entries[last - MANY].data) is kind:
            break
    else:
        return None
    values = [x.data for x in entries[: last + 1]]
    kinds = list(map(type, values))
    first = tape.checked_until + 1
    if kinds.count(kind) <= last:
        first = max(first, 1 + max(i for i, other in enumerate(kinds) if other is not kind))
    given = {*outputs, *(i for x in entries[last + 1 : top + 1] for i in x.inputs)}
    return NumberPass(first, values, came, given) if last - first >= MANY else None
