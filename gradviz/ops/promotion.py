"""The dtype that several arrays come to.

Promotion is PyTorch's, as its page on `torch.result_type` says it. Dtypes fall into three categories, bool < integer <
floating point. Tensors with dimensions decide first; a 0-d tensor changes the result only where its category is
higher, and a Python number only where its category is higher still. Within one category the wider dtype wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from gradviz.ops.op import Array

Number: TypeAlias = bool | int | float

NumpyDType: TypeAlias = np.dtype[Any]

CATEGORY: dict[str, int] = {"b": 0, "i": 1, "u": 1, "f": 2}
"""How high a kind of dtype stands, by numpy's letter for it."""
_ARRAYS = (np.ndarray, np.generic)
_BOOL: NumpyDType = np.dtype(np.bool_)
_INT64: NumpyDType = np.dtype(np.int64)
_FLOAT32: NumpyDType = np.dtype(np.float32)


def promote_numpy(a: NumpyDType, b: NumpyDType) -> NumpyDType:
    """The dtype that two operands of equal rank (both with dimensions, or both 0-d) come to."""
    if a is b:
        return a
    if (category := CATEGORY[a.kind]) != (other := CATEGORY[b.kind]):
        return a if category > other else b  # numpy would make int64 and float32 a float64
    return np.promote_types(a, b)


def number_dtype(value: Number, default: NumpyDType = _FLOAT32) -> NumpyDType:
    """The dtype of a Python number by itself; `default` is the default dtype, for floats."""
    if isinstance(value, bool):
        return _BOOL
    return _INT64 if isinstance(value, int) else default


def result_dtype(*operands: Array | Number, default: NumpyDType = _FLOAT32) -> NumpyDType:
    """The numpy dtype of an operation on arrays (tensors), numpy scalars (0-d tensors) and Python numbers.

    Args:
        operands: at least one.
        default: the default dtype, which a Python float brings where no operand is floating point.
    """
    ranked: list[NumpyDType | None] = [None, None, None]  # of tensors with dimensions, 0-d tensors, Python numbers
    for x in operands:
        if isinstance(x, _ARRAYS):  # before Python's numbers: a numpy.float64 is a float as well
            rank, dtype = (0 if x.ndim else 1), x.dtype
        else:
            rank, dtype = 2, number_dtype(x, default)
        held = ranked[rank]
        ranked[rank] = dtype if held is None else promote_numpy(held, dtype)
    found: NumpyDType | None = None
    for dtype_at_rank in ranked:
        if dtype_at_rank is not None and (found is None or CATEGORY[dtype_at_rank.kind] > CATEGORY[found.kind]):
            found = dtype_at_rank
    if found is None:
        raise TypeError("result_dtype needs at least one operand")
    return found


def cast(x: Any, dtype: np.dtype[Any]) -> Any:
    """An array in another dtype; itself where it has it."""
    return x if x.dtype is dtype or x.dtype == dtype else x.astype(dtype)


def joined_dtype(arrays: Sequence[Any]) -> NumpyDType:
    """The dtype of several arrays together."""
    first: NumpyDType = arrays[0].dtype
    for array in arrays:
        if array.dtype != first:
            return result_dtype(*arrays)
    return first
