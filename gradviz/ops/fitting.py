"""What a rule gives, made to fit the input it is for: broadcasting undone, promotion undone."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops.elementwise import TO
from gradviz.ops.functions import through
from gradviz.ops.symbols import Traced

Gradient = Any
"""An array; under create_graph a tensor."""


def fit(out: Gradient, x: Any) -> Gradient:
    """What a rule gives, in the shape and dtype of the input: broadcasting undone, promotion undone."""
    array = out if out.__class__ is np.ndarray or not isinstance(out, Traced) else out.array
    if array.shape != x.shape:
        out = sum_to(out, x.shape)
    if array.dtype is not x.dtype and array.dtype != x.dtype:
        out = through(TO, out, dtype=x.dtype.name)
    return out


def sum_to(g: Gradient, shape: tuple[int, ...]) -> Gradient:
    """Sum a gradient over the axes that broadcasting added or stretched.

    Args:
        g: dL/dy of a broadcast operand; any shape that `shape` broadcasts to.
        shape: the operand's own shape, e.g. (3, 1).

    Returns:
        dL/dx, exactly of shape `shape`.

    Source: the adjoint of broadcasting is summation.
    """
    given = g.array.shape if isinstance(g, Traced) else g.shape
    lead = len(given) - len(shape)
    axes = tuple(range(lead))
    if given[lead:] != shape:
        axes += tuple([i + lead for i, n in enumerate(shape) if n == 1 and given[i + lead] != 1])
    if isinstance(g, Traced):
        g = g.sum(axes) if axes else g
        return g.reshape(shape)
    out = np.add.reduce(g, axes) if axes else g
    return out.reshape(shape)[()] if out.shape != shape else out
