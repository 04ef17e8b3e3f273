"""`nn.utils.parametrize`, `parametrizations`, `prune` and `fusion`: weights that are worked out of others.

PyTorch has them in Python, and so has this: they are read by the machine itself, so that a script's own
parametrizations are called, overridden and counted as its other modules are. What changes the class of an object is
here. Names that nobody asks for cost nothing: the text is read at the first look.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.copies import deep
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.late import Late
from gradviz.imitation.script.names.library.making import methods, natives, with_machine
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.names.nn.books import BOOKS
from gradviz.imitation.script.names.nn.fusion_text import FUSION
from gradviz.imitation.script.names.nn.orthogonal_text import MAPS
from gradviz.imitation.script.names.nn.parametrized_text import KINDS, PARAMETRIZE
from gradviz.imitation.script.names.nn.pruning_text import PRUNE
from gradviz.imitation.script.names.nn.weight_hooks import by_length
from gradviz.imitation.script.values import Class, Instance, Property


class Worked(dict[str, Any]):
    """The attributes of a module some of whose weights are worked out: those are properties of its class."""

    def __init__(self, held: dict[str, Any], module: Instance) -> None:
        super().__init__(held)
        self._module = module

    def __missing__(self, name: str) -> Any:
        found = self._module.cls.find(name)
        if not isinstance(found, Property):
            raise KeyError(name)
        return self._module.machine.call(found.getter, (self._module,), {})


def _copied(machine: Machine) -> Any:
    def copy(self: Instance, memo: dict[int, Any]) -> Instance:
        made = Instance(self.cls, machine)
        memo[id(self)] = made
        made.attributes = Worked(deep(machine, dict(self.attributes), memo), made)
        return made

    return copy


def inject_class(machine: Machine, module: Instance) -> None:
    """Give a module a class of its own, derived from the one it has."""
    table = methods({"__deepcopy__": _copied(machine), "__getstate__": _refuse_state})
    name = f"Parametrized{module.cls.name}"
    module.cls = Class(name, (module.cls,), table, module="torch.nn.utils.parametrize")
    module.attributes = Worked(module.attributes, module)


def _refuse_state(module: Instance) -> None:
    raise TorchError(
        "Serialization of parametrized modules is only supported through state_dict(). See:\n"
        "https://pytorch.org/tutorials/beginner/saving_loading_models.html"
        "#saving-loading-a-general-checkpoint-for-inference-and-or-resuming-training"
    )


def inject_property(machine: Machine, module: Instance, name: str, getter: Any, setter: Any) -> None:
    """Make an attribute of a module one that is worked out."""
    module.cls.attributes[name] = Property(getter, setter)


def take_out(machine: Machine, module: Instance, name: str) -> None:
    """Forget a parameter or buffer, or a property that took its place."""
    if name in module.attributes:
        module.attributes[BOOKS].buffers.pop(name, None)
        del module.attributes[name]
    else:
        del module.cls.attributes[name]


def restore_class(machine: Machine, module: Instance) -> None:
    """Give a module the class back that it had."""
    del module.attributes["parametrizations"]
    module.cls = module.cls.bases[0]
    module.attributes = dict(module.attributes)


def geqrf(machine: Machine, A: Tensor) -> tuple[Tensor, Tensor]:
    """Reflectors below the diagonal of R, and their factors."""
    reflectors, tau = np.linalg.qr(A.data, mode="raw")
    return machine.tensor(np.ascontiguousarray(reflectors.swapaxes(-1, -2))), machine.tensor(tau)


OURS = with_machine({
    "inject_class": inject_class, "inject_property": inject_property, "take_out": take_out,
    "restore_class": restore_class, "geqrf": geqrf,
}) | natives({"weight_norm_of": by_length})  # fmt: skip


def _read(machine: Machine, text: str, module: str, **more: Any) -> dict[str, Any]:
    torch = machine.modules["torch"].members
    nn = torch["nn"].members
    names = {"torch": machine.modules["torch"], "nn": torch["nn"], "F": nn["functional"], **OURS, **more}
    return run_text(machine, text, {**machine.builtins, **names}, module)


def parametrize(machine: Machine) -> Late:
    """`torch.nn.utils.parametrize`."""
    return Late("torch.nn.utils.parametrize", lambda: _read(machine, PARAMETRIZE, "torch.nn.utils.parametrize"))


def parametrizations(machine: Machine, core: Late) -> Late:
    """`torch.nn.utils.parametrizations`."""
    name = "torch.nn.utils.parametrizations"
    return Late(name, lambda: _read(machine, KINDS + MAPS, name, parametrize=core))


def prune(machine: Machine) -> Late:
    """`torch.nn.utils.prune`."""
    name = "torch.nn.utils.prune"
    return Late(name, lambda: _read(machine, PRUNE, name))


def fusion(machine: Machine) -> Late:
    """`torch.nn.utils.fusion`."""
    name = "torch.nn.utils.fusion"
    return Late(name, lambda: _read(machine, FUSION, name))
