"""Arithmetic and elementary functions, element by element, as people call them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.apply import apply, cut, function_of, operator_of
from gradviz.engine.dtypes import DType, dtype_of
from gradviz.engine.operands import as_operand, broadcast_text, floating, tensor_given
from gradviz.engine.state import state, warn_once
from gradviz.engine.tensor import Tensor, constant, current
from gradviz.ops.elementwise import (
    ADD,
    ATAN2,
    CLAMP,
    CLAMP_BOTH,
    CLAMP_MAX,
    CLAMP_MAX_NUMBER,
    CLAMP_MIN,
    CLAMP_MIN_NUMBER,
    CLONE,
    DIV,
    DIV_FLOOR,
    DIV_TRUNC,
    EXPONENTIAL,
    FLOOR_DIVIDE,
    FMOD,
    FROM_NUMBER,
    LERP,
    LOGADDEXP,
    MAXIMUM,
    MINIMUM,
    MUL,
    NAN_TO_NUM,
    NEG,
    PLUS_NUMBER,
    POLYGAMMA,
    POW,
    POW_NUMBER,
    REMAINDER,
    ROUND,
    ROUND_DECIMALS,
    SUB,
    TO,
    UNARY,
    WHERE,
)
from gradviz.ops.promotion import cast, result_dtype

# ---- what people call -------------------------------------------------------------------------------------------

_add, _sub, _mul, _div = (operator_of(op) for op in (ADD, SUB, MUL, DIV))
_from_number = operator_of(FROM_NUMBER)
neg = function_of(NEG)
maximum, minimum, atan2, logaddexp = (operator_of(op) for op in (MAXIMUM, MINIMUM, ATAN2, LOGADDEXP))
fmod, remainder = operator_of(FMOD), operator_of(REMAINDER)
_rounded = {"floor": operator_of(DIV_FLOOR), "trunc": operator_of(DIV_TRUNC)}
_floor_divide = operator_of(FLOOR_DIVIDE)
_clamp_low, _clamp_high = operator_of(CLAMP_MIN), operator_of(CLAMP_MAX)
exp, log, sqrt, tanh, sigmoid, sin, cos = (function_of(op) for op in UNARY[:7])
(
    tan, asin, acos, atan, sinh, cosh, asinh, acosh, atanh, expm1, log2, log10, log1p, rsqrt, reciprocal, square,
    abs, erf, erfc, entr, lgamma, digamma, floor, ceil, trunc, sign,
) = (function_of(op) for op in UNARY[7:])  # fmt: skip
clone_of = function_of(CLONE)

TWO_BOOLS_MINUS = (
    "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` operator "
    "instead."
)
BOOL_MINUS = (
    "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, use the "
    "`~` or `logical_not()` operator instead."
)


def _first(x: Any, other: Any, function: str) -> Tensor:
    """The first operand as a tensor, where the second may be one."""
    if isinstance(x, Tensor):
        return x
    if isinstance(other, Tensor) and isinstance(x, float | int):
        return as_operand(x, other)
    return tensor_given(function, x)


def _done(found: Any, function: str, other: Any) -> Tensor:
    """What an operator gave; NotImplemented means that the second operand is of no use."""
    if found is NotImplemented:
        tensor_given(function, other, "other", 2)
    made: Tensor = found
    return made


def _in_new_order(function: str, given: tuple[Any, ...], number: str) -> tuple[Any, ...]:
    """Operands in the order of today, for old code that has the number before the last tensors; it is warned of that.

    Args:
        given: the operands, the number first.
        number: what the number is called today, e.g. "alpha".

    Returns:
        The tensors, and behind them the number.
    """
    tensors = ", ".join(["Tensor other"] if len(given) == 2 else ["Tensor tensor1", "Tensor tensor2"])
    warn_once(
        f"This overload of {function} is deprecated:\n\t{function}(Number {number}, {tensors})\nConsider using one of the "
        f"following signatures instead:\n\t{function}({tensors}, *, Number {number} = 1)"
    )
    return (*given[1:], given[0])


def add(input: Any, other: Any, *more: Any, alpha: float = 1) -> Tensor:
    """input + alpha · other."""
    if more:
        other, alpha = _in_new_order("add", (other, *more), "alpha")
    other = other if alpha == 1 else mul(other, alpha) if isinstance(other, Tensor) else other * alpha
    return _done(_add(_first(input, other, "add"), other), "add", other)


def sub(input: Any, other: Any, *more: Any, alpha: float = 1) -> Tensor:
    """input − alpha · other."""
    if more:
        other, alpha = _in_new_order("sub", (other, *more), "alpha")
    other = other if alpha == 1 else mul(other, alpha) if isinstance(other, Tensor) else other * alpha
    x = _first(input, other, "sub")
    _refuse_bools(x, other)
    return _done(_sub(x, other), "sub", other)


def subtract_from(number: Any, x: Tensor) -> Tensor:
    """number − x: the operator with the tensor on the right."""
    _refuse_bools(x, number)
    return _from_number(number, x)


def divide_number(number: Any, x: Tensor) -> Tensor:
    """number / x: the operator with the tensor on the right, a reciprocal and a product as PyTorch has it."""
    return _mul(reciprocal(x), number)


def _refuse_bools(x: Tensor, other: Any) -> None:
    """Refuse to subtract what is true or false."""
    is_bool = current(x).array.dtype.kind == "b"
    is_other = current(other).array.dtype.kind == "b" if isinstance(other, Tensor) else isinstance(other, bool)
    if is_bool or is_other:
        raise RuntimeError(TWO_BOOLS_MINUS if is_bool and is_other else BOOL_MINUS)


def mul(input: Any, other: Any) -> Tensor:
    """input · other, element by element."""
    return _done(_mul(_first(input, other, "mul"), other), "mul", other)


def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """input / other; with rounding_mode "floor" or "trunc" rounded to whole numbers.

    Raises:
        RuntimeError: another rounding_mode, or whole numbers divided by 0.
    """
    if rounding_mode is None:
        x = _first(input, other, "div")
        now = current(x)
        if now.array.dtype.kind != "f" and not (isinstance(other, Tensor) and current(other).array.dtype.kind == "f"):
            x = floating(x)
        return _done(_div(x, other), "div", other)
    if rounding_mode not in ("floor", "trunc"):
        raise RuntimeError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    return _divide_whole("div", _rounded[rounding_mode], input, other)


def _divide_whole(name: str, divide: Callable[..., Tensor], input: Any, other: Any) -> Tensor:
    x = _first(input, other, name)
    divisor = current(other).array if isinstance(other, Tensor) else other
    if current(x).array.dtype.kind != "f" and np.asarray(divisor).dtype.kind in "biu" and not np.all(divisor):
        raise RuntimeError("ZeroDivisionError")
    return _done(divide(x, other), name, other)


def plus_number(x: Tensor, number: float) -> Tensor:
    """x + number; see `times_number`."""
    return apply(PLUS_NUMBER, (x,), number=number)


def floor_divide(input: Any, other: Any) -> Tensor:
    """input / other, rounded down; a backward pass that comes to it ends with PyTorch's error."""
    return _divide_whole("floor_divide", _floor_divide, input, other)


def pow(input: Any, exponent: Any) -> Tensor:
    """input to the power of exponent; one of them may be a number."""
    if isinstance(input, Tensor) and not isinstance(exponent, Tensor):
        now = current(input)
        if not isinstance(exponent, float | int | np.number):
            tensor_given("pow", exponent, "exponent", 2)
        if now.array.dtype.kind != "f":
            if isinstance(exponent, float):
                now = floating(input)
            elif exponent < 0:
                raise RuntimeError("Integers to negative integer powers are not allowed.")
        return apply(POW_NUMBER, (now,), exponent=exponent)
    if not isinstance(input, Tensor):
        exponent = tensor_given("pow", exponent, "exponent", 2)
        return apply(EXPONENTIAL, (floating(exponent),), base=float(input))
    return _power(input, exponent)


_power = operator_of(POW)


def where(condition: Tensor, input: Any = None, other: Any = None) -> Any:
    """input where the condition holds, else other; alone, the indices where it holds."""
    holds = current(tensor_given("where", condition, "condition")).array
    if input is None and other is None:
        return tuple([constant(index) for index in np.nonzero(holds)])
    tensors = [x for x in (input, other) if isinstance(x, Tensor)]
    if not tensors:
        kind = state.dtype if isinstance(input, float) or isinstance(other, float) else np.dtype(np.int64)
        return constant(np.where(holds, input, other).astype(kind)[()])
    a, b = (x if isinstance(x, Tensor) else as_operand(x, tensors[0]) for x in (input, other))
    x, y = current(a), current(b)
    if x.array.dtype != y.array.dtype:
        dtype = result_dtype(x.array, y.array, default=state.dtype)
        x, y = (each if each.array.dtype == dtype else convert(each, dtype_of(dtype)) for each in (x, y))
    try:
        np.broadcast_shapes(holds.shape, x.array.shape, y.array.shape)
    except ValueError:
        pairs = ((holds.shape, x.array.shape), (x.array.shape, y.array.shape), (holds.shape, y.array.shape))
        raise RuntimeError(broadcast_text(*pairs[[not _fit(*pair) for pair in pairs].index(True)])) from None
    return apply(WHERE, (constant(holds.astype(bool)[()]), x, y))


def _fit(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(m == n or 1 in (m, n) for m, n in zip(reversed(a), reversed(b), strict=False))


def clamp(input: Tensor, min: Any = None, max: Any = None) -> Tensor:
    """input kept between bounds, which may be numbers or tensors."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if isinstance(min, Tensor) or isinstance(max, Tensor):
        x = tensor_given("clamp", input)
        if min is None or max is None:
            return _clamp_high(x, max) if min is None else _clamp_low(x, min)
        return apply(CLAMP_BOTH, tuple(_in_one_dtype(*[as_operand(each, x) for each in (x, min, max)])))
    return apply(CLAMP, (_bounded("clamp", input, min, max),), min=min, max=max)


def _bounded(function: str, input: Any, *bounds: float | None) -> Tensor:
    """The entry of a tensor to keep between numbers: of floats where one of these is a float."""
    now = current(tensor_given(function, input))
    if now.array.dtype.kind != "f" and any(isinstance(bound, float) for bound in bounds):
        return floating(input)
    return now


def _in_one_dtype(*tensors: Tensor) -> list[Tensor]:
    dtype = dtype_of(result_dtype(*[current(each).array for each in tensors], default=state.dtype))
    return [convert(each, dtype) for each in tensors]


def clamp_min(input: Tensor, min: Any) -> Tensor:
    """input, but at least min."""
    if isinstance(min, Tensor):
        return _clamp_low(tensor_given("clamp_min", input), min)
    return apply(CLAMP_MIN_NUMBER, (_bounded("clamp_min", input, min),), min=min)


def clamp_max(input: Tensor, max: Any) -> Tensor:
    """input, but at most max."""
    if isinstance(max, Tensor):
        return _clamp_high(tensor_given("clamp_max", input), max)
    return apply(CLAMP_MAX_NUMBER, (_bounded("clamp_max", input, max),), max=max)


def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """input + weight · (end − input)."""
    return apply(LERP, (input, end, weight if isinstance(weight, Tensor) else as_operand(weight, input)))


def addcmul(input: Tensor, tensor1: Any, tensor2: Tensor, *more: Any, value: float = 1) -> Tensor:
    """input + value · tensor1 · tensor2."""
    if more:
        tensor1, tensor2, value = _in_new_order("addcmul", (tensor1, tensor2, *more), "value")
    return add(input, mul(mul(tensor1, tensor2), value) if value != 1 else mul(tensor1, tensor2))


def addcdiv(input: Tensor, tensor1: Any, tensor2: Tensor, *more: Any, value: float = 1) -> Tensor:
    """input + value · tensor1 / tensor2."""
    if more:
        tensor1, tensor2, value = _in_new_order("addcdiv", (tensor1, tensor2, *more), "value")
    return add(input, mul(div(tensor1, tensor2), value) if value != 1 else div(tensor1, tensor2))


def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """input rounded, halves to the even neighbour."""
    return apply(ROUND_DECIMALS if decimals else ROUND, (tensor_given("round", input),), decimals=decimals)


def polygamma(n: Any, input: Any) -> Tensor:
    """The derivative of order n of the digamma function; as a method x.polygamma(n)."""
    if isinstance(n, Tensor):
        n, input = input, n
    return apply(POLYGAMMA, (floating(tensor_given("polygamma", input)),), n=int(n))


def nan_to_num(
    input: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """input with numbers in place of NaN, infinity and minus infinity."""
    return apply(NAN_TO_NUM, (tensor_given("nan_to_num", input),), nan=nan or 0.0, posinf=posinf, neginf=neginf)


def clone(input: Tensor, *, memory_format: object = None) -> Tensor:
    """A copy in memory of its own; gradients flow through it."""
    return clone_of(input)


def convert(x: Tensor, dtype: DType) -> Tensor:
    """A tensor in another dtype; itself where it has it."""
    now = current(x)
    if now.array.dtype == dtype.numpy:
        return x
    return apply(TO, (now,), dtype=dtype.name)


# ---- without a gradient -----------------------------------------------------------------------------------------


def _comparison(name: str, compare: Callable[[Any, Any], Any]) -> Callable[[Tensor, Any], Tensor]:
    def function(input: Tensor, other: Any) -> Tensor:
        a = current(tensor_given(name, input)).array
        if not isinstance(other, Tensor):
            if not isinstance(other, float | int | np.generic | np.ndarray):
                return NotImplemented  # type: ignore[no-any-return] # Python then asks the other side
            made = constant(np.asarray(compare(a, other))[()])
            cut(made, input, name)
            return made
        b = current(other).array
        if a.dtype != b.dtype:
            dtype = result_dtype(a, b, default=state.dtype)
            a, b = cast(a, dtype), cast(b, dtype)
        try:
            made = constant(np.asarray(compare(a, b))[()])
        except ValueError:
            raise RuntimeError(broadcast_text(a.shape, b.shape)) from None
        if (tell := state.on_cut) is not None:
            tell(made, (current(input), current(other)), name)
        return made

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Element by element, whether input {name} other."
    return function


eq, ne = _comparison("eq", np.equal), _comparison("ne", np.not_equal)
lt, le = _comparison("lt", np.less), _comparison("le", np.less_equal)
gt, ge = _comparison("gt", np.greater), _comparison("ge", np.greater_equal)


def _logical(name: str, combine: Callable[[Any, Any], Any]) -> Callable[[Tensor, Any], Tensor]:
    def function(input: Tensor, other: Any) -> Tensor:
        a = current(tensor_given(name, input)).array
        b = current(other).array if isinstance(other, Tensor) else other
        return constant(np.asarray(combine(a, b))[()])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}, element by element."
    return function


logical_and, logical_or = _logical("logical_and", np.logical_and), _logical("logical_or", np.logical_or)
logical_xor = _logical("logical_xor", np.logical_xor)
bitwise_and, bitwise_or = _logical("bitwise_and", np.bitwise_and), _logical("bitwise_or", np.bitwise_or)
bitwise_xor = _logical("bitwise_xor", np.bitwise_xor)
shift_left, shift_right = _logical("bitwise_left_shift", np.left_shift), _logical("bitwise_right_shift", np.right_shift)


def _test(name: str, test: Callable[[Any], Any]) -> Callable[[Tensor], Tensor]:
    def function(input: Tensor) -> Tensor:
        return constant(np.asarray(test(current(tensor_given(name, input)).array))[()])

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}, element by element."
    return function


logical_not, bitwise_not = _test("logical_not", np.logical_not), _test("bitwise_not", np.invert)
isnan, isinf, isfinite = _test("isnan", np.isnan), _test("isinf", np.isinf), _test("isfinite", np.isfinite)


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Element by element, whether |input − other| ≤ atol + rtol · |other|."""
    return constant(np.isclose(current(input).array, current(other).array, rtol, atol, equal_nan)[()])


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether all elements are close; see `isclose`."""
    a, b = current(input).array, current(other).array
    if a.dtype != b.dtype:
        raise RuntimeError(f"{_kind(a)} did not match {_kind(b)}")
    return bool(np.allclose(a, b, rtol, atol, equal_nan))


def _kind(a: Any) -> str:
    return dtype_of(a.dtype).type_name


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape and the same numbers."""
    return bool(np.array_equal(current(input).array, current(other).array))
