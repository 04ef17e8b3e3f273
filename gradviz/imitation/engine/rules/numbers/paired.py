"""Elementwise functions of two or three inputs beyond plain arithmetic; where one is a number, it is a param.

Source of the conventions: PyTorch's derivative formulas, checked against its values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.rules.calling import call, number, zeros
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.numbers.elementwise import PAIR
from gradviz.errors import TorchError

THREE = (
    case([0.5, -1.2, 2.0], [1.5, 0.7, -0.3], [0.2, 0.9, 1.4], value=1),
    case([[0.5], [1.1]], [1.5, 0.7, -0.3], 0.4, value=-2.0),
)
APART = (case([0.5, -1.2, 2.0], [1.5, 0.7, -0.3]), case([[0.55], [1.1]], [1.5, 0.7, -0.3]))
POSITIVE = (case([0.5, 1.2, 2.0], [1.5, 0.7, 0.3]),)


# ---- remainders ----


def remainder_array(a: Any, b: Any) -> Any:
    """a − ⌊a / b⌋ · b with the sign of b; a zero has the sign that C's fmod gives it."""
    rest = np.fmod(a, b)
    return np.where((rest != 0) & ((b < 0) != (rest < 0)), rest + b, rest)[()]


def whole_quotient(g: Any, a: Any, b: Any, rounded: Any) -> Any:
    """A quotient rounded to whole numbers; it carries no derivative."""
    quotient = np.asarray(rounded(plain(a), plain(b)))[()]
    return F.constant(quotient, g.tape) if isinstance(g, F.Tensor) else quotient


def truncated(a: Any, b: Any) -> Any:
    """a / b without its decimals."""
    return np.trunc(a / b)


def _past(quotient: Any) -> Any:
    return lambda g, y, a, b: -g * whole_quotient(g, a, b, quotient)


# ---- angles and lengths ----


def _over_square(a: Any, b: Any) -> Any:
    """1 / (a² + b²), and 0 at the origin; each square in its own dtype."""
    square = F.as_of_both(a * a, a, b) + F.as_of_both(b * b, a, b)
    at_origin = plain(square) == 0
    return F.where(at_origin, 0.0, call("reciprocal", square))


# ---- logarithms ----


def _xlogy(a: Any, b: Any) -> Any:
    b = np.asarray(b).astype(np.asarray(a).dtype, copy=False)  # of the gradient's rule it is as it was given
    product = a * nearest.log(b)
    return np.where(np.isnan(b), b, np.where(a == 0, np.zeros_like(product), product)).astype(product.dtype)[()]


def share_of(value: Any, b: Any) -> Any:
    """value / b, which PyTorch writes into a tensor of b's dtype.

    Raises:
        TorchError: b has whole numbers.
    """
    if plain(b).dtype.kind not in FLOATING:
        kind = type_name(plain(b).dtype)
        raise TorchError(
            f"result type Float can't be cast to the desired output type {kind}",
            hint="Convert the divisor to a floating dtype, e.g. with .float().",
        )
    return value / b


def xlogy_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    """dL/da of a ln b; 0 where a is 0 and b is not positive."""
    undefined = (plain(a) == 0) & (plain(b) <= 0)
    return F.where(undefined, 0.0, call("xlogy", g, b))


def _xlogy_number_rule(g: Any, y: Any, a: Any, other: float) -> Any:
    b = number(plain(g), other)
    product = call("xlogy", g, np.broadcast_to(b, plain(g).shape))
    return product if other > 0 else F.where(plain(a) == 0, 0.0, product)


# ---- choices ----


def _heads(a: Any, b: Any) -> Any:
    return (a >= b) | np.isnan(b)


def _least(a: Any, b: Any) -> Any:
    return (a <= b) | np.isnan(b)


def _chosen(holds: Any) -> Any:
    # Not numpy's fmax: which of two zeros that gives depends on the processor.
    return lambda a, b: np.asarray(np.where(holds(a, b), a, b))[()]


def _mine(holds: Any) -> Any:
    """The share of the first: all where it is chosen."""
    return lambda g, y, a, b: F.zero_where(~holds(plain(a), plain(b)), g)


def _theirs(holds: Any) -> Any:
    """The share of the second: all where the first is not chosen."""
    return lambda g, y, a, b: F.zero_where(holds(plain(a), plain(b)), g)


def _low(x: Any, min: Any) -> Any:
    return np.where((x < min) | np.isnan(min), min, x).astype(x.dtype)[()]


def _high(x: Any, max: Any) -> Any:
    return np.where((x > max) | np.isnan(max), max, x).astype(x.dtype)[()]


def _above(x: Any, bound: Any) -> Any:
    return np.asarray(x >= bound)


def _below(x: Any, bound: Any) -> Any:
    return np.asarray(x <= bound)


def copysign_rule(g: Any, y: Any, x: Any, other: Any) -> Any:
    """g with the sign of y / x; 0 at 0."""
    a = plain(x)
    same = np.where(a == 0, 0.0, plain(y) / a).astype(plain(g).dtype)[()]
    return g * (F.constant(same, g.tape) if isinstance(g, F.Tensor) else same)


# ---- between and beside ----


def _lerp(a: Any, b: Any, weight: Any) -> Any:
    w = np.asarray(weight, a.dtype)
    near = np.abs(w) < 0.5
    share = np.where(near, w, w - w.dtype.type(1))
    return nearest.fused(share, b - a, np.asarray(np.where(near, a, b))).astype(a.dtype)[()]


TABLE = (
    Op("fmod", "mod", np.fmod, (lambda g, y, a, b: g, _past(truncated)), ("a", "b"), ("g", "-g * trunc(a / b)"),
       "y = a − trunc(a / b) · b", APART, "FmodBackward1", saves("a b"), keeps_integers=True),
    Op("fmod_number", "mod", lambda x, other: np.fmod(x, number(x, other)), (lambda g, y, x, other: g * 1,), ("x",),
       ("g",), "y = x − trunc(x / c) · c", (case([0.5, -1.2, 2.3], other=0.7),), "FmodBackward0", keeps_integers=True),
    Op("remainder", "mod", remainder_array, (lambda g, y, a, b: g, _past(np.floor_divide)), ("a", "b"),
       ("g", "-g * floor(a / b)"), "y = a − ⌊a / b⌋ · b", APART, "RemainderBackward1", saves("a b"),
       keeps_integers=True),
    Op("remainder_number", "mod", lambda x, other: remainder_array(x, number(x, other)),
       (lambda g, y, x, other: g * 1,), ("x",), ("g",), "y = x − ⌊x / c⌋ · c", (case([0.5, -1.2, 2.3], other=0.7),),
       "RemainderBackward0", keeps_integers=True),
    Op("div_rounded", "÷", lambda a, b, rounding_mode: (np.floor_divide if rounding_mode == "floor" else truncated)(a, b),
       (lambda g, y, a, b, rounding_mode: zeros(g), lambda g, y, a, b, rounding_mode: zeros(g)), ("a", "b"),
       ("0 * g / b", "0 * g * a / b"), "y = a / b, rounded", (case([0.5, -1.2], [1.5, 0.7], rounding_mode="floor"),),
       "DivBackward2", saves("a b"), keeps_integers=True, note="A rounded quotient is flat between its steps: gradient 0."),
    Op("atan2", "atan", nearest.atan2,
       (lambda g, y, a, b: g * F.as_of_both(b, a, b) * _over_square(a, b),
        lambda g, y, a, b: g * -F.as_of_both(a, a, b) * _over_square(a, b)), ("a", "b"),
       ("g * b / (a ** 2 + b ** 2)", "-g * a / (a ** 2 + b ** 2)"), "y = the angle of the point (b, a)", PAIR,
       "Atan2Backward0", saves("a b"), promotes=False, note="At the origin the gradient is 0."),
    Op("hypot", "√", np.hypot, (lambda g, y, a, b: g * a / y, lambda g, y, a, b: g * b / y), ("a", "b"),
       ("g * a / y", "g * b / y"), "y = √(a² + b²)", PAIR, "HypotBackward0", saves("a b y"),
       note="At the origin the gradient is NaN."),
    Op("logaddexp", "lae", np.logaddexp,
       (lambda g, y, a, b: g / (1.0 + F.exp(b - a)), lambda g, y, a, b: g / (1.0 + F.exp(a - b))), ("a", "b"),
       ("g / (1 + exp(b - a))", "g / (1 + exp(a - b))"), "y = ln(eᵃ + eᵇ)", PAIR, "LogaddexpBackward0", saves("a b")),
    Op("logaddexp2", "lae", np.logaddexp2,
       (lambda g, y, a, b: g / (1.0 + call("exp2", b - a)), lambda g, y, a, b: g / (1.0 + call("exp2", a - b))),
       ("a", "b"), ("g / (1 + 2 ** (b - a))", "g / (1 + 2 ** (a - b))"), "y = log₂(2ᵃ + 2ᵇ)", PAIR,
       "Logaddexp2Backward0", saves("a b")),
    Op("xlogy", "x ln", _xlogy, (xlogy_rule, lambda g, y, a, b: g * a / b), ("a", "b"),
       ("where((a == 0) & (b <= 0), 0, g * log(b))", "g * a / b"), "y = a ln b, 0 at a = 0", POSITIVE,
       "XlogyBackward0", saves("a b"), note="At a = 0 the gradient for a is 0 where b is not positive."),
    Op("xlogy_of", "x ln", lambda x, base: _xlogy(number(x, base), x), (lambda g, y, x, base: g * base / x,), ("x",),
       ("g * base / x",), "y = c ln x", (case([0.5, 1.7], base=2.0),), "XlogyBackward1", saves("x")),
    Op("xlogy_number", "x ln", lambda x, other: _xlogy(x, number(x, other)), (_xlogy_number_rule,), ("x",),
       ("g * log(other)",), "y = x ln c", (case([0.5, 1.7], other=3.0),), "XlogyBackward2", saves("x")),
    Op("fmax", "max", _chosen(_heads), (_mine(_heads), _theirs(_heads)), ("a", "b"),
       ("where((a >= b) | isnan(b), g, 0)", "where((a >= b) | isnan(b), 0, g)"), "y = max(a, b); a NaN loses", PAIR,
       "FmaxBackward0", saves("a b"), keeps_integers=True, note="Where a = b all of the gradient goes to a."),
    Op("fmin", "min", _chosen(_least), (_mine(_least), _theirs(_least)), ("a", "b"),
       ("where((a <= b) | isnan(b), g, 0)", "where((a <= b) | isnan(b), 0, g)"), "y = min(a, b); a NaN loses", PAIR,
       "FminBackward0", saves("a b"), keeps_integers=True, note="Where a = b all of the gradient goes to a."),
    Op("clamp_min", "clip", _low, (lambda g, y, x, min: F.zero_where(~_above(plain(x), min), g),), ("x",),
       ("where(x >= min, g, 0)",), "y = x, at least min", (case([-2.0, 0.3, 1.7], min=-1.0),), "ClampMinBackward0",
       saves("x"), keeps_integers=True, note="At the bound the gradient is 1."),
    Op("clamp_max", "clip", _high, (lambda g, y, x, max: F.zero_where(~_below(plain(x), max), g),), ("x",),
       ("where(x <= max, g, 0)",), "y = x, at most max", (case([-2.0, 0.3, 1.7], max=1.0),), "ClampMaxBackward0",
       saves("x"), keeps_integers=True, note="At the bound the gradient is 1."),
    Op("clamp_min_tensor", "clip", _low, (_mine(_above), lambda g, y, x, min: F.zero_where(
        ~np.asarray(plain(x) < plain(min)), g)), ("x", "min"), ("where(x >= min, g, 0)", "where(x < min, g, 0)"),
       "y = x, at least min", PAIR, "ClampMinBackward1", saves("x min"), keeps_integers=True,
       note="At the bound the gradient goes to x."),
    Op("clamp_max_tensor", "clip", _high, (_mine(_below), lambda g, y, x, max: F.zero_where(
        ~np.asarray(plain(x) > plain(max)), g)), ("x", "max"), ("where(x <= max, g, 0)", "where(x > max, g, 0)"),
       "y = x, at most max", PAIR, "ClampMaxBackward1", saves("x max"), keeps_integers=True,
       note="At the bound the gradient goes to x."),
    Op("copysign", "±", np.copysign, (copysign_rule, lambda g, y, x, other: zeros(g)), ("x", "other"),
       ("g * y / x", "0 * g"), "y = |x| with the sign of the other", PAIR, "CopysignBackward0",
       saves("x y"), note="At x = 0 the gradient is 0."),
    Op("copysign_number", "±", lambda x, other: np.copysign(x, number(x, other)), (copysign_rule,), ("x",),
       ("g * y / x",), "y = |x| with the sign of a number", (case([0.5, -1.2], other=-2.0),),
       "CopysignBackward1", saves("x y"), note="At x = 0 the gradient is 0."),
    Op("lerp", "lerp", _lerp,
       (lambda g, y, a, b, weight: g * (1 - weight), lambda g, y, a, b, weight: g * weight,
        lambda g, y, a, b, weight: g * (b - a)), ("a", "b", "weight"), ("g * (1 - weight)", "g * weight", "g * (b - a)"),
       "y = a + weight · (b − a)", (case([0.5, -1.2], [1.5, 0.7], [0.2, 0.9]),), "LerpBackward1", saves("a b weight")),
    Op("lerp_number", "lerp", _lerp,
       (lambda g, y, a, b, weight: g * (1 - weight), lambda g, y, a, b, weight: g * weight), ("a", "b"),
       ("g * (1 - weight)", "g * weight"), "y = a + weight · (b − a)", (case([0.5, -1.2], [1.5, 0.7], weight=0.3),),
       "LerpBackward0"),
    Op("addcmul", "+×", lambda x, a, b, value: nearest.fused(number(x, value) * a, b, x),
       (lambda g, y, x, a, b, value: g, lambda g, y, x, a, b, value: g * (b * value),
        lambda g, y, x, a, b, value: g * (a * value)), ("x", "a", "b"), ("g", "g * b * value", "g * a * value"),
       "y = x + value · a · b", THREE, "AddcmulBackward0", saves("a b"), keeps_integers=True),
    Op("addcdiv", "+÷", lambda x, a, b, value: x + number(x, value) * a / b,
       (lambda g, y, x, a, b, value: g, lambda g, y, x, a, b, value: g * share_of(value, b),
        lambda g, y, x, a, b, value: -g * (a * value / (b * b))), ("x", "a", "b"),
       ("g", "g * value / b", "-g * value * a / b ** 2"), "y = x + value · a / b", THREE, "AddcdivBackward0",
       saves("a b")),
)  # fmt: skip

NAMES: dict[str, Any] = {"floor": np.floor, "isnan": np.isnan, "trunc": np.trunc}
"""Functions that the formulas use."""

__all__ = ["NAMES", "TABLE", "remainder_array", "truncated"]
