"""Normalisation: layer, batch, group, instance and RMS norm, and local response norm.

Each subtracts a mean and divides by a standard deviation, h = (x − mean) / √(variance + eps), over some axes, and then
scales and shifts. With G = dL/dh the gradient is dL/dx = (G − mean G − h · mean (G · h)) / √(variance + eps), the means
over the same axes: what would only move or stretch a group of numbers that is normalised anyway cancels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.op import Op, example, names
from gradviz.ops.symbols import word

Axes = tuple[int, ...]


def _waves(*shape: int) -> Any:
    return np.sin(np.arange(1.0, math.prod(shape) + 1) * 1.7).reshape(shape)


def _mean(x: Any, axes: Axes) -> Any:
    return r.total(x, axes, keepdim=True) * (1 / r.count_reduced(x, axes))


def _normalised(x: Any, axes: Axes, eps: float) -> tuple[Any, Any]:
    """h = (x − mean) / √(variance + eps), and 1 / √(variance + eps)."""
    centred = x - _mean(x, axes)
    scale = 1 / r.sqrt(_mean(centred * centred, axes) + eps)
    return centred * scale, scale


def _sent_back(g: Any, h: Any, scale: Any, axes: Axes) -> Any:
    """dL/dx of normalised numbers h from dL/dh."""
    return scale * (g - _mean(g, axes) - h * _mean(g * h, axes))


def affine(h: Any, parts: Sequence[Any], shape: tuple[int, ...] | None = None) -> Any:
    """weight · h + bias; a shape is what parts of one number per channel are brought to."""
    if not parts:
        return h
    weight, *bias = parts if shape is None else [r.reshape(each, shape) for each in parts]
    return h * weight + bias[0] if bias else h * weight


def channel_shape(ndim: int) -> tuple[int, ...]:
    return (1, -1, *(1,) * (ndim - 2))


def other_axes(ndim: int) -> Axes:
    """All axes but that of the channels."""
    return (0, *range(2, ndim))


# ---- layer norm -------------------------------------------------------------------------------------


@word(name="last_axes")
def _last(x: Any, dims: int) -> Axes:
    ndim = r.plain(x).ndim
    if dims > ndim:  # as a recording from elsewhere may say
        raise IndexError(f"{dims} dims of {ndim}")
    return tuple(range(ndim - dims, ndim))


def _layer(x: Any, *parts: Any, dims: int, eps: float) -> Any:
    return affine(_normalised(x, _last(x, dims), eps)[0], parts)


def _layer_x(g: Any, y: Any, x: Any, *parts: Any, dims: int, eps: float) -> Any:
    axes = _last(x, dims)
    return _sent_back(g * parts[0] if parts else g, *_normalised(x, axes, eps), axes)


def _layer_weight(g: Any, y: Any, x: Any, *parts: Any, dims: int, eps: float) -> Any:
    return g * _normalised(x, _last(x, dims), eps)[0]


def _bias(g: Any, y: Any, *_inputs: Any, **_params: Any) -> Any:
    return g


@word("mean({0})")
def mean_over(x: Any, axes: Axes) -> Any:
    """The mean over axes, which stay as 1."""
    return _mean(x, axes)


@word("variance")
def variance_of(x: Any, axes: Axes) -> Any:
    """The variance over axes, which stay as 1."""
    centred = x - _mean(x, axes)
    return _mean(centred * centred, axes)


@word("h")
def normalised(x: Any, axes: Axes, eps: float) -> Any:
    """(x − mean) / √(variance + eps)."""
    return _normalised(x, axes, eps)[0]


@word("{0}")
def per_channel(part: Any, x: Any) -> Any:
    """One number for each channel, in a shape that broadcasts against x."""
    return part.reshape(_shape_of(part, x.ndim))


@word("{0}, summed")
def summed_per_channel(g: Any) -> Any:
    """The sum over all axes but that of the channels."""
    return r.total(g, other_axes(g.ndim))


@word(name="other_axes")
def _axes_of(x: Any) -> Axes:
    return other_axes(x.ndim)


@word("{0}, summed")
def summed_like(g: Any, part: Any) -> Any:
    """The sum over the axes that a part does not have."""
    return r.total(g, tuple(range(g.ndim - part.ndim)))


def _back(g: Any, x: Any, axes: Any, eps: float) -> Any:
    h = normalised(x, axes, eps)
    return (g - mean_over(g, axes) - h * mean_over(g * h, axes)) / r.sqrt(variance_of(x, axes) + eps)


INPUTS = ("x", "weight", "bias")
EQUATION = "h = (x − mean) / √(variance + eps), y = h"
LAYER_FORM = (
    lambda g, y, x, *parts, dims, eps: _back(g * parts[0] if parts else g, x, _last(x, dims), eps),
    lambda g, y, x, w, *bias, dims, eps: summed_like(g * normalised(x, _last(x, dims), eps), w),
    lambda g, y, x, w, b, dims, eps: summed_like(g, b),
)
X, V, B = _waves(2, 3, 4), _waves(4), 0.3 - _waves(4)


LAYER = {
    n: Op(
        "layer_norm", _layer, (_layer_x, _layer_weight, _bias)[: n + 1], INPUTS[: n + 1],
        LAYER_FORM[: n + 1], EQUATION + " · weight" * (n > 0) + " + bias" * (n > 1),
        (example(*(X, V, B)[: n + 1], dims=1, eps=1e-5), *(() if n else (example(X, dims=2, eps=1e-3),))),
        names("x weight" if n else "x"), "NativeLayerNormBackward0", sign="LN", kind="normalized",
    )
    for n in range(3)
}  # fmt: skip

# ---- batch norm --------------------------------------------------------------------------------------------------


def _batch(x: Any, *parts: Any, eps: float) -> Any:
    return affine(_normalised(x, other_axes(x.ndim), eps)[0], parts, channel_shape(x.ndim))


def _batch_x(g: Any, y: Any, x: Any, *parts: Any, eps: float) -> Any:
    ndim = r.plain(x).ndim
    axes = other_axes(ndim)
    g = g * r.reshape(parts[0], _shape_of(parts[0], ndim)) if parts else g
    return _sent_back(g, *_normalised(x, axes, eps), axes)


def _shape_of(part: Any, ndim: int) -> tuple[int, ...]:
    return (1, r.plain(part).size, *(1,) * (ndim - 2))


def _batch_weight(g: Any, y: Any, x: Any, *parts: Any, eps: float) -> Any:
    axes = other_axes(r.plain(x).ndim)
    return r.total(g * _normalised(x, axes, eps)[0], axes)


def _channel_bias(g: Any, y: Any, *_inputs: Any, **_params: Any) -> Any:
    return r.total(g, other_axes(r.plain(g).ndim))


def _fixed_scale(var: Any, ndim: int, eps: float) -> Any:
    return 1 / np.sqrt(r.plain(var) + eps).reshape(_shape_of(var, ndim))


def _fixed(x: Any, mean: Any, var: Any, *parts: Any, eps: float) -> Any:
    h = (x - mean.reshape(_shape_of(mean, x.ndim))) * _fixed_scale(var, x.ndim, eps).astype(x.dtype)
    return affine(h, parts, channel_shape(x.ndim)).astype(x.dtype, copy=False)


def _fixed_x(g: Any, y: Any, x: Any, mean: Any, var: Any, *parts: Any, eps: float) -> Any:
    ndim = r.plain(x).ndim
    g = g * r.reshape(parts[0], _shape_of(parts[0], ndim)) if parts else g
    return g * r.constant_like(_fixed_scale(var, ndim, eps), g)


def _fixed_weight(g: Any, y: Any, x: Any, mean: Any, var: Any, *parts: Any, eps: float) -> Any:
    ndim = r.plain(x).ndim
    shift = r.constant_like(r.plain(mean).reshape(_shape_of(mean, ndim)), x)
    return r.total(g * ((x - shift) * r.constant_like(_fixed_scale(var, ndim, eps), x)), other_axes(ndim))


BATCH_FORM = (
    lambda g, y, x, *parts, eps: _back(g * per_channel(parts[0], x) if parts else g, x, _axes_of(x), eps),
    lambda g, y, x, w, b, eps: summed_per_channel(g * normalised(x, _axes_of(x), eps)),
    lambda g, y, x, w, b, eps: summed_per_channel(g),
)
IMAGES, PER_CHANNEL, SHIFTS = _waves(2, 3, 2, 2), np.array([0.5, -1.2, 2.0]), np.array([0.1, 0.2, -0.3])
MEANS, VARIANCES = np.array([0.2, -0.1, 0.4]), np.array([0.5, 1.5, 0.8])
BATCH = {
    n: Op(
        "batch_norm", _batch, (_batch_x, _batch_weight, _channel_bias)[: n + 1], INPUTS[: n + 1],
        BATCH_FORM[: n + 1], EQUATION + " · weight + bias" * (n > 0) + ", over each channel",
        tuple(example(*(x, PER_CHANNEL, SHIFTS)[: n + 1], eps=eps) for x, eps in ((IMAGES, 1e-5), (_waves(4, 3), 0.1))),
        names("x weight" if n else "x"), "NativeBatchNormBackward0",
        "The mean and the variance are those of the batch, so each sample's gradient depends on all others.",
        sign="BN", kind="normalized",
    )
    for n in (0, 2)
}  # fmt: skip
BATCH_FIXED = {
    n: Op(
        "batch_norm_eval", _fixed, (_fixed_x, None, None, *((_fixed_weight, _channel_bias) if n else ())),
        ("x", "mean", "variance", "weight", "bias")[: n + 3],
        (lambda g, y, x, mean, var, *parts, eps: (g * per_channel(parts[0], x) if parts else g)
         / r.sqrt(per_channel(var, x) + eps), None, None,
         *((lambda g, y, x, mean, var, w, b, eps: summed_per_channel(
             g * (x - per_channel(mean, x)) / r.sqrt(per_channel(var, x) + eps)),
            lambda g, y, x, mean, var, w, b, eps: summed_per_channel(g)) if n else ())),
        "y = (x − running mean) / √(running variance + eps)" + " · weight + bias" * (n > 0),
        (example(*(IMAGES, MEANS, VARIANCES, PER_CHANNEL, SHIFTS)[: n + 3], eps=1e-5),),
        names("x weight mean variance" if n else "variance"), "NativeBatchNormBackward0",
        "The running mean and variance are constants here.", sign="BN",
    )
    for n in (0, 2)
}  # fmt: skip

# ---- group norm and instance norm --------------------------------------------------------------------------------


def _grouped(x: Any, groups: int) -> Any:
    """Images [N, C, ...] as [N, groups, numbers of a group]."""
    shape = r.plain(x).shape
    return r.reshape(x, (shape[0], groups, math.prod(shape[1:]) // groups))


def _group_h(x: Any, groups: int, eps: float) -> Any:
    return r.reshape(_normalised(_grouped(x, groups), (2,), eps)[0], r.plain(x).shape)


def _group(x: Any, *parts: Any, groups: int, eps: float) -> Any:
    return affine(_group_h(x, groups, eps), parts, channel_shape(x.ndim))


def _group_x(g: Any, y: Any, x: Any, *parts: Any, groups: int, eps: float) -> Any:
    shape = r.plain(x).shape
    g = g * r.reshape(parts[0], _shape_of(parts[0], len(shape))) if parts else g
    sent = _sent_back(_grouped(g, groups), *_normalised(_grouped(x, groups), (2,), eps), (2,))
    return r.reshape(sent, shape)


def _group_weight(g: Any, y: Any, x: Any, *parts: Any, groups: int, eps: float) -> Any:
    return r.total(g * _group_h(x, groups, eps), other_axes(r.plain(x).ndim))


@word("mean({0})")
def group_mean(x: Any, groups: int) -> Any:
    """The mean of each group of channels, at every number of it."""
    rows = _grouped(x, groups)
    return np.broadcast_to(_mean(rows, (2,)), rows.shape).reshape(x.shape)


@word("variance")
def group_variance(x: Any, groups: int) -> Any:
    """The variance of each group of channels, at every number of it."""
    centred = x - group_mean(x, groups)
    return group_mean(centred * centred, groups)


@word("h")
def group_normalised(x: Any, groups: int, eps: float) -> Any:
    """(x − mean) / √(variance + eps) in each group of channels."""
    return _group_h(x, groups, eps)


def _group_form(g: Any, y: Any, x: Any, *parts: Any, groups: int, eps: float) -> Any:
    g = g * per_channel(parts[0], x) if parts else g
    h = group_normalised(x, groups, eps)
    return (g - group_mean(g, groups) - h * group_mean(g * h, groups)) / r.sqrt(group_variance(x, groups) + eps)


GROUP_FORM = (
    _group_form,
    lambda g, y, x, w, b, groups, eps: summed_per_channel(g * group_normalised(x, groups, eps)),
    lambda g, y, x, w, b, groups, eps: summed_per_channel(g),
)
CHANNELS = _waves(2, 4, 3)
GROUP = {
    n: Op(
        "group_norm", _group, (_group_x, _group_weight, _channel_bias)[: n + 1], INPUTS[: n + 1],
        GROUP_FORM[: n + 1], EQUATION + " · weight + bias" * (n > 0) + ", over each group",
        tuple(example(*(CHANNELS, V, B)[: n + 1], groups=count, eps=1e-3) for count in (1, 2, 4)),
        names("x weight" if n else "x"), "NativeGroupNormBackward0", sign="GN", kind="normalized",
    )
    for n in (0, 2)
}  # fmt: skip


TABLE = (*LAYER.values(), *BATCH.values(), *BATCH_FIXED.values(), *GROUP.values())
"""The rows of this family."""
