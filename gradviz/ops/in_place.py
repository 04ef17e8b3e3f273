"""Numbers written over others in place: all of a tensor, or the part of it that a view shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.op import Array, Op, Path, example
from gradviz.ops.symbols import said


def look_along(array: Array, path: Path) -> Any:
    """The numbers that a path of view ops shows of an array; an array that can be written to."""
    found = array
    for op, params in path:
        found = op.forward(found, **params)
    return found


def flat_index(shape: tuple[int, ...], path: Path) -> Any:
    """Where the numbers that a path shows stand in the whole memory, as flat indices of the shape shown."""
    return look_along(np.arange(int(np.prod(shape))).reshape(shape), path)


def _copy_slices(base: Any, new: Any, path: Path) -> Array:
    out = np.array(base)
    out.reshape(-1)[flat_index(out.shape, path)] = new
    return out[()] if not out.ndim else out


def _to_base(g: Any, y: Any, base: Any, new: Any, path: Path) -> Any:
    """What comes in, but 0 where the base was overwritten."""
    kept = np.ones(base.shape, dtype=bool)
    kept.reshape(-1)[flat_index(base.shape, path)] = False
    return g * r.constant_like(kept, g)


def _to_new(g: Any, y: Any, base: Any, new: Any, path: Path) -> Any:
    """The overwritten part of what comes in."""
    for op, params in path:
        g = r.through(op, g, **params)
    return g


ZERO = Op(
    name="zero",
    forward=np.zeros_like,
    vjp=(lambda g, y, x: r.zeros_like(g),),
    equation="y = 0, in the place of x",
    examples=(example([1.0, 2.0]),),
    sign="0",
    kind="overwritten",
)
FILL_NUMBER = Op(
    name="fill",
    forward=lambda x, value: np.full_like(x, value)[()],
    vjp=(lambda g, y, x, value: r.zeros_like(g),),
    equation="y = value everywhere, in the place of x",
    examples=(example([1.0, 2.0], value=3.0),),
    sign="c",
    kind="overwritten",
)
COPY_SLICES = Op(
    name="copy_slices",
    forward=_copy_slices,
    vjp=(_to_base, _to_new),
    inputs=("base", "new"),
    form=(
        said("kept_of_base", "{0} with 0 where it was overwritten", _to_base),
        said("overwritten", "the overwritten part of {0}", _to_new),
    ),
    equation="y = base, with new written to a part of it",
    node="torch::autograd::CopySlices",
    sign="x[i]=",
    kind="overwritten",
)
COPY = Op(
    name="copy",
    forward=lambda old, new: np.broadcast_to(new, old.shape).astype(old.dtype)[()],
    vjp=(lambda g, y, old, new: r.zeros_like(g), lambda g, y, old, new: g),
    inputs=("old", "new"),
    equation="y = new, in the place of old",
    examples=(example([1.0, 2.0], [3.0, 4.0]), example([[1.0, 2.0]], [3.0])),
    node="torch::autograd::CopyBackwards",
    sign="=",
    kind="overwritten",
)
"""Numbers copied over others, in place; and the first gradient of a leaf under create_graph."""
FILL = Op(
    name="fill",
    forward=lambda old, value: np.full_like(old, value)[()],
    vjp=(lambda g, y, old, value: r.zeros_like(g), lambda g, y, old, value: r.total(g)),
    inputs=("old", "value"),
    equation="y = value everywhere, in the place of old",
    examples=(example([1.0, 2.0], 3.0),),
    node="FillBackward3",
    sign="c",
    kind="overwritten",
)
"""One number, itself part of a graph, written over all others."""

TABLE = (COPY, COPY_SLICES, FILL, FILL_NUMBER, ZERO)
"""The rows of this family."""
