"""Views that were made while nothing was recorded, of a tensor that takes a gradient.

Such a view takes a gradient too and looks like a leaf: `with torch.no_grad(): v = w.view(-1)` gives a tensor that
prints with `requires_grad=True`. PyTorch refuses to change it in place where gradients are recorded, and to use it
once its memory was changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.inference import is_inference, is_on

if TYPE_CHECKING:
    from gradviz.imitation.engine.tensor import Tape, Tensor


def mark(view: Tensor, base: Tensor) -> None:
    """Note that a view was made without being recorded."""
    is_plain = view.op is not None or view.data.dtype.kind not in FLOATING
    first = base
    while first.extra is not None and first.extra.base is not None:
        first = first.extra.base
    if is_plain or not first.requires_grad or is_inference(base):
        return
    view.requires_grad = True
    counter = None if base.extra is None else base.extra.apart or base.extra.storage
    view.more.untracked = (mode_of(view.tape) or "no_grad", 0 if counter is None else counter.version)


def mode_of(tape: Tape) -> str | None:
    """The mode in which nothing is recorded; None where something is."""
    return "inference" if is_on(tape) else None if tape.grad_enabled else "no_grad"


def follow(view: Tensor, creation: str | None, *, takes: bool) -> None:
    """Let a view take a gradient as its base does now: nothing flows through it until one of both is changed.

    Args:
        view: of the base, by no op that was recorded.
        creation: what PyTorch notes of how it was made; see `views.creation_of`.
        takes: whether its base takes one.
    """
    if view.op is None and view.data.dtype.kind in FLOATING and view.requires_grad != takes:
        view.requires_grad = takes
        more = view.more
        more.untracked = (creation or LATE, more.seen_version) if takes else None


def lose_history(view: Tensor, creation: str) -> None:
    """Note that the base of such a view takes a gradient now: the view takes one too, and nothing may ask for it."""
    view.requires_grad = True
    view.more.untracked = (creation, -1)


LATE = "late"


def is_untracked(tensor: Tensor) -> bool:
    """Whether it is such a view."""
    return tensor.extra is not None and tensor.extra.untracked is not None


def is_stale(tensor: Tensor) -> bool:
    """Whether it is such a view of memory that was changed since."""
    extra = tensor.extra
    if extra is None or extra.untracked is None or not tensor.requires_grad or extra.storage is None:
        return False
    return (extra.apart or extra.storage).version != extra.untracked[1]
