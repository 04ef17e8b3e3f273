"""Comparison and choice. No gradient flows through a comparison."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import (
    FLOATING,
    INT64,
    DType,
    check_fits,
    convert,
    result_dtype,
    result_of,
    type_name,
)
from gradviz.imitation.engine.functions.arguments import need, pair, refuse_bool, refuse_mapped
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.memory.layouts import in_loop
from gradviz.imitation.engine.shape_errors import fit_together, raise_shape_error
from gradviz.imitation.engine.tensor import Tensor, apply, binary, constant, record, wrap
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError


def _comparison(name: str, compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Tensor]:
    def function(input: Any, other: Any) -> Tensor:
        a, b = pair(name, input, other if isinstance(other, Tensor) else _number(other))
        try:
            return constant(in_loop(compare(a.data, b.data), (a.data, b.data)), a.tape)
        except ValueError as error:
            raise_shape_error(OPS["add"], a.data, b.data, error)
            raise

    function.__name__ = name
    return function


def _number(value: Any) -> Any:
    return value if isinstance(value, int | float | bool) else need("eq", value, "other", 2)


eq, ne, lt, le, gt, ge = (
    _comparison(name, compare)
    for name, compare in (
        ("eq", np.equal),
        ("ne", np.not_equal),
        ("lt", np.less),
        ("le", np.less_equal),
        ("gt", np.greater),
        ("ge", np.greater_equal),
    )
)


def _bitwise(name: str, function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Tensor]:
    def apply_(input: Any, other: Any) -> Tensor:
        a, b = pair(name, input, other)
        fit_together(OPS["add"], a.data, b.data)
        return constant(in_loop(function(a.data, b.data), (a.data, b.data)), a.tape)

    apply_.__name__ = name
    return apply_


logical_and = _bitwise("logical_and", np.logical_and)
logical_or = _bitwise("logical_or", np.logical_or)
bitwise_and = _bitwise("bitwise_and", operator.and_)
bitwise_or = _bitwise("bitwise_or", operator.or_)
bitwise_xor = _bitwise("bitwise_xor", operator.xor)


def logical_not(input: Tensor) -> Tensor:
    return constant(np.logical_not(need("logical_not", input).data), input.tape)


def _constant_unary(name: str, function: Callable[[Any], Any]) -> Callable[[Any], Tensor]:
    def apply_(input: Any) -> Tensor:
        return constant(function(need(name, input).data), input.tape)

    apply_.__name__ = name
    return apply_


isnan, isinf, isfinite = (
    _constant_unary(n, f) for n, f in (("isnan", np.isnan), ("isinf", np.isinf), ("isfinite", np.isfinite))
)


def maximum(input: Tensor, other: Tensor) -> Tensor:
    return binary(OPS["maximum"], need("maximum", input), need("maximum", other, "other", 2))


def minimum(input: Tensor, other: Tensor) -> Tensor:
    return binary(OPS["minimum"], need("minimum", input), need("minimum", other, "other", 2))


def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    x = need("nonzero_static", input)
    if size < 0:
        raise TorchError("nonzero_static: 'size' must be an non-negative integer")
    places = np.argwhere(x.data)[:size]
    found = np.full((size, x.ndim), fill_value, np.int64)
    found[: len(places)] = places
    return constant(found, x.tape)


BYTES = (
    "where received a uint8 condition tensor. This behavior is deprecated and will be removed in a future version of "
    "PyTorch. Use a boolean condition instead."
)


def where(condition: Any, input: Any = None, other: Any = None) -> Any:
    c = need("where", condition, "condition")
    if input is None and other is None:
        refuse_mapped(c, "where")
        return tuple(constant(places, c.tape) for places in np.nonzero(np.atleast_1d(c.data)))
    if c.dtype == np.uint8:
        warn(BYTES, once=True)
    elif c.dtype.kind != "b":
        raise TorchError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {type_name(c.dtype)}",
            hint="Write a comparison, such as x > 0.",
        )
    if not isinstance(input, Tensor) and not isinstance(other, Tensor):
        input = constant(c.tape.float_dtype.type(input) if isinstance(input, float) else np.int64(input), c.tape)
    for number, like in ((input, other), (other, input)):
        if isinstance(like, Tensor) and isinstance(number, int) and like.dtype.kind in "iu":
            check_fits(number, like.dtype)
    a, b = pair("where", input, other)
    dtype = result_dtype(a.data, b.data)
    fit_together(OPS["where"], c.data, a.data, b.data)
    value = np.where(c.data, convert(a.data, dtype), convert(b.data, dtype))[()]
    return record(OPS["where"], (c, a, b), {}, value)


def where_here(self: Tensor, condition: Any, other: Any) -> Any:
    """`self.where(condition, other)`."""
    return where(condition, self, other)


def _clamp_between(x: Tensor, low: Tensor | None, high: Tensor | None) -> Tensor:
    given = [bound for bound in (low, high) if bound is not None]
    dtype = result_of(t.data for t in (x, *given))
    fit_together(OPS["clamp_tensor"], *(t.data for t in (x, *given)))
    if low is not None and high is not None and dtype.kind == "b":
        refuse_bool(x, "clamp_cpu")
    least, most = (-np.inf, np.inf) if dtype.kind in FLOATING else (0, 1) if dtype == np.bool_ else _bounds_of(dtype)
    low = constant(dtype.type(least), x.tape) if low is None else low
    high = constant(dtype.type(most), x.tape) if high is None else high
    value = OPS["clamp_tensor"].forward(*(convert(t.data, dtype) for t in (x, low, high)))
    return record(OPS["clamp_tensor"], (x, low, high), {}, value)


def _bounds_of(dtype: DType) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _like(x: Tensor, other: Tensor) -> Any:
    """An array as the promotion rules see two arrays taken together."""
    ndim = builtins.max(x.ndim, other.ndim)
    return np.empty((1,) * ndim, result_dtype(x.data, other.data))


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    x = need("clamp", input)
    if min is None and max is None:
        raise TorchError("torch.clamp: At least one of 'min' or 'max' must not be None")
    min, max = (b.item() if isinstance(b, np.generic) else b for b in (min, max))
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        return _clamp_between(x, *(wrap(b, x) if isinstance(b, int | float) else b for b in (min, max)))
    min, max = (b.item() if isinstance(b, np.generic) else b for b in (min, max))
    bounds = [b for b in (min, max) if b is not None]
    if x.dtype.kind not in FLOATING and any(isinstance(b, float) for b in bounds):
        x = constant(x.data.astype(x.tape.float_dtype), x.tape)
    elif x.dtype.kind == "b":
        if all(isinstance(b, bool) for b in bounds):
            refuse_bool(x, clamp_kernel(min, max))
        x = constant(x.data.astype(INT64), x.tape)
    return apply(OPS["clamp"], (x,), min=min, max=max)


def clamp_kernel(min: Any, max: Any) -> str:
    """The name of the kernel that PyTorch clamps with, for messages."""
    return f"clamp_{'min_' if max is None else 'max_' if min is None else ''}scalar_cpu"
