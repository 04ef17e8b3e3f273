"""Lengths of vectors by any p: the sum of |x|, the largest |x|, (Σ |x|ᵖ)^(1/p), and renorm, which shortens by them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.dtypes import FLOAT64
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels.reductions import in_turn
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.reducing.reduction import GRID
from gradviz.imitation.engine.shapes import axes_of

CASES = (case(GRID, dim=None, keepdim=False), case(GRID, dim=(1,), keepdim=False), case(GRID, dim=(0,), keepdim=True))
TINY = 1e-7
"""What `renorm` adds to a length before it divides by it."""


def with_order(*orders: float) -> Any:
    """The cases for each p."""
    return tuple(
        {"inputs": given["inputs"], "params": {"ord": p, **given["params"]}} for given in CASES for p in orders
    )


def _sum_of_sizes(x: Any, dim: Any, keepdim: bool) -> Any:
    return in_turn(np.abs(x), axes_of(dim, x.ndim), keepdim)


def _end(x: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    return (np.max if ord > 0 else np.min)(np.abs(x), axis=axes_of(dim, x.ndim), keepdims=keepdim)


def end_rule(g: Any, y: Any, x: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    """All numbers of that size share g equally, each with its sign; a NaN counts as one of them."""
    size = np.abs(plain(x))
    hits = (size == F.kept(plain(y), x, dim, keepdim)) | np.isnan(size)
    count = hits.sum(axis=axes_of(dim, hits.ndim), keepdims=True)
    kept = F.kept(g, x, dim, keepdim)
    return F.sign(x) * ((kept / F.mask(count, g)) * F.mask(hits, g))


def _power_mean(x: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    p = x.dtype.type(ord)
    return in_turn(np.abs(x) ** p, axes_of(dim, x.ndim), keepdim) ** x.dtype.type(1 / ord)


def power_rule(g: Any, y: Any, x: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    """g · sign(x) · |x|ᵖ⁻¹ / yᵖ⁻¹; 0 where the length is 0, and for p below 1 where x is."""
    length, kept = F.kept(y, x, dim, keepdim), F.kept(g, x, dim, keepdim)
    size = call("abs", x)
    if ord < 1:
        scaled = F.sign(x) * F.where(plain(x) == 0, 0.0, call("pow", size, exponent=ord - 1))
        return scaled * kept * call("pow", length, exponent=1 - ord)
    scaled = F.sign(x) * call("pow", size, exponent=ord - 1) if ord < 2 else x * call("pow", size, exponent=ord - 2)
    return scaled * F.where(plain(length) == 0, 0.0, kept / call("pow", length, exponent=ord - 1))


# ---- any p ----


def vector_length(x: Any, ord: float, dim: Any, keepdim: bool) -> Any:
    """The p-norm by the entry of the table for that p."""
    if ord == 2:
        return call("norm", x, dim=dim, keepdim=keepdim)
    if ord == 1:
        return call("norm_1", x, dim=dim, keepdim=keepdim)
    return call("norm_inf" if math.isinf(ord) else "vector_norm", x, ord=ord, dim=dim, keepdim=keepdim)


def slope(g: Any, y: Any, x: Any, ord: float, dim: Any) -> Any:
    """The rule of the p-norm, kept axes."""
    if ord == 2:
        length = F.kept(y, x, dim, True)
        zero = np.broadcast_to(plain(length) == 0, plain(x).shape)
        return g * F.where(zero, 0.0, x / length)
    if ord == 1:
        return F.sign(x) * g
    return (end_rule if math.isinf(ord) else power_rule)(g, y, x, ord, dim, True)


def _beside(x: Any, dim: int) -> tuple[int, ...]:
    """All axes but one."""
    return tuple(i for i in range(plain(x).ndim) if i != dim)


def _shortened(x: Any, p: float, dim: int, maxnorm: float) -> Any:
    # As PyTorch: lengths and factors in double precision.
    n = vector_length(x.astype(np.float64), p, _beside(x, dim), True)
    return x * np.where(n > maxnorm, maxnorm / (n + TINY), 1.0).astype(x.dtype)


def renorm_rule(g: Any, y: Any, x: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Where x was shortened: the slope of x · maxnorm / (n + 10⁻⁷), in which the length n depends on x too."""
    rest, dtype = _beside(x, dim), plain(x).dtype
    wide, sent = F.to(x, FLOAT64), F.to(g, FLOAT64)
    n = vector_length(wide, p, rest, True)
    turned = slope(F.sum(wide * sent, rest, True), n, wide, p, rest)
    inverse = call("reciprocal", n + TINY)
    too_long = np.broadcast_to(plain(n) > maxnorm, plain(x).shape)
    return F.where(too_long, F.to(inverse * maxnorm * (sent - inverse * turned), dtype), g)


END = (
    "sign(x) * where(abs(x) == spread(y, x, dim, keepdim), spread(g, x, dim, keepdim) / "
    "sum(abs(x) == spread(y, x, dim, keepdim), dim, True), 0)"
)

TABLE = (
    Op("norm_1", "Σ|x|", _sum_of_sizes,
       (lambda g, y, x, dim, keepdim: F.sign(x) * F.kept(g, x, dim, keepdim),), ("x",),
       ("sign(x) * spread(g, x, dim, keepdim)",), "y = Σ |x|", CASES, "LinalgVectorNormBackward0", saves("x y"),
       note="At 0 the gradient is 0."),
    Op("norm_inf", "max|x|", _end, (end_rule,), ("x",),
       (END,), "y = max |x|, or min |x|",
       with_order(math.inf, -math.inf), "LinalgVectorNormBackward0", saves("x y"),
       note="All numbers of that size share the gradient equally."),
    Op("vector_norm", "‖x‖p", _power_mean, (power_rule,), ("x",),
       ("sign(x) * abs(x) ** (ord - 1) * spread(g / y ** (ord - 1), x, dim, keepdim)",), "y = (Σ |x|ᵖ)^(1/p)",
       with_order(3.0, 1.5, 0.5, -1.0), "LinalgVectorNormBackward0", saves("x y"),
       note="Where the length is 0 the gradient is 0."),
    Op("renorm", "≤ m", _shortened, (renorm_rule,), ("x",),
       ("where(n > maxnorm, maxnorm / (n + 1e-07) * (g - sum(x * g, beside, True) * dn / (n + 1e-07)), g)",),
       "y = x, shortened to maxnorm where it is longer",
       tuple(case(GRID, p=p, dim=dim, maxnorm=m) for p, dim, m in ((2.0, 0, 4.2), (2.0, 1, 2.5), (1.0, 1, 2.0),
             (3.0, 0, 1.0), (math.inf, 0, 3.7))), "RenormBackward0", saves("x")),
)  # fmt: skip


def _renorm_names(xs: Any, params: dict[str, Any]) -> dict[str, Any]:
    x, rest = xs[0], _beside(xs[0], params["dim"])
    n = vector_length(x, params["p"], rest, True)
    return {"n": n, "beside": rest, "dn": slope(np.ones_like(n), n, x, params["p"], rest)}


NAMES: dict[str, Any] = {"abs": np.abs}
OF_PARAMS: dict[str, Any] = {"renorm": _renorm_names}
