"""Calls made with the small engine and with live PyTorch: values, gradients and second derivatives must agree."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import gradviz.engine as engine


def tensors_of(results: Any, kind: type) -> list[Any]:
    """All tensors of a result, however it holds them."""
    if isinstance(results, kind):
        return [results]
    if isinstance(results, tuple | list):
        return [x for each in results for x in tensors_of(each, kind)]
    return []


def numbers(x: Any) -> np.ndarray:
    """The numbers of a tensor in an array of their own."""
    return np.asarray(x.detach().clone().numpy())


def weights(y: Any) -> np.ndarray:
    """What a result is multiplied with to come to one number."""
    return np.cos(np.arange(1, y.size + 1)).reshape(y.shape) + 0.3


def computed(torch: Any, call: Callable[..., Any], arrays: Sequence[Any], second: bool) -> dict[str, Any]:
    """Values, gradients and second derivatives of a call."""
    inputs = [torch.tensor(x) for x in arrays]
    floats = [np.asarray(array).dtype.kind == "f" for array in arrays]
    leaves = [x.requires_grad_() for x, is_float in zip(inputs, floats, strict=True) if is_float]
    results = tensors_of(call(torch, *inputs), torch.Tensor)
    found: dict[str, Any] = {"values": [numbers(x) for x in results], "dtypes": [str(x.dtype) for x in results]}
    tracked = [x for x in results if x.requires_grad]
    found["tracked"] = [x.requires_grad for x in results]
    if not tracked:
        return found
    loss: Any = 0
    for x in tracked:
        loss = loss + (x * torch.tensor(np.asarray(weights(numbers(x)), dtype=numbers(x).dtype))).sum()
    grads = torch.autograd.grad(loss, leaves, create_graph=second, allow_unused=True)
    found["gradients"] = [None if g is None else numbers(g) for g in grads]
    if not second:
        return found
    again = [g for g in grads if g is not None and g.requires_grad]
    if again:
        loss = 0
        for g in again:
            array = numbers(g)
            loss = loss + (g * g * torch.tensor(np.asarray(weights(array), dtype=array.dtype))).sum()
        grads = torch.autograd.grad(loss, leaves, allow_unused=True)
        found["second"] = [None if g is None else numbers(g) for g in grads]
    return found


def assert_same(call: Callable[..., Any], *arrays: Any, second: bool = True, rtol: float | None = None) -> None:
    """Assert that the engine and PyTorch agree on a call: call(torch, *tensors)."""
    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            ours = computed(engine, call, arrays, second)
        theirs = computed(torch, call, arrays, second)
    assert len(ours["values"]) == len(theirs["values"])
    assert ours["dtypes"] == theirs["dtypes"]
    assert ours["tracked"] == theirs["tracked"]
    single = any(getattr(x, "dtype", None) == np.float32 for x in arrays)
    tolerance = rtol or (1e-4 if single else 1e-9)
    for part in ("values", "gradients", "second"):
        for mine, other in zip(ours.get(part, ()), theirs.get(part, ()), strict=False):
            zero = np.zeros(())
            mine, other = (zero if x is None else x for x in (mine, other))
            if mine is not zero and other is not zero:
                assert np.shape(mine) == np.shape(other), part
            np.testing.assert_allclose(mine, other, rtol=tolerance, atol=tolerance, err_msg=part)


def error_of(torch: Any, call: Callable[..., Any], arrays: Sequence[Any]) -> tuple[str, str] | None:
    """The type and the first line of the error that a call raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call(torch, *[torch.tensor(x) for x in arrays])
    except Exception as error:  # every kind of error is compared
        return type(error).__name__, str(error).split("\n")[0]
    return None


def assert_same_error(call: Callable[..., Any], *arrays: Any) -> None:
    """Assert that the engine refuses a call in PyTorch's words."""
    import torch

    ours, theirs = error_of(engine, call, arrays), error_of(torch, call, arrays)
    assert theirs is not None
    assert ours == theirs
