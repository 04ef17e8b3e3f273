"""Functions that write whole slabs of a tensor at the places of an index: index_add, index_copy."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.functions.arguments import need
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.hooks.on_saved_tensors import keep
from gradviz.imitation.engine.shapes import one_dim
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

BETA = "index_reduce() is in beta and the API may change at any time."
LONG_ONLY = frozenset(("index_fill", "index_copy", "put"))
NO_INDEX = {
    "index_select": "index_select(): Expected dtype int32 or int64 for index",
    "take": "take(): Expected a long tensor for index, but got {kind}",
    "index_fill": "index_fill_(): Expected dtype int64 for index.",
    "index_copy": "index_copy_(): Expected a long tensor for index, but got {kind}",
    "index_add": "index_add_(): Expected dtype int32/int64 for index but got: {kind}",
    "index_reduce": "index_reduce_(): Expected dtype int32/int64 for index but got: {kind}",
    "put": "put_(): Expected a long tensor for index, but got {kind}",
    "scatter_add": "scatter(): Expected dtype int32/int64 for index",
}
"""What kernels say of an index of numbers they do not take, where it is not what most say."""


def index_places(function: str, index: Any, position: int = 3) -> Any:
    """The array of an index: of int64, for most kernels also of int32."""
    given = need(function, index, "index", position)
    if given.dtype not in ((np.int64,) if function in LONG_ONLY else (np.int64, np.int32)):
        text = NO_INDEX.get(function, "{function}(): Expected dtype int32/int64 for index")
        raise TorchError(
            text.format(function=function, kind=type_name(given.dtype)),
            kind="IndexError" if function == "index_fill" else "RuntimeError",
            hint="Convert the index with .long().",
        )
    return np.asarray(given.data)


SAME_DTYPE = "Convert one of them, e.g. with .to(x.dtype)."
OTHER_DTYPE = {
    **{
        name: f"{name}_(): self ({{}}) and source ({{}}) must have the same scalar type"
        for name in ("index_add", "index_reduce")
    },
    "index_copy": "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
}


def _others(x: Tensor, axis: int) -> tuple[int, ...]:
    return x.shape[:axis] + x.shape[axis + 1 :]


def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: float = 1) -> Tensor:
    x, axis, places = slab("index_add", input, dim, index, source)
    return keep(apply(OPS["index_add"], (x, source), dim=axis, index=places, alpha=alpha), index=index)


def refuse_axis(function: str, source: Tensor, axis: int) -> None:
    """Raise where what is added has not got the dim that is indexed."""
    if axis and axis >= source.ndim:
        raise TorchError(
            f"{function}_(): Indexing dim {axis} is out of bounds of the source tensor with dim {source.ndim}"
        )


def _same_slabs(x: Tensor, source: Tensor, axis: int) -> None:
    """Raise where what is added differs in another dim than the one that is indexed."""
    ours, theirs = (_others(t, axis) if x.ndim and source.ndim else t.shape for t in (x, source))
    if ours != theirs:
        raise TorchError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(x.shape)} source.shape = {list(source.shape)}"
        )


def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    x, axis, places = slab("index_copy", input, dim, index, source)
    return keep(apply(OPS["index_copy"], (x, source), dim=axis, index=places), index=index)


def _same_slices(x: Tensor, source: Tensor, axis: int) -> None:
    ours, theirs = _others(x, axis), _others(source, axis)
    if ours != theirs:
        raise TorchError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: "
            f"{' '.join(map(str, ours))} at dimension {axis} and source slice shape: "
            f"{' '.join(map(str, theirs))} at dimension 0."
        )


def _fitting_ndim(function: str, x: Tensor, index: Tensor, source: Tensor) -> None:
    """Raise where an index is no vector, or what is written has another number of dims."""
    text = ""
    if index.ndim > 1 and function != "index_copy":
        kind = f"dim: {index.ndim} with type: {type_name(index.dtype)} and size: {list(index.shape)}"
        text = f"{function}_(): Index is supposed to be a vector, but got {kind}"
    elif index.ndim > 1:
        text = f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})"
    elif function == "index_copy" and not source.ndim and index.data.size != 1:
        text = f"index_copy_(): When source is scalar, index should have one element (got {index.data.size})"
    elif function == "index_copy" and source.ndim != x.ndim and source.ndim and x.ndim:
        text = (
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source "
            f"dimensionality ({source.ndim}), destination dimensionality ({x.ndim})"
        )
    if text:
        raise TorchError(text, kind="IndexError")


def slab(function: str, input: Tensor, dim: int, index: Tensor, source: Tensor) -> tuple[Tensor, int, Any]:
    """The tensor, the dim counted from the front and the index, once all is asked that PyTorch asks, in its order."""
    x = need(function, input)
    axis, given = one_dim(dim, x.ndim), need(function, source, "source", 4)
    _fitting_ndim(function, x, need(function, index, "index", 3), given)
    places = index_places(function, index).reshape(-1)
    if given.dtype != x.dtype:
        raise TorchError(OTHER_DTYPE[function].format(type_name(x.dtype), type_name(given.dtype)), hint=SAME_DTYPE)
    if function == "index_copy":
        _same_slices(x, given, axis)
    else:
        refuse_axis(function, given, axis)
    if not given.ndim and places.size != 1:
        raise TorchError("Dimension specified as 0 but tensor has no dimensions", kind="IndexError")
    if given.shape[axis : axis + 1] != places.shape and given.ndim:
        told = f"{function}_(): Number of indices ({places.size}) should be equal to source.size(dim)"
        if function == "index_copy":
            raise TorchError(f"{told} ({given.shape[axis]})", kind="IndexError")
        raise TorchError(f"{told}: ({given.shape[axis]}), for dim: {axis}")
    if function != "index_copy":
        _same_slabs(x, given, axis)
    if function == "index_reduce":
        warn(BETA, once=True)
    wrong = places[(places < 0) | (places >= (x.shape[axis] if x.ndim else 1))]
    if wrong.size:
        raise _no_slab(function, x, axis, wrong[0])
    return x, axis, places


def _no_slab(function: str, x: Tensor, axis: int, place: Any) -> TorchError:
    """Several of PyTorch's kernels do this, each in its own words."""
    told = f"index {place} is out of bounds for dimension {axis} with size {x.shape[axis] if x.ndim else 1}"
    if function == "index_copy":
        return TorchError(f"index_copy_(): {told}", kind="IndexError")
    if function == "index_add" and x.ndim == 2:
        return TorchError(told)
    return TorchError("index out of range in self", kind="IndexError")
