"""Products, of everything and so far, and logarithms of running sums: prod, cumprod, logcumsumexp."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.dtypes import limits_of
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels.reductions import product
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.entry import Op, by_dim, case, saves
from gradviz.imitation.engine.rules.reducing.reduction import GRID
from gradviz.imitation.engine.rules.shapes.shaping import shape
from gradviz.imitation.engine.shapes import axes_of

WITH_ZEROS = ([[1.5, 0.0, 3.5], [0.0, 4.0, 0.0]], [[2.0, -1.0, 0.5], [0.5, 0.0, -1.0]])
CASES = (
    case(GRID, dim=None, keepdim=False), case(GRID, dim=1, keepdim=False), case(GRID, dim=0, keepdim=True),
    case([2.0, 0.0, 3.0], dim=None, keepdim=False), case(WITH_ZEROS[0], dim=1, keepdim=True),
    case(WITH_ZEROS[1], dim=1, keepdim=False), case(2.5, dim=None, keepdim=False),
)  # fmt: skip
DIM = (case(GRID, dim=1), case(GRID, dim=0))


def flipped(x: Any, dim: int) -> Any:
    """x in the other direction along dim."""
    return call("flip", x, dims=(dim,)) if shape(x) else x


def part(x: Any, dim: int, start: int | None, end: int | None) -> Any:
    """x from start to end along dim."""
    return F.take(x, (*[slice(None)] * dim, slice(start, end)))


def ones_and(x: Any, dim: int, at: int, count: int = 1) -> Any:
    """x with `count` ones before it along dim (at = 0) or behind it (at = 1)."""
    size = tuple(count if i == dim else n for i, n in enumerate(shape(x)))
    ones = np.ones(size, plain(x).dtype)
    return call("cat", *((ones, x) if at == 0 else (x, ones)), dim=dim)


# ---- prod ----


def _prod(x: Any, dim: int | None, keepdim: bool) -> Any:
    if x.dtype.kind != "f":
        return np.prod(x, axis=axes_of(dim, x.ndim), keepdims=keepdim, dtype=np.int64)
    return product(x, axes_of(dim, x.ndim), keepdim)


def others(x: Any, dim: int | None) -> Any:
    """For each number of x the product of all the others along dim."""
    if dim is None:
        return F.reshape(others(F.reshape(x, (plain(x).size,)), 0), shape(x))
    if shape(x)[dim] == 1:
        return F.mask(np.ones(shape(x), np.bool_), x)
    before = call("cumprod", ones_and(part(x, dim, None, -1), dim, 0), dim=dim)
    behind = call("cumprod", ones_and(flipped(part(x, dim, 1, None), dim), dim, 0), dim=dim)
    return before * flipped(behind, dim)


def prod_rule(g: Any, y: Any, x: Any, dim: int | None, keepdim: bool) -> Any:
    """g · y / x; where a number is 0, g times the product of the others."""
    if not shape(x):
        return g
    zero_count = np.count_nonzero(plain(x) == 0)
    if zero_count > 1 and dim is None and not isinstance(g, F.Tensor):
        return np.zeros_like(x)
    if not zero_count:
        return F.spread(g, x, dim, keepdim) * (F.kept(y, x, dim, keepdim) / x)
    return F.spread(g, x, dim, keepdim) * others(x, dim)


# ---- cumprod ----


def _cumprod(x: Any, dim: int) -> Any:
    if not x.ndim:
        return x * 1
    # As PyTorch: multiplied in double precision, each result rounded on its own.
    wide = np.float64 if x.dtype.kind == "f" else np.int64
    return np.multiply.accumulate(x, axis=dim, dtype=wide).astype(x.dtype if x.dtype.kind == "f" else np.int64)


def later_sums(x: Any, dim: int) -> Any:
    """For each number the sum from it to the end along dim."""
    return flipped(call("cumsum", flipped(x, dim), dim=dim), dim)


def cumprod_rule(g: Any, y: Any, x: Any, dim: int) -> Any:
    """The sums from each number on of g · y, over x; where a number is 0, over the products that leave it out."""
    if plain(x).size < 2 or shape(x)[dim] == 1:
        return g
    if not np.any(plain(x) == 0):
        return later_sums(g * y, dim) / x
    if not isinstance(g, F.Tensor):
        return _past_zeros(g, y, x, dim)
    return call("cat", *(_share(g, x, dim, k) for k in range(shape(x)[dim])), dim=dim)


def _past_zeros(g: Any, y: Any, x: Any, dim: int) -> Any:
    """The same number for number: after the second 0 all products are 0, and so are their derivatives."""
    one = x.dtype.type(1)
    count = np.cumsum(x == 0, axis=dim)
    is_first = (x == 0) & (count == 1)
    before = later_sums(np.where(count == 0, g * y, 0).astype(x.dtype), dim) / np.where(x == 0, one, x)
    so_far = _cumprod(np.where((count == 1) & ~is_first, x, one), dim)
    behind = np.where(count == 1, g * so_far, 0).sum(axis=dim, keepdims=True)
    at_zero = behind * np.where(count == 0, x, one).prod(axis=dim, keepdims=True)
    return np.where(count == 0, before, np.where(is_first, at_zero, 0)).astype(x.dtype)


def _share(g: Any, x: Any, dim: int, k: int) -> Any:
    """dL/dx of number k: g from there on, times the products without it."""
    count = shape(x)[dim]
    left_out = ones_and(part(x, dim, k + 1, None), dim, 0) if k < count - 1 else ones_and(part(x, dim, 0, 0), dim, 0)
    products = call("cumprod", left_out, dim=dim)
    if k:
        products = products * call("prod", part(x, dim, None, k), dim=dim, keepdim=True)
    return F.sum(part(g, dim, k, None) * products, dim, True)


# ---- logcumsumexp ----


def _logcumsumexp(x: Any, dim: int) -> Any:
    if not x.ndim:
        return x * 1
    return np.logaddexp.accumulate(x, axis=dim, dtype=np.float64).astype(x.dtype) + x.dtype.type(0)


def _from_the_end(x: Any, dim: int) -> Any:
    return flipped(call("logcumsumexp", flipped(x, dim), dim=dim), dim)


def _log_of_positive(g: Any) -> Any:
    """ln g, and a number whose power of e is 0 where g is not above 0."""
    is_positive = plain(g) > 0
    return F.where(is_positive, F.log(F.where(is_positive, g, 1.0)), float(limits_of(plain(g).dtype).min))


def logcumsumexp_rule(g: Any, y: Any, x: Any, dim: int) -> Any:
    """eˣ times the sums from each number on of g · e⁻ʸ, positive and negative g apart, so that nothing overflows."""
    if not shape(x) or not plain(x).size:
        return g
    log_positive, log_negative = _log_of_positive(g), _log_of_positive(-g)
    return F.exp(_from_the_end(log_positive - y, dim) + x) - F.exp(_from_the_end(log_negative - y, dim) + x)


TABLE = (
    Op("prod", "∏", _prod, (prod_rule,), ("x",), ("spread(g, x, dim, keepdim) * others(x, dim)",), "y = ∏ x", CASES,
       by_dim("Prod"), saves("x y"), keeps_integers=True,
       note="The derivative is the product of the others, also where a number is 0."),
    Op("cumprod", "∏…", _cumprod, (cumprod_rule,), ("x",), ("later_products(g)",), "y = the products so far",
       (*DIM, case(WITH_ZEROS[0], dim=1), case(WITH_ZEROS[1], dim=0)), "CumprodBackward0", saves("x y"),
       keeps_integers=True, note="The derivatives are the products that leave a number out, also where it is 0."),
    Op("logcumsumexp", "lse…", _logcumsumexp, (logcumsumexp_rule,), ("x",), ("exp(x) * later_sums(g * exp(-y))",),
       "y = ln of the sums of eˣ so far", DIM, "LogcumsumexpBackward0", saves("x y")),
)  # fmt: skip


def _later_products(x: Any, dim: int) -> Any:
    """Each g times the derivative of its product, summed: from the definition, number by number."""

    def derivative(g: Any) -> Any:
        out = np.zeros_like(x)
        for k in range(x.shape[dim]):
            at: Any = (*[slice(None)] * dim, k)
            alone = np.array(x)
            alone[at] = 1
            reached = np.arange(x.shape[dim]).reshape([-1 if i == dim else 1 for i in range(x.ndim)]) >= k
            out[at] = (g * np.cumprod(alone, dim) * reached).sum(dim)
        return out

    return derivative


NAMES: dict[str, Any] = {"others": others}
OF_PARAMS: dict[str, Any] = {
    "cumprod": lambda xs, p: {"later_products": _later_products(xs[0], p["dim"])},
    "logcumsumexp": lambda _xs, p: {"later_sums": lambda g: later_sums(g, p["dim"])},
}
