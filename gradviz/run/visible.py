"""What classes look like to a script: some real ones, which would lead around the gate, are shown as others.

Nothing here asks an object or class of a script: `type(x)` and the entries of `type` itself cannot be overridden.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

SCRIPT = "__main__"
"""The module of every class that a script makes; no script can give a class another one."""

module_of: Callable[[type], str] = type.__dict__["__module__"].__get__
"""The module that a class was made in."""


def home_of(kind: type) -> str:
    """The same, "" for the few classes that keep something else there."""
    home = module_of(kind)
    return home if type(home) is str else ""


bases_of: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__
"""A class and those that it derives from, `__mro__`."""


class Uncopied:
    """An object of this room: a copy of it is itself.

    `copy.deepcopy` takes a dict from the script, in which it leaves the dict of every object that it copies.
    """

    __slots__ = ()

    def __copy__(self) -> Any:
        return self

    def __deepcopy__(self, memo: object) -> Any:
        return self

    def __reduce_ex__(self, protocol: object) -> Any:
        raise TypeError(f"cannot pickle '{type(self).__name__}' object")


_SHOWN: dict[int, type] = {}
_REAL: dict[int, type] = {}
_KEPT: list[type] = []
_METACLASS: list[type] = []


def show_as(real: type, shown: type) -> None:
    """Let scripts see one class as another."""
    _SHOWN[id(real)] = shown
    _REAL.setdefault(id(shown), real)
    _KEPT.extend((real, shown))


def show_metaclasses_as(shown: type) -> None:
    """Let scripts see a metaclass of a library as this one."""
    _METACLASS.append(shown)


def visible(kind: Any) -> Any:
    """A class as scripts see it; anything that is no class as it is."""
    if not is_class(kind):
        return kind
    shown = _SHOWN.get(id(kind))
    if shown is not None:
        return shown
    if _METACLASS and module_of(kind) != SCRIPT and type in bases_of(kind) and id(kind) not in _REAL:
        return _METACLASS[0]
    return kind


def real(kind: Any) -> Any:
    """The class that is shown as this one."""
    return _REAL.get(id(kind), kind)


def is_class(value: object) -> bool:
    """Whether it is a class; `isinstance` would ask the object."""
    return type in bases_of(type(value))


def is_of_script(value: object) -> bool:
    """Whether it is an object of a class that the script made."""
    return module_of(type(value)) == SCRIPT


def is_script_class(value: object) -> bool:
    """Whether it is a class that the script made."""
    return is_class(value) and module_of(value) == SCRIPT  # type: ignore[arg-type] # it is a class


FILE = "<script "
"""How the file names begin that scripts are compiled with."""


def is_script_function(value: object) -> bool:
    """Whether it is a function that the script wrote."""
    return type(value) is FunctionType and value.__code__.co_filename.startswith(FILE)
