"""Tensor: define-by-run on numpy, made to be recorded.

A tensor that an op makes is itself the entry of the tape: no node object beside it, no closure, no
topological sort, because the order of creation is one. Inputs are positions on the tape, not objects, so an
in-place change can leave a frozen stand-in at the old position (see `storage`) while the tensor the user
holds moves on.

Values are numpy arrays, or numpy scalars for shape (): arithmetic on scalars is several times faster.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy import ndarray

from gradviz.imitation.engine.dtypes import FLOATING, HALVES, convert, number_dtype, result_dtype, type_name, wrapped
from gradviz.imitation.engine.half.rounding import beside, computed, forward, operand
from gradviz.imitation.engine.inference import INFERENCE, recorded_op
from gradviz.imitation.engine.kernels.nearest import OF_ONE
from gradviz.imitation.engine.memory.layouts import LAYOUTS, in_loop, laid
from gradviz.imitation.engine.shape_errors import raise_shape_error, refuse_bools
from gradviz.imitation.engine.tape import Tape
from gradviz.imitation.engine.tensor_class import NO_PARAMS, Tensor, constant
from gradviz.errors import TorchError

if TYPE_CHECKING:
    from gradviz.imitation.engine.op import Op

__all__ = [
    "NO_PARAMS", "UNEVEN", "Tape", "Tensor", "apply", "binary", "bind_operators", "constant", "elementwise_function",
    "elementwise_operator", "record", "unary", "wrap",
]  # fmt: skip

UNEVEN: dict[str, Any] = {}
"""The params of an elementwise op whose inputs differ in shape or dtype: its gradients must be fitted to them."""


def bind_operators(table: dict[str, Op]) -> None:
    """Give Tensor the operators that are one entry of the rule table; the table is made after this module."""
    for name in ("add", "sub", "mul", "truediv", "matmul"):
        op = table["div" if name == "truediv" else name]
        setattr(Tensor, f"__{name}__", elementwise_operator(op, table.get(f"{op.name}_number")))
    Tensor.__radd__ = Tensor.__add__
    Tensor.__rmul__ = Tensor.__mul__
    Tensor.__rsub__ = _number_minus(table["rsub"])
    Tensor.__rtruediv__ = lambda x, other: Tensor.__mul__(unary(table["reciprocal"], x), other)
    Tensor.__neg__ = lambda x: unary(table["neg"], x)


def _number_minus(op: Op) -> Callable[[Tensor, Any], Tensor]:
    def operator(x: Tensor, other: Any) -> Tensor:
        if x.data.dtype.kind == "b" or other is True or other is False:
            refuse_bools(other, x)
        return apply(op, (x,), other=other)

    return operator


def wrap(number: Any, like: Tensor, op: Op | None = None) -> Tensor:
    """A Python number next to a tensor: a constant that takes the tensor's dtype where it can.

    Args:
        op: what is done with the two, where that decides how the number is rounded.

    Raises:
        TorchError: it is no number, or it does not fit the dtype.
    """
    dtype = like.data.dtype
    if HALVES and dtype in HALVES and op is not None and isinstance(number, (int, float)):
        return constant(beside(op.name, dtype, number), like.tape)
    # Most numbers next to most tensors; the rest is rarer and takes longer.
    if dtype.kind not in FLOATING or (type(number) is not float and type(number) is not int):
        dtype = number_dtype(number, dtype, like.tape.float_dtype)
    try:
        return constant(dtype.type(number), like.tape)
    except OverflowError:
        if dtype.kind in FLOATING:
            return constant(dtype.type(math.copysign(math.inf, number)), like.tape)
        if dtype.itemsize < 8:
            return constant(wrapped(number, dtype), like.tape)
        raise TorchError(f"value cannot be converted to type {dtype.name} without overflow") from None


def elementwise_operator(op: Op, by_number: Op | None = None) -> Callable[[Tensor, Any], Tensor]:
    """A function of two tensors, or a tensor and a number, that applies an op with PyTorch's promotion.

    Rules of the table apply `by_number` to a tensor and a number, as PyTorch's C++ does.

    One body for all operators, with everything it needs at hand: a call less per op is a tenth of the time of
    a scalar graph.
    """
    run, is_sub, lay = op.forward, op.name == "sub", LAYOUTS.get(op.name)

    def operator(a: Tensor, b: Any) -> Tensor:
        if HALVES and (found := _of_halves(op, by_number, a, b)) is not None:
            return found
        if type(b) is not Tensor:
            if by_number is not None and a.tape.in_rule and isinstance(b, (int, float)):
                return apply(by_number, (a,), other=b)
            if is_sub and (b is True or b is False):
                refuse_bools(a, b)
            b = wrap(b, a)
        x, y = a.data, b.data
        params = NO_PARAMS
        # Two numpy scalars of one type need no look at their dtypes, which costs more than their product.
        kind = type(x)
        if kind is not type(y) or (kind is ndarray and (x.shape != y.shape or x.dtype is not y.dtype)):
            params = UNEVEN
            if x.dtype is not y.dtype:
                if is_sub:
                    refuse_bools(a, b)
                dtype = result_dtype(x, y)
                x, y = convert(x, dtype), convert(y, dtype)
        try:
            value = run(x, y)
        except (ValueError, TypeError) as error:
            _before_failing(op, a, b)
            raise_shape_error(op, x, y, error)
        if kind is ndarray and x.ndim > 1 and lay is not None and not (lay is in_loop and x.flags.c_contiguous):
            value = lay(value, (x, y))
        tape = a.tape
        if not (a.requires_grad or b.requires_grad) or not tape.grad_enabled:
            return constant(value, tape)
        i, j = a.index, b.index
        if i < 0:
            if i == j == INFERENCE:
                return constant(value, tape)
            i = tape.enter(a, op, 0, (a, b))
        if j < 0:
            j = tape.enter(b, op, 1, (a, b)) if b is not a else i
        if params is UNEVEN and not b.requires_grad and x is a.data and y is b.data and x.shape == value.shape:
            params = NO_PARAMS  # what is sent to a fits it as it is
        entries = tape.entries
        out = Tensor()
        out.data = value
        out.tape = tape
        out.params = params
        out.extra = None
        out.requires_grad = True
        out.op = op
        out.inputs = (i, j)
        out.index = len(entries)
        entries.append(out)
        return out

    return operator


def _of_halves(op: Op, by_number: Op | None, a: Tensor, b: Any) -> Tensor | None:
    """What an operator gives in a dtype of 16 bits; None where the result has another."""
    is_tensor = type(b) is Tensor
    casting = a.tape.casting
    if casting is not None and casting.dtype is not None and op.name == "matmul":
        a, b = casting.operand(a), casting.operand(b)
    if not is_tensor and (not isinstance(b, (int, float)) or ((b is True or b is False) and op.name == "sub")):
        return None
    dtype = result_dtype(a.data, b.data) if is_tensor else number_dtype(b, a.data.dtype, a.tape.float_dtype)
    if dtype not in HALVES:
        return None
    if not is_tensor and by_number is not None and a.tape.in_rule:
        return apply(by_number, (a,), other=b)
    if not is_tensor:
        b = constant(beside(op.name, dtype, b), a.tape)
    x, y = convert(a.data, dtype), operand(op.name, dtype, b.data)
    try:
        value = computed(op, (x, y), NO_PARAMS)
    except (ValueError, TypeError) as error:
        raise_shape_error(op, x, y, error)
    return record(op, (a, b), NO_PARAMS if a.data.shape == b.data.shape and a.dtype is b.dtype else UNEVEN, value)


def _before_failing(op: Op, *inputs: Tensor) -> None:
    """What PyTorch does before it looks at sizes: asks each input for its history, and packs what would be saved."""
    from gradviz.imitation.engine.hooks.on_saved_tensors import save_before_failing
    from gradviz.imitation.engine.memory.views import renew

    if inputs[0].tape.grad_enabled:
        for x in inputs:
            renew(x)
    save_before_failing(op, list(inputs))


def binary(op: Op, a: Tensor, b: Any) -> Tensor:
    """Apply an elementwise op of two inputs, with PyTorch's promotion and numpy's broadcasting.

    Raises:
        TorchError: the shapes do not broadcast.
    """
    operator = _OPERATORS.get(op.name)
    if operator is None:
        operator = _OPERATORS[op.name] = elementwise_operator(op)
    return operator(a, b)


_OPERATORS: dict[str, Callable[[Tensor, Any], Tensor]] = {}


def elementwise_function(op: Op, check: Callable[[str, Any], Tensor] | None = None) -> Callable[[Any], Tensor]:
    """A function of one tensor that applies an op; integers become floats where the op has no integer result.

    Args:
        check: called with the op's name and what is no tensor; raises, or makes a tensor of it.
    """
    run, keeps_integers = op.forward, op.keeps_integers
    of_one = OF_ONE.get(run, {})

    def function(input: Any) -> Tensor:
        if check is not None and type(input) is not Tensor:
            input = check(op.name, input)
        x = input.data
        tape = input.tape
        if HALVES and x.dtype in HALVES:
            return record(op, (input,), NO_PARAMS, computed(op, [x], {}))
        if not (input.requires_grad and tape.grad_enabled):
            if not keeps_integers and x.dtype.kind not in FLOATING:
                x = x.astype(tape.float_dtype)
            return constant(run(x), tape)
        i = input.index
        if i < 0:
            if i == INFERENCE and recorded_op(op, (input,)) is None:
                return constant(run(x), tape)
            i = tape.enter(input, op, 0)
        out = Tensor()
        # Of a number without a call between, for which a graph of numbers has no time.
        found = of_one.get(type(x))
        try:
            out.data = run(x) if found is None else found[0] * found[1](x)
        except (ValueError, OverflowError):
            out.data = run(x)
        entries = tape.entries
        out.tape = tape
        out.params = NO_PARAMS
        out.extra = None
        out.requires_grad = True
        out.op = op
        out.inputs = (i,)
        out.index = len(entries)
        entries.append(out)
        return out

    return function


def unary(op: Op, a: Tensor) -> Tensor:
    """Apply an elementwise op of one input."""
    function = _FUNCTIONS.get(op)
    if function is None:
        function = _FUNCTIONS[op] = elementwise_function(op)
    return function(a)


_FUNCTIONS: dict[Op, Callable[[Tensor], Tensor]] = {}


def apply(op: Op, inputs: tuple[Tensor, ...], **params: Any) -> Tensor:
    """Apply any op: forward on the arrays, and an entry on the tape where a gradient can flow."""
    return record(op, inputs, params, forward(op, [t.data for t in inputs], params))


def record(op: Op, inputs: tuple[Tensor, ...], params: dict[str, Any], value: Any) -> Tensor:
    """The tensor of a value that an op made, on the tape where a gradient can flow into it."""
    tape = inputs[0].tape
    if value.ndim:
        value = laid(op.name, value, [t.data for t in inputs])
    out = constant(value, tape)
    if tape.grad_enabled and value.dtype.kind in FLOATING and True in [t.requires_grad for t in inputs]:
        if inputs[0].index == INFERENCE:
            found = recorded_op(op, inputs)
            if found is None:
                return out
            op = found
        out.inputs = tuple([t.index if t.index >= 0 else tape.enter(t, op, i, inputs) for i, t in enumerate(inputs)])
        out.requires_grad = True
        out.op = op
        out.params = params
        out.index = len(tape.entries)
        tape.entries.append(out)
        if HALVES and value.dtype in HALVES:
            tape.by_node = True
    elif value.dtype.kind not in FLOATING and op.name != "copy" and tape.grad_enabled:
        _refuse_whole(value, inputs)
    return out


def _refuse_whole(value: Any, inputs: tuple[Tensor, ...]) -> None:
    """Raise where an op that has a gradient would give one to whole numbers: those that copy or count ask nobody."""
    if True in [t.requires_grad for t in inputs]:
        raise TorchError(f"Autograd not support dtype: {type_name(value.dtype)}", hint="Give it numbers of one dtype.")
