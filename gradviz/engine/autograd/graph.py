"""`torch.autograd.graph`: nodes, and hooks that wait for several gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradviz.engine.gradients import register_hook
from gradviz.engine.graph import Node, RemovableHandle
from gradviz.engine.known import missing_of
from gradviz.engine.tensor import Tensor


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Callable[..., object], *, mode: str = "all"
) -> RemovableHandle:
    """Call fn once the gradients of several tensors have come: with all of them, or with the first ("any")."""
    came: dict[int, Tensor] = {}

    def hook_of(number: int) -> Callable[[Tensor], None]:
        def hook(gradient: Tensor) -> None:
            if mode == "any":
                if not came:
                    came[number] = gradient
                    fn(gradient)
                return
            came[number] = gradient
            if len(came) == len(tensors):
                found = [came.get(i) for i in range(len(tensors))]
                came.clear()
                fn(found)

        return hook

    handles = [register_hook(x, hook_of(i)) for i, x in enumerate(tensors)]
    return _All(handles)


class _All(RemovableHandle):
    """Several hooks, removed together."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        super().__init__({})
        self._handles = handles

    def remove(self) -> None:
        """Take them all away."""
        for handle in self._handles:
            handle.remove()


__getattr__ = missing_of("torch.autograd.graph")


__all__ = ["Node", "register_multi_grad_hook"]
