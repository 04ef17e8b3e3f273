"""dtypes as PyTorch names and promotes them.

Source: torch.result_type. A tensor with dimensions outranks a 0-d tensor of the same category, and any tensor
outranks a Python number of the same category; the categories are bool < integer < floating.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import reduce
from typing import Any

import numpy as np

from gradviz.imitation.engine.kind_names import kind_name
from gradviz.errors import TorchError

DType = np.dtype[Any]

FLOAT32: DType = np.dtype(np.float32)
FLOAT64: DType = np.dtype(np.float64)
INT64: DType = np.dtype(np.int64)
BOOL: DType = np.dtype(np.bool_)

FLOATING = "fV"
"""The kinds of floating point dtypes as numpy has them: it has no bfloat16 and files it under V."""

HALVES: list[DType] = []
"""float16 and bfloat16, once there is a tensor of them; see `half.rounding`."""


class Known(dict[str, DType]):
    """The dtypes by name. Those of 16 bits are there when they are first named: before, nobody asks for them.

    The library of bfloat16 takes a tenth of a start.
    """

    def __missing__(self, name: str) -> DType:
        if name not in LATE:
            raise KeyError(name)
        dtype: DType = np.dtype(_bfloat16() if name == "bfloat16" else np.float16)
        self[name] = dtype
        HALVES.append(dtype)
        return dtype


LATE = ("float16", "bfloat16")
"""The dtypes that are there when they are first named."""


def _bfloat16() -> Any:
    from ml_dtypes import bfloat16

    return bfloat16


DTYPES = Known(
    (name, np.dtype(name)) for name in ("float32", "float64", "int64", "int32", "int16", "int8", "uint8", "bool")
)
ALIASES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
}

# The name a tensor of a dtype has in messages, as torch.Tensor.type() gives it.
TYPE_NAMES = {
    "float32": "Float",
    "float64": "Double",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "int64": "Long",
    "int32": "Int",
    "int16": "Short",
    "int8": "Char",
    "uint8": "Byte",
    "bool": "Bool",
}


def dtype_named(name: str) -> DType:
    """The dtype that a recording names."""
    return DTYPES[name] if name in LATE else np.dtype(name)


def meet(dtype: DType) -> None:
    """Note that there is a tensor of a dtype, which nobody has named where it came as an array of numpy's."""
    if dtype.char == "e":
        dtype_named("float16")


def limits_of(dtype: DType) -> Any:
    """`numpy.finfo` of a floating dtype, also of bfloat16."""
    if dtype.kind == "f":
        return np.finfo(dtype)
    from ml_dtypes import finfo

    return finfo(dtype)  # type: ignore[no-untyped-call]


def category(dtype: DType) -> int:
    """0 for bool, 1 for integers, 2 for floating point."""
    return _CATEGORIES[dtype.kind]


_CATEGORIES = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2}


def type_name(dtype: DType) -> str:
    """E.g. "Float" for float32, as in `torch.FloatTensor`."""
    return TYPE_NAMES[dtype.name]


def class_of(kind: str) -> str:
    """What many messages call the tensors of a dtype, which is given by its type name, e.g. "Float"."""
    return f"CPU{kind}Type" if kind in ("Bool", "BFloat16") else f"torch.{kind}Tensor"


C_NAMES = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "long int",
    "int16": "short int", "int8": "signed char", "uint8": "unsigned char", "int32": "int",
}  # fmt: skip


def c_name(dtype: DType) -> str:
    """E.g. "float" for float32, as some messages name it."""
    return C_NAMES.get(dtype.name, dtype.name)


STORED = {"int32": "int", "float32": "float"}
"""How the kernels that store one number name its type, where that is not the name with `_t` behind it."""


def check_fits(value: float, dtype: DType, name: str = "") -> None:
    """Refuse a number that a dtype cannot hold; smaller kinds of float take it as infinite.

    Of a dtype without a sign whole numbers below 0 are let pass as far as they have a size that fits; they wrap.

    Args:
        name: of the dtype in the message; as kernels name it where it is "".

    Raises:
        TorchError: it is too large, or NaN for an integer.
    """
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        wraps = dtype.kind == "u" and not isinstance(value, float | np.floating)
        if (-info.max if wraps else info.min) <= value <= info.max:
            return
    elif name or dtype.name != "float32" or math.isinf(value) or not abs(value) > np.finfo(dtype).max:
        return
    shown = name or STORED.get(dtype.name, f"{dtype.name}_t")
    raise TorchError(f"value cannot be converted to type {shown} without overflow")


def wrapped(value: int, dtype: DType) -> Any:
    """The lowest bits of a whole number, as many as an integer dtype has."""
    return np.uint64(value & (2**64 - 1)).astype(dtype)


def stored(value: Any, dtype: DType) -> Any:
    """A Python number as a kernel keeps it, in the dtype of a tensor.

    Raises:
        TorchError: the dtype cannot hold it.
    """
    if dtype.kind not in "iu":
        return dtype.type(value)
    check_fits(value, dtype)
    return wrapped(int(value), dtype)


def check_word(value: Any) -> None:
    """Refuse a whole number that no word of 64 bits holds."""
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        raise TorchError("int too big to convert", kind="OverflowError")


def result_dtype(x: Any, y: Any) -> DType:
    """The dtype of an operation on two arrays (or numpy scalars, for 0-d tensors)."""
    a, b = x.dtype, y.dtype
    if a is b:
        return a  # type: ignore[no-any-return]
    if (x.ndim == 0) != (y.ndim == 0):
        dimensioned, scalar = (b, a) if x.ndim == 0 else (a, b)
        if category(dimensioned) >= category(scalar):
            return dimensioned  # type: ignore[no-any-return]
        return scalar  # type: ignore[no-any-return]
    return _common(a, b)


def result_of(arrays: Iterable[Any]) -> DType:
    """The dtype of an operation on several arrays: those with dims decide among themselves, then numbers join them."""
    kinds: tuple[list[Any], list[Any]] = ([], [])
    for x in arrays:
        kinds[x.ndim == 0].append(x)
    found = [joined_dtype(xs) for xs in kinds if xs]
    return found[-1] if len(found) == 1 or category(found[1]) > category(found[0]) else found[0]


def _common(a: DType, b: DType) -> DType:
    # numpy promotes integers with floats to a wider float; PyTorch keeps the float.
    if category(a) != category(b):
        return a if category(a) > category(b) else b
    if a.itemsize == b.itemsize == 2 and a is not b and a.kind in FLOATING:
        return FLOAT32  # neither of bfloat16 and float16 holds the other
    return np.promote_types(a, b)


def joined_dtype(arrays: Iterable[Any]) -> DType:
    """The dtype of several arrays laid side by side; their dimensions do not matter."""
    return reduce(_common, (x.dtype for x in arrays))


def number_dtype(value: Any, like: DType, floating: DType = FLOAT32) -> DType:
    """The dtype a Python number takes next to a tensor of dtype `like`; `floating` is that of floats by themselves.

    Raises:
        TorchError: a complex number, or something that is no number.
    """
    if isinstance(value, bool):
        return like
    if isinstance(value, int):
        return like if category(like) else INT64
    if isinstance(value, float):
        return like if category(like) == 2 else floating
    if isinstance(value, complex):
        raise TorchError("complex numbers are not supported here", kind="TypeError", hint="Use real numbers.")
    raise TorchError(
        f"unsupported operand type(s): 'Tensor' and '{kind_name(value)}'",
        kind="TypeError",
        hint="Wrap it with torch.tensor(...).",
    )


def convert(x: Any, dtype: DType) -> Any:
    """An array or numpy scalar in another dtype; the same object where it has it already."""
    if x.dtype is dtype:
        return x
    return x.astype(dtype)
