"""Values and gradients of expressions, as PyTorch 2.13 gave them: tests/data/ops*.json, needed by no torch."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import gradviz.engine as torch
from gradviz.engine.errors import Beyond
from gradviz.engine.nn import functional

DATA = Path(__file__).parents[1] / "data"
CASES = [case for file in sorted(DATA.glob("ops*.json")) for case in json.loads(file.read_text())["cases"]]
BEYOND = frozenset((DATA / "ops_beyond.txt").read_text(encoding="utf-8").splitlines())
"""Expressions that name something beyond the frontier, or ask what the engine gave up (ties, strides)."""


def array(given):
    kind, shape, numbers = given[:3]
    return np.array(numbers, dtype=kind).reshape(shape)


class Names(dict):
    """What an expression may name: functions of torch, those of nn.functional, and `torch` and `neural` themselves."""

    def __missing__(self, name):
        for module in (torch, functional):
            try:
                return getattr(module, name)
            except AttributeError:
                continue
        raise KeyError(name)


def expressions() -> list[str]:
    return list(Counter(case["expression"] for case in CASES))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", [text for text in expressions() if text not in BEYOND])
def test_value_and_gradients_are_pytorchs(expression):
    for case in CASES:
        if case["expression"] != expression:
            continue
        leaves = {name: torch.tensor(array(given)) for name, given in case["inputs"].items()}
        for leaf in leaves.values():
            if leaf.is_floating_point():
                leaf.requires_grad_()

        out = eval(expression, {"__builtins__": {}}, Names(leaves, torch=torch, neural=functional))
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
