"""Activation functions. Values at kinks are PyTorch's.

Source of the conventions: PyTorch's derivative formulas, checked against its values.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels import nearest, registers
from gradviz.imitation.engine.kernels.gelu import CUBIC, ROOT_2_OVER_PI, ROOT_HALF, gelu, gelu_gradient
from gradviz.imitation.engine.kernels.vector_log import vector_log1p
from gradviz.imitation.engine.rules.calling import call, number
from gradviz.imitation.engine.rules.entry import Op, case, saves

X = [-2.3, -0.4, 0.3, 1.7]

SIXTH = float(np.float32(1 / 6))
"""PyTorch multiplies with 1/6 in float32, in every dtype."""


def sigmoid(x: Any) -> Any:
    """1 / (1 + e⁻ˣ)."""
    return call("sigmoid", x)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return call("tanh", x)


def _where(condition: Any, a: Any, b: Any) -> Any:
    return np.asarray(np.where(condition, a, b))[()]


def elu_forward(x: Any, alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    """x · scale above 0, else α · scale (e^(input_scale · x) − 1)."""
    low = nearest.expm1(x * number(x, input_scale)) * number(x, alpha * scale)
    return _where(x < 0, low, x * number(x, scale)).astype(x.dtype)


def elu_rule(g: Any, y: Any, x: Any, alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    """g · scale above 0, g · alpha · eˣ at 0 and below."""
    low = g * input_scale * (alpha * scale) * F.loop_exp(x * input_scale)
    return F.where(plain(x) <= 0, low, g * scale)


def gelu_rule(g: Any, y: Any, x: Any, approximate: str) -> Any:
    """g · (Φ(x) + x φ(x)), or the derivative of the approximation by tanh."""
    if not isinstance(x, F.Tensor) and not isinstance(g, F.Tensor):
        return gelu_gradient(g, x, approximate)
    if approximate == "tanh":
        t = tanh(ROOT_2_OVER_PI * (x + CUBIC * x * x * x))
        inner = ROOT_2_OVER_PI * (1 + 3 * CUBIC * x * x)
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner)
    share = 0.5 * (1 + call("erf", x * ROOT_HALF))
    density = F.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
    return g * (share + x * density)


def silu_rule(g: Any, y: Any, x: Any) -> Any:
    """g · σ(x) (1 + x (1 − σ(x)))."""
    s = sigmoid(x)
    return g * s * F.fused(x, 1 - s, 1.0)


def _softplus(x: Any, beta: float, threshold: float) -> Any:
    z = x * number(x, beta)
    return _where(z > threshold, x, registers.log1p_exp(np.minimum(z, number(x, threshold))) / number(x, beta))


def softplus_rule(g: Any, y: Any, x: Any, beta: float, threshold: float) -> Any:
    """g · σ(βx), and g above the threshold."""
    z = F.loop_exp(x * beta)
    return F.where(plain(x) * beta > threshold, g, g * z / (z + 1.0))


def _log_sigmoid(x: Any) -> Any:
    y = np.minimum(x, number(x, 0)) - vector_log1p(registers.polynomial_exp(-np.abs(x)))
    return np.asarray(y, order="C")[()]


def log_sigmoid_rule(g: Any, y: Any, x: Any) -> Any:
    """g · (1 − σ(x)), without overflow."""
    negative = plain(x) < 0
    z = F.register_exp(-call("abs", x))
    share = z / (1.0 + z)
    return g * F.where(negative, 1.0 - share, share)


def _mish(x: Any) -> Any:
    return x * nearest.tanh(
        registers.log1p_exp(np.minimum(x, number(x, 80))) if x.dtype.itemsize == 4 else np.logaddexp(0, x)
    )


def mish_rule(g: Any, y: Any, x: Any) -> Any:
    """g · (t + x σ(x) (1 − t²)) with t = tanh(softplus(x))."""
    t = tanh(call("softplus", x, beta=1.0, threshold=20.0))
    return g * F.fused(x * sigmoid(x), F.one_minus_square(t), t)


def _between(x: Any, low: float, high: float) -> Any:
    return (plain(x) > low) & (plain(x) < high)


def _soft_shrink(x: Any, lambd: float) -> Any:
    bound = number(x, lambd)
    return _where(x > bound, x - bound, _where(x < -bound, x + bound, x * number(x, 0)))


def _glu_parts(x: Any, dim: int) -> tuple[Any, Any]:
    half = plain(x).shape[dim] // 2
    before = [slice(None)] * dim
    return F.take(x, (*before, slice(0, half))), F.take(x, (*before, slice(half, None)))


def _glu(x: Any, dim: int) -> Any:
    a, b = _glu_parts(x, dim)
    return a * F.sigmoid_array(b)


def glu_rule(g: Any, y: Any, x: Any, dim: int) -> Any:
    """g · σ(b) for the first half, g · a · σ(b) (1 − σ(b)) for the second."""
    a, b = _glu_parts(x, dim)
    s = sigmoid(b)
    return call("cat", s * g, (1.0 - s) * s * a * g, dim=dim)


def _hard_swish_rule(g: Any, y: Any, x: Any) -> Any:
    a = plain(x)
    return F.where(a <= -3, 0.0, F.where(a < 3, g * (x / 3 + 0.5), g))


TABLE = (
    Op("leaky_relu", "ReLU", lambda x, negative_slope: _where(x > 0, x, x * number(x, negative_slope)),
       (lambda g, y, x, negative_slope: F.where(plain(x) > 0, g, g * negative_slope),), ("x",),
       ("where(x > 0, g, g * negative_slope)",), "y = x above 0, else slope · x", (case(X, negative_slope=0.01),),
       "LeakyReluBackward0", saves("x"), note="At x = 0 the gradient is the slope."),
    Op("elu", "ELU", elu_forward, (elu_rule,), ("x",),
       ("where(x <= 0, g * input_scale * alpha * scale * exp(x * input_scale), g * scale)",),
       "y = x above 0, else α (eˣ − 1)", (case(X, alpha=1.0, scale=1.0, input_scale=1.0),
                                          case(X, alpha=1.6, scale=1.05, input_scale=1.0)),
       "EluBackward0", saves("x"), note="At x = 0 the gradient is α."),
    Op("celu", "CELU", elu_forward, (elu_rule,), ("x",),
       ("where(x <= 0, g * input_scale * alpha * scale * exp(x * input_scale), g * scale)",),
       "y = x above 0, else α (e^(x/α) − 1)", (case(X, alpha=2.0, scale=1.0, input_scale=0.5),), "CeluBackward0",
       saves("x")),
    Op("gelu", "GELU", gelu, (gelu_rule,), ("x",), ("g * slope",), "y = x Φ(x)",
       (case(X, approximate="none"), case(X, approximate="tanh")), "GeluBackward0", saves("x")),
    Op("silu", "SiLU", lambda x: x / (1 + registers.exp(-x)),
       (silu_rule,), ("x",),
       ("g * sigmoid(x) * (1 + x * (1 - sigmoid(x)))",), "y = x σ(x)", (case(X),), "SiluBackward0", saves("x")),
    Op("softplus", "s⁺", _softplus, (softplus_rule,), ("x",),
       ("where(x * beta > threshold, g, g * sigmoid(x * beta))",), "y = ln(1 + e^(βx)) / β",
       (case(X, beta=1.0, threshold=20.0), case(X, beta=2.0, threshold=2.0)), "SoftplusBackward0", saves("x")),
    Op("logsigmoid", "ln σ", _log_sigmoid, (log_sigmoid_rule,), ("x",), ("g * (1 - sigmoid(x))",), "y = ln σ(x)",
       (case(X),), "LogSigmoidBackward0", saves("x")),
    Op("hardtanh", "clip", lambda x, min_val, max_val: _where(
        x < min_val, number(x, min_val), _where(x > max_val, number(x, max_val), x)),
       (lambda g, y, x, min_val, max_val: F.zero_where(
           (plain(x) <= min_val) | (plain(x) >= max_val), g),), ("x",),
       ("where((x <= min_val) | (x >= max_val), 0, g)",), "y = x kept between two bounds",
       (case(X, min_val=-1.0, max_val=1.0),), "HardtanhBackward0", saves("x"), note="At a bound the gradient is 0."),
    Op("hardsigmoid", "σ", lambda x: np.minimum(np.maximum(x + 3, number(x, 0)), number(x, 6)) / 6,
       (lambda g, y, x: F.where(_between(x, -3, 3), g * SIXTH, 0.0),), ("x",),
       ("where((x > -3) & (x < 3), g * sixth, 0)",), "y = (x + 3) / 6 kept between 0 and 1", (case([-4.0, -0.4, 3.7]),),
       "HardsigmoidBackward0", saves("x"), note="At x = ±3 the gradient is 0."),
    Op("hardswish", "swish", lambda x: x * np.minimum(np.maximum(x + 3, number(x, 0)), number(x, 6)) / 6,
       (_hard_swish_rule,), ("x",), ("where(x <= -3, 0, where(x < 3, g * (x / 3 + 0.5), g))",),
       "y = x · hardsigmoid(x)", (case([-4.0, -0.4, 3.7]),), "HardswishBackward0", saves("x")),
    Op("mish", "mish", _mish, (mish_rule,), ("x",),
       ("g * (tanh(softplus(x)) + x * sigmoid(x) * (1 - tanh(softplus(x)) ** 2))",), "y = x tanh(ln(1 + eˣ))",
       (case(X),), "MishBackward0", saves("x")),
    Op("softshrink", "shrink", _soft_shrink,
       (lambda g, y, x, lambd: F.zero_where((plain(x) >= -lambd) & (plain(x) <= lambd), g),), ("x",),
       ("where((x >= -lambd) & (x <= lambd), 0, g)",), "y = x moved towards 0 by λ", (case(X, lambd=0.5),),
       "SoftshrinkBackward0", saves("x"), note="At x = ±λ the gradient is 0."),
    Op("hardshrink", "shrink", lambda x, lambd: _where((x >= -lambd) & (x <= lambd), number(x, 0), x),
       (lambda g, y, x, lambd: F.zero_where((plain(x) >= -lambd) & (plain(x) <= lambd), g),), ("x",),
       ("where((x >= -lambd) & (x <= lambd), 0, g)",), "y = x, 0 between −λ and λ", (case(X, lambd=0.5),),
       "HardshrinkBackward0", saves("x"), note="At x = ±λ the gradient is 0."),
    Op("threshold", "step", lambda x, threshold, value: _where(x <= threshold, number(x, value), x),
       (lambda g, y, x, threshold, value: F.zero_where(plain(x) <= threshold, g),), ("x",),
       ("where(x <= threshold, 0, g)",), "y = x above the threshold, else a value",
       (case(X, threshold=0.1, value=20.0),), "ThresholdBackward0", saves("x"),
       note="At the threshold the gradient is 0."),
    Op("prelu", "ReLU", lambda x, weight: _where(x > 0, x, x * weight),
       (lambda g, y, x, weight: F.where(plain(x) > 0, g, weight * g),
        lambda g, y, x, weight: F.where(plain(x) > 0, 0.0, x * g)), ("x", "weight"),
       ("where(x > 0, g, weight * g)", "where(x > 0, 0, x * g)"), "y = x above 0, else weight · x",
       (case(X, [0.25]),), "PreluKernelBackward0", saves("x weight"), note="At x = 0 the gradient is the weight."),
    Op("glu", "GLU", _glu, (glu_rule,), ("x",), ("parts(g)",), "y = a σ(b), the two halves of x",
       (case([X], dim=1), case([[0.3], [-1.2]], dim=0)), "GluBackward0", saves("x")),
)  # fmt: skip


def _slope(x: Any, approximate: str) -> dict[str, Any]:
    return {"slope": gelu_rule(np.ones_like(x), None, x, approximate)}


NAMES: dict[str, Any] = {
    "sigmoid": F.sigmoid_array,
    "softplus": lambda x: np.logaddexp(0, x),
    "tanh": nearest.tanh,
}
"""Functions that the formulas use."""
OF_PARAMS: dict[str, Any] = {
    "hardsigmoid": lambda _xs, _p: {"sixth": SIXTH},
    "gelu": lambda xs, p: _slope(xs[0], **p),
    "glu": lambda xs, p: {"parts": lambda g: glu_rule(g, None, xs[0], **p)},
}
"""Names worked out of the params."""
