"""Tensors out of nothing: from numbers, constants and ranges, in PyTorch's dtypes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOAT64, FLOATING, INT64, DType, check_fits, check_word, stored
from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.refused_data import NUMBERS, complex_refused, no_index, refusal, several, strange
from gradviz.imitation.engine.tensor import Tape, Tensor
from gradviz.imitation.engine.warn import warn, warn_of_number
from gradviz.errors import LimitError, TorchError

MAX_ELEMENTS = 50_000_000
"""The largest tensor a script may make: 200 MB of float32."""


def check_size(size: Sequence[int] | int, function: str = "") -> tuple[int, ...]:
    """A shape within the limit; `function` is the one that PyTorch calls with it as its only argument.

    Raises:
        TorchError: a negative size.
        LimitError: too many elements.
    """
    shape = size if isinstance(size, list | tuple) else (size,)
    for number, n in enumerate(shape):
        if not isinstance(n, int | np.integer) or (isinstance(n, bool) and function and not number):
            raise TorchError(_no_size(function, number, n, is_alone=shape is not size), kind="TypeError")
        if n < 0:
            raise TorchError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")
    if math.prod(int(n) for n in shape) > MAX_ELEMENTS:
        raise LimitError(
            f"a tensor of shape {[int(n) for n in shape]} has more than {MAX_ELEMENTS:,} elements",
            hint="gradviz keeps every value of a run: use a smaller example.",
        )
    return tuple(int(n) for n in shape)


def _no_size(function: str, number: int, found: Any, *, is_alone: bool) -> str:
    kind = kind_name(found)
    if not function:
        return f"size must be integers, not {kind}"
    if number == 0:
        what = "must be tuple of ints, " + (f"not {kind}" if is_alone else f"but found element of type {kind} at pos 0")
        return f"{function}(): argument 'size' (position 1) {what}"
    return (
        f"{function}(): argument 'size' failed to unpack the object at pos {number + 1} with error "
        f'"type must be tuple of ints,but got {kind}"'
    )


COPY = (
    "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
    "sourceTensor.detach().clone().requires_grad_(True), rather than torch.tensor(sourceTensor)."
)


def from_data(tape: Tape, data: Any, dtype: DType | None = None, requires_grad: bool = False) -> Tensor:
    """`torch.tensor`: a new tensor of nested lists, numbers or an array; float32 for Python floats.

    Raises:
        TorchError: ragged lists, or data that is not numbers.
    """
    if isinstance(data, Tensor):
        warn(COPY)
        array = np.array(data.data)
    elif isinstance(data, np.ndarray | np.generic):
        array = np.array(data)
    elif isinstance(data, list | tuple) and data and all(isinstance(item, np.ndarray) for item in data):
        warn(SLOW, once=True)
        array = _of_arrays(data)
    else:
        # Numbers go to the dtype asked for at once: by way of float32 they would lose digits.
        array = _from_lists(
            data, tape.float_dtype if dtype is None else dtype if dtype.kind in FLOATING else FLOAT64, dtype
        )
        if dtype is not None and dtype.kind in "iu" and array.size:
            for number in (array.min(), array.max()):
                check_fits(number, dtype, dtype.name)
    if dtype is not None:
        array = array.astype(dtype)
    return tape.tensor(array[()], requires_grad=requires_grad)


def _of_arrays(data: Any) -> Any:
    first = data[0]
    for item in data:
        if item.shape != first.shape:
            text = f"expected sequence of length {len(first)} at dim 1 (got {len(item)})"
            raise TorchError(text, kind="ValueError", hint="All arrays must have the same shape.")
    return np.array(data)


SLOW = (
    "Creating a tensor from a list of numpy.ndarrays is extremely slow. Please consider converting the list to a "
    "single numpy.ndarray with numpy.array() before converting to a tensor."
)


def _from_lists(data: Any, floating: DType, dtype: DType | None) -> Any:
    shape, kinds = _shape_and_kinds(data, dtype)
    check_size(shape)
    plain = _plain(data) if Tensor in kinds else data
    if not kinds:
        return np.zeros(shape, dtype=floating)
    if kinds & {float, Tensor} or any(issubclass(k, np.floating) for k in kinds):
        return _of_tensors(data, plain, floating) if Tensor in kinds else _floats(plain, kinds, floating)
    if kinds <= {bool, np.bool_}:
        return np.asarray(plain, dtype=np.bool_)
    whole = np.result_type(*kinds) if all(issubclass(k, np.generic) for k in kinds) else np.dtype(np.int64)
    try:
        return np.asarray(plain, dtype=whole)
    except OverflowError:
        raise TorchError("Overflow when unpacking long long", kind="ValueError") from None


def _floats(data: Any, kinds: set[type], floating: DType) -> Any:
    # A number of numpy has its own dtype, and the widest counts; one of Python takes the default.
    own = [kind for kind in kinds if issubclass(kind, np.floating)]
    return np.asarray(data, dtype=np.result_type(*own, *([floating] if len(own) < len(kinds & {float, *own}) else [])))


def _of_tensors(data: Any, plain: Any, floating: DType) -> Any:
    first: Any = data
    while isinstance(first, list | tuple):
        first = first[0]
    return np.asarray(plain, np.float64).astype(first.dtype if isinstance(first, Tensor) else floating)


def _plain(data: Any) -> Any:
    if isinstance(data, Tensor):
        warn_of_number(data.requires_grad)
        if data.data.size != 1:
            raise TorchError(
                "only one element tensors can be converted to Python scalars",
                kind="ValueError",
                hint="Use torch.stack for a list of tensors.",
            )
        return data.data.item()
    return [_plain(item) for item in data] if isinstance(data, list | tuple) else data


def _shape_and_kinds(data: Any, dtype: DType | None) -> tuple[tuple[int, ...], set[type]]:
    """The shape of nested lists and the types of the numbers in them; level by level, so no recursion."""
    shape: list[int] = []
    level = [data]
    while level and isinstance(level[0], list | tuple):
        length = len(level[0])
        if not length and not strange(
            level, dtype
        ):  # PyTorch reads sizes of the first items, and of no numbers no more
            return (*shape, 0), set()
        if any(not isinstance(item, list | tuple) or len(item) != length for item in level):
            raise refusal(data, dtype)
        shape.append(length)
        level = [part for item in level for part in item]
    kinds = {type(item) for item in level}
    if not all(issubclass(kind, NUMBERS) for kind in kinds):
        raise refusal(data, dtype)
    if dtype is not None and dtype.kind in "iub" and (fault := no_index(level)):
        raise fault
    if shape and Tensor in kinds and (fault := several(level)):
        raise fault
    return tuple(shape), kinds


def full(tape: Tape, shape: Sequence[int], value: Any, dtype: DType | None, requires_grad: bool = False) -> Tensor:
    """A tensor of one number.

    Raises:
        TorchError: a complex number.
    """
    if isinstance(value, complex) and dtype != np.bool_:
        raise complex_refused()
    if dtype is None:
        dtype = np.dtype(np.bool_) if isinstance(value, bool) else INT64 if isinstance(value, int) else tape.float_dtype
    check_word(value)
    check_fits(value, dtype)
    kept = stored(value, dtype) if isinstance(value, int) and dtype.kind in "iu" else np.asarray(value).astype(dtype)
    numbers = np.full(check_size(shape), kept)
    return tape.tensor(numbers[()], requires_grad=requires_grad)


def arange(tape: Tape, start: Any, end: Any, step: Any, dtype: DType | None, requires_grad: bool = False) -> Tensor:
    """`torch.arange`: int64 where all bounds are integers, else float32.

    Raises:
        TorchError: a step of 0, or one that leads away from the end.
    """
    if any(isinstance(bound, complex) for bound in (start, end, step)):
        raise TorchError("value cannot be converted to type double without overflow")
    if step == 0:
        raise TorchError("step must be nonzero")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise TorchError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise TorchError("upper bound and lower bound inconsistent with step sign")
    exact = (start, end, step)
    if dtype is not None and dtype.kind == "b":
        raise TorchError("\"arange_cpu\" not implemented for 'Bool'", kind="NotImplementedError")
    if dtype is not None and dtype.kind in "iu":
        start, end, step = map(int, exact)  # PyTorch reckons in the dtype, but counts all except int64 before
        if step == 0:
            raise TorchError("step must be nonzero", kind="ValueError")
    first, last, each = (start, end, step) if dtype is INT64 else exact
    count = max(0, math.ceil((last - first) / each))
    check_size((count,))
    whole = all(isinstance(v, int) for v in (start, end, step))
    numbers = start + step * np.arange(count, dtype=np.int64 if whole else np.float64)
    return tape.tensor(numbers.astype(dtype or (INT64 if whole else tape.float_dtype)), requires_grad=requires_grad)


def linspace(tape: Tape, start: float, end: float, steps: int, dtype: DType | None, requires_grad: bool) -> Tensor:
    """`torch.linspace`."""
    check_size((steps,))
    return tape.tensor(evenly_spaced(start, end, steps, dtype or tape.float_dtype), requires_grad=requires_grad)


def evenly_spaced(start: float, end: float, steps: int, kind: DType) -> Any:
    """Numbers computed from both ends towards the middle, as PyTorch does."""
    real = kind.type if kind.kind in FLOATING else np.float64
    if steps < 2:
        return np.full(steps, start, dtype=kind)
    step = (real(end) - real(start)) / real(steps - 1)
    i = np.arange(steps)
    low = nearest.fused(step, i.astype(real), real(start))
    high = nearest.fused(-step, (steps - 1 - i).astype(real), real(end))
    return np.where(i < steps // 2, low, high).astype(kind)
