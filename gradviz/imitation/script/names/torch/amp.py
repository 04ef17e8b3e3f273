"""Mixed precision: `torch.autocast`, `torch.amp` and `GradScaler`.

On the CPU a region casts (see `engine.functions.autocast`) and a scaler scales; on a device that is not there both are
switched off, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.dtypes import DTYPES
from gradviz.imitation.engine.functions.autocast import region_of
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import methods, natives, plain_class, with_machine
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.names.nn.register import path_of
from gradviz.imitation.script.names.torch.amp_text import CUSTOM
from gradviz.imitation.script.names.torch.devices import device
from gradviz.imitation.script.torch_values import DTypeName, LateDTypeName, Scoped
from gradviz.imitation.script.values import Class, Instance, Namespace, Native

OLD = "`torch.{1}.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}('{1}', args...)` instead."
NO_CUDA = "CUDA is not available or torch_xla is imported. Disabling autocast."
NO_DTYPE = (
    "In CPU autocast, but the target dtype is not supported. Disabling autocast.\n"
    "CPU Autocast only supports dtypes of torch.bfloat16, torch.float16 currently."
)
STANDARD = {"cpu": "bfloat16"}
"""The dtype of a region by its device; float16 on all others."""


def _autocast(
    machine: Machine, device_type: Any, dtype: Any = None, enabled: bool = True, cache_enabled: bool | None = None
) -> Scoped:
    """`torch.autocast`: on the CPU a region that casts; switched off where there is no such device."""
    if not isinstance(device_type, str):
        kind = f"<class '{path_of(device_type)}'>"
        raise TorchError(f"Expected `device_type` of type `str`, got: `{kind}`", kind="ValueError")
    device(device_type)
    is_here = device_type == "cpu"
    if enabled and device_type == "cuda":
        machine.warnings.warn(NO_CUDA)
    if enabled and is_here and isinstance(dtype, DTypeName) and dtype.dtype.itemsize != 2:
        machine.warnings.warn(NO_DTYPE)
        enabled = False
    region = region_of(machine.tape)
    keeps = region.keeps if cache_enabled is None else cache_enabled

    def enter() -> Any:
        if not is_here:
            return region.enter(region.dtype, keeps)
        wanted = dtype.dtype if isinstance(dtype, DTypeName) else DTYPES["bfloat16"]
        return region.enter(wanted if enabled else None, keeps)

    return Scoped("autocast", enter, region.leave, gives="itself", module="torch.amp.autocast_mode")


def _is_cast(machine: Machine, device_type: Any = "cuda") -> bool:
    """`torch.is_autocast_enabled`."""
    device(device_type)
    return device_type == "cpu" and region_of(machine.tape).dtype is not None


def _dtype(machine: Machine, device_type: str) -> DTypeName:
    """`torch.get_autocast_dtype`."""
    device(device_type)
    dtype = region_of(machine.tape).dtype if device_type == "cpu" else None
    return LateDTypeName(STANDARD.get(device_type, "float16")) if dtype is None else DTypeName(dtype)


def _set_enabled(machine: Machine, device_type: Any, enabled: Any = None) -> None:
    """`torch.set_autocast_enabled`."""
    if device_type == "cpu":
        region_of(machine.tape).dtype = DTYPES["bfloat16"] if enabled else None


def _old_autocast(where: str) -> Callable[..., Scoped]:
    """`torch.cuda.amp.autocast` and `torch.cpu.amp.autocast`."""

    def run(machine: Machine, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> Scoped:
        machine.warnings.warn(OLD.format("autocast", where), "FutureWarning")
        scoped = _autocast(machine, where, dtype, enabled, cache_enabled)
        scoped.module = f"torch.{where}.amp.autocast_mode"
        return scoped

    return run


def _old_name(name: str, new: str, run: Callable[..., Any]) -> Callable[..., Any]:
    """A name for the CPU alone, which warns."""

    def told(machine: Machine) -> Any:
        machine.warnings.warn(f"torch.{name}() is deprecated. Please use torch.{new}('cpu') instead.", OLD_KIND)
        return run(machine, "cpu")

    return told


OLD_KIND = "DeprecationWarning"


def members() -> dict[str, Any]:
    """What stands in `torch` itself."""
    return with_machine({
        "autocast": _autocast, "is_autocast_enabled": _is_cast, "get_autocast_dtype": _dtype,
        "set_autocast_enabled": _set_enabled,
        "is_autocast_cpu_enabled": _old_name("is_autocast_cpu_enabled", "is_autocast_enabled", _is_cast),
        "get_autocast_cpu_dtype": _old_name("get_autocast_cpu_dtype", "get_autocast_dtype", _dtype),
        "is_autocast_cache_enabled": lambda machine: region_of(machine.tape).keeps,
        "clear_autocast_cache": lambda machine: region_of(machine.tape).forget(),
    })  # fmt: skip


# ---- scaling the loss ----


class Scaler:
    """What a scaler knows.

    Attributes:
        found_inf: by optimizer (its id), whether its gradients are not finite; present once they are unscaled.
    """

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        *,
        enabled: bool = True,
    ) -> None:
        self.enabled = enabled
        self.scale = float(init_scale)
        self.growth_factor = growth_factor
        self.backoff_factor = backoff_factor
        self.growth_interval = growth_interval
        self.growth_tracker = 0
        self.found_inf: dict[int, bool] = {}
        self.stepped: set[int] = set()

    def update(self) -> None:
        """Grow after enough steps in turn that were finite, shrink after one that was not."""
        if any(self.found_inf.values()):
            self.scale *= self.backoff_factor
            self.growth_tracker = 0
        else:
            self.growth_tracker += 1
            if self.growth_tracker == self.growth_interval:
                self.scale *= self.growth_factor
                self.growth_tracker = 0
        self.found_inf.clear()
        self.stepped.clear()

    def state(self) -> dict[str, Any]:
        """`state_dict()`."""
        if not self.enabled:
            return {}
        return {
            "scale": self.scale, "growth_factor": self.growth_factor, "backoff_factor": self.backoff_factor,
            "growth_interval": self.growth_interval, "_growth_tracker": self.growth_tracker,
        }  # fmt: skip


def _of(self: Instance) -> Scaler:
    found: Scaler = self.attributes["_scaler"]
    return found


def _scaled(machine: Machine, self: Instance, outputs: Any) -> Any:
    scaler = _of(self)
    if not scaler.enabled:
        return outputs
    if isinstance(outputs, Tensor):
        return outputs * machine.tensor(np.float32(scaler.scale))
    return type(outputs)([_scaled(machine, self, x) for x in outputs])


def _gradients(machine: Machine, optimizer: Any) -> list[Tensor]:
    groups = attributes.get(machine, optimizer, "param_groups")
    return [p.grad for group in groups for p in group["params"] if p.grad is not None]


def _unscale(machine: Machine, self: Instance, optimizer: Any) -> None:
    scaler = _of(self)
    if not scaler.enabled:
        return
    if id(optimizer) in scaler.stepped:
        raise TorchError("unscale_() is being called after step().")
    if id(optimizer) in scaler.found_inf:
        raise TorchError("unscale_() has already been called on this optimizer since the last update().")
    gradients = _gradients(machine, optimizer)
    if not gradients:
        raise TorchError("No inf checks were recorded for this optimizer.", kind="AssertionError")
    scaler.found_inf[id(optimizer)] = any(not np.isfinite(g.data).all() for g in gradients)
    inverse = np.float32(1.0 / scaler.scale)
    for g in gradients:
        storage.write(g, (g.data.astype(np.float32) * inverse).astype(g.dtype))


def _step(machine: Machine, self: Instance, optimizer: Any, *given: Any, **named: Any) -> Any:
    scaler = _of(self)
    step = attributes.get(machine, optimizer, "step")
    if not scaler.enabled:
        return machine.call(step, given, named)
    if "closure" in named:
        raise TorchError("Closure use is not currently supported if GradScaler is enabled.")
    if id(optimizer) in scaler.stepped:
        raise TorchError("step() has already been called since the last update().")
    if id(optimizer) not in scaler.found_inf:
        _unscale(machine, self, optimizer)
    scaler.stepped.add(id(optimizer))
    return None if scaler.found_inf[id(optimizer)] else machine.call(step, given, named)


def _update(self: Instance, new_scale: Any = None) -> None:
    scaler = _of(self)
    if not scaler.enabled:
        return
    if new_scale is not None:
        scaler.scale = float(new_scale.data.item() if isinstance(new_scale, Tensor) else new_scale)
        scaler.found_inf.clear()
        scaler.stepped.clear()
        return
    if not scaler.found_inf:
        raise TorchError("No inf checks were recorded prior to update.", kind="AssertionError")
    scaler.update()


def _load(self: Instance, state: dict[str, Any]) -> None:
    scaler = _of(self)
    if not scaler.enabled:
        return
    if not state:
        raise TorchError(
            "The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler."
        )
    scaler.scale, scaler.growth_tracker = state["scale"], state["_growth_tracker"]
    scaler.growth_factor, scaler.backoff_factor = state["growth_factor"], state["backoff_factor"]
    scaler.growth_interval = state["growth_interval"]


def _asked(name: str) -> Callable[[Instance], Any]:
    return lambda self: getattr(_of(self), name)


def _scaler(machine: Machine, where: str) -> Class:
    """`GradScaler` of `torch.amp` ("") or of `torch.cuda.amp` and `torch.cpu.amp`."""

    def begin(self: Instance, *given: Any, **named: Any) -> None:
        if where:
            machine.warnings.warn(OLD.format("GradScaler", where), "FutureWarning")
            given = (where, *given)
        place = str(given[0] if given else named.pop("device", "cuda"))
        scaler = self.attributes["_scaler"] = Scaler(*given[1:], **named)
        if place != "cpu" and scaler.enabled:
            machine.warnings.warn(f"torch.{place}.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
            scaler.enabled = False

    def bound(run: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *given, **named: run(machine, *given, **named)

    table = methods({
        "scale": bound(_scaled), "unscale_": bound(_unscale), "step": bound(_step),
        "__init__": begin, "update": _update, "get_scale": lambda self: _of(self).scale if _of(self).enabled else 1.0,
        "is_enabled": _asked("enabled"), "get_growth_factor": _asked("growth_factor"),
        "get_backoff_factor": _asked("backoff_factor"), "get_growth_interval": _asked("growth_interval"),
        "state_dict": lambda self: _of(self).state(), "load_state_dict": _load,
    })  # fmt: skip
    home = f"torch.{where}.amp.grad_scaler" if where else "torch.amp.grad_scaler"
    return plain_class(machine, "GradScaler", home, table)


def _custom(machine: Machine, name: str) -> Native:
    """A decorator of `torch.amp` that is written in Python; the text is read at the first call."""

    def run(*given: Any, **named: Any) -> Any:
        if CUSTOM not in machine.state:
            names = {**machine.builtins, "torch": machine.modules["torch"], "warnings": machine.modules["warnings"]}
            machine.state[CUSTOM] = run_text(machine, CUSTOM, names, "torch.amp.autocast_mode")
        return machine.call(machine.state[CUSTOM][name], given, named)

    return Native(name, run)


def namespace(machine: Machine, name: str) -> Namespace:
    """`torch.amp`, `torch.cuda.amp` or `torch.cpu.amp`."""
    where = {"torch.cuda.amp": "cuda", "torch.cpu.amp": "cpu"}.get(name, "")
    cast = Native("autocast", _old_autocast(where) if where else _autocast, needs_machine=True)
    asked = natives({"is_autocast_available": lambda device_type: device(device_type) is not None})
    if where != "cpu":
        names = ("old_fwd", "old_bwd") if where else ("custom_fwd", "custom_bwd")
        asked |= dict(zip(("custom_fwd", "custom_bwd"), (_custom(machine, each) for each in names), strict=True))
    mode = Namespace(f"{name}.autocast_mode", {"autocast": cast, **asked})
    return Namespace(name, {"GradScaler": _scaler(machine, where), "autocast": cast, "autocast_mode": mode, **asked})


__all__ = ["members", "namespace"]
