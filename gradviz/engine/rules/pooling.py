"""Pooling: the largest number, or the mean, of each window of the last axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import generic as F  # noqa: N812 - the name rules are read with
from gradviz.engine.rules.convolution import windows_at
from gradviz.engine.rules.entry import Op, case, saves
from gradviz.engine.rules.moving import gone_back, move_back
from gradviz.engine.rules.resampling import turned, weighed
from gradviz.engine.rules.shape import shape

Ints = tuple[int, ...]
X = np.array([[[[1.0, -2.0, 0.5, 2.0], [0.3, 1.5, -1.0, 0.1], [0.7, 2.5, 0.2, -0.4]]]])


def _at(x: Any, index: Any) -> Any:
    return x.reshape(-1)[index]


def _max_pool(name: str, node: str) -> Op:
    return Op(
        name, "max", _at, (lambda g, y, x, index: move_back(g, shape(x), index),), ("x",), ("back(g)",),
        "y = the largest of each window", (case(X, index=np.array([[[[5, 3], [9, 3]]]])),), node, saves("x index"),
        note="Of several equal elements of a window the first gets the gradient.",
    )  # fmt: skip


def averaged(x: Any, size: Ints, kernel: Ints, stride: Ints, padding: Ints, divisor: Any) -> Any:
    """The sum of each window of x, over the divisor, which has the shape of the windows' places."""
    if isinstance(x, F.Tensor):
        return F.apply(
            F.OPS["avg_pool"], (x,), size=size, kernel=kernel, stride=stride, padding=padding, divisor=divisor
        )
    wide = np.pad(x, [(0, 0)] * (x.ndim - len(size)) + _ends(size, kernel, stride, padding, divisor.shape))
    total = np.zeros((*x.shape[: x.ndim - len(size)], *divisor.shape), x.dtype)
    for _, place in windows_at(kernel, divisor.shape, stride, (1,) * len(size)):
        total += wide[place]
    return total / divisor.astype(x.dtype)


def shared_out(g: Any, size: Ints, kernel: Ints, stride: Ints, padding: Ints, divisor: Any) -> Any:
    """The adjoint: each number of g, over the divisor, added to all of its window."""
    if isinstance(g, F.Tensor):
        return F.apply(F.OPS["avg_pool_back"], (g,), size=size, kernel=kernel, stride=stride, padding=padding,
                       divisor=divisor)  # fmt: skip
    ends = _ends(size, kernel, stride, padding, divisor.shape)
    wide = np.zeros((*g.shape[: g.ndim - len(size)], *(n + sum(e) for n, e in zip(size, ends, strict=True))), g.dtype)
    part = g / divisor.astype(g.dtype)
    for _, place in windows_at(kernel, divisor.shape, stride, (1,) * len(size)):
        wide[place] += part
    inner: tuple[Any, ...] = (..., *(slice(p, p + n) for n, p in zip(size, padding, strict=True)))
    return wide[inner]


def _ends(size: Ints, kernel: Ints, stride: Ints, padding: Ints, out: Ints) -> list[tuple[int, int]]:
    """How wide the border is on both sides, so that every window lies inside."""
    axes = zip(size, kernel, stride, padding, out, strict=True)
    return [(p, max(p, (m - 1) * s + k - n - p)) for n, k, s, p, m in axes]


_PARAMS: dict[str, Any] = {"size": (3, 4), "kernel": (2, 2), "stride": (1, 2), "padding": (0, 1)}
_PARAMS["divisor"] = np.array([[2.0, 4.0, 2.0], [2.0, 4.0, 2.0]])
_FORWARD = "averaged(g, size, kernel, stride, padding, divisor)"
_BACK = "shared_out(g, size, kernel, stride, padding, divisor)"


def _avg_pool(name: str, node: str) -> Op:
    return Op(name, "avg", averaged, (lambda g, y, x, **p: shared_out(g, **p),), ("x",), (_BACK,),
              "y = the mean of each window", (case(X, **_PARAMS),), node, saves("x"))  # fmt: skip


_HALVES = np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])

TABLE = (
    _max_pool("max_pool2d", "MaxPool2DWithIndicesBackward0"),
    _max_pool("max_pool3d", "MaxPool3DWithIndicesBackward0"),
    _max_pool("adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0"),
    _avg_pool("avg_pool2d", "AvgPool2DBackward0"),
    _avg_pool("avg_pool3d", "AvgPool3DBackward0"),
    _avg_pool("avg_pool", "AvgPoolBackward0"),
    Op("avg_pool_back", "avg", shared_out, (lambda g, y, x, **p: averaged(g, **p),), ("x",), (_FORWARD,),
       "y = each number of x to all of its window", (case(np.arange(6.0).reshape(1, 1, 2, 3), **_PARAMS),),
       "AvgPoolBackwardBackward0"),
    Op("adaptive_avg_pool2d", "avg", weighed, (lambda g, y, x, matrices: weighed(g, turned(matrices)),), ("x",),
       ("weighed(g, turned(matrices))",), "y = the mean of each window",
       (case(X[..., :3], matrices=(_HALVES, _HALVES)),), "AdaptiveAvgPool2DBackward0", saves("x")),
)  # fmt: skip

NAMES: dict[str, Any] = {"averaged": averaged, "shared_out": shared_out}
OF_PARAMS: dict[str, Any] = dict.fromkeys(
    ("max_pool2d", "max_pool3d", "adaptive_max_pool2d"),
    lambda xs, p: {"back": lambda g: gone_back(g, xs[0].shape, p["index"])},
)
