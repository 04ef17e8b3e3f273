"""`torch.optim.lr_scheduler`: the base of all schedulers, and those whose next rate one formula gives.

Each formula takes the last rate to the next, as PyTorch computes it; `step(epoch)` and `SequentialLR` use the closed
form, which starts from the first rate.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.nn.signatures import bound, signature
from gradviz.imitation.script.syntax.calls import callable_value
from gradviz.imitation.script.values import Bound, Class, Instance, Native, type_name

MODULE = "torch.optim.lr_scheduler"
SEE = "See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
TOO_EARLY = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call "
    "them in the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in "
    f"PyTorch skipping the first value of the learning rate schedule. {SEE}"
)
OVERRIDDEN = (
    "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. Please, make sure "
    f"to call `optimizer.step()` before `lr_scheduler.step()`. {SEE}"
)
EPOCH = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed "
    "form is used instead of the new chainable form, where available. Please open an issue if you are unable to "
    "replicate your use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
LAST_RATE = "To get the last learning rate computed by the scheduler, please use `get_last_lr()`."
RESUMED = (
    "param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with last_epoch >= 0.\nThis "
    "typically happens when:\n1. You're trying to resume training from a checkpoint but haven't properly loaded the "
    "optimizer state\n2. You're using last_epoch >= 0 for a fresh training run (not recommended)"
)

Attributes = dict[str, Any]
Methods = dict[str, Callable[..., Any]]


# ---- the base ----


def groups(self: Instance) -> list[dict[str, Any]]:
    """The parameter groups of a scheduler's optimizer."""
    return self.attributes["optimizer"].attributes["param_groups"]  # type: ignore[no-any-return]


def rates(self: Instance) -> list[Any]:
    """The learning rates as they are."""
    return [np.array(group["lr"].data) if isinstance(group["lr"], Tensor) else group["lr"] for group in groups(self)]


def set_rates(self: Instance, values: Any) -> None:
    """Give each group its learning rate; a rate that is a tensor is changed in place."""
    for group, value in zip(groups(self), self.machine.listed(values), strict=True):
        if isinstance(group["lr"], Tensor):
            storage.write(group["lr"], np.asarray(value, group["lr"].dtype)[()])
        else:
            group["lr"] = value
    self.attributes["_last_lr"] = [group["lr"] for group in groups(self)]


def ask(self: Instance, name: str, *arguments: Any) -> Any:
    """Call a method of a scheduler, which a script may have written."""
    return self.machine.call(Bound(self.cls.find(name), self), arguments, {})


def check_optimizer(optimizer: Any, kind: Class) -> None:
    """Raise where it is no optimizer."""
    if not (isinstance(optimizer, Instance) and optimizer.cls.is_a(kind)):
        raise TorchError(f"{type_name(optimizer)} is not an Optimizer", kind="TypeError")


def warn_of_get_lr(self: Instance) -> None:
    """`get_lr` is for `step`; asked by a script, it warns."""
    if not self.attributes.get("_get_lr_called_within_step"):
        warn(LAST_RATE, once=self.cls.name)


def base_class(machine: Machine, kind: Class) -> Class:
    """`LRScheduler`, from which a script can derive its own; it gives `get_lr`."""

    def init(self: Instance, optimizer: Any, last_epoch: int = -1) -> None:
        check_optimizer(optimizer, kind)
        self.attributes["optimizer"] = optimizer
        for i, group in enumerate(groups(self)):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise TorchError(RESUMED.format(i=i), kind="KeyError")
        self.attributes |= {"base_lrs": [group["initial_lr"] for group in groups(self)], "last_epoch": last_epoch}
        _note_steps(optimizer)
        ask(self, "_initial_step")

    table: Methods = {
        "__init__": init, "_initial_step": _initial_step, "step": _step_once, "_update_lr": update,
        "get_lr": _no_rates, "get_last_lr": lambda self: self.attributes["_last_lr"],
        "state_dict": lambda self: {key: x for key, x in self.attributes.items() if key != "optimizer"},
        "load_state_dict": lambda self, state_dict: self.attributes.update(state_dict),
    }  # fmt: skip
    return Class("LRScheduler", (machine.builtins["object"],), methods(table), module=MODULE)


def methods(table: Methods) -> dict[str, Any]:
    """Methods of ours, by name."""
    return {name: Native(name, run, is_method=True) for name, run in table.items()}


def _no_rates(self: Instance) -> None:
    raise TorchError("", kind="NotImplementedError", hint=f"{self.cls.name} needs a method get_lr.")


def _note_steps(optimizer: Instance) -> None:
    """From now on the optimizer knows whether its `step` was called."""
    if "(step)" in optimizer.attributes:
        return
    given = optimizer.attributes.get("step") or Bound(optimizer.cls.find("step"), optimizer)

    def step(*arguments: Any, **named: Any) -> Any:
        optimizer.attributes["_opt_called"] = True
        return optimizer.machine.call(given, arguments, named)

    optimizer.attributes["step"] = optimizer.attributes["(step)"] = Native("step", step)


def _initial_step(self: Instance) -> None:
    self.attributes |= {"_step_count": 0, "_is_initial": True}
    ask(self, "step")
    self.attributes["_is_initial"] = False


def _step_once(self: Instance, epoch: int | None = None) -> None:
    optimizer = self.attributes["optimizer"].attributes
    if self.attributes["_step_count"] == 1:
        if optimizer.get("step") is not optimizer.get("(step)"):
            warn(OVERRIDDEN)
        elif not optimizer.get("_opt_called"):
            warn(TOO_EARLY)
    self.attributes["_step_count"] += 1
    if epoch is not None:
        warn(EPOCH)
    ask(self, "_update_lr", epoch)


def update(self: Instance, epoch: int | None = None) -> None:
    """`_update_lr`: to the next epoch, or to a given one by the closed form."""
    self.attributes["_get_lr_called_within_step"] = True
    self.attributes["last_epoch"] = self.attributes["last_epoch"] + 1 if epoch is None else epoch
    is_closed = epoch is not None and self.cls.has("_get_closed_form_lr")
    values = ask(self, "_get_closed_form_lr" if is_closed else "get_lr")
    self.attributes["_get_lr_called_within_step"] = False
    set_rates(self, values)


# ---- by a formula ----

Next = Callable[[Attributes, Any, Any], Any]
"""next(attributes, last rate, first rate) -> the next rate."""
Closed = Callable[[Attributes, Any], Any]


class Rule(NamedTuple):
    """A scheduler: the arguments of its `__init__`, the next rate, the closed form, and what is refused."""

    arguments: str
    next: Next
    closed: Closed
    check: Callable[[Attributes], None] | None = None


def _step(a: Attributes, rate: Any, _: Any) -> Any:
    n = a["last_epoch"]
    return rate if n == 0 or n % a["step_size"] else rate * a["gamma"]


def _multi_step(a: Attributes, rate: Any, _: Any) -> Any:
    times = a["milestones"].get(a["last_epoch"], 0)
    return rate * a["gamma"] ** times if times else rate


def _exponential(a: Attributes, rate: Any, _: Any) -> Any:
    return rate if a["_is_initial"] else rate * a["gamma"]


def _cosine(a: Attributes, rate: Any, base: Any) -> Any:
    n, period, low = a["last_epoch"], a["T_max"], a["eta_min"]
    if a["_is_initial"]:
        return rate
    if a["_step_count"] == 1 and n > 0:
        return low + (base - low) * (1 + math.cos(n * math.pi / period)) / 2
    if (n - 1 - period) % (2 * period) == 0:
        return rate + (base - low) * (1 - math.cos(math.pi / period)) / 2
    return (1 + math.cos(math.pi * n / period)) / (1 + math.cos(math.pi * (n - 1) / period)) * (rate - low) + low


def _linear(a: Attributes, rate: Any, _: Any) -> Any:
    n, start, end, total = a["last_epoch"], a["start_factor"], a["end_factor"], a["total_iters"]
    if n == 0:
        return rate * start
    if a["_is_initial"] or n > total:
        return rate
    return rate * (1.0 + (end - start) / (total * start + (n - 1) * (end - start)))


def _constant(a: Attributes, rate: Any, _: Any) -> Any:
    if a["last_epoch"] == 0:
        return rate * a["factor"]
    return rate * (1.0 / a["factor"]) if a["last_epoch"] == a["total_iters"] else rate


def _polynomial(a: Attributes, rate: Any, _: Any) -> Any:
    n, total = a["last_epoch"], a["total_iters"]
    if a["_is_initial"] or n > total:
        return rate
    return rate * ((1.0 - n / total) / (1.0 - (n - 1) / total)) ** a["power"]


def _check_constant(a: Attributes) -> None:
    if a["factor"] > 1.0 or a["factor"] < 0:
        raise TorchError("Constant multiplicative factor expected to be between 0 and 1.", kind="ValueError")


def _check_linear(a: Attributes) -> None:
    if a["start_factor"] > 1.0 or a["start_factor"] <= 0:
        what = "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
        raise TorchError(what, kind="ValueError")
    if a["end_factor"] > 1.0 or a["end_factor"] < 0:
        raise TorchError("Ending multiplicative factor expected to be between 0 and 1.", kind="ValueError")


def _closed_linear(a: Attributes, base: Any) -> Any:
    start, end, total = a["start_factor"], a["end_factor"], a["total_iters"]
    return base * (start + (end - start) * min(total, a["last_epoch"]) / total)


def _closed_cosine(a: Attributes, base: Any) -> Any:
    return a["eta_min"] + (base - a["eta_min"]) * (1 + math.cos(math.pi * a["last_epoch"] / a["T_max"])) / 2


RULES: dict[str, Rule] = {
    "StepLR": Rule("step_size, gamma=0.1", _step,
                   lambda a, base: base * a["gamma"] ** (a["last_epoch"] // a["step_size"])),
    "MultiStepLR": Rule("milestones, gamma=0.1", _multi_step, lambda a, base: base * a["gamma"] ** bisect_right(
        sorted(a["milestones"].elements()), a["last_epoch"])),
    "ExponentialLR": Rule("gamma", _exponential, lambda a, base: base * a["gamma"] ** a["last_epoch"]),
    "CosineAnnealingLR": Rule("T_max, eta_min=0.0", _cosine, _closed_cosine),
    "LinearLR": Rule("start_factor=0.3333333333333333, end_factor=1.0, total_iters=5", _linear, _closed_linear,
                     _check_linear),
    "ConstantLR": Rule("factor=0.3333333333333333, total_iters=5", _constant, lambda a, base: base * (
        a["factor"] + (a["last_epoch"] >= a["total_iters"]) * (1 - a["factor"])), _check_constant),
    "PolynomialLR": Rule("total_iters=5, power=1.0", _polynomial, lambda a, base: base * (
        1.0 - min(a["total_iters"], a["last_epoch"]) / a["total_iters"]) ** a["power"]),
}  # fmt: skip


def rule_class(base: Class, name: str, rule: Rule) -> Class:
    """The class of one rule."""
    given = signature(f"optimizer, {rule.arguments}, last_epoch=-1")

    def init(self: Instance, *positional: Any, **keywords: Any) -> None:
        found = bound(f"{name}.__init__()", given, positional, keywords)
        optimizer, last_epoch = found.pop("optimizer"), found.pop("last_epoch")
        if rule.check is not None:
            rule.check(found)
        if "milestones" in found:
            given_at = found["milestones"]
            found["milestones"] = Counter(() if given_at is None else self.machine.listed(given_at))
        self.attributes |= found
        begin(self, base, optimizer, last_epoch)

    def get_lr(self: Instance) -> list[Any]:
        warn_of_get_lr(self)
        pairs = zip(rates(self), self.attributes["base_lrs"], strict=True)
        return [rule.next(self.attributes, rate, first) for rate, first in pairs]

    def closed(self: Instance) -> list[Any]:
        return [rule.closed(self.attributes, first) for first in self.attributes["base_lrs"]]

    table: Methods = {"__init__": init, "get_lr": get_lr, "_get_closed_form_lr": closed}
    return Class(name, (base,), methods(table), module=MODULE)


def begin(self: Instance, base: Class, optimizer: Any, last_epoch: int) -> None:
    """`LRScheduler.__init__`."""
    self.machine.call(Bound(base.attributes["__init__"], self), (optimizer, last_epoch), {})


# ---- by a function of the script ----


def lambda_class(base: Class, name: str) -> Class:
    """LambdaLR, which multiplies the first rate, and MultiplicativeLR, which multiplies the last one."""

    def init(self: Instance, optimizer: Any, lr_lambda: Any, last_epoch: int = -1) -> None:
        count = len(optimizer.attributes["param_groups"]) if isinstance(optimizer, Instance) else 0
        given = lr_lambda if isinstance(lr_lambda, list | tuple) else [lr_lambda] * count
        if len(given) != count:
            raise TorchError(f"Expected {count} lr_lambdas, but got {len(given)}", kind="ValueError")
        if name == "MultiplicativeLR":
            for one in given:
                if not callable_value(one):
                    text = f"lr_lambda should be a function, but got {type_name(one)}"
                    raise TorchError(text, kind="TypeError")
        self.attributes |= {"optimizer": optimizer, "lr_lambdas": list(given)}
        begin(self, base, optimizer, last_epoch)

    def get_lr(self: Instance) -> list[Any]:
        warn_of_get_lr(self)
        a = self.attributes
        if name == "MultiplicativeLR" and a["_is_initial"]:
            return rates(self)
        starts = a["base_lrs"] if name == "LambdaLR" else rates(self)
        return [
            start * self.machine.call(function, (a["last_epoch"],), {})
            for function, start in zip(a["lr_lambdas"], starts, strict=True)
        ]

    def state_dict(self: Instance) -> dict[str, Any]:
        kept = {key: x for key, x in self.attributes.items() if key not in ("optimizer", "lr_lambdas")}
        return {**kept, "lr_lambdas": [None] * len(self.attributes["lr_lambdas"])}

    def load_state_dict(self: Instance, state_dict: dict[str, Any]) -> None:
        self.attributes.update({key: x for key, x in state_dict.items() if key != "lr_lambdas"})

    table: Methods = {"__init__": init, "get_lr": get_lr, "state_dict": state_dict, "load_state_dict": load_state_dict}
    return Class(name, (base,), methods(table), module=MODULE)
