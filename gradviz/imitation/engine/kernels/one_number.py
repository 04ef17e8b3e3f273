"""Functions of single numbers by the C library, at a fraction of the time that numpy takes for them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

OfNumbers = Callable[..., float]
"""From numbers to a float64 number; raises ValueError or OverflowError where there is none, or none so large."""


def of_library(name: str, kind: Any, count: int) -> OfNumbers | None:
    """A function of so many numbers of a C type, or None where the library is not at hand."""
    try:
        function = getattr(ctypes.PyDLL(None), name)
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library of everything loaded
        return None
    function.argtypes = [kind] * count
    function.restype = kind
    return function  # type: ignore[no-any-return]


def in_widest(name: str) -> OfNumbers:
    """A function in the widest format of this machine, its result rounded once to float64.

    numpy calls the same function, but takes twice as long to come there; it does so where the library is not at hand.
    """
    of_array = getattr(np, name)
    return of_library(f"{name}l", ctypes.c_longdouble, 1) or (lambda x: float(of_array(np.longdouble(x))))


def in_steps(a: float, b: float, c: float) -> float:
    """a · b + c with two roundings, but in the widest format of this machine."""
    return float(np.longdouble(a) * np.longdouble(b) + np.longdouble(c))


fused: OfNumbers = of_library("fma", ctypes.c_double, 3) or in_steps
"""a · b + c of float64 numbers with one rounding."""
