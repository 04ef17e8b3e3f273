"""The derivatives of batch and layer norm as ops of their own, for derivatives of derivatives (create_graph).

PyTorch has one node for what goes to input, weight and bias. Its own derivative takes the mean and the deviation as
given: the third derivative of these norms leaves out what moves through them.

Source: batchnorm_double_backward and layer_norm_double_backward of PyTorch 2.13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import call, gradient, names_of_gradients
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.layers import norms
from gradviz.imitation.engine.rules.layers.norms import statistics
from gradviz.imitation.engine.rules.shapes.shaping import shape

Three = tuple[Any, Any, Any]
Double = Callable[..., Three]
"""double(name, came, v, x, w, params) -> dL/dv, dL/dx, dL/dw, where came holds what came to the three results."""


def _given(array: Any, like: Any, size: tuple[int, ...]) -> Any:
    numbers = np.asarray(array).astype(plain(like).dtype).reshape(size)
    return F.constant(numbers, like.tape) if isinstance(like, F.Tensor) else numbers


def _one(like: Any, size: tuple[int, ...]) -> Any:
    return _given(np.ones(size), like, size)


def _power(x: Any, exponent: float) -> Any:
    return call("pow", x, exponent=exponent)


def _plus(a: Any, b: Any) -> Any:
    return b if a is None else a if b is None else a + b


class Parts:
    """What both kinds are made of; `total` sums over what is normalised together and keeps the axes."""

    def __init__(self, x: Any, mean: Any, scale: Any, count: int, total: Callable[[Any], Any]) -> None:
        self.count, self.total = count, total
        self.centred = x - mean
        self.scale, self.square, self.cube = scale, _power(scale, 2), _power(scale, 3)
        self.bent = self.centred * self.cube

    def bend(self, came: Any, came_sums: tuple[Any, Any], v: Any, v_sums: tuple[Any, Any]) -> Any:
        """What came to the first gradient of x, sent on to x; sums are of a number, and of it times x − mean."""
        n, (came_sum, came_centred), (v_sum, v_centred) = self.count, came_sums, v_sums
        inner = came_sum * v_sum / n - self.total(v * came if self.total is _batch_total else came * v)
        inner = inner + self.square * v_centred * came_centred * (3.0 / n)
        first = self.bent * inner / n
        rest = v_sum / n - v
        second = came_centred * self.cube / n * rest
        rest = came_sum / n - came
        third = v_centred * self.cube / n * rest
        return first + second + third

    def straight(self, z: Any, w: Any) -> Any:
        """The first gradient of x, for z in the place of what came then."""
        first = w * self.scale / self.count
        share = z * self.count - self.total(z)
        last = self.total(z * self.centred)
        return first * (share - self.centred * self.square * last)


def _batch_total(x: Any, keepdim: bool = True) -> Any:
    """The sum over all axes but the channels, one after the other."""
    x = F.sum(x, 0, keepdim)
    for axis in range(plain(x).ndim - 1, 1 if keepdim else 0, -1):
        x = F.sum(x, axis, keepdim)
    return x


def _as_channels(z: Any, x: Any) -> Any:
    """A number for each channel, as large as x."""
    while plain(z).ndim < plain(x).ndim - 1:
        z = call("unsqueeze", z, dim=1)
    return call("expand", z, size=shape(x))


# ---- batch norm ----


def batch_double(name: str, came: Sequence[Any], v: Any, x: Any, w: Any, params: dict[str, Any]) -> Three:
    """What came to the gradients of x, w and b, sent on to v, x and w."""
    to_x, to_w, to_b = came
    is_trained = "running_mean" not in params
    wide = None if w is None else _as_channels(w, x)
    wide_w, wide_b = (None if z is None else _as_channels(z, x) for z in (to_w, to_b))
    wide = _one(x, ()) if wide is None else wide
    beside = (1, shape(x)[1], *(1,) * (plain(x).ndim - 2))
    if is_trained:
        mean, scale = statistics(name, plain(x), params)
    else:
        mean, scale = params["running_mean"], 1 / np.sqrt(params["running_var"] + params["eps"])
    parts = Parts(x, _given(mean, x, beside), _given(scale, x, beside), plain(x).size // shape(x)[1], _batch_total)
    v_centred = _batch_total(v * parts.centred)
    v_sum = _batch_total(v)
    on_x = None
    if to_x is not None and is_trained:
        came_sum = _batch_total(to_x)
        on_x = wide * parts.bend(to_x, (came_sum, _batch_total(to_x * parts.centred)), v, (v_sum, v_centred))
    if to_w is not None:
        on_x = _plus(on_x, _batch_weight(parts, wide_w, v, v_sum) if is_trained else wide_w * parts.scale * v)
    on_w = _batch_on_w(parts, to_x, v, is_trained) if w is not None and to_x is not None else None
    on_v = None
    if to_x is not None:
        on_v = parts.straight(to_x, wide) if is_trained else to_x * parts.scale * wide
    if to_w is not None:
        on_v = _plus(on_v, wide_w * parts.centred * parts.scale)
    return _plus(on_v, wide_b), on_x, on_w


def _batch_weight(parts: Parts, wide: Any, v: Any, v_sum: Any) -> Any:
    first = v * parts.scale
    second = parts.scale * v_sum / -parts.count
    total = _batch_total(v * parts.centred)
    third = parts.bent * total / -parts.count
    return wide * (first + second + third)


def _batch_on_w(parts: Parts, came: Any, v: Any, is_trained: bool) -> Any:
    slope = came * parts.straight(v, _one(v, ())) if is_trained else came * v * parts.scale
    return _batch_total(slope, False)


# ---- layer norm ----


def _viewed(x: Any, size: tuple[int, ...]) -> Any:
    """x in another shape; of tensors a node even where the shape stays."""
    return call("view", x, size=size)


def layer_double(name: str, came: Sequence[Any], v: Any, x: Any, w: Any, params: dict[str, Any]) -> Three:
    """The same of layer norm, in rows."""
    kept = plain(x).ndim - len(params["normalized_shape"])
    rows = (prod(shape(x)[:kept]), prod(shape(x)[kept:]))
    size, (wide_x, wide_v) = shape(x), (_viewed(z, rows) for z in (x, v))
    to_x, to_w, to_b = came
    weight = _one(x, (1,)) if w is None else _viewed(w, (1, rows[1]))
    to_w, to_b = (None if z is None else _viewed(z, (1, rows[1])) for z in (to_w, to_b))
    to_x = None if to_x is None else _viewed(to_x, rows)
    mean, scale = (_given(z, x, (rows[0], 1)) for z in statistics(name, plain(x), params))
    parts = Parts(wide_x, mean, scale, rows[1], _row_total)
    on_x = on_w = on_v = None
    if to_x is not None:
        scaled = wide_v * weight
        v_sums = _sums(parts, scaled)
        came_sum = _row_total(to_x)
        on_x = parts.bend(to_x, (came_sum, _row_total(to_x * parts.centred)), scaled, v_sums[::-1])
    if to_w is not None:
        on_x = _plus(on_x, _layer_weight(parts, wide_v, to_w))
    on_x = None if on_x is None else _viewed(on_x, size)
    if w is not None and to_x is not None:
        slope = parts.straight(to_x, _one(x, ()))
        on_w = _viewed(F.sum(wide_v * slope, 0), shape(w))
    if to_x is not None:
        on_v = parts.straight(to_x, weight)
    if to_w is not None:
        on_v = _plus(on_v, to_w * parts.centred * parts.scale)
    on_v = _plus(on_v, to_b)
    return None if on_v is None else _viewed(call("expand", on_v, size=rows), size), on_x, on_w


def _row_total(x: Any) -> Any:
    return F.sum(x, 1, True)


def _sums(parts: Parts, z: Any) -> tuple[Any, Any]:
    centred = _row_total(z * parts.centred)
    return centred, _row_total(z)


def _layer_weight(parts: Parts, v: Any, weight: Any) -> Any:
    first = v * weight * parts.scale
    second = parts.scale * _row_total(v * weight) / -parts.count
    total = _row_total(v * weight * parts.centred)
    third = parts.bent * total / -parts.count
    return first + second + third


# ---- entries ----


def _forward(name: str) -> Any:
    """One of the three gradients, as the entry of the norm has it."""

    def forward(v: Any, x: Any, w: Any = None, b: Any = None, *, output: int, **params: Any) -> Any:
        return gradient(name, output, v, None, x, *([] if w is None else [w, w]), **params)

    return forward


def _rule(name: str, double: Double, slot: int) -> Any:
    def rule(g: Any, y: Any, v: Any, x: Any, w: Any = None, b: Any = None, *, output: int, **params: Any) -> Any:
        came = [g if number == output else None for number in range(3)]
        return double(name, came, v, x, w, params)[slot] if slot < 3 else None

    return rule


def _entry(name: str, node: str, double: Double, inputs: str, **edges: Any) -> Op:
    """The entry, with None at the edges of mean and deviation, and of what the norm goes without."""
    given = next(op for op in norms.TABLE if op.name == name).example[0]
    x, *rest = given["inputs"]
    v = np.cos(np.arange(x.size) * 1.3).reshape(x.shape)
    slots = inputs.split()
    return Op(f"{name}_backward", "norm′", _forward(name), tuple(_rule(name, double, i) for i in range(len(slots))),
              tuple(slots), tuple(f"to_{slot}(g)" for slot in slots), "y = the gradient of x, w or b",
              tuple(case(*(v, x, *rest)[: len(slots)], **given["params"], output=i) for i in range(3 if rest else 1)),
              node, saves(f"{inputs} y") & {*slots}, output="output", **edges)  # fmt: skip


_BATCH, _LAYER = "NativeBatchNormBackwardBackward0", "NativeLayerNormBackwardBackward0"
TABLE = (
    _entry("batch_norm", _BATCH, batch_double, "v x w", absent=2),
    _entry("batch_norm_plain", _BATCH, batch_double, "v x", absent=3),
    _entry("batch_norm_given", _BATCH, batch_double, "v x w", absent=2),
    _entry("batch_norm_given_plain", _BATCH, batch_double, "v x", absent=3),
    _entry("layer_norm", _LAYER, layer_double, "v x w b", gaps=(2, 2)),
    _entry("layer_norm_plain", _LAYER, layer_double, "v x", absent=4),
)
DOUBLES: dict[str, Double] = {
    op.name: layer_double if op.name.startswith("layer") else batch_double for op in TABLE
}  # fmt: skip


NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {op.name: names_of_gradients(op) for op in TABLE}
