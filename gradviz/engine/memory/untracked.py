"""Views that were made while nothing was recorded, of a tensor that takes a gradient.

Such a view takes a gradient too and looks like a leaf: `with torch.no_grad(): v = w.view(-1)` gives a tensor that
prints with `requires_grad=True`. PyTorch refuses to change it in place where gradients are recorded, and to use it
once its memory was changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.engine.dtypes import FLOATING
from gradviz.engine.inference import is_inference, is_on
from gradviz.errors import TorchError

if TYPE_CHECKING:
    from gradviz.engine.tensor import Tape, Tensor

MODES = {
    "no_grad": ("no_grad mode", "with grad mode enabled", "no_grad block"),
    "inference": ("inference mode", "in normal mode", "inference_mode block"),
}
CLARIFY = (
    "Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {block} (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)
REASONS = {
    "several": "This view is the output of a function that returns multiple views. Such functions do not allow the "
    "output views to be modified inplace. You should replace the inplace operation by an out-of-place one.",
    "custom": "This view was created inside a custom Function (or because an input was returned as-is) and the "
    "autograd logic to handle view+inplace would override the custom backward associated with the custom Function, "
    "leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
    "Function.",
}
HINT = "Take the view and change it in the same mode, or clone() the view."


def mark(view: Tensor, base: Tensor) -> None:
    """Note that a view was made without being recorded."""
    is_plain = view.op is not None or view.data.dtype.kind not in FLOATING
    first = base
    while first.extra is not None and first.extra.base is not None:
        first = first.extra.base
    if is_plain or not first.requires_grad or is_inference(base):
        return
    view.requires_grad = True
    version = 0 if base.extra is None or base.extra.storage is None else base.extra.storage.version
    view.more.untracked = (mode_of(view.tape) or "no_grad", version)


def mode_of(tape: Tape) -> str | None:
    """The mode in which nothing is recorded; None where something is."""
    return "inference" if is_on(tape) else None if tape.grad_enabled else "no_grad"


def follow(view: Tensor, *, takes: bool) -> None:
    """Let a view take a gradient as its base does now: nothing flows through it until one of both is changed."""
    if view.op is None and view.data.dtype.kind in FLOATING and view.requires_grad != takes:
        view.requires_grad = takes
        more = view.more
        more.untracked = (creation_of(view) or LATE, more.seen_version) if takes else None


def creation_of(view: Tensor) -> str | None:
    """What PyTorch notes of how a view that takes no gradient was made, or what it is a view of; None for nothing."""
    above: Tensor | None = view
    while above is not None and above.op is None and above.extra is not None:
        if above.extra.creation is not None:
            return above.extra.creation
        above = above.extra.base
    return None


def lose_history(view: Tensor, creation: str) -> None:
    """Note that the base of such a view takes a gradient now: the view takes one too, and nothing may ask for it."""
    view.requires_grad = True
    view.more.untracked = (creation, -1)


LATE = "late"


def is_late(tensor: Tensor) -> bool:
    """Whether it is a view of what takes a gradient since the view was made."""
    return tensor.extra is not None and tensor.extra.untracked is not None and tensor.extra.untracked[0] == LATE


def is_untracked(tensor: Tensor) -> bool:
    """Whether it is such a view."""
    return tensor.extra is not None and tensor.extra.untracked is not None


def is_stale(tensor: Tensor) -> bool:
    """Whether it is such a view of memory that was changed since."""
    extra = tensor.extra
    if extra is None or extra.untracked is None or not tensor.requires_grad or extra.storage is None:
        return False
    return extra.storage.version != extra.untracked[1]


def refuse_stale(tensor: Tensor) -> None:
    """Raise where its history is asked for, though its memory was changed since."""
    if is_stale(tensor) and not is_late(tensor):
        how = tensor.more.untracked[0]  # type: ignore[index]
        raise _refused("A view was", how, "its base or another view of its base has been")


def _refused(what: str, how: str, changed: str) -> TorchError:
    """PyTorch's error for a change of a view that was made in one of the modes, or by an op that refuses it."""
    made, now, block = MODES["inference" if how == "inference" else "no_grad"]
    reason = REASONS.get(how) or CLARIFY.format(block=block)
    return TorchError(f"{what} created in {made} and {changed} modified inplace {now}. {reason}", hint=HINT)


def refuse_plain_change(tensor: Tensor) -> None:
    """Raise for a view that takes no gradient, by what PyTorch notes of how it was made, when it is to take one."""
    creation = creation_of(tensor)
    if creation is not None:
        raise _refused("A view was", creation, "is being")


def refuse_change(tensor: Tensor, name: str) -> None:
    """Raise for a recorded change in place of such a view, or of a view of one, made by the op `name`."""
    above: Tensor | None = tensor
    while above is not None and not is_untracked(above):
        if above.op is not None and above.op.joint is not None:
            return  # what a custom Function returns is refused for that
        above = above.extra.base if above.extra is not None else None
    if above is None or not above.requires_grad or is_late(above):
        return
    what = f"Output 0 of {name} is a view of a view which was" if name else "A view was"
    raise _refused(what, above.more.untracked[0], "is being")  # type: ignore[index]
