"""Layers that shift and scale their input to mean 0 and variance 1, over the batch or over features."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from gradviz.engine.dtypes import DType
from gradviz.engine.nn import functional as F
from gradviz.engine.nn import init
from gradviz.engine.nn.module import Module, settings
from gradviz.engine.nn.parameter import Parameter, new_buffer, new_parameter
from gradviz.engine.tensor import Tensor, constant


class RunningNorm(Module):
    """What batch norm and instance norm have in common: weight and bias per channel, and running statistics.

    Attributes:
        weight, bias: of shape (num_features,); None without `affine`.
        running_mean, running_var: of shape (num_features,); None without `track_running_stats`.
        num_batches_tracked: how many batches went into them.
    """

    weight: Parameter | None
    bias: Parameter | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_batches_tracked: Tensor | None

    def _set_up(
        self,
        num_features: int,
        eps: float,
        momentum: float | None,
        affine: bool,
        track_running_stats: bool,
        bias: bool,
        device: Any,
        dtype: DType | None,
    ) -> None:
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats

        def channels(fill: float) -> Parameter:
            return new_parameter(num_features, fill=fill, dtype=dtype, device=device)

        self.register_parameter("weight", channels(1.0) if affine else None)
        self.register_parameter("bias", channels(0.0) if affine and bias else None)
        is_kept = track_running_stats
        for name, fill in (("running_mean", 0.0), ("running_var", 1.0)):
            kept = new_buffer(num_features, fill=fill, dtype=dtype, device=device) if is_kept else None
            self.register_buffer(name, kept)
        self.register_buffer("num_batches_tracked", constant(np.int64(0)) if is_kept else None)

    def reset_running_stats(self) -> None:
        """Forget the running statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()  # type: ignore[union-attr]
            self.running_var.fill_(1)  # type: ignore[union-attr]
            self.num_batches_tracked.zero_()  # type: ignore[union-attr]

    def reset_parameters(self) -> None:
        """Forget the running statistics, and set weights to 1 and biases to 0."""
        self.reset_running_stats()
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def extra_repr(self) -> str:
        """The number of channels and all settings."""
        return (
            f"{self.num_features}, {settings(self, 'eps momentum affine')}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm(RunningNorm):
    """Batch norm: every channel normalized over the batch; in evaluation mode by the running statistics.

    Source: Ioffe and Szegedy, Batch normalization, 2015.
    """

    ranks: ClassVar[tuple[int, ...]]
    wanted: ClassVar[str]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self._set_up(num_features, eps, momentum, affine, track_running_stats, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input.

        Raises:
            ValueError: the input has a wrong number of dims.
        """
        if input.ndim not in self.ranks:
            raise ValueError(f"expected {self.wanted} input (got {input.ndim}D input)")
        share = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                share = 1.0 / float(self.num_batches_tracked)
        is_kept = not self.training or self.track_running_stats
        mean, variance = (self.running_mean, self.running_var) if is_kept else (None, None)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        return F.batch_norm(input, mean, variance, self.weight, self.bias, by_batch, share, self.eps)


class BatchNorm1d(BatchNorm):
    """Batch norm of inputs of shape (N, C) or (N, C, L)."""

    ranks = (2, 3)
    wanted = "2D or 3D"


class BatchNorm2d(BatchNorm):
    """Batch norm of images, shape (N, C, H, W)."""

    ranks = (4,)
    wanted = "4D"


class InstanceNorm(RunningNorm):
    """Instance norm: every channel of every sample normalized by itself.

    Source: Ulyanov et al., Instance normalization, 2016.
    """

    ranks: ClassVar[tuple[int, int]]

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self._set_up(num_features, eps, momentum, affine, track_running_stats, bias, device, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input.

        Raises:
            ValueError: the input has a wrong number of dims.
        """
        alone, batched = self.ranks
        if input.ndim not in self.ranks:
            raise ValueError(f"expected {alone}D or {batched}D input (got {input.ndim}D input)")
        found = F.instance_norm(
            input.unsqueeze(0) if input.ndim == alone else input, self.running_mean, self.running_var, self.weight,
            self.bias, self.training or not self.track_running_stats, self.momentum or 0.0, self.eps,
        )  # fmt: skip
        return found.squeeze(0) if input.ndim == alone else found


class InstanceNorm1d(InstanceNorm):
    """Instance norm of inputs of shape (N, C, L) or (C, L)."""

    ranks = (2, 3)


class InstanceNorm2d(InstanceNorm):
    """Instance norm of images, shape (N, C, H, W) or (C, H, W)."""

    ranks = (3, 4)


Shape = int | list[int] | tuple[int, ...]


def _as_shape(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


class LayerNorm(Module):
    """Every sample normalized over its last dims.

    Attributes:
        weight, bias: of shape `normalized_shape`, or None.

    Source: Ba et al., Layer normalization, 2016.
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: Shape,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        shape = self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = new_parameter(*shape, fill=1.0, dtype=dtype, device=device) if elementwise_affine else None
        self.register_parameter("weight", weight)
        is_shifted = elementwise_affine and bias
        self.register_parameter("bias", new_parameter(*shape, dtype=dtype, device=device) if is_shifted else None)

    def reset_parameters(self) -> None:
        """Set weights to 1 and biases to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """The shape and all settings."""
        return f"{self.normalized_shape}, {settings(self, 'eps elementwise_affine')}, bias={self.bias is not None}"


class RMSNorm(Module):
    """Every sample divided by the root of the mean square over its last dims.

    Attributes:
        weight: of shape `normalized_shape`, or None.

    Source: Zhang and Sennrich, Root mean square layer normalization, 2019.
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: Shape,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        shape = self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = new_parameter(*shape, fill=1.0, dtype=dtype, device=device) if elementwise_affine else None
        self.register_parameter("weight", weight)

    def reset_parameters(self) -> None:
        """Set weights to 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """The shape and all settings."""
        return f"{self.normalized_shape}, {settings(self, 'eps elementwise_affine')}"


class GroupNorm(Module):
    """Every group of channels of every sample normalized by itself.

    Attributes:
        weight, bias: of shape (num_channels,), or None.

    Source: Wu and He, Group normalization, 2018.
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: DType | None = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        weight = new_parameter(num_channels, fill=1.0, dtype=dtype, device=device) if affine else None
        self.register_parameter("weight", weight)
        is_shifted = affine and bias
        self.register_parameter("bias", new_parameter(num_channels, dtype=dtype, device=device) if is_shifted else None)

    def reset_parameters(self) -> None:
        """Set weights to 1 and biases to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The normalized input."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Groups, channels and all settings."""
        shown = settings(self, "eps affine")
        return f"{self.num_groups}, {self.num_channels}, {shown}, bias={self.bias is not None}"
