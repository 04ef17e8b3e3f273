"""Derivatives of functions as functions, vmap and calls of modules with other tensors, against a live PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import gradviz.engine as engine

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def _net(t: Any) -> Any:
    t.manual_seed(0)
    return t.nn.Sequential(t.nn.Linear(2, 2), t.nn.Linear(2, 2))


def _tied(t: Any) -> Any:
    net = _net(t)
    net[1].weight = net[0].weight
    return net


CASES: dict[str, Callable[[Any], Any]] = {
    "grad": lambda t: t.func.grad(lambda x: (x**3).sum())(t.tensor([1.0, 2.0])),
    "grad of the second": lambda t: t.func.grad(lambda x, y: (x * y**2).sum(), argnums=1)(t.ones(2), t.ones(2) * 3),
    "grad with aux": lambda t: t.func.grad(lambda x: (x.sum(), x * 2), has_aux=True)(t.ones(2)),
    "grad twice": lambda t: t.func.grad(t.func.grad(lambda x: x**3))(t.tensor(2.0)),
    "vjp": lambda t: t.func.vjp(lambda x: x**2, t.tensor([1.0, 3.0]))[1](t.ones(2)),
    "jvp": lambda t: t.func.jvp(lambda x: x**2, (t.tensor([1.0, 3.0]),), (t.ones(2),)),
    "jacrev": lambda t: t.func.jacrev(lambda x: x.sin())(t.tensor([1.0, 3.0])),
    "hessian": lambda t: t.func.hessian(lambda x: (x**3).sum())(t.tensor([1.0, 3.0])),
    "vmap": lambda t: t.func.vmap(lambda a, b: (a * b).sum(), in_dims=(0, None))(t.ones(3, 2), t.ones(2) * 2),
    "vmap of columns": lambda t: t.func.vmap(lambda a: a * 2, in_dims=1, out_dims=1)(t.arange(6.0).reshape(2, 3)),
    "grad of each": lambda t: t.func.vmap(t.func.grad(lambda x: x.sin()))(t.tensor([0.0, 1.0])),
    "two sizes": lambda t: t.func.vmap(lambda a, b: a + b)(t.ones(2), t.ones(3)),
    "nothing to map": lambda t: t.func.vmap(lambda a: a, in_dims=(None,))(t.ones(2)),
    "item in vmap": lambda t: t.func.vmap(lambda a: a * a.item())(t.ones(2)),
    "if in vmap": lambda t: t.func.vmap(lambda a: a if a > 0 else -a)(t.ones(2)),
    "a number from vmap": lambda t: t.func.vmap(lambda a: 1.0)(t.ones(2)),
    "no scalar": lambda t: t.func.grad(lambda x: x * 2)(t.ones(2)),
    "no tensor": lambda t: t.func.grad(lambda x: 2)(t.ones(2)),
    "no such argument": lambda t: t.func.grad(lambda x: x.sum(), argnums=2)(t.ones(2)),
    "functional_call": lambda t: t.func.functional_call(_net(t), {"0.weight": t.ones(2, 2)}, t.ones(1, 2)).detach(),
    "tied weights": lambda t: t.func.functional_call(_tied(t), {"0.weight": t.ones(2, 2)}, t.ones(1, 2)).detach(),
    "unknown name": lambda t: t.func.functional_call(_net(t), {"x": t.ones(2)}, t.ones(1, 2)).detach(),
    "strict": lambda t: t.func.functional_call(_net(t), {"x": t.ones(2)}, t.ones(1, 2), strict=True),
    "no dict": lambda t: t.func.functional_call(_net(t), 3, t.ones(1, 2)),
    "no models": lambda t: t.func.stack_module_state([]),
    "two kinds of models": lambda t: t.func.stack_module_state([t.nn.Linear(1, 1), t.nn.ReLU()]),
    "stacked": lambda t: {k: v.shape for k, v in t.func.stack_module_state([_net(t), _net(t)])[0].items()},
    "jacobian": lambda t: t.autograd.functional.jacobian(lambda a, b: (a * b, a.sum()), (t.ones(2), t.ones(2) * 3)),
    "constant under strict": lambda t: t.autograd.functional.jacobian(lambda a: t.ones(2), t.ones(2), strict=True),
    "unused under strict": lambda t: t.autograd.functional.jacobian(
        lambda a, b: ((a * 1).sum(), (a * b).sum()), (t.ones(2), t.ones(2)), strict=True
    ),
    "hvp": lambda t: t.autograd.functional.hvp(lambda a: (a**3).sum(), t.tensor([1.0, 2.0]), t.ones(2)),
}  # fmt: skip


def _outcome(case: Callable[[Any], Any], t: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return repr(case(t))
        except (RuntimeError, ValueError) as error:
            return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("name", CASES)
def test_functions_of_functions_do_what_they_do_in_pytorch(name: str) -> None:
    assert _outcome(CASES[name], engine) == _outcome(CASES[name], torch)
