"""Special functions: the inverse of erf, the gamma function and its kin, Bessel functions, and powers of two."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.memory.layouts import as_first
from gradviz.imitation.engine.rules.calling import call, number
from gradviz.imitation.engine.rules.entry import Op, case, saves

ROOT_PI, ROOT_2_PI, LN_2 = math.sqrt(math.pi), math.sqrt(2 * math.pi), math.log(2)
X = [0.3, -0.7, 1.4, 2.6]
INSIDE = [-0.7, 0.2, 0.55]


def _each(function: Any) -> Any:
    """A function of one Python number, on each number of an array; computed in float64."""
    every = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(every(np.asarray(x, np.float64)), np.float64).astype(x.dtype)[()]


# ---- erf and its inverse ----


def _erfinv(x: float) -> float:
    if not -1 <= x <= 1:
        return math.nan
    if abs(x) == 1:
        return math.copysign(math.inf, x)
    if abs(x) > 0.5:
        return math.copysign(_erfcinv(1 - abs(x)), x)
    w = -math.log((1 - x) * (1 + x))
    y = x * ROOT_PI / 2 * (1 + w / 4)  # two terms of its series; Newton's steps double the digits
    for _ in range(6):
        y -= (math.erf(y) - x) / (2 / ROOT_PI * math.exp(-y * y))
    return y


def _erfcinv(c: float) -> float:
    """The y above 0 with erfc(y) = c."""
    y = math.sqrt(max(-math.log(c * ROOT_PI * max(math.sqrt(-math.log(c)), 0.5)), 0.05))
    for _ in range(60):
        wrong = math.erfc(y) - c
        slope = -2 / ROOT_PI * math.exp(-y * y)
        step = wrong / slope / (1 + y * wrong / slope)  # Halley's: the function is steep far out
        y -= step
        if abs(step) <= 1e-16 * abs(y):
            break
    return y


def _ndtri(p: float) -> float:
    if not 0 <= p <= 1:
        return math.nan
    if p in (0, 1):
        return math.copysign(math.inf, p - 0.5)
    root = math.sqrt(2)
    if 0.25 <= p <= 0.75:
        return root * _erfinv(2 * p - 1)
    return root * (-_erfcinv(2 * p) if p < 0.25 else _erfcinv(2 * (1 - p)))


# ---- gamma and its kin ----


def log_gamma(x: float) -> float:
    """ln |Γ(x)|; infinite at its poles and where it is too large for a number."""
    if x <= 0 and is_whole(x):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


def is_whole(x: float) -> bool:
    """Whether rounding leaves a number as it is: infinities are whole."""
    return math.isinf(x) or x.is_integer()


_PSI = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)


def _digamma(x: float) -> float:
    if x == 0:
        return math.copysign(math.inf, -x)
    if math.isinf(x) or math.isnan(x):
        return x if x > 0 else math.nan
    if x < 0:
        if x == math.floor(x):
            return math.nan
        return _digamma(1 - x) - math.pi / math.tan(math.pi * math.fmod(x, 1))
    total = 0.0
    while x < 12:
        total -= 1 / x
        x += 1
    z = 1 / (x * x)
    series = 0.0
    for factor in reversed(_PSI):
        series = (series + factor) * z
    return total + math.log(x) - 0.5 / x - series


def _trigamma(x: Any) -> Any:
    """As exact as PyTorch's, which is good to some eight digits, and works in the dtype of x."""
    kind = x.dtype.type
    if np.isnan(x) or np.isinf(x):
        return kind(math.nan if not x > 0 else 0.0)
    one, pi = kind(1), kind(math.pi)
    sign, total = one, kind(0)
    if x < 0.5:
        sine = np.sin(pi * x)
        sign, total, x = -one, -(pi * pi) / (sine * sine), one - x
    for _ in range(6):
        total += one / (x * x)
        x += one
    z = one / (x * x)
    total += (one + one / (kind(2) * x) + z * (one / kind(6) - z * (one / kind(30) - z * (one / kind(42))))) / x
    return sign * total


def _trigammas(x: Any) -> Any:
    kind = x.dtype if x.dtype in (np.float32, np.float64) else np.dtype(np.float32)
    with np.errstate(all="ignore"):
        found = [_trigamma(v) for v in np.ravel(np.asarray(x, kind))]
    return np.array(found, x.dtype).reshape(x.shape)[()]


_ZETA = (
    12.0, -720.0, 30240.0, -1209600.0, 47900160.0, -1.8924375803183791606e9, 7.47242496e10, -2.950130727918164224e12,
    1.1646782814350067249e14, -4.5979787224074726105e15, 1.8152105401943546773e17, -7.1661652561756670113e18,
)  # fmt: skip


def _power(x: float, exponent: float) -> float:
    return float(np.float64(x) ** exponent)


def zeta(s: float, q: float) -> float:
    """Hurwitz' zeta function: the sum of (n + q)^−s over n = 0, 1, 2, ...; s a whole number above 1."""
    if q <= 0 and is_whole(q):
        return math.inf
    total, a, n = _power(q, -s), q, 0
    while n < 9 or a <= 9:
        n += 1
        a += 1
        term = _power(a, -s)
        total += term
        if abs(term) < 1e-17 * abs(total):
            return total
    total += term * a / (s - 1) - 0.5 * term
    factor, k = 1.0, 0.0
    for divisor in _ZETA:
        factor *= s + k
        term /= a
        last = factor * term / divisor
        total += last
        if abs(last) < 1e-17 * abs(total):
            break
        k += 1
        factor *= s + k
        term /= a
        k += 1
    return total


def polygamma_array(x: Any, n: int) -> Any:
    """The derivative number n of digamma."""
    if n == 0:
        return digamma_array(x)
    if n == 1:
        return _trigammas(x)
    factor = (-1.0) ** (n + 1) * math.factorial(n)
    return _each(lambda v: factor * zeta(n + 1, v))(x)


lgamma_array, digamma_array, erfinv_array, ndtri_array = (_each(f) for f in (log_gamma, _digamma, _erfinv, _ndtri))


def _half_steps(p: int) -> Any:
    """0, −1/2, −1, ...: what the multivariate gamma function adds to its argument."""
    return np.arange(p) * -0.5


def _mvlgamma(x: Any, p: int) -> Any:
    wide = np.asarray(x)[..., None] + _half_steps(p).astype(x.dtype)
    return (lgamma_array(wide).sum(-1) + x.dtype.type(p * (p - 1) / 4 * math.log(math.pi))).astype(x.dtype)[()]


def _mvlgamma_rule(g: Any, y: Any, x: Any, p: int) -> Any:
    parts = [call("digamma", x + float(step)) for step in _half_steps(p)]
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return g * total


# ---- Bessel functions ----


def scaled_bessel(order: int, x: Any) -> Any:
    """I₀ or I₁ of x times e^−|x|."""
    size = np.abs(np.asarray(x, np.float64))
    near = np.minimum(size, 50.0)
    term = np.where(order == 0, 1.0, near / 2) * np.ones_like(near)
    total, square = term.copy(), near * near / 4
    for k in range(1, 120):
        term = term * square / (k * (k + order))
        total += term
    far = np.maximum(size, 50.0)
    part, series, mu = np.ones_like(far), np.ones_like(far), 4.0 * order * order
    for k in range(1, 20):
        part = -part * (mu - (2 * k - 1) ** 2) / (k * 8 * far)
        series = series + part
    found = np.where(size <= 50, total * nearest.exp(-near), series / (ROOT_2_PI * np.sqrt(far)))
    return np.where(np.isnan(size), size, found * (np.sign(x) if order else 1.0))


def _bessel(order: int, is_scaled: bool) -> Any:
    def forward(x: Any) -> Any:
        found = scaled_bessel(order, x)
        if not is_scaled:
            found = found * nearest.exp(np.abs(np.asarray(x, np.float64)))  # infinity times 0 is PyTorch's NaN, too
        return as_first(np.asarray(found).astype(x.dtype)[()], (x,))

    return forward


def _is_tiny(x: Any) -> Any:
    """Where PyTorch takes the derivative at 0, which is 1/2: NaN is not large."""
    return ~(np.abs(plain(x)) > np.finfo(plain(x).dtype).eps)


def _i1_rule(g: Any, y: Any, x: Any) -> Any:
    safe = F.where(_is_tiny(x), 1.0, x)
    return g * F.where(_is_tiny(x), 0.5, call("i0", x) - y / safe)


def _i1e_rule(g: Any, y: Any, x: Any) -> Any:
    safe = F.where(_is_tiny(x), 1.0, x)
    return g * F.where(_is_tiny(x), 0.5, call("i0e", x) - y * (F.sign(x) + call("reciprocal", safe)))


# ---- the rest ----


def _erfinv_rule(g: Any, y: Any, x: Any) -> Any:
    found = call("erfinv", x)
    return g * (ROOT_PI / 2) * F.exp(found * found)


def _entr(x: Any) -> Any:
    inside = -x * nearest.log(np.where(x > 0, x, number(x, 1)))
    return np.where(np.isnan(x), x, np.where(x > 0, inside, np.where(x == 0, number(x, 0), number(x, -np.inf))))[()]


def _xlog1py(a: Any, b: Any) -> Any:
    return np.where(np.isnan(b), b, np.where(a == 0, number(a, 0), a * nearest.log1p(b)))[()]


def two_to(x: Any) -> Any:
    """2ˣ."""
    return call("exp2", x)


def _divided(x: Any, exponent: Any) -> Any:
    return np.ldexp(x, -np.asarray(exponent, np.int32))


def _frexp_rule(g: Any, y: Any, x: Any, exponent: Any) -> Any:
    size = nearest.exp2(np.asarray(exponent, np.float32)).astype(plain(g).dtype)  # PyTorch's overflows in float32
    return g / (F.constant(size, g.tape) if isinstance(g, F.Tensor) else size)


TABLE = (
    Op("erfinv", "erf⁻¹", erfinv_array, (_erfinv_rule,), ("x",), ("g * 0.5 * root_pi * exp(y ** 2)",), "erf y = x", (case(INSIDE),), "ErfinvBackward0", saves("x")),
    Op("ndtri", "Φ⁻¹", ndtri_array, (lambda g, y, x: g * ROOT_2_PI * F.exp(y * y * 0.5),), ("x",),
       ("g * root_2_pi * exp(y ** 2 / 2)",), "Φ(y) = x", (case([0.1, 0.5, 0.9]),), "SpecialNdtriBackward0",
       saves("y")),
    Op("lgamma", "ln Γ", lgamma_array, (lambda g, y, x: g * call("digamma", x),), ("x",), ("g * digamma(x)",),
       "y = ln |Γ(x)|", (case(X),), "LgammaBackward0", saves("x")),
    Op("digamma", "ψ", digamma_array, (lambda g, y, x: g * call("polygamma", x, n=1),), ("x",),
       ("g * polygamma(x, 1)",), "y = d ln Γ(x) / dx", (case(X),), "DigammaBackward0", saves("x")),
    Op("polygamma", "ψⁿ", polygamma_array, (lambda g, y, x, n: g * call("polygamma", x, n=n + 1),), ("x",),
       ("g * polygamma(x, n + 1)",), "y = the derivative number n of digamma",
       (case(X, n=1), case([0.3, 1.4, 2.6], n=2), case(X, n=0)), "PolygammaBackward0", saves("x")),
    Op("mvlgamma", "ln Γₚ", _mvlgamma, (_mvlgamma_rule,), ("x",), ("back(g)",), "y = ln Γₚ(x)",
       (case([1.3, 2.6], p=2),), "MvlgammaBackward0", saves("x")),
    Op("i0", "I₀", _bessel(0, False), (lambda g, y, x: g * call("i1", x),), ("x",), ("g * i1(x)",), "y = I₀(x)",
       (case(X),), "I0Backward0", saves("x")),
    Op("i1", "I₁", _bessel(1, False), (_i1_rule,), ("x",), ("g * (i0(x) - y / x)",), "y = I₁(x)", (case(X),),
       "SpecialI1Backward0", saves("x y"), note="At x = 0 the derivative is 1/2."),
    Op("i0e", "I₀", _bessel(0, True), (lambda g, y, x: g * (call("i1e", x) - F.sign(x) * y),), ("x",),
       ("g * (i1e(x) - sign(x) * y)",), "y = I₀(x) e^−|x|", (case(X),), "SpecialI0EBackward0", saves("x y")),
    Op("i1e", "I₁", _bessel(1, True), (_i1e_rule,), ("x",), ("g * (i0e(x) - y * (sign(x) + 1 / x))",),
       "y = I₁(x) e^−|x|", (case(X),), "SpecialI1EBackward0", saves("x y"), note="At x = 0 the derivative is 1/2."),
    Op("entr", "−x ln x", _entr, (lambda g, y, x: g * F.where(plain(x) >= 0, -1.0 - F.log(x), np.nan),), ("x",),
       ("g * (-1 - log(x))",), "y = −x ln x", (case([0.2, 1.3]),), "SpecialEntrBackward0", saves("x")),
    Op("xlog1py", "x ln", _xlog1py,
       (lambda g, y, a, b: g * F.where((plain(a) == 0) & (plain(b) <= -1), 0.0, call("log1p", b)),
        lambda g, y, a, b: g * a / (b + 1.0)), ("a", "b"),
       ("g * log(1 + b)", "g * a / (b + 1)"), "y = a ln(1 + b)", (case([0.4, -1.2], [0.5, 2.0]),),
       "SpecialXlog1PyBackward0", saves("a b")),
    Op("ldexp", "x2ⁿ", lambda a, b: a * nearest.exp2(b), (lambda g, y, a, b: g * two_to(b), lambda g, y, a, b: g * y * LN_2),
       ("a", "b"), ("g * two_to(b)", "g * y * log(2)"), "y = a · 2ᵇ", (case([0.4, -1.2], [1.0, 2.5]),),
       "LdexpBackward0", saves("b y")),
    Op("frexp", "x/2ⁿ", _divided, (_frexp_rule,), ("x",), ("g / 2.0 ** exponent",), "x = y · 2ⁿ, |y| between 1/2 and 1",
       (case([0.3, -0.7, 1.4, 2.6], exponent=np.array([-1, 0, 1, 2])),), "FrexpBackward0", saves("index")),
)  # fmt: skip


NAMES: dict[str, Any] = {
    "digamma": digamma_array, "polygamma": polygamma_array, "i0": _bessel(0, False), "i1": _bessel(1, False),
    "i0e": _bessel(0, True), "i1e": _bessel(1, True), "two_to": nearest.exp2, "root_pi": ROOT_PI, "root_2_pi": ROOT_2_PI,
}  # fmt: skip
OF_PARAMS: dict[str, Any] = {
    "mvlgamma": lambda xs, p: {"back": lambda g: _mvlgamma_rule(g, None, xs[0], **p)},
}
