"""Reading and writing at places: each is undone by an op of its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine import generic as F  # noqa: N812 - the name rules are read with
from gradviz.engine.again.steps import expanded, new_zeros, zero_like
from gradviz.engine.rules.calling import call
from gradviz.engine.rules.shape import fit


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
    return expanded(call("index_select", g, dim=dim, index=index), source.shape)


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


RULES: dict[str, Any] = {
    "gather": (_back("scatter_add"),),
    "index_select": (_back("index_add", alpha=1),),
    "take": (_back("put", accumulate=True),),
    "masked_select": (_back("masked_scatter"),),
    "masked_fill_tensor": (lambda g, y, x, value, index: call("masked_fill", g, index=index, value=0), _masked_value),
    "index_fill": (_emptied("index_fill", "dim", "index"),),
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
