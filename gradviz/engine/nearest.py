"""Exponentials, logarithms and angles as PyTorch rounds them.

In float32 PyTorch's functions are nearly always the float32 number next to the true value, numpy's only in two of
three cases; a loss printed by `.item()` shows the difference. So they are formed in float64 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.dtypes import FLOAT32, FLOAT64


def _nearest(ufunc: Any) -> Callable[[Any], Any]:
    def function(x: Any) -> Any:
        return ufunc(x, dtype=FLOAT64).astype(FLOAT32) if x.dtype == FLOAT32 else ufunc(x)

    function.__name__ = ufunc.__name__
    return function


exp, expm1, exp2 = map(_nearest, (np.exp, np.expm1, np.exp2))
log, log1p, log2, log10 = map(_nearest, (np.log, np.log1p, np.log2, np.log10))
sin, cos, tan, arctan = map(_nearest, (np.sin, np.cos, np.tan, np.arctan))
sinh, cosh, tanh = map(_nearest, (np.sinh, np.cosh, np.tanh))
