"""Images made larger or smaller: padding, interpolation, pixel shuffle.

Borders and interpolation are linear and act along one dim at a time, so each is a matrix [out, size] for each spatial
dim, and its gradient the transposed matrices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradviz.ops import functions as r
from gradviz.ops.linear_maps import linear_pair, resample
from gradviz.ops.op import Op, example
from gradviz.ops.symbols import said
from gradviz.ops.windows import Sizes


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
    "constant_pad_nd", _pad, (_pad_rule,), form=(said("without_border", "{0} without the border", _pad_rule),),
    equation="y = x with a border of one value",
    examples=(example(_waves(2, 3), spans=((0, 0), (1, 2)), value=0.5),
              example(_waves(2, 3), spans=((1, 0), (-1, 2)), value=0.0)),
    keeps_integers=True, sign="pad", kind="framed",
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
        f"{name}_pad{dims}d", _border, _border_back, "{0} added up where numbers were repeated",
        f"y = x with a border that {what}", _waves(1, 2, *(3,) * dims), _waves(1, 2, *(6,) * dims),
        ({"spans": ((1, 2),) * dims, "mode": mode},), f"{name.capitalize()}Pad{dims}DBackward0",
        "" if mode == "circular" else "x", sign="pad", kind="padded",
    )
    for mode, name, what in (("reflect", "reflection", "mirrors it"), ("replicate", "replication", "repeats its edge"),
                             ("circular", "circular", "goes on at the other side"))
    for dims in (1, 2)
}  # fmt: skip


# ---- interpolation -----------------------------------------------------------------------------------------------

KINDS = {
    ("nearest", 1): "nearest1d", ("nearest", 2): "nearest2d", ("linear", 1): "linear1d", ("bilinear", 2): "bilinear2d",
}  # fmt: skip
"""The modes, by how many spatial dims they take."""


@lru_cache(256)
def _sample_matrix(size: int, out: int, mode: str, align_corners: bool, scale: float) -> Any:
    """[out, size]: each new number as a weighted sum of old ones; scale is how far apart new ones stand in the old."""
    at = np.arange(out)
    if mode == "nearest":
        return np.eye(size)[np.minimum(np.floor(at * scale).astype(int), size - 1)]
    if size == out:
        return np.eye(size)
    spots = at * ((size - 1) / max(out - 1, 1)) if align_corners else (at + 0.5) * scale - 0.5
    spots = np.maximum(spots, 0)
    first = np.minimum(np.floor(spots).astype(int), size - 1)
    share = spots - first
    found = np.zeros((out, size))
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
        f"upsample_{kind}", _upsampled, _upsampled_back, "{0} sent back with the weights of the interpolation",
        f"y = x at another size, {mode}", _waves(1, 2, *(3,) * dims), _waves(1, 2, *(4,) * dims), (params,),
        f"Upsample{node}", sign="size", kind="resized",
    )  # fmt: skip


UPSAMPLE = {(mode, dims): _upsampling(mode, dims, kind) for (mode, dims), kind in KINDS.items()}


TABLE = (
    PAD, *[row for pair in BORDERS.values() for row in pair], *[row for pair in UPSAMPLE.values() for row in pair],
)  # fmt: skip
"""The rows of this family."""
