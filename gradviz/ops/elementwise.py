"""Arithmetic and elementary functions, element by element.

Values at kinks are PyTorch's: the derivative of |x| is 0 at 0, equal arguments of max and min share the gradient.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.ops import error_function
from gradviz.ops import functions as r
from gradviz.ops.kinks import BOUNDS, EQUAL, at
from gradviz.ops.op import Op, Refusal, example, names, pass_on
from gradviz.ops.symbols import Number, Traced

A, B = [[0.5, -1.5, 2.0], [3.0, 0.25, -0.75]], [[1.5, 2.5, -0.5], [0.75, -2.0, 1.25]]
OVER, UNDER = [[0.5, -1.6, 2.2], [3.1, 0.25, -0.75]], [[1.5, 0.7, -0.6], [0.8, -2.0, 1.25]]
POSITIVE = [0.3, 1.0, 2.7]
ANY = [-1.3, 0.4, 2.1]


POWERS: dict[float, Callable[[Any], Any]] = {
    2: lambda x: x * x, 3: lambda x: x * x * x, 0.5: np.sqrt, -0.5: lambda x: 1 / np.sqrt(x), -1: lambda x: 1 / x,
    -2: lambda x: 1 / (x * x),
}  # fmt: skip
"""Exponents that have a shorter way; the root of minus infinity is NaN, where a power is infinite."""


def _pow_number(x: Any, exponent: float) -> Any:
    if exponent in POWERS:
        return POWERS[exponent](x)
    if isinstance(x, np.ndarray | Traced):
        return x**exponent
    return np.asarray(np.power(x, x.dtype.type(exponent)))[()] if x.dtype.kind == "f" else x**exponent


def _pow_number_rule(g: Any, y: Any, x: Any, exponent: float) -> Any:
    if exponent == 0:
        return r.zeros_like(g)
    if exponent == 2 and not isinstance(x, Traced):
        return g * (x + x)
    lower = exponent - 1
    return g * (exponent * (x**lower if isinstance(x, Traced) else _pow_number(x, lower)))


def _pow_base_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    return r.where(r.plain(b) == 0, 0.0, g * (b * a ** (b - 1)))


def _pow_exponent_rule(g: Any, y: Any, a: Any, b: Any) -> Any:
    base, dtype = r.plain(a), r.plain(y).dtype
    if base.dtype != dtype:  # the logarithm of a float32 has fewer digits than y
        a = r.through(TO, a, dtype=dtype.name)
    lost = (base == 0) & (r.plain(b) >= 0)
    return g * r.where(lost, 0.0, y * r.log(r.where(lost, 1.0, a)))


def _exponential_rule(g: Any, y: Any, x: Any, base: float) -> Any:
    if base == 0:
        return r.where(r.plain(x) >= 0, 0.0, g * (y * -math.inf))
    return g * (y * (math.log(base) if base > 0 else math.nan))


def _shared(wins: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The rules of max and min: what wins gets the gradient, equal arguments half each."""

    def share(mine: Any, other: Any, g: Any) -> Any:
        lost, tied = wins(r.plain(other), r.plain(mine)), r.plain(mine) == r.plain(other)
        return r.where(lost, 0.0, r.where(tied, g * 0.5, g))  # beside NaN both get all of it

    return (lambda g, y, a, b: share(a, b, g)), (lambda g, y, a, b: share(b, a, g))


def _winner(wins: Callable[[Any, Any], Any]) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What wins first, as people say it."""

    def share(mine: Any, other: Any, g: Any) -> Any:
        return r.where(wins(mine, other), g, r.where(mine == other, g / 2, 0))

    return (lambda g, y, a, b: share(a, b, g)), (lambda g, y, a, b: share(b, a, g))


def _at_origin(a: Any, b: Any) -> Any:
    """a² + b², but 1 where both are 0."""
    square = a * a + b * b
    return r.where(r.plain(square) == 0, 1.0, square)


def _div_trunc(a: Any, b: Any) -> Any:
    if np.asarray(a).dtype.kind == "f":
        return np.trunc(np.true_divide(a, b))
    return np.abs(a) // np.abs(b) * (np.sign(a) * np.sign(b))


def _clamp(x: Any, min: float | None, max: float | None) -> Any:
    return np.clip(x, min, max).astype(x.dtype, copy=False)[()]


def _clamp_rule(g: Any, y: Any, x: Any, min: float | None, max: float | None) -> Any:
    a = r.plain(x)
    if min is None or max is None:
        return r.kept_where(a <= max if min is None else a >= min, g)
    return r.kept_where((a >= min) & (a <= max), g)


def _real(x: Any, bound: Any) -> Any:
    """Where neither is NaN."""
    return ~np.isnan(r.plain(x) + r.plain(bound))


_ERF_A = 2 / math.sqrt(math.pi)


def _entropy(x: Any) -> Any:
    found = -x * np.log(np.where(x > 0, x, 1))
    return np.where(x < 0, -np.inf, np.where(np.isnan(x), x, found)).astype(x.dtype)[()]


def each(function: Callable[[float], float]) -> Callable[[Any], Any]:
    """A function of one number, for every element; for what numpy does not have."""
    vector = np.vectorize(function, otypes=[np.float64])

    def run(x: Any) -> Any:
        return vector(x).astype(x.dtype)[()] if np.size(x) else x

    return run


def log_gamma(x: float) -> float:
    """ln |Γ(x)|, infinite where Γ has no value."""
    return math.inf if x == -math.inf or (x <= 0 and x == math.floor(x)) else math.lgamma(x)


BERNOULLI_NUMBERS = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
"""B₂, B₄, …: the coefficients of Stirling's series."""


def polygamma_of(n: int, x: float) -> float:
    """The derivative of order n of ψ = (ln Γ)′, by its recurrence and its asymptotic series.

    Source: Abramowitz and Stegun 6.3.5, 6.3.18, 6.4.6, 6.4.11; below 0 ψ by reflection (6.3.7).
    """
    if x == -math.inf or (x <= 0 and x == math.floor(x)):
        return (math.copysign(math.inf, -x) if x == 0 else math.nan) if n == 0 else math.inf
    if n == 0 and x < 0:
        return polygamma_of(0, 1 - x) - math.pi / math.tan(math.pi * x)
    sign, factor = -((-1) ** n), math.factorial(n)
    found = 0.0
    while x < 15:
        found += (-1 / x) if n == 0 else sign * factor / x ** (n + 1)
        x += 1
    if n == 0:
        return (
            found
            + math.log(x)
            - 0.5 / x
            - math.fsum(b / (2 * k * x ** (2 * k)) for k, b in enumerate(BERNOULLI_NUMBERS, 1))
        )
    series = math.fsum(
        b * math.factorial(2 * k + n - 1) / (math.factorial(2 * k) * x ** (2 * k + n))
        for k, b in enumerate(BERNOULLI_NUMBERS, 1)
    )
    return found + float(sign) * (math.factorial(n - 1) / x**n + factor / (2 * x ** (n + 1)) + series)


def polygamma_array(x: Any, n: int) -> Any:
    """`polygamma_of` for every element."""
    return each(lambda number: polygamma_of(n, number))(x)


ADD = Op(
    "add", operator.add, (pass_on, pass_on), ("a", "b"), (), "y = a + b",
    (example(A, B), example(A, [1.0, 2.0, 3.0])), keeps_integers=True, sign="+", kind="elementwise",
)  # fmt: skip
SUB = Op(
    "sub", operator.sub, (lambda g, y, a, b: g, lambda g, y, a, b: -g), ("a", "b"), (), "y = a − b",
    (example(A, B),), keeps_integers=True, sign="−", kind="elementwise",
)  # fmt: skip
FROM_NUMBER = replace(SUB, node="RsubBackward1")
"""A number minus a tensor: PyTorch's node has a name of its own then."""
MUL = Op(
    "mul", operator.mul, (lambda g, y, a, b: g * b, lambda g, y, a, b: g * a), ("a", "b"), (),
    "y = a · b", (example(A, B), example(A, [[2.0], [3.0]])), names("a b"), keeps_integers=True,
    sign="×", kind="elementwise",
)  # fmt: skip
DIV = Op(
    "div", lambda a, b: np.true_divide(a, b),
    (lambda g, y, a, b: g / b, lambda g, y, a, b: -g * a / (b * b)), ("a", "b"), (),
    "y = a / b", (example(A, B),), names("a b"), sign="÷", kind="elementwise",
)  # fmt: skip
PLUS_NUMBER = Op(
    "add", lambda x, number: x + x.dtype.type(number), (lambda g, y, x, number: g,),
    equation="y = x + number", examples=(example(ANY, number=0.3),), node="AddBackward1",
    sign="+", kind="elementwise",
)  # fmt: skip
TIMES_NUMBER = Op(
    "mul", lambda x, number: x * x.dtype.type(number), (lambda g, y, x, number: times_number(g, number),),
    equation="y = x · number", examples=(example(ANY, number=0.3),), node="MulBackward1",
    sign="×", kind="elementwise",
)  # fmt: skip
OVER_NUMBER = Op(
    "div", lambda x, number: x / x.dtype.type(number), (lambda g, y, x, number: over_number(g, number),),
    equation="y = x / number", examples=(example(ANY, number=3.0),), node="DivBackward1",
    sign="÷", kind="elementwise",
)  # fmt: skip
NEG = Op("neg", np.negative, (lambda g, y, x: -g,), equation="y = −x", examples=(example(ANY),),
         keeps_integers=True, sign="−", kind="elementwise")  # fmt: skip
POW_NUMBER = Op(
    "pow", _pow_number, (_pow_number_rule,), form=(lambda g, y, x, exponent: g * exponent * x ** (exponent - 1),), equation="y = xⁿ",
    examples=(example(POSITIVE, exponent=3), example(ANY, exponent=2), example(POSITIVE, exponent=-0.5)),
    saves=names("x"), node="PowBackward0", note="For n = 0 the gradient is 0, also at x = 0.", keeps_integers=True,
    sign="xⁿ", kind="elementwise",
)  # fmt: skip
POW = Op(
    "pow", lambda a, b: np.power(a, b), (_pow_base_rule, _pow_exponent_rule), ("a", "b"),
    (lambda g, y, a, b: g * b * a ** (b - 1), lambda g, y, a, b: g * y * r.log(a)), "y = aᵇ", (example(POSITIVE, [2.0, -1.0, 0.5]),), names("a b y"),
    "PowBackward1", "a to the power 0 sends nothing to a; 0 to any power sends nothing to the exponent.",
    keeps_integers=True, sign="xⁿ", kind="elementwise",
)  # fmt: skip
EXPONENTIAL = Op(
    "pow", lambda x, base: np.power(x.dtype.type(base), x), (_exponential_rule,),
    form=(lambda g, y, x, base: g * y * r.log(base),), equation="y = bˣ", examples=(example(ANY, base=2.5),), saves=names("y"),
    node="PowBackward2", sign="xⁿ", kind="elementwise",
)  # fmt: skip
MAXIMUM = Op(
    "maximum", np.maximum, _shared(lambda a, b: a > b), ("a", "b"), _winner(lambda a, b: a > b), "y = max(a, b)",
    (example(A, B),), names("a b"), note="Where a = b each gets half of the gradient, as the mean of both sides.",
    keeps_integers=True, kinks=EQUAL, sign="max", kind="elementwise",
)  # fmt: skip
MINIMUM = Op(
    "minimum", np.minimum, _shared(lambda a, b: a < b), ("a", "b"), _winner(lambda a, b: a < b), "y = min(a, b)",
    (example(A, B),), names("a b"), note="Where a = b each gets half of the gradient, as the mean of both sides.",
    keeps_integers=True, kinks=EQUAL, sign="min", kind="elementwise",
)  # fmt: skip
ATAN2 = Op(
    "atan2", np.arctan2,
    (lambda g, y, a, b: g * b / _at_origin(a, b), lambda g, y, a, b: -g * a / _at_origin(a, b)), ("a", "b"),
    (lambda g, y, a, b: g * b / (a**2 + b**2), lambda g, y, a, b: -g * a / (a**2 + b**2)), "y = angle of the point (b, a)", (example(A, B),),
    names("a b"), "Atan2Backward0", "At the origin the gradient is 0.", sign="∠", kind="elementwise",
)  # fmt: skip
LOGADDEXP = Op(
    "logaddexp", np.logaddexp,
    (lambda g, y, a, b: g / (r.exp(b - a) + 1), lambda g, y, a, b: g / (r.exp(a - b) + 1)), ("a", "b"),
    (), "y = ln(eᵃ + eᵇ)", (example(A, B),), names("a b"), sign="lse", kind="elementwise",
)  # fmt: skip
DIV_FLOOR, DIV_TRUNC = (
    Op(
        f"div_{mode}", forward, (lambda g, y, a, b: r.zeros_like(g), lambda g, y, a, b: r.zeros_like(g)), ("a", "b"),
        (), equation, (example(OVER, UNDER),), names("a b"), "DivBackward2",
        "It is flat between its jumps: the gradient is 0 everywhere.", keeps_integers=True,
        sign="÷", kind="elementwise",
    )
    for mode, forward, equation in (
        ("floor", np.floor_divide, "y = ⌊a / b⌋"), ("trunc", _div_trunc, "y = a / b without its fraction"),
    )
)  # fmt: skip


_NO_DERIVATIVE = Refusal("derivative for aten::floor_divide is not implemented")
FLOOR_DIVIDE = Op(
    "floor_divide", np.floor_divide, (_NO_DERIVATIVE, _NO_DERIVATIVE), ("a", "b"),
    (), "y = ⌊a / b⌋", node="NotImplemented", note="PyTorch sends no gradient through it: it is refused.",
    keeps_integers=True,
)  # fmt: skip
FMOD = Op(
    "fmod", np.fmod, (lambda g, y, a, b: g, lambda g, y, a, b: -g * r.mask(np.trunc(r.plain(a) / r.plain(b)), g)),
    ("a", "b"), (), "y = a − b · trunc(a / b)", (example(OVER, UNDER),), names("a b"),
    keeps_integers=True, sign="mod", kind="elementwise",
)  # fmt: skip
REMAINDER = Op(
    "remainder", np.remainder,
    (lambda g, y, a, b: g, lambda g, y, a, b: -g * r.mask(np.floor_divide(r.plain(a), r.plain(b)), g)), ("a", "b"),
    (None, lambda g, y, a, b: -g * np.floor(a / b)), "y = a − b · ⌊a / b⌋", (example(OVER, UNDER),), names("a b"), keeps_integers=True,
    sign="mod", kind="elementwise",
)  # fmt: skip
WHERE = Op(
    "where", lambda condition, a, b: np.asarray(np.where(condition, a, b))[()],
    (None, lambda g, y, condition, a, b: r.kept_where(condition, g),
     lambda g, y, condition, a, b: r.kept_where(~r.plain(condition), g)),
    ("condition", "a", "b"), (None, None, lambda g, y, condition, a, b: r.where(condition, 0, g)),
    "y = a where the condition holds, else b",
    (example(np.array([[True, False, True]]), A, B),), names("condition"),
    note="The branch not taken gets 0; but 0 · ∞ further back is NaN.", sign="if", kind="elementwise",
)  # fmt: skip
CLAMP = Op(
    "clamp", _clamp, (_clamp_rule,), equation="y = x kept between bounds",
    examples=(example(ANY, min=-1.0, max=1.0), example(ANY, min=0.0, max=None)), saves=names("x"),
    node="ClampBackward1", note="At a bound the gradient passes (PyTorch 2.13; JAX sends half).", keeps_integers=True,
    kinks=BOUNDS._replace(elsewhere="JAX takes 0.5"), sign="clip", kind="elementwise",
)  # fmt: skip
CLAMP_BOTH = Op(
    "clamp", lambda x, low, high: np.minimum(np.maximum(x, low), high),
    (lambda g, y, x, low, high: r.kept_where((r.plain(x) >= r.plain(low)) & (r.plain(x) <= r.plain(high)), g),
     lambda g, y, x, low, high: r.kept_where((r.plain(x) < r.plain(low)) & (r.plain(low) < r.plain(high)), g),
     lambda g, y, x, low, high: r.kept_where((r.plain(x) > r.plain(high)) | (r.plain(low) > r.plain(high)), g)),
    ("x", "low", "high"),
    (), "y = x kept between bounds", (example(A, [[-1.0], [0.5]], [1.0, 2.0, 1.5]),), names("x low high"), "ClampBackward0",
    "At a bound the gradient goes to x.", keeps_integers=True, kinks=BOUNDS._replace(elsewhere="JAX takes 0.5"), sign="clip", kind="elementwise",
)  # fmt: skip
CLAMP_MIN, CLAMP_MAX = (
    Op(
        f"clamp_{side}", forward,
        (lambda g, y, x, bound, beyond=beyond: r.kept_where(~beyond(r.plain(x), r.plain(bound)) & _real(x, bound), g),
         lambda g, y, x, bound, beyond=beyond: r.kept_where(beyond(r.plain(x), r.plain(bound)), g)), ("x", "bound"),
        (lambda g, y, x, bound, beyond=beyond: r.where(beyond(x, bound), 0, g), None), f"y = x, {least} bound", (example(A, B),), names("x bound"),
        f"Clamp{side.capitalize()}Backward1", "At the bound the gradient goes to x.", keeps_integers=True,
        kinks=BOUNDS, sign="clip", kind="elementwise",
    )
    for side, forward, beyond, least in (
        ("min", np.maximum, np.less, "but at least"), ("max", np.minimum, np.greater, "but at most"),
    )
)  # fmt: skip
CLAMP_MIN_NUMBER = replace(
    CLAMP, name="clamp_min", kinks=BOUNDS, forward=lambda x, min: _clamp(x, min, None), node="ClampMinBackward0",
    vjp=(lambda g, y, x, min: _clamp_rule(g, y, x, min, None),),
    equation="y = x, but at least min", examples=(example(ANY, min=-1.0),),
)  # fmt: skip
CLAMP_MAX_NUMBER = replace(
    CLAMP, name="clamp_max", kinks=BOUNDS, forward=lambda x, max: _clamp(x, None, max), node="ClampMaxBackward0",
    vjp=(lambda g, y, x, max: _clamp_rule(g, y, x, None, max),),
    equation="y = x, but at most max", examples=(example(ANY, max=1.0),),
)  # fmt: skip
LERP = Op(
    "lerp", lambda a, b, w: a + w * (b - a),
    (lambda g, y, a, b, w: g * (1 - w), lambda g, y, a, b, w: g * w, lambda g, y, a, b, w: g * (b - a)),
    ("a", "b", "w"), (), "y = a + w · (b − a)",
    (example(A, B, [0.1, 0.5, 0.9]),), names("a b w"), kind="elementwise",
)  # fmt: skip
CLONE = Op("clone", lambda x: x.copy(), (lambda g, y, x: g,), equation="y = a copy of x",
           examples=(example(ANY),), keeps_integers=True, sign="=", kind="copy", is_plumbing=True)  # fmt: skip
TO = Op(
    "to", lambda x, dtype: x.astype(dtype), (lambda g, y, x, dtype: g,),
    equation="y = x in another dtype", examples=(example(ANY, dtype="float64"),), node="ToCopyBackward0",
    sign="→", kind="copy",
)  # fmt: skip


def _unary(
    name: str, forward: Callable[[Any], Any], rule: Callable[[Any, Any, Any], Any], equation: str,
    saves: str = "x", points: Any = ANY, *, form: Callable[[Any, Any, Any], Any] | None = None, note: str = "",
    node: str = "", keeps_integers: bool = False, is_piecewise: bool = False, **facts: Any,
) -> Op:  # fmt: skip
    return Op(name, forward, (rule,), ("x",), (form,), equation, (example(points),), names(saves), node, note,
              keeps_integers=keeps_integers, is_piecewise=is_piecewise, **facts)  # fmt: skip


def _flat(g: Any, y: Any, x: Any) -> Any:
    return r.zeros_like(g)


FLAT = "It is flat between its jumps: the gradient is 0 everywhere."
LN2, LN10 = math.log(2), math.log(10)

# A Python number beside a small array takes numpy twice as long as another array, so the rule of sigmoid has none; that
# of tanh must, or an infinite gradient would become NaN.
EXP = _unary("exp", np.exp, lambda g, y, x: g * y, "y = eˣ", "y", sign="exp", kind="elementwise")
LOG = _unary("log", np.log, lambda g, y, x: g / x, "y = ln x", points=POSITIVE,
             note="At x = 0 the gradient is infinite; below 0 the value is NaN, the gradient still 1/x.",
             sign="ln", kind="elementwise")  # fmt: skip
SQRT = _unary("sqrt", np.sqrt, lambda g, y, x: g / (2 * y), "y = √x", "y", POSITIVE,
              note="At x = 0 the gradient is infinite.", sign="√", kind="elementwise")  # fmt: skip
TANH = _unary("tanh", np.tanh, lambda g, y, x: g * (1 - y * y), "y = tanh x", "y", sign="tanh", kind="elementwise")
SIGMOID = _unary("sigmoid", r.sigmoid, lambda g, y, x: g * (y - y * y), "y = 1 / (1 + e⁻ˣ)", "y",
                 form=lambda g, y, x: g * y * (1 - y), sign="σ", kind="elementwise")  # fmt: skip
SIN = _unary("sin", np.sin, lambda g, y, x: g * r.cos(x), "y = sin x", sign="sin", kind="elementwise")
COS = _unary("cos", np.cos, lambda g, y, x: -g * r.sin(x), "y = cos x", sign="cos", kind="elementwise")
POLYGAMMA: Op = Op(
    "polygamma", polygamma_array,
    (lambda g, y, x, n: g * r.through(POLYGAMMA, x, n=n + 1),), equation="y = ψ⁽ⁿ⁾(x)", examples=(example(POSITIVE, n=1),), saves=names("x"),
    sign="ψⁿ", kind="elementwise",
)  # fmt: skip
DIGAMMA: Op = _unary(
    "digamma",
    lambda x: polygamma_array(x, 0),
    lambda g, y, x: g * r.through(POLYGAMMA, x, n=1),
    "y = ψ(x), the derivative of ln Γ",
    points=POSITIVE,
    sign="ψ",
    kind="elementwise",
)
ERF = _unary("erf", error_function.erf, lambda g, y, x: g * (r.exp(-x * x) * _ERF_A), "y = erf x",
           form=lambda g, y, x: g * Number(_ERF_A, "2 / sqrt(pi)") * r.exp(-(x**2)),
           sign="erf", kind="elementwise")  # fmt: skip
UNARY = (
    EXP, LOG, SQRT, TANH, SIGMOID, SIN, COS,
    _unary("tan", np.tan, lambda g, y, x: g * (1 + y * y), "y = tan x", "y", sign="tan", kind="elementwise"),
    _unary("asin", np.arcsin, lambda g, y, x: g / r.sqrt(1 - x * x), "y = arcsin x", points=[-0.5, 0.2, 0.8],
    sign="asin", kind="elementwise"),
    _unary("acos", np.arccos, lambda g, y, x: -g / r.sqrt(1 - x * x), "y = arccos x", points=[-0.5, 0.2, 0.8],
    sign="acos", kind="elementwise"),
    _unary("atan", np.arctan, lambda g, y, x: g / (1 + x * x), "y = arctan x", sign="atan", kind="elementwise"),
    _unary("sinh", np.sinh, lambda g, y, x: g * r.cosh(x), "y = sinh x", sign="sinh", kind="elementwise"),
    _unary("cosh", np.cosh, lambda g, y, x: g * r.sinh(x), "y = cosh x", sign="cosh", kind="elementwise"),
    _unary("asinh", np.arcsinh, lambda g, y, x: g / r.sqrt(x * x + 1), "y = arsinh x",
    sign="asinh", kind="elementwise"),
    _unary("acosh", np.arccosh, lambda g, y, x: g / r.sqrt(x * x - 1), "y = arcosh x", points=[1.2, 2.0, 3.5],
    sign="acosh", kind="elementwise"),
    _unary("atanh", np.arctanh, lambda g, y, x: g / (1 - x * x), "y = artanh x", points=[-0.5, 0.2, 0.8],
    sign="atanh", kind="elementwise"),
    _unary("expm1", np.expm1, lambda g, y, x: g * (y + 1), "y = eˣ − 1", "y", sign="exp", kind="elementwise"),
    _unary("log2", np.log2, lambda g, y, x: g / (x * LN2), "y = log₂ x", points=POSITIVE,
           form=lambda g, y, x: g / (x * Number(LN2, "log(2)")), sign="log₂", kind="elementwise"),
    _unary("log10", np.log10, lambda g, y, x: g / (x * LN10), "y = log₁₀ x", points=POSITIVE,
           form=lambda g, y, x: g / (x * Number(LN10, "log(10)")), sign="log", kind="elementwise"),
    _unary("log1p", np.log1p, lambda g, y, x: g / (x + 1), "y = ln(1 + x)", points=POSITIVE, node="Log1PBackward0",
    sign="ln", kind="elementwise"),
    _unary("rsqrt", lambda x: 1 / np.sqrt(x), lambda g, y, x: g * (y * y * y) * -0.5, "y = 1 / √x", "y", POSITIVE,
           form=lambda g, y, x: -g * y**3 / 2, sign="1/√", kind="elementwise"),
    _unary("reciprocal", lambda x: 1 / x, lambda g, y, x: -g * (y * y), "y = 1 / x", "y", POSITIVE,
    sign="1/x", kind="elementwise"),
    _unary("square", lambda x: x * x, lambda g, y, x: g * (2 * x), "y = x²", node="PowBackward0", keeps_integers=True,
           form=lambda g, y, x: g * 2 * x, sign="x²", kind="elementwise"),
    _unary("abs", np.abs, lambda g, y, x: g * r.sign(x), "y = |x|", note="At 0 the gradient is 0 (JAX says 1).",
           keeps_integers=True, is_piecewise=True, kinks=at(0.0, elsewhere="JAX takes 1"), sign="|x|", kind="elementwise"),
    ERF,
    _unary("erfc", error_function.erfc, lambda g, y, x: g * (r.exp(-x * x) * -_ERF_A), "y = 1 − erf x",
           form=lambda g, y, x: -g * Number(_ERF_A, "2 / sqrt(pi)") * r.exp(-(x**2)), kind="elementwise"),
    _unary("entr", _entropy, lambda g, y, x: -g * (r.log(x) + 1), "y = −x · ln x", points=POSITIVE,
           node="SpecialEntrBackward0", note="At 0 it is 0 and its gradient infinite.",
           sign="−xln", kind="elementwise"),
    _unary("lgamma", each(log_gamma), lambda g, y, x: g * r.through(DIGAMMA, x), "y = ln |Γ(x)|", points=POSITIVE,
    sign="lnΓ", kind="elementwise"),
    DIGAMMA,
    _unary("floor", np.floor, _flat, "y = ⌊x⌋", "", note=FLAT, keeps_integers=True, sign="⌊x⌋", kind="elementwise"),
    _unary("ceil", np.ceil, _flat, "y = ⌈x⌉", "", note=FLAT, keeps_integers=True, sign="⌈x⌉", kind="elementwise"),
    _unary("trunc", np.trunc, _flat, "y = x without its fraction", "", note=FLAT, keeps_integers=True,
    sign="trunc", kind="elementwise"),
    _unary("sign", lambda x: r.sign(x) if x.dtype.kind == "f" else np.sign(x), _flat, "y = −1, 0 or 1", "", note=FLAT,
           keeps_integers=True, sign="±", kind="elementwise"),
)  # fmt: skip
ROUND = Op(
    "round", lambda x, decimals: np.round(x, decimals), (lambda g, y, x, decimals: r.zeros_like(g),),
    equation="y = x rounded", examples=(example(ANY, decimals=0),), note=FLAT, keeps_integers=True,
    sign="⌊x⌉", kind="elementwise",
)  # fmt: skip
ROUND_DECIMALS = replace(ROUND, examples=(example(ANY, decimals=1),), node="RoundBackward1")
NAN_TO_NUM = Op(
    "nan_to_num", lambda x, nan, posinf, neginf: np.nan_to_num(x, nan=nan, posinf=posinf, neginf=neginf),
    (lambda g, y, x, nan, posinf, neginf: g * r.mask(np.isfinite(r.plain(x)), g),),
    form=(lambda g, y, x, nan, posinf, neginf: r.where(np.isfinite(x), g, 0),), equation="y = x, with numbers for NaN and infinity",
    examples=(example(ANY, nan=0.0, posinf=None, neginf=None),), saves=names("x"), sign="NaN→", kind="elementwise",
)  # fmt: skip
PIECE = Op(
    name="piece",
    forward=lambda g, x: g,
    vjp=(lambda g, y, slope, x: g, lambda g, y, slope, x: r.zeros_like(x)),
    inputs=("slope", "x"),
    equation="y = the slope at x, which is constant near it",
    examples=(example([1.0, 2.0], [3.0, 4.0]),),
    node="ThresholdBackwardBackward0",
)
"""The first derivative of an op that is straight between its kinks, in a graph of its own: x has no part in it."""

TABLE = (
    ADD, SUB, FROM_NUMBER, MUL, DIV, PLUS_NUMBER, TIMES_NUMBER, OVER_NUMBER, NEG, POW_NUMBER, POW, EXPONENTIAL, MAXIMUM, MINIMUM, ATAN2,
    LOGADDEXP, FMOD, REMAINDER, DIV_FLOOR, DIV_TRUNC, FLOOR_DIVIDE, WHERE, CLAMP, CLAMP_BOTH, CLAMP_MIN, CLAMP_MAX,
    CLAMP_MIN_NUMBER, CLAMP_MAX_NUMBER, LERP, CLONE, TO, *UNARY, POLYGAMMA, ROUND, ROUND_DECIMALS, NAN_TO_NUM, PIECE,
)  # fmt: skip
"""The rows of this family."""


def times_number(x: Any, number: float) -> Any:
    """x · number, of a tensor or an array: a number inside PyTorch's own functions is no tensor and has its node."""
    if isinstance(x, Traced):
        return x * number if r.is_written(x) else r.through(TIMES_NUMBER, x, number=number)
    return x * x.dtype.type(number)


def over_number(x: Any, number: float) -> Any:
    """x / number; see `times_number`."""
    if isinstance(x, Traced):
        return x / number if r.is_written(x) else r.through(OVER_NUMBER, x, number=number)
    return x / x.dtype.type(number)
