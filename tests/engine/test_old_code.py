"""What PyTorch keeps for code of its first versions, against a live PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import gradviz.engine as engine

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

USES: dict[str, Callable[..., Any]] = {
    "storage": lambda t, x: x[1].storage().tolist(),
    "storage's text": lambda t, x: x.storage(),
    "storage's size": lambda t, x: (
        len(x.storage()),
        x[1].storage().size(),
        x.storage()[2],
        x.untyped_storage().nbytes(),
    ),
    "slice of a storage": lambda t, x: x.storage()[1:3],
    "offsets": lambda t, x: (x.storage_offset(), x[1].storage_offset(), x[1].data_ptr() - x.data_ptr()),
    "same storage": lambda t, x: x.storage().data_ptr() == x[1].storage().data_ptr(),
    "new": lambda t, x: (x.new(2, 3).shape, x.new(), x.new([1, 2]), x.long().new([3]), x.new(x.size()).shape),
    "volatile": lambda t, x: x.volatile,
    "number before tensor": lambda t, x: (x.clone().add_(-0.1, x), t.add(x, 2, x), x.sub(2, x)),
    "number before tensors": lambda t, x: (t.addcmul(x, 3, x, x), x.clone().addcdiv_(3, x, x + 1)),
    "Variable": lambda t, x: t.autograd.Variable(x, requires_grad=True),
    "Variable of a leaf": lambda t, x: t.autograd.Variable(x.clone().requires_grad_()).requires_grad,
    "Variable of a number": lambda t, x: t.autograd.Variable(3),
    "Variable of whole numbers": lambda t, x: t.autograd.Variable(x.long(), requires_grad=True),
    "retain_variables": lambda t, x: x.clone().requires_grad_().sum().backward(retain_variables=True),
}


@pytest.mark.parametrize("use", USES)
def test_old_code_gets_what_it_gets_in_pytorch(use: str) -> None:
    def outcome(t: Any) -> str:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                return repr(USES[use](t, t.arange(6.0).view(2, 3)))
            except (TypeError, RuntimeError) as error:
                return f"{type(error).__name__}: {error}"

    assert outcome(engine) == outcome(torch)
