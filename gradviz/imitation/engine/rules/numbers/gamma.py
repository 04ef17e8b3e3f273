"""The incomplete gamma functions, Hurwitz' zeta function, and the error function where it is small."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.dtypes import FLOAT32
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.numbers.special import ROOT_2_PI, ROOT_PI, is_whole, lgamma_array, log_gamma, zeta
from gradviz.imitation.engine.shape_errors import refuse_bools

ROOT_HALF = math.sqrt(0.5)
MOST_TERMS = 20_000
SMALL = 1e-300
LARGE = 12
NEARLY_NORMAL = 1e7
LARGEST_LOG = math.log(np.finfo(np.float64).max)
ROUNDED_PI = math.sqrt(math.pi / float(np.float32(math.pi)))
"""What PyTorch's part of 1/√(2πa) is of the true one: it has π in float32 there."""


def _each(function: Any) -> Any:
    """A function of two Python numbers, on the numbers of two arrays; computed in float64."""
    every = np.frompyfunc(function, 2, 1)

    def forward(a: Any, b: Any) -> Any:
        found = every(np.asarray(a, np.float64), np.asarray(b, np.float64))
        return np.asarray(found, np.float64).astype(np.result_type(a, b))[()]

    return forward


# ---- the incomplete gamma functions ----


def _shares(a: float, x: float) -> tuple[float, float]:
    """What of the gamma function of a lies below x, and what above, of 1 in all."""
    if a < 0 or x < 0 or (a == 0 and not x > 0) or (math.isinf(a) and math.isinf(x)):
        return math.nan, math.nan
    if a == 0 or math.isinf(x):
        return 1.0, 0.0
    if x == 0 or math.isinf(a):
        return 0.0, 1.0
    below, above = _true_shares(a, x)
    if not _takes_expansion(a, x):
        return below, above
    apart = (ROUNDED_PI - 1) * (above - math.erfc(_eta(a, x) * math.sqrt(a / 2)) / 2)
    return below - apart, above + apart


def _takes_expansion(a: float, x: float) -> bool:
    """Whether PyTorch takes Temme's expansion, half of erfc(η√(a/2)) and a rest over √(2πa)."""
    return abs(x - a) / a < (0.3 if 20 < a < 200 else 4.5 / math.sqrt(a) if a > 200 else 0)


def _bend(a: float, x: float) -> float:
    """ln(x/a) − (x/a − 1), also where x is near a."""
    apart = (x - a) / a
    return math.log1p(apart) - apart if abs(apart) > 0.01 else -sum((-apart) ** k / k for k in range(2, 10))


def _eta(a: float, x: float) -> float:
    """What η of Temme's expansion is: η²/2 = x/a − 1 − ln(x/a), of the sign of x − a."""
    return math.copysign(math.sqrt(-2 * _bend(a, x)), x - a)


def _true_shares(a: float, x: float) -> tuple[float, float]:
    """The same for ordinary numbers, as they are."""
    if a > NEARLY_NORMAL and abs(x - a) < 0.3 * a:
        return _nearly_normal(a, x)
    front = _front(a, x)
    if front == 0 or math.isnan(front):
        return (front, 1 - front) if x < a + 1 else (1 - front, front)
    if x < a + 1:
        below = front * _series(a, x)
        return below, 1 - below
    above = front * _fraction(a, x)
    return 1 - above, above


def _nearly_normal(a: float, x: float) -> tuple[float, float]:
    """Temme's expansion to its first term, for a so large that the next one is below the last digit."""
    eta = _eta(a, x)
    rest = math.exp(-a * eta * eta / 2) / math.sqrt(2 * math.pi * a) * (-1 / 3 + eta / 12 - 2 * eta * eta / 135)
    above = math.erfc(eta * math.sqrt(a / 2)) / 2
    return 1 - above - rest, above + rest


def _front(a: float, x: float) -> float:
    """xᵃ e⁻ˣ / Γ(a), for large a near x by Stirling's series; 0 where PyTorch says so, which is before it is too small."""
    if not (a >= LARGE and abs(a - x) <= 0.4 * a):
        exponent = a * math.log(x) - x - log_gamma(a)
        return 0.0 if exponent < -LARGEST_LOG else float(np.exp(exponent))
    z = 1 / (a * a)
    rest = (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)))) / a
    return math.sqrt(a / (2 * math.pi)) * math.exp(a * _bend(a, x) - rest)


def _series(a: float, x: float) -> float:
    """1/a + x/(a(a+1)) + x²/(a(a+1)(a+2)) + ..."""
    term = total = 1 / a
    for k in range(1, MOST_TERMS):
        term *= x / (a + k)
        total += term
        if term < 1e-17 * total:
            break
    return total


def _fraction(a: float, x: float) -> float:
    """1/(x+1−a− 1(1−a)/(x+3−a− 2(2−a)/(x+5−a− ...))), from its front on (Lentz)."""
    b = x + 1 - a or SMALL
    c, d = 1 / SMALL, 1 / b
    found = d
    for k in range(1, MOST_TERMS):
        factor = -k * (k - a)
        b += 2
        d = 1 / (factor * d + b or SMALL)
        c = b + factor / c or SMALL
        found *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return found


def _density(a: Any, x: Any) -> Any:
    """The derivative of the lower share by x. Of whole numbers PyTorch takes ln Γ in float32, and 0 − 1 of uint8 wraps."""
    if F.plain(a).dtype.kind == "b":
        refuse_bools(a, 1)
    is_whole = F.plain(a).dtype.kind in "iu"
    return F.exp((a - 1) * F.log(x) - x - call("lgamma", F.to(a, FLOAT32) if is_whole else a))


# ---- zeta ----


def _zeta(s: float, q: float) -> float:
    if s < 1:
        return math.nan
    if s == 1 or (q <= 0 and is_whole(q)):
        return math.inf
    return math.nan if q <= 0 and not is_whole(s) else zeta(s, q)


# ---- the error function where it is small ----


def _erfcx(x: float) -> float:
    if math.isnan(x):
        return x
    if x < 0:
        return 2 * math.exp(x * x) - _erfcx(-x) if x > -26.7 else math.inf
    if x < 10:
        return math.exp(x * x) * math.erfc(x)
    term = total = 1.0
    for k in range(1, 14):
        term *= -(2 * k - 1) / (2 * x * x)
        total += term
    return total / (x * ROOT_PI)


def _log_ndtr(x: float) -> float:
    if math.isinf(x):
        return -0.0 if x > 0 else x
    t = x * ROOT_HALF
    return math.log(_erfcx(-t) / 2) - t * t if x < -1 else math.log1p(-math.erfc(t) / 2)


def _one(function: Any) -> Any:
    every = np.frompyfunc(function, 1, 1)
    return lambda x: np.asarray(every(np.asarray(x, np.float64)), np.float64).astype(x.dtype)[()]


ORDERS = np.array([1, 2])
TABLE = (
    Op("igamma", "P", _each(lambda a, b: _shares(a, b)[0]),
       (None, lambda g, y, a, b: g * _density(a, b)), ("a", "b"),
       ("none", "g * exp((a - 1) * log(b) - b - lgamma(a))"), "y = P(a, b), the lower share of Γ(a)",
       (case(ORDERS, [0.4, 2.5]),), "IgammaBackward0", saves("a b"), note="By a there is no derivative.",
       gaps=(0,)),
    Op("igammac", "Q", _each(lambda a, b: _shares(a, b)[1]),
       (None, lambda g, y, a, b: -g * _density(a, b)), ("a", "b"),
       ("none", "-g * exp((a - 1) * log(b) - b - lgamma(a))"), "y = Q(a, b), the upper share of Γ(a)",
       (case(ORDERS, [0.4, 2.5]),), "IgammacBackward0", saves("a b"), note="By a there is no derivative.",
       gaps=(0,)),
    Op("zeta", "ζ", _each(_zeta), (None, lambda g, y, a, b: g * -a * call("zeta", a + 1.0, b)),
       ("a", "b"), ("none", "g * -a * zeta(a + 1, b)"), "y = Σ (n + b)⁻ᵃ over n = 0, 1, 2, ...",
       (case(ORDERS + 1, [0.4, 2.5]),), "SpecialZetaBackward0", saves("a b"), note="By a there is no derivative.",
       gaps=(0,)),
    Op("erfcx", "erfc", _one(_erfcx), (lambda g, y, x: (2.0 * x * y - 2.0 / ROOT_PI) * g,), ("x",),
       ("(2 * x * y - 2 / root_pi) * g",), "y = eˣ² erfc x", (case([0.3, -0.7, 1.4]),), "SpecialErfcxBackward0",
       saves("x y")),
    Op("log_ndtr", "ln Φ", _one(_log_ndtr),
       (lambda g, y, x: g / ROOT_2_PI * F.exp(-(y + x * x / 2.0)),), ("x",),
       ("g / root_2_pi * exp(-(y + x ** 2 / 2))",), "y = ln Φ(x)", (case([0.3, -0.7, 1.4, -3.0]),),
       "SpecialLogNdtrBackward0", saves("x y")),
)  # fmt: skip

NAMES: dict[str, Any] = {"lgamma": lgamma_array, "zeta": _each(_zeta)}
