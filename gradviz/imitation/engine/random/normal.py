"""The normal distribution as PyTorch's CPU build draws it, to the last bit.

Sixteen float32 numbers or more go through Cephes' single precision polynomials for log, sin and cos with fused
multiply-adds; that is what PyTorch runs on every processor with AVX2, and its results differ from the correctly
rounded ones in every second number. Without AVX2 (and on ARM) PyTorch's own last digits differ from these.

Source: Cephes mathematical library (logf, sinf, cosf); Box and Muller, 1958.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Floats = np.ndarray[Any, np.dtype[Any]]
F = np.float32

BLOCK = 16
"""From this many numbers on PyTorch fills whole blocks; below it draws them one by one."""

_LOG_POLYNOMIAL = (
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)
# log(2) and pi / 4 in parts, of which the first are so short that whole multiples of them are exact.
_LOG_2 = (0.693359375, -2.12194440e-4)
_QUARTER_PI = (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)
_SIN_POLYNOMIAL = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS_POLYNOMIAL = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)

# math.log and not np.log: numpy's float64 functions may differ from the C library's by one unit in the last place.
_LOG = np.frompyfunc(math.log, 1, 1)
_SIN = np.frompyfunc(math.sin, 1, 1)
_COS = np.frompyfunc(math.cos, 1, 1)


def fused(a: Any, b: Any, c: Any, dtype: np.dtype[Any]) -> Floats:
    """a * b + c rounded once, as the processor's fused multiply-add gives it; dtype float32 or float64."""
    return _fused32(a, b, c) if dtype == np.float32 else _fused64(a, b, c)


def _fused32(a: Any, b: Any, c: Any) -> Floats:
    # The product of two float32 is exact in float64. Rounding the sum twice matters once in some 10^8 sums.
    result: Floats = (np.multiply(a, b, dtype=np.float64) + c).astype(F)
    return result


def _fused64(a: Any, b: Any, c: Any) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        product = np.multiply(a, b, dtype=np.float64)
        total = product + c
        rest = total - product
        lost = ((product - (total - rest)) + (c - rest)) + _product_error(a, b, product)
        result: Floats = np.where(lost == 0, total, total + lost)  # where nothing is lost, −0 stays −0
        is_finite = np.isfinite(result)
        if is_finite.all():
            return result
        # Dekker's splitting overflows near the end of the range, and the product where the sum may not.
        return np.where(is_finite, result, (np.multiply(a, b, dtype=np.longdouble) + c).astype(np.float64))


def _product_error(a: Any, b: Any, product: Floats) -> Floats:
    """a * b - product, exactly (Dekker, 1971)."""
    a_high, a_low = _halves(a)
    b_high, b_low = _halves(b)
    error: Floats = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    return error


def _halves(x: Any) -> tuple[Any, Any]:
    scaled = np.multiply(x, 134217729.0)
    high = scaled - (scaled - x)
    return high, x - high


def box_muller(uniform: Floats) -> Floats:
    """Standard normal numbers out of uniform ones in [0, 1): blocks of 16, made in pairs (i, i + 8).

    Args:
        uniform: float32 or float64, of a length that 16 divides.
    """
    pairs = uniform.reshape(-1, 2, BLOCK // 2)
    first, second = 1 - pairs[:, 0], pairs[:, 1]
    if uniform.dtype == np.float32:
        radius = np.sqrt(F(-2) * _log32(first))
        sine, cosine = _sin_cos32(F(2 * math.pi) * second)
    else:
        angle = 2 * math.pi * second
        radius = np.sqrt(-2 * np.asarray(_LOG(first), np.float64))
        sine, cosine = np.asarray(_SIN(angle), np.float64), np.asarray(_COS(angle), np.float64)
    return np.stack([radius * cosine, radius * sine], axis=1).reshape(-1)


def box_muller_pair(first: float, second: float) -> tuple[float, float]:
    """Two standard normal numbers out of two uniform ones in [0, 1), as PyTorch draws a few at a time."""
    radius = math.sqrt(-2.0 * math.log1p(-second))
    angle = 2.0 * math.pi * first
    return radius * math.cos(angle), radius * math.sin(angle)


def _log32(x: Floats) -> Floats:
    """log(x) of float32 x in (0, 1]."""
    fraction, exponent = np.frexp(x)
    is_low = fraction < F(math.sqrt(0.5))
    fraction = np.where(is_low, fraction + fraction, fraction) - F(1)
    scale = (exponent - is_low).astype(F)
    square = fraction * fraction
    series = _horner(_LOG_POLYNOMIAL, fraction) * fraction
    series = _fused32(series, square, scale * F(_LOG_2[1]))
    series = _fused32(square, F(-0.5), series)
    return _fused32(scale, F(_LOG_2[0]), fraction + series)


def _sin_cos32(x: Floats) -> tuple[Floats, Floats]:
    """sin(x) and cos(x) of float32 x in [0, 2 pi]."""
    # The nearest even number of eighths of a turn; what is left lies within +-pi / 4.
    octant = ((x * F(4 / math.pi)).astype(np.int32) + 1) & ~1
    for part in _QUARTER_PI:
        x = _fused32(octant, F(-part), x)
    square = x * x
    sine = _fused32(_horner(_SIN_POLYNOMIAL, square) * square, x, x)
    cosine = _fused32(_horner(_COS_POLYNOMIAL, square) * square, square, square * F(-0.5)) + F(1)
    is_swapped = (octant & 2) != 0
    return (
        np.where(is_swapped, cosine, sine) * np.where(octant & 4, F(-1), F(1)),
        np.where(is_swapped, sine, cosine) * np.where((octant + 2) & 4, F(-1), F(1)),
    )


def _horner(coefficients: tuple[float, ...], x: Floats) -> Floats:
    total = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        total = _fused32(total, x, F(coefficient))
    return total
