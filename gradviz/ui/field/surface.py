"""What is drawn of a field, as plain arrays: the surface between its points, round levels, the arrows that fit."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.playback.field import Field, Floats, Grid

FINE = 384
"""Rows and columns that a coarse surface is drawn with."""
COARSE = 72
"""Rows and columns that level lines are drawn from: finer than the eye sees them bend, and quick."""
ARROWS_ACROSS = 32
"""Arrows along an axis up to which each is drawn; beyond, every second, third, ... of them."""
LEVELS = 7
"""Level lines, about."""


def resampled(grid: Grid, heights: Floats, least: int) -> Floats:
    """The surface on at least `least` rows and columns in even steps; smooth, and as it is at its own points."""
    known = np.where(np.isfinite(heights), heights, np.nan)  # infinity minus infinity would be warned about
    rows = _along(known, grid.ys, max(least, len(grid.ys)))
    return _along(rows.T, grid.xs, max(least, len(grid.xs))).T


def _along(heights: Floats, places: Floats, count: int) -> Floats:
    """Interpolate along axis 0 from `places` (ascending) to `count` even steps over the same range."""
    fine = np.linspace(places[0], places[-1], count)
    left = np.clip(np.searchsorted(places, fine, side="right") - 1, 0, len(places) - 2)
    width = (places[left + 1] - places[left])[:, None]
    t = (fine - places[left])[:, None] / width
    # Cubic Hermite: straight lines between few points would give the level lines of a smooth surface corners.
    slopes = np.gradient(heights, places, axis=0)
    start, end = heights[left], heights[left + 1]
    rise = (1 - t) * slopes[left] - t * slopes[left + 1]
    result: Floats = (1 - t) * start + t * end + t * (1 - t) * (width * rise + (1 - 2 * t) * (start - end))
    return result


def level_lines(grid: Grid, heights: Floats, level: float) -> Floats:
    """Where the surface crosses a height: straight pieces from place to place, of shape (2 · pieces, 2).

    Each cell of a fine grid is cut into two triangles: a plane crosses a triangle in one piece or not at all.
    """
    fine = resampled(grid, heights, COARSE)
    xs, ys = (np.linspace(a[0], a[-1], n) for a, n in zip((grid.xs, grid.ys), fine.shape[::-1], strict=True))
    corners = np.stack([*np.meshgrid(xs, ys), fine - level], axis=-1)
    a, b, c, d = corners[:-1, :-1], corners[:-1, 1:], corners[1:, :-1], corners[1:, 1:]
    triangles = np.concatenate([np.stack(three, axis=2).reshape(-1, 3, 3) for three in ((a, b, d), (a, d, c))])
    triangles = triangles[np.isfinite(triangles[:, :, 2]).all(axis=1)]
    is_above = triangles[:, :, 2] > 0
    count = is_above.sum(axis=1)
    crossed = (count == 1) | (count == 2)
    triangles, is_above, count = triangles[crossed], is_above[crossed], count[crossed]
    alone = np.argmax(is_above == (count == 1)[:, None], axis=1)  # the corner that lies on its own side
    rows = np.arange(len(triangles))
    peak = triangles[rows, alone]
    pieces = [_crossing(peak, triangles[rows, (alone + turn) % 3]) for turn in (1, 2)]
    return np.stack(pieces, axis=1).reshape(-1, 2)


def _crossing(above: Floats, below: Floats) -> Floats:
    """Where the height is 0 between corners (x, y, height) on two sides of it."""
    share = above[:, 2:] / (above[:, 2:] - below[:, 2:])
    result: Floats = above[:, :2] + share * (below[:, :2] - above[:, :2])
    return result


def levels(low: float, high: float) -> list[float]:
    """Round numbers between two heights, about `LEVELS` of them; none where the surface is flat."""
    if not (math.isfinite(low) and math.isfinite(high)) or high - low <= 1e-9 * max(abs(low), abs(high)):
        return []
    rough = (high - low) / LEVELS
    unit = 10.0 ** math.floor(math.log10(rough))
    step = unit * min((factor for factor in (1, 2, 2.5, 5, 10)), key=lambda factor: abs(factor * unit - rough))
    first, last = math.floor(low / step) + 1, math.ceil(high / step) - 1
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]


@dataclass(frozen=True, eq=False)
class Arrows:
    """The arrows that are drawn; all arrays of one length.

    Attributes:
        index: which point of the field each belongs to.
        tails, tips: places, of shape (count, 2), in the units of the axes.
        cell: width and height that belong to one arrow: the longest is about as long.
        longest: size of the longest gradient of the field.
        stride: every so many points along each axis have an arrow.
    """

    index: np.ndarray[Any, np.dtype[np.intp]]
    tails: Floats
    tips: Floats
    cell: tuple[float, float]
    longest: float
    stride: int


def arrows(field: Field) -> Arrows:
    """The arrows of a field, in its own points' order. A point or a gradient that is not finite has none."""
    points, gradients = _pairs(field.x, field.y), _pairs(field.u, field.v)
    finite = np.isfinite(np.hstack([points, gradients])).all(axis=1)
    index, stride = _chosen(field, finite)
    cell = _cell(field, points[finite], stride)
    tails, sizes = points[index], gradients[index]
    longest = float(np.max(field.sizes[finite], initial=0.0))
    reach = float(np.max(np.hypot(*(sizes / cell).T), initial=0.0))
    return Arrows(index, tails, tails + (sizes / reach if reach > 0 else 0.0 * sizes), cell, longest, stride)


def _pairs(first: Any, second: Any) -> Floats:
    return np.stack([np.ravel(first), np.ravel(second)], axis=1).astype(np.float64)


def _chosen(field: Field, finite: Any) -> tuple[Any, int]:
    if field.is_mesh:
        stride = -(-max(field.x.shape) // ARROWS_ACROSS)
        chosen = np.zeros(field.x.shape, dtype=np.bool_)
        chosen[::stride, ::stride] = True
        return np.flatnonzero(chosen.ravel() & finite), stride
    stride = -(-int(finite.sum()) // ARROWS_ACROSS**2) or 1
    return np.flatnonzero(finite)[::stride], stride


def _cell(field: Field, points: Floats, stride: int) -> tuple[float, float]:
    """The room of one arrow; never 0, so that a row of points has room above it too."""
    if field.grid is not None:
        across, up = (float(np.median(np.diff(axis))) * stride for axis in (field.grid.xs, field.grid.ys))
        return across, up
    extent = np.ptp(points, axis=0) if len(points) else np.ones(2)
    across, up = (float(side) or float(extent.max()) or 1.0 for side in extent)
    count = math.sqrt(max(4, len(points) / stride))
    return across / count, up / count
