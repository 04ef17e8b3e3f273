"""`enum`: classes whose attributes are their only objects."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.script import extended
from gradviz.script.machine import Machine
from gradviz.script.names.library.making import methods, natives, plain_class
from gradviz.script.values import Bound, Class, Function, Instance, Namespace, Native, OnClass, Property, Static


class Auto:
    """`auto()`: the next number."""


def _is_member(name: str, value: Any) -> bool:
    if name[:1] in "_ " or isinstance(value, Function | Property | Static | OnClass | Native | Class):
        return False
    return not (isinstance(value, Instance) and value.cls.has("__get__"))


def derive(machine: Machine, cls: Class) -> None:
    """Turn the attributes of a class derived from Enum into its members."""
    base = extended.builtin_base(cls)
    members: dict[str, Any] = {}
    last: Any = 0
    for name, given in [pair for pair in cls.attributes.items() if _is_member(*pair)]:
        value = _next(cls, name, last) if isinstance(given, Auto) else given
        last = value if isinstance(value, int) else last
        alike = next((one for one in members.values() if one.attributes["_value_"] == value), None)
        members[name] = cls.attributes[name] = alike if alike is not None else _member(machine, cls, base, name, value)
    cls.members = members if members else None
    if base is not None and not any(known.name in ("IntEnum", "StrEnum") for known in cls.mro):
        plain = next(known for known in cls.mro if known.name == "Enum").attributes
        for name in ("__str__", "__repr__"):
            cls.attributes.setdefault(name, plain[name])
    if members:
        found = _composed if _is_flag(cls) else _found
        cls.make = Native(cls.name, lambda given: found(cls, given))


def _next(cls: Class, name: str, last: Any) -> Any:
    if _is_flag(cls):
        return 1 << last.bit_length()
    return name.lower() if any(base.name == "StrEnum" for base in cls.mro) else last + 1


def _member(machine: Machine, cls: Class, base: Class | None, name: str | None, value: Any) -> Instance:
    made = Instance(cls, machine) if base is None else extended.make(machine, cls, base, (value,), {})
    made.attributes.update(_value_=value, _name_=name)
    begin = cls.attributes.get("__init__")
    if begin is not None:
        machine.call(Bound(begin, made), value if isinstance(value, tuple) else (value,), {})
    return made


def _found(cls: Class, given: Any) -> Any:
    for member in cls:
        if member is given or member.attributes["_value_"] == given:
            return member
    raise TorchError(f"{given!r} is not a valid {cls.qualname}", kind="ValueError")


def _is_flag(cls: Class) -> bool:
    return any(base.name == "Flag" and base.module == "enum" for base in cls.mro)


def _composed(cls: Class, value: int) -> Any:
    """A member of a Flag, or several of them as one."""
    one = next((member for member in cls if member.attributes["_value_"] == value), None)
    if one is not None:
        return one
    first = next(iter(cls))
    names = [m.attributes["_name_"] for m in cls if m.attributes["_value_"] & value]
    made = _member(first.machine, cls, extended.builtin_base(cls), "|".join(names) or None, value)
    kept = cls.attributes.setdefault(" composed", {})
    return kept.setdefault(value, made)


def _combined(operation: Callable[[int, int], int]) -> Callable[..., Any]:
    def run(self: Instance, other: Any) -> Any:
        if not isinstance(other, Instance) or other.cls is not self.cls:
            return NotImplemented
        return _composed(self.cls, operation(self.attributes["_value_"], other.attributes["_value_"]))

    return run


def _inverted(self: Instance) -> Any:
    every = functools.reduce(operator.or_, (m.attributes["_value_"] for m in self.cls), 0)
    return _composed(self.cls, every & ~self.attributes["_value_"])


def _flag_text(self: Instance) -> str:
    name = self.attributes["_name_"]
    return f"{self.cls.name}.{name}" if name else f"{self.cls.name}(0)"


def _flag_repr(self: Instance) -> str:
    name = self.attributes["_name_"]
    return f"<{self.cls.name}{f'.{name}' if name else ''}: {self.attributes['_value_']}>"


def _holds(self: Instance, other: Instance) -> bool:
    return bool(other.attributes["_value_"] & ~self.attributes["_value_"] == 0)


FLAGS: dict[str, Callable[..., Any]] = {
    "__or__": _combined(operator.or_), "__and__": _combined(operator.and_), "__xor__": _combined(operator.xor),
    "__invert__": _inverted, "__bool__": lambda self: bool(self.attributes["_value_"]), "__contains__": _holds,
    "__str__": _flag_text, "__repr__": _flag_repr,
}  # fmt: skip


def _text(self: Instance) -> str:
    return f"{self.cls.name}.{self.attributes['_name_']}"


def _repr(self: Instance) -> str:
    return f"<{self.cls.name}.{self.attributes['_name_']}: {self.attributes['_value_']!r}>"


def _plain_text(self: Instance) -> str:
    return str(self.attributes["_value_"])


def module(machine: Machine) -> Namespace:
    """The names."""
    shown = {
        "name": Property(Native("name", lambda self: self.attributes["_name_"], is_method=True)),
        "value": Property(Native("value", lambda self: self.attributes["_value_"], is_method=True)),
        "__repr__": Native("__repr__", _repr, is_method=True),
        "__str__": Native("__str__", _text, is_method=True),
        "__hash__": Native("__hash__", lambda self: hash(self.attributes["_name_"]), is_method=True),
    }
    enum = plain_class(machine, "Enum", "enum", shown)
    enum.derived = derive
    plain = {"__str__": Native("__str__", _plain_text, is_method=True)}
    whole = Class("IntEnum", (machine.builtins["int"], enum), {**shown, **plain}, module="enum")
    text = Class("StrEnum", (machine.builtins["str"], enum), {**shown, **plain}, module="enum")
    flag = Class("Flag", (enum,), methods(FLAGS), module="enum")
    return Namespace("enum", {
        "Flag": flag, "Enum": enum, "IntEnum": whole, "StrEnum": text, "EnumMeta": Class("EnumMeta", module="enum"),
        **natives({"auto": Auto, "unique": lambda cls: cls}),
    })  # fmt: skip
