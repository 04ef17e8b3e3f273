"""`dataclasses`: `__init__`, `__repr__` and comparisons made from a class's annotations."""

from __future__ import annotations

import ast
import copy
import keyword
from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script import assigned_attributes, attributes
from gradviz.imitation.script.copies import deep
from gradviz.imitation.script.errors.exceptions import raised
from gradviz.imitation.script.hinting import HINTS, Hint, as_hint
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import bound, natives, parameters, with_machine
from gradviz.imitation.script.readers import READERS
from gradviz.imitation.script.readers import fields as reading
from gradviz.imitation.script.syntax.calls import Parameters
from gradviz.imitation.script.syntax.classes import make_class, only_slots
from gradviz.imitation.script.values import Class, Function, Instance, Namespace, Native, type_name

FIELDS = "__dataclass_fields__"


class Missing:
    """`dataclasses.MISSING`."""

    def __repr__(self) -> str:
        return "<dataclasses._MISSING_TYPE object at 0x7f0000000000>"


MISSING = Missing()


class Field:
    """What `field(...)` says of one attribute."""

    READ = ("name", "type", "default", "default_factory", "init", "repr", "compare", "hash", "kw_only", "metadata")

    def __init__(self, **options: Any) -> None:
        self.name = ""
        self.type: Any = None
        self.default: Any = MISSING
        self.default_factory: Any = MISSING
        self.init = self.repr = self.compare = True
        self.hash = None
        self.kw_only: Any = MISSING
        self.metadata: dict[Any, Any] = {}
        self.is_given_only = False  # InitVar: told to __post_init__, and no attribute
        self.__dict__.update(options)


def field(
    *, default: Any = MISSING, default_factory: Any = MISSING, init: bool = True, repr: bool = True, hash: Any = None,
    compare: bool = True, metadata: Any = None, kw_only: Any = MISSING,
) -> Any:  # fmt: skip
    """`dataclasses.field`."""
    if default is not MISSING and default_factory is not MISSING:
        raise TorchError("cannot specify both default and default_factory", kind="ValueError")
    return Field(
        default=default, default_factory=default_factory, init=init, repr=repr, hash=hash, compare=compare,
        metadata=metadata or {}, kw_only=kw_only,
    )  # fmt: skip


def dataclass(
    machine: Machine, cls: Any = None, /, *, init: bool = True, repr: bool = True, eq: bool = True, order: bool = False,
    unsafe_hash: bool = False, frozen: bool = False, match_args: bool = True, kw_only: bool = False,
    slots: bool = False, weakref_slot: bool = False,
) -> Any:  # fmt: skip
    """`@dataclass`, with or without brackets."""
    options = {"init": init, "repr": repr, "eq": eq, "order": order, "frozen": frozen, "kw_only": kw_only,
               "unsafe_hash": unsafe_hash, "slots": slots}  # fmt: skip
    if cls is None:
        return Native("dataclass", lambda inner: _made(machine, inner, options))
    return _made(machine, cls, options)


def _made(machine: Machine, cls: Class, options: dict[str, bool]) -> Class:
    if not isinstance(cls, Class) or cls.module != "__main__":
        raise TorchError("dataclass() takes a class of the script", kind="TypeError")
    fields = _fields(machine, cls, options["kw_only"])
    cls.attributes[FIELDS] = fields
    table: dict[str, Callable[..., Any]] = {}
    if options["init"]:
        table["__init__"] = _init(machine, cls, list(fields.values()), options["frozen"])
    if options["repr"]:
        table["__repr__"] = _text
    if options["eq"]:
        table["__eq__"] = _compared(lambda a, b: a == b)
    if options["order"]:
        table |= ORDER
    if options["frozen"]:
        table |= _frozen(machine)
    if options["unsafe_hash"] or (options["eq"] and options["frozen"]):
        table["__hash__"] = lambda self: hash(_values(self))
    for name, run in table.items():
        if name not in cls.attributes or name == "__setattr__":
            cls.attributes[name] = Native(name, run, is_method=True)
    if options["eq"] and "__hash__" not in cls.attributes:
        cls.attributes["__hash__"] = None
    cls.attributes.setdefault(
        "__match_args__", tuple(f.name for f in fields.values() if f.init and f.kw_only is not True)
    )
    if options["slots"]:
        _keep_to_slots(cls)
    return cls


def _keep_to_slots(cls: Class) -> None:
    """`@dataclass(slots=True)`: its objects have no other attributes than the fields of its body."""
    if "__slots__" in cls.attributes:
        raise TorchError(f"{cls.name} already specifies __slots__", kind="TypeError")
    inherited = {name for base in cls.mro[1:] for name in base.attributes.get("__slots__", ())}
    cls.attributes["__slots__"] = tuple(name for name in cls.attributes[FIELDS] if name not in inherited)
    for name in cls.attributes[FIELDS]:
        cls.attributes.pop(name, None)
    cls.slots = only_slots(cls)


def make_dataclass(
    machine: Machine, cls_name: str, fields: Any, *, bases: Any = (), namespace: Any = None, module: Any = None,
    **options: Any,
) -> Any:  # fmt: skip
    """`dataclasses.make_dataclass`: the fields are names, or pairs with a type, or triples with a default too."""
    hints: dict[str, ast.expr] = {}
    inside = dict(namespace or {})
    for given in machine.listed(fields):
        name, kind, *default = (given, "typing.Any") if isinstance(given, str) else given
        if not isinstance(name, str) or not name.isidentifier():
            raise TorchError(f"Field names must be valid identifiers: {name!r}", kind="TypeError")
        if keyword.iskeyword(name):
            raise TorchError(f"Field names must not be keywords: {name!r}", kind="TypeError")
        if name in hints:
            raise TorchError(f"Field name duplicated: {name!r}", kind="TypeError")
        hints[name] = as_hint(kind)
        if default:
            inside[name] = default[0]
    cls = make_class(machine, cls_name, cls_name, list(bases), {**inside, HINTS: hints})
    made = dataclass(machine, cls, **options)
    made.module = "types"  # where Python makes it
    return made


def _fields(machine: Machine, cls: Class, kw_only: bool) -> dict[str, Field]:
    """The fields of a class and its ancestors, in order."""
    found: dict[str, Field] = {}
    for ancestor in reversed(cls.mro[1:]):
        found.update(ancestor.attributes.get(FIELDS, {}))
    for name, hint in cls.hints.items():
        text = ast.unparse(hint)
        if "ClassVar" in text:
            continue
        is_given_only = text.startswith(("InitVar", "dataclasses.InitVar"))
        if text.rpartition(".")[2] == "KW_ONLY":
            kw_only = True
            continue
        found[name] = _one_field(machine, cls, name, hint, kw_only)
        found[name].is_given_only = is_given_only
    return found


def _one_field(machine: Machine, cls: Class, name: str, hint: ast.expr, kw_only: bool) -> Field:
    given = cls.attributes.get(name, MISSING)
    made = copy.copy(given) if isinstance(given, Field) else Field(default=given)
    made.name, made.type = name, attributes.get(machine, cls, "__annotations__").get(name)
    if made.kw_only is MISSING:
        made.kw_only = kw_only
    if isinstance(given, Field):
        if made.default is MISSING:
            del cls.attributes[name]
        else:
            cls.attributes[name] = made.default
    if isinstance(made.default, list | dict | set) and not isinstance(made.default, Instance):
        raise TorchError(
            f"mutable default <class '{type_name(made.default)}'> for field {name} is not allowed: use default_factory",
            kind="ValueError",
        )
    return made


class _Factory:
    """What stands for a default that is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"


FACTORY = _Factory()


def _as_function(machine: Machine, cls: Class, names: Parameters, given: list[Field]) -> Function:
    """The `__init__` of a dataclass as `inspect.signature` looks at it."""
    shown = copy.copy(names)
    shown.defaults = {key: FACTORY if isinstance(value, Field) else value for key, value in names.defaults.items()}
    told = Function("__init__", names.name, shown, lambda _: None, machine.state["module"])
    hints = {name: hint for ancestor in reversed(cls.mro) for name, hint in ancestor.hints.items()}
    told.hints = {one.name: hints[one.name] for one in given if one.name in hints} | {"return": as_hint(None)}
    return told


def _init(machine: Machine, cls: Class, fields: list[Field], frozen: bool) -> Callable[..., None]:
    def default_of(one: Field) -> Any:
        return one if one.default is MISSING else one.default

    given = [one for one in fields if one.init]
    by_place = [one for one in given if one.kw_only is not True]
    has_default = False
    for one in by_place:
        if one.default is MISSING and one.default_factory is MISSING:
            if has_default:
                raise TorchError(f"non-default argument '{one.name}' follows default argument", kind="TypeError")
        else:
            has_default = True
    defaults = {
        one.name: default_of(one) for one in given if one.default is not MISSING or one.default_factory is not MISSING
    }
    names = parameters(
        f"{cls.qualname}.__init__", ["self", *(one.name for one in by_place)], defaults,
        [one.name for one in given if one.kw_only is True],
    )  # fmt: skip
    put: Callable[..., None] = assigned_attributes.set_plain if frozen else assigned_attributes.put

    def run(self: Instance, *arguments: Any, **keywords: Any) -> None:
        values = bound(machine, names, (self, *arguments), keywords)
        for one in fields:
            value = values.get(one.name, one)
            if value is one:
                if one.default_factory is not MISSING:
                    value = machine.call(one.default_factory, (), {})
                elif one.default is MISSING:
                    continue
                else:
                    value = one.default
            if one.is_given_only:
                values[one.name] = value
            else:
                put(machine, self, one.name, value)
        after = self.cls.find("__post_init__")
        if after is not None:
            machine.call(after, (self, *(values[one.name] for one in fields if one.is_given_only)), {})

    run.told = _as_function(machine, cls, names, given)  # type: ignore[attr-defined]
    return run


def _of(self: Instance) -> dict[str, Field]:
    return {name: one for name, one in self.cls.find(FIELDS).items() if not one.is_given_only}


def _value(self: Instance, name: str) -> Any:
    return attributes.get(self.machine, self, name)


def _text(self: Instance) -> str:
    shown = (f"{name}={_value(self, name)!r}" for name, one in _of(self).items() if one.repr)
    return f"{self.cls.qualname}({', '.join(shown)})"


def _values(self: Instance) -> tuple[Any, ...]:
    return tuple(_value(self, name) for name, one in _of(self).items() if one.compare)


def _compared(compare: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def run(self: Instance, other: Any) -> Any:
        if not isinstance(other, Instance) or other.cls is not self.cls:
            return NotImplemented
        return compare(_values(self), _values(other))

    return run


ORDER: dict[str, Callable[..., Any]] = {
    "__lt__": _compared(lambda a, b: a < b), "__le__": _compared(lambda a, b: a <= b),
    "__gt__": _compared(lambda a, b: a > b), "__ge__": _compared(lambda a, b: a >= b),
}  # fmt: skip


def _frozen(machine: Machine) -> dict[str, Callable[..., Any]]:
    def refuse(what: str) -> Callable[..., None]:
        def run(self: Instance, name: str, *_: Any) -> None:
            cls = machine.modules["dataclasses"].members["FrozenInstanceError"]
            raise raised(machine, cls, f"cannot {what} field {name!r}")

        return run

    return {"__setattr__": refuse("assign to"), "__delattr__": refuse("delete")}


# ---- functions over the objects ----


def is_dataclass(x: Any) -> bool:
    """Whether it is such a class or an object of one."""
    cls = x.cls if isinstance(x, Instance) else x
    return isinstance(cls, Class) and cls.has(FIELDS)


def fields(x: Any) -> tuple[Field, ...]:
    """The fields of a class or an object."""
    if not is_dataclass(x):
        raise TorchError("must be called with a dataclass type or instance", kind="TypeError")
    every = (x.cls if isinstance(x, Instance) else x).find(FIELDS).values()
    return tuple(one for one in every if not one.is_given_only)


def asdict(machine: Machine, x: Any, *, dict_factory: Any = None) -> Any:
    """The fields by name, those of fields that are dataclasses too."""
    if not isinstance(x, Instance) or not is_dataclass(x):
        raise TorchError("asdict() should be called on dataclass instances", kind="TypeError")
    pairs = [(name, _inside(machine, _value(x, name), asdict)) for name in _of(x)]
    return dict(pairs) if dict_factory is None else machine.call(dict_factory, (pairs,), {})


def astuple(machine: Machine, x: Any) -> tuple[Any, ...]:
    """The values of the fields, those of fields that are dataclasses too."""
    if not isinstance(x, Instance) or not is_dataclass(x):
        raise TorchError("astuple() should be called on dataclass instances", kind="TypeError")
    return tuple(_inside(machine, _value(x, name), astuple) for name in _of(x))


def _inside(machine: Machine, value: Any, convert: Callable[..., Any]) -> Any:
    if isinstance(value, Instance) and is_dataclass(value):
        return convert(machine, value)
    if type(value) in (list, tuple):
        return type(value)(_inside(machine, item, convert) for item in value)
    if type(value) is dict:
        return {key: _inside(machine, item, convert) for key, item in value.items()}
    return deep(machine, value)


def replaced(machine: Machine, x: Instance, /, **changes: Any) -> Any:
    """Another object, some fields changed."""
    given = {
        name: changes.pop(name) if name in changes else _value(x, name) for name, one in _of(x).items() if one.init
    }
    return machine.call(x.cls, (), {**given, **changes})


def module(machine: Machine) -> Namespace:
    """The names."""
    base = machine.state["exceptions"]["AttributeError"]
    return Namespace("dataclasses", {
        **with_machine({"dataclass": dataclass, "asdict": asdict, "astuple": astuple, "replace": replaced,
                        "make_dataclass": make_dataclass}),
        **natives({"field": field, "fields": fields, "is_dataclass": is_dataclass}),
        "MISSING": MISSING, "KW_ONLY": None, "InitVar": Hint("dataclasses.InitVar"),
        "FrozenInstanceError": Class("FrozenInstanceError", (base,), {}, module="dataclasses"),
    })  # fmt: skip


READERS[Field] = reading(*Field.READ)
