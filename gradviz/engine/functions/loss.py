"""Losses: what a network's answers are worth, as one number, as numbers per sample, or as a sum.

`reduction` is "mean", "sum" or "none" everywhere. Losses that PyTorch makes of smaller ops are made of them here too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

from gradviz.engine.apply import apply
from gradviz.engine.dtypes import dtype_of
from gradviz.engine.errors import refuse_options
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions.activation import log_softmax, logsigmoid, pairwise_distance, relu_of
from gradviz.engine.functions.given import floats_given, refuse_gradient, shape_text
from gradviz.engine.functions.indexing import masked_fill
from gradviz.engine.operands import array_of, broadcast_text, tensor_given
from gradviz.engine.state import state, warn
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.ops.elementwise import over_number, times_number
from gradviz.ops.loss import (
    BCE,
    BCE_LOGITS,
    BCE_LOGITS_WEIGHTED,
    BCE_WEIGHTED,
    HUBER_LOSS,
    MSE_LOSS,
    MULTI_MARGIN,
    MULTI_MARGIN_WEIGHTED,
    NLL_LOSS,
    NLL_LOSS_2D,
    NLL_LOSS_2D_WEIGHTED,
    NLL_LOSS_WEIGHTED,
    SMOOTH_L1_LOSS,
    SOFT_MARGIN_LOSS,
    class_weights,
)
from gradviz.ops.promotion import result_dtype

REPLACED = "size_average and reduce args will be deprecated, please use reduction='{}' instead."
OTHER_SIZE = (
    "Using a target size ({}) that is different to the input size ({}). This will likely lead to incorrect results due "
    "to broadcasting. Please ensure they have the same size."
)


def _reduce(values: Tensor, reduction: str) -> Tensor:
    """A tensor of losses as their mean or sum, or as it is."""
    found: Tensor = values if reduction == "none" else values.mean() if reduction == "mean" else values.sum()
    return found


def loss(also: str = "") -> Callable[[Callable[..., Tensor]], Callable[..., Tensor]]:
    """A decorator of losses: it checks `reduction`, which old code says by `size_average` and `reduce`.

    Args:
        also: another reduction that the loss knows.
    """

    def decorate(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
        position = list(signature(function).parameters).index("reduction")

        @wraps(function)
        def run(*args: Any, size_average: bool | None = None, reduce: bool | None = None, **options: Any) -> Tensor:
            if size_average is not None or reduce is not None:
                options["reduction"] = "none" if reduce is False else "sum" if size_average is False else "mean"
                warn(REPLACED.format(options["reduction"]))
            reduction = args[position] if len(args) > position else options.get("reduction", "mean")
            if reduction == "elementwise_mean":  # its name of old
                reduction = options["reduction"] = "mean"
            if reduction not in ("mean", "sum", "none", also):
                raise ValueError(f"{reduction} is not a valid value for reduction")
            return function(*args, **options)

        return run

    return decorate


def _both(function: str, input: Any, target: Any, kernel: str = "") -> tuple[Tensor, Tensor]:
    """Input and target in the dtype that both promote to."""
    x, t = current(tensor_given(function, input)), current(tensor_given(function, target, "target", 2))
    if x.array.dtype != t.array.dtype:
        dtype = dtype_of(result_dtype(x.array, t.array, default=state.dtype))
        x, t = e.convert(x, dtype), e.convert(t, dtype)
    if kernel:
        floats_given(function, x, kernel)
    return x, t


def _warn_of_size(input: Tensor, target: Tensor) -> None:
    if current(input).array.shape != current(target).array.shape:
        warn(OTHER_SIZE.format(shape_text(target), shape_text(input)))


# ---- distances ---------------------------------------------------------------------------------------------------


@loss()
def mse_loss(input: Tensor, target: Tensor, reduction: str = "mean", **others: Any) -> Tensor:
    """The mean of (input − target)².

    Warns where the sizes differ, since broadcasting then compares every number with many others.
    """
    refuse_options("mse_loss", others, "weight")
    x, t = _both("mse_loss", input, target, "mse_cpu")
    _warn_of_size(x, t)
    return apply(MSE_LOSS, (x, t), reduction=reduction)


@loss()
def l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", **others: Any) -> Tensor:
    """The mean of |input − target|."""
    refuse_options("l1_loss", others, "weight")
    _warn_of_size(tensor_given("l1_loss", input), tensor_given("l1_loss", target, "target", 2))
    return _reduce(e.abs(e.sub(input, target)), reduction)


@loss()
def smooth_l1_loss(input: Tensor, target: Tensor, reduction: str = "mean", beta: float = 1.0) -> Tensor:
    """Squares where input and target differ by less than beta, absolute values beyond."""
    x, t = _both("smooth_l1_loss", input, target, "smooth_l1_cpu")
    _warn_of_size(x, t)
    return l1_loss(x, t, reduction=reduction) if beta == 0 else apply(
        SMOOTH_L1_LOSS, (x, t), reduction=reduction, beta=float(beta)
    )  # fmt: skip


@loss()
def huber_loss(input: Tensor, target: Tensor, reduction: str = "mean", delta: float = 1.0, **others: Any) -> Tensor:
    """Half squares where input and target differ by at most delta, straight lines beyond (Huber, 1964).

    Raises:
        RuntimeError: delta is not above 0.
    """
    refuse_options("huber_loss", others, "weight")
    x, t = _both("huber_loss", input, target, "huber_cpu")
    _warn_of_size(x, t)
    return apply(HUBER_LOSS, (x, t), reduction=reduction, delta=float(delta))


# ---- probabilities -----------------------------------------------------------------------------------------------


@loss()
def binary_cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """−(target · ln input + (1 − target) · ln(1 − input)), for probabilities.

    Raises:
        ValueError: sizes differ.
        RuntimeError: numbers outside [0, 1], or dtypes differ.
    """
    x = current(tensor_given("binary_cross_entropy", input))
    t = current(tensor_given("binary_cross_entropy", target, "target", 2))
    if x.array.shape != t.array.shape:
        raise ValueError(
            f"Using a target size ({shape_text(t)}) that is different to the input size ({shape_text(x)}) is "
            "deprecated. Please ensure they have the same size."
        )
    if x.array.dtype != t.array.dtype:
        kinds = [dtype_of(each.array.dtype).type_name for each in (t, x)]
        raise RuntimeError(f"Found dtype {kinds[0]} but expected {kinds[1]}")
    floats_given("binary_cross_entropy", x, "binary_cross_entropy")
    for name, array in (("input", x.array), ("target", t.array)):
        if not np.all((array >= 0) & (array <= 1)):
            raise RuntimeError(f"all elements of {name} should be between 0 and 1")
    refuse_gradient("binary_cross_entropy", "weight", weight)
    if weight is None:
        return apply(BCE, (x, t), reduction=reduction)
    return apply(BCE_WEIGHTED, (x, t, weight), reduction=reduction)


@loss()
def binary_cross_entropy_with_logits(
    input: Tensor, target: Tensor, weight: Tensor | None = None,
    reduction: str = "mean", pos_weight: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Binary cross entropy of sigmoid(input), without overflow; pos_weight weighs the positive answers.

    Raises:
        ValueError: sizes differ.
    """
    x = current(tensor_given("binary_cross_entropy_with_logits", input))
    t = current(tensor_given("binary_cross_entropy_with_logits", target, "target", 2))
    if x.array.shape != t.array.shape:
        raise ValueError(f"Target size ({shape_text(t)}) must be the same as input size ({shape_text(x)})")
    if t.array.dtype.kind != "f":
        kind = dtype_of(t.array.dtype).type_name
        raise RuntimeError(f"result type Float can't be cast to the desired output type {kind}")
    x, t = _both("binary_cross_entropy_with_logits", x, t)
    refuse_gradient("binary_cross_entropy_with_logits", "weight", weight)
    refuse_gradient("binary_cross_entropy_with_logits", "pos_weight", pos_weight)
    if weight is None and pos_weight is None:
        return apply(BCE_LOGITS, (x, t), reduction=reduction)
    one = constant(x.array.dtype.type(1))
    inputs = (x, t, one if weight is None else weight, one if pos_weight is None else pos_weight)
    for other in inputs[2:]:
        if not _fits(current(other).array.shape, x.array.shape):
            raise RuntimeError(broadcast_text(current(other).array.shape, x.array.shape))
    return apply(BCE_LOGITS_WEIGHTED, inputs, reduction=reduction)


def _fits(shape: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(shape) <= len(wanted) and all(
        n in (1, m) for n, m in zip(reversed(shape), reversed(wanted), strict=False)
    )


@loss()
def nll_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None,
    ignore_index: int = -100, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The mean of −input at each sample's class: input holds log-probabilities.

    Args:
        input: [C], [N, C] or [N, C, d1, ...].
        target: class numbers, int64, of shape [], [N] or [N, d1, ...].
        weight: [C], how much each class counts.

    Raises:
        IndexError: a class that there is not.
        ValueError, RuntimeError: shapes or dtypes do not fit.
    """
    x = current(tensor_given("nll_loss_nd", input))
    t = current(tensor_given("nll_loss_nd", target, "target", 2))
    _check_classes(x.array, t.array, ignore_index)
    if x.array.ndim == 1 and t.array.ndim == 1:
        t = constant(t.array[0])
    if t.array.dtype != np.int64:
        t = constant(t.array.astype(np.int64))
    row, weighted = (NLL_LOSS, NLL_LOSS_WEIGHTED) if x.array.ndim <= 2 else (NLL_LOSS_2D, NLL_LOSS_2D_WEIGHTED)
    floats_given("nll_loss_nd", x, "nll_loss_out_frame" if x.array.ndim <= 2 else "nll_loss2d_forward_out_frame")
    if weight is None:
        return apply(row, (x, t), reduction=reduction, ignore_index=ignore_index)
    refuse_gradient("nll_loss_forward", "weight", weight)
    w = current(weight)
    if w.array.dtype != x.array.dtype:
        kinds = [dtype_of(each.array.dtype).type_name for each in (x, w)]
        raise RuntimeError(f"expected scalar type {kinds[0]} but found {kinds[1]}")
    _check_class_weights(x.array, w.array)
    return apply(weighted, (x, t, w), reduction=reduction, ignore_index=ignore_index)


def _check_class_weights(x: Any, weight: Any) -> None:
    classes = x.shape[0 if x.ndim == 1 else 1]
    if weight.shape != (classes,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight.shape)}"
        )


def _check_classes(x: Any, target: Any, ignore_index: int) -> None:
    """Raise what PyTorch raises of class numbers that do not fit."""
    if x.ndim < 1:
        raise ValueError(f"Expected 1 or more dimensions (got {x.ndim})")
    if x.ndim > 1 and x.shape[0] != (target.shape[0] if target.ndim else 1):
        count = target.shape[0] if target.ndim else 1
        raise ValueError(f"Expected input batch_size ({x.shape[0]}) to match target batch_size ({count}).")
    if target.ndim > 1 and x.ndim <= 2:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if x.ndim > 2 and x.shape[2:] != target.shape[1:]:
        if target.ndim != x.ndim - 1:
            wanted = "" if x.ndim == 4 else "non-spatial "
            raise RuntimeError(
                f"only batches of {wanted}targets supported ({x.ndim - 1}D tensors) but got targets of dimension: "
                f"{target.ndim}"
            )
        raise RuntimeError(f"size mismatch (got input: {list(x.shape)} , target: {list(target.shape)}")
    if target.dtype not in (np.int64, np.uint8):
        kind = dtype_of(target.dtype).type_name
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {kind}")
    wrong = target[(target != ignore_index) & ((target < 0) | (target >= x.shape[0 if x.ndim == 1 else 1]))]
    if np.size(wrong):
        raise IndexError(f"Target {np.ravel(wrong)[0]} is out of bounds.")


@loss()
def cross_entropy(
    input: Tensor, target: Tensor, weight: Tensor | None = None,
    ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0,
) -> Tensor:  # fmt: skip
    """The negative log-probability of the right class, from logits: nll_loss of log_softmax.

    Args:
        input: logits, [C], [N, C] or [N, C, d1, ...].
        target: class numbers (int64) of shape [], [N] or [N, d1, ...], or probabilities in the shape of input.
        weight: [C], how much each class counts.
        label_smoothing: the share of each target that is spread over all classes.

    Raises:
        IndexError: a class that there is not.
        ValueError, RuntimeError: shapes or dtypes do not fit.
    """
    x = tensor_given("cross_entropy_loss", input)
    t = current(tensor_given("cross_entropy_loss", target, "target", 2))
    ndim = current(x).array.ndim
    classes = 0 if ndim == 1 else 1
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if weight is not None and ndim:
        _check_class_weights(current(x).array, current(weight).array)
    if t.array.shape == current(x).array.shape and ndim:
        if t.array.dtype.kind != "f":
            kind = dtype_of(t.array.dtype).type_name
            raise RuntimeError(f"Expected floating point type for target with class probabilities, got {kind}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _probability_cross_entropy(log_softmax(x, classes), t, weight, classes, reduction, label_smoothing)
    logs = log_softmax(x, classes if ndim else 0)
    found = nll_loss(logs, t, weight, ignore_index=ignore_index, reduction=reduction)
    if not label_smoothing:
        return found
    spread = _evenly_wrong(logs, t.array, weight, classes, reduction, ignore_index, label_smoothing)
    return e.add(times_number(found, 1 - label_smoothing), spread)


def _shaped(weight: Tensor, ndim: int, dim: int) -> Tensor:
    """Class weights [C] in a shape that broadcasts along their dim."""
    wanted = tuple([-1 if i == dim else 1 for i in range(ndim)])
    found: Tensor = weight.reshape(wanted) if ndim > 1 else weight
    return found


def _probability_cross_entropy(
    logs: Tensor, target: Tensor, weight: Tensor | None, dim: int, reduction: str, smoothing: float
) -> Tensor:
    """−Σ target · logs: over the classes, and for a mean divided by the number of samples."""
    shape = logs.array.shape
    if smoothing:
        target = e.add(times_number(target, 1 - smoothing), smoothing / shape[dim])
    products = e.mul(logs, target)
    if weight is not None:
        products = e.mul(products, _shaped(weight, len(shape), dim))
    if reduction == "none":
        return e.neg(products.sum(dim))
    total = e.neg(products.sum())
    return total if reduction == "sum" else over_number(total, logs.array.size / shape[dim])


def _evenly_wrong(
    logs: Tensor, target: Any, weight: Tensor | None, dim: int, reduction: str, ignore_index: int, smoothing: float
) -> Tensor:
    """What label smoothing adds: the loss against classes that are all equally probable, times the share of it."""
    array = logs.array
    products = logs if weight is None else e.mul(logs, _shaped(weight, array.ndim, dim))
    values = e.neg(products.sum(dim))
    total = class_weights(array, target, array_of(weight), ignore_index)[2]
    values = masked_fill(values, constant(np.asarray(target == ignore_index)[()]), 0)
    if reduction != "none":
        values = values.sum()
    if reduction == "mean":
        values = e.div(values, constant(array.dtype.type(total)))
    found: Tensor = times_number(values, smoothing / array.shape[dim])
    return found


@loss(also="batchmean")
def kl_div(
    input: Tensor, target: Tensor,
    reduction: str = "mean", log_target: bool = False,
) -> Tensor:  # fmt: skip
    """The mean of target · (ln target − input), where input holds log-probabilities.

    "batchmean" divides the sum by the size of the first dim, which is the Kullback-Leibler divergence per sample;
    "mean" warns that it does not.
    """
    if reduction == "mean":
        warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size.'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.'mean' will be changed to behave the "
            "same as 'batchmean' in the next major release."
        )
    for name, position, x in (("input", 1, input), ("target", 2, target)):
        if current(tensor_given("kl_div", x, name, position)).array.dtype.kind != "f":
            raise RuntimeError("kl_div: Integral inputs not supported.")
    if log_target:
        values = e.mul(e.exp(target), e.sub(target, input))
    else:
        values = e.sub(e.where(_is(target, 0), 0.0, e.mul(target, e.log(target))), e.mul(target, input))
    if reduction == "batchmean":
        return e.div(values.sum(), current(input).array.shape[0] if current(input).array.ndim else 1)
    return _reduce(values, reduction)


# ---- margins -----------------------------------------------------------------------------------------------------


def _is(target: Tensor, number: int) -> Tensor:
    return constant(np.asarray(current(target).array == number)[()])


@loss()
def hinge_embedding_loss(
    input: Tensor, target: Tensor, margin: float = 1.0,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """input where the target is 1, max(0, margin − input) where it is −1."""
    apart = e.where(_is(target, 1), 0.0, e.clamp_min(e.sub(margin, input), 0))
    return _reduce(e.add(e.where(_is(target, -1), 0.0, input), apart), reduction)


@loss()
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, margin − target · (input1 − input2)): the target 1 says that input1 should be the larger one."""
    sizes = {current(x).array.ndim for x in (input1, input2, target)}
    if len(sizes) > 1:
        texts = [shape_text(x) for x in (input1, input2, target)]
        raise RuntimeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {texts[0]}, input2: {texts[1]}, target: {texts[2]} "
        )
    gap = e.mul(e.neg(target), e.sub(input1, input2))
    return _reduce(e.clamp_min(_with_margin(gap, margin), 0), reduction)


def _with_margin(gap: Tensor, margin: float) -> Tensor:
    return e.plus_number(gap if current(gap).array.dtype.kind == "f" else e.convert(gap, dtype_of(state.dtype)), margin)


@loss()
def soft_margin_loss(
    input: Tensor, target: Tensor,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """ln(1 + exp(−target · input)), for targets 1 and −1."""
    x, t = _both("soft_margin_loss", input, target)
    refuse_gradient("soft_margin_loss", "target", t)
    return apply(SOFT_MARGIN_LOSS, (x, t), reduction=reduction)


def _rows_and_classes(x: Tensor, target: Any) -> tuple[Tensor, Any]:
    """One sample as a batch of one."""
    if current(x).array.ndim > 1:
        return x, target
    return x.reshape((1, -1)), np.asarray(target).reshape((1, -1) if np.size(target) > 1 else -1)


@loss()
def multi_margin_loss(
    input: Tensor, target: Tensor, p: int = 1, margin: float = 1.0, weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Σ max(0, margin − input[target] + input[i])ᵖ / C over the other classes i."""
    refuse_gradient("multi_margin_loss", "weight", weight)
    is_single = current(input).array.ndim < 2
    x, classes = _rows_and_classes(input, array_of(target))
    inputs = (x, constant(classes.reshape(-1)), *(() if weight is None else (weight,)))
    row = MULTI_MARGIN if weight is None else MULTI_MARGIN_WEIGHTED
    found = apply(row, inputs, p=p, margin=float(margin), reduction=reduction)
    return found.reshape(()) if is_single and reduction == "none" else found


@loss()
def multilabel_margin_loss(
    input: Tensor, target: Tensor,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """Σ max(0, 1 − input[j] + input[i]) / C over right classes j and wrong ones i.

    Args:
        target: the right classes of each sample, then −1 where there are no more.
    """
    is_single = current(input).array.ndim < 2
    x, classes = _rows_and_classes(input, array_of(target))
    rows, count = current(x).array.shape
    classes = classes.reshape(rows, count)
    is_named = np.cumprod(classes >= 0, axis=1).astype(bool)
    right = np.zeros((rows, count), bool)
    right[np.nonzero(is_named)[0], classes[is_named]] = True
    excess = relu_of(e.add(e.sub(x.unsqueeze(1), x.unsqueeze(2)), 1))
    pairs = constant(right[:, :, None] & ~right[:, None, :])
    values = e.div(e.where(pairs, excess, 0.0).sum((1, 2)), count)
    return _reduce(values.reshape(()) if is_single else values, reduction)


@loss()
def multilabel_soft_margin_loss(
    input: Tensor, target: Tensor, weight: Tensor | None = None,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The mean over classes of binary cross entropy from logits."""
    hit, missed = e.mul(target, logsigmoid(input)), e.mul(e.sub(1, target), logsigmoid(e.neg(input)))
    values = e.neg(e.add(hit, missed))
    if weight is not None:
        values = e.mul(values, weight)
    return _reduce(values.mean(-1), reduction)


@loss()
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """max(0, margin + d(anchor, positive) − d(anchor, negative)).

    With `swap` the negative's distance is the smaller one of those to the anchor and to the positive.
    """
    dims = [current(tensor_given("triplet_margin_loss", x)).array.ndim for x in (anchor, positive, negative)]
    if len({*dims}) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {dims[0]}D, positive {dims[1]}D, and negative {dims[2]}D inputs"
        )
    near, far = pairwise_distance(anchor, positive, p, eps), pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = e.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduce(e.clamp_min(e.sub(e.plus_number(near, margin), far), 0), reduction)


@loss()
def triplet_margin_with_distance_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = None, margin: float = 1.0,
    swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """`triplet_margin_loss` with a distance of one's own."""
    measure = pairwise_distance if distance_function is None else distance_function
    near, far = measure(anchor, positive), measure(anchor, negative)
    if swap:
        far = e.minimum(far, measure(positive, negative))
    return _reduce(e.clamp_min(e.sub(e.add(near, margin), far), 0), reduction)


@loss()
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0,
    reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """1 − cosine where the target is 1, max(0, cosine − margin) where it is −1."""
    shapes = [current(tensor_given("cosine_embedding_loss", x)).array.shape for x in (input1, input2)]
    ndim = current(tensor_given("cosine_embedding_loss", target, "target", 3)).array.ndim
    if ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if any(len(shape) != ndim + 1 for shape in shapes):
        raise RuntimeError(
            f"{ndim}D target tensor expects {ndim + 1}D input tensors, but found inputs with sizes {list(shapes[0])} and "
            f"{list(shapes[1])}."
        )
    squares = [e.add(e.mul(x, x).sum(-1), 1e-12) for x in (input1, input2)]
    cosine = e.div(e.mul(input1, input2).sum(-1), e.sqrt(e.mul(*squares)))
    apart = e.where(_is(target, -1), e.clamp_min(e.sub(cosine, margin), 0), 0.0)
    return _reduce(e.add(e.where(_is(target, 1), e.sub(1, cosine), 0.0), apart), reduction)
