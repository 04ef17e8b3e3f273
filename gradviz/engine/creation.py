"""Tensors out of nothing: from nested lists, numpy arrays, constants and ranges.

All functions take PyTorch's options `dtype`, `requires_grad` and `device` (the CPU); `layout`, `pin_memory` and
`memory_format` are taken and change nothing.
"""

from __future__ import annotations

import math
import operator
from collections import deque
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gradviz.engine.devices import check_device
from gradviz.engine.dtypes import BOOL, DTYPES, FLOAT64, INT64, DType, Size, dtype_of, type_name_of
from gradviz.engine.errors import Beyond
from gradviz.engine.operands import tensor_given, wrong_argument
from gradviz.engine.state import state, warn
from gradviz.engine.tensor import Tensor, TensorType, constant, current, memory_of
from gradviz.ops.promotion import NumpyDType

COPY_WARNING = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)
SLOW_WARNING = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)


Options: TypeAlias = Mapping[str, Any]
OPTIONS = frozenset(("size", "dtype", "requires_grad", "device", "layout", "pin_memory", "memory_format", "out"))
"""What every function here takes by keyword."""

_PYTHON_TYPES = {float: FLOAT64, int: INT64, bool: BOOL}


# ---- what is given ----------------------------------------------------------------------------------------------


def dtype_given(function: str, dtype: Any, default: NumpyDType) -> NumpyDType:
    """The numpy dtype that an argument `dtype` asks for: a DType, Python's float, int or bool, or None.

    Raises:
        TypeError: it is something else.
    """
    if dtype is None:
        return default
    found = _PYTHON_TYPES.get(dtype, dtype) if isinstance(dtype, type) else dtype
    if not isinstance(found, DType):
        raise TypeError(f"{function}(): argument 'dtype' must be torch.dtype, not {type_name_of(dtype)}")
    return found.numpy


def check_options(function: str, options: Options, *also: str) -> None:
    """Refuse options that PyTorch does not have, `out=`, and other devices.

    Args:
        also: options that only this function takes.

    Raises:
        TypeError: an option that does not exist.
        Beyond: one that PyTorch has.
    """
    for name in options:
        if name not in OPTIONS and name not in also:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")
    if options.get("out") is not None:
        raise Beyond(f"{function}(..., out=)")
    check_device(options.get("device"))


def shape_given(function: str, size: Sequence[Any], options: Options) -> tuple[int, ...]:
    """The shape out of `zeros(2, 3)`, `zeros((2, 3))` or `zeros(size=(2, 3))`.

    Raises:
        TypeError: it is missing, or holds something else than whole numbers.
        RuntimeError: a size is negative.
    """
    if "size" in options:
        size = (options["size"],)
    elif not size:
        raise TypeError(f'{function}() missing 1 required positional arguments: "size"')
    is_sequence = len(size) == 1 and isinstance(size[0], list | tuple)
    return lengths_given(function, size[0] if is_sequence else size, in_sequence=is_sequence)


def lengths_given(function: str, lengths: Sequence[Any], *, in_sequence: bool = True) -> tuple[int, ...]:
    """The sizes of dims, as Python's whole numbers.

    Raises:
        TypeError: one is no whole number.
        RuntimeError: one is negative.
    """
    found = []
    for position, length in enumerate(lengths):
        try:
            if isinstance(length, bool) and not position:
                raise TypeError
            found.append(operator.index(length))
        except TypeError:
            kind = type_name_of(length)
            if position or in_sequence:
                raise TypeError(
                    f"{function}(): argument 'size' failed to unpack the object at pos {position + 1} with error "
                    f'"type must be tuple of ints,but got {kind}"'
                ) from None
            raise TypeError(wrong_argument(function, "size", 1, length, "tuple of ints")) from None
    for length in found:
        if length < 0:
            if function in ("zeros", "ones"):
                raise RuntimeError(f"{function}: Dimension size must be non-negative.")
            raise RuntimeError(f"Trying to create tensor with negative dimension {length}: {found}")
    return tuple(found)


def number_given(function: str, name: str, position: int, value: Any) -> bool | int | float:
    """A Python number out of a number or a tensor of one element.

    Raises:
        TypeError: it is neither.
    """
    if isinstance(value, Tensor):
        value = current(value).array.item()
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, int | float):
        raise TypeError(wrong_argument(function, name, position, value, "Number"))
    return value


def whole_given(function: str, name: str, position: int, value: Any) -> int:
    """A whole number.

    Raises:
        TypeError: it is none.
    """
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(wrong_argument(function, name, position, value, "int")) from None


def leaf(array: Any, requires_grad: bool = False) -> Tensor:
    """A new tensor of these numbers.

    Raises:
        RuntimeError: gradients are asked for of whole numbers.
    """
    made = constant(array[()] if array.ndim == 0 else array)
    if requires_grad:
        if array.dtype.kind != "f":
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        made.tracked = True
    return made


def finish(array: Any, options: Options) -> Tensor:
    """A new tensor of these numbers, which requires grad where the options say so."""
    return leaf(array, bool(options.get("requires_grad", False)))


# ---- from data --------------------------------------------------------------------------------------------------


def tensor(
    data: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """`torch.tensor`: a new tensor of nested lists, a number, an array or another tensor; the data is copied.

    Python floats become the default dtype, whole numbers int64; numpy's numbers and arrays keep their dtype.

    Raises:
        ValueError, TypeError, RuntimeError: ragged lists, or data that is not numbers.
    """
    check_device(device)
    wanted = None if dtype is None else dtype_given("tensor", dtype, state.dtype)
    if isinstance(data, Tensor):
        warn(COPY_WARNING)
    made = leaf(_read_data(data, wanted), requires_grad)
    if state.on_cut is not None:
        given = data if isinstance(data, list | tuple) else (data,)
        sources = tuple([current(each) for each in given if isinstance(each, Tensor)])
        if sources:
            state.on_cut(made, sources, "torch.tensor()")
    return made


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    """`torch.as_tensor`: a tensor itself, the memory of an array, else a new tensor; a copy where the dtype differs."""
    check_device(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    if isinstance(data, np.ndarray) and data.dtype == dtype_given("as_tensor", dtype, data.dtype):
        return from_numpy(data)
    return tensor(data, dtype=dtype)


def asarray(
    obj: Any, *, dtype: Any = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False
) -> Tensor:
    """`torch.asarray`: as `as_tensor`, but for the copy and the gradient that can be asked for."""
    check_device(device)
    if copy:
        wanted = None if dtype is None else dtype_given("asarray", dtype, state.dtype)
        return leaf(_read_data(obj, wanted), requires_grad)
    found = as_tensor(obj, dtype)
    return found.requires_grad_() if requires_grad else found


def from_numpy(ndarray: Any) -> Tensor:
    """`torch.from_numpy`: a tensor that looks into the memory of an array; a change of one is seen in the other.

    Raises:
        TypeError: it is no array, or not one of numbers.
        ValueError: the array is read backwards.
    """
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type_name_of(ndarray)})")
    dtype_of(ndarray.dtype)
    if min(ndarray.strides, default=0) < 0:
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative strides are not "
            "currently supported. (You can probably work around this by making a copy of your array  with "
            "array.copy().) "
        )
    if not ndarray.ndim:
        return constant(ndarray[()])
    made = constant(ndarray.copy())
    memory_of(made).live = ndarray
    return made


def _read_data(data: Any, wanted: NumpyDType | None) -> Any:
    """A new array of data of any sort, in the dtype wanted or the one that follows from the data."""
    if isinstance(data, Tensor):
        array = np.array(current(data).array)
    elif isinstance(data, np.ndarray | np.generic):
        dtype_of(data.dtype)
        array = np.array(data)
    else:
        return _read_lists(data, wanted)
    return array if wanted is None else array.astype(wanted)


MOST_DIMS = 64
"""Dims that an array may have; in PyTorch 128, in numpy 64."""


def _read_lists(data: Any, wanted: NumpyDType | None) -> Any:
    """A new array of nested lists of numbers."""
    shape: list[int] = []
    level: Any = [data]
    holds_arrays = False
    while level and _is_sequence(level[0]):
        length = len(level[0])
        for item in level:
            if not _is_sequence(item):
                raise _wrong_item(item, wanted, "not a sequence")
            if len(item) != length:
                raise ValueError(f"expected sequence of length {length} at dim {len(shape)} (got {len(item)})")
        holds_arrays = holds_arrays or isinstance(level[0], np.ndarray)
        shape.append(length)
        if len(shape) > MOST_DIMS:  # a list that holds itself has no end
            raise ValueError(f"too many dimensions '{type(level[0]).__name__}'")
        level = list(chain.from_iterable(level))
    if holds_arrays and len(shape) > 1:
        warn(SLOW_WARNING)
    kinds = set(map(type, level))
    if Tensor in kinds or any(issubclass(kind, Tensor) for kind in kinds):
        own = [current(item).array.dtype for item in level if isinstance(item, Tensor)]
        level = [_one_number(item) for item in level]
        kinds = {*map(type, level), *(dtype.type for dtype in own)}
    for kind in kinds:
        if not issubclass(kind, int | float | np.generic):
            culprit = next(item for item in level if type(item) is kind)
            is_whole = all(issubclass(other, int | np.integer) or other is kind for other in kinds)
            raise _wrong_item(
                culprit, wanted, _unfit_text(culprit, is_whole), is_first=bool(shape) and culprit is level[0]
            )
    dtype = _infer_dtype(kinds) if wanted is None else wanted
    return _fill(level, dtype, kinds).reshape(shape)


def _is_sequence(item: object) -> bool:
    if isinstance(item, np.ndarray):
        return item.ndim > 0
    return isinstance(item, list | tuple) or (isinstance(item, Sequence | deque) and not isinstance(item, str | bytes))


def _one_number(item: Any) -> Any:
    if not isinstance(item, Tensor):
        return item
    array = current(item).array
    if array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return array.item()


def _infer_dtype(kinds: set[type]) -> NumpyDType:
    """The dtype that numbers of these Python and numpy types make."""
    numpy_kinds = [np.dtype(kind) for kind in kinds if issubclass(kind, np.generic)]
    for dtype in numpy_kinds:
        dtype_of(dtype)
    if not kinds or any(kind is float or issubclass(kind, np.floating) for kind in kinds):
        floats = [dtype for dtype in numpy_kinds if dtype.kind == "f"]
        is_default = not kinds or any(issubclass(kind, float) and not issubclass(kind, np.generic) for kind in kinds)
        return np.result_type(*floats, *([state.dtype] if is_default else []))
    if all(issubclass(kind, bool | np.bool_) for kind in kinds):
        return BOOL.numpy
    has_python_ints = any(issubclass(kind, int) and not issubclass(kind, bool) for kind in kinds)
    return np.result_type(*numpy_kinds, *([INT64.numpy] if has_python_ints else []))


def _fill(numbers: list[Any], dtype: NumpyDType, kinds: set[type]) -> npt.NDArray[Any]:
    """An array of numbers in a dtype; whole numbers that it cannot hold are refused, as PyTorch does."""
    if dtype.kind in "fb":
        with np.errstate(over="ignore"):
            return np.array(numbers, np.float64 if dtype.kind == "f" else None).astype(dtype)
    try:
        if any(issubclass(kind, float | np.floating) for kind in kinds):
            numbers = [int(number) for number in numbers]
        wide = np.array(numbers, np.int64)
    except OverflowError:
        raise ValueError("Overflow when unpacking long long") from None
    limits = np.iinfo(dtype)
    least = -limits.max if dtype.kind == "u" else limits.min  # numbers below 0 wrap around
    if wide.size and not least <= wide.min() <= wide.max() <= limits.max:
        raise RuntimeError(f"value cannot be converted to type {dtype.name} without overflow")
    return wide.astype(dtype)


def _unfit_text(item: object, is_whole: bool) -> str:
    kind = type_name_of(item)
    return f"'{kind}' object cannot be interpreted as an integer" if is_whole else f"must be real number, not {kind}"


def _wrong_item(item: object, wanted: NumpyDType | None, unfit: str, *, is_first: bool = False) -> Exception:
    """The error for something in data that is no number, or no list among lists."""
    if isinstance(item, complex | np.complexfloating):
        return Beyond("a complex tensor")
    if isinstance(item, str) and is_first and wanted is None:
        return ValueError(f"too many dimensions '{type_name_of(item)}'")
    if isinstance(item, str):
        return TypeError(f"new(): invalid data type '{type_name_of(item)}'")
    if isinstance(item, list | tuple | int | float):
        return TypeError(unfit)
    return RuntimeError(f"Could not infer dtype of {type_name_of(item)}")


# ---- constants ----------------------------------------------------------------------------------------------------


def zeros(*size: Any, **options: Any) -> Tensor:
    """`torch.zeros(2, 3)`: zeros of this shape, in the default dtype."""
    return _constant("zeros", size, 0, options)


def ones(*size: Any, **options: Any) -> Tensor:
    """`torch.ones(2, 3)`: ones of this shape, in the default dtype."""
    return _constant("ones", size, 1, options)


def empty(*size: Any, **options: Any) -> Tensor:
    """`torch.empty(2, 3)`: zeros here; PyTorch leaves in it what the memory held."""
    return _constant("empty", size, 0, options)


def _constant(function: str, size: Sequence[Any], value: int, options: Options) -> Tensor:
    check_options(function, options)
    shape = shape_given(function, size, options)
    return finish(np.full(shape, value, dtype_given(function, options.get("dtype"), state.dtype)), options)


def full(size: Any, fill_value: Any, **options: Any) -> Tensor:
    """`torch.full(size, fill_value)`: one number throughout; its dtype is that of the number."""
    check_options("full", options)
    if not isinstance(size, list | tuple):
        raise TypeError(wrong_argument("full", "size", 1, size, "tuple of ints"))
    default = current(fill_value).array.dtype if isinstance(fill_value, Tensor) else None
    number = number_given("full", "fill_value", 2, fill_value)
    default = default or _infer_dtype({type(number)})
    dtype = dtype_given("full", options.get("dtype"), default)
    return finish(np.full(lengths_given("full", size), _fill([number], dtype, {type(number)})[0], dtype), options)


def eye(n: int, m: int | None = None, **options: Any) -> Tensor:
    """`torch.eye(n, m)`: ones on the diagonal of a matrix of n rows and m (else n) columns."""
    check_options("eye", options)
    rows = whole_given("eye", "n", 1, n)
    columns = rows if m is None else whole_given("eye", "m", 2, m)
    for name, length in (("n", rows), ("m", columns)):
        if length < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {length}")
    return finish(np.eye(rows, columns, dtype=dtype_given("eye", options.get("dtype"), state.dtype)), options)


# ---- ranges --------------------------------------------------------------------------------------------------------


def arange(*bounds: Any, start: Any = 0, end: Any = None, step: Any = 1, **options: Any) -> Tensor:
    """`torch.arange(start, end, step)`: from the start up to the end, without it; int64 where all are whole numbers.

    Raises:
        RuntimeError: a step of 0, or one that leads away from the end.
    """
    check_options("arange", options)
    if len(bounds) == 1 and end is None:
        end = bounds[0]
    elif bounds:
        start, end, step = (*bounds, *(end, step)[len(bounds) - 1 :])
    if end is None:
        raise TypeError('arange() missing 1 required positional arguments: "end"')
    named = (
        (("end", end), ("start", start), ("step", step))
        if len(bounds) < 2
        else (("start", start), ("end", end), ("step", step))
    )
    read = {name: number_given("arange", name, position + 1, value) for position, (name, value) in enumerate(named)}
    first, last, each = read["start"], read["end"], read["step"]
    if each == 0:
        raise RuntimeError("step must be nonzero")
    if not (math.isfinite(first) and math.isfinite(last)):
        raise RuntimeError(f"unsupported range: {first:g} -> {last:g}")
    if (last - first) * each < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    is_whole = all(isinstance(number, int) for number in (first, last, each))
    dtype = dtype_given("arange", options.get("dtype"), INT64.numpy if is_whole else state.dtype)
    count = max(0, -((first - last) // each)) if is_whole else max(0, math.ceil((last - first) / each))
    counted: npt.NDArray[Any] = np.arange(int(count), dtype=np.int64 if is_whole else np.float64)
    return finish((first + each * counted).astype(dtype), options)


def range_(start: Any = 0, end: Any = None, step: Any = 1, **options: Any) -> Tensor:
    """`torch.range`: as arange, but with the end, and in the default dtype."""
    check_options("range", options)
    warn(
        "torch.range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Instead, use torch.arange, which produces values in [start, end)."
    )
    counted: npt.NDArray[Any] = np.arange(math.floor((end - start) / step) + 1, dtype=np.float64)
    return finish((start + step * counted).astype(dtype_given("range", options.get("dtype"), state.dtype)), options)


def linspace(start: Any, end: Any, steps: int, **options: Any) -> Tensor:
    """`torch.linspace`: `steps` numbers in equal distances from the start to the end, both included.

    Raises:
        RuntimeError: a negative number of steps.
    """
    check_options("linspace", options)
    first, last = number_given("linspace", "start", 1, start), number_given("linspace", "end", 2, end)
    count = whole_given("linspace", "steps", 3, steps)
    if count < 0:
        raise RuntimeError("number of steps must be non-negative")
    return finish(np.linspace(first, last, count).astype(dtype_given("linspace", options.get("dtype"), state.dtype)),
                  options)  # fmt: skip


# ---- like another tensor ----------------------------------------------------------------------------------------


def zeros_like(input: Tensor, **options: Any) -> Tensor:
    """Zeros in the shape and dtype of a tensor."""
    return _like("zeros_like", input, 0, options)


def ones_like(input: Tensor, **options: Any) -> Tensor:
    """Ones in the shape and dtype of a tensor."""
    return _like("ones_like", input, 1, options)


def empty_like(input: Tensor, **options: Any) -> Tensor:
    """Zeros in the shape and dtype of a tensor; PyTorch leaves in it what the memory held."""
    return _like("empty_like", input, 0, options)


def full_like(input: Tensor, fill_value: Any, **options: Any) -> Tensor:
    """One number throughout, in the shape and dtype of a tensor."""
    return _like("full_like", input, number_given("full_like", "fill_value", 2, fill_value), options)


def _like(function: str, input: Tensor, value: float, options: Options) -> Tensor:
    check_options(function, options)
    array = current(tensor_given(function, input)).array
    return finish(np.full(array.shape, value, dtype_given(function, options.get("dtype"), array.dtype)), options)


# ---- methods -------------------------------------------------------------------------------------------------------


def new_tensor(
    self: Tensor, data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False
) -> Tensor:
    """`x.new_tensor(data)`: a new tensor of the data in the dtype of x."""
    return tensor(data, dtype=dtype or self.dtype, device=device, requires_grad=requires_grad)


def new_zeros(self: Tensor, *size: Any, **options: Any) -> Tensor:
    """`x.new_zeros(2, 3)`: zeros in the dtype of x."""
    return _constant("new_zeros", size, 0, {"dtype": self.dtype, **options})


def new_ones(self: Tensor, *size: Any, **options: Any) -> Tensor:
    """`x.new_ones(2, 3)`: ones in the dtype of x."""
    return _constant("new_ones", size, 1, {"dtype": self.dtype, **options})


def new_empty(self: Tensor, *size: Any, **options: Any) -> Tensor:
    """`x.new_empty(2, 3)`: zeros in the dtype of x."""
    return _constant("new_empty", size, 0, {"dtype": self.dtype, **options})


def new_full(self: Tensor, size: Any, fill_value: Any, **options: Any) -> Tensor:
    """`x.new_full(size, fill_value)`: one number throughout, in the dtype of x."""
    return full(size, fill_value, **{"dtype": self.dtype, **options})


METHODS: dict[str, Any] = {
    "new_tensor": new_tensor, "new_zeros": new_zeros, "new_ones": new_ones, "new_empty": new_empty,
    "new_full": new_full,
}  # fmt: skip
"""What tensors have of these functions."""


# ---- default dtype, and the constructors of old -----------------------------------------------------------------


def set_default_dtype(d: Any) -> None:
    """`torch.set_default_dtype`: the dtype of tensors that are made of Python floats.

    Raises:
        TypeError: it is not a floating point dtype.
    """
    if not isinstance(d, DType):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    state.dtype = d.numpy


def get_default_dtype() -> DType:
    """`torch.get_default_dtype`: the dtype of tensors that are made of Python floats."""
    return dtype_of(state.dtype)


def construct(*args: Any, device: Any = None, dtype: DType | None = None) -> Tensor:
    """`torch.Tensor(2, 3)`, `torch.Tensor([1, 2])`: of these sizes, or with the numbers of a list.

    Args:
        dtype: of the result; the default dtype where it is None.
    """
    check_device(device)
    kind = state.dtype if dtype is None else dtype.numpy
    if len(args) == 1 and isinstance(args[0], Tensor):
        found: Tensor = args[0].detach()
        return found
    if len(args) == 1 and not isinstance(args[0], Size | int | np.integer):
        if isinstance(args[0], float):
            raise TypeError(f"new(): data must be a sequence (got {type_name_of(args[0])})")
        return leaf(_read_data(args[0], kind))
    lengths = args[0] if args and isinstance(args[0], Size) else args or (0,)
    return leaf(np.zeros(lengths_given("new", lengths), kind))


def _constructor(dtype: DType) -> type:
    """`torch.LongTensor` and its kin: construct tensors of one dtype, and recognize them."""

    class Typed(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> Tensor:
            made: Tensor = construct(*args, dtype=dtype, **kwargs)
            return made

        def __instancecheck__(cls, x: object) -> bool:
            return isinstance(x, Tensor) and current(x).array.dtype == dtype.numpy

    return Typed(f"{dtype.type_name}Tensor", (), {"__doc__": f"A tensor of {dtype.name}.", "__module__": "torch"})


CONSTRUCTORS: dict[str, type] = {f"{dtype.type_name}Tensor": _constructor(dtype) for dtype in DTYPES.values()}
"""torch.FloatTensor, torch.LongTensor and their kin."""

TensorType.construct = staticmethod(construct)
