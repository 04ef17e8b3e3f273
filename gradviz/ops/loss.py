"""Losses: how far a network's answers are from what they should be, as numbers per sample, their mean or their sum."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.ops import elementwise as e
from gradviz.ops import functions as r
from gradviz.ops.activation import LOG_SIGMOID
from gradviz.ops.op import Op, example, names
from gradviz.ops.symbols import Traced, said

X, T = [[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]], [[0.1, 0.4, 1.2], [0.9, 0.6, 0.3]]
P = [[0.2, 0.5, 0.9], [0.7, 0.35, 0.6]]
W = [[1.0, 2.0, 0.5]]
LABELS = np.array([2, 0])
EVERY = ({"reduction": "mean"}, {"reduction": "sum"}, {"reduction": "none"})

# ---- the mean of a loss, or its sum ------------------------------------------------------------------------------


def reduced(values: Any, reduction: str) -> Any:
    """An array of losses as their mean or sum, or as it is."""
    if reduction == "none":
        return values
    total = np.add.reduce(values, None)
    if reduction == "sum":
        return total
    return total / values.size if values.size else values.dtype.type(math.nan)


def share(g: Any, values: Any, reduction: str) -> Any:
    """What each single loss gets of what comes in: all of it, or of a mean its n-th part."""
    return g * (1 / r.plain(values).size) if reduction == "mean" else g


def _of_mean(found: Any, values: Any, reduction: str) -> Any:
    """As `share`, in the form that people read: over n behind all else."""
    return found / r.count_reduced(values) if reduction == "mean" else found


# ---- rows: element by element ------------------------------------------------------------------------------------


def _mse(x: Any, t: Any, reduction: str) -> Any:
    difference = x - t
    return reduced(difference * difference, reduction)


def _mse_rule(g: Any, y: Any, x: Any, t: Any, reduction: str) -> Any:
    difference = x - t
    return difference * (share(g, difference, reduction) * 2)


def _smooth_l1(x: Any, t: Any, reduction: str, beta: float) -> Any:
    size = np.abs(x - t)
    return reduced(np.where(size < beta, size * size * (0.5 / (beta or 1.0)), size - 0.5 * beta)[()], reduction)


def _smooth_l1_rule(g: Any, y: Any, x: Any, t: Any, reduction: str, beta: float) -> Any:
    difference = x - t
    is_far = np.abs(r.plain(difference)) >= beta  # not so at NaN, which the other branch keeps
    return r.where(is_far, r.sign(difference), difference / (beta or 1.0)) * share(g, difference, reduction)


def _huber(x: Any, t: Any, reduction: str, delta: float) -> Any:
    size = np.abs(x - t)
    return reduced(np.where(size <= delta, size * size * 0.5, delta * (size - 0.5 * delta))[()], reduction)


def _huber_rule(g: Any, y: Any, x: Any, t: Any, reduction: str, delta: float) -> Any:
    difference = x - t
    is_far = np.abs(r.plain(difference)) > delta
    return r.where(is_far, r.sign(difference) * delta, difference) * share(g, difference, reduction)


def _log_at_least(x: Any) -> Any:
    """ln x, but no less than −100, so that a certain answer that is wrong does not cost infinitely much."""
    with np.errstate(divide="ignore"):
        return np.maximum(np.log(x), -100)


def _bce(x: Any, t: Any, *weight: Any, reduction: str) -> Any:
    values = (t - 1) * _log_at_least(1 - x) - t * _log_at_least(x)
    return reduced(values * weight[0] if weight else values, reduction)


def _bce_rule(g: Any, y: Any, x: Any, t: Any, *weight: Any, reduction: str) -> Any:
    variance = x * (1 - x)
    found = (x - t) / r.where(r.plain(variance) > 1e-12, variance, 1e-12) * share(g, x, reduction)
    return found * weight[0] if weight else found


def _bce_target_rule(g: Any, y: Any, x: Any, t: Any, *weight: Any, reduction: str) -> Any:
    found = (r.log(1 - x) - r.log(x)) * share(g, x, reduction)
    return found * weight[0] if weight else found


def _log_sigmoid(x: Any) -> Any:
    return r.through(LOG_SIGMOID, x) if r.is_tensor(x) else -np.logaddexp(-x, x.dtype.type(0))


def _logits(x: Any, t: Any, weight: Any = None, positive: Any = None, *, reduction: str) -> Any:
    hit = _log_sigmoid(x)
    missed = hit - x  # ln sigmoid(−x)
    values = -(t * (hit if positive is None else hit * positive) + (1 - t) * missed)
    return reduced(values if weight is None else values * weight, reduction)


def _logits_rule(g: Any, y: Any, x: Any, t: Any, weight: Any = None, positive: Any = None, *, reduction: str) -> Any:
    if positive is None:
        found = (r.sigmoid(x) - t) * g
        return e.over_number(found, r.plain(x).size) if reduction == "mean" else found
    rises = t * positive
    found = ((1 - t + rises) * r.sigmoid(x) - rises) * share(g, x, reduction)
    return found * weight


def _logits_target_rule(
    g: Any, y: Any, x: Any, t: Any, weight: Any = None, positive: Any = None, *, reduction: str
) -> Any:
    if positive is None:
        return -x * share(g, x, reduction)
    hit = _log_sigmoid(x)
    return (hit - x - hit * positive) * share(g, x, reduction) * weight


def _soft_margin(x: Any, t: Any, reduction: str) -> Any:
    return reduced(np.logaddexp(-t * x, x.dtype.type(0)), reduction)


def _against(rule: Any) -> Any:
    """The rule of the target of a loss that depends on x − target alone."""
    return lambda g, y, x, t, **params: -rule(g, y, x, t, **params)


def _pair(
    name: str, forward: Any, rules: tuple[Any, Any], form: tuple[Any, Any], equation: str, inputs: Any = (X, T),
    note: str = "", sign: str = "", kind: str = "", **params: Any,
) -> Op:  # fmt: skip
    examples = tuple(example(*inputs, **each, **params) for each in EVERY)
    return Op(name, forward, rules, ("x", "target"), form, equation, examples, names("x target"), note=note,
              sign=sign, kind=kind)  # fmt: skip


MSE_LOSS = _pair(
    "mse_loss", _mse, (_mse_rule, _against(_mse_rule)),
    (lambda g, y, x, t, reduction: _of_mean(g * 2 * (x - t), x, reduction),
     lambda g, y, x, t, reduction: _of_mean(g * 2 * (t - x), x, reduction)),
    "y = mean (x − target)²", note="n is the number of elements; with reduction=\"sum\" or \"none\" it is 1.",
    sign="mse", kind="loss",
)  # fmt: skip
SMOOTH_L1_LOSS = _pair(
    "smooth_l1_loss", _smooth_l1, (_smooth_l1_rule, _against(_smooth_l1_rule)),
    (lambda g, y, x, t, reduction, beta: _of_mean(g, x, reduction)
     * r.where(r.absolute(x - t) < beta, (x - t) / beta, r.sign(x - t)),
     lambda g, y, x, t, reduction, beta: _of_mean(g, x, reduction)
     * r.where(r.absolute(x - t) < beta, (t - x) / beta, r.sign(t - x))),
    "y = mean of (x − target)² / (2 beta) near 0, |x − target| − beta / 2 further away", beta=1.0,
    sign="sL1", kind="loss",
)  # fmt: skip
HUBER_LOSS = _pair(
    "huber_loss", _huber, (_huber_rule, _against(_huber_rule)),
    (lambda g, y, x, t, reduction, delta: _of_mean(g, x, reduction)
     * r.where(r.absolute(x - t) <= delta, x - t, delta * r.sign(x - t)),
     lambda g, y, x, t, reduction, delta: _of_mean(g, x, reduction)
     * r.where(r.absolute(x - t) <= delta, t - x, delta * r.sign(t - x))),
    "y = mean of (x − target)² / 2 near 0, delta · (|x − target| − delta / 2) further away", delta=1.0,
    sign="hub", kind="loss",
)  # fmt: skip
BCE = _pair(
    "binary_cross_entropy", _bce, (_bce_rule, _bce_target_rule),
    (lambda g, y, x, t, reduction: _of_mean(g * (x - t) / (x * (1 - x)), x, reduction),
     lambda g, y, x, t, reduction: _of_mean(g * (r.log(1 - x) - r.log(x)), x, reduction)),
    "y = −mean(target · ln x + (1 − target) · ln(1 − x))", (P, T),
    "Logarithms are kept above −100, and x · (1 − x) above 10⁻¹², so 0 and 1 give finite numbers.",
    sign="bce", kind="loss",
)  # fmt: skip
BCE_WEIGHTED = Op(
    "binary_cross_entropy", _bce, (_bce_rule, _bce_target_rule, None), ("x", "target", "weight"),
    (lambda g, y, x, t, weight, reduction: _of_mean(g * weight * (x - t) / (x * (1 - x)), x, reduction),
     lambda g, y, x, t, weight, reduction: _of_mean(g * weight * (r.log(1 - x) - r.log(x)), x, reduction), None),
    "y = −mean(weight · (target · ln x + (1 − target) · ln(1 − x)))",
    tuple(example(P, T, W, **each) for each in EVERY), names("x target weight"), sign="bce", kind="loss",
)  # fmt: skip
BCE_LOGITS = _pair(
    "binary_cross_entropy_with_logits", _logits, (_logits_rule, _logits_target_rule),
    (lambda g, y, x, t, reduction: _of_mean(g * (r.sigmoid(x) - t), x, reduction),
     lambda g, y, x, t, reduction: _of_mean(-g * x, x, reduction)),
    "y = −mean(target · ln sigmoid(x) + (1 − target) · ln(1 − sigmoid(x)))", sign="bce", kind="loss",
)  # fmt: skip
BCE_LOGITS_WEIGHTED = Op(
    "binary_cross_entropy_with_logits", _logits, (_logits_rule, _logits_target_rule, None, None),
    ("x", "target", "weight", "pos_weight"),
    (lambda g, y, x, t, weight, positive, reduction: _of_mean(
        g * weight * ((1 - t + positive * t) * r.sigmoid(x) - positive * t), x, reduction),
     lambda g, y, x, t, weight, positive, reduction: _of_mean(
         g * weight * (r.log(1 - r.sigmoid(x)) - positive * r.log(r.sigmoid(x))), x, reduction), None, None),
    "y = −mean(weight · (pos_weight · target · ln sigmoid(x) + (1 − target) · ln(1 − sigmoid(x))))",
    tuple(example(X, T, W, [[2.0, 0.5, 3.0]], **each) for each in EVERY), names("x target weight pos_weight"),
    sign="bce", kind="loss",
)  # fmt: skip
SOFT_MARGIN_LOSS = Op(
    "soft_margin_loss", _soft_margin,
    (lambda g, y, x, t, reduction: -t * r.sigmoid(-t * x) * share(g, x, reduction), None), ("x", "target"),
    (lambda g, y, x, t, reduction: _of_mean(-g * t * r.sigmoid(-t * x), x, reduction), None), "y = mean ln(1 + exp(−target · x))",
    tuple(example(X, [[1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]], **each) for each in EVERY), names("x target"),
    sign="mgn", kind="loss",
)  # fmt: skip

# ---- rows: classes -----------------------------------------------------------------------------------------------


def class_index(shape: tuple[int, ...], target: Any) -> tuple[Any, ...]:
    """The index of each sample's own class in [C], [N, C] or [N, C, d1, ...]."""
    if len(shape) == 1:
        return (target,)
    if len(shape) == 2:
        return (np.arange(shape[0]), target)
    batch, *rest = np.ogrid[tuple(slice(n) for n in target.shape)]
    return (batch, target, *rest)


def class_weights(x: Any, target: Any, weight: Any, ignore_index: int) -> tuple[Any, Any, Any]:
    """For each sample: its class, how much it counts (None if all count 1), and how much all together."""
    is_ignored = target == ignore_index
    if not np.any(is_ignored):
        if weight is None:
            return target, None, np.size(target)
        counts = weight[target]
    else:
        target = np.where(is_ignored, 0, target)[()]
        counts = np.where(is_ignored, 0, 1 if weight is None else weight[target]).astype(x.dtype)[()]
    return target, counts, np.add.reduce(counts, None)


def _nll(x: Any, target: Any, weight: Any = None, *, reduction: str, ignore_index: int) -> Any:
    target, counts, total = class_weights(x, target, weight, ignore_index)
    values = -x[class_index(x.shape, target)]
    if counts is not None:
        values = values * counts
    if reduction == "none":
        return values
    found = np.add.reduce(values, None)
    return found if reduction == "sum" else found / x.dtype.type(total)  # NaN if all samples are ignored


def _nll_rule(g: Any, y: Any, x: Any, target: Any, weight: Any = None, *, reduction: str, ignore_index: int) -> Any:
    logs = r.plain(x)
    classes, counts, total = class_weights(logs, r.plain(target), r.plain(weight), ignore_index)
    part = logs.dtype.type(-1) if counts is None else -counts
    if reduction == "mean" and total:
        part = part / logs.dtype.type(total)
    index = class_index(logs.shape, classes)
    if isinstance(g, Traced):
        return r.put(r.expand(g * g._constant(part), classes.shape), logs.shape, index)
    out = np.zeros(logs.shape, logs.dtype)
    out[index] = g * part
    return out


def _nll_form(*, weighted: bool) -> Callable[..., Any]:
    """The rule in words: what is divided by is said where the loss is a mean."""
    factor, name = ("⊙ {4}[{3}] ", "nll_weighted") if weighted else ("", "nll")
    of_mean = said(f"{name}_of_mean", f"−{{0}} {factor}/ n at each sample's class, else 0", _nll_rule)
    whole = said(name, f"−{{0}} {factor}at each sample's class, else 0", _nll_rule)
    return lambda *given, reduction, ignore_index: (of_mean if reduction == "mean" else whole)(
        *given, reduction=reduction, ignore_index=ignore_index
    )


def _nll_row(name: str, node: str, x: Any, target: Any, *, weighted: bool) -> Op:
    inputs = (x, target, np.array([1.0, 0.5, 2.0])) if weighted else (x, target)
    ways = [(reduction, ignored) for reduction in ("mean", "sum", "none") for ignored in (-100, 0)]
    return Op(
        name, _nll, (_nll_rule, None, *((None,) if weighted else ())),
        ("x", "target", "weight") if weighted else ("x", "target"),
        (_nll_form(weighted=weighted), None, *((None,) if weighted else ())),
        f"y = −mean {'weight[target] · ' if weighted else ''}x[target]",
        tuple(example(*inputs, reduction=reduction, ignore_index=ignored) for reduction, ignored in ways),
        names("x target weight" if weighted else "x target"), node,
        "n is the number of samples that count, or the sum of their weights; with reduction=\"sum\" or \"none\" it "
        "is 1. Samples whose target is ignore_index do not count.", is_piecewise=True, sign="nll", kind="nll",
    )  # fmt: skip


IMAGES, PIXELS = np.linspace(-2, 1, 24).reshape(2, 3, 2, 2) ** 3, np.array([[[0, 1], [2, 2]], [[1, 0], [0, 2]]])
NLL_LOSS = _nll_row("nll_loss", "NllLossBackward0", X, LABELS, weighted=False)
NLL_LOSS_WEIGHTED = _nll_row("nll_loss", "NllLossBackward0", X, LABELS, weighted=True)
NLL_LOSS_2D = _nll_row("nll_loss2d", "NllLoss2DBackward0", IMAGES, PIXELS, weighted=False)
NLL_LOSS_2D_WEIGHTED = _nll_row("nll_loss2d", "NllLoss2DBackward0", IMAGES, PIXELS, weighted=True)

# ---- rows: margins over classes ----------------------------------------------------------------------------------


def _margins(x: Any, target: Any, weight: Any = None, *, margin: float) -> tuple[Any, Any]:
    """For every sample and class, by how much it lacks the margin (0 for the right class), and how much that counts."""
    rows = np.arange(len(x))
    lack = np.maximum(x + (margin - x[rows, target])[:, None], 0).astype(x.dtype)
    lack[rows, target] = 0
    counts = np.full((len(x), 1), 1 / x.shape[1], x.dtype)
    return lack, counts if weight is None else counts * weight[target][:, None]


def _multi_margin(x: Any, target: Any, *weight: Any, p: int, margin: float, reduction: str) -> Any:
    lack, counts = _margins(x, target, *weight, margin=margin)
    return reduced(np.add.reduce(lack**p * counts, 1), reduction)


def _multi_margin_rule(g: Any, y: Any, x: Any, target: Any, *weight: Any, p: int, margin: float, reduction: str) -> Any:
    numbers, classes = r.plain(x), r.plain(target)
    lack, counts = _margins(numbers, classes, *[r.plain(each) for each in weight], margin=margin)
    rows, right = len(numbers), (np.arange(len(numbers)), classes)
    slope = r.mask((lack > 0) * counts, g)
    if p == 2:
        slope = slope * ((x - r.reshape(r.take(x, right), (rows, 1))) + margin) * 2
    slope = slope - r.put(r.total(slope, 1), numbers.shape, right)
    part = share(g, lack[:, 0], reduction)
    return slope * (r.reshape(part, (rows, 1)) if reduction == "none" else part)


def _multi_margin_row(*, weighted: bool) -> Op:
    more: tuple[Any, ...] = (np.array([1.0, 0.5, 2.0]),) if weighted else ()
    return Op(
        "multi_margin_loss", _multi_margin, (_multi_margin_rule, None, *((None,) if weighted else ())),
        ("x", "target", "weight") if weighted else ("x", "target"),
        (said("margin_shares", "{0} / (n C) at every class that lacks the margin, minus their sum at the right one",
                _multi_margin_rule), None, *((None,) if weighted else ())),
        "y = mean over samples of Σᵢ max(0, margin − x[target] + xᵢ)ᵖ / C",
        tuple(example(X, LABELS, *more, p=1, margin=0.75, **each) for each in EVERY),
        names("x target weight" if weighted else "x target"), sign="mgn", kind="margin",
    )  # fmt: skip


MULTI_MARGIN = _multi_margin_row(weighted=False)
MULTI_MARGIN_WEIGHTED = _multi_margin_row(weighted=True)

TABLE = (
    MULTI_MARGIN, MULTI_MARGIN_WEIGHTED, MSE_LOSS, SMOOTH_L1_LOSS, HUBER_LOSS, BCE, BCE_WEIGHTED, BCE_LOGITS,
    BCE_LOGITS_WEIGHTED, SOFT_MARGIN_LOSS,
    NLL_LOSS, NLL_LOSS_WEIGHTED, NLL_LOSS_2D, NLL_LOSS_2D_WEIGHTED,
)  # fmt: skip
"""The rows of this family."""
