"""The modules of the small torch."""

from __future__ import annotations

from typing import Any

__all__ = ["Linear", "Module"]


class Module:
    """What scripts derive from."""

    def __call__(self, *given: Any) -> Any:
        return self.forward(*given)

    def forward(self, *given: Any) -> Any:
        raise NotImplementedError


class Linear(Module):
    """A layer."""

    def __init__(self, inputs: int, outputs: int) -> None:
        self.inputs, self.outputs = inputs, outputs

    def forward(self, x: Any) -> Any:
        return x * self.outputs
