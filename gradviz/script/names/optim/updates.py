"""One step of one parameter, for every optimizer: the arithmetic in PyTorch's order, so that digits agree.

Each function takes the options of the group, the parameter's state (arrays by PyTorch's names, empty at first), the
parameter and its gradient as arrays, and returns the new parameter; it changes the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.script.names.optim.arithmetic import addcdiv, addcmul, fused, lerp, scaled

Options = dict[str, Any]
State = dict[str, Any]
Update = Callable[[Options, State, Any, Any], Any]


def _start(state: State, p: Any, *names: str) -> float:
    """Fill an empty state with a step count and zeros; returns the number of this step."""
    if "step" not in state:
        state["step"] = np.float32(0.0)
        state |= {name: np.zeros_like(p) for name in names}
    state["step"] = state["step"] + np.float32(1.0)
    return float(state["step"])


def _decayed(options: Options, p: Any, g: Any) -> Any:
    return fused(g, p, options["weight_decay"]) if options["weight_decay"] != 0 else g


def sgd(options: Options, state: State, p: Any, g: Any) -> Any:
    g, momentum = _decayed(options, p, g), options["momentum"]
    if momentum != 0:
        if state.get("momentum_buffer") is None:
            buffer = state["momentum_buffer"] = np.array(g)
        else:
            buffer = fused(scaled(state["momentum_buffer"], momentum), g, 1 - options["dampening"])
            state["momentum_buffer"] = buffer
        g = fused(g, buffer, momentum) if options["nesterov"] else buffer
    return fused(p, g, -options["lr"])


def adam(options: Options, state: State, p: Any, g: Any) -> Any:
    step, lr, (beta1, beta2) = _start(state, p, "exp_avg", "exp_avg_sq"), options["lr"], options["betas"]
    if options["weight_decay"] != 0 and options["decoupled_weight_decay"]:
        p = scaled(p, 1 - lr * options["weight_decay"])
    else:
        g = _decayed(options, p, g)
    first = state["exp_avg"] = lerp(state["exp_avg"], g, 1 - beta1)
    second = state["exp_avg_sq"] = addcmul(scaled(state["exp_avg_sq"], beta2), g, g, 1 - beta2)
    if options["amsgrad"]:
        second = state["max_exp_avg_sq"] = np.maximum(state.get("max_exp_avg_sq", 0 * second), second)
    kind = p.dtype.type
    below = np.sqrt(second) / kind((1 - beta2**step) ** 0.5) + kind(options["eps"])
    return addcdiv(p, first, below, -(lr / (1 - beta1**step)))


def rmsprop(options: Options, state: State, p: Any, g: Any) -> Any:
    _start(state, p, "square_avg")
    g, alpha, kind = _decayed(options, p, g), options["alpha"], p.dtype.type
    average = state["square_avg"] = addcmul(scaled(state["square_avg"], alpha), g, g, 1 - alpha)
    if options["centered"]:
        mean = state["grad_avg"] = lerp(state.get("grad_avg", np.zeros_like(p)), g, 1 - alpha)
        average = addcmul(average, mean, mean, -1)
    below = np.sqrt(average) + kind(options["eps"])
    if options["momentum"] > 0:
        before = state.get("momentum_buffer", np.zeros_like(p))
        buffer = state["momentum_buffer"] = addcdiv(scaled(before, options["momentum"]), g, below)
        return fused(p, buffer, -options["lr"])
    return addcdiv(p, g, below, -options["lr"])


def adagrad(options: Options, state: State, p: Any, g: Any) -> Any:
    if "sum" not in state:
        state |= {"step": np.float32(0.0), "sum": np.full_like(p, options["initial_accumulator_value"])}
    step, g = _start(state, p), _decayed(options, p, g)
    total = state["sum"] = addcmul(state["sum"], g, g, 1)
    return addcdiv(
        p, g, np.sqrt(total) + p.dtype.type(options["eps"]), -options["lr"] / (1 + (step - 1) * options["lr_decay"])
    )


def adadelta(options: Options, state: State, p: Any, g: Any) -> Any:
    _start(state, p, "square_avg", "acc_delta")
    g, rho, eps = _decayed(options, p, g), options["rho"], p.dtype.type(options["eps"])
    average = state["square_avg"] = addcmul(scaled(state["square_avg"], rho), g, g, 1 - rho)
    delta = np.sqrt(state["acc_delta"] + eps) / np.sqrt(average + eps) * g
    state["acc_delta"] = addcmul(scaled(state["acc_delta"], rho), delta, delta, 1 - rho)
    return fused(p, delta, -options["lr"])


def adamax(options: Options, state: State, p: Any, g: Any) -> Any:
    step, (beta1, beta2) = _start(state, p, "exp_avg", "exp_inf"), options["betas"]
    g = _decayed(options, p, g)
    first = state["exp_avg"] = lerp(state["exp_avg"], g, 1 - beta1)
    largest = np.maximum(scaled(state["exp_inf"], beta2), np.abs(g) + p.dtype.type(options["eps"]))
    state["exp_inf"] = largest
    return addcdiv(p, first, largest, -(options["lr"] / (1 - beta1**step)))


def nadam(options: Options, state: State, p: Any, g: Any) -> Any:
    if "step" not in state:
        state |= {"step": np.float32(0.0), "mu_product": np.float32(1.0)}
        state |= {"exp_avg": np.zeros_like(p), "exp_avg_sq": np.zeros_like(p)}
    step, lr, (beta1, beta2), kind = _start(state, p), options["lr"], options["betas"], p.dtype.type
    if options["weight_decay"] != 0 and options["decoupled_weight_decay"]:
        p = scaled(p, 1 - lr * options["weight_decay"])
    else:
        g = _decayed(options, p, g)
    mu, after = (beta1 * (1.0 - 0.5 * (0.96 ** (n * options["momentum_decay"]))) for n in (step, step + 1))
    state["mu_product"] = state["mu_product"] * np.float32(mu)
    product = float(state["mu_product"])
    first = state["exp_avg"] = lerp(state["exp_avg"], g, 1 - beta1)
    second = state["exp_avg_sq"] = addcmul(scaled(state["exp_avg_sq"], beta2), g, g, 1 - beta2)
    below = np.sqrt(second / kind(1 - beta2**step)) + kind(options["eps"])
    p = addcdiv(p, g, below, -lr * (1.0 - mu) / (1.0 - product))
    return addcdiv(p, first, below, (-lr * after) / (1.0 - product * after))


@dataclass(frozen=True)
class Kind:
    """One optimizer.

    Attributes:
        update: its step.
        arguments: of `__init__` after params, with their defaults, in PyTorch's order.
        module: where PyTorch keeps it.
    """

    update: Update
    arguments: str
    module: str


REST = "maximize=False, foreach=None, capturable=False, differentiable=False"
BETAS = "betas=(0.9, 0.999), eps=1e-08"
KINDS: dict[str, Kind] = {
    "SGD": Kind(sgd, "lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, "
                "foreach=None, differentiable=False, fused=None", "sgd"),
    "Adam": Kind(adam, f"lr=0.001, {BETAS}, weight_decay=0, amsgrad=False, *, {REST}, fused=None, "
                 "decoupled_weight_decay=False", "adam"),
    "AdamW": Kind(adam, f"lr=0.001, {BETAS}, weight_decay=0.01, amsgrad=False, *, {REST}, fused=None", "adamw"),
    "RMSprop": Kind(rmsprop, "lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, "
                    "capturable=False, foreach=None, maximize=False, differentiable=False", "rmsprop"),
    "Adagrad": Kind(adagrad, "lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, "
                    "foreach=None, *, maximize=False, differentiable=False, fused=None", "adagrad"),
    "Adadelta": Kind(adadelta, "lr=1.0, rho=0.9, eps=1e-06, weight_decay=0, foreach=None, *, capturable=False, "
                     "maximize=False, differentiable=False", "adadelta"),
    "Adamax": Kind(adamax, f"lr=0.002, {BETAS}, weight_decay=0, foreach=None, *, maximize=False, "
                   "differentiable=False, capturable=False", "adamax"),
    "NAdam": Kind(nadam, f"lr=0.002, {BETAS}, weight_decay=0, momentum_decay=0.004, decoupled_weight_decay=False, *, "
                  f"{REST}", "nadam"),
}  # fmt: skip
