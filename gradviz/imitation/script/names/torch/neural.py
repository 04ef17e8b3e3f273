"""`torch.nn`, `torch.linalg` and `torch.optim` put into torch's members."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.functions import FUNCTIONS, NEURAL
from gradviz.imitation.engine.functions.families import LINALG
from gradviz.imitation.engine.functions.layers.direct import BENEATH
from gradviz.imitation.engine.functions.numbers.special import SAME, SPECIAL
from gradviz.imitation.engine.functions.pictures.convolution_gradients import GRADIENTS
from gradviz.imitation.script.arguments.checking import reader_of
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names import nn, optim
from gradviz.imitation.script.names.library.making import natives
from gradviz.imitation.script.names.nn import losses
from gradviz.imitation.script.names.nn.books import named_parameters
from gradviz.imitation.script.names.nn.parameter import is_parameter
from gradviz.imitation.script.names.nn.recurrent import CELL_FUNCTIONS
from gradviz.imitation.script.names.torch import drawn, dropout
from gradviz.imitation.script.tensors.in_place import NEURAL_IN_PLACE
from gradviz.imitation.script.values import Class, Namespace, Native

ALSO = (
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors", "cartesian_prod",
    "cdist", "chain_matmul", "einsum", "lu", "meshgrid", "norm", "split", "tensordot", "unique", "unique_consecutive",
    "unravel_index",
)  # fmt: skip
"""What `torch.functional` has, which is there once more under `torch`."""


def install(machine: Machine, members: dict[str, Any]) -> None:
    """Put `nn`, `linalg` and `optim` into torch's members."""
    drawing = {**dropout.functions(machine), **drawn.functional(machine)}
    members["nn"] = nn.namespace(machine, {**NEURAL, **NEURAL_IN_PLACE, **drawing, **losses.functions(machine)})
    members["linalg"] = Namespace("torch.linalg", {name: Native(name, run) for name, run in LINALG.items()})
    members["functional"] = Namespace("torch.functional", {name: members[name] for name in ALSO if name in members})
    special = {**SPECIAL, **{name: FUNCTIONS[name] for name in SAME}, "expit": FUNCTIONS["sigmoid"]}
    members["special"] = Namespace("torch.special", {name: Native(name, run) for name, run in special.items()})
    members |= natives(BENEATH | CELL_FUNCTIONS)
    inside = members["nn"].members
    for owner in (members["linalg"], members["special"], inside["functional"]):
        for name, member in owner.members.items():
            member.reader = reader_of(owner.name, name)
    inside["functional"].members["grad"] = inside["grad"] = Namespace("torch.nn.grad", natives(GRADIENTS))
    exceptions = machine.state["exceptions"]
    failed = exceptions["torch._C._LinAlgError"] = Class(
        "_LinAlgError", (exceptions["RuntimeError"],), {}, module="torch._C"
    )
    members["linalg"].members["LinAlgError"] = failed
    members["optim"] = optim.namespace(machine)


__all__ = ["install", "is_parameter", "named_parameters"]
