"""One hook for several tensors (`torch.autograd.graph.register_multi_grad_hook`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradviz.imitation.engine.autograd import register_hook
from gradviz.imitation.engine.inference import looks_into_one
from gradviz.imitation.engine.memory.untracked import is_untracked
from gradviz.imitation.engine.memory.views import renew
from gradviz.imitation.engine.nodes import head
from gradviz.imitation.engine.passes.by_node import NodePass
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError

Remove = Callable[[], Any]


class Together:
    """Calls a hook once in each pass, as soon as all gradients that the pass will find are there."""

    def __init__(self, tensors: Sequence[Tensor], hook: Callable[[list[Tensor | None]], Any]) -> None:
        self._tensors = tensors
        self._hook = hook
        self._came: dict[NodePass, dict[int, Tensor]] = {}
        self._nodes = [_node(x) for x in tensors]

    def register(self) -> list[Remove]:
        """Returns how to remove it, for each tensor."""
        return [register_hook(x, lambda g, at=at: self._take(at, g)) for at, x in enumerate(self._tensors)]

    def _take(self, at: int, g: Tensor) -> None:
        now = self._tensors[0].tape.passes[-1]
        came = self._came.setdefault(now, {})
        came[at] = g
        now.refuse_captured(self._tensors)
        if len(came) == sum(now.will_visit(now.entries[x] if isinstance(x, int) else x) for x in self._nodes):
            del self._came[now]
            self._hook([came.get(number) for number in range(len(self._tensors))])


def _node(x: Tensor) -> Tensor | int:
    """What the node of a tensor is found by, whatever becomes of the tensor: of a leaf the leaf, else a position.

    Raises:
        TorchError: it has none.
    """
    if not x.requires_grad or is_untracked(x):
        raise TorchError(
            "Expected gradient function to be set", kind="AssertionError", hint="Give tensors that take a gradient."
        )
    renew(x)
    if x.op is None and looks_into_one(x):
        raise TorchError("'NoneType' object has no attribute 'next_functions'", kind="AttributeError")
    return x if x.op is None else head(x).index


def register_first(tensors: Sequence[Tensor], hook: Callable[[Tensor], Any]) -> list[Remove]:
    """Call a hook once in each pass, with the gradient that is found first."""
    done: list[NodePass] = []

    def take(g: Tensor) -> None:
        now = tensors[0].tape.passes[-1]
        if now not in done[-1:]:
            done[:] = [now]
            hook(g)

    return [register_hook(x, take) for x in tensors if x.requires_grad]
