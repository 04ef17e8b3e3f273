"""Arithmetic and the elementwise functions of one input."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING, DType, category, check_fits, convert, result_dtype
from gradviz.imitation.engine.functions.arguments import is_standard, need, pair, refuse_bool
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.half.rounding import forward
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.shape_errors import fit_together, refuse_bools
from gradviz.imitation.engine.tensor import Tensor, apply, binary, constant, elementwise_function, record, unary, wrap
from gradviz.errors import TorchError

ONLY_WHOLE = "For integral input tensors, argument alpha must not be a floating point number."


def add(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    a, b = pair("add", input, other)
    return binary(OPS["add"], a, b) if is_one(alpha) else _scaled("add_scaled", a, b, alpha)


def _scaled(name: str, a: Tensor, b: Tensor, alpha: float) -> Tensor:
    """a + alpha · b as the one node that PyTorch records."""
    return record(OPS[name], (a, b), {"alpha": alpha}, _scaled_value(name, a, b, alpha))


def _scaled_value(name: str, a: Tensor, b: Tensor, alpha: float) -> Any:
    dtype = result_dtype(a.data, b.data)
    fit_together(OPS[name], a.data, b.data)
    if isinstance(alpha, bool) and dtype.kind != "b":
        raise TorchError("Boolean alpha only supported for Boolean results.")
    if dtype.kind not in FLOATING and isinstance(alpha, float):
        raise TorchError(ONLY_WHOLE)
    return forward(OPS[name], (convert(a.data, dtype), convert(b.data, dtype)), {"alpha": alpha})


def sub(input: Any, other: Any, *, alpha: float = 1) -> Tensor:
    refuse_bools(input, other)
    a, b = pair("sub", input, other)
    return binary(OPS["sub"], a, b) if is_one(alpha) else _scaled("sub_scaled", a, b, alpha)


def is_one(alpha: float) -> bool:
    """Whether nothing is multiplied; True and 1.0 are looked at, since they do not go with every dtype."""
    return type(alpha) is int and alpha == 1


def subtract(input: Any, other: Any, *by_place: Any, **options: Any) -> Tensor:
    """`sub`, which beside a number takes `alpha` by place too and records another node then."""
    if len(by_place) != 1 or options or isinstance(other, Tensor):
        return sub(input, other, *by_place, **options)
    refuse_bools(input, other)
    a, b = pair("sub", input, other)
    value = _scaled_value("sub_scaled", a, b, by_place[0])
    return record(OPS["sub_number"], (a,), {"other": other * by_place[0]}, value)


def rsub(input: Tensor, other: Any, *by_place: Any, **options: Any) -> Tensor:
    """other − alpha · input; alpha may come by place beside a number."""
    if len(by_place) == 1 and not isinstance(other, Tensor):
        return _rsub(input, other, alpha=by_place[0], **options)
    return _rsub(input, other, *by_place, **options)


def _rsub(input: Tensor, other: Any, *, alpha: float = 1) -> Tensor:
    refuse_bools(other, input)
    if not isinstance(other, Tensor):
        number = wrap(other, input)
        if is_one(alpha):
            kept = number.data.item() if number.dtype.kind in "iu" else other
            return apply(OPS["rsub"], (_as(input, number.dtype),), other=kept)
        value = _scaled_value("sub_scaled", number, input, alpha)
        return record(OPS["rsub_scaled"], (input,), {"other": other, "alpha": alpha}, value)
    a, b = pair("rsub", input, other)
    value = _scaled_value("sub_scaled", b, a, alpha) if not is_one(alpha) else _plain(OPS["sub"], b, a)
    return record(OPS["rsub_tensor"], (a, b), {"alpha": alpha}, value)


def _plain(op: Op, a: Tensor, b: Tensor) -> Any:
    """The value of an op of two tensors, in the dtype of both."""
    fit_together(op, a.data, b.data)
    dtype = result_dtype(a.data, b.data)
    return forward(op, (convert(a.data, dtype), convert(b.data, dtype)), {})


def _as(x: Tensor, dtype: DType) -> Tensor:
    return x if x.dtype is dtype else constant(convert(x.data, dtype), x.tape)


def mul(input: Any, other: Any) -> Tensor:
    a, _ = pair("mul", input, other)
    return binary(OPS["mul"], a, other)  # which knows how a number is rounded next to 16 bits


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    if rounding_mode is not None:
        from gradviz.imitation.engine.functions.numbers.paired import rounded_div

        return rounded_div(input, other, rounding_mode)
    a, b = pair("div", input, other)
    if category(a.dtype) < 2 and category(b.dtype) < 2:
        a, b = (constant(x.data.astype(x.tape.float_dtype), x.tape) for x in (a, b))
        return binary(OPS["div"], a, b)
    return binary(OPS["div"], a, other)


def pow(input: Any, exponent: Any) -> Tensor:
    if isinstance(exponent, Tensor):
        if isinstance(input, Tensor):
            if input.dtype == exponent.dtype:
                refuse_bool(input, "pow")
            return binary(OPS["pow_tensor"], input, exponent)
        dtype = wrap(input, exponent).dtype
        return apply(OPS["rpow"], (_as(exponent, dtype),), base=input)
    x = need("pow", input)
    if not isinstance(exponent, int | float | np.number):
        raise TorchError(
            f"unsupported operand type(s) for ** or pow(): 'Tensor' and '{kind_name(exponent)}'", kind="TypeError"
        )
    if isinstance(exponent, bool):
        exponent = int(exponent)
        if x.dtype.kind == "b":  # bools to a bool stay bools
            return constant((np.array(x.data) if exponent else np.ones_like(x.data))[()], x.tape)
    if x.dtype.kind not in FLOATING and isinstance(exponent, int) and exponent < 0:
        raise TorchError("Integers to negative integer powers are not allowed.")
    if x.dtype.kind == "b" and isinstance(exponent, int):
        x = _as(x, np.dtype(np.int64))
    if x.dtype.kind in "iu" and isinstance(exponent, int):
        check_fits(exponent, x.dtype)
    plain = float(exponent) if isinstance(exponent, np.floating) else +exponent
    if isinstance(plain, int) and builtins.abs(plain) > 2**63:
        plain = float(plain)
    return apply(OPS["pow"], (x,), exponent=plain)


def square(input: Tensor) -> Tensor:
    return pow(need("square", input), 2)


def neg(input: Tensor) -> Tensor:
    x = need("neg", input)
    if x.dtype.kind == "b":
        raise TorchError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to invert a mask, use "
            "the `~` or `logical_not()` operator instead."
        )
    return unary(OPS["neg"], x)


WITHOUT_BOOLS = {
    "abs": ("\"abs_cpu\" not implemented for 'Bool'", "NotImplementedError"),
    "relu": ("Boolean inputs not supported for relu", "RuntimeError"),
}
"""What PyTorch says of a bool tensor to functions that keep integers."""


def _without_bools(name: str, run: Callable[[Tensor], Tensor]) -> Callable[[Any], Tensor]:
    message, kind = WITHOUT_BOOLS[name]

    def function(input: Any) -> Tensor:
        x = need(name, input)
        if x.data.dtype.kind == "b":
            raise TorchError(message, kind=kind, hint="Convert the mask to numbers first, e.g. with .float().")
        return run(x)

    function.__name__ = name
    return function


def _elementwise(name: str) -> Callable[[Any], Tensor]:
    function = elementwise_function(OPS[name], need)
    if name in WITHOUT_BOOLS:
        return _without_bools(name, function)
    function.__name__ = name
    return function


exp, log, sqrt, sin, cos, tan, tanh, sigmoid, relu, abs, reciprocal = (
    _elementwise(name)
    for name in ("exp", "log", "sqrt", "sin", "cos", "tan", "tanh", "sigmoid", "relu", "abs", "reciprocal")
)


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    x = need("clone", input)
    if is_standard(memory_format):
        return record(OPS["clone"], (x,), {}, np.array(x.data, order="C")[()])
    return apply(OPS["clone"], (x,))
