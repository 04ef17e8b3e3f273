"""GELU of arrays and its slope, rounded as PyTorch rounds them.

The form with erf goes through oneDNN where there is more than one float32: its slope takes erf from the formula 7.1.26
of Abramowitz and Stegun and has an exponential of its own, so that near its zero it is good to four digits only. The
form with tanh is PyTorch's own, by registers.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kernels.nearest import fused
from gradviz.imitation.engine.kernels.one_dnn import erf_of_root_half
from gradviz.imitation.engine.kernels.quick_exp import polynomial, quick_exp

ROOT_HALF, ROOT_2_OVER_PI, CUBIC = math.sqrt(0.5), math.sqrt(2 / math.pi), 0.044715
_erf = np.frompyfunc(math.erf, 1, 1)

_F32 = np.float32
SHARE = _F32(0.3275911)
SERIES = tuple(map(_F32, (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)))
"""t = 1 / (1 + share · x), and erf x = 1 − series(t) t e^(−x²), from the highest power of t down."""
PER_ROOT_PI = _F32(0.56418955)
"""oneDNN has it one unit in the last place too low."""


def erf_array(x: Any) -> Any:
    """erf of each number, computed in float64."""
    return np.asarray(_erf(np.asarray(x, np.float64))).astype(x.dtype)[()]


def _by_one_dnn(x: Any) -> bool:
    return bool(x.dtype.char == "f" and x.size > 1)


def gelu(x: Any, approximate: str) -> Any:
    """x Φ(x), or its approximation by tanh."""
    number = x.dtype.type
    if approximate == "tanh":
        return x * number(0.5) * (1 + nearest.tanh(_inner(x)))
    if not _by_one_dnn(x):
        return x * number(0.5) * (1 + erf_array(x * number(ROOT_HALF)))
    return x * (erf_of_root_half(x) + number(1)) * number(0.5)


def gelu_gradient(g: Any, x: Any, approximate: str) -> Any:
    """g times the slope of `gelu`."""
    number = x.dtype.type
    if approximate == "tanh":
        return g * _tanh_slope(x)
    if _by_one_dnn(x):
        return g * _slope(x)
    share = number(0.5) * (1 + erf_array(x * number(ROOT_HALF)))
    density = nearest.exp(x * x * number(-0.5)) * number(1 / math.sqrt(2 * math.pi))
    return g * (share + x * density)


def _inner(x: Any) -> Any:
    number = x.dtype.type
    return number(ROOT_2_OVER_PI) * fused(number(CUBIC), x * x * x, x)


def _tanh_slope(x: Any) -> Any:
    number = x.dtype.type
    t = nearest.tanh(_inner(x))
    inner = number(ROOT_2_OVER_PI) * fused(number(3) * number(CUBIC), x * x, number(1))
    return number(0.5) * x * nearest.one_minus_square(t) * inner + number(0.5) * (1 + t)


def _slope(x: Any) -> Any:
    z = x * _F32(ROOT_HALF)
    decay = quick_exp(-(z * z), False)
    density = z * PER_ROOT_PI * decay
    t = _F32(1) / fused(SHARE, np.abs(z), _F32(1))
    erf = np.copysign(fused(-decay * t, polynomial(SERIES, t), _F32(1)), z)
    return fused(erf, _F32(0.5), density + _F32(0.5))
