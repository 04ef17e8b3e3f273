"""`torch.autograd` as a script sees it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.memory import storage
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd import custom, forward_mode, functional, grad_modes, gradchecks, graph
from gradviz.imitation.script.names.autograd.calls import backward, grad
from gradviz.imitation.script.values import Class, Namespace, Native, type_name

VOLATILE = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


def variable(machine: Machine, data: Any = None, requires_grad: bool = False, volatile: bool | None = None) -> Tensor:
    """`Variable(tensor)` of old code: another tensor in the same memory, with its flag set."""
    if volatile:
        warn(VOLATILE)
    if data is None:
        data = machine.tensor(np.zeros(0, np.float32))
    if not isinstance(data, Tensor):
        raise TorchError(f"Variable data has to be a tensor, but got {type_name(data)}", kind="TypeError")
    if requires_grad and data.dtype.kind not in FLOATING:
        raise TorchError("Only Tensors of floating point and complex dtype can require gradients")
    x = machine.made(storage.alias(data, tracked=True))
    autograd.set_requires_grad(x, requires_grad)
    return x


def namespace(machine: Machine, switches: dict[str, Any]) -> Namespace:
    """The module; `switches` are those that `torch` has too."""
    bases = custom.base_classes(machine)
    function_class = custom.function_class(machine, tuple(bases.values()))
    once = Native("once_differentiable", custom.once_differentiable, needs_machine=True)
    make = Native("Variable", variable, needs_machine=True)
    variables = {"Variable": Class("Variable", python=(Tensor,), make=make, module="torch.autograd.variable")}
    threads, switch = grad_modes.thread_names(machine), "set_multithreading_enabled"
    return Namespace(
        "torch.autograd",
        {
            "grad": Native("grad", grad, needs_machine=True),
            "backward": Native("backward", backward, needs_machine=True),
            "Function": function_class,
            **variables,
            **switches,
            **grad_modes.anomaly_names(machine),
            **threads,
            **gradchecks.names(machine),
            "function": Namespace(
                "torch.autograd.function",
                {
                    "Function": function_class,
                    "once_differentiable": once,
                    **bases,
                },
            ),
            "functional": Namespace("torch.autograd.functional", functional.names(machine)),
            "graph": graph.namespace(machine),
            "variable": Namespace("torch.autograd.variable", variables),
            "forward_ad": forward_mode.namespace(machine),
            "grad_mode": Namespace("torch.autograd.grad_mode", {**switches, switch: threads[switch]}),
        },
    )
