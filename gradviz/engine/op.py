"""What the table of ops holds: one row per op, with one rule per input.

A rule is a vector-Jacobian product: it takes the gradient dL/dy that comes in and gives the gradient dL/dx that goes
out to one input. Rules are written with operators and with the functions of `gradviz.engine.ops.arithmetic`, so the
same rule serves twice: fed arrays it gives the numbers of a step, fed tensors (create_graph) it builds a new graph.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]] | np.generic
"""A numpy array, or a numpy scalar for shape ()."""

Rule = Callable[..., Any]
"""rule(g, y, *inputs, **params) -> dL/dx. The loop sums over broadcast axes afterwards, so a rule need not."""


class Example(NamedTuple):
    """Arguments to test a row on."""

    inputs: tuple[Array, ...]
    params: Mapping[str, Any]


def example(*inputs: Any, **params: Any) -> Example:
    """Arguments to test a row on; nested lists of numbers are taken as float64, arrays as they are."""
    return Example(tuple(x if isinstance(x, np.ndarray) else np.array(x, dtype=np.float64) for x in inputs), params)


def pass_on(g: Any, *_given: Any) -> Any:
    """The rule of an input whose gradient is what comes in, as it is: both of a sum have it."""
    return g


@dataclass(frozen=True, eq=False)
class Op:
    """One row of the table.

    Attributes:
        name: PyTorch's spelling, e.g. "mul".
        forward: forward(*arrays, **params) -> array.
        vjp: one rule per input; None where an input takes no gradient (an index, a target). An op of any number of
            inputs (cat, stack) has one rule, which is given the input's number as `slot`.
        inputs: what the formulas call the inputs, e.g. ("a", "b").
        formula: one text per input: the rule as people read it, a Python expression over g (dL/dy), y, the inputs and
            the params. A test evaluates it and compares it with the rule.
        equation: what the op computes, e.g. "y = a · b".
        examples: arguments to test the row on.
        saves: what PyTorch's node keeps for its backward step: names out of `inputs`, and "y" for the result.
        node: PyTorch's name of the backward node; "MulBackward0" for the op "mul" where "" is given.
        note: what happens at kinks and ties, shown to people; "" where there are none.
        is_view: whether the result shares memory with the first input.
        is_variadic: whether it takes any number of inputs.
        is_piecewise: whether it is straight between its kinks: its second derivative is 0, and not the error that there
            is no way from the first one back to the input.
        keeps_integers: whether whole numbers stay whole numbers (else they are converted to the default dtype).
        joint: for a custom Function, all outgoing gradients at once: joint(entry, g) -> one gradient or None per input.
    """

    name: str
    forward: Callable[..., Any]
    vjp: tuple[Rule | None, ...]
    inputs: tuple[str, ...] = ("x",)
    formula: tuple[str, ...] = ()
    equation: str = ""
    examples: tuple[Example, ...] = ()
    saves: frozenset[str] = frozenset()
    node: str = ""
    note: str = ""
    is_view: bool = False
    is_variadic: bool = False
    is_piecewise: bool = False
    keeps_integers: bool = False
    joint: Callable[[Any, Any], Sequence[Any]] | None = None
    first: Any = field(init=False, default=None)
    second: Any = field(init=False, default=None)
    plain: int = field(init=False, default=0)
    passes: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Set what the reverse loop reads of nearly every op: its first rules, how many plain inputs, whether a sum."""
        for name, rule in zip(("first", "second"), self.vjp, strict=False):
            object.__setattr__(self, name, rule)
        takes_params = any(each.params for each in self.examples)
        if not takes_params and not self.is_variadic and self.joint is None and len(self.vjp) < 3 and all(self.vjp):
            object.__setattr__(self, "plain", len(self.vjp))
            object.__setattr__(self, "passes", self.vjp == (pass_on, pass_on))

    @property
    def node_name(self) -> str:
        """PyTorch's name of the backward node, e.g. "LeakyReluBackward0"."""
        return self.node or "".join(part.capitalize() for part in self.name.split("_")) + "Backward0"

    def rule_of(self, slot: int) -> Rule | None:
        """The rule for one input."""
        if not self.is_variadic:
            return self.vjp[slot]
        rule = self.vjp[0]
        return None if rule is None else lambda *given, **params: rule(*given, slot=slot, **params)

    def rules(self, count: int) -> Sequence[Rule | None]:
        """The rules for so many inputs."""
        return [self.rule_of(slot) for slot in range(count)] if self.is_variadic else self.vjp

    def input_name(self, slot: int) -> str:
        """What the formula calls an input."""
        return f"{self.inputs[0]}{slot}" if self.is_variadic else self.inputs[slot]

    def formula_of(self, slot: int) -> str:
        """The formula of dL/d(input)."""
        return self.formula[0] if self.is_variadic else self.formula[slot]


def names(text: str) -> frozenset[str]:
    """The words of a text, e.g. what a row saves."""
    return frozenset(text.split())
