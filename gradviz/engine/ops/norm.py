"""Normalisation: layer, batch, group, instance and RMS norm, and local response norm.

Each subtracts a mean and divides by a standard deviation, h = (x − mean) / √(variance + eps), over some axes, and then
scales and shifts. With G = dL/dh the gradient is dL/dx = (G − mean G − h · mean (G · h)) / √(variance + eps), the means
over the same axes: what would only move or stretch a group of numbers that is normalised anyway cancels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.apply import apply, record
from gradviz.engine.operands import tensor_given
from gradviz.engine.ops import elementwise as e
from gradviz.engine.ops.given import floats_given, shape_text
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import replace
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


def _affine(h: Any, parts: Sequence[Any], shape: tuple[int, ...] | None = None) -> Any:
    """weight · h + bias; a shape is what parts of one number per channel are brought to."""
    if not parts:
        return h
    weight, *bias = parts if shape is None else [r.reshape(each, shape) for each in parts]
    return h * weight + bias[0] if bias else h * weight


def _channel_shape(ndim: int) -> tuple[int, ...]:
    return (1, -1, *(1,) * (ndim - 2))


def _other_axes(ndim: int) -> Axes:
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
    return _affine(_normalised(x, _last(x, dims), eps)[0], parts)


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
    return r.total(g, _other_axes(g.ndim))


@word(name="other_axes")
def _axes_of(x: Any) -> Axes:
    return _other_axes(x.ndim)


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
        names("x weight" if n else "x"), "NativeLayerNormBackward0",
    )
    for n in range(3)
}  # fmt: skip

# ---- batch norm --------------------------------------------------------------------------------------------------


def _batch(x: Any, *parts: Any, eps: float) -> Any:
    return _affine(_normalised(x, _other_axes(x.ndim), eps)[0], parts, _channel_shape(x.ndim))


def _batch_x(g: Any, y: Any, x: Any, *parts: Any, eps: float) -> Any:
    ndim = r.plain(x).ndim
    axes = _other_axes(ndim)
    g = g * r.reshape(parts[0], _shape_of(parts[0], ndim)) if parts else g
    return _sent_back(g, *_normalised(x, axes, eps), axes)


def _shape_of(part: Any, ndim: int) -> tuple[int, ...]:
    return (1, r.plain(part).size, *(1,) * (ndim - 2))


def _batch_weight(g: Any, y: Any, x: Any, *parts: Any, eps: float) -> Any:
    axes = _other_axes(r.plain(x).ndim)
    return r.total(g * _normalised(x, axes, eps)[0], axes)


def _channel_bias(g: Any, y: Any, *_inputs: Any, **_params: Any) -> Any:
    return r.total(g, _other_axes(r.plain(g).ndim))


def _fixed_scale(var: Any, ndim: int, eps: float) -> Any:
    return 1 / np.sqrt(r.plain(var) + eps).reshape(_shape_of(var, ndim))


def _fixed(x: Any, mean: Any, var: Any, *parts: Any, eps: float) -> Any:
    h = (x - mean.reshape(_shape_of(mean, x.ndim))) * _fixed_scale(var, x.ndim, eps).astype(x.dtype)
    return _affine(h, parts, _channel_shape(x.ndim)).astype(x.dtype, copy=False)


def _fixed_x(g: Any, y: Any, x: Any, mean: Any, var: Any, *parts: Any, eps: float) -> Any:
    ndim = r.plain(x).ndim
    g = g * r.reshape(parts[0], _shape_of(parts[0], ndim)) if parts else g
    return g * r.constant_like(_fixed_scale(var, ndim, eps), g)


def _fixed_weight(g: Any, y: Any, x: Any, mean: Any, var: Any, *parts: Any, eps: float) -> Any:
    ndim = r.plain(x).ndim
    shift = r.constant_like(r.plain(mean).reshape(_shape_of(mean, ndim)), x)
    return r.total(g * ((x - shift) * r.constant_like(_fixed_scale(var, ndim, eps), x)), _other_axes(ndim))


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
        "The running mean and variance are constants here.",
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
    return _affine(_group_h(x, groups, eps), parts, _channel_shape(x.ndim))


def _group_x(g: Any, y: Any, x: Any, *parts: Any, groups: int, eps: float) -> Any:
    shape = r.plain(x).shape
    g = g * r.reshape(parts[0], _shape_of(parts[0], len(shape))) if parts else g
    sent = _sent_back(_grouped(g, groups), *_normalised(_grouped(x, groups), (2,), eps), (2,))
    return r.reshape(sent, shape)


def _group_weight(g: Any, y: Any, x: Any, *parts: Any, groups: int, eps: float) -> Any:
    return r.total(g * _group_h(x, groups, eps), _other_axes(r.plain(x).ndim))


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
        names("x weight" if n else "x"), "NativeGroupNormBackward0",
    )
    for n in (0, 2)
}  # fmt: skip


TABLE = (*LAYER.values(), *BATCH.values(), *BATCH_FIXED.values(), *GROUP.values())
"""The rows of this family."""

# ---- what people call -------------------------------------------------------------------------------------------


def _check_normalized_shape(x: Any, shape: tuple[int, ...], parts: dict[str, Tensor | None]) -> None:
    for name, part in parts.items():
        if part is not None and current(part).array.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(current(part).array.shape)} and normalized_shape = {list(shape)}"
            )
    if x.shape[x.ndim - len(shape) :] != shape or x.ndim < len(shape):
        sizes = ", ".join(map(str, shape))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [*, {sizes}], but got input of "
            f"size{list(x.shape)}"
        )


def _shape_given(function: str, shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, Sequence):
        raise TypeError(
            f"{function}(): argument 'normalized_shape' (position 2) must be tuple of ints, not {type(shape).__name__}"
        )
    return tuple([int(n) for n in shape])


def _parts(weight: Tensor | None, bias: Tensor | None, like: Tensor, shape: tuple[int, ...]) -> tuple[Tensor, ...]:
    """Weight and bias as inputs; the weight is 1 where there is but a bias."""
    if weight is None and bias is None:
        return ()
    if weight is None:
        weight = constant(np.ones(shape, current(like).array.dtype))
    return (weight,) if bias is None else (weight, bias)


def layer_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, bias: Tensor | None = None,
    eps: float = 1e-05,
) -> Tensor:  # fmt: skip
    """Normalise over the last dims, those of `normalized_shape`; weight and bias have that shape.

    Raises:
        RuntimeError: the last dims of input are others.
    """
    shape = _shape_given("layer_norm", normalized_shape)
    x = tensor_given("layer_norm", input)
    _check_normalized_shape(current(x).array, shape, {"weight": weight, "bias": bias})
    parts = _parts(weight, bias, floats_given("layer_norm", x, "LayerNormKernelImpl"), shape)
    return apply(LAYER[len(parts)], (x, *parts), dims=len(shape), eps=eps)


def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """input / √(mean of input² + eps) over the last dims, times weight (Zhang and Sennrich, 2019).

    Raises:
        RuntimeError: the last dims of input are others.
    """
    shape = _shape_given("rms_norm", normalized_shape)
    x = floats_given("rms_norm", input, "rms_norm")
    _check_normalized_shape(x.array, shape, {"weight": weight})
    mean: Tensor = e.pow(input, 2).mean(tuple(range(-len(shape), 0)), keepdim=True)
    scale = e.rsqrt(e.add(mean, float(np.finfo(x.array.dtype).eps) if eps is None else eps))
    found = e.mul(input, scale)
    return found if weight is None else e.mul(found, weight)


def _check_channels(name: str, given: Tensor | None, channels: int) -> None:
    if given is not None and current(given).array.size != channels:
        raise RuntimeError(f"{name} should contain {channels} elements not {current(given).array.size}")


def _move_towards(running: Tensor | None, found: Any, momentum: float) -> None:
    """running ← (1 − momentum) · running + momentum · found."""
    if running is not None:
        now = current(running).array
        replace(running, (now * (1 - momentum) + found.reshape(now.shape) * momentum).astype(now.dtype))


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-05,
) -> Tensor:  # fmt: skip
    """Normalise each channel (dim 1) over the batch, in training by its own mean and variance.

    Training moves running_mean and running_var towards those of the batch, by momentum; the variance that is kept
    divides by n − 1. Without training the running ones are used, as constants.

    Raises:
        ValueError: training with a single number per channel.
        RuntimeError: sizes that do not fit, or no running statistics outside training.
    """
    x = floats_given("batch_norm", input, "batch_norm")
    shape = x.array.shape
    if len(shape) < 2:
        raise RuntimeError(f"batch_norm expects at least 2 dims (N, C, ...), but got input of size {list(shape)}")
    if training and x.array.size == shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape_text(x)}")
    if not training:
        for name, running in (("running_mean", running_mean), ("running_var", running_var)):
            if running is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    given = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, each in given.items():
        _check_channels(name, each, shape[1])
    parts = _parts(weight, bias, x, (shape[1],))
    if len(parts) == 1:
        parts = (*parts, constant(np.zeros(shape[1], x.array.dtype)))
    if not training:
        assert running_mean is not None
        assert running_var is not None
        return apply(BATCH_FIXED[len(parts)], (input, running_mean, running_var, *parts), eps=eps)
    axes = _other_axes(len(shape))
    mean = _mean(x.array, axes)
    centred = x.array - mean
    variance = _mean(centred * centred, axes)
    arrays = [current(each).array for each in parts]
    y = _affine(centred * (1 / np.sqrt(variance + eps)), arrays, _channel_shape(len(shape)))
    count = x.array.size // shape[1]
    found = record(BATCH[len(parts)], (x, *[current(each) for each in parts]), {"eps": eps}, y)
    _move_towards(running_mean, mean, momentum)
    _move_towards(running_var, variance * (count / (count - 1)), momentum)
    return found


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-05
) -> Tensor:
    """Normalise each sample over groups of channels (Wu and He, 2018); weight and bias have one number per channel.

    Raises:
        RuntimeError: the channels do not divide into so many groups, or sizes do not fit.
    """
    x = floats_given("group_norm", input, "GroupNormKernelImpl")
    shape = list(x.array.shape)
    if x.array.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {x.array.ndim}")
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if shape[1] % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape {shape} and "
            f"num_groups={num_groups}"
        )
    for name, part in (("weight", weight), ("bias", bias)):
        if part is not None and current(part).array.shape != (shape[1],):
            raise RuntimeError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {list(current(part).array.shape)} and input of shape {shape}"
            )
    parts = _parts(weight, bias, x, (shape[1],))
    if len(parts) == 1:
        parts = (*parts, constant(np.zeros(shape[1], x.array.dtype)))
    return apply(GROUP[len(parts)], (input, *parts), groups=num_groups, eps=eps)


def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1,
    eps: float = 1e-05,
) -> Tensor:  # fmt: skip
    """Normalise each channel of each sample by itself: `group_norm` with one group for each channel.

    Raises:
        ValueError: images of a single pixel.
    """
    x = floats_given("instance_norm", input, "batch_norm")
    shape = x.array.shape
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {shape_text(x)}")
    if running_mean is not None or running_var is not None:
        axes = tuple(range(2, len(shape)))
        count = math.prod(shape[2:])
        _move_towards(running_mean, x.array.mean(axes).mean(0), momentum)
        _move_towards(running_var, x.array.var(axes).mean(0) * (count / (count - 1)), momentum)
    return group_norm(input, shape[1], weight, bias, eps)


NAMESPACE: dict[str, Callable[..., Tensor]] = {
    "group_norm": group_norm, "layer_norm": layer_norm, "rms_norm": rms_norm,
}  # fmt: skip
"""What is a function of torch but no method of tensors."""
