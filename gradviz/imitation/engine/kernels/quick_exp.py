"""An exponential of float32 good to six digits, which PyTorch's attention and oneDNN share."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels.nearest import fused

_F32 = np.float32
LOG2_E, LN2, HALF = _F32(1.44269502), _F32(0.693147182), _F32(0.5)
SERIES = tuple(map(_F32, (0.00828929059, 0.0418978221, 0.166676521, 0.499991506, 0.999999701, 1.0)))
LOWEST = _F32(-87.336548)
"""Below, the result is 0."""


def quick_exp(x: Any, rounds_once: bool) -> Any:
    """e^x of an array, for x up to 88; `rounds_once`: how the power of 2 is found."""
    within = np.maximum(x, LOWEST)
    power = np.floor(fused(within, LOG2_E, HALF) if rounds_once else within * LOG2_E + HALF)
    y = np.ldexp(polynomial(SERIES, fused(-power, LN2, within)), power.astype(np.int32))
    return np.where(x < LOWEST, _F32(0), y)


def polynomial(coefficients: tuple[Any, ...], x: Any) -> Any:
    """A polynomial of an array, its coefficients from the highest power down."""
    out = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        out = fused(out, x, coefficient)
    return out
