"""`nn.Parameter` and `nn.Buffer`."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.memory.storage import alias
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.values import Class, Native, type_name


def is_parameter(x: Any) -> bool:
    """Whether it is an nn.Parameter."""
    return isinstance(x, Tensor) and x.extra is not None and x.extra.is_parameter


def new_parameter(machine: Machine, array: Any, requires_grad: bool = True) -> Tensor:
    """A parameter around an array, which is taken, not copied."""
    leaf = machine.tensor(array, requires_grad=requires_grad)
    leaf.more.is_parameter = True
    return leaf


def parameter_class(machine: Machine) -> Class:
    """`nn.Parameter`; `nn.Buffer` goes with it under "(buffer)"."""

    def make(data: Any = None, requires_grad: bool = True) -> Tensor:
        if data is None:
            return new_parameter(machine, np.zeros(0, np.float32), requires_grad)
        if not isinstance(data, Tensor):
            raise TorchError(f"'{type_name(data)}' object has no attribute 'detach'", kind="AttributeError")
        leaf = machine.made(alias(data, tracked=True))
        if requires_grad:
            machine.tape.leaf(leaf)
        leaf.more.is_parameter = True
        return leaf

    buffers: dict[int, Tensor] = machine.state.setdefault("buffers", {})

    def make_buffer(data: Any = None, *, persistent: bool = True) -> Tensor:
        made = machine.tensor(np.zeros(0, np.float32) if data is None else np.array(data.data)[()])
        buffers[id(made)] = made
        return made

    buffer = Class("Buffer", make=Native("Buffer", make_buffer), module="torch.nn.parameter")
    return Class(
        "Parameter",
        python=(Tensor,),
        attributes={"(buffer)": buffer},
        make=Native("Parameter", make),
        module="torch.nn.parameter",
    )
