"""Curves as points: sampling, cutting, dashes and ribbons. Scene units, numpy only.

A curve is a cubic Bézier chain of shape (3k + 1, 2); a line is points of shape (p, 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradviz.layout.plan import Floats, Ints

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

DENSE = 14
"""Points per cubic where a curve is drawn at full size."""

DASH, GAP = 5.0, 4.0
"""Of dashed lines, in scene units."""

_STRAIGHT = 0.2
"""A curve that leaves the line between its ends by no more than this is a line, in scene units."""


def _basis(t: Floats) -> Floats:
    t = t[:, None]
    return np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])


def dense(curve: Floats) -> Floats:
    """A curve as points, close enough for any zoom; a straight one as its two ends."""
    if _is_straight(curve):
        return curve[[0, -1]]
    pieces = (len(curve) - 1) // 3
    windows = np.arange(pieces)[:, None] * 3 + np.arange(4)
    basis = _basis(np.linspace(0.0, 1.0, DENSE + 1)[1:])
    points = np.einsum("pj,kjd->kpd", basis, curve[windows]).reshape(-1, 2)
    return np.vstack([curve[:1], points])


def _is_straight(curve: Floats) -> bool:
    along = curve[-1] - curve[0]
    away = curve - curve[0]
    area = np.abs(along[0] * away[:, 1] - along[1] * away[:, 0]).max()
    return bool(area <= _STRAIGHT * float(np.hypot(*along)))


class Joined:
    """All curves of a graph in one row of points.

    Attributes:
        points: shape (p, 2).
        starts: where the points of each curve begin, and the end; shape (m + 1,).
        pieces: how many cubics each curve has; shape (m,).
    """

    def __init__(self, curves: Sequence[Floats]) -> None:
        lengths = np.array([len(curve) for curve in curves], dtype=np.int64)
        self.points: Floats = np.concatenate(curves) if curves else np.zeros((0, 2))
        self.starts: Ints = np.concatenate([[0], np.cumsum(lengths)])
        self.pieces: Ints = (lengths - 1) // 3

    def alike(self, which: Ints) -> Floats:
        """Some curves of as many cubics; shape (len(which), 3k + 1, 2)."""
        some: Floats = self.points[self.starts[which][:, None] + np.arange(3 * int(self.pieces[which[0]]) + 1)]
        return some


class Segments:
    """All curves of a graph as short straight segments, which one call can draw.

    Attributes:
        lines: (x1, y1, x2, y2) of every segment, those of a curve in a row; shape (s, 4).
        starts: where the segments of each curve begin, and the end; shape (m + 1,).
        counts: how many segments each curve has; shape (m,).
    """

    def __init__(self, curves: Joined, least: int, per_piece: int, most: int) -> None:
        pieces = curves.pieces
        self.counts: Ints = np.clip(pieces * per_piece, least, most)
        self.starts: Ints = np.concatenate([[0], np.cumsum(self.counts)])
        self.lines: Floats = np.zeros((int(self.starts[-1]), 4))
        for piece in np.flatnonzero(np.bincount(pieces)).tolist():
            which = np.flatnonzero(pieces == piece)
            count = int(self.counts[which[0]])
            points = _sampled_alike(curves.alike(which), piece, count + 1)
            rows = self.starts[which][:, None] + np.arange(count)
            self.lines[rows] = np.concatenate([points[:, :-1], points[:, 1:]], axis=2)

    def of(self, which: Ints) -> Floats:
        """The segments of some curves; shape (s, 4)."""
        some: Floats = self.lines[self.rows(which)]
        return some

    @property
    def _is_single(self) -> bool:
        return len(self.lines) == len(self.counts)

    def cuts(self, which: Ints, places: list[int]) -> list[int]:
        """Where among the segments of some curves those of the curves at some places of them begin."""
        if self._is_single:
            return places
        ends: list[int] = np.cumsum(self.counts[which]).tolist()
        return [ends[place - 1] if place else 0 for place in places]

    def spread(self, codes: Bytes) -> Bytes:
        """For each segment the code of its curve; shape (s,)."""
        return codes if self._is_single else codes.repeat(self.counts)

    def rows(self, which: Ints) -> Ints:
        """Which of the segments are those of some curves; shape (s,)."""
        if self._is_single:
            return which
        counts = self.counts[which]
        ends = np.cumsum(counts)
        rows: Ints = np.arange(int(ends[-1]) if len(ends) else 0)
        return rows + np.repeat(self.starts[which] - ends + counts, counts)


def _sampled_alike(stack: Floats, pieces: int, count: int) -> Floats:
    basis, controls = _sampling(pieces, count)
    points: Floats = np.einsum("pj,mpjd->mpd", basis, stack[:, controls])
    return points


@lru_cache(maxsize=64)
def _sampling(pieces: int, count: int) -> tuple[Floats, Ints]:
    """The weights of `count` points along as many cubics, and of which control points; shapes (count, 4)."""
    at = np.linspace(0.0, pieces, count)
    piece = np.minimum(at.astype(np.int64), pieces - 1)
    return _basis(at - piece), piece[:, None] * 3 + np.arange(4)


def _lengths(points: Floats) -> Floats:
    steps = np.hypot(*np.diff(points, axis=0).T)
    return np.concatenate([[0.0], np.cumsum(steps)])


def length(points: Floats) -> float:
    """How long a line is."""
    return float(_lengths(points)[-1])


def part(points: Floats, low: float, high: float) -> Floats:
    """The piece of a line between two distances from its start; at least two points."""
    along = _lengths(points)
    high = min(high, along[-1])
    low = min(max(low, 0.0), high)
    ends = np.array([low, high])
    cut = np.column_stack([np.interp(ends, along, points[:, axis]) for axis in (0, 1)])
    inner = points[(along > low) & (along < high)]
    return np.vstack([cut[:1], inner, cut[1:]])


def points_at(points: Floats, fractions: Floats) -> Floats:
    """The points at fractions 0..1 of a line's length; shape (len(fractions), 2)."""
    along = _lengths(points)
    at = fractions * along[-1]
    return np.column_stack([np.interp(at, along, points[:, 0]), np.interp(at, along, points[:, 1])])


def point_at(points: Floats, fraction: float) -> tuple[float, float]:
    """The point at a fraction 0..1 of a line's length."""
    x, y = points_at(points, np.array([fraction]))[0].tolist()
    return x, y


def spaced_alike(curves: Sequence[Floats], count: int) -> Floats:
    """Curves as lines of `count` points at equal distances; shape (m, count, 2). All of as many cubics at once."""
    lines: Floats = np.zeros((len(curves), count, 2))
    pieces = np.array([(len(curve) - 1) // 3 for curve in curves], dtype=np.int64)
    for piece in np.unique(pieces).tolist():
        which = np.flatnonzero(pieces == piece)
        stack = np.stack([curves[i] for i in which.tolist()])
        lines[which] = _spaced(_sampled_alike(stack, piece, piece * DENSE + 1), count)
    return lines


def _spaced(points: Floats, count: int) -> Floats:
    """Lines of points, shape (m, p, 2), as `count` points at equal distances each."""
    along = np.diff(points, axis=1)
    lengths = np.hypot(along[:, :, 0], along[:, :, 1])
    ends = np.cumsum(lengths, axis=1)
    at = ends[:, -1:] * np.linspace(0.0, 1.0, count)
    rows, places = np.arange(len(points))[:, None], (ends[:, None, :-1] <= at[:, :, None]).sum(axis=2)
    shares = (at - ends[rows, places] + lengths[rows, places]) / np.maximum(lengths[rows, places], 1e-9)
    spaced: Floats = points[rows, places] + shares[:, :, None] * along[rows, places]
    return spaced


def split(points: Floats, longest: float) -> Floats:
    """A line with further points on its segments, so that none is longer."""
    steps = np.diff(points, axis=0)
    counts = np.maximum(np.ceil(np.hypot(*steps.T) / longest), 1.0).astype(np.int64)
    which = np.repeat(np.arange(len(steps)), counts)
    shares = (np.arange(len(which)) - (np.cumsum(counts) - counts)[which]) / counts[which]
    return np.vstack([points[which] + shares[:, None] * steps[which], points[-1:]])


def stretches(points: Floats, window: tuple[float, float, float, float] | None) -> list[slice]:
    """The runs of points of a line between which its segments touch a window; all in one where there is none."""
    if window is None:
        return [slice(0, len(points))]
    left, top, right, bottom = window
    x, y = points.T
    is_out = np.column_stack([x < left, x > right, y < top, y > bottom])
    # A segment that lies beyond one side does not touch; few others do not.
    touches = np.concatenate([[False], ~(is_out[:-1] & is_out[1:]).any(axis=1), [False]])
    ends = np.flatnonzero(touches[1:] != touches[:-1]).tolist()
    return [slice(first, last + 1) for first, last in zip(ends[::2], ends[1::2], strict=True)]


def curve_until(curve: Floats, distance: float) -> Floats:
    """A curve from its start up to a distance along it, as a curve."""
    pieces = (len(curve) - 1) // 3
    along = _lengths(_sampled_alike(curve[None], pieces, pieces * DENSE + 1)[0])
    at = float(np.interp(distance, along, np.arange(len(along)))) / DENSE
    piece = min(int(at), pieces - 1)
    row = curve[3 * piece : 3 * piece + 4]
    firsts = []
    while len(row) > 1:  # de Casteljau
        row = row[:-1] + (at - piece) * np.diff(row, axis=0)
        firsts.append(row[0])
    return np.vstack([curve[: 3 * piece + 1], firsts])


def dashes(points: Floats, runs: Sequence[slice], dash: float = DASH, gap: float = GAP) -> Floats:
    """A line as dashes (x1, y1, x2, y2), as many of them as lie on some runs of its points."""
    along = _lengths(points)
    firsts = [along[run.start] // (dash + gap) * (dash + gap) for run in runs]
    ends = [max(along[run.stop - 1], dash) for run in runs]
    starts = np.concatenate([np.zeros(0), *(np.arange(*pair, dash + gap) for pair in zip(firsts, ends, strict=True))])
    ends_of = np.minimum(starts + dash, along[-1])
    columns = [np.interp(at, along, points[:, axis]) for at in (starts, ends_of) for axis in (0, 1)]
    return np.column_stack(columns)


def ribbon(points: Floats, width: float, near: slice) -> Floats:
    """The outline of a line of some width, at its points `near`: a polygon to fill, which is cheaper than stroking."""
    left, right = _sides(points, width, near)
    return np.vstack([left, right[::-1]])


def arrow_ribbon(points: Floats, width: float, arrow: Floats, near: slice) -> Floats:
    """The outline of a line that ends in an arrowhead (tip, left, right): one polygon instead of two.

    Args:
        near: the points of the line of which the outline is made; the arrowhead belongs to the last one.
    """
    left, right = _sides(points, width, near)
    tip = arrow[[1, 0, 2]] if near.stop == len(points) else arrow[:0]
    return np.vstack([left, tip, right[::-1]])


def _sides(points: Floats, width: float, near: slice) -> tuple[Floats, Floats]:
    first = max(near.start - 1, 0)
    around = points[first : near.stop + 1]
    direction = np.empty_like(around)  # np.gradient does the same in five times the time
    direction[1:-1] = (around[2:] - around[:-2]) / 2
    direction[0], direction[-1] = around[1] - around[0], around[-1] - around[-2]
    size = np.maximum(np.hypot(direction[:, 0], direction[:, 1]), 1e-9)[:, None]
    normal = direction[:, ::-1] * [-1.0, 1.0] / size * (width / 2)
    some = slice(near.start - first, near.stop - first)
    return (around + normal)[some], (around - normal)[some]


class Measured:
    """A line that is cut in several places: its lengths are added up once."""

    def __init__(self, points: Floats) -> None:
        self._points, self._along = points, _lengths(points)
        self.length = float(self._along[-1])

    def at(self, distance: float) -> Floats:
        """The point at a distance from the start, or the nearest end; shape (2,)."""
        after = min(max(int(self._along.searchsorted(distance)), 1), len(self._points) - 1)
        before, there = self._along[after - 1 : after + 1].tolist()
        share = min(max((distance - before) / max(there - before, 1e-9), 0.0), 1.0)
        point: Floats = self._points[after - 1] + share * (self._points[after] - self._points[after - 1])
        return point

    def until(self, distance: float) -> Floats:
        """The line from its start up to a distance; at least two points."""
        inner = int(self._along.searchsorted(distance))
        return np.vstack([self._points[: max(inner, 1)], self.at(distance)])


def arrowhead(tip: Floats, base: Floats, size: float) -> Floats:
    """The triangle that ends in `tip` and comes from `base`, its base `size` before the tip; shape (3, 2)."""
    direction = tip - base
    direction = direction / max(float(np.hypot(*direction)), 1e-9)
    side = np.array([-direction[1], direction[0]]) * size * 0.42
    base = tip - direction * size
    return np.array([tip, base + side, base - side])
