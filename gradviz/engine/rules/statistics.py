"""Spread, length and running sums: var, std, norm, logsumexp, cumsum."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import generic as F  # noqa: N812 - the name rules are read with
from gradviz.engine.generic import plain
from gradviz.engine.rules.calling import call
from gradviz.engine.rules.entry import Op, case, saves
from gradviz.engine.rules.reduce import GRID
from gradviz.engine.shapes import axes_of

SPREAD = (
    case(GRID, dim=None, correction=1, keepdim=False),
    case(GRID, dim=(1,), correction=0, keepdim=False),
    case(GRID, dim=(0,), correction=1, keepdim=True),
)
CASES = (
    case(GRID, dim=None, keepdim=False),
    case(GRID, dim=(1,), keepdim=False),
    case(GRID, dim=(0,), keepdim=True),
)


def _free(x: Any, dim: Any, correction: float) -> float:
    """How many numbers are free to vary, not below 0."""
    return max(F.count(x, dim) - correction, 0)


def _ratio(n: Any, d: float) -> Any:
    return n / d if d else n * np.inf


def _centred(x: Any, dim: Any) -> Any:
    return x - F.sum(x, dim, True) / F.count(x, dim)


def _var(x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    z = x - x.mean(axis=axes_of(dim, x.ndim), keepdims=True)
    total = (z * z).sum(axis=axes_of(dim, x.ndim), keepdims=keepdim)
    free = _free(x, dim, correction)
    return total / x.dtype.type(free)


def var_rule(g: Any, y: Any, x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """2 / (n − correction) · g · (x − mean)."""
    return F.spread(g, x, dim, keepdim) * _ratio(2.0, _free(x, dim, correction)) * _centred(x, dim)


def std_rule(g: Any, y: Any, x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """The rule of var on g / 2y; 0 where the numbers do not vary."""
    return var_rule(F.where(plain(y) == 0, 0.0, g / (y * 2)), y, x, dim, correction, keepdim)


def _std(x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    return np.sqrt(_var(x, dim, correction, keepdim))


def _logsumexp(x: Any, dim: Any, keepdim: bool) -> Any:
    axes = axes_of(dim, x.ndim)
    top = x.max(axis=axes, keepdims=True)
    top = np.where(np.isinf(top), np.zeros_like(top), top)
    y = np.log(np.exp(x - top).sum(axis=axes, keepdims=True)) + top
    return (y if keepdim else y.squeeze(axes))[()]


def _back(x: Any, dim: int) -> Any:
    return F.take(x, (*[slice(None)] * dim, slice(None, None, -1))) if plain(x).ndim else x


def cumsum_rule(g: Any, y: Any, x: Any, dim: int) -> Any:
    """Each number is in all sums from its own on."""
    return _back(call("cumsum", _back(g, dim), dim=dim), dim)


def _norm(x: Any, dim: Any, keepdim: bool) -> Any:
    return np.sqrt((x * x).sum(axis=axes_of(dim, x.ndim), keepdims=keepdim))


def norm_rule(g: Any, y: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """g · x / y, and 0 where the length is 0."""
    length = F.kept(y, x, dim, keepdim)
    share = F.where(np.broadcast_to(plain(length) == 0, plain(x).shape), 0.0, x / length)
    return F.spread(g, x, dim, keepdim) * share


TABLE = (
    Op("var", "σ²", _var, (var_rule,), ("x",),
       ("spread(g, x, dim, keepdim) * 2 * (x - mean) / (count(x, dim) - correction)",), "y = Σ (x − mean)² / (n − 1)",
       SPREAD, "VarBackward0", saves("x"), note="Of one number the variance is NaN."),
    Op("std", "σ", _std, (std_rule,), ("x",),
       ("spread(g / (2 * y), x, dim, keepdim) * 2 * (x - mean) / (count(x, dim) - correction)",),
       "y = √(Σ (x − mean)² / (n − 1))", SPREAD, "StdBackward0", saves("x y"),
       note="Where all numbers are equal the gradient is 0."),
    Op("norm", "‖x‖", _norm, (norm_rule,), ("x",), ("spread(g / y, x, dim, keepdim) * x",), "y = √(Σ x²)", CASES,
       "LinalgVectorNormBackward0", saves("x y"), note="At 0 the gradient is 0."),
    Op("logsumexp", "lse", _logsumexp,
       (lambda g, y, x, dim, keepdim: F.spread(g, x, dim, keepdim) * F.exp(x - F.kept(y, x, dim, keepdim)),), ("x",),
       ("spread(g, x, dim, keepdim) * exp(x - spread(y, x, dim, keepdim))",), "y = ln Σ eˣ", CASES[1:],
       "LogsumexpBackward0", saves("x y")),
    Op("cumsum", "Σ…", lambda x, dim: np.cumsum(x, axis=dim) if x.ndim else x * 1, (cumsum_rule,), ("x",),
       ("later_sums(g)",), "y = the sums so far", (case(GRID, dim=1), case(GRID, dim=0)), "CumsumBackward0",
       keeps_integers=True),
)  # fmt: skip

NAMES: dict[str, Any] = {}
"""Functions that the formulas use."""


def _mean(xs: Any, p: Any) -> dict[str, Any]:
    return {"mean": xs[0].mean(axis=axes_of(p["dim"], xs[0].ndim), keepdims=True)}


OF_PARAMS: dict[str, Any] = {
    "var": _mean,
    "std": _mean,
    "cumsum": lambda _xs, p: {"later_sums": lambda g: np.flip(np.cumsum(np.flip(g, p["dim"]), p["dim"]), p["dim"])},
}
"""Names worked out of the params."""
