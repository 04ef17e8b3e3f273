"""`torch.func.functional_call` and `stack_module_state`: modules with other parameters."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.functions import FUNCTIONS as F
from gradviz.imitation.engine.kind_names import kind_name
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.engine.warn import warn
from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.func.checks import kind
from gradviz.imitation.script.names.nn.books import named_buffers, named_modules, named_parameters
from gradviz.imitation.script.values import Instance


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
    given = _joined(machine, parameter_and_buffer_dicts)
    if not isinstance(module, Instance):
        raise TorchError(f"'{kind_name(module)}' object has no attribute 'named_parameters'", kind="AttributeError")
    owners = dict(named_modules(module))
    if strict:
        _check_names(module, set(given))
    for name, x in given.items():
        _check_value(name, x, owners)
    given = {name: x for name, x in given.items() if _is_there(owners, name)}
    places = [_place(owners, name) for name in given]
    before = [owner.attributes[name] for owner, name in places]
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    try:
        for (owner, name), value in zip(places, given.values(), strict=True):
            owner.attributes[name] = value
        return machine.call(module, arguments, kwargs or {})
    finally:
        for (owner, name), value in zip(places, before, strict=True):
            owner.attributes[name] = value


def _joined(machine: Machine, dicts: Any) -> dict[str, Any]:
    """One dict of all parameters."""
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, list | tuple):
        raise TorchError(
            "Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got "
            f"{kind(machine, dicts)!r}",
            kind="ValueError",
        )
    if not all(isinstance(one, dict) for one in dicts):
        raise TorchError("Expected all elements of parameter_and_buffer_dicts to be dictionaries", kind="ValueError")
    names = [name for one in dicts for name in one]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        raise TorchError(
            f"{twice} appeared in multiple dictionaries; behavior of functional call is ambiguous", kind="ValueError"
        )
    return {name: x for one in dicts for name, x in one.items()}


def _check_value(path: str, value: Any, owners: dict[str, Instance]) -> None:
    """Raise for a name that leads through a module that there is not, or a value that is no tensor."""
    inside = ""
    for part in path.split(".")[:-1]:
        if (deeper := f"{inside}.{part}" if inside else part) not in owners:
            raise TorchError(f"{owners[inside].cls.name} has no attribute `{part}`", kind="AttributeError")
        inside = deeper
    if not isinstance(value, Tensor):
        raise TorchError(f"{value!r} is not an instance of torch.Tensor", kind="TypeError")


def _check_names(module: Instance, given: set[str]) -> None:
    known = {name for names in (named_parameters, named_buffers) for name, _ in names(module)}
    told = [
        f"{which} key(s): {', '.join(map(repr, sorted(names)))}."
        for which, names in (("Unexpected", given - known), ("Missing", known - given))
        if names
    ]
    if told:
        raise TorchError(f"Error(s) in reparametrizing for {module.cls.name}:\n\t" + "\n\t".join(told))


def _is_there(owners: dict[str, Instance], path: str) -> bool:
    outer, _, name = path.rpartition(".")
    return outer in owners and isinstance(owners[outer].attributes.get(name), Tensor)


def _place(owners: dict[str, Instance], path: str) -> tuple[Instance, str]:
    """The module that holds a parameter, and its name there."""
    outer, _, name = path.rpartition(".")
    return owners[outer], name


OLD = (
    "`torch.nn.utils.stateless.functional_call` is deprecated as of PyTorch 2.0 and will be removed in a future "
    "version of PyTorch. Please use `torch.func.functional_call` instead which is a drop-in replacement."
)


def stateless_call(machine: Machine, *given: Any, **named: Any) -> Any:
    """`torch.nn.utils.stateless.functional_call`."""
    warn(OLD, "FutureWarning")
    return functional_call(machine, *given, **named)


def stacked(parts: list[Tensor]) -> Any:
    """The numbers of several tensors, one after the other along a first dimension."""
    with parts[0].tape.grad_mode(False):
        return F["stack"](parts).data


def check_alike(models: list[Instance], who: str) -> None:
    """Raise unless there are models, all of one class and one mode."""
    if not models:
        raise TorchError(f"{who}: Expected at least one model, got 0.")
    if len({bool(model.attributes["training"]) for model in models}) > 1:
        raise TorchError(f"{who}: Expected all models to have the same training/eval mode.")
    if len({model.cls for model in models}) > 1:
        raise TorchError(f"{who}: Expected all models to be of the same class.")


def stack_module_state(machine: Machine, models: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters and buffers of several modules of one kind, stacked."""
    models = machine.listed(models)
    check_alike(models, "stack_module_state")
    found = []
    for names in (named_parameters, named_buffers):
        tables = [dict(names(model)) for model in models]
        found.append({
            key: machine.tensor(
                stacked([table[key] for table in tables]), requires_grad=tables[0][key].requires_grad
            )
            for key in tables[0]
        })  # fmt: skip
    return found[0], found[1]
