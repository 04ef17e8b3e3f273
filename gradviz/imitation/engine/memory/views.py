"""Views in the graph: where a view lies in its base, and what an in-place change does to both.

A change of a view is a change of its base: the base becomes the result of CopySlices, and every view that is still
held becomes a view of that result. PyTorch records the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

import numpy as np

from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.inference import is_inference
from gradviz.imitation.engine.memory.refused_writes import is_repeated
from gradviz.imitation.engine.memory.retained import hand_on
from gradviz.imitation.engine.memory.sharing import address, addresses
from gradviz.imitation.engine.memory.untracked import follow, is_stale, is_untracked
from gradviz.imitation.engine.nodes import output_number
from gradviz.imitation.engine.passes.backward import named_in_errors, node_name
from gradviz.imitation.engine.tensor import Tensor, record
from gradviz.errors import ScriptError, TorchError

MODES = {
    "no_grad": ("no_grad mode", "with grad mode enabled"),
    "inference": ("inference mode", "in normal mode"),
}
CLARIFY = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {block} (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)
SEVERAL = (
    "This view is the output of a function that returns multiple views. Such functions do not allow the output views "
    "to be modified inplace. You should replace the inplace operation by an out-of-place one."
)
CUSTOM = (
    "This view was created inside a custom Function (or because an input was returned as-is) and the autograd logic to "
    "handle view+inplace would override the custom backward associated with the custom Function, leading to incorrect "
    "gradients. This behavior is forbidden. You can fix this by cloning the output of the custom Function."
)
SAME_MODE = "Take the view and change it in the same mode, or clone() the view."
REASONS = {
    "no_grad": (CLARIFY.format(block="no_grad block"), SAME_MODE),
    "inference": (CLARIFY.format(block="inference_mode block"), SAME_MODE),
    "several": (SEVERAL, "Index the tensor itself, or clone() the part first."),
    "custom": (CUSTOM, "clone() it first."),
}
"""Why each way to make a view forbids changes, and what to do."""


def root(tensor: Tensor) -> Tensor:
    """The tensor whose memory a view looks into; the tensor itself where it is no view."""
    while tensor.extra is not None and tensor.extra.base is not None:
        tensor = tensor.extra.base
    return tensor


def is_view(tensor: Tensor) -> bool:
    """Whether it looks into the memory of another tensor, as `Tensor._is_view`; `detach()` and `.data` do not count."""
    more = tensor.extra
    if more is None or more.base is None or more.is_data or is_inference(tensor):
        return False
    return tensor.op is not None or is_untracked(tensor) or not root(tensor).requires_grad


Places = tuple[Any, ...]
"""An index of a base, one array for each of its dims; for a base without dims, how a view repeats its number."""


class Elsewhere(tuple[Any, ...]):
    """Places of a view by its sizes and steps alone: it looks into other memory than its base."""

    __slots__ = ()


def places(view: Tensor, base: Tensor) -> Places:
    """The index of base that a view of it shows, one array per dim of base, each of the view's shape.

    Returns:
        Where one of both was given other memory since, `Elsewhere`.

    Raises:
        ScriptError: the view does not lie in the memory of base.
    """
    inner, outer = np.asarray(view.data), np.asarray(base.data)
    if inner.size and outer.size and not np.may_share_memory(inner, outer):
        found = _index_of(inner, _first(inner), outer)
        return Elsewhere(nowhere(inner.shape, outer) if found is None else found)
    if not outer.ndim and not inner.size:
        return (*(None,) * (inner.ndim - 1), np.zeros((), np.bool_))
    if not outer.ndim:
        return (None,) * inner.ndim or (...,)
    if not inner.size:
        return nowhere(inner.shape, outer)
    found = _index_of(inner, outer, outer)
    if found is None:
        raise ScriptError(
            "an in-place change of a view that does not lie in its tensor is not supported",
            hint="Write it out of place, or call .contiguous() first.",
        )
    return found


def _first(array: Any) -> Any:
    """The array whose memory a numpy view looks into."""
    found = array
    while (array := getattr(array, "base", None)) is not None:
        if isinstance(array, np.ndarray):
            found = array
    return found


def _index_of(inner: Any, memory: Any, outer: Any) -> Places | None:
    """The index of outer whose places lie as those of inner do in its memory; None where there is none."""
    at = addresses(inner) - address(memory)
    if not outer.ndim:
        return None if at.any() or inner.size != 1 else (None,) * inner.ndim or (...,)
    index = [np.zeros(inner.shape, np.int64)] * outer.ndim
    for axis in sorted((i for i in range(outer.ndim) if outer.shape[i] > 1), key=lambda i: -outer.strides[i]):
        if not outer.strides[axis]:
            return None
        index[axis], at = np.divmod(at, outer.strides[axis])
    is_outside = any((part >= n).any() or (part < 0).any() for part, n in zip(index, outer.shape, strict=True))
    return None if at.any() or is_outside else tuple(index)


def nowhere(shape: tuple[int, ...], outer: Any) -> Places:
    """What stands for places that an array has not got."""
    return tuple(np.zeros(shape, np.int64) for _ in range(outer.ndim)) or (None,) * len(shape) or (...,)


def creation_of(view: Tensor) -> str | None:
    """What PyTorch notes of how a view was made, where that forbids to change it in place.

    Returns:
        "several" for one of several results, "custom" for that of a custom Function, "no_grad" or "inference" for the
        mode; None where nothing is forbidden. Of views of views the last of which there is something to note counts,
        but inference mode before all up to a custom Function, which forgets what was.
    """
    above: Tensor | None = view
    found = None
    while above is not None:
        own = _own_creation(above)
        found = own if found is None or own == "inference" else found
        if own in ("custom", ""):
            break
        above = above.extra.base if above.extra is not None else None
    return found or None


def _own_creation(view: Tensor) -> str | None:
    """What is noted of a view itself: "" where it stands for itself, None where what it is a view of decides."""
    op = view.op
    if op is None:
        return None if view.extra is None else view.extra.creation
    if op.output and (op.is_view or root(view) is not view):
        return "several"
    if op.joint is not None and not op.output and root(view) is not view:
        return "" if _is_changed_by(view) else "custom"
    return None


def _is_changed_by(made: Tensor) -> bool:
    context = made.op.context if made.op is not None else None
    return context is not None and any(made is x for x in context.dirty)


def refuse_view(view: Tensor, part: str = "", changed: str = "is being") -> None:
    """Raise where the way in which a view was made forbids to change it in place.

    Args:
        view: what is changed.
        part: where a part of it is changed, the op that gives the part, e.g. "Select".
        changed: how the message says that it is changed.
    """
    how = creation_of(view)
    if how is None:
        return
    made_by = part if view.op is None else part or named_in_errors(node_name(view))
    number = 0 if part or view.op is None else output_number(view)
    if how in MODES or not made_by:
        made, now = MODES.get(how, MODES["no_grad"])
        what = f"Output {number} of {made_by} is a view of a view which was" if made_by else "A view was"
        text = f"{what} created in {made} and {changed} modified inplace {now}."
    else:
        text = f"Output {number} of {made_by} is a view and {changed} modified inplace."
    reason, hint = REASONS[how]
    raise TorchError(f"{text} {reason}", hint=hint)


def renew(view: Tensor) -> None:
    """Give a view whose memory was changed since it was made the history of its base as it is now.

    Raises:
        TorchError: it is one of several outputs, or was made while nothing was recorded.
    """
    if view.extra is not None:
        view.extra.is_unread = False
    if not _is_behind(view):
        return
    refuse_behind(view)
    view.more.untracked = None
    base = root(view)
    with view.tape.grad_mode(True):
        look_again(view, base, places(view, base))


def _is_behind(view: Tensor) -> bool:
    """Whether the memory of a view was changed since it got its history."""
    extra = view.extra
    if extra is None or extra.base is None:
        return False
    return is_stale(view) or (extra.is_outdated and view.op is not None)


def refuse_behind(view: Tensor) -> None:
    """Raise for a view whose memory was changed, and whose history PyTorch then refuses to find out."""
    if _is_behind(view):
        refuse_view(view, changed="its base or another view of its base has been")


def lost_history(arguments: Iterable[Any]) -> TorchError | None:
    """Why PyTorch cannot tell the history of one of them any more: its ops ask for it before they look at sizes.

    Args:
        arguments: of a call that failed: tensors and lists of them, and anything else.
    """
    for tensor in chain.from_iterable(x if isinstance(x, list | tuple) else (x,) for x in arguments):
        if isinstance(tensor, Tensor) and tensor.tape.grad_enabled:
            try:
                renew(tensor)
            except TorchError as error:
                return error
    return None


def let_views_follow(base: Tensor) -> None:
    """Let the views of a tensor take a gradient where it does now."""
    if base.extra is None or base.extra.storage is None:
        return
    for view in base.extra.storage.live():
        if view is not base and root(view) is base:
            follow(view, creation_of(view), takes=base.requires_grad)


def is_unread(view: Tensor) -> bool:
    """Whether a view got its history with a change of its base, and nothing has asked for it since."""
    if view.extra is None or not view.extra.is_unread:
        return False
    return all(view.index not in entry.inputs for entry in view.tape.entries[view.index + 1 :])


def places_of_part(at: Places, shape: tuple[int, ...], index: Any) -> Places:
    """The places of a part of a view that has these places and this shape."""
    if all(isinstance(along, np.ndarray) for along in at):
        return type(at)(along[index] for along in at)
    part = np.broadcast_to(np.empty(()), shape)[index]  # of a base without dims each place is its one number
    return type(at)((None,) * part.ndim or (...,))


def with_part(base: Tensor, index: Any, part: Tensor, seen: Any) -> Tensor:
    """base with a part overwritten, recorded as CopySlices; `seen` is the view through which PyTorch writes it."""
    value = np.array(base.data)
    if not isinstance(index, Elsewhere):
        value[index] = part.data
    whole = record(OPS["copy_slices"], (base, part), {"index": index}, value[()])
    if whole.op is not None and is_repeated(seen):
        whole.more.is_repeating = whole.tape.by_node = True
    return whole


def look_again(view: Tensor, base: Tensor, index: Places) -> None:
    """Let a view that is held become a view of base as it is now; its numbers are already the new ones."""
    index, is_first = tuple(index), view.op is None
    op, params = OPS["as_strided"], dict[str, Any](index=index)
    if not base.ndim and view.data.size != 1:  # numpy has no index that repeats a number without dims
        flat = np.zeros(view.shape, np.int64)
        op, params = OPS["as_strided_beyond"], {"index": flat, "beyond": flat > 0, "others": flat[flat > 0]}
    fresh = record(op, (base,), params, np.asarray(view.data))
    if fresh.op is None:  # of a base that takes no gradient, to which the view still leads
        tape = base.tape
        fresh.op, fresh.params, fresh.requires_grad = op, params, True
        fresh.inputs = (base.index if base.index >= 0 else tape.enter(base),)
        fresh.index = len(tape.entries)
        tape.entries.append(fresh)
    take_place(view, fresh)
    view.more.is_unread = is_first


def take_place(tensor: Tensor, out: Tensor, *, hands_on: bool = True) -> None:
    """Let a tensor that is held have the place of `out` on the tape. Its numbers are those of `out`.

    Args:
        tensor: what is held.
        out: the result of an op.
        hands_on: whether the new node retains the gradient that the old one did; a turned tensor's does not.
    """
    if hands_on:
        hand_on(tensor, output_number(out))
    tensor.op, tensor.inputs, tensor.params = out.op, out.inputs, out.params
    tensor.more.hooks = tensor.more.node_hooks = None  # they stay with the node that made it before
    tensor.more.is_outdated, tensor.more.node = False, None
    if tensor.more.storage is not None:
        tensor.more.storage.come_back(tensor)
    tensor.more.is_in_place = out.extra is not None and out.extra.is_in_place
    tensor.more.is_assigned = out.extra is not None and out.extra.is_assigned
    tensor.more.is_repeating = out.extra is not None and out.extra.is_repeating
    tensor.requires_grad = True
    tensor.index = out.index
    tensor.tape.entries[out.index] = tensor
