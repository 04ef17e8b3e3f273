"""`torch.optim`: optimizers and schedules of the learning rate."""

from __future__ import annotations

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.names.optim.averaging import averaging_namespace
from gradviz.imitation.script.names.optim.base import (
    known_classes,
    optimizer_class,
    register_step_post_hook,
    register_step_pre_hook,
)
from gradviz.imitation.script.names.optim.lbfgs import lbfgs_class
from gradviz.imitation.script.names.optim.schedule_chains import scheduler_namespace
from gradviz.imitation.script.values import Namespace


class Required:
    """`torch.optim.optimizer.required`, which old optimizers have as a default."""

    shown_as = "_RequiredParameter"
    shown_in = "torch.optim.optimizer"

    def __repr__(self) -> str:
        return "<required parameter>"


REQUIRED = Required()


def namespace(machine: Machine) -> Namespace:
    """The namespace `torch.optim`."""
    base = optimizer_class(machine)
    classes = {"Optimizer": base, **known_classes(machine, base), "LBFGS": lbfgs_class(machine, base)}
    places = {cls.module.rpartition(".")[2]: {name: cls} for name, cls in classes.items()}
    hooks = with_machine({
        "register_optimizer_step_pre_hook": register_step_pre_hook,
        "register_optimizer_step_post_hook": register_step_post_hook,
    })  # fmt: skip
    members = {"optimizer": {"required": REQUIRED, **hooks}}
    modules = {
        name: Namespace(f"torch.optim.{name}", {**found, **members.get(name, {})}) for name, found in places.items()
    }
    schedulers = scheduler_namespace(machine, base)
    averages = averaging_namespace(machine, schedulers.members["LRScheduler"])
    return Namespace("torch.optim", {**modules, **classes, "lr_scheduler": schedulers, "swa_utils": averages})
