"""Functions that read or write at places given by an array: gather, scatter, masks, embedding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np

from gradviz.engine import generic as F
from gradviz.engine.dtypes import c_name, type_name
from gradviz.engine.functions.arguments import need, refuse_mapped
from gradviz.engine.functions.numbers.paired import underivable
from gradviz.engine.functions.places.slabs import SAME_DTYPE, index_add, index_copy, index_places
from gradviz.engine.functions.shapes.shaping import expand, reshape
from gradviz.engine.generic import OPS, plain
from gradviz.engine.indexing.errors import not_one, refuse_places, refuse_selected, refuse_value, too_far
from gradviz.engine.indexing.reading import spelled_out
from gradviz.engine.indexing.writing import is_one_mask
from gradviz.engine.memory import storage
from gradviz.engine.memory.refused_writes import no_places, other_source
from gradviz.engine.shape_errors import fit_together, raise_shape_error
from gradviz.engine.shapes import broadcasts, one_dim
from gradviz.engine.tensor import Tensor, apply, constant, record
from gradviz.engine.warn import warn
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


def gather(input: Tensor, dim: int, index: Tensor, **_: Any) -> Tensor:
    x = need("gather", input)
    axis, places = scatter_places("gather", x, dim, index)
    refuse_beyond(x, axis, places)
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
        return apply(OPS["masked_fill"], (x,), index=np.asarray(holds.data), value=value)
    return apply(OPS["masked_fill_tensor"], (x, value), index=np.asarray(holds.data))


COMPARE = "Compare, as in x > 0, or convert with .bool()."


def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    x, holds = need("masked_select", input), need("masked_select", mask, "mask", 2)
    if holds.dtype.kind != "b":
        raise TorchError("masked_select: expected BoolTensor for mask", hint=COMPARE)
    wide = _wide(x, holds)
    return apply(OPS["masked_select"], (x,), index=np.broadcast_to(holds.data, wide))


# ---- written at places ----


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
        return apply(OPS["scatter_value"], (x,), dim=axis, index=places, value=given)
    return scattered("scatter", x, given, index, dim=axis, index=places)


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
    return scattered("scatter_add", x, given, index, dim=axis, index=places)


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
    text = (
        f"Function {op.node} returned an invalid gradient at index 1 - got {list(given.shape)} but expected shape "
        f"compatible with {list(src.shape)}"
    )

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
            raise TorchError(text, hint="Give a src of the index's shape.")
        return F.reshape(op.second(g, y, x, part(plain(src)), **p), given.shape) if prod(size) else src * 0

    return apply(replace(op, name=f"{name}_part", forward=forward, vjp=(to_x, to_src)), (x, src), **params)


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
        return apply(OPS["index_fill_tensor"], (x, value), dim=axis, index=places)
    return apply(OPS["index_fill"], (x,), dim=axis, index=places, value=value)


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
