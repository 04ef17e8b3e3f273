"""Pictures made larger or smaller, multiplied and added in the order in which PyTorch's kernels do it.

Found by probing PyTorch 2.13 with pulses and with random pictures, on a processor with fused instructions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import reduce
from itertools import product
from math import prod
from operator import mul
from typing import Any

import numpy as np

from gradviz.imitation.engine.kernels.nearest import fused

SMALL = 128
"""A bilinear picture whose new height and width together are at most this is made pixel by pixel, not axis by axis."""
REGISTER = 32
"""Bytes of the channels that are done at once where a picture is made pixel by pixel."""
MOST_BITS = 22
"""By how many bits the weights of a picture of bytes are shifted at most."""
FEW, MANY = (1, 0, 2, 3), (2, 3, 1, 0)
"""In which order the four pixels are added for single channels, and for channels done at once."""


@dataclass(frozen=True, eq=False)
class Taps:
    """The old pixels that the m new pixels of one axis are made of: a sparse matrix.

    Attributes:
        size: how many old pixels there are.
        there: (taps, m) their places, and (taps, m) how much each counts.
        back: the same for gradients; PyTorch rounds some weights otherwise there.
        is_turned: whether this is the way back.
    """

    size: int
    there: tuple[Any, Any]
    back: tuple[Any, Any]
    is_turned: bool = False

    @property
    def T(self) -> Taps:  # noqa: N802 - as numpy names it
        return replace(self, is_turned=not self.is_turned)

    def dense(self) -> Any:
        """The matrix of the way there, (m, size)."""
        places, weights = self.there
        matrix = np.zeros((places.shape[1], self.size))
        np.add.at(matrix, (np.arange(len(matrix)), places), weights)
        return matrix


def resampled(x: Any, axes: tuple[Taps, ...], mode: str) -> Any:
    """The last axes of x by their taps; all of these, or none, are turned."""
    if axes[0].is_turned:
        return _given_back(x, axes, mode.startswith("bicubic"))
    if mode == "bilinear" and x.dtype != np.uint8 and sum(axis.there[0].shape[1] for axis in axes) <= SMALL:
        return _by_pixels(x, *axes)
    for number, axis in enumerate(reversed(axes)):
        room = (-1, *(1,) * number)
        if x.dtype == np.uint8:
            x = whole_along(x, x.ndim - 1 - number, axis.dense())
            continue
        places, weights = axis.there
        parts = [np.take(x, place, x.ndim - 1 - number) for place in places]
        x = _chain(parts, [weight.astype(x.dtype).reshape(room) for weight in weights], (1, 0, *range(2, len(parts))))
    return x


def _chain(parts: list[Any], weights: list[Any], order: tuple[int, ...]) -> Any:
    first, *rest = order
    total = parts[first] * weights[first]
    for number in rest:
        total = fused(parts[number], weights[number], total)
    return total


def whole_along(x: Any, axis: int, matrix: Any) -> Any:
    """One axis of a picture of bytes times a matrix of whole weights of 15 bits at most, the result made bytes again.

    Source: ATen's UpSampleKernel.cpp, `_compute_index_ranges_int16_weights`.
    """
    bits = 0
    while bits < MOST_BITS and 0.5 + matrix.max(initial=0.0) * 2 ** (bits + 1) < 1 << 15:
        bits += 1
    whole = np.trunc(matrix * 2**bits + np.copysign(0.5, matrix)).astype(np.int64)
    sums = np.moveaxis(np.tensordot(whole, x.astype(np.int64), (1, axis)), 0, axis)
    return np.clip((sums + (1 << bits >> 1)) >> bits, 0, 255).astype(np.uint8)


def _by_pixels(x: Any, rows: Taps, columns: Taps) -> Any:
    """(..., channels, height, width), each new pixel from its four old ones at once."""
    pairs = list(product(zip(*rows.there, strict=True), zip(*columns.there, strict=True)))
    parts = [x[..., row[:, None], column] for (row, _), (column, _) in pairs]
    weights = [(v[:, None] * w).astype(x.dtype) for (_, v), (_, w) in pairs]
    packed = x.shape[-3] - x.shape[-3] % (REGISTER // x.itemsize)
    many = _chain([part[..., :packed, :, :] for part in parts], weights, MANY)
    return np.concatenate([many, _chain([part[..., packed:, :, :] for part in parts], weights, FEW)], -3)


def _given_back(g: Any, axes: tuple[Taps, ...], is_cubic: bool) -> Any:
    """What the new pixels give back to the old ones, one after the other."""
    lead, sizes = g.shape[: g.ndim - len(axes)], tuple(axis.size for axis in axes)
    if is_cubic and g.shape == (*lead, *sizes):
        return g.copy()  # PyTorch's kernel does so, whatever the scale
    pictures = g.reshape(prod(lead), prod(g.shape[len(lead) :]))
    out = np.zeros((len(pictures), prod(sizes)), g.dtype)
    place, pixel, weights = _gifts(axes, is_cubic)
    if not is_cubic:
        weights = [reduce(mul, weights)]
    weights = [weight.astype(g.dtype) for weight in weights]
    for chosen in _rounds(place):
        here, given = place[chosen], pictures[:, pixel[chosen]]
        if is_cubic:
            out[:, here] += given * weights[0][chosen] * weights[1][chosen]
        else:
            out[:, here] = fused(weights[0][chosen], given, out[:, here])
    return out.reshape(*lead, *sizes)


def _gifts(axes: tuple[Taps, ...], is_cubic: bool) -> tuple[Any, Any, list[Any]]:
    """In PyTorch's order: the old pixel of each gift and the new one, both in flat order, and its weight by axis."""
    taps, new = [len(axis.back[0]) for axis in axes], [axis.back[0].shape[1] for axis in axes]
    grid = np.indices((*new, *(reversed(taps) if is_cubic else taps))).reshape(2 * len(axes), -1)
    at, tap = grid[: len(axes)], grid[len(axes) :]
    if is_cubic:
        tap = tap[::-1]
    places = [axis.back[0][t, i] for axis, t, i in zip(axes, tap, at, strict=True)]
    weights = [axis.back[1][t, i] for axis, t, i in zip(axes, tap, at, strict=True)]
    sizes = tuple(axis.size for axis in axes)
    return np.ravel_multi_index(places, sizes), np.ravel_multi_index(list(at), tuple(new)), weights


def _rounds(place: Any) -> Iterator[Any]:
    """The gifts in rounds in which each old pixel gets one at most, its first in the first round."""
    order = np.argsort(place, kind="stable")
    ordered = place[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]]) if ordered.size else ordered
    counts = np.diff(np.r_[starts, ordered.size])
    for turn in range(counts.max(initial=0)):
        yield order[starts[counts > turn] + turn]
