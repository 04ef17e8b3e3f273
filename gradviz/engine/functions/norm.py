"""Normalisation as people call it: layer, batch, group, instance and RMS norm, and local response norm."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.engine.apply import apply, record
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions.given import floats_given, shape_text
from gradviz.engine.operands import tensor_given
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import replace
from gradviz.ops.norm import BATCH, BATCH_FIXED, GROUP, LAYER, affine, channel_shape, mean_over, other_axes

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
    axes = other_axes(len(shape))
    mean = mean_over(x.array, axes)
    centred = x.array - mean
    variance = mean_over(centred * centred, axes)
    arrays = [current(each).array for each in parts]
    y = affine(centred * (1 / np.sqrt(variance + eps)), arrays, channel_shape(len(shape)))
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
