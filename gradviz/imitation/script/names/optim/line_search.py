"""The search along a line that `LBFGS` does with line_search_fn="strong_wolfe".

Source: torch/optim/lbfgs.py, step by step, so that the closure is called as often and with the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.kernels.products import matmul
from gradviz.imitation.engine.kernels.square_root import sqrt

SUFFICIENT, CURVATURE, SMALLEST = 1e-4, 0.9, 1e-9


class Point(NamedTuple):
    """A place on the line.

    Attributes:
        t: how far along.
        loss: there.
        gradient: there, as one vector.
        slope: the gradient along the line.
    """

    t: Any
    loss: float
    gradient: Any
    slope: Any


def cubic_minimum(a: Point, b: Point, bounds: tuple[Any, Any] | None = None) -> Any:
    """Where the cubic through two points with their slopes is least, within bounds."""
    low, high = bounds if bounds is not None else (a.t, b.t) if a.t <= b.t else (b.t, a.t)
    d1 = a.slope + b.slope - _over(3 * (a.loss - b.loss), a.t - b.t)
    square = d1**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    d2 = sqrt(square)
    if a.t <= b.t:
        least = b.t - (b.t - a.t) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        least = a.t - (a.t - b.t) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return min(max(least, low), high)


def _over(number: float, x: Any) -> Any:
    """number / x; by a tensor PyTorch divides a number in two steps."""
    return number / x if isinstance(x, float | int) and not isinstance(x, np.generic) else 1 / x * number


class WolfeSearch:
    """One search.

    Attributes:
        start: the place where the line begins, with t = 0.
        longest: the largest number of the direction's.
        evaluations: how often the loss was asked for.
    """

    def __init__(self, look: Callable[[Any], tuple[float, Any]], start: Point, direction: Any, most: int) -> None:
        self.look = look
        self.start = start
        self.direction = direction
        self.longest = np.abs(direction).max()
        self.most = most
        self.evaluations = 0
        self.rounds = 0

    def _point(self, t: Any) -> Point:
        loss, gradient = self.look(t)
        self.evaluations += 1
        return Point(t, loss, gradient, matmul(gradient, self.direction))

    def _is_too_high(self, point: Point) -> bool:
        return bool(point.loss > self.start.loss + SUFFICIENT * point.t * self.start.slope)

    def _is_flat(self, point: Point) -> bool:
        return bool(abs(point.slope) <= -CURVATURE * self.start.slope)

    def run(self, t: Any) -> Point:
        """The place found, from a first guess."""
        found, is_done = self._bracket(t)
        if is_done:
            return found[0]
        return self._zoom(found)

    def _bracket(self, t: Any) -> tuple[list[Point], bool]:
        """Two places with one between them that fits, or one that fits itself."""
        before, now = self.start, self._point(t)
        while self.rounds < self.most:
            if self._is_too_high(now) or (self.rounds > 1 and now.loss >= before.loss):
                return [before, now], False
            if self._is_flat(now):
                return [now], True
            if now.slope >= 0:
                return [before, now], False
            bounds = (now.t + 0.01 * (now.t - before.t), now.t * 10)
            before, now = now, self._point(cubic_minimum(before, now, bounds))
            self.rounds += 1
        return [self.start, now], False

    def _zoom(self, ends: list[Point]) -> Point:
        low = 0 if ends[0].loss <= ends[1].loss else 1
        is_stuck = False
        while self.rounds < self.most:
            if abs(ends[1].t - ends[0].t) * self.longest < SMALLEST:
                break
            t, is_stuck = self._next(ends, is_stuck)
            point = self._point(t)
            self.rounds += 1
            if self._is_too_high(point) or point.loss >= ends[low].loss:
                ends[1 - low] = point
                low = 0 if ends[0].loss <= ends[1].loss else 1
                continue
            if self._is_flat(point):
                ends[low] = point
                break
            if point.slope * (ends[1 - low].t - ends[low].t) >= 0:
                ends[1 - low] = ends[low]
            ends[low] = point
        return ends[low]

    def _next(self, ends: list[Point], was_stuck: bool) -> tuple[Any, bool]:
        """The next place to look at, which keeps off the ends, and whether it was close to one."""
        t = cubic_minimum(ends[0], ends[1])
        first, last = (pick(end.t for end in ends) for pick in (min, max))
        room = 0.1 * (last - first)
        if not min(last - t, t - first) < room:
            return t, False
        if was_stuck or t >= last or t <= first:
            return (last - room if abs(t - last) < abs(t - first) else first + room), False
        return t, True
