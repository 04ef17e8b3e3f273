"""Functions of numbers rounded as PyTorch rounds them, so that float32 results agree to the last digit.

PyTorch's libraries miss the nearest float32 in one of a hundred results, numpy's own float32 functions in one of
three. So what is float32 is computed in float64 and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import ndarray

from gradviz.imitation.engine.kernels import one_number
from gradviz.imitation.engine.kernels.one_number import OfNumbers, in_widest

F32, F64 = np.float32, np.float64
SINGLE, DOUBLE, EXTENDED = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.longdouble)
FEW = 4096
"""How many numbers are worth the time of an extended format, which has no fast functions."""


def extended(function: Any, *arrays: Any, few: int = FEW) -> Any:
    """A numpy function of few float64 numbers in the widest format of this machine, rounded once; of many, its own."""
    if max(x.size for x in arrays) > few:
        return function(*arrays)
    return function(*arrays, dtype=EXTENDED).astype(DOUBLE)


ONE_OF: dict[type, Any] = {F32: F32(1), F64: F64(1)}
"""1 of each type: times this a Python float is of that type, float32 in a quarter of the time that `F32(x)` takes."""

OF_ONE: dict[Callable[[Any], Any], dict[type, tuple[Any, OfNumbers]]] = {}
"""Of functions below, those of one number by its type, behind 1 of that type: they give a Python float, or raise."""


def _once(
    function: Any, number: OfNumbers, double: OfNumbers | None = None, *, is_extended: bool = False
) -> Callable[[Any], Any]:
    """A function of numpy rounded once; `number` and `double` are the same of one number of float32 and of float64."""
    of_one = {kind: (one, of) for (kind, one), of in zip(ONE_OF.items(), (number, double), strict=True) if of}

    def rounded(x: Any) -> Any:
        kind = type(x)
        if kind is ndarray:
            if not x.ndim:
                return rounded(x[()])
            char = x.dtype.char
            if char == "f":
                return function(x, dtype=DOUBLE).astype(SINGLE)
            if is_extended and char == "d" and x.size <= FEW:
                return function(x, dtype=EXTENDED).astype(DOUBLE)
            return function(x)
        if kind not in of_one:
            return function(x)
        one, of_number = of_one[kind]
        try:
            return one * of_number(x)
        except (ValueError, OverflowError):  # where numpy gives NaN or an infinity
            return kind(function(F64(x)))

    OF_ONE[rounded] = of_one
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


exp, expm1 = _once(np.exp, math.exp), _once(np.expm1, math.expm1)
log, log2, log10 = _once(np.log, math.log), _once(np.log2, math.log2), _once(np.log10, math.log10)
log1p = _once(np.log1p, math.log1p)
sin, cos, tan = _once(np.sin, math.sin), _once(np.cos, math.cos), _once(np.tan, math.tan)
asin, acos, atan = _once(np.arcsin, math.asin), _once(np.arccos, math.acos), _once(np.arctan, math.atan)
# Of one float64 number PyTorch computes these by the C library.
exp2 = _once(np.exp2, math.exp2, math.exp2)
sinh, cosh = _once(np.sinh, math.sinh, math.sinh), _once(np.cosh, math.cosh, math.cosh)
asinh, acosh = _once(np.arcsinh, math.asinh, math.asinh), _once(np.arccosh, math.acosh, math.acosh)
atanh = _once(np.arctanh, math.atanh, math.atanh)
tanh = _once(np.tanh, math.tanh, in_widest("tanh"), is_extended=True)
exp_of_library = _once(np.exp, math.exp, math.exp)
"""e^x where PyTorch calls the C library even for one number of float64; for arrays it is numpy's."""
_power, atan2 = _once_of_two(np.power), _once_of_two(np.arctan2)


def power(a: Any, b: Any) -> Any:
    """`numpy.power`; of whole numbers one over a power is 0 but where it is 1 or -1, as in PyTorch."""
    if (
        getattr(b, "dtype", None) is None
        or b.dtype.kind != "i"
        or not (b < 0).any()
        or np.asarray(a).dtype.kind not in "iu"
    ):
        return _power(a, b)
    turned = np.where(b % 2, a, np.multiply(a, a))
    return np.where(b < 0, np.where(np.abs(a) == 1, turned, 0), _power(a, np.abs(b))).astype(np.result_type(a, b))[()]


def fused(a: Any, b: Any, c: Any) -> Any:
    """a · b + c with one rounding, as a processor's fused instruction does it; broadcast. Of few float64 nearly so."""
    # In float64 the product of two float32 is exact, so only the sum is rounded.
    if type(a) is type(b) is type(c):
        if type(a) is F64:
            return F64(one_number.fused(a, b, c))
        if type(a) is F32:
            return ONE_OF[F32] * (float(a) * float(b) + float(c))
    if c.dtype.char != "f":
        if c.dtype.char != "d" or max(a.size, c.size) > FEW:
            return a * b + c
        return (np.multiply(a, b, dtype=EXTENDED) + c).astype(DOUBLE)
    return (np.multiply(a, b, dtype=DOUBLE) + c).astype(SINGLE)


ONES: dict[str, tuple[Any, Any]] = {"f": (DOUBLE, F64(1)), "d": (EXTENDED, np.longdouble(1))}
"""In what format the square of a number is exact, or nearly so, and 1 in it: numpy is slow to make it of Python's."""


def one_minus_square(y: Any) -> Any:
    """1 − y² of an array or a numpy scalar, with one rounding."""
    kind = type(y)
    if kind is F64:
        return F64(_one_minus_square(float(y)))
    if kind is F32:
        return ONE_OF[F32] * (1.0 - float(y) * float(y))
    char = y.dtype.char
    if char not in ONES or (char == "d" and y.size > FEW):
        return 1.0 - y * y
    return _one_minus_square_in(ONES[char], y)


def _one_minus_square_in(wider: tuple[Any, Any], y: Any) -> Any:
    wide, one = wider
    square = y.astype(wide)
    square *= square
    return np.subtract(one, square, square).astype(y.dtype)


SPLIT = 2.0**27 + 1
"""Times this, a float64 number falls into two halves whose products are exact (Dekker)."""


def _one_minus_square(y: float) -> float:
    square = y * y
    about = 1.0 - square
    return about + _lost_in(y, square, about) if square <= 1.0 else about


def _lost_in(y: Any, square: Any, about: Any) -> Any:
    """What rounding took from 1 − y², where `about` is near it."""
    high = y * SPLIT
    high -= high - y
    low = y - high
    lost = ((high * high - square) + 2.0 * high * low) + low * low
    return ((1.0 - about) - square) - lost


def one_minus_square_of_each(y: Any) -> Any:
    """1 − y² of many numbers or (along the first axis) small arrays, with the digits that each has by itself."""
    if y.ndim > 1 or y.dtype.char == "f":
        return _one_minus_square_in(ONES[y.dtype.char], y)
    with np.errstate(all="ignore"):
        square = y * y
        about = 1.0 - square
        return np.where(square <= 1.0, about + _lost_in(y, square, about), about)
