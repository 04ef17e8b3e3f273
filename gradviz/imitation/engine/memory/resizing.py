"""The memory behind a tensor: how far it reaches, a tensor of another size in it, and the memory of another tensor.

What PyTorch calls a storage is here the array that the tensor's own array is a part of; all who look into it are known
to its `Storage`.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from gradviz.imitation.engine.inference import take_kind
from gradviz.imitation.engine.memory.sharing import Kept, Storage, address
from gradviz.imitation.engine.memory.steps import with_steps
from gradviz.imitation.engine.memory.storage import counter_of, leave_stand_in, storage_of, turn
from gradviz.imitation.engine.memory.views import root
from gradviz.imitation.engine.passes import accumulators
from gradviz.imitation.engine.tensor import Tensor, constant


def memory_of(tensor: Tensor) -> Any:
    """All numbers of the memory in a row, those that the tensor does not show among them."""
    if not isinstance(tensor.data, np.ndarray):
        tensor.data = np.array(tensor.data)
    storage = storage_of(tensor)
    if storage.memory is None or (tensor.data.size and not np.may_share_memory(storage.memory, tensor.data)):
        base = root(tensor)
        whole = base.data if base.more.whole is None else base.more.whole
        is_seen = isinstance(whole, np.ndarray) and (not tensor.data.size or np.may_share_memory(whole, tensor.data))
        whole = whole if is_seen else tensor.data
        if not whole.size:  # it shows nothing, but others may show what lies there
            whole = max((whole, *(x.data for x in storage.live() if x.dtype == whole.dtype)), key=np.size)
        storage.memory = _in_a_row(whole)
    return storage.memory


def _in_a_row(whole: Any) -> Any:
    """The elements that an array lies among, from its first to its last."""
    steps = zip(whole.shape, whole.strides, strict=True)
    reach = sum((n - 1) * step for n, step in steps) // whole.itemsize + 1 if whole.size else 0
    return np.lib.stride_tricks.as_strided(whole, (reach,), (whole.itemsize,))


def offset_of(tensor: Tensor) -> int:
    """Where in its memory a tensor begins, in elements."""
    memory = memory_of(tensor)
    offset = (address(tensor.data) - address(memory)) // tensor.dtype.itemsize
    known = tensor.data.size or tensor.more.has_steps  # else numpy forgets where nothing begins
    return offset if known or 0 <= offset <= memory.size else 0


def resized(tensor: Tensor, size: tuple[int, ...]) -> Tensor:
    """The tensor itself in another size, from the place on where it begins; zeros where there was nothing."""
    start = offset_of(tensor)
    if start + prod(size) > memory_of(tensor).size:
        _grow(storage_of(tensor), tensor, start + prod(size))
    seen = memory_of(tensor)[start : start + prod(size)].reshape(size)
    return turn(tensor, None, seen)


def _grow(storage: Storage, tensor: Tensor, count: int) -> None:
    """Larger memory for all that look into it."""
    old = memory_of(tensor)
    new = np.zeros(count, old.dtype)
    new[: old.size] = old
    for member in storage.live():
        x = member.data
        if isinstance(x, np.ndarray) and x.size:
            member.data = np.ndarray(x.shape, x.dtype, new, address(x) - address(old), x.strides)
        elif member.more.has_steps:
            member.data = with_steps(x, x.strides, address(new) - address(old))
    storage.memory = new


def take_memory(tensor: Tensor, value: Tensor) -> None:
    """`tensor.data = value`: it looks into the memory of another from now on, and counts its own changes on."""
    if not isinstance(value.data, np.ndarray):
        value.data = np.array(value.data)
    accumulators.remember(tensor, value.data)
    if tensor.index >= 0:
        tensor.more.past = (*tensor.more.past[1 - PAST :], tensor.index)
        leave_stand_in(tensor, counts=False, keep_value=storage_of(tensor).is_shared(tensor))
    take_kind(tensor, value)
    counter, shared = counter_of(tensor), storage_of(value)
    for position in tensor.more.past:
        _move(tensor.tape.entries[position], value.data, counter)
    tensor.data = value.data
    if tensor.more.storage is not shared:
        storage_of(tensor).remove(tensor)
        shared.add(tensor)
        tensor.more.apart = counter


PAST = 8
"""How many stand-ins follow a tensor to other memory: in a long training those before belong to passes long gone."""


def _move(stand_in: Tensor, data: Any, counter: Storage) -> None:
    """Let those that saved a tensor see its other memory; the node that made it has saved a result of its own."""
    more = stand_in.more
    if more.first is None:
        more.first = stand_in.data
        more.shown = stand_in.data if more.shown is None else more.shown
        op, tape = stand_in.op, stand_in.tape
        if op is not None:
            tape.by_node = True
            if "y" in op.saves:
                expected = more.saved_version if more.modified else counter.version
                kept = Kept(constant(more.first, tape), counter, expected)
                tape.packed.setdefault(stand_in.index, {}).setdefault("y", kept)
        elif data.shape != stand_in.shape or data.dtype != stand_in.dtype:
            tape.by_node = True
    stand_in.data = data
