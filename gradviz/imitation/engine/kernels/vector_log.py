"""Logarithms of float32 as PyTorch's vector kernels take them: good to 0.55 units of the last digit.

A number is m 2ᵉ with m between 0.75 and 1.5, and ln m = 2 artanh((m − 1) / (m + 1)). The kernels round the quotient
and its series to float32, and keep in a second float32 what the quotient and the sum lose: here those two are float64.
Source: the algorithm of SLEEF's logf of 1.0 ulp, whose constants these are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kernels.nearest import DOUBLE, SINGLE, fused

_F32 = np.float32
_LOWEST, _ONE, _TWO = (np.array(number, _F32) for number in (0.75, 1, 2))
_LN2 = np.array(0.69314718246459960938 - 1.904654323148236017e-09)
_SERIES = tuple(np.array(float(_F32(c))) for c in (0.3027294874, 0.3996108174, 0.6666694880))
"""Of 2 artanh(x) − 2 x, over x³, by powers of x². As arrays numpy takes numbers in half the time."""
_GRID = np.array(1.5 * 2.0**-97)
"""What is added to it has the last digit of float32 below its normal numbers, 2⁻¹⁴⁹."""


def vector_log(x: Any) -> Any:
    """ln x of an array; of what is not float32, or no normal number above 0, as numpy has it."""
    if x.dtype.char != "f":
        return nearest.log(x)
    mantissa, power = np.frexp(x)  # from 0.5 to 1
    is_low = mantissa < _LOWEST
    y = _log_of(power - is_low, np.ldexp(mantissa, is_low.view(np.int8)) - _ONE)
    return _where((x >= np.finfo(_F32).tiny) & (x < np.inf), y, nearest.log, x)


def vector_log1p(x: Any) -> Any:
    """ln(1 + x) of an array; of what is not float32, or not above -1, as numpy has it."""
    if x.dtype.char != "f":
        return nearest.log1p(x)
    power = np.frexp((x + _F32(1)) * _F32(1 / 0.75))[1] - 1
    scale = np.ldexp(_F32(1), -power)
    y = _log_of(power, fused(x, scale, scale - _F32(1)))
    return _where((x > -1) & (x < _F32(1e38)), y, nearest.log1p, x)


def _log_of(power: Any, above: Any) -> Any:
    """power · ln 2 + ln(1 + above), where `above` is float32 between −0.25 and 0.5."""
    ratio = above * (_ONE / (above + _TWO))
    square = ratio * ratio
    wide = square.astype(DOUBLE)
    series = wide * _SERIES[0]
    series += _SERIES[1]
    series = series.astype(SINGLE).astype(DOUBLE)
    series *= wide
    series += _SERIES[2]
    exact = above.astype(DOUBLE)
    exact /= exact + _TWO
    exact += _GRID
    exact -= _GRID
    exact += exact
    exact += square * ratio * series.astype(SINGLE)
    exact += power * _LN2
    return exact.astype(SINGLE)


def _where(is_inside: Any, y: Any, other: Callable[[Any], Any], x: Any) -> Any:
    return y if is_inside.all() else np.where(is_inside, y, other(x))
