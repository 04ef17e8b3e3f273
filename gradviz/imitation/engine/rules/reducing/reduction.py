"""Reductions: many numbers to fewer. `dim` is None (all), a number or a tuple, as PyTorch counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels.summation import total
from gradviz.imitation.engine.rules.entry import Op, by_dim, case, saves
from gradviz.imitation.engine.shapes import axes_of

GRID = [[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]]
CASES = (
    case(GRID, dim=None, keepdim=False),
    case(GRID, dim=1, keepdim=False),
    case(GRID, dim=(0,), keepdim=True),
    case(2.5, dim=None, keepdim=False),
)


def _sum(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    if x.dtype.kind != "f":
        return np.sum(x, axis=axes_of(dim, x.ndim), keepdims=keepdim, dtype=np.int64)
    return total(x, axes_of(dim, x.ndim), keepdim)


def _mean(x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    y = total(x, axes_of(dim, x.ndim), keepdim)
    count = F.count(x, dim)
    return y / x.dtype.type(count) if count else y * np.nan


def extreme_rule(g: Any, y: Any, x: Any, dim: Any, keepdim: bool) -> Any:
    """All elements that reach the extreme share g equally. A NaN reaches nothing, and all get NaN."""
    hits = plain(x) == F.kept(plain(y), x, dim, keepdim)
    shared = hits.sum(axis=axes_of(dim, hits.ndim), keepdims=True)
    return F.spread(g, x, dim, keepdim) * F.mask(hits, g) / F.mask(shared, g)


def whole_rule(g: Any, y: Any, x: Any, dim: Any = None, keepdim: bool = False) -> Any:
    """All elements that reach the extreme share g equally; where that is NaN, all that are NaN."""
    a, extreme = plain(x), plain(y)
    hits = np.isnan(a) if np.isnan(extreme) else a == extreme
    return F.zero_where(~hits, F.spread(g / int(hits.sum()) if hits.size else g, x, dim, keepdim))


def place_rule(g: Any, y: Any, x: Any, dim: int, keepdim: bool, index: Any) -> Any:
    """All of g goes to the one element whose index was returned."""
    return F.zero_where(index != places(plain(x), dim), F.spread(g, x, dim, keepdim))


def places(x: Any, dim: int) -> Any:
    """The number of each element along dim; broadcasts against x."""
    axes = axes_of(dim, x.ndim)
    if axes is None:
        return np.zeros((), dtype=np.int64)
    shape = tuple(-1 if i == axes[0] else 1 for i in range(x.ndim))
    return np.arange(x.shape[axes[0]]).reshape(shape)


def _extreme(choose: Any) -> Any:
    return lambda x, dim=None, keepdim=False: choose(x, axis=axes_of(dim, x.ndim), keepdims=keepdim)


def at_index(x: Any, dim: int, keepdim: bool, index: Any) -> Any:
    """The numbers of x at an index along dim, which keeps dim as 1."""
    axes = axes_of(dim, x.ndim)
    if axes is None:
        return np.array(x)[()]
    values = np.take_along_axis(x, index, axes[0])
    return values if keepdim else values.squeeze(axes[0])[()]


def _places_case(choose: Any) -> Any:
    x = np.asarray(GRID)
    return (case(x, dim=1, keepdim=False, index=choose(x, axis=1, keepdims=True)),)


SHARED = (
    "where(x == spread(y, x, dim, keepdim), "
    "spread(g, x, dim, keepdim) / sum(x == spread(y, x, dim, keepdim), dim, True), 0)"
)
SHARE = "All elements equal to it share the gradient equally."
FIRST = "Of several equal elements only the one whose index is returned gets the gradient."

TABLE = (
    Op("sum", "Σ", _sum, (lambda g, y, x, dim=None, keepdim=False: F.spread(g, x, dim, keepdim),), ("x",),
       ("spread(g, x, dim, keepdim)",), "y = Σ x", CASES, by_dim("Sum"), keeps_integers=True),
    Op("mean", "mean", _mean,
       (lambda g, y, x, dim=None, keepdim=False: F.spread(g, x, dim, keepdim) / F.count(x, dim),), ("x",),
       ("spread(g, x, dim, keepdim) / count(x, dim)",), "y = Σ x / n", CASES, by_dim("Mean")),
    Op("amax", "max", _extreme(np.max), (extreme_rule,), ("x",), (SHARED,), "y = max x", CASES,
       "AmaxBackward0", saves("x y"), keeps_integers=True, note=SHARE),
    Op("amin", "min", _extreme(np.min), (extreme_rule,), ("x",), (SHARED,), "y = min x", CASES,
       "AminBackward0", saves("x y"), keeps_integers=True, note=SHARE),
    Op("max", "max", _extreme(np.max), (whole_rule,), ("x",), ("where(x == y, g / sum(x == y), 0)",), "y = max x",
       CASES[:1], "MaxBackward1", saves("x y"), keeps_integers=True, note=SHARE),
    Op("min", "min", _extreme(np.min), (whole_rule,), ("x",), ("where(x == y, g / sum(x == y), 0)",), "y = min x",
       CASES[:1], "MinBackward1", saves("x y"), keeps_integers=True, note=SHARE),
    Op("max_dim", "max", at_index, (place_rule,), ("x",), ("where(place == index, spread(g, x, dim, keepdim), 0)",), "y = max x along dim",
       _places_case(np.argmax), "MaxBackward0", saves("index"), keeps_integers=True, note=FIRST),
    Op("min_dim", "min", at_index, (place_rule,), ("x",), ("where(place == index, spread(g, x, dim, keepdim), 0)",), "y = min x along dim",
       _places_case(np.argmin), "MinBackward0", saves("index"), keeps_integers=True, note=FIRST),
)  # fmt: skip
