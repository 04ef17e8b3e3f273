"""`grid_sample` and `affine_grid`: a picture read at other places."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import evenly_spaced
from gradviz.imitation.engine.dtypes import FLOATING, type_name
from gradviz.imitation.engine.functions.arguments import ints, need
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

SINCE = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)
UNIT = (
    "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
    "intended use case of affine_grid. See the documentation of affine_grid for details."
)
MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


def _corners(given: bool | None) -> bool:
    if given is None:
        warn(SINCE)
    return bool(given)


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    x, places = need("grid_sample", input), need("grid_sample", grid, "grid", 2)
    name = "nn.functional.grid_sample()"
    if mode not in MODES:
        raise TorchError(
            f"{name}: expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'", kind="ValueError"
        )
    if padding_mode not in PADDINGS:
        raise TorchError(
            f"{name}: expected padding_mode to be 'zeros', 'border', or 'reflection', but got: '{padding_mode}'",
            kind="ValueError",
        )
    corners = _corners(align_corners)
    _check(x, places, mode)
    return apply(OPS["grid_sampler"], (x, places), mode=mode, padding=padding_mode, corners=corners)


def _check(x: Tensor, grid: Tensor, mode: str) -> None:
    sizes = f"got input with sizes {list(x.shape)} and grid with sizes {list(grid.shape)}"
    if x.shape[0] != grid.shape[0]:
        raise TorchError(f"grid_sampler(): expected grid and input to have same batch size, but {sizes}")
    if grid.shape[-1] != x.ndim - 2:
        raise TorchError(
            f"grid_sampler(): expected grid to have size {x.ndim - 2} in last dimension, but got grid with sizes "
            f"{list(grid.shape)}"
        )
    if x.ndim not in (4, 5) or x.ndim != grid.ndim:
        wanted = "expected 4D or 5D input and grid with same number of dimensions"
        raise TorchError(f"grid_sampler(): {wanted}, but {sizes}")
    for axis in range(2, x.ndim):
        if not x.shape[axis]:
            raise TorchError(
                f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes "
                f"{list(x.shape)} with dimension {axis} being empty"
            )
    if mode == "bicubic" and x.ndim == 5:
        raise TorchError("grid_sampler(): bicubic interpolation only supports 4D input")
    if x.dtype != grid.dtype:
        raise TorchError(f"expected scalar type {type_name(x.dtype)} but found {type_name(grid.dtype)}")


def affine_grid(theta: Tensor, size: Any, align_corners: bool | None = None) -> Tensor:
    corners = _corners(align_corners)
    if not isinstance(theta, Tensor):
        raise TorchError(f"'{kind_name(theta)}' object has no attribute 'is_floating_point'", kind="AttributeError")
    if theta.dtype.kind not in FLOATING:
        raise TorchError(
            f"Expected theta to have floating point type, but got torch.{theta.dtype.name}", kind="ValueError"
        )
    sizes = ints((size,))
    count = len(sizes) - 2
    if count not in (2, 3):
        raise TorchError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{_shown(size)}.",
            kind="NotImplementedError",
        )
    if theta.ndim != 3 or theta.shape[1:] != (count, count + 1):
        raise TorchError(
            f"Expected a batch of {count}D affine matrices of shape Nx{count}x{count + 1} for size {_shown(size)}. Got "
            f"torch.Size({list(theta.shape)}).",
            kind="ValueError",
        )
    if corners and min(sizes[2:]) == 1:
        warn(UNIT)
    elif min(sizes) <= 0:
        raise TorchError(f"Expected non-zero, positive output size. Got {_shown(size)}", kind="ValueError")
    return apply(OPS["affine_grid"], (theta,), points=_points(sizes[2:], corners, theta.dtype), sizes=sizes[2:])


def _shown(size: Any) -> str:
    return f"torch.Size({list(size)})" if type(size).__name__ == "Size" else str(size)


def _points(sizes: tuple[int, ...], corners: bool, dtype: Any) -> Any:
    """All places of a picture as rows (…, y, x) turned round and followed by 1, from −1 to 1."""
    axes = []
    for n in sizes:
        line = evenly_spaced(-1, 1, n, dtype) if n > 1 else np.zeros(1, dtype)
        axes.append(line if corners else line * dtype.type(n - 1) / dtype.type(n))
    mesh = np.meshgrid(*axes, indexing="ij")
    return np.stack([*reversed(mesh), np.ones(sizes, dtype)], -1).reshape(-1, len(sizes) + 1)


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {"grid_sample": grid_sample, "affine_grid": affine_grid}
