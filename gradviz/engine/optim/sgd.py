"""Stochastic gradient descent with momentum (Polyak, 1964; Nesterov, 1983; Sutskever and others, 2013)."""

from __future__ import annotations

from typing import Any

from gradviz.engine.optim.optimizer import GradientDescent, Group, Memory
from gradviz.ops.op import Array


class SGD(GradientDescent):
    """x <- x - lr · v, with the velocity v <- momentum · v + (1 - dampening) · g, which is g at the first step.

    Args:
        params: tensors, or groups of them.
        lr: the learning rate.
        momentum: how much of the velocity stays; without it v = g.
        dampening: how much of each gradient is lost on the way into the velocity.
        weight_decay: adds weight_decay · x to the gradient.
        nesterov: step along g + momentum · v.
        maximize: climb instead of descend.

    Raises:
        ValueError: an option that makes no sense.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay,
            "nesterov": nesterov, "maximize": maximize, "foreach": foreach, "differentiable": differentiable,
            "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)

    def move(self, x: Array, g: Array, memory: Memory, group: Group) -> Any:
        """The parameter after one step; see `GradientDescent.move`."""
        direction: Any = g
        if decay := group["weight_decay"]:
            direction = direction + decay * x
        if momentum := group["momentum"]:
            velocity = memory.read("momentum_buffer", None)
            velocity = direction if velocity is None else momentum * velocity + (1 - group["dampening"]) * direction
            memory.keep("momentum_buffer", velocity)
            direction = direction + momentum * velocity if group["nesterov"] else velocity
        return x - float(group["lr"]) * direction
