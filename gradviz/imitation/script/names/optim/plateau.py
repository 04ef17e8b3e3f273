"""`ReduceLROnPlateau`: a smaller rate where a measure no longer gets better."""

from __future__ import annotations

import math
from typing import Any

from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.signatures import bound, signature
from gradviz.imitation.script.names.optim.schedules import (
    EPOCH,
    MODULE,
    check_optimizer,
    groups,
    methods,
    rates,
    set_rates,
)
from gradviz.imitation.script.values import Class, Instance, Native, Property, type_name

ARGUMENTS = (
    "optimizer, mode='min', factor=0.1, patience=10, threshold=0.0001, threshold_mode='rel', cooldown=0, min_lr=0, "
    "eps=1e-08"
)


def plateau_class(base: Class, kind: Class) -> Class:
    """The class."""
    given = signature(ARGUMENTS)

    def init(self: Instance, *positional: Any, **keywords: Any) -> None:
        found = bound("ReduceLROnPlateau.__init__()", given, positional, keywords)
        if found["factor"] >= 1.0:
            raise TorchError("Factor should be < 1.0.", kind="ValueError")
        check_optimizer(found["optimizer"], kind)
        self.attributes |= {"factor": found["factor"], "optimizer": found["optimizer"]}
        self.attributes |= _least(found["min_lr"], len(groups(self)))
        self.attributes |= {key: found[key] for key in ("patience", "cooldown", "eps")}
        self.attributes |= {"last_epoch": 0, "_last_lr": rates(self), **_measure(found)}
        reset(self)

    def reset(self: Instance) -> None:
        self.attributes |= {"best": self.attributes["mode_worse"], "cooldown_counter": 0, "num_bad_epochs": 0}

    table = methods({"__init__": init, "step": step, "_reset": reset})
    table["in_cooldown"] = Property(
        Native("in_cooldown", lambda self: self.attributes["cooldown_counter"] > 0, is_method=True)
    )
    return Class("ReduceLROnPlateau", (base,), table, module=MODULE)


def _least(min_lr: Any, count: int) -> dict[str, Any]:
    if not isinstance(min_lr, list | tuple):
        return {"default_min_lr": min_lr, "min_lrs": [min_lr] * count}
    if len(min_lr) != count:
        raise TorchError(f"expected {count} min_lrs, got {len(min_lr)}", kind="ValueError")
    return {"default_min_lr": None, "min_lrs": list(min_lr)}


def _is_one_of(mode: Any, *modes: str) -> bool:
    """Whether a mode is known; PyTorch looks it up in a set, and adds it to a text where it is not."""
    if isinstance(mode, list | dict | set):
        raise TorchError(f"unhashable type: '{type_name(mode)}'", kind="TypeError")
    if not isinstance(mode, str):
        raise TorchError(f'can only concatenate str (not "{type_name(mode)}") to str', kind="TypeError")
    return mode in modes


def _measure(found: dict[str, Any]) -> dict[str, Any]:
    mode, by = found["mode"], found["threshold_mode"]
    if not _is_one_of(mode, "min", "max"):
        raise TorchError(f"mode {mode} is unknown!", kind="ValueError")
    if not _is_one_of(by, "rel", "abs"):
        raise TorchError(f"threshold mode {by} is unknown!", kind="ValueError")
    worst = math.inf if mode == "min" else -math.inf
    return {"mode_worse": worst, "mode": mode, "threshold": found["threshold"], "threshold_mode": by}


def step(self: Instance, metrics: Any, epoch: int | None = None) -> None:
    """One measure more."""
    a = self.attributes
    value = float(self.machine.call(self.machine.builtins["float"], (metrics,), {}))
    if epoch is not None:
        warn(EPOCH)
    a["last_epoch"] = a["last_epoch"] + 1 if epoch is None else epoch
    if _is_better(a, value):
        a |= {"best": value, "num_bad_epochs": 0}
    else:
        a["num_bad_epochs"] += 1
    if a["cooldown_counter"] > 0:
        a["cooldown_counter"] -= 1
        a["num_bad_epochs"] = 0
    if a["num_bad_epochs"] > a["patience"]:
        _reduce(self)
        a |= {"cooldown_counter": a["cooldown"], "num_bad_epochs": 0}
    a["_last_lr"] = rates(self)


def _is_better(a: dict[str, Any], value: float) -> bool:
    best, room = a["best"], a["threshold"]
    if a["mode"] == "min":
        return bool(value < (best * (1.0 - room) if a["threshold_mode"] == "rel" else best - room))
    return bool(value > (best * (room + 1.0) if a["threshold_mode"] == "rel" else best + room))


def _reduce(self: Instance) -> None:
    a, now = self.attributes, [float(rate) for rate in rates(self)]
    if len(a["min_lrs"]) != len(now):
        a["min_lrs"] = [a["default_min_lr"] or 0] * len(now)
    wanted = [max(rate * a["factor"], least) for rate, least in zip(now, a["min_lrs"], strict=True)]
    pairs = zip(now, wanted, strict=True)
    set_rates(self, [new if old - new > a["eps"] else old for old, new in pairs])
