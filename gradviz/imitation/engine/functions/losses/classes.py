"""Losses of scores by class: cross-entropy, nll, and margins between classes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.functions.arguments import need, refuse_whole, size_at
from gradviz.imitation.engine.functions.layers.softmax import log_softmax
from gradviz.imitation.engine.functions.losses.options import (
    checked,
    over,
    plus,
    reduced,
    reduction_of,
    refuse_gradient,
    times,
)
from gradviz.imitation.engine.functions.numbers.activation import logsigmoid
from gradviz.imitation.engine.functions.numbers.arithmetic import add, div, mul, neg, rsub
from gradviz.imitation.engine.functions.places.placing import masked_fill
from gradviz.imitation.engine.functions.reducing.reduction import sum
from gradviz.imitation.engine.functions.shapes.shaping import contiguous, view
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError

# ---- nll ----


def nll_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "nll_loss"))
    x, y = need("nll_loss_nd", input), need("nll_loss_nd", target, "target", 2)
    return _nll(x, y, weight, reduction, ignore_index)


def _nll(x: Tensor, y: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    if x.ndim < 1:
        raise TorchError("Expected 1 or more dimensions (got 0)", kind="ValueError")
    if x.ndim != 1 and (not y.ndim or x.shape[0] != y.shape[0]):
        rows = y.shape[0] if y.ndim else 0
        raise TorchError(
            f"Expected input batch_size ({x.shape[0]}) to match target batch_size ({rows}).", kind="ValueError"
        )
    if x.ndim < 3:
        return _flat(x, y, weight, reduction, ignore_index)
    if x.ndim == 4:
        return _spatial(x, y, weight, reduction, ignore_index)
    n, classes, *rest = x.shape
    if y.shape[1:] != x.shape[2:]:
        raise TorchError(f"Expected target size {[n, *rest]}, got {list(y.shape)}")
    inner = -1 if x.data.size else 0
    wide = view(contiguous(x), n, classes, 1 if inner else 0, inner)
    found = _spatial(wide, view(contiguous(y), n, 1 if inner else 0, inner), weight, reduction, ignore_index)
    return view(found, n, *rest) if reduction == "none" else found


def _flat(x: Tensor, y: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    if y.ndim > 1:
        raise TorchError("0D or 1D target tensor expected, multi-target not supported")
    _refuse_target(y)
    if x.ndim == 1 and y.ndim == 1 and y.shape[0] != 1:
        raise TorchError(
            f"For 1D input, 1D target must have size 1, but got target size: {y.shape[0]}", kind="ValueError"
        )
    classes = x.shape[-1]
    if weight is not None and weight.shape != (classes,):
        raise TorchError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight.shape)}"
        )
    _check(x, y, weight, classes, ignore_index)
    return _applied("nll_loss", x, y, weight, reduction, ignore_index)


def _spatial(x: Tensor, y: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    if y.ndim != 3:
        raise TorchError(
            f"only batches of spatial targets supported (3D tensors) but got targets of dimension: {y.ndim}"
        )
    _refuse_target(y)
    if (x.shape[0], *x.shape[2:]) != y.shape:
        raise TorchError(f"size mismatch (got input: {list(x.shape)} , target: {list(y.shape)}")
    if weight is not None and weight.data.size != x.shape[1]:
        raise TorchError("weight tensor should be defined either for all or no classes")
    _check(x, y, weight, x.shape[1], ignore_index)
    return _applied("nll_loss2d", x, y, weight, reduction, ignore_index)


def _refuse_target(y: Tensor) -> None:
    if y.dtype.name not in ("int64", "uint8"):
        raise TorchError(
            f"expected target dtype to be Long or Byte, but got {type_name(y.dtype)}", hint="Convert it with .long()."
        )


def _check(x: Tensor, y: Tensor, weight: Tensor | None, classes: int, ignore_index: int) -> None:
    if x.dtype.kind not in FLOATING:
        raise TorchError(
            f"\"nll_loss_out_frame\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    refuse_gradient("nll_loss_forward" if x.ndim < 3 else "nll_loss2d_forward", "weight", weight)
    if weight is not None and weight.dtype is not x.dtype:
        raise TorchError(f"expected scalar type {type_name(x.dtype)} but found {type_name(weight.dtype)}")
    outside = y.data[(y.data != ignore_index) & ((y.data < 0) | (y.data >= classes))]
    if outside.size:
        raise TorchError(
            f"Target {outside.reshape(-1)[0]} is out of bounds.",
            kind="IndexError",
            hint=f"There are {classes} classes, so that targets go from 0 to {classes - 1}."
            if classes > 1
            else "Of one class the only target is 0: for yes or no use BCEWithLogitsLoss, or two classes.",
        )


def _applied(name: str, x: Tensor, y: Tensor, weight: Tensor | None, reduction: str, ignore_index: int) -> Tensor:
    given = None if weight is None else weight.data
    params = {"target": np.asarray(y.data)[()], "weight": given, "reduction": reduction, "ignore_index": ignore_index}
    return keep(apply(OPS[name], (x,), **params), target=y, weight=weight)


# ---- cross-entropy ----


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    ignore_index: int = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "cross_entropy"))
    x, y = need("cross_entropy_loss", input), need("cross_entropy_loss", target, "target", 2)
    if label_smoothing > 1:
        raise TorchError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if x.shape == y.shape:
        if y.dtype.kind not in FLOATING:
            raise TorchError(
                f"Expected floating point type for target with class probabilities, got {type_name(y.dtype)}"
            )
        if ignore_index >= 0:
            raise TorchError("ignore_index is not supported for floating point target")
        if not x.ndim:
            raise TorchError("Dimension specified as 1 but tensor has no dimensions", kind="IndexError")
        return _of_chances(x, y, weight, reduction, label_smoothing)
    logs = _logs(x)
    found = _nll(logs, y, weight, reduction, ignore_index)
    if label_smoothing <= 0:
        return found
    return _smoothed(logs, y, weight, reduction, ignore_index, label_smoothing, found)


def _class_dim(x: Tensor) -> int:
    return 0 if x.ndim == 1 else 1


def _logs(x: Tensor) -> Tensor:
    if x.dtype.kind not in FLOATING and x.data.size:
        kernel = "log_softmax_lastdim_kernel_impl" if _class_dim(x) == x.ndim - 1 else "log_softmax_kernel_impl"
        raise TorchError(
            f"\"{kernel}\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )
    return log_softmax(x, _class_dim(x))


def _beside(weight: Tensor, x: Tensor) -> Tensor:
    """The classes' weights in a shape that broadcasts against x."""
    return view(weight, *(-1 if i == _class_dim(x) else 1 for i in range(x.ndim)))


def _of_chances(x: Tensor, y: Tensor, weight: Tensor | None, reduction: str, smoothing: float) -> Tensor:
    dim = _class_dim(x)
    classes = x.shape[dim]
    if weight is not None and weight.shape != (classes,):
        raise TorchError(
            f"cross_entropy: weight tensor should be defined either for all {classes} classes or no classes but got "
            f"weight tensor of shape: {list(weight.shape)}"
        )
    logs = _logs(x)
    if smoothing > 0:
        y = plus(times(y, 1 - smoothing), smoothing / max(classes, 1))
    beside = None if weight is None else _beside(weight, x)
    products = mul(logs, y) if beside is None else mul(mul(logs, y), beside)
    if reduction == "none":
        return neg(sum(products, dim))
    total = neg(sum(products))
    if reduction == "mean" and not x.data.size:
        return neg(apply(OPS["fill_number"], (sum(products),), value=math.nan))
    return over(total, x.data.size // classes) if reduction == "mean" else total


def _smoothed(
    logs: Tensor,
    y: Tensor,
    weight: Tensor | None,
    reduction: str,
    ignore_index: int,
    smoothing: float,
    found: Tensor,
) -> Tensor:
    """Part of the loss for the class itself, part spread evenly over all classes."""
    dim = _class_dim(logs)
    losses = neg(sum(logs if weight is None else mul(logs, _beside(weight, logs)), dim))
    ignored = np.asarray(y.data == ignore_index)
    losses = masked_fill(losses, constant(ignored, y.tape), 0)
    if reduction == "none":
        even = losses
    elif reduction == "sum":
        even = sum(losses)
    else:
        taken = np.asarray(y.data)[~ignored]
        count = np.asarray(taken.size) if weight is None else np.sum(weight.data[taken])
        even = div(sum(losses), constant(np.asarray(count)[()], y.tape))
    spread = times(even, smoothing / logs.shape[dim])  # first, as C++ does: the order shows in its gradients' sums
    return add(times(found, 1 - smoothing), spread)


# ---- margins ----


def _refuse_no_rows(x: Tensor) -> None:
    if x.ndim > 2 or 0 in x.shape[-1:]:
        raise TorchError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}"
        )


def multi_margin_loss(
    input: Tensor,
    target: Tensor,
    p: int = 1,
    margin: float = 1.0,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "multi_margin_loss"))
    if p not in (1, 2):
        raise TorchError("only p == 1 and p == 2 supported", kind="ValueError")
    if weight is not None and weight.ndim != 1:
        raise TorchError("weight must be one-dimensional", kind="ValueError")
    x, y = need("multi_margin_loss", input), need("multi_margin_loss", target, "target", 2)
    refuse_gradient("multi_margin_loss", "weight", weight)
    _refuse_no_rows(x)
    rows, classes = x.shape[0] if x.ndim == 2 else 1, x.shape[-1] if x.ndim else 1
    if y.data.size != rows or y.ndim > 1:
        raise TorchError(
            "multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples (batch "
            f"size). Expected target size [{rows}], but got {list(y.shape)}. Input has shape {list(x.shape)}."
        )
    if weight is not None and weight.data.size != classes:
        raise TorchError(f"inconsistent weight size, expected {classes} but got {list(weight.shape)}")
    refuse_whole(x, "multi_margin_loss_cpu_kernel")
    _long(y)
    if np.any((y.data < 0) | (y.data >= classes)):
        raise TorchError("target out of range")
    given = None if weight is None else weight.data
    params = {"target": y.data, "p": p, "margin": margin, "weight": given, "reduction": reduction}
    return keep(apply(OPS["multi_margin_loss"], (x,), **params), target=y, weight=weight)


def _long(y: Tensor) -> None:
    if y.dtype.name != "int64":
        raise TorchError(
            f"expected scalar type Long but found {type_name(y.dtype)}", hint="Convert the target with .long()."
        )


def multilabel_margin_loss(
    input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Tensor:
    reduction = checked(reduction_of(size_average, reduce, reduction, "multilabel_margin_loss"))
    x, y = need("multilabel_margin_loss", input), need("multilabel_margin_loss", target, "target", 2)
    _refuse_no_rows(x)
    if x.shape != y.shape:
        raise TorchError(f"inconsistent target size: {list(y.shape)} for input of size: {list(x.shape)}")
    classes = x.shape[-1] if x.ndim else 1
    if y.data.size and (y.data.min() < -1 or y.data.max() >= classes):
        raise TorchError("argument #2 'target' is out of range")
    if x.dtype.kind not in FLOATING:
        kernel = "multilabel_margin_loss_forward_out_frame"
        raise TorchError(f"\"{kernel}\" not implemented for '{type_name(x.dtype)}'", kind="NotImplementedError")
    _long(y)
    if not x.ndim:
        x, y = view(x, 1), view(y, 1)
    return keep(apply(OPS["multilabel_margin_loss"], (x,), target=y.data, reduction=reduction), target=y)


def multilabel_soft_margin_loss(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
) -> Tensor:
    reduction = reduction_of(size_average, reduce, reduction, "multilabel_soft_margin_loss")
    x, y = need("logsigmoid", input), need("mul", target, "target", 2)
    losses = neg(add(mul(y, logsigmoid(x)), mul(rsub(y, 1), logsigmoid(neg(x)))))
    if weight is not None:
        losses = mul(losses, weight)
    classes = size_at(x, -1)
    losses = div(sum(losses, x.ndim - 1), classes)
    if reduction not in ("none", "mean", "sum"):
        raise TorchError(f"{reduction} is not valid", kind="ValueError")
    return reduced(losses, reduction)


NEURAL: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        nll_loss, cross_entropy, multi_margin_loss, multilabel_margin_loss, multilabel_soft_margin_loss,
    )
}  # fmt: skip
FUNCTIONS: dict[str, Callable[..., Any]] = {}
