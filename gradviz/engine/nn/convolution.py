"""Convolutions and transposed convolutions in one, two and three dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar

from gradviz.engine.dtypes import DType
from gradviz.engine.errors import Beyond
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.module import Module
from gradviz.engine.nn.parameter import Parameter, new_parameter
from gradviz.engine.tensor import Tensor

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")

Sizes = int | tuple[int, ...]
"""One number for all dims, or one for each."""


def per_dim(value: Any, dims: int) -> tuple[Any, ...]:
    """One value for each dim: a single one repeated."""
    return tuple(value) if isinstance(value, tuple | list) else (value,) * dims


class Convolution(Module):
    """What all convolutions have in common.

    Attributes:
        weight: of shape (out_channels, in_channels / groups, *kernel_size); transposed, with the first two exchanged.
        bias: of shape (out_channels,), or None.
    """

    dims: ClassVar[int]
    transposed: ClassVar[bool] = False
    convolve: ClassVar[Callable[..., Tensor]]
    weight: Parameter
    bias: Parameter | None

    def _set_up(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes,
        padding: str | Sizes,
        dilation: Sizes,
        output_padding: Sizes,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any,
        dtype: DType | None,
    ) -> None:
        """Check and keep the settings, and draw the weights.

        Raises:
            ValueError: settings that do not go together.
        """
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{name} must be divisible by groups")
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = per_dim(kernel_size, self.dims)
        self.stride = per_dim(stride, self.dims)
        self.padding = padding if isinstance(padding, str) else per_dim(padding, self.dims)
        self.dilation = per_dim(dilation, self.dims)
        self.output_padding = per_dim(output_padding, self.dims)
        self.groups = groups
        self.padding_mode = padding_mode
        self._check_padding()
        ends = (in_channels, out_channels // groups) if self.transposed else (out_channels, in_channels // groups)
        self.weight = new_parameter(*ends, *self.kernel_size, dtype=dtype, device=device)
        self.register_parameter("bias", new_parameter(out_channels, dtype=dtype, device=device) if bias else None)
        self.reset_parameters()

    def _check_padding(self) -> None:
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string '{self.padding}', should be one of {{'valid', 'same'}}")
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode not in PADDING_MODES:
            raise ValueError(
                f"padding_mode must be one of {set(PADDING_MODES)}, but got padding_mode='{self.padding_mode}'"
            )

    def reset_parameters(self) -> None:
        """Draw weights and bias anew, uniform within ±1/√fan_in."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init.fans(self.weight)
            if fan_in:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """The convolution of an input of shape (N, in_channels, ...) or (in_channels, ...)."""
        padding: Any = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._margins(), mode=self.padding_mode)
            padding = 0
        convolve = type(self).convolve
        return convolve(input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)

    def _margins(self) -> tuple[int, ...]:
        """What to pad with before and after, for each dim, the last dim first; as `F.pad` wants it."""
        if self.padding == "valid":
            return (0, 0) * self.dims
        margins: list[int] = []
        for dim in reversed(range(self.dims)):
            if self.padding == "same":
                both = self.dilation[dim] * (self.kernel_size[dim] - 1)
                margins += (both // 2, both - both // 2)
            else:
                margins += (int(self.padding[dim]),) * 2
        return tuple(margins)

    def extra_repr(self) -> str:
        """Channels, sizes, and the settings that differ from their defaults."""
        zeros, ones = (0,) * self.dims, (1,) * self.dims
        shown = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, default in (
            ("padding", zeros), ("dilation", ones), ("output_padding", zeros), ("groups", 1),
        ):  # fmt: skip
            if getattr(self, name) != default:
                shown += f", {name}={getattr(self, name)}"
        if self.bias is None:
            shown += ", bias=False"
        return shown if self.padding_mode == "zeros" else f"{shown}, padding_mode={self.padding_mode}"


class ForwardConvolution(Convolution):
    """A convolution that is not transposed."""

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: str | Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self._set_up(
            in_channels, out_channels, kernel_size, stride, padding, dilation, 0, groups, bias, padding_mode, device,
            dtype,
        )  # fmt: skip


class Conv1d(ForwardConvolution):
    """A convolution over one dimension: inputs of shape (N, C, L) or (C, L)."""

    dims = 1
    convolve = staticmethod(F.conv1d)


class Conv2d(ForwardConvolution):
    """A convolution over images: inputs of shape (N, C, H, W) or (C, H, W)."""

    dims = 2
    convolve = staticmethod(F.conv2d)


class TransposedConvolution(Convolution):
    """A transposed convolution: the adjoint of a convolution as a linear map, which enlarges."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Sizes = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        self._set_up(
            in_channels, out_channels, kernel_size, stride, padding, dilation, output_padding, groups, bias,
            padding_mode, device, dtype,
        )  # fmt: skip

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        """The transposed convolution of an input of shape (N, in_channels, ...) or (in_channels, ...).

        Raises:
            Beyond: a size of the result is asked for; `output_padding` decides it.
        """
        if output_size is not None:
            raise Beyond(f"{type(self).__name__}.forward(output_size=...)")
        convolve = type(self).convolve
        return convolve(
            input, self.weight, self.bias, self.stride, self.padding, self.output_padding, self.groups, self.dilation
        )


class ConvTranspose1d(TransposedConvolution):
    """A transposed convolution over one dimension."""

    dims = 1
    convolve = staticmethod(F.conv_transpose1d)


class ConvTranspose2d(TransposedConvolution):
    """A transposed convolution over images."""

    dims = 2
    convolve = staticmethod(F.conv_transpose2d)
