"""Many numbers to few: sums, means, products, extremes, norms, running sums and order.

A sum sends its gradient to every element that was summed; an extreme sends it to the element that won. Of equal
elements those of `max()` and `amax` share it, and `max(dim)` picks one (PyTorch's convention).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.functions import Dims
from gradviz.ops.indexing import along
from gradviz.ops.kinks import tied
from gradviz.ops.op import Op, example, names
from gradviz.ops.shape import GRID
from gradviz.ops.symbols import Traced, said, word

SHARED = "Equal elements share the gradient."
_added: Any = np.add.reduce
_multiplied: Any = np.multiply.reduce
_largest: Any = np.maximum.reduce
_smallest: Any = np.minimum.reduce

PICKED = "Of equal elements one gets all of the gradient: the one that indices names."


# ---- forwards and rules ------------------------------------------------------------------------------------------


def _whole(dtype: np.dtype[Any]) -> Any:
    """The dtype in which whole numbers and bools are summed and multiplied."""
    return np.int64 if dtype.kind in "biu" else None


def _sum_all(x: Any) -> Any:
    return _added(x, None) if x.dtype.kind == "f" else _added(x, None, np.int64)


def _filled(g: Any, x: Any) -> Any:
    """One number for every element of x."""
    if isinstance(g, Traced):
        return r.expand(g, x.array.shape)
    return np.full(x.shape, g, g.dtype) if x.ndim else g


def _sum(x: Any, dim: Dims, keepdim: bool) -> Any:
    return _added(x, r.axes_of(dim), _whole(x.dtype), keepdims=keepdim)


def _mean_all(x: Any) -> Any:
    return _added(x, None) / x.dtype.type(x.size)


def _mean(x: Any, dim: Dims, keepdim: bool) -> Any:
    return _added(x, r.axes_of(dim), keepdims=keepdim) / x.dtype.type(r.count_reduced(x, dim))


def _prod(x: Any, dim: int | None, keepdim: bool) -> Any:
    return _multiplied(x, dim, _whole(x.dtype), keepdims=keepdim)


def left_out(x: Any, dim: int) -> Any:
    """x repeated along a new dim in front of dim, and in copy k the k-th number replaced by 1."""
    n = r.plain(x).shape[dim]
    itself = np.eye(n, dtype=bool).reshape(n, n, *(1,) * (r.plain(x).ndim - dim - 1))
    return r.where(itself, 1.0, r.unsqueeze(x, dim))


def _prod_rule(g: Any, y: Any, x: Any, dim: int | None, keepdim: bool) -> Any:
    """g times the product of all others."""
    numbers = r.plain(x)
    if not numbers.ndim:
        return g
    if numbers.all():
        return r.spread(g, x, dim, keepdim) * (r.kept(y, x, dim, keepdim) / x)
    if dim is None:
        others = product_along(left_out(r.reshape(x, (-1,)), 0), 1)
        return r.spread(g, x, None, keepdim) * r.reshape(others, numbers.shape)
    return r.spread(g, x, dim, keepdim) * product_along(left_out(x, dim), dim + 1)


def product_of_others(x: Any) -> Any:
    """For each element of the last dim the product of all others."""
    dim = r.plain(x).ndim - 1
    return product_along(left_out(x, dim), dim + 1)


def product_along(x: Any, dim: int) -> Any:
    return x.prod(dim) if r.is_tensor(x) else _multiplied(x, dim)


def _free(n: int, correction: float) -> float:
    """What a variance is divided by."""
    return n - correction if n > correction else 0


def _var(x: Any, dim: Dims, correction: float, keepdim: bool) -> Any:
    n = r.count_reduced(x, dim)
    away = x - _mean(x, dim, keepdim=True)
    free = _free(n, correction)
    return _added(away * away, r.axes_of(dim), keepdims=keepdim) / x.dtype.type(free)


def _deviation(x: Any, dim: Dims) -> Any:
    """x minus its mean."""
    return x - (x.mean(dim, True) if r.is_tensor(x) else _mean(x, dim, keepdim=True))


def _var_rule(g: Any, y: Any, x: Any, dim: Dims, correction: float, keepdim: bool) -> Any:
    free = _free(r.count_reduced(x, dim), correction)
    return r.spread(g, x, dim, keepdim) * _deviation(x, dim) * (2 / free if free else float("nan"))


def _std_rule(g: Any, y: Any, x: Any, dim: Dims, correction: float, keepdim: bool) -> Any:
    free = _free(r.count_reduced(x, dim), correction)
    flat = r.plain(y) == 0
    per = r.kept_where(~flat, g / r.where(flat, 1.0, y)) * (1 / free if free else float("nan"))
    return r.spread(per, x, dim, keepdim) * _deviation(x, dim)


INFINITE = (float("inf"), float("-inf"))


def norm_of(x: Any, p: float, dim: Dims, keepdim: bool) -> Any:
    """The p-norm of an array over axes."""
    axes = r.axes_of(dim)
    if p == 2:
        return np.sqrt(_added(x * x, axes, keepdims=keepdim))
    size = np.abs(x)
    if p == 1:
        return _added(size, axes, keepdims=keepdim)
    if p in INFINITE:
        return (_largest if p > 0 else _smallest)(size, axes, keepdims=keepdim)
    if p == 0:
        return _added(size != 0, axes, x.dtype, keepdims=keepdim)
    return _added(size**p, axes, keepdims=keepdim) ** (1 / p)


def norm_rule(g: Any, y: Any, x: Any, p: float, dim: Dims, keepdim: bool) -> Any:
    """The rule of `norm_of`."""
    if p == 0:
        return r.zeros_like(x)
    g = r.spread(g, x, dim, keepdim)
    if p == 1:
        return g * r.sign(x)
    y = r.kept(y, x, dim, keepdim)
    if p in INFINITE:
        won = np.abs(r.plain(x)) == r.plain(y)
        count = np.maximum(_added(won, r.axes_of(dim), keepdims=True), 1)  # beside NaN nothing has won
        return g * (r.sign(x) * r.constant_like(won / count, x))
    is_zero = r.plain(y) == 0
    safe = r.where(is_zero, 1.0, y)
    if p == 2:
        return g * (x / safe)
    at_zero = r.plain(x) == 0
    size = r.where(at_zero, 1.0, r.absolute(x))
    return r.kept_where(~at_zero, g * (r.sign(x) * (size / safe) ** (p - 1)))


def _extreme(reduce: Callable[..., Any]) -> Callable[..., Any]:
    return lambda x, dim, keepdim: reduce(x, r.axes_of(dim), keepdims=keepdim)


def _extreme_rule(g: Any, y: Any, x: Any, dim: Dims = None, keepdim: bool = False) -> Any:
    """An equal share of g to every element that is the extreme."""
    numbers, best = r.plain(x), np.asarray(r.plain(y)).reshape(r.kept_shape(r.plain(x).shape, dim))
    won = (numbers == best) | ((numbers != numbers) & (best != best))  # a NaN that won is equal to no number
    count = _added(won, r.axes_of(dim), keepdims=True)
    return r.spread(g, x, dim, keepdim) * r.constant_like(won / np.maximum(count, 1), g)


def _amax_rule(g: Any, y: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    """As `_extreme_rule`, but NaN for all where a NaN won."""
    won = r.plain(x) == np.asarray(r.plain(y)).reshape(r.kept_shape(r.plain(x).shape, dim))
    share = won / _added(won, r.axes_of(dim), keepdims=True)
    return r.spread(g, x, dim, keepdim) * r.constant_like(share, g)


def _at_index(x: Any, dim: int, keepdim: bool, index: Any) -> Any:
    """The element of each row along dim that an index names."""
    found = np.take_along_axis(x, np.expand_dims(index, dim), dim)
    return found if keepdim else found.reshape(index.shape)


def _at_index_rule(g: Any, y: Any, x: Any, dim: int, keepdim: bool, index: Any) -> Any:
    index = np.expand_dims(index, dim)
    g = g if keepdim else r.reshape(g, index.shape)
    return _put_back(g, r.plain(x).shape, index, dim)


def _put_back(g: Any, shape: tuple[int, ...], index: Any, dim: int) -> Any:
    """Zeros with g at an index along dim that names no element twice."""
    if r.is_tensor(g):
        return r.put(g, shape, along(index, dim))
    out = np.zeros(shape, g.dtype)
    np.put_along_axis(out, index, g, dim)
    return out


def _picked(x: Any, dim: int, index: Any) -> Any:
    return np.take_along_axis(x, index, dim)


def _picked_rule(g: Any, y: Any, x: Any, dim: int, index: Any) -> Any:
    return _put_back(g, r.plain(x).shape, index, dim)


def _median(x: Any) -> Any:
    flat = np.asarray(x).reshape(-1)
    if not flat.size:
        return x.dtype.type("nan")
    if flat.dtype.kind == "f" and np.isnan(flat).any():
        return x.dtype.type("nan")
    middle = (flat.size - 1) // 2
    return np.partition(flat, middle)[middle]


def _logsumexp(x: Any, dim: Dims, keepdim: bool) -> Any:
    axes = r.axes_of(dim)
    top = _largest(x, axes, keepdims=True, initial=-np.inf)
    top = np.where(np.isfinite(top), top, x.dtype.type(0))
    found = np.log(_added(np.exp(x - top), axes, keepdims=True)) + top
    return found if keepdim else np.squeeze(found, axes)


def _logsumexp_rule(g: Any, y: Any, x: Any, dim: Dims, keepdim: bool) -> Any:
    return r.spread(g, x, dim, keepdim) * r.exp(x - r.kept(y, x, dim, keepdim))


def _accumulated(ufunc: Any) -> Callable[..., Any]:
    def run(x: Any, dim: int) -> Any:
        return ufunc.accumulate(x, dim, _whole(x.dtype)) if x.ndim else x * 1

    return run


@word("the sums of {0} from each element on along {1}", name="later_sums")
def _later_sums(g: Any, dim: int) -> Any:
    """For each element the sum from it to the end along dim."""
    if not r.plain(g).ndim:
        return g
    if r.is_tensor(g):
        return g.flip(dim).cumsum(dim).flip(dim)
    return np.flip(np.add.accumulate(np.flip(g, dim), dim), dim)


def _cumprod_rule(g: Any, y: Any, x: Any, dim: int) -> Any:
    if not r.plain(x).ndim:
        return g
    if r.plain(x).all():
        return _later_sums(g * y, dim) / x
    without = left_out(x, dim)
    products = r.through(CUMPROD, without, dim=dim + 1)
    return r.total(_from_itself_on(products, dim) * r.unsqueeze(g, dim), dim + 1)


def _later(x: Any, dim: int) -> Any:
    """Of two dims of one size, dim and the next, where the second index is not below the first."""
    shape = r.plain(x).shape
    n = shape[dim]
    return np.triu(np.ones((n, n), dtype=bool)).reshape(n, n, *(1,) * (len(shape) - dim - 2))


def _from_itself_on(x: Any, dim: int) -> Any:
    return r.kept_where(_later(x, dim), x)


ROWS_3 = np.array([1, 0, 1])
ONE_DIM = example(GRID, dim=1, keepdim=True)
DIMS = (example(GRID, dim=(0, 1), keepdim=False), ONE_DIM, example(GRID, dim=0, keepdim=False))
ZEROS = [[2.0, 0.0, 3.0], [0.0, 0.0, 1.5]]


def _others(x: Any, dim: int | None) -> Any:
    """For each element the product of all others over dim."""
    if not x.ndim:
        return np.ones_like(x)
    if dim is None:
        return product_along(left_out(x.reshape(-1), 0), 1).reshape(x.shape)
    return product_along(left_out(x, dim), dim + 1)


others = word("the product of all others", takes_numbers=True)(_others)


def _norm_form(g: Any, y: Any, x: Any, p: float, dim: Dims, keepdim: bool) -> Any:
    if p == 0:
        return r.zeros_like(x)
    g, y = r.kept(g, x, dim, keepdim), r.kept(y, x, dim, keepdim)
    if p == 1:
        return g * r.sign(x)
    return g * x / y if p == 2 else g * r.sign(x) * r.absolute(x / y) ** (p - 1)


def _extreme_form(g: Any, y: Any, x: Any, dim: Dims = None, keepdim: bool = False) -> Any:
    won = x == r.kept(y, x, dim, keepdim)
    return r.where(won, r.kept(g, x, dim, keepdim) / (r.total(won) if dim is None else r.total(won, dim, True)), 0)


SUM_ALL = Op("sum", _sum_all, (lambda g, y, x: _filled(g, x),), ("x",), (lambda g, y, x: r.spread(g, x),), "y = Σ x", (example(GRID),),
             keeps_integers=True, sign="Σ", kind="sum")  # fmt: skip
SUM = Op("sum", _sum, (lambda g, y, x, dim, keepdim: r.spread(g, x, dim, keepdim),), ("x",), (),
         "y = Σ x over dim", DIMS, node="SumBackward1", keeps_integers=True, sign="Σ", kind="sum")  # fmt: skip
MEAN_ALL = Op("mean", _mean_all, (lambda g, y, x: _filled(g * (1 / r.plain(x).size) if r.plain(x).size else g, x),),
              ("x",), (lambda g, y, x: r.spread(g / r.count_reduced(x), x),), "y = Σ x / n", (example(GRID),),
              sign="μ", kind="mean")  # fmt: skip
MEAN = Op("mean", _mean,
          (lambda g, y, x, dim, keepdim: r.spread(g * (1 / (r.count_reduced(x, dim) or 1)), x, dim, keepdim),), ("x",),
          (lambda g, y, x, dim, keepdim: r.spread(g / r.count_reduced(x, dim), x, dim, keepdim),), "y = Σ x / n over dim", DIMS,
          node="MeanBackward1", sign="μ", kind="mean")  # fmt: skip
PROD_ALL = Op("prod", lambda x: _prod(x, None, keepdim=False),
              (lambda g, y, x: _prod_rule(g, y, x, None, keepdim=False),), ("x",),
              (lambda g, y, x: g * others(x, None),),
              "y = ∏ x", (example(GRID), example([2.0, 0.0, 3.0])), names("x y"), keeps_integers=True,
              sign="∏", kind="others")  # fmt: skip
PROD = Op("prod", _prod, (_prod_rule,), ("x",),
          (lambda g, y, x, dim, keepdim: r.kept(g, x, dim, keepdim) * others(x, dim),), "y = ∏ x over dim",
          (ONE_DIM, example(ZEROS, dim=1, keepdim=False)), names("x y"), "ProdBackward1",
          keeps_integers=True, sign="∏", kind="others")  # fmt: skip
VAR = Op("var", _var, (_var_rule,), ("x",),
         (lambda g, y, x, dim, correction, keepdim: r.kept(g, x, dim, keepdim) * 2 * (x - r.mean_kept(x, dim))
          / (r.count_reduced(x, dim) - correction),),
         "y = Σ (x − mean)² / (n − correction)",
         (example(GRID, dim=None, correction=1, keepdim=False), example(GRID, dim=1, correction=0, keepdim=True)),
         names("x"), note="Of one element the variance is NaN, divided by n − 1 = 0.",
         sign="σ²", kind="deviation")  # fmt: skip
STD = Op("std", lambda x, dim, correction, keepdim: np.sqrt(_var(x, dim, correction, keepdim)), (_std_rule,),
         ("x",), (lambda g, y, x, dim, correction, keepdim: r.kept(g, x, dim, keepdim) * (x - r.mean_kept(x, dim))
          / (r.kept(y, x, dim, keepdim) * (r.count_reduced(x, dim) - correction)),),
         "y = √(Σ (x − mean)² / (n − correction))",
         (example(GRID, dim=None, correction=1, keepdim=False), example(GRID, dim=1, correction=0, keepdim=True)),
         names("x y"), note="Where all elements are equal the gradient is 0.",
         sign="s", kind="deviation")  # fmt: skip
NORM = Op("norm", norm_of, (norm_rule,), ("x",), (_norm_form,),
          "y = (Σ |x|ᵖ)^(1/p)",
          tuple(example(GRID, p=p, dim=dim, keepdim=keep) for p, dim, keep in (
              (2, None, False), (2, 1, True), (1, 0, False), (3, None, False), (1.5, 1, False), (0, 1, False),
              (float("inf"), 1, False), (float("-inf"), None, False))),
          names("x y"), "LinalgVectorNormBackward0", "At 0 the gradient of the 2-norm is 0.",
          sign="‖x‖", kind="length")  # fmt: skip
OLD_NORM = replace(NORM, node="NormBackward1")
"""The same inside PyTorch's own functions."""
DIST = Op("dist", lambda a, b, p: norm_of(a - b, p, None, keepdim=False),
          (lambda g, y, a, b, p: norm_rule(g, y, a - b, p, None, keepdim=False),
           lambda g, y, a, b, p: -norm_rule(g, y, a - b, p, None, keepdim=False)), ("a", "b"),
          (lambda g, y, a, b, p: _norm_form(g, y, a - b, p, None, keepdim=True),
           lambda g, y, a, b, p: -_norm_form(g, y, a - b, p, None, keepdim=True)),
          "y = (Σ |a − b|ᵖ)^(1/p)", tuple(example(GRID, [0.37, -0.21, 1.63], p=p) for p in (2, 1, 3)), names("a b y"),
          note="At 0 the gradient of the 2-norm is 0.", sign="‖x‖", kind="length")  # fmt: skip
MAX_ALL = Op("max", lambda x: _largest(x, None), (_extreme_rule,), ("x",), (_extreme_form,),
             "y = max x", (example(GRID),), names("x y"), "MaxBackward1", SHARED, keeps_integers=True,
             kinks=tied(np.max), sign="max", kind="extreme")  # fmt: skip
MIN_ALL = Op("min", lambda x: _smallest(x, None), (_extreme_rule,), ("x",), (_extreme_form,),
             "y = min x", (example(GRID),), names("x y"), "MinBackward1", SHARED, keeps_integers=True,
             kinks=tied(np.min), sign="min", kind="extreme")  # fmt: skip
AMAX = Op("amax", _extreme(_largest), (_amax_rule,), ("x",), (_extreme_form,),
          "y = max x over dim", DIMS, names("x y"), note=SHARED, keeps_integers=True,
          kinks=tied(np.max), sign="max", kind="extreme")  # fmt: skip
AMIN = Op("amin", _extreme(_smallest), (_amax_rule,), ("x",), (_extreme_form,),
          "y = min x over dim", DIMS, names("x y"), note=SHARED, keeps_integers=True,
          kinks=tied(np.min), sign="min", kind="extreme")  # fmt: skip


AT_WINNER = said("sent_to_winner", "{0} at the index that won, else 0", _at_index_rule)
SENT_BACK = said("sent_back", "each of {0} back to where its element came from, else 0", _picked_rule)


def _selecting(name: str, equation: str, node: str, **facts: Any) -> Op:
    return Op(name, _at_index, (_at_index_rule,), ("x",), (AT_WINNER,), equation,
              (example(GRID, dim=0, keepdim=False, index=ROWS_3), example(GRID, dim=1, keepdim=True, index=ROWS_3[:2])),
              node=node, note=PICKED, keeps_integers=True, **facts)  # fmt: skip


MAX = _selecting("max", "y = max x over dim", "MaxBackward0", kinks=tied(np.max), sign="max", kind="extreme")
MIN = _selecting("min", "y = min x over dim", "MinBackward0", kinks=tied(np.min), sign="min", kind="extreme")
MEDIAN = _selecting(
    "median", "y = the median over dim, of two in the middle the lower", "MedianBackward1", sign="med", kind="extreme"
)
MEDIAN_ALL = Op("median", _median, (_extreme_rule,), ("x",), (_extreme_form,),
                "y = the median of x, of two in the middle the lower", (example(GRID),), names("x y"), note=SHARED,
                keeps_integers=True, sign="med", kind="extreme")  # fmt: skip
SORT = Op("sort", _picked, (_picked_rule,), ("x",), (SENT_BACK,),
          "y = x in order along dim", (example(GRID, dim=1, index=np.array([[1, 0, 2], [2, 0, 1]])),),
          keeps_integers=True, sign="sort", kind="move")  # fmt: skip
TOPK = Op("topk", _picked, (_picked_rule,), ("x",), (SENT_BACK,),
          "y = the k largest of x along dim", (example(GRID, dim=1, index=np.array([[2, 0], [1, 0]])),), note=PICKED,
          keeps_integers=True, sign="top", kind="pick")  # fmt: skip
LOGSUMEXP = Op("logsumexp", _logsumexp, (_logsumexp_rule,), ("x",),
               (lambda g, y, x, dim, keepdim: r.kept(g, x, dim, keepdim) * r.exp(x - r.kept(y, x, dim, keepdim)),),
               "y = ln Σ eˣ over dim", DIMS, names("x y"), sign="lse", kind="softmax")  # fmt: skip
CUMSUM = Op("cumsum", _accumulated(np.add), (lambda g, y, x, dim: _later_sums(g, dim),), ("x",),
            (), "y = the sums so far along dim",
            (example(GRID, dim=1), example(GRID, dim=0)), keeps_integers=True, sign="Σ…", kind="so_far")  # fmt: skip
CUMPROD: Op = Op("cumprod", _accumulated(np.multiply), (_cumprod_rule,), ("x",),
             (said("later_products", "the sums from each element on of {0} ⊙ {1} / {2}", _cumprod_rule),), "y = the products so far along dim",
             (example(GRID, dim=1), example(GRID, dim=0), example(ZEROS, dim=1), example(ZEROS, dim=0)), names("x y"),
             note="Where x is 0 the products are formed without it.", keeps_integers=True,
             sign="∏…", kind="so_far")  # fmt: skip

TABLE = (
    SUM_ALL, SUM, MEAN_ALL, MEAN, PROD_ALL, PROD, VAR, STD, NORM, OLD_NORM, DIST, MAX_ALL, MAX, MIN_ALL, MIN, AMAX,
    AMIN, MEDIAN_ALL, MEDIAN, SORT, TOPK, LOGSUMEXP, CUMSUM, CUMPROD,
)  # fmt: skip
"""The rows of this family."""
