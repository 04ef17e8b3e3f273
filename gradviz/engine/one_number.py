"""Functions of one number by the C library, at a fraction of the time that numpy takes for a single number."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

OfOne = Callable[[Any], float]
"""From a number to a float64 number; raises ValueError or OverflowError where there is none, or none so large."""


def in_widest(name: str) -> OfOne:
    """The C library's function in the widest format of this machine, its result rounded once to float64.

    numpy calls the same function, but takes twice as long to come there; it does so where the library is not at hand.
    """
    try:
        function = getattr(ctypes.PyDLL(None), f"{name}l")
    except (AttributeError, OSError, TypeError):  # TypeError: Windows has no library of everything loaded
        of_array = getattr(np, name)
        return lambda x: of_array(np.longdouble(x))
    function.argtypes = [ctypes.c_longdouble]
    function.restype = ctypes.c_longdouble
    return function  # type: ignore[no-any-return]
