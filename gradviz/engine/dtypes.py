"""The dtypes of tensors, and the shape of a tensor as a `Size`. How dtypes combine stands in `gradviz.ops.promotion`."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator
from typing import NoReturn, SupportsIndex, overload

import numpy as np

from gradviz.engine.errors import Beyond
from gradviz.ops.op import Array
from gradviz.ops.promotion import CATEGORY, NumpyDType, promote_numpy


class DType:
    """One dtype, e.g. `torch.float32`; there is exactly one object of each.

    Attributes:
        name: e.g. "float32".
        numpy: the numpy dtype behind it.
        type_name: e.g. "Float", as in `torch.FloatTensor` and in many messages.
        itemsize: bytes of one element.
        is_floating_point: whether it holds fractions, and so may require gradients.
        is_signed: whether it holds numbers below 0.
        is_complex: always False here.
    """

    __slots__ = ("is_complex", "is_floating_point", "is_signed", "itemsize", "name", "numpy", "type_name")

    name: str
    numpy: NumpyDType
    type_name: str
    itemsize: int
    is_floating_point: bool
    is_signed: bool
    is_complex: bool

    def __new__(cls, *_: object) -> DType:
        raise TypeError("cannot create 'torch.dtype' instances")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name.upper()  # copied by name, so that a copy is the same object


def _make_dtype(name: str, type_name: str) -> DType:
    made = object.__new__(DType)
    numpy = np.dtype(name)
    values = {
        "name": name, "numpy": numpy, "type_name": type_name, "itemsize": numpy.itemsize, "is_complex": False,
        "is_floating_point": numpy.kind == "f", "is_signed": numpy.kind in "if",
    }  # fmt: skip
    for attribute, value in values.items():
        object.__setattr__(made, attribute, value)
    return made


FLOAT32 = _make_dtype("float32", "Float")
FLOAT64 = _make_dtype("float64", "Double")
INT64 = _make_dtype("int64", "Long")
INT32 = _make_dtype("int32", "Int")
INT16 = _make_dtype("int16", "Short")
INT8 = _make_dtype("int8", "Char")
UINT8 = _make_dtype("uint8", "Byte")
BOOL = _make_dtype("bool", "Bool")

DTYPES: dict[str, DType] = {d.name: d for d in (FLOAT32, FLOAT64, INT64, INT32, INT16, INT8, UINT8, BOOL)}
"""All dtypes by name."""

ALIASES: dict[str, DType] = {"float": FLOAT32, "double": FLOAT64, "long": INT64, "int": INT32, "short": INT16}
"""The second names that PyTorch has for some of them."""

_OF_NUMPY: dict[NumpyDType, DType] = {d.numpy: d for d in DTYPES.values()}


def dtype_of(numpy: NumpyDType) -> DType:
    """The dtype of a tensor that holds an array of a numpy dtype.

    Raises:
        TypeError: no tensor holds such values, in PyTorch either.
        Beyond: PyTorch has such tensors.
    """
    try:
        return _OF_NUMPY[numpy]
    except KeyError:
        if numpy.kind in "fciu":
            raise Beyond(f"the dtype {numpy.name}") from None
        raise TypeError(
            f"can't convert np.ndarray of type numpy.{numpy.type.__name__}. The only supported types are: float64, "
            "float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and "
            "bool."
        ) from None


# ---- promotion ----


def promote_types(type1: DType, type2: DType) -> DType:
    """`torch.promote_types`: the smallest dtype that holds both."""
    return _OF_NUMPY[promote_numpy(type1.numpy, type2.numpy)]


def can_cast(from_: DType, to: DType) -> bool:
    """`torch.can_cast`: whether a result of the first dtype may be stored in the second (no category is lost)."""
    return CATEGORY[from_.numpy.kind] <= CATEGORY[to.numpy.kind]


# ---- limits ----


class finfo:  # noqa: N801 (PyTorch's name)
    """`torch.finfo(dtype)`: the limits of a floating point dtype.

    Attributes:
        bits, eps, max, min, tiny, smallest_normal, resolution, dtype: as numpy.finfo has them, `dtype` as a name.

    Raises:
        TypeError: an integer dtype, or no dtype at all.
    """

    def __init__(self, type: DType = FLOAT32) -> None:
        if not isinstance(type, DType):
            found = type_name_of(type)
            raise TypeError(f"finfo(): argument 'type' (position 1) must be torch.dtype, not {found}")
        if not type.is_floating_point:
            raise TypeError("torch.finfo() requires a floating point input type")
        limits = np.finfo(type.numpy)
        self.bits = int(limits.bits)
        self.eps = float(limits.eps)
        self.max = float(limits.max)
        self.min = float(limits.min)
        self.tiny = self.smallest_normal = float(limits.smallest_normal)
        self.resolution = float(str(limits.resolution))
        self.dtype = type.name

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


def type_name_of(value: object) -> str:
    """What a message calls the type of an argument, e.g. "float" or "NoneType"."""
    return type(value).__name__


# ---- shapes ----


class Size(tuple[int, ...]):
    """`torch.Size`: the shape of a tensor, a tuple of ints that keeps its class when it is sliced or added to.

    Raises:
        TypeError: an item is not a whole number.
    """

    __slots__ = ()
    __module__ = "torch"  # what print(type(x.shape)) shows

    def __new__(cls, lengths: Iterable[SupportsIndex] = ()) -> Size:
        return super().__new__(cls, _whole_numbers(lengths))

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        count = 1
        for length in self:
            count *= length
        return count

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    @overload
    def __getitem__(self, index: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Size: ...
    def __getitem__(self, index: SupportsIndex | slice) -> int | Size:
        found = tuple.__getitem__(self, index)
        return tuple.__new__(Size, found) if isinstance(found, tuple) else found

    def __add__(self, other: object) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size((*self, *other))

    def __radd__(self, other: object) -> Size:
        if not isinstance(other, tuple):
            return NotImplemented
        return Size((*other, *self))

    def __mul__(self, count: SupportsIndex) -> Size:
        return Size(tuple(self) * operator.index(count))

    __rmul__ = __mul__

    def __reduce__(self) -> tuple[type[Size], tuple[tuple[int, ...]]]:
        return Size, (tuple(self),)


def size_of(array: Array) -> Size:
    """The shape of an array as a `Size`, without the checks that `Size(...)` makes."""
    return tuple.__new__(Size, array.shape)


def _whole_numbers(lengths: Iterable[SupportsIndex]) -> Iterator[int]:
    for position, length in enumerate(lengths):
        try:
            yield int(operator.index(length))
        except TypeError:
            raise TypeError(
                f"torch.Size() takes an iterable of 'int' (item {position} is '{type_name_of(length)}')"
            ) from None
