"""Parts of tensors by index: `x[...]` and `x[...] = v`, and the functions that take, put and look up by index.

An index is taken apart as PyTorch does it: whole numbers, slices and None are views, one after the other (ops "select",
"slice", "unsqueeze"), and what then remains of index tensors and masks is one op "index", which copies.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradviz.engine.apply import apply, view
from gradviz.engine.dtypes import dtype_of, type_name_of
from gradviz.engine.errors import Beyond
from gradviz.engine.functions import elementwise as e
from gradviz.engine.functions import shape as s
from gradviz.engine.functions.dims import dim_within
from gradviz.engine.operands import array_of, broadcast_text, tensor_given
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.engine.views import count_write, refuse_mixture, refuse_write, write
from gradviz.ops.indexing import (
    FILL_DIAGONAL,
    GATHER,
    INDEX,
    INDEX_ADD,
    INDEX_PUT,
    INDEX_SELECT,
    MASKED_FILL,
    MASKED_FILL_TENSOR,
    MASKED_SELECT,
    PUT_INTO,
    SCATTER,
    SCATTER_ADD,
    SCATTER_VALUE,
)
from gradviz.ops.op import Op
from gradviz.ops.promotion import cast
from gradviz.ops.shape import ALIAS, EXPAND, SELECT, SLICE, UNFOLD, UNSQUEEZE

WHICH = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got {kind})"
NUMBERLESS = (
    "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a 0-dim "
    "tensor to a number"
)
REPEATED = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)

ALL = slice(None)


# ---- x[...] -----------------------------------------------------------------------------------------------------


class Steps(NamedTuple):
    """An index taken apart.

    Attributes:
        views: what is done first, one after the other: (op, params) of select, slice and unsqueeze.
        arrays: what remains then, an index tuple of arrays and full slices; () where nothing does.
    """

    views: list[tuple[Op, dict[str, Any]]]
    arrays: tuple[Any, ...]


def get_item(self: Tensor, index: Any) -> Tensor:
    """`x[index]`.

    Raises:
        IndexError: out of bounds, too many indices, or of a kind that is no index.
    """
    kind = type(index)
    if kind is int:
        shape = (self if self.extra is None else current(self)).array.shape
        if shape:
            n = shape[0]
            if not -n <= index < n:
                raise IndexError(f"index {index} is out of bounds for dimension 0 with size {n}")
            return view(SELECT, self, dim=0, index=index if index >= 0 else index + n)
    steps = steps_of(index, current(self).array.shape, keeps_full=kind is slice)
    found = self
    for op, params in steps.views:
        found = view(op, found, **params)
    if steps.arrays:
        return apply(INDEX, (found,), index=steps.arrays)
    return view(ALIAS, self) if found is self else found


def steps_of(index: Any, shape: tuple[int, ...], *, keeps_full: bool = False) -> Steps:
    """Take an index of a tensor of a shape apart; `keeps_full` for a slice of everything, which is a step as well.

    Raises:
        IndexError: out of bounds, too many indices, or of a kind that is no index.
        ValueError: a slice that runs backwards.
    """
    parts = _spelled_out([_part(part) for part in _parts(index)], shape)
    views: list[tuple[Op, dict[str, Any]]] = []
    arrays: list[Any] = []
    given, dim = 0, 0  # the dim of the tensor as given, and of what the views made of it so far
    for each in parts:
        part = each
        if part is None:
            views.append((UNSQUEEZE, {"dim": dim}))
            dim += 1
        elif isinstance(part, slice):
            n = shape[given]
            start, end, step = _bounds(part, n)
            if keeps_full or (start, end, step) != (0, n, 1):
                views.append((SLICE, {"dim": dim, "start": start, "end": end, "step": step}))
            given, dim = given + 1, dim + 1
        elif isinstance(part, int):
            n = shape[given]
            if not -n <= part < n:
                raise IndexError(f"index {part} is out of bounds for dimension {given} with size {n}")
            views.append((SELECT, {"dim": dim, "index": part % n}))
            given += 1
        else:
            if part.dtype == bool and not part.ndim:
                views.append((UNSQUEEZE, {"dim": dim}))
                part, wide = part.reshape(1), 0
            else:
                wide = part.ndim if part.dtype == bool else 1
                _check_array(part, given, shape)
            arrays += [ALL] * (dim - len(arrays)) + [part]
            arrays += [None] * ((wide or 1) - 1)  # a mask stands for several dims; see _without_gaps
            given, dim = given + wide, dim + (wide or 1)
    return Steps(views, _without_gaps(arrays))


def _without_gaps(arrays: list[Any]) -> tuple[Any, ...]:
    found = [part for part in arrays if part is not None]
    kinds = [part for part in found if isinstance(part, np.ndarray)]
    if len(kinds) > 1:
        found = [each for part in found for each in _numbers(part)]
        try:
            np.broadcast_shapes(*[part.shape for part in found if isinstance(part, np.ndarray)])
        except ValueError:
            shapes = ", ".join(str(list(part.shape)) for part in found if isinstance(part, np.ndarray))
            raise IndexError(
                f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}"
            ) from None
    return tuple(found)


def _numbers(part: Any) -> tuple[Any, ...]:
    return np.nonzero(part) if isinstance(part, np.ndarray) and part.dtype == bool else (part,)


def _parts(index: Any) -> Sequence[Any]:
    """The parts of an index: of a tuple, or of a list that holds something else than numbers."""
    if isinstance(index, tuple):
        return index
    if isinstance(index, list) and any(
        part is None or part is ... or isinstance(part, Tensor | list | tuple | slice | np.ndarray) for part in index
    ):
        return index
    return (index,)


def _part(part: Any) -> Any:
    """One part of an index: a whole number, a slice, None, an ellipsis or an array.

    Raises:
        IndexError: none of these.
    """
    if part is None or part is ... or isinstance(part, slice):
        return part
    if isinstance(part, bool | np.bool_):
        return np.array(part)
    if isinstance(part, int | np.integer):
        return int(part)
    if isinstance(part, Tensor):
        array = current(part).array
        if array.dtype.kind == "f":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        if array.dtype == np.uint8:
            array = array.astype(bool)
        return int(array) if not array.ndim and array.dtype != bool else np.asarray(array)
    if isinstance(part, list | tuple | range | np.ndarray):
        array = np.asarray([array_of(x) for x in part] if not isinstance(part, np.ndarray) else part)
        if not array.size and array.dtype != bool:
            array = array.astype(np.int64)
        if array.dtype.kind not in "iub":
            raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
        return array if array.ndim or array.dtype == bool else int(array)
    if hasattr(part, "__index__"):
        return operator.index(part)
    raise IndexError(WHICH.format(kind=type_name_of(part)))


def _spelled_out(parts: list[Any], shape: tuple[int, ...]) -> list[Any]:
    """The parts with full slices in place of the ellipsis.

    Raises:
        IndexError: they name more dims than there are.
    """
    used = sum([_dims_named(part) for part in parts])
    if used > len(shape):
        if not shape:
            raise IndexError(NUMBERLESS if isinstance(parts[0], int) else "too many indices for tensor of dimension 0")
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    gaps = [i for i, part in enumerate(parts) if part is ...]
    if not gaps:
        return parts
    fill = [ALL] * (len(shape) - used)
    return [each for i, part in enumerate(parts) for each in (fill if i == gaps[0] else [] if part is ... else [part])]


def _dims_named(part: Any) -> int:
    if part is None or part is ...:
        return 0
    return part.ndim if isinstance(part, np.ndarray) and part.dtype == bool else 1


def _bounds(part: slice, n: int) -> tuple[int, int, int]:
    step = 1 if part.step is None else operator.index(part.step)
    if step < 1:
        raise ValueError("step must be greater than zero")
    start, end, step = part.indices(n)
    return start, max(start, end), step


def _check_array(part: Any, dim: int, shape: tuple[int, ...]) -> None:
    """Raise if a mask has another shape than what it stands for, or an index is out of bounds."""
    if part.dtype == bool:
        if part.shape != shape[dim : dim + part.ndim]:
            raise IndexError(
                f"The shape of the mask {list(part.shape)} at index {dim} does not match the shape of the indexed "
                f"tensor {list(shape)} at index {dim}"
            )
        return
    wrong = out_of_bounds(part, shape[dim])
    if wrong is not None:
        raise IndexError(f"index {wrong} is out of bounds for dimension {dim} with size {shape[dim]}")


def out_of_bounds(index: Any, n: int, *, least: int | None = None) -> int | None:
    """The first index that is not from -n (or `least`) to n − 1; None where all are."""
    if not index.size:
        return None
    low = -n if least is None else least
    if index.min() >= low and index.max() < n:
        return None
    return int(index[(index < low) | (index >= n)].flat[0])


# ---- x[...] = v -------------------------------------------------------------------------------------------------


def set_item(self: Tensor, index: Any, value: Any) -> None:
    """`x[index] = value`.

    Raises:
        IndexError: as `x[index]`.
        TypeError: the value is neither a number nor a tensor.
        RuntimeError: its shape does not fit, or x must not be changed in place.
    """
    now = current(self)
    if not isinstance(value, Tensor | float | int | np.generic):
        kind = dtype_of(now.array.dtype).type_name
        raise TypeError(f"can't assign a {type_name_of(value)} to a torch.{kind}Tensor")
    steps = steps_of(index, now.array.shape)
    is_recorded = state.grad_enabled and (now.tracked or (isinstance(value, Tensor) and current(value).tracked))
    repeats = self.extra is not None and any(op is EXPAND or op is UNFOLD for op, _ in self.extra.path)
    is_own = isinstance(value, Tensor) and value.extra is not None and self.extra is not None
    shares = is_own and value.extra.memory is self.extra.memory and self.extra.memory is not None  # type: ignore[union-attr]
    if not is_recorded and not repeats and not shares:
        write(self, constant(_assigned(now.array, steps, value)))
        return
    target = self
    if steps.views and not steps.arrays and not now.tracked:
        refuse_write(self)
    for op, params in steps.views:
        target = view(op, target, **params)
    if repeats and _shows_twice(target):
        raise RuntimeError(REPEATED)
    if target is not self and isinstance(value, Tensor) and _shows_same(target, value):
        count_write(target)  # x[0] += 1: the part was changed in place already
        return
    if shares and not steps.arrays:
        refuse_mixture(target, (value,))
    if steps.arrays:
        refuse_write(target)
        values = _as_values(value, now)
        if values.array.dtype != now.array.dtype:
            raise RuntimeError(
                "Index put requires the source and destination dtypes match, got "
                f"{dtype_of(now.array.dtype).type_name} for the destination and "
                f"{dtype_of(values.array.dtype).type_name} for the source."
            )
        _check_values(current(target).array, steps.arrays, values.array.shape)
        write(target, apply(INDEX_PUT, (target, values), index=steps.arrays, accumulate=False))
        return
    write(target, _fitted(value, target))


def _shows_twice(target: Tensor) -> bool:
    """Whether a view shows an element of its memory several times."""
    extra = target.extra
    assert extra is not None
    assert extra.memory is not None
    shape = extra.memory.entry.array.shape
    positions: Any = np.arange(int(np.prod(shape))).reshape(shape)
    for op, params in extra.path:
        positions = op.forward(positions, **params)
    return np.unique(positions).size < np.size(positions)


def _shows_same(target: Tensor, value: Tensor) -> bool:
    a, b = target.extra, value.extra
    return a is not None and b is not None and a.memory is b.memory and a.path == b.path and not b.is_detached


def _as_values(value: Any, like: Tensor) -> Tensor:
    return current(value) if isinstance(value, Tensor) else constant(like.array.dtype.type(value))


def _assigned(array: Any, steps: Steps, value: Any) -> Any:
    """A copy of an array with a value put at an index."""
    out = np.array(array)
    part = out
    for op, params in steps.views:
        part = op.forward(part, **params)
    given = current(value).array if isinstance(value, Tensor) else value
    if steps.arrays:
        _check_values(part, steps.arrays, np.shape(given))
        part[steps.arrays] = given
        return out
    try:
        part[...] = given
    except ValueError:
        shape = given.shape
        while len(shape) > part.ndim and shape[0] == 1:
            shape = shape[1:]
        s.expand(constant(np.empty(shape, out.dtype)), part.shape)
        raise
    return out[()] if not out.ndim else out


def _check_values(part: Any, arrays: tuple[Any, ...], shape: tuple[int, ...]) -> None:
    if not shape:
        return
    wanted = np.broadcast_to(np.empty((), np.bool_), part.shape)[arrays].shape
    fits = all(n in (1, m) for n, m in zip(reversed(shape), reversed(wanted), strict=False))
    if not fits or any(n != 1 for n in shape[: max(len(shape) - len(wanted), 0)]):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(shape)} cannot be broadcast to indexing result of shape "
            f"{list(wanted)}"
        )


def _fitted(value: Any, target: Tensor) -> Tensor:
    """What is written to a part: in its dtype and shape."""
    array = current(target).array
    if not isinstance(value, Tensor):
        return constant(np.full(array.shape, value, dtype=array.dtype)[()])
    value = e.convert(value, dtype_of(array.dtype))
    shape = current(value).array.shape
    while len(shape) > array.ndim and shape[0] == 1:
        value, shape = s.squeeze(value, 0), shape[1:]
    if shape != array.shape:
        return s.expand(value, array.shape)
    return current(value) if target.extra is not None and target.extra.path else e.clone(value)


# ---- looked up --------------------------------------------------------------------------------------------------


def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """The elements whose position along dim an index tensor says, for each of its own positions.

    Raises:
        RuntimeError: the index has other dims, is larger, is not of whole numbers, or is out of bounds.
    """
    dim, _ = _check_index("gather", input, dim, index)
    return apply(GATHER, (input, index), dim=dim)


def _check_index(function: str, x: Tensor, dim: int, index: Tensor) -> tuple[int, Any]:
    """A dim counted from the front, and the index array, of gather or scatter."""
    shape = current(tensor_given(function, x)).array.shape
    dim = dim_within(dim, len(shape))
    places = current(tensor_given(function, index, "index", 3)).array
    if places.dtype.kind not in "iu":
        raise RuntimeError(f"{function}(): Expected dtype int32/int64 for index")
    if places.ndim != len(shape) and places.size and shape:
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    for i, (n, m) in enumerate(zip(places.shape, shape, strict=False)):
        if i != dim and n > m and places.size:
            raise RuntimeError(
                f"Size does not match at dimension {i} expected index {list(places.shape)} to be no larger than self "
                f"{list(shape)} apart from dimension {dim}"
            )
    wrong = out_of_bounds(places, shape[dim] if shape else 1, least=0)
    if wrong is not None:
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {shape[dim] if shape else 1}")
    return dim, places


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    """The elements whose position along dim an index tensor says; both are broadcast on the other dims."""
    if dim is None:
        return gather(s.ravel(input), 0, s.ravel(indices))
    shape, places = current(input).array.shape, current(indices).array.shape
    dim = dim_within(dim, len(shape))
    others = np.broadcast_shapes(*[(*each[:dim], 1, *each[dim + 1 :]) for each in (shape, places)])
    found, index = (
        x if each == (wide := (*others[:dim], each[dim], *others[dim + 1 :])) else s.expand(x, wide)
        for x, each in ((input, shape), (indices, places))
    )
    return gather(found, dim, index)


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    """The parts along a dim that a vector of whole numbers names.

    Raises:
        IndexError: out of range, or no vector.
    """
    shape = current(tensor_given("index_select", input)).array.shape
    dim = dim_within(dim, len(shape))
    places = current(tensor_given("index_select", index, "index", 3)).array
    if places.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if places.dtype.kind not in "iu":
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if out_of_bounds(places, shape[dim] if shape else 1, least=0) is not None:
        raise IndexError("index out of range in self")
    return apply(INDEX_SELECT, (input, constant(places.reshape(-1))), dim=dim)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where a mask holds, as a vector."""
    _check_mask("masked_select", input, mask)
    return apply(MASKED_SELECT, (input, mask))


def _check_mask(function: str, x: Tensor, mask: Tensor) -> None:
    holds = current(tensor_given(function, mask, "mask", 2)).array
    if holds.dtype != bool:
        kind = {"int64": "long int", "float32": "float", "float64": "double"}.get(holds.dtype.name, holds.dtype.name)
        if function == "masked_select":
            raise RuntimeError("masked_select: expected BoolTensor for mask")
        raise RuntimeError(f"{function}_ only supports boolean masks, but got mask with dtype {kind}")
    shape = current(tensor_given(function, x)).array.shape
    try:
        np.broadcast_shapes(holds.shape, shape)
    except ValueError:
        raise RuntimeError(broadcast_text(holds.shape, shape)) from None


# ---- put --------------------------------------------------------------------------------------------------------


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """A number, or a tensor of no dims, where a mask holds; else the tensor.

    Raises:
        RuntimeError: the mask is not of bools or does not broadcast, or the value has dims.
    """
    _check_mask("masked_fill", input, mask)
    if isinstance(value, Tensor):
        if current(value).array.ndim:
            raise RuntimeError(
                "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{current(value).array.ndim} dimension(s)."
            )
        return apply(MASKED_FILL_TENSOR, (input, mask, value))
    return apply(MASKED_FILL, (input, mask), value=value)


def fill_diagonal_(self: Tensor, fill_value: float) -> Tensor:
    """Write a number along the diagonal of a matrix.

    Raises:
        RuntimeError: it has fewer than two dims.
    """
    array = current(self).array
    if array.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if array.ndim > 2:
        raise Beyond("fill_diagonal_ of more than two dims")
    refuse_write(self)
    mask = constant(np.eye(*array.shape, dtype=np.bool_))
    return write(self, apply(FILL_DIAGONAL, (self, mask), value=fill_value))


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: str | None = None
) -> Tensor:
    """The tensor with values put where an index tensor says, along dim.

    Raises:
        RuntimeError: as `gather`, or src has another dtype.
    """
    dim, _ = _check_index("scatter", input, dim, index)
    given = value if src is None else src
    if reduce == "add":
        return scatter_add(input, dim, index, given if isinstance(given, Tensor) else _full(index, given, input))
    if reduce is not None:
        raise Beyond(f"scatter with reduce={reduce!r}")
    if not isinstance(given, Tensor):
        return apply(SCATTER_VALUE, (input, index), dim=dim, value=given)
    _check_source("scatter", input, given)
    return apply(SCATTER, (input, index, given), dim=dim)


def _full(index: Tensor, value: float, like: Tensor) -> Tensor:
    return constant(np.full(current(index).array.shape, value, current(like).array.dtype))


def _check_source(function: str, x: Tensor, source: Tensor) -> None:
    if current(x).array.dtype != current(tensor_given(function, source, "src", 4)).array.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """The tensor with values added where an index tensor says, along dim; what repeats adds up."""
    dim, _ = _check_index("scatter_add", input, dim, index)
    _check_source("scatter_add", input, src)
    return apply(SCATTER_ADD, (input, index, src), dim=dim)


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    """The tensor with parts of a source added where a vector says, along dim.

    Raises:
        RuntimeError: the vector names what is not there.
    """
    shape = current(tensor_given("index_add", input)).array.shape
    dim = dim_within(dim, len(shape))
    numbers = current(tensor_given("index_add", index, "index", 3)).array
    if (wrong := out_of_bounds(numbers, shape[dim], least=0)) is not None:
        raise RuntimeError(f"index {wrong} is out of bounds for dimension {dim} with size {shape[dim]}")
    return apply(INDEX_ADD, (input, index, source), dim=dim, alpha=alpha)


def put_into(self: Tensor, shape: tuple[int, ...], index: Any) -> Tensor:
    """Zeros of a shape with this tensor added at an index; what rules send back from a part."""
    return apply(PUT_INTO, (self,), shape=shape, index=index)


# ---- without a gradient -----------------------------------------------------------------------------------------


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    """The indices of what is not 0: one row for each element, or one vector for each dim."""
    array = np.asarray(current(tensor_given("nonzero", input)).array)
    found = np.nonzero(array) if array.ndim else (np.nonzero(array.reshape(1))[0],)
    if as_tuple:
        return tuple([constant(index) for index in found])
    return constant(np.stack(found, 1)[:, : array.ndim])


def bucketize(input: Any, boundaries: Tensor, *, right: bool = False) -> Tensor:
    """Between which boundaries values stand."""
    edges, values = current(tensor_given("bucketize", boundaries, "boundaries", 2)).array, np.asarray(array_of(input))
    return constant(np.asarray(np.searchsorted(edges, values, "right" if right else "left"), np.int64)[()])


def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """How often each number from 0 on stands in a vector of whole numbers, or the sum of their weights.

    Raises:
        RuntimeError: no vector of whole numbers from 0 on.
    """
    array = current(tensor_given("bincount", input)).array
    if array.ndim != 1 or array.dtype.kind == "f" or (array.size and array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return constant(np.bincount(array, minlength=minlength))
    given = current(weights).array
    found = np.bincount(array, given, minlength)
    return constant(cast(found, given.dtype if given.dtype == np.float32 else np.dtype(np.float64)))


def unique(
    input: Tensor, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False,
    dim: int | None = None,
) -> Any:  # fmt: skip
    """The different elements in order, or the different parts along dim; on request where they stood and how often."""
    array = current(tensor_given("unique", input)).array
    if dim is None:
        array, axis = np.asarray(array).reshape(-1), None
    else:
        axis = dim_within(dim, array.ndim)
    found, inverse, counts = np.unique(array, return_inverse=True, return_counts=True, axis=axis)
    shape = current(input).array.shape if dim is None else (-1,)
    return _results(found, inverse.reshape(shape), counts, return_inverse, return_counts)


def _results(found: Any, inverse: Any, counts: Any, with_inverse: bool, with_counts: bool) -> Any:
    results = [constant(found)]
    if with_inverse:
        results.append(constant(np.asarray(inverse)[()]))
    if with_counts:
        results.append(constant(counts))
    return results[0] if len(results) == 1 else tuple(results)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    each.__name__: each
    for each in (
        bincount, gather, index_add, index_select, masked_fill, masked_select, nonzero, scatter, scatter_add,
        take_along_dim, unique,
    )
}  # fmt: skip
"""What is a function of torch and a method of tensors alike."""
NAMESPACE: dict[str, Callable[..., Any]] = {"bucketize": bucketize}
"""What is a function of torch but no method of tensors."""
METHODS: dict[str, Any] = {
    "__getitem__": get_item, "__setitem__": set_item, "put_into": put_into, "fill_diagonal_": fill_diagonal_,
}  # fmt: skip
"""What is a method of tensors but no function of torch."""
IN_PLACE = "index_add masked_fill scatter scatter_add"
"""What is also done in place, under the name with an underscore."""
