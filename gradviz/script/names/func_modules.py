"""`torch.func.functional_call` and `stack_module_state`: modules with other parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.machine import Machine
from gradviz.script.names.nn.books import named_buffers, named_modules, named_parameters
from gradviz.script.values import Instance


def functional_call(
    machine: Machine,
    module: Instance,
    parameter_and_buffer_dicts: Any,
    args: Any = None,
    kwargs: Any = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """The module called with other parameters and buffers, which it has for this call only.

    Raises:
        TorchError: a name that the module has not got.
    """
    dicts = parameter_and_buffer_dicts
    given = dicts if isinstance(dicts, dict) else {name: x for one in dicts for name, x in one.items()}
    owners = dict(named_modules(module))
    places = [_place(owners, module, name) for name in given]
    before = [owner.attributes[name] for owner, name in places]
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    try:
        for (owner, name), value in zip(places, given.values(), strict=True):
            owner.attributes[name] = value
        return machine.call(module, arguments, kwargs or {})
    finally:
        for (owner, name), value in zip(places, before, strict=True):
            owner.attributes[name] = value


def _place(owners: dict[str, Instance], module: Instance, path: str) -> tuple[Instance, str]:
    """The module that holds a parameter, and its name there."""
    outer, _, name = path.rpartition(".")
    owner = owners.get(outer)
    if owner is None or not isinstance(owner.attributes.get(name), Tensor):
        raise TorchError(f"{module.cls.name} has no attribute `{path}`", kind="AttributeError")
    return owner, name


def stack_module_state(machine: Machine, models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and buffers of several modules of one kind, stacked."""
    found = []
    for names in (named_parameters, named_buffers):
        tables = [dict(names(model)) for model in models]
        found.append({
            key: machine.tensor(
                np.stack([table[key].data for table in tables]), requires_grad=tables[0][key].requires_grad
            )
            for key in tables[0]
        })  # fmt: skip
    return found[0], found[1]
