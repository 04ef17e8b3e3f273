"""The names to call, by family: taken from the tables that scripts are read with, so they grow with them."""

from __future__ import annotations

import functools
from typing import Any

from gradviz.imitation.script import run
from gradviz.imitation.script.callables import Function
from gradviz.imitation.script.machine import Limits, Machine
from gradviz.imitation.script.tensors.members import TENSOR_METHODS
from gradviz.imitation.script.values import Class, Namespace, Native

PATHS = {
    "torch": "torch",
    "functional": "torch.nn.functional",
    "linalg": "torch.linalg",
    "special": "torch.special",
    "modules": "torch.nn",
    "optim": "torch.optim",
    "schedulers": "torch.optim.lr_scheduler",
    "init": "torch.nn.init",
    "func": "torch.func",
    "autograd": "torch.autograd.functional",
    "distributions": "torch.distributions",
}
"""Where the names of a family stand; those of "tensor" are the methods of tensors."""
FAMILIES = ("torch", "tensor", *[family for family in PATHS if family != "torch"])
CLASSES = ("modules", "optim", "schedulers", "distributions")
"""Families of classes: one is constructed first, and then called or used."""

UNTOLD = {
    *("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "new", "resize_", "resize_as_"),
    *("native_dropout", "seed", "initial_seed"),
}
"""What shows memory that nobody wrote, or another number each time."""
OUTSIDE = {
    *("save", "load", "from_file", "share_memory_", "is_shared", "data_ptr", "storage", "untyped_storage"),
    *("get_num_threads", "set_num_threads", "get_num_interop_threads", "set_num_interop_threads", "compile"),
    *("typed_storage", "get_rng_state", "set_rng_state", "pin_memory"),
}
"""What tells of the machine or writes files."""
LASTING = {
    *("set_default_dtype", "set_default_device", "set_default_tensor_type", "set_printoptions", "set_grad_enabled"),
    *("use_deterministic_algorithms", "set_deterministic_debug_mode", "set_flush_denormal", "manual_seed"),
    *("set_float32_matmul_precision", "set_warn_always", "set_anomaly_enabled"),
}
"""What changes how later calls are answered."""
SKIPPED = UNTOLD | OUTSIDE | LASTING | {"Module", "Parameter", "Buffer", "UninitializedParameter"}


@functools.cache
def _torch() -> Any:
    machine = Machine(Limits(), lambda: False, 0)
    run.install(machine)
    return machine.modules["torch"]


def _members(path: str) -> dict[str, Any]:
    found = _torch()
    for part in path.split(".")[1:]:
        found = found.members[part]
    assert isinstance(found, Namespace)
    return found.members


def names(family: str) -> list[str]:
    """The names of a family that are called, sorted.

    Raises:
        KeyError: there is no such family.
    """
    if family == "tensor":
        found = list(TENSOR_METHODS)
    else:
        kind = Class if family in CLASSES else Native | Function
        found = [name for name, value in _members(PATHS[family]).items() if isinstance(value, kind)]
    return sorted(name for name in found if name not in SKIPPED and not name.startswith("_"))
