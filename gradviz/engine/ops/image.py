"""Images made larger, smaller, or bent: padding, interpolation, sampling at points, pixel shuffle.

All but sampling at points are linear and act along one dim at a time, so each is a matrix [out, size] for each spatial
dim, and its gradient the transposed matrices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradviz.engine.apply import apply, tensor_given
from gradviz.engine.errors import Beyond
from gradviz.engine.op import Op, example, names
from gradviz.engine.ops import rules as r
from gradviz.engine.ops.given import numbers_given
from gradviz.engine.ops.linear_maps import linear_pair, resample
from gradviz.engine.ops.pooling import adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d
from gradviz.engine.ops.windows import Sizes
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor, constant, current


def _waves(*shape: int) -> Any:
    return np.sin(np.arange(1.0, math.prod(shape) + 1) * 1.7).reshape(shape)


# ---- padding -----------------------------------------------------------------------------------------------------


def _overlap(size: Sequence[int], spans: Sequence[Sequence[int]]) -> tuple[Any, Any]:
    """Where the numbers that stay stand in the padded array, and where in the old one; spans may be negative."""
    inside, kept = [], []
    for n, (before, after) in zip(size, spans, strict=True):
        inside.append(slice(max(before, 0), n + before + min(after, 0)))
        kept.append(slice(max(-before, 0), n + min(after, 0)))
    return tuple(inside), tuple(kept)


def _pad(x: Any, spans: Sequence[Sequence[int]], value: float) -> Any:
    out = np.full([n + before + after for n, (before, after) in zip(x.shape, spans, strict=True)], value, x.dtype)
    inside, kept = _overlap(x.shape, spans)
    out[inside] = x[kept]
    return out


def _pad_rule(g: Any, y: Any, x: Any, spans: Sequence[Sequence[int]], value: float) -> Any:
    shape = r.plain(x).shape
    inside, kept = _overlap(shape, spans)
    sent = r.take(g, inside)
    return sent if r.plain(sent).shape == shape else r.put(sent, shape, kept)


PAD = Op(
    "constant_pad_nd", _pad, (_pad_rule,), formula=("g without the border",),
    equation="y = x with a border of one value",
    examples=(example(_waves(2, 3), spans=((0, 0), (1, 2)), value=0.5),
              example(_waves(2, 3), spans=((1, 0), (-1, 2)), value=0.0)),
    keeps_integers=True,
)  # fmt: skip


@lru_cache(256)
def _border_matrix(size: int, before: int, after: int, mode: str) -> Any:
    """[out, size]: which old number each number of the padded dim is."""
    index = np.arange(-before, size + after)
    if mode == "replicate":
        index = np.clip(index, 0, size - 1)
    elif mode == "circular":
        index = index % size
    else:
        period = max(2 * (size - 1), 1)
        index = index % period
        index = np.where(index >= size, period - index, index)
    return np.eye(size)[index]


def _border(x: Any, spans: Sequence[Sequence[int]], mode: str) -> Any:
    sizes = x.shape[x.ndim - len(spans) :]
    return resample(x, [_border_matrix(n, *span, mode) for n, span in zip(sizes, spans, strict=True)])


def _border_back(g: Any, spans: Sequence[Sequence[int]], mode: str) -> Any:
    sizes = [n - before - after for n, (before, after) in zip(g.shape[g.ndim - len(spans) :], spans, strict=True)]
    return resample(g, [_border_matrix(n, *span, mode).T for n, span in zip(sizes, spans, strict=True)])


BORDERS = {
    (mode, dims): linear_pair(
        f"{name}_pad{dims}d", _border, _border_back, "g added up where numbers were repeated",
        f"y = x with a border that {what}", _waves(1, 2, *(3,) * dims), _waves(1, 2, *(6,) * dims),
        ({"spans": ((1, 2),) * dims, "mode": mode},), f"{name.capitalize()}Pad{dims}DBackward0",
        "" if mode == "circular" else "x",
    )
    for mode, name, what in (("reflect", "reflection", "mirrors it"), ("replicate", "replication", "repeats its edge"),
                             ("circular", "circular", "goes on at the other side"))
    for dims in (1, 2, 3)
}  # fmt: skip


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Tensor:
    """input with a border.

    Args:
        pad: how many numbers to add: before and after the last dim, then those of the dim before it, and so on;
            negative ones cut off.
        mode: "constant" (filled with value, 0 by default), "reflect", "replicate" or "circular".

    Raises:
        RuntimeError, NotImplementedError: pad or mode do not fit.
    """
    x = tensor_given("pad", input)
    shape = current(x).array.shape
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * len(shape):
        raise RuntimeError(
            f"Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pad)} and input of dimension {len(shape)}"
        )
    spans = tuple([(int(pad[i]), int(pad[i + 1])) for i in range(len(pad) - 2, -2, -2)])
    if mode == "constant":
        whole = ((0, 0),) * (len(shape) - len(spans)) + spans
        if any(n + before + after < 0 for n, (before, after) in zip(shape, whole, strict=True)):
            raise RuntimeError(
                f"The input size {list(shape)}, plus negative padding {list(pad)}, resulted in a negative output size"
            )
        return apply(PAD, (x,), spans=whole, value=value or 0)
    if mode not in ("reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if len(shape) not in (len(spans) + 1, len(spans) + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {len(shape)}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    for i, (n, span) in enumerate(zip(shape[len(shape) - len(spans) :], spans, strict=True)):
        if mode == "reflect" and max(span) >= n:
            dim = len(shape) - len(spans) + i
            raise RuntimeError(
                f"Argument #{2 * (len(spans) - i) + 2}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding {span} at dimension {dim} of input {list(shape)}"
            )
        if mode == "circular" and max(span) > n:
            raise RuntimeError("Padding value causes wrapping around more than once.")
    if mode == "circular" and min(map(min, spans)) < 0:  # what is cut off is not there to be repeated
        cut = tuple([(min(before, 0), min(after, 0)) for before, after in spans])
        x = apply(PAD, (x,), spans=((0, 0),) * (len(shape) - len(spans)) + cut, value=0)
        spans = tuple([(max(before, 0), max(after, 0)) for before, after in spans])
    return apply(BORDERS[mode, len(spans)][0], (x,), spans=spans, mode=mode)


# ---- interpolation -----------------------------------------------------------------------------------------------

KINDS = {
    ("nearest", 1): "nearest1d", ("nearest", 2): "nearest2d", ("nearest", 3): "nearest3d",
    ("nearest-exact", 1): "nearest_exact1d", ("nearest-exact", 2): "nearest_exact2d",
    ("nearest-exact", 3): "nearest_exact3d", ("linear", 1): "linear1d", ("bilinear", 2): "bilinear2d",
    ("trilinear", 3): "trilinear3d", ("bicubic", 2): "bicubic2d",
}  # fmt: skip
"""The modes, by how many spatial dims they take."""

CUBIC = -0.75
"""The slope that PyTorch's cubic kernel (Keys, 1981) has one pixel away from the centre."""


def _cubic_weight(distance: Any) -> Any:
    """Keys's kernel: a cubic up to distance 1, another one up to 2, and 0 beyond."""
    d = np.abs(distance)
    near = ((CUBIC + 2) * d - (CUBIC + 3)) * d * d + 1
    far = ((CUBIC * d - 5 * CUBIC) * d + 8 * CUBIC) * d - 4 * CUBIC
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


@lru_cache(256)
def _sample_matrix(size: int, out: int, mode: str, align_corners: bool, scale: float) -> Any:
    """[out, size]: each new number as a weighted sum of old ones; scale is how far apart new ones stand in the old."""
    at = np.arange(out)
    if mode.startswith("nearest"):
        index = np.floor((at + (0.5 if mode == "nearest-exact" else 0)) * scale).astype(int)
        return np.eye(size)[np.minimum(index, size - 1)]
    spots = at * ((size - 1) / max(out - 1, 1)) if align_corners else (at + 0.5) * scale - 0.5
    if mode != "bicubic" and size == out:
        return np.eye(size)
    found = np.zeros((out, size))
    if mode == "bicubic":
        first = np.floor(spots).astype(int)
        for offset in (-1, 0, 1, 2):
            index = np.clip(first + offset, 0, size - 1)
            np.add.at(found, (at, index), _cubic_weight(spots - (first + offset)))
        return found
    spots = np.maximum(spots, 0)
    first = np.minimum(np.floor(spots).astype(int), size - 1)
    share = spots - first
    np.add.at(found, (at, first), 1 - share)
    np.add.at(found, (at, np.minimum(first + 1, size - 1)), share)
    return found


def _matrices(size: Sizes, out: Sizes, mode: str, align_corners: bool, scales: Sequence[float]) -> list[Any]:
    return [_sample_matrix(n, o, mode, align_corners, s) for n, o, s in zip(size, out, scales, strict=True)]


def _upsampled(x: Any, **params: Any) -> Any:
    return resample(x, _matrices(**params))


def _upsampled_back(g: Any, **params: Any) -> Any:
    return resample(g, [matrix.T for matrix in _matrices(**params)])


def _upsampling(mode: str, dims: int, kind: str) -> tuple[Op, Op]:
    params = {"size": (3,) * dims, "out": (4,) * dims, "mode": mode, "align_corners": False, "scales": (0.75,) * dims}
    node = "".join(part.capitalize() for part in kind.split("_"))[:-1] + "DBackward0"
    return linear_pair(
        f"upsample_{kind}", _upsampled, _upsampled_back, "g sent back with the weights of the interpolation",
        f"y = x at another size, {mode}", _waves(1, 2, *(3,) * dims), _waves(1, 2, *(4,) * dims), (params,),
        f"Upsample{node}",
    )  # fmt: skip


UPSAMPLE = {(mode, dims): _upsampling(mode, dims, kind) for (mode, dims), kind in KINDS.items()}


def interpolate(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest",
    align_corners: bool | None = None, recompute_scale_factor: bool | None = None, antialias: bool = False,
) -> Tensor:  # fmt: skip
    """Images [N, C, *size] at another size.

    Args:
        size: the new spatial sizes, or scale_factor, how many times larger they are; a number or one for each dim.
        mode: "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic" or "area".
        align_corners: whether the middles of the corner pixels stay the corners, rather than the pixels' edges.

    Raises:
        ValueError, NotImplementedError: neither or both of size and scale_factor, or a mode of other dims.
    """
    x = tensor_given("interpolate", input)
    shape = current(x).array.shape
    dims = len(shape) - 2
    if antialias:
        raise Beyond("interpolate(antialias=True)")
    if align_corners is not None and mode in ("nearest", "area", "nearest-exact"):
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    old = shape[2:]
    if size is not None:
        out = numbers_given(size, dims)
        factors = None
    else:
        factors = tuple(scale_factor) if isinstance(scale_factor, tuple | list) else (scale_factor,) * dims
        out = tuple([math.floor(n * factor) for n, factor in zip(old, factors, strict=True)])
    if mode == "area" and dims in (1, 2, 3):
        return (adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d)[dims - 1](x, out)
    if (mode, dims) not in KINDS:
        needed = next((n for known, n in KINDS if known == mode and n), None)
        if needed is None or mode.startswith("nearest"):
            raise NotImplementedError(
                f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {len(shape)}D) for the modes: nearest | "
                f"linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
            )
        raise NotImplementedError(f"Got {len(shape)}D input, but {mode} mode needs {needed + 2}D input")
    if factors is None or recompute_scale_factor:
        scales = [n / o if o else 0.0 for n, o in zip(old, out, strict=True)]
    else:
        scales = [1 / factor for factor in factors]
    return apply(
        UPSAMPLE[mode, dims][0], (x,), size=old, out=out, mode=mode, align_corners=bool(align_corners),
        scales=tuple(scales),
    )  # fmt: skip


def upsample(
    input: Tensor, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """An older name of `interpolate`."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """An older name of `interpolate` with mode="nearest"."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """An older name of `interpolate` with mode="bilinear" and corners aligned."""
    return interpolate(input, size, scale_factor, "bilinear", align_corners=True)


# ---- pixel shuffle -----------------------------------------------------------------------------------------------


def _shuffled(x: Any, factor: int) -> Any:
    *lead, c, h, w = x.shape
    parts = x.reshape((*lead, c // factor**2, factor, factor, h, w))
    n = len(lead)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return parts.transpose(order).reshape((*lead, c // factor**2, h * factor, w * factor))


def _unshuffled(x: Any, factor: int) -> Any:
    *lead, c, h, w = x.shape
    parts = x.reshape((*lead, c, h // factor, factor, w // factor, factor))
    n = len(lead)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return parts.transpose(order).reshape((*lead, c * factor**2, h // factor, w // factor))


def _shuffle_rule(g: Any, y: Any, x: Any, factor: int) -> Any:
    return apply(PIXEL_UNSHUFFLE, (g,), factor=factor) if isinstance(g, Tensor) else _unshuffled(g, factor)


def _unshuffle_rule(g: Any, y: Any, x: Any, factor: int) -> Any:
    return apply(PIXEL_SHUFFLE, (g,), factor=factor) if isinstance(g, Tensor) else _shuffled(g, factor)


PIXEL_SHUFFLE = Op(
    "pixel_shuffle", _shuffled, (_shuffle_rule,), formula=("pixel_unshuffle(g)",),
    equation="y = blocks of channels, laid out as blocks of pixels", examples=(example(_waves(1, 4, 2, 3), factor=2),),
)  # fmt: skip
PIXEL_UNSHUFFLE = Op(
    "pixel_unshuffle", _unshuffled, (_unshuffle_rule,), formula=("pixel_shuffle(g)",),
    equation="y = blocks of pixels, laid out as channels", examples=(example(_waves(1, 1, 4, 6), factor=2),),
)  # fmt: skip


def _mixed(x: Any, groups: int) -> Any:
    n, channels, *sizes = x.shape
    return x.reshape((n, groups, channels // groups, *sizes)).swapaxes(1, 2).reshape(x.shape)


def _mixed_back(g: Any, y: Any, x: Any, groups: int) -> Any:
    back = r.plain(x).shape[1] // groups
    return apply(CHANNEL_SHUFFLE, (g,), groups=back) if isinstance(g, Tensor) else _mixed(g, back)


CHANNEL_SHUFFLE = Op(
    "channel_shuffle", _mixed, (_mixed_back,), formula=("channel_shuffle(g, C / groups)",),
    equation="y = the channels of x, one of each group in turn", examples=(example(_waves(1, 6, 2), groups=2),),
    keeps_integers=True,
)  # fmt: skip


def channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """The channels of [N, C, ...] one of each group in turn (Zhang and others, 2018).

    Raises:
        RuntimeError: fewer than three dims, or groups that do not divide the channels.
    """
    shape = current(tensor_given("channel_shuffle", input)).array.shape
    if len(shape) < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}")
    if groups < 1:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )
    return apply(CHANNEL_SHUFFLE, (input,), groups=int(groups))


def pixel_shuffle(input: Tensor, upscale_factor: int) -> Tensor:
    """[..., C · r², H, W] as [..., C, H · r, W · r] (Shi and others, 2016).

    Raises:
        RuntimeError: r² does not divide the channels.
    """
    x = current(tensor_given("pixel_shuffle", input)).array
    if x.ndim < 3:
        raise RuntimeError(
            f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {x.ndim} dimension(s)"
        )
    if x.shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            f"but input.size(-3)={x.shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return apply(PIXEL_SHUFFLE, (input,), factor=int(upscale_factor))


def pixel_unshuffle(input: Tensor, downscale_factor: int) -> Tensor:
    """[..., C, H · r, W · r] as [..., C · r², H, W].

    Raises:
        RuntimeError: r does not divide height and width.
    """
    x = current(tensor_given("pixel_unshuffle", input)).array
    for name, dim in (("height", -2), ("width", -1)):
        if x.shape[dim] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but input.size({dim})="
                f"{x.shape[dim]} is not divisible by {downscale_factor}"
            )
    return apply(PIXEL_UNSHUFFLE, (input,), factor=int(downscale_factor))


# ---- sampling at points ------------------------------------------------------------------------------------------


def _spots(grid: Any, size: int, padding_mode: str, align_corners: bool) -> tuple[Any, Any]:
    """Pixel coordinates of points in [-1, 1], and their derivative, which is constant piece by piece."""
    slope = (size - 1) / 2 if align_corners else size / 2
    spots = grid * slope + (size - 1) / 2
    slopes = np.full(grid.shape, slope)
    if padding_mode == "reflection":
        low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
        if span <= 0:
            spots, slopes = np.zeros_like(spots), np.zeros_like(slopes)
        else:
            turns, rest = np.floor_divide(np.abs(spots - low), span), np.abs(spots - low) % span
            slopes = slopes * np.where(spots < low, -1, 1) * np.where(turns % 2 == 0, 1, -1)
            spots = np.where(turns % 2 == 0, rest, span - rest) + low
    if padding_mode != "zeros":
        slopes = np.where((spots <= 0) | (spots >= size - 1), 0, slopes)
        spots = np.clip(spots, 0, size - 1)
    return spots, slopes


def _corners(x: Any, grid: Any, padding_mode: str, align_corners: bool) -> tuple[Any, list[Any]]:
    """For x and y: the derivative of the coordinate, and for the pixels before and after it their weight and the sign
    of the weight's derivative; then the four pixels, each with its index and whether it lies in the image.

    Fed tensors, the weights are tensors too, linear in the grid with constants worked out here.
    """
    shape, points = r.plain(x).shape, r.plain(grid)
    found = []
    for k, size in ((0, shape[3]), (1, shape[2])):
        spots, slopes = _spots(points[..., k].astype(np.float64), size, padding_mode, align_corners)
        first = np.floor(spots)
        share: Any = (spots - first).astype(points.dtype)
        slopes = slopes.astype(points.dtype)
        if isinstance(grid, Tensor):
            now = r.take(grid, (..., k))
            share = now * constant(slopes) + constant(share - points[..., k] * slopes)
            slopes = constant(slopes)
        found.append((slopes, first.astype(np.int64), share))
    return found, list(np.ndindex(2, 2))


def _pixels(shape: tuple[int, ...], found: Any, corner: tuple[int, int]) -> tuple[Any, Any]:
    """The index of one of the four pixels around each point, and whether it lies in the image."""
    column, row = found[0][1] + corner[1], found[1][1] + corner[0]
    is_inside = (row >= 0) & (row < shape[2]) & (column >= 0) & (column < shape[3])
    batch = np.arange(shape[0])[:, None, None]
    rows, columns = np.clip(row, 0, shape[2] - 1), np.clip(column, 0, shape[3] - 1)
    return (np.broadcast_to(batch, rows.shape), slice(None), rows, columns), is_inside


def _weight(found: Any, corner: tuple[int, int]) -> tuple[Any, Any]:
    across, down = found[0][2], found[1][2]
    return (across if corner[1] else 1 - across), (down if corner[0] else 1 - down)


def _nearest_index(shape: tuple[int, ...], grid: Any, padding_mode: str, align_corners: bool) -> tuple[Any, Any]:
    spots = [
        np.rint(_spots(grid[..., k].astype(np.float64), size, padding_mode, align_corners)[0]).astype(np.int64)
        for k, size in ((0, shape[3]), (1, shape[2]))
    ]
    return _pixels(shape, [(None, spots[0], None), (None, spots[1], None)], (0, 0))


def _last_first(g: Any) -> Any:
    """[N, C, H, W] as [N, H, W, C]."""
    return r.permute(g, (0, 2, 3, 1))


def _masked(values: Any, is_inside: Any) -> Any:
    return values if is_inside.all() else values * r.mask(is_inside[..., None], values)


def _last(weight: Any) -> Any:
    """A weight for each point, to broadcast over channels that come last."""
    return r.reshape(weight, (*r.plain(weight).shape, 1))


def _sampled(x: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool) -> Any:
    if mode == "nearest":
        index, is_inside = _nearest_index(x.shape, grid, padding_mode, align_corners)
        return np.ascontiguousarray(_masked(x[index], is_inside).transpose(0, 3, 1, 2))
    found, corners = _corners(x, grid, padding_mode, align_corners)
    out: Any = 0
    for corner in corners:
        index, is_inside = _pixels(x.shape, found, corner)
        across, down = _weight(found, corner)
        out = out + _masked(x[index], is_inside) * (across * down)[..., None]
    return np.ascontiguousarray(out.transpose(0, 3, 1, 2).astype(x.dtype, copy=False))


def _sampled_x(g: Any, y: Any, x: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool) -> Any:
    shape, sent = r.plain(x).shape, _last_first(g)
    if mode == "nearest":
        index, is_inside = _nearest_index(shape, r.plain(grid), padding_mode, align_corners)
        return r.put(_masked(sent, is_inside), shape, index)
    found, corners = _corners(x, grid, padding_mode, align_corners)
    out: Any = None
    for corner in corners:
        index, is_inside = _pixels(shape, found, corner)
        across, down = _weight(found, corner)
        part = r.put(_masked(sent * _last(across * down), is_inside), shape, index)
        out = part if out is None else out + part
    return out


def _sampled_grid(g: Any, y: Any, x: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool) -> Any:
    if mode == "nearest":
        return r.zeros_like(grid)
    shape, sent = r.plain(x).shape, _last_first(g)
    found, corners = _corners(x, grid, padding_mode, align_corners)
    across_sum: Any = 0
    down_sum: Any = 0
    for corner in corners:
        index, is_inside = _pixels(shape, found, corner)
        across, down = _weight(found, corner)
        value = r.total(_masked(r.take(x, index), is_inside) * sent, -1)
        across_sum = across_sum + value * down * (1 if corner[1] else -1)
        down_sum = down_sum + value * across * (1 if corner[0] else -1)
    whole = r.plain(grid).shape
    return r.put(across_sum * found[0][0], whole, (..., 0)) + r.put(down_sum * found[1][0], whole, (..., 1))


POINTS = np.array([[[[-0.7, 0.3], [0.45, -0.2]], [[0.9, 1.4], [-1.3, 0.15]]]])
GRID_SAMPLER = Op(
    "grid_sampler", _sampled, (_sampled_x, _sampled_grid), ("x", "grid"),
    ("g sent back to the pixels around each point, with their weights",
     "g times the slope of the image at each point"),
    "y = the image x at the points of the grid",
    (
        *[example(_waves(1, 2, 3, 4), POINTS, mode="bilinear", padding_mode=mode, align_corners=align)
          for mode in ("zeros", "border", "reflection") for align in (False, True)],
        example(_waves(1, 2, 3, 4), POINTS, mode="nearest", padding_mode="zeros", align_corners=False),
    ),
    names("x grid"), "GridSampler2DBackward0",
)  # fmt: skip

TABLE = (
    PAD, *[row for pair in BORDERS.values() for row in pair], *[row for pair in UPSAMPLE.values() for row in pair],
    PIXEL_SHUFFLE, PIXEL_UNSHUFFLE, GRID_SAMPLER,
)  # fmt: skip
"""The rows of this family."""

ALIGN_WARNING = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Images [N, C, H, W] at points: grid [N, height, width, 2] holds x and y from −1 to 1.

    Args:
        mode: "bilinear" or "nearest".
        padding_mode: what lies outside the image: "zeros", its "border", or its "reflection".
        align_corners: whether −1 and 1 are the middles of the corner pixels, rather than the image's edges.

    Raises:
        ValueError: another mode.
    """
    x, points = tensor_given("grid_sample", input), tensor_given("grid_sample", grid, "grid", 2)
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warn(ALIGN_WARNING)
    if mode == "bicubic" or current(x).array.ndim != 4:
        raise Beyond("grid_sample with mode='bicubic', or of volumes,")
    return apply(GRID_SAMPLER, (x, points), mode=mode, padding_mode=padding_mode, align_corners=bool(align_corners))


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid of an affine map, for `grid_sample`: [N, H, W, 2] of theta [N, 2, 3] and size (N, C, H, W)."""
    matrix = tensor_given("affine_grid", theta, "theta")
    if align_corners is None:
        warn(ALIGN_WARNING)
    spatial = tuple([int(n) for n in size[2:]])
    if len(spatial) not in (2, 3):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{list(size)}"
        )
    lines = []
    for n in spatial:
        line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
        lines.append(line if align_corners else line * ((n - 1) / n))
    mesh = np.stack([*reversed(np.meshgrid(*lines, indexing="ij")), np.ones(spatial)], -1)
    base = constant(mesh.reshape((-1, len(spatial) + 1)).astype(current(matrix).array.dtype))
    found: Tensor = (base @ matrix.transpose(1, 2)).reshape((int(size[0]), *spatial, len(spatial)))
    return found


NAMESPACE: dict[str, Callable[..., Tensor]] = {
    "channel_shuffle": channel_shuffle, "pixel_shuffle": pixel_shuffle, "pixel_unshuffle": pixel_unshuffle,
}  # fmt: skip
"""What is a function of torch but no method of tensors."""
