"""Which tensor's `.grad` gets what comes to an output of a backward node.

PyTorch has a hook for it at the output of the node. A change in place takes the hook along to the new node, but looks
for it under the number that the tensor has as an output of the new node: of a second result changed in place, which is
the first of its new node, it takes the hook of the first result, or finds none and fails.
"""

from __future__ import annotations

import weakref

from gradviz.imitation.engine.nodes import head, is_again, result
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError

ASSERT = (
    '{} INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/autograd/variable.cpp":{}, '
    "please report a bug to PyTorch. "
)


def retain(tensor: Tensor) -> None:
    """Let a tensor that an op made get what comes to its node in `.grad`, unless it was told so before."""
    if not tensor.more.retains_grad:
        tensor.more.retains_grad = True
        entry = tensor.tape.entries[tensor.more.node] if is_again(tensor) else tensor  # type: ignore[index]
        entry.more.keeper = weakref.ref(tensor)


def keeper_of(entry: Tensor) -> Tensor | None:
    """The tensor whose `.grad` gets what comes to an entry, while somebody holds it."""
    extra = entry.extra
    return None if extra is None or extra.keeper is None else extra.keeper()


def hand_on(tensor: Tensor, number: int) -> None:
    """Take along what the node of a tensor has for output `number`, which the tensor is of its new node."""
    if not tensor.more.retains_grad:
        return
    before = None if tensor.op is None else result(head(tensor), number)
    found = None
    if before is not None and before.extra is not None:
        found, before.extra.keeper = before.extra.keeper, None
    tensor.more.keeper = found


def refuse_lost(tensor: Tensor, *, had_node: bool = True) -> None:
    """Raise where PyTorch does not find what retains the gradient of a tensor that was changed in place.

    Raises:
        TorchError: it was another output of its node before, or was detached in place or turned since.
    """
    extra = tensor.extra
    if extra is not None and extra.retains_grad and extra.keeper is None:
        raise TorchError(
            ASSERT.format(*(("out != nullptr", 207) if had_node else ("old_fn", 205))),
            hint="Call retain_grad() on a copy that x.clone() gives, or after the change in place.",
        )
