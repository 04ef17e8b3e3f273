"""Apply an op: compute it, and where a gradient can flow, make an entry of the graph.

`apply` is the way of every op; `operator_of` and `function_of` make the ways of plain ops of two tensors and of one,
of which a graph of numbers is full, with everything they need at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy import ndarray

from gradviz.engine.dtypes import DType, dtype_of, number_dtype, result_dtype, type_name_of
from gradviz.engine.op import Array, Op
from gradviz.engine.state import state
from gradviz.engine.tensor import (
    EVEN,
    UNEVEN,
    Tensor,
    belong,
    blank,
    constant,
    current,
    form_of,
    memory_of,
    number_next,
)


def apply(op: Op, inputs: tuple[Tensor, ...], **params: Any) -> Tensor:
    """Apply an op to tensors; params are what it takes besides.

    Raises:
        RuntimeError: shapes that do not fit, in PyTorch's words where its own way has them.
    """
    entries, arrays = [], []  # loops, where comprehensions would each be a call
    for x in inputs:
        entry = x if x.extra is None else current(x)
        entries.append(entry)
        arrays.append(entry.array)
    try:
        array = op.forward(*arrays, **params)
    except ValueError as error:
        raise shape_error(op, tuple(entries), error) from None
    return record(op, tuple(entries), params, array)


def record(op: Op, entries: tuple[Tensor, ...], params: Mapping[str, Any], array: Array) -> Tensor:
    """The tensor of an array that an op made of entries."""
    if array.__class__ is ndarray and not array.ndim:
        array = array[()]  # arithmetic on numpy scalars is several times faster than on arrays of shape ()
    made = blank()
    made.array = array
    made.incoming = None
    made.extra = None
    made.form = None
    is_tracked = False
    for x in entries:
        is_tracked = is_tracked or x.tracked
    if is_tracked and state.grad_enabled and array.dtype.kind == "f":
        made.tracked = True
        made.op = op
        made.inputs = entries
        made.params = params if not op.plain else UNEVEN
        made.index = number_next()
        if state.on_entry is not None:
            state.on_entry(made)
    else:
        made.tracked = False
        made.op = None
        made.inputs = ()
        made.params = EVEN
        made.index = state.unrecorded
        if (tell := state.on_cut) is not None:
            tell(made, entries, op.name)
    return made


def cut(made: Tensor | None, source: Tensor, how: str) -> None:
    """Say that numbers of a tensor were taken outside of the graph; `made` is None where Python got them."""
    if state.on_cut is not None:
        state.on_cut(made, (current(source),), how)


def view(op: Op, x: Tensor, **params: Any) -> Tensor:
    """Apply an op whose result looks into the memory of x."""
    entry = x if x.extra is None else current(x)
    memory = memory_of(x)
    assert x.extra is not None
    made = record(op, (entry,), params, op.forward(entry.array, **params))
    if not made.tracked:
        made.index = min(entry.index, -1)
    belong(made, memory, (*x.extra.path, (op, params)))
    assert made.extra is not None
    made.extra.is_detached = x.extra.is_detached or (entry.tracked and not made.tracked)
    if made.extra.is_detached and not x.extra.is_detached:
        made.extra.refusal = VIEW_WITHOUT_GRAPH
    made.extra.detached = x.extra.detached
    made.extra.counts_writes = x.extra.counts_writes
    return made


VIEW_WITHOUT_GRAPH = (
    "A view was created in no_grad mode and is being modified inplace with grad mode enabled. Given that this use case "
    "is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view and the inplace "
    "either both inside the no_grad block (if you don't want the inplace to be tracked) or both outside (if you want "
    "the inplace to be tracked)."
)


def alias(x: Tensor, *, counts_writes: bool = True) -> Tensor:
    """A tensor without a graph that looks into the memory of x: `detach()`, and `.data`, whose writes do not count."""
    entry = x if x.extra is None else current(x)
    memory = memory_of(x)
    assert x.extra is not None
    made = constant(entry.array)
    belong(made, memory, x.extra.path)
    assert made.extra is not None
    made.extra.is_detached = True
    made.extra.detached = made
    made.extra.counts_writes = counts_writes
    return made


def as_operand(value: Any, like: Tensor) -> Tensor:
    """A Python number beside a tensor, as a constant: it takes the tensor's dtype where that can hold its kind.

    Raises:
        TypeError: it is neither a number nor a tensor.
    """
    kind = type(value)
    if kind is not float and kind is not int and kind is not bool:
        if isinstance(value, Tensor):
            return value
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


def operator_of(op: Op) -> Callable[[Tensor, Any], Tensor]:
    """A function of two tensors, or of a tensor and a number, for a plain elementwise op of two inputs."""
    run = op.forward

    def operator(a: Tensor, b: Any) -> Tensor:
        if type(b) is not Tensor and not isinstance(b, Tensor):
            try:
                b = as_operand(b, a)
            except TypeError:
                return NotImplemented  # type: ignore[no-any-return] # Python then asks the other side
        if a.extra is not None:
            a = current(a)
        if b.extra is not None:
            b = current(b)
        form, other = a.form or form_of(a), b.form or form_of(b)
        made = blank()
        made.incoming = None
        made.extra = None
        if form is other:
            params = EVEN if a.tracked and b.tracked else UNEVEN
            made.array = run(a.array, b.array)
        else:
            params = UNEVEN
            made.array = _uneven(op, a.array, b.array)
            form = None
        if (a.tracked or b.tracked) and state.grad_enabled:
            made.form = form
            made.tracked = True
            made.op = op
            made.inputs = (a, b)
            made.params = params
            made.index = number_next()
            if (listen := state.on_entry) is not None:
                listen(made)
        else:
            made.form = None
            made.tracked = False
            made.op = None
            made.inputs = ()
            made.params = EVEN
            made.index = state.unrecorded
            if (tell := state.on_cut) is not None:
                tell(made, (a, b), op.name)
        return made

    operator.__name__ = operator.__qualname__ = op.name
    operator.__doc__ = f"{op.equation}, elementwise and with broadcasting." if op.equation else op.name
    return operator


def _uneven(op: Op, x: Any, y: Any) -> Array:
    """The forward of a plain op of two arrays that differ in shape or dtype."""
    if x.dtype is not y.dtype:
        dtype = result_dtype(x, y, default=state.dtype)
        x, y = cast(x, dtype), cast(y, dtype)
    try:
        found: Array = op.forward(x, y)
    except ValueError:
        raise RuntimeError(broadcast_text(x.shape, y.shape)) from None
    return found


def cast(x: Any, dtype: np.dtype[Any]) -> Any:
    """An array in another dtype; itself where it has it."""
    return x if x.dtype is dtype or x.dtype == dtype else x.astype(dtype)


def function_of(op: Op) -> Callable[[Tensor], Tensor]:
    """A function of one tensor for a plain elementwise op."""
    run, keeps_integers = op.forward, op.keeps_integers

    def function(input: Tensor) -> Tensor:
        if type(input) is not Tensor and not isinstance(input, Tensor):
            raise TypeError(wrong_argument(op.name, "input", 1, input))
        if input.extra is not None:
            input = current(input)
        x = input.array
        if not (input.tracked or keeps_integers) and x.dtype.kind != "f":
            x = cast(x, state.dtype)
        made = blank()
        made.array = run(x)
        made.incoming = None
        made.extra = None
        made.form = input.form if input.tracked else None
        if input.tracked and state.grad_enabled:
            made.tracked = True
            made.op = op
            made.inputs = (input,)
            made.params = EVEN
            made.index = number_next()
            if (listen := state.on_entry) is not None:
                listen(made)
        else:
            made.tracked = False
            made.op = None
            made.inputs = ()
            made.params = EVEN
            made.index = state.unrecorded
            if (tell := state.on_cut) is not None:
                tell(made, (input,), op.name)
        return made

    function.__name__ = function.__qualname__ = op.name
    function.__doc__ = f"{op.equation}, elementwise." if op.equation else op.name
    return function


# ---- what is given ----------------------------------------------------------------------------------------------


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


# ---- what does not fit ------------------------------------------------------------------------------------------


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


__all__ = [
    "DType", "alias", "apply", "array_of", "as_operand", "broadcast_text", "cast", "dtype_of", "floating",
    "function_of", "number_dtype", "number_in", "operator_of", "record", "shape_error", "tensor_given", "view",
    "wrong_argument",
]  # fmt: skip
