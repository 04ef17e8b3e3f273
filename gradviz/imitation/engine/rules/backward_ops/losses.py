"""The derivatives of losses and of softmax as ops of their own, for derivatives of derivatives (create_graph).

PyTorch has a node for each, so that a gradient prints as `grad_fn=<MseLossBackwardBackward0>`. Their first input v is
the gradient that came in the first time; each is linear in it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import call, zeros
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.layers.softmax import log_softmax_rule, mse_rule, softmax_rule, total
from gradviz.imitation.engine.rules.losses.classes import CLASSES, ROWS, WEIGHTS, nll_rule, picked
from gradviz.imitation.engine.rules.losses.elementwise import (
    CHANCES,
    FAR,
    NEAR,
    TARGETS,
    bce_rule,
    beside,
    huber_rule,
    shared,
    shared_among,
    smooth_l1_rule,
    soft_margin_rule,
    weighted,
)

V = [0.5, -1.5, 1.2, 0.8]
GRID_V, GRID = [[0.5, -1.5, 1.2], [0.8, 0.3, -0.6]], [[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]
BCE_EPS = 1e-12


# ---- losses of number by number ----


def _even(g: Any, v: Any, x: Any, reduction: str) -> Any:
    return shared(g * v * 2, x, reduction)


def _within(g: Any, v: Any, z: Any, reduction: str, bound: float, factor: float | None) -> Any:
    """g · v / factor where |z| is below the bound, shared where the mean is taken."""
    inside = g * v * F.mask(np.abs(plain(z)) < bound, g)
    return shared(inside if factor is None else inside / factor, z, reduction)


def _smooth_x(g: Any, y: Any, v: Any, x: Any, target: Any, reduction: str, beta: float) -> Any:
    return _within(g, v, x - target, reduction, beta, beta)


def _huber_x(g: Any, y: Any, v: Any, x: Any, target: Any, reduction: str, delta: float) -> Any:
    return _within(g, v, x - target, reduction, delta, None)


def _slope_of(name: str, g: Any, v: Any, *xs: Any, reduction: str, **params: Any) -> Any:
    """dL/dv of a derivative that is linear in v: of one v for all numbers the sum of what each has of it."""
    if reduction == "none":
        return call(name, g, *xs, reduction=reduction, **params)
    ones = np.ones(plain(v).shape, plain(v).dtype)[()]
    return F.sum(call(name, ones, *xs, reduction=reduction, **params) * g)


def _bce_v(g: Any, y: Any, v: Any, x: Any, target: Any, weight: Any, reduction: str) -> Any:
    above = 1 - x + BCE_EPS
    product = (x + BCE_EPS) * above
    return shared(weighted((x - target) / product * g, weight), x, reduction)


def _bce_x(g: Any, y: Any, v: Any, x: Any, target: Any, weight: Any, reduction: str) -> Any:
    below, above = x + BCE_EPS, 1 - x + BCE_EPS
    squares = call("pow", above, exponent=2)
    squares = call("pow", below, exponent=2) * squares
    twice = x * 2 * target
    curvature = (x * x - twice + target) / squares
    return shared(weighted(curvature * (g * v), weight), x, reduction)


def _bce_target(g: Any, y: Any, v: Any, x: Any, target: Any, weight: Any, reduction: str) -> Any:
    product = weighted(-g * v, weight)
    chances = (1 - x) * x
    if isinstance(chances, F.Tensor):
        chances.data = np.maximum(chances.data, chances.dtype.type(BCE_EPS))  # as PyTorch: raised, unrecorded
    else:
        chances = np.maximum(chances, BCE_EPS)
    return shared(product / chances, x, reduction)


def _soft_margin_x(g: Any, y: Any, v: Any, x: Any, target: Any, reduction: str) -> Any:
    t = beside(x, target)
    z = F.exp(x * -t)
    above = z + 1
    squares = above * above
    return shared(g * v * (t * t) * z / squares, x, reduction)


def _negative(rule: Any) -> Any:
    return lambda *values, **params: -rule(*values, **params)


# ---- nll ----


def _nll_entry(name: str, node: str, examples: tuple[Any, ...]) -> Op:
    def to_v(g: Any, y: Any, v: Any, x: Any, **params: Any) -> Any:
        return call(name.removesuffix("_backward"), g, **params)

    return Op(name, "nll′", lambda v, x, **p: nll_rule(v, None, x, **p),
              (to_v, lambda g, y, v, x, **p: zeros(g)), ("v", "x"), ("-take(g, target) * w / n", "0 * g + 0 * x"),
              "y = −v · w / n at the target, 0 elsewhere", examples, node, saves("x index"), note=_SUMMED)  # fmt: skip


# ---- softmax ----


def _softmax_y(g: Any, y: Any, v: Any, s: Any, dim: int) -> Any:
    third = v * total(s * g, dim)
    second = total(s * v, dim) * g
    return v * g - second - third


def _log_softmax_v(g: Any, y: Any, v: Any, s: Any, dim: int) -> Any:
    return g - total(g * F.exp(s), dim)


def _log_softmax_y(g: Any, y: Any, v: Any, s: Any, dim: int) -> Any:
    exp = F.exp(s)
    return -total(v, dim) * exp * g


_HOW = ("none", "mean", "sum")
_SUMMED = "The derivative of the loss, as a function of its own: v is the gradient that came in the first time."
_NLL: dict[str, Any] = {"target": CLASSES, "weight": None, "reduction": "mean", "ignore_index": -100}


TABLE = (
    Op("mse_loss_backward", "mse′", lambda v, x, target, reduction: mse_rule(v, x, target, reduction),
       (lambda g, y, v, x, target, reduction: call("mse_loss_backward", g, x, target, reduction=reduction),
        lambda g, y, v, x, target, reduction: _even(g, v, x, reduction),
        lambda g, y, v, x, target, reduction: -_even(g, v, x, reduction)), ("v", "x", "target"),
       ("2 * g * (x - target) / n", "2 * g * v / n", "-2 * g * v / n"), "y = 2 v · (x − target) / n",
       (case(V, NEAR, FAR, reduction="none"), case(0.7, NEAR, FAR, reduction="mean")), "MseLossBackwardBackward0",
       saves("v x target"), note=_SUMMED),
    Op("smooth_l1_loss_backward", "sL1′", smooth_l1_rule,
       (lambda g, y, v, x, target, reduction, beta: call(
           "smooth_l1_loss_backward", g, x, target, reduction=reduction, beta=beta), _smooth_x, _negative(_smooth_x)),
       ("v", "x", "target"),
       ("g / n * where(abs(x - target) < beta, (x - target) / beta, sign(x - target))",
        "g * v / n * (abs(x - target) < beta) / beta", "-g * v / n * (abs(x - target) < beta) / beta"),
       "y = v · (x − target) / β, and ±v from β on",
       (case(V, NEAR, FAR, reduction="none", beta=1.0), case(0.7, NEAR, FAR, reduction="mean", beta=0.3)),
       "SmoothL1LossBackwardBackward0", saves("v x target"), note=_SUMMED),
    Op("huber_loss_backward", "hub′", huber_rule,
       (lambda g, y, v, x, target, **p: _slope_of("huber_loss_backward", g, v, x, target, **p), _huber_x,
        _negative(_huber_x)),
       ("v", "x", "target"),
       ("g / n * where(abs(x - target) <= delta, x - target, delta * sign(x - target))",
        "g * v / n * (abs(x - target) < delta)", "-g * v / n * (abs(x - target) < delta)"),
       "y = v · (x − target), and ±δ v from δ on",
       (case(V, NEAR, FAR, reduction="none", delta=1.0), case(0.7, NEAR, FAR, reduction="mean", delta=0.3)),
       "HuberLossBackwardBackward0", saves("v x target"), note=_SUMMED),
    Op("binary_cross_entropy_backward", "bce′", lambda v, x, target, **p: bce_rule(v, None, x, target, **p),
       (_bce_v, _bce_x, _bce_target),
       ("v", "x", "target"),
       ("g * w * (x - target) / ((x + 1e-12) * (1 - x + 1e-12)) / n", "g * v * w * (x ** 2 - 2 * x * target + target) / ((x + 1e-12) * (1 - x + 1e-12)) ** 2 / n",
        "-g * v * w / (x * (1 - x)) / n"), "y = v · w (x − target) / (x (1 − x)) / n",
       (case(V[:3], CHANCES, TARGETS, weight=WEIGHTS, reduction="none"),
        case(0.7, CHANCES, TARGETS, weight=None, reduction="mean")), "BinaryCrossEntropyBackwardBackward0",
       saves("v x target"), note=_SUMMED),
    Op("soft_margin_loss_backward", "mgn′", lambda v, x, **p: soft_margin_rule(v, None, x, **p),
       (lambda g, y, v, x, **p: _slope_of("soft_margin_loss_backward", g, v, x, **p), _soft_margin_x), ("v", "x"),
       ("-g * t / n * exp(-t * x) / (1 + exp(-t * x))", "g * v * t ** 2 * exp(-t * x) / (1 + exp(-t * x)) ** 2 / n"),
       "y = −v · t exp(−t x) / (1 + exp(−t x)) / n",
       (case(V, NEAR, target=np.array([1.0, -1.0, 1.0, -1.0]), reduction="none"),
        case(0.7, NEAR, target=np.array([1.0, -1.0, 1.0, -1.0]), reduction="mean")),
       "SoftMarginLossBackwardBackward0", saves("v x"), note=_SUMMED),
    _nll_entry("nll_loss_backward", "NllLossBackwardBackward0", (
        case(0.7, ROWS, **_NLL), case(V[:3], ROWS, **_NLL | {"weight": WEIGHTS, "reduction": "none", "ignore_index": 0}),
    )),
    _nll_entry("nll_loss2d_backward", "NllLoss2DBackwardBackward0", (
        case(0.7, np.linspace(-1, 1, 12).reshape(2, 3, 1, 2), **_NLL | {"target": np.array([[[2, 0]], [[1, 1]]])}),
    )),
    Op("softmax_backward_data", "soft′", lambda v, s, dim: softmax_rule(v, s, s, dim),
       (lambda g, y, v, s, dim: call("softmax_backward_data", g, s, dim=dim), _softmax_y), ("v", "s"),
       ("s * (g - sum(g * s, dim, True))", "v * g - sum(s * v, dim, True) * g - v * sum(s * g, dim, True)"),
       "y = s · (v − Σ v s)", (case(GRID_V, GRID, dim=1),), "SoftmaxBackwardDataBackward0", saves("v s"),
       note="The derivative of softmax, whose result is s: v is the gradient that came in the first time."),
    Op("log_softmax_backward_data", "lsm′", lambda v, s, dim: log_softmax_rule(v, s, s, dim),
       (_log_softmax_v, _log_softmax_y), ("v", "s"),
       ("g - sum(g * exp(s), dim, True)", "-sum(v, dim, True) * exp(s) * g"), "y = v − exp(s) Σ v",
       (case(GRID_V, np.log(GRID), dim=1),), "LogSoftmaxBackwardDataBackward0", saves("v s"),
       note="The derivative of log softmax, whose result is s: v is the gradient that came in the first time."),
)  # fmt: skip

NAMES: dict[str, Any] = {}
"""Functions that the formulas use."""


def _names(xs: Any, params: Any) -> dict[str, Any]:
    x = xs[1]
    found = {"n": shared_among(x, params["reduction"]), "w": beside(x, params.get("weight"))}
    return found | ({"t": beside(x, params["target"])} if "target" in params else {})


def _nll_names(xs: Any, params: Any) -> dict[str, Any]:
    found = picked(xs[1], **params)
    return {"w": found.w, "n": found.n, "target": found.place}


OF_PARAMS: dict[str, Any] = {
    **dict.fromkeys(
        ("mse_loss_backward", "smooth_l1_loss_backward", "huber_loss_backward", "binary_cross_entropy_backward",
         "soft_margin_loss_backward"), _names),
    "nll_loss_backward": _nll_names,
    "nll_loss2d_backward": _nll_names,
}  # fmt: skip
"""Names worked out of the params."""
