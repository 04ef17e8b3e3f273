"""Pooling: the largest number, or the mean, of each window of the last axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.kernels.even_windows import Windows
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.pictures.convolution import windows_at
from gradviz.imitation.engine.rules.pictures.interpolation import other_way, turned, weighed
from gradviz.imitation.engine.rules.shapes.moving import fetched, gone_back, move_back
from gradviz.imitation.engine.rules.shapes.shaping import shape

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


def put_at(x: Any, size: Ints, places: Any) -> Any:
    """Zeros of a shape with the numbers of x at places in flat order; of several at one place the last stays."""
    out = np.zeros(int(np.prod(size)), x.dtype)
    out[places.reshape(-1)] = x.reshape(-1)
    return out.reshape(size)


def _max_unpool(name: str, node: str, size: Ints) -> Op:
    example = case(np.array([1.0, -2.0, 0.5]).reshape(*(1,) * (len(size) - 1), 3), size=size,
                   places=np.array([3, 0, 2]).reshape(*(1,) * (len(size) - 1), 3))  # fmt: skip
    return Op(name, "unpool", put_at, (lambda g, y, x, size, places: fetched(g, places),), ("x",),
              ("fetched(g, places)",), "y = zeros with x at the places of the largest", (example,), node)  # fmt: skip


def _adaptive(name: str, node: str, matrices: tuple[Any, ...], x: Any) -> Op:
    def rule(g: Any, y: Any, x: Any, matrices: tuple[Any, ...]) -> Any:
        return weighed(g, turned(matrices), other_way(name))

    return Op(name, "avg", lambda x, matrices: weighed(x, matrices), (rule,), ("x",),
              ("weighed(g, turned(matrices))",), "y = the mean of each window", (case(x, matrices=matrices),),
              f"{node}Backward0", saves("x"))  # fmt: skip


_HALVES = Windows(3, np.array([0, 1]), np.array([2, 3]))

TABLE = (
    _max_pool("max_pool2d", "MaxPool2DWithIndicesBackward0"),
    _max_pool("max_pool3d", "MaxPool3DWithIndicesBackward0"),
    _max_pool("adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0"),
    _max_pool("adaptive_max_pool3d", "AdaptiveMaxPool3DBackward0"),
    _max_unpool("max_unpool2d", "MaxUnpool2DBackward0", (1, 2, 2)),
    _max_unpool("max_unpool3d", "MaxUnpool3DBackward0", (1, 1, 2, 2)),
    _avg_pool("avg_pool2d", "AvgPool2DBackward0"),
    _avg_pool("avg_pool3d", "AvgPool3DBackward0"),
    _avg_pool("avg_pool", "AvgPoolBackward0"),
    Op("avg_pool_back", "avg", shared_out, (lambda g, y, x, **p: averaged(g, **p),), ("x",), (_FORWARD,),
       "y = each number of x to all of its window", (case(np.arange(6.0).reshape(1, 1, 2, 3), **_PARAMS),),
       "AvgPoolBackwardBackward0"),
    _adaptive("adaptive_avg_pool2d", "AdaptiveAvgPool2D", (_HALVES, _HALVES), X[..., :3]),
    _adaptive("adaptive_avg_pool3d", "AdaptiveAvgPool3D", (_HALVES, Windows(1, np.array([0]), np.array([1])), _HALVES), X[:, :, :, None, :3]),
)  # fmt: skip

NAMES: dict[str, Any] = {"averaged": averaged, "shared_out": shared_out}
OF_PARAMS: dict[str, Any] = dict.fromkeys(
    ("max_pool2d", "max_pool3d", "adaptive_max_pool2d", "adaptive_max_pool3d"),
    lambda xs, p: {"back": lambda g: gone_back(g, xs[0].shape, p["index"])},
)
