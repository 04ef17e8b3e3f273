"""Normalisation."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOAT32, FLOATING, c_name, limits_of, type_name
from gradviz.imitation.engine.functions.arguments import ints, must_have_dims, need, refuse_whole, size_at
from gradviz.imitation.engine.functions.numbers.arithmetic import add, clone, mul, pow
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.functions.reducing.reduction import mean
from gradviz.imitation.engine.functions.shapes.moving import repeat, select
from gradviz.imitation.engine.functions.shapes.shaping import contiguous, view
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kernels.nearest import fused
from gradviz.imitation.engine.kernels.normalising import BATCH
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.shapes import one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

MIXED = "mixed dtype (CPU):"
CONVERT = "Convert one of them, e.g. with .float() or .double()."


def _refuse_mixed(x: Tensor, *others: Tensor | None) -> None:
    """Parameters of single precision may stand beside half precision; all else must agree."""
    given = [other.dtype for other in others if other is not None]
    if given and given[0] != x.dtype:
        if any(dtype != FLOAT32 for dtype in given):
            raise TorchError(f"{MIXED} expect parameter to have scalar type of Float", hint=CONVERT)
        if x.dtype.itemsize != 2 or x.dtype.kind not in FLOATING:
            raise TorchError(f"{MIXED} all inputs must share same datatype.", hint=CONVERT)


def _one_dtype(x: Tensor, kernel: str, *others: Tensor | None) -> None:
    """Raise for parameters that cannot stand beside x, and for numbers that are not of floating point."""
    _refuse_mixed(x, *others)
    given = [other.dtype for other in others if other is not None]
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"\"{kernel}\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    for dtype in given:
        if given[0] == x.dtype != dtype:
            raise TorchError(f"expected scalar type {type_name(x.dtype)} but found {type_name(dtype)}", hint=CONVERT)


def _affine(name: str, x: Tensor, weight: Tensor | None, bias: Tensor | None, **params: Any) -> Tensor:
    """One node with both weight and bias, or with none; with only one of them the other is a constant."""
    if weight is None and bias is None:
        return apply(OPS[f"{name}_plain"], (x,), **params)
    like = weight if weight is not None else bias
    assert like is not None
    w = weight if weight is not None else constant(np.ones(like.shape, x.dtype), x.tape)
    b = bias if bias is not None else constant(np.zeros(like.shape, x.dtype), x.tape)
    if (
        x.dtype.itemsize == 2 != max(w.dtype.itemsize, b.dtype.itemsize)
    ):  # parameters of single precision leave half precision as it is
        value = OPS[name].forward(*(t.data.astype(np.float32) for t in (x, w, b)), **params)
        return record(OPS[name], (x, w, b), params, value.astype(x.dtype))
    return apply(OPS[name], (x, w, b), **params)


def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: bool = False, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Also moves the running statistics, in place, when training."""
    x = need("batch_norm", input)
    if training:
        _refuse_one_value(x)
    if (training and eps <= 0.0) or eps < 0.0:
        needed = "positive during training" if training else "non-negative"
        raise TorchError(f"batch_norm eps must be {needed}, but got {eps}", kind="ValueError")
    return plain_batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps)


def _refuse_one_value(x: Tensor) -> None:
    """Raise where a channel has one value alone."""
    if not x.ndim:
        raise TorchError("tuple index out of range", kind="IndexError")
    if prod((x.shape[0], *x.shape[2:])) == 1:
        raise TorchError(
            f"Expected more than 1 value per channel when training, got input size torch.Size({list(x.shape)})",
            kind="ValueError",
        )


def plain_batch_norm(
    x: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None, bias: Tensor | None,
    training: bool, momentum: float, eps: float,
) -> Tensor:  # fmt: skip
    """What `torch.batch_norm` does once its caller has looked at the batch."""
    channels = x.shape[1] if x.ndim > 1 else 0
    if not x.data.size:
        return _of_nothing(x, weight, bias)
    named = {"running_mean": running_mean, "running_var": running_var, "weight": weight, "bias": bias}
    for name, given in named.items():
        if given is not None and given.data.size != channels:
            raise TorchError(f"{name} should contain {channels} elements not {given.data.size}")
        if given is None and name in RUNNING and not training:
            raise TorchError(f"{name} must be defined in evaluation mode")
    if (running_mean is None) != (running_var is None):
        raise TorchError("running_mean and running_var must either both be None or neither be None", kind="ValueError")
    _one_dtype(x, "batch_norm", *((weight, bias, running_mean, running_var) if x.dtype.kind in FLOATING else ()))
    one_dim(1, x.ndim)
    if training:
        y = _affine("batch_norm", x, weight, bias, eps=eps)
        _move_statistics(x, running_mean, running_var, momentum)
        return y
    assert running_mean is not None
    assert running_var is not None
    stats = {"running_mean": np.array(running_mean.data), "running_var": np.array(running_var.data)}
    return _affine("batch_norm_given", x, weight, bias, eps=eps, **stats)


RUNNING = ("running_mean", "running_var")


def _of_nothing(x: Tensor, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """A batch without numbers, which PyTorch sends by the first weight and bias alone."""
    y = clone(x)
    y = y if weight is None else mul(y, select(weight, 0, 0))
    return y if bias is None else add(y, select(bias, 0, 0))


def _move_statistics(x: Tensor, mean_: Tensor | None, var: Tensor | None, momentum: float) -> None:
    if mean_ is None and var is None:
        return
    count = x.data.size // x.shape[1]
    found, squares = BATCH.statistics(x.data)
    share, rest = x.dtype.type(momentum), x.dtype.type(1 - momentum)
    if mean_ is not None:
        storage.write(mean_, share * found + rest * mean_.data)
    if var is not None:
        storage.write(var, fused(share, squares / x.dtype.type(count - 1), rest * var.data))


def layer_norm(
    input: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    x, size = need("layer_norm", input), ints((normalized_shape,))
    _refuse_mixed(x, weight, bias)
    _refuse_no_size(size)
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and given.shape != size:
            raise TorchError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape {list(given.shape)} "
                f"and normalized_shape = {_listed(size)}"
            )
    if x.shape[x.ndim - len(size) :] != size:
        raise TorchError(
            f"Given normalized_shape={_listed(size)}, expected input with shape [*, {', '.join(map(str, size))}], but "
            f"got input of size{list(x.shape)}"
        )
    _one_dtype(x, "LayerNormKernelImpl", weight, bias)
    return _affine("layer_norm", x, weight, bias, eps=eps, normalized_shape=size)


def _refuse_no_size(size: tuple[int, ...]) -> None:
    if not size:
        raise TorchError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but got "
            "normalized_shape = []"
        )


def _listed(size: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, size))}]"


def group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    x = need("group_norm", input)
    if x.ndim < 2:
        raise TorchError(f"Expected at least 2 dimensions for input tensor but received {x.ndim}")
    if not num_groups:
        raise TorchError("integer division or modulo by zero", kind="ZeroDivisionError")
    rows = (x.shape[0] * x.shape[1] // num_groups, num_groups, *x.shape[2:])
    if prod((rows[0], *rows[2:])) == 1:
        raise TorchError(
            f"Expected more than 1 value per channel when training, got input size {list(rows)}", kind="ValueError"
        )
    return plain_group_norm(x, num_groups, weight, bias, eps)


def plain_group_norm(
    input: Tensor, num_groups: int, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    """`torch.group_norm`, which looks at less than that of torch.nn.functional."""
    x = need("group_norm", input)
    size_at(x, 0), size_at(x, 1)
    if num_groups <= 0:
        raise TorchError(f"Expected num groups to be greater than 0, got {num_groups}")
    if x.shape[1] % num_groups:
        raise TorchError(
            "Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(x.shape)} and num_groups={num_groups}"
        )
    for name, given in (("weight", weight), ("bias", bias)):
        if given is not None and given.shape != (x.shape[1],):
            shown = [0] if weight is None else list(weight.shape)  # PyTorch shows the weight's shape for both
            raise TorchError(
                f"Expected {name} to be a vector of size equal to the number of channels in input, but got {name} of "
                f"shape {shown} and input of shape {list(x.shape)}"
            )
    _one_dtype(x, "GroupNormKernelImpl", weight, bias)
    weight, bias = (t if t is None else contiguous(t) for t in (weight, bias))
    return _affine("group_norm", contiguous(x), weight, bias, eps=eps, groups=num_groups)


def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None,
    bias: Tensor | None = None, use_input_stats: bool = True, momentum: float = 0.1, eps: float = 1e-5,
) -> Tensor:  # fmt: skip
    """Batch norm of each example by itself, as PyTorch records it."""
    x = need("instance_norm", input)
    if use_input_stats and prod(x.shape[2:]) == 1:
        raise TorchError(
            f"Expected more than 1 spatial element when training, got input size torch.Size({list(x.shape)})",
            kind="ValueError",
        )
    if not use_input_stats and (running_mean is None or running_var is None):
        raise TorchError("Expected running_mean and running_var to be defined when use_input_stats is false")
    must_have_dims(x, 0)
    n, c = x.shape[0], x.shape[one_dim(1, x.ndim)]
    repeated = [None if t is None else repeat(t, n) for t in (weight, bias, running_mean, running_var)]
    rows = view(contiguous(x), 1, n * c, *x.shape[2:])
    w, b, mean_, var = repeated
    out = plain_batch_norm(rows, mean_, var, w, b, use_input_stats, momentum, eps)
    for kept, moved in ((running_mean, mean_), (running_var, var)):
        if use_input_stats and kept is not None and moved is not None:
            storage.write(kept, moved.data.reshape(n, c).mean(axis=0))
    return view(out, *x.shape)


def rms_norm(input: Tensor, normalized_shape: Any, weight: Tensor | None = None, eps: float | None = None) -> Tensor:
    """x / √(mean x² + ε), in the steps in which PyTorch takes them."""
    x, size = need("rms_norm", input), ints((normalized_shape,))
    from gradviz.imitation.engine.functions import FUNCTIONS

    _check_root(x, size, weight)
    if weight is not None and weight.dtype != x.dtype:
        warn(APART.format(*(c_name(t.dtype) for t in (x, weight))), once=True)
    refuse_whole(x, "rms_norm")
    dtype, x = x.dtype, to(x, FLOAT32) if x.dtype.itemsize == 2 else x
    tiny = float(limits_of(x.dtype).eps) if eps is None else eps
    squares = mean(pow(x, 2), tuple(range(x.ndim - len(size), x.ndim)), True)
    out = mul(x, FUNCTIONS["rsqrt"](apply(OPS["add_number"], (squares,), other=tiny)))
    out = out if weight is None else mul(out, weight)
    return contiguous(out if out.dtype == dtype else to(out, dtype))


APART = (
    "Mismatch dtype between input and weight: input dtype = {}, weight dtype = {}, Cannot dispatch to fused "
    "implementation."
)


def _check_root(x: Tensor, size: tuple[int, ...], weight: Tensor | None) -> None:
    _refuse_no_size(size)
    if weight is not None and weight.shape != size:
        raise TorchError(
            f"Expected weight to be of same shape as normalized_shape, but got weight of shape {list(weight.shape)} "
            f"and normalized_shape = {_listed(size)}"
        )
    if x.ndim < len(size):
        raise TorchError(f"Input tensor must have at least {len(size)} dimensions, but got {x.ndim}", kind="ValueError")
    if x.shape[x.ndim - len(size) :] != size:
        raise TorchError(
            f"Given normalized_shape={_listed(size)}, expected input with shape [*{', '.join(map(str, size))}], but "
            f"got input of size{list(x.shape)}"
        )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "layer_norm": layer_norm,
    "group_norm": plain_group_norm,
    "rms_norm": rms_norm,
}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = FUNCTIONS | {
    "group_norm": group_norm,
    "batch_norm": batch_norm,
    "instance_norm": instance_norm,
}
