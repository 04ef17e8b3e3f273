"""Every row of the table: its rules are derivatives, to second order, and its formulas are the rules."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as torch
from gradviz.engine.tensor import constant, entry
from gradviz.ops.fitting import fit
from gradviz.ops.op import Op, Refusal
from gradviz.ops.symbols import VOCABULARY
from gradviz.ops.table import TABLE

ROWS = [row for row in TABLE.rows() if row.examples]
CASES = [pytest.param(row, i, id=f"{row.name}{len(row.inputs)}-{i}") for row in ROWS for i in range(len(row.examples))]


def arrays_of(row: Op, number: int):
    example = row.examples[number]
    return [np.asarray(x)[()] for x in example.inputs], dict(example.params)


def seed_for(y) -> np.ndarray:
    return np.asarray(np.cos(np.arange(1, np.size(y) + 1)).reshape(np.shape(y)) + 0.3)[()]


def slots_of(row: Op, inputs) -> list[int]:
    return [i for i, x in enumerate(inputs) if x.dtype.kind == "f" and row.rule_of(i) is not None]


def differences(function, x, eps=1e-6):
    """The gradient of a function of one array that gives a number, by central differences."""
    found = np.zeros(np.shape(x))
    flat = np.array(x, dtype=float).reshape(-1)
    for i in range(flat.size):
        moved = []
        for sign in (1, -1):
            other = flat.copy()
            other[i] += sign * eps
            moved.append(function(other.reshape(np.shape(x))[()]))
        found.reshape(-1)[i] = (moved[0] - moved[1]) / (2 * eps)
    return found


@pytest.mark.parametrize(("row", "number"), CASES)
def test_rule_agrees_with_central_differences(row, number):
    inputs, params = arrays_of(row, number)
    y = np.asarray(row.forward(*inputs, **params))[()]
    v = seed_for(y)

    for slot in slots_of(row, inputs):

        def product(x, slot=slot):
            return float(np.sum(v * row.forward(*inputs[:slot], x, *inputs[slot + 1 :], **params)))

        sent = fit(row.rule_of(slot)(v, y, *inputs, **params), inputs[slot])

        np.testing.assert_allclose(sent, differences(product, inputs[slot]), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(("row", "number"), CASES)
def test_rule_fed_tensors_gives_the_same_numbers_and_its_own_derivative(row, number):
    inputs, params = arrays_of(row, number)
    slots = slots_of(row, inputs)
    y = np.asarray(row.forward(*inputs, **params))[()]
    v = seed_for(y)

    for slot in slots:
        sent = fit(row.rule_of(slot)(v, y, *inputs, **params), inputs[slot])
        weights = seed_for(sent)

        def slope(x, of, slot=slot, weights=weights):
            given = [*inputs[:of], x, *inputs[of + 1 :]]
            now = np.asarray(row.forward(*given, **params))[()]
            return float(np.sum(weights * fit(row.rule_of(slot)(v, now, *given, **params), inputs[slot])))

        tensors = [constant(x) for x in inputs]
        for i in slots:
            tensors[i].tracked = True
        made = entry(row, tuple(tensors), params, y)
        (again,) = torch.autograd.grad(made, tensors[slot], constant(v), create_graph=True)
        np.testing.assert_allclose(again.detach().numpy(), sent, rtol=1e-9, atol=1e-12)
        if not again.requires_grad:
            for other in slots:
                np.testing.assert_allclose(differences(lambda x, o=other: slope(x, o), inputs[other]), 0, atol=1e-5)
            continue
        second = torch.autograd.grad(again, [tensors[i] for i in slots], constant(weights), allow_unused=True)
        for other, g in zip(slots, second, strict=True):
            expected = differences(lambda x, o=other: slope(x, o), inputs[other])
            np.testing.assert_allclose(0 if g is None else g.numpy(), expected, rtol=1e-4, atol=1e-5)


class Functions(dict):
    """What a formula may call: the vocabulary, the ops of the table, and numpy."""

    def __missing__(self, name):
        if name in VOCABULARY:
            return VOCABULARY[name].function
        if any(row.name == name for row in TABLE.rows()):
            return lambda *inputs, **params: TABLE.find(name, len(inputs), params).forward(*inputs, **params)
        return getattr(np, name)


@pytest.mark.parametrize(("row", "number"), CASES)
def test_formula_shown_is_the_rule_that_runs(row, number):
    inputs, params = arrays_of(row, number)
    y = np.asarray(row.forward(*inputs, **params))[()]
    v = seed_for(y)
    for slot in slots_of(row, inputs):
        formula = row.formula_of(slot, params, len(inputs))
        names = {"g": v, "y": y} | {row.input_name(i): x for i, x in enumerate(inputs)} | params | {"slot": slot}

        shown = np.asarray(eval(formula, Functions(names)))

        sent = fit(row.rule_of(slot)(v, y, *inputs, **params), inputs[slot])
        shown = shown if shown.ndim else shown * np.ones(np.shape(sent))
        np.testing.assert_allclose(fit(shown, inputs[slot]), sent, rtol=1e-9, atol=1e-9, err_msg=formula)


@pytest.mark.parametrize("row", TABLE.rows(), ids=lambda row: f"{row.name}{len(row.inputs)}")
def test_every_row_has_an_equation_and_a_formula_for_each_rule(row):
    assert row.equation
    assert row.name in ("alias", "copy_slices", "floor_divide") or row.examples
    assert not row.form or len(row.form) == len(row.vjp)
    for slot, rule in enumerate(row.vjp):
        assert bool(row.formula_of(slot)) == (rule is not None and not isinstance(rule, Refusal))
    assert row.saves <= {*row.inputs, "y"}
