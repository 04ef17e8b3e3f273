"""Layers that rearrange or resize: flatten and unflatten, upsampling."""

from __future__ import annotations

from typing import Any

from gradviz.engine.dtypes import type_name_of
from gradviz.engine.functions.shape import flatten, unflatten
from gradviz.engine.nn import functional as F
from gradviz.engine.nn.module import Module, settings
from gradviz.engine.tensor import Tensor


class Flatten(Module):
    """Dims joined into one, all but the batch by default."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """The input with fewer dims."""
        return flatten(input, self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """The dims."""
        return settings(self, "start_dim end_dim")


class Unflatten(Module):
    """One dim split into several."""

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, tuple | list):
            kind = type_name_of(unflattened_size)
            raise TypeError(f"unflattened_size must be a tuple of ints, but found type {kind}")
        self.dim = dim
        self.unflattened_size = unflattened_size

    def forward(self, input: Tensor) -> Tensor:
        """The input with more dims."""
        return unflatten(input, self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """The dim and its parts."""
        return settings(self, "dim unflattened_size")


class Upsample(Module):
    """Signals or images enlarged.

    Attributes:
        size: of the result, or `scale_factor`, how much larger it is.
        mode: "nearest", "linear" or "bilinear".
        align_corners: whether the corner elements of input and result coincide.
    """

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple(float(factor) for factor in scale_factor)
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners

    def forward(self, input: Tensor) -> Tensor:
        """The enlarged input."""
        return F.interpolate(input, self.size, self.scale_factor, self.mode, self.align_corners)

    def extra_repr(self) -> str:
        """The size or the factor, and the mode."""
        given = "size" if self.scale_factor is None else "scale_factor"
        return f"{given}={getattr(self, given)}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images enlarged by repeating pixels."""

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")
