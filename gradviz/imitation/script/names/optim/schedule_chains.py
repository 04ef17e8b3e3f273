"""Schedules made of schedules: SequentialLR and ChainedScheduler; and the namespace of all."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.optim.cycles import cycle_classes
from gradviz.imitation.script.names.optim.plateau import plateau_class
from gradviz.imitation.script.names.optim.schedules import (
    MODULE,
    RULES,
    Methods,
    ask,
    base_class,
    groups,
    lambda_class,
    methods,
    rates,
    rule_class,
    set_rates,
)
from gradviz.imitation.script.values import Class, Instance, Namespace


def scheduler_namespace(machine: Machine, optimizer: Class) -> Namespace:
    """`torch.optim.lr_scheduler`."""
    base = base_class(machine, optimizer)
    classes = {"LRScheduler": base, "_LRScheduler": Class("_LRScheduler", (base,), module=base.module)}
    classes |= {name: rule_class(base, name, rule) for name, rule in RULES.items()}
    classes |= {name: lambda_class(base, name) for name in ("LambdaLR", "MultiplicativeLR")}
    plateau = plateau_class(base, optimizer)
    classes |= {"ReduceLROnPlateau": plateau, **cycle_classes(base, optimizer)}
    classes |= {"SequentialLR": _sequential(base, plateau), "ChainedScheduler": _chained(base, plateau)}
    return Namespace(MODULE, dict(classes))


def _several(given: Any, machine: Machine) -> list[Any]:
    """The schedulers, of which PyTorch asks how many there are before it looks at any."""
    return machine.listed(given) if machine.call(machine.builtins["len"], (given,), {}) else []


def _check(name: str, schedulers: list[Any], optimizer: Any, plateau: Class, least: str) -> None:
    if not schedulers:
        raise TorchError(f"{name} expects at least one scheduler{least}, but got no scheduler.", kind="ValueError")
    for number, one in enumerate(schedulers):
        if not (isinstance(one, Instance) and "optimizer" in one.attributes):
            raise TorchError(f"{name} at index {number} should have `optimizer` as its attribute.", kind="TypeError")
        if one.cls.is_a(plateau):
            raise TorchError(
                f"{name} does not support `ReduceLROnPlateau` scheduler as it requires additional kwargs to be "
                f"specified when calling `step`, but got one at index {number} in the given schedulers sequence.",
                kind="ValueError",
            )
        theirs = one.attributes["optimizer"]
        if theirs is not optimizer:
            raise TorchError(
                f"{name} expects all schedulers to belong to the same optimizer, but got scheduler {one.cls.name} at "
                f"index {number} has {theirs!r}, which is different from {optimizer.cls.name}.",
                kind="ValueError",
            )


def _undo(scheduler: Instance) -> None:
    """Take back the first step of each scheduler, also of those within others."""
    pending = [scheduler]
    while pending:
        one = pending.pop()
        if "_schedulers" in one.attributes:
            pending += one.attributes["_schedulers"]
        elif "last_epoch" in one.attributes:
            one.attributes["last_epoch"] -= 1


def _state_dict(self: Instance) -> dict[str, Any]:
    kept = {key: x for key, x in self.attributes.items() if key not in ("optimizer", "_schedulers")}
    return {**kept, "_schedulers": [ask(one, "state_dict") for one in self.attributes["_schedulers"]]}


def _load_state_dict(self: Instance, state_dict: dict[str, Any]) -> None:
    self.attributes.update({key: x for key, x in state_dict.items() if key != "_schedulers"})
    for one, state in zip(self.attributes["_schedulers"], state_dict["_schedulers"], strict=True):
        ask(one, "load_state_dict", state)


def _sequential(base: Class, plateau: Class) -> Class:
    def init(self: Instance, optimizer: Any, schedulers: Any, milestones: Any, last_epoch: int = -1) -> None:
        given = _several(schedulers, self.machine)
        _check("SequentialLR", given, optimizer, plateau, "")
        ends = _several(milestones, self.machine)
        if len(ends) != len(given) - 1:
            raise TorchError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(given)} and the number of milestones to be equal "
                f"to {len(ends)}",
                kind="ValueError",
            )
        self.attributes |= {"_schedulers": given, "_milestones": ends, "last_epoch": last_epoch + 1}
        self.attributes["optimizer"] = optimizer
        set_rates(self, [group["initial_lr"] for group in groups(self)])
        _undo(self)
        first = given[bisect_right(ends, 0)]
        ask(first, "_initial_step")
        self.attributes["_last_lr"] = ask(first, "get_last_lr")

    def step(self: Instance) -> None:
        a = self.attributes
        a["last_epoch"] += 1
        number = bisect_right(a["_milestones"], a["last_epoch"])
        chosen = a["_schedulers"][number]
        if number > 0 and a["_milestones"][number - 1] == a["last_epoch"]:
            ask(chosen, "_update_lr", 0)
        else:
            ask(chosen, "step")
        a["_last_lr"] = ask(chosen, "get_last_lr")

    table: Methods = {"__init__": init, "step": step, "state_dict": _state_dict, "load_state_dict": _load_state_dict}
    return Class("SequentialLR", (base,), methods(table), module=MODULE)


def _chained(base: Class, plateau: Class) -> Class:
    def init(self: Instance, schedulers: Any, optimizer: Any = None) -> None:
        given = _several(schedulers, self.machine)
        if given and optimizer is None:
            optimizer = self.machine.call(self.machine.builtins["getattr"], (given[0], "optimizer"), {})
        _check("ChainedScheduler", given, optimizer, plateau, " to be chained")
        self.attributes |= {"_schedulers": schedulers, "optimizer": optimizer}
        self.attributes["_last_lr"] = rates(self)

    def step(self: Instance) -> None:
        for one in self.machine.listed(self.attributes["_schedulers"]):
            ask(one, "step")
        self.attributes["_last_lr"] = rates(self)

    table: Methods = {"__init__": init, "step": step, "state_dict": _state_dict, "load_state_dict": _load_state_dict}
    return Class("ChainedScheduler", (base,), methods(table), module=MODULE)
