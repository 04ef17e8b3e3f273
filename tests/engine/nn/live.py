"""What tests of layers need to run the same thing in PyTorch and in the engine."""

from __future__ import annotations

from typing import Any

import numpy as np

import gradviz.engine as engine
from gradviz.engine.tensor import Tensor, constant, current


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Normal numbers in float32."""
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def tensor(array: Any, *, requires_grad: bool = False) -> Tensor:
    """A tensor of the engine."""
    made = constant(np.array(array))
    made.tracked = requires_grad
    return made


def array_of(x: Any) -> np.ndarray:
    """The numbers of a tensor of either."""
    if isinstance(x, Tensor):
        return np.asarray(current(x).array)
    return x.detach().numpy()


def flat(result: Any) -> list[Any]:
    """All tensors in what a layer gives."""
    if isinstance(result, tuple | list):
        return [x for each in result for x in flat(each)]
    return [] if result is None else [result]


def assert_close(mine: Any, theirs: Any, what: str = "", tolerance: float = 1e-5) -> None:
    """Two tensors are equal up to the last digits."""
    a, b = array_of(mine), array_of(theirs)
    assert a.shape == b.shape, what
    assert a.dtype == b.dtype, what
    scale = max(1.0, float(np.abs(b[np.isfinite(b)]).max(initial=0.0))) if b.dtype.kind == "f" else 1.0
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale, err_msg=what)


def make_both(torch: Any, name: str, *args: Any, **kwargs: Any) -> tuple[Any, Any]:
    """A layer of the engine and of PyTorch, both from seed 3."""
    engine.manual_seed(3)
    torch.manual_seed(3)
    return getattr(engine.nn, name)(*args, **kwargs), getattr(torch.nn, name)(*args, **kwargs)
