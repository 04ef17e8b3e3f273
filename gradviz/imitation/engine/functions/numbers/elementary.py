"""Functions of one number: logarithms, powers, circular and hyperbolic functions, rounding."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.functions.arguments import need, refuse_bool, refuse_whole
from gradviz.imitation.engine.functions.numbers.arithmetic import pow
from gradviz.imitation.engine.functions.numbers.conversion import to
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.tensor import Tensor, apply, constant, unary

SMOOTH = (
    "log1p", "log2", "log10", "exp2", "expm1", "sinh", "cosh", "asin", "acos", "atan", "asinh", "acosh", "atanh",
    "erf", "erfc", "rsqrt", "sinc", "deg2rad", "rad2deg",
)  # fmt: skip
STEPS = ("sign", "sgn", "floor", "ceil", "trunc")
IN_PLACE = (*SMOOTH, *STEPS, "frac")
"""Names of ops with an in-place form that takes no arguments."""


def _smooth(name: str) -> Callable[[Any], Tensor]:
    def function(input: Any) -> Tensor:
        return unary(OPS[name], need(name, input))

    function.__name__ = name
    return function


def _step(name: str) -> Callable[[Any], Tensor]:
    """A function that leaves whole numbers as they are."""

    def function(input: Any) -> Tensor:
        x = need(name, input)
        if x.dtype.kind not in FLOATING and name not in ("sign", "sgn"):
            refuse_bool(x, f"{name}_vml_cpu")
            return constant(np.array(x.data)[()], x.tape)
        return constant(np.array(x.data)[()], x.tape) if x.dtype.kind == "b" else unary(OPS[name], x)

    function.__name__ = name
    return function


def frac(input: Tensor) -> Tensor:
    x = need("frac", input)
    refuse_whole(x, "frac_cpu")
    return unary(OPS["frac"], x)


def _floating(x: Tensor) -> Tensor:
    return x if x.dtype.kind in FLOATING else constant(x.data.astype(x.tape.float_dtype), x.tape)


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    x = need("round", input)
    if x.dtype.kind not in FLOATING:
        if decimals:
            refuse_whole(x, "round_cpu")
        refuse_bool(x, "round_vml_cpu")
        return constant(np.array(x.data)[()], x.tape)
    return unary(OPS["round"], x) if decimals == 0 else apply(OPS["round_to"], (x,), decimals=decimals)


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    return apply(OPS["logit"], (_floating(need("logit", input)),), eps=eps)


def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    x = need("nan_to_num", input)
    return apply(OPS["nan_to_num"], (x,), nan=nan or 0.0, posinf=posinf, neginf=neginf)


def positive(input: Tensor) -> Tensor:
    return need("positive", input)


def float_power(input: Any, exponent: Any) -> Tensor:
    """A power in float64."""
    double = np.dtype(np.float64)
    base, power = (to(x, double) if isinstance(x, Tensor) else x for x in (input, exponent))
    return pow(base, float(power) if isinstance(power, int) else power)


def _test(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Tensor]:
    def ask(input: Any) -> Tensor:
        x = need(name, input)
        return constant(np.asarray(function(x.data))[()], x.tape)

    ask.__name__ = name
    return ask


TESTS: dict[str, Callable[[Any], Any]] = {
    "signbit": np.signbit, "isposinf": lambda x: x == np.inf, "isneginf": lambda x: x == -np.inf,
    "isreal": lambda x: np.ones(x.shape, np.bool_), "bitwise_not": np.invert,
}  # fmt: skip

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _smooth(name) for name in SMOOTH},
    **{name: _step(name) for name in STEPS},
    **{name: _test(name, function) for name, function in TESTS.items()},
    "round": round,
    "angle": _smooth("angle"),
    "logit": logit,
    "nan_to_num": nan_to_num,
    "frac": frac,
    "positive": positive,
    "float_power": float_power,
}
ALIASES = {
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "fix": "trunc",
}  # fmt: skip
FUNCTIONS |= {name: FUNCTIONS[known] for name, known in ALIASES.items()}
