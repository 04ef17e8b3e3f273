"""Functions that read or write at places given by an array: gather, index_fill, masks, embedding."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import DType, c_name, class_of, type_name
from gradviz.imitation.engine.functions.arguments import need, node_has_sizes, refuse_mapped
from gradviz.imitation.engine.functions.places.scattering import refuse_beyond, scatter_places
from gradviz.imitation.engine.functions.places.slabs import index_add, index_copy, index_places
from gradviz.imitation.engine.functions.shapes.shaping import expand, reshape
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.indexing.errors import not_one, refuse_places, refuse_selected, refuse_value, too_far
from gradviz.imitation.engine.indexing.reading import keep_places, spelled_out
from gradviz.imitation.engine.indexing.writing import is_one_mask
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.memory.refused_writes import no_places, other_source
from gradviz.imitation.engine.shape_errors import fit_together, raise_shape_error
from gradviz.imitation.engine.shapes import broadcasts, one_dim
from gradviz.imitation.engine.tensor import Tensor, apply, constant
from gradviz.errors import TorchError


def gather(input: Tensor, dim: int, index: Tensor, **_: Any) -> Tensor:
    x = need("gather", input)
    axis, places = scatter_places("gather", x, dim, index)
    refuse_beyond(x, axis, places)
    return keep(apply(OPS["gather"], (x,), dim=axis, index=places), index=index)


def take_along_dim(input: Tensor, indices: Tensor, dim: int | None = None) -> Tensor:
    x = need("take_along_dim", input)
    if dim is not None and x.ndim != indices.ndim:
        raise TorchError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{x.ndim} dimensions for input, and {indices.ndim} dimensions for indices"
        )
    if dim is None:
        return gather(reshape(x, -1), 0, reshape(indices, -1))
    if indices.dtype != np.int64:
        raise TorchError(f"torch.take_along_dim(): dtype of indices should be Long but got {type_name(indices.dtype)}")
    axis = one_dim(dim, x.ndim)
    sides = [np.broadcast_to(0, tuple(1 if i == axis else n for i, n in enumerate(t.shape))) for t in (x, indices)]
    fit_together(OPS["add"], *sides)
    size = np.broadcast_shapes(*(side.shape for side in sides))
    wide, places = (expand(t, *[t.shape[axis] if i == axis else n for i, n in enumerate(size)]) for t in (x, indices))
    if places.data.size and x.ndim and not x.shape[axis]:
        raise TorchError("ZeroDivisionError")
    wrapped = np.asarray(places.data) % max(x.shape[axis] if x.ndim else 1, 1)  # PyTorch counts on around the dim
    return gather(wide, axis, constant(wrapped, x.tape))


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    x = need("index_select", input)
    axis = one_dim(dim, x.ndim)
    if need("index_select", index, "index", 3).ndim > 1:
        raise TorchError("index_select(): Index is supposed to be a vector", kind="IndexError")
    if not x.ndim and index.data.size != 1:
        raise not_one(index.data.size)
    places = index_places("index_select", index)
    if x.ndim > 1 and not x.shape[axis] and places.size:
        raise TorchError("index_select(): self indexing axis dim should be positive")
    refuse_selected(x.shape, axis, places)
    return keep(apply(OPS["index_select"], (x,), dim=axis, index=places.reshape(-1)), index=index)


def take(input: Tensor, index: Tensor) -> Tensor:
    x = need("take", input)
    if need("take", index, "index", 2).dtype != np.int64:
        raise TorchError(f"take(): Expected a long tensor for index, but got {type_name(index.dtype)}")
    places = np.asarray(index.data)
    if places.size and not x.data.size:
        raise TorchError("take(): tried to take from an empty tensor", kind="IndexError")
    refuse_outside(places, x.data.size)
    return keep(apply(OPS["take"], (x,), index=places % max(x.data.size, 1)), index=index)


def refuse_outside(places: Any, n: int) -> None:
    """Raise where a place does not lie among n elements."""
    bad = places[(places < -n) | (places >= n)]
    if bad.size:
        raise TorchError(
            f"out of range: tried to access index {bad.flat[0]} on a tensor of {n} elements.", kind="IndexError"
        )


# ---- masks ----


def _wide(x: Tensor, mask: Any) -> tuple[int, ...]:
    """What x and the mask broadcast to."""
    try:
        return np.broadcast_shapes(x.shape, mask.shape)
    except ValueError as error:
        raise_shape_error(OPS["add"], mask.data, x.data, error)
        raise


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    x, holds = need("masked_fill", input), need("masked_fill", mask, "mask", 2)
    _wide(x, holds)
    if isinstance(value, Tensor) and value.ndim:
        raise TorchError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    if holds.dtype.kind != "b":
        raise TorchError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {c_name(holds.dtype)}", hint=COMPARE
        )
    if not isinstance(value, Tensor):
        return keep(apply(OPS["masked_fill"], (x,), index=np.asarray(holds.data), value=value), mask=holds)
    return keep(apply(OPS["masked_fill_tensor"], (x, value), index=np.asarray(holds.data)), mask=holds)


COMPARE = "Compare, as in x > 0, or convert with .bool()."


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    x, holds = need("masked_select", input), need("masked_select", mask, "mask", 2)
    if holds.dtype.kind != "b":
        raise TorchError("masked_select: expected BoolTensor for mask", hint=COMPARE)
    wide = _wide(x, holds)
    return keep(apply(OPS["masked_select"], (x,), index=np.broadcast_to(holds.data, wide)), mask=holds)


# ---- written at places ----


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    x = need("index_fill", input)
    if isinstance(value, Tensor) and value.ndim:
        raise TorchError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    places = index_places("index_fill", index)
    axis = one_dim(dim, x.ndim)
    if places.ndim > 1:
        raise TorchError("Index has to be a vector/scalar")
    n = x.shape[axis] if x.ndim else 1
    if not x.data.size and places.size:
        _refuse_filling_nowhere(x, axis, places.size)
        places = np.zeros(0, np.int64)
    bad = places[(places < -n) | (places >= n)]
    if bad.size:
        raise TorchError(f"index {bad.flat[0]} is out of bounds for dimension {axis} with size {n}", kind="IndexError")
    if isinstance(value, Tensor):
        return keep(apply(OPS["index_fill_tensor"], (x, value), dim=axis, index=places), index=index)
    return keep(apply(OPS["index_fill"], (x,), dim=axis, index=places, value=value), index=index)


def _refuse_filling_nowhere(x: Tensor, axis: int, count: int) -> None:
    """Along a dim of no elements PyTorch looks at memory of so many, which is not there."""
    steps = [prod(max(n, 1) for n in x.shape[i + 1 :]) for i in range(x.ndim)]
    steps[axis] = 0
    sizes = [count if i == axis else n for i, n in enumerate(x.shape)]
    if 0 in sizes:
        return
    needed = x.dtype.itemsize * (1 + sum((n - 1) * step for n, step in zip(sizes, steps, strict=True)))
    raise TorchError(
        f"setStorage: sizes {sizes}, strides {steps}, storage offset 0, and itemsize {x.dtype.itemsize} requiring a "
        f"storage size of {needed} are out of bounds for storage of size 0"
    )


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    x = need("index_put", input)
    if len(indices) > x.ndim:
        raise TorchError(f"too many indices for tensor of dimension {x.ndim} (got {len(indices)})", kind="IndexError")
    if any(part.ndim == 0 and not n for n, part in zip(x.shape, indices, strict=False) if isinstance(part, Tensor)):
        raise TorchError("index is out of bounds for dimension with size 0", kind="IndexError")
    places = tuple(spelled_out(x, tuple(indices)))
    refuse_places(x, list(places))
    beyond = None
    try:
        named = np.asarray(x.data)[places].shape
    except IndexError:
        beyond, named = too_far(x, list(places)), values.shape
        refuse_value(values, x, list(places))
    if not broadcasts(values.shape, named):
        raise no_places(values.shape, named)
    if values.dtype != x.dtype and not (values.data.size == 1 and is_one_mask(places)):
        raise other_source(x.dtype, values.dtype)
    if beyond is not None:
        raise beyond
    return keep_places(
        apply(OPS["index_put_add" if accumulate else "index_put"], (x, values), index=places), tuple(indices)
    )


# ---- looked up, counted ----


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False,
    sparse: bool = False,  # noqa: ARG001 - gradients are dense here
) -> Tensor:  # fmt: skip
    """Rows of the weight."""
    w = need("embedding", weight, "weight")  # PyTorch's own embedding has the weight first
    places = need("embedding", input, "indices", 2)
    node_has_sizes(w, 0)
    if w.ndim != 2:
        raise TorchError("'weight' must be 2-D")
    refuse_scalar_types("embedding", "indices", places.dtype, "Long", "Int")
    rows = np.asarray(places.data)
    if ((rows < 0) | (rows >= w.shape[0])).any():
        raise TorchError(
            "index out of range in self", kind="IndexError", hint=f"The weight has {w.shape[0]} rows, from 0."
        )
    if padding_idx is not None and padding_idx < 0:
        padding_idx += w.shape[0]
    if max_norm is not None:
        shorten(w, rows, max_norm, norm_type)
    params = {"index": rows, "padding_idx": padding_idx, "by_frequency": bool(scale_grad_by_freq)}
    return keep(apply(OPS["embedding"], (w,), **params), indices=places)


def refuse_scalar_types(function: str, name: str, dtype: DType, *kinds: str) -> None:
    """Raise for an argument of another dtype than those that a lookup takes."""
    given = type_name(dtype)
    if given not in kinds:
        raise TorchError(
            f"Expected tensor for argument #1 '{name}' to have one of the following scalar types: {', '.join(kinds)}; "
            f"but got {class_of(given)} instead (while checking arguments for {function})"
        )


def shorten(weight: Tensor, rows: Any, most: float, order: float) -> None:
    """Rows longer than allowed are made shorter in the weight itself, as PyTorch does before it looks them up."""
    numbers = np.array(weight.data)
    for row in np.unique(rows):
        size = np.linalg.norm(numbers[row], order)
        if size > most:
            numbers[row] *= weight.dtype.type(most / (float(size) + 1e-7))
    storage.write(weight, numbers)


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    x = need("one_hot", tensor)
    if x.dtype.name != "int64":
        raise TorchError(
            "one_hot is only applicable to index tensor of type LongTensor.", hint="Convert with .long()."
        )  # fmt: skip
    if x.data.size and x.data.min() < 0:
        raise TorchError("Class values must be non-negative.")
    if not x.data.size and num_classes <= 0:
        raise TorchError("Can not infer total number of classes from empty tensor.", hint="Give num_classes.")
    n = int(x.data.max()) + 1 if num_classes == -1 else num_classes
    if x.data.size and x.data.max() >= n:
        raise TorchError("Class values must be smaller than num_classes.")
    return constant((np.asarray(x.data)[..., None] == np.arange(n)).astype(np.int64), x.tape)


def nonzero(input: Tensor, *, as_tuple: bool = False) -> Any:
    x = need("nonzero", input)
    refuse_mapped(x, "nonzero")
    found = np.nonzero(np.atleast_1d(x.data))
    if as_tuple:
        return tuple(constant(places, x.tape) for places in found)
    return constant(np.stack(found, 1)[:, : x.ndim].copy(), x.tape)


def argwhere(input: Tensor) -> Tensor:
    return nonzero(input)  # type: ignore[no-any-return]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        gather, take_along_dim, index_select, take, masked_fill, masked_select, index_add,
        index_copy, index_fill, index_put, nonzero, argwhere,
    )
}  # fmt: skip
METHODS = FUNCTIONS
NEURAL: dict[str, Callable[..., Any]] = {"embedding": embedding, "one_hot": one_hot}
