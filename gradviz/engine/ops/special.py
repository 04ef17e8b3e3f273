"""Functions of statistics and their kin, element by element: x ln y, entropy, logit, sinc and others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.apply import apply, as_operand, floating, function_of, operator_of, tensor_given
from gradviz.engine.dtypes import DTYPES, dtype_of, result_dtype
from gradviz.engine.op import Op, example, names
from gradviz.engine.ops import elementwise as e
from gradviz.engine.ops import rules as r
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, constant, current

A, B = [[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]], [[1.5, 2.5, 0.5], [0.75, 2.0, 1.25]]
SHARES = [0.1, 0.45, 0.8]


def _product_with_log(log: Callable[[Any], Any], a: Any, b: Any) -> Any:
    """a · log(b), but 0 where a is 0, unless b is NaN."""
    found = a * log(b)
    return np.where((a == 0) & ~np.isnan(b), 0, found).astype(found.dtype)[()]


def _factor_rule(function: Callable[[Any, Any], Any], edge: float) -> Callable[..., Any]:
    """The rule of a in a · log(b): g · log(b), but 0 where g is 0, or where a is 0 and that would be infinite."""

    def rule(g: Any, y: Any, a: Any, b: Any) -> Any:
        is_lost = (r.plain(a) == 0) & (r.plain(b) <= edge)
        return r.where(is_lost, 0.0, function(g, b))

    return rule


def _times_log(a: Any, b: Any) -> Any:
    return _xlogy(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else _product_with_log(np.log, a, b)


def _times_log1p(a: Any, b: Any) -> Any:
    return _xlog1py(a, b) if isinstance(a, Tensor) or isinstance(b, Tensor) else _product_with_log(np.log1p, a, b)


XLOGY = Op(
    "xlogy", lambda a, b: _product_with_log(np.log, a, b), (_factor_rule(_times_log, 0), lambda g, y, a, b: g * a / b),
    ("a", "b"), ("g * log(b)", "g * a / b"), "y = a · ln b", (example(A, B),), names("a b"),
    note="Where a = 0 it is 0, whatever b is; there a gets 0 where b is not above 0.",
)  # fmt: skip
XLOG1PY = Op(
    "xlog1py", lambda a, b: _product_with_log(np.log1p, a, b),
    (_factor_rule(_times_log1p, -1), lambda g, y, a, b: g * a / (b + 1)), ("a", "b"),
    ("g * log(1 + b)", "g * a / (b + 1)"),
    "y = a · ln(1 + b)", (example(A, B),), names("a b"), "SpecialXlog1PyBackward0",
    "Where a = 0 it is 0, whatever b is.",
)  # fmt: skip
LOGADDEXP2 = Op(
    "logaddexp2", np.logaddexp2,
    (lambda g, y, a, b: g / (r.exp((b - a) * e.LN2) + 1), lambda g, y, a, b: g / (r.exp((a - b) * e.LN2) + 1)),
    ("a", "b"), ("g / (1 + 2 ** (b - a))", "g / (1 + 2 ** (a - b))"), "y = log₂(2ᵃ + 2ᵇ)", (example(A, B),),
    names("a b"),
)  # fmt: skip


def _copysign_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    numbers = r.plain(a)
    return g * r.mask(np.where(numbers == 0, 0, r.plain(y) / numbers), g)


COPYSIGN = Op(
    "copysign", np.copysign, (_copysign_rule, lambda g, y, a, b: r.zeros_like(g)), ("a", "b"),
    ("g * sign(y) * sign(a)", "0"), "y = |a| with the sign of b", (example(A, B),), names("a y"),
)  # fmt: skip


def _entropy(x: Any) -> Any:
    found = -x * np.log(np.where(x > 0, x, 1))
    return np.where(x < 0, -np.inf, np.where(np.isnan(x), x, found)).astype(x.dtype)[()]


ENTR = Op(
    "entr", _entropy, (lambda g, y, x: -g * (r.log(x) + 1),), formula=("-g * (log(x) + 1)",), equation="y = −x · ln x",
    examples=(example(SHARES),), saves=names("x"), node="SpecialEntrBackward0",
    note="At 0 it is 0 and its gradient infinite.",
)  # fmt: skip


def _logit(x: Any, eps: float | None) -> Any:
    z = x if eps is None else np.clip(x, eps, 1 - eps).astype(x.dtype)
    return np.log(z / (1 - z))


def _logit_rule(g: Any, y: Any, x: Any, eps: float | None) -> Any:
    numbers = r.plain(x)
    if eps is not None:
        return r.where((numbers < eps) | (numbers > 1 - eps), 0.0, g / (x * (1 - x)))
    x = r.where(numbers == 0, 0.0, x)  # not -0: the slope at the ends is +inf
    return r.where((numbers < 0) | (numbers > 1), math.nan, g / (x * (1 - x)))


LOGIT = Op(
    "logit", _logit, (_logit_rule,), formula=("g / (x * (1 - x)) where eps <= x <= 1 - eps, else 0",),
    equation="y = ln(x / (1 − x))", examples=(example(SHARES, eps=None), example([0.05, 0.5, 0.8], eps=0.1)),
    saves=names("x"),
)  # fmt: skip


def _sinc_rule(g: Any, y: Any, x: Any) -> Any:
    is_middle = r.plain(x) == 0
    z = r.where(is_middle, 1.0, x) * math.pi
    return r.where(is_middle, 0.0, g * ((r.cos(z) * z - r.sin(z)) / (z * z) * math.pi))


SINC = Op(
    "sinc", lambda x: np.sinc(x).astype(x.dtype), (_sinc_rule,),
    formula=("g * (cos(pi * x) * pi * x - sin(pi * x)) / (pi * x ** 2)",), equation="y = sin(πx) / (πx), 1 at 0",
    examples=(example([-1.3, 0.4, 2.1]),), saves=names("x"),
)  # fmt: skip
DEG2RAD, RAD2DEG = (
    Op(
        name, lambda x, factor=factor: x * x.dtype.type(factor), (lambda g, y, x, factor=factor: g * factor,),
        formula=(f"g * {text}",), equation=f"y = {shown}", examples=(example([-1.3, 0.4, 2.1]),), node=node,
    )
    for name, node, factor, text, shown in (
        ("deg2rad", "Deg2RadBackward0", math.pi / 180, "pi / 180", "x · π / 180"),
        ("rad2deg", "Rad2DegBackward0", 180 / math.pi, "180 / pi", "x · 180 / π"),
    )
)  # fmt: skip


def normal_quantile(p: float) -> float:
    """The x below which a standard normal number lies with probability p."""
    from statistics import NormalDist  # late: it brings fractions and decimal, and few scripts need it

    if 0 < p < 1:
        return NormalDist().inv_cdf(p)
    return -math.inf if p == 0 else math.inf if p == 1 else math.nan


NDTRI = Op(
    "ndtri", e.each(normal_quantile), (lambda g, y, x: g * (r.exp(y * y * 0.5) * math.sqrt(2 * math.pi)),),
    formula=("g * sqrt(2 * pi) * exp(y ** 2 / 2)",), equation="y = the quantile x of the normal distribution",
    examples=(example(SHARES),), saves=names("y"), node="SpecialNdtriBackward0",
)  # fmt: skip

TABLE = (XLOGY, XLOG1PY, LOGADDEXP2, COPYSIGN, ENTR, LOGIT, SINC, DEG2RAD, RAD2DEG, NDTRI)
"""The rows of this family."""

entr, sinc, deg2rad, rad2deg, _ndtri = (function_of(op) for op in (ENTR, SINC, DEG2RAD, RAD2DEG, NDTRI))
_xlogy, _xlog1py, _copysign, logaddexp2 = (operator_of(op) for op in (XLOGY, XLOG1PY, COPYSIGN, LOGADDEXP2))


def _pair(function: str, input: Any, other: Any) -> tuple[Any, Any]:
    """Two operands of floats, one of which may be a number."""
    if not isinstance(input, Tensor) and isinstance(other, Tensor):
        input = as_operand(input, other)
    x = tensor_given(function, input)
    if not isinstance(other, Tensor):
        return floating(x), other
    dtype = dtype_of(result_dtype(current(x).array, current(other).array, 1.0, default=state.dtype))
    first, second = (each if each.is_floating_point() else e.convert(each, dtype) for each in (x, other))
    return first, second


def xlogy(input: Any, other: Any) -> Tensor:
    """input · ln other, and 0 where input is 0."""
    return _xlogy(*_pair("xlogy", input, other))


def xlog1py(input: Any, other: Any) -> Tensor:
    """input · ln(1 + other), and 0 where input is 0."""
    return _xlog1py(*_pair("special_xlog1py", input, other))


def copysign(input: Tensor, other: Any) -> Tensor:
    """|input| with the sign of other."""
    return _copysign(*_pair("copysign", input, other))


def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """ln(input / (1 − input)), with input kept within [eps, 1 − eps]."""
    return apply(LOGIT, (floating(tensor_given("logit", input)),), eps=eps)


def ndtr(input: Tensor) -> Tensor:
    """The distribution function of the standard normal distribution."""
    found: Tensor = e.times_number(e.add(e.erf(e.times_number(floating(input), 1 / math.sqrt(2))), 1), 0.5)
    return found


def ndtri(input: Tensor) -> Tensor:
    """The quantiles of the standard normal distribution, the inverse of `ndtr`."""
    return _ndtri(input)


def mvlgamma(input: Tensor, p: int) -> Tensor:
    """ln of the multivariate gamma function of p dims, the sum of ln Γ(input − j / 2) over j < p and a constant."""
    x = floating(tensor_given("mvlgamma", input))
    found: Any = p * (p - 1) / 4 * math.log(math.pi)
    for j in range(p):
        found = e.add(e.lgamma(e.sub(x, j / 2)), found)
    made: Tensor = found
    return made


def float_power(input: Any, exponent: Any) -> Tensor:
    """input to the power of exponent, in float64."""
    a, b = (e.convert(x, DTYPES["float64"]) if isinstance(x, Tensor) else x for x in (input, exponent))
    return e.pow(a, float(b) if not isinstance(b, Tensor) else b)


def ldexp(input: Tensor, other: Tensor) -> Tensor:
    """input · 2 to the power of other."""
    return e.mul(input, e.pow(2.0, floating(other)))


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 below 0, 1 above, and at 0 what `values` say; a constant.

    Raises:
        RuntimeError: the dtypes differ.
    """
    x = current(tensor_given("heaviside", input)).array
    y = current(tensor_given("heaviside", values, "values", 2)).array
    if x.dtype != y.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return constant(np.heaviside(x, y).astype(x.dtype)[()])


def isposinf(input: Tensor) -> Tensor:
    """Where it is +∞."""
    return constant(np.asarray(current(tensor_given("isposinf", input)).array == np.inf)[()])


def isneginf(input: Tensor) -> Tensor:
    """Where it is −∞."""
    return constant(np.asarray(current(tensor_given("isneginf", input)).array == -np.inf)[()])


def positive(input: Tensor) -> Tensor:
    """The tensor itself."""
    return tensor_given("positive", input)


def rsub(input: Any, other: Any) -> Tensor:
    """other − input."""
    return e.sub(other if isinstance(other, Tensor) else as_operand(other, input), input)


def is_nonzero(input: Tensor) -> bool:
    """Whether its one element is not zero."""
    return bool(tensor_given("is_nonzero", input))


FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        copysign, deg2rad, float_power, heaviside, is_nonzero, isneginf, isposinf, ldexp, logaddexp2, logit, mvlgamma,
        positive, rad2deg, sinc, xlogy,
    )
}  # fmt: skip
"""What is a function of torch and a method of tensors alike."""
NAMESPACE: dict[str, Callable[..., Any]] = {"rsub": rsub}
"""What is a function of torch but no method of tensors."""
METHODS: dict[str, Any] = {}
"""What is a method of tensors but no function of torch."""
SECOND_NAMES: dict[str, str] = {}
"""Second names of the functions."""
IN_PLACE = "copysign deg2rad ldexp logit rad2deg sinc xlogy"
"""What is also done in place, under the name with an underscore."""
