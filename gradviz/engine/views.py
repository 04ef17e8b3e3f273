"""Changes in place: `x += 1`, `x[0] = 5`, `x.zero_()`, and what they mean for views of the same memory.

The numbers of an entry never change (see `tensor`). A write gives the memory a new entry, and every tensor that looks
into it moves on when it is next used. Where gradients are recorded, a write through a view makes a `copy_slices` entry
of the whole memory: what comes in there goes on to the old numbers, but for the part that was overwritten, and that
part goes to what was written.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradviz.engine.dtypes import can_cast, dtype_of
from gradviz.engine.errors import Beyond
from gradviz.engine.state import INFERENCE, state
from gradviz.engine.tensor import (
    EVEN,
    Extra,
    Memory,
    Tensor,
    belong,
    constant,
    current,
    entry,
    extra_of,
    memory_of,
    name_of,
    owner_of,
    read_live,
    state_after,
)
from gradviz.ops.elementwise import TO
from gradviz.ops.in_place import COPY_SLICES, flat_index, look_along
from gradviz.ops.op import Array, Path
from gradviz.ops.promotion import cast
from gradviz.ops.shape import ALIAS

# ---- what must not be written to --------------------------------------------------------------------------------


def refuse_write(x: Tensor) -> None:
    """Raise what PyTorch raises of a change in place while gradients are recorded.

    Raises:
        RuntimeError: a leaf that requires grad, a view of one, one of several views that one op made, or one made in
            inference mode.
    """
    if x.index == INFERENCE and state.unrecorded != INFERENCE:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
            "normal tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."
        )
    if not state.grad_enabled:
        return
    now, extra = current(x), x.extra
    if now.tracked and now.op is None:
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
    if extra is None or extra.memory is None:
        return
    base = extra.memory.entry
    if extra.is_detached and extra.refusal and base.tracked:
        raise RuntimeError(extra.refusal)
    if extra.is_detached:
        return
    if extra.path and base.tracked and base.op is None:
        raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if extra.refusal and now.tracked:
        raise RuntimeError(extra.refusal)


def refuse_overlap(x: Tensor) -> None:
    """Raise where several elements of a tensor are one number in memory, which no op may change one by one.

    Raises:
        RuntimeError: it was made by expand().
    """
    if x.extra is not None and x.extra.path and _overlaps(current(x).array):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory location. "
            "Please clone() the tensor before performing the operation."
        )


def refuse_mixture(x: Tensor, others: Iterable[object]) -> None:
    """Raise where an op in place would read numbers that it has changed already: of parts that overlap.

    Raises:
        RuntimeError: in PyTorch's words, where both parts are whole stretches of memory.
        Beyond: in other cases PyTorch changes one number after the other, and reads what it has written.
    """
    if x.extra is None or x.extra.memory is None:
        return
    for other in others:
        if (
            not isinstance(other, Tensor)
            or other is x
            or other.extra is None
            or other.extra.memory is not x.extra.memory
        ):
            continue
        shape = x.extra.memory.entry.array.shape
        written, read = (np.ravel(flat_index(shape, each.extra.path)) for each in (x, other))  # type: ignore[union-attr]
        if not np.intersect1d(written, read).size or np.array_equal(written, read):
            continue
        if all(np.ptp(part) + 1 == part.size for part in (written, read)):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single "
                "memory location. Please clone() the tensor before performing the operation."
            )
        raise Beyond("a change in place that reads numbers which it changes at the same time")


def _overlaps(array: Array) -> bool:
    """Whether several elements are one number in memory, as after expand()."""
    return isinstance(array, np.ndarray) and any(
        n > 1 and not step for n, step in zip(array.shape, array.strides, strict=True)
    )


# ---- writing -----------------------------------------------------------------------------------------------------


def write(x: Tensor, new: Tensor) -> Tensor:
    """Let a tensor have other numbers of its shape; whatever looks into the same memory sees them.

    Args:
        x: the tensor that is changed in place.
        new: what it shall be, fresh from an op (not a tensor that the script holds).

    Returns:
        x itself.

    Raises:
        RuntimeError: PyTorch refuses the change, or the shape or dtype do not fit.
    """
    refuse_write(x)
    now = x if x.extra is None else current(x)
    made = new if new.extra is None else current(new)
    if made.array.shape != now.array.shape:
        raise RuntimeError(
            f"output with shape {list(now.array.shape)} doesn't match the broadcast shape {list(made.array.shape)}"
        )
    if made.array.dtype != now.array.dtype:
        if not can_cast(dtype_of(made.array.dtype), dtype_of(now.array.dtype)):
            raise RuntimeError(
                f"result type {dtype_of(made.array.dtype).type_name} can't be cast to the desired output type "
                f"{dtype_of(now.array.dtype).type_name}"
            )
        made = _cast_entry(made, now.array.dtype)
    if made.tracked and state.grad_enabled and x.extra is not None and x.extra.detached is not None:
        _give_graph(x, x.extra.detached)
    memory, extra = memory_of(x), extra_of(x)
    base = memory.entry
    if new.tracked and new.op is not None:
        written = extra_of(new)
        written.overwrote = memory
        if name_of(new)[0] is None:
            written.name, written.is_named = name_of(x)
    if extra.is_detached or not state.grad_enabled:
        made = _without_graph(memory, base, made.array, extra.path)
    elif extra.path:
        made = _written_through(base, made, extra.path)
    _move_on(memory, made, is_counted=extra.counts_writes)
    return x


def _cast_entry(made: Tensor, dtype: np.dtype[Any]) -> Tensor:
    array = cast(made.array, dtype)
    if not made.tracked or dtype.kind != "f":
        return constant(array)
    return entry(TO, (made,), {"dtype": dtype.name}, array)


def _without_graph(memory: Memory, base: Tensor, array: Array, path: Path) -> Tensor:
    """The memory's next entry where the write is not recorded."""
    return state_after(base, COPY_SLICES.forward(base.array, array, path) if path else array)


def _written_through(base: Tensor, new: Tensor, path: Path) -> Tensor:
    array = COPY_SLICES.forward(base.array, new.array, path)
    if not base.tracked and not new.tracked:
        made = constant(array)
        extra_of(made).owner = owner_of(base)
        return made
    return entry(COPY_SLICES, (base, new), {"path": path}, array)


def _give_graph(x: Tensor, detached: Tensor) -> None:
    """Give a tensor that was detached memory of its own, since it gets a graph, which what it looked into does not get.

    The old memory goes on to have its numbers. The other way round, a change of the old memory would have to change
    numbers inside of a graph, so that is refused from now on.

    Args:
        x: the detached tensor, or a view of it.
    """
    extra = extra_of(detached)
    if not extra.is_detached or extra.memory is None:
        return
    start, path = constant(current(detached).array), extra.path
    own = Memory(start)
    own.twin = (extra.memory, path, extra.counts_writes)
    extra.memory.entry = extra.memory.entry  # kept, though its owner may go
    _refuse_second(extra.memory)
    extra.memory.twin_of_it = weakref.ref(own)
    belong(start, own, ())
    for each in {detached, x}:
        mine = extra_of(each)
        mine.memory, mine.base, mine.path, mine.is_detached = own, start, mine.path[len(path) :], False
        mine.counts_writes, mine.seen, mine.current = True, -1, None


def _refuse_second(memory: Memory) -> None:
    if memory.twin_of_it() not in (None, memory):
        raise Beyond("changing a tensor whose detached twin was given a graph")


def _move_on(memory: Memory, made: Tensor, *, is_counted: bool, source: Memory | None = None) -> None:
    """Give a memory and those that have the same numbers their next entries; `source` is the one that has its own."""
    _refuse_second(memory)
    if memory.twin is not None and memory.twin[0] is not source:
        other, path, is_counted_there = memory.twin
        back, other.twin_of_it = other.twin_of_it, weakref.ref(other)
        now = _without_graph(other, other.entry, made.array, path)
        _move_on(other, now, is_counted=is_counted_there, source=memory)
        other.twin_of_it = back
    for each in memory.mirrors:
        mirror = each()
        if mirror is not None and mirror is not source and mirror.twin is not None:
            array = look_along(made.array, mirror.twin[1])
            _move_on(mirror, state_after(mirror.entry, array), is_counted=False, source=memory)
    memory.version += is_counted
    memory.writes += 1
    if state.on_write is not None and not is_counted:
        state.on_write(memory)
    if memory.live is not None:
        memory.live[...] = made.array
    memory.entry = made
    belong(made, memory, ())


def count_write(x: Tensor) -> None:
    """Count a write that changes no number: of a part over itself, as the second half of `x[0] += 1` is."""
    memory = memory_of(x)
    memory.version += 1
    memory.writes += 1
    belong(memory.entry, memory, ())


def replace(x: Tensor, array: Array, *, is_counted: bool = True) -> None:
    """Give a tensor other numbers without a graph, as an optimizer's step does; its shape and dtype may change too."""
    memory = memory_of(x)
    assert x.extra is not None
    made = _without_graph(memory, memory.entry, array, x.extra.path)
    _move_on(memory, made, is_counted=is_counted)


def set_data(x: Tensor, other: Tensor) -> None:
    """`x.data = other`: x looks into the memory of other from now on, with its own graph and gradient kept.

    Since its entries are its own, it gets a memory of its own, a mirror: what is written to one of them, both have.
    """
    now = current(x)
    shared, path = memory_of(other), extra_of(other).path
    twin = shared.twin
    if twin is not None and any(each() is shared for each in twin[0].mirrors):
        shared, path = twin[0], twin[1] + path  # all mirrors are those of one memory: no chain grows
    extra = extra_of(x)
    if extra.memory is not None and path == extra.path and shared is extra.memory:
        return  # x.data += 1 has written to the memory already
    if now.tracked and current(other).array.dtype.kind != "f":
        raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
    made = constant(current(other).array)
    made.tracked = now.tracked
    if now.tracked and now.op is not None:
        made = entry(ALIAS, (now,), EVEN, current(other).array)
    extra_of(made).owner = owner_of(now)
    version = x._version
    extra.memory, extra.base, extra.path, extra.current, extra.seen = None, None, (), made, 0
    if shared.owner is x:
        return  # x.data = x.data.view(2, 1): of the memory that it was made with it cannot be a mirror
    own = memory_of(x)
    own.version = version
    belong(made, own, ())
    own.twin, extra.base = (shared, path, extra_of(other).counts_writes), shared.owner
    own.live = None if path else shared.live
    if state.on_write is not None:
        state.on_write(own)
    shared.mirrors = (*[each for each in shared.mirrors if each() is not None], weakref.ref(own))


def set_requires_grad(x: Tensor, wanted: bool) -> None:
    """Turn recording on or off for a leaf.

    Raises:
        RuntimeError: it holds no floats, or was computed from tensors that require grad.
    """
    now = current(x)
    if wanted == now.tracked:
        return
    if wanted and now.array.dtype.kind != "f":
        raise RuntimeError("only Tensors of floating point dtype can require gradients")
    if wanted and x.index == INFERENCE and state.unrecorded != INFERENCE:
        raise RuntimeError("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.")
    if not wanted and now.op is not None:
        raise RuntimeError(
            "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a "
            "subgraph that doesn't require differentiation use var_no_grad = var.detach()."
        )
    # Earlier uses keep the entry as it was: no gradient comes to them.
    made = constant(now.array)
    made.tracked = wanted
    extra_of(made).owner = x
    extra = extra_of(x)
    if extra.memory is not None:
        if not extra.path:
            extra.memory.entry = made
        belong(made, extra.memory, extra.path)
        extra.seen = extra.memory.writes
    extra.current = made
    extra.is_detached = extra.is_detached and not wanted


# ---- what a pass reads ------------------------------------------------------------------------------------------


def was_written(x: Tensor) -> bool:
    """Whether the memory that an entry shows was written to since, in a way that PyTorch counts."""
    extra = x.extra
    return extra is not None and extra.memory is not None and extra.memory.version != extra.version


def kept_array(x: Tensor) -> Any:
    """The numbers that a backward pass reads of an entry: those of the present memory, if `.data` was written to.

    PyTorch keeps the memory, not a copy, so a change that it does not count changes gradients in silence.
    """
    extra = x.extra
    if extra is None or extra.memory is None:
        return x.array
    if extra.memory.live is not None:
        read_live(extra.memory)
    if extra.born == extra.memory.writes or was_written(x):
        return x.array
    found = look_along(extra.memory.entry.array, extra.path)
    return found if found.shape == x.array.shape else x.array


def in_place(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    """The op in place for a function of a tensor, e.g. `add_` for `add`."""

    def change(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        refuse_overlap(self)
        refuse_mixture(self, (*args, *kwargs.values()))
        refuse_write(self)
        return write(self, function(self, *args, **kwargs))

    change.__name__ = change.__qualname__ = name
    change.__doc__ = f"`{name.removesuffix('_')}` in place."
    return change


__all__ = [
    "Extra", "count_write", "in_place", "kept_array", "refuse_mixture",
    "refuse_overlap", "refuse_write", "replace", "set_data", "set_requires_grad", "was_written", "write",
]  # fmt: skip
