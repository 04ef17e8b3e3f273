"""Kernels that round numbers of 16 bits on the way, and not only at their end as `rounding` has it.

Losses round each element before they are summed. A loop over elements takes 64 at once in float32, and what is left
one by one, rounding after each step; a few kernels do so always.

Source: aten/src/ATen/native/cpu, PointwiseOpsKernel.cpp, PowKernel.cpp, LerpKernel.cpp, vec_log_softmax_lastdim.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOAT32, DType
from gradviz.imitation.engine.kernels.summation import total
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.shapes import axes_of

AT_ONCE = 64
"""Elements of 16 bits that a loop takes at once, two registers."""

LEVELS = 8

Kernel = Callable[..., Any]
"""kernel(op, *arrays, **params) -> the result, rounded; the arrays have 16 bits."""

LOSSES = ("huber_loss", "smooth_l1_loss", "soft_margin_loss")
BY_STEPS = ("cross",)
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


def sigmoid_backward(op: Op, *arrays: Any, **params: Any) -> Any:
    """g (1 − y) y, of float16 rounded at each step."""
    kernel = by_steps if arrays[0].dtype == np.float16 else in_single
    return kernel(op, *arrays, **params)


def reverse_root(op: Op, x: Any, **params: Any) -> Any:
    """1 / √x; what is left of a loop that takes many elements at once rounds the root before."""
    found = in_single(op, x, **params)
    one_by_one = _rounded(FLOAT32.type(1) / _again(np.sqrt(x.astype(FLOAT32)), x.dtype), x.dtype)
    place = np.arange(found.size).reshape(found.shape)
    return np.where(place < found.size // AT_ONCE * AT_ONCE, found, one_by_one)[()]


def summed_after(op: Op, *arrays: Any, reduction: str = "mean", **params: Any) -> Any:
    """A loss whose elements are rounded before their sum or mean."""
    losses = in_single(op, *arrays, reduction="none", **params)
    return losses if reduction == "none" else _shared(losses, reduction, losses.dtype)


def with_rounded(op: Op, *arrays: Any, **params: Any) -> Any:
    """In float32, next to a number that was rounded."""
    name = WITH_ROUNDED[op.name]
    return in_single(op, *arrays, **{**params, name: float(arrays[0].dtype.type(params[name]))})


def scaled(op: Op, a: Any, b: Any, alpha: float) -> Any:
    """a ± α b, as `add_scaled` has it."""
    return add_scaled(a, b, alpha if op.name == "add_scaled" else -alpha)


def add_scaled(a: Any, b: Any, alpha: float) -> Any:
    """a + α b with α rounded; the product too in what is left of a loop that takes many elements at once."""
    dtype = a.dtype
    factor = _again(FLOAT32.type(alpha), dtype)
    x, y = np.broadcast_arrays(a.astype(FLOAT32), b.astype(FLOAT32) * factor)
    place = np.arange(x.size).reshape(x.shape)
    return _rounded(x + np.where(place < x.size // AT_ONCE * AT_ONCE, y, _again(y, dtype)), dtype)[()]


def huber_backward(_op: Op, g: Any, x: Any, target: Any, reduction: str, delta: float) -> Any:
    """(x − t) / n, held at ±δ / n, times g, rounded at each step."""
    dtype = x.dtype
    share = _again(FLOAT32.type(1 / x.size if reduction == "mean" else 1), dtype)
    z = _again(x.astype(FLOAT32) - target.astype(FLOAT32), dtype)
    bent = np.where(np.abs(z) <= delta, share * z, share * FLOAT32.type(delta) * np.sign(z))
    return _rounded(_again(bent, dtype) * g.astype(FLOAT32), dtype)[()]


def nll(op: Op, x: Any, **params: Any) -> Any:
    """−Σ w x[target]: the sum is rounded at each step, sixteen terms to a level, and so is the quotient."""
    if params["reduction"] == "none":
        return in_single(op, x, **params)
    losses = in_single(op, x, **{**params, "reduction": "none"}).reshape(-1)
    levels = [np.zeros((), x.dtype)[()]] * LEVELS
    for place, loss in enumerate(losses):
        levels[0] = levels[0] + loss
        for level in range(LEVELS - 1):
            if place & (15 << 4 * level):
                break
            levels[level + 1] = levels[level + 1] + levels[level]
            levels[level] = np.zeros((), x.dtype)[()]
    whole = np.zeros((), x.dtype)[()]
    for part in levels:
        whole = whole + part
    if params["reduction"] == "sum":
        return whole
    count = in_single(op, -np.ones_like(x), **{**params, "reduction": "sum"})
    return whole / count


def power(op: Op, x: Any, exponent: Any) -> Any:
    """x to a number, which is rounded; a cube is two products."""
    if exponent == 3:
        wide = x.astype(FLOAT32)
        return _rounded(_again(wide * wide, x.dtype) * wide, x.dtype)
    if exponent == -0.5:
        return reverse_root(op, x, exponent=exponent)
    return in_single(op, x, exponent=float(x.dtype.type(exponent)) if isinstance(exponent, float) else exponent)


def of_logarithm(op: Op, x: Any, *others: Any, **params: Any) -> Any:
    """A number times a logarithm that was rounded: `entr`, `xlogy` of two tensors."""
    found = in_single(op, x, *others, **params)
    base = others[0] if others else x
    if base.dtype != x.dtype:
        return found
    product = x.astype(FLOAT32) * _again(np.log(base.astype(FLOAT32)), x.dtype)
    usual = np.isfinite(product)
    return np.where(usual, _rounded(product if others else -product, x.dtype), found)[()]


def logit(_op: Op, x: Any, eps: float | None = None) -> Any:
    """ln(x / (1 − x)), rounded at each step; the bounds are rounded too."""
    dtype, one = x.dtype, FLOAT32.type(1)
    z = x.astype(FLOAT32)
    if eps is not None:
        low = _again(FLOAT32.type(eps), dtype)
        z = np.clip(z, low, _again(one - low, dtype))
    return _rounded(np.log(_again(z / _again(one - z, dtype), dtype)), dtype)


def logsumexp(op: Op, x: Any, dim: Any, keepdim: bool) -> Any:
    """max + ln Σ e^(x − max), by a kernel for each step."""
    dtype, wide = x.dtype, x.astype(FLOAT32)
    if not x.size or not np.isfinite(wide).all():
        return in_single(op, x, dim=dim, keepdim=keepdim)
    axes = axes_of(dim, x.ndim)
    most = wide.max(axis=axes, keepdims=True)
    e = _again(np.exp(_again(wide - most, dtype)), dtype)
    logarithm = _again(np.log(_again(total(e, axes, True), dtype)), dtype)
    found = logarithm + most
    return _rounded(found if keepdim else found.reshape(np.max(wide, axis=axes).shape), dtype)[()]


def dist(op: Op, x: Any, other: Any, p: float) -> Any:
    """The norm of a difference, which is rounded before."""
    dtype = x.dtype
    difference = _again(x.astype(FLOAT32) - other.astype(FLOAT32), dtype)
    return _rounded(op.forward(difference, np.zeros_like(difference), p), dtype)


def log_softmax(op: Op, x: Any, dim: int) -> Any:
    """x − max − ln Σ e^(x − max), where the sum and its logarithm are rounded."""
    if not x.ndim or not x.size or dim % x.ndim != x.ndim - 1:
        return in_single(op, x, dim=dim)
    wide = x.astype(FLOAT32)
    most = wide.max(axis=-1, keepdims=True)
    sums = np.exp(wide - most, dtype=FLOAT32).sum(axis=-1, keepdims=True, dtype=np.float64).astype(FLOAT32)
    logarithm = np.log(_again(sums, x.dtype))
    return _rounded(wide - most - _again(logarithm, x.dtype), x.dtype)


def batch_norm(op: Op, x: Any, w: Any = None, b: Any = None, **params: Any) -> Any:
    """x minus its mean, over its deviation, both rounded before."""
    from gradviz.imitation.engine.half.rules import moments

    parts, _ = moments(op.name, [x] if w is None else [x, w], params)
    h = parts.h.reshape(x.shape)
    if w is not None:
        h = h * w.astype(FLOAT32).reshape(parts.weight_shape) + b.astype(FLOAT32).reshape(parts.weight_shape)
    return _rounded(h, x.dtype)


def bce(_op: Op, x: Any, target: Any, reduction: str = "mean", weight: Any = None) -> Any:
    """Binary cross-entropy: each product rounded, then the difference, and then the mean."""
    dtype, one = x.dtype, FLOAT32.type(1)
    p, t = x.astype(FLOAT32), target.astype(FLOAT32)
    low = FLOAT32.type(-100)
    missed = _again(_again(t - one, dtype) * _again(np.maximum(np.log1p(-p), low), dtype), dtype)
    losses = missed - _again(t * _again(np.maximum(np.log(p), low), dtype), dtype)
    return _shared(_beside(losses, weight, dtype), reduction, dtype)


def bce_of_logits(op: Op, x: Any, target: Any, reduction: str = "mean", weight: Any = None, **params: Any) -> Any:
    """The same of logits, (1 − t) x − ln σ(x), which PyTorch makes of several kernels."""
    if params.get("pos_weight") is not None:
        return in_single(op, x, target, reduction=reduction, weight=weight, **params)
    dtype = x.dtype
    z, t = x.astype(FLOAT32), target.astype(FLOAT32)
    logs = _again(np.minimum(z, FLOAT32.type(0)) - np.log1p(np.exp(-np.abs(z))), dtype)
    losses = _again(_again(FLOAT32.type(1) - t, dtype) * z, dtype) - logs
    return _shared(_beside(losses, weight, dtype), reduction, dtype)


def bce_backward(_op: Op, g: Any, x: Any, target: Any, reduction: str, weight: Any = None) -> Any:
    """(x − t) g / x (1 − x) / n, rounded at each step."""
    dtype = x.dtype
    p, t = x.astype(FLOAT32), target.astype(FLOAT32)
    below = np.maximum(_again(_again(FLOAT32.type(1) - p, dtype) * p, dtype), FLOAT32.type(1e-12))
    found = _again(_again(_again(p - t, dtype) * g.astype(FLOAT32), dtype) / below, dtype)
    found = _beside(found, weight, dtype)
    return _rounded(_again(found, dtype) / FLOAT32.type(x.size if reduction == "mean" else 1), dtype)


def mse(_op: Op, x: Any, target: Any, reduction: str = "mean") -> Any:
    """The difference is rounded, then its square, then the mean."""
    dtype = x.dtype
    z = _again(x.astype(FLOAT32) - target.astype(FLOAT32), dtype)
    return _shared(z * z, reduction, dtype)


def mse_backward(_op: Op, g: Any, x: Any, target: Any, reduction: str) -> Any:
    """2 / n · (x − t) · g, rounded at each step."""
    dtype = x.dtype
    share = _again(FLOAT32.type(2 / x.size if reduction == "mean" else 2), dtype)
    z = _again(share * _again(x.astype(FLOAT32) - target.astype(FLOAT32), dtype), dtype)
    return _rounded(z * g.astype(FLOAT32), dtype)


def _beside(losses: Any, weight: Any, dtype: DType) -> Any:
    return losses if weight is None else _again(losses, dtype) * np.asarray(weight).astype(dtype).astype(FLOAT32)


def _shared(losses: Any, reduction: str, dtype: DType) -> Any:
    """Losses, rounded, and their sum or mean."""
    if reduction == "none":
        return _rounded(losses, dtype)
    whole = total(_again(losses, dtype))
    return _rounded(whole / FLOAT32.type(losses.size) if reduction == "mean" else whole, dtype)


def product(_op: Op, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """One factor after the other, each product rounded."""
    flat = x.reshape(-1) if dim is None else np.moveaxis(x, dim, -1)
    found = np.ones(flat.shape[:-1], FLOAT32)
    for place in range(flat.shape[-1]):
        found = _again(found * flat[..., place].astype(FLOAT32), x.dtype)
    if keepdim:
        found = np.expand_dims(found, tuple(range(x.ndim)) if dim is None else dim)
    return _rounded(found, x.dtype)


def glu_backward(_op: Op, g: Any, x: Any, dim: int) -> Any:
    """σ(b) is rounded before it is used, and what goes to a after it."""
    a, b = (z.astype(FLOAT32) for z in np.split(x, 2, axis=dim))
    wide, one = g.astype(FLOAT32), FLOAT32.type(1)
    gate = _again(one / (one + np.exp(-b)), x.dtype)
    return _rounded(np.concatenate([gate * wide, (one - gate) * gate * wide * a], axis=dim), x.dtype)


def _again(x: Any, dtype: DType) -> Any:
    return x.astype(dtype).astype(FLOAT32)


def _rounded(value: Any, dtype: DType) -> Any:
    return value.astype(dtype) if value.dtype.kind == "f" else value


KERNELS: dict[str, Kernel] = {
    **dict.fromkeys(LOSSES, summed_after), **dict.fromkeys(BY_STEPS, by_steps),
    **dict.fromkeys(WITH_ROUNDED, with_rounded),
    "pow": power, "log_softmax": log_softmax, "batch_norm": batch_norm, "batch_norm_plain": batch_norm,
    "binary_cross_entropy": bce, "binary_cross_entropy_with_logits": bce_of_logits,
    "binary_cross_entropy_backward": bce_backward, "mse_loss": mse, "mse_loss_backward": mse_backward, "prod": product,
    "glu_backward": glu_backward, "rsqrt": reverse_root, "entr": of_logarithm, "xlogy": of_logarithm, "logit": logit,
    "logsumexp": logsumexp, "add_scaled": scaled, "sub_scaled": scaled, "huber_loss_backward": huber_backward,
    "dist": dist, "nll_loss": nll, "nll_loss2d": nll, "sigmoid_backward": sigmoid_backward,
}  # fmt: skip
"""By the op's name."""
