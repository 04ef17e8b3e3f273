"""What spreads work over devices, where there is the CPU alone: `DataParallel`, and which kernel attention may take."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.late import Late
from gradviz.imitation.script.names.library.making import refusal
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.names.nn.register import add_module
from gradviz.imitation.script.values import Class, Instance, Namespace, Native

KERNELS = """
from contextlib import contextmanager

class SDPBackend:
    def __init__(self, name, value):
        self.name, self.value = name, value
    def __repr__(self):
        return f"<SDPBackend.{self.name}: {self.value}>"
    def __str__(self):
        return f"SDPBackend.{self.name}"
    def __int__(self):
        return self.value

for value, name in enumerate(
    ("ERROR", "MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION", "OVERRIDEABLE"), -1
):
    setattr(SDPBackend, name, SDPBackend(name, value))

@contextmanager
def sdpa_kernel(backends, set_priority=False):
    assert isinstance(backends, (list, SDPBackend)), (
        f"Backend must be an instance of SDPBackend or a list of SDPBackend instances, got {type(backends).__name__}"
    )
    yield {}
"""
"""Every kernel gives the same numbers on the CPU, so the choice changes nothing.

Source: torch/nn/attention/__init__.py.
"""


def data_parallel(kinds: Kinds) -> Class:
    """`DataParallel`: without other devices it calls the module that it holds."""

    def begin(
        self: Instance, module: Any, device_ids: Any = None, output_device: Any = None, dim: int = 0
    ) -> dict[str, Any]:  # fmt: skip
        add_module(self, "module", module)
        return {"device_ids": []}

    def forward(self: Instance, *inputs: Any, **kwargs: Any) -> Any:
        return self.machine.call(self.attributes["module"], inputs, kwargs)

    made = kinds.cls("DataParallel", begin, None)
    made.module = "torch.nn.parallel.data_parallel"
    made.attributes["forward"] = Native("DataParallel.forward", forward, is_method=True)
    return made


def parallel_namespace(data_parallel: Class) -> Namespace:
    """`torch.nn.parallel`."""
    name = "torch.nn.parallel.DistributedDataParallel"
    distributed = refusal(name, "There is one process here.")
    return Namespace("torch.nn.parallel", {"DataParallel": data_parallel, "DistributedDataParallel": distributed})


def attention_kernels(machine: Machine) -> Late:
    """`torch.nn.attention`."""
    name = "torch.nn.attention"
    return Late(name, lambda: run_text(machine, KERNELS, {**machine.builtins}, name))
