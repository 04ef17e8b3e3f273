"""Other shapes, other orders, parts put together and taken apart, as people call them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations as _combinations
from itertools import combinations_with_replacement, pairwise
from typing import Any

import numpy as np

from gradviz.engine.apply import apply, view
from gradviz.engine.dtypes import DType, dtype_of, type_name_of
from gradviz.engine.errors import Beyond
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions.dims import dim_within, dims_within, sizes_of, with_inferred
from gradviz.engine.operands import tensor_given, wrong_argument
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import refuse_write
from gradviz.ops.op import Op, Path
from gradviz.ops.shape import (
    CAT,
    DIAG_EMBED,
    DIAGONAL,
    DIAGONAL_COPY,
    EXPAND,
    FLIP,
    NOTHING,
    PERMUTE,
    REPEAT,
    RESHAPE_COPY,
    ROLL,
    SELECT,
    SLICE,
    SPLIT,
    SPLIT_SIZES,
    SQUEEZE,
    SQUEEZE_DIM,
    STACK,
    T_OP,
    TRANSPOSE,
    TRIL,
    TRIU,
    UNBIND,
    UNFOLD,
    UNSQUEEZE,
    VIEW,
)

MULTIPLE_VIEWS = (
    "Output {index} of {name} is a view and is being modified inplace. This view is the output of a function that "
    "returns multiple views. Such functions do not allow the output views to be modified inplace. You should replace "
    "the inplace operation by an out-of-place one."
)
VIEW_OF_TURNED = (
    "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
    "contiguous subspaces). Use .reshape(...) instead."
)
INDEXING = "torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument."
T_OF_OTHERS = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*torch.arange(x.ndim - "
    "1, -1, -1))` to reverse the dimensions of a tensor."
)


# ---- another shape ----------------------------------------------------------------------------------------------


def _shape(x: Tensor) -> tuple[int, ...]:
    return current(x).array.shape  # type: ignore[no-any-return]


def _in_memory(x: Tensor) -> Any:
    """An array laid out in memory as PyTorch lays out x: the memory of its own in rows, then what views made of it."""
    extra = x.extra
    assert extra is not None
    assert extra.memory is not None
    path: Path = extra.path
    found: Any = np.empty(extra.memory.entry.array.shape, dtype=np.bool_)
    for op, params in path:
        found = op.forward(found, **params)
    return found


def _can_view(x: Tensor, size: tuple[int, ...]) -> bool:
    """Whether x, which may be a turned or cut view of its memory, can be seen in another shape without a copy."""
    if x.extra is None or x.extra.memory is None or not x.extra.path:
        return True
    laid = _in_memory(x)
    return not laid.size or np.may_share_memory(laid, laid.reshape(size))


def is_contiguous(self: Tensor, memory_format: object = None) -> bool:
    """Whether its elements stand in memory row by row."""
    if self.extra is None or self.extra.memory is None or not self.extra.path:
        return True
    return bool(np.asarray(_in_memory(self)).flags.c_contiguous)


def memory_order(x: Tensor) -> tuple[int, ...]:
    """The dims of a tensor from the one whose elements lie furthest apart in memory to the one where they are next."""
    dims = tuple(range(len(_shape(x))))
    if is_contiguous(x):
        return dims
    apart = np.asarray(_in_memory(x)).strides
    return tuple(sorted(dims, key=lambda dim: -apart[dim]))


def contiguous(self: Tensor, memory_format: object = None) -> Tensor:
    """The tensor with its elements row by row in memory: itself, or a copy of a turned view."""
    return self if is_contiguous(self) else e.clone(self)


def view_of(self: Tensor, *size: Any) -> Tensor:
    """The same memory in another shape; one size may be -1.

    Raises:
        RuntimeError: the number of elements does not fit, or a turned view would have to be copied.
    """
    if len(size) == 1 and isinstance(size[0], DType):
        if size[0] is dtype_of(current(self).array.dtype):
            return self
        raise Beyond("view(dtype), the bits of a tensor read as another dtype,")
    count = current(self).array.size
    sizes = with_inferred(sizes_of(size, "view"), count)
    if not _can_view(self, sizes):
        raise RuntimeError(VIEW_OF_TURNED)
    return view(VIEW, self, size=sizes)


def reshape(input: Tensor, *shape: Any, **named: Any) -> Tensor:
    """The same numbers in another shape; one size may be -1. A view where it can be one.

    Raises:
        RuntimeError: the number of elements does not fit.
    """
    given = shape or (named["shape"],)
    sizes = with_inferred(sizes_of(given, "reshape", "shape"), current(tensor_given("reshape", input)).array.size)
    if not _can_view(input, sizes):
        return apply(RESHAPE_COPY, (input,), size=sizes)
    return view(VIEW, input, size=sizes)


def view_as(self: Tensor, other: Tensor) -> Tensor:
    """`self.view(other.shape)`."""
    return view_of(self, _shape(other))


def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """The dims from start_dim to end_dim as one.

    Raises:
        RuntimeError: start_dim comes after end_dim.
    """
    shape = _shape(tensor_given("flatten", input))
    start, end = dim_within(start_dim, len(shape)), dim_within(end_dim, len(shape))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if start == end and shape:
        return input
    return reshape(input, (*shape[:start], -1 if current(input).array.size else 0, *shape[end + 1 :]))


def ravel(input: Tensor) -> Tensor:
    """All elements in one dim."""
    return reshape(input, (-1,))


def unflatten(input: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    """One dim as several; one of the sizes may be -1.

    Raises:
        RuntimeError: the sizes do not multiply up to the dim.
    """
    shape = _shape(tensor_given("unflatten", input))
    at_dim = dim_within(dim, len(shape))
    found = with_inferred(tuple(sizes), shape[at_dim])
    return view_of(input, (*shape[:at_dim], *found, *shape[at_dim + 1 :]))


def squeeze(input: Tensor, dim: Any = None) -> Tensor:
    """Without dims of size 1: all of them, or those named, where they have size 1."""
    if dim is None:
        return view(SQUEEZE, tensor_given("squeeze", input))
    ndim = current(tensor_given("squeeze", input)).array.ndim
    if isinstance(dim, tuple | list):
        return view(SQUEEZE_DIM, input, dim=dims_within(dim, ndim))
    return view(SQUEEZE_DIM, input, dim=dim_within(dim, ndim))


def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """With a new dim of size 1 at a position."""
    ndim = current(tensor_given("unsqueeze", input)).array.ndim
    return view(UNSQUEEZE, input, dim=dim_within(dim, ndim + 1))


def atleast_1d(*tensors: Any) -> Any:
    """Tensors with at least one dim."""
    return _each(tensors, lambda x: x if _shape(x) else reshape(x, (1,)))


def atleast_2d(*tensors: Any) -> Any:
    """Tensors with at least two dims, a new one in front."""
    return _each(tensors, lambda x: x if len(_shape(x)) > 1 else unsqueeze(atleast_1d(x), 0))


def _each(tensors: tuple[Any, ...], function: Callable[[Tensor], Tensor]) -> Any:
    given = tensors[0] if len(tensors) == 1 else tensors
    return function(given) if isinstance(given, Tensor) else tuple([function(x) for x in given])


# ---- another order of dims --------------------------------------------------------------------------------------


def t(input: Tensor) -> Tensor:
    """A matrix transposed; what has fewer dims as it is.

    Raises:
        RuntimeError: it has more than two dims.
    """
    ndim = current(tensor_given("t", input)).array.ndim
    if ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {ndim}D")
    return view(T_OP, input)


def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Two dims exchanged."""
    ndim = current(tensor_given("transpose", input)).array.ndim
    return view(TRANSPOSE, input, dim0=dim_within(dim0, ndim), dim1=dim_within(dim1, ndim))


def permute(input: Tensor, *dims: Any, **named: Any) -> Tensor:
    """The dims in another order.

    Raises:
        RuntimeError: not every dim stands there once.
    """
    ndim = current(tensor_given("permute", input)).array.ndim
    given = sizes_of(dims or (named["dims"],), "permute", "dims")
    if len(given) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(given)}"
        )
    order = tuple([dim_within(dim, ndim) for dim in given])
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return view(PERMUTE, input, dims=order)


def movedim(input: Tensor, source: Any, destination: Any) -> Tensor:
    """Dims moved to other positions; the others keep their order."""
    ndim = current(tensor_given("movedim", input)).array.ndim
    wanted = [dims_within((x,) if isinstance(x, int) else x, ndim) for x in (source, destination)]
    order = [i for i in range(ndim) if i not in wanted[0]]
    for to, dim in sorted(zip(wanted[1], wanted[0], strict=True)):
        order.insert(to, dim)
    return permute(input, tuple(order))


def reverse_dims(self: Tensor) -> Tensor:
    """`x.T`: the dims in reverse order."""
    ndim = current(self).array.ndim
    if ndim != 2:
        warn(T_OF_OTHERS)
    return view(PERMUTE, self, dims=tuple(range(ndim))[::-1])


def transpose_matrices(self: Tensor) -> Tensor:
    """`x.mT`: the last two dims exchanged.

    Raises:
        RuntimeError: it has fewer than two dims.
    """
    ndim = current(self).array.ndim
    if ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {ndim}-D tensor.")
    return transpose(self, -2, -1)


# ---- copies -----------------------------------------------------------------------------------------------------


def expand(self: Tensor, *size: Any, implicit: bool = False) -> Tensor:
    """Dims of size 1 repeated to other sizes, new ones in front; -1 keeps a size.

    Raises:
        RuntimeError: a size other than 1 does not match.
    """
    shape, sizes = _shape(self), sizes_of(size, "expand")
    if len(sizes) < len(shape):
        kind = dtype_of(current(self).array.dtype).type_name
        raise RuntimeError(
            f"expand(torch.{kind}Tensor{{{list(shape)}}}, size={list(sizes)}): the number of sizes provided "
            f"({len(sizes)}) must be greater or equal to the number of dimensions in the tensor ({len(shape)})"
        )
    lead = len(sizes) - len(shape)
    found = []
    for i, size_at in enumerate(sizes):
        if i < lead:
            if size_at < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({size_at}) isn't allowed in a leading, non-existing dimension "
                    f"{i}"
                )
            found.append(size_at)
            continue
        n = shape[i - lead]
        if size_at not in (-1, n) and n != 1:
            raise RuntimeError(
                f"The expanded size of the tensor ({size_at}) must match the existing size ({n}) at non-singleton "
                f"dimension {i}.  Target sizes: {list(sizes)}.  Tensor sizes: {list(shape)}"
            )
        found.append(n if size_at == -1 else size_at)
    return view(EXPAND, self, size=tuple(found))


def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """`self.expand(other.shape)`."""
    return expand(self, _shape(other))


def broadcast_to(input: Tensor, size: Any, *more: Any) -> Tensor:
    """`input.expand(size)`."""
    return expand(input, size, *more)


def repeat(self: Tensor, *repeats: Any) -> Tensor:
    """Copies side by side: how many along each dim.

    Raises:
        RuntimeError: fewer numbers than dims.
    """
    counts = sizes_of(repeats, "repeat", "repeats")
    if len(counts) < current(self).array.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    return apply(REPEAT, (self,), repeats=counts)


def tile(input: Tensor, *dims: Any, **named: Any) -> Tensor:
    """Copies side by side; dims that are not named are not repeated."""
    counts = sizes_of(dims or (named["dims"],), "tile", "dims")
    ndim = current(tensor_given("tile", input)).array.ndim
    return repeat(input, (*(1,) * (ndim - len(counts)), *counts))


def repeat_interleave(input: Tensor, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Tensor:
    """Each element, or each part along dim, several times in a row."""
    if dim is None:
        input, dim = ravel(input), 0
    dim = dim_within(dim, current(input).array.ndim)
    counts = current(repeats).array if isinstance(repeats, Tensor) else np.asarray(repeats)
    n = _shape(input)[dim]
    index = np.repeat(np.arange(n), np.broadcast_to(counts.reshape(-1) if counts.ndim else counts, (n,)))
    found: Tensor = input.index_select(dim, constant(index))
    return found


def meshgrid(*tensors: Any, indexing: str | None = None) -> tuple[Tensor, ...]:
    """Grids of coordinates from vectors, one grid for each.

    Raises:
        RuntimeError: an indexing other than "ij" and "xy".
    """
    given = _tensors(tensors[0] if len(tensors) == 1 else tensors, "meshgrid")
    if indexing is None:
        warn(INDEXING)
        indexing = "ij"
    if indexing not in ("ij", "xy"):
        raise RuntimeError('torch.meshgrid: indexing must be one of "xy" or "ij", but received: ' + str(indexing))
    if any(len(_shape(x)) > 1 for x in given):
        raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensors")
    swaps = indexing == "xy" and len(given) > 1
    order = [given[1], given[0], *given[2:]] if swaps else given
    shape = tuple([current(x).array.size for x in order])
    grids = []
    for i, x in enumerate(order):
        grids.append(expand(view_of(x, (*(1,) * i, -1, *(1,) * (len(order) - i - 1))), shape))
    if swaps:
        grids[0], grids[1] = grids[1], grids[0]
    return tuple(grids)


def cartesian_prod(*tensors: Tensor) -> Tensor:
    """All combinations of one element of each vector, one combination a row."""
    if len(tensors) == 1:
        return tensors[0]
    return stack([reshape(grid, (-1,)) for grid in meshgrid(*tensors, indexing="ij")], 1)


def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of r elements of a vector, one combination a row."""
    choose = combinations_with_replacement if with_replacement else _combinations
    index = np.array(list(choose(range(_shape(input)[0]), r)), dtype=np.int64).reshape(-1, r)
    found: Tensor = input[constant(index)]
    return found


# ---- together ---------------------------------------------------------------------------------------------------


def _tensors(tensors: Any, function: str) -> list[Tensor]:
    """A list or tuple of tensors.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(tensors, tuple | list):
        raise TypeError(wrong_argument(function, "tensors", 1, tensors, "tuple of Tensors"))
    for i, x in enumerate(tensors):
        if not isinstance(x, Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type_name_of(x)}")
    return list(tensors)


def cat(tensors: Any, dim: int = 0, *, axis: int | None = None) -> Tensor:
    """Tensors one after another along a dim.

    Raises:
        RuntimeError: their other sizes differ.
        ValueError: there are none.
    """
    given = _tensors(tensors, "cat")
    if not given:
        raise ValueError("torch.cat(): expected a non-empty list of Tensors")
    shapes = [_shape(x) for x in given]
    for i, shape in enumerate(shapes):
        if not shape:
            raise RuntimeError(f"zero-dimensional tensor (at position {i}) cannot be concatenated")
    first = next((shape for shape in shapes if shape != NOTHING), shapes[0])
    at_dim = dim_within(dim if axis is None else axis, len(first))
    for i, shape in enumerate(shapes):
        if shape in (first, NOTHING):
            continue
        if len(shape) != len(first):
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}")
        for j, (n, m) in enumerate(zip(first, shape, strict=True)):
            if n != m and j != at_dim:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {at_dim}. Expected size {n} but got size {m} for "
                    f"tensor number {i} in the list."
                )
    return apply(CAT, tuple(given), dim=at_dim)


def stack(tensors: Any, dim: int = 0) -> Tensor:
    """Tensors of one shape along a new dim.

    Raises:
        RuntimeError: their shapes differ, or there are none.
    """
    given = _tensors(tensors, "stack")
    if not given:
        raise RuntimeError("stack expects a non-empty TensorList")
    first = _shape(given[0])
    for i, x in enumerate(given):
        if _shape(x) != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and {list(_shape(x))} "
                f"at entry {i}"
            )
    return apply(STACK, tuple(given), dim=dim_within(dim, len(first) + 1))


def hstack(tensors: Any) -> Tensor:
    """Tensors side by side: along dim 1, vectors along dim 0."""
    given = [atleast_1d(x) for x in _tensors(tensors, "hstack")]
    return cat(given, 0 if given and len(_shape(given[0])) == 1 else 1)


def vstack(tensors: Any) -> Tensor:
    """Tensors below each other: along dim 0, vectors as rows."""
    return cat([atleast_2d(x) for x in _tensors(tensors, "vstack")], 0)


def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: each element of input times all of other."""
    a, b = _shape(input), _shape(other)
    ndim = max(len(a), len(b))
    a, b = (1,) * (ndim - len(a)) + a, (1,) * (ndim - len(b)) + b
    left = reshape(input, [n for size in a for n in (size, 1)])
    right = reshape(other, [n for size in b for n in (1, size)])
    return reshape(e.mul(left, right), [m * n for m, n in zip(a, b, strict=True)])


# ---- apart ------------------------------------------------------------------------------------------------------


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """All parts along a dim, without that dim.

    Raises:
        IndexError: the tensor has no dims, or not that one.
    """
    shape = _shape(tensor_given("unbind", input))
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = dim_within(dim, len(shape))
    return _several(input, UNBIND, "Unbind", [{"dim": dim, "index": i} for i in range(shape[dim])])


def _several(x: Tensor, op: Op, name: str, params: list[dict[str, Any]]) -> tuple[Tensor, ...]:
    found = []
    for i, each in enumerate(params):
        made = view(op, x, **each)
        assert made.extra is not None
        made.extra.refusal = MULTIPLE_VIEWS.format(index=i, name=name)
        found.append(made)
    return tuple(found)


def split(tensor: Tensor, split_size_or_sections: Any = None, dim: int = 0, **named: Any) -> tuple[Tensor, ...]:
    """Parts along a dim: of one size (the last may be smaller), or of the sizes of a list.

    Raises:
        RuntimeError: the sizes do not sum to that of the dim.
    """
    given = named.get("split_size", split_size_or_sections)
    shape = _shape(tensor_given("split", tensor))
    dim = dim_within(dim, len(shape))
    n = shape[dim]
    if not isinstance(given, tuple | list):
        size = operator.index(given)
        if size < 1 and n:
            raise RuntimeError(f"split expects a split_size above 0, but got split_size={size}")
        starts = list(range(0, n, size)) if n else [0]
        parts = [(start, min(start + size, n)) for start in starts]
        return _several(tensor, SPLIT, "Split", [_part_params(dim, part, i) for i, part in enumerate(parts)])
    sizes = [operator.index(size) for size in given]
    if sum(sizes) != n:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {n} (input tensor's size at dimension {dim}), but "
            f"got split_sizes={sizes}"
        )
    ends = np.cumsum([0, *sizes]).tolist()
    parts = list(pairwise(ends))
    return _several(tensor, SPLIT_SIZES, "SplitWithSizes", [_part_params(dim, p, i) for i, p in enumerate(parts)])


def _part_params(dim: int, part: tuple[int, int], index: int) -> dict[str, Any]:
    return {"dim": dim, "start": part[0], "end": part[1], "index": index}


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """A number of parts of one size along a dim; the last may be smaller.

    Raises:
        RuntimeError: the number is not above 0.
    """
    if chunks < 1:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    shape = _shape(tensor_given("chunk", input))
    n = shape[dim_within(dim, len(shape))]
    return split(input, max(-(-n // chunks), 1), dim)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """A number of parts along a dim, from a start on.

    Raises:
        RuntimeError: there are not as many.
    """
    shape = _shape(tensor_given("narrow", input))
    dim, start = dim_within(dim, len(shape)), operator.index(start)
    n = shape[dim]
    start += n if start < 0 else 0
    if start < 0 or length < 0 or start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return view(SLICE, input, dim=dim, start=start, end=start + length, step=1)


def select(input: Tensor, dim: int, index: Any) -> Tensor:
    """The part at an index of a dim, without that dim.

    Raises:
        IndexError: out of range.
    """
    shape = _shape(tensor_given("select", input))
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = dim_within(dim, len(shape)), operator.index(index)
    if not -shape[dim] <= index < shape[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}")
    return view(SELECT, input, dim=dim, index=index % shape[dim])


def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of a size along a dim, a step apart, in a new last dim.

    Raises:
        RuntimeError: a window is larger than the dim.
    """
    shape = _shape(self)
    dimension = dim_within(dimension, len(shape))
    n = shape[dimension] if shape else 1
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {dimension} is {n} but size is {size}")
    if step < 1:
        raise RuntimeError(f"step is {step} but must be > 0")
    return view(UNFOLD, self, dimension=dimension, size=size, step=step)


# ---- moved ------------------------------------------------------------------------------------------------------


def flip(input: Tensor, *dims: Any, **named: Any) -> Tensor:
    """Backwards along dims."""
    given = sizes_of(dims or (named["dims"],), "flip", "dims")
    return apply(FLIP, (input,), dims=dims_within(given, current(tensor_given("flip", input)).array.ndim))


def roll(input: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    """Moved on along dims, what falls off the end coming in at the front.

    Raises:
        RuntimeError: not as many shifts as dims.
    """
    by = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if dims is None:
        if len(by) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:0")
        return apply(ROLL, (tensor_given("roll", input),), shifts=by, dims=None)
    ndim = current(tensor_given("roll", input)).array.ndim
    over = tuple([dim_within(dim, ndim) for dim in ((dims,) if isinstance(dims, int) else dims)])
    if len(by) != len(over):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(by)}, dims:{len(over)}")
    return apply(ROLL, (input,), shifts=by, dims=over)


def tril(input: Tensor, diagonal: int = 0) -> Tensor:
    """The lower triangle of matrices; 0 above the diagonal.

    Raises:
        RuntimeError: fewer than two dims.
    """
    if current(tensor_given("tril", input)).array.ndim < 2:
        raise RuntimeError("tril: input tensor must have at least 2 dimensions")
    return apply(TRIL, (input,), diagonal=diagonal)


def triu(input: Tensor, diagonal: int = 0) -> Tensor:
    """The upper triangle of matrices; 0 below the diagonal.

    Raises:
        RuntimeError: fewer than two dims.
    """
    if current(tensor_given("triu", input)).array.ndim < 2:
        raise RuntimeError("triu: input tensor must have at least 2 dimensions")
    return apply(TRIU, (input,), diagonal=diagonal)


# ---- diagonals --------------------------------------------------------------------------------------------------


def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """The diagonal of two dims, as the last dim.

    Raises:
        RuntimeError: both dims are the same.
    """
    ndim = current(tensor_given("diagonal", input)).array.ndim
    first, second = dim_within(dim1, ndim), dim_within(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return view(DIAGONAL, input, offset=offset, dim1=first, dim2=second)


def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """The diagonal of a matrix as a vector, or a vector as the diagonal of a matrix.

    Raises:
        RuntimeError: neither a vector nor a matrix.
    """
    ndim = current(tensor_given("diag", input)).array.ndim
    if ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {ndim}D")
    if ndim == 1:
        return apply(DIAG_EMBED, (input,), offset=diagonal, dim1=0, dim2=1)
    return apply(DIAGONAL_COPY, (input,), offset=diagonal, dim1=0, dim2=1)


def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """The last dim as the diagonal of two dims, 0 elsewhere."""
    ndim = current(tensor_given("diag_embed", input)).array.ndim + 1
    first, second = dim_within(dim1, ndim), dim_within(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return apply(DIAG_EMBED, (input,), offset=offset, dim1=first, dim2=second)


NODES_IN_PLACE = {
    "TransposeBackward0": "TransposeBackward1", "TBackward0": "TBackward1", "SqueezeBackward0": "SqueezeBackward3",
    "SqueezeBackward1": "SqueezeBackward4", "UnsqueezeBackward0": "UnsqueezeBackward1",
}  # fmt: skip
"""PyTorch's names of nodes, and those of the same ops in place."""


@cache
def _op_in_place(op: Op) -> Op:
    return replace(op, node=NODES_IN_PLACE[op.node_name])


def _in_place(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """The op in place for one that gives a view of another shape: the tensor moves on to the view."""

    def change(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        refuse_write(self)
        made = function(self, *args, **kwargs)
        assert made.extra is not None
        assert self.extra is not None
        self.extra.current, self.extra.path = made, made.extra.path
        self.extra.version, self.extra.seen = made.extra.version, made.extra.seen
        if made.op is not None:
            made.op = _op_in_place(made.op)
        return self

    change.__name__ = change.__qualname__ = f"{function.__name__}_"
    change.__doc__ = f"`{function.__name__}` in place."
    return change


FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        broadcast_to, chunk, diag, diag_embed, diagonal, flatten, flip, kron, movedim, narrow, permute, ravel,
        repeat_interleave, reshape, roll, select, split, squeeze, t, tile, transpose, tril, triu, unbind, unflatten,
        unsqueeze,
    )
}  # fmt: skip
"""What is a function of torch and a method of tensors alike."""
NAMESPACE: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (atleast_1d, atleast_2d, cartesian_prod, cat, combinations, hstack, meshgrid, stack, vstack)
} | {"concat": cat, "concatenate": cat}
"""What is a function of torch but no method of tensors."""
METHODS: dict[str, Any] = {
    "view": view_of, "view_as": view_as, "expand": expand, "expand_as": expand_as, "repeat": repeat, "unfold": unfold,
    "contiguous": contiguous, "is_contiguous": is_contiguous, "T": property(reverse_dims),
    "mT": property(transpose_matrices),
    **{f"{each.__name__}_": _in_place(each) for each in (squeeze, t, transpose, unsqueeze)},
}  # fmt: skip
"""What is a method of tensors but no function of torch."""
SECOND_NAMES = {"swapaxes": "transpose", "moveaxis": "movedim"}
"""Second names of the functions."""
IN_PLACE = "tril triu"
"""What is also done in place and keeps the shape, under the name with an underscore."""
