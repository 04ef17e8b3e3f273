"""`collections`: Python's own containers, and named tuples."""

from __future__ import annotations

import keyword
from collections import ChainMap, Counter, OrderedDict, deque
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.classes import extended
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library import kinds, written
from gradviz.imitation.script.names.library.making import bound, builtin_class, parameters, with_machine
from gradviz.imitation.script.readers import READERS, fields
from gradviz.imitation.script.syntax.calls import callable_value
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.values import Class, Namespace, Native, OnClass, Property, Static


class DefaultDict(dict[Any, Any]):
    """`collections.defaultdict`; `factory` is what the script gave, `make` calls it."""

    shown_as = "collections.defaultdict"

    def __init__(self, machine: Machine, factory: Any = None, *rest: Any, **named: Any) -> None:
        if factory is not None and not callable_value(factory):
            raise TorchError("first argument must be callable or None", kind="TypeError")
        super().__init__(*rest, **named)
        self.factory = factory
        self._machine = machine

    def __missing__(self, key: Any) -> Any:
        if self.factory is None:
            raise KeyError(key)
        value = self[key] = self._machine.call(self.factory, (), {})
        return value

    def __copy__(self) -> DefaultDict:
        return DefaultDict(self._machine, self.factory, self)

    def copy(self) -> DefaultDict:
        """A shallow copy with the same factory."""
        return self.__copy__()

    def __repr__(self) -> str:
        return f"defaultdict({self.factory!r}, {dict.__repr__(self)})"


def _ordered(machine: Machine, items: Any = (), /, **named: Any) -> OrderedDict[Any, Any]:
    return OrderedDict(items if isinstance(items, dict) else machine.whole(items), **named)


def _counter(machine: Machine, items: Any = None, /, **named: Any) -> Counter[Any]:
    given = () if items is None else items
    return Counter(given if isinstance(given, dict) else machine.whole(given), **named)


READERS[deque] = fields("maxlen")


def _deque(machine: Machine, iterable: Any = (), maxlen: int | None = None) -> deque[Any]:
    return deque(machine.whole(iterable), maxlen)


# ---- named tuples ----


def namedtuple(
    machine: Machine, typename: str, field_names: Any, *, rename: bool = False, defaults: Any = None, module: Any = None
) -> Class:
    """`collections.namedtuple`."""
    names = field_names.replace(",", " ").split() if isinstance(field_names, str) else machine.listed(field_names)
    if rename:
        names = [f"_{i}" if _problem(name, names[:i]) else name for i, name in enumerate(names)]
    for i, name in enumerate(names):
        problem = _problem(name, names[:i])
        if problem:
            raise TorchError(problem, kind="ValueError")
    given = () if defaults is None else tuple(machine.listed(defaults))
    if len(given) > len(names):
        raise TorchError("Got more default values than field names", kind="TypeError")
    cls = Class(typename, (machine.builtins["tuple"],))
    fill_record(machine, cls, names, dict(zip(names[len(names) - len(given) :], given, strict=True)))
    return cls


def _problem(name: Any, before: list[Any]) -> str:
    if not isinstance(name, str) or not name.isidentifier():
        return f"Type names and field names must be valid identifiers: {name!r}"
    if keyword.iskeyword(name):
        return f"Type names and field names cannot be a keyword: {name!r}"
    if name.startswith("_"):
        return f"Field names cannot start with an underscore: {name!r}"
    return f"Encountered duplicate field name: {name!r}" if name in before else ""


def fill_record(machine: Machine, cls: Class, names: list[str], defaults: dict[str, Any]) -> None:
    """Make a class derived from tuple one with named fields."""
    signature = parameters(f"{cls.name}.__new__", ["_cls", *names], defaults)
    base = machine.builtins["tuple"]

    def new(cls: Class, *arguments: Any, **keywords: Any) -> Any:
        found = bound(machine, signature, (cls, *arguments), keywords)
        return extended.make(machine, cls, base, ([found[name] for name in names],), {})

    def make(cls: Class, items: Any) -> Any:
        values = machine.listed(items)
        if len(values) != len(names):
            raise TorchError(f"Expected {len(names)} arguments, got {len(values)}", kind="TypeError")
        return extended.make(machine, cls, base, (values,), {})

    def replace(self: Any, **changed: Any) -> Any:
        values = [changed.pop(name, value) for name, value in zip(names, self, strict=True)]
        if changed:
            raise TorchError(f"Got unexpected field names: {list(changed)!r}", kind="ValueError")
        return make(self.cls, values)

    def text(self: Any) -> str:
        return f"{self.cls.name}({', '.join(f'{n}={v!r}' for n, v in zip(names, self, strict=True))})"

    def as_dict(self: Any) -> dict[str, Any]:
        return dict(zip(names, self, strict=True))

    if cls.attributes.get("__doc__") is None:
        cls.attributes["__doc__"] = f"{cls.name}({', '.join(names)})"
    cls.attributes |= {
        "_fields": tuple(names), "_field_defaults": defaults, "__match_args__": tuple(names),
        "__new__": Static(Native("__new__", new)), "_make": OnClass(Native("_make", make, is_method=True)),
        "_replace": Native("_replace", replace, is_method=True), "_asdict": Native("_asdict", as_dict, is_method=True),
        "__repr__": Native("__repr__", text, is_method=True),
        **{name: Property(Native(name, _item(place), is_method=True), REFUSED) for place, name in enumerate(names)},
    }  # fmt: skip


def _refuse(*_: Any) -> None:
    raise TorchError("can't set attribute", kind="AttributeError")


REFUSED = Native("__set__", _refuse, is_method=True)


def _item(place: int) -> Any:
    return lambda self: tuple.__getitem__(self, place)


# ---- chains ----


def _chain(machine: Machine, *maps: Any) -> ChainMap[Any, Any]:
    """`ChainMap`: the first that has a key gives it."""
    for each in maps:
        if not isinstance(each, dict):
            raise TorchError("ChainMap takes dicts here", kind="TypeError")
    return ChainMap(*maps)


def module(machine: Machine) -> Namespace:
    """The names."""
    defaults = builtin_class(machine, DefaultDict, "collections", DefaultDict, base="dict")
    defaults.name = defaults.qualname = "defaultdict"
    abc = kinds.abc_module(machine)
    kinds_of = {name: abc.members[name] for name in ("MutableMapping", "MutableSequence")}
    return Namespace("collections", {
        "OrderedDict": builtin_class(machine, OrderedDict, "collections", _ordered, base="dict"),
        "Counter": builtin_class(machine, Counter, "collections", _counter, base="dict"),
        "deque": builtin_class(machine, deque, "collections", _deque),
        "defaultdict": defaults,
        "ChainMap": builtin_class(machine, ChainMap, "collections", _chain),
        **with_machine({"namedtuple": namedtuple}),
        **written.run_text(machine, written.CONTAINERS, kinds_of, "collections"),
        "abc": abc,
    })  # fmt: skip


READERS[ChainMap] = fields("maps", "parents")
READERS[DefaultDict] = lambda _, owner, name: owner.factory if name == "default_factory" else NOTHING
