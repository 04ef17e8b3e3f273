"""What the containers of modules and of parameters share: the names and values they hold, and their classes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradviz.imitation.engine.kind_names import short_name
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.books import books, is_module, own
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.values import Class, Instance, Native

SPOKEN = ("forward", "__call__", "pop", "fromkeys")
"""Methods that messages name with their class."""


def container(kinds: Kinds, name: str, init: Any, **methods: Any) -> Class:
    """A container's class."""
    made = kinds.cls(name, init, None, None, "container")
    spelled = {key: f"{name}.{key}" if key in SPOKEN else key for key in methods}
    made.attributes.update({key: Native(spelled[key], run, is_method=True) for key, run in methods.items()})
    return made


def is_of(module: Instance, name: str) -> bool:
    return any(cls.name == name for cls in module.cls.mro)


def is_iterable(value: Any) -> bool:
    if isinstance(value, Instance):
        return value.cls.has("__iter__")
    return isinstance(value, Tensor) or hasattr(value, "__iter__")


def iterable(module: Instance, given: Any, called: str) -> list[Any]:
    if not is_iterable(given):
        raise TorchError(f"{called} should be called with an iterable, but got {short_name(given)}", kind="TypeError")
    return module.machine.listed(given)


def pairs(module: Instance, given: Any, kind: str) -> list[tuple[Any, Any]]:
    """The names and values that `update` is given, as a dict, a container or pairs."""
    if isinstance(given, dict):
        return list(given.items())
    if isinstance(given, Instance) and given.cls.has("items"):
        return module.machine.listed(given.special("items"))
    if not is_iterable(given):
        plural = "s" if kind == "Parameter" else ""
        called = f"{kind}{plural}Dict.update should be called with an iterable of key/value pairs"
        raise TorchError(f"{called}, but got {short_name(given)}", kind="TypeError")
    found = module.machine.listed(given)
    for number, pair in enumerate(found):
        what = f"{kind}Dict update sequence element #{number}"
        if not is_iterable(pair):
            raise TorchError(f"{what} should be Iterable; is{short_name(pair)}", kind="TypeError")
        if len(pair) != 2:
            raise TorchError(f"{what} has length {len(pair)}; 2 is required", kind="ValueError")
    return found


def held(module: Instance) -> list[tuple[str, Any]]:
    if is_of(module, "ParameterList"):  # which takes anything
        return own(module, lambda name, value: name.isdigit())
    if is_of(module, "ParameterDict"):  # so does this
        return own(module, lambda name, value: name != "training")
    vacant = books(module).vacant
    return own(module, lambda name, value: is_module(value) or isinstance(value, Tensor) or name in vacant)


def keys(module: Instance) -> Iterator[str]:
    return iter([name for name, _ in held(module)])


def get_key(module: Instance, key: str) -> Any:
    found = dict(held(module))
    if key not in found:
        raise TorchError(repr(key), kind="KeyError")
    return found[key]


def get_or(module: Instance, key: str, default: Any = None) -> Any:
    return dict(held(module)).get(key, default)


def delete_key(module: Instance, key: str) -> None:
    get_key(module, key)
    del module.attributes[key]


def pop_key(module: Instance, key: str) -> Any:
    found = get_key(module, key)
    del module.attributes[key]
    return found


def clear(module: Instance) -> None:
    for name, _ in held(module):
        del module.attributes[name]


NAMED: dict[str, Any] = {
    "__len__": lambda m: len(held(m)),
    "__iter__": keys,
    "keys": lambda m: dict(held(m)).keys(),
    "values": lambda m: dict(held(m)).values(),
    "items": lambda m: dict(held(m)).items(),
    "__contains__": lambda m, key: key in dict(held(m)),
}
"""Methods of what holds its values by name."""
