"""Elementwise functions of two or three inputs beyond plain arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import BOOL, FLOATING, c_name, check_fits, convert, result_dtype, type_name
from gradviz.imitation.engine.functions.arguments import need, pair, refuse_bool, refuse_other_dtype
from gradviz.imitation.engine.functions.together import together
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.op import Op, Rule
from gradviz.imitation.engine.rules.numbers.paired import truncated
from gradviz.imitation.engine.shape_errors import fit_together, mismatch
from gradviz.imitation.engine.tensor import Tensor, apply, binary, constant, record, wrap
from gradviz.errors import TorchError

"""How PyTorch's messages name a dtype in some places."""


def underivable(name: str) -> Op:
    """An op that PyTorch gives no derivative: the graph holds it, and backward() refuses it."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise TorchError(
            f"derivative for aten::{name} is not implemented", hint="Detach its result, or use another function."
        )

    rules: tuple[Rule, Rule] = (refuse, refuse)
    return Op(name, name, refuse, rules, ("a", "b"), ("none", "none"), "", node="NotImplemented")


HEAVISIDE, FLOOR_DIVIDE, REMAINDER = (underivable(name) for name in ("heaviside", "floor_divide", "remainder"))


def _is_number(x: Any) -> bool:
    return isinstance(x, int | float) and not isinstance(x, bool)


def _both(name: str) -> Callable[[Any, Any], Tensor]:
    """A function of two tensors, whole numbers taken as float32 where the result is not whole."""

    def function(input: Any, other: Any) -> Tensor:
        a, b = pair(name, input, need(name, other, "other", 2))
        dtype = result_dtype(a.data, b.data)
        fit_together(OPS[name], a.data, b.data)
        if dtype.kind not in FLOATING and name in ("hypot", "logaddexp", "logaddexp2"):
            raise TorchError(
                f"\"{name}_cpu\" not implemented for '{type_name(dtype)}'",
                kind="NotImplementedError",
                hint="Convert with .float() first.",
            )
        if not OPS[name].keeps_integers and dtype.kind not in FLOATING:
            a, b = (constant(x.data.astype(x.tape.float_dtype), x.tape) for x in (a, b))
        return binary(OPS[name], a, b)

    function.__name__ = name
    return function


def _with_number(name: str, x: Tensor, **params: Any) -> Tensor:
    """An op with a number in the place of its second input."""
    (key, value), *_ = params.items()
    beside = wrap(value, x)
    given = x if x.dtype is beside.dtype else constant(convert(x.data, beside.dtype), x.tape)
    return apply(OPS[name], (given,), **{key: beside.data.item() if beside.dtype.kind in "iu" else value})


def _check_divisor(name: str, a: Tensor, other: Any, kernel: str) -> None:
    """Raise where whole numbers are divided by 0, and for bools alone, which PyTorch's kernel does not take."""
    b = other if isinstance(other, Tensor) else wrap(other, a)
    kind = result_dtype(a.data, b.data).kind
    if kind == "b":
        refuse_bool(a, kernel)
    if kind in "iu" and a.data.size and not np.all(b.data):
        raise TorchError("ZeroDivisionError", hint=f"{name}() of whole numbers needs a divisor that is not 0.")


def fmod(input: Any, other: Any) -> Tensor:
    x = need("fmod", input)
    if isinstance(other, Tensor):
        fit_together(OPS["fmod"], x.data, other.data)
    _check_divisor("fmod", x, other, "fmod_cpu")
    return _with_number("fmod_number", x, other=other) if _is_number(other) else binary(OPS["fmod"], x, other)


def remainder(input: Any, other: Any) -> Tensor:
    if not isinstance(input, Tensor):
        a, b = pair("remainder", input, other)
        fit_together(REMAINDER, a.data, b.data)
        _check_divisor("remainder", a, b, "remainder_cpu")
        dtype = result_dtype(a.data, b.data)
        value = OPS["remainder"].forward(convert(a.data, dtype), convert(b.data, dtype))
        return record(REMAINDER, (a, b), {}, value)
    if isinstance(other, Tensor):
        fit_together(REMAINDER, input.data, other.data)
    _check_divisor("remainder", input, other, "remainder_cpu")
    if _is_number(other):
        return _with_number("remainder_number", input, other=other)
    return binary(OPS["remainder"], *pair("remainder", input, other))


def rounded_div(input: Any, other: Any, rounding_mode: str) -> Tensor:
    """`torch.div` with a rounding mode."""
    if rounding_mode not in ("floor", "trunc"):
        raise TorchError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{rounding_mode}'"
        )
    a, b = pair("div", input, other)
    fit_together(OPS["div"], a.data, b.data)
    _check_divisor("div", a, b, f"div_{rounding_mode}_cpu")
    value = _whole(a, b, rounding_mode)
    return record(OPS["div_rounded"], (a, b), {"rounding_mode": rounding_mode}, value)


def floor_divide(input: Any, other: Any) -> Tensor:
    a, b = pair("floor_divide", input, other)
    fit_together(FLOOR_DIVIDE, a.data, b.data)
    _check_divisor("floor_divide", a, b, "div_floor_cpu")
    return record(FLOOR_DIVIDE, (a, b), {}, _whole(a, b, "floor"))


def _whole(a: Tensor, b: Tensor, rounding_mode: str) -> Any:
    dtype = result_dtype(a.data, b.data)
    x, y = convert(a.data, dtype), convert(b.data, dtype)
    value = np.floor_divide(x, y) if rounding_mode == "floor" else truncated(x, y)
    return np.asarray(value).astype(dtype)[()]


def heaviside(input: Tensor, values: Tensor) -> Tensor:
    x, v = need("heaviside", input), need("heaviside", values, "values", 2)
    if x.dtype is not v.dtype:
        raise TorchError("heaviside is not yet implemented for tensors with different dtypes.")
    fit_together(HEAVISIDE, x.data, v.data)
    step = np.where(x.data == 0, v.data, (x.data > 0).astype(x.dtype)).astype(x.dtype)[()]
    return record(HEAVISIDE, (x, v), {}, step)


def xlogy(input: Any, other: Any) -> Tensor:
    if _is_number(other) and isinstance(input, Tensor):
        x = input if input.dtype.kind in FLOATING else constant(input.data.astype(input.tape.float_dtype), input.tape)
        return _with_number("xlogy_number", x, other=other)
    if _is_number(input) and isinstance(other, Tensor) and other.dtype.kind in FLOATING:
        return _with_number("xlogy_of", other, base=input)
    if isinstance(other, bool | int | float) and isinstance(input, Tensor):
        other = wrap(float(other), input)
    return _both("xlogy")(input, other)


def copysign(input: Tensor, other: Any) -> Tensor:
    x = need("copysign", input)
    if isinstance(other, int | float):
        x = x if x.dtype.kind in FLOATING else constant(x.data.astype(x.tape.float_dtype), x.tape)
        return apply(OPS["copysign_number"], (x,), other=other)
    return _both("copysign")(x, other)


def _refuse_bools(name: str, x: Tensor, bound: Any) -> None:
    if x.dtype.kind == "b" and isinstance(bound, bool):
        text = f"\"{name}_scalar_cpu\" not implemented for 'Bool'"
        raise TorchError(text, kind="NotImplementedError", hint="Convert with .int() first.")


def _check_bound(x: Tensor, bound: Any) -> None:
    """Raise for a whole number that x cannot be compared with in its own dtype."""
    if isinstance(bound, int) and x.dtype.kind in "iu":
        check_fits(bound, x.dtype)


def clamp_min(input: Tensor, min: Any) -> Tensor:
    x = need("clamp_min", input)
    _refuse_bools("clamp_min", x, min)
    _check_bound(x, min)
    return _with_number("clamp_min", x, min=min) if _is_number(min) else binary(OPS["clamp_min_tensor"], x, min)


def clamp_max(input: Tensor, max: Any) -> Tensor:
    x = need("clamp_max", input)
    _refuse_bools("clamp_max", x, max)
    _check_bound(x, max)
    return _with_number("clamp_max", x, max=max) if _is_number(max) else binary(OPS["clamp_max_tensor"], x, max)


def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    a, b = need("lerp", input), need("lerp", end, "end", 2)
    if a.dtype is not b.dtype:
        names = [c_name(x.dtype) for x in (a, b)]
        raise TorchError(f"expected dtype {names[0]} for `end` but got dtype {names[1]}")
    if isinstance(weight, Tensor) and weight.ndim and weight.dtype is not a.dtype:
        names = [c_name(x.dtype) for x in (a, weight)]
        raise TorchError(f"expected dtype {names[0]} for `weight` but got dtype {names[1]}")
    fit_together(OPS["lerp_number"], a.data, b.data)
    if a.dtype.kind not in FLOATING:
        kernel = "lerp_kernel_tensor" if isinstance(weight, Tensor) else "lerp_kernel_scalar"
        raise TorchError(f"\"{kernel}\" not implemented for '{type_name(a.dtype)}'", kind="NotImplementedError")
    if isinstance(weight, Tensor):
        return together("lerp", a, b, weight)
    return together("lerp_number", a, b, weight=weight)


def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    xs = _three("addcmul", input, tensor1, tensor2)
    fit_together(OPS["addcmul"], *(x.data for x in xs))
    if all(x.dtype is BOOL for x in xs):
        raise TorchError("\"addcmul_cpu_out\" not implemented for 'Bool'", kind="NotImplementedError")
    return together("addcmul", *xs, value=value)


NO_INTEGERS = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true "
    "division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * "
    "torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / tensor2) for "
    "float inputs. The future addcdiv behavior is just the latter implementation: (input + value * tensor1 / tensor2), "
    "for all dtypes."
)


def addcdiv(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: float = 1) -> Tensor:
    xs = _three("addcdiv", input, tensor1, tensor2)
    if all(x.dtype.kind not in FLOATING for x in xs[1:]):
        raise TorchError(NO_INTEGERS, hint="Convert tensor1 or tensor2 with .float().")
    return together("addcdiv", *xs, value=value)


def _three(name: str, x: Any, a: Any, b: Any) -> tuple[Tensor, Tensor, Tensor]:
    return need(name, x), need(name, a, "tensor1", 2), need(name, b, "tensor2", 3)


# ---- questions, which carry no gradient ----


def isclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    a, b = need("isclose", input), need("isclose", other, "other", 2)
    refuse_other_dtype(a, b)
    fit_together(OPS["add"], a.data, b.data)
    return constant(np.isclose(a.data, b.data, rtol, atol, equal_nan), a.tape)


def logical_xor(input: Tensor, other: Tensor) -> Tensor:
    a, b = need("logical_xor", input), need("logical_xor", other, "other", 2)
    error = mismatch(a.shape, b.shape, "'logical_xor'")
    if error is not None:
        raise error
    return constant(np.logical_xor(a.data, b.data), a.tape)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{name: _both(name) for name in ("atan2", "hypot", "logaddexp", "logaddexp2", "fmax", "fmin")},
    **{
        f.__name__: f
        for f in (
            fmod, remainder, floor_divide, heaviside, xlogy, copysign, clamp_min, clamp_max, lerp, addcmul, addcdiv,
            isclose, logical_xor,
        )
    },
}  # fmt: skip
FUNCTIONS["arctan2"] = FUNCTIONS["atan2"]
