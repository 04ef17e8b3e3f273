"""Functions that scatter numbers to the places of an index."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.functions.numbers.paired import underivable
from gradviz.imitation.engine.functions.places.slabs import SAME_DTYPE, index_places
from gradviz.imitation.engine.generic import OPS, plain
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.shape_errors import fit_together, invalid_gradient
from gradviz.imitation.engine.shapes import broadcasts, one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError


def _in_range(index: Any, n: int, dim: int) -> None:
    bad = index[(index < 0) | (index >= n)]
    if bad.size:
        raise TorchError(f"index {bad.flat[0]} is out of bounds for dimension {dim} with size {n}")


def scatter_places(function: str, x: Tensor, dim: int, index: Any, source: Any = None) -> tuple[int, Any]:
    """The dim counted from the front, and the index of a gather or scatter; of no places nothing more is asked.

    Whether the places lie in x, the kernels ask: `refuse_beyond`.
    """
    axis = one_dim(dim, x.ndim)
    has_none = not need(function, index, "index", 3).data.size
    places = np.zeros(index.shape, np.int64) if has_none else index_places(function, index)
    if isinstance(source, Tensor):
        refuse_other_dtype(x, source)
    if has_none:
        return axis, places if function == "gather" else np.zeros((0,) * max(x.ndim, 1), np.int64)
    if max(places.ndim, 1) != max(x.ndim, 1):
        raise TorchError(
            "Index tensor must have the same number of dimensions as "
            + ("input tensor" if function == "gather" else "self tensor")
        )
    for d, (n, m) in enumerate(zip(places.shape, x.shape, strict=False)):
        if function == "gather" and d != axis and n > m:
            raise TorchError(
                f"Size does not match at dimension {d} expected index {list(places.shape)} to be no larger than "
                f"self {list(x.shape)} apart from dimension {axis}"
            )
    if function != "gather":
        _refuse_larger(x, source, places, axis)
    return axis, places


def _refuse_larger(x: Tensor, source: Any, places: Any, axis: int) -> None:
    """Raise for an index that is larger than what is written to, or than what is written."""
    size, within = (shape or (1,) for shape in (places.shape, x.shape))
    given = source.shape or (1,) if isinstance(source, Tensor) else size
    is_large = any(n > m and d != axis for d, (n, m) in enumerate(zip(size, within, strict=True)))
    for d, n in enumerate(size):
        is_large = is_large or n > given[one_dim(d, len(given))]  # a source of fewer dims is asked for more
    if len(given) != len(size):
        raise TorchError("Index tensor must have the same number of dimensions as src tensor")
    if is_large:
        beside = f" and to be no larger size than src {list(source.shape)}" if isinstance(source, Tensor) else ""
        raise TorchError(
            f"Expected index {list(places.shape)} to be no larger than self {list(x.shape)} apart from dimension "
            f"{axis}{beside}"
        )


def refuse_beyond(x: Tensor, axis: int, places: Any) -> None:
    """Raise where a place does not lie in x along a dim."""
    _in_range(places, x.shape[axis] if x.ndim else 1, axis)


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    x = need("scatter", input)
    given = value if src is None else src
    if reduce is not None and isinstance(given, Tensor):
        warn(OLD_REDUCE, once=True)
    axis, places = scatter_places("scatter", x, dim, index, given)
    if reduce is not None and reduce not in ("add", "multiply"):
        raise TorchError("reduce argument must be either add or multiply.")
    refuse_beyond(x, axis, places)
    if reduce is not None:
        return _scatter_reduced(x, axis, places, given, reduce)
    if not isinstance(given, Tensor):
        return keep(apply(OPS["scatter_value"], (x,), dim=axis, index=places, value=given), index=index)
    return keep(scattered("scatter", x, given, index, dim=axis, index=places), index=index)


OLD_REDUCE = (
    "The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
    "release. Use torch.scatter_reduce instead for more reduction options."
)


def _scatter_reduced(x: Tensor, axis: int, places: Any, given: Any, reduce: str) -> Tensor:
    """`scatter` with an old reduction: what is scattered is added, or multiplied with what is there."""
    source = given if isinstance(given, Tensor) else constant(np.full(places.shape, given, x.dtype)[()], x.tape)
    kind = "sum" if reduce == "add" else "prod"
    part = _part(source.data, places.shape)
    value = OPS["scatter_reduce"].forward(
        np.atleast_1d(x.data), part, axis, places.reshape(part.shape or 1), kind, True
    )
    value = value.reshape(x.shape)[()]
    return record(SCATTER_REDUCED, (x, source), {}, value)


SCATTER_REDUCED = underivable("scatter")


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    x, given = need("scatter_add", input), need("scatter_add", src, "src", 4)
    axis, places = scatter_places("scatter_add", x, dim, index, given)
    refuse_beyond(x, axis, places)
    return keep(scattered("scatter_add", x, given, index, dim=axis, index=places), index=index)


def refuse_other_dtype(x: Tensor, src: Tensor) -> None:
    """Raise for numbers to scatter of another dtype, of which PyTorch asks first."""
    if src.dtype != x.dtype:
        raise TorchError("scatter(): Expected self.dtype to be equal to src.dtype", hint=SAME_DTYPE)


def _part(source: Any, size: tuple[int, ...]) -> Any:
    """The part of what is scattered that an index of that shape names."""
    if not prod(size):
        return np.empty(size, source.dtype)
    return source[tuple(slice(0, n) for n in size or (1,))].reshape(size) if source.ndim else source


MEETS_SOURCE = ("prod", "amax", "amin")
"""The reductions whose gradients compare what was gathered with the whole source."""


def scattered(name: str, x: Tensor, src: Tensor, given: Tensor, **params: Any) -> Tensor:
    """An op with the part of src that the index, given as `given`, names.

    For src PyTorch has a gradient of the index's shape, which a pass refuses where that is another one.
    """
    op, size = OPS[name], params["index"].shape
    if src.shape == size and (x.ndim or not size):
        return apply(op, (x, src), **params)

    def part(src: Any) -> Any:
        return _part(src, size) if x.ndim else _part(src, size).reshape(())

    def forward(x: Any, src: Any, **p: Any) -> Any:
        return op.forward(x, part(src), **p) if prod(size) else x.copy()

    def to_x(g: Any, y: Any, x: Any, src: Any, **p: Any) -> Any:
        return op.rule(g, y, x, part(plain(src)), **p) if prod(size) else g

    def to_src(g: Any, y: Any, x: Any, src: Any, **p: Any) -> Any:
        if params.get("reduce") in MEETS_SOURCE:
            fit_together(OPS["add"], *(np.broadcast_to(0, shape) for shape in (src.shape, given.shape)))
        if not broadcasts(src.shape, given.shape):
            raise invalid_gradient(str(op.node), 1, given.shape, src.shape, "Give a src of the index's shape.")
        return F.reshape(op.second(g, y, x, part(plain(src)), **p), given.shape) if prod(size) else src * 0

    return apply(replace(op, name=f"{name}_part", forward=forward, vjp=(to_x, to_src)), (x, src), **params)


FUNCTIONS: dict[str, Callable[..., Any]] = {"scatter": scatter, "scatter_add": scatter_add}
