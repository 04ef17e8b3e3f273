"""Ops that move numbers without changing them. Their vjp moves the gradient back, or adds up what was repeated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.dtypes import joined_dtype
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import zeros
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.shapes import unbroadcast

GRID = [[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]]


def shape(x: Any) -> tuple[int, ...]:
    """The shape of an array or tensor."""
    return plain(x).shape  # type: ignore[no-any-return]


def alike(xs: Sequence[Any]) -> Sequence[Any]:
    """The arrays in the dtype of them all, which numpy would take wider for integers beside floats."""
    if all(x.dtype == xs[0].dtype for x in xs):
        return xs
    dtype = joined_dtype(xs)
    return [x.astype(dtype) for x in xs]


def _expanded(x: Any, size: tuple[int, ...]) -> Any:
    # Where no number is repeated, the view can be written to, which numpy allows of no broadcast array.
    return x.reshape(size) if x.ndim and math.prod(size) == x.size > 0 else np.broadcast_to(x, size)


def fit(g: Any, to: tuple[int, ...]) -> Any:
    """g summed over the axes along which it was repeated from the shape `to`."""
    if not isinstance(g, F.Tensor):
        return unbroadcast(g, to)
    if g.shape == to:
        return g
    if not to:
        return F.sum(g)
    added = g.ndim - len(to)
    axes = (*range(added), *(i + added for i, n in enumerate(to) if n == 1 and g.shape[i + added] != 1))
    return F.reshape(F.sum(g, axes, True), to)


def inverse(dims: tuple[int, ...]) -> tuple[int, ...]:
    """The permutation that undoes another."""
    return tuple(int(i) for i in np.argsort(dims))


def _part_node(params: dict[str, Any], _shapes: Any) -> str:
    """The node of a part's gradient, which lies among zeros."""
    index = params["index"]
    last = index[-1] if isinstance(index, tuple) and index else index
    return "SliceBackwardBackward0" if isinstance(last, slice) else "SelectBackwardBackward0"


def _put_at(x: Any, value: Any, index: Any) -> Any:
    out = np.array(x)
    np.add.at(out, index, value)
    return out


NOTHING = (0,)
"""The shape of a tensor without elements that may stand beside any other in cat."""


def cat_rule(g: Any, y: Any, *xs: Any, dim: int, slot: int) -> Any:
    """The piece of g at the place of input number `slot`."""
    if shape(xs[slot]) == NOTHING != shape(y):
        return zeros(xs[slot])
    return piece(g, xs, dim, slot)


def piece(g: Any, xs: Sequence[Any], dim: int, slot: int) -> Any:
    """The part of g that belongs to input number `slot` of those that lie one after another along dim."""
    start = sum(shape(x)[dim] for x in xs[:slot] if shape(x) != NOTHING)
    return F.take(g, (*[slice(None)] * dim, slice(start, start + shape(xs[slot])[dim])))


def stack_rule(g: Any, y: Any, *xs: Any, dim: int, slot: int) -> Any:
    """The piece of g at the place of input number `slot`."""
    return F.take(g, (*[slice(None)] * dim, slot))


def _select(x: Any, dim: int, index: int) -> Any:
    place: tuple[Any, ...] = (*[slice(None)] * dim, index, ...)
    return np.asarray(x)[place]


def _slice(x: Any, dim: int, start: int, end: int, step: int) -> Any:
    return x[(*[slice(None)] * dim, slice(start, end, step))]


def _squeeze_back(g: Any, y: Any, x: Any, dim: Any) -> Any:
    if not isinstance(g, F.Tensor):
        return F.reshape(g, shape(x))
    ndim = len(shape(x))
    dims = range(ndim) if dim is None or not ndim else sorted(d % ndim for d in _each(dim))
    for at in dims:
        if shape(x)[at] == 1:
            g = F.apply(F.OPS["unsqueeze"], (g,), dim=at)
    return g


def _each(dim: Any) -> Any:
    return dim if isinstance(dim, tuple | list) else (dim,)


def _view_back(g: Any, y: Any, x: Any, size: Any) -> Any:
    return F.reshape(g, shape(x))


def _unsqueeze_back(g: Any, y: Any, x: Any, dim: Any) -> Any:
    return F.apply(F.OPS["squeeze"], (g,), dim=dim) if isinstance(g, F.Tensor) else F.reshape(g, shape(x))


def _swap(x: Any, dim0: int, dim1: int) -> Any:
    return np.swapaxes(x, dim0, dim1) if x.ndim else x


def _swap_back(g: Any, y: Any, x: Any, dim0: int, dim1: int) -> Any:
    if isinstance(g, F.Tensor):
        return F.apply(F.OPS["transpose"], (g,), dim0=dim0, dim1=dim1)
    return _swap(g, dim0, dim1)


def _copied(x: Any) -> Any:
    """A copy in the same order of axes; numbers that were expanded get places of their own, in standard layout."""
    return np.array(x, order="C" if 0 in x.strides else "K")


def _no_view(g: Any, y: Any, x: Any) -> Any:
    return g


_BACK_TO_SHAPE = ("reshape(g, shape(x))",)


def _squeezed(x: Any, dim: Any) -> Any:
    dims = range(x.ndim) if dim is None else dim if isinstance(dim, tuple) else (dim,)
    return np.squeeze(x, tuple(i for i, n in enumerate(x.shape) if n == 1 and i in dims))


def _squeeze_node(params: dict[str, Any], _shapes: Any) -> str:
    dim = params["dim"]
    return f"SqueezeBackward{0 if dim is None else 2 if isinstance(dim, tuple) else 1}"


def _squeeze_in_place_node(params: dict[str, Any], _shapes: Any) -> str:
    dim = params["dim"]
    return f"SqueezeBackward{3 if dim is None else 5 if isinstance(dim, tuple) else 4}"


def copy_rule(g: Any, y: Any, x: Any, value: Any, index: Any) -> Any:
    """The gradient of what was overwritten is 0 there."""
    return F.zero_where(written(shape(g), index), g)


def written(shape: tuple[int, ...], index: Any) -> Any:
    """Where an index of that shape points to, as an array of bool."""
    places = np.zeros(shape, dtype=np.bool_)
    places[index] = True
    return places


def put_rule(g: Any, y: Any, x: Any, value: Any, index: Any) -> Any:
    """The gradient of what was written in is g at that place."""
    return fit(F.take(g, index), shape(value))


def put_forward(x: Any, value: Any, index: Any) -> Any:
    """x with a part overwritten."""
    out = np.array(x)
    out[index] = value
    return out


def _joined(*xs: Any, dim: int) -> Any:
    """Arrays one after another, laid out in rows whatever the order of theirs."""
    given = alike(xs)
    return np.ascontiguousarray(np.concatenate([x for x in given if x.shape != NOTHING] or given, axis=dim))


TABLE = (
    Op("view", "view", lambda x, size: np.reshape(x, size), (_view_back,), ("x",), _BACK_TO_SHAPE,
       "y = x in another shape", (case(GRID, size=(3, 2)),), "ViewBackward0", keeps_integers=True, is_view=True),
    Op("unsafe_view", "view", lambda x, size: np.reshape(x, size), (_view_back,), ("x",), _BACK_TO_SHAPE,
       "y = x in another shape", (case(GRID, size=(3, 2)),), "UnsafeViewBackward0", keeps_integers=True),
    Op("reshape_alias", "reshape", lambda x, size: np.reshape(x, size), (_view_back,), ("x",), _BACK_TO_SHAPE,
       "y = x in another shape", (case(GRID, size=(6,)),), "ReshapeAliasBackward0", keeps_integers=True, is_view=True),
    Op("reshape", "reshape", lambda x, size: np.reshape(x, size), (_view_back,), ("x",), _BACK_TO_SHAPE,
       "y = x in another shape", (case(GRID, size=(6,)),), "ViewBackward0", keeps_integers=True, is_view=True),
    Op("squeeze", "squeeze", _squeezed, (_squeeze_back,), ("x",), _BACK_TO_SHAPE, "y = x without axes of size 1",
       (case([[1.0, 2.0]], dim=(0,)),),
       _squeeze_node, keeps_integers=True, is_view=True),
    Op("squeeze_", "squeeze", _squeezed, (_squeeze_back,), ("x",), _BACK_TO_SHAPE, "y = x without an axis of size 1",
       (case([[1.0, 2.0]], dim=0),), _squeeze_in_place_node, keeps_integers=True),
    Op("unsqueeze", "unsqueeze", lambda x, dim: np.expand_dims(x, dim), (_unsqueeze_back,), ("x",), _BACK_TO_SHAPE,
       "y = x with a new axis", (case([1.0, 2.0], dim=1),), "UnsqueezeBackward0", keeps_integers=True, is_view=True),
    Op("unsqueeze_", "unsqueeze", lambda x, dim: np.expand_dims(x, dim), (_unsqueeze_back,), ("x",), _BACK_TO_SHAPE,
       "y = x with a new axis", (case([1.0, 2.0], dim=1),), "UnsqueezeBackward1", keeps_integers=True),
    Op("transpose_", "ᵀ", _swap, (_swap_back,), ("x",), ("transpose(g, dim0, dim1)",), "y = x with two axes exchanged",
       (case(GRID, dim0=0, dim1=1),), "TransposeBackward1", keeps_integers=True),
    Op("transpose", "ᵀ", _swap, (_swap_back,), ("x",), ("transpose(g, dim0, dim1)",), "y = x with two axes exchanged",
       (case(GRID, dim0=0, dim1=1),), "TransposeBackward0", keeps_integers=True, is_view=True),
    Op("t", "ᵀ", lambda x: x.T if x.ndim else x, (lambda g, y, x: F.T(g) if plain(g).ndim == 2 else g,), ("x",),
       ("T(g)",), "y = xᵀ", (case(GRID),), "TBackward0", keeps_integers=True, is_view=True),
    Op("t_", "ᵀ", lambda x: x.T if x.ndim else x, (lambda g, y, x: F.T(g) if plain(g).ndim == 2 else g,), ("x",),
       ("T(g)",), "y = xᵀ", (case(GRID),), "TBackward1", keeps_integers=True),
    Op("permute", "permute", lambda x, dims: np.transpose(x, dims), (lambda g, y, x, dims: F.permute(g, inverse(dims)),),
       ("x",), ("permute(g, inverse(dims))",), "y = x with its axes in another order",
       (case([GRID], dims=(2, 0, 1)),), "PermuteBackward0", keeps_integers=True, is_view=True),
    Op("expand", "expand", _expanded, (lambda g, y, x, size: fit(g, shape(x)),), ("x",),
       ("fit(g, shape(x))",), "y = x repeated", (case([[1.0], [2.0]], size=(2, 3)),), "ExpandBackward0",
       keeps_integers=True, is_view=True),
    Op("alias", "view", lambda x: x[...] if x.ndim else np.asarray(x), (_no_view,), ("x",), ("g",), "y = x", (case(GRID),),
       "AliasBackward0", keeps_integers=True, is_view=True),
    Op("clone", "clone", _copied, (_no_view,), ("x",), ("g",), "y = x, copied", (case(GRID),), "CloneBackward0",
       keeps_integers=True),
    Op("to", "to", lambda x, dtype: x.astype(dtype), (lambda g, y, x, dtype: g,), ("x",), ("g",),
       "y = x in another dtype", (case(GRID, dtype="float64"),), "ToCopyBackward0", keeps_integers=True),
    Op("cat", "cat", _joined, (cat_rule,), ("x",), ("piece(g, slot)",),
       "y = the inputs one after another", (case([[1.0, 2.0]], [[3.0, 4.0], [5.0, 6.0]], dim=0),), "CatBackward0",
       keeps_integers=True, is_variadic=True),
    Op("stack", "stack", lambda *xs, dim: np.ascontiguousarray(np.stack(alike(xs), axis=dim)), (stack_rule,), ("x",), ("piece(g, slot)",),
       "y = the inputs along a new axis", (case([1.0, 2.0], [3.0, 4.0], dim=1),), "StackBackward0",
       keeps_integers=True, is_variadic=True),
    Op("select", "x[i]", _select,
       (lambda g, y, x, dim, index: F.scatter(g, shape(x), (*[slice(None)] * dim, index)),), ("x",),
       ("scatter(g, shape(x), place)",), "y = x[i]", (case(GRID, dim=1, index=2),), "SelectBackward0",
       keeps_integers=True, is_view=True),
    Op("unbind", "x[i]", _select,
       (lambda g, y, x, dim, index: F.scatter(g, shape(x), (*[slice(None)] * dim, index)),), ("x",),
       ("scatter(g, shape(x), place)",), "y = x[i]", (case(GRID, dim=1, index=2),), "UnbindBackward0",
       keeps_integers=True, is_view=True, output="index"),
    Op("slice", "x[a:b]", _slice,
       (lambda g, y, x, dim, start, end, step:
        F.scatter(g, shape(x), (*[slice(None)] * dim, slice(start, end, step))),), ("x",),
       ("scatter(g, shape(x), place)",), "y = x[a:b]", (case(GRID, dim=1, start=0, end=3, step=2),),
       "SliceBackward0", keeps_integers=True, is_view=True),
    Op("index", "x[i]", lambda x, index: np.asarray(x)[index], (lambda g, y, x, index: F.scatter(g, shape(x), index),),
       ("x",), ("scatter(g, shape(x), index)",), "y = x at an index",
       (case(GRID, index=(np.array([0, 1, 0]), np.array([2, 0, 2]))),), "IndexBackward0", saves("index"), keeps_integers=True,
       note="Places named twice get the sum."),
    Op("scatter_add_zeros", "scatter", lambda g, size, index: F.scatter(g, size, index),
       (lambda g, y, x, size, index: F.take(g, index),), ("x",), ("take(g, index)",), "y = zeros with x at an index",
       (case([1.0, 2.0], size=(4,), index=(np.array([3, 1]),)),), _part_node),
    Op("index_put_impl", "x[i]=", _put_at, (lambda g, y, x, value, index: g, put_rule), ("x", "value"),
       ("g", "take(g, index)"), "y = x with numbers added at an index",
       (case([0.0, 0.0, 0.0, 0.0], [1.0, 2.0], index=(np.array([3, 1]),)),), "IndexPutImplBackward0"),
    Op("copy_slices", "x[i]=", put_forward, (copy_rule, put_rule), ("x", "value"),
       ("where(at(index), 0, g)", "take(g, index)"), "y = x with a part overwritten",
       (case(GRID, [7.0, 8.0, 9.0], index=(1, slice(None))),), "CopySlices", saves("index"), keeps_integers=True),
)  # fmt: skip
