"""Functions of float32 that PyTorch computes by the C library: of all numbers, or of those that fill no registers.

Its loops take two registers at once along what lies in a row, and what is left over one by one. Where the library is
not at hand, all are rounded as those in registers are.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kernels.nearest import F32, FEW, OF_ONE, ONE_OF, SINGLE
from gradviz.imitation.engine.kernels.one_number import of_library
from gradviz.imitation.engine.kernels.registers import AT_ONCE


def _by_library(function: Callable[[Any], Any], name: str, at_once: int) -> Callable[[Any], Any]:
    """A function of `nearest` by that of the C library, but where so many numbers stand in a row; 0 for nowhere."""
    of_number = of_library(f"{name}f", ctypes.c_float, 1)
    if of_number is None:
        return function
    each = np.frompyfunc(of_number, 1, 1)

    def mixed(x: Any) -> Any:
        if x.dtype.char != "f" or x.size > FEW:
            return function(x)
        if not x.ndim:
            return F32(of_number(x))
        rows, turned = _in_rows(x)
        whole = rows.shape[1] // at_once * at_once if at_once else 0
        out = function(rows)
        out[:, whole:] = each(rows[:, whole:]).astype(SINGLE)
        return out.reshape([x.shape[axis] for axis in turned]).transpose(np.argsort(turned))

    mixed.__name__ = mixed.__qualname__ = function.__name__
    mixed.__doc__ = function.__doc__
    OF_ONE[mixed] = OF_ONE[function] | {F32: (ONE_OF[F32], of_number)}
    return mixed


def _in_rows(x: Any) -> tuple[Any, Any]:
    """The numbers in the rows in which a loop goes over them, and the axes from the widest step to the smallest."""
    turned = np.argsort([-step for step in x.strides], kind="stable")
    laid, length, step = x.transpose(turned), 1, x.itemsize
    for n, stride in zip(laid.shape[::-1], laid.strides[::-1], strict=True):
        if n != 1 and stride != step * length:
            break
        length *= n
    return np.ascontiguousarray(laid).reshape(x.size // length if length else 0, length), turned


sinh, cosh, atanh = (
    _by_library(function, name, AT_ONCE)
    for function, name in ((nearest.sinh, "sinh"), (nearest.cosh, "cosh"), (nearest.atanh, "atanh"))
)
asinh, acosh = _by_library(nearest.asinh, "asinh", 0), _by_library(nearest.acosh, "acosh", 0)
