"""Elementwise ops of one, two and three inputs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.create_graph.steps import masked, power
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import call, zeros
from gradviz.imitation.engine.rules.numbers.elementary import LN2, LN10, TWO_OVER_ROOT_PI, rsqrt
from gradviz.imitation.engine.rules.numbers.paired import share_of


def _erf(factor: float) -> Any:
    return lambda g, y, x: F.exp(-power(x, 2)) * factor * g


def _logit(g: Any, y: Any, x: Any, eps: float | None = None) -> Any:
    low, high, outside = (0.0, 1.0, math.nan) if eps is None else (eps, 1.0 - eps, 0.0)
    inside = (plain(x) >= low) & (plain(x) <= high)
    return F.where(inside, g / (x * (1.0 - x)), outside)


def _sinc(g: Any, y: Any, x: Any) -> Any:
    scaled = x * math.pi
    square = x * x * math.pi
    sine = F.sin(scaled)
    out = g * ((scaled * F.cos(scaled) - sine) / square)
    return F.where(plain(square) == 0, 0.0, out)


# ---- two ----


def _atan2(needs: Any, g: Any, y: Any, a: Any, b: Any) -> Any:
    right = b * b
    square = a * a + right
    reciprocal = masked(call("reciprocal", square), plain(square) == 0)
    to_b = g * -a * reciprocal if needs[1] else None
    return (g * b * reciprocal if needs[0] else None), to_b


def _past(rounding_mode: str) -> Any:
    return lambda g, y, a, b: _times_quotient(g, call("div_rounded", a, b, rounding_mode=rounding_mode))


def _times_quotient(g: Any, quotient: Any) -> Any:
    return -g * quotient


def _xlogy(g: Any, y: Any, a: Any, b: Any) -> Any:
    return masked(call("xlogy", g, b), (plain(a) == 0) & (plain(b) <= 0))


def _xlogy_number(g: Any, y: Any, x: Any, other: float) -> Any:
    product = call("xlogy_number", g, other=other)
    return product if other > 0 else masked(product, plain(x) == 0)


def _copysign(g: Any, y: Any, x: Any, other: Any) -> Any:
    return g * masked(y / x, plain(x) == 0)


def _over_sum(exp: Any, a: Any, b: Any) -> Any:
    return 1.0 + exp(b - a)


def _exp2(x: Any) -> Any:
    return call("rpow", x, base=2.0)


def _addcdiv_b(g: Any, y: Any, x: Any, a: Any, b: Any, value: Any) -> Any:
    square = b * b
    share = a * value / square
    return -g * share


def _between(compare: Any) -> Any:
    """Where an input stands to a bound as it must, g, else 0."""
    return lambda g, y, x, bound: F.where(compare(plain(x), plain(bound)), g, 0.0)


def _bounded(compare: Any) -> Any:
    return lambda g, y, x, **bound: F.where(compare(plain(x), *bound.values()), g, 0.0)


def _clamp_x(g: Any, y: Any, x: Any, min: Any, max: Any) -> Any:
    return F.where((plain(x) >= plain(min)) & (plain(x) <= plain(max)), g, 0.0)


def _clamp_min(g: Any, y: Any, x: Any, min: Any, max: Any) -> Any:
    return F.where((plain(x) < plain(min)) & (plain(min) < plain(max)), g, 0.0)


def _clamp_max(g: Any, y: Any, x: Any, min: Any, max: Any) -> Any:
    return F.where((plain(x) > plain(max)) | (plain(max) < plain(min)), g, 0.0)


RULES: dict[str, Any] = {
    "tan": (lambda g, y, x: g * (1.0 + power(y, 2)),),
    "asinh": (lambda g, y, x: g * rsqrt(power(x, 2) + 1),),
    "atanh": (lambda g, y, x: g * 1 / (1.0 - power(x, 2)),),
    "erf": (_erf(TWO_OVER_ROOT_PI),),
    "erfc": (_erf(-TWO_OVER_ROOT_PI),),
    "rsqrt": (lambda g, y, x: g * -0.5 * power(y, 3),),
    "log2": (lambda g, y, x: g / (x * LN2),),
    "log10": (lambda g, y, x: g / (x * LN10),),
    "logit": (_logit,),
    "sinc": (_sinc,),
    "frac": (lambda g, y, x: g,),
    "fmod_number": (lambda g, y, x, other: g,),
    "remainder_number": (lambda g, y, x, other: g,),
    "fmod": (lambda g, y, a, b: g, _past("trunc")),
    "remainder": (lambda g, y, a, b: g, _past("floor")),
    "logaddexp": (lambda g, y, a, b: g / _over_sum(F.exp, a, b), lambda g, y, a, b: g / _over_sum(F.exp, b, a)),
    "logaddexp2": (lambda g, y, a, b: g / _over_sum(_exp2, a, b), lambda g, y, a, b: g / _over_sum(_exp2, b, a)),
    "xlogy": (_xlogy, lambda g, y, a, b: g * a / b),
    "xlogy_number": (_xlogy_number,),
    "copysign": (_copysign, lambda g, y, x, other: zeros(g)),
    "copysign_number": (_copysign,),
    "addcdiv": (lambda g, y, x, a, b, value: g, lambda g, y, x, a, b, value: g * share_of(value, b), _addcdiv_b),
    "sub_scaled": (lambda g, y, a, b, alpha: g, lambda g, y, a, b, alpha: -g if alpha == 1 else -g * alpha),
    "clamp_tensor": (_clamp_x, _clamp_min, _clamp_max),
    "clamp_min": (_bounded(np.greater_equal),),
    "clamp_max": (_bounded(np.less_equal),),
    "clamp_min_tensor": (_between(np.greater_equal), _between(np.less)),
    "clamp_max_tensor": (_between(np.less_equal), _between(np.greater)),
}
AT_ONCE: dict[str, Any] = {"atan2": _atan2}
