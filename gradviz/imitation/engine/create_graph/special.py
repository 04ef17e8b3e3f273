"""Functions that have a name of their own: of Bessel, the error function and its kin."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.create_graph.steps import constant, masked, power
from gradviz.imitation.engine.dtypes import limits_of
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import call


def _not_tiny(x: Any) -> tuple[Any, Any]:
    """Where x is apart from 0, and x with the smallest step in the place of what is not."""
    eps = float(limits_of(x.dtype).eps)
    is_apart = np.abs(plain(x)) > eps
    return is_apart, F.where(is_apart, x, eps)


def _i1(g: Any, y: Any, x: Any) -> Any:
    is_apart, safe = _not_tiny(x)
    share = y * call("reciprocal", safe)
    return g * F.where(is_apart, call("i0", safe) - share, 0.5)


def _i1e(g: Any, y: Any, x: Any) -> Any:
    is_apart, safe = _not_tiny(x)
    reciprocal = call("reciprocal", safe)
    share = y * (F.sign(safe) + reciprocal)
    return g * F.where(is_apart, call("i0e", safe) - share, 0.5)


def _i0e(g: Any, y: Any, x: Any) -> Any:
    share = F.sign(x) * y
    return g * (call("i1e", x) - share)


def _mvlgamma(g: Any, y: Any, x: Any, p: int) -> Any:
    steps = constant(np.arange(-p / 2 + 0.5, 0.5, 0.5), x)
    wide = steps + call("unsqueeze", x, dim=x.ndim)
    return g * F.sum(call("digamma", wide), (wide.ndim - 1,))


def _xlog1py(g: Any, y: Any, a: Any, b: Any) -> Any:
    return masked(call("xlog1py", g, b), (plain(a) == 0) & (plain(b) <= -1))


RULES: dict[str, Any] = {
    "i1": (_i1,),
    "i1e": (_i1e,),
    "i0e": (_i0e,),
    "entr": (lambda g, y, x: g * -(F.log(x) + 1),),
    "erfinv": (lambda g, y, x: F.exp(power(call("erfinv", x), 2)) * (0.5 * math.sqrt(math.pi)) * g,),
    "ndtri": (lambda g, y, x: g * math.sqrt(2 * math.pi) * F.exp(power(y, 2) / 2),),
    "mvlgamma": (_mvlgamma,),
    "xlog1py": (_xlog1py, lambda g, y, a, b: g * a / (b + 1)),
    "ldexp": (
        lambda g, y, a, b: g * call("rpow", b, base=2.0),
        lambda g, y, a, b: g * y * math.log(2),
    ),
}
