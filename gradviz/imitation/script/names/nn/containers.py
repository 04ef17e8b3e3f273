"""Modules that hold modules or parameters: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from gradviz.imitation.engine.kind_names import short_name
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.books import is_module, places
from gradviz.imitation.script.names.nn.held import (
    NAMED,
    clear,
    container,
    delete_key,
    get_key,
    is_of,
    iterable,
    pairs,
    pop_key,
)
from gradviz.imitation.script.names.nn.kinds import Kinds, prepare
from gradviz.imitation.script.names.nn.parameter_containers import parameter_containers
from gradviz.imitation.script.names.nn.register import add_module
from gradviz.imitation.script.names.nn.text import list_text
from gradviz.imitation.script.values import Class, Instance


def container_classes(kinds: Kinds) -> dict[str, Class]:
    """All of them by name."""

    listed: dict[str, Any] = {
        "__len__": lambda m: len(places(m)), "__iter__": _values, "__getitem__": _get_item,
        "__setitem__": _set_item, "__delitem__": _delete_item, "append": _append, "extend": _extend, "insert": _insert,
        "__contains__": lambda m, x: any(child is x for _, child in places(m)), "pop": _pop,
        "__iadd__": _extend,
    }  # fmt: skip
    chained = {"insert": _insert_between, "extend": _extend_chain}
    return {
        "Sequential": container(
            kinds, "Sequential", _sequential, forward=_forward, __add__=_chained, __mul__=_repeated, __rmul__=_repeated,
            **listed | chained,
        ),
        "ModuleList": container(kinds, "ModuleList", _module_list, __repr__=list_text, __add__=_joined, **listed),
        "ModuleDict": container(
            kinds, "ModuleDict", _module_dict, update=_update, __getitem__=get_key, __setitem__=add_module,
            __delitem__=delete_key, pop=pop_key, clear=clear, **NAMED,
        ),
        **parameter_containers(kinds),
    }  # fmt: skip


# ---- in order ----


def _sequential(module: Instance, *modules: Any) -> None:
    if len(modules) == 1 and isinstance(modules[0], OrderedDict):
        _update(module, modules[0])
        return
    for number, inner in enumerate(modules):
        add_module(module, str(number), inner)


def _module_list(module: Instance, modules: Any = None) -> None:
    if modules is not None:
        _extend(module, modules)


def _forward(module: Instance, input: Any) -> Any:
    for _, inner in places(module):
        input = module.machine.call(inner, (input,), {})
    return input


def _values(module: Instance) -> Iterator[Instance | None]:
    return iter([child for _, child in places(module)])


def _place(module: Instance, index: Any) -> str:
    held = places(module)
    if not isinstance(index, int):
        raise TorchError(f"'{short_name(index)}' object cannot be interpreted as an integer", kind="TypeError")
    if not -len(held) <= index < len(held):
        raise TorchError(f"index {index} is out of range", kind="IndexError")
    return held[index][0]


def _get_item(module: Instance, index: Any) -> Any:
    if not isinstance(index, slice):
        return module.attributes[_place(module, index)]
    part = Instance(module.cls, module.machine)
    prepare(part)
    for number, (name, child) in enumerate(places(module)[index]):
        add_module(part, name if is_of(module, "Sequential") else str(number), child)
    return part


def _set_item(module: Instance, index: int, child: Any) -> None:
    name = _place(module, index)
    if not is_module(child):
        raise TorchError(f"cannot assign '{short_name(child)}' as child module '{name}'", kind="TypeError")
    module.attributes[name] = child


def _delete_item(module: Instance, index: Any) -> None:
    held = places(module)
    names = [name for name, _ in held[index]] if isinstance(index, slice) else [_place(module, index)]
    _replace(module, [child for name, child in held if name not in names])


def _replace(module: Instance, modules: list[Any]) -> None:
    """Number the modules anew."""
    for name, _ in places(module):
        del module.attributes[name]
    for number, child in enumerate(modules):
        add_module(module, str(number), child)


def _append(self: Instance, module: Any) -> Instance:
    add_module(self, str(len(places(self))), module)
    return self


def _extend(module: Instance, modules: Any) -> Instance:
    for child in iterable(module, modules, "ModuleList.extend"):
        _append(module, child)
    return module


def _extend_chain(module: Instance, sequential: Any) -> Instance:
    """`extend` of a Sequential, which leaves the words to Python."""
    for child in module.machine.listed(sequential):
        _append(module, child)
    return module


def _insert_between(module: Instance, index: int, child: Any) -> Instance:
    """`insert` of a Sequential, which looks at what it is given."""
    if not is_module(child):
        known = "<class 'torch.nn.modules.module.Module'>"
        raise TorchError(f"module should be of type: {known}", kind="AssertionError")
    count = len(places(module))
    if not -count <= index <= count:
        raise TorchError(f"Index out of range: {index}", kind="IndexError")
    place = index + count if index < 0 else index
    _make_room(module, place)
    add_module(module, str(place), child)
    return module


def _make_room(module: Instance, index: int) -> None:
    """Each module from there on takes the next number, the last first; those before must bear their numbers."""
    names = [name for name, _ in places(module)]
    for number in range(len(names), index, -1):
        if str(number - 1) not in module.attributes:
            raise TorchError(f"'{number - 1}'", kind="KeyError", hint="A module that has a name cannot be moved.")
        add_module(module, str(number), module.attributes[str(number - 1)])


def _insert(module: Instance, index: int, child: Any) -> Any:
    modules = [inner for _, inner in places(module)]
    modules.insert(index, child)
    _replace(module, modules)
    return module if is_of(module, "Sequential") else None


def _joined(module: Instance, other: Any) -> Instance:
    """`+`: a new list of both, numbered anew."""
    part = Instance(module.cls, module.machine)
    prepare(part)
    return _extend(_extend(part, module), other)


def _chained(module: Instance, other: Any) -> Instance:
    if not is_module(other) or all(cls.attributes.get("__add__") is None for cls in other.cls.mro):
        kind = repr(module.machine.call(module.machine.builtins["type"], (other,), {}))
        raise TorchError(
            f"add operator supports only objects of Sequential class, but {kind} is given.", kind="ValueError"
        )
    return _joined(module, other)


def _repeated(module: Instance, count: Any) -> Instance:
    """`*`: the same modules several times over."""
    kinds = [repr(module.machine.call(module.machine.builtins["type"], (x,), {})) for x in (module, count)]
    if not isinstance(count, int):
        raise TorchError(f"unsupported operand type(s) for *: {kinds[0]} and {kinds[1]}", kind="TypeError")
    if count <= 0:
        raise TorchError(f"Non-positive multiplication factor {count} for {kinds[0]}", kind="ValueError")
    part = Instance(module.cls, module.machine)
    prepare(part)
    for _ in range(count):
        module.machine.spend(1)
        _extend(part, module)
    return part


def _pop(module: Instance, key: int) -> Any:
    found = module.attributes[_place(module, key)]
    _delete_item(module, key)
    return found


# ---- by name ----


def _module_dict(module: Instance, modules: Any = None) -> None:
    if modules is not None:
        _update(module, modules)


def _update(module: Instance, modules: Any) -> None:
    for name, child in pairs(module, modules, "Module"):
        add_module(module, name, child)
