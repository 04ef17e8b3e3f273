"""The derivatives of activations as ops of their own, for derivatives of derivatives (create_graph).

PyTorch has a node for each, so that a gradient prints as `grad_fn=<TanhBackwardBackward0>`, and one of relu takes a
gradient though its own is 0. Their first input v is the gradient that came in the first time; each is linear in it.

Source: derivatives.yaml of PyTorch 2.13.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels.gelu import CUBIC, ROOT_2_OVER_PI
from gradviz.imitation.engine.rules.calling import call, gradient, names_of_gradients, zeros
from gradviz.imitation.engine.rules.entry import Case, Op, case, saves
from gradviz.imitation.engine.rules.numbers.activation import sigmoid, tanh

V = [0.5, -1.5, 1.2, 0.8]
X = [-2.3, -0.4, 0.3, 1.7]
S = [-0.8, -0.3, 0.2, 0.6]
"""Results of tanh or sigmoid."""
NOTE = "The derivative of {}, as a function of its own: v is the gradient that came in the first time."
Second = Callable[..., Any]


def _flat(g: Any, y: Any, v: Any, x: Any, **_: Any) -> Any:
    return zeros(g)


def _entry(
    name: str, node: str, to_v: str, to_x: str, equation: str, second: Second, examples: tuple[Case, ...], x: str = "x"
) -> Op:
    """The derivative of the op `name` by its input, or by its result s, with texts of its two rules."""

    def forward(v: Any, kept: Any, **params: Any) -> Any:
        return F.OPS[name].rule(v, kept, kept, **params)

    def again(g: Any, y: Any, v: Any, kept: Any, **params: Any) -> Any:
        return call(f"{name}_backward", g, kept, **params)

    return Op(f"{name}_backward", f"{name}′", forward, (again, second), ("v", x), (to_v, to_x), equation, examples, node,
              saves(f"v {x}"), note=NOTE.format(name))  # fmt: skip


def _tanh(g: Any, y: Any, v: Any, s: Any) -> Any:
    return g * (s * -2 * v)


def _sigmoid(g: Any, y: Any, v: Any, s: Any) -> Any:
    return g * v * (s * -2 + 1)


def _elu(g: Any, y: Any, v: Any, x: Any, alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    bent = call("elu_backward", g * v * input_scale, x, alpha=alpha, scale=scale, input_scale=input_scale)
    return bent * F.mask(plain(x) < 0, g)


def _elu_result(g: Any, y: Any, v: Any, s: Any, alpha: float, scale: float = 1.0, input_scale: float = 1.0) -> Any:
    return g * v * input_scale * F.mask(plain(s) < 0, g)


def _softplus(g: Any, y: Any, v: Any, x: Any, beta: float, threshold: float) -> Any:
    z = x * beta
    return call("sigmoid_backward", g * v, sigmoid(z)) * F.mask(plain(z) < threshold, g) * beta


def _log_sigmoid(g: Any, y: Any, v: Any, x: Any) -> Any:
    product = g * v
    z = sigmoid(x)
    return product * (z - 1) * z


def _hard_swish(g: Any, y: Any, v: Any, x: Any) -> Any:
    return F.where((plain(x) > -3) & (plain(x) < 3), g * v / 3, 0.0)


def _gelu(g: Any, y: Any, v: Any, x: Any, approximate: str) -> Any:
    if approximate == "none":
        square = x * x
        density = F.exp(square * -0.5) * (1 / math.sqrt(2 * math.pi))
        last = square * density
        return g * v * (density * 2 - last)
    inner = (x + call("pow", x, exponent=3) * CUBIC) * ROOT_2_OVER_PI
    t, sech = tanh(inner), 1 / call("cosh", inner)
    half, bell = x * 0.5, 1 - t * t
    slope = (1 + x * (3 * CUBIC) * x) * ROOT_2_OVER_PI
    first = bell * 0.5 * slope
    change = -sech * t
    second = half * slope * (sech * 2 * change * slope)
    third = half * bell * (x * (6 * CUBIC) * ROOT_2_OVER_PI)
    return g * v * (first * 2 + second + third)


# ---- glu and prelu ----


def _half(x: Any, dim: int, second: bool) -> Any:
    n = plain(x).shape[dim] // 2
    return call("slice", x, dim=dim, start=n * second, end=n * (1 + second), step=1)


def _glu_v(g: Any, y: Any, v: Any, x: Any, dim: int) -> Any:
    ones = np.ones(plain(v).shape, plain(v).dtype)
    both = g * call("glu_backward", ones, x, dim=dim)
    second = _half(both, dim, True)
    return _half(both, dim, False) + second


def _glu_x(g: Any, y: Any, v: Any, x: Any, dim: int) -> Any:
    a, b = _half(x, dim, False), _half(x, dim, True)
    s = sigmoid(b)
    rest = 1.0 - s
    product = s * rest
    on_a, on_b = _half(g, dim, False), _half(g, dim, True)
    times_a = on_b * a
    to_a = on_b * v * product
    lost = s * product
    bend = product * rest - lost
    direct = on_a * v * product
    return call("cat", to_a, times_a * v * bend + direct, dim=dim)


def prelu_double(came: Sequence[Any], v: Any, x: Any, weight: Any) -> tuple[Any, Any, Any]:
    """What came to the gradients of x and of the weight, sent on to v, x and the weight."""
    to_x, to_weight = came
    is_kept = plain(x) >= 0
    slope = None if to_weight is None else to_weight * x
    if to_x is None:
        on_v = F.where(is_kept, 0.0, slope)
    else:
        inner = to_x * weight
        on_v = F.where(is_kept, to_x, inner if slope is None else inner + slope)
    on_x = zeros(x) if to_weight is None else F.where(is_kept, 0.0, v * to_weight)
    return on_v, on_x, zeros(x) if to_x is None else F.where(is_kept, 0.0, v * to_x)


def _prelu(slot: int) -> Any:
    def rule(g: Any, y: Any, v: Any, x: Any, weight: Any, output: int) -> Any:
        return prelu_double([g if number == output else None for number in (0, 1)], v, x, weight)[slot]

    return rule


def _prelu_gradient(v: Any, x: Any, weight: Any, output: int) -> Any:
    return gradient("prelu", output, v, None, x, weight)


_ELU = (case(V, X, alpha=1.0, scale=1.0, input_scale=1.0), case(V, X, alpha=1.6, scale=1.05, input_scale=0.5))
_ELU_TO_V = "where(x <= 0, g * input_scale * alpha * scale * exp(x * input_scale), g * scale)"
_ELU_TO_X = "where(x <= 0, g * v * input_scale ** 2 * alpha * scale * exp(x * input_scale), 0)"
_ELU_RESULTS = tuple(case(V, S, **given["params"]) for given in _ELU)
_ELU_OF_RESULT = "where(s <= 0, g * input_scale * (s + alpha * scale), g * scale)"
_NOISY = case(V, X, noise=np.array([0.2, 0.3, 1.0, 1.0]))
_ZERO = "0 * g + 0 * x"

TABLE = (
    _entry("tanh", "TanhBackwardBackward0", "g * (1 - s ** 2)", "-2 * g * s * v", "y = v · (1 − s²)", _tanh,
           (case(V, S),), "s"),
    _entry("sigmoid", "SigmoidBackwardBackward0", "g * (1 - s) * s", "g * v * (1 - 2 * s)", "y = v · (1 − s) s",
           _sigmoid, (case(V, [0.1, 0.4, 0.7, 0.9]),), "s"),
    _entry("relu", "ThresholdBackwardBackward0", "where(x <= 0, 0, g)", _ZERO, "y = v where x > 0, else 0", _flat,
           (case(V, X),)),
    _entry("threshold", "ThresholdBackwardBackward0", "where(x <= threshold, 0, g)", _ZERO,
           "y = v above the threshold, else 0", _flat, (case(V, X, threshold=0.1, value=20.0),)),
    _entry("leaky_relu", "LeakyReluBackwardBackward0", "where(x > 0, g, g * negative_slope)", _ZERO,
           "y = v where x > 0, else slope · v", _flat, (case(V, X, negative_slope=0.01),)),
    _entry("hardtanh", "HardtanhBackwardBackward0", "where((x <= min_val) | (x >= max_val), 0, g)", _ZERO,
           "y = v between the bounds, else 0", _flat, (case(V, X, min_val=-1.0, max_val=1.0),)),
    _entry("softshrink", "SoftshrinkBackwardBackward0", "where((x >= -lambd) & (x <= lambd), 0, g)", _ZERO,
           "y = v beyond ±λ, else 0", _flat, (case(V, X, lambd=0.5),)),
    _entry("hardshrink", "HardshrinkBackwardBackward0", "where((x >= -lambd) & (x <= lambd), 0, g)", _ZERO,
           "y = v beyond ±λ, else 0", _flat, (case(V, X, lambd=0.5),)),
    _entry("elu", "EluBackwardBackward0", _ELU_TO_V, _ELU_TO_X, "y = v above 0, else v · α eˣ", _elu, _ELU),
    _entry("celu", "EluBackwardBackward0", _ELU_TO_V, _ELU_TO_X, "y = v above 0, else v · e^(x/α)", _elu, _ELU[1:]),
    _entry("elu_", "EluBackwardBackward0", _ELU_OF_RESULT, "where(s < 0, g * v * input_scale, 0)",
           "y = v above 0, else v · (s + α)", _elu_result, _ELU_RESULTS, "s"),
    _entry("celu_", "EluBackwardBackward0", _ELU_OF_RESULT, "where(s < 0, g * v * input_scale, 0)",
           "y = v above 0, else v · (s / α + 1)", _elu_result, _ELU_RESULTS[1:], "s"),
    _entry("leaky_relu_", "LeakyReluBackwardBackward0", "where(s > 0, g, g * negative_slope)", "0 * g + 0 * s",
           "y = v where s > 0, else slope · v", _flat, (case(V, X, negative_slope=0.01),), "s"),
    _entry("rrelu", "RreluWithNoiseBackwardBackward0", "g * noise", _ZERO, "y = v · slope", _flat, (_NOISY,)),
    _entry("rrelu_", "RreluWithNoiseBackwardBackward0", "g * noise", "0 * g + 0 * s", "y = v · slope", _flat, (_NOISY,),
           "s"),
    _entry("softplus", "SoftplusBackwardBackward0", "where(x * beta > threshold, g, g * sigmoid(x * beta))",
           "where(x * beta > threshold, 0, g * v * beta * sigmoid(x * beta) * (1 - sigmoid(x * beta)))",
           "y = v · σ(βx)", _softplus, (case(V, X, beta=1.0, threshold=20.0), case(V, X, beta=2.0, threshold=2.0))),
    _entry("logsigmoid", "LogSigmoidBackwardBackward0", "g * (1 - sigmoid(x))",
           "-g * v * sigmoid(x) * (1 - sigmoid(x))", "y = v · (1 − σ(x))", _log_sigmoid, (case(V, X),)),
    _entry("hardswish", "HardswishBackwardBackward0", "where(x <= -3, 0, where(x < 3, g * (x / 3 + 0.5), g))",
           "where((x > -3) & (x < 3), g * v / 3, 0)", "y = v · (x / 3 + ½) between −3 and 3", _hard_swish,
           (case(V, [-4.0, -0.4, 0.3, 3.7]),)),
    _entry("gelu", "GeluBackwardBackward0", "g * slope", "g * v * bend", "y = v · (Φ(x) + x φ(x))", _gelu,
           (case(V, X, approximate="none"), case(V, X, approximate="tanh"))),
    Op("glu_backward", "GLU′", lambda v, x, dim: gradient("glu", 0, v, None, x, dim=dim), (_glu_v, _glu_x), ("v", "x"),
       ("to_v(g)", "to_x(g)"), "y = v · (σ(b), a σ′(b)), the two halves of x", (case([[0.5, -1.5]], [X], dim=1),),
       "GluBackwardBackward0", saves("v x"), note=NOTE.format("glu")),
    Op("prelu_backward", "ReLU′", _prelu_gradient, (_prelu(0), _prelu(1), _prelu(2)), ("v", "x", "weight"),
       ("to_v(g)", "to_x(g)", "to_weight(g)"), "y = the gradient of x or of the weight",
       tuple(case(V, X, [0.25, 0.4, 0.1, 0.3], output=i) for i in (0, 1)), "PreluKernelBackwardBackward0",
       saves("v x weight"), note=NOTE.format("prelu"), output="output"),
)  # fmt: skip

KEPT = {
    op.name.removesuffix("_backward"): "y" if op.inputs[1] == "s" or op.name == "relu_backward" else "x"
    for op in TABLE
    if not op.output
}
"""Of each activation what its derivative is worked out of: its input, or its result."""
NAMES: dict[str, Any] = {"sigmoid": F.sigmoid_array}


def _slopes(xs: Any, params: Any) -> dict[str, Any]:
    ones = np.ones_like(xs[1])
    return {
        "slope": F.OPS["gelu"].rule(ones, None, xs[1], **params), "bend": _gelu(ones, None, ones, xs[1], **params),
    }  # fmt: skip


OF_PARAMS: dict[str, Any] = {"gelu_backward": _slopes} | {
    op.name: names_of_gradients(op) for op in TABLE if op.name in ("glu_backward", "prelu_backward")
}
"""Names worked out of the params."""
