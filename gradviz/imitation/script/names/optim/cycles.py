"""Schedules that go up and down: CyclicLR, OneCycleLR and CosineAnnealingWarmRestarts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.signatures import bound, signature
from gradviz.imitation.script.names.optim.schedules import (
    MODULE,
    ask,
    begin,
    check_optimizer,
    groups,
    methods,
    set_rates,
    warn_of_get_lr,
)
from gradviz.imitation.script.values import Class, Instance, type_name

CYCLIC = (
    "optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None, mode='triangular', gamma=1.0, scale_fn=None, "
    "scale_mode='cycle', cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1"
)
ONE_CYCLE = (
    "optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3, anneal_strategy='cos', "
    "cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0, final_div_factor=10000.0, "
    "three_phase=False, last_epoch=-1"
)
Attributes = dict[str, Any]


def cycle_classes(base: Class, kind: Class) -> dict[str, Class]:
    """The three, by name."""
    makers: dict[str, dict[str, Callable[..., Any]]] = {
        "CyclicLR": _cyclic(base, kind), "OneCycleLR": _one_cycle(base, kind),
        "CosineAnnealingWarmRestarts": _restarts(base),
    }  # fmt: skip
    return {name: Class(name, (base,), methods(table), module=MODULE) for name, table in makers.items()}


def _for_each_group(self: Instance, name: str, value: Any) -> list[Any]:
    count = len(groups(self))
    if not isinstance(value, list | tuple):
        return [value] * count
    if len(value) != count:
        raise TorchError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, param_groups "
            f"has {count}.",
            kind="ValueError",
        )
    return list(value)


def _start_momentum(self: Instance, found: Attributes) -> tuple[list[Any], list[Any]]:
    """Give each group its bounds of momentum; the lists of them.

    Raises:
        TorchError: the optimizer has none.
    """
    defaults = self.attributes["optimizer"].attributes["defaults"]
    if "momentum" not in defaults and "betas" not in defaults:
        raise TorchError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option enabled",
            kind="ValueError",
            hint="Give cycle_momentum=False.",
        )
    self.attributes["use_beta1"] = "betas" in defaults
    low, high = (_for_each_group(self, name, found[name]) for name in ("base_momentum", "max_momentum"))
    if found["last_epoch"] == -1:
        for group, least, most in zip(groups(self), low, high, strict=True):
            _set_momentum(self, group, most)
            group |= {"max_momentum": most, "base_momentum": least}
    return low, high


def _set_momentum(self: Instance, group: dict[str, Any], value: Any) -> None:
    if self.attributes["use_beta1"]:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value


# ---- CyclicLR ----


def _cyclic(base: Class, kind: Class) -> dict[str, Callable[..., Any]]:
    given = signature(CYCLIC)

    def init(self: Instance, *positional: Any, **keywords: Any) -> None:
        found = bound("CyclicLR.__init__()", given, positional, keywords)
        check_optimizer(found["optimizer"], kind)
        a = self.attributes
        a["optimizer"] = found["optimizer"]
        low = _for_each_group(self, "base_lr", found["base_lr"])
        if found["last_epoch"] == -1:
            set_rates(self, low)
            del a["_last_lr"]
        a["max_lrs"] = _for_each_group(self, "max_lr", found["max_lr"])
        up = float(found["step_size_up"])
        down = up if found["step_size_down"] is None else float(found["step_size_down"])
        a |= {"total_size": up + down, "step_ratio": up / (up + down)}
        if found["mode"] not in ("triangular", "triangular2", "exp_range") and found["scale_fn"] is None:
            raise TorchError("mode is invalid and scale_fn is None", kind="ValueError")
        a |= {"mode": found["mode"], "gamma": found["gamma"], "_scale_fn_custom": found["scale_fn"]}
        a["scale_mode"] = found["scale_mode"]
        if found["scale_fn"] is None:
            a["scale_mode"] = "iterations" if found["mode"] == "exp_range" else "cycle"
        a["cycle_momentum"] = found["cycle_momentum"]
        if found["cycle_momentum"]:
            a["base_momentums"], a["max_momentums"] = _start_momentum(self, found)
        begin(self, base, found["optimizer"], found["last_epoch"])
        a["base_lrs"] = low

    return {"__init__": init, "get_lr": _cyclic_rates, "scale_fn": _scale, "state_dict": _cyclic_state}


def _cyclic_state(self: Instance) -> dict[str, Any]:
    kept = {key: x for key, x in self.attributes.items() if key not in ("optimizer", "_scale_fn_custom")}
    return {**kept, "_scale_fn_custom": None}


def _scale(self: Instance, x: float) -> Any:
    a = self.attributes
    if a["_scale_fn_custom"] is not None:
        return self.machine.call(a["_scale_fn_custom"], (x,), {})
    if a["mode"] == "triangular":
        return 1.0
    return 1 / 2.0 ** (x - 1) if a["mode"] == "triangular2" else a["gamma"] ** x


def _cyclic_rates(self: Instance) -> list[Any]:
    warn_of_get_lr(self)
    a, n = self.attributes, self.attributes["last_epoch"]
    cycle = math.floor(1 + n / a["total_size"])
    x = 1.0 + n / a["total_size"] - cycle
    share = x / a["step_ratio"] if x <= a["step_ratio"] else (x - 1) / (a["step_ratio"] - 1)

    def scale() -> Any:
        return ask(self, "scale_fn", cycle if a["scale_mode"] == "cycle" else n)

    pairs = zip(a["base_lrs"], a["max_lrs"], strict=True)
    rates = [low + (high - low) * share * scale() for low, high in pairs]
    if a["cycle_momentum"]:
        bounds = zip(groups(self), a["base_momentums"], a["max_momentums"], strict=True)
        for group, low, high in bounds:
            _set_momentum(self, group, high - (high - low) * share * scale())
    return rates


# ---- OneCycleLR ----


def _total(found: Attributes) -> int:
    total, epochs, each = (found[key] for key in ("total_steps", "epochs", "steps_per_epoch"))
    if total is not None:
        named = {"total_steps": total}
    elif epochs is None or each is None:
        raise TorchError("You must define either total_steps OR (epochs AND steps_per_epoch)", kind="ValueError")
    else:
        named = {"epochs": epochs, "steps_per_epoch": each}
    for name, value in named.items():
        if value <= 0 or not isinstance(value, int):
            raise TorchError(f"Expected positive integer {name}, but got {value}", kind="ValueError")
    return math.prod(named.values())


def _phase(end: float, *names: str) -> dict[str, Any]:
    keys = ("start_lr", "end_lr", "start_momentum", "end_momentum")
    return {"end_step": end, **dict(zip(keys, names, strict=True))}


def _phases(found: Attributes, total: int) -> list[dict[str, Any]]:
    up = float(found["pct_start"] * total) - 1
    first = _phase(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")
    if not found["three_phase"]:
        return [first, _phase(total - 1, "max_lr", "min_lr", "base_momentum", "max_momentum")]
    down = float(2 * found["pct_start"] * total) - 2
    return [
        first,
        _phase(down, "max_lr", "initial_lr", "base_momentum", "max_momentum"),
        _phase(total - 1, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
    ]


def _one_cycle(base: Class, kind: Class) -> dict[str, Callable[..., Any]]:
    given = signature(ONE_CYCLE)

    def init(self: Instance, *positional: Any, **keywords: Any) -> None:
        found = bound("OneCycleLR.__init__()", given, positional, keywords)
        check_optimizer(found["optimizer"], kind)
        a = self.attributes
        a["optimizer"] = found["optimizer"]
        a["total_steps"] = _total(found)
        a["_schedule_phases"] = _phases(found, a["total_steps"])
        share, way = found["pct_start"], found["anneal_strategy"]
        if share < 0 or share > 1 or not isinstance(share, float):
            raise TorchError(f"Expected float between 0 and 1 pct_start, but got {share}", kind="ValueError")
        if way not in ("cos", "linear"):
            raise TorchError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {way}", kind="ValueError")
        a["_anneal_func_type"] = way
        highest = _for_each_group(self, "max_lr", found["max_lr"])
        if found["last_epoch"] == -1:
            for group, most in zip(groups(self), highest, strict=True):
                first = most / found["div_factor"]
                group |= {"initial_lr": first, "max_lr": most, "min_lr": first / found["final_div_factor"]}
        a["cycle_momentum"] = found["cycle_momentum"]
        if found["cycle_momentum"]:
            _start_momentum(self, found)
        begin(self, base, found["optimizer"], found["last_epoch"])

    return {"__init__": init, "get_lr": _one_cycle_rates}


def _between(way: str, start: Any, end: Any, share: float) -> Any:
    if way == "cos":
        return end + (start - end) / 2.0 * (math.cos(math.pi * share) + 1)
    return (end - start) * share + start


def _one_cycle_rates(self: Instance) -> list[Any]:
    warn_of_get_lr(self)
    a, n = self.attributes, self.attributes["last_epoch"]
    if n > a["total_steps"]:
        raise TorchError(
            f"Tried to step {n} times. The specified number of total steps is {a['total_steps']}", kind="ValueError"
        )
    start, phase = 0.0, a["_schedule_phases"][-1]
    for candidate in a["_schedule_phases"]:
        if n <= candidate["end_step"] or candidate is phase:
            phase = candidate
            break
        start = candidate["end_step"]
    share, way = (n - start) / (phase["end_step"] - start), a["_anneal_func_type"]
    found = []
    for group in groups(self):
        found.append(_between(way, group[phase["start_lr"]], group[phase["end_lr"]], share))
        if a["cycle_momentum"]:
            momentum = _between(way, group[phase["start_momentum"]], group[phase["end_momentum"]], share)
            _set_momentum(self, group, momentum)
    return found


# ---- CosineAnnealingWarmRestarts ----


def _restarts(base: Class) -> dict[str, Callable[..., Any]]:
    def init(
        self: Instance, optimizer: Any, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise TorchError(f"Expected positive integer T_0, but got {T_0}", kind="ValueError")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise TorchError(f"Expected integer T_mult >= 1, but got {T_mult}", kind="ValueError")
        if not isinstance(eta_min, float | int):
            raise TorchError(
                f"Expected float or int eta_min, but got {eta_min} of type <class '{type_name(eta_min)}'>",
                kind="ValueError",
            )
        self.attributes |= {"T_0": T_0, "T_i": T_0, "T_mult": T_mult, "eta_min": eta_min, "T_cur": last_epoch}
        begin(self, base, optimizer, last_epoch)

    return {"__init__": init, "get_lr": _restart_rates, "step": _restart_step}


def _restart_rates(self: Instance) -> list[Any]:
    warn_of_get_lr(self)
    a = self.attributes
    low, share = a["eta_min"], 1 + math.cos(math.pi * a["T_cur"] / a["T_i"])
    return [low + (first - low) * share / 2 for first in a["base_lrs"]]


def _restart_step(self: Instance, epoch: float | None = None) -> None:
    a = self.attributes
    if epoch is None and a["last_epoch"] >= 0:
        epoch = a["last_epoch"] + 1
        a["T_cur"] += 1
        if a["T_cur"] >= a["T_i"]:
            a |= {"T_cur": a["T_cur"] % a["T_i"], "T_i": a["T_i"] * a["T_mult"]}
    else:
        epoch = epoch or 0
        if epoch < 0:
            raise TorchError(f"Expected non-negative epoch, but got {epoch}", kind="ValueError")
        a |= _place(epoch, a["T_0"], a["T_mult"], a["T_i"])
    a["last_epoch"] = math.floor(epoch)
    a["_get_lr_called_within_step"] = True
    values = ask(self, "get_lr")
    a["_get_lr_called_within_step"] = False
    set_rates(self, values)


def _place(epoch: float, first: int, factor: int, now: Any) -> dict[str, Any]:
    """Where an epoch lies in its period, and how long that is."""
    if epoch < first:
        return {"T_i": first, "T_cur": epoch}
    if factor == 1:
        return {"T_cur": epoch % first, "T_i": now}
    n = int(math.log(epoch / first * (factor - 1) + 1, factor))
    return {"T_cur": epoch - first * (factor**n - 1) / (factor - 1), "T_i": first * factor**n}
