"""Pictures made larger or smaller, and pixels made channels."""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Any

import numpy as np

from gradviz.engine.functions.arguments import ints, need
from gradviz.engine.generic import OPS
from gradviz.engine.tensor import Tensor, apply
from gradviz.errors import ScriptError, TorchError


def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    x = need("interpolate", input)
    axes = x.ndim - 2
    if size is None and scale_factor is None:
        raise TorchError("either size or scale_factor should be defined", kind="ValueError")
    if size is not None and scale_factor is not None:
        raise TorchError("only one of size or scale_factor should be defined", kind="ValueError")
    known = (mode == "nearest" and axes in (1, 2, 3)) or {"linear": 1, "bilinear": 2}.get(mode) == axes
    if not known or antialias:
        raise ScriptError(
            f"interpolate with mode '{mode}' for {x.ndim} dims is not supported",
            hint="Use nearest, linear or bilinear.",
        )
    old = x.shape[2:]
    new, scales = _sizes(old, size, scale_factor, recompute_scale_factor)
    if mode == "nearest":
        rows = tuple(_nearest(n, m, scale) for n, m, scale in zip(old, new, scales, strict=True))
        return apply(OPS["upsample_nearest"], (x,), rows=rows)
    corners = bool(align_corners)
    matrices = tuple(_linear(n, m, scale, corners) for n, m, scale in zip(old, new, scales, strict=True))
    return apply(OPS["upsample_linear"], (x,), matrices=matrices)


def _sizes(old: tuple[int, ...], size: Any, scale_factor: Any, again: bool | None) -> tuple[Any, list[float]]:
    """The new sizes, and how far apart the new pixels lie in the old picture."""
    if size is not None:
        new = ints(tuple(size)) if isinstance(size, list | tuple) else (int(size),) * len(old)
        return new, [n / m for n, m in zip(old, new, strict=True)]
    factors = list(scale_factor) if isinstance(scale_factor, list | tuple) else [scale_factor] * len(old)
    new = tuple(floor(n * factor) for n, factor in zip(old, factors, strict=True))
    return new, [n / m if again else 1 / factor for n, m, factor in zip(old, new, factors, strict=True)]


def _nearest(n: int, m: int, scale: float) -> Any:
    return np.minimum(np.floor(np.arange(m) * np.float32(scale)).astype(np.int64), n - 1)


def _linear(n: int, m: int, scale: float, corners: bool) -> Any:
    """The weights of n old pixels in m new ones, as a matrix (m, n)."""
    at = np.arange(m) * ((n - 1) / (m - 1) if m > 1 else 0.0) if corners else (np.arange(m) + 0.5) * scale - 0.5
    at = np.maximum(at, 0.0)
    low = np.minimum(np.floor(at).astype(np.int64), n - 1)
    high = np.minimum(low + 1, n - 1)
    share = np.minimum(at - low, 1.0)
    matrix = np.zeros((m, n))
    np.add.at(matrix, (np.arange(m), low), 1 - share)
    np.add.at(matrix, (np.arange(m), high), share)
    return matrix


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    x, r = need("pixel_shuffle", input), upscale_factor
    if x.ndim < 3:
        raise TorchError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)"
        )
    if x.shape[-3] % (r * r):
        raise TorchError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={x.shape[-3]} is not divisible by {r * r}"
        )
    return apply(OPS["pixel_shuffle"], (x,), factor=r)


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    x, r = need("pixel_unshuffle", input), downscale_factor
    for name, axis in (("height", -2), ("width", -1)):
        if x.shape[axis] % r:
            raise TorchError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({axis})="
                f"{x.shape[axis]} is not divisible by {r}"
            )
    return apply(OPS["pixel_unshuffle"], (x,), factor=r)


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    x = need("channel_shuffle", input)
    if x.shape[1] % groups:
        raise TorchError(
            f"Number of channels must be divisible by groups. Got {x.shape[1]} channels and {groups} groups."
        )
    return apply(OPS["channel_shuffle"], (x,), groups=groups)


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (interpolate, pixel_shuffle, pixel_unshuffle, channel_shuffle)
}
