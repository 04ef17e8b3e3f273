"""What the table of ops holds: one row per op, with one rule per input.

A rule is a vector-Jacobian product: it takes the gradient dL/dy that comes in and gives the gradient dL/dx that goes
out to one input. Rules are written with operators and with the functions of `gradviz.ops.functions`, so the same rule
serves three times: fed arrays it gives the numbers of a step, fed tensors (create_graph) it builds a new graph, fed
symbols it writes the formula that people read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import numpy as np

from gradviz.ops.symbols import symbol, text_of

Array = np.ndarray[Any, np.dtype[Any]] | np.generic
"""A numpy array, or a numpy scalar for shape ()."""

Rule = Callable[..., Any]
"""rule(g, y, *inputs, **params) -> dL/dx. The loop sums over broadcast axes afterwards, so a rule need not."""


@dataclass(frozen=True, eq=False)
class Example:
    """Arguments to test a row on, and to write its formulas with."""

    inputs: tuple[Array, ...]
    params: Mapping[str, Any]


def example(*inputs: Any, **params: Any) -> Example:
    """Arguments to test a row on; nested lists of numbers are taken as float64, arrays as they are."""
    return Example(tuple(x if isinstance(x, np.ndarray) else np.array(x, dtype=np.float64) for x in inputs), params)


class Refusal:
    """The rule of an input that PyTorch has no derivative for: a backward pass that comes to it ends with its words."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(self.text)


def pass_on(g: Any, *_given: Any) -> Any:
    """The rule of an input whose gradient is what comes in, as it is: both of a sum have it."""
    return g


class Kinks(NamedTuple):
    """Where an op may have kinks.

    Attributes:
        places: places(slot, inputs, params) -> a mask of the elements of an input that may be at one, or None.
        is_tie: whether they are where elements are equal, as against at fixed numbers.
        elsewhere: what another framework takes there, where its documentation says so, e.g. "JAX takes 1".
    """

    places: Callable[[int, Sequence[Any], Mapping[str, Any]], Any]
    is_tie: bool = False
    elsewhere: str = ""


@dataclass(frozen=True, eq=False)
class Op:
    """One row of the table.

    Attributes:
        name: PyTorch's spelling, e.g. "mul".
        forward: forward(*arrays, **params) -> array.
        vjp: one rule per input; None where an input takes no gradient (an index, a target). An op of any number of
            inputs (cat, stack) has one rule, which is given the input's number as `slot`.
        inputs: what the formulas call the inputs, e.g. ("a", "b").
        form: one per input: None where the rule writes its own formula, else the rule once more in the form that
            people read (a matrix product, a mask, a softmax), with the arguments of a rule. A test compares both.
        equation: what the op computes, e.g. "y = a · b".
        examples: arguments to test the row on.
        saves: what PyTorch's node keeps for its backward step: names out of `inputs`, and "y" for the result.
        node: PyTorch's name of the backward node; "MulBackward0" for the op "mul" where "" is given.
        note: what happens at kinks and ties, shown to people; "" where there are none.
        sign: how a small tile shows it, e.g. "×"; "" where the first word of its name will do.
        kind: what kind of Jacobian it has, e.g. "elementwise" or "sum"; "" where nothing is said of it.
        is_plumbing: whether it hands its input on as it is, in another shape or order; in the picture of a model it is
            shown at what it hands on.
        left_factor: of a product of two matrices, the number of the left one; the right one is the next. None of others.
        kinks: where its slopes from the two sides may differ; None where it is smooth.
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
    form: tuple[Rule | None, ...] = ()
    equation: str = ""
    examples: tuple[Example, ...] = ()
    saves: frozenset[str] = frozenset()
    node: str = ""
    note: str = ""
    sign: str = ""
    kind: str = ""
    is_plumbing: bool = False
    left_factor: int | None = None
    kinks: Kinks | None = None
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

    def formula_of(self, slot: int, params: Mapping[str, Any] = MappingProxyType({}), count: int = 0) -> str:
        """The formula of dL/d(input), an expression over g (dL/dy), y, the inputs and the params; "" without a rule.

        Args:
            slot: the number of the input.
            params: what the op was given; those that are words, true, false or None steer rules.
            count: how many inputs there are, for an op of any number of them.

        Raises:
            Lost: neither rule nor form can be written.
        """
        given = _nearest(self.examples, params)
        inputs = len(self.inputs)
        if self.is_variadic:  # an equation says how many
            inputs = len(given.inputs) if not count or any(isinstance(x, str) for x in given.params.values()) else count
        key = (self, slot, given, inputs)
        if key not in _FORMULAS:
            _FORMULAS[key] = _write(*key)
        return _FORMULAS[key]

    @property
    def formula(self) -> tuple[str, ...]:
        """The formulas of all inputs; of an op of any number of inputs that of the first."""
        return tuple([self.formula_of(slot) for slot in range(len(self.vjp))])

    def reads(self, name: str) -> tuple[int, ...]:
        """The slots whose rules read an input, or the result "y"."""
        key = (self, name)
        if key not in _READERS:
            _READERS[key] = tuple([slot for slot, text in enumerate(self.formula) if name in words_of(text)])
        return _READERS[key]


_FORMULAS: dict[tuple[Op, int, Example | None, int], str] = {}
_READERS: dict[tuple[Op, str], tuple[int, ...]] = {}


def _steering(params: Mapping[str, Any]) -> dict[str, Any]:
    """The params that decide which way a rule goes: words, true and false, and what is not given."""
    return {name: value for name, value in params.items() if value is None or isinstance(value, bool | str)}


def _nearest(examples: tuple[Example, ...], params: Mapping[str, Any]) -> Example:
    """The example whose params steer a rule as these do, and of those the one that has most of their numbers."""
    if not examples:
        return Example((np.array([1.0, 2.0, 3.0]),), {})
    wanted = _steering(params)
    alike = [each for each in examples if _steering(each.params) == wanted] or examples
    return max(alike, key=lambda each: sum([_is_same(each.params.get(name), value) for name, value in params.items()]))


def _is_same(a: Any, b: Any) -> bool:
    return isinstance(a, int | float) and isinstance(b, int | float) and a == b


def _write(op: Op, slot: int, given: Example, count: int) -> str:
    form = op.form[0 if op.is_variadic else slot] if op.form else None
    rule = op.vjp[0 if op.is_variadic else slot]
    if rule is None or isinstance(rule, Refusal):
        return ""
    said = getattr(form, "said", "")
    if said and not op.examples:
        return f"{said}(g, y, {', '.join(op.inputs)})"
    inputs = [np.asarray(x)[()] for x, _ in zip(cycle(given.inputs), range(count), strict=False)]
    params = {name: symbol(name, value) for name, value in given.params.items()}
    if op.is_variadic:
        params["slot"] = slot
    with np.errstate(all="ignore"):
        y = np.asarray(op.forward(*inputs, **given.params))[()]
        g = np.asarray(np.cos(np.arange(1, np.size(y) + 1)).reshape(np.shape(y)).astype(y.dtype))[()]
        letters = [symbol(op.input_name(number), x) for number, x in enumerate(inputs)]
        return text_of((form or rule)(symbol("g", g), symbol("y", y), *letters, **params))


def words_of(text: str) -> frozenset[str]:
    """The words of a formula."""
    return frozenset(_WORD.findall(text))


_WORD = re.compile(r"[^\W\d]\w*")


Path = tuple[tuple[Op, Mapping[str, Any]], ...]
"""View ops, one after the other, that lead from the whole memory to what a tensor shows of it."""


def names(text: str) -> frozenset[str]:
    """The words of a text, e.g. what a row saves."""
    return frozenset(text.split())
