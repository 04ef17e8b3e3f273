"""The windows of a picture as columns, and the adjoint, which adds columns up to a picture."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.rules.entry import Op, case
from gradviz.imitation.engine.rules.pictures.convolution import columns, out_size, windows_at

Ints = tuple[int, ...]


def as_columns(x: Any, size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Any:
    """(N, C, H, W) to (N, C · kernel, windows), with or without N."""
    if isinstance(x, F.Tensor):
        return F.apply(F.OPS["im2col"], (x,), size=size, kernel=kernel, stride=stride, padding=padding,
                       dilation=dilation)  # fmt: skip
    out = out_size(size, kernel, stride, padding, dilation)
    found = columns(x.reshape(-1, *x.shape[-3:]), kernel, out, stride, padding, dilation, 1)
    return found.reshape(*x.shape[:-3], *found.shape[2:])


def added_up(x: Any, size: Ints, kernel: Ints, stride: Ints, padding: Ints, dilation: Ints) -> Any:
    """(N, C · kernel, windows) to (N, C, H, W), with or without N: each number to where its window had it, those that meet added."""
    if isinstance(x, F.Tensor):
        return F.apply(F.OPS["col2im"], (x,), size=size, kernel=kernel, stride=stride, padding=padding,
                       dilation=dilation)  # fmt: skip
    out = out_size(size, kernel, stride, padding, dilation)
    lead = (*x.shape[:-2], x.shape[-2] // prod(kernel))
    seen = x.reshape(*lead, *kernel, *out)
    wide = np.zeros((*lead, *(m + 2 * p for m, p in zip(size, padding, strict=True))), x.dtype)
    for offset, place in windows_at(kernel, out, stride, dilation):
        wide[place] += seen[(..., *offset, slice(None), slice(None))]
    inner: tuple[Any, ...] = (..., *(slice(p, p + m) for m, p in zip(size, padding, strict=True)))
    return np.ascontiguousarray(wide[inner])


_HOW: dict[str, Any] = {"size": (3, 4), "kernel": (2, 2), "stride": (1, 2), "padding": (0, 1), "dilation": (1, 1)}
_X = np.linspace(-1, 1.3, 24).reshape(1, 2, 3, 4)
_COLUMNS = np.linspace(-1, 1.3, 48).reshape(1, 8, 6)
_ARGUMENTS = "(g, size, kernel, stride, padding, dilation)"
_MEETING = "Where windows overlap, what they bring is added."

TABLE = (
    Op("im2col", "cols", as_columns, (lambda g, y, x, **how: added_up(g, **how),), ("x",), (f"added_up{_ARGUMENTS}",),
       "y = each window of x as a column", (case(_X, **_HOW),), "Im2ColBackward0", note=_MEETING),
    Op("col2im", "fold", added_up, (lambda g, y, x, **how: as_columns(g, **how),), ("x",),
       (f"as_columns{_ARGUMENTS}",), "y = the columns of x added up to a picture", (case(_COLUMNS, **_HOW),),
       "Col2ImBackward0", note=_MEETING),
)  # fmt: skip

NAMES: dict[str, Any] = {"as_columns": as_columns, "added_up": added_up}
OF_PARAMS: dict[str, Any] = {}
