"""PyTorch's in-place arithmetic as its CPU kernels do it: a product and a sum are rounded once, not twice."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.half.kernels import add_scaled


def is_half(x: Any) -> bool:
    """Whether an array has 16 bits; PyTorch computes such in float32."""
    return bool(x.dtype.itemsize == 2)


def wide(x: Any) -> Any:
    """In float32."""
    return x.astype(np.float32)


def fused(y: Any, x: Any, alpha: float) -> Any:
    """y + alpha * x: `y.add_(x, alpha=alpha)`. alpha is first rounded to the dtype."""
    if is_half(y):
        return add_scaled(y, x, alpha)
    if y.dtype != np.float32:
        return _fused_double(y, x, y.dtype.type(alpha)) if y.dtype == np.float64 else y + y.dtype.type(alpha) * x
    # In float64 the product of two float32 is exact, so only the sum is rounded.
    wide = np.asarray(x, np.float64) * np.float64(np.float32(alpha))
    return (np.asarray(y, np.float64) + wide).astype(np.float32)


_SPLIT = 2.0**27 + 1.0


def _halves(x: Any) -> tuple[Any, Any]:
    """x as a sum of two numbers of half the digits, whose products are exact."""
    high = x * _SPLIT
    high = high - (high - x)
    return high, x - high


def _fused_double(y: Any, a: Any, b: Any) -> Any:
    """y + a * b in float64, rounded once: what a rounded product and sum lose is added again (Dekker, Knuth)."""
    product = a * b
    (a1, a2), (b1, b2) = _halves(a), _halves(b)
    lost = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2
    total = y + product
    part = total - y
    lost = lost + ((y - (total - part)) + (product - part))
    return np.where(np.isfinite(lost), total + lost, total)[()]


def scaled(x: Any, factor: float) -> Any:
    """`x.mul_(factor)`."""
    return (wide(x) * np.float32(factor)).astype(x.dtype) if is_half(x) else x * x.dtype.type(factor)


def divided(x: Any, divisor: float) -> Any:
    """`x / divisor`."""
    return (wide(x) / np.float32(divisor)).astype(x.dtype) if is_half(x) else x / x.dtype.type(divisor)


def over(number: float, x: Any) -> Any:
    """`number / x`, of 16 bits by way of the reciprocal."""
    return scaled(x.dtype.type(1) / x, number) if is_half(x) else x.dtype.type(number) / x


def lerp(x: Any, end: Any, weight: float) -> Any:
    """`x.lerp_(end, weight)`: from x a part of the way to end."""
    if is_half(x):
        return lerp(wide(x), wide(end), weight).astype(x.dtype)
    if weight < 0.5:
        return fused_arrays(end - x, weight, x)
    return end - (end - x) * x.dtype.type(1 - x.dtype.type(weight))


def fused_arrays(x: Any, weight: float, y: Any) -> Any:
    """weight * x + y."""
    return fused(y, x, weight)


def addcmul(y: Any, a: Any, b: Any, value: float = 1) -> Any:
    """`y.addcmul_(a, b, value=value)`: y + (value * a) * b."""
    if is_half(y):
        return addcmul(wide(y), wide(a), wide(b), value).astype(y.dtype)
    first = a * a.dtype.type(value)
    if y.dtype != np.float32:
        return _fused_double(y, first, b) if y.dtype == np.float64 else y + first * b
    return (np.asarray(y, np.float64) + np.asarray(first, np.float64) * np.asarray(b, np.float64)).astype(np.float32)


def addcdiv(y: Any, a: Any, b: Any, value: float = 1) -> Any:
    """`y.addcdiv_(a, b, value=value)`: y + (value * a) / b."""
    if is_half(y):
        return addcdiv(wide(y), wide(a), wide(b), value).astype(y.dtype)
    return y + a * a.dtype.type(value) / b
