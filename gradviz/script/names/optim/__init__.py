"""`torch.optim`: optimizers and schedules of the learning rate."""

from __future__ import annotations

from gradviz.script.machine import Machine
from gradviz.script.names.optim.base import known_classes, optimizer_class
from gradviz.script.names.optim.lbfgs import lbfgs_class
from gradviz.script.names.optim.schedule_chains import scheduler_namespace
from gradviz.script.values import Namespace


def namespace(machine: Machine) -> Namespace:
    """The namespace `torch.optim`."""
    base = optimizer_class(machine)
    classes = {"Optimizer": base, **known_classes(machine, base), "LBFGS": lbfgs_class(machine, base)}
    places = {cls.module.rpartition(".")[2]: {name: cls} for name, cls in classes.items()}
    modules = {name: Namespace(f"torch.optim.{name}", members) for name, members in places.items()}
    return Namespace("torch.optim", {**modules, **classes, "lr_scheduler": scheduler_namespace(machine, base)})
