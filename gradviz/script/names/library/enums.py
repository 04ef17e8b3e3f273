"""`enum`: classes whose attributes are their only objects."""

from __future__ import annotations

from typing import Any

from gradviz.errors import TorchError
from gradviz.script import extended
from gradviz.script.machine import Machine
from gradviz.script.names.library.making import natives, plain_class
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
    if members:
        cls.make = Native(cls.name, lambda given: _found(cls, given))


def _next(cls: Class, name: str, last: Any) -> Any:
    return name.lower() if any(base.name == "StrEnum" for base in cls.mro) else last + 1


def _member(machine: Machine, cls: Class, base: Class | None, name: str, value: Any) -> Instance:
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
    return Namespace("enum", {
        "Enum": enum, "IntEnum": whole, "StrEnum": text, "EnumMeta": Class("EnumMeta", module="enum"),
        **natives({"auto": Auto, "unique": lambda cls: cls}),
    })  # fmt: skip
