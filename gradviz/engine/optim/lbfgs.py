"""Limited-memory BFGS (Nocedal, 1980), with a line search for the strong Wolfe conditions.

Equation and algorithm numbers are those of Nocedal and Wright, Numerical Optimization, second edition (2006).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from gradviz.engine.optim.optimizer import Closure, Optimizer, check_rate, evaluate
from gradviz.engine.tensor import Tensor, current
from gradviz.engine.views import replace

Vector = npt.NDArray[Any]

SUFFICIENT_DECREASE = 1e-4
"""c1 of the strong Wolfe conditions (3.7)."""
CURVATURE = 0.9
"""c2 of the strong Wolfe conditions (3.7)."""
LEAST_CURVATURE = 1e-10
"""A pair whose product y·s is not above this would spoil the approximation, and is left out."""
SEARCH_EVALUATIONS = 25


class Point(NamedTuple):
    """A point on the line that is searched: at `t`, with the loss, its slope along the line, and its gradient."""

    t: float
    loss: float
    slope: float
    gradient: Vector


class History:
    """What L-BFGS knows of the curvature: the last steps s, and y, how the gradient changed over each."""

    def __init__(self, size: int) -> None:
        self.pairs: deque[tuple[Vector, Vector]] = deque(maxlen=size)

    def add(self, s: Vector, y: Vector) -> None:
        """Learn from one step, where the curvature along it is positive."""
        if y @ s > LEAST_CURVATURE:
            self.pairs.append((s, y))

    def direction(self, gradient: Vector) -> Vector:
        """-H · gradient, with H the approximation of the inverse Hessian (algorithm 7.4, the two-loop recursion)."""
        q = -gradient
        weights = []
        for s, y in reversed(self.pairs):
            weight = (s @ q) / (y @ s)
            weights.append(weight)
            q = q - weight * y
        if self.pairs:
            s, y = self.pairs[-1]
            q = q * ((s @ y) / (y @ y))  # (7.20)
        for (s, y), weight in zip(self.pairs, reversed(weights), strict=True):
            q = q + s * (weight - (y @ q) / (y @ s))
        return q


class LBFGS(Optimizer):
    """x <- x - lr · H · g, with H the inverse Hessian as the last steps suggest it. A step calls the closure often.

    Args:
        params: tensors, in one group.
        lr: the step length; with a line search, the one that is tried first.
        max_iter: iterations in one step, and `max_eval`, calls of the closure; 1.25 · max_iter where it is None.
        tolerance_grad: no number of the gradient above this ends a step.
        tolerance_change: so little change of loss or parameters ends a step.
        history_size: how many iterations H remembers.
        line_search_fn: "strong_wolfe", or None for steps of length lr.

    Raises:
        ValueError: several groups, or a learning rate below 0.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        check_rate(lr)
        defaults = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def step(self, closure: Closure) -> Any:  # type: ignore[override]  # the closure is needed
        """Run up to `max_iter` iterations.

        Args:
            closure: computes the loss anew, with its gradients.

        Returns:
            The loss at the beginning.

        Raises:
            RuntimeError: a line search that does not exist.
        """
        group = self.param_groups[0]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        memory = self.state[self._params[0]]
        memory.setdefault("func_evals", 0)
        memory.setdefault("n_iter", 0)
        history: History = memory.setdefault("history", History(group["history_size"]))

        first_loss = evaluate(closure)
        loss, gradient = _number(first_loss), self._gradient()
        evaluations = 1
        for iteration in range(1, group["max_iter"] + 1):
            if np.abs(gradient).max() <= group["tolerance_grad"]:
                break
            memory["n_iter"] += 1
            if "gradient" in memory:
                history.add(memory["step"], gradient - memory["gradient"])
            direction = history.direction(gradient)
            slope = float(gradient @ direction)
            if slope > -group["tolerance_change"]:
                break
            # Nothing is known of the scale yet: the first step changes all numbers together by lr at most.
            t = float(group["lr"]) * (min(1.0, 1.0 / float(np.abs(gradient).sum())) if memory["n_iter"] == 1 else 1.0)
            memory["gradient"], previous_loss = gradient, loss
            if group["line_search_fn"]:
                line = _Line(self, closure, direction)
                found = search_strong_wolfe(
                    line.evaluate, Point(0.0, loss, slope, gradient), t,
                    least_change=group["tolerance_change"] / max(float(np.abs(direction).max()), 1e-30),
                )  # fmt: skip
                line.move_to(found.t)
                t, loss, gradient = found.t, found.loss, found.gradient
                evaluations += line.evaluations
            else:
                self._move(t * direction)
                if iteration < group["max_iter"]:
                    loss, gradient = _number(evaluate(closure)), self._gradient()
                    evaluations += 1
            memory["step"] = t * direction
            if evaluations >= group["max_eval"]:
                break
            least = group["tolerance_change"]
            if np.abs(memory["step"]).max() <= least or abs(loss - previous_loss) < least:
                break
        memory["func_evals"] += evaluations
        return first_loss

    def _gradient(self) -> Vector:
        """All gradients in a row; zeros where there is none."""
        parts = [
            np.zeros(current(param).array.size, current(param).array.dtype)
            if param.grad is None
            else np.ravel(current(param.grad).array)
            for param in self._params
        ]
        return np.concatenate(parts)

    def _move(self, change: Vector) -> None:
        """Add a change, all parameters in a row, to the parameters."""
        start = 0
        for param in self._params:
            array = current(param).array
            part = change[start : start + array.size].reshape(array.shape)
            replace(param, (array + part).astype(array.dtype)[()])
            start += array.size


class _Line:
    """The loss along a direction from where the parameters stand."""

    def __init__(self, optimizer: LBFGS, closure: Closure, direction: Vector) -> None:
        self._optimizer = optimizer
        self._closure = closure
        self._direction = direction
        self._starts = [current(param).array for param in optimizer._params]
        self.evaluations = 0

    def move_to(self, t: float) -> None:
        """Let the parameters stand at t."""
        for param, start in zip(self._optimizer._params, self._starts, strict=True):
            replace(param, start)
        self._optimizer._move(t * self._direction)

    def evaluate(self, t: float) -> Point:
        """The point at t."""
        self.move_to(t)
        self.evaluations += 1
        loss = _number(evaluate(self._closure))
        gradient = self._optimizer._gradient()
        return Point(t, loss, float(gradient @ self._direction), gradient)


def search_strong_wolfe(
    evaluate_at: Callable[[float], Point], start: Point, t: float, least_change: float = 1e-9
) -> Point:
    """A point on a line that fulfils the strong Wolfe conditions (algorithm 3.5), or the best one found.

    Args:
        evaluate_at: gives the point at t; called 25 times at most.
        start: the point at 0, where the loss falls.
        t: what is tried first.
        least_change: an interval shorter than this is not searched further.
    """
    before = start
    for count in range(1, SEARCH_EVALUATIONS + 1):
        here = evaluate_at(t)
        remaining = SEARCH_EVALUATIONS - count
        if not _decreases(here, start) or (count > 1 and here.loss >= before.loss):
            return _zoom(evaluate_at, start, before, here, remaining, least_change)
        if abs(here.slope) <= -CURVATURE * start.slope:
            return here
        if here.slope >= 0:
            return _zoom(evaluate_at, start, here, before, remaining, least_change)
        before, t = here, 2 * t
    return before


def _zoom(
    evaluate_at: Callable[[float], Point], start: Point, low: Point, high: Point, remaining: int, least_change: float
) -> Point:
    """A point between two (algorithm 3.6); `low` is the one with the smaller loss, where it decreases sufficiently."""
    for _ in range(remaining):
        if abs(high.t - low.t) <= least_change:
            break
        here = evaluate_at(_between(low, high))
        if not _decreases(here, start) or here.loss >= low.loss:
            high = here
            continue
        if abs(here.slope) <= -CURVATURE * start.slope:
            return here
        if here.slope * (high.t - low.t) >= 0:
            high = low
        low = here
    return low


def _decreases(point: Point, start: Point) -> bool:
    """Whether the loss is sufficiently smaller (3.6a); not where it is NaN."""
    return point.loss <= start.loss + SUFFICIENT_DECREASE * point.t * start.slope


def _between(a: Point, b: Point) -> float:
    """Where the cubic through two points with their slopes is least (3.59), kept away from both ends."""
    middle = (a.t + b.t) / 2
    if not (math.isfinite(b.loss) and math.isfinite(b.slope)):
        return middle
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = d1 * d1 - a.slope * b.slope
    if square < 0:
        return middle
    d2 = math.copysign(math.sqrt(square), b.t - a.t)
    divisor = b.slope - a.slope + 2 * d2
    if divisor == 0:
        return middle
    t = b.t - (b.t - a.t) * (b.slope + d2 - d1) / divisor
    margin = 0.1 * abs(b.t - a.t)
    least, most = min(a.t, b.t) + margin, max(a.t, b.t) - margin
    return min(max(t, least), most) if math.isfinite(t) else middle


def _number(loss: Any) -> float:
    """What a closure gave, as Python's number."""
    return float(loss.item() if isinstance(loss, Tensor) else loss)
