"""Padding: a margin around signals, images and volumes."""

from __future__ import annotations

from typing import ClassVar

from gradviz.engine.nn import functional as F
from gradviz.engine.nn.module import Module
from gradviz.engine.tensor import Tensor

Margins = int | tuple[int, ...]
"""One margin for all sides, or one for each: before and after, the last dim first."""


class Padding(Module):
    """A margin around the input.

    Attributes:
        padding: its width, before and after, the last dim first.
    """

    dims: ClassVar[int]
    mode: ClassVar[str]

    def __init__(self, padding: Margins) -> None:
        super().__init__()
        self.padding = (padding,) * (2 * self.dims) if isinstance(padding, int) else tuple(padding)

    def forward(self, input: Tensor) -> Tensor:
        """The input with its margin."""
        return F.pad(input, self.padding, mode=self.mode)

    def extra_repr(self) -> str:
        """The widths."""
        return f"{self.padding}"


class ConstantPadding(Padding):
    """A margin of one number.

    Attributes:
        value: the number.
    """

    mode = "constant"

    def __init__(self, padding: Margins, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """The input with its margin."""
        return F.pad(input, self.padding, mode="constant", value=self.value)

    def extra_repr(self) -> str:
        """The widths and the number."""
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(ConstantPadding):
    """A margin of one number around signals."""

    dims = 1


class ConstantPad2d(ConstantPadding):
    """A margin of one number around images."""

    dims = 2


class ConstantPad3d(ConstantPadding):
    """A margin of one number around volumes."""

    dims = 3


class ZeroPadding(ConstantPadding):
    """A margin of zeros."""

    def __init__(self, padding: Margins) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        """The widths."""
        return f"{self.padding}"


class ZeroPad1d(ZeroPadding):
    """A margin of zeros around signals."""

    dims = 1


class ZeroPad2d(ZeroPadding):
    """A margin of zeros around images."""

    dims = 2


class ZeroPad3d(ZeroPadding):
    """A margin of zeros around volumes."""

    dims = 3


class ReflectionPad1d(Padding):
    """A margin that mirrors signals."""

    dims = 1
    mode = "reflect"


class ReflectionPad2d(Padding):
    """A margin that mirrors images."""

    dims = 2
    mode = "reflect"


class ReflectionPad3d(Padding):
    """A margin that mirrors volumes."""

    dims = 3
    mode = "reflect"


class ReplicationPad1d(Padding):
    """A margin that repeats the ends of signals."""

    dims = 1
    mode = "replicate"


class ReplicationPad2d(Padding):
    """A margin that repeats the edges of images."""

    dims = 2
    mode = "replicate"


class ReplicationPad3d(Padding):
    """A margin that repeats the faces of volumes."""

    dims = 3
    mode = "replicate"


class CircularPad1d(Padding):
    """A margin by which signals go round."""

    dims = 1
    mode = "circular"


class CircularPad2d(Padding):
    """A margin by which images go round."""

    dims = 2
    mode = "circular"


class CircularPad3d(Padding):
    """A margin by which volumes go round."""

    dims = 3
    mode = "circular"
