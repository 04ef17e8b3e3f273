"""Calls of numpy: only numbers and arrays of numbers go in and come out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.creation import check_size
from gradviz.engine.tensor import Tensor, constant
from gradviz.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.script.numpy_values import NumpyType
from gradviz.script.sizes import admit
from gradviz.script.torch_values import DTypeName
from gradviz.script.values import Class, Native, type_name


def plain(value: Any) -> Any:
    """An argument as numpy takes it: tensors as arrays, dtypes of torch as numpy's. Only numbers go through.

    Raises:
        TorchError: something that numpy would keep as an object, or a tensor that requires grad.
    """
    if value is None or value is Ellipsis or isinstance(value, NUMBERS | slice):
        return value
    if isinstance(value, Tensor):
        if value.requires_grad and value.tape.grad_enabled:
            raise TorchError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return np.array(value.data)
    if isinstance(value, list | tuple):
        return list(map(plain, value)) if isinstance(value, list) else tuple(map(plain, value))
    if isinstance(value, range):
        check_size((len(value),))
        return np.arange(value.start, value.stop, value.step)
    return _word(value)


NUMBERS = bool | int | float | complex | np.ndarray | np.generic
DTYPE_NAMES = {
    "float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool", "float", "int", "f", "f4",
    "f8", "i", "i4", "i8", "d",
}  # fmt: skip
WORDS = {
    "ij", "xy", "C", "F", "K", "A", "same", "full", "valid", "linear", "nearest", "constant", "edge", "wrap", "left",
    "right",
}  # fmt: skip


def _word(value: Any) -> Any:
    if isinstance(value, DTypeName | NumpyType):
        return value.dtype
    if isinstance(value, Class) and value.python and issubclass(value.python[0], np.generic):
        return value.python[0]
    if isinstance(value, Class) and value.name in BUILT_IN_DTYPES:
        return BUILT_IN_DTYPES[value.name]
    if isinstance(value, str) and (value in DTYPE_NAMES or value in WORDS):
        return value
    raise TorchError(
        f"arrays hold numbers here, not {type_name(value)}", kind="TypeError", hint="Give numbers, lists or arrays."
    )


BUILT_IN_DTYPES = {"float": np.float64, "int": np.int64, "bool": np.bool_}


def wrapped(name: str, function: Callable[..., Any], *receiver: Any) -> Native:
    """A numpy function; what it returns is an array of numbers, a number, or a sequence of these.

    Args:
        name: how the script spells it.
        function: numpy's.
        receiver: for a method, the array that it belongs to.
    """

    def run(*arguments: Any, **keywords: Any) -> Any:
        given = tuple(map(plain, arguments))
        named = {key: plain(value) for key, value in keywords.items()}
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            admit(name, (*receiver, *given), named)
            result = numbers(function(*given, **named))
        for each in seen:
            warn(str(each.message), each.category.__name__)
        tensor = next((x for x in arguments if isinstance(x, Tensor)), None)
        return result if tensor is None or not isinstance(function, np.ufunc) else _tensors(result, tensor)

    made = Native(name, run)
    if isinstance(function, np.ufunc) and function.nin == 2:
        made.members = {key: wrapped(f"{name}.{key}", getattr(function, key)) for key in ("at", "reduce", "accumulate")}
        made.members["outer"] = wrapped(f"{name}.outer", _outer(function))
    return made


def _outer(function: np.ufunc) -> Callable[..., Any]:
    def run(a: Any, b: Any) -> Any:
        check_size((np.size(a), np.size(b)))
        return function.outer(a, b)

    return run


def _tensors(result: Any, like: Tensor) -> Any:
    """What one of numpy's elementwise functions gives for a tensor: tensors again, by `Tensor.__array_wrap__`."""
    if isinstance(result, tuple):
        return tuple(_tensors(each, like) for each in result)
    warn(WRAPPED, "DeprecationWarning")
    array = np.asarray(result)
    return constant(array.astype(np.uint8) if array.dtype.kind == "b" else array, like.tape)


WRAPPED = (
    "__array_wrap__ must accept context and return_scalar arguments (positionally) in the future. "
    "(Deprecated NumPy 2.0)"
)


def numbers(result: Any) -> Any:
    """A result of numpy that a script may hold.

    Raises:
        TorchError: an array of objects, texts or dates.
    """
    if isinstance(result, np.ndarray | np.generic) and result.dtype.kind not in "biufc":
        raise TorchError(f"arrays of dtype {result.dtype} are not supported", kind="TypeError", hint="Use numbers.")
    if isinstance(result, list | tuple):
        return type(result)(map(numbers, result)) if type(result) in (list, tuple) else tuple(map(numbers, result))
    return result
