"""`isinstance` and `issubclass`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.hinting import PROTOCOL, Hint, Union
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.torch.neural import is_parameter
from gradviz.imitation.script.tensors.grad_nodes import GradNode, class_of
from gradviz.imitation.script.values import Class, Instance, Native, OnClass, Property, Static


def isinstance_(machine: Machine, x: Any, kinds: Any) -> bool:
    return any(_is_one(machine, x, kind) for kind in _kinds(kinds, "isinstance"))


def _is_one(machine: Machine, x: Any, kind: Class) -> bool:
    if kind.check is not None:
        return (isinstance(x, Instance) and x.cls.is_a(kind)) or kind.check(x)
    if isinstance(x, Instance) and x.cls is kind:
        return True
    asked = kind.meta.find("__instancecheck__") if kind.meta is not None else None
    if asked is not None:
        return bool(machine.call(asked, (kind, x), {}))
    if isinstance(x, Instance) and x.cls.is_a(kind):
        return True
    if kind.python and isinstance(x, kind.python):
        return kind.name != "Parameter" or is_parameter(x)
    if isinstance(x, GradNode):
        return class_of(machine, x).is_a(kind)
    return kind.name == "object"


def _kinds(kinds: Any, name: str) -> Iterator[Class]:
    """The classes that `isinstance` is asked for: one, a tuple of them in any depth, or a union."""
    if isinstance(kinds, tuple | Union) or (isinstance(kinds, Hint) and kinds.kinds):
        for kind in kinds if isinstance(kinds, tuple) else kinds.kinds:
            yield from _kinds(NONE_TYPE if kind is None else kind, name)
    elif isinstance(kinds, Hint) and kinds.origin is not None and "[" not in kinds.text:
        yield kinds.origin
    elif isinstance(kinds, Class):
        yield kinds
    elif isinstance(kinds, Native) and kinds.name in WRAPPERS:
        yield Class(kinds.name, python=(WRAPPERS[kinds.name],), module="")
    else:
        what = "type" if name == "isinstance" else "class"
        many = "types" if name == "isinstance" else "classes"
        raise TorchError(f"{name}() arg 2 must be a {what}, a tuple of {many}, or a union", kind="TypeError")


WRAPPERS: dict[str, type] = {"staticmethod": Static, "classmethod": OnClass, "property": Property}
"""What a class may hold around its functions; a script asks for it among the values of the class."""
NONE_TYPE = Class("NoneType", python=(type(None),), module="")


def issubclass_(machine: Machine, cls: Any, kinds: Any) -> bool:
    if not isinstance(cls, Class):
        raise TorchError("issubclass() arg 1 must be a class", kind="TypeError")
    wanted = list(_kinds(kinds, "issubclass"))
    return any(_is_derived(machine, cls, kind) for kind in wanted)


def _is_derived(machine: Machine, cls: Class, kind: Class) -> bool:
    asked = kind.meta.find("__subclasscheck__") if kind.meta is not None else None
    if asked is not None:
        return bool(machine.call(asked, (kind, cls), {}))
    return cls.is_a(kind) or kind.name == "object" or _is_below(cls, kind) or _has_all(cls, kind)


def _has_all(cls: Class, kind: Class) -> bool:
    """Whether a class can do what a protocol asks for."""
    asked = kind.attributes.get(PROTOCOL)
    return asked is not None and kind.check is not None and all(cls.has(name) for name in asked)


def _is_below(cls: Class, kind: Class) -> bool:
    """Python's own types among themselves: `bool` is an `int`."""
    return any(issubclass(python, kind.python) for python in cls.python)
