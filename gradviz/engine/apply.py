"""Apply an op: compute it, and where a gradient can flow, make an entry of the graph.

`apply` is the way of every op; `operator_of` and `function_of` make the ways of plain ops of two tensors and of one,
of which a graph of numbers is full, with everything they need at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from numpy import ndarray

from gradviz.engine.operands import as_operand, broadcast_text, shape_error, wrong_argument
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
from gradviz.ops.op import Array, Op
from gradviz.ops.promotion import cast, result_dtype


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


def _through(self: Tensor, op: Op, given: tuple[Any, ...], params: Mapping[str, Any]) -> Tensor:
    return apply(op, tuple([x if isinstance(x, Tensor) else constant(x) for x in given]), **params)


Tensor._through = _through  # type: ignore[method-assign]


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
