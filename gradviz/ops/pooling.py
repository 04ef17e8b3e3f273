"""Pooling: the maximum or the mean of what a window sees, also with windows that adapt to a wanted size.

Images are [N, C, *size] with one or two spatial dims. Where several numbers of a window are the largest, the first
one is taken, and it alone gets the gradient.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.linear_maps import linear_pair, resample
from gradviz.ops.op import Op, example, names
from gradviz.ops.symbols import Traced, said
from gradviz.ops.windows import Sizes, padded, windows

# ---- windows -----------------------------------------------------------------------------------------------------


def pooled_sizes(size: Sizes, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: bool) -> Sizes:
    """How many windows fit; with ceil_mode one more that juts out, if it begins inside the image or its left border."""
    found = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        count = (room + (s - 1 if ceil_mode else 0)) // s + 1
        found.append(count - 1 if ceil_mode and (count - 1) * s >= n + p else count)
    return tuple(found)


def _bordered(x: Any, window: dict[str, Any], out: Sizes, value: float) -> Any:
    """Images with their padding, and with as much on the far side as the last windows need."""
    kernel, stride, padding, dilation = (window[name] for name in ("kernel", "stride", "padding", "dilation"))
    reach = [(o - 1) * s + d * (k - 1) + 1 for o, s, d, k in zip(out, stride, dilation, kernel, strict=True)]
    after = [max(p, end - n - p) for p, end, n in zip(padding, reach, x.shape[2:], strict=True)]
    return padded(x, padding, tuple(after), value)


def _slices(window: dict[str, Any], out: Sizes) -> Iterator[tuple[Any, ...]]:
    """For each kernel element, the index of what it sees in all windows."""
    for offset in np.ndindex(*window["kernel"]):
        spans = zip(offset, window["dilation"], window["stride"], out, strict=True)
        yield (..., *[slice(k * d, k * d + s * (n - 1) + 1, s) for k, d, s, n in spans])


def _out(x: Any, ceil_mode: bool, window: dict[str, Any]) -> Sizes:
    return pooled_sizes(x.shape[2:], **window, ceil_mode=ceil_mode)


def _inside(images: Any, padding: Sizes, size: Sizes) -> Any:
    return images[(..., *[slice(p, p + n) for p, n in zip(padding, size, strict=True)])]


# ---- maxima ------------------------------------------------------------------------------------------------------


def _lowest(dtype: Any) -> Any:
    return -math.inf if dtype.kind == "f" else np.iinfo(dtype).min


def _max_pool(x: Any, ceil_mode: bool, **window: Any) -> Any:
    out = _out(x, ceil_mode, window)
    images = _bordered(x, window, out, _lowest(x.dtype))
    parts = _slices(window, out)
    y = images[next(parts)].copy()
    for part in parts:
        np.maximum(y, images[part], out=y)
    return y


def _max_pool_rule(g: Any, y: Any, x: Any, ceil_mode: bool, **window: Any) -> Any:
    if isinstance(g, Traced):
        return _placed(g, r.plain(x).shape, max_positions(r.plain(x), ceil_mode, **window))
    out = _out(x, ceil_mode, window)
    images = _bordered(x, window, out, _lowest(x.dtype))
    sent = np.zeros(images.shape, g.dtype)
    free = np.ones(y.shape, bool)
    for part in _slices(window, out):
        won = images[part] == y
        won &= free
        free ^= won
        sent[part] += g * won
    return _inside(sent, window["padding"], x.shape[2:])


def max_positions(x: Any, ceil_mode: bool, **window: Any) -> Any:
    """Where in its image each maximum stands: flat indices over the spatial dims, int64 of the pooled shape."""
    out = _out(x, ceil_mode, window)
    kernel, stride, padding, dilation = (window[name] for name in ("kernel", "stride", "padding", "dilation"))
    view = windows(_bordered(x, window, out, _lowest(x.dtype)), kernel, stride, dilation, out)
    dims = len(kernel)
    order = (0, 1, *range(2 + dims, 2 + 2 * dims), *range(2, 2 + dims))
    best = view.transpose(order).reshape((*x.shape[:2], *out, math.prod(kernel))).argmax(-1)
    within = np.unravel_index(best, kernel)
    begin = np.ogrid[tuple(slice(0, n * s, s) for n, s in zip(out, stride, strict=True))]
    spots = [b + k * d - p for b, k, d, p in zip(begin, within, dilation, padding, strict=True)]
    return np.ravel_multi_index(tuple(spots), x.shape[2:], mode="clip").astype(np.int64)


def _flat_index(shape: tuple[int, ...], positions: Any) -> tuple[Any, ...]:
    """The index into images of flat positions in each of them."""
    batch, channel, *_ = np.ogrid[tuple(slice(n) for n in positions.shape)]
    return (batch, channel, *np.unravel_index(positions, shape[2:]))


def _placed(g: Any, shape: tuple[int, ...], positions: Any) -> Any:
    """Images of zeros with numbers added at flat positions."""
    if isinstance(g, Traced):
        return r.put(g, shape, _flat_index(shape, positions))
    if not g.size:
        return np.zeros(shape, g.dtype)
    rows, size = math.prod(shape[:2]), math.prod(shape[2:])
    flat = positions.reshape((rows, -1)) + np.arange(rows)[:, None] * size
    found = np.bincount(flat.ravel(), g.reshape(-1).astype(np.float64), rows * size)
    return found.reshape(shape).astype(g.dtype)


# ---- means -------------------------------------------------------------------------------------------------------


@lru_cache(256)
def _divisors(size: Sizes, out: Sizes, counts_padding: bool, divisor: int | None, **window: Any) -> Any:
    """How many numbers each window's sum is divided by, of a shape that broadcasts to [N, C, *out]."""
    if divisor:
        return np.float64(divisor)
    found = np.ones(())
    kernel, stride, padding = (window[name] for name in ("kernel", "stride", "padding"))
    for n, o, k, s, p in zip(size, out, kernel, stride, padding, strict=True):
        begin = np.arange(o) * s - p
        end = np.minimum(begin + k, n + p)
        if not counts_padding:
            begin, end = np.maximum(begin, 0), np.minimum(end, n)
        found = found[..., None] * (end - begin)
    return found


def _avg_pool(x: Any, size: Sizes, ceil_mode: bool, counts_padding: bool, divisor: int | None, **window: Any) -> Any:
    out = pooled_sizes(size, **window, ceil_mode=ceil_mode)
    images = _bordered(x, window, out, 0.0)
    parts = _slices(window, out)
    y = images[next(parts)].copy()
    for part in parts:
        y += images[part]
    return y / _divisors(size, out, counts_padding, divisor, **window).astype(x.dtype)


def _avg_pool_back(
    g: Any, size: Sizes, ceil_mode: bool, counts_padding: bool, divisor: int | None, **window: Any
) -> Any:
    out = pooled_sizes(size, **window, ceil_mode=ceil_mode)
    share = g / _divisors(size, out, counts_padding, divisor, **window).astype(g.dtype)
    like = np.broadcast_to(g.dtype.type(0), (*g.shape[:2], *size))
    sent = np.zeros(_bordered(like, window, out, 0.0).shape, g.dtype)
    for part in _slices(window, out):
        sent[part] += share
    return _inside(sent, window["padding"], size)


# ---- windows of a wanted count -----------------------------------------------------------------------------------


@lru_cache(256)
def mean_matrix(size: int, out: int) -> Any:
    """[out, size]: row i takes the mean from ⌊i · size / out⌋ up to ⌈(i + 1) · size / out⌉."""
    found = np.zeros((out, size))
    for i in range(out):
        begin, end = i * size // out, -(-(i + 1) * size // out)
        found[i, begin:end] = 1 / (end - begin)
    return found


def _adaptive_mean(x: Any, size: Sizes, out: Sizes) -> Any:
    return resample(x, [mean_matrix(n, o) for n, o in zip(size, out, strict=True)])


def _adaptive_mean_back(g: Any, size: Sizes, out: Sizes) -> Any:
    return resample(g, [mean_matrix(n, o).T for n, o in zip(size, out, strict=True)])


# ---- rows --------------------------------------------------------------------------------------------------------

DIMS = (1, 2)
SIZES = {1: (7,), 2: (4, 5)}


def _images(dims: int) -> Any:
    shape = (1, 2, *SIZES[dims])
    return np.sin(np.arange(1.0, math.prod(shape) + 1) * 1.7).reshape(shape)


def _window(dims: int, kernel: int, stride: int, padding: int, dilation: int = 1) -> dict[str, Any]:
    found = {"kernel": kernel, "stride": stride, "padding": padding, "dilation": dilation}
    return {name: (value,) * dims for name, value in found.items()}


def _settings(dims: int, dilation: int) -> tuple[dict[str, Any], ...]:
    return (
        {"ceil_mode": False, **_window(dims, 2, 2, 0)}, {"ceil_mode": True, **_window(dims, 2, 2, 1)},
        {"ceil_mode": False, **_window(dims, 2, 1, 0, dilation)},
    )  # fmt: skip


FIRST = "Where several numbers of a window are the largest, the first one gets the gradient."
LARGEST = said("sent_to_largest", "{0} at the largest number of each window, else 0", _max_pool_rule)
MAX_POOL = {
    n: Op(
        f"max_pool{n}d", _max_pool, (_max_pool_rule,), form=(LARGEST,),
        equation="y = the largest number of each window", examples=tuple(example(_images(n), **each)
                                                                         for each in _settings(n, 2)),
        saves=names("x"), node=f"MaxPool{max(n, 2)}DWithIndicesBackward0", note=FIRST, keeps_integers=True, is_piecewise=True,
        sign="max", kind="extreme",
    )
    for n in DIMS
}  # fmt: skip


def _avg_rows(n: int) -> tuple[Op, Op]:
    common = {"size": SIZES[n], **_settings(n, 1)[1]}
    params = ({**common, "counts_padding": True, "divisor": None}, {**common, "counts_padding": False, "divisor": None},
              {**common, "counts_padding": True, "divisor": 3})  # fmt: skip
    back = _avg_pool(_images(n), **params[0])
    return linear_pair(
        f"avg_pool{n}d", _avg_pool, _avg_pool_back, "{0} / the window's size, at every number of the window",
        "y = the mean of each window", _images(n), back, params, f"AvgPool{max(n, 2)}DBackward0", "x",
        is_piecewise=True, sign="avg", kind="window_mean",
    )  # fmt: skip


AVG_POOL = {n: _avg_rows(n) for n in DIMS}
ADAPTIVE_AVG = {
    n: linear_pair(
        f"adaptive_avg_pool{n}d", _adaptive_mean, _adaptive_mean_back,
        "{0} / the window's size, at every number of the window", "y = the mean of each of so many windows", _images(n),
        np.ones((1, 2, *(2,) * n)), ({"size": SIZES[n], "out": (2,) * n},), f"AdaptiveAvgPool{max(n, 2)}DBackward0",
        "x", is_piecewise=True, sign="avg", kind="window_mean",
    )
    for n in DIMS
}  # fmt: skip
TABLE = (
    *MAX_POOL.values(), *[row for pair in AVG_POOL.values() for row in pair],
    *[row for pair in ADAPTIVE_AVG.values() for row in pair],
)  # fmt: skip
"""The rows of this family."""
