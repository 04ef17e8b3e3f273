"""Calls of numpy: numbers, texts, objects of the script and arrays of them go in and come out."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import check_size
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.arrays.items import items_of
from gradviz.imitation.script.arrays.objects import Mixed, by_own_method, chosen, has_objects, renamed
from gradviz.imitation.script.arrays.operands import array_of, held
from gradviz.imitation.script.arrays.operands import wrapped as of_tensor
from gradviz.imitation.script.arrays.values import BUILT_IN_DTYPES, NumpyType
from gradviz.imitation.script.errors.overheard import told
from gradviz.imitation.script.limits.sizes import admit, check_range
from gradviz.imitation.script.names.numpy.tensors import WRAPPED, by_method
from gradviz.imitation.script.readers import READERS
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.torch_values import DTypeName
from gradviz.imitation.script.values import Class, Native, Object


def plain(value: Any) -> Any:
    """An argument as numpy takes it: tensors as arrays, dtypes of torch as numpy's.

    Raises:
        TorchError: a tensor that requires grad, or what stands for a library that is passed over.
    """
    if value is None or value is Ellipsis or isinstance(value, NUMBERS | slice):
        return value
    if isinstance(value, Tensor):
        return array_of(value)
    if isinstance(value, list | tuple):
        if isinstance(value, list) and _names_fields(value):
            value = [(name, plain(kind), *map(plain, more)) for name, kind, *more in value]
            _admit_dtype(value)
            return value
        given = list(map(plain, value)) if isinstance(value, list) else tuple(map(plain, value))
        if any(isinstance(item, str | bytes) for item in given):
            _admit_texts(given)
        return Mixed(given) if any(map(_is_object, given)) else given
    if isinstance(value, range):
        check_range(value)
        return np.arange(value.start, value.stop, value.step)
    return _word(value)


def room(shape: Any) -> None:
    """Refuse a shape of too many elements; of what is no shape numpy itself says so, in its words."""
    try:
        sizes = tuple(map(index, shape if np.iterable(shape) else (shape,)))
    except TypeError:
        return
    if all(n >= 0 for n in sizes):
        check_size(sizes)


LONG_NUMBER = re.compile(r"\d{4,}")
WIDEST = 10_000
"""Bytes of one item of an array."""


def _names_fields(items: list[Any]) -> bool:
    """Whether a list is a dtype of records, [("name", "U10"), ("age", int)], and not data."""
    return bool(items) and all(
        type(each) is tuple and len(each) in (2, 3) and isinstance(each[0], str) and _is_dtype(each[1])
        for each in items
    )


def _is_dtype(value: Any) -> bool:
    if isinstance(value, str):
        return SHORT_DTYPE.fullmatch(value) is not None or value in np.sctypeDict
    return isinstance(value, Class | NumpyType)


SHORT_DTYPE = re.compile(r"[<>=|]?(?:[?bBhHiIlLqQefdgFDG]|[biufc]\d{1,2}|[USM]\d{0,5}|[Mm]8(?:\[\w+\])?)")


def _admit_dtype(spelled: Any) -> None:
    """Refuse a dtype of which one item takes much memory; what is no dtype is let through."""
    try:
        size = told(np.dtype, spelled).itemsize
    except (TypeError, ValueError, TorchError):
        return
    if size > WIDEST:
        raise LimitError(f"one item of this dtype takes {size:,} bytes", hint=f"Use {WIDEST:,} or fewer.")


def _admit_texts(items: Any) -> None:
    """Refuse texts that an array, which has as much room for each as for the longest, would take much memory for."""
    longest = max(len(item) for item in items if isinstance(item, str | bytes))
    if longest > LONGEST_TEXT:
        raise LimitError(f"an array of texts of {longest:,} characters is too large", hint="Use a list.")
    check_size((len(items), longest))


LONGEST_TEXT = 1_000
NUMBERS = bool | int | float | complex | np.ndarray | np.generic


def _is_object(item: Any) -> bool:
    """Whether numpy keeps a part of a list as an object."""
    return item is None or isinstance(item, Mixed) or not isinstance(item, NUMBERS | str | bytes | Sequence | slice)


def _word(value: Any) -> Any:
    if isinstance(value, DTypeName):
        raise TorchError(
            f"Cannot interpret '{value!r}' as a data type", kind="TypeError", hint="Use numpy's own dtype."
        )
    if isinstance(value, NumpyType):
        return value.dtype
    if isinstance(value, Class) and value.python and issubclass(value.python[0], np.generic):
        return value.python[0]
    if isinstance(value, Class) and value.name in BUILT_IN_DTYPES:
        return BUILT_IN_DTYPES[value.name]
    if isinstance(value, str | bytes) and len(value) <= LONGEST_TEXT:
        if isinstance(value, str) and LONG_NUMBER.search(value):
            _admit_dtype(value)
        return value
    if isinstance(value, deque):
        return plain(list(value))
    if isinstance(value, Silent):
        return value
    found = items_of(value)
    return value if found is value else plain(found)


class Elementwise(Native):
    """A function of numpy that goes over its arrays number by number."""

    shown_as = "numpy.ufunc"
    __slots__ = ()

    def __repr__(self) -> str:
        return f"<ufunc {self.name!r}>"


class Dispatched(Native):
    """A function of numpy that is written in Python."""

    shown_as = "numpy._ArrayFunctionDispatcher"
    __slots__ = ()

    def __repr__(self) -> str:
        return f"<function {self.name} at 0x7f0000000000>"


IN_C = ("array", "asarray", "asanyarray", "ascontiguousarray", "zeros", "empty", "arange", "fromiter", "frombuffer")


def wrapped(name: str, function: Callable[..., Any], *receiver: Any) -> Native:
    """A numpy function; what it returns is an array of numbers, a number, or a sequence of these.

    Args:
        name: how the script spells it.
        function: numpy's.
        receiver: for a method, the array that it belongs to.
    """

    def run(*arguments: Any, **keywords: Any) -> Any:
        is_of_tensor = not receiver and bool(arguments) and type(arguments[0]) is Tensor
        if is_of_tensor and (found := by_method(name, arguments, keywords)) is not NOTHING:
            return found
        if not receiver and arguments and type(arguments[0]) is Object:
            found = by_own_method(name, arguments[0], arguments[1:], keywords)
            if found is not NOTHING:
                return found
        given = tuple(map(plain, arguments))
        named = {key: plain(value) for key, value in keywords.items()}
        admit(name, (*receiver, *given), named)
        everything = (*receiver, *given, *named.values())
        work = chosen(name, function, receiver, given) if has_objects(everything) else function
        try:
            result = numbers(told(work, *given, **named))
        except TypeError as error:
            if not _is_of_numpy(function):
                raise
            raise TorchError(renamed(str(error), everything), kind=type(error).__name__) from None
        tensor = next((x for x in arguments if isinstance(x, Tensor)), None)
        if tensor is not None and isinstance(function, np.ufunc):
            return of_tensor(result, tensor)
        return of_tensor(result, arguments[0], "_wrapit") if is_of_tensor and name in WRAPPED else result

    made: Native
    if isinstance(function, np.ufunc):
        made = Elementwise(function.__name__, run)
    else:
        made = Native(name, run) if name in IN_C or receiver else Dispatched(name, run)
    if isinstance(function, np.ufunc) and function.nin == 2:
        made.members = {key: wrapped(f"{name}.{key}", getattr(function, key)) for key in METHODS_OF_PAIRS}
        made.members["outer"] = wrapped(f"{name}.outer", _outer(function))
    return made


METHODS_OF_PAIRS = ("at", "reduce", "reduceat", "accumulate")


def _is_of_numpy(function: Callable[..., Any]) -> bool:
    """Whether its errors are numpy's words already."""
    return not getattr(function, "__module__", None) or not function.__module__.startswith("gradviz")


def _outer(function: np.ufunc) -> Callable[..., Any]:
    def run(a: Any, b: Any) -> Any:
        check_size((np.size(a), np.size(b)))
        return function.outer(a, b)

    return run


def numbers(result: Any) -> Any:
    """A result of numpy that a script may hold.

    Raises:
        TorchError: an array of objects, texts or dates.
    """
    if isinstance(result, np.ndarray | np.generic) and not held(result.dtype):
        raise TorchError(f"arrays of dtype {result.dtype} are not supported", kind="TypeError", hint="Use numbers.")
    if isinstance(result, tuple) and hasattr(result, "_fields"):
        return type(result)(*map(numbers, result))
    if isinstance(result, list | tuple):
        return type(result)(map(numbers, result)) if type(result) in (list, tuple) else tuple(map(numbers, result))
    return result


READERS[Elementwise] = READERS[Dispatched] = READERS[Native]
