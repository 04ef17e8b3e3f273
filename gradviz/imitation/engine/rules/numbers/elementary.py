"""Functions of one number: logarithms, powers, circular and hyperbolic functions, rounding.

Source of the conventions: PyTorch's derivative formulas, checked against its values.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels import left_over, nearest
from gradviz.imitation.engine.kernels.gelu import erf_array
from gradviz.imitation.engine.rules.calling import call, number, zeros
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.numbers.elementwise import SIGNED, SMOOTH

LN2, LN10, TWO_OVER_ROOT_PI = math.log(2), math.log(10), 2 / math.sqrt(math.pi)
INSIDE = (case([-0.7, 0.2, 0.55]), case(0.4))
"""Numbers between −1 and 1."""
ABOVE = (case([1.3, 2.0, 4.5]),)
FLAT = "The function is flat between its steps, so the gradient is 0 everywhere, at the steps too."

_erfc = np.frompyfunc(math.erfc, 1, 1)


def _of_python(function: Any) -> Any:
    """A function of Python's, on each number; computed in float64, so exact in float32."""
    return lambda x: np.asarray(function(np.asarray(x, np.float64))).astype(x.dtype)[()]


erfc_array = _of_python(_erfc)


def rsqrt(x: Any) -> Any:
    """1 / √x."""
    return call("rsqrt", x)


def _rsqrt(x: Any) -> Any:
    return np.reciprocal(np.sqrt(x))


def _expm(x: Any) -> Any:
    return F.exp(-(x * x))


def _sinc(x: Any) -> Any:
    t = x * number(x, math.pi)
    return np.where(x == 0, number(x, 1), nearest.sin(t) / np.where(x == 0, number(x, 1), t))[()]


def sinc_rule(g: Any, y: Any, x: Any) -> Any:
    """g · (πx cos πx − sin πx) / πx², and 0 at 0."""
    t = x * math.pi
    square = x * x * math.pi
    at_0 = plain(square) == 0
    return F.where(at_0, 0.0, g * ((t * F.cos(t) - F.sin(t)) / square))


def _sign(x: Any) -> Any:
    return np.nan_to_num(np.sign(x)) if x.dtype.kind == "f" else np.sign(x)


def _round(x: Any, decimals: int) -> Any:
    scale = number(x, 10.0 ** abs(decimals))
    return np.round(x * scale) / scale if decimals > 0 else np.round(x / scale) * scale


def _nan_to_num(x: Any, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None) -> Any:
    return np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf)


def _logit(x: Any, eps: float | None = None) -> Any:
    z = x if eps is None else np.where(x < eps, number(x, eps), np.where(x > 1 - eps, number(x, 1 - eps), x))[()]
    return nearest.log(z / (1 - z))


def logit_rule(g: Any, y: Any, x: Any, eps: float | None = None) -> Any:
    """g / (x (1 − x)); outside it is NaN without eps, 0 with it."""
    a, slope = plain(x), g / (x * (1.0 - x))
    if eps is not None:
        return F.where((a < eps) | (a > 1 - eps), 0.0, slope)
    at_end = (a == 0) | (a == 1)
    return F.where((a < 0) | (a > 1), math.nan, F.where(at_end, g * math.inf, slope))


def flat_rule(g: Any, y: Any, x: Any, **_: Any) -> Any:
    """0, as for every function that only jumps."""
    return zeros(g)


def _scaled(factor: float) -> tuple[Any, Any]:
    return lambda x: x * number(x, factor), lambda g, y, x: g * factor


_deg2rad, _deg2rad_rule = _scaled(math.pi / 180)
_rad2deg, _rad2deg_rule = _scaled(180 / math.pi)


def _angle(x: Any) -> Any:
    y = np.where(x < 0, x.dtype.type(math.pi), x.dtype.type(0))
    return np.where(np.isnan(x), x, y)[()]


def _steps(name: str, symbol: str, forward: Any, equation: str, node: str, kept: str = "") -> Op:
    return Op(name, symbol, forward, (flat_rule,), ("x",), ("0 * g",), equation, INSIDE, node, saves(kept),
              keeps_integers=True, note=FLAT)  # fmt: skip


TABLE = (
    Op("log1p", "ln", nearest.log1p, (lambda g, y, x: g / (x + 1),), ("x",), ("g / (x + 1)",), "y = ln(1 + x)", SMOOTH,
       "Log1PBackward0", saves("x"), note="At x = −1 the gradient is infinite."),
    Op("log2", "log₂", nearest.log2, (lambda g, y, x: g / (x * LN2),), ("x",), ("g / (x * log(2))",), "y = log₂ x", SMOOTH,
       "Log2Backward0", saves("x"), note="At x = 0 the gradient is infinite."),
    Op("log10", "log", nearest.log10, (lambda g, y, x: g / (x * LN10),), ("x",), ("g / (x * log(10))",), "y = log₁₀ x",
       SMOOTH, "Log10Backward0", saves("x"), note="At x = 0 the gradient is infinite."),
    Op("exp2", "2ˣ", nearest.exp2, (lambda g, y, x: g * y * LN2,), ("x",), ("g * y * log(2)",), "y = 2ˣ", SIGNED,
       "Exp2Backward0", saves("y")),
    Op("expm1", "exp", nearest.expm1, (lambda g, y, x: g * (y + 1),), ("x",), ("g * (y + 1)",), "y = eˣ − 1", SIGNED,
       "Expm1Backward0", saves("y")),
    Op("sinh", "sinh", left_over.sinh, (lambda g, y, x: g * call("cosh", x),), ("x",), ("g * cosh(x)",), "y = sinh x", SIGNED,
       "SinhBackward0", saves("x")),
    Op("cosh", "cosh", left_over.cosh, (lambda g, y, x: g * call("sinh", x),), ("x",), ("g * sinh(x)",), "y = cosh x", SIGNED,
       "CoshBackward0", saves("x")),
    Op("asin", "asin", nearest.asin, (lambda g, y, x: g * rsqrt(-x * x + 1),), ("x",), ("g / sqrt(1 - x ** 2)",),
       "y = arcsin x", INSIDE, "AsinBackward0", saves("x"), note="At x = ±1 the gradient is infinite."),
    Op("acos", "acos", nearest.acos, (lambda g, y, x: g * -rsqrt(-x * x + 1),), ("x",), ("-g / sqrt(1 - x ** 2)",),
       "y = arccos x", INSIDE, "AcosBackward0", saves("x"), note="At x = ±1 the gradient is infinite."),
    Op("atan", "atan", nearest.atan, (lambda g, y, x: g / (x * x + 1),), ("x",), ("g / (x ** 2 + 1)",), "y = arctan x",
       SIGNED, "AtanBackward0", saves("x")),
    Op("asinh", "asinh", left_over.asinh, (lambda g, y, x: g * rsqrt(x * x + 1),), ("x",), ("g / sqrt(x ** 2 + 1)",),
       "y = arsinh x", SIGNED, "AsinhBackward0", saves("x")),
    Op("acosh", "acosh", left_over.acosh, (lambda g, y, x: g * rsqrt(x * x - 1),), ("x",),
       ("g / sqrt(x ** 2 - 1)",), "y = arcosh x", ABOVE, "AcoshBackward0", saves("x"),
       note="At x = 1 the gradient is infinite."),
    Op("atanh", "atanh", left_over.atanh, (lambda g, y, x: g / (1.0 - x * x),), ("x",), ("g / (1 - x ** 2)",),
       "y = artanh x", INSIDE, "AtanhBackward0", saves("x"), note="At x = ±1 the gradient is infinite."),
    Op("erf", "erf", erf_array, (lambda g, y, x: TWO_OVER_ROOT_PI * _expm(x) * g,), ("x",),
       ("2 / sqrt(pi) * exp(-x ** 2) * g",), "y = erf x", SIGNED, "ErfBackward0", saves("x")),
    Op("erfc", "erfc", erfc_array, (lambda g, y, x: -TWO_OVER_ROOT_PI * _expm(x) * g,), ("x",),
       ("-2 / sqrt(pi) * exp(-x ** 2) * g",), "y = 1 − erf x", SIGNED, "ErfcBackward0", saves("x")),
    Op("rsqrt", "1/√", _rsqrt, (lambda g, y, x: g * -0.5 * (y * y * y),), ("x",), ("-g * y ** 3 / 2",), "y = 1 / √x",
       SMOOTH, "RsqrtBackward0", saves("y"), note="At x = 0 the gradient is infinite."),
    Op("sinc", "sinc", _sinc, (sinc_rule,), ("x",),
       ("g * (x * pi * cos(x * pi) - sin(x * pi)) / (x ** 2 * pi)",), "y = sin(πx) / (πx)", SIGNED, "SincBackward0",
       saves("x"), note="At x = 0 the gradient is 0."),
    Op("deg2rad", "°", _deg2rad, (_deg2rad_rule,), ("x",), ("g * (pi / 180)",), "y = π x / 180", SIGNED,
       "Deg2RadBackward0"),
    Op("rad2deg", "°", _rad2deg, (_rad2deg_rule,), ("x",), ("g * (180 / pi)",), "y = 180 x / π", SIGNED,
       "Rad2DegBackward0"),
    Op("logit", "logit", _logit, (logit_rule,), ("x",), ("g / (x * (1 - x))",), "y = ln(x / (1 − x))",
       (case([0.1, 0.45, 0.8], eps=None), case([0.1, 0.45, 0.8], eps=0.05)), "LogitBackward0", saves("x"),
       note="Outside 0 to 1 the gradient is NaN; with eps, outside eps to 1 − eps, it is 0."),
    Op("frac", "frac", lambda x: x - np.trunc(x), (lambda g, y, x: g * 1,), ("x",), ("g",), "y = x − trunc(x)", INSIDE,
       "FracBackward0", note="At a whole number the gradient is 1."),
    Op("nan_to_num", "0?", _nan_to_num,
       (lambda g, y, x, **_: g * F.mask(np.isfinite(plain(x)), g),), ("x",), ("where(isfinite(x), g, 0)",),
       "y = x, with numbers in the place of NaN and ∞", (case([0.4, -2.0], nan=0.0, posinf=None, neginf=None),),
       "NanToNumBackward0", saves("x"), keeps_integers=True, note="Where a number was replaced the gradient is 0."),
    _steps("sign", "±", _sign, "y = −1, 0 or 1", "SignBackward0"),
    _steps("sgn", "±", _sign, "y = −1, 0 or 1", "SgnBackward0", "x y"),
    Op("angle", "∠", _angle, (lambda g, y, x: zeros(x),), ("x",), ("0 * x",), "y = 0, or π for x < 0", INSIDE, "AngleBackward0",
       saves("x"), note=FLAT),
    _steps("floor", "⌊x⌋", np.floor, "y = ⌊x⌋", "FloorBackward0"),
    _steps("ceil", "⌈x⌉", np.ceil, "y = ⌈x⌉", "CeilBackward0"),
    _steps("trunc", "trunc", np.trunc, "y = x towards 0", "TruncBackward0"),
    _steps("round", "round", np.round, "y = x to the nearest even whole number", "RoundBackward0"),
    Op("round_to", "round", _round, (flat_rule,), ("x",), ("0 * g",), "y = x to so many decimals",
       (case([0.314, -1.287], decimals=1),), "RoundBackward1", keeps_integers=True, note=FLAT),
)  # fmt: skip

NAMES: dict[str, Any] = {"cosh": left_over.cosh, "isfinite": np.isfinite, "sinh": left_over.sinh, "sqrt": np.sqrt}
"""Functions that the formulas use."""
