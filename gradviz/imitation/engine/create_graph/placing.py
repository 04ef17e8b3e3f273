"""Reading and writing at places: each is undone by an op of its own."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.create_graph.steps import constant, expanded, new_zeros, reshaped, zero_like
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.places.placing import along, selected
from gradviz.imitation.engine.rules.shapes.shaping import fit


def _back(name: str, **more: Any) -> Any:
    """What was read is added to zeros by the op of that name."""
    return lambda g, y, x, **params: call(name, new_zeros(x.shape, g), g, **params, **more)


def _emptied(name: str, *kept: str) -> Any:
    """What was overwritten gets 0, by an op that writes a number."""
    return lambda g, y, x, *_, **p: call(name, g, value=0, **{key: p[key] for key in kept})


def _written_over(name: str) -> Any:
    """The same, by the op itself, which writes zeros."""
    return lambda g, y, x, value, **params: call(name, g, zero_like(value), **params)


def _kept(g: Any, y: Any, *_: Any, **__: Any) -> Any:
    return g


def _gathered(g: Any, y: Any, x: Any, src: Any, dim: int, index: Any) -> Any:
    return call("gather", g, dim=dim, index=index)


def _slabs(g: Any, source: Any, dim: int, index: Any) -> Any:
    rows = call("index_select", g, dim=dim, index=index)
    return expanded(rows, source.shape) if source.ndim else fit(rows, ())


def _index_add(g: Any, y: Any, x: Any, source: Any, dim: int, index: Any, alpha: Any) -> Any:
    found = _slabs(g, source, dim, index)
    return found if alpha == 1 else found * alpha


def _indexed(g: Any, y: Any, x: Any, value: Any, index: Any) -> Any:
    return fit(call("index", g, index=index), value.shape)


def _masked_value(g: Any, y: Any, x: Any, value: Any, index: Any) -> Any:
    return F.sum(call("masked_select", g, index=np.broadcast_to(index, g.shape)))


def _put_source(g: Any, y: Any, x: Any, source: Any, index: Any, accumulate: bool) -> Any:
    return F.reshape(call("take", g, index=index), source.shape)


def _put_x(g: Any, y: Any, x: Any, source: Any, index: Any, accumulate: bool) -> Any:
    return g if accumulate else call("put", g, zero_like(source), index=index, accumulate=False)


def _as_strided(g: Any, y: Any, x: Any, index: Any) -> Any:
    flat = np.ravel_multi_index(index, x.shape) if x.ndim else np.zeros(g.shape, np.int64)
    return _strided_back(g, x, flat)


def _as_strided_beyond(g: Any, y: Any, x: Any, index: Any, beyond: Any, others: Any) -> Any:
    flat = np.array(index)
    flat[beyond] = plain(x).size + np.arange(np.count_nonzero(beyond))
    return _strided_back(g, x, flat)


def _strided_back(g: Any, x: Any, flat: Any) -> Any:
    """As PyTorch does it: g is copied or added into zeros in a row, and what is wanted is a view of those.

    Args:
        g: what came.
        x: what was looked at.
        flat: where in a row the numbers of g belong; those of x come first.
    """
    if 0 in g.shape:
        return new_zeros(x.shape, g)
    size = plain(x).size
    room = new_zeros((max(size, int(flat.max()) + 1),), g)
    for dim in reversed(range(flat.ndim)):
        first = flat.take([0], dim)
        if flat.shape[dim] == 1:
            g = call("squeeze", g, dim=dim)
        elif (flat == first).all():
            g = F.sum(g, dim)
        else:
            continue
        flat = first.squeeze(dim)
    if len(np.unique(flat)) < flat.size:
        filled = call("index_add", room, reshaped(g, (flat.size,)), dim=0, index=flat.reshape(-1), alpha=1)
    else:
        filled = call("copy_slices", room, g, index=(flat,))
    return call("as_strided", filled, index=(np.arange(size).reshape(x.shape),))


# ---- reductions at places ----


def _by_index(name: str) -> tuple[Any, Any, str]:
    """How an op of reduction reads at its places, adds to them, and empties them."""
    if name == "scatter_reduce":
        return partial(call, "gather"), partial(call, "scatter_add"), "scatter_value"
    return partial(call, "index_select"), partial(call, "index_add", alpha=1), "index_fill"


def _reduced(name: str) -> Any:
    read, add, empty = _by_index(name)

    def at_once(
        needs: Any, g: Any, y: Any, x: Any, source: Any, dim: int, index: Any, reduce: str, include_self: bool
    ) -> tuple[Any, ...]:  # fmt: skip
        at: dict[str, Any] = {"dim": dim, "index": index if name == "scatter_reduce" else _one_index(index, dim)}
        if reduce == "sum":
            to_x, to_source = g, read(g, **at)
        elif reduce == "mean":
            first = np.ones(x.shape, g.dtype) if include_self else np.zeros(x.shape, g.dtype)
            count = add(first, np.ones(source.shape, g.dtype), **at)
            count = np.where(count == 0, 1, count)
            to_x = g / constant(count, g)
            to_source = read(g, **at) / constant(read(count, **at), g)
        elif reduce == "prod":
            how = {"dim": dim, "index": index, "reduce": reduce, "include_self": include_self}
            to_x, to_source = _of_product(name, partial(read, **at), g, y, x, source, how)
        else:
            is_x, is_source = plain(x) == plain(y), plain(source) == read(plain(y), **at)
            share = g / constant(add(is_x.astype(g.dtype), is_source.astype(g.dtype), **at), g)
            to_x, to_source = F.mask(is_x, g) * share, F.mask(is_source, g) * read(share, **at)
        if not include_self:
            to_x = call(empty, to_x, **at, value=0)
        return to_x if needs[0] else None, to_source if needs[1] else None

    return at_once


def _one_index(index: Any, dim: int) -> Any:
    """The index of slabs, which is kept as large as the source."""
    slabs = np.moveaxis(np.asarray(index), dim, 0)
    return slabs.reshape(len(slabs), -1)[:, 0] if slabs.size else np.zeros(len(slabs), np.int64)


def _of_product(
    name: str, read: Any, g: Any, y: Any, x: Any, source: Any, how: dict[str, Any]
) -> tuple[Any, Any]:  # fmt: skip
    no_zero = call("masked_fill", x, index=plain(x) == 0, value=1)
    to_x = g * call(name, no_zero, source, **how) / no_zero
    is_zero = plain(source) == 0
    counts = np.zeros(x.shape)
    np.add.at(counts, along(x.shape, how["dim"], how["index"]), is_zero)
    alone = is_zero & (read(counts) == 1)
    rest = call(name, x, call("masked_fill", source, index=alone, value=1), **how)
    divisor = call("masked_fill", source, index=is_zero, value=1)
    others = read(g * y) / divisor
    return to_x, F.where(alone, read(g * rest), others)


RULES: dict[str, Any] = {
    "gather": (_back("scatter_add"),),
    "index_select": (_back("index_add", alpha=1),),
    "as_strided": (_as_strided,),
    "as_strided_beyond": (_as_strided_beyond,),
    "take": (_back("put", accumulate=True),),
    "masked_select": (lambda g, y, x, index: call("masked_scatter", new_zeros(index.shape, g), g, index=index),),
    "masked_fill_tensor": (lambda g, y, x, value, index: call("masked_fill", g, index=index, value=0), _masked_value),
    "index_fill": (_emptied("index_fill", "dim", "index"),),
    "index_fill_tensor": (
        _emptied("index_fill", "dim", "index"),
        lambda g, y, x, value, dim, index: F.sum(call("index_select", g, dim=dim, index=selected(g.shape, dim, index))),
    ),
    "scatter": (_emptied("scatter_value", "dim", "index"), _gathered),
    "scatter_value": (_emptied("scatter_value", "dim", "index"),),
    "scatter_add": (_kept, _gathered),
    "index_add": (_kept, _index_add),
    "index_copy": (
        _emptied("index_fill", "dim", "index"),
        lambda g, y, x, source, dim, index: _slabs(g, source, dim, index),
    ),
    "index_put": (_written_over("index_put"), _indexed),
    "index_put_add": (_kept, _indexed),
    "put": (_put_x, _put_source),
    **{
        name: (_written_over(name), lambda g, y, x, value, index: F.take(g, index))
        for name in ("slice_scatter", "select_scatter", "diagonal_scatter")
    },
}
AT_ONCE: dict[str, Any] = {name: _reduced(name) for name in ("scatter_reduce", "index_reduce")}
