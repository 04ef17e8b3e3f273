"""Normalisation: x minus its mean, over its standard deviation, times a weight, plus a bias.

What is taken together: a channel over the batch (batch norm), a group of channels of one example (group norm), the last
axes (layer norm). In evaluation batch norm takes the mean and variance it is given instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels.normalising import BATCH, GROUP, LAYER, Kind
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.shapes.shaping import shape

Shape = tuple[int, ...]
Layout = Callable[[Shape, dict[str, Any]], tuple[Shape, tuple[int, ...], Shape]]
"""layout(shape of x, params) -> a shape for x, the axes of it that are taken together, the weight's shape beside x."""


def _by_batch(size: Shape, _params: dict[str, Any]) -> tuple[Shape, tuple[int, ...], Shape]:
    return size, (0, *range(2, len(size))), (size[1], *(1,) * (len(size) - 2))


def _by_group(size: Shape, params: dict[str, Any]) -> tuple[Shape, tuple[int, ...], Shape]:
    groups = params["groups"]
    return (size[0], groups, prod(size[1:]) // groups), (2,), (size[1], *(1,) * (len(size) - 2))


def _by_layer(size: Shape, params: dict[str, Any]) -> tuple[Shape, tuple[int, ...], Shape]:
    kept = len(size) - len(params["normalized_shape"])
    return size, tuple(range(kept, len(size))), params["normalized_shape"]


def _mean(x: Any, axes: tuple[int, ...]) -> Any:
    count = prod(shape(x)[axis] for axis in axes)
    return F.sum(x, axes, True) / count


class Parts:
    """What the formulas are made of: s, the standard deviation, and h, x normalised; all in the layout's shape."""

    def __init__(self, layout: Layout, x: Any, params: dict[str, Any]) -> None:
        self.size, self.axes, self.weight_shape = layout(shape(x), params)
        together = F.reshape(x, self.size)
        if "running_mean" in params:
            aside = (-1, *(1,) * (len(self.size) - 2))
            centred = together - self._like(params["running_mean"].reshape(aside), together)
            variance = self._like(params["running_var"].reshape(aside), together)
        else:
            centred = together - _mean(together, self.axes)
            variance = _mean(centred * centred, self.axes)
        self.s = F.sqrt(variance + params["eps"])
        self.h = centred / self.s

    @staticmethod
    def _like(array: Any, x: Any) -> Any:
        array = array.astype(x.dtype)  # a saved file gives it back as float64
        return F.constant(array, x.tape) if isinstance(x, F.Tensor) else array

    def mean(self, z: Any) -> Any:
        """The mean over what is taken together."""
        return _mean(z, self.axes)


def weighted(g: Any, x: Any, w: Any, parts: Parts) -> Any:
    """g times the weight, if there is one, in the shape in which means are taken."""
    scaled = g if w is None else g * F.reshape(w, parts.weight_shape)
    return F.reshape(scaled, parts.size)


def normal(layout: Layout, x: Any, params: dict[str, Any]) -> Any:
    """x normalised, in its own shape."""
    return F.reshape(Parts(layout, x, params).h, shape(x))


def _is_exact(*given: Any) -> bool:
    """Whether PyTorch's own order of rounding is known: of arrays of one dtype that is no half precision."""
    return all(
        x is None or (x.dtype is given[0].dtype and x.dtype.char in "fd") for x in map(plain, given)
    ) and not any(isinstance(x, F.Tensor) for x in given)


def _x_rule(layout: Layout, kind: Kind) -> Any:
    def rule(g: Any, y: Any, x: Any, w: Any = None, b: Any = None, **params: Any) -> Any:
        if _is_exact(x, g, w):
            return kind.x_gradient(g, x, w, params)
        parts = Parts(layout, x, params)
        scaled = weighted(g, x, w, parts)
        if "running_mean" not in params:
            scaled = scaled - parts.mean(scaled) - parts.h * parts.mean(scaled * parts.h)
        return F.reshape(scaled / parts.s, shape(x))

    return rule


def gathered(z: Any, like: Any, weight_shape: Shape) -> Any:
    """z summed to the shape of a weight that was laid beside it."""
    added = len(shape(z)) - len(weight_shape)
    stretched = (i + added for i, n in enumerate(weight_shape) if n == 1)
    return F.reshape(F.sum(z, (*range(added), *stretched), False), shape(like))


def _w_rule(layout: Layout, kind: Kind) -> Any:
    def rule(g: Any, y: Any, x: Any, w: Any, b: Any, **params: Any) -> Any:
        if _is_exact(x, g, w):
            return kind.w_gradient(g, x, params)
        return gathered(g * normal(layout, x, params), w, layout(shape(x), params)[2])

    return rule


def _b_rule(layout: Layout, kind: Kind) -> Any:
    def rule(g: Any, y: Any, x: Any, w: Any, b: Any, **params: Any) -> Any:
        return kind.b_gradient(g, plain(x), params) if _is_exact(g, b) else gathered(g, b, layout(shape(x), params)[2])

    return rule


def _forward(layout: Layout, kind: Kind) -> Any:
    def forward(x: Any, w: Any = None, b: Any = None, **params: Any) -> Any:
        if _is_exact(x, w, b):
            return kind.forward(x, w, b, params)
        beside = layout(x.shape, params)[2]
        h = normal(layout, x, params)
        return h if w is None else h * w.reshape(beside) + b.reshape(beside)

    return forward


def _names(layout: Layout) -> Any:
    def names(xs: Any, params: Any) -> dict[str, Any]:
        parts = Parts(layout, xs[0], dict(params))
        w = xs[1] if len(xs) > 1 else None
        flat = F.reshape(parts.h, xs[0].shape)
        return {
            "s": parts.s, "h": parts.h, "mean": parts.mean, "n": flat,
            "together": lambda g: weighted(g, xs[0], w, parts), "gathered": lambda z: gathered(z, w, parts.weight_shape),
        }  # fmt: skip

    return names


TRAINED = "reshape((together(g) - mean(together(g)) - h * mean(together(g) * h)) / s, shape(x))"
GIVEN = "reshape(together(g) / s, shape(x))"
X = np.array([[[1.0, -2.0, 0.5], [0.3, 1.5, -1.0]], [[2.0, 0.7, -0.4], [1.1, -0.6, 0.9]]])


def _entries(
    name: str, node: str, layout: Layout, kind: Kind, channels: list[int], **params: Any
) -> Iterator[Op]:  # fmt: skip
    """The op with weight and bias, and without."""
    w, b = np.linspace(0.5, 1.5, prod(channels)).reshape(channels), np.linspace(-1, 1, prod(channels)).reshape(channels)
    formula, rule = GIVEN if "running_mean" in params else TRAINED, _x_rule(layout, kind)
    among = (0, 3) if name == "group_norm" else None  # the mean and the scale, of which the others make no results
    yield Op(name, "norm", _forward(layout, kind), (rule, _w_rule(layout, kind), _b_rule(layout, kind)), ("x", "w", "b"),
             (formula, "gathered(g * n)", "gathered(g)"), "y = w · (x − mean) / √(var + ε) + b", (case(X, w, b, **params),),
             node, saves("x w"), among=among)  # fmt: skip
    yield Op(f"{name}_plain", "norm", _forward(layout, kind), (rule,), ("x",), (formula,), "y = (x − mean) / √(var + ε)",
             (case(X, **params),), node, saves("x"), absent=2, among=among)  # fmt: skip


_STATS: dict[str, Any] = {"running_mean": np.array([0.5, -0.2]), "running_var": np.array([1.5, 0.7])}
_KINDS: tuple[tuple[str, str, Layout, Kind, list[int], dict[str, Any]], ...] = (
    ("batch_norm", "NativeBatchNormBackward0", _by_batch, BATCH, [2], {"eps": 1e-5}),
    ("batch_norm_given", "NativeBatchNormBackward0", _by_batch, BATCH, [2], {"eps": 1e-5, **_STATS}),
    ("layer_norm", "NativeLayerNormBackward0", _by_layer, LAYER, [2, 3], {"eps": 1e-5, "normalized_shape": (2, 3)}),
    ("group_norm", "NativeGroupNormBackward0", _by_group, GROUP, [2], {"eps": 1e-5, "groups": 1}),
)


LAYOUTS: dict[str, Layout] = {name: layout for name, _, layout, *_ in _KINDS}
"""What is taken together, by the name of the norm."""


def statistics(op_name: str, x: Any, params: dict[str, Any]) -> tuple[Any, Any]:
    """The mean, and 1 over the standard deviation, that an op of this table took out of an array."""
    name = op_name.removesuffix("_plain")
    layout = next(by for kind, _, by, *_ in _KINDS if kind == name)
    parts = Parts(layout, x, params)
    mean, scale = _mean(F.reshape(x, parts.size), parts.axes), 1 / parts.s
    if name == "layer_norm":
        return mean, scale
    taken = tuple(axis for axis in range(len(parts.size)) if axis in parts.axes)
    return mean.squeeze(taken), scale.squeeze(taken)


def _lengths(v: Any, axes: tuple[int, ...]) -> Any:
    return F.sqrt(F.sum(v * v, axes, True))


TABLE = (
    *(op for name, node, by, kind, size, params in _KINDS for op in _entries(name, node, by, kind, size, **params)),
    Op("weight_norm", "g v/‖v‖", lambda v, size, axes: v * (size / _lengths(v, axes)),
       (lambda g, y, v, size, axes:
        size / _lengths(v, axes) * (g - v * (F.sum(g * v, axes, True) / F.sum(v * v, axes, True))),
        lambda g, y, v, size, axes: F.sum(g * v, axes, True) / _lengths(v, axes)), ("v", "size"),
       ("size / length * (g - v * sum(g * v, axes, True) / length**2)", "sum(g * v, axes, True) / length"),
       "y = size · v / ‖v‖", (case([[1.0, -2.0], [0.5, 1.0]], [[0.7], [1.3]], axes=(1,)),),
       "WeightNormInterfaceBackward0", saves("v size")),
    Op("add_number", "+", lambda x, other: x + x.dtype.type(other), (lambda g, y, x, other: g,), ("x",), ("g",), "y = x + c",
       (case([0.5, -1.2], other=2.0),), "AddBackward1"),
)  # fmt: skip
NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {"weight_norm": lambda xs, p: {"length": _lengths(xs[0], p["axes"])}} | {
    f"{name}{end}": _names(layout) for name, _, layout, *_ in _KINDS for end in ("", "_plain")
}
