"""Losses that compare number with number: huber, binary cross-entropy, soft margin; and arithmetic with a number.

Weights, and targets that take no gradient, are params, because PyTorch's nodes do not point to them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kernels.registers import one_log, one_log1p
from gradviz.imitation.engine.kernels.summation import total
from gradviz.imitation.engine.rules.calling import call, number, shared_out
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.errors import TorchError

NEAR, FAR = [0.3, 2.0, -0.5, 1.1], [0.5, 0.2, 1.0, -0.4]
CHANCES, TARGETS = [0.2, 0.9, 0.4], [0.0, 1.0, 0.3]
WEIGHTS = np.array([0.5, 2.0, 1.5])
TINY = float(np.float32(1e-12))  # PyTorch keeps it as a float32
"""What keeps the rule of binary cross-entropy finite where the chance is 0 or 1."""


def reduced(losses: Any, reduction: str) -> Any:
    """All losses, their mean, or their sum."""
    if reduction == "none":
        return losses
    return total(losses) / number(losses, losses.size) if reduction == "mean" else total(losses)


def shared_among(x: Any, reduction: str) -> int:
    """How many numbers share g: all of them where the mean is taken."""
    return int(plain(x).size) if reduction == "mean" else 1


def beside(x: Any, array: Any) -> Any:
    """A weight as a constant that fits x: 1 where there is none."""
    if array is None:
        return 1
    array = np.asarray(array).astype(plain(x).dtype)[()]  # a saved file gives it back as float64
    return F.constant(array, x.tape) if isinstance(x, F.Tensor) else array


def weighted(losses: Any, weight: Any) -> Any:
    """Losses times their weight, if there is one."""
    return losses if weight is None else losses * beside(losses, weight)


def shared(gradient: Any, x: Any, reduction: str) -> Any:
    """A gradient over the number of elements, where the mean is taken."""
    return call("div_number", gradient, other=shared_among(x, reduction)) if reduction == "mean" else gradient


# ---- distances cut off ----


def _smooth_l1(x: Any, target: Any, reduction: str, beta: float) -> Any:
    z = np.abs(x - target)
    return reduced(np.where(z < beta, 0.5 * z * z / beta, z - 0.5 * beta)[()], reduction)


def _bent(g: Any, z: Any, reduction: str, bound: float, inner: float, outer: float) -> Any:
    """g · z / inner near 0 and g · outer · sign(z) from the bound on, shared where the mean is taken."""
    share = shared_out(1, z) if reduction == "mean" else 1.0
    near, far = z * share * g, F.sign(z) * share * g * outer
    return np.where(np.abs(z) >= bound, far, near if inner == 1 else near / inner)[()]


def smooth_l1_rule(g: Any, x: Any, target: Any, reduction: str, beta: float) -> Any:
    """dL/dx of smooth L1; for the target the two change places."""
    if isinstance(g, F.Tensor):
        return call("smooth_l1_loss_backward", g, x, target, reduction=reduction, beta=beta)
    return _bent(g, x - target, reduction, beta, beta, 1)


def _huber(x: Any, target: Any, reduction: str, delta: float) -> Any:
    z = np.abs(x - target)
    return reduced(np.where(z <= delta, 0.5 * z * z, delta * (z - 0.5 * delta))[()], reduction)


def huber_rule(g: Any, x: Any, target: Any, reduction: str, delta: float) -> Any:
    """dL/dx of the Huber loss; for the target the two change places.

    Raises:
        TorchError: of two dtypes; PyTorch computes the loss of them, and refuses its derivative.
    """
    mine, other = plain(x).dtype, plain(target).dtype
    if mine != other:
        raise TorchError(
            f"Found dtype {type_name(other)} but expected {type_name(mine)}",
            hint="huber_loss has a derivative only where input and target have one dtype; convert the target.",
        )
    if isinstance(g, F.Tensor):
        return call("huber_loss_backward", g, x, target, reduction=reduction, delta=delta)
    return _bent(g, x - target, reduction, delta, 1, delta)


# ---- binary cross-entropy ----


def _bce(x: Any, target: Any, weight: Any, reduction: str) -> Any:
    def bounded(z: Any) -> Any:
        return np.maximum(z, number(z, -100))

    losses = (target - 1) * bounded(one_log1p(-x)) - target * bounded(one_log(x))
    return reduced(weighted(losses, weight), reduction)


def bce_rule(g: Any, y: Any, x: Any, target: Any, weight: Any, reduction: str) -> Any:
    """dL/dx of binary cross-entropy of chances."""
    if isinstance(g, F.Tensor):
        return call("binary_cross_entropy_backward", g, x, target, weight=weight, reduction=reduction)
    product = (1 - x) * x
    product = F.where(plain(product) < TINY, TINY, product)
    return shared(weighted(g * (x - target) / product, weight), x, reduction)


def bce_target_rule(g: Any, y: Any, x: Any, target: Any, weight: Any, reduction: str) -> Any:
    """dL/d(target) of binary cross-entropy of chances."""
    return shared(weighted(-call("logit", x, eps=None) * g, weight), target, reduction)


def _logits(x: Any, target: Any, weight: Any, pos_weight: Any, reduction: str) -> Any:
    log_chance = call("logsigmoid", x)
    if pos_weight is not None:
        log_chance = log_chance * ((beside(x, pos_weight) - 1) * target + 1)
    return reduced(weighted((1 - target) * x - log_chance, weight), reduction)


def _sigmoid(x: Any) -> Any:
    return call("sigmoid", x)


def logits_rule(
    g: Any, y: Any, x: Any, target: Any, weight: Any, pos_weight: Any, reduction: str
) -> Any:  # fmt: skip
    """dL/dx of binary cross-entropy of logits."""
    if pos_weight is None:
        error = _sigmoid(x) - target
    else:
        heavy = beside(x, pos_weight) * target
        error = (heavy + 1 - target) * _sigmoid(x) - heavy
    return shared(weighted(error * g, weight), x, reduction)


def logits_target_rule(
    g: Any, y: Any, x: Any, target: Any, weight: Any, pos_weight: Any, reduction: str
) -> Any:  # fmt: skip
    """dL/d(target) of binary cross-entropy of logits."""
    slope = -x
    if pos_weight is not None:
        slope = call("logsigmoid", -x) - beside(x, pos_weight) * call("logsigmoid", x)
    return shared(weighted(slope * g, weight), target, reduction)


# ---- soft margin ----


def _soft_margin(x: Any, target: Any, reduction: str) -> Any:
    return reduced(nearest.log1p(nearest.exp(-beside(x, target) * x)), reduction)


def soft_margin_rule(g: Any, y: Any, x: Any, target: Any, reduction: str) -> Any:
    """dL/dx of ln(1 + exp(−target · x))."""
    if isinstance(g, F.Tensor):
        return call("soft_margin_loss_backward", g, x, target=target, reduction=reduction)
    t = beside(x, target)
    z = F.exp(-t * x)
    return t * z * (shared_out(-1, x) if reduction == "mean" else -1.0) / (1 + z) * g


_ALL = ("none", "mean", "sum")

TABLE = (
    Op("smooth_l1_loss", "sL1", _smooth_l1,
       (lambda g, y, x, target, reduction, beta: smooth_l1_rule(g, x, target, reduction, beta),
        lambda g, y, x, target, reduction, beta: smooth_l1_rule(g, target, x, reduction, beta)), ("x", "target"),
       ("g / n * where(abs(x - target) < beta, (x - target) / beta, sign(x - target))",
        "g / n * where(abs(x - target) < beta, (target - x) / beta, sign(target - x))"),
       "y = mean of (x − target)² / 2β, and |x − target| − β/2 from β on",
       tuple(case(NEAR, FAR, reduction=how, beta=beta) for how, beta in zip(_ALL, (1.0, 0.3, 2.0), strict=True)),
       "SmoothL1LossBackward0", saves("x target"), note="Where |x − target| = β both pieces have the slope ±1."),
    Op("huber_loss", "hub", _huber,
       (lambda g, y, x, target, reduction, delta: huber_rule(g, x, target, reduction, delta),
        lambda g, y, x, target, reduction, delta: huber_rule(g, target, x, reduction, delta)), ("x", "target"),
       ("g / n * where(abs(x - target) <= delta, x - target, delta * sign(x - target))",
        "g / n * where(abs(x - target) <= delta, target - x, delta * sign(target - x))"),
       "y = mean of (x − target)² / 2, and δ (|x − target| − δ/2) from δ on",
       tuple(case(NEAR, FAR, reduction=how, delta=delta) for how, delta in zip(_ALL, (1.0, 0.3, 2.0), strict=True)),
       "HuberLossBackward0", saves("x target"), note="Where |x − target| = δ both pieces have the slope ±δ."),
    Op("binary_cross_entropy", "bce", _bce, (bce_rule, bce_target_rule), ("x", "target"),
       ("g * w * (x - target) / maximum(x * (1 - x), 1e-12) / n", "g * w * (log(1 - x) - log(x)) / n"),
       "y = mean of −w (target ln x + (1 − target) ln(1 − x))",
       (case(CHANCES, TARGETS, weight=None, reduction="mean"), case(CHANCES, TARGETS, weight=WEIGHTS, reduction="sum"),
        case([CHANCES, CHANCES], [TARGETS, TARGETS], weight=WEIGHTS, reduction="none")),
       "BinaryCrossEntropyBackward0", saves("x target"),
       note="w is the weight, and n the number of elements where the mean is taken; else 1. ln is held at −100, and "
            "x (1 − x) at 1e-12, so that a chance of exactly 0 or 1 gives finite numbers."),
    Op("binary_cross_entropy_with_logits", "bce", _logits, (logits_rule, logits_target_rule), ("x", "target"),
       ("g * w * ((1 - target + p * target) * sigmoid(x) - p * target) / n",
        "g * w * (log(1 - sigmoid(x)) - p * log(sigmoid(x))) / n"),
       "y = mean of −w (p target ln σ(x) + (1 − target) ln(1 − σ(x)))",
       (case(NEAR[:3], TARGETS, weight=None, pos_weight=None, reduction="mean"),
        case(NEAR[:3], TARGETS, weight=WEIGHTS, pos_weight=WEIGHTS + 1, reduction="sum"),
        case([NEAR[:3], FAR[:3]], [TARGETS, TARGETS], weight=None, pos_weight=WEIGHTS, reduction="none")),
       "BinaryCrossEntropyWithLogitsBackward0", saves("x target"),
       note="w is the weight, p the pos_weight, and n the number of elements where the mean is taken; else 1."),
    Op("soft_margin_loss", "mgn", _soft_margin, (soft_margin_rule,), ("x",),
       ("-g * t / n * exp(-t * x) / (1 + exp(-t * x))",), "y = mean of ln(1 + exp(−target · x))",
       tuple(case(NEAR, target=np.array([1.0, -1.0, 1.0, -1.0]), reduction=how) for how in _ALL),
       "SoftMarginLossBackward0", saves("x")),
    Op("mul_number", "×", lambda x, other: x * number(x, other), (lambda g, y, x, other: g * other,), ("x",),
       ("g * other",), "y = c · x", (case([0.5, -1.2], other=2.5),), "MulBackward1"),
    Op("div_number", "÷", lambda x, other: x / number(x, other), (lambda g, y, x, other: g / other,), ("x",),
       ("g / other",), "y = x / c", (case([0.5, -1.2], other=2.5),), "DivBackward1"),
    Op("sub_number", "−", lambda x, other: x - number(x, other), (lambda g, y, x, other: g,), ("x",),
       ("g",), "y = x − c", (case([0.5, -1.2], other=2.5),), "SubBackward1"),
)  # fmt: skip

NAMES: dict[str, Any] = {"abs": np.abs, "maximum": np.maximum, "sigmoid": F.sigmoid_array}
"""Functions that the formulas use."""


def _count(xs: Any, params: Any) -> dict[str, Any]:
    return {"n": shared_among(xs[0], params["reduction"])}


def _weights(xs: Any, params: Any) -> dict[str, Any]:
    w, p = (beside(xs[0], params.get(name)) for name in ("weight", "pos_weight"))
    return _count(xs, params) | {"w": w, "p": p}


OF_PARAMS: dict[str, Any] = {
    "smooth_l1_loss": _count,
    "huber_loss": _count,
    "binary_cross_entropy": _weights,
    "binary_cross_entropy_with_logits": _weights,
    "soft_margin_loss": lambda xs, p: _count(xs, p) | {"t": beside(xs[0], p["target"])},
}
"""Names worked out of the params."""
