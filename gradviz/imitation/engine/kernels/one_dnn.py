"""Functions of float32 arrays as oneDNN has them on a processor with registers of 512 bits.

tanh and erf are polynomials, one for each of many intervals, evaluated by fused steps.
Source: jit_uni_eltwise_injector.cpp of oneDNN.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels.one_dnn_series import ERF, TANH
from gradviz.imitation.engine.kernels.quick_exp import quick_exp

_F32, _F64 = np.float32, np.float64
FIRST_HALF, HALVES = 0x39800000, 22
"""Bits where the intervals of tanh begin, and how far to the right their numbers stand."""
LINEAR, ONE = np.array([0x39DDB3D7, 0x41102CB3], np.uint32).view(_F32)
"""Below, tanh x is x; from there on it is 1."""
FIRST_QUARTER, QUARTERS = 0x3DE00001, 21
"""As for tanh, of erf."""
LAST, INFINITE = 23, 24
ERF_IS_ONE = _F32(np.array(0x40B15CEE, np.uint32).view(_F32))


def tanh(x: Any) -> Any:
    """tanh x."""
    size = np.abs(x)
    bits = size.view(np.int32)
    begin = (bits & ~((1 << HALVES) - 1)).view(_F32)
    y = _evaluate(TANH, ((bits - FIRST_HALF) >> HALVES) & 31, size - begin)
    y = np.where(size < ONE, y, _F32(1))
    return np.copysign(np.where(size < LINEAR, size, y), x)


def logistic(x: Any) -> Any:
    """1 / (1 + e⁻ˣ)."""
    e = quick_exp(-np.abs(x), False)
    low = e / (e + _F32(1))
    return np.where(np.signbit(x), low, _F32(1) - low)


def erf_of_root_half(x: Any) -> Any:
    """erf(x / √2)."""
    size = np.abs(x)
    place = np.clip((size.view(np.int32) - FIRST_QUARTER) >> QUARTERS, 1, INFINITE)
    place = np.where(size > ERF_IS_ONE, LAST, place)
    return np.copysign(_evaluate(ERF, place, size), x)


def _evaluate(series: Any, place: Any, x: Any) -> Any:
    exact = x.astype(_F64)
    y = series[-1].take(place).astype(_F64)
    for row in series[-2::-1]:
        y *= exact
        y += row.take(place)
        y = y.astype(_F32).astype(_F64)
    return y.astype(_F32)
