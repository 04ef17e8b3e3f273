"""Ops that read or write at places given by an array of numbers or of bool: gather, scatter and their kin."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.dtypes import joined_dtype
from gradviz.imitation.engine.indexing.errors import not_one, refuse_selected
from gradviz.imitation.engine.rules.calling import number
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.shapes.shaping import fit, shape, written

GRID = [[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]]
ROWS = np.array([[0, 1, 0]])
PAIRS = np.array([[0, 2], [1, 1]])
MASK = np.array([[True, False, True], [False, False, True]])


def along(size: tuple[int, ...], dim: int, index: Any) -> Any:
    """The places that an index array names along one dim: those of `gather` and `scatter`."""
    if not size:
        return ... if index.size else np.False_
    if not index.size:  # then it may be larger than what it reads, and has any shape
        return (index,) * len(size)
    index = np.atleast_1d(index)
    open_grid: list[Any] = list(np.ix_(*(range(n) for n in index.shape)))
    open_grid[dim] = index
    return tuple(open_grid)


def slabs(dim: int, index: Any) -> Any:
    """Whole slabs along one dim: the places of `index_select` and `index_add`."""
    return (*[slice(None)] * dim, index)


def selected(size: tuple[int, ...], dim: int, index: Any) -> Any:
    """Each place of an index once, as PyTorch selects them for the gradient of what fills them.

    Raises:
        TorchError: one is counted from the end, which a selection does not take.
    """
    places = np.unique(index)
    if not size and places.size != 1:
        raise not_one(places.size)
    refuse_selected(size, dim, places)
    return places


def _to_filling(g: Any, y: Any, x: Any, value: Any, dim: int, index: Any) -> Any:
    places = selected(shape(x), dim, index)
    return F.sum(F.take(g, slabs(dim, places))) if shape(x) else g


def _gathered(x: Any, dim: int, index: Any) -> Any:
    found = np.asarray(x)[along(x.shape, dim, index)] if index.size else np.empty(0, x.dtype)
    return found.reshape(index.shape)[()]


def gather_rule(g: Any, y: Any, x: Any, dim: int, index: Any) -> Any:
    """g added up where its numbers were read."""
    if not shape(x):
        return F.sum(g)
    return F.scatter(g, shape(x), along(shape(x), dim, index))


def _overwritten(x: Any, places: Any, value: Any) -> Any:
    out = np.array(x)
    np.atleast_1d(out)[places] = value if isinstance(value, np.ndarray | np.generic) else number(x, value)
    return out[()]


def _with_others(x: Any, index: Any, beyond: Any, others: Any) -> Any:
    out = np.asarray(x).reshape(-1)[index]
    out[beyond] = others
    return out


def _scattered_within(g: Any, x: Any, index: Any, beyond: Any) -> Any:
    g = F.zero_where(beyond, g)
    return F.reshape(F.scatter(F.reshape(g, (-1,)), (F.plain(x).size,), (index.reshape(-1),)), shape(x))


def _added(x: Any, places: Any, value: Any) -> Any:
    out = np.array(x)
    np.add.at(np.atleast_1d(out), places, value)
    return out[()]


def _taken(x: Any, index: Any) -> Any:
    return np.asarray(x).reshape(-1)[index]


def take_rule(g: Any, y: Any, x: Any, index: Any) -> Any:
    """g added up where its numbers were read, x being laid out flat."""
    return F.reshape(F.scatter(g, (math.prod(shape(x)),), (index,)), shape(x))


def kept_rule(g: Any, x: Any, places: Any) -> Any:
    """The gradient of what was overwritten is 0 there."""
    return F.zero_where(_written(shape(x), places), g)


def _written(size: tuple[int, ...], places: Any) -> Any:
    """Where slabs were written, also in a number."""
    return written(size or (1,), places).reshape(size)[()]


def _masked(mask: Any, size: tuple[int, ...]) -> Any:
    return np.broadcast_to(mask, size)


def _fill(x: Any, index: Any, value: Any) -> Any:
    return np.asarray(np.where(index, number(x, value), x), order="C")[()]


def block_rule(g: Any, y: Any, *xs: Any, slot: int) -> Any:
    """The block of g at the place of input number `slot`."""
    return F.reshape(F.take(g, block(xs, slot)), shape(xs[slot]))


def block(xs: Sequence[Any], slot: int) -> Any:
    """The place of block number `slot` in the matrix of blocks."""
    sizes = [(1, 1, *shape(x))[-2:] for x in xs]
    row, column = (sum(size[axis] for size in sizes[:slot]) for axis in (0, 1))
    height, width = sizes[slot]
    return (slice(row, row + height), slice(column, column + width))


def _blocks(*xs: Any) -> Any:
    sizes = [(1, 1, *x.shape)[-2:] for x in xs]
    out = np.zeros((sum(h for h, _ in sizes), sum(w for _, w in sizes)), joined_dtype(xs))
    for slot, x in enumerate(xs):
        out[block(xs, slot)] = x
    return out


def _embedded(weight: Any, index: Any, padding_idx: Any, by_frequency: bool) -> Any:
    return weight[index]


def embedding_rule(g: Any, y: Any, weight: Any, index: Any, padding_idx: Any, by_frequency: bool) -> Any:
    """g added up by row, or averaged where the frequency counts; nothing for the row that pads."""
    if padding_idx is not None:
        g = F.zero_where(padding_rows(index, padding_idx, shape(g)), g)
    if by_frequency:
        share = row_shares(index, by_frequency).astype(F.plain(g).dtype)
        g = g * (F.constant(share, g.tape) if isinstance(g, F.Tensor) else share)
    return F.scatter(g, shape(weight), (index,))


def row_shares(index: Any, by_frequency: bool) -> Any:
    """1 over how often each row is looked up, to multiply g with; or 1."""
    if not by_frequency or not index.size:
        return np.ones((1,))
    return (1 / np.bincount(index.reshape(-1))[index])[..., None]


def padding_rows(index: Any, padding_idx: Any, size: tuple[int, ...]) -> Any:
    """Where the looked up rows are padding, as an array of bool of that shape."""
    return np.broadcast_to((index == (-1 if padding_idx is None else padding_idx))[..., None], size)


READ = ("scatter(g, shape(x), place)",)
TWICE = "Places named twice get the sum."
LAST = "Of several values for one place the last one stays, and each of them gets the gradient there."

TABLE = (
    Op("gather", "x[i]", _gathered, (gather_rule,), ("x",), READ, "y = x at an index along dim",
       (case(GRID, dim=1, index=PAIRS), case(GRID, dim=0, index=ROWS)), "GatherBackward0", saves("x index"),
       keeps_integers=True, note=TWICE),
    Op("index_select", "x[i]", lambda x, dim, index: np.take(x, index, dim) if x.ndim else np.asarray(x),
       (lambda g, y, x, dim, index: F.scatter(g, shape(x), slabs(dim, index) if shape(x) else ...),), ("x",), READ,
       "y = x at an index along dim", (case(GRID, dim=1, index=np.array([2, 0, 2])),), "IndexSelectBackward0",
       saves("index"), keeps_integers=True, note=TWICE),
    Op("take", "x[i]", _taken, (take_rule,), ("x",), ("reshape(scatter(g, place, index), shape(x))",),
       "y = x, laid out flat, at an index", (case(GRID, index=np.array([5, 0, 5])),), "TakeBackward0", saves("x index"),
       keeps_integers=True, note=TWICE),
    Op("masked_select", "x[m]", lambda x, index: np.broadcast_to(x, index.shape)[index],
       (lambda g, y, x, index: F.scatter(g, index.shape, index),),
       ("x",), ("scatter(g, shape(x), index)",), "y = x where the mask holds", (case(GRID, index=MASK),),
       "MaskedSelectBackward0", saves("x index"), keeps_integers=True),
    Op("masked_fill", "fill", _fill, (lambda g, y, x, index, value: F.zero_where(_masked(index, shape(g)), g),),
       ("x",), ("where(index, 0, g)",), "y = x, a number where the mask holds", (case(GRID, index=MASK, value=7.0),),
       "MaskedFillBackward0", saves("index"), keeps_integers=True),
    Op("masked_fill_tensor", "fill", lambda x, value, index: np.where(index, value.astype(x.dtype), x)[()],
       (lambda g, y, x, value, index: F.zero_where(_masked(index, shape(g)), g),
        lambda g, y, x, value, index: F.sum(F.zero_where(~_masked(index, shape(g)), g))), ("x", "value"),
       ("where(index, 0, g)", "sum(where(index, g, 0))"), "y = x, a value where the mask holds",
       (case(GRID, 7.0, index=MASK),), "MaskedFillBackward1", saves("index"), keeps_integers=True),
    Op("index_fill", "fill", lambda x, dim, index, value: _overwritten(x, slabs(dim, index), value),
       (lambda g, y, x, dim, index, value: kept_rule(g, x, slabs(dim, index)),), ("x",), ("where(written, 0, g)",),
       "y = x, a number at an index along dim", (case(GRID, dim=1, index=np.array([0, 2]), value=7.0),),
       "IndexFillBackward0", saves("index"), keeps_integers=True),
    Op("index_fill_tensor", "fill",
       lambda x, value, dim, index: _overwritten(x, slabs(dim, index), value.astype(x.dtype)),
       (lambda g, y, x, value, dim, index: kept_rule(g, x, slabs(dim, index)),
        _to_filling),
       ("x", "value"), ("where(written, 0, g)", "sum(where(written, g, 0))"),
       "y = x, a value at an index along dim", (case(GRID, 7.0, dim=1, index=np.array([0, 2])),),
       "IndexFillBackward1", saves("index"), keeps_integers=True),
    Op("scatter", "x[i]=", lambda x, src, dim, index: _overwritten(x, along(x.shape, dim, index), src),
       (lambda g, y, x, src, dim, index: kept_rule(g, x, along(shape(x), dim, index)),
        lambda g, y, x, src, dim, index: F.take(g, along(shape(x), dim, index))), ("x", "src"),
       ("where(written, 0, g)", "take(g, place)"), "y = x, src at an index along dim",
       (case(GRID, [[7.0, 8.0], [9.0, 6.0]], dim=1, index=np.array([[0, 2], [1, 0]])),), "ScatterBackward0",
       saves("index"), keeps_integers=True, note=LAST),
    Op("scatter_value", "x[i]=", lambda x, dim, index, value: _overwritten(x, along(x.shape, dim, index), value),
       (lambda g, y, x, dim, index, value: kept_rule(g, x, along(shape(x), dim, index)),), ("x",),
       ("where(written, 0, g)",), "y = x, a number at an index along dim",
       (case(GRID, dim=1, index=PAIRS, value=7.0),), "ScatterBackward1", saves("index"), keeps_integers=True),
    Op("scatter_add", "x[i]+", lambda x, src, dim, index: _added(x, along(x.shape, dim, index), src),
       (lambda g, y, x, src, dim, index: g, lambda g, y, x, src, dim, index: F.take(g, along(shape(x), dim, index))),
       ("x", "src"), ("g", "take(g, place)"), "y = x, src added at an index along dim",
       (case(GRID, [[7.0, 8.0], [9.0, 6.0]], dim=1, index=PAIRS),), "ScatterAddBackward0", saves("index"),
       keeps_integers=True),
    Op("index_add", "x[i]+",
       lambda x, source, dim, index, alpha: _added(x, slabs(dim, index), source * source.dtype.type(alpha)),
       (lambda g, y, x, source, dim, index, alpha: g,
        lambda g, y, x, source, dim, index, alpha: (F.take(g, slabs(dim, index)) if shape(x) else g) * alpha),
       ("x", "source"),
       ("g", "take(g, place) * alpha"), "y = x, source added at an index along dim",
       (case(GRID, [[7.0, 8.0], [9.0, 6.0]], dim=1, index=np.array([2, 2]), alpha=2),), "IndexAddBackward0",
       saves("source index"), keeps_integers=True),
    Op("index_copy", "x[i]=", lambda x, source, dim, index: _overwritten(x, slabs(dim, index), source),
       (lambda g, y, x, source, dim, index: kept_rule(g, x, slabs(dim, index)),
        lambda g, y, x, source, dim, index: F.take(g, slabs(dim, index)) if shape(x) else g), ("x", "source"),
       ("where(written, 0, g)", "take(g, place)"), "y = x, source at an index along dim",
       (case(GRID, [[7.0, 8.0], [9.0, 6.0]], dim=1, index=np.array([2, 0])),), "IndexCopyBackward0", saves("index"),
       keeps_integers=True, note=LAST),
    Op("index_put", "x[i]=", lambda x, value, index: _overwritten(x, index, value),
       (lambda g, y, x, value, index: kept_rule(g, x, index),
        lambda g, y, x, value, index: fit(F.take(g, index), shape(value))), ("x", "value"),
       ("where(written, 0, g)", "take(g, index)"), "y = x, value at an index",
       (case(GRID, [7.0, 8.0], index=(np.array([0, 1]), np.array([2, 0]))),), "IndexPutBackward0", saves("index"),
       keeps_integers=True, note=LAST),
    Op("index_put_add", "x[i]+", lambda x, value, index: _added(x, index, value),
       (lambda g, y, x, value, index: g, lambda g, y, x, value, index: fit(F.take(g, index), shape(value))),
       ("x", "value"), ("g", "take(g, index)"), "y = x, value added at an index",
       (case(GRID, [7.0, 8.0], index=(np.array([0, 0]), np.array([2, 2]))),), "IndexPutBackward0", saves("index"),
       keeps_integers=True),
    Op("block_diag", "diag", _blocks, (block_rule,), ("x",), ("reshape(take(g, block(slot)), size(slot))",),
       "y = 0 with the inputs along the diagonal", (case(GRID, [[5.0]]),), "BlockDiagBackward0", keeps_integers=True,
       is_variadic=True),
    Op("as_strided", "view", lambda x, index: np.asarray(x)[index],
       (lambda g, y, x, index: F.scatter(g, shape(x), index),), ("x",), ("scatter(g, shape(x), index)",),
       "y = x as a view shows it", (case(GRID, index=(np.array([0, 0, 0]), np.array([0, 1, 2]))),),
       "AsStridedBackward0", keeps_integers=True, is_view=True),
    Op("as_strided_beyond", "view", _with_others,
       (lambda g, y, x, index, beyond, others: _scattered_within(g, x, index, beyond),), ("x",),
       ("reshape(scatter(where(beyond, 0, g), (count(x, None),), (index,)), shape(x))",), "y = x as a view shows it, and numbers beside x",
       (case(GRID, index=np.array([0, 1, 0]), beyond=np.array([False, False, True]), others=np.array([7.0])),),
       "AsStridedBackward0", keeps_integers=True, is_view=True,
       note="Numbers of the memory that are not x's own get no gradient."),
    Op("embedding", "E[i]", _embedded, (embedding_rule,), ("weight",),
       ("scatter(where(padding, 0, g) * share, shape(weight), (index,))",), "y = rows of the weight",
       (case(GRID, index=np.array([[0, 1], [1, 1]]), padding_idx=None, by_frequency=False),), "EmbeddingBackward0", saves("index"),
       keeps_integers=True, note="The row of padding_idx gets no gradient. With scale_grad_by_freq that "
       "of each row is divided by how often it was looked up, which is no derivative any more."),
)  # fmt: skip


def _in_slabs(xs: Sequence[Any], p: Any) -> dict[str, Any]:
    return _at(xs, slabs(p["dim"], p["index"]))


def _in_grid(xs: Sequence[Any], p: Any) -> dict[str, Any]:
    return _at(xs, along(xs[0].shape, p["dim"], p["index"]))


def _at(xs: Sequence[Any], place: Any) -> dict[str, Any]:
    return {"place": place, "written": _written(xs[0].shape, place)}


NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {
    **dict.fromkeys(("gather", "scatter", "scatter_value", "scatter_add"), _in_grid),
    **dict.fromkeys(("index_select", "index_fill", "index_fill_tensor", "index_add", "index_copy"), _in_slabs),
    "take": lambda xs, p: {"place": (xs[0].size,)},
    "index_put": lambda xs, p: _at(xs, p["index"]),
    "block_diag": lambda xs, p: {"block": lambda slot: block(xs, slot), "size": lambda slot: xs[slot].shape},
    "embedding": lambda xs, p: {
        "padding": padding_rows(p["index"], p["padding_idx"], (*p["index"].shape, xs[0].shape[-1])),
        "share": row_shares(p["index"], p["by_frequency"]),
    },
}
