"""PyTorch's in-place arithmetic as its CPU kernels do it: product and sum in float32 are rounded once, not twice."""

from __future__ import annotations

from typing import Any

import numpy as np


def fused(y: Any, x: Any, alpha: float) -> Any:
    """y + alpha * x: `y.add_(x, alpha=alpha)`. alpha is first rounded to the dtype."""
    if y.dtype != np.float32:
        return y + y.dtype.type(alpha) * x
    # In float64 the product of two float32 is exact, so only the sum is rounded.
    wide = np.asarray(x, np.float64) * np.float64(np.float32(alpha))
    return (np.asarray(y, np.float64) + wide).astype(np.float32)


def scaled(x: Any, factor: float) -> Any:
    """`x.mul_(factor)`."""
    return x * x.dtype.type(factor)


def lerp(x: Any, end: Any, weight: float) -> Any:
    """`x.lerp_(end, weight)`: from x a part of the way to end."""
    if weight < 0.5:
        return fused_arrays(end - x, weight, x)
    return end - (end - x) * x.dtype.type(1 - x.dtype.type(weight))


def fused_arrays(x: Any, weight: float, y: Any) -> Any:
    """weight * x + y."""
    return fused(y, x, weight)


def addcmul(y: Any, a: Any, b: Any, value: float = 1) -> Any:
    """`y.addcmul_(a, b, value=value)`: y + (value * a) * b."""
    first = a * a.dtype.type(value)
    if y.dtype != np.float32:
        return y + first * b
    return (np.asarray(y, np.float64) + np.asarray(first, np.float64) * np.asarray(b, np.float64)).astype(np.float32)


def addcdiv(y: Any, a: Any, b: Any, value: float = 1) -> Any:
    """`y.addcdiv_(a, b, value=value)`: y + (value * a) / b."""
    return y + a * a.dtype.type(value) / b
