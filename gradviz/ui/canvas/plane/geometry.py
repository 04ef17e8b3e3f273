"""Curves as points and segments, where they end in an arrowhead, and rectangles near a rectangle. Numpy only.

A curve is a cubic Bézier chain of shape (3k + 1, 2); a line is points of shape (p, 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from gradviz.layout.plan import Floats, Ints
from gradviz.ui.canvas.plane.view import Rect

Flags = np.ndarray[Any, np.dtype[np.bool_]]

DENSE = 14
"""Points per cubic where a curve is followed closely."""
_COUNTS = (4, 8, 14, 28, 56)
"""Segments per cubic where a curve is longer than a screen, by how much it is bent."""
_SEEN = 0.05
"""A line that leaves its curve by no more than this, in scene units, is taken for it."""

_STRAIGHT = 0.2
"""A curve that leaves the line between its ends by no more than this is a line, in scene units."""


def touching(boxes: Floats, area: Rect, slack: float = 0.0) -> Ints:
    """Indices of the boxes (left, top, right, bottom), shape (n, 4), that come within `slack` of an area."""
    rows = np.flatnonzero((boxes[:, 3] >= area[1] - slack) & (boxes[:, 1] <= area[3] + slack))
    some = boxes if len(rows) == len(boxes) else boxes[rows]
    hits: Ints = rows[(some[:, 2] >= area[0] - slack) & (some[:, 0] <= area[2] + slack)]
    return hits


def boxes_around(lines: Floats) -> Floats:
    """The rectangle around each segment (x1, y1, x2, y2); shape (n, 4)."""
    return np.hstack([np.minimum(lines[:, :2], lines[:, 2:]), np.maximum(lines[:, :2], lines[:, 2:])])


def runs(codes: np.ndarray[Any, np.dtype[np.integer[Any]]]) -> list[tuple[int, slice]]:
    """The different codes of a sorted array, and where each is."""
    if not len(codes):
        return []
    cuts = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), len(codes)]
    return [(int(codes[first]), slice(first, last)) for first, last in pairwise(cuts)]


def _basis(t: Floats) -> Floats:
    t = t[:, None]
    return np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])


def dense(curve: Floats) -> Floats:
    """A curve as points, close enough for any zoom; a straight one as its two ends."""
    along, away = curve[-1] - curve[0], curve - curve[0]
    area = np.abs(along[0] * away[:, 1] - along[1] * away[:, 0]).max()
    if area <= _STRAIGHT * float(np.hypot(*along)):
        ends: Floats = curve[[0, -1]]
        return ends
    pieces = (len(curve) - 1) // 3
    points: Floats = _sampled(curve[None], pieces, pieces * DENSE + 1)[0]
    return points


def _sampled(stack: Floats, pieces: int, count: int) -> Floats:
    """Curves of as many cubics, shape (m, 3k + 1, 2), as `count` points each; shape (m, count, 2)."""
    basis, controls = _sampling(pieces, count)
    if pieces == 1:
        return np.asarray(basis @ stack)
    points: Floats = np.einsum("pj,mpjd->mpd", basis, stack[:, controls])
    return points


@lru_cache(maxsize=64)
def _sampling(pieces: int, count: int) -> tuple[Floats, Ints]:
    """The weights of `count` points along as many cubics, and of which control points; shapes (count, 4)."""
    at = np.linspace(0.0, pieces, count)
    piece = np.minimum(at.astype(np.int64), pieces - 1)
    return _basis(at - piece), piece[:, None] * 3 + np.arange(4)


class Curves:
    """All curves of a graph in one array of points.

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

    @cached_property
    def boxes(self) -> Floats:
        """Left, top, right, bottom of each: a cubic never leaves the hull of its control points; shape (m, 4)."""
        if not len(self.pieces):
            return np.zeros((0, 4))
        starts = self.starts[:-1]
        return np.hstack([np.minimum.reduceat(self.points, starts), np.maximum.reduceat(self.points, starts)])

    def alike(self, which: Ints) -> Floats:
        """Some curves of as many cubics; shape (len(which), 3k + 1, 2)."""
        some: Floats = self.points[self.starts[which][:, None] + np.arange(3 * int(self.pieces[which[0]]) + 1)]
        return some

    def segments(self, least: int, per_piece: int, most: int) -> tuple[Floats, Ints]:
        """Each curve as so many segments per cubic, at the least and at the most.

        Returns:
            (x1, y1, x2, y2) of every segment, those of a curve in a row, shape (s, 4), and the curve of each.
        """
        counts: Ints = np.clip(self.pieces * per_piece, least, most)
        owners = np.repeat(np.arange(len(counts)), counts)
        starts = np.cumsum(counts) - counts
        lines: Floats = np.zeros((len(owners), 4))
        for piece in np.flatnonzero(np.bincount(self.pieces)).tolist():
            which = np.flatnonzero(self.pieces == piece)
            count = int(counts[which[0]])
            points = _sampled(self.alike(which), piece, count + 1)
            rows = starts[which][:, None] + np.arange(count)
            lines[rows] = np.concatenate([points[:, :-1], points[:, 1:]], axis=2)
        return lines, owners

    def fine_segments(self) -> tuple[Floats, Ints]:
        """As `segments`, each straight cubic as one and any other as so many that no corner is seen."""
        owners = np.repeat(np.arange(len(self.pieces)), self.pieces)
        befores = np.cumsum(self.pieces) - self.pieces
        firsts = self.starts[owners] + 3 * (np.arange(len(owners)) - befores[owners])
        cubics = self.points[firsts[:, None] + np.arange(4)]
        away = cubics - cubics[:, :1]
        areas = np.abs(away[:, 3:, 0] * away[..., 1] - away[:, 3:, 1] * away[..., 0]).max(axis=1)
        is_bent = areas > _STRAIGHT * np.hypot(*away[:, 3].T)
        # The line through n + 1 points of a cubic leaves it by no more than 3/4 of its greatest second difference / n².
        bend = np.hypot(*np.moveaxis(np.diff(cubics, n=2, axis=1), 2, 0)).max(axis=1)
        needed = np.searchsorted(_COUNTS, np.sqrt(0.75 * bend / _SEEN))
        counts = np.where(is_bent, np.array(_COUNTS)[np.minimum(needed, len(_COUNTS) - 1)], 1)
        starts = np.cumsum(counts) - counts
        lines = np.repeat(np.hstack([cubics[:, 0], cubics[:, 3]]), counts, axis=0)
        for count in _COUNTS:
            some = np.flatnonzero(is_bent & (counts == count))
            points = _sampled(cubics[some], 1, count + 1)
            rows = starts[some][:, None] + np.arange(count)
            lines[rows] = np.concatenate([points[:, :-1], points[:, 1:]], axis=2)
        return lines, np.repeat(owners, counts)


_NOTCH = 0.7
"""How deep an arrowhead is at its middle, as a share of its length."""


class Tips:
    """The arrowheads at the last points of curves, and the curves shortened to where the arrowheads begin.

    Attributes:
        arrows: tip, left, notch, right of each arrowhead; shape (m, 4, 2).
        ends: control points of the last cubic of each curve up to its arrowhead, from where the cubic begins;
            shape (m, 4, 2).

    Args:
        cubics: the last cubic of each curve; shape (m, 4, 2).
        sizes: how long each arrowhead is; shape (m,).
        gap: between a tip and the end of its curve.
    """

    def __init__(self, cubics: Floats, sizes: Floats, gap: float) -> None:
        points = _sampled(cubics, 1, 2 * DENSE + 1)[:, ::-1]
        steps = np.hypot(*np.moveaxis(np.diff(points, axis=1), 2, 0))
        ways = np.hstack([np.zeros((len(cubics), 1)), np.cumsum(steps, axis=1)])
        sizes = np.minimum(sizes, 0.8 * np.maximum(ways[:, -1] - gap, 1.0))
        tip, base = (_at(cubics, _share_at(ways, place)) for place in (gap + 0 * sizes, gap + sizes))
        along = tip - base
        along /= np.maximum(np.hypot(*along.T), 1e-9)[:, None]
        base = tip - along * sizes[:, None]
        side = along[:, ::-1] * [-0.42, 0.42] * sizes[:, None]
        self.arrows: Floats = np.stack([tip, base + side, tip + _NOTCH * (base - tip), base - side], axis=1)
        # A line ends inside its arrowhead, so that no gap can open between them.
        self.ends = _until(cubics, _share_at(ways, gap + _NOTCH * sizes - 1.0))


def _share_at(ways: Floats, distances: Floats) -> Floats:
    """Parameters 0..1 of cubics at distances from their ends, by those of evenly spaced points; shape (m,)."""
    rows = np.arange(len(ways))
    after = np.clip((ways < distances[:, None]).sum(axis=1), 1, ways.shape[1] - 1)
    before, there = ways[rows, after - 1], ways[rows, after]
    places = after - 1 + np.clip((distances - before) / np.maximum(there - before, 1e-9), 0.0, 1.0)
    shares: Floats = 1.0 - places / (ways.shape[1] - 1)
    return shares


def _at(cubics: Floats, shares: Floats) -> Floats:
    """The point of each cubic, shape (m, 4, 2), at its parameter."""
    points: Floats = np.einsum("mj,mjd->md", _basis(shares), cubics)
    return points


def _until(cubics: Floats, shares: Floats) -> Floats:
    """Cubics, shape (m, 4, 2), from their starts up to their parameters, as cubics: de Casteljau's algorithm."""
    rows, firsts = cubics, [cubics[:, 0]]
    while rows.shape[1] > 1:
        rows = rows[:, :-1] + shares[:, None, None] * np.diff(rows, axis=1)
        firsts.append(rows[:, 0])
    return np.stack(firsts, axis=1)


def lengths_along(points: Floats) -> Floats:
    """How far each point of a line is from its start, along it."""
    steps = np.hypot(*np.diff(points, axis=0).T)
    return np.concatenate([[0.0], np.cumsum(steps)])


def until(points: Floats, share: float) -> Floats:
    """A line from its start up to a share 0..1 of its length; at least two points."""
    along = lengths_along(points)
    end = share * along[-1]
    last = [np.interp(end, along, points[:, axis]) for axis in (0, 1)]
    return np.vstack([points[: max(int((along < end).sum()), 1)], last])


def points_at(points: Floats, shares: Floats) -> Floats:
    """The points at shares 0..1 of a line's length; shape (len(shares), 2)."""
    along = lengths_along(points)
    at = shares * along[-1]
    return np.column_stack([np.interp(at, along, points[:, 0]), np.interp(at, along, points[:, 1])])


def point_at(points: Floats, share: float) -> tuple[float, float]:
    """The point at a share 0..1 of a line's length."""
    x, y = points_at(points, np.array([share]))[0].tolist()
    return x, y


def spaced_alike(curves: Sequence[Floats], count: int) -> Floats:
    """Curves as lines of `count` points at equal distances; shape (m, count, 2)."""
    shares = np.linspace(0.0, 1.0, count)
    lines = [points_at(_sampled(curve[None], k := (len(curve) - 1) // 3, k * DENSE + 1)[0], shares) for curve in curves]
    return np.array(lines).reshape(-1, count, 2)
