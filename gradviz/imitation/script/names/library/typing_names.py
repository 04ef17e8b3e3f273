"""`typing`: names that only a type checker reads, and NamedTuple and TypedDict, which make classes."""

from __future__ import annotations

import typing
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.hinting import PROTOCOL, Hint, Union, as_hint, read_hints
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.containers import fill_record, namedtuple
from gradviz.imitation.script.names.library.making import natives, plain_class
from gradviz.imitation.script.values import Class, Function, Namespace, Native

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

    def make(typename: str, fields: Any) -> Class:
        kinds = dict(machine.listed(fields))
        made = namedtuple(machine, typename, list(kinds))
        made.hints = {name: as_hint(kind) for name, kind in kinds.items()}
        return made

    cls.make = Native("NamedTuple", make)
    return cls


def _told(cls: Class, *, total: bool = True) -> None:
    """What `class P(TypedDict, total=False)` says to a type checker, and keeps for those who ask."""
    inherited = cls.mro[1].attributes
    own = frozenset(cls.hints)
    cls.attributes["__total__"] = total
    for name, keys in (("__required_keys__", own if total else ()), ("__optional_keys__", () if total else own)):
        cls.attributes[name] = frozenset(keys) | inherited.get(name, frozenset())


def _typed_dict(machine: Machine) -> Class:
    cls = plain_class(machine, "TypedDict", "typing", {"__init_subclass__": Native("__init_subclass__", _told)})
    fill = machine.builtins["dict"].make

    def make(*given: Any, **named: Any) -> Any:
        """A dict; or by a name and the types of its keys, as `class P(TypedDict)` is made."""
        if given and isinstance(given[0], str):
            name, keys, *_ = (*given, {})
            made = Class(name, (cls,), {"__annotations__": dict(keys), "__total__": named.get("total", True)})
            made.make = fill
            return made
        return machine.call(fill, given, named)

    cls.make = Native("TypedDict", make)
    return cls


def derive_protocol(machine: Machine, cls: Class) -> None:
    """`class P(Protocol)`: what it names is what `isinstance` asks for, once it is `@runtime_checkable`."""
    if not any(base.name == "Protocol" and base.module == "typing" for base in cls.bases):
        return
    own = {name for name in (*cls.attributes, *cls.hints) if not name.startswith("__") or name in ASKED}
    inherited = (base.attributes.get(PROTOCOL, frozenset()) for base in cls.mro[1:])
    cls.attributes[PROTOCOL] = frozenset(own).union(*inherited)

    def unchecked(x: Any) -> bool:
        text = "Instance and class checks can only be used with @runtime_checkable protocols"
        raise TorchError(text, kind="TypeError")

    def no_objects(*_: Any, **__: Any) -> None:
        raise TorchError("Protocols cannot be instantiated", kind="TypeError")

    cls.check, cls.make = unchecked, Native(cls.name, no_objects)


ASKED = ("__call__", "__len__", "__iter__", "__getitem__", "__contains__", "__next__", "__enter__", "__exit__")
"""Special methods that a protocol may ask for."""


def _checkable(machine: Machine, cls: Any) -> Any:
    """`@runtime_checkable`."""
    from gradviz.imitation.script.names.python.builtins import hasattr_

    if isinstance(cls, Class) and PROTOCOL in cls.attributes:
        asked = cls.attributes[PROTOCOL]
        cls.check = lambda x: all(hasattr_(machine, x, name) for name in asked)
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


def _arguments(machine: Machine, tp: Any) -> tuple[Any, ...]:
    """`typing.get_args`."""
    nothing = machine.call(machine.builtins["type"], (None,), {})
    kinds = tp.kinds or tp.inside if isinstance(tp, Hint) else tp.kinds if isinstance(tp, Union) else ()
    return tuple(nothing if kind is None and not repr(tp).startswith("typing.Literal") else kind for kind in kinds)


def _origin(machine: Machine, tp: Any) -> Any:
    """`typing.get_origin`."""
    if isinstance(tp, Union):
        return machine.modules["types"].members["UnionType"]
    if not isinstance(tp, Hint):
        return None
    if tp.origin is not None or not (tp.kinds or tp.inside):
        return tp.origin
    name = "Union" if tp.kinds else tp.text.partition("[")[0].rpartition(".")[2]
    return machine.modules["typing"].members.get(name)


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
    members["Generic"] = generic = plain_class(machine, "Generic", "typing", {})
    generic.is_generic = True
    protocol = Class("Protocol", (generic,), {}, module="typing")
    protocol.derived, protocol.is_generic = derive_protocol, True
    same = ("overload", "final", "no_type_check", "override", "dataclass_transform")
    return Namespace("typing", {
        **members, "Protocol": protocol, "TYPE_CHECKING": False, "NamedTuple": _named(machine),
        "TypedDict": _typed_dict(machine),
        **natives(dict.fromkeys(same, _identity)),
        **natives({"cast": lambda kind, x: x, "NewType": _new_type, "TypeVar": _variable, "ParamSpec": _variable,
                   "TypeVarTuple": _variable}),
        "runtime_checkable": Native("runtime_checkable", _checkable, needs_machine=True),
        "get_args": Native("get_args", _arguments, needs_machine=True),
        "get_origin": Native("get_origin", _origin, needs_machine=True),
        "get_type_hints": Native("get_type_hints", _hints_of, needs_machine=True),
    })  # fmt: skip
