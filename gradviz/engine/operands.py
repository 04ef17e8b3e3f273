"""What an op is given: a Python number beside a tensor, a tensor where something else was given, what does not fit."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.dtypes import type_name_of
from gradviz.engine.errors import Beyond
from gradviz.engine.state import state
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.ops.op import Op
from gradviz.ops.promotion import result_dtype


def as_operand(value: Any, like: Tensor) -> Tensor:
    """A Python number beside a tensor, as a constant: it takes the tensor's dtype where that can hold its kind.

    Raises:
        TypeError: it is neither a number nor a tensor.
        Beyond: it is a complex number.
    """
    kind = type(value)
    if kind is not float and kind is not int and kind is not bool:
        if isinstance(value, Tensor):
            return value
        if isinstance(value, complex | np.complexfloating):
            raise Beyond("a complex tensor")
        if isinstance(value, np.generic | np.ndarray):
            return constant(np.asarray(value)[()] if value.ndim == 0 else value)
        if not isinstance(value, float | int):
            raise TypeError(f"unsupported operand type(s): 'Tensor' and '{type_name_of(value)}'")
    dtype = like.array.dtype if like.extra is None else current(like).array.dtype
    if dtype.kind != "f":
        dtype = result_dtype(np.empty(1, dtype), value, default=state.dtype)
    return constant(number_in(value, dtype))


def number_in(value: float, dtype: np.dtype[Any]) -> np.generic:
    """A Python number in a dtype; what is too large for a float is infinite.

    Raises:
        RuntimeError: a whole number too large for the dtype.
    """
    try:
        made: np.generic = dtype.type(value)
    except OverflowError:
        if dtype.kind == "f":
            made = dtype.type(float("inf") if value > 0 else float("-inf"))
        else:
            raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow") from None
    return made


def wrong_argument(function: str, name: str, position: int, value: object, wanted: str = "Tensor") -> str:
    """PyTorch's text for an argument of the wrong type."""
    return f"{function}(): argument '{name}' (position {position}) must be {wanted}, not {type_name_of(value)}"


def tensor_given(function: str, value: object, name: str = "input", position: int = 1) -> Tensor:
    """The value, which must be a tensor.

    Raises:
        TypeError: it is none, in PyTorch's words.
    """
    if not isinstance(value, Tensor):
        raise TypeError(wrong_argument(function, name, position, value))
    return value


def floating(x: Tensor) -> Tensor:
    """The entry of a tensor for an op that computes in floats: whole numbers become the default dtype."""
    now = x if x.extra is None else current(x)
    return now if now.array.dtype.kind == "f" else constant(now.array.astype(state.dtype)[()])


def array_of(x: Any) -> Any:
    """The present numbers of a tensor; anything else as it is. For masks and indices, which carry no gradient."""
    return current(x).array if isinstance(x, Tensor) else x


def broadcast_text(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """PyTorch's text for two shapes that do not broadcast."""
    for back in range(1, min(len(a), len(b)) + 1):
        if a[-back] != b[-back] and 1 not in (a[-back], b[-back]):
            return (
                f"The size of tensor a ({a[-back]}) must match the size of tensor b ({b[-back]}) at non-singleton "
                f"dimension {max(len(a), len(b)) - back}"
            )
    return f"shapes {list(a)} and {list(b)} cannot be broadcast"


def shape_error(op: Op, entries: tuple[Tensor, ...], error: ValueError) -> RuntimeError:
    """What numpy refuses, as PyTorch would say it."""
    shapes = [tuple(x.array.shape) for x in entries]
    if len(shapes) == 2 and "broadcast" in str(error):
        return RuntimeError(broadcast_text(*shapes))
    given = " and ".join(str(list(shape)) for shape in shapes)
    return RuntimeError(f"{op.name}: inputs of shape {given} do not fit: {error}")
