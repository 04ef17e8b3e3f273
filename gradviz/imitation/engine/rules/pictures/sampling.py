"""Pictures read at any place between their pixels: `grid_sample`.

Each number of the result is a weighted sum of the pixels around a place; the weights are smooth in the place, which
pixels they are is not. Source: ATen's GridSampler.h.
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.rules.entry import Op, case, saves
from gradviz.imitation.engine.rules.shapes.shaping import shape

CUBIC = -0.75


class Tap(NamedTuple):
    """What one axis of one pixel has to do with the places.

    Attributes:
        index: which pixel of the axis, for each place.
        is_inside: whether there is such a pixel.
        weight: how much it counts, and `slope`, how that changes with the pixel's coordinate.
        factor: how that changes with the place, from −1 to 1; 0 where the place was brought into the picture.
    """

    index: Any
    is_inside: Any
    weight: Any
    slope: Any
    factor: Any


def _unnormalized(c: Any, size: int, corners: bool) -> Any:
    """From −1 … 1 to pixels."""
    return (c + 1.0) * ((size - 1) / 2) if corners else ((c + 1.0) * size - 1.0) * 0.5


def _padded(place: Any, size: int, padding: str, corners: bool) -> tuple[Any, Any]:
    """The factor and the summand that bring a place into the picture, at arrays."""
    one, zero = np.ones_like(place), np.zeros_like(place)
    if padding == "zeros":
        return one, zero
    factor, summand = one, zero
    if padding == "reflection":
        low, high = (0.0, size - 1.0) if corners else (-0.5, size - 0.5)
        span = high - low
        if span == 0:
            return zero, zero
        away = np.abs(place - low)
        rounds = np.floor(away / span)
        sign = np.where(place < low, -one, one)
        is_even = rounds % 2 == 0
        factor = np.where(is_even, sign, -sign)
        summand = np.where(is_even, low - sign * low - rounds * span, high + rounds * span + sign * low)
    moved = place * factor + summand
    factor = np.where((moved <= 0) | (moved >= size - 1), zero, factor)
    summand = np.where(moved <= 0, zero, np.where(moved >= size - 1, size - 1, summand))
    return factor.astype(place.dtype), summand.astype(place.dtype)


def _constant(numbers: Any, like: Any) -> Any:
    numbers = np.asarray(numbers, F.plain(like).dtype)
    return F.constant(numbers, like.tape) if isinstance(like, F.Tensor) else numbers


def _index(place: Any, size: int) -> tuple[Any, Any]:
    """A whole place as an index that exists, and whether it is the place."""
    inside = (place >= 0) & (place <= size - 1)
    return np.where(inside, place, 0).astype(np.int64), inside


def _taps(c: Any, size: int, mode: str, padding: str, corners: bool) -> list[Tap]:
    """The pixels of one axis that the places c have to do with."""
    place = _unnormalized(c, size, corners)
    scale = (size - 1) / 2 if corners else size / 2
    if mode == "bicubic":
        return _cubic_taps(place, scale, size, padding, corners)
    factor, summand = _padded(F.plain(place), size, padding, corners)
    place = place * _constant(factor, place) + _constant(summand, place)
    if mode == "nearest":
        index, inside = _index(np.rint(F.plain(place)), size)
        zero = place * _constant(0.0, place)
        return [Tap(index, inside, zero + 1.0, zero, 1.0)]
    low = np.floor(F.plain(place))
    after = place - _constant(low, place)
    one, moved = _constant(1.0, place), _constant(factor * scale, place)
    return [Tap(*_index(low, size), one - after, -one, moved), Tap(*_index(low + 1, size), after, one, moved)]


def _cubic_taps(place: Any, scale: float, size: int, padding: str, corners: bool) -> list[Tap]:
    low = np.floor(F.plain(place))
    after = place - _constant(low, place)
    taps = []
    for step, (weight, slope) in enumerate(_cubic(after), start=-1):
        factor, summand = _padded(low + step, size, padding, corners)
        taps.append(Tap(*_index(np.trunc((low + step) * factor + summand), size), weight, slope, scale))
    return taps


def _cubic(t: Any) -> list[tuple[Any, Any]]:
    """The four weights of a cubic convolution, and their slopes, t after the second pixel."""
    a = CUBIC
    found: list[tuple[Any, Any]] = []
    for distance, sign in ((t + 1.0, 1.0), (t, 1.0), (1.0 - t, -1.0), (2.0 - t, -1.0)):
        if len(found) in (1, 2):
            weight = ((a + 2) * distance - (a + 3)) * distance * distance + 1.0
            slope = (3 * (a + 2) * distance - 2 * (a + 3)) * distance
        else:
            weight = ((a * distance - 5 * a) * distance + 8 * a) * distance - 4 * a
            slope = (3 * a * distance - 10 * a) * distance + 8 * a
        found.append((weight, slope * sign))
    return found


def _axes(x: Any, grid: Any, mode: str, padding: str, corners: bool) -> list[list[Tap]]:
    """For each axis of the picture its taps; the last number of a place is for the first axis."""
    sizes = shape(x)[2:]
    count = len(sizes)
    return [
        _taps(F.take(grid, (..., count - 1 - axis)), size, mode, padding, corners) for axis, size in enumerate(sizes)
    ]


def _reach(x: Any, taps: tuple[Tap, ...]) -> tuple[Any, Any]:
    """The index of one pixel for each place, all channels; and where it exists."""
    batch, channels = shape(x)[:2]
    rank = len(taps)
    lead = (np.arange(batch).reshape(-1, 1, *(1,) * rank), np.arange(channels).reshape(1, -1, *(1,) * rank))
    inside = np.logical_and.reduce([tap.is_inside for tap in taps])
    return (*lead, *(tap.index[:, None] for tap in taps)), inside[:, None]


def _weight(taps: tuple[Tap, ...], sloping: int = -1) -> Any:
    """The product of the weights, at the axis `sloping` its slope."""
    factors = [tap.slope if axis == sloping else tap.weight for axis, tap in enumerate(taps)]
    whole = prod(factors[1:], start=factors[0])
    sizes = taps[0].index.shape
    return F.reshape(F.broadcast_to(whole, sizes), (sizes[0], 1, *sizes[1:]))


def sampled(x: Any, grid: Any, mode: str, padding: str, corners: bool) -> Any:
    """y: for each place the weighted sum of the pixels around it."""
    total: Any = 0
    for taps in product(*_axes(x, grid, mode, padding, corners)):
        index, inside = _reach(x, taps)
        total = total + np.where(inside, x[index], x.dtype.type(0)) * _weight(taps)
    return total


def to_picture(g: Any, x: Any, grid: Any, mode: str, padding: str, corners: bool) -> Any:
    """dL/dx: each number of g, by its weights, back to the pixels it was made of."""
    total: Any = 0
    for taps in product(*_axes(x, grid, mode, padding, corners)):
        index, inside = _reach(x, taps)
        part = g * _weight(taps) * F.mask(inside, g)
        total = total + F.scatter(part, shape(x), index)
    return total


def to_places(g: Any, x: Any, grid: Any, mode: str, padding: str, corners: bool) -> Any:
    """dL/dgrid: how the sum changes with each coordinate of a place."""
    axes = _axes(x, grid, mode, padding, corners)
    count = len(axes)
    totals: list[Any] = [0.0] * count
    for taps in product(*axes):
        index, inside = _reach(x, taps)
        seen = g * F.take(x, index) * F.mask(inside, g)
        for axis in range(count):
            totals[axis] = totals[axis] + F.sum(seen * _weight(taps, axis), 1)
    return _joined([total * axes[axis][0].factor for axis, total in reversed(list(enumerate(totals)))])


def _joined(columns: list[Any]) -> Any:
    """Side by side along a new last axis."""
    if not isinstance(columns[0], F.Tensor):
        return np.stack(columns, -1)
    parts = [
        F.reshape(column, (*shape(column), 1)) * _constant(unit, column)
        for column, unit in zip(columns, np.eye(len(columns)), strict=True)
    ]
    return reduce(lambda a, b: a + b, parts)


def placed(theta: Any, points: Any, sizes: tuple[int, ...]) -> Any:
    """The points, rows that end in 1, through each of the maps."""
    found = np.matmul(points, np.swapaxes(theta, 1, 2))
    return found.reshape(theta.shape[0], *sizes, theta.shape[1])


def _affine_rule(g: Any, y: Any, theta: Any, points: Any, sizes: tuple[int, ...]) -> Any:
    return F.matmul(F.T(_by_point(g)), _constant(points, g))


def _by_point(g: Any) -> Any:
    batch, *sizes, count = shape(g)
    return F.reshape(g, (batch, prod(sizes), count))


PICTURE = np.array([[[[1.0, -2.0, 0.5], [0.3, 1.5, -1.0]]]])
PLACES = np.array([[[[-0.9, 0.3], [0.2, -0.4]], [[0.75, 0.1], [1.4, -1.3]]]])
_CASES = (("bilinear", "zeros", False), ("bilinear", "border", True), ("bilinear", "reflection", False),
          ("nearest", "zeros", True), ("bicubic", "zeros", False), ("bicubic", "reflection", True))  # fmt: skip


def _rule(back: Any) -> Any:
    def rule(g: Any, y: Any, x: Any, grid: Any, mode: str, padding: str, corners: bool) -> Any:
        return back(g, x, grid, mode, padding, corners)

    return rule


def _node(params: dict[str, Any], shapes: list[tuple[int, ...]]) -> str:
    return f"GridSampler{len(shapes[0]) - 2}DBackward0"


TABLE = (
    Op("grid_sampler", "sample", sampled, (_rule(to_picture), _rule(to_places)), ("x", "grid"),
       ("to_picture(g)", "to_places(g)"), "y = weighted sums of the pixels of x around the places of grid",
       tuple(case(PICTURE, PLACES, mode=mode, padding=padding, corners=corners) for mode, padding, corners in _CASES),
       _node, saves("x grid"),
       note="Which pixels are read is not differentiated; 'nearest' and places at the border send 0 to grid."),
    Op("affine_grid", "grid", placed, (_affine_rule,), ("theta",),
       ("T(by_point(g)) @ points",),
       "y = the points of a picture through the map theta",
       (case([[[1.0, 0.2, -0.5], [0.3, 0.9, 0.1]]], sizes=(2, 1), points=np.array([[0.0, -1.0, 1.0], [0.0, 1.0, 1.0]])),),
       "AffineGridGeneratorBackward0"),
)  # fmt: skip


def _of_sampler(xs: Any, params: dict[str, Any]) -> dict[str, Any]:
    return {
        "to_picture": lambda g: to_picture(g, *xs, **params),
        "to_places": lambda g: to_places(g, *xs, **params),
    }


NAMES: dict[str, Any] = {}
OF_PARAMS: dict[str, Any] = {"grid_sampler": _of_sampler, "affine_grid": lambda xs, params: {"by_point": _by_point}}
