"""Learning rates of their own for each number: Adagrad (Duchi and others, 2011), RMSprop (Tieleman and Hinton, 2012;
Graves, 2013, for the centered form) and Adadelta (Zeiler, 2012)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.optim.optimizer import GradientDescent, Group, Memory, check
from gradviz.engine.tensor import constant, current
from gradviz.ops.op import Array


def _decayed(x: Array, g: Array, group: Group) -> Any:
    """The gradient with that of the weight decay, weight_decay · x."""
    return g if not group["weight_decay"] else group["weight_decay"] * x + g


class Adagrad(GradientDescent):
    """x <- x - lr / (1 + (t - 1) · lr_decay) · g / (√s + eps), with s the sum of all g² so far.

    Args:
        params: tensors, or groups of them.
        lr: the learning rate at the first step, and `lr_decay`, how fast it falls.
        weight_decay: adds weight_decay · x to the gradient.
        initial_accumulator_value: what s begins with.
        eps: keeps the quotient finite.
        maximize: climb instead of descend.

    Raises:
        ValueError: an option that makes no sense.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        defaults = {
            "lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable, "fused": fused,
        }  # fmt: skip
        super().__init__(params, defaults)
        for group in self.param_groups:
            for param in group["params"]:
                start = np.full_like(current(param).array, group["initial_accumulator_value"])
                self.state[param] = {"step": constant(np.float32(0)), "sum": constant(start[()])}

    def move(self, x: Array, g: Array, memory: Memory, group: Group) -> Any:
        """The parameter after one step; see `GradientDescent.move`."""
        gradient = _decayed(x, g, group)
        rate = float(group["lr"]) / (1 + (memory.count_step() - 1) * group["lr_decay"])
        total = memory.keep("sum", memory.read("sum") + gradient * gradient)
        return x - rate * gradient / (np.sqrt(total) + group["eps"])


class RMSprop(GradientDescent):
    """x <- x - lr · g / (√s + eps), with s a running mean of g²; centered, s less the square of a mean of g.

    Args:
        params: tensors, or groups of them.
        lr: the learning rate.
        alpha: how much of the mean stays at each step.
        eps: keeps the quotient finite.
        weight_decay: adds weight_decay · x to the gradient.
        momentum: how much of the step before stays in this one.
        centered: divide by the standard deviation of the gradient.
        maximize: climb instead of descend.

    Raises:
        ValueError: an option that makes no sense.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        defaults = {
            "lr": lr, "momentum": momentum, "alpha": alpha, "eps": eps, "centered": centered,
            "weight_decay": weight_decay, "capturable": capturable, "foreach": foreach, "maximize": maximize,
            "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def move(self, x: Array, g: Array, memory: Memory, group: Group) -> Any:
        """The parameter after one step; see `GradientDescent.move`."""
        gradient, alpha = _decayed(x, g, group), group["alpha"]
        zeros = np.zeros_like(x)
        memory.count_step()
        spread = memory.keep("square_avg", alpha * memory.read("square_avg", zeros) + (1 - alpha) * gradient * gradient)
        if group["centered"]:
            mean = memory.keep("grad_avg", alpha * memory.read("grad_avg", zeros) + (1 - alpha) * gradient)
            spread = spread - mean * mean
        step = gradient / (np.sqrt(spread) + group["eps"])
        if group["momentum"]:
            step = memory.keep("momentum_buffer", group["momentum"] * memory.read("momentum_buffer", zeros) + step)
        return x - float(group["lr"]) * step


class Adadelta(GradientDescent):
    """x <- x - lr · d, with d = g · √(u + eps) / √(s + eps) and running means s of g² and u of d².

    Args:
        params: tensors, or groups of them.
        lr: scales the step.
        rho: how much of the means stays at each step.
        eps: keeps the quotient finite, and gets the first step going.
        weight_decay: adds weight_decay · x to the gradient.
        maximize: climb instead of descend.

    Raises:
        ValueError: an option that makes no sense.
    """

    def __init__(
        self,
        params: Any,
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check("rho value", rho, rho <= 1)
        defaults = {
            "lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize,
            "capturable": capturable, "foreach": foreach, "differentiable": differentiable,
        }  # fmt: skip
        super().__init__(params, defaults)

    def move(self, x: Array, g: Array, memory: Memory, group: Group) -> Any:
        """The parameter after one step; see `GradientDescent.move`."""
        gradient, rho, eps = _decayed(x, g, group), group["rho"], group["eps"]
        zeros = np.zeros_like(x)
        memory.count_step()
        spread = memory.keep("square_avg", rho * memory.read("square_avg", zeros) + (1 - rho) * gradient * gradient)
        moved = memory.read("acc_delta", zeros)
        step = gradient * np.sqrt(moved + eps) / np.sqrt(spread + eps)
        memory.keep("acc_delta", rho * moved + (1 - rho) * step * step)
        return x - float(group["lr"]) * step
