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

from gradviz.engine.dtypes import DType, convert, number_dtype, result_dtype
from gradviz.engine.extra import Extra
from gradviz.engine.shape_errors import raise_shape_error
from gradviz.engine.tape import Tape
from gradviz.errors import TorchError

if TYPE_CHECKING:
    from gradviz.engine.op import Op

__all__ = [
    "NO_PARAMS", "UNEVEN", "Tape", "Tensor", "apply", "binary", "bind_operators", "constant", "elementwise_function",
    "elementwise_operator", "record", "unary", "wrap",
]  # fmt: skip

NO_PARAMS: dict[str, Any] = {}
UNEVEN: dict[str, Any] = {}
"""The params of an elementwise op whose inputs differ in shape or dtype: its gradients must be fitted to them."""


class Tensor:
    """An n-dimensional array that remembers how it was made.

    Attributes:
        data: the value; a numpy array, or a numpy scalar for shape ().
        requires_grad: whether a gradient can flow into it.
        tape: the tape of its run.
        index: its position on the tape, or negative while no recorded op has used it (see `inference`).
        op: the op that made it, or None for a leaf or constant.
        inputs: positions of the op's inputs on the tape.
        params: what the op was given besides tensors.
        extra: what few tensors have, or None.

    There is no constructor: `constant` makes one; the hot path fills the slots itself, at half the cost.
    """

    __slots__ = ("__weakref__", "data", "extra", "index", "inputs", "op", "params", "requires_grad", "tape")

    data: Any
    extra: Extra | None
    index: int
    inputs: tuple[int, ...]
    op: Op | None
    params: dict[str, Any]
    requires_grad: bool
    tape: Tape

    # ---- what it is ----

    @property
    def shape(self) -> tuple[int, ...]:
        """E.g. (2, 3); () for a single number."""
        return self.data.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        """numpy's dtype of the value."""
        return self.data.dtype  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self.data.ndim  # type: ignore[no-any-return]

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made it."""
        return self.op is None

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient, or None."""
        return self.extra.grad if self.extra is not None else None

    @property
    def more(self) -> Extra:
        """The rare attributes, made on first use."""
        if self.extra is None:
            self.extra = Extra()
        return self.extra

    # The hottest operators are made by `elementwise_operator` and bound by `bind_operators`.
    __add__: Callable[[Tensor, Any], Tensor]
    __radd__: Callable[[Tensor, Any], Tensor]
    __sub__: Callable[[Tensor, Any], Tensor]
    __rsub__: Callable[[Tensor, Any], Tensor]
    __mul__: Callable[[Tensor, Any], Tensor]
    __rmul__: Callable[[Tensor, Any], Tensor]
    __truediv__: Callable[[Tensor, Any], Tensor]
    __matmul__: Callable[[Tensor, Any], Tensor]
    __neg__: Callable[[Tensor], Tensor]


def bind_operators(table: dict[str, Op]) -> None:
    """Give Tensor the operators that are one entry of the rule table; the table is made after this module."""
    for name in ("add", "sub", "mul", "truediv", "matmul"):
        setattr(Tensor, f"__{name}__", elementwise_operator(table["div" if name == "truediv" else name]))
    Tensor.__radd__ = Tensor.__add__
    Tensor.__rmul__ = Tensor.__mul__
    Tensor.__rsub__ = lambda x, other: apply(table["rsub"], (x,), other=other)
    Tensor.__neg__ = lambda x: unary(table["neg"], x)


def wrap(number: Any, like: Tensor) -> Tensor:
    """A Python number next to a tensor: a constant that takes the tensor's dtype where it can.

    Raises:
        TorchError: it is no number, or it does not fit the dtype.
    """
    dtype = number_dtype(number, like.data.dtype, like.tape.float_dtype)
    try:
        return constant(dtype.type(number), like.tape)
    except OverflowError:
        if dtype.kind == "f":
            return constant(dtype.type(math.copysign(math.inf, number)), like.tape)
        raise TorchError(f"value cannot be converted to type {dtype.name} without overflow") from None


def constant(data: Any, tape: Tape) -> Tensor:
    """A tensor that no recorded op made and that takes no gradient."""
    out = Tensor()
    out.data = data
    out.tape = tape
    out.requires_grad = False
    out.index = tape.fresh
    out.op = None
    out.inputs = ()
    out.params = NO_PARAMS
    out.extra = None
    return out


def elementwise_operator(op: Op) -> Callable[[Tensor, Any], Tensor]:
    """A function of two tensors, or a tensor and a number, that applies an op with PyTorch's promotion.

    One body for all operators, with everything it needs at hand: a call less per op is a tenth of the time of
    a scalar graph.
    """
    forward = op.forward

    def operator(a: Tensor, b: Any) -> Tensor:
        if type(b) is not Tensor:
            b = wrap(b, a)
        x, y = a.data, b.data
        params = NO_PARAMS
        # Two numpy scalars of one type need no look at their dtypes, which costs more than their product.
        kind = type(x)
        if kind is not type(y) or (kind is ndarray and (x.shape != y.shape or x.dtype is not y.dtype)):
            params = UNEVEN
            dtype = result_dtype(x, y)
            x, y = convert(x, dtype), convert(y, dtype)
        try:
            value = forward(x, y)
        except (ValueError, TypeError) as error:
            raise_shape_error(op, x, y, error)
        tape = a.tape
        if not (a.requires_grad or b.requires_grad) or not tape.grad_enabled:
            return constant(value, tape)
        i, j = a.index, b.index
        if i < 0:
            i = tape.enter(a, op, 0)
        if j < 0:
            j = tape.enter(b, op, 1) if b is not a else i
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


def elementwise_function(op: Op) -> Callable[[Tensor], Tensor]:
    """A function of one tensor that applies an op; integers become floats where the op has no integer result."""
    forward, keeps_integers = op.forward, op.keeps_integers

    def function(a: Tensor) -> Tensor:
        x = a.data
        tape = a.tape
        if not (a.requires_grad and tape.grad_enabled):
            if not keeps_integers and x.dtype.kind != "f":
                x = x.astype(tape.float_dtype)
            return constant(forward(x), tape)
        i = a.index
        if i < 0:
            i = tape.enter(a, op, 0)
        out = Tensor()
        out.data = forward(x)
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
    value = op.forward(*[t.data for t in inputs], **params)
    return record(op, inputs, params, value)


def record(op: Op, inputs: tuple[Tensor, ...], params: dict[str, Any], value: Any) -> Tensor:
    """The tensor of a value that an op made, on the tape where a gradient can flow into it."""
    tape = inputs[0].tape
    out = constant(value, tape)
    if tape.grad_enabled and value.dtype.kind == "f" and any(t.requires_grad for t in inputs):
        out.inputs = tuple([t.index if t.index >= 0 else tape.enter(t, op, i, inputs) for i, t in enumerate(inputs)])
        out.requires_grad = True
        out.op = op
        out.params = params
        out.index = len(tape.entries)
        tape.entries.append(out)
    return out
