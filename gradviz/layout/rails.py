"""The x of boxes, dummies and the borders of frames, kept in order and at their distances in every row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradviz.layout.frames import Sides
from gradviz.layout.place import means_of
from gradviz.layout.plan import NO_FRAME, Floats, Ints

if TYPE_CHECKING:
    from gradviz.layout.bands import Bands

NUDGES = 4
"""How often everything is moved to where it is wanted, from the left and from the right in turn."""

NEAR = 0.01
"""What is so near to where it is wanted stays, in scene units."""


class Rails:
    """What stands left of what, and how far at the least: vertices and the borders of frames.

    Args:
        links: (left, right, distance at the least).
        together: the vertex that stands for each one; those with the same have one place; shape (v,).
    """

    def __init__(
        self, bands: Bands, widths: Floats, sides: Sides, links: list[tuple[int, int, float]], together: Ints
    ) -> None:
        self._bands, self._widths, self._sides, self._together = bands, widths, sides, together
        count = bands.proper.vertices + 2 * len(bands.parents)
        one = [*together.tolist(), *range(bands.proper.vertices, count)]
        self._out: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        self._back: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        for tail, head, distance in links:
            self._out[one[tail]].append((one[head], distance))
            self._back[one[head]].append((one[tail], distance))
        self._order = _sorted(self._out)

    @property
    def is_sorted(self) -> bool:
        """Whether "left of" runs in no circle."""
        return len(self._order) == len(self._out)

    def wanted(self, x: Floats) -> list[float]:
        """Where vertices and borders would best be."""
        upright = means_of(x, self._together, np.ones(len(x)))
        borders = borders_of(self._bands, upright, self._widths, self._sides)
        wanted: list[float] = np.concatenate([upright, *borders]).tolist()
        return wanted

    def separated(self, wanted: list[float]) -> Floats:
        """The x of the vertices with every distance kept: the mean of pushing all right and pushing all left."""
        right, left = wanted.copy(), wanted.copy()
        for vertex in self._order:
            here = right[vertex]
            for head, distance in self._out[vertex]:
                right[head] = max(right[head], here + distance)
        for vertex in reversed(self._order):
            left[vertex] = min([left[vertex], *(left[head] - distance for head, distance in self._out[vertex])])
        middle: Floats = (np.array(right) + np.array(left)) / 2
        return middle[self._together]

    def nudged(self, x: Floats, towards: Floats) -> Floats:
        """From places that keep every distance: each vertex moved to another x as far as what is beside it allows."""
        places, wanted = self.wanted(x), self.wanted(towards)
        for sweep in range(NUDGES):
            is_at_rest = True
            for vertex in reversed(self._order) if sweep % 2 else self._order:
                here, wish = places[vertex], wanted[vertex]
                if abs(wish - here) < NEAR:
                    continue
                low = max([places[tail] + distance for tail, distance in self._back[vertex]], default=-np.inf)
                high = min([places[head] - distance for head, distance in self._out[vertex]], default=np.inf)
                places[vertex] = min(max(wish, low), high)
                is_at_rest = is_at_rest and abs(places[vertex] - here) < NEAR
            if is_at_rest:
                break
        return np.array(places)[self._together]


def borders_of(bands: Bands, x: Floats, widths: Floats, sides: Sides) -> tuple[Floats, Floats]:
    """Left and right border of every frame around vertices of these places and widths; each of shape (k,)."""
    count, framed = len(bands.parents), bands.framed
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    inside = framed != NO_FRAME
    np.minimum.at(low, framed[inside], (x - widths / 2)[inside])
    np.maximum.at(high, framed[inside], (x + widths / 2)[inside])
    for frame in range(count - 1, -1, -1):
        low[frame] -= sides[0]
        high[frame] += sides[2]
        parent = bands.parents[frame]
        if parent != NO_FRAME:
            low[parent], high[parent] = min(low[parent], low[frame]), max(high[parent], high[frame])
    return low, high


def _sorted(out: list[list[tuple[int, float]]]) -> list[int]:
    """Everything from left to right: nothing before what it must stand right of."""
    waiting = [0] * len(out)
    for links in out:
        for head, _ in links:
            waiting[head] += 1
    order = [vertex for vertex, count in enumerate(waiting) if not count]
    for vertex in order:
        for head, _ in out[vertex]:
            waiting[head] -= 1
            if not waiting[head]:
                order.append(head)
    return order
