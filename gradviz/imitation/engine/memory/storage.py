"""Shared memory and in-place changes, without rewriting what was recorded.

A change in place first leaves a stand-in at the tensor's position on the tape, with the value, op and inputs as
they were; the tensor the user holds moves on and takes a new position when it is used again. The backward pass
meets the stand-in: a change that counts raises PyTorch's error where the value was saved, a change through
`.data` does not, and the changed memory is used, as PyTorch does. The picture shows the value as it was.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.inference import INFERENCE, is_inference, is_on, looks_into_one, refuse_change
from gradviz.imitation.engine.memory import untracked
from gradviz.imitation.engine.memory.layouts import as_first
from gradviz.imitation.engine.memory.refused_writes import REPEATED, refuse_overlap, refuse_repeated, refuse_result
from gradviz.imitation.engine.memory.repeating_views import change_again
from gradviz.imitation.engine.memory.retained import refuse_lost
from gradviz.imitation.engine.memory.sharing import Storage, own_copy, unlocked
from gradviz.imitation.engine.memory.steps import laid_out, like_before
from gradviz.imitation.engine.memory.views import (
    creation_of,
    is_unread,
    look_again,
    places,
    refuse_view,
    root,
    take_place,
    with_part,
)
from gradviz.imitation.engine.op import Op
from gradviz.imitation.engine.passes import accumulators
from gradviz.imitation.engine.tensor import Tensor, apply, binary, constant
from gradviz.imitation.engine.tensor_extra import Extra
from gradviz.errors import TorchError

LEAF_INPLACE = "a leaf Variable that requires grad is being used in an in-place operation."
EXPANDED = (
    "Use of {name} on expanded tensors is deprecated. Please clone() the tensor before performing this operation. This "
    "also applies to advanced indexing e.g. tensor{shown}"
)
VIEW_INPLACE = "a view of a leaf Variable that requires grad is being used in an in-place operation."
USE_NO_GRAD = "Wrap the change in `with torch.no_grad():`, or write it out of place."


def storage_of(tensor: Tensor) -> Storage:
    """The tensor's memory, made on first use."""
    more = tensor.more
    if more.storage is None:
        Storage(more.first_version, more.late).add(tensor)
    assert more.storage is not None
    return more.storage


def share(base: Tensor, alias: Tensor) -> Tensor:
    """Note that `alias` looks into the memory of `base`."""
    storage_of(base).add(alias)
    if alias.index < 0:
        alias.index = INFERENCE if is_inference(base) else -1
    alias.more.base = base
    alias.more.has_steps = base.more.has_steps
    alias.more.apart = None if is_inference(base) else base.more.apart
    alias.more.seen_version = version(base)
    return alias


def share_view(base: Tensor, view: Tensor, *, is_one_of_several: bool = False) -> Tensor:
    """Note that an op that makes views gave `view`, and in which mode where it was not recorded."""
    share(base, view).more.has_steps = True
    if view.op is None and (is_one_of_several or not base.tape.grad_enabled):
        view.more.creation = untracked.mode_of(base.tape) or "several"
    if base.requires_grad and not base.tape.grad_enabled:
        untracked.mark(view, base)
    return view


def alias(tensor: Tensor, *, tracked: bool) -> Tensor:
    """The same memory without the graph: `detach()` (tracked), or `.data`, whose changes nobody notices."""
    if tensor.extra is not None and tensor.extra.shared_grad:
        tensor.data = own_copy(tensor.data)  # the array also stands in the record of a sweep
        tensor.extra.shared_grad = False
    tensor.data = laid_out(tensor)
    out = share(tensor, constant(tensor.data, tensor.tape))
    whole = root(tensor)
    out.more.whole = whole.data if whole.more.whole is None else whole.more.whole
    out.more.base = None  # no view: what is written into it in a graph is a change of itself
    out.more.is_data, out.more.has_steps = not tracked, True
    if not is_on(tensor.tape) if is_inference(tensor) else not tracked:
        out.more.apart = Storage()
    return out


def share_unnoticed(base: Tensor, part: Tensor) -> Tensor:
    """Note that `part` looks into the memory of `base`, and that neither counts the changes of the other."""
    share(base, part).more.base = None
    part.more.apart = Storage()
    return part


def lend(tensor: Tensor) -> Any:
    """The tensor's own memory as an array, `tensor.numpy()`. What was recorded keeps the value it has now."""
    if not isinstance(tensor.data, np.ndarray):
        tensor.data = np.array(tensor.data)
    storage = storage_of(tensor)
    storage.is_lent = True
    for member in storage.live():
        if member.index >= 0 and member.more.shown is None:
            member.more.shown = np.array(member.data)
    return tensor.data.view()  # an array of its own, whose shape may be set


def borrow(tensor: Tensor) -> Tensor:
    """Note that the tensor looks into memory of an array outside, `torch.from_numpy(array)`."""
    storage_of(tensor).is_lent = True
    return tensor


def version(tensor: Tensor) -> int:
    """How often the memory was written to, but for what `sharing.late_writes` finds."""
    counter = None if tensor.extra is None else tensor.extra.apart or tensor.extra.storage
    if counter is None:
        return 0 if tensor.extra is None else tensor.extra.first_version
    return counter.version


def notice(tensor: Tensor, *, keep_value: bool) -> None:
    """Let all who look into the memory of a tensor, and all who saved one of them, know that it is about to change.

    Args:
        tensor: what is changed.
        keep_value: whether their numbers change too, so that those which the graph shows must be copied.
    """
    storage, counter = storage_of(tensor), counter_of(tensor)
    if counter.has_left_unnoticed or counter.is_kept:
        tensor.tape.watch()
    for member in storage.present():
        counts = counter_of(member) is counter
        if counts and member.op is not None and not member.more.is_outdated:
            member.more.is_outdated = True
            member.more.saved_version = counter.version
            member.tape.watch()
        if member.index >= 0 and not counts and member.op is not None:
            member.more.shown = np.array(member.data) if member.more.shown is None else member.more.shown
        elif member.index >= 0:  # what changed behind the back of the graph stays the result it was
            leave_stand_in(member, counts=counts, keep_value=keep_value)
    storage.leave()


def count_changes(tensor: Tensor, times: int = 1) -> None:
    """Count changes in place that PyTorch makes where the numbers here are made at once."""
    if (more := tensor.more).apart is more.storage is None:
        more.first_version += times
    else:
        counter_of(tensor).version += times


def counter_of(tensor: Tensor) -> Storage:
    """What counts the changes of a tensor."""
    return tensor.more.apart or storage_of(tensor)


def leave_stand_in(tensor: Tensor, *, counts: bool, keep_value: bool) -> None:
    """Freeze the tensor's entry on the tape; the tensor itself leaves the tape.

    Args:
        tensor: its position is taken by the stand-in.
        counts: whether the saved-tensor check must notice.
        keep_value: whether its memory is about to be written to, so that the value must be copied.
    """
    if tensor.op is not None:  # it stays what made the tensor, with the hooks that are given later too
        own = tensor.more
        own.hooks = {} if own.hooks is None else own.hooks
        own.node = tensor.index if own.node is None else own.node
    stand_in = constant(tensor.data, tensor.tape)
    stand_in.op, stand_in.inputs, stand_in.params = tensor.op, tensor.inputs, tensor.params
    stand_in.index, stand_in.requires_grad = tensor.index, tensor.requires_grad
    more = stand_in.extra = Extra()
    more.owner = tensor
    more.node = None if tensor.more.node == tensor.index else tensor.more.node
    more.hooks, more.node_hooks = tensor.more.hooks, tensor.more.node_hooks
    if tensor.op is not None and more.node_hooks is not None and more.node_hooks.shown is not None:
        more.node_hooks.shown.tensor = stand_in  # a grad_fn that a script holds stays the node it was
    more.keeper, tensor.more.keeper = tensor.more.keeper, None
    more.modified, more.saved_version = counts, version(tensor)
    more.is_in_place, more.is_assigned = tensor.more.is_in_place, tensor.more.is_assigned
    more.is_repeating = tensor.more.is_repeating
    more.storage, more.apart = storage_of(tensor), tensor.more.apart
    more.shown = np.array(tensor.data) if keep_value else None
    tensor.tape.entries[tensor.index] = stand_in
    tensor.index = -1
    if counts:
        tensor.tape.watch()
    else:
        counter_of(tensor).has_left_unnoticed = True


def write(tensor: Tensor, value: Any, index: Any = ..., *, fills: bool = False) -> None:
    """Change the tensor's numbers, and those of everything that shares its memory; records no op.

    Args:
        tensor: what is changed.
        value: all its numbers afterwards.
        index: where they may differ from those before.
        fills: whether all become one number, which PyTorch writes several times to the same place too.
    """
    if not isinstance(value, np.ndarray | np.generic):
        value = np.asarray(value)
    if value.dtype is not tensor.dtype:
        value = value.astype(tensor.dtype)
    if value.shape != tensor.shape:
        value = np.broadcast_to(value, tensor.shape)
    storage = storage_of(tensor)
    is_shared = storage.is_shared(tensor)
    is_expanded = isinstance(tensor.data, np.ndarray) and not tensor.data.flags.writeable and tensor.data.size > 0
    if is_expanded and not is_shared:
        tensor.data = own_copy(tensor.data)  # nobody else may see the change, but a record of what was
    whole = _writable(tensor.data, index, fills) if is_expanded else None
    notice(tensor, keep_value=is_shared)
    if whole is not None and fills and index is ...:
        changed = value != tensor.data  # of numbers at one place those that stay may not undo the one that changes
        whole[changed] = value[changed]
    elif whole is not None:
        whole[index] = value[index]
    elif not tensor.data.size:
        pass  # where it lies is kept
    elif is_shared:
        tensor.data[index] = value[index]  # what overlaps it elsewhere may not be undone
    else:
        value = as_first(value, (tensor.data,)) if value.ndim > 1 else value
        fresh = value.copy("K") if value.base is not None else value[()]
        tensor.data = like_before(fresh, tensor.data) if tensor.more.has_steps else fresh
    refuse_change(tensor)  # PyTorch notices when the numbers are written already
    counter_of(tensor).version += 1


def write_numbers(tensor: Tensor, theirs: Any) -> None:
    """Write the array of another tensor: what `write` is given it keeps, and the other's memory may change."""
    write(tensor, np.array(theirs))


def _writable(expanded: Any, index: Any, may_overlap: bool) -> Any:
    """An expanded array of which a part is to be written, in the memory it looks into.

    Raises:
        TorchError: two of its numbers stand at the same place.
    """
    whole = unlocked(expanded)
    part = whole[index] if index is ... else whole[(*index, ...)]
    is_copy = not np.may_share_memory(part, whole)  # of places given by arrays, which PyTorch writes one by one
    overlaps = any(size > 1 and step == 0 for size, step in zip(part.shape, part.strides, strict=True))
    if not may_overlap and not is_copy and overlaps:
        raise TorchError(REPEATED)
    return whole


def change(tensor: Tensor, op: Op, *others: Tensor, **params: Any) -> Tensor:
    """An in-place op, `tensor = op(tensor, ...)`, recorded where a gradient can flow.

    Raises:
        TorchError: a leaf that requires grad (or a view of one), or a result that does not fit the dtype or shape.
    """
    refuse_leaf(tensor, by=others)
    if tensor.tape.grad_enabled and is_inference(tensor):
        with tensor.tape.grad_mode(False):
            return change(tensor, op, *others, **params)
    if op.name not in FILLS:
        refuse_repeated(tensor)
        for other in others if op.name != "fill" else ():  # PyTorch copies a number that lies in the memory first
            refuse_overlap(tensor, other)
    inputs = (tensor, *others)
    out = _applied(op, inputs, params)
    is_whole = out.dtype.kind in FLOATING and all(x.dtype.kind not in FLOATING for x in inputs)
    # Of whole numbers PyTorch has a quotient in the default dtype.
    refuse_result(tensor, out.shape, tensor.tape.float_dtype if is_whole else out.dtype)
    out = change_again(
        tensor, out, lambda x: _applied(op, tuple(x if each is tensor else each for each in inputs), params)
    )
    return become(tensor, out, fills=op.name in FILLS)


def _applied(op: Op, inputs: tuple[Tensor, ...], params: dict[str, Any]) -> Tensor:
    return binary(op, *inputs) if op.plain_inputs == 2 and len(inputs) == 2 else apply(op, inputs, **params)


FILLS = ("fill_number", "zero")


def refuse_leaf(tensor: Tensor, part: str = "", by: Iterable[Tensor] = ()) -> None:
    """Raise where PyTorch forbids a recorded in-place change.

    Args:
        tensor: what is changed.
        part: where a view of it is changed, as in `tensor[0] = 1`, the op that gives the view, e.g. "Select".
        by: what it is changed by, whose gradients it may take over.
    """
    if not tensor.tape.grad_enabled or (is_inference(tensor) and all(map(is_inference, by))):
        return
    if not tensor.requires_grad and not any(x.requires_grad for x in by):
        return
    is_view_in_graph = not looks_into_one(tensor)
    if is_view_in_graph:
        refuse_view(tensor, part if tensor.requires_grad else "")
    if not tensor.requires_grad:
        return
    if not part and is_unread(tensor):  # PyTorch takes it for a leaf
        raise TorchError(LEAF_INPLACE, hint=USE_NO_GRAD)
    base = root(tensor) if is_view_in_graph else tensor
    if (part or base is not tensor) and base.is_leaf:
        raise TorchError(VIEW_INPLACE, hint=USE_NO_GRAD)
    if tensor.is_leaf:
        raise TorchError(LEAF_INPLACE, hint=USE_NO_GRAD)


def become(tensor: Tensor, out: Tensor, index: Any = ..., *, fills: bool = False) -> Tensor:
    """Let the tensor the user holds take the place of a fresh result of an in-place op.

    `index` and `fills` are as `write` has them.
    """
    if not out.requires_grad:
        write(tensor, out.data, index, fills=fills)
        return tensor
    at = tensor.index
    if at >= 0 and out.inputs[:1] == (at,):
        out.more.is_in_place = True
    base, had_node = root(tensor), tensor.op is not None
    views = tracked_views(tensor, base)
    if base is tensor and not views:
        write(tensor, out.data, index, fills=fills)
        take_place(tensor, out)
    else:
        seen = {id(view): places(view, base) for view in views}
        whole = out if base is tensor else with_part(base, seen[id(tensor)], out, tensor.data)
        write(tensor, out.data, index, fills=fills)
        if base is not tensor:
            out.more.counted = counter_of(tensor), counter_of(tensor).version, weakref.ref(tensor)
        take_place_of_base(base, whole)
        for view in views:
            look_again(view, base, seen[id(view)])
    if at >= 0:
        _keep(tensor.tape.entries[at])
    refuse_lost(tensor, had_node=had_node)
    return tensor


def take_place_of_base(base: Tensor, whole: Tensor) -> None:
    """Let a base whose view was changed become what CopySlices made; where it looks into other memory, first of all."""
    if base.index >= 0:
        leave_stand_in(base, counts=True, keep_value=False)
    take_place(base, whole)


def turn(tensor: Tensor, out: Tensor | None, seen: Any) -> Tensor:
    """Let the tensor look at its memory in another shape.

    Args:
        tensor: the one that the user holds.
        out: the recorded result, or None where there is none.
        seen: its memory as it is looked at from now on.
    """
    accumulators.remember(tensor, seen)
    notice(tensor, keep_value=False)
    tensor.data = seen
    counter_of(tensor).version += 1
    if out is not None and out.requires_grad:
        take_place(tensor, out, hands_on=False)
    return tensor


def _keep(stand_in: Tensor) -> None:
    """Give a stand-in its value back for the op that changed it, which keeps it; every other reader is refused."""
    extra = stand_in.extra
    if extra is not None and extra.modified and extra.shown is not None:
        stand_in.data = extra.shown[()]


def tracked_views(tensor: Tensor, base: Tensor) -> list[Tensor]:
    """The views of base in the graph that somebody still holds, and the tensor itself where it is one."""
    live = storage_of(tensor).live()
    kept = [m for m in live if m is not base and root(m) is base and _sees(m) and not _is_lost(m)]
    return kept if tensor is base or any(m is tensor for m in kept) else [tensor, *kept]


def _is_lost(view: Tensor) -> bool:
    """Whether PyTorch refuses to find out what a view shows of its base now, by how it was made; this is noted."""
    creation = creation_of(view)
    if creation is not None:
        untracked.lose_history(view, creation)
    return creation is not None


def _sees(view: Tensor) -> bool:
    """Whether a view gets the history of its base with a change: one in the graph, or made before there was one."""
    if view.op is None:
        return not view.requires_grad and view.dtype.kind in FLOATING
    return creation_of(view) is None
