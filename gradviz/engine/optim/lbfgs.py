"""Limited-memory BFGS (Nocedal, 1980).

Equation and algorithm numbers are those of Nocedal and Wright, Numerical Optimization, second edition (2006).
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

from gradviz.engine.errors import refuse_options
from gradviz.engine.optim.optimizer import Closure, Optimizer, check_rate, evaluate
from gradviz.engine.tensor import Tensor, current
from gradviz.engine.views import replace

Vector = npt.NDArray[Any]

LEAST_CURVATURE = 1e-10
"""A pair whose product y·s is not above this would spoil the approximation, and is left out."""


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
        lr: the step length.
        max_iter: iterations in one step, and `max_eval`, calls of the closure; 1.25 · max_iter where it is None.
        tolerance_grad: no number of the gradient above this ends a step.
        tolerance_change: so little change of loss or parameters ends a step.
        history_size: how many iterations H remembers.

    Raises:
        Beyond: a line search.
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
        **others: Any,
    ) -> None:
        refuse_options("optim.LBFGS", others, "line_search_fn")
        check_rate(lr)
        defaults = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": None,
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
        """
        group = self.param_groups[0]
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


def _number(loss: Any) -> float:
    """What a closure gave, as Python's number."""
    return float(loss.item() if isinstance(loss, Tensor) else loss)
