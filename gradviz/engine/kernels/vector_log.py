"""Logarithms of float32 as PyTorch's vector kernels take them: good to 0.55 units of the last digit.

A number is m 2ᵉ with m between 0.75 and 1.5, and ln m = 2 artanh((m − 1) / (m + 1)). What one float32 loses
is kept in a second one. Source: the algorithm of SLEEF's logf of 1.0 ulp, whose constants these are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.kernels import nearest
from gradviz.engine.kernels.nearest import fused

_F32 = np.float32
LN2, LN2_REST = _F32(0.69314718246459960938), _F32(-1.904654323148236017e-09)
SERIES = tuple(map(_F32, (0.3027294874, 0.3996108174, 0.6666694880)))
"""Of 2 artanh(x) − 2 x, over x³, by powers of x²."""


def vector_log(x: Any) -> Any:
    """ln x of an array; of what is not float32, or no normal number above 0, as numpy has it."""
    if x.dtype.char != "f":
        return nearest.log(x)
    mantissa, power = np.frexp(x)  # from 0.5 to 1
    is_low = mantissa < _F32(0.75)
    m = np.where(is_low, mantissa * _F32(2), mantissa)
    y = _log_of((power - is_low).astype(_F32), _sum(m, _F32(-1)), _sum(m, _F32(1)))
    return _where((x >= np.finfo(_F32).tiny) & (x < np.inf), y, nearest.log, x)


def vector_log1p(x: Any) -> Any:
    """ln(1 + x) of an array; of what is not float32, or not above -1, as numpy has it."""
    if x.dtype.char != "f":
        return nearest.log1p(x)
    power = np.frexp((x + _F32(1)) * _F32(1 / 0.75))[1] - 1
    scale = np.ldexp(_F32(1), -power)
    m = fused(x, scale, scale - _F32(1))
    below = m + _F32(2)
    y = _log_of(power.astype(_F32), (m, _F32(0)), (below, (_F32(2) - below) + m))
    return _where((x > -1) & (x < _F32(1e38)), y, nearest.log1p, x)


def _log_of(power: Any, above: tuple[Any, Any], below: tuple[Any, Any]) -> Any:
    """power · ln 2 + 2 artanh(above / below), of numbers in two parts."""
    high = LN2 * power
    rest = fused(LN2_REST, power, fused(LN2, power, -high))
    ratio, ratio_rest = _over(*above, *below)
    square = ratio * ratio
    series = fused(fused(SERIES[0], square, SERIES[1]), square, SERIES[2])
    high, rest = _more(high, rest, ratio * _F32(2), ratio_rest * _F32(2))
    high, rest = _more(high, rest, square * ratio * series)
    return high + rest


def _where(is_inside: Any, y: Any, other: Callable[[Any], Any], x: Any) -> Any:
    return y if is_inside.all() else np.where(is_inside, y, other(x))


def _sum(a: Any, b: Any) -> tuple[Any, Any]:
    """a + b, and what is lost."""
    s = a + b
    part = s - b
    return s, (b - (s - part)) + (a - part)


def _over(a: Any, a_rest: Any, b: Any, b_rest: Any) -> tuple[Any, Any]:
    """A number in two parts over another."""
    turned = _F32(1) / b
    ratio = a * turned
    error = fused(-b_rest, turned, fused(-b, turned, _F32(1)))
    return ratio, fused(ratio, error, fused(a_rest, turned, fused(turned, a, -ratio)))


def _more(a: Any, a_rest: Any, b: Any, b_rest: Any = None) -> tuple[Any, Any]:
    """The sum of two numbers in two parts, the first being the larger one."""
    s = a + b
    rest = ((a - s) + b) + a_rest
    return s, rest if b_rest is None else rest + b_rest
