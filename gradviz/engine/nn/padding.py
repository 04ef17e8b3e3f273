"""Padding: a margin around images."""

from __future__ import annotations

from typing import ClassVar

from gradviz.engine.nn import functional as F
from gradviz.engine.nn.module import Module
from gradviz.engine.tensor import Tensor

Margins = int | tuple[int, ...]
"""One margin for all sides, or one for each: left, right, top and bottom."""


class Padding(Module):
    """What all margins have in common.

    Attributes:
        padding: the widths: left, right, top and bottom.
    """

    mode: ClassVar[str] = "constant"
    value: float | None = None

    def __init__(self, padding: Margins) -> None:
        super().__init__()
        self.padding = (padding,) * 4 if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with its margin."""
        return F.pad(input, self.padding, mode=self.mode, value=self.value)

    def extra_repr(self) -> str:
        """The widths."""
        return f"{self.padding}"


class ConstantPad2d(Padding):
    """A margin of one number."""

    def __init__(self, padding: Margins, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def extra_repr(self) -> str:
        """The widths and the number."""
        return f"padding={self.padding}, value={self.value}"


class ZeroPad2d(Padding):
    """A margin of zeros."""


class ReflectionPad2d(Padding):
    """A margin that mirrors the image."""

    mode = "reflect"
