"""Softmax and its logarithm: each is one node."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine import generic as F
from gradviz.imitation.engine.generic import plain
from gradviz.imitation.engine.kernels import summation
from gradviz.imitation.engine.kernels.softmax import log_softmax, log_softmax_backward, softmax, softmax_backward
from gradviz.imitation.engine.rules.calling import call, shared_out
from gradviz.imitation.engine.rules.entry import Op, case, saves

GRID = [[1.0, -2.0, 0.5], [0.5, 1.0, -1.0]]


def total(x: Any, dim: int) -> Any:
    """The sum along dim, which is kept."""
    return x if plain(x).ndim == 0 and not isinstance(x, F.Tensor) else F.sum(x, dim, True)


def softmax_rule(g: Any, y: Any, x: Any, dim: int) -> Any:
    """y · (g − Σ g y)."""
    if isinstance(g, F.Tensor):
        return call("softmax_backward_data", g, y, dim=dim)
    return softmax_backward(g, y, dim)


def log_softmax_rule(g: Any, y: Any, x: Any, dim: int) -> Any:
    """g − exp(y) Σ g."""
    if isinstance(g, F.Tensor):
        return call("log_softmax_backward_data", g, y, dim=dim)
    return log_softmax_backward(g, y, dim)


TABLE = (
    Op("softmax", "softmax", softmax, (softmax_rule,), ("x",),
       ("y * (g - sum(g * y, dim, True))",), "y = eˣ / Σ eˣ", (case(GRID, dim=1), case(GRID, dim=0)),
       "SoftmaxBackward0", saves("y")),
    Op("log_softmax", "log softmax", log_softmax, (log_softmax_rule,), ("x",),
       ("g - exp(y) * sum(g, dim, True)",), "y = x − ln Σ eˣ", (case(GRID, dim=1), case(GRID, dim=0)),
       "LogSoftmaxBackward0", saves("y")),
    Op("mse_loss", "mse", lambda x, target, reduction: _reduced((x - target) ** 2, reduction),
       (lambda g, y, x, target, reduction: mse_rule(g, x, target, reduction),
        lambda g, y, x, target, reduction: mse_rule(g, target, x, reduction)), ("x", "target"),
       ("g * 2 * (x - target) / n", "g * 2 * (target - x) / n"), "y = mean (x − target)²",
       (case([1.0, 2.0, -0.5], [0.5, 2.5, 1.0], reduction="mean"),), "MseLossBackward0", saves("x target")),
)  # fmt: skip


def _reduced(x: Any, reduction: str) -> Any:
    if reduction == "none":
        return x
    return summation.total(x) / x.dtype.type(x.size) if reduction == "mean" else summation.total(x)


def mse_rule(g: Any, x: Any, target: Any, reduction: str) -> Any:
    """dL/dx of the squared error; for the target the two change places."""
    if isinstance(g, F.Tensor):
        return call("mse_loss_backward", g, x, target, reduction=reduction)
    z = x - target
    return z * (shared_out(2, z) if reduction == "mean" else 2) * g
