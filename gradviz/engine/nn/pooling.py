"""Pooling: the largest or the mean of every window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from gradviz.engine.nn import functional as F
from gradviz.engine.nn.module import Module, settings
from gradviz.engine.tensor import Tensor

Sizes = int | tuple[int, ...]
"""One number for all dims, or one for each."""


class MaxPool(Module):
    """The largest element of every window.

    Attributes:
        return_indices: whether the indices of the largest elements are given too.
    """

    pool: ClassVar[Callable[..., Any]]

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        """The largest elements, with their indices where those are wanted."""
        return type(self).pool(
            input, self.kernel_size, self.stride, self.padding, self.dilation, ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """All settings."""
        return settings(self, "kernel_size stride padding dilation ceil_mode")


class MaxPool2d(MaxPool):
    """Max pooling of images."""

    pool = staticmethod(F.max_pool2d)


class AvgPool2d(Module):
    """The mean of every window of images.

    Attributes:
        divisor_override: what the sums are divided by, in place of the size of the window.
    """

    pool: ClassVar[Callable[..., Tensor]] = staticmethod(F.avg_pool2d)

    def __init__(
        self,
        kernel_size: Sizes,
        stride: Sizes | None = None,
        padding: Sizes = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = kernel_size if stride is None else stride
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        """The means."""
        return type(self).pool(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
            self.divisor_override,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """The sizes."""
        return settings(self, "kernel_size stride padding")


class AdaptivePool(Module):
    """Pooling to a given size, whatever the size of the input.

    Attributes:
        output_size: the size; None for a dim that keeps its own.
    """

    pool: ClassVar[Callable[..., Any]]

    def __init__(self, output_size: Any) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(self, input: Tensor) -> Any:
        """The pooled input."""
        return type(self).pool(input, self.output_size)

    def extra_repr(self) -> str:
        """The size."""
        return f"output_size={self.output_size}"


class AdaptiveAvgPool2d(AdaptivePool):
    """Means of images."""

    pool = staticmethod(F.adaptive_avg_pool2d)
