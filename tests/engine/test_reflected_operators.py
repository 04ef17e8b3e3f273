"""Operators with the number on the left, and subtraction of what is true or false: as PyTorch has them."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as engine
from tests.engine.against_torch import assert_same, assert_same_error

X = np.array([0.5, -2.0, 4.0])
MASK = np.array([True, False, True])

REFLECTED = {
    "a number minus": lambda t, x: 1 - x,
    "a number over": lambda t, x: 2 / x,
    "one minus one over": lambda t, x: 1 - 1 / x,
    "a number times": lambda t, x: 3 * x,
    "a number plus": lambda t, x: 1.5 + x,
    "a number to the power of": lambda t, x: 2**x,
}


@pytest.mark.torch
@pytest.mark.parametrize("name", REFLECTED)
def test_values_gradients_and_nodes_are_pytorchs(name):
    torch = pytest.importorskip("torch")
    assert_same(REFLECTED[name], X)
    found = [REFLECTED[name](t, t.tensor(X, requires_grad=True)).grad_fn for t in (engine, torch)]
    names = [[None if node is None else node.name() for node, _ in fn.next_functions] for fn in found]
    assert found[0].name() == found[1].name()
    assert names[0] == names[1]


def test_a_quotient_does_not_keep_its_denominator():
    x = engine.tensor(X, requires_grad=True)
    y = 1 / x
    with engine.no_grad():
        x.mul_(2)
    y.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), -1 / X**2)


@pytest.mark.torch
@pytest.mark.parametrize(
    "call",
    [
        lambda t, x, mask: 1 - mask,
        lambda t, x, mask: True - mask,
        lambda t, x, mask: mask - 1,
        lambda t, x, mask: mask - mask,
        lambda t, x, mask: x - mask,
        lambda t, x, mask: t.sub(mask, x),
        lambda t, x, mask: x.clone().sub_(mask),
    ],
)
def test_truth_is_not_subtracted(call):
    pytest.importorskip("torch")
    assert_same_error(call, X, MASK)


@pytest.mark.torch
@pytest.mark.parametrize("look", [lambda y: y.detach(), lambda y: y.data])
def test_the_node_stays_when_numbers_are_written_past_the_graph(look):
    torch = pytest.importorskip("torch")
    shown = []
    for t in (engine, torch):
        y = t.tensor(X, requires_grad=True) * 2
        look(y)[0] = 100.0
        shown.append(repr(y))
    assert shown[0] == shown[1]


@pytest.mark.torch
def test_a_number_is_written_along_the_diagonal():
    torch = pytest.importorskip("torch")
    wide = np.arange(6.0).reshape(2, 3)
    assert_same(lambda t, x: (x * x).fill_diagonal_(-1), wide)
    assert_same(lambda t, x: (x * x).T.fill_diagonal_(7), wide)
    assert_same_error(lambda t, x: x.fill_diagonal_(1), X)
    names = [(t.ones(2, 2, requires_grad=True) * 1).fill_diagonal_(0).grad_fn.name() for t in (engine, torch)]
    assert names[0] == names[1]
