"""Means of windows as even as the sizes allow, added and divided in the order of PyTorch's kernels.

Source: aten/src/ATen/native/cpu/AdaptiveAvgPoolKernel.cpp.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Windows:
    """The windows of one axis: a matrix of means.

    Attributes:
        size: how long the axis is.
        starts, ends: (windows,), each with at least one number.
        is_turned: whether this is the way back.
    """

    size: int
    starts: Any
    ends: Any
    is_turned: bool = False

    @property
    def T(self) -> Windows:  # noqa: N802 - as numpy names it
        return replace(self, is_turned=not self.is_turned)


def averaged(x: Any, axes: tuple[Windows, ...]) -> Any:
    """The mean of each window of the last axes of x; or, turned, what each mean gives back to its window."""
    if axes[0].is_turned:
        return _spread(x, axes)
    total = np.zeros((*x.shape[: x.ndim - len(axes)], *(len(axis.starts) for axis in axes)), x.dtype)
    widths = [int((axis.ends - axis.starts).max(initial=0)) for axis in axes]
    for steps in product(*map(range, widths)):
        at = [axis.starts + step for axis, step in zip(axes, steps, strict=True)]
        is_inside = reduce(np.logical_and.outer, [p < axis.ends for p, axis in zip(at, axes, strict=True)])
        places = [np.minimum(p, axis.size - 1) for p, axis in zip(at, axes, strict=True)]
        total = np.where(is_inside, total + x[(..., *np.ix_(*places))], total)
    return _divided(total, axes)


def _divided(x: Any, axes: tuple[Windows, ...]) -> Any:
    for number, axis in enumerate(axes):
        x = x / (axis.ends - axis.starts).astype(x.dtype).reshape(-1, *(1,) * (len(axes) - 1 - number))
    return x


def _spread(g: Any, axes: tuple[Windows, ...]) -> Any:
    means: Any = _divided(g, axes)
    out: Any = np.zeros((*g.shape[: g.ndim - len(axes)], *(axis.size for axis in axes)), g.dtype)
    for place in np.ndindex(*(len(axis.starts) for axis in axes)):
        window = (slice(axis.starts[i], axis.ends[i]) for axis, i in zip(axes, place, strict=True))
        out[(..., *window)] += means[(..., *place)][(..., *(None,) * len(axes))]
    return out
