"""One step of one parameter, for every optimizer: the arithmetic in PyTorch's order, so that digits agree.

Each function takes the options of the group, the parameter's state (arrays by PyTorch's names, empty at first), the
parameter and its gradient as arrays, and returns the new parameter; it changes the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import limits_of
from gradviz.imitation.engine.kernels.square_root import sqrt
from gradviz.imitation.script.names.optim.arithmetic import addcdiv, addcmul, divided, fused, lerp, over, scaled
from gradviz.imitation.script.names.optim.limits import (
    any_shape,
    check_adafactor,
    check_adam,
    check_matrix,
    check_muon,
    check_options,
)
from gradviz.imitation.script.names.optim.muon import muon

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


def _moments(options: Options, state: State, p: Any, g: Any) -> tuple[Any, Any, Any, Any]:
    """The parameter and the gradient with decay in one of them, and the two running means of the kin of Adam."""
    beta1, beta2 = options["betas"]
    if options["weight_decay"] != 0 and options["decoupled_weight_decay"]:
        p = scaled(p, 1 - options["lr"] * options["weight_decay"])
    else:
        g = _decayed(options, p, g)
    first = state["exp_avg"] = lerp(state["exp_avg"], g, 1 - beta1)
    second = state["exp_avg_sq"] = addcmul(scaled(state["exp_avg_sq"], beta2), g, g, 1 - beta2)
    return p, g, first, second


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
    p, g, first, second = _moments(options, state, p, g)
    if options["amsgrad"]:
        second = state["max_exp_avg_sq"] = np.maximum(state.get("max_exp_avg_sq", 0 * second), second)
    kind = p.dtype.type
    below = divided(sqrt(second), (1 - beta2**step) ** 0.5) + kind(options["eps"])
    return addcdiv(p, first, below, -(lr / (1 - beta1**step)))


def rmsprop(options: Options, state: State, p: Any, g: Any) -> Any:
    _start(state, p, "square_avg")
    g, alpha, kind = _decayed(options, p, g), options["alpha"], p.dtype.type
    average = state["square_avg"] = addcmul(scaled(state["square_avg"], alpha), g, g, 1 - alpha)
    if options["momentum"] > 0:  # which PyTorch keeps before the mean
        state.setdefault("momentum_buffer", np.zeros_like(p))
    if options["centered"]:
        mean = state["grad_avg"] = lerp(state.get("grad_avg", np.zeros_like(p)), g, 1 - alpha)
        average = addcmul(average, mean, mean, -1)
    below = sqrt(average) + kind(options["eps"])
    if options["momentum"] > 0:
        before = state["momentum_buffer"]
        buffer = state["momentum_buffer"] = addcdiv(scaled(before, options["momentum"]), g, below)
        return fused(p, buffer, -options["lr"])
    return addcdiv(p, g, below, -options["lr"])


def adagrad_begin(options: Options, p: Any) -> State:
    return {"step": np.float32(0.0), "sum": np.full_like(p, options["initial_accumulator_value"])}


def adagrad(options: Options, state: State, p: Any, g: Any) -> Any:
    step, g = _start(state, p), _decayed(options, p, g)
    total = state["sum"] = addcmul(state["sum"], g, g, 1)
    return addcdiv(
        p, g, sqrt(total) + p.dtype.type(options["eps"]), -options["lr"] / (1 + (step - 1) * options["lr_decay"])
    )


def adadelta(options: Options, state: State, p: Any, g: Any) -> Any:
    _start(state, p, "square_avg", "acc_delta")
    g, rho, eps = _decayed(options, p, g), options["rho"], p.dtype.type(options["eps"])
    average = state["square_avg"] = addcmul(scaled(state["square_avg"], rho), g, g, 1 - rho)
    delta = sqrt(state["acc_delta"] + eps) / sqrt(average + eps) * g
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
    p, g, first, second = _moments(options, state, p, g)
    mu, after = (beta1 * (1.0 - 0.5 * (0.96 ** (n * options["momentum_decay"]))) for n in (step, step + 1))
    state["mu_product"] = state["mu_product"] * np.float32(mu)
    product = float(state["mu_product"])
    below = sqrt(divided(second, 1 - beta2**step)) + kind(options["eps"])
    p = addcdiv(p, g, below, -lr * (1.0 - mu) / (1.0 - product))
    return addcdiv(p, first, below, (-lr * after) / (1.0 - product * after))


def radam(options: Options, state: State, p: Any, g: Any) -> Any:
    step, lr, (beta1, beta2) = _start(state, p, "exp_avg", "exp_avg_sq"), options["lr"], options["betas"]
    kind = p.dtype.type
    p, g, first, second = _moments(options, state, p, g)
    rest = 1 - beta2**step
    change = scaled(divided(first, 1 - beta1**step), lr)
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * step * (beta2**step) / rest
    if length > 5.0:
        rectified = ((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)) ** 0.5
        change = scaled(change * over(rest**0.5, sqrt(second) + kind(options["eps"])), rectified)
    return fused(p, change, -1.0)


def rprop(options: Options, state: State, p: Any, g: Any) -> Any:
    if "step" not in state:
        state |= {"step": np.float32(0.0), "prev": np.zeros_like(p), "step_size": np.full_like(g, options["lr"])}
    _start(state, p)
    (slower, faster), (least, most), kind = options["etas"], options["step_sizes"], p.dtype.type
    agreement = g * state["prev"]
    factor = np.where(agreement > 0, kind(faster), np.where(agreement < 0, kind(slower), kind(1)))
    size = np.minimum(np.maximum(state["step_size"] * factor, kind(least)), kind(most))
    state["step_size"] = size
    state["prev"] = g = np.where(factor == kind(slower), kind(0), g)
    return addcmul(p, np.sign(g), size, -1)


def asgd(options: Options, state: State, p: Any, g: Any) -> Any:
    lr, decay = options["lr"], options["lambd"]
    if "step" not in state:
        state |= {"step": np.float32(0.0), "eta": np.float32(lr), "mu": np.float32(1.0), "ax": np.zeros_like(p)}
    step, g, eta = _start(state, p), _decayed(options, p, g), float(state["eta"])
    p = fused(scaled(p, 1 - decay * eta), g, -eta)
    mean = state["ax"]
    state["ax"] = np.array(p) if state["mu"] == 1 else mean + (p - mean) * p.dtype.type(state["mu"])
    state["eta"] = np.float32(lr / ((1 + decay * lr * step) ** options["alpha"]))
    state["mu"] = np.float32(1 / max(1, step - options["t0"]))
    return p


def adafactor(options: Options, state: State, p: Any, g: Any) -> Any:
    kind, (tiny, least) = p.dtype.type, options["eps"]
    tiny = float(limits_of(p.dtype).eps) if tiny is None else tiny
    if "step" not in state:
        state["step"] = np.float32(0.0)
        if g.ndim > 1:
            state |= {"row_var": np.zeros_like(g[..., :1]), "col_var": np.zeros_like(g[..., :1, :])}
        else:
            state["variance"] = np.zeros_like(g)
    step, lr = _start(state, p), options["lr"]
    share = step ** options["beta2_decay"]
    rate = min(lr, 1 / (step**0.5))
    alpha = max(least, float(_length(p)) / (p.size**0.5)) * rate
    if options["weight_decay"] != 0:
        p = scaled(p, 1 - lr * options["weight_decay"])
    if g.ndim > 1:
        rows = np.square(sqrt(np.square(g).sum(-1, keepdims=True))) / kind(g.shape[-1])
        columns = np.square(sqrt(np.square(g).sum(-2, keepdims=True))) / kind(g.shape[-2])
        row = state["row_var"] = lerp(state["row_var"], rows, share)
        column = state["col_var"] = lerp(state["col_var"], columns, share)
        estimate = (row @ column) / np.maximum(row.mean(-2, keepdims=True), kind(tiny))
    else:
        estimate = state["variance"] = lerp(state["variance"], g * g, share)
    update = g / sqrt(np.maximum(estimate, kind(tiny * tiny)))
    below = max(1.0, float(_length(update)) / ((update.size**0.5) * options["d"]))
    return fused(p, update, -alpha / below)


def _length(x: Any) -> Any:
    return sqrt(np.square(x).sum())


@dataclass(frozen=True)
class Kind:
    """One optimizer.

    Attributes:
        update: its step.
        arguments: of `__init__` after params, with their defaults, in PyTorch's order.
        module: where PyTorch keeps it.
        order: of the options in a group, where it is not that of the arguments.
        begin: makes the state of a parameter, for an optimizer that has it from the start.
        check: refuses options out of range, and gives them the form they are kept in.
        check_parameter: refuses a parameter by its shape.
    """

    update: Update
    arguments: str
    module: str
    order: str = ""
    begin: Callable[[Options, Any], State] | None = None
    check: Callable[[Options], None] = check_options
    check_parameter: Callable[[tuple[int, ...]], None] = any_shape


FORMS = "foreach=None, maximize=False, capturable=False, differentiable=False"
BETAS = "betas=(0.9, 0.999), eps=1e-08"
KINDS: dict[str, Kind] = {
    "SGD": Kind(sgd, "lr=0.001, momentum=0, dampening=0, weight_decay=0, nesterov=False, *, maximize=False, "
                "foreach=None, differentiable=False, fused=None", "sgd"),
    "Adam": Kind(adam, f"lr=0.001, {BETAS}, weight_decay=0, amsgrad=False, *, {FORMS}, fused=None, "
                 "decoupled_weight_decay=False", "adam",
                 "lr betas eps weight_decay amsgrad maximize", check=check_adam),
    "AdamW": Kind(adam, f"lr=0.001, {BETAS}, weight_decay=0.01, amsgrad=False, *, maximize=False, foreach=None, "
                  "capturable=False, differentiable=False, fused=None", "adamw", check=check_adam),
    "RMSprop": Kind(rmsprop, "lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0, momentum=0, centered=False, "
                    "capturable=False, foreach=None, maximize=False, differentiable=False", "rmsprop",
                    "lr momentum alpha eps centered weight_decay"),
    "Adagrad": Kind(adagrad, "lr=0.01, lr_decay=0, weight_decay=0, initial_accumulator_value=0, eps=1e-10, "
                    "foreach=None, *, maximize=False, differentiable=False, fused=None", "adagrad",
                    "lr lr_decay eps weight_decay initial_accumulator_value", adagrad_begin),
    "Adadelta": Kind(adadelta, "lr=1.0, rho=0.9, eps=1e-06, weight_decay=0, foreach=None, *, capturable=False, "
                     "maximize=False, differentiable=False", "adadelta",
                     "lr rho eps weight_decay maximize capturable foreach differentiable"),
    "Adamax": Kind(adamax, f"lr=0.002, {BETAS}, weight_decay=0, foreach=None, *, maximize=False, "
                   "differentiable=False, capturable=False", "adamax"),
    "NAdam": Kind(nadam, f"lr=0.002, {BETAS}, weight_decay=0, momentum_decay=0.004, decoupled_weight_decay=False, *, "
                  f"{FORMS}", "nadam", "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize"),
    "RAdam": Kind(radam, f"lr=0.001, {BETAS}, weight_decay=0, decoupled_weight_decay=False, *, {FORMS}", "radam",
                  "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable"),
    "Rprop": Kind(rprop, "lr=0.01, etas=(0.5, 1.2), step_sizes=(1e-06, 50), *, capturable=False, foreach=None, "
                  "maximize=False, differentiable=False", "rprop",
                  "lr etas step_sizes foreach maximize differentiable capturable"),
    "ASGD": Kind(asgd, "lr=0.01, lambd=0.0001, alpha=0.75, t0=1000000.0, weight_decay=0, foreach=None, "
                 "maximize=False, differentiable=False, capturable=False", "asgd"),
    "Adafactor": Kind(adafactor, "lr=0.01, beta2_decay=-0.8, eps=(None, 0.001), d=1.0, weight_decay=0.0, *, "
                      "foreach=None, maximize=False", "_adafactor", check=check_adafactor),
    "Muon": Kind(muon, "lr=0.001, weight_decay=0.1, momentum=0.95, nesterov=True, "
                 "ns_coefficients=(3.4445, -4.775, 2.0315), eps=1e-07, ns_steps=5, adjust_lr_fn=None", "_muon",
                 check=check_muon, check_parameter=check_matrix),
}  # fmt: skip
