"""Modules that hold modules or parameters: Sequential, ModuleList, ModuleDict, ParameterList, ParameterDict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from gradviz.engine.dtypes import type_name as tensor_kind
from gradviz.engine.kind_names import short_name
from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.names.nn.books import books, is_module, own, places
from gradviz.script.names.nn.kinds import Kinds, prepare
from gradviz.script.names.nn.parameter import is_parameter, new_parameter
from gradviz.script.names.nn.register import add_module
from gradviz.script.names.nn.text import list_text
from gradviz.script.values import Class, Instance, Native


def container_classes(kinds: Kinds) -> dict[str, Class]:
    """All of them by name."""

    def make(name: str, init: Any, **methods: Any) -> Class:
        made = kinds.cls(name, init, None, None, "container")
        # the name that messages about `forward` give
        spelled = {key: f"{name}.forward" if key == "forward" else key for key in methods}
        made.attributes.update({key: Native(spelled[key], run, is_method=True) for key, run in methods.items()})
        return made

    listed: dict[str, Any] = {
        "__len__": lambda m: len(places(m)), "__iter__": _values, "__getitem__": _get_item,
        "__setitem__": _set_item, "__delitem__": _delete_item, "append": _append, "extend": _extend, "insert": _insert,
        "__contains__": lambda m, x: any(child is x for _, child in places(m)), "pop": _pop,
        "__iadd__": _extend,
    }  # fmt: skip
    parameters: dict[str, Any] = {
        "forward": _not_called("ParameterList"),
        "__len__": lambda m: len(_held(m)), "__iter__": lambda m: iter([x for _, x in _held(m)]),
        "append": _append_parameter, "extend": _extend_parameters,
    }  # fmt: skip
    named: dict[str, Any] = {
        "__len__": lambda m: len(_held(m)),
        "__iter__": _keys,
        "keys": lambda m: dict(_held(m)).keys(),
        "values": lambda m: dict(_held(m)).values(),
        "items": lambda m: dict(_held(m)).items(),
        "__contains__": lambda m, key: key in dict(_held(m)),
    }
    return {
        "Sequential": make(
            "Sequential", _sequential, forward=_forward, __add__=_chained, __mul__=_repeated, __rmul__=_repeated,
            **listed | {"insert": _insert_between},
        ),
        "ModuleList": make("ModuleList", _module_list, __repr__=list_text, __add__=_joined, **listed),
        "ModuleDict": make(
            "ModuleDict", _module_dict, update=_update, __getitem__=_get_key, __setitem__=add_module,
            __delitem__=_delete_key, pop=_pop_key, get=_get_or, clear=_clear, **named,
        ),
        "ParameterList": make(
            "ParameterList", _parameter_list, extra_repr=_parameters_text("torch.{dtype} of size {size}"),
            __getitem__=_get_parameter, __setitem__=_set_parameter, **parameters,
        ),
        "ParameterDict": make(
            "ParameterDict", _parameter_dict, extra_repr=_parameters_text("torch.{kind}Tensor of size {size}"),
            update=_update_parameters, __getitem__=_get_key, __setitem__=_set_named, __delitem__=_delete_key,
            pop=_pop_key, get=_get_or, **named,
        ),
    }  # fmt: skip


def _not_called(name: str) -> Any:
    def refuse(*_: Any, **__: Any) -> None:
        raise TorchError(f"{name} should not be called.")

    return refuse


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
        add_module(part, name if module.cls.has("forward") else str(number), child)
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
    if not isinstance(modules, list | tuple | Instance | Iterator) or (
        isinstance(modules, Instance) and not modules.cls.has("__iter__")
    ):
        raise TorchError(
            f"ModuleList.extend should be called with an iterable, but got {short_name(modules)}", kind="TypeError"
        )
    for child in module.machine.listed(modules):
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
    return module if module.cls.has("forward") else None


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


def _clear(module: Instance) -> None:
    for name, _ in _held(module):
        del module.attributes[name]


def _pop(module: Instance, index: int = -1) -> Any:
    found = module.attributes[_place(module, index)]
    _delete_item(module, index)
    return found


# ---- by name ----


def _module_dict(module: Instance, modules: Any = None) -> None:
    if modules is not None:
        _update(module, modules)


def _update(module: Instance, modules: Any) -> None:
    for name, child in _pairs(module, modules, "Module"):
        add_module(module, name, child)


def _pairs(module: Instance, given: Any, kind: str) -> list[tuple[Any, Any]]:
    """The names and values that `update` is given, as a dict, a container or pairs."""
    if isinstance(given, dict):
        return list(given.items())
    if isinstance(given, Instance) and given.cls.has("items"):
        return module.machine.listed(given.special("items"))
    if not isinstance(given, Instance) and not hasattr(given, "__iter__"):
        plural = "s" if kind == "Parameter" else ""
        called = f"{kind}{plural}Dict.update should be called with an iterable of key/value pairs"
        raise TorchError(f"{called}, but got {short_name(given)}", kind="TypeError")
    pairs = module.machine.listed(given)
    for number, pair in enumerate(pairs):
        what = f"{kind}Dict update sequence element #{number}"
        if not hasattr(pair, "__iter__"):
            raise TorchError(f"{what} should be Iterable; is{short_name(pair)}", kind="TypeError")
        if len(pair) != 2:
            raise TorchError(f"{what} has length {len(pair)}; 2 is required", kind="ValueError")
    return pairs


def _held(module: Instance) -> list[tuple[str, Any]]:
    if any(cls.name == "ParameterList" for cls in module.cls.mro):  # which takes anything
        return own(module, lambda name, value: name.isdigit())
    vacant = books(module).vacant
    return own(module, lambda name, value: is_module(value) or isinstance(value, Tensor) or name in vacant)


def _keys(module: Instance) -> Iterator[str]:
    return iter([name for name, _ in _held(module)])


def _get_key(module: Instance, key: str) -> Any:
    held = dict(_held(module))
    if key not in held:
        raise TorchError(repr(key), kind="KeyError")
    return held[key]


def _get_or(module: Instance, key: str, default: Any = None) -> Any:
    return dict(_held(module)).get(key, default)


def _delete_key(module: Instance, key: str) -> None:
    _get_key(module, key)
    del module.attributes[key]


def _pop_key(module: Instance, key: str) -> Any:
    found = _get_key(module, key)
    del module.attributes[key]
    return found


# ---- parameters ----


def _parameter_list(module: Instance, values: Any = None) -> None:
    if values is not None:
        _extend_parameters(module, values)


def _as_parameter(module: Instance, value: Any) -> Any:
    """A plain tensor becomes a parameter, as PyTorch makes it one."""
    if isinstance(value, Tensor) and not is_parameter(value):
        return new_parameter(module.machine, value.data)
    return value


def _set_named(module: Instance, key: str, value: Any) -> None:
    found = _as_parameter(module, value)
    if isinstance(found, Tensor):
        module.machine.name(found, key, is_global=False)
    module.attributes[key] = found


def _append_parameter(module: Instance, value: Any) -> Instance:
    _set_named(module, str(len(_held(module))), value)
    return module


def _extend_parameters(module: Instance, values: Any) -> Instance:
    for value in module.machine.listed(values):
        _append_parameter(module, value)
    return module


def _get_parameter(module: Instance, index: Any) -> Any:
    held = [value for _, value in _held(module)]
    if isinstance(index, slice):
        part = Instance(module.cls, module.machine)
        prepare(part)
        for value in held[index]:
            _append_parameter(part, value)
        return part
    if not -len(held) <= index < len(held):
        raise TorchError(f"index {index} is out of range", kind="IndexError")
    return held[index]


def _set_parameter(module: Instance, index: int, value: Any) -> None:
    _set_named(module, str(index % max(len(_held(module)), 1)), value)


def _parameter_dict(module: Instance, parameters: Any = None) -> None:
    if parameters is not None:
        _update_parameters(module, parameters)


def _update_parameters(module: Instance, parameters: Any) -> None:
    for name, value in _pairs(module, parameters, "Parameter"):
        if not isinstance(name, str):
            raise TorchError(
                "Index given to ParameterDict cannot be used as a key as it is not a string (type is "
                f"'{short_name(name)}'). Open an issue on github if you need non-string keys.",
                kind="TypeError",
            )
        _set_named(module, name, value)


def _parameters_text(form: str) -> Any:
    def text(module: Instance) -> str:
        lines = []
        for name, value in _held(module):
            if not isinstance(value, Tensor):
                lines.append(f"  ({name}): Object of type: {short_name(value)}")
                continue
            kind, dtype = tensor_kind(value.dtype), value.dtype.name
            size = "x".join(map(str, value.shape))
            what = "Parameter" if is_parameter(value) else "Tensor"
            lines.append(f"  ({name}): {what} containing: [{form.format(kind=kind, dtype=dtype, size=size)}]")
        return "\n".join(lines)

    return text
