"""Parts of tensors taken, put and looked up by index.

What is taken at an index is put back there; an element that the index names several times gets the sum.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.op import Op, example, names
from gradviz.ops.shape import GRID, at
from gradviz.ops.symbols import word

TWICE = "An element that the index names several times gets the sum."


# ---- forwards and rules ------------------------------------------------------------------------------------------


@word("{0} along {1}")
def along(index: Any, dim: int) -> tuple[Any, ...]:
    """The index arrays of gather and scatter: an element's own position on all dims but one, where `index` says it."""
    if not index.ndim:
        return ()
    grids = list(np.ix_(*[np.arange(n) for n in index.shape]))
    grids[dim] = index
    return tuple(grids)


def _gather(x: Any, index: Any, dim: int) -> Any:
    return np.asarray(x)[along(index, dim)]


@word("{0} at {1} along {2}", name="gathered")
def _gathered(g: Any, index: Any, dim: int) -> Any:
    """What `scatter` put where, read back: `g` at the index."""
    return r.through(GATHER, g, index, dim=dim)


def _in_shape_of(src: Any, g: Any) -> Any:
    """A gradient of the part of `src` that was used, with 0 for the rest."""
    shape, used = r.plain(src).shape, r.plain(g).shape
    return g if shape == used else r.put(g, shape, tuple([slice(0, n) for n in used]))


def _corner(src: Any, index: Any) -> Any:
    """The part of `src` that an index of a smaller shape uses."""
    return src if src.shape == index.shape else src[tuple([slice(0, n) for n in index.shape])]


@word("{0} with 0 at {1}", name="without")
def _without(g: Any, index: tuple[Any, ...]) -> Any:
    """g with 0 at an index."""
    kept = np.ones(r.plain(g).shape, dtype=bool)
    kept[index] = False
    return g * r.mask(kept, g)


def _scatter(x: Any, index: Any, src: Any, dim: int) -> Any:
    out = np.array(x)
    out[along(index, dim)] = _corner(src, index)
    return out


def _scatter_value(x: Any, index: Any, dim: int, value: float) -> Any:
    out = np.array(x)
    out[along(index, dim)] = value
    return out


def _scatter_add(x: Any, index: Any, src: Any, dim: int) -> Any:
    out = np.array(x)
    np.add.at(out, along(index, dim), _corner(src, index))
    return out


def _index_select(x: Any, index: Any, dim: int) -> Any:
    return np.take(np.asarray(x).reshape(x.shape or (1,)), index, axis=dim)


def _index_add(x: Any, index: Any, source: Any, dim: int, alpha: float) -> Any:
    out = np.array(x)
    np.add.at(out, at(dim, index), source if alpha == 1 else source * alpha)
    return out


def _masked_fill(x: Any, mask: Any, value: float) -> Any:
    return np.where(mask, x.dtype.type(value), x)


def _masked_select(x: Any, mask: Any) -> Any:
    shape = np.broadcast_shapes(x.shape, mask.shape)
    return np.broadcast_to(x, shape)[np.broadcast_to(mask, shape)]


def _masked_select_rule(g: Any, y: Any, x: Any, mask: Any) -> Any:
    shape = np.broadcast_shapes(r.plain(x).shape, r.plain(mask).shape)
    return r.put(g, shape, (np.broadcast_to(r.plain(mask), shape),))


def _index_put(x: Any, values: Any, index: tuple[Any, ...], accumulate: bool) -> Any:
    out = np.array(x)
    if accumulate:
        np.add.at(out, index, values)
    else:
        out[index] = values
    return out


def _index_put_rule(g: Any, y: Any, x: Any, values: Any, index: tuple[Any, ...], accumulate: bool) -> Any:
    return g if accumulate else _without(g, index)


def _put_into(x: Any, shape: tuple[int, ...], index: Any) -> Any:
    return r.put(x, shape, index)


PAIRS = (np.array([0, 1, 0]), np.array([2, 0, 2]))
TWO = np.array([1, 0])
PLACES = np.array([[0, 1, 0]])
HOLDS = np.array([[True, False, True], [False, True, True]])

INDEX = Op(
    "index", lambda x, index: np.asarray(x)[index], (lambda g, y, x, index: r.put(g, r.plain(x).shape, index),),
    equation="y = x[index]", examples=(example(GRID, index=PAIRS), example(GRID, index=(HOLDS,))),
    note=TWICE, keeps_integers=True, sign="x[i]", kind="pick",
)  # fmt: skip
PUT_INTO = Op(
    "put_into", _put_into, (lambda g, y, x, shape, index: r.take(g, index),),
    equation="y = zeros with x added at an index",
    examples=(example([1.0, 2.0], shape=(4,), index=(np.array([3, 1]),)),),
    note=TWICE, node="IndexPutBackward0", sign="x[i]=", kind="framed",
)  # fmt: skip
INDEX_PUT = Op(
    "index_put", _index_put,
    (_index_put_rule, lambda g, y, x, values, index, accumulate: r.take(g, index)), ("x", "values"),
    (), "y = x, with values put at an index",
    (example(GRID, [7.0, 8.0], index=(np.array([0, 1]), np.array([2, 0])), accumulate=False),
     example(GRID, [7.0, 8.0, 9.0], index=PAIRS, accumulate=True)), keeps_integers=True,
     sign="x[i]=", kind="overwritten",
)  # fmt: skip
GATHER = Op(
    "gather", _gather, (lambda g, y, x, index, dim: r.put(g, r.plain(x).shape, along(r.plain(index), dim)), None),
    ("x", "index"), (), "y = x at the index, along dim", (example(GRID, PLACES, dim=0),), names("index"),
    note=TWICE, keeps_integers=True, sign="x[i]", kind="pick",
)  # fmt: skip
SCATTER = Op(
    "scatter", _scatter,
    (lambda g, y, x, index, src, dim: _without(g, along(r.plain(index), dim)), None,
     lambda g, y, x, index, src, dim: _in_shape_of(src, _gathered(g, r.plain(index), dim))),
    ("x", "index", "src"), (), "y = x, with src put at the index along dim",
    (example(GRID, PLACES, [[7.0, 8.0, 9.0]], dim=0),), names("index"), keeps_integers=True,
    sign="x[i]=", kind="overwritten",
)  # fmt: skip
SCATTER_VALUE = Op(
    "scatter", _scatter_value,
    (lambda g, y, x, index, dim, value: _without(g, along(r.plain(index), dim)), None), ("x", "index"),
    (), "y = x, with a number put at the index along dim", (example(GRID, PLACES, dim=0, value=2.0),),
    names("index"), "ScatterBackward1", keeps_integers=True, sign="x[i]=", kind="overwritten",
)  # fmt: skip
SCATTER_ADD = Op(
    "scatter_add", _scatter_add,
    (lambda g, y, x, index, src, dim: g, None,
     lambda g, y, x, index, src, dim: _in_shape_of(src, _gathered(g, r.plain(index), dim))),
    ("x", "index", "src"), (), "y = x, with src added at the index along dim",
    (example(GRID, PLACES, [[7.0, 8.0, 9.0]], dim=0),), names("index"), keeps_integers=True,
    sign="Σ at", kind="added",
)  # fmt: skip


INDEX_SELECT = Op(
    "index_select", _index_select,
    (lambda g, y, x, index, dim: r.put(g, r.plain(x).shape, at(dim, r.plain(index))), None), ("x", "index"),
    (), "y = the parts of x that index names, along dim",
    (example(GRID, np.array([2, 0, 2]), dim=1),), names("index"), note=TWICE, keeps_integers=True,
    sign="x[i]", kind="pick",
)  # fmt: skip
INDEX_ADD = Op(
    "index_add", _index_add,
    (lambda g, y, x, index, source, dim, alpha: g, None,
     lambda g, y, x, index, source, dim, alpha: r.take(g, at(dim, r.plain(index))) * alpha),
    ("x", "index", "source"), (), "y = x, with alpha · source added at the index along dim",
    (example(GRID, TWO, GRID, dim=0, alpha=1.5),), names("index"), keeps_integers=True, sign="Σ at", kind="added",
)  # fmt: skip
MASKED_FILL = Op(
    "masked_fill", _masked_fill, (lambda g, y, x, mask, value: r.kept_where(~r.plain(mask), g), None), ("x", "mask"),
    (lambda g, y, x, mask, value: r.where(mask, 0, g), None), "y = value where the mask holds, else x", (example(GRID, HOLDS, value=2.0),),
    names("mask"), keeps_integers=True, sign="if", kind="elementwise",
)  # fmt: skip
FILL_DIAGONAL = replace(MASKED_FILL, node="torch::autograd::CopySlices")
MASKED_FILL_TENSOR = Op(
    "masked_fill", lambda x, mask, value: np.where(mask, value.astype(x.dtype), x),
    (lambda g, y, x, mask, value: r.kept_where(~r.plain(mask), g), None,
     lambda g, y, x, mask, value: r.total(r.kept_where(r.plain(mask), g))), ("x", "mask", "value"),
    (lambda g, y, x, mask, value: r.where(mask, 0, g), None, None), "y = value where the mask holds, else x",
    (example(GRID, HOLDS, 2.0),), names("mask"), keeps_integers=True, sign="if", kind="elementwise",
)  # fmt: skip
MASKED_SELECT = Op(
    "masked_select", _masked_select, (_masked_select_rule, None), ("x", "mask"),
    (lambda g, y, x, mask: r.put(g, r.plain(x).shape, mask), None), "y = the elements of x where the mask holds", (example(GRID, HOLDS),),
    names("mask"), keeps_integers=True, sign="x[m]", kind="pick",
)  # fmt: skip

TABLE = (
    INDEX, PUT_INTO, INDEX_PUT, GATHER, SCATTER, SCATTER_VALUE, SCATTER_ADD, INDEX_SELECT, INDEX_ADD, MASKED_FILL, FILL_DIAGONAL,
    MASKED_FILL_TENSOR, MASKED_SELECT,
)  # fmt: skip
"""The rows of this family."""
