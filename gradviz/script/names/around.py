"""What stands around a model in PyTorch: saving, compiling, profiling, mixed precision, other devices and processes.

None of it changes what is computed here. What a script could miss is told on the error stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.errors import ScriptError, TorchError
from gradviz.script import attributes
from gradviz.script.machine import Machine
from gradviz.script.managed import Managed
from gradviz.script.names import checkpointing
from gradviz.script.names.data import namespace as data
from gradviz.script.names.devices import device
from gradviz.script.names.distributions import namespace as distributions
from gradviz.script.names.library.making import methods, natives, plain_class, with_machine
from gradviz.script.names.nn.register import path_of
from gradviz.script.names.saving import load, save, serialization, tell
from gradviz.script.names.streams import namespace as random
from gradviz.script.names.testing import namespace as testing
from gradviz.script.silent import Silent
from gradviz.script.values import Class, Instance, Namespace, Native

# ---- compiling ----


def unchanged(name: str) -> Callable[..., Any]:
    """`torch.compile` and the like: gives the function back."""

    def run(machine: Machine, function: Any = None, *_: Any, **__: Any) -> Any:
        tell(machine, f"{name} changes nothing: the function runs as it is written")
        return Native(name, lambda inner: inner) if function is None else function

    return run


def _jit(machine: Machine) -> Namespace:
    same = ("script", "trace", "freeze", "optimize_for_inference")
    marks = ("ignore", "unused", "export", "interface")
    return Namespace("torch.jit", {
        **with_machine({name: unchanged(f"torch.jit.{name}") for name in same}),
        **natives({name: lambda function=None, **_: function for name in marks}),
        **with_machine({"save": save, "load": load}),
        "ScriptModule": machine.state["Module"],
    })  # fmt: skip


# ---- mixed precision ----


def _autocast(machine: Machine, device_type: Any, dtype: Any = None, enabled: bool = True, **_: Any) -> Managed:
    """`torch.autocast`: switched off, as PyTorch does where there is no such device."""
    if not isinstance(device_type, str):
        kind = f"<class '{path_of(device_type)}'>"
        raise TorchError(f"Expected `device_type` of type `str`, got: `{kind}`", kind="ValueError")
    device(device_type)
    if enabled and device_type == "cpu":
        raise ScriptError(
            "autocast on the CPU is not supported by gradviz", hint="Leave it out: float32 is used throughout."
        )
    if enabled and device_type == "cuda":
        machine.warnings.warn(NO_CAST)
    return Managed("autocast", lambda: None, lambda _: False, lambda: _autocast(machine, device_type, enabled=False))


def _is_cast(device_type: Any = "cuda") -> bool:
    """`torch.is_autocast_enabled`."""
    device(device_type)
    return False


OLD_AMP = "`torch.cuda.amp.{0}(args...)` is deprecated. Please use `torch.amp.{0}('cuda', args...)` instead."
NO_CAST = "CUDA is not available or torch_xla is imported. Disabling autocast."


def _old_autocast(machine: Machine, enabled: bool = True, *_: Any, **__: Any) -> Managed:
    """`torch.cuda.amp.autocast`."""
    machine.warnings.warn(OLD_AMP.format("autocast"), "FutureWarning")
    if enabled:
        machine.warnings.warn(NO_CAST, "UserWarning", once=True)
    return _autocast(machine, "cuda", enabled=False)


def _scaler(machine: Machine, *, is_old: bool) -> Class:
    def begin(self: Instance, *_: Any, enabled: bool = True, **__: Any) -> None:
        if is_old:
            machine.warnings.warn(OLD_AMP.format("GradScaler"), "FutureWarning")
        if enabled:
            machine.warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")

    def step(self: Instance, optimizer: Any, *given: Any, **named: Any) -> Any:
        return machine.call(attributes.get(machine, optimizer, "step"), given, named)

    table = methods({
        "__init__": begin, "scale": lambda self, outputs: outputs, "step": step, "update": lambda self, *_: None,
        "unscale_": lambda self, optimizer: None, "get_scale": lambda self: 1.0, "is_enabled": lambda self: False,
        "state_dict": lambda self: {}, "load_state_dict": lambda self, state: None,
    })  # fmt: skip
    return plain_class(machine, "GradScaler", "torch.amp.grad_scaler", table)


def _amp(machine: Machine, name: str) -> Namespace:
    is_old = name != "torch.amp"
    cast = Native("autocast", _old_autocast if is_old else _autocast, needs_machine=True)
    return Namespace(name, {"GradScaler": _scaler(machine, is_old=is_old), "autocast": cast})


# ---- profiling ----


def _profile(machine: Machine, *_: Any, **__: Any) -> Managed:
    """A profiler that measures nothing."""
    tell(machine, "the profiler measures nothing here")
    table = natives({"table": lambda *_, **__: "(no times are measured here)\n", "total_average": lambda: None})
    averages = Native("key_averages", lambda *_, **__: Namespace("EventList", table))
    made = Managed("torch.profiler.profile", lambda: made, lambda _: False)
    made.members = {"key_averages": averages, **natives({
        "step": lambda: None, "export_chrome_trace": lambda path: None, "start": lambda: None, "stop": lambda: None,
        "table": table["table"].run,
    })}  # fmt: skip
    return made


def profiler(machine: Machine, name: str) -> Namespace:
    """`torch.profiler` and `torch.autograd.profiler`."""
    label = Native("record_function", lambda name, *_: Managed("record_function", lambda: None, lambda _: False))
    kinds = Namespace("ProfilerActivity", {"CPU": "CPU", "CUDA": "CUDA"})
    return Namespace(name, {
        **with_machine({"profile": _profile}), "record_function": label, "ProfilerActivity": kinds,
        **natives({"schedule": lambda **_: None, "tensorboard_trace_handler": lambda *_: None}),
    })  # fmt: skip


# ---- elsewhere ----


def elsewhere(name: str, words: tuple[str, ...], why: str, **facts: Any) -> Namespace:
    """A module of PyTorch that needs other devices or processes: a call ends the run with one sentence."""

    def refused(word: str) -> Native:
        def run(*_: Any, **__: Any) -> None:
            raise ScriptError(f"'{name}.{word}' is not supported by gradviz", hint=why)

        return Native(word, run)

    return Namespace(name, {**{word: refused(word) for word in words}, **facts})


DISTRIBUTED = ("init_process_group", "all_reduce", "barrier", "broadcast", "get_world_size", "get_rank", "all_gather",
               "reduce", "send", "recv", "destroy_process_group", "new_group")  # fmt: skip


def beside(machine: Machine) -> Namespace:
    """`torch.utils`."""
    return Namespace("torch.utils", {
        "data": data(machine), "checkpoint": checkpointing.namespace(machine),
        "tensorboard": Namespace("torch.utils.tensorboard", {"SummaryWriter": Silent("tensorboard", machine)}),
    })  # fmt: skip


def install(machine: Machine, members: dict[str, Any]) -> None:
    """Put all of it into torch's members."""
    members |= with_machine({"save": save, "load": load, "compile": unchanged("torch.compile"), "autocast": _autocast})
    members |= natives({"is_autocast_enabled": _is_cast})
    no = Native("is_available", lambda: False)
    members |= {
        "jit": _jit(machine), "amp": _amp(machine, "torch.amp"), "profiler": profiler(machine, "torch.profiler"),
        "version": Namespace("torch.version", {"cuda": None, "hip": None, "debug": False, "git_version": ""}),
        "distributed": elsewhere(
            "torch.distributed", DISTRIBUTED, "There is one process here.", is_available=no,
            is_initialized=Native("is_initialized", lambda: False),
        ),
        "multiprocessing": elsewhere(
            "torch.multiprocessing", ("spawn", "Process", "Queue", "Pool", "set_start_method"),
            "There is one process here.", cpu_count=Native("cpu_count", lambda: 1),
        ),
        "onnx": elsewhere("torch.onnx", ("export", "dynamo_export"), "gradviz exports JSON, PNG and SVG by itself."),
        "hub": elsewhere("torch.hub", ("load", "list"), "A script cannot reach the network here."),
        "serialization": serialization(machine),
        "__version__": "2.13.0+cpu",
    }  # fmt: skip

    members["utils"] = beside(machine)
    members["testing"] = testing(machine)
    members["random"] = random(machine, members)
    members["distributions"] = distributions(machine)
    members["cuda"].members["amp"] = _amp(machine, "torch.cuda.amp")
    members["autograd"].members["profiler"] = profiler(machine, "torch.autograd.profiler")
