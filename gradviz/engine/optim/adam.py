"""Adam (Kingma and Ba, 2015), with AMSGrad (Reddi, Kale and Kumar, 2018), and AdamW (Loshchilov and Hutter, 2019)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from gradviz.engine.optim.optimizer import GradientDescent, Group, Memory
from gradviz.ops.op import Array


class Adam(GradientDescent):
    """x <- x - lr · m̂ / (√v̂ + eps), with running means m of g and v of g², freed from their start at 0.

    Args:
        params: tensors, or groups of them.
        lr: the learning rate.
        betas: how much of m and of v stays at each step.
        eps: keeps the quotient finite.
        weight_decay: adds weight_decay · x to the gradient; with `decoupled_weight_decay` it shrinks x instead.
        amsgrad: divide by the largest v so far.
        maximize: climb instead of descend.

    Raises:
        ValueError: an option that makes no sense.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "amsgrad": amsgrad,
            "maximize": maximize, "foreach": foreach, "capturable": capturable, "differentiable": differentiable,
            "fused": fused, "decoupled_weight_decay": decoupled_weight_decay,
        }  # fmt: skip
        super().__init__(params, defaults)

    def move(self, x: Array, g: Array, memory: Memory, group: Group) -> Any:
        """The parameter after one step; see `GradientDescent.move`."""
        lr, decay = float(group["lr"]), group["weight_decay"]
        keep_first, keep_second = map(float, group["betas"])
        gradient: Any = g
        start: Any = x
        if decay and group["decoupled_weight_decay"]:
            start = (1 - lr * decay) * start
        elif decay:
            gradient = gradient + decay * start
        t = memory.count_step()
        zeros = np.zeros_like(x)
        first = memory.keep("exp_avg", keep_first * memory.read("exp_avg", zeros) + (1 - keep_first) * gradient)
        second = memory.keep(
            "exp_avg_sq", keep_second * memory.read("exp_avg_sq", zeros) + (1 - keep_second) * gradient * gradient
        )
        if group["amsgrad"]:
            second = memory.keep("max_exp_avg_sq", np.maximum(memory.read("max_exp_avg_sq", zeros), second))
        root = np.sqrt(second) / math.sqrt(1 - keep_second**t) + group["eps"]
        return start - lr / (1 - keep_first**t) * first / root


class AdamW(Adam):
    """Adam whose weight decay shrinks the parameters themselves, apart from the gradient; see `Adam`."""

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay=True, **options)
