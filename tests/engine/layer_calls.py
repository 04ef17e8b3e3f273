"""Compare calls of layers and losses with the same calls of PyTorch: numbers, two derivatives, refusals."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gradviz.engine as ours
import gradviz.engine.nn.functional as our_functions

Namespaces = tuple[Any, Any]
"""torch and its F, ours or theirs."""


@dataclass
class Call:
    """One call to compare.

    Attributes:
        name: shown where the comparison fails.
        function: of (torch, F, *tensors); gives a tensor or a tuple whose first item is one.
        inputs: arrays; those of floats take gradients, unless their number is in `fixed`.
        order: how many derivatives PyTorch has.
        fixed: inputs without a gradient.
        seed: for calls that draw random numbers.
        precision: relative, in float64.
    """

    name: str
    function: Callable[..., Any]
    inputs: tuple[Any, ...]
    order: int = 2
    fixed: tuple[int, ...] = ()
    seed: int | None = None
    dtypes: tuple[str, ...] = ("float64", "float32")
    precision: float = 1e-9


def waves(*shape: int, shift: float = 0.0) -> Any:
    """Numbers between -1.5 and 1.5 without ties."""
    count = int(np.prod(shape))
    return (np.sin(np.arange(1, count + 1) * 1.7 + shift) * 1.5).reshape(shape)


def positive(*shape: int, shift: float = 0.0) -> Any:
    """Numbers between 0.05 and 0.95."""
    return waves(*shape, shift=shift) * 0.3 + 0.5


def params(calls: list[Call]) -> list[Any]:
    """The calls as pytest's parameters, once for each dtype."""
    return [pytest.param(call, dtype, id=f"{call.name}-{dtype}") for call in calls for dtype in call.dtypes]


def compare(torch: Any, call: Call, dtype: str) -> None:
    """Assert that both engines give the same."""
    with np.errstate(all="ignore"):
        theirs = _run((torch, torch.nn.functional), call, dtype)
        mine = _run((ours, our_functions), call, dtype)
    is_double = dtype == "float64"
    tolerance = {"rtol": call.precision, "atol": call.precision / 10} if is_double else {"rtol": 1e-5, "atol": 2e-5}
    for order, (own, their) in enumerate(zip(mine, theirs, strict=True)):
        for slot, (a, b) in enumerate(zip(own, their, strict=True)):
            a, b = (np.zeros(1) if x is None else x for x in (a, b))
            if a.shape != b.shape and not a.any() and not b.any():
                continue
            assert a.shape == b.shape, (order, slot)
            assert a.dtype == b.dtype, (order, slot)
            np.testing.assert_allclose(a, b, **tolerance, err_msg=f"order {order}, input {slot}")


def _run(namespaces: Namespaces, call: Call, dtype: str) -> list[list[Any]]:
    torch, functions = namespaces
    if call.seed is not None:
        torch.manual_seed(call.seed)
    tensors = []
    for slot, array in enumerate(call.inputs):
        if isinstance(array, np.ndarray) and array.dtype.kind == "f":
            array = array.astype(dtype)
        tensor = torch.tensor(array)
        tensors.append(tensor.requires_grad_() if tensor.is_floating_point() and slot not in call.fixed else tensor)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = call.function(torch, functions, *tensors)
    y = made[0] if isinstance(made, tuple) else made
    found = [[x.detach().numpy(force=True) for x in (made if isinstance(made, tuple) else (made,))]]
    leaves = [x for x in tensors if x.requires_grad]
    if not call.order or not leaves:
        return found
    sent = torch.autograd.grad(y, leaves, _seed(torch, y), create_graph=call.order > 1, allow_unused=True)
    found.append([None if g is None else g.detach().numpy(force=True) for g in sent])
    if call.order > 1:
        total = sum(((g * _seed(torch, g, 0.7)).sum() for g in sent if g is not None and g.requires_grad), 0)
        second = (
            torch.autograd.grad(total, leaves, allow_unused=True)
            if getattr(total, "requires_grad", False) else [None] * len(leaves)
        )  # fmt: skip
        found.append([None if g is None else g.detach().numpy(force=True) for g in second])
    return found


def _seed(torch: Any, like: Any, shift: float = 0.0) -> Any:
    array = np.cos(np.arange(1, like.numel() + 1) + shift) + 0.3
    return torch.tensor(array.reshape(tuple(like.shape)).astype(like.detach().numpy(force=True).dtype))


def text_of_error(namespaces: Namespaces, function: Callable[..., Any]) -> tuple[str, str]:
    """The kind and the text of what a call raises."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            function(*namespaces)
        except Exception as error:
            return type(error).__name__, str(error)
    raise AssertionError("nothing was refused")


def compare_errors(torch: Any, function: Callable[..., Any]) -> None:
    """Assert that both engines refuse a call in the same words."""
    theirs = text_of_error((torch, torch.nn.functional), function)
    assert text_of_error((ours, our_functions), function) == theirs
