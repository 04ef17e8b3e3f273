"""Losses that compare number with number, in the steps in which PyTorch takes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, c_name, convert, result_dtype, type_name
from gradviz.imitation.engine.functions.arguments import need, refuse_whole
from gradviz.imitation.engine.functions.losses.options import (
    alike,
    beside_each_other,
    broadcast_shape,
    checked,
    must_keep_shape,
    number_minus,
    plus,
    reduced,
    reduction_of,
    refuse_gradient,
    refuse_in_place,
    size_text,
    sized,
    times,
)
from gradviz.imitation.engine.functions.numbers.arithmetic import abs, add, div, exp, log, mul, neg, pow, sub
from gradviz.imitation.engine.functions.numbers.comparison import le, ne, where
from gradviz.imitation.engine.functions.numbers.conversion import zeros_like
from gradviz.imitation.engine.functions.numbers.paired import clamp_min, xlogy
from gradviz.imitation.engine.functions.places.placing import masked_fill
from gradviz.imitation.engine.functions.reducing.reduction import sum
from gradviz.imitation.engine.functions.shapes.shaping import expand, unsqueeze
from gradviz.imitation.engine.functions.together import together
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.half.rounding import forward
from gradviz.imitation.engine.memory.storage import count_changes
from gradviz.imitation.engine.tensor import Tensor, constant, record
from gradviz.imitation.engine.warn import warn_here
from gradviz.errors import TorchError

KL_MEAN = (
    "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides only by "
    "the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the same as "
    "'batchmean' in the next major release."
)


# ---- differences ----


def _weighted(losses: Tensor, weight: Tensor, x: Tensor, reduction: str, *, by_weight: bool) -> Tensor:
    """Losses times their weights; the mean is that of the weights' sum, or of the number of losses."""
    if weight.shape != x.shape:
        raise TorchError("Weights and input must have the same size.", kind="ValueError")
    found = mul(losses, weight)
    if reduction not in ("none", "sum", "mean"):
        raise TorchError(
            f"Invalid reduction mode: {reduction}. Expected one of 'none', 'mean', 'sum'.", kind="ValueError"
        )
    if reduction == "mean" and by_weight:
        return div(sum(found), sum(weight))
    return reduced(found, reduction)


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    sized(target, input)
    x, y = beside_each_other(input, target)
    reduction = reduction_of(size_average, reduce, reduction, "mse_loss")
    if weight is not None:
        return _weighted(pow(sub(x, y), 2), weight, input, reduction, by_weight=True)
    x, y = alike("mse_cpu", x, y)
    return together("mse_loss", x, y, reduction=checked(reduction))


def l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    sized(target, input)
    x, y = beside_each_other(input, target)
    reduction = reduction_of(size_average, reduce, reduction, "l1_loss")
    if weight is not None:
        return _weighted(abs(sub(x, y)), weight, input, reduction, by_weight=True)
    reduction = checked(reduction)
    return reduced(abs(sub(x, y)), reduction)


def smooth_l1_loss(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    sized(target, input)
    x, y = beside_each_other(input, target)
    reduction = checked(reduction_of(size_average, reduce, reduction, "smooth_l1_loss"))
    if beta == 0:
        return reduced(abs(sub(x, y)), reduction)
    if beta < 0:
        raise TorchError("smooth_l1_loss does not support negative values for beta.")
    x, y = alike("smooth_l1_cpu", x, y)
    return together("smooth_l1_loss", x, y, reduction=reduction, beta=beta)


def huber_loss(
    input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    sized(target, input)
    x, y = beside_each_other(input, target)
    if weight is not None and weight.shape != input.shape:
        raise TorchError("Weights and input must have the same size.", kind="ValueError")
    how = "none" if weight is not None else checked(reduction)
    if delta <= 0:
        raise TorchError("huber_loss does not support non-positive values for delta.")
    alike("huber_cpu", x, y)
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"result type {type_name(result_dtype(x.data, y.data))} can't be cast to the desired output type "
            f"{type_name(x.dtype)}",
            hint="Convert the input with .float() first.",
        )
    params, wide = {"reduction": how, "delta": delta}, result_dtype(x.data, y.data)
    value = OPS["huber_loss"].forward(convert(x.data, wide), convert(y.data, wide), **params)
    losses = record(OPS["huber_loss"], (x, y), params, convert(value, x.dtype))
    return losses if weight is None else _weighted(losses, weight, input, reduction, by_weight=False)


# ---- binary cross-entropy ----


def _chances(x: Tensor, target: Tensor) -> None:
    bad = [~((t.data >= 0) & (t.data <= 1)).ravel() for t in (x, target)]
    if bad[0].any() or bad[1].any():
        name = "input" if bad[0][(bad[0] | bad[1]).argmax()] else "target"  # of the first place
        raise TorchError(
            f"all elements of {name} should be between 0 and 1",
            hint="Put a sigmoid before the loss, or use binary_cross_entropy_with_logits." if name == "input" else "",
        )


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "binary_cross_entropy"))
    sized(target, input)
    if target.shape != input.shape:
        raise TorchError(
            f"Using a target size ({size_text(target)}) that is different to the input size ({size_text(input)}) is "
            "deprecated. Please ensure they have the same size.",
            kind="ValueError",
        )
    if weight is not None:
        weight = _beside(weight, target)
        must_keep_shape(target, weight)
    refuse_gradient("binary_cross_entropy", "weight", weight)
    for x in (target, weight):
        if x is not None and x.dtype is not input.dtype:
            raise TorchError(f"Found dtype {type_name(x.dtype)} but expected {type_name(input.dtype)}")
    refuse_whole(input, "binary_cross_entropy")
    _chances(input, target)
    return together("binary_cross_entropy", input, target, weight=_array(weight), reduction=reduction)


def _beside(weight: Tensor, target: Tensor) -> Tensor:
    try:
        return expand(weight, *np.broadcast_shapes(weight.shape, target.shape))
    except ValueError:
        sizes = enumerate(zip(weight.shape[::-1], target.shape[::-1], strict=False))
        at, n = next((-i - 1, n) for i, (n, m) in sizes if n != m and 1 not in (n, m))
        raise TorchError(
            f"Attempting to broadcast a dimension of length {n} at {at}! Mismatching argument at index 1 had "
            f"{size_text(weight)}; but expected shape should be broadcastable to {list(target.shape)}"
        ) from None


def _array(x: Tensor | None) -> Any:
    """The numbers of a weight as the op keeps them."""
    return None if x is None else x.data


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "binary_cross_entropy_with_logits"))
    sized(target, input)
    if target.shape != input.shape:
        raise TorchError(
            f"Target size ({size_text(target)}) must be the same as input size ({size_text(input)})", kind="ValueError"
        )
    name = "binary_cross_entropy_with_logits"
    refuse_gradient(name, "weight", weight)
    refuse_gradient(name, "pos_weight", pos_weight)
    _logit_dtypes(input, target)
    if pos_weight is not None:
        broadcast_shape(pos_weight, target)
    for each in (pos_weight, weight):
        if each is not None:
            must_keep_shape(target, each)
    params = {"weight": _array(weight), "pos_weight": _array(pos_weight), "reduction": reduction}
    value = forward(OPS[name], (input.data, target.data), params)
    return record(OPS[name], (input, target), params, convert(value, target.dtype))


def _logit_dtypes(x: Tensor, target: Tensor) -> None:
    refuse_whole(x, "log_sigmoid_cpu")
    if target.dtype.kind == "b":
        raise TorchError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead.",
            hint="Give the target in the input's dtype: target.float().",
        )
    if target.dtype.kind not in FLOATING:
        raise TorchError(
            f"result type {type_name(x.dtype)} can't be cast to the desired output type {type_name(target.dtype)}",
            hint="Give the target in the input's dtype: target.float().",
        )


# ---- likelihoods ----


def kl_div(
    input: Tensor,
    target: Tensor,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    if size_average is not None or reduce is not None:
        how = reduction_of(size_average, reduce, reduction, "kl_div")
    else:
        if reduction == "mean":
            warn_here(KL_MEAN)
        how = "sum" if reduction == "batchmean" else checked(reduction)
    found = divergence(input, target, how, log_target)
    return div(found, input.shape[0]) if reduction == "batchmean" and input.ndim else found


def divergence(input: Tensor, target: Tensor, reduction: str, log_target: bool) -> Tensor:
    """Kullback and Leibler's, all of them, their mean or their sum."""
    x, y = need("kl_div", input), need("kl_div", target, "target", 2)
    if x.dtype.kind not in FLOATING or y.dtype.kind not in FLOATING:
        raise TorchError("kl_div: Integral inputs not supported.", hint="Convert with .float() first.")
    # In the order in which PyTorch, as it is compiled, makes the nodes: the right side first.
    right = sub(y, x) if log_target else mul(y, x)
    losses = mul(exp(y), right) if log_target else sub(xlogy(y, y), right)
    return reduced(losses, reduction)


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool = True,
    full: bool = False,
    size_average: Any = None,
    eps: float = 1e-08,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "poisson_nll_loss"))
    x, y = need("poisson_nll_loss", input), need("poisson_nll_loss", target, "target", 2)
    right = mul(y, x if log_input else log(plus(x, eps)))  # the right side first, as PyTorch is compiled
    losses = sub(exp(x) if log_input else x, right)
    if full:
        right = times(log(times(y, 2 * math.pi)), 0.5)
        stirling = add(sub(mul(y, log(y)), y), right)
        losses = _written(add(losses, masked_fill(stirling, le(y, 1), 0)))
    return reduced(losses, reduction)


def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: Any, full: bool = False, eps: float = 1e-06, reduction: str = "mean"
) -> Tensor:
    x, y = need("gaussian_nll_loss", input), need("gaussian_nll_loss", target, "target", 2)
    spread = _variance(x, var)
    if reduction not in ("none", "mean", "sum"):
        raise TorchError(f"{reduction} is not valid", kind="ValueError")
    if spread.dtype.kind not in FLOATING:
        raise TorchError(f"result type Float can't be cast to the desired output type {c_name(spread.dtype)}")
    # PyTorch clamps its copy in place, without the graph noticing.
    spread = record(OPS["clone"], (spread,), {}, np.maximum(spread.data, spread.dtype.type(eps)))
    losses = mul(add(log(spread), div(pow(sub(x, y), 2), spread)), 0.5)
    return reduced(_written(add(losses, 0.5 * math.log(2 * math.pi))) if full else losses, reduction)


def _variance(x: Tensor, var: Any) -> Tensor:
    if isinstance(var, float):
        given = constant(np.full(x.shape, var, x.dtype)[()], x.tape)
    elif isinstance(var, Tensor):
        given = var
    else:
        raise TorchError(
            "any() received an invalid combination of arguments - got (bool), but expected one of:\n"
            " * (Tensor input, *, Tensor out = None)\n"
            " * (Tensor input, tuple of ints dim = None, bool keepdim = False, *, Tensor out = None)\n"
            " * (Tensor input, int dim, bool keepdim = False, *, Tensor out = None)\n",
            kind="TypeError",
            hint="Give the variance as a tensor or a float.",
        )
    if np.any(given.data < 0):
        raise TorchError("var has negative entry/entries", kind="ValueError")
    if given.shape == x.shape:
        return given
    if x.shape[:-1] == given.shape:
        return unsqueeze(given, -1)
    apart = [n for m, n in zip(x.shape, given.shape, strict=False) if m != n]
    if x.ndim != given.ndim or apart != [1]:
        raise TorchError("var is of incorrect size", kind="ValueError")
    return given


# ---- margins ----


def soft_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "soft_margin_loss"))
    x, y = need("soft_margin_loss", input), need("soft_margin_loss", target, "target", 2)
    refuse_gradient("soft_margin_loss", "target", y)
    neg(constant(x.data, x.tape))  # bools are refused in its words
    refuse_in_place(x, y, broadcast_shape(x, y))
    return together("soft_margin_loss", x, target=y.data, reduction=reduction)


def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0, size_average: Any = None, reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    reduction = checked(reduction_of(size_average, reduce, reduction, "hinge_embedding_loss"))
    x, y = need("hinge_embedding_loss", input), need("hinge_embedding_loss", target, "target", 2)
    none = zeros_like(x)
    broadcast_shape(y, x)
    number = margin.data.item() if isinstance(margin, Tensor) else margin
    beyond = clamp_min(number_minus(number, x), 0)
    return reduced(add(where(ne(y, 1), beyond, none), where(ne(y, -1), x, none)), reduction)


def margin_ranking_loss(
    input1: Tensor,
    input2: Tensor,
    target: Tensor,
    margin: float = 0,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "margin_ranking_loss"))
    a, b, y = (need("margin_ranking_loss", x) for x in (input1, input2, target))
    if not a.ndim == b.ndim == y.ndim:
        raise TorchError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {size_text(a)}, input2: {size_text(b)}, target: {size_text(y)} "
        )
    difference = sub(a, b)
    return reduced(_written(clamp_min(plus(mul(neg(y), difference), margin), 0)), reduction)


def _written(losses: Tensor) -> Tensor:
    """Losses that PyTorch's last step writes over those before: the result tells of one change."""
    count_changes(losses)
    return losses


NEURAL: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        mse_loss, l1_loss, smooth_l1_loss, huber_loss, binary_cross_entropy, binary_cross_entropy_with_logits, kl_div,
        poisson_nll_loss, gaussian_nll_loss, soft_margin_loss, hinge_embedding_loss, margin_ranking_loss,
    )
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {}
