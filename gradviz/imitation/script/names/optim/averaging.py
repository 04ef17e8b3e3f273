"""`torch.optim.swa_utils`: averages of the weights of a model while it is trained."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.copies import deep
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.nn.books import named_buffers, named_modules, named_parameters
from gradviz.imitation.script.names.nn.kinds import prepare
from gradviz.imitation.script.names.nn.register import register_buffer, set_attribute
from gradviz.imitation.script.names.optim.arithmetic import lerp
from gradviz.imitation.script.names.optim.schedules import groups, methods, warn_of_get_lr
from gradviz.imitation.script.values import Bound, Class, Instance, Namespace, Native

MODULE = "torch.optim.swa_utils"


def averaging_namespace(machine: Machine, scheduler: Class) -> Namespace:
    """The namespace `torch.optim.swa_utils`."""
    return Namespace(MODULE, {
        "AveragedModel": _averaged_model(machine), "SWALR": _schedule(scheduler),
        "update_bn": Native("update_bn", update_bn, needs_machine=True),
        "get_ema_multi_avg_fn": Native("get_ema_multi_avg_fn", lambda decay=0.999: _several(lambda _: 1 - decay)),
        "get_swa_multi_avg_fn": Native("get_swa_multi_avg_fn", lambda: _several(_share)),
        "get_ema_avg_fn": Native("get_ema_avg_fn", lambda decay=0.999: Native(
            "ema_update", lambda averaged, current, _: machine.tensor(
                averaged.data * averaged.dtype.type(decay) + current.data * current.dtype.type(1 - decay)
            ) if averaged.dtype.kind in FLOATING else current,
        )),
        "get_swa_avg_fn": Native("get_swa_avg_fn", lambda: Native(
            "swa_update", lambda averaged, current, count: machine.tensor(
                averaged.data + (current.data - averaged.data) / averaged.dtype.type(_number(count) + 1)
            ),
        )),
    })  # fmt: skip


def _number(count: Any) -> int:
    return int(count.data) if isinstance(count, Tensor) else int(count)


def _share(count: Any) -> float:
    """How much the newest of all weights counts."""
    return 1 / (_number(count) + 1)


def _several(weight: Callable[[Any], float]) -> Native:
    def update(averaged: Any, current: Any, count: Any) -> None:
        for mean, new in zip(averaged, current, strict=True):
            is_floating = mean.dtype.kind in FLOATING
            storage.write_numbers(mean, lerp(mean.data, new.data, weight(count)) if is_floating else new.data)

    return Native("update", update)


# ---- the model ----


def _averaged_model(machine: Machine) -> Class:
    def init(
        self: Instance, model: Instance, device: Any = None, avg_fn: Any = None, multi_avg_fn: Any = None,
        use_buffers: bool = False,
    ) -> None:  # fmt: skip
        prepare(self)
        if avg_fn is not None and multi_avg_fn is not None:
            raise TorchError("Only one of avg_fn and multi_avg_fn should be provided", kind="AssertionError")
        set_attribute(self, "module", deep(machine, model))
        register_buffer(self, "n_averaged", machine.tensor(np.array(0, np.int64)))
        self.attributes |= {"avg_fn": avg_fn, "multi_avg_fn": multi_avg_fn, "use_buffers": use_buffers}

    def forward(self: Instance, *arguments: Any, **named: Any) -> Any:
        return machine.call(self.attributes["module"], arguments, named)

    table = {"__init__": init, "forward": forward, "update_parameters": _update_parameters}
    natives = {name: Native(f"AveragedModel.{name}", run, is_method=True) for name, run in table.items()}
    return Class("AveragedModel", (machine.state["Module"],), natives, module=MODULE)


def _held(module: Instance, with_buffers: bool) -> list[Tensor]:
    return [
        storage.alias(x, tracked=True)
        for _, x in (*named_parameters(module), *(named_buffers(module) if with_buffers else ()))
    ]


def _update_parameters(self: Instance, model: Instance) -> None:
    a, machine = self.attributes, self.machine
    count = a["n_averaged"]
    own, theirs = _held(a["module"], a["use_buffers"]), _held(model, a["use_buffers"])
    with machine.tape.grad_mode(False):
        if not _number(count):
            for mean, new in zip(own, theirs, strict=False):
                storage.write_numbers(mean, new.data)
        elif a["avg_fn"] is None:
            machine.call(a["multi_avg_fn"] or _several(_share), (own, theirs, count), {})
        else:
            for mean, new in zip(own, theirs, strict=True):
                storage.write_numbers(mean, machine.call(a["avg_fn"], (mean, new, count), {}).data)
    if not a["use_buffers"]:
        for (_, mean), (_, new) in zip(named_buffers(a["module"]), named_buffers(model), strict=True):
            storage.write_numbers(mean, new.data)
    storage.write(count, count.data + 1)


def update_bn(machine: Machine, loader: Any, model: Instance, device: Any = None) -> None:
    """The statistics of all batch norms, gathered anew in one pass."""
    norms = [module for _, module in named_modules(model) if module.cls.has("reset_running_stats")]
    momenta = [module.attributes["momentum"] for module in norms]
    if not norms:
        return
    was_training = model.attributes["training"]
    for module in norms:
        machine.call(Bound(module.cls.find("reset_running_stats"), module), (), {})
        module.attributes["momentum"] = None
    model.special("train", True)
    with machine.tape.grad_mode(False):
        for batch in machine.each(machine.listed(loader)):
            machine.call(model, (batch[0] if isinstance(batch, list | tuple) else batch,), {})
    for module, momentum in zip(norms, momenta, strict=True):
        module.attributes["momentum"] = momentum
    model.special("train", was_training)


# ---- the schedule ----


ANNEAL: dict[str, Callable[[float], float]] = {
    "cos": lambda t: (1 - math.cos(math.pi * t)) / 2,
    "linear": lambda t: t,
}


def _schedule(base: Class) -> Class:
    begin = base.attributes["__init__"].run

    def init(
        self: Instance, optimizer: Any, swa_lr: Any, anneal_epochs: int = 10, anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:  # fmt: skip
        given = optimizer.attributes["param_groups"]
        rates = list(swa_lr) if isinstance(swa_lr, list | tuple) else [swa_lr] * len(given)
        for group, rate in zip(given, rates, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ANNEAL:
            raise TorchError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}", kind="ValueError"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise TorchError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}", kind="ValueError")
        self.attributes |= {"_anneal_strategy": anneal_strategy, "anneal_epochs": anneal_epochs}
        begin(self, optimizer, last_epoch)

    return Class("SWALR", (base,), methods({"__init__": init, "get_lr": _rates}), module=MODULE)


def _rates(self: Instance) -> list[float]:
    warn_of_get_lr(self)
    anneal, rounds = ANNEAL[self.attributes["_anneal_strategy"]], self.attributes["anneal_epochs"]
    step = self.attributes["_step_count"] - 1
    step = max(1, step) if rounds == 0 else step
    before, now = (anneal(max(0, min(1, at / max(1, rounds)))) for at in (step - 1, step))
    found = []
    for group in groups(self):
        lr, goal = group["lr"], group["swa_lr"]
        start = goal if before == 1 else (lr - before * goal) / (1 - before)
        found.append(goal * now + start * (1 - now))
    return found
