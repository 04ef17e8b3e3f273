"""`enum`: classes whose attributes are their only objects."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.classes import extended
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import methods, natives, plain_class
from gradviz.imitation.script.syntax.classes import make_class
from gradviz.imitation.script.values import (
    Bound,
    Class,
    Function,
    Instance,
    Namespace,
    Native,
    OnClass,
    Property,
    Static,
    type_name,
)


class Auto:
    """`auto()`: the next number."""


def _is_member(name: str, value: Any) -> bool:
    if name[:1] in "_ " or isinstance(value, Function | Property | Static | OnClass | Native | Class):
        return False
    return not (isinstance(value, Instance) and value.cls.has("__get__"))


class Space(dict[str, Any]):
    """The body of a class derived from Enum, where `auto()` is a number at once."""

    def __init__(self, machine: Machine, bases: list[Any]) -> None:
        super().__init__()
        self._machine = machine
        self._kinds = [known for base in bases if isinstance(base, Class) for known in base.mro]
        self._values: list[Any] = []

    def __setitem__(self, name: str, value: Any) -> None:
        if isinstance(value, Auto):
            value = self._next(name)
        elif isinstance(value, tuple) and any(isinstance(part, Auto) for part in value):
            value = tuple(self._next(name) if isinstance(part, Auto) else part for part in value)
        if _is_member(name, value):
            self._values.append(value)
        super().__setitem__(name, value)

    def _next(self, name: str) -> Any:
        own = self.get(NEXT) or next((cls.attributes[NEXT] for cls in self._kinds if NEXT in cls.attributes), None)
        if own is not None:
            function = own.function if isinstance(own, Static) else own
            return self._machine.call(function, (name, 1, len(self._values), list(self._values)), {})
        last = max((value for value in self._values if isinstance(value, int)), default=0)
        if any(known.name in ("Flag", "IntFlag") and known.module == "enum" for known in self._kinds):
            return 1 << last.bit_length()
        return name.lower() if any(known.name == "StrEnum" for known in self._kinds) else last + 1


NEXT = "_generate_next_value_"


def derive(machine: Machine, cls: Class) -> None:
    """Turn the attributes of a class derived from Enum into its members."""
    full = next((known for known in cls.mro[1:] if known.members), None)
    if full is not None:
        raise TorchError(f"<enum {cls.name!r}> cannot extend {full!r}", kind="TypeError")
    base = extended.builtin_base(cls)
    members: dict[str, Any] = {}
    for name, value in [pair for pair in cls.attributes.items() if _is_member(*pair)]:
        alike = next((one for one in members.values() if one.attributes["_value_"] == value), None)
        members[name] = cls.attributes[name] = alike if alike is not None else _member(machine, cls, base, name, value)
    cls.members = members if members else None
    own = [member for name, member in members.items() if member.attributes["_name_"] == name]
    cls.listed = own
    if _is_flag(cls):
        if sys.version_info < (3, 13):  # what is no number is refused, as Python did
            functools.reduce(operator.ior, (member.attributes["_value_"] for member in own), 0)
        cls.listed = [member for member in own if _is_one_bit(member.attributes["_value_"])]
    if base is not None and not any(known.name in ("IntEnum", "StrEnum", "IntFlag") for known in cls.mro):
        plain = next(known for known in cls.mro if known.name == "Enum").attributes
        for name in ("__str__", "__repr__"):
            cls.attributes.setdefault(name, plain[name])
    if members:
        found = _composed if _is_flag(cls) else _found
        cls.make = Native("EnumType.__call__", lambda value: found(machine, cls, value))


def _is_one_bit(value: Any) -> bool:
    return isinstance(value, int) and value > 0 and value.bit_count() == 1


def _member(machine: Machine, cls: Class, base: Class | None, name: str | None, value: Any) -> Any:
    given = value if isinstance(value, tuple) else (value,)
    taken = (given,) if base is not None and base.name == "tuple" else given
    new = cls.find("__new__")
    if isinstance(new, Static) and isinstance(new.function, Function):
        made = machine.call(new.function, (cls, *given), {})
        if not isinstance(made, Instance):
            raise TorchError(f"'{type_name(made)}' object has no attribute '_value_'", kind="AttributeError")
        value = made.attributes.get("_value_", value)
    elif base is None:
        made = Instance(cls, machine)
    else:
        made, value = extended.make(machine, cls, base, taken, {}), machine.call(base, taken, {})
    made.attributes.update(_value_=value, _name_=name)
    begin = cls.attributes.get("__init__")
    if begin is not None:
        machine.call(Bound(begin, made), given, {})
    return made


def _found(machine: Machine, cls: Class, given: Any) -> Any:
    for member in cls:
        if member is given or member.attributes["_value_"] == given:
            return member
    other = cls.find("_missing_")
    instead = None if other is None else machine.call(getattr(other, "function", other), (cls, given), {})
    if instead is not None:
        return instead
    raise TorchError(f"{given!r} is not a valid {cls.qualname}", kind="ValueError")


def _is_flag(cls: Class) -> bool:
    return any(base.name == "Flag" and base.module == "enum" for base in cls.mro)


def _composed(machine: Machine, cls: Class, value: int) -> Any:
    """A member of a Flag, or several of them as one."""
    one = next((member for member in cls if member.attributes["_value_"] == value), None)
    if one is not None:
        return one
    every = functools.reduce(operator.or_, (m.attributes["_value_"] for m in cls), 0)
    unknown = value & ~every
    if unknown and not _is_whole(cls):
        width = max(value.bit_length(), every.bit_length())
        given, allowed = (f"0b{0 if bits >= 0 else 1} {bits & ((1 << width) - 1):0{width}b}" for bits in (value, every))
        text = f"{cls!r} invalid value {value}\n    given {given}\n  allowed {allowed}"
        raise TorchError(text, kind="ValueError")
    names = [m.attributes["_name_"] for m in cls if m.attributes["_value_"] & value]
    if names and unknown:
        names.append(str(unknown))
    made = _member(machine, cls, extended.builtin_base(cls), "|".join(names) or None, value)
    kept = cls.attributes.setdefault(" composed", {})
    return kept.setdefault(value, made)


def _is_whole(cls: Class) -> bool:
    """Whether its members are whole numbers too, as those of an IntFlag."""
    return any(base.name == "IntFlag" for base in cls.mro)


def _combined(operation: Callable[[int, int], int]) -> Callable[..., Any]:
    def run(self: Instance, other: Any) -> Any:
        if isinstance(other, Instance) and other.cls is self.cls:
            bits = other.attributes["_value_"]
        elif _is_whole(self.cls) and isinstance(other, int):
            bits = int(other)
        else:
            return NotImplemented
        return _composed(self.machine, self.cls, operation(self.attributes["_value_"], bits))

    return run


def _inverted(self: Instance) -> Any:
    every = functools.reduce(operator.or_, (m.attributes["_value_"] for m in self.cls), 0)
    return _composed(self.machine, self.cls, every & ~self.attributes["_value_"])


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
    "__ror__": _combined(operator.or_), "__rand__": _combined(operator.and_), "__rxor__": _combined(operator.xor),
    "__invert__": _inverted,
    "__len__": lambda self: self.attributes["_value_"].bit_count(),
    "__bool__": lambda self: bool(self.attributes["_value_"]), "__contains__": _holds,
    "__str__": _flag_text, "__repr__": _flag_repr,
    "__iter__": lambda self: iter([m for m in self.cls if m.attributes["_value_"] & self.attributes["_value_"]]),
}  # fmt: skip


def _text(self: Instance) -> str:
    return f"{self.cls.name}.{self.attributes['_name_']}"


def _repr(self: Instance) -> str:
    return f"<{self.cls.name}.{self.attributes['_name_']}: {self.attributes['_value_']!r}>"


def _plain_text(self: Instance) -> str:
    return str(self.attributes["_value_"])


def _made(machine: Machine, base: Class, name: str, names: Any) -> Class:
    """`Enum("Colour", "RED GREEN")`."""
    given = names.replace(",", " ").split() if isinstance(names, str) else names
    if isinstance(given, dict):
        pairs = list(given.items())
    else:
        listed = machine.listed(given)
        pairs = [pair if isinstance(pair, tuple) else (pair, Auto()) for pair in listed]
    space = Space(machine, [base])
    for key, value in pairs:
        space[key] = value
    return make_class(machine, name, name, [base], dict(space), meta=base.meta)


def _maker(machine: Machine, base: Class) -> Native:
    return Native(base.name, lambda name, names, **_: _made(machine, base, name, names))


def _unique(cls: Class) -> Class:
    """`@unique`: no two names of one value."""
    alike = [f"{name} -> {m.attributes['_name_']}" for name, m in (cls.members or {}).items()
             if name != m.attributes["_name_"]]  # fmt: skip
    if alike:
        raise TorchError(f"duplicate values found in {cls!r}: {', '.join(alike)}", kind="ValueError")
    return cls


def _told(name: str) -> Property:
    """The name or value of a member, which stays as it is."""

    def refuse(self: Instance, _: Any) -> None:
        raise TorchError(f"<enum 'Enum'> cannot set attribute {name!r}", kind="AttributeError")

    get = Native(name, lambda self: self.attributes[f"_{name}_"], is_method=True)
    return Property(get, Native(name, refuse, is_method=True))


def module(machine: Machine) -> Namespace:
    """The names."""
    shown = {
        "name": _told("name"),
        "value": _told("value"),
        "__repr__": Native("__repr__", _repr, is_method=True),
        "__str__": Native("__str__", _text, is_method=True),
        "__copy__": Native("__copy__", lambda self: self, is_method=True),
        "__deepcopy__": Native("__deepcopy__", lambda self, memo: self, is_method=True),
        "__hash__": Native("__hash__", lambda self: hash(self.attributes["_name_"]), is_method=True),
    }
    enum = plain_class(machine, "Enum", "enum", shown)
    enum.derived, enum.space = derive, Space
    enum.meta = Class("EnumType", (machine.builtins["type"],), module="enum")
    plain = {"__str__": Native("__str__", _plain_text, is_method=True)}
    whole = Class("IntEnum", (machine.builtins["int"], enum), {**shown, **plain}, module="enum")
    text = Class("StrEnum", (machine.builtins["str"], enum), {**shown, **plain}, module="enum")
    flag = Class("Flag", (enum,), methods(FLAGS), module="enum")
    whole_flag = Class("IntFlag", (machine.builtins["int"], flag), {**methods(FLAGS), **plain}, module="enum")
    for base in (enum, whole, text, flag, whole_flag):
        base.make = _maker(machine, base)
    return Namespace("enum", {
        "Flag": flag, "Enum": enum, "IntEnum": whole, "StrEnum": text, "EnumMeta": enum.meta, "EnumType": enum.meta,
        "IntFlag": whole_flag,
        **natives({"auto": Auto, "unique": _unique}),
    })  # fmt: skip
