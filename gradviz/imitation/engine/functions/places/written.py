"""Functions that write numbers into a part of a tensor, out of place, and views by strides."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import check_fits, check_word, type_name
from gradviz.imitation.engine.functions.arguments import ints, need
from gradviz.imitation.engine.functions.places.placing import refuse_outside
from gradviz.imitation.engine.functions.places.scattering import refuse_beyond, scatter_places, scattered
from gradviz.imitation.engine.functions.places.slabs import index_places, slab
from gradviz.imitation.engine.functions.shapes.moving import diagonal, select
from gradviz.imitation.engine.functions.shapes.splitting import split
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.resizing import memory_of, offset_of
from gradviz.imitation.engine.shape_errors import fit_together
from gradviz.imitation.engine.shapes import numel, one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, constant, record
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

REDUCTIONS = ("sum", "prod", "mean", "amax", "amin")


def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    x, value = need("slice_scatter", input), need("slice_scatter", src, "src", 2)
    if step < 1 and x.ndim:
        one_dim(dim, x.ndim)
        raise TorchError("slice step must be positive")
    if not x.ndim:
        raise TorchError("slice() cannot be applied to a 0-dim tensor.", kind="IndexError")
    index = (*[slice(None)] * one_dim(dim, x.ndim), slice(start, end, step))
    return _into("slice_scatter", x, value, index)


def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    x, value = need("select_scatter", input), need("select_scatter", src, "src", 2)
    select(constant(x.data, x.tape), dim, index)
    return _into("select_scatter", x, value, (*[slice(None)] * one_dim(dim, x.ndim), index))


def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    x, value = need("diagonal_scatter", input), need("diagonal_scatter", src, "src", 2)
    numbered = constant(np.arange(x.data.size).reshape(x.shape)[()], x.tape)
    places = np.asarray(diagonal(numbered, offset, dim1, dim2).data)
    return _into("diagonal_scatter", x, value, tuple(np.unravel_index(places, x.shape)))


def _into(name: str, x: Tensor, value: Tensor, index: Any) -> Tensor:
    wanted = np.asarray(x.data)[index].shape
    if value.shape != wanted:
        raise TorchError(
            f"expected src to have a size equal to the slice of self. src size = {list(value.shape)}, slice size = "
            f"{list(wanted)}"
        )
    return apply(OPS[name], (x, value), index=index)


def refuse_kinds(input: Tensor, source: Tensor) -> None:
    """Raise where a mask is to scatter numbers of one dtype into a tensor of another."""
    if input.dtype != source.dtype:
        names = f"{type_name(input.dtype)} and {type_name(source.dtype)}"
        raise TorchError(f"masked_scatter: expected self and source to have same dtypes but got{names}")


def refuse_mask(mask: Tensor) -> None:
    """Raise where a mask for scattered numbers is none."""
    if mask.dtype == np.uint8:
        warn(
            "masked_scatter_ received a mask with dtype torch.uint8, this behavior is now deprecated,please use a mask "
            "with dtype torch.bool instead.",
            once=True,
        )
    if mask.dtype.kind != "b":
        text = f"masked_scatter_ only supports boolean masks, but got mask with dtype {type_name(mask.dtype)}"
        raise TorchError(text)


TOO_FEW = "Number of elements of source < number of ones in mask"


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    x, given = need("masked_scatter", input), need("masked_scatter", source, "source", 3)
    fit_together(OPS["masked_scatter"], mask.data, x.data)
    refuse_kinds(x, given)
    refuse_mask(mask)
    wide = np.broadcast_to(mask.data, np.broadcast_shapes(mask.shape, x.shape))
    if int(wide.sum()) > given.data.size:
        raise TorchError(TOO_FEW)
    return keep(apply(OPS["masked_scatter"], (x, given), index=wide), mask=mask)


def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    x, value = need("put", input), need("put", source, "source", 3)
    places = index_places("put", index, 2)
    if x.dtype != value.dtype:
        raise TorchError(
            f"put_(): self and source expected to have the same dtype, but got self.dtype = {type_name(x.dtype)} and "
            f"source.dtype = {type_name(value.dtype)}"
        )
    if places.size != value.data.size:
        raise TorchError(
            "put_(): Expected source and index to have the same number of elements, but got source.numel() = "
            f"{value.data.size}, index.numel() = {places.size}",
            kind="IndexError",
        )
    if places.size and not x.data.size:
        raise TorchError("put_(): Tried to put elements into an empty tensor", kind="IndexError")
    refuse_outside(places, x.data.size)
    wrapped = places % max(x.data.size, 1)
    return keep(apply(OPS["put"], (x, value), index=wrapped, accumulate=bool(accumulate)), index=index)


def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    x, value = need("scatter_reduce", input), need("scatter_reduce", src, "src", 4)
    axis, places = scatter_places("scatter", x, dim, index, value)
    if reduce not in REDUCTIONS:
        raise TorchError("reduce argument must be either sum, prod, mean, amax or amin, got " + reduce)
    refuse_beyond(x, axis, places)
    params = {"dim": axis, "index": places, "reduce": reduce, "include_self": bool(include_self)}
    return keep(scattered("scatter_reduce", x, value, index, **params), index=index)


def index_reduce(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    x, value = need("index_reduce", input), need("index_reduce", source, "source", 4)
    if reduce not in REDUCTIONS[1:]:
        raise TorchError(
            f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.",
        )
    x, axis, places = slab("index_reduce", x, dim, index, value)
    shape = [-1 if i == axis else 1 for i in range(max(x.ndim, 1))]
    wide = np.broadcast_to(places.reshape(shape), value.shape or (1,)).copy()
    params = {"dim": axis, "index": wide, "reduce": reduce, "include_self": bool(include_self)}
    return keep(apply(OPS["index_reduce"], (x, value), **params), index=index)


def as_strided(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A view of the memory of x by sizes and strides.

    Raises:
        TorchError: it reaches beyond the memory.
    """
    x = need("as_strided", input)
    shape, steps = ints((size,)), ints((stride,))
    if len(shape) != len(steps):
        raise TorchError(
            f"mismatch in length of strides and shape, {len(shape)} and {len(steps)}",
            hint="Give as many strides as sizes.",
        )
    if not isinstance(x.data, np.ndarray):
        x.data = np.array(x.data)
    memory = memory_of(x)
    ours = offset_of(x)
    start = ours if storage_offset is None else storage_offset
    last = start + sum((n - 1) * s for n, s in zip(shape, steps, strict=True))
    if numel(shape) and last >= memory.size:
        raise TorchError(
            f"setStorage: sizes {list(shape)}, strides {list(steps)}, storage offset {start}, and itemsize "
            f"{x.dtype.itemsize} requiring a storage size of {(last + 1) * x.dtype.itemsize} are out of bounds for "
            f"storage of size {memory.nbytes}"
        )
    at = np.full(memory.size, -1)
    at[_places(x.shape, [step // x.dtype.itemsize for step in x.data.strides], ours)] = np.arange(x.data.size).reshape(
        x.shape
    )
    flat = at[_places(shape, steps, start)]
    size_in_bytes = tuple(step * x.dtype.itemsize for step in steps)
    seen = np.lib.stride_tricks.as_strided(memory[start:], shape, size_in_bytes)
    if (flat < 0).any() or (shape and not x.ndim):
        params = {"index": np.maximum(flat, 0), "beyond": flat < 0, "others": seen[flat < 0]}
        return storage.share_view(x, record(OPS["as_strided_beyond"], (x,), params, seen))
    index = tuple(np.unravel_index(np.maximum(flat, 0), x.shape)) if x.ndim else (...,)
    return storage.share_view(x, record(OPS["as_strided"], (x,), {"index": index}, seen))


def _places(shape: Sequence[int], steps: Sequence[int], start: int) -> Any:
    """Where the elements of a strided tensor lie in memory, counted in elements."""
    places = np.full(shape, start, np.int64)
    for axis, (n, step) in enumerate(zip(shape, steps, strict=True)):
        places += (np.arange(n) * step).reshape(-1, *(1,) * (len(shape) - axis - 1))
    return places


def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    if self.ndim < 2:
        raise TorchError("dimensions must larger than 1")
    if self.ndim > 2 and len({*self.shape}) > 1:
        raise TorchError("all dimensions of input must be of equal length")
    check_word(fill_value)
    check_fits(fill_value, self.dtype)
    # Down the whole matrix where it wraps, with one row left out after each square.
    count = len(range(0, self.data.size, self.shape[1] + 1)) if wrap and self.ndim == 2 else min(self.shape)
    step = sum(np.asarray(self.data).strides) // self.dtype.itemsize
    storage.change(as_strided(self, (count,), (step,)), OPS["fill_number"], value=fill_value)
    return self


def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    x = need("unravel_index", indices, "indices")
    if x.dtype.kind not in "iu":
        raise TorchError(f"expected 'indices' to be integer dtype, but got torch.{x.dtype.name}", kind="TypeError")
    sizes = _sizes_to_unravel(shape)
    if 0 in sizes and x.data.size:
        raise TorchError("ZeroDivisionError")
    steps = np.cumprod([1, *sizes[:0:-1]], dtype=np.int64)[::-1]  # an index beyond the shape begins anew
    whole = np.asarray(x.data, np.int64)
    found = [whole // step % size if whole.size else whole for step, size in zip(steps, sizes, strict=False)]
    return tuple(constant(part[()], x.tape) for part in found)


def _sizes_to_unravel(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, int | np.integer | list | tuple | Tensor):
        found = f"<class '{type(shape).__name__}'>"
        raise TorchError(f"expected 'shape' to be int or sequence of ints, but got {found}", kind="TypeError")
    given = shape.data.reshape(-1).tolist() if isinstance(shape, Tensor) else shape
    given = list(given) if isinstance(given, list | tuple) else [given]
    for size in given:
        if not isinstance(size, int | np.integer | Tensor):
            found = f"<class '{type(size).__name__}'>"
            raise TorchError(f"expected 'shape' sequence to only contain ints, but got {found}", kind="TypeError")
    sizes = ints((given,))
    if any(size < 0 for size in sizes):
        raise TorchError(f"'shape' cannot have negative values, but got {sizes}", kind="ValueError")
    return sizes


def split_with_sizes(input: Tensor, split_sizes: Any, dim: int = 0) -> tuple[Tensor, ...]:
    return split(input, list(split_sizes), dim)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        slice_scatter, select_scatter, diagonal_scatter, masked_scatter, put, scatter_reduce, index_reduce, as_strided,
        unravel_index, split_with_sizes,
    )
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {**FUNCTIONS, "fill_diagonal_": fill_diagonal_}
FUNCTIONS.pop("put")
NEURAL: dict[str, Callable[..., Any]] = {}
