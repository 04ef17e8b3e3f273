"""Functions that read or write at places given by an array: gather, scatter, masks, embedding."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from gradviz.engine.dtypes import c_name, type_name
from gradviz.engine.functions.arguments import need, refuse_mapped
from gradviz.engine.functions.numbers.paired import underivable
from gradviz.engine.functions.places.slabs import SAME_DTYPE, index_add, index_copy, index_places
from gradviz.engine.functions.shapes.shaping import expand, reshape
from gradviz.engine.generic import OPS
from gradviz.engine.indexing.errors import refuse_places, too_far
from gradviz.engine.indexing.reading import get, spelled_out
from gradviz.engine.indexing.writing import is_one_mask
from gradviz.engine.memory import storage
from gradviz.engine.memory.refused_writes import no_places, other_source
from gradviz.engine.shape_errors import fit_together, raise_shape_error
from gradviz.engine.shapes import broadcasts, one_dim
from gradviz.engine.tensor import Tensor, apply, constant, record
from gradviz.errors import TorchError


def _in_range(index: Any, n: int, dim: int) -> None:
    bad = index[(index < 0) | (index >= n)]
    if bad.size:
        raise TorchError(f"index {bad.flat[0]} is out of bounds for dimension {dim} with size {n}")


def scatter_places(function: str, x: Tensor, dim: int, index: Any, source: Any = None) -> tuple[int, Any]:
    """The dim counted from the front, and the checked index of a gather or scatter; of no places nothing is asked."""
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
        if d != axis and n > m:
            if function != "gather":
                raise _too_large(x, source, places, axis)
            raise TorchError(
                f"Size does not match at dimension {d} expected index {list(places.shape)} to be no larger than "
                f"self {list(x.shape)} apart from dimension {axis}"
            )
    _in_range(places, x.shape[axis] if x.ndim else 1, axis)
    return axis, places


def gather(input: Tensor, dim: int, index: Tensor, **_: Any) -> Tensor:
    x = need("gather", input)
    axis, places = scatter_places("gather", x, dim, index)
    return apply(OPS["gather"], (x,), dim=axis, index=places)


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
    wrapped = np.asarray(places.data) % max(x.shape[axis] if x.ndim else 1, 1)  # PyTorch counts on around the dim
    return gather(wide, axis, constant(wrapped, x.tape))


def index_select(input: Tensor, dim: int, index: Tensor) -> Tensor:
    x = need("index_select", input)
    axis = one_dim(dim, x.ndim)
    if need("index_select", index, "index", 3).ndim > 1:
        raise TorchError("index_select(): Index is supposed to be a vector", kind="IndexError")
    places = index_places("index_select", index)
    if not x.ndim and places.size != 1:
        raise TorchError(f"index_select(): Index to scalar can have only 1 value, got {places.size} value(s)")
    if x.ndim > 1 and not x.shape[axis] and places.size:
        raise TorchError("index_select(): self indexing axis dim should be positive")
    if ((places < 0) | (places >= (x.shape[axis] if x.ndim else 1))).any():
        raise TorchError("index out of range in self", kind="IndexError")
    return apply(OPS["index_select"], (x,), dim=axis, index=places.reshape(-1))


def take(input: Tensor, index: Tensor) -> Tensor:
    x = need("take", input)
    if need("take", index, "index", 2).dtype != np.int64:
        raise TorchError(f"take(): Expected a long tensor for index, but got {type_name(index.dtype)}")
    places = np.asarray(index.data)
    if places.size and not x.data.size:
        raise TorchError("take(): tried to take from an empty tensor", kind="IndexError")
    refuse_outside(places, x.data.size)
    return apply(OPS["take"], (x,), index=places % max(x.data.size, 1))


def refuse_outside(places: Any, n: int) -> None:
    """Raise where a place does not lie among n elements."""
    bad = places[(places < -n) | (places >= n)]
    if bad.size:
        raise TorchError(
            f"out of range: tried to access index {bad.flat[0]} on a tensor of {n} elements.", kind="IndexError"
        )


# ---- masks ----


def _mask(function: str, mask: Any) -> Any:
    given = need(function, mask, "mask", 2)
    if given.dtype.kind != "b":
        raise TorchError(
            "masked_select: expected BoolTensor for mask" if function == "masked_select" else
            f"masked_fill_ only supports boolean masks, but got mask with dtype {c_name(given.dtype)}",
            hint="Compare, as in x > 0, or convert with .bool().",
        )  # fmt: skip
    return np.asarray(given.data)


def _wide(x: Tensor, mask: Any) -> Tensor:
    """x expanded to what it and the mask broadcast to."""
    try:
        size = np.broadcast_shapes(x.shape, mask.shape)
    except ValueError as error:
        raise_shape_error(OPS["add"], mask, x.data, error)
        raise
    return x if x.shape == size else expand(x, *size)


def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    x, holds = need("masked_fill", input), _mask("masked_fill", mask)
    _wide(constant(x.data, x.tape), holds)
    if not isinstance(value, Tensor):
        return apply(OPS["masked_fill"], (x,), index=holds, value=value)
    if value.ndim:
        raise TorchError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    return apply(OPS["masked_fill_tensor"], (x, value), index=holds)


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    x, holds = need("masked_select", input), _mask("masked_select", mask)
    wide = _wide(x, holds)
    return apply(OPS["masked_select"], (wide,), index=np.broadcast_to(holds, wide.shape))


# ---- written at places ----


def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    x = need("scatter", input)
    given = value if src is None else src
    axis, places = scatter_places("scatter", x, dim, index, given)
    if reduce is not None:
        return _scatter_reduced(x, dim, index, given, reduce)
    if not isinstance(given, Tensor):
        return apply(OPS["scatter_value"], (x,), dim=axis, index=places, value=given)
    return apply(OPS["scatter"], (x, source_part(x, given, places, axis)), dim=axis, index=places)


def _scatter_reduced(x: Tensor, dim: int, index: Tensor, given: Any, reduce: Any) -> Tensor:
    """`scatter` with an old reduction: what is scattered is added, or multiplied with what is there."""
    if reduce not in ("add", "multiply"):
        raise TorchError("reduce argument must be either add or multiply.")
    axis, places = scatter_places("scatter", x, dim, index, given)
    if not isinstance(given, Tensor):
        given = constant(np.full(index.shape, given, x.dtype)[()], x.tape)
    source = source_part(x, given, places, axis)
    kind = "sum" if reduce == "add" else "prod"
    value = OPS["scatter_reduce"].forward(x.data, source.data, axis, places, kind, True)
    return record(SCATTER_REDUCED, (x, source), {}, value)


SCATTER_REDUCED = underivable("scatter")


def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    x, given = need("scatter_add", input), need("scatter_add", src, "src", 4)
    axis, places = scatter_places("scatter_add", x, dim, index, given)
    return apply(OPS["scatter_add"], (x, source_part(x, given, places, axis)), dim=axis, index=places)


def refuse_other_dtype(x: Tensor, src: Tensor) -> None:
    """Raise for numbers to scatter of another dtype, of which PyTorch asks first."""
    if src.dtype != x.dtype:
        raise TorchError("scatter(): Expected self.dtype to be equal to src.dtype", hint=SAME_DTYPE)


def _too_large(x: Tensor, src: Any, places: Any, axis: int) -> TorchError:
    beside = f" and to be no larger size than src {list(src.shape)}" if isinstance(src, Tensor) else ""
    return TorchError(
        f"Expected index {list(places.shape)} to be no larger than self {list(x.shape)} apart from dimension "
        f"{axis}{beside}"
    )


def source_part(x: Tensor, src: Tensor, places: Any, axis: int) -> Tensor:
    """The part of src that the index names."""
    if src.ndim != places.ndim or any(n > m for n, m in zip(places.shape, src.shape, strict=True)):
        raise _too_large(x, src, places, axis)
    if src.shape == places.shape:
        return src
    return get(src, tuple(slice(0, n) for n in places.shape))


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    x = need("index_fill", input)
    axis, places = one_dim(dim, x.ndim), index_places("index_fill", index)
    if places.ndim > 1:
        raise TorchError("Index has to be a vector/scalar")
    n = x.shape[axis] if x.ndim else 1
    if not x.data.size and places.size:
        return _filled_nowhere(x, axis, places.size)
    bad = places[(places < -n) | (places >= n)]
    if bad.size:
        raise TorchError(f"index {bad.flat[0]} is out of bounds for dimension {axis} with size {n}", kind="IndexError")
    number = value.data.item() if isinstance(value, Tensor) else value
    return apply(OPS["index_fill"], (x,), dim=axis, index=places, value=number)


def _filled_nowhere(x: Tensor, axis: int, count: int) -> Tensor:
    """What index_fill does along a dim of no elements: PyTorch looks at memory of so many, which is not there."""
    steps = [prod(max(n, 1) for n in x.shape[i + 1 :]) for i in range(x.ndim)]
    steps[axis] = 0
    sizes = [count if i == axis else n for i, n in enumerate(x.shape)]
    if 0 in sizes:
        return apply(OPS["index_fill"], (x,), dim=axis, index=np.zeros(0, np.int64), value=0)
    needed = x.dtype.itemsize * (1 + sum((n - 1) * step for n, step in zip(sizes, steps, strict=True)))
    raise TorchError(
        f"setStorage: sizes {sizes}, strides {steps}, storage offset 0, and itemsize {x.dtype.itemsize} requiring a "
        f"storage size of {needed} are out of bounds for storage of size 0"
    )


def index_put(input: Tensor, indices: Any, values: Tensor, accumulate: bool = False) -> Tensor:
    x = need("index_put", input)
    if len(indices) > x.ndim and not any(isinstance(part, Tensor) and part.dtype.kind == "b" for part in indices):
        raise TorchError(f"too many indices for tensor of dimension {x.ndim} (got {len(indices)})", kind="IndexError")
    places = tuple(spelled_out(x, tuple(indices)))
    refuse_places(x, list(places))
    try:
        named = np.asarray(x.data)[places].shape
    except IndexError:
        raise too_far(x, list(places)) from None
    if not broadcasts(values.shape, named):
        raise no_places(values.shape, named)
    if values.dtype != x.dtype and not (values.data.size == 1 and is_one_mask(places)):
        raise other_source(x.dtype, values.dtype)
    return apply(OPS["index_put_add" if accumulate else "index_put"], (x, values), index=places)


# ---- looked up, counted ----


def embedding(
    input: Tensor, weight: Tensor, padding_idx: int | None = None, max_norm: float | None = None,
    norm_type: float = 2.0, scale_grad_by_freq: bool = False,
    sparse: bool = False,  # noqa: ARG001 - gradients are dense here
) -> Tensor:  # fmt: skip
    """Rows of the weight."""
    w = need("embedding", weight, "weight")  # PyTorch's own embedding has the weight first
    places = need("embedding", input, "indices", 2)
    if w.ndim != 2:
        raise TorchError("'weight' must be 2-D")
    refuse_scalar_types("embedding", "indices", places, "Long", "Int")
    rows = np.asarray(places.data)
    if ((rows < 0) | (rows >= w.shape[0])).any():
        raise TorchError(
            "index out of range in self", kind="IndexError", hint=f"The weight has {w.shape[0]} rows, from 0."
        )
    if padding_idx is not None and padding_idx < 0:
        padding_idx += w.shape[0]
    if max_norm is not None:
        shorten(w, rows, max_norm, norm_type)
    return apply(OPS["embedding"], (w,), index=rows, padding_idx=padding_idx, by_frequency=bool(scale_grad_by_freq))


def refuse_scalar_types(function: str, name: str, x: Tensor, *kinds: str) -> None:
    """Raise for an argument of another dtype than those that a lookup takes."""
    given = type_name(x.dtype)
    if given not in kinds:
        shown = "CPUBoolType" if given == "Bool" else f"torch.{given}Tensor"
        raise TorchError(
            f"Expected tensor for argument #1 '{name}' to have one of the following scalar types: {', '.join(kinds)}; "
            f"but got {shown} instead (while checking arguments for {function})"
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
        gather, take_along_dim, index_select, take, masked_fill, masked_select, scatter, scatter_add, index_add,
        index_copy, index_fill, index_put, nonzero, argwhere,
    )
}  # fmt: skip
METHODS = FUNCTIONS
NEURAL: dict[str, Callable[..., Any]] = {"embedding": embedding, "one_hot": one_hot}
