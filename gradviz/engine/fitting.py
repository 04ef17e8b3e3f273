"""What a rule gives, made to fit the input it is for: broadcasting undone, promotion undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.apply import apply
from gradviz.engine.sweep import Gradient
from gradviz.engine.tensor import Tensor
from gradviz.ops.elementwise import TO


def fit(out: Gradient, x: Any) -> Gradient:
    """What a rule gives, in the shape and dtype of the input: broadcasting undone, promotion undone."""
    array = out if out.__class__ is np.ndarray or not isinstance(out, Tensor) else out.array
    if array.shape != x.shape:
        out = sum_to(out, x.shape)
    if array.dtype is not x.dtype and array.dtype != x.dtype:
        out = apply_cast(out, x.dtype) if isinstance(out, Tensor) else out.astype(x.dtype)
    return out


def apply_cast(x: Tensor, dtype: np.dtype[Any]) -> Tensor:
    """A tensor in another dtype, as an entry of the graph."""
    return apply(TO, (x,), dtype=dtype.name)


def sum_to(g: Gradient, shape: tuple[int, ...]) -> Gradient:
    """Sum a gradient over the axes that broadcasting added or stretched.

    Args:
        g: dL/dy of a broadcast operand; any shape that `shape` broadcasts to.
        shape: the operand's own shape, e.g. (3, 1).

    Returns:
        dL/dx, exactly of shape `shape`.

    Source: the adjoint of broadcasting is summation.
    """
    given = g.array.shape if isinstance(g, Tensor) else g.shape
    lead = len(given) - len(shape)
    axes = tuple(range(lead))
    if given[lead:] != shape:
        axes += tuple([i + lead for i, n in enumerate(shape) if n == 1 and given[i + lead] != 1])
    if isinstance(g, Tensor):
        g = g.sum(axes) if axes else g
        return g.reshape(shape)
    out = np.add.reduce(g, axes) if axes else g
    return out.reshape(shape)[()] if out.shape != shape else out
