"""Values and gradients of expressions, as PyTorch 2.13 gave them: tests/data/ops*.json, needed by no torch."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import gradviz.engine as torch
from gradviz.engine.nn import functional
from tests.data.op_names import Names

DATA = Path(__file__).parents[1] / "data"


def recorded():
    """The recorded cases of each expression."""
    found = {}
    for file in sorted(DATA.glob("ops*.json")):
        for case in json.loads(file.read_text(encoding="utf-8"))["cases"]:
            found.setdefault(case["expression"], []).append(case)
    return found


def left_out():
    """Expressions beyond the frontier, and those whose numbers may differ.

    These are which of equal elements topk and kthvalue pick, the signs of singular vectors, the eighth digit of
    hardsigmoid (PyTorch's sixth is a float32 also in float64) and the derivative of digamma at its poles.
    """
    beyond, _, differing = (DATA / "ops_beyond.txt").read_text(encoding="utf-8").partition("# differs:\n")
    return beyond.splitlines(), differing.splitlines()


CASES = recorded()
BEYOND, DIFFERING = left_out()
REFUSALS = (AttributeError, TypeError, NotImplementedError)
"""What a script meets at the frontier; `Beyond` is two of them."""


def array(given):
    kind, shape, numbers = given[:3]
    return np.array(numbers, dtype=kind).reshape(shape)


def leaves_of(case):
    leaves = {name: torch.tensor(array(given)) for name, given in case["inputs"].items()}
    for leaf in leaves.values():
        if leaf.is_floating_point():
            leaf.requires_grad_()
    return leaves


def value_of(expression, leaves):
    return eval(expression, {"__builtins__": {}}, Names(leaves, torch, functional))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", [text for text in CASES if text not in {*BEYOND, *DIFFERING}])
def test_value_and_gradients_are_pytorchs(expression):
    for case in CASES[expression]:
        leaves = leaves_of(case)

        out = value_of(expression, leaves)
        if out.requires_grad:
            out.backward(torch.tensor(array(case["v"])))

        wide = out.dtype == torch.float64
        close = {"rtol": 1e-8, "atol": 1e-10} if wide else {"rtol": 2e-4, "atol": 1e-5}
        np.testing.assert_allclose(out.detach().numpy(), array(case["out"]), **close)
        for name, expected in case["gradients"].items():
            found = leaves[name].grad
            if expected is None:
                assert found is None or not found.numpy().any()
            else:
                np.testing.assert_allclose(found.numpy(), array(expected), **close, err_msg=name)


@pytest.mark.parametrize("expression", BEYOND)
def test_what_is_beyond_the_frontier_gives_no_answer(expression):
    for case in CASES[expression]:
        with pytest.raises(REFUSALS):
            value_of(expression, leaves_of(case))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", DIFFERING)
def test_what_may_differ_keeps_its_shape_and_dtype(expression):
    for case in CASES[expression]:
        out = value_of(expression, leaves_of(case)).detach().numpy()

        expected = array(case["out"])
        assert (out.shape, out.dtype) == (expected.shape, expected.dtype)
