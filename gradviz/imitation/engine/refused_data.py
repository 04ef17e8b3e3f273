"""Why nested lists are no data for a tensor, in PyTorch's words and in the order in which it looks.

It takes the shape from the first item of each level, then the dtype from all items, then fills the tensor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import DType
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn_of_number
from gradviz.errors import TorchError

NUMBERS = (bool, int, float, np.generic, Tensor)
"""What a tensor may be made of."""


def refusal(data: Any, dtype: DType | None) -> TorchError:
    """The error for nested lists that are ragged, or hold something else than numbers.

    Args:
        dtype: the one asked for; None where it follows from the numbers.
    """
    if isinstance(data, str | bytes):
        return _no_number(data)
    sizes = []
    first = data
    while isinstance(first, list | tuple):
        sizes.append(len(first))
        if not first:
            break
        first = first[0]
    if sizes and isinstance(first, str):
        return TorchError(f"too many dimensions '{kind_name(first)}'", kind="ValueError")
    if dtype is not None:
        return several(_leaves(data)) or _unfilled(data, sizes, dtype.kind in "iub")
    if found := strange(data, dtype):
        return _no_number(found[0])
    is_whole = all(isinstance(item, bool | int | np.integer) for item in _leaves(data))
    return several(_leaves(data)) or _unfilled(data, sizes, is_whole)


def strange(data: Any, dtype: DType | None) -> list[Any]:
    """What is no number in nested lists, of which the dtype follows from the numbers; where it is given nobody asks."""
    return [] if dtype is not None else [item for item in _leaves(data) if not isinstance(item, NUMBERS)]


def no_index(items: Iterable[Any]) -> TorchError | None:
    """The error for a tensor among whole numbers that is none; None where there is no such."""
    for item in items:
        if isinstance(item, Tensor) and (item.data.size != 1 or item.dtype.kind not in "iub"):
            text = "only integer tensors of a single element can be converted to an index"
            return TorchError(text, kind="TypeError", hint="Convert the tensor first, e.g. with .long().")
    return None


def places_of(index: Any) -> Any:
    """The array of nested lists, or of a range, that are an index.

    Raises:
        TorchError: they are ragged, or hold something else than numbers.
    """
    if isinstance(index, range):
        return np.asarray(index)
    if found := strange(index, None):
        raise _no_number(found[0])
    try:
        return np.asarray(index)
    except ValueError:
        raise refusal(index, None) from None


def _leaves(data: Any) -> Iterator[Any]:
    stack = [data]
    while stack:
        item = stack.pop()
        if isinstance(item, list | tuple):
            stack.extend(reversed(item))
        else:
            yield item


def _no_number(item: Any) -> TorchError:
    if isinstance(item, complex):
        return complex_refused()
    if isinstance(item, str | bytes):
        return TorchError(f"new(): invalid data type '{kind_name(item)}'", kind="TypeError")
    return TorchError(f"Could not infer dtype of {kind_name(item)}")


def several(items: Iterable[Any]) -> TorchError | None:
    """The error for a tensor of several elements among numbers; None where there is none."""
    found = next((item for item in items if isinstance(item, Tensor) and item.data.size != 1), None)
    if found is None:
        return None
    warn_of_number(found.requires_grad)
    return TorchError(
        "only one element tensors can be converted to Python scalars",
        kind="ValueError",
        hint="Use torch.stack for a list of tensors.",
    )


def _unfilled(data: Any, sizes: list[int], is_whole: bool) -> TorchError:
    """What filling a tensor of these sizes would stumble over first."""
    stack = [(data, 0)]
    while stack:
        item, dim = stack.pop()
        is_list = isinstance(item, list | tuple | str)
        if dim == len(sizes):
            if not isinstance(item, NUMBERS):
                return _no_single(item, is_whole)
        elif not is_list:
            return TorchError("not a sequence", kind="TypeError", hint="All rows must be lists of the same length.")
        elif len(item) != sizes[dim]:
            text = f"expected sequence of length {sizes[dim]} at dim {dim} (got {len(item)})"
            return TorchError(text, kind="ValueError", hint="All rows must have the same length.")
        else:
            stack.extend((part, dim + 1) for part in reversed(item))
    raise AssertionError("data that is refused has a fault")


def _no_single(item: Any, is_whole: bool) -> TorchError:
    name = kind_name(item)
    text = f"'{name}' object cannot be interpreted as an integer" if is_whole else f"must be real number, not {name}"
    return TorchError(text, kind="TypeError", hint="All rows must be lists of the same length.")


def complex_refused() -> TorchError:
    """What is said of a tensor of complex numbers."""
    return TorchError("complex tensors are not supported", kind="TypeError", hint="Use real numbers.")


def refuse_array(array: np.ndarray[Any, Any]) -> None:
    """Refuse an array that no tensor can look into.

    Raises:
        TorchError: of texts or complex numbers, or one that is read backwards.
    """
    if array.dtype.kind not in "fiubc":
        text = (
            f"can't convert np.ndarray of type numpy.{array.dtype.type.__name__}. The only supported types are: "
            "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
            "uint8, and bool."
        )
        raise TorchError(text, kind="TypeError")
    if array.dtype.kind == "c":
        raise complex_refused()
    if min(array.strides, default=0) < 0:
        raise TorchError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) ",
            kind="ValueError",
        )
