"""Ops that choose among numbers by their order: sort, topk, median, mode, kthvalue, cummax, aminmax.

Where each number of the result stood is found when the op is applied, and kept as its `index`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.kernels.chosen_places import nth_number
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.places.placing import along
from gradviz.imitation.engine.rules.reducing.reduction import (
    FIRST,
    GRID,
    SHARE,
    SHARED,
    at_index,
    extreme_rule,
    place_rule,
    places,
    whole_rule,
)
from gradviz.imitation.engine.rules.shapes.shaping import shape
from gradviz.imitation.engine.shapes import axes_of

WHOLE = ("where(x == y, g / sum(x == y), 0)",)
PLACE = ("where(place == index, spread(g, x, dim, keepdim), 0)",)
BACK = ("scatter(g, shape(x), place)",)
X = np.asarray(GRID)


def picked(x: Any, dim: int, index: Any, **_: Any) -> Any:
    """The numbers of x at an index along dim."""
    return np.take_along_axis(x, np.asarray(index), dim) if x.ndim else np.array(x)[()]


def picked_rule(g: Any, y: Any, x: Any, dim: int, index: Any, **_: Any) -> Any:
    """g put back where its numbers stood; where one was taken several times, its gradients add up."""
    return F.scatter(g, shape(x), along(shape(x), dim, np.asarray(index))) if shape(x) else g


def sorted_rule(g: Any, y: Any, x: Any, dim: int, index: Any, **_: Any) -> Any:
    """The same, where each number was taken at most once: exact, and −0 stays −0."""
    if isinstance(g, F.Tensor) or not shape(x):
        return picked_rule(g, y, x, dim, index)
    out = np.zeros(shape(x), g.dtype)
    np.put_along_axis(out, np.asarray(index), g, dim)
    return out


def median(x: Any) -> Any:
    """The lower one of the two in the middle; NaN where there is one."""
    flat = np.ravel(x, "K")
    if not flat.size or (flat.dtype.kind == "f" and np.isnan(flat).any()):
        return x.dtype.type(np.nan if flat.dtype.kind == "f" else np.iinfo(flat.dtype).min)
    return nth_number(flat, (flat.size - 1) // 2)


def nanmedian(x: Any) -> Any:
    """The median of what is no NaN."""
    flat = np.ravel(x, "K")
    unknown = int(np.isnan(flat).sum()) if flat.dtype.kind == "f" else 0
    return nth_number(flat, (flat.size - unknown - 1) // 2) if unknown < flat.size else median(x)


def _end(x: Any, dim: Any, keepdim: bool, output: int) -> Any:
    return (np.max if output else np.min)(x, axis=axes_of(dim, x.ndim), keepdims=keepdim)


def _node(params: dict[str, Any], _shapes: Any) -> str:
    return f"SortBackward{0 if params['stable'] is None else 1}"


def _at(index: Any, **params: Any) -> Any:
    return (case(X, dim=1, index=np.asarray(index), **params),)


_KEPT = [[0], [2]]
_LAST = "Of several equal numbers only the one whose index is returned gets the gradient."

TABLE = (
    Op("sort", "sort", picked, (sorted_rule,), ("x",), BACK, "y = x in order along dim",
       _at([[1, 0, 2], [2, 0, 1]], descending=False, stable=None), _node, saves("index"), keeps_integers=True,
       note="Each number takes its gradient back to where it stood."),
    Op("topk", "top", picked, (sorted_rule,), ("x",), BACK, "y = the k largest of x along dim", _at([[2, 0], [1, 0]]),
       "TopkBackward0", saves("index"), keeps_integers=True, note=_LAST),
    Op("kthvalue", "kth", at_index, (place_rule,), ("x",), PLACE, "y = the k-th smallest of x along dim",
       _at(_KEPT, keepdim=False), "KthvalueBackward0", saves("index"), keeps_integers=True, note=_LAST),
    Op("mode", "mode", at_index, (place_rule,), ("x",), PLACE, "y = the most frequent of x along dim",
       _at(_KEPT, keepdim=True), "ModeBackward0", saves("index"), keeps_integers=True, note=_LAST),
    Op("median", "med", median, (whole_rule,), ("x",), WHOLE, "y = the median of x", (case(GRID),), "MedianBackward0",
       saves("x y"), keeps_integers=True, note="Of two in the middle the lower one. " + SHARE),
    Op("nanmedian", "med", nanmedian, (whole_rule,), ("x",), WHOLE, "y = the median of x without NaN", (case(GRID),),
       "NanmedianBackward0", saves("x y"), keeps_integers=True, note="Of two in the middle the lower one. " + SHARE),
    Op("median_dim", "med", at_index, (place_rule,), ("x",), PLACE, "y = the median of x along dim",
       _at(_KEPT, keepdim=False), "MedianBackward1", saves("index"), keeps_integers=True, note=FIRST),
    Op("nanmedian_dim", "med", at_index, (place_rule,), ("x",), PLACE, "y = the median of x along dim without NaN",
       _at(_KEPT, keepdim=False), "NanmedianBackward1", saves("index"), keeps_integers=True, note=FIRST),
    Op("cummax", "max…", picked, (picked_rule,), ("x",), BACK, "y = the largest so far",
       _at([[0, 0, 2], [0, 1, 1]]), "CummaxBackward0", saves("x index"), keeps_integers=True,
       note="Of equal numbers the last one so far gets the gradient."),
    Op("cummin", "min…", picked, (picked_rule,), ("x",), BACK, "y = the smallest so far",
       _at([[0, 1, 1], [0, 0, 2]]), "CumminBackward0", saves("x index"), keeps_integers=True,
       note="Of equal numbers the last one so far gets the gradient."),
    Op("aminmax", "min max", _end,
       (lambda g, y, x, dim, keepdim, output: extreme_rule(g, y, x, dim, keepdim),), ("x",), (SHARED,),
       "y = min x, max x", (case(GRID, dim=None, keepdim=False, output=1), case(GRID, dim=1, keepdim=True, output=0)),
       "AminmaxBackward0", saves("x y"), keeps_integers=True, note=SHARE, output="output"),
)  # fmt: skip

NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {
    **dict.fromkeys(
        ("kthvalue", "mode", "median_dim", "nanmedian_dim"), lambda xs, p: {"place": places(xs[0], p["dim"])}
    ),
    **dict.fromkeys(
        ("sort", "topk", "cummax", "cummin"), lambda xs, p: {"place": along(xs[0].shape, p["dim"], p["index"])}
    ),
}
