"""Kernels that round numbers of 16 bits on the way, and not only at their end as `half_precision` has it.

Losses round each element before they are summed. A loop over elements takes 64 at once in float32, and what is left
one by one, rounding after each step; a few kernels do so always.

Source: aten/src/ATen/native/cpu, PointwiseOpsKernel.cpp, PowKernel.cpp, LerpKernel.cpp, vec_log_softmax_lastdim.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.dtypes import FLOAT32, DType
from gradviz.engine.op import Op
from gradviz.engine.summation import total

AT_ONCE = 64
"""Elements of 16 bits that a loop takes at once, two registers."""

Kernel = Callable[..., Any]
"""kernel(op, *arrays, **params) -> the result, rounded; the arrays have 16 bits."""

LOSSES = ("binary_cross_entropy", "huber_loss", "l1_loss", "mse_loss", "smooth_l1_loss", "soft_margin_loss")
BY_STEPS = ("cross", "huber_loss_backward", "mse_loss_backward", "smooth_l1_loss_backward")
BY_STEPS_AT_END = ("addcdiv", "addcmul", "lerp", "lerp_number", "rsqrt")
WITH_ROUNDED = {
    "rsub": "other", "add_number": "other", "sub_number": "other", "fmod_number": "other", "remainder_number": "other",
    "xlogy_number": "other", "xlogy_of": "base",
}  # fmt: skip
"""Ops with the number that they round to 16 bits first."""


def in_single(op: Op, *arrays: Any, **params: Any) -> Any:
    """The usual way: in float32, rounded once."""
    dtype = arrays[0].dtype
    return _rounded(op.forward(*[x.astype(FLOAT32) if x.dtype == dtype else x for x in arrays], **params), dtype)


def by_steps(op: Op, *arrays: Any, **params: Any) -> Any:
    """Each step of the forward rounded; its numbers are rounded before."""
    dtype = arrays[0].dtype
    numbers = {key: dtype.type(x) if isinstance(x, float) else x for key, x in params.items()}
    return _rounded(op.forward(*arrays, **numbers), dtype)


def by_steps_at_end(op: Op, *arrays: Any, **params: Any) -> Any:
    """By steps what is left of a loop that takes many elements at once."""
    found, ends = in_single(op, *arrays, **params), by_steps(op, *arrays, **params)
    place = np.arange(found.size).reshape(found.shape)
    return np.where(place < found.size // AT_ONCE * AT_ONCE, found, ends)[()]


def summed_after(op: Op, *arrays: Any, reduction: str = "mean", **params: Any) -> Any:
    """A loss whose elements are rounded before their sum or mean."""
    losses = in_single(op, *arrays, reduction="none", **params)
    if reduction == "none":
        return losses
    whole = total(losses.astype(FLOAT32))
    return _rounded(whole / np.float32(losses.size) if reduction == "mean" else whole, losses.dtype)


def with_rounded(op: Op, *arrays: Any, **params: Any) -> Any:
    """In float32, next to a number that was rounded."""
    name = WITH_ROUNDED[op.name]
    return in_single(op, *arrays, **{**params, name: float(arrays[0].dtype.type(params[name]))})


def power(op: Op, x: Any, exponent: Any) -> Any:
    """x to a number: a cube by two products, the reverse of a square root by two steps at the end of a loop."""
    if exponent == 3:
        return by_steps(op, x, exponent=exponent)
    if exponent == -0.5:
        return by_steps_at_end(op, x, exponent=exponent)
    return in_single(op, x, exponent=float(x.dtype.type(exponent)) if isinstance(exponent, float) else exponent)


def log_softmax(op: Op, x: Any, dim: int) -> Any:
    """x − max − ln Σ e^(x − max), where the sum and its logarithm are rounded."""
    if not x.ndim or not x.size or dim % x.ndim != x.ndim - 1:
        return in_single(op, x, dim=dim)
    wide = x.astype(FLOAT32)
    most = wide.max(axis=-1, keepdims=True)
    sums = np.exp(wide - most, dtype=FLOAT32).sum(axis=-1, keepdims=True, dtype=np.float64).astype(FLOAT32)
    logarithm = np.log(_again(sums, x.dtype))
    return _rounded(wide - most - _again(logarithm, x.dtype), x.dtype)


def product(op: Op, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """One factor after the other, each product rounded."""
    return op.forward(x, dim=dim, keepdim=keepdim) if dim is not None else in_single(op, x, dim=dim, keepdim=keepdim)


def _again(x: Any, dtype: DType) -> Any:
    return x.astype(dtype).astype(FLOAT32)


def _rounded(value: Any, dtype: DType) -> Any:
    return value.astype(dtype) if value.dtype.kind == "f" else value


KERNELS: dict[str, Kernel] = {
    **dict.fromkeys(LOSSES, summed_after), **dict.fromkeys(BY_STEPS, by_steps),
    **dict.fromkeys(BY_STEPS_AT_END, by_steps_at_end), **dict.fromkeys(WITH_ROUNDED, with_rounded),
    "pow": power, "log_softmax": log_softmax,
}  # fmt: skip
"""By the op's name."""
