"""One hook for several tensors (`torch.autograd.graph.register_multi_grad_hook`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradviz.engine.autograd import register_hook
from gradviz.engine.by_node import NodePass
from gradviz.engine.tensor import Tensor

Remove = Callable[[], Any]


class Together:
    """Calls a hook once in each pass, as soon as all gradients that the pass will find are there."""

    def __init__(self, tensors: Sequence[Tensor], hook: Callable[[list[Tensor | None]], Any]) -> None:
        self._tensors = tensors
        self._hook = hook
        self._came: dict[NodePass, dict[int, Tensor]] = {}

    def register(self) -> list[Remove]:
        """Returns how to remove it, for each tensor."""
        return [register_hook(x, lambda g, at=at: self._take(at, g)) for at, x in enumerate(self._tensors)]

    def _take(self, at: int, g: Tensor) -> None:
        now = self._tensors[0].tape.passes[-1]
        came = self._came.setdefault(now, {})
        came[at] = g
        now.refuse_captured(self._tensors)
        if len(came) == sum(now.will_visit(x) for x in self._tensors):
            del self._came[now]
            self._hook([came.get(number) for number in range(len(self._tensors))])


def register_first(tensors: Sequence[Tensor], hook: Callable[[Tensor], Any]) -> list[Remove]:
    """Call a hook once in each pass, with the gradient that is found first."""
    done: list[NodePass] = []

    def take(g: Tensor) -> None:
        now = tensors[0].tape.passes[-1]
        if now not in done[-1:]:
            done[:] = [now]
            hook(g)

    return [register_hook(x, take) for x in tensors if x.requires_grad]
