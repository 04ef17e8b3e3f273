"""`torch.optim.lr_scheduler`: each rule gives the next learning rates from the last ones, as PyTorch computes them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.script.machine import Machine
from gradviz.script.names.nn.signatures import bound, signature
from gradviz.script.values import Bound, Class, Instance, Namespace, Native, type_name

Rule = Callable[[dict[str, Any], dict[str, Any], float, Callable[..., Any]], float]


def _step(a: dict[str, Any], group: dict[str, Any], base: float, call: Any) -> Any:
    n = a["last_epoch"]
    return group["lr"] if n == 0 or n % a["step_size"] else group["lr"] * a["gamma"]


def _multi_step(a: dict[str, Any], group: dict[str, Any], base: float, call: Any) -> Any:
    times = list(a["milestones"]).count(a["last_epoch"])
    return group["lr"] * a["gamma"] ** times if times else group["lr"]


def _exponential(a: dict[str, Any], group: dict[str, Any], base: float, call: Any) -> Any:
    return group["lr"] if a["last_epoch"] == 0 else group["lr"] * a["gamma"]


def _cosine(a: dict[str, Any], group: dict[str, Any], base: float, call: Any) -> Any:
    n, period, low = a["last_epoch"], a["T_max"], a["eta_min"]
    if n == 0:
        return group["lr"]
    if (n - 1 - period) % (2 * period) == 0:
        return group["lr"] + (base - low) * (1 - math.cos(math.pi / period)) / 2
    ratio = (1 + math.cos(math.pi * n / period)) / (1 + math.cos(math.pi * (n - 1) / period))
    return ratio * (group["lr"] - low) + low


def _linear(a: dict[str, Any], group: dict[str, Any], base: float, call: Any) -> Any:
    n, start, end, total = a["last_epoch"], a["start_factor"], a["end_factor"], a["total_iters"]
    if n == 0:
        return group["lr"] * start
    if n > total:
        return group["lr"]
    return group["lr"] * (1.0 + (end - start) / (total * start + (n - 1) * (end - start)))


def _constant(a: dict[str, Any], group: dict[str, Any], base: float, call: Any) -> Any:
    if a["last_epoch"] == 0:
        return group["lr"] * a["factor"]
    return group["lr"] * (1.0 / a["factor"]) if a["last_epoch"] == a["total_iters"] else group["lr"]


def _polynomial(a: dict[str, Any], group: dict[str, Any], base: float, call: Any) -> Any:
    n, total = a["last_epoch"], a["total_iters"]
    if n == 0 or n > total:
        return group["lr"]
    return group["lr"] * ((1.0 - n / total) / (1.0 - (n - 1) / total)) ** a["power"]


def _lambda(a: dict[str, Any], group: dict[str, Any], base: float, call: Any) -> Any:
    return base * call(a["lr_lambda"], group, a["last_epoch"])


def _multiplicative(a: dict[str, Any], group: dict[str, Any], base: float, call: Any) -> Any:
    return group["lr"] if a["last_epoch"] == 0 else group["lr"] * call(a["lr_lambda"], group, a["last_epoch"])


RULES: dict[str, tuple[str, Rule]] = {
    "StepLR": ("step_size, gamma=0.1", _step),
    "MultiStepLR": ("milestones, gamma=0.1", _multi_step),
    "ExponentialLR": ("gamma", _exponential),
    "CosineAnnealingLR": ("T_max, eta_min=0.0", _cosine),
    "LinearLR": ("start_factor=0.3333333333333333, end_factor=1.0, total_iters=5", _linear),
    "ConstantLR": ("factor=0.3333333333333333, total_iters=5", _constant),
    "PolynomialLR": ("total_iters=5, power=1.0", _polynomial),
    "LambdaLR": ("lr_lambda", _lambda),
    "MultiplicativeLR": ("lr_lambda", _multiplicative),
}


def scheduler_namespace(machine: Machine, optimizer: Class) -> Namespace:
    """`torch.optim.lr_scheduler`."""
    object_ = machine.builtins["object"]
    base = Class("LRScheduler", (object_,), _methods(_common(optimizer)), module="torch.optim.lr_scheduler")
    classes = {"LRScheduler": base, "_LRScheduler": base}
    for name, (arguments, rule) in RULES.items():
        methods = _methods(_of_rule(name, arguments, rule))
        classes[name] = Class(name, (base,), methods, module="torch.optim.lr_scheduler")
    classes["ReduceLROnPlateau"] = Class(
        "ReduceLROnPlateau", (base,), _methods(_plateau()), module="torch.optim.lr_scheduler"
    )
    return Namespace("torch.optim.lr_scheduler", dict(classes))


def _methods(table: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    return {name: Native(name, run, is_method=True) for name, run in table.items()}


def _groups(self: Instance) -> list[dict[str, Any]]:
    return self.attributes["optimizer"].attributes["param_groups"]  # type: ignore[no-any-return]


def _common(kind: Class) -> dict[str, Callable[..., Any]]:
    """What all schedulers have; a script's own class derived from LRScheduler gives `get_lr`."""

    def init(self: Instance, optimizer: Any, last_epoch: int = -1, verbose: Any = None) -> None:
        if not (isinstance(optimizer, Instance) and optimizer.cls.is_a(kind)):
            raise TorchError(f"{type_name(optimizer)} is not an Optimizer", kind="TypeError")
        self.attributes |= {"optimizer": optimizer, "last_epoch": last_epoch, "_step_count": 0}
        for group in _groups(self):
            group.setdefault("initial_lr", group["lr"])
        self.attributes["base_lrs"] = [group["initial_lr"] for group in _groups(self)]
        step(self)

    def step(self: Instance, epoch: int | None = None) -> None:
        self.attributes["_step_count"] += 1
        self.attributes["last_epoch"] = self.attributes["last_epoch"] + 1 if epoch is None else epoch
        rates = self.machine.call(Bound(self.cls.find("get_lr"), self), (), {})
        for group, rate in zip(_groups(self), rates, strict=True):
            group["lr"] = rate
        self.attributes["_last_lr"] = [group["lr"] for group in _groups(self)]

    return {
        "__init__": init,
        "step": step,
        "get_last_lr": lambda self: list(self.attributes["_last_lr"]),
        "state_dict": lambda self: {key: value for key, value in self.attributes.items() if key != "optimizer"},
        "load_state_dict": lambda self, state_dict: self.attributes.update(state_dict),
    }


def _of_rule(name: str, arguments: str, rule: Rule) -> dict[str, Callable[..., Any]]:
    given = signature(f"optimizer, {arguments}, last_epoch=-1, verbose=None")

    def init(self: Instance, *positional: Any, **keywords: Any) -> None:
        found = bound(f"{name}.__init__()", given, positional, keywords)
        start = {key: found.pop(key) for key in ("optimizer", "last_epoch", "verbose")}
        self.attributes |= found
        common = self.cls.mro[-2]
        self.machine.call(Bound(common.attributes["__init__"], self), (), start)

    def get_lr(self: Instance) -> list[Any]:
        def call(function: Any, group: dict[str, Any], epoch: int) -> Any:
            groups = _groups(self)
            chosen = function[groups.index(group)] if isinstance(function, list | tuple) else function
            return self.machine.call(chosen, (epoch,), {})

        pairs = zip(_groups(self), self.attributes["base_lrs"], strict=True)
        return [rule(self.attributes, group, base, call) for group, base in pairs]

    return {"__init__": init, "get_lr": get_lr}


def _plateau() -> dict[str, Callable[..., Any]]:
    given = signature(
        "optimizer, mode='min', factor=0.1, patience=10, threshold=0.0001, threshold_mode='rel', cooldown=0, min_lr=0, "
        "eps=1e-08, verbose=None"
    )

    def init(self: Instance, *positional: Any, **keywords: Any) -> None:
        found = bound("ReduceLROnPlateau.__init__()", given, positional, keywords)
        if found["factor"] >= 1.0:
            raise TorchError("Factor should be < 1.0.", kind="ValueError")
        best = math.inf if found["mode"] == "min" else -math.inf
        self.attributes |= {**found, "best": best, "num_bad_epochs": 0, "cooldown_counter": 0, "last_epoch": 0}
        self.attributes["_last_lr"] = [group["lr"] for group in _groups(self)]

    def step(self: Instance, metrics: Any, epoch: Any = None) -> None:
        a = self.attributes
        value = float(metrics.data.item() if hasattr(metrics, "data") else metrics)
        a["last_epoch"] += 1
        if is_better(a, value):
            a["best"], a["num_bad_epochs"] = value, 0
        else:
            a["num_bad_epochs"] += 1
        if a["cooldown_counter"] > 0:
            a["cooldown_counter"] -= 1
            a["num_bad_epochs"] = 0
        if a["num_bad_epochs"] > a["patience"]:
            reduce(self)
            a["cooldown_counter"], a["num_bad_epochs"] = a["cooldown"], 0
        a["_last_lr"] = [group["lr"] for group in _groups(self)]

    def is_better(a: dict[str, Any], value: float) -> bool:
        sign = -1 if a["mode"] == "min" else 1
        limit = (
            a["best"] * (1 + sign * a["threshold"])
            if a["threshold_mode"] == "rel"
            else (a["best"] + sign * a["threshold"])
        )
        return bool(value < limit if sign < 0 else value > limit)

    def reduce(self: Instance) -> None:
        a = self.attributes
        least = a["min_lr"] if isinstance(a["min_lr"], list | tuple) else [a["min_lr"]] * len(_groups(self))
        for group, low in zip(_groups(self), least, strict=True):
            rate = max(group["lr"] * a["factor"], low)
            if group["lr"] - rate > a["eps"]:
                group["lr"] = rate

    return {"__init__": init, "step": step}
