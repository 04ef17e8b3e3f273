"""`torch.autograd` as a script sees it."""

from __future__ import annotations

from typing import Any

from gradviz.engine import autograd
from gradviz.engine.functions.conversion import detach
from gradviz.engine.tensor import Tensor
from gradviz.engine.warn import warn
from gradviz.script.machine import Machine
from gradviz.script.names import custom, functional, grad_modes, gradchecks, graph_names
from gradviz.script.names.autograd_calls import backward, grad
from gradviz.script.values import Namespace, Native

VOLATILE = "volatile was removed and now has no effect. Use `with torch.no_grad():` instead."


def variable(machine: Machine, data: Any = None, requires_grad: bool = False, volatile: bool | None = None) -> Tensor:
    """`Variable(tensor)` of old code: the tensor, with its flag set."""
    if volatile:
        warn(VOLATILE)
    x = data if isinstance(data, Tensor) and data.op is None else detach(data)
    autograd.set_requires_grad(x, requires_grad)
    return x


def namespace(machine: Machine, switches: dict[str, Any]) -> Namespace:
    """The module; `switches` are those that `torch` has too."""
    function_class = custom.function_class(machine)
    once = Native("once_differentiable", custom.once_differentiable, needs_machine=True)
    variables = {"Variable": Native("Variable", variable, needs_machine=True)}
    return Namespace(
        "torch.autograd",
        {
            "grad": Native("grad", grad, needs_machine=True),
            "backward": Native("backward", backward, needs_machine=True),
            "Function": function_class,
            **variables,
            **switches,
            **grad_modes.anomaly_names(machine),
            **gradchecks.names(machine),
            "function": Namespace("torch.autograd.function", {"Function": function_class, "once_differentiable": once}),
            "functional": Namespace("torch.autograd.functional", functional.names(machine)),
            "graph": graph_names.namespace(machine),
            "variable": Namespace("torch.autograd.variable", variables),
            "grad_mode": Namespace("torch.autograd.grad_mode", switches),
        },
    )
