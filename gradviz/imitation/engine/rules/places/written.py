"""A part of a tensor written anew, out of place, and numbers gathered at places by a sum, product, mean or extreme."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.rules.calling import call
from gradviz.imitation.engine.rules.entry import Case, Op, case, saves
from gradviz.imitation.engine.rules.linalg.spectra import like
from gradviz.imitation.engine.rules.places.placing import along
from gradviz.imitation.engine.rules.shapes.shaping import copy_rule, put_forward, put_rule, shape

GRID = [[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]]
MASK = np.array([[True, False, True], [False, False, True]])
PLACES = np.array([[0, 1, 0], [1, 0, 2]])
FROM = [[0.7, 2.0, -1.5], [3.0, 0.2, 1.1]]
PART = ("where(written, 0, g)", "take(g, index)")


def _written(name: str, node: str, index: Any, value: Any, equation: str) -> Op:
    return Op(name, "x[i]=", put_forward, (copy_rule, put_rule), ("x", "value"), PART, equation,
              (case(GRID, value, index=index),), node, keeps_integers=True)  # fmt: skip


# ---- masks and flat places ----


def _mask_scattered(x: Any, source: Any, index: Any) -> Any:
    out = np.array(np.broadcast_to(x, index.shape))
    out[index] = source.reshape(-1)[: int(index.sum())]
    return out


def _masked_source(g: Any, y: Any, x: Any, source: Any, index: Any) -> Any:
    """What the masked places got, at the start of the source."""
    count = int(index.sum())
    n = int(np.prod(shape(source)))
    return F.reshape(F.scatter(F.take(g, index), (n,), (np.arange(count),)), shape(source))


def _flat(x: Any) -> Any:
    return F.reshape(x, (int(np.prod(shape(x))),))


def _put(x: Any, source: Any, index: Any, accumulate: bool) -> Any:
    out = np.array(x).reshape(-1)
    if accumulate:
        np.add.at(out, index.reshape(-1), source.reshape(-1))
    else:
        out[index.reshape(-1)] = source.reshape(-1)
    return out.reshape(x.shape)


def _put_x(g: Any, y: Any, x: Any, source: Any, index: Any, accumulate: bool) -> Any:
    if accumulate:
        return g
    gone = np.zeros(int(np.prod(shape(x))), np.bool_)
    gone[index.reshape(-1)] = True
    return F.zero_where(gone.reshape(shape(x)), g)


def _put_source(g: Any, y: Any, x: Any, source: Any, index: Any, accumulate: bool) -> Any:
    return F.reshape(F.take(_flat(g), (index.reshape(-1),)), shape(source))


# ---- reduced at places ----

_NEUTRAL = {"sum": 0, "mean": 0, "prod": 1, "amax": -np.inf, "amin": np.inf}
_UFUNC: dict[str, Any] = {
    "sum": np.add, "mean": np.add, "prod": np.multiply, "amax": np.maximum, "amin": np.minimum,
}  # fmt: skip


def counted(size: tuple[int, ...], places: Any, numbers: Any, start: Any) -> Any:
    """How much of `numbers` falls on each place, on top of `start`."""
    out = np.full(size, start, np.float64) if np.ndim(start) == 0 else np.array(start, np.float64)
    np.add.at(out, places, numbers)
    return out


def reduced_at(x: Any, source: Any, dim: int, index: Any, reduce: str, include_self: bool) -> Any:
    """x with the numbers of source brought to their places."""
    places, out = along(x.shape, dim, index), np.array(x)
    if not include_self:
        neutral: Any = _NEUTRAL[reduce]
        if x.dtype.kind in "iu" and np.isinf(neutral):
            limits = np.iinfo(x.dtype)
            neutral = limits.min if neutral < 0 else limits.max
        out[places] = neutral
    _UFUNC[reduce].at(out, places, source)
    if reduce == "mean":
        count = np.maximum(counted(x.shape, places, 1, 1 if include_self else 0), 1)
        out = np.floor_divide(out, count) if x.dtype.kind in "iu" else out / count
    return np.asarray(out, x.dtype)[()]


def _count(x: Any, source: Any, places: Any, include_self: bool) -> Any:
    return np.maximum(counted(shape(x), places, 1, 1 if include_self else 0), 1)


def _self_gone(sent: Any, x: Any, places: Any, include_self: bool) -> Any:
    if include_self:
        return sent
    gone = np.zeros(shape(x), np.bool_)
    gone[places] = True
    return F.zero_where(gone, sent)


def _equal_share(x: Any, source: Any, y: Any, places: Any) -> Any:
    """Where x and source hold the extreme, and between how many it is shared."""
    here, there = plain(x) == plain(y), plain(source) == plain(y)[places]
    return here, there, counted(shape(x), places, there, here)


def reduce_self(g: Any, y: Any, x: Any, source: Any, dim: int, index: Any, reduce: str, include_self: bool) -> Any:
    """dL/dx of a reduction at places."""
    places = along(shape(x), dim, index)
    if reduce == "sum":
        sent = g
    elif reduce == "mean":
        sent = g / like(_count(x, source, places, include_self), g)
    elif reduce == "prod":
        safe = F.where(plain(x) == 0, 1.0, x)
        whole = call("scatter_reduce", safe, source, dim=dim, index=index, reduce=reduce, include_self=include_self)
        sent = g * whole / safe
    else:
        here, _, share = _equal_share(x, source, y, places)
        sent = g / like(share, g) * F.mask(here, x)  # NaN where that is what was held
    return _self_gone(sent, x, places, include_self)


def reduce_source(g: Any, y: Any, x: Any, source: Any, dim: int, index: Any, reduce: str, include_self: bool) -> Any:
    """dL/dsource of a reduction at places."""
    places = along(shape(x), dim, index)
    if reduce == "sum":
        return F.take(g, places)
    if reduce == "mean":
        return F.take(g / like(_count(x, source, places, include_self), g), places)
    if reduce == "prod":
        zero = plain(source) == 0
        alone = zero & (counted(shape(x), places, zero, 0)[places] == 1)
        others = F.where(alone, 1.0, source)
        params = {"dim": dim, "index": index, "reduce": reduce, "include_self": include_self}
        rest = F.take(g * call("scatter_reduce", x, others, **params), places)
        return F.where(alone, rest, F.take(g * y, places) / F.where(zero, 1.0, source))
    _, there, share = _equal_share(x, source, y, places)
    return F.take(g / like(share, g), places) * F.mask(there, source)


def _cases(index: Any) -> tuple[Case, ...]:
    return tuple(
        case(GRID, FROM, dim=1, index=index, reduce=reduce, include_self=include)
        for reduce in ("sum", "prod", "mean", "amax", "amin")
        for include in (True, False)
    )


def _reduced(name: str, node: str, index: Any) -> Op:
    return Op(name, "Σ at i", reduced_at, (reduce_self, reduce_source), ("x", "source"),
              ("to_x(g, y)", "to_source(g, y)"), "y = x with the numbers of source brought to their places", _cases(index),
              node, saves("x source index y"), keeps_integers=True,
              note="An extreme held several times shares the gradient equally.")  # fmt: skip


TABLE = (
    _written("slice_scatter", "SliceScatterBackward0", (slice(None), slice(0, 2)), [[7.0, 8.0], [9.0, 6.0]],
             "y = x with a slice written anew"),
    _written("select_scatter", "SelectScatterBackward0", (slice(None), 1), [7.0, 8.0], "y = x with x[i] written anew"),
    _written("diagonal_scatter", "DiagonalScatterBackward0", (np.array([0, 1]), np.array([0, 1])), [7.0, 8.0],
             "y = x with its diagonal written anew"),
    Op("masked_scatter", "x[m]=", _mask_scattered,
       (lambda g, y, x, source, index: F.zero_where(index, g), _masked_source), ("x", "source"),
       ("where(index, 0, g)", "to_source(g)"), "y = x with the numbers of source where the mask holds, one by one",
       (case(GRID, FROM, index=MASK),), "MaskedScatterBackward0", saves("index"), keeps_integers=True),
    Op("put", "x[i]=", _put, (_put_x, _put_source), ("x", "source"), ("to_x(g)", "to_source(g)"),
       "y = x, laid out flat, with numbers written in",
       (case(GRID, [7.0, 8.0], index=np.array([0, 4]), accumulate=False),
        case(GRID, [7.0, 8.0], index=np.array([4, 4]), accumulate=True)), "PutBackward0", saves("source index"),
       keeps_integers=True),
    _reduced("scatter_reduce", "ScatterReduceBackward0", PLACES),
    _reduced("index_reduce", "IndexReduceBackward0", np.broadcast_to(PLACES[0], PLACES.shape)),
)  # fmt: skip


def _of_two(to_x: Any, to_source: Any) -> Any:
    def names(xs: Any, p: Any) -> dict[str, Any]:
        return {
            "to_x": lambda g, y=None: to_x(g, y, *xs, **p), "to_source": lambda g, y=None: to_source(g, y, *xs, **p),
        }  # fmt: skip

    return names


NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {
    "masked_scatter": _of_two(None, _masked_source),
    "put": _of_two(_put_x, _put_source),
    "scatter_reduce": _of_two(reduce_self, reduce_source),
    "index_reduce": _of_two(reduce_self, reduce_source),
    **{
        name: lambda xs, p: {"written": _written_places(xs[0].shape, p["index"])}
        for name in ("slice_scatter", "select_scatter", "diagonal_scatter")
    },
}


def _written_places(size: tuple[int, ...], index: Any) -> Any:
    places = np.zeros(size, np.bool_)
    places[index] = True
    return places
