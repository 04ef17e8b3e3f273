"""Operators between an array of numpy and a tensor, as PyTorch and numpy share them.

A tensor on the left is read by numpy, whose result PyTorch wraps again; an array on the left gives way to the
tensor, which takes no arrays: only `/` and `==` have a meaning there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.arrays.items import items_of
from gradviz.imitation.script.errors.overheard import told
from gradviz.imitation.script.limits.sizes import pair_fits
from gradviz.imitation.script.values import Instance, type_name

CONCATENATION = (
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely "
    "on this error; it may not be given on all Python implementations."
)
WRAPPED = (
    "__array_wrap__ must accept context and return_scalar arguments (positionally) in the future. "
    "(Deprecated NumPy 2.0)"
)


KINDS = "biufcUSMmO"
"""The kinds of dtypes that a script's arrays may have: numbers, texts, dates and objects; see `held` for records."""


def held(dtype: Any) -> bool:
    """Whether a script's arrays may have a dtype: numbers, texts, dates, objects, and records of the first three."""
    if dtype.kind != "V":
        return dtype.kind in KINDS
    fields = [dtype.fields[name][0].base for name in dtype.names or ()]
    return bool(fields) and all(held(field) and not field.hasobject for field in fields)


NOT_OBJECTS = bool | int | float | complex | str | bytes | range | slice
"""What numpy makes an array of its own kinds of."""


def holds_objects(value: Any) -> bool:
    """Whether numpy would make an array of objects of it."""
    if isinstance(value, np.ndarray | np.generic):
        return value.dtype.hasobject
    if isinstance(value, list | tuple):
        return any(map(holds_objects, value))
    return not isinstance(value, NOT_OBJECTS)


def array_of(tensor: Tensor) -> np.ndarray:
    """A copy of a tensor's numbers, as numpy asks for them.

    Raises:
        TorchError: it requires grad.
    """
    refuse_grad(tensor)
    return np.array(tensor.data)


def refuse_grad(tensor: Tensor) -> None:
    """Raise where numpy would be given numbers that gradients are recorded for."""
    if tensor.requires_grad and tensor.tape.grad_enabled:
        raise TorchError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")


def wrapped(result: Any, like: Tensor, inside: str = "") -> Any:
    """What one of numpy's elementwise functions gives for a tensor: tensors again, by `Tensor.__array_wrap__`.

    Args:
        inside: the function of PyTorch or numpy that the warning points into, where it is not the script.
    """
    if isinstance(result, tuple):
        return tuple(wrapped(each, like, inside) for each in result)
    warn(WRAPPED, "DeprecationWarning", once=inside or False)
    array = np.asarray(result)
    return constant(array.astype(np.uint8) if array.dtype.kind == "b" else array, like.tape)


def operated(symbol: str, plain: Callable[[Any, Any], Any], x: Any, y: Any, inside: str = "") -> Any:
    """`x symbol y`, one of them a tensor and the other an array.

    Raises:
        TorchError: the two do not go together in this order, or the tensor requires grad.
    """
    if isinstance(x, Tensor):
        array = array_of(x)
        pair_fits(symbol, array, y)
        try:
            return wrapped(told(plain, array, y), x, inside)
        except TypeError as error:
            raise TorchError(str(error), kind="TypeError") from None
    if symbol == "/":
        return operated("*", np.multiply, F["reciprocal"](y), x, "Tensor.__rdiv__")
    if symbol == "+":
        raise TorchError(CONCATENATION, kind="TypeError", hint=WAY_OUT)
    text = f"unsupported operand type(s) for {symbol}: '{type_name(x)}' and '{type_name(y)}'"
    raise TorchError(text, kind="TypeError", hint=WAY_OUT)


WAY_OUT = "Turn the array into a tensor with torch.from_numpy(...)."


def compared(symbol: str, equal: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """A comparison of a tensor and an array: only `==` looks at the numbers.

    Raises:
        TorchError: an order was asked for.
    """
    if symbol == "==":
        tensor, array = (x, y) if isinstance(x, Tensor) else (y, x)
        return equal(tensor, constant(array, tensor.tape))
    if symbol == "!=":
        return True
    text = f"'{symbol}' not supported between instances of '{type_name(x)}' and '{type_name(y)}'"
    raise TorchError(text, kind="TypeError", hint=WAY_OUT)


def of_arrays(symbol: str, plain: Callable[[Any, Any], Any], each: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """`x symbol y`, one of them an array.

    Args:
        plain: the operator as numpy knows it.
        each: the operator as the script knows it, which is asked about objects one by one.

    Raises:
        TorchError: the operands do not go together.
    """
    x, y = items_of(x), items_of(y)
    pair_fits(symbol, x, y)
    if holds_objects(x) or holds_objects(y):
        if symbol != "@":
            return told(np.frompyfunc(each, 2, 1), x, y)
        plain = np.matmul  # the operator would ask the object again, which asks numpy
    try:
        return told(plain, x, y)
    except TypeError as error:
        raise TorchError(str(error), kind=type(error).__name__) from None


SCALAR_PRIORITY = -1_000_000.0
"""What numpy takes for the priority of its own numbers, and of everything that says nothing about it."""


def gives_way(array: Any, other: Instance) -> bool:
    """Whether numpy leaves an operator to the object of a script's class that stands on its right."""
    if other.cls.has("__array_ufunc__"):
        return other.cls.find("__array_ufunc__") is None
    own = 0.0 if isinstance(array, np.ndarray) else SCALAR_PRIORITY
    priority = other.cls.find("__array_priority__")
    return isinstance(priority, int | float) and own < priority


TURNED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}
"""What the other operand of a comparison is asked."""


def compared_objects(name: str, each: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    """A comparison with objects: the object that is an operand itself is asked first, then each of the array's."""
    result = NotImplemented
    if isinstance(x, Instance):
        result = x.special(f"__{name}__", y)
    elif isinstance(y, Instance) and gives_way(x, y):
        result = y.special(f"__{TURNED.get(name, name)}__", x)
    if result is not NotImplemented:
        return result
    truths = np.frompyfunc(lambda a, b: bool(each(a, b)), 2, 1)
    answers = told(truths, np.asarray(items_of(x), object), np.asarray(items_of(y), object), dtype=object)
    return np.asarray(answers, bool)[()]  # of arrays without an axis the answer is a bool of Python


UFUNCS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.FloorDiv: "floor_divide",
    ast.Mod: "remainder", ast.Pow: "power", ast.MatMult: "matmul", ast.BitAnd: "bitwise_and", ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor", ast.LShift: "left_shift", ast.RShift: "right_shift",
}  # fmt: skip
"""What numpy calls the operators."""


def refuse_in_place(kind: type[ast.operator], x: np.ndarray, result: Any) -> None:
    """Say in numpy's words why an array cannot take what was computed in place.

    Raises:
        TorchError: another shape, or a dtype that loses what the result has.
    """
    if result.shape != x.shape:
        own, broadcast = (str(shape).replace(" ", "") for shape in (x.shape, result.shape))
        text = f"non-broadcastable output operand with shape {own} doesn't match the broadcast shape {broadcast}"
        raise TorchError(text, kind="ValueError", hint="Write it out of place.")
    if not np.can_cast(result.dtype, x.dtype, "same_kind"):
        text = (
            f"Cannot cast ufunc '{UFUNCS[kind]}' output from {result.dtype!r} to {x.dtype!r} with casting rule "
            "'same_kind'"
        )
        raise TorchError(text, kind="UFuncTypeError", hint="Write it out of place.")
