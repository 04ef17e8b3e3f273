"""Elementwise ops. Source of the conventions: PyTorch's derivative formulas, checked against its values."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.dtypes import result_dtype
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kernels.square_root import sqrt
from gradviz.imitation.engine.rules.calling import number, zeros
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.shape_errors import refuse_bools

SMOOTH = (case([0.3, 0.7, 1.9]), case(0.4))
SIGNED = (case([-1.3, 0.4, 2.1]), case(-0.6))
PAIR = (
    case([0.5, -1.2, 2.0], [1.5, 0.7, -0.3]),
    case([[0.5], [1.1]], [1.5, 0.7, -0.3]),
    case(0.8, [[1.5, 0.7]]),
)


def _relu(x: Any) -> Any:
    # Not maximum: which of two zeros that gives depends on the processor, and −0 must stay −0.
    return F.zero_where(x < 0, x) if x.dtype.kind == "f" else np.maximum(x, x.dtype.type(0))


def _pow(x: Any, exponent: Any) -> Any:
    if x.dtype.kind != "f" and isinstance(exponent, float):
        x = x.astype(np.float32)
    special = SPECIAL_POWERS.get(exponent)
    # A Python float keeps the array's dtype; numpy refuses negative integer powers of integers.
    return nearest.power(x, exponent) if special is None or x.dtype.kind != "f" else special(x)


SPECIAL_POWERS: dict[Any, Any] = {
    0.5: sqrt,
    -0.5: lambda x: np.reciprocal(np.sqrt(x)),
    2: np.square,
    3: lambda x: x * x * x,
    -1: np.reciprocal,
    -2: lambda x: np.reciprocal(x * x),
}
"""Exponents that PyTorch computes in a way of its own, which tells at −0 and −∞."""


def pow_rule(g: Any, y: Any, a: Any, exponent: Any) -> Any:
    """g · n · a^(n−1), and 0 for n = 0 even at a = 0."""
    if exponent == 0:
        return zeros(g)
    if exponent == 1 and not isinstance(a, F.Tensor):
        return g * 1  # as tensors a⁰ is a node all the same, and the third derivative of a² is 0, not missing
    return g * (exponent * power(a, exponent - 1))


def power(a: Any, exponent: Any) -> Any:
    """a to a number."""
    return F.apply(F.OPS["pow"], (a,), exponent=exponent) if isinstance(a, F.Tensor) else _pow(a, exponent)


def pow_base_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    """dL/da of a^b for tensors; 0 where b is 0. What b − 1 is, its own dtype says."""
    refuse_bools(plain(b), 1)
    less, a, b = (F.as_of_both(x, a, b) for x in (b - 1, a, b))
    return F.where(plain(b) == 0, 0.0, g * (b * power2(a, less)))


def pow_exponent_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    """dL/db of a^b; 0 where a is 0 and b is not negative."""
    return g * F.where((plain(a) == 0) & (plain(b) >= 0), 0.0, y * F.log(F.to(a, result_dtype(plain(a), plain(b)))))


def rpow_rule(g: Any, y: Any, x: Any, base: Any) -> Any:
    """dL/dx of c^x; for c = 0 it is 0 where x is not negative."""
    if base == 0:
        return g * F.where(plain(x) >= 0, 0.0, y * -math.inf)
    return g * (y * (math.log(base) if base > 0 else math.nan))


def power2(a: Any, b: Any) -> Any:
    """a to the power b, elementwise."""
    if isinstance(a, F.Tensor) or isinstance(b, F.Tensor):
        return F.binary(F.OPS["pow_tensor"], a, b)
    return nearest.power(a, b)


def clamp_mask(x: Any, min: Any, max: Any) -> Any:
    """Where x lies between the bounds, both included."""
    inside = np.ones(x.shape, dtype=np.bool_)
    if min is not None:
        inside &= x >= min
    if max is not None:
        inside &= x <= max
    return inside


def _clamp(x: Any, min: Any = None, max: Any = None) -> Any:
    # Not maximum and minimum: which of two zeros they give depends on the processor.
    if any(isinstance(bound, float) and math.isnan(bound) for bound in (min, max)):
        return np.full_like(x, np.nan)[()]
    y = x
    if min is not None:
        min = _bound(x, min)
        y = np.where((y < min) | np.isnan(min), min, y)
    if max is not None:
        max = _bound(x, max)
        y = np.where((y > max) | np.isnan(max), max, y)  # min above max gives max, as in PyTorch
    return y[()]


def _bound(x: Any, bound: Any) -> Any:
    return number(x, bound) if x.dtype.kind in "iu" and isinstance(bound, int | float) else bound


def clamp_x_rule(g: Any, y: Any, x: Any, min: Any, max: Any) -> Any:
    """dL/dx of a clamp between tensors; at a bound all of it goes to x."""
    a, low, high = plain(x), plain(min), plain(max)
    return F.zero_where(~((a >= low) & (a <= high)), g)


def clamp_min_rule(g: Any, y: Any, x: Any, min: Any, max: Any) -> Any:
    """dL/dmin: where x lies below, unless the upper bound wins."""
    a, low, high = plain(x), plain(min), plain(max)
    return F.zero_where(~((a < low) & (low < high)), g)


def clamp_max_rule(g: Any, y: Any, x: Any, min: Any, max: Any) -> Any:
    """dL/dmax: where x lies above, or the bounds are the wrong way round."""
    a, low, high = plain(x), plain(min), plain(max)
    return F.zero_where(~((a > high) | (low > high)), g)


def _where(c: Any, a: Any, b: Any) -> Any:
    return np.asarray(np.where(c, a, b))[()]


def picked(g: Any, mine: Any, other: Any, loses: Any) -> Any:
    """The share of g that one operand of maximum or minimum gets: none where it loses, half at a tie."""
    a, b = plain(mine), plain(other)
    return F.zero_where(loses(a, b), F.where(a == b, g / 2, g))


TABLE = (
    Op("add", "+", operator.add, (lambda g, y, a, b: g, lambda g, y, a, b: g), ("a", "b"), ("g", "g"), "y = a + b",
       PAIR, "AddBackward0", keeps_integers=True, both=lambda g, y, a, b: (g, g)),
    Op("sub", "−", operator.sub, (lambda g, y, a, b: g, lambda g, y, a, b: -g), ("a", "b"), ("g", "-g"), "y = a − b",
       PAIR, "SubBackward0", keeps_integers=True),
    Op("rsub", "−", lambda x, other: other - x, (lambda g, y, x, other: -g,), ("x",), ("-g",), "y = c − x",
       (case([1.5, -0.5], other=2.0),), "RsubBackward1", keeps_integers=True),
    Op("mul", "×", operator.mul, (lambda g, y, a, b: g * b, lambda g, y, a, b: g * a), ("a", "b"), ("g * b", "g * a"),
       "y = a · b", PAIR, "MulBackward0", saves("a b"), keeps_integers=True,
       both=lambda g, y, a, b: (g * b, g * a)),
    Op("div", "÷", operator.truediv, (lambda g, y, a, b: g / b, lambda g, y, a, b: -g * (a / b / b)), ("a", "b"),
       ("g / b", "-g * a / b ** 2"), "y = a / b", PAIR, "DivBackward0", saves("a b")),
    Op("neg", "−", operator.neg, (lambda g, y, x: -g,), ("x",), ("-g",), "y = −x", SIGNED, "NegBackward0", keeps_integers=True),
    Op("pow", "xⁿ", _pow, (pow_rule,), ("x",), ("g * exponent * x ** (exponent - 1)",), "y = xⁿ",
       (case([0.3, 1.7, -2.0], exponent=2), case([0.4, 1.9], exponent=0.5), case([-1.1, 2.0], exponent=3)),
       "PowBackward0", saves("x"), keeps_integers=True,
       note="For n = 0 the gradient is 0, also at x = 0."),
    Op("pow_tensor", "aᵇ", nearest.power, (pow_base_rule, pow_exponent_rule), ("a", "b"),
       ("g * b * a ** (b - 1)", "where((a == 0) & (b >= 0), 0, g * y * log(a))"), "y = aᵇ",
       (case([0.5, 1.3], [2.0, -0.7]),), "PowBackward1", saves("a b y"), promotes=False, keeps_integers=True,
       note="At a = 0 the gradient for b is 0 where b is not negative."),
    Op("rpow", "cˣ", lambda x, base: np.asarray(nearest.power(x.dtype.type(base), x), order="C")[()],
       (rpow_rule,),
       ("x",), ("g * y * log(base)",), "y = cˣ", (case([0.5, -1.2], base=2.0),), "PowBackward2", saves("x y")),
    Op("reciprocal", "1/x", np.reciprocal, (lambda g, y, x: -g * (y * y),), ("x",), ("-g * y ** 2",), "y = 1 / x",
       SMOOTH, "ReciprocalBackward0", saves("y")),
    Op("exp", "exp", nearest.exp, (lambda g, y, x: g * y,), ("x",), ("g * y",), "y = eˣ", SIGNED, "ExpBackward0",
       saves("y")),
    Op("log", "log", nearest.log, (lambda g, y, x: g / x,), ("x",), ("g / x",), "y = ln x", SMOOTH, "LogBackward0",
       saves("x"),
       note="At x = 0 the gradient is infinite; below 0 the value is NaN, the gradient still 1/x."),
    Op("sqrt", "√", sqrt, (lambda g, y, x: g / (2 * y),), ("x",), ("g / (2 * y)",), "y = √x", SMOOTH,
       "SqrtBackward0", saves("y"), note="At x = 0 the gradient is infinite."),
    Op("sin", "sin", nearest.sin, (lambda g, y, x: g * F.cos(x),), ("x",), ("g * cos(x)",), "y = sin x", SIGNED,
       "SinBackward0", saves("x")),
    Op("cos", "cos", nearest.cos, (lambda g, y, x: g * -F.sin(x),), ("x",), ("g * -sin(x)",), "y = cos x", SIGNED,
       "CosBackward0", saves("x")),
    Op("tan", "tan", nearest.tan, (lambda g, y, x: g * (1.0 + y * y),), ("x",), ("g * (1 + y ** 2)",), "y = tan x",
       (case([-0.6, 0.3, 1.1]),), "TanBackward0", saves("y")),
    Op("tanh", "tanh", nearest.tanh, (lambda g, y, x: g * F.one_minus_square(y),), ("x",), ("g * (1 - y ** 2)",), "y = tanh x",
       SIGNED, "TanhBackward0", saves("y")),
    Op("sigmoid", "σ", F.sigmoid_array, (lambda g, y, x: g * (1.0 - y) * y,), ("x",), ("g * (1 - y) * y",),
       "y = 1 / (1 + e⁻ˣ)", SIGNED, "SigmoidBackward0", saves("y")),
    Op("relu", "relu", _relu, (lambda g, y, x: F.zero_where(plain(y) <= 0, g),), ("x",), ("where(x > 0, g, 0)",),
       "y = max(x, 0)", SIGNED, "ReluBackward0", saves("y"), keeps_integers=True,
       note="At x = 0 the gradient is 0."),
    Op("abs", "|x|", np.abs, (lambda g, y, x: g * F.sign(x),), ("x",), ("g * sign(x)",), "y = |x|", SIGNED,
       "AbsBackward0", saves("x"), keeps_integers=True, note="At x = 0 the gradient is 0."),
    Op("maximum", "max", np.maximum,
       (lambda g, y, a, b: picked(g, a, b, np.less), lambda g, y, a, b: picked(g, b, a, np.less)), ("a", "b"),
       ("where(a < b, 0, where(a == b, g / 2, g))", "where(b < a, 0, where(a == b, g / 2, g))"), "y = max(a, b)",
       PAIR, "MaximumBackward0", saves("a b"), keeps_integers=True, note="Where a = b each gets half."),
    Op("minimum", "min", np.minimum,
       (lambda g, y, a, b: picked(g, a, b, np.greater), lambda g, y, a, b: picked(g, b, a, np.greater)), ("a", "b"),
       ("where(a > b, 0, where(a == b, g / 2, g))", "where(b > a, 0, where(a == b, g / 2, g))"), "y = min(a, b)",
       PAIR, "MinimumBackward0", saves("a b"), keeps_integers=True, note="Where a = b each gets half."),
    Op("where", "where", _where,
       (None, lambda g, y, c, a, b: F.where(c, g, 0.0), lambda g, y, c, a, b: F.where(c, 0.0, g)), ("c", "a", "b"),
       ("none", "where(c, g, 0)", "where(c, 0, g)"), "y = a where c, else b",
       (case(np.array([True, False, True]), [1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),), "WhereBackward0", saves("c"),
       keeps_integers=True, note="The branch not taken gets 0; but 0 · ∞ further back is NaN."),
    Op("clamp", "clamp", _clamp,
       (lambda g, y, x, min=None, max=None: F.kept_where(clamp_mask(plain(x), min, max), g),), ("x",),
       ("where((min <= x) & (x <= max), g, 0)",), "y = x kept between min and max",
       (case([-2.0, 0.3, 1.7], min=-1.0, max=1.0),), "ClampBackward1", saves("x"), keeps_integers=True,
       note="At a bound the gradient is 1."),
    Op("clamp_tensor", "clamp", _clamp, (clamp_x_rule, clamp_min_rule, clamp_max_rule), ("x", "min", "max"),
       ("where((min <= x) & (x <= max), g, 0)", "where((x < min) & (min < max), g, 0)",
        "where((x > max) | (min > max), g, 0)"), "y = x kept between min and max",
       (case([-2.0, 0.3, 1.7], [-1.0, -1.0, 0.0], [1.0, 0.5, 1.0]),), "ClampBackward0", saves("x min max"),
       keeps_integers=True, note="At a bound the gradient goes to x."),
    Op("add_scaled", "+", lambda a, b, alpha: nearest.fused(b, b.dtype.type(alpha), a),
       (lambda g, y, a, b, alpha: g, lambda g, y, a, b, alpha: g * alpha), ("a", "b"), ("g", "g * alpha"),
       "y = a + αb", (case([0.5, -1.2], [1.5, 0.7], alpha=2),), "AddBackward0", keeps_integers=True),
    Op("sub_scaled", "−", lambda a, b, alpha: nearest.fused(b, -b.dtype.type(alpha), a),
       (lambda g, y, a, b, alpha: g, lambda g, y, a, b, alpha: -(g * alpha)), ("a", "b"), ("g", "-(g * alpha)"),
       "y = a − αb", (case([0.5, -1.2], [1.5, 0.7], alpha=2),), "SubBackward0", keeps_integers=True),
    Op("rsub_tensor", "−", lambda a, b, alpha: nearest.fused(a, -a.dtype.type(alpha), b),
       (lambda g, y, a, b, alpha: -g if alpha == 1 else -g * alpha, lambda g, y, a, b, alpha: g), ("a", "b"),
       ("-g * alpha", "g"), "y = b − αa", (case([0.5, -1.2], [1.5, 0.7], alpha=2),), "RsubBackward0",
       keeps_integers=True),
    Op("rsub_scaled", "−", lambda x, other, alpha: nearest.fused(x, -x.dtype.type(alpha), x.dtype.type(other)),
       (lambda g, y, x, other, alpha: -g * alpha,), ("x",), ("-g * alpha",), "y = c − αx",
       (case([0.5, -1.2], other=1.5, alpha=2),), "RsubBackward1", keeps_integers=True),
)  # fmt: skip
