"""Spread, length and running sums: var, std, both with the mean, norm, nansum, logsumexp, cumsum."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kernels.reductions import in_turn, length
from gradviz.imitation.engine.kernels.summation import total
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.reducing.reduction import GRID
from gradviz.imitation.engine.shapes import axes_of

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
    return _variance(x, dim, correction, keepdim).astype(x.dtype)


def _variance(x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """In double precision, which PyTorch rounds only in the end; the mean of all numbers it rounds before."""
    axes, wide, count = axes_of(dim, x.ndim), np.asarray(x, np.float64), F.count(x, dim)
    if axes is None and x.size:
        z = wide - np.float64(total(x) / x.dtype.type(x.size))
    else:
        z = wide - wide.sum(axis=axes, keepdims=True) / np.float64(count)
    return np.asarray(in_turn(z * z, axes, keepdim) / np.float64(_free(x, dim, correction)))[()]


def var_rule(g: Any, y: Any, x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """2 / (n − correction) · g · (x − mean)."""
    free = F.count(x, dim) - correction
    if free <= 0 and axes_of(dim, plain(x).ndim) is None:
        is_mean = plain(x) == plain(_centred(x, dim) * 0 + F.sum(x, dim, True) / F.count(x, dim))
        endless = np.where(is_mean, np.nan, np.inf).astype(plain(x).dtype)[()]
        return F.spread(g, x, dim, keepdim) * (F.constant(endless, x.tape) if isinstance(x, F.Tensor) else endless)
    return F.spread(g, x, dim, keepdim) * _ratio(2.0, free) * _centred(x, dim)


def std_rule(g: Any, y: Any, x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    """The rule of var on g / 2y; 0 where the numbers do not vary."""
    return var_rule(F.where(plain(y) == 0, 0.0, g / (y * 2)), y, x, dim, correction, keepdim)


def _std(x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    return np.sqrt(_variance(x, dim, correction, keepdim)).astype(x.dtype)


def _mean_beside(x: Any, dim: Any, keepdim: bool) -> Any:
    """The mean as `std_mean` gives it."""
    axes = axes_of(dim, x.ndim)
    if axes is None and x.size:
        return np.reshape(total(x) / x.dtype.type(x.size), (1,) * x.ndim if keepdim else ())[()]
    sums = np.asarray(x, np.float64).sum(axis=axes, keepdims=keepdim)
    return (sums / np.float64(F.count(x, dim))).astype(x.dtype)


def _with_mean(forward: Any, rule: Any) -> tuple[Any, Any]:
    """Forward and rule of an op with two results, of which the second one is the mean."""

    def value(x: Any, dim: Any, correction: float, keepdim: bool, output: int) -> Any:
        return _mean_beside(x, dim, keepdim) if output else forward(x, dim, correction, keepdim)

    def both(g: Any, y: Any, x: Any, dim: Any, correction: float, keepdim: bool, output: int) -> Any:
        if output:
            return F.spread(g, x, dim, keepdim) / F.count(x, dim)
        return rule(g, y, x, dim, correction, keepdim)

    return value, both


STD_MEAN, STD_MEAN_RULE = _with_mean(_std, std_rule)
VAR_MEAN, VAR_MEAN_RULE = _with_mean(_var, var_rule)
BESIDE = tuple(
    {"inputs": given["inputs"], "params": given["params"] | {"output": n}} for n in (0, 1) for given in SPREAD
)


def _logsumexp(x: Any, dim: Any, keepdim: bool) -> Any:
    axes = axes_of(dim, x.ndim)
    top = x.max(axis=axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isinf(top), np.zeros_like(top), top)
    y = nearest.log(total(nearest.exp(x - top), axes, True)) + top
    return (y if keepdim else y.squeeze(axes))[()]


def _back(x: Any, dim: int) -> Any:
    return F.take(x, (*[slice(None)] * dim, slice(None, None, -1))) if plain(x).ndim else x


def _cumsum(x: Any, dim: int) -> Any:
    if not x.ndim:
        return x * 1
    # As PyTorch: added in double precision, each result rounded on its own.
    is_float = x.dtype.kind == "f"
    sums = np.cumsum(np.ascontiguousarray(x), axis=dim, dtype=np.float64 if is_float else np.int64)
    return sums.astype(x.dtype) + x.dtype.type(0) if is_float else sums  # its sums begin at 0, which is not −0


def cumsum_rule(g: Any, y: Any, x: Any, dim: int) -> Any:
    """Each number is in all sums from its own on."""
    return _back(call("cumsum", _back(g, dim), dim=dim), dim)


def _norm(x: Any, dim: Any, keepdim: bool) -> Any:
    return length(x, axes_of(dim, x.ndim), keepdim)


def norm_rule(g: Any, y: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """g · x / y, and 0 where the length is 0."""
    kept = F.kept(y, x, dim, keepdim)
    share = F.where(np.broadcast_to(plain(kept) == 0, plain(x).shape), 0.0, x / kept)
    return F.spread(g, x, dim, keepdim) * share


PARTS = "where(output == 0, {} / (count(x, dim) - correction), 1 / count(x, dim))"
"""The slope of the first of two results, and of the mean."""

TABLE = (
    Op("var", "σ²", _var, (var_rule,), ("x",),
       ("spread(g, x, dim, keepdim) * 2 * (x - mean) / (count(x, dim) - correction)",), "y = Σ (x − mean)² / (n − 1)",
       SPREAD, "VarBackward0", saves("x"), note="Of one number the variance is NaN."),
    Op("std", "σ", _std, (std_rule,), ("x",),
       ("spread(g / (2 * y), x, dim, keepdim) * 2 * (x - mean) / (count(x, dim) - correction)",),
       "y = √(Σ (x − mean)² / (n − 1))", SPREAD, "StdBackward0", saves("x y"),
       note="Where all numbers are equal the gradient is 0."),
    Op("var_mean", "σ², μ", VAR_MEAN, (VAR_MEAN_RULE,), ("x",),
       (f"spread(g, x, dim, keepdim) * {PARTS.format('2 * (x - mean)')}",),
       "y = Σ (x − mean)² / (n − 1), and the mean", BESIDE, "VarMeanBackward0", saves("x"), output="output"),
    Op("std_mean", "σ, μ", STD_MEAN, (STD_MEAN_RULE,), ("x",),
       (f"spread(where(output == 0, g / y, g), x, dim, keepdim) * {PARTS.format('(x - mean)')}",),
       "y = √(Σ (x − mean)² / (n − 1)), and the mean", BESIDE, "StdMeanBackward0", saves("x y"), output="output", saves_output=0,
       note="Where all numbers are equal the gradient of the deviation is 0."),
    Op("nansum", "Σ", lambda x, dim, keepdim: total(np.where(np.isnan(x), x.dtype.type(0), x), axes_of(dim, x.ndim), keepdim),
       (lambda g, y, x, dim, keepdim: F.spread(g, x, dim, keepdim) * F.mask(~np.isnan(plain(x)), g),), ("x",),
       ("where(x == x, spread(g, x, dim, keepdim), 0)",), "y = Σ x without NaN", CASES, "NansumBackward0", saves("x"),
       note="A NaN gets 0."),
    Op("norm", "‖x‖", _norm, (norm_rule,), ("x",), ("spread(g / y, x, dim, keepdim) * x",), "y = √(Σ x²)", CASES,
       "LinalgVectorNormBackward0", saves("x y"), note="At 0 the gradient is 0."),
    Op("logsumexp", "lse", _logsumexp,
       (lambda g, y, x, dim, keepdim: F.spread(g, x, dim, keepdim) * F.exp(x - F.kept(y, x, dim, keepdim)),), ("x",),
       ("spread(g, x, dim, keepdim) * exp(x - spread(y, x, dim, keepdim))",), "y = ln Σ eˣ", CASES[1:],
       "LogsumexpBackward0", saves("x y")),
    Op("cumsum", "Σ…", _cumsum, (cumsum_rule,), ("x",),
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
    "std_mean": _mean,
    "var_mean": _mean,
    "cumsum": lambda _xs, p: {"later_sums": lambda g: np.flip(np.cumsum(np.flip(g, p["dim"]), p["dim"]), p["dim"])},
}
"""Names worked out of the params."""
