"""What stands around a model in PyTorch: saving, compiling, profiling, mixed precision, other devices and processes.

None of it changes what is computed here. What a script could miss is told on the error stream.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.errors import ScriptError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.data import namespace as data
from gradviz.imitation.script.names.distributions import namespace as distributions
from gradviz.imitation.script.names.library.files import tell
from gradviz.imitation.script.names.library.late import Late
from gradviz.imitation.script.names.library.making import natives, with_machine
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.names.nn.inside import types
from gradviz.imitation.script.names.torch import amp, checkpointing
from gradviz.imitation.script.names.torch.generators import namespace as random
from gradviz.imitation.script.names.torch.pytree_text import PYTREE
from gradviz.imitation.script.names.torch.saving import load, save, serialization
from gradviz.imitation.script.names.torch.testing import namespace as testing
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.torch_values import Handle, Scoped
from gradviz.imitation.script.values import Class, Namespace, Native

# ---- compiling ----


def unchanged(name: str) -> Callable[..., Any]:
    """`torch.compile` and the like: gives the function back."""

    def run(machine: Machine, function: Any = None, *_: Any, **__: Any) -> Any:
        tell(machine, f"{name} changes nothing: the function runs as it is written")
        return Native(name, lambda inner: inner) if function is None else function

    return run


def _compiler() -> Namespace:
    """`torch.compiler`: nothing is ever being compiled here."""
    asked = ("is_compiling", "is_dynamo_compiling", "is_exporting")
    marks = ("disable", "allow_in_graph", "assume_constant_result")
    return Namespace("torch.compiler", natives({
        **dict.fromkeys(asked, lambda: False),
        **dict.fromkeys(marks, lambda fn=None, *_, **__: Native("disable", lambda x: x) if fn is None else fn),
        **dict.fromkeys(("reset", "cudagraph_mark_step_begin"), lambda: None),
    }))  # fmt: skip


def _jit(machine: Machine) -> Namespace:
    same = ("script", "trace", "freeze", "optimize_for_inference")
    marks = ("ignore", "unused", "export", "interface")
    return Namespace("torch.jit", {
        **with_machine({name: unchanged(f"torch.jit.{name}") for name in same}),
        **natives({name: lambda function=None, **_: function for name in marks}),
        **with_machine({"save": save, "load": load}),
        **natives({name: lambda: False for name in ("is_scripting", "is_tracing")}),
        "ScriptModule": machine.state["Module"],
    })  # fmt: skip


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


def _label(name: str, *_: Any) -> Scoped:
    return Scoped(
        "record_function", lambda: None, lambda _: None, gives="itself", module="torch.autograd.profiler"
    )  # fmt: skip


def profiler(machine: Machine, name: str) -> Namespace:
    """`torch.profiler` and `torch.autograd.profiler`."""
    kinds = Namespace("ProfilerActivity", {"CPU": "CPU", "CUDA": "CUDA"})
    return Namespace(name, {
        **with_machine({"profile": _profile}), "ProfilerActivity": kinds,
        **natives({"record_function": _label, "schedule": lambda **_: None}),
        **natives({"tensorboard_trace_handler": lambda *_: None}),
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


def pytree(machine: Machine) -> Late:
    """`torch.utils._pytree`."""
    name = "torch.utils._pytree"

    def read() -> dict[str, Any]:
        of_collections = machine.modules["collections"].members
        kinds = {kind: of_collections[kind] for kind in ("namedtuple", "OrderedDict", "defaultdict", "deque")}
        return run_text(machine, PYTREE, {**machine.builtins, **kinds, "torch": machine.modules["torch"]}, name)

    return Late(name, read)


def beside(machine: Machine) -> Namespace:
    """`torch.utils`."""
    return Namespace("torch.utils", {
        "_pytree": pytree(machine), "data": data(machine), "checkpoint": checkpointing.namespace(machine),
        "hooks": Namespace("torch.utils.hooks", {
            "RemovableHandle": Class("RemovableHandle", python=(Handle,), module="torch.utils.hooks"),
        }),
        "tensorboard": Namespace("torch.utils.tensorboard", {"SummaryWriter": Silent("tensorboard", machine)}),
    })  # fmt: skip


def install(machine: Machine, members: dict[str, Any]) -> None:
    """Put all of it into torch's members."""
    members |= with_machine({"save": save, "load": load, "compile": unchanged("torch.compile")})
    members |= amp.members()
    no = Native("is_available", lambda: False)
    members |= {
        "jit": _jit(machine), "compiler": _compiler(), "amp": amp.namespace(machine, "torch.amp"),
        "profiler": profiler(machine, "torch.profiler"),
        "version": Namespace("torch.version", {"cuda": None, "hip": None, "debug": False, "git_version": ""}),
        "distributed": elsewhere(
            "torch.distributed", DISTRIBUTED, "There is one process here.", is_available=no,
            is_initialized=Native("is_initialized", lambda: False),
        ),
        "multiprocessing": elsewhere(
            "torch.multiprocessing", ("spawn", "Process", "Queue", "Pool", "set_start_method"),
            "There is one process here.", cpu_count=Native("cpu_count", lambda: 1),
        ),
        "onnx": elsewhere("torch.onnx", ("export", "dynamo_export"), "gradviz exports JSON and pictures by itself."),
        "hub": elsewhere("torch.hub", ("load", "list"), "A script cannot reach the network here."),
        "serialization": serialization(machine),
        "__version__": "2.13.0+cpu",
    }  # fmt: skip

    members["utils"] = beside(machine)
    members["types"] = types(machine)
    members["testing"] = testing(machine)
    members["random"] = random(machine, members)
    members["distributions"] = distributions(machine)
    here = {"amp": amp.namespace(machine, "torch.cpu.amp"), "is_available": Native("is_available", lambda: True)}
    members["cpu"] = Namespace("torch.cpu", here)
    members["cuda"].members["amp"] = amp.namespace(machine, "torch.cuda.amp")
    members["autograd"].members["profiler"] = profiler(machine, "torch.autograd.profiler")
