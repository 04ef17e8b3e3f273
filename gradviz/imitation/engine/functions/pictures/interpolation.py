"""Pictures made larger or smaller: `interpolate` and its modes.

Each axis is weighed by a matrix of its own (new size, old size), so a mode is a way to fill one such matrix.
Sources: torch/nn/functional.py for what is refused; ATen's UpSample.h for the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from math import floor
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import type_name
from gradviz.imitation.engine.functions.arguments import ints, need
from gradviz.imitation.engine.functions.pictures.adaptive_pooling import AVERAGES
from gradviz.imitation.engine.functions.pictures.interpolation_checks import (
    check_lengths,
    check_one_length,
    check_picture,
)
from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.kernels.nearest import fused
from gradviz.imitation.engine.kernels.resampling import Taps
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError

Ints = tuple[int, ...]
Fuse = Callable[[Any, Any, Any], Any]
AXES = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2, "lanczos": 2}
"""How many axes each weighing mode is for."""
COPYING = ("nearest", "nearest-exact", "area")
ONLY_WEIGHING = (
    "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
)
ONLY_SMOOTH = (
    "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
)
MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"


def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    x = need("interpolate", input)
    if mode in COPYING and align_corners is not None:
        raise TorchError(ONLY_WEIGHING, kind="ValueError")
    _check_given(x.shape[2:], size, scale_factor)
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and x.ndim == 4):
        raise TorchError(ONLY_SMOOTH, kind="ValueError")
    _check_mode(x, mode)
    if size is not None:
        check_one_length(size, mode, x.ndim - 2, antialias)
    new, scales = _sizes(x.shape[2:], size, scale_factor, bool(recompute_scale_factor) or mode == "area")
    if mode != "area":
        check_picture(x, new)
    _check_kernel(x, mode, antialias)
    axes = list(zip(x.shape[2:], new, scales, strict=True))
    if mode == "area":
        return AVERAGES[x.ndim - 2](x, new)
    if mode in COPYING:
        exact = mode == "nearest-exact"
        return apply(OPS["upsample_nearest"], (x,), rows=tuple(_nearest(*axis, exact) for axis in axes), exact=exact)
    corners = bool(align_corners)
    if mode == "lanczos" and (corners or not antialias):
        what = "does not support align_corners=True" if corners else "requires antialias=True"
        raise TorchError(f"Lanczos mode {what}", kind="ValueError")
    if antialias:
        matrices: tuple[Any, ...] = tuple(_smooth(*axis, corners, mode) for axis in axes)
    else:
        real = np.float64 if x.dtype in (np.float64, np.uint8) else np.float32
        matrices = tuple((_cubic if mode == "bicubic" else _linear)(*axis, corners, real) for axis in axes)
    return apply(OPS["upsample"], (x,), matrices=matrices, mode=mode + ("_aa" if antialias else ""))


def _check_mode(x: Tensor, mode: str) -> None:
    axes = x.ndim - 2
    if axes in (1, 2, 3) and (mode in COPYING or AXES.get(mode) == axes):
        return
    if axes in (1, 2, 3) and mode in ("linear", "bilinear", "trilinear"):
        raise TorchError(
            f"Got {x.ndim}D input, but {mode} mode needs {AXES[mode] + 2}D input", kind="NotImplementedError"
        )
    raise TorchError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {x.ndim}D) for the modes: {MODES} (got {mode})",
        kind="NotImplementedError",
    )


def _check_kernel(x: Tensor, mode: str, antialias: bool) -> None:
    """Raise for a dtype that the kernel of a mode does not know, in the words of that kernel."""
    weighs, takes = f"compute_indices_weights_{KERNELS.get(mode, 'linear')}", {"Float", "Double", "Half", "BFloat16"}
    is_flat = x.ndim == 4 and mode in ("nearest", "nearest-exact", "bilinear")
    if antialias:
        weighs, takes = "compute_index_ranges_weights", {"Float", "Double", "Byte"}
    elif mode == "area":
        weighs = "adaptive_avg_pool3d_cpu" if x.ndim == 5 else "adaptive_avg_pool2d"
    elif mode in COPYING or x.ndim == 4:
        takes.add("Byte")
    if is_flat and not antialias and (x.shape[1] == 1 or x.shape[2:] == (1, 1)):
        weighs = f"upsample_{mode.removesuffix('-exact')}2d_channels_last"
    if type_name(x.dtype) not in takes:
        raise TorchError(
            f"\"{weighs}\" not implemented for '{type_name(x.dtype)}'",
            kind="NotImplementedError",
            hint="Convert with .float() first.",
        )


KERNELS = {"nearest": "nearest", "nearest-exact": "nearest", "bicubic": "cubic"}


def _check_given(old: Ints, size: Any, scale_factor: Any) -> None:
    """Raise for none or both of the two, or one that is not for as many axes."""
    if size is None and scale_factor is None:
        raise TorchError("either size or scale_factor should be defined", kind="ValueError")
    if size is not None and scale_factor is not None:
        raise TorchError("only one of size or scale_factor should be defined", kind="ValueError")
    given = size if scale_factor is None else scale_factor
    if isinstance(given, list | tuple) and len(given) != len(old):
        what, form = ("output size of", "output size in (o1, o2, ...,oK)")
        if scale_factor is not None:
            what, form = ("scale_factor of shape", "scale_factor in (s1, s2, ...,sK)")
        raise TorchError(
            f"Input and {'output' if scale_factor is None else 'scale_factor'} must have the same number of spatial "
            f"dimensions, but got input with spatial dimensions of {list(old)} and {what} {given}. Please provide "
            f"input tensor in (N, C, d1, d2, ...,dK) format and {form} format.",
            kind="ValueError",
        )
    check_lengths(size)


def _sizes(old: Ints, size: Any, scale_factor: Any, again: bool) -> tuple[Any, list[float]]:
    """The new sizes, and how far apart the new pixels lie in the old picture."""
    if size is not None:
        new = ints(tuple(size)) if isinstance(size, list | tuple) else (int(size),) * len(old)
        return new, [n / m if m else 0.0 for n, m in zip(old, new, strict=True)]
    factors = list(scale_factor) if isinstance(scale_factor, list | tuple) else [scale_factor] * len(old)
    new = tuple(floor(n * factor) for n, factor in zip(old, factors, strict=True))
    return new, [n / max(m, 1) if again else 1 / (factor or 1) for n, m, factor in zip(old, new, factors, strict=True)]


# ---- weights of one axis: n old pixels, m new ones ----


def _nearest(n: int, m: int, scale: float, exact: bool) -> Any:
    at = np.arange(m, dtype=np.float32) + np.float32(0.5 if exact else 0)
    return np.minimum(np.floor(at * np.float32(scale)).astype(np.int64), n - 1)


def _places(m: int, scale: Any, corners: bool, fuse: Fuse) -> Any:
    """Where the new pixels lie among the old ones, `scale` apart."""
    at, half = np.arange(m, dtype=scale.dtype), scale.dtype.type(0.5)
    return scale * at if corners else fuse(scale, at + half, -half)


def _apart(n: int, m: int, scale: float, corners: bool, real: Any) -> Any:
    """How far apart the new pixels lie in the old picture."""
    return real(((n - 1) / (m - 1) if m > 1 else 0.0) if corners else scale)


def _split(at: Any, n: int) -> tuple[Any, Any]:
    """The pixel before each place, and how far beyond it the place lies."""
    low = np.minimum(np.floor(at).astype(np.int64), n - 1)
    return low, np.clip(at - low.astype(at.dtype), 0, 1).astype(at.dtype)


def _linear(n: int, m: int, scale: float, corners: bool, real: Any) -> Taps:
    if n == m:  # PyTorch copies, whatever the scale
        low, share = np.arange(n), np.zeros(n, real)
    else:
        low, share = _split(np.maximum(_places(m, _apart(n, m, scale, corners, real), corners, fused), real(0)), n)
    high = low if n == m else np.minimum(low + 1, n - 1)
    taps = np.stack([low, high]), np.stack([real(1) - share, share])
    return Taps(n, taps, taps)


def _cubic(n: int, m: int, scale: float, corners: bool, real: Any) -> Taps:
    apart = _apart(n, m, scale, corners, real)
    there, back = (_cubic_taps(_places(m, apart, corners, fuse), n, fuse) for fuse in (fused, _twice_rounded))
    return Taps(n, there, back)


def _twice_rounded(a: Any, b: Any, c: Any) -> Any:
    return a * b + c


def _cubic_taps(at: Any, n: int, fuse: Fuse) -> tuple[Any, Any]:
    """The four pixels around each place and their weights, as ATen's kernels round them: see `cubic_weight`."""
    low, share = _split(at, n)
    a, one = at.dtype.type(-0.75), at.dtype.type(1)

    def near(x: Any) -> Any:
        return fuse(a + 2, x, -(a + 3)) * x * x + one

    def far(x: Any) -> Any:
        return fuse(fuse(a, x, -5 * a), x, 8 * a) * x - 4 * a

    weights = np.stack([far(share + one), near(share), near(one - share), far(one - share + one)])
    return np.stack([np.clip(low + k, 0, n - 1) for k in (-1, 0, 1, 2)]), weights


def cubic_weight(distance: Any, a: float) -> Any:
    """The cubic convolution kernel at a distance."""
    x = np.abs(distance)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0.0))


def _lanczos_weight(distance: Any) -> Any:
    return np.where(np.abs(distance) < 3, np.sinc(distance) * np.sinc(np.asarray(distance) / 3), 0.0)


_SMOOTH: dict[str, tuple[int, Callable[[Any], Any]]] = {
    "bilinear": (2, lambda x: np.maximum(1 - np.abs(x), 0.0)),
    "bicubic": (4, lambda x: cubic_weight(x, -0.5)),
    "lanczos": (6, _lanczos_weight),
}
"""How wide each kernel is, and its weight at a distance."""


def _smooth(n: int, m: int, scale: float, corners: bool, mode: str) -> Any:
    """With anti-aliasing: the kernel is as wide as a new pixel."""
    width, weight = _SMOOTH[mode]
    if corners:
        scale = (n - 1) / (m - 1) if m > 1 else 0.0
    stretch = max(scale, 1.0)
    matrix = np.zeros((m, n))
    for row in range(m):
        center = scale * (row + 0.5)
        first = max(int(center - width * stretch / 2 + 0.5), 0)
        last = min(int(center + width * stretch / 2 + 0.5), n)
        shares = weight((np.arange(first, last) - center + 0.5) / stretch)
        matrix[row, first:last] = shares / shares.sum()
    return matrix


# ---- old names ----


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return interpolate(input, size, scale_factor, "bilinear", True)


FUNCTIONS: dict[str, Callable[..., Any]] = {}
METHODS: dict[str, Callable[..., Any]] = {}
NEURAL: dict[str, Callable[..., Any]] = {
    f.__name__: f for f in (interpolate, upsample, upsample_nearest, upsample_bilinear)
}
