"""The windows of `torch` through which a spectrum is looked at: hann, hamming, bartlett, blackman, kaiser.

Each is worked out in PyTorch's steps, of which each rounds to the dtype.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine import creation
from gradviz.imitation.engine.dtypes import FLOATING, c_name
from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.rules.numbers.special import scaled_bessel
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine

Shape = Callable[..., Tensor]
"""shape(steps, n, *numbers): the window of n numbers, out of their places 0, 1, ..., n - 1."""


def functions(machine: Machine, dtype_of: Callable[[Any], Any]) -> dict[str, Callable[..., Tensor]]:
    """The windows by name, as functions of a script."""
    return {name: _made(machine, dtype_of, name, shape) for name, shape in SHAPES.items()}


def _made(machine: Machine, dtype_of: Callable[[Any], Any], name: str, shape: Shape) -> Callable[..., Tensor]:
    def window(
        window_length: int, periodic: bool = True, *given: float, dtype: Any = None, requires_grad: bool = False,
        **named: float,
    ) -> Tensor:  # fmt: skip
        (length,) = _whole(name, window_length)
        kind = dtype_of(dtype) or machine.tape.float_dtype
        if kind.kind not in FLOATING:
            raise TorchError(
                f"{name} expects floating point dtypes, got: TensorOptions(dtype={c_name(kind)}, device=cpu, "
                "layout=Strided (default), requires_grad=false (default), pinned_memory=false, "
                "memory_format=(nullopt))"
            )
        if length < 2:
            return machine.tensor(np.ones(length, kind), requires_grad=requires_grad)
        n = length + bool(periodic)
        steps = constant(np.arange(n).astype(kind), machine.tape)
        found = shape(steps, n, *given, **named).data[:length]
        return machine.tensor(np.array(found), requires_grad=requires_grad)

    window.__name__ = name
    return window


def _whole(name: str, length: Any) -> tuple[int, ...]:
    if not isinstance(length, int | np.integer | Tensor):
        raise TypeError(f"{name}(): argument 'window_length' (position 1) must be int")
    n = int(length.data) if isinstance(length, Tensor) else int(length)
    if n < 0:
        raise TorchError(f"{name} requires non-negative window_length, got window_length={n}")
    return creation.check_size((n,))


def _times(x: Tensor, factor: float) -> Tensor:
    """A product of which PyTorch rounds the number to the dtype before, unlike where a script asks for it."""
    return F["mul"](x, float(x.dtype.type(factor)))  # type: ignore[no-any-return]


def _cosine(steps: Tensor, factor: float) -> Tensor:
    return F["cos"](_times(steps, factor))  # type: ignore[no-any-return]


def _hamming(steps: Tensor, n: int, alpha: float = 0.54, beta: float = 0.46) -> Tensor:
    return F["add"](_times(_cosine(steps, math.pi * 2 / (n - 1)), -beta), alpha)  # type: ignore[no-any-return]


def _hann(steps: Tensor, n: int) -> Tensor:
    return _hamming(steps, n, 0.5, 0.5)


def _bartlett(steps: Tensor, n: int) -> Tensor:
    rising = _times(steps, 2 / (n - 1))
    falling = F["add"](_times(rising, -1), 2)
    return constant(np.where(np.arange(n) <= (n - 1) // 2, rising.data, falling.data), steps.tape)


def _blackman(steps: Tensor, n: int) -> Tensor:
    turned = _times(steps, math.pi / (n - 1))
    waves = F["sub"](_times(_cosine(turned, 4), 0.08), _times(_cosine(turned, 2), 0.5))
    return F["add"](waves, 0.42)  # type: ignore[no-any-return]


def _kaiser(steps: Tensor, n: int, beta: float = 12.0) -> Tensor:
    away = steps.data.astype(np.float64) * (2 / (n - 1)) - 1
    inside = beta * np.sqrt(np.maximum(0.0, 1 - away * away))
    shares = scaled_bessel(0, inside) / scaled_bessel(0, beta) * np.exp(inside - abs(beta))
    return constant(shares.astype(steps.dtype), steps.tape)


SHAPES: dict[str, Shape] = {
    "hann_window": _hann, "hamming_window": _hamming, "bartlett_window": _bartlett, "blackman_window": _blackman,
    "kaiser_window": _kaiser,
}  # fmt: skip
