"""Bits of whole numbers: and, or, exclusive or, shifts; and the divisors of two numbers."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, convert, result_dtype, type_name
from gradviz.imitation.engine.functions.arguments import need, pair
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.shape_errors import raise_shape_error
from gradviz.imitation.engine.tensor import Tensor, constant
from gradviz.errors import TorchError


def _whole(name: str, kernel: str, function: Callable[[Any, Any], Any], *, bools: bool = False) -> Any:
    """A function of two tensors of whole numbers, or of one and a number.

    Args:
        kernel: how PyTorch's message calls it.
        bools: whether it takes truth values too.
    """

    def run(input: Any, other: Any) -> Tensor:
        a, b = pair(name, input, other)
        dtype = result_dtype(a.data, b.data)
        try:
            np.broadcast_shapes(a.shape, b.shape)
        except ValueError as error:
            raise_shape_error(_NAMED, a.data, b.data, error)
        if dtype.kind in FLOATING or (dtype.kind == "b" and not bools):
            raise TorchError(
                f"\"{kernel}_cpu\" not implemented for '{type_name(dtype)}'",
                kind="NotImplementedError",
                hint="Convert with .long() first.",
            )
        x, y = convert(a.data, dtype), convert(b.data, dtype)
        return constant(np.asarray(function(x, y), dtype)[()], a.tape)

    run.__name__ = name
    return run


_NAMED = Op("bitwise", "&", operator.and_, (), (), (), "")


def _shifted_left(x: Any, y: Any) -> Any:
    bits = x.dtype.itemsize * 8
    return np.where((y < 0) | (y >= bits), 0, np.left_shift(x, np.clip(y, 0, bits - 1)))


def _shifted_right(x: Any, y: Any) -> Any:
    most = x.dtype.itemsize * 8 - 1
    return np.right_shift(x, np.where((y < 0) | (y > most), most, y).astype(x.dtype))


def bitwise_not(input: Any) -> Tensor:
    x = need("bitwise_not", input)
    if x.dtype.kind in FLOATING:
        raise TorchError(f"\"bitwise_not_cpu\" not implemented for '{type_name(x.dtype)}'", kind="NotImplementedError")
    return constant(np.invert(x.data), x.tape)


def invert(input: Any) -> Tensor:
    """`~x`."""
    x = need("bitwise_not", input)
    if x.dtype.kind in FLOATING:
        raise TorchError(
            "~ (operator.invert) is only implemented on integer and Boolean-type tensors", kind="TypeError"
        )
    return bitwise_not(x)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "bitwise_and": _whole("bitwise_and", "bitwise_and", operator.and_, bools=True),
    "bitwise_or": _whole("bitwise_or", "bitwise_or", operator.or_, bools=True),
    "bitwise_xor": _whole("bitwise_xor", "bitwise_xor", operator.xor, bools=True),
    "bitwise_left_shift": _whole("bitwise_left_shift", "lshift", _shifted_left),
    "bitwise_right_shift": _whole("bitwise_right_shift", "rshift", _shifted_right),
    "bitwise_not": bitwise_not,
    "gcd": _whole("gcd", "gcd", np.gcd),
    "lcm": _whole("lcm", "lcm", np.lcm),
}
METHODS: dict[str, Callable[..., Any]] = {
    **FUNCTIONS, "__and__": FUNCTIONS["bitwise_and"], "__or__": FUNCTIONS["bitwise_or"],
    "__xor__": FUNCTIONS["bitwise_xor"], "__invert__": invert, "__lshift__": FUNCTIONS["bitwise_left_shift"],
    "__rshift__": FUNCTIONS["bitwise_right_shift"],
}  # fmt: skip
