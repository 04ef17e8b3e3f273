"""What PyTorch refuses to write over: results that do not fit, and memory that is read while it is written."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, DType, type_name
from gradviz.imitation.engine.memory.sharing import address
from gradviz.imitation.engine.memory.steps import laid_out
from gradviz.imitation.engine.shape_errors import mismatch
from gradviz.imitation.engine.tensor_class import Tensor
from gradviz.errors import TorchError


def refuse_result(tensor: Tensor, shape: tuple[int, ...], dtype: DType) -> None:
    """Raise for a result that does not fit the tensor that it is written into, by its shape or its dtype."""
    _refuse_shape(tensor, shape)
    if (dtype.kind in FLOATING and tensor.dtype.kind not in FLOATING) or (
        dtype.kind != "b" and tensor.dtype.kind == "b"
    ):
        raise TorchError(
            f"result type {type_name(dtype)} can't be cast to the desired output type {type_name(tensor.dtype)}",
            hint="Convert the tensor first, or write it out of place.",
        )


def refuse_shapes(tensor: Tensor, *others: Tensor) -> None:
    """Raise where what is read and written does not broadcast, or not to the shape of the tensor that is written."""
    shape = tensor.shape
    for other in others:
        if found := mismatch(shape, other.shape):
            raise found
        shape = np.broadcast_shapes(shape, other.shape)
    _refuse_shape(tensor, shape)


def _refuse_shape(tensor: Tensor, shape: tuple[int, ...]) -> None:
    if shape != tensor.shape:
        raise TorchError(
            f"output with shape {list(tensor.shape)} doesn't match the broadcast shape {list(shape)}",
            hint="An in-place change cannot make a tensor larger.",
        )


def refuse_repeated(tensor: Tensor) -> None:
    """Raise where one number would be written several times to the same place."""
    if is_repeated(tensor.data):
        raise TorchError(REPEATED)


def is_repeated(x: Any) -> bool:
    """Whether an array shows a number several times, as an expanded one."""
    if not isinstance(x, np.ndarray) or not x.size:
        return False
    return any(n > 1 and not step for n, step in zip(x.shape, x.strides, strict=True))


OVERLAP = (
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation."
)
REPEATED = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)


def refuse_overlap(tensor: Tensor, other: Tensor, *, even_whole: bool = False, part: Any = None) -> None:
    """Raise where what is read lies in the memory that is written, in another order or in part.

    Args:
        tensor: what is written.
        other: what is read.
        even_whole: whether the very same elements in the same order are refused too.
        part: where only a view of the tensor is written, its array.
    """
    if other is tensor and part is None:
        if even_whole:
            raise TorchError(OVERLAP)
        return
    if not share_memory(tensor, other):
        return
    a, b = laid_out(tensor) if part is None else part, laid_out(other)
    if not a.size or not b.size or (not even_whole and _is_same(a, b)):
        return
    if is_dense(a) and is_dense(b) and np.may_share_memory(a, b):
        raise TorchError(OVERLAP)


def share_memory(tensor: Tensor, other: Tensor) -> bool:
    """Whether two tensors look into the same memory."""
    shared = None if tensor.extra is None else tensor.extra.storage
    return other is tensor or (shared is not None and other.extra is not None and other.extra.storage is shared)


def _is_same(a: Any, b: Any) -> bool:
    """Whether two arrays without gaps show the same numbers of memory in the same order."""
    return address(a) == address(b) and a.size == b.size and a.strides == b.strides


def is_dense(x: Any) -> bool:
    """Whether it fills a piece of memory, in whatever order."""
    step = x.itemsize
    for stride, n in sorted((s, n) for s, n in zip(x.strides, x.shape, strict=True) if n > 1):
        if stride != step:
            return False
        step *= n
    return True


def lies_as(g: Any, leaf: Any) -> bool:
    """Whether PyTorch takes a gradient to lie in memory as its leaf does: it compares the steps of the first dims."""
    if g.flags.c_contiguous and leaf.flags.c_contiguous and g.shape == leaf.shape:
        return True
    if not is_dense(leaf):
        return bool(g.flags.c_contiguous)
    given, own = ([step // x.itemsize for step in x.strides] for x in (g, leaf))
    own += [None] * g.ndim
    return all(step == of_leaf if n != 1 else step for n, step, of_leaf in zip(g.shape, given, own, strict=False))


def no_places(shape: tuple[int, ...], places: tuple[int, ...]) -> TorchError:
    """PyTorch's error for numbers that do not fit the places that an index names."""
    return TorchError(
        f"shape mismatch: value tensor of shape {list(shape)} cannot be broadcast to indexing result of shape "
        f"{list(places)}"
    )


def other_source(dtype: DType, source: DType) -> TorchError:
    """PyTorch's error for numbers of another dtype than that of the tensor that they are put into."""
    return TorchError(
        f"Index put requires the source and destination dtypes match, got {type_name(dtype)} for the destination and "
        f"{type_name(source)} for the source."
    )
