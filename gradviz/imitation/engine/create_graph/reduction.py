"""Reductions, running results, and what is chosen by its order."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.create_graph.steps import (
    constant,
    count,
    expanded,
    masked,
    narrow,
    new_zeros,
    power,
    unsqueezed,
)
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.shapes import axes_of, kept_shape


def _sum(g: Any, y: Any, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return expanded(unsqueezed(g, x, dim, keepdim), x.shape)


def _mean(g: Any, y: Any, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return _sum(g, y, x, dim, keepdim) / F.count(x, dim)


def _nansum(g: Any, y: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    return _sum(g, y, x, dim, keepdim) * F.mask(~np.isnan(plain(x)), g)


# ---- extremes ----


def _restored(g: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """The reduced axes as 1, by one reshape."""
    return g if keepdim else F.reshape(g, kept_shape(x.shape, dim))


def shared(g: Any, hits: Any, dim: Any) -> Any:
    """g among those that hold the extreme."""
    return g / constant(count(hits, dim), g) * F.mask(hits, g)


def _extreme(g: Any, y: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    hits = plain(x) == F.kept(plain(y), x, dim, keepdim)
    every = tuple(range(x.ndim)) if dim is None else dim
    return shared(_restored(g, x, dim, keepdim), hits, every)


def _evenly(g: Any, y: Any, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """The extreme of all numbers: what holds it gets its share written into zeros."""
    hits = np.isnan(plain(x)) if np.isnan(plain(y)) else plain(x) == plain(y)
    return call("masked_fill_tensor", new_zeros(x.shape, x), g / constant(count(hits, None), g), index=hits)


def _put_back(g: Any, x: Any, dim: int, index: Any) -> Any:
    """g at an index along dim among zeros."""
    return call("scatter", new_zeros(x.shape, g), g, dim=dim % max(x.ndim, 1), index=np.asarray(index))


def _selected(g: Any, y: Any, x: Any, dim: int, keepdim: bool, index: Any) -> Any:
    return _put_back(unsqueezed(g, x, dim, keepdim), x, dim, index)


def _in_order(g: Any, y: Any, x: Any, dim: int, index: Any, **_: Any) -> Any:
    return _put_back(g, x, dim, index)


def _so_far(g: Any, y: Any, x: Any, dim: int, index: Any) -> Any:
    return call("scatter_add", new_zeros(x.shape, g), g, dim=dim % max(x.ndim, 1), index=np.asarray(index))


# ---- spread and length ----


def _var(g: Any, y: Any, x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    free = F.count(x, dim) - correction
    if not x.ndim or dim is None:
        if free <= 0:
            endless = np.where(plain(x) == plain(call("mean", x, dim=None, keepdim=False)), np.nan, np.inf)
            return g * constant(endless, x)
        centred = x - call("mean", x, dim=None, keepdim=False)
        return g * (2.0 / free) * centred
    centred = x - call("mean", x, dim=dim, keepdim=True)
    return (unsqueezed(g, x, dim, keepdim) if x.ndim > 1 else g) * (2.0 / free if free else math.inf) * centred


def _std(g: Any, y: Any, x: Any, dim: Any, correction: float, keepdim: bool) -> Any:
    return _var(masked(g / (y * 2), plain(y) == 0), y, x, dim, correction, keepdim)


def _with_mean(rule: Any) -> Any:
    def of_results(came: Any, made: Any, sources: Any, needs: Any) -> tuple[Any, ...]:
        params = {name: value for name, value in made[0].params.items() if name != "output"}
        (x,), dim, keepdim = sources, params["dim"], params["keepdim"]
        first = None if came[0] is None else rule(came[0], made[0], x, **params)
        second = None if len(came) < 2 or came[1] is None else _mean(came[1], None, x, dim, keepdim)
        return (first + second if first is not None and second is not None else second if first is None else first,)

    return of_results


def norm_rule(g: Any, x: Any, p: float, length: Any, dim: Any, keepdim: bool) -> Any:
    """The gradient of a p-norm, in PyTorch's steps."""
    g, length = (unsqueezed(z, x, dim, keepdim) for z in (g, length))
    is_zero = plain(length) == 0
    if p == 1:
        return F.sign(x) * g
    if p == 2:
        return g * masked(x / length, np.broadcast_to(is_zero, np.broadcast_shapes(x.shape, is_zero.shape)))
    if math.isinf(p):
        size = np.abs(plain(x))
        hits = (size == plain(length)) | np.isnan(size)
        share = shared(g, hits, tuple(range(x.ndim)) if dim is None else dim)
        return F.sign(x) * share
    size = call("abs", x)
    if p < 1:
        sizes = masked(power(size, p - 1), plain(x) == 0)
        return F.sign(x) * sizes * g * power(length, 1 - p)
    powers = power(size, p - (1 if p < 2 else 2))
    scaled = (F.sign(x) if p < 2 else x) * powers
    return scaled * masked(g / power(length, p - 1), is_zero)


def _of_order(p: float | None = None, name: str = "") -> Any:
    def rule(g: Any, y: Any, x: Any, dim: Any, keepdim: bool, **order: float) -> Any:
        return norm_rule(g, x, order[name] if name else p or 0.0, y, dim, keepdim)

    return rule


def _logsumexp(g: Any, y: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    g, y = (unsqueezed(z, x, dim, keepdim) for z in (g, y))
    return g * F.exp(x - y)


# ---- running ----


def flipped(x: Any, dim: int) -> Any:
    """`x.flip(dim)`."""
    return call("flip", x, dims=(dim,))


def later_sums(g: Any, dim: int) -> Any:
    """The sum from each number on."""
    if g.data.size <= 1 or g.shape[dim] == 1:
        return g
    return flipped(call("cumsum", flipped(g, dim), dim=dim), dim)


def prod_of_others(g: Any, x: Any, dim: int) -> Any:
    """g times the product of the other numbers along dim, without a division."""
    if not x.data.size:
        return expanded(g, x.shape)
    if x.shape[dim] == 1:
        return g
    ones = constant(np.ones(tuple(1 if i == dim else n for i, n in enumerate(x.shape))), g)
    before = call("cumprod", call("cat", ones, narrow(x, dim, 0, x.shape[dim] - 1), dim=dim), dim=dim)
    behind = call("cat", ones, flipped(narrow(x, dim, 1, x.shape[dim] - 1), dim), dim=dim)
    return g * (before * flipped(call("cumprod", behind, dim=dim), dim))


def _prod(g: Any, y: Any, x: Any, dim: int | None, keepdim: bool) -> Any:
    if not x.ndim:
        return g
    has_zero = bool(np.any(plain(x) == 0))
    if dim is None and has_zero:
        flat = call("view", x, size=(x.data.size,))
        return call("view", prod_of_others(g, flat, 0), size=x.shape)
    g, y = (unsqueezed(z, x, dim, keepdim) for z in (g, y))
    return prod_of_others(g, x, dim % x.ndim) if has_zero and dim is not None else g * (y / x)


def _aminmax(came: Any, made: Any, sources: Any, needs: Any) -> tuple[Any, ...]:
    (x,), dim, keepdim = sources, made[0].params["dim"], made[0].params["keepdim"]
    found = None
    for result in made:
        g = came[result.params["output"]]
        if g is not None:
            hits = plain(x) == F.kept(plain(result), x, dim, keepdim)
            every = axes_of(dim, x.ndim) or tuple(range(x.ndim))
            share = shared(_restored(g, x, dim, keepdim), hits, every)
            found = share if found is None else found + share
    return (found,)


RULES: dict[str, Any] = {
    "sum": (_sum,), "mean": (_mean,), "nansum": (_nansum,), "amax": (_extreme,), "amin": (_extreme,),
    **dict.fromkeys(("max", "min", "median", "nanmedian"), (_evenly,)),
    **dict.fromkeys(("max_dim", "min_dim", "kthvalue", "mode", "median_dim", "nanmedian_dim"), (_selected,)),
    "sort": (_in_order,), "topk": (_in_order,), "cummax": (_so_far,), "cummin": (_so_far,),
    "var": (_var,), "std": (_std,), "logsumexp": (_logsumexp,),
    "norm": (_of_order(2.0),), "norm_1": (_of_order(1.0),), "norm_inf": (_of_order(name="ord"),),
    "vector_norm": (_of_order(name="ord"),), "norm_p": (_of_order(name="p"),),
    "cumsum": (lambda g, y, x, dim: later_sums(g, dim) if x.ndim else g,), "prod": (_prod,),
}  # fmt: skip
OF_RESULTS: dict[str, Any] = {"var_mean": _with_mean(_var), "std_mean": _with_mean(_std), "aminmax": _aminmax}
