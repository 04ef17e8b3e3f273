"""Every entry of the rule table: its rule is the derivative, its formula is the rule, and what it saves is true."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.autograd import grad
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.passes.backward import rules_of
from gradviz.imitation.engine.rules import OPS
from gradviz.imitation.engine.rules.numbers import drawn_gamma
from gradviz.imitation.engine.rules.reducing import running
from gradviz.imitation.engine.shapes import unbroadcast
from gradviz.imitation.engine.tensor import Tape, Tensor, binary, record, unary
from gradviz.errors import TorchError
from tests.engine.formula_names import FUNCTIONS, names_for

Arrays = list[Any]
CASES = [(op, number) for op in OPS.values() for number in range(len(op.example))]
EVERY_CASE = pytest.mark.parametrize(("op", "number"), CASES, ids=[f"{op.name}-{number}" for op, number in CASES])


def example(op: Op, number: int) -> tuple[Arrays, dict[str, Any]]:
    """Inputs (numpy scalars for shape ()) and params."""
    case = op.example[number]
    return [x[()] for x in case["inputs"]], case["params"]


def cotangent(shape: tuple[int, ...], seed: int = 7) -> Any:
    return np.asarray(np.random.default_rng(seed).uniform(0.5, 1.5, shape))[()]


def slots(op: Op, xs: Arrays) -> Iterator[tuple[int, Any]]:
    """Number and rule of each input that takes a gradient, with zeros where the rule sends nothing."""

    def filled_in(rule: Any, slot: int) -> Any:
        def sent(*arguments: Any, **params: Any) -> Any:
            found = rule(*arguments, **params)
            return np.zeros(xs[slot].shape) if found is None else found

        return sent

    rules = enumerate(rules_of(op, len(xs)))
    return ((slot, filled_in(rule, slot)) for slot, rule in rules if rule is not None)


def central(function: Any, x: Any, step: float = 1e-6) -> Any:
    """The gradient of a function to a number, by central differences."""
    out = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        ends = []
        for sign in (1, -1):
            moved = np.array(x)
            moved[place] += sign * step
            ends.append(float(function(moved[()])))
        out[place] = (ends[0] - ends[1]) / (2 * step)
    return out


def moved(op: Op) -> Any:
    """The function whose derivative the rule is."""
    return op.extended or op.forward


def replaced(xs: Arrays, slot: int, x: Any) -> Arrays:
    return [*xs[:slot], x, *xs[slot + 1 :]]


def applied(op: Op, tensors: tuple[Tensor, ...], params: dict[str, Any]) -> Tensor:
    """The op recorded, in the way the engine does it for its kind."""
    if op.plain_inputs == 2:
        return binary(op, *tensors)
    if op.plain_inputs == 1:
        return unary(op, *tensors)
    return record(op, tensors, params, op.forward(*[x.data for x in tensors], **params))


@pytest.mark.parametrize("op", OPS.values(), ids=lambda op: op.name)
def test_every_entry_has_an_example_and_one_formula_per_rule(op):
    assert op.example
    assert len(op.formula) == len(op.vjp)
    assert op.equation
    assert op.node
    assert op.saves <= {*op.inputs, "y", "index"}


AS_DRAWN = ("standard_gamma",)
"""Ops whose result is drawn: PyTorch's rule says how it moves at its place in the distribution, to some four digits."""


@EVERY_CASE
def test_rule_agrees_with_central_differences(op, number):
    xs, params = example(op, number)
    if op.name in AS_DRAWN:
        return
    y = op.forward(*xs, **params)
    g = cotangent(y.shape)
    for slot, rule in slots(op, xs):
        expected = central(lambda x, at=slot: np.sum(g * moved(op)(*replaced(xs, at, x), **params)), xs[slot])

        sent = unbroadcast(rule(g, y, *xs, **params), xs[slot].shape)

        np.testing.assert_allclose(sent, expected, rtol=1e-7, atol=1e-7)


HELD = tuple(f"{name}_norm{end}_backward" for name in ("batch", "layer") for end in ("", "_plain"))
"""Ops whose rule takes the mean and the deviation as given, as PyTorch does."""
WITHOUT_SECOND = (
    "scaled_dot_product_attention", "ctc_loss", "hardsigmoid", "multi_margin_loss", "multilabel_margin_loss", "cdist",
    "pdist", "standard_gamma", "embedding_bag_weighted",
)  # fmt: skip
"""Ops that PyTorch cannot differentiate twice."""


def _differentiated_twice(op: Op, xs: Arrays, params: dict[str, Any]) -> None:
    tape = Tape()
    tensors = [tape.tensor(x, requires_grad=True) for x in xs]
    out = applied(op, tuple(tensors), params)
    once = grad([out], tensors, [tape.tensor(cotangent(out.shape))], create_graph=True)
    grad([once[0]], tensors, [tape.tensor(cotangent(once[0].shape))])


def filled(gradients: Sequence[Tensor | None], inputs: Sequence[Tensor]) -> list[Tensor]:
    """Gradients, with zeros for those that are None."""
    return [x.tape.tensor(np.zeros(x.shape)) if g is None else g for g, x in zip(gradients, inputs, strict=True)]


@EVERY_CASE
def test_rule_fed_tensors_gives_the_second_derivative(op, number):
    xs, params = example(op, number)
    if op.name in HELD:
        return
    weights = [cotangent(x.shape, 3 + slot) for slot, x in enumerate(xs)]

    if op.name in WITHOUT_SECOND:
        with pytest.raises(TorchError, match="is not implemented"):
            _differentiated_twice(op, xs, params)
        return

    def first(values: Arrays, tape: Tape) -> tuple[list[Tensor], list[Tensor | None]]:
        tensors = [tape.tensor(x, requires_grad=x.dtype.kind == "f") for x in values]
        out = applied(op, tuple(tensors), params)
        taking = [x for x in tensors if x.requires_grad]
        v = tape.tensor(cotangent(out.shape))
        return taking, filled(grad([out], taking, [v], create_graph=True, allow_unused=True), taking)

    def weighted(values: Arrays) -> float:
        _, gradients = first(values, Tape())
        return sum(float(np.sum(w * g.data)) for w, g in zip(kept, gradients, strict=True))

    kept = [w for w, x in zip(weights, xs, strict=True) if x.dtype.kind == "f"]
    tape = Tape()
    taking, gradients = first(xs, tape)
    moving = [(g, tape.tensor(w)) for g, w in zip(gradients, kept, strict=True) if g.requires_grad]
    seconds = [None] * len(taking)
    if moving:
        outs, seeds = zip(*moving, strict=True)
        seconds = list(grad(outs, taking, seeds, allow_unused=True))
    places = [slot for slot, x in enumerate(xs) if x.dtype.kind == "f"]
    for slot, second in zip(places, seconds, strict=True):
        expected = central(lambda x, at=slot: weighted(replaced(xs, at, x)), xs[slot])
        found = np.zeros(xs[slot].shape) if second is None else second.data
        if op.name in ("eigh", "cholesky"):  # they read one triangle: only moves that keep the matrix symmetric tell
            expected, found = expected + expected.T, found + found.T
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


@EVERY_CASE
def test_rule_fed_tensors_gives_the_numbers_it_gives_fed_arrays(op, number):
    xs, params = example(op, number)
    tape = Tape()
    tensors = [tape.tensor(x, requires_grad=x.dtype.kind == "f") for x in xs]
    out = applied(op, tuple(tensors), params)
    taking = [x for x in tensors if x.requires_grad]
    v = tape.tensor(cotangent(out.shape))

    plain = filled(grad([out], taking, [v], retain_graph=True, allow_unused=True), taking)
    recorded = filled(grad([out], taking, [v], create_graph=True, allow_unused=True), taking)

    for a, b in zip(plain, recorded, strict=True):
        # Fed arrays a rule rounds as PyTorch's kernel does, which may be once where new nodes round twice.
        np.testing.assert_allclose(a.data, b.data, rtol=1e-13, atol=1e-15)


@EVERY_CASE
def test_formula_shown_is_the_rule_that_runs(op, number):
    xs, params = example(op, number)
    y = op.forward(*xs, **params)
    g = cotangent(y.shape)
    for slot, rule in slots(op, xs):
        names = names_for(op, slot, g, y, xs, params)

        shown = np.asarray(eval(op.formula_of(slot), {}, names))

        sent = rule(g, y, *xs, **params)
        np.testing.assert_allclose(unbroadcast(shown, xs[slot].shape), unbroadcast(sent, xs[slot].shape), rtol=1e-12)


@pytest.mark.parametrize("op", [op for op in OPS.values() if op.both], ids=lambda op: op.name)
def test_joint_rule_is_the_two_rules(op):
    for number in range(len(op.example)):
        (a, b), params = example(op, number)
        y = op.forward(a, b, **params)
        g = cotangent(y.shape)

        both = op.both(g, y, a, b)

        for sent, rule in zip(both, op.vjp, strict=True):
            np.testing.assert_array_equal(sent, rule(g, y, a, b))


@EVERY_CASE
def test_rule_reads_no_value_that_the_node_does_not_save(op, number):
    xs, params = example(op, number)
    y = op.forward(*xs, **params)
    g = cotangent(y.shape)
    # A value that is not saved may be freed; the rule may only look at its shape and dtype.
    hidden = [x if _kept(op, slot) else np.full_like(x, 123) for slot, x in enumerate(xs)]
    hidden_y = y if "y" in op.saves else np.full_like(y, 123)
    for _, rule in slots(op, xs):
        expected = rule(g, y, *xs, **params)

        np.testing.assert_array_equal(rule(g, hidden_y, *hidden, **params), expected)


def _kept(op: Op, slot: int) -> bool:
    return op.inputs[0 if op.is_variadic else slot] in op.saves


def test_formulas_use_no_other_names_than_they_are_given():
    used = set()
    for op in OPS.values():
        for formula in op.formula:
            used |= {part.id for part in ast.walk(ast.parse(formula)) if isinstance(part, ast.Name)}

    assert set(FUNCTIONS) <= used


@pytest.mark.parametrize("alpha", [0.05, 0.4, 1.0, 3.0, 7.9, 8.1, 30.0, 200.0])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9])
def test_gamma_number_moves_with_its_place_in_the_distribution(alpha, share):
    def at(a: float) -> float:
        low, high = 0.0, 40 * (a + 5)
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (middle, high) if OPS["igamma"].forward(a, middle) < share else (low, middle)
        return low

    step = 1e-4 * alpha
    expected = (at(alpha + step) - at(alpha - step)) / (2 * step)

    found = drawn_gamma.gamma_slopes(np.array(alpha), np.array(at(alpha)))

    np.testing.assert_allclose(found, expected, rtol=2e-3, atol=1e-12)


def test_derivatives_of_long_products_with_zeros_are_those_of_each_factor():
    x = np.linspace(-1.5, 1.5, 300).reshape(3, 100)
    x[1, 7] = x[2, 0] = x[2, 50] = 0
    g = cotangent(x.shape)
    y = OPS["cumprod"].forward(x, dim=1)

    one_by_one = running.cumprod_rule(g, y, x, dim=1)
    at_once = running._past_zeros(g, y, x, 1)

    np.testing.assert_allclose(at_once, one_by_one, rtol=1e-10, atol=1e-12)
