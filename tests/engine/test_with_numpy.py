"""Tensors beside numpy's arrays and numbers, and in numpy's functions, against a live PyTorch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import gradviz.engine as engine

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

USES: dict[str, Callable[..., Any]] = {
    "array * tensor": lambda a, x, w: a * x,
    "tensor * array": lambda a, x, w: x * a,
    "number * tensor": lambda a, x, w: np.float64(2) * x,
    "tensor * number": lambda a, x, w: x * np.float32(2),
    "array - tensor": lambda a, x, w: a - x,
    "array / tensor": lambda a, x, w: a / x,
    "array @ tensor": lambda a, x, w: a @ x,
    "array > tensor": lambda a, x, w: a > x,
    "tensor > array": lambda a, x, w: x > a,
    "array == tensor": lambda a, x, w: a == x,
    "array ** tensor": lambda a, x, w: a**x,
    "number > tensor": lambda a, x, w: np.float64(2) > x,
    "number * tracked": lambda a, x, w: (np.float64(2) * w).detach(),
    "array * tracked": lambda a, x, w: a * w,
    "sqrt": lambda a, x, w: np.sqrt(x),
    "sqrt of tracked": lambda a, x, w: np.sqrt(w),
    "exp of a number": lambda a, x, w: np.exp(x[0]),
    "add": lambda a, x, w: np.add(a, x),
    "maximum": lambda a, x, w: np.maximum(x, 0),
    "greater": lambda a, x, w: np.greater(x, 2),
    "argmax": lambda a, x, w: np.argmax(x),
    "clip": lambda a, x, w: np.clip(x, 0, 2),
    "array": lambda a, x, w: np.array(x),
    "stack": lambda a, x, w: np.stack([x, x]),
    "dot": lambda a, x, w: np.dot(a, x),
    "index of an array": lambda a, x, w: a[x > 2],
}


def _outcome(t: Any, use: Callable[..., Any]) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = use(np.array([1.0, 2.0]), t.tensor([1.0, 4.0]), t.tensor([1.0, 4.0], requires_grad=True))
        except (TypeError, RuntimeError) as error:
            return f"{type(error).__name__}: {error}"
    return f"{type(found).__name__} {found!r}"


@pytest.mark.parametrize("use", USES)
def test_numpy_and_tensors_mix_as_in_pytorch(use: str) -> None:
    assert _outcome(engine, USES[use]) == _outcome(torch, USES[use])


def test_an_array_taken_off_a_tensor_makes_a_new_one() -> None:
    x = before = engine.tensor([1.0, 4.0])

    x -= np.ones(2)

    assert before.tolist() == [1, 4]
    assert x.tolist() == [0, 3]
