"""`torch.save` and `torch.load`: what is saved stays in memory, where the same run finds it."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.copies import deep
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.library.containers import DefaultDict
from gradviz.imitation.script.names.library.files import files_of, keep
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.names.library.streams import Kept
from gradviz.imitation.script.values import Class, Function, Instance, Namespace, Native

SAFE = "safe globals"
"""Under this name, what `add_safe_globals` was given."""


def save(machine: Machine, obj: Any, f: Any, *_: Any, **__: Any) -> None:
    """`torch.save`: kept in memory, for `torch.load` of the same name."""
    copied = deep(machine, _without_graph(machine, obj))
    if isinstance(f, Kept):
        f.value, f.is_full = copied, True
        return
    keep(machine, f, copied, "torch.load")


def _without_graph(machine: Machine, obj: Any) -> Any:
    if isinstance(obj, Tensor) and obj.op is not None and obj.requires_grad:
        return machine.call(attributes.get(machine, obj, "detach"), (), {})
    return obj


def load(
    machine: Machine, f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: Any = None, **_: Any
) -> Any:
    """`torch.load` of what this run has saved.

    Raises:
        TorchError: it has saved nothing by that name, or more than weights, which has to be asked for.
    """
    if isinstance(f, Kept):
        if not f.is_full:
            raise TorchError("Ran out of input", kind="EOFError")
        return _checked(machine, f.value, weights_only)
    files = files_of(machine)
    if f not in files:
        raise TorchError(
            f"[Errno 2] No such file or directory: '{f}'", kind="FileNotFoundError",
            hint="A script cannot read files here; only what it saved itself is found.",
        )  # fmt: skip
    return _checked(machine, files[f], weights_only)


REFUSED = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps "
    "only if you trust the source of the checkpoint\x1b[0m. \n\t(1) In PyTorch 2.6, we changed the default value "
    "of the `weights_only` argument in `torch.load` from `False` to `True`. Re-running `torch.load` with "
    "`weights_only` set to `False` will likely succeed, but it can result in arbitrary code execution. Do it only "
    "if you got the file from a trusted source.\n\t(2) Alternatively, to load with `weights_only=True` please "
    "check the recommended steps in the following error message.\n\tWeightsUnpickler error: Unsupported global: "
    "GLOBAL {name} was not an allowed global by default. Please use "
    "`torch.serialization.add_safe_globals([{name}])` or the `torch.serialization.safe_globals([{name}])` context "
    "manager to allowlist this global if you trust this class/function.\n\nCheck the documentation of torch.load "
    "to learn more about types accepted by default with weights_only "
    "https://pytorch.org/docs/stable/generated/torch.load.html."
)


def _checked(machine: Machine, value: Any, weights_only: Any) -> Any:
    """A copy of what was saved, if all of it may be loaded."""
    name = "" if weights_only is False else _not_a_weight(machine, value)
    if name:
        raise TorchError(
            REFUSED.format(name=name),
            kind="_pickle.UnpicklingError",
            hint="Save the state_dict, or load with weights_only=False.",
        )
    return deep(machine, value)


def _not_a_weight(machine: Machine, value: Any) -> str:
    """The name of the first class or function that PyTorch does not load unasked; "" where there is none."""
    safe, pending = machine.state.get(SAFE, ()), [value]
    while pending:
        found = pending.pop()
        name = _global(found)
        owner = found.cls if isinstance(found, Instance) else found
        if name and not any(owner is known for known in safe):
            return name
        if isinstance(found, dict):
            pending += [part for pair in reversed(found.items()) for part in reversed(pair)]
        elif isinstance(found, list | tuple | set):
            pending += reversed(list(found))
    return ""


def _global(value: Any) -> str:
    """What the file of a value would name, apart from tensors, numbers, texts and plain containers."""
    if isinstance(value, Instance | Class):
        cls = value if isinstance(value, Class) else value.cls
        return f"{cls.module}.{cls.qualname}" if cls.module else cls.qualname
    if isinstance(value, Function):
        return f"__main__.{value.qualname}"
    if isinstance(value, np.generic):
        return "numpy._core.multiarray.scalar"
    if isinstance(value, np.ndarray):
        return "numpy._core.multiarray._reconstruct"
    return next((name for kind, name in PLAIN.items() if isinstance(value, kind)), "")


PLAIN: dict[type, str] = {
    DefaultDict: "collections.defaultdict", deque: "collections.deque", range: "range", slice: "slice",
}  # fmt: skip


def serialization(machine: Machine) -> Namespace:
    """`torch.serialization`."""
    exceptions = machine.state["exceptions"]
    exceptions["_pickle.UnpicklingError"] = Class("UnpicklingError", (exceptions["Exception"],), {}, module="_pickle")

    def add(given: Any) -> None:
        machine.state.setdefault(SAFE, []).extend(machine.listed(given))

    def within(given: Any) -> Managed:
        before = list(machine.state.get(SAFE, ()))
        return Managed("safe_globals", lambda: add(given), lambda _: machine.state.update({SAFE: before}))

    return Namespace("torch.serialization", {
        "add_safe_globals": Native("add_safe_globals", add), "safe_globals": Native("safe_globals", within),
        "clear_safe_globals": Native("clear_safe_globals", lambda: machine.state.update({SAFE: []})),
        "get_safe_globals": Native("get_safe_globals", lambda: list(machine.state.get(SAFE, ()))),
        **with_machine({"save": save, "load": load}),
    })  # fmt: skip
