"""What the rule table holds: one entry per op, read by the numbers, the picture and the checks alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Rule = Callable[..., Any]
"""rule(g, y, *inputs, **params) -> dL/dx of one input, before broadcasting is undone.

Written over overloaded operators and the functions of `engine.generic`: fed arrays it gives the numbers of a
step, fed tensors (create_graph) it gives new nodes, so that every higher derivative is an ordinary graph.
"""


def _one_call(rule: Any, second: Any) -> Callable[[Any, Any, Any, Any], tuple[Any, Any]]:
    return lambda g, y, a, b: (rule(g, y, a, b), second(g, y, a, b))


@dataclass(frozen=True, eq=False)
class Op:
    """One entry of the rule table.

    Attributes:
        name: PyTorch's spelling, e.g. "mul".
        symbol: the sign in the picture, e.g. "×".
        forward: forward(*arrays, **params) -> array.
        vjp: one rule per input, or None where an input takes no gradient; a rule that sends nothing gives None. An op
            of any number of inputs (cat, stack) has one rule, which is given the input's number as `slot`.
        inputs: the names the formulas use for the inputs, e.g. ("a", "b").
        formula: one text per input: the rule as people read it, a Python expression over g (dL/dy), y, the
            inputs and the params. A test evaluates it and compares it with the rule.
        equation: what the op computes, e.g. "y = a · b".
        example: one argument list (arrays) per entry to test the op on; params under their names.
        node: PyTorch's name of the backward node, e.g. "MulBackward0"; or a function of (params, shapes of the
            inputs) where it depends on them.
        saves: what the backward node keeps: names out of `inputs`, "y" for the result, and "index" for an index.
        note: what happens at kinks and ties, shown in the inspector; "" where there is none.
        promotes: whether the rules of an op of two inputs get them in the dtype of the result, as most formulas of
            PyTorch compute; if not, in their own.
        is_variadic: whether it takes any number of inputs.
        keeps_integers: whether an integer input gives an integer result (else it is converted to float32).
        both: for an op of two inputs and no params, the two rules in one call; given for the few where a call costs
            more than the sum.
        refuses: whether PyTorch's node does nothing but raise, as soon as it is ready.
        plain_inputs: 1 or 2 for an op of so many inputs, all of which may take a gradient, and no params; else 0.
        rule: the first rule, and `second`.
        joint: for a custom Function, all outgoing gradients in one call: joint(came, needs) -> tuple, where came has
            one tensor or None for each output and needs says which inputs want one.
        again: for a custom Function, its forward on other arrays: again(arrays) -> (array, vjp), where vjp(v) gives
            one dL/dx per tensor input. For the check of its rule.
        context: for a custom Function, the `ctx` of the call.
        is_view: whether the result shares memory with its first input.
        extended: the forward as far as the rule sees it, where that is more than the forward reads: of a symmetric
            matrix both triangles. For the checks of the rule; None for the forward.
        output: for an op that is one of several results of a call, the param that holds its number; else "".
        saves_output: for an op with several results of which the node keeps one as y, its number.
        absent: how many more inputs PyTorch's node has, that were left out: `next_functions` shows them as (None, 0).
        gaps: where among the inputs others were left out, one place for each; there the node shows (None, 0).
        among: for a node with several results of which one takes a gradient, its place and their count.
        pieces: for a custom Function with several results, which follow it as entries of their own, how many; else 0.
    """

    name: str
    symbol: str
    forward: Callable[..., Any]
    vjp: tuple[Rule | None, ...]
    inputs: tuple[str, ...]
    formula: tuple[str, ...]
    equation: str
    example: tuple[dict[str, Any], ...] = ()
    node: str | Callable[[dict[str, Any], list[tuple[int, ...]]], str] = ""
    saves: frozenset[str] = field(default_factory=frozenset)
    note: str = ""
    promotes: bool = True
    is_variadic: bool = False
    keeps_integers: bool = False
    both: Any = None
    joint: Callable[[Any, tuple[bool, ...]], tuple[Any, ...]] | None = None
    again: Callable[[Sequence[Any]], tuple[Any, Callable[[Any], tuple[Any, ...]]]] | None = None
    context: Any = None
    is_view: bool = False
    extended: Callable[..., Any] | None = None
    output: str = ""
    saves_output: int | None = None
    absent: int = 0
    gaps: tuple[int, ...] = ()
    pieces: int = 0
    among: tuple[int, int] | None = None
    refuses: bool = field(init=False, default=False)
    plain_inputs: int = field(init=False, default=0)
    rule: Any = field(init=False, default=None)
    second: Any = field(init=False, default=None)

    def __post_init__(self) -> None:
        takes_params = any(case.get("params") for case in self.example)
        object.__setattr__(self, "refuses", self.node in ("Error", "NotImplemented"))
        if not takes_params and not self.is_variadic and all(self.vjp) and not self.refuses:
            object.__setattr__(self, "plain_inputs", len(self.vjp) if len(self.vjp) < 3 else 0)
        for name, rule in zip(("rule", "second"), self.vjp, strict=False):
            object.__setattr__(self, name, rule)
        if self.plain_inputs == 2 and self.both is None:
            object.__setattr__(self, "both", _one_call(*self.vjp))

    def keeps(self, name: str, needs: Sequence[bool]) -> bool:
        """Whether the node keeps a value, given which inputs take a gradient.

        As PyTorch does it: what only one input's gradient reads is kept only if that gradient is wanted.
        """
        if name not in self.saves:
            return False
        words = "index|place|written" if name == "index" else name
        readers = [slot for slot, formula in enumerate(self.formula) if re.search(rf"\b({words})\b", formula)]
        return name == "y" or len(readers) != 1 or len(needs) == 1 or needs[readers[0]]

    def keeps_something(self, needs: Sequence[bool]) -> bool:
        """Whether the node keeps any value, so that it cannot run again once freed."""
        return any(self.keeps(name, needs) for name in self.saves)

    def input_name(self, slot: int) -> str:
        """The name of an input as the formula has it."""
        return f"{self.inputs[0]}{slot}" if self.is_variadic else self.inputs[slot]

    def formula_of(self, slot: int) -> str:
        """The formula of dL/d(input)."""
        return self.formula[0] if self.is_variadic else self.formula[slot]
