"""`typing`: names that only a type checker reads, and NamedTuple and TypedDict, which make classes."""

from __future__ import annotations

import typing
from typing import Any

from gradviz.script.hinting import Hint, read_hints
from gradviz.script.machine import Machine
from gradviz.script.names.library.containers import fill_record, namedtuple
from gradviz.script.names.library.making import natives, plain_class
from gradviz.script.values import Class, Function, Namespace, Native

BUILT_IN = {
    "List": "list", "Dict": "dict", "Tuple": "tuple", "Set": "set", "FrozenSet": "frozenset", "Type": "type",
    "Text": "str",
}  # fmt: skip
"""Old names of Python's own types."""


def derive_record(machine: Machine, cls: Class) -> None:
    """`class P(NamedTuple)`: the annotations are the fields."""
    names = list(cls.hints)
    defaults = {name: cls.attributes.pop(name) for name in names if name in cls.attributes}
    fill_record(machine, cls, names, defaults)


def _named(machine: Machine) -> Class:
    """`typing.NamedTuple`, as a base class and as a function."""
    base = machine.builtins["tuple"]
    cls = Class("NamedTuple", (base,), {}, module="typing")
    cls.derived = derive_record
    cls.make = Native("NamedTuple", lambda name, fields: namedtuple(machine, name, [key for key, _ in fields]))
    return cls


def _typed_dict(machine: Machine) -> Class:
    cls = plain_class(machine, "TypedDict", "typing", {})
    cls.make = machine.builtins["dict"].make
    return cls


def _identity(x: Any) -> Any:
    return x


def _variable(name: str, *_: Any, **__: Any) -> Hint:
    return Hint(f"~{name}")


def _new_type(name: str, kind: Any) -> Native:
    return Native(name, _identity)


def _hints_of(machine: Machine, x: Any, *_: Any, **__: Any) -> dict[str, Any]:
    hints = x.hints if isinstance(x, Function | Class) else {}
    return read_hints(x.outer if isinstance(x, Function) else machine.state["module"], hints, is_text=False)


def module(machine: Machine) -> Namespace:
    """The names."""
    members: dict[str, Any] = {name: Hint(f"typing.{name}") for name in typing.__all__}
    abc = machine.modules["collections"].members["abc"].members
    members |= {name: Hint(f"typing.{name}", cls) for name, cls in abc.items() if name in members}
    members |= {name: Hint(f"typing.{name}", machine.builtins[plain]) for name, plain in BUILT_IN.items()}
    for name in ("OrderedDict", "DefaultDict", "Counter", "Deque"):
        collections = machine.modules["collections"].members
        members[name] = Hint(
            f"typing.{name}", collections[{"DefaultDict": "defaultdict", "Deque": "deque"}.get(name, name)]
        )
    same = ("overload", "final", "runtime_checkable", "no_type_check", "override", "dataclass_transform")
    return Namespace("typing", {
        **members, "TYPE_CHECKING": False, "NamedTuple": _named(machine), "TypedDict": _typed_dict(machine),
        **natives(dict.fromkeys(same, _identity)),
        **natives({"cast": lambda kind, x: x, "NewType": _new_type, "TypeVar": _variable, "ParamSpec": _variable,
                   "TypeVarTuple": _variable}),
        "get_type_hints": Native("get_type_hints", _hints_of, needs_machine=True),
    })  # fmt: skip
