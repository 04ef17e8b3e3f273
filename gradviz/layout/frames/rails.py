"""The x of boxes, dummies and the borders of frames, kept in order and at their distances in every row."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradviz.layout.frames.inlets import Pads
from gradviz.layout.frames.nesting import Nesting
from gradviz.layout.layered.place import means_of
from gradviz.layout.plan import NO_FRAME, Floats, Ints

NUDGES = 4
"""How often everything is moved to where it is wanted, from the left and from the right in turn."""

NEAR = 0.01
"""What is so near to where it is wanted stays, in scene units."""

NONE = -1
"""In place of a neighbour where there is none: the last of some places."""


class _Level(NamedTuple):
    """What stands beside one another nowhere, and so can be moved at once.

    Attributes:
        which: vertices and borders; shape (n,).
        left, right: what stands left and right of them, and how far at the least.
    """

    which: Ints
    left: _Beside
    right: _Beside


class _Beside(NamedTuple):
    """Neighbours on one side of some vertices, those of each in a row, `NONE` of them last.

    Attributes:
        others, distances: the neighbours, and how far they are at the least; shape (l,).
        starts: where those of each vertex begin; shape (n,).
    """

    others: Ints
    distances: Floats
    starts: Ints


class Rails:
    """What stands left of what, and how far at the least: vertices and the borders of frames.

    Args:
        links: (left, right, distance at the least).
        together: the vertex that stands for each one; those with the same have one place; shape (v,).
    """

    def __init__(
        self, bands: Nesting, widths: Floats, pads: Pads, links: list[tuple[int, int, float]], together: Ints
    ) -> None:
        self._bands, self._widths, self._pads, self._together = bands, widths, pads, together
        self._count = bands.proper.vertices + 2 * len(bands.parents)
        one = np.concatenate([together, np.arange(bands.proper.vertices, self._count)])
        table = np.array(links, dtype=np.float64).reshape(-1, 3)
        ends: Ints = one[table[:, :2].astype(np.int64)]
        self._levels = _levels_of(ends, table[:, 2], self._count)

    @property
    def is_sorted(self) -> bool:
        """Whether "left of" runs in no circle."""
        return sum(len(level.which) for level in self._levels) == self._count

    def wanted(self, x: Floats) -> Floats:
        """Where vertices and borders would best be."""
        upright = means_of(x, self._together, np.ones(len(x)))
        borders = borders_of(self._bands, upright, self._widths, self._pads)
        return np.concatenate([upright, *borders])

    def separated(self, wanted: Floats) -> Floats:
        """The x of the vertices with every distance kept: the mean of pushing all right and pushing all left."""
        right, left = np.append(wanted, -np.inf), np.append(wanted, np.inf)
        for level in self._levels:
            right[level.which] = np.maximum(right[level.which], _least(right, level.left))
        for level in reversed(self._levels):
            left[level.which] = np.minimum(left[level.which], _most(left, level.right))
        middle: Floats = (right[:NONE] + left[:NONE]) / 2
        return middle[self._together]

    def nudged(self, x: Floats, towards: Floats) -> Floats:
        """From places that keep every distance: each vertex moved to another x as far as what is beside it allows."""
        places, wanted = np.append(self.wanted(x), 0.0), self.wanted(towards)
        for sweep in range(NUDGES):
            is_at_rest = True
            for level in reversed(self._levels) if sweep % 2 else self._levels:
                here, wish = places[level.which], wanted[level.which]
                places[NONE] = -np.inf
                low = _least(places, level.left)
                places[NONE] = np.inf
                there = np.minimum(np.maximum(wish, low), _most(places, level.right))
                is_moved = (np.abs(wish - here) >= NEAR) & (there != here)
                places[level.which] = np.where(is_moved, there, here)
                is_at_rest = is_at_rest and not (np.abs(there - here)[is_moved] >= NEAR).any()
            if is_at_rest:
                break
        return places[self._together]


def _least(places: Floats, left: _Beside) -> Floats:
    """How far left some vertices may be for what is left of them; `places[NONE]` is minus infinity."""
    least: Floats = np.maximum.reduceat(places[left.others] + left.distances, left.starts)
    return least


def _most(places: Floats, right: _Beside) -> Floats:
    """How far right some vertices may be for what is right of them; `places[NONE]` is infinity."""
    most: Floats = np.minimum.reduceat(places[right.others] - right.distances, right.starts)
    return most


def borders_of(bands: Nesting, x: Floats, widths: Floats, pads: Pads) -> tuple[Floats, Floats]:
    """Left and right border of every frame around vertices of these places and widths; each of shape (k,).

    Args:
        pads: room in each frame left and right of what it holds; each of shape (k,).
    """
    low, high = (np.full(len(bands.parents) + 1, far) for far in (np.inf, -np.inf))  # the last for no frame
    np.minimum.at(low, bands.held, x - widths / 2)
    np.maximum.at(high, bands.held, x + widths / 2)
    for frames, around in bands.generations:
        low[frames] -= pads[0][frames]
        high[frames] += pads[1][frames]
        np.minimum.at(low, around, low[frames])
        np.maximum.at(high, around, high[frames])
    return low[:NO_FRAME], high[:NO_FRAME]


def _levels_of(ends: Ints, distances: Floats, count: int) -> list[_Level]:
    """Everything from left to right, nothing before what it must stand right of; what is in a circle is not there.

    Args:
        ends: what stands left and right of each link; shape (l, 2).
        distances: the least of each link; shape (l,).
    """
    left, right = _neighbours(ends[:, ::-1], distances, count), _neighbours(ends, distances, count)
    waiting = np.bincount(ends[:, 1], minlength=count)
    which, levels = np.flatnonzero(waiting == 0), []
    while len(which):
        level = _Level(which, _some(left, which), _some(right, which))
        levels.append(level)
        after = level.right.others[level.right.others != NONE]
        waiting -= np.bincount(after, minlength=count)
        which = np.unique(after[waiting[after] == 0])
    return levels


def _neighbours(links: Ints, distances: Floats, count: int) -> _Beside:
    """What everything has on one side; `starts` has its end as well.

    Args:
        links: whose neighbour it is, and the neighbour; shape (l, 2).
    """
    of = np.append(links[:, 0], np.arange(count))
    order = np.argsort(of, kind="stable")
    others, distances = np.append(links[:, 1], np.full(count, NONE)), np.append(distances, np.zeros(count))
    return _Beside(others[order], distances[order], np.append(0, np.cumsum(np.bincount(of))))


def _some(beside: _Beside, which: Ints) -> _Beside:
    """The neighbours of some vertices."""
    counts = beside.starts[which + 1] - beside.starts[which]
    ends = np.cumsum(counts)
    rows = np.arange(int(ends[-1])) + np.repeat(beside.starts[which] - ends + counts, counts)
    return _Beside(beside.others[rows], beside.distances[rows], ends - counts)
