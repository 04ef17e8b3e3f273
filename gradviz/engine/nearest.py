"""Functions of numbers rounded as PyTorch rounds them, so that float32 results agree to the last digit.

PyTorch's libraries miss the nearest float32 in one of a hundred results, numpy's own float32 functions in one of
three. So what is float32 is computed in float64 and rounded once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SINGLE, DOUBLE, EXTENDED = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.longdouble)
FEW = 4096
"""How many numbers are worth the time of an extended format, which has no fast functions."""


def extended(function: Any, *arrays: Any, few: int = FEW) -> Any:
    """A numpy function of few float64 numbers in the widest format of this machine, rounded once; of many, its own."""
    if max(x.size for x in arrays) > few:
        return function(*arrays)
    return function(*arrays, dtype=EXTENDED).astype(DOUBLE)


def _once(function: Any, *, is_extended: bool = False) -> Callable[[Any], Any]:
    def rounded(x: Any) -> Any:
        if type(x) is np.float32:  # of one number the same takes less than half of the time
            return np.float32(function(np.float64(x)))
        if x.dtype.char == "f":
            return function(x, dtype=DOUBLE).astype(SINGLE)
        if is_extended and x.dtype.char == "d":
            return np.float64(function(np.longdouble(x))) if type(x) is np.float64 else extended(function, x)
        return function(x)

    _name(rounded, function, "an array or a numpy scalar, in its dtype")
    return rounded


def _once_of_two(function: Any) -> Callable[[Any, Any], Any]:
    def rounded(a: Any, b: Any) -> Any:
        a, b = (x if hasattr(x, "dtype") else like.dtype.type(x) for x, like in ((a, b), (b, a)))
        if a.dtype.char == b.dtype.char == "f":
            return function(a, b, dtype=DOUBLE).astype(SINGLE)
        return extended(function, a, b) if a.dtype.char == b.dtype.char == "d" else function(a, b)

    _name(rounded, function, "two arrays or numpy scalars; a Python number takes their dtype")
    return rounded


def _name(rounded: Any, function: Any, of: str) -> None:
    rounded.__name__ = rounded.__qualname__ = function.__name__
    rounded.__doc__ = f"`numpy.{function.__name__}` of {of}."


exp, exp2, expm1 = _once(np.exp), _once(np.exp2), _once(np.expm1)
log, log2, log10, log1p = _once(np.log), _once(np.log2), _once(np.log10), _once(np.log1p)
sin, cos, tan = _once(np.sin), _once(np.cos), _once(np.tan)
sinh, cosh, tanh = _once(np.sinh), _once(np.cosh), _once(np.tanh, is_extended=True)
asin, acos, atan = _once(np.arcsin), _once(np.arccos), _once(np.arctan)
asinh, acosh, atanh = _once(np.arcsinh), _once(np.arccosh), _once(np.arctanh)
power, atan2 = _once_of_two(np.power), _once_of_two(np.arctan2)


def fused(a: Any, b: Any, c: Any) -> Any:
    """a · b + c with one rounding in float32, as a processor's fused instruction does it; broadcast."""
    if c.dtype.char != "f":
        return a * b + c
    # In float64 the product of two float32 is exact, so only the sum is rounded.
    return (np.multiply(a, b, dtype=DOUBLE) + c).astype(SINGLE)
