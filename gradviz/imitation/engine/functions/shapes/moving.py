"""Functions that repeat, turn and cut tensors, but for those that split them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.functions.arguments import ints, must_have_dims, need
from gradviz.imitation.engine.functions.places.placing import index_select
from gradviz.imitation.engine.functions.shapes.shaping import (
    contiguous,
    expand,
    flatten,
    permute,
    reshape,
    transpose,
    unsqueeze,
    view,
)
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.indexing.reading import view as view_op
from gradviz.imitation.engine.shapes import from_front, numel, one_dim, view_shape
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError

# ---- repeated ----


def repeat(self: Tensor, *repeats: Any) -> Tensor:
    sizes = ints(repeats)
    if len(sizes) < self.ndim:
        raise TorchError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor",
            hint=f"Give at least {self.ndim} numbers.",
        )
    if min(sizes, default=0) < 0:
        whole = [n * times for n, times in zip((1,) * (len(sizes) - self.ndim) + self.shape, sizes, strict=True)]
        raise TorchError(f"Trying to create tensor with negative dimension {min(whole)}: {whole}")
    return apply(OPS["repeat"], (self,), sizes=sizes)


def tile(input: Tensor, *dims: Any) -> Tensor:
    x, sizes = need("tile", input), ints(dims)
    return repeat(x, (1,) * (x.ndim - len(sizes)) + sizes)


def repeat_interleave(input: Tensor, repeats: Any = None, dim: int | None = None, **_: Any) -> Tensor:
    x = need("repeat_interleave", input)
    if repeats is None:
        return _each_so_often(x)
    if isinstance(repeats, Tensor):
        if repeats.ndim > 1:
            raise TorchError("repeats must be 0-dim or 1-dim tensor")
        if repeats.dtype.kind not in "iu":
            kernel = f"\"repeat_interleave_cpu\" not implemented for '{type_name(repeats.dtype)}'"
            raise TorchError(kernel, kind="NotImplementedError")
    if isinstance(repeats, Tensor) and repeats.data.size != 1:
        axis = 0 if dim is None else one_dim(dim, x.ndim)
        if dim is not None:
            must_have_dims(x, axis)
        flat = reshape(x, -1) if dim is None else x
        if repeats.data.size != flat.shape[axis]:
            raise TorchError(
                "repeats must have the same size as input along dim, but got repeats.size(0) = "
                f"{repeats.data.size} and input.size({axis}) = {flat.shape[axis]}"
            )
        return index_select(flat, axis, constant(np.repeat(np.arange(flat.shape[axis]), repeats.data), x.tape))
    times = int(repeats.data.item()) if isinstance(repeats, Tensor) else int(repeats)
    if dim is None:
        x = flatten(x)
    axis = one_dim(-1 if dim is None else dim, x.ndim)
    if times < 0:
        raise TorchError("Repeats must be non-negative")
    size = (*x.shape[: axis + 1], times, *x.shape[axis + 1 :])
    copied = apply(OPS["clone"], (expand(unsqueeze(x, axis + 1), size),))
    return view(copied, *x.shape[:axis], x.shape[axis] * times, *x.shape[axis + 1 :])


def _each_so_often(repeats: Tensor) -> Tensor:
    """0, 1, 2 ..., each as often as the numbers say."""
    if repeats.ndim != 1:
        raise TorchError("repeat_interleave only accept 1D vector as repeat")
    if repeats.dtype.name not in ("int32", "int64"):
        kind = type_name(repeats.dtype)
        raise TorchError(f"\"repeat_interleave_cpu\" not implemented for '{kind}'", kind="NotImplementedError")
    if (repeats.data < 0).any():
        raise TorchError("repeats can not be negative")
    return constant(np.repeat(np.arange(len(repeats.data), dtype=repeats.dtype), repeats.data), repeats.tape)


# ---- turned ----


def flip(input: Tensor, *dims: Any) -> Tensor:
    x = need("flip", input)
    axes = tuple(one_dim(d, x.ndim) for d in ints(dims))
    for d in axes:
        if axes.count(d) > 1:
            raise TorchError(f"dim {d} appears multiple times in the list of dims")
    return apply(OPS["flip"], (x,), dims=axes if x.ndim else ())


def fliplr(input: Tensor) -> Tensor:
    if need("fliplr", input).ndim < 2:
        raise TorchError("Input must be >= 2-d.")
    return flip(input, 1)


def flipud(input: Tensor) -> Tensor:
    if need("flipud", input).ndim < 1:
        raise TorchError("Input must be >= 1-d.")
    return flip(input, 0)


def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    x = need("roll", input)
    steps = ints((shifts,)) if not isinstance(shifts, list | tuple) else ints(tuple(shifts))
    if dims is None or dims == ():
        if len(steps) != 1:
            raise TorchError(
                f"shifts and dimensions must align. shifts: {len(steps)}, dims:0" if steps else "`shifts` required"
            )
        return apply(OPS["roll"], (x,), shifts=steps[0], dims=None)
    given = ints((dims,)) if not isinstance(dims, list | tuple) else ints(tuple(dims))
    if len(given) != len(steps):
        raise TorchError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(given)}")
    if not x.data.size:  # of nothing no dim is looked at
        return apply(OPS["roll"], (x,), shifts=steps[0], dims=None)
    if x.ndim == 0:
        raise TorchError(f"Dimension specified as {given[0]} but tensor has no dimensions", kind="IndexError")
    return apply(OPS["roll"], (x,), shifts=steps, dims=tuple(one_dim(d, x.ndim) for d in given))


def rot90(input: Tensor, k: int = 1, dims: Any = (0, 1)) -> Tensor:
    x = need("rot90", input)
    if x.ndim < 2:
        raise TorchError(f"expected total dims >= 2, but got total dims = {x.ndim}")
    return apply(OPS["rot90"], (x,), k=k, dims=tuple(one_dim(d, x.ndim) for d in ints(tuple(dims))))


def _triangle(name: str) -> Callable[..., Tensor]:
    def function(input: Tensor, diagonal: int = 0) -> Tensor:
        x = need(name, input)
        if x.ndim < 2:
            raise TorchError(f"{name}: input tensor must have at least 2 dimensions")
        return apply(OPS[name], (x,), diagonal=diagonal)

    function.__name__ = name
    return function


tril, triu = _triangle("tril"), _triangle("triu")


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    x = need("movedim", input)
    start, end = (ints(tuple(d)) if isinstance(d, list | tuple) else (int(d),) for d in (source, destination))
    if len(start) != len(end):
        raise TorchError(
            "movedim: Invalid source or destination dims: source (" + _dims(start) + " dims) should contain the same "
            "number of dims as destination (" + _dims(end) + " dims)"
        )
    start, end = (tuple(int(one_dim(d, x.ndim)) for d in dims) for dims in (start, end))
    return permute(x, _order(start, end, x.ndim)) if x.ndim else view_op("alias", x)


def _dims(dims: tuple[int, ...]) -> str:
    return f"[{', '.join(map(str, dims))}]"


def _order(source: tuple[int, ...], destination: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    rest = [i for i in range(ndim) if i not in source]
    for end, start in sorted(zip(destination, source, strict=True)):
        rest.insert(end, start)
    return tuple(rest)


# ---- diagonals ----


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    x = need("diagonal", input)
    first, second = one_dim(dim1, x.ndim), one_dim(dim2, x.ndim)
    if first == second:
        raise TorchError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return view_op("diagonal", x, offset=offset, dim1=first, dim2=second)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    x = need("diag_embed", input)
    first, second = one_dim(dim1, x.ndim + 1), one_dim(dim2, x.ndim + 1)
    if first == second:
        raise TorchError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return apply(OPS["diag_embed"], (x,), offset=offset, dim1=first, dim2=second)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    x = need("diag", input)
    if x.ndim == 1:
        return diag_embed(x, diagonal)
    if x.ndim != 2:
        raise TorchError(f"diag(): Supports 1D or 2D tensors. Got {x.ndim}D")
    return apply(OPS["diagonal_copy"], (x,), offset=diagonal)


def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    return diag_embed(view(contiguous(need("diagflat", input)), -1), offset)


# ---- cut ----


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    x = need("narrow", input)
    if x.ndim == 0:
        raise TorchError("narrow() cannot be applied to a 0-dim tensor.")
    axis = one_dim(dim, x.ndim)
    n, first = x.shape[axis], int(start.data) if isinstance(start, Tensor) else int(start)
    if not -n <= first <= n:
        raise TorchError(
            f"start out of range (expected to be in range of [{-n}, {n}], but got {first})", kind="IndexError"
        )
    first += n if first < 0 else 0
    if first + length > n:
        raise TorchError(f"start ({first}) + length ({length}) exceeds dimension size ({n}).")
    return view_op("slice", x, dim=axis, start=first, end=first + length, step=1)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    x = need("select", input)
    if x.ndim == 0:
        raise TorchError("select() cannot be applied to a 0-dim tensor.", kind="IndexError")
    axis = one_dim(dim, x.ndim)
    if not -x.shape[axis] <= index < x.shape[axis]:
        raise TorchError(
            f"select(): index {index} out of range for tensor of size {list(x.shape)} at dimension {axis}",
            kind="IndexError",
        )
    return view_op("select", x, dim=axis, index=from_front(index, x.shape[axis]))


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    axis = one_dim(dimension, self.ndim)
    n = self.shape[axis] if self.ndim else 1
    if size > n:
        raise TorchError(f"maximum size for tensor at dimension {axis} is {n} but size is {size}")
    return view_op("unfold", self, dimension=axis, size=size, step=step)


def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    x = need("unflatten", input)
    if not x.ndim:
        raise TorchError(
            f"unflatten got an unexpected error:\nDimension specified as {dim} but tensor has no dimensions"
        )
    axis = one_dim(dim, x.ndim)
    given = ints(tuple(sizes))
    known = numel(tuple(n for n in given if n != -1))
    if x.shape[axis] % known if -1 in given and known else -1 not in given and known != x.shape[axis]:
        raise TorchError(
            f"unflatten: Provided sizes {list(given)} don't multiply up to the size of dim {axis} "
            f"({x.shape[axis]}) in the input tensor"
        )
    return view(x, *x.shape[:axis], *view_shape(given, x.shape[axis]), *x.shape[axis + 1 :])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        tile, repeat_interleave, flip, fliplr, flipud, roll, rot90, tril, triu, movedim, diagonal, diag_embed, diag,
        diagflat, narrow, select, unflatten,
    )
}  # fmt: skip
FUNCTIONS |= {"moveaxis": movedim, "swapdims": transpose}
METHODS: dict[str, Callable[..., Any]] = {
    **FUNCTIONS, "repeat": repeat, "unfold": unfold,
    "contiguous": contiguous,
}  # fmt: skip
NEURAL: dict[str, Callable[..., Any]] = {}
