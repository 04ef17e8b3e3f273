"""Operators between an array of numpy and a tensor, as PyTorch and numpy share them.

A tensor on the left is read by numpy, whose result PyTorch wraps again; an array on the left gives way to the
tensor, which takes no arrays: only `/` and `==` have a meaning there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.functions import FUNCTIONS as F
from gradviz.engine.tensor import Tensor, constant
from gradviz.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.script.overheard import told
from gradviz.script.sizes import pair_fits
from gradviz.script.values import type_name

CONCATENATION = (
    "Concatenation operation is not implemented for NumPy arrays, use np.concatenate() instead. Please do not rely "
    "on this error; it may not be given on all Python implementations."
)
WRAPPED = (
    "__array_wrap__ must accept context and return_scalar arguments (positionally) in the future. "
    "(Deprecated NumPy 2.0)"
)


KINDS = "biufcUSMm"
"""The kinds of dtypes that a script's arrays may have: numbers, texts and dates; see `held` for records of them."""


def held(dtype: Any) -> bool:
    """Whether a script's arrays may have a dtype: numbers, texts, dates, and records of these by name."""
    if dtype.kind != "V":
        return dtype.kind in KINDS
    return dtype.names is not None and all(held(dtype.fields[name][0].base) for name in dtype.names)


def array_of(tensor: Tensor) -> np.ndarray:
    """A copy of a tensor's numbers, as numpy asks for them.

    Raises:
        TorchError: it requires grad.
    """
    if tensor.requires_grad and tensor.tape.grad_enabled:
        raise TorchError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    return np.array(tensor.data)


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
