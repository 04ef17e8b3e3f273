"""`torch.nn` and `torch.optim` put into torch's members."""

from __future__ import annotations

from typing import Any

from gradviz.engine.functions import NEURAL
from gradviz.script.in_place import NEURAL_IN_PLACE
from gradviz.script.machine import Machine
from gradviz.script.names import nn, optim
from gradviz.script.names.nn.books import named_parameters
from gradviz.script.names.nn.parameter import is_parameter


def install(machine: Machine, members: dict[str, Any]) -> None:
    """Put `nn` and `optim` into torch's members."""
    members["nn"] = nn.namespace(machine, {**NEURAL, **NEURAL_IN_PLACE})
    members["optim"] = optim.namespace(machine)


__all__ = ["install", "is_parameter", "named_parameters"]
