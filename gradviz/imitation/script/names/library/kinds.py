"""Kinds of values that `isinstance` tells apart: `collections.abc`, `numbers`, `types`."""

from __future__ import annotations

import numbers
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, MutableSequence, Sequence
from collections.abc import Set as AbstractSet
from types import GeneratorType
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.hinting import Union
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library import written
from gradviz.imitation.script.names.library.making import plain_class
from gradviz.imitation.script.producer import Producer
from gradviz.imitation.script.syntax.calls import callable_value
from gradviz.imitation.script.values import Bound, Class, Function, Instance, Namespace, Native, Object

Check = Callable[[Any], bool]


def checked(name: str, module: str, check: Check) -> Class:
    """A class without objects of its own, which others belong to by what they can do."""

    cls = Class(name, make=None, module=module)
    cls.check = check
    cls.is_generic = True
    return cls


def able(python: Any, *methods: str) -> Check:
    """Whether a value is of a Python type, or of a script's class that has these methods."""

    def check(x: Any) -> bool:
        if type(x) is Object:
            return all(x.cls.has(method) for method in methods)
        return isinstance(x, python)

    return check


def _hashable(x: Any) -> bool:
    if isinstance(x, Instance) and x.cls.has("__hash__"):
        return x.cls.find("__hash__") is not None
    return not isinstance(x, list | dict | set | deque)


ABC: dict[str, Check] = {
    "Iterable": able(Iterable, "__iter__"), "Iterator": able(Iterator, "__next__", "__iter__"),
    "Callable": callable_value, "Sized": lambda x: x.cls.has("__len__") if type(x) is Object else hasattr(x, "__len__"),
    "Container": lambda x: x.cls.has("__contains__") if type(x) is Object else hasattr(x, "__contains__"),
    "Collection": able(Sequence | Mapping | AbstractSet, "__len__", "__iter__", "__contains__"),
    "Sequence": lambda x: isinstance(x, Sequence), "MutableSequence": lambda x: isinstance(x, MutableSequence),
    "Mapping": lambda x: isinstance(x, Mapping), "MutableMapping": lambda x: isinstance(x, MutableMapping),
    "Set": lambda x: isinstance(x, AbstractSet), "MutableSet": lambda x: isinstance(x, set), "Hashable": _hashable,
    "Generator": lambda x: isinstance(x, Producer | GeneratorType), "Reversible": able(Sequence, "__reversed__"),
}  # fmt: skip


def abc_module(machine: Machine) -> Namespace:
    """`collections.abc`."""
    made = {name: checked(name, "collections.abc", run) for name, run in ABC.items()}
    written.fill(machine, made)
    return Namespace("collections.abc", made)


def numbers_module(machine: Machine) -> Namespace:
    """`numbers`."""
    names = ("Number", "Complex", "Real", "Rational", "Integral")
    classes = {name: checked(name, "numbers", _number(getattr(numbers, name))) for name in names}
    for cls in classes.values():
        cls.slots = frozenset()  # a class derived from one has no other attributes than its own slots
    return Namespace("numbers", classes)


def _number(kind: type) -> Check:
    """Whether a value is of a kind of numbers, those of numpy, `fractions` and `decimal` too."""
    return lambda x: isinstance(x, kind)


# ---- types ----


def _begin(self: Instance, **named: Any) -> None:
    self.attributes.update(named)


def _namespace_text(self: Instance) -> str:
    return f"namespace({', '.join(f'{key}={value!r}' for key, value in self.attributes.items())})"


def _same(self: Instance, other: Any) -> Any:
    return self.attributes == other.attributes if isinstance(other, Instance) else NotImplemented


def simple_namespace(machine: Machine, name: str, module: str, text: Callable[[Instance], str]) -> Class:
    """A class whose objects hold what they are given by keyword."""
    table: dict[str, Callable[..., Any]] = {"__init__": _begin, "__repr__": text, "__eq__": _same}
    return plain_class(
        machine,
        name,
        module,
        {key: Native(key, run, is_method=True) for key, run in table.items()} | {"__hash__": None},
    )


def types_module(machine: Machine) -> Namespace:
    """`types`."""
    table: dict[str, Check] = {
        "FunctionType": lambda x: isinstance(x, Function), "LambdaType": lambda x: isinstance(x, Function),
        "MethodType": lambda x: isinstance(x, Bound), "BuiltinFunctionType": lambda x: isinstance(x, Native),
        "ModuleType": lambda x: isinstance(x, Namespace),
        "UnionType": lambda x: isinstance(x, Union), "GeneratorType": lambda x: isinstance(x, Producer | GeneratorType),
    }  # fmt: skip
    kinds: dict[str, Any] = {name: checked(name, "types", run) for name, run in table.items()}
    kinds["SimpleNamespace"] = simple_namespace(machine, "SimpleNamespace", "types", _namespace_text)
    kinds["NoneType"] = machine.call(machine.builtins["type"], (None,), {})
    kinds["MethodType"].make = Native("MethodType", _method)
    abc = machine.modules["collections"].members["abc"].members
    proxy = written.run_text(machine, PROXY, {"Mapping": abc["Mapping"]}, "")["mappingproxy"]
    return Namespace("types", {**kinds, "MappingProxyType": proxy})


PROXY = """
class mappingproxy(Mapping):
    __slots__ = ("_seen",)
    def __init__(self, mapping):
        if not isinstance(mapping, Mapping):
            raise TypeError(f"mappingproxy() argument must be a mapping, not {type(mapping).__name__}")
        self._seen = mapping
    def __getitem__(self, key): return self._seen[key]
    def __iter__(self): return iter(self._seen)
    def __len__(self): return len(self._seen)
    def __contains__(self, key): return key in self._seen
    def __repr__(self): return f"mappingproxy({self._seen!r})"
    def __str__(self): return str(self._seen)
    def __eq__(self, other): return self._seen == (other._seen if isinstance(other, mappingproxy) else other)
    def __or__(self, other): return self._seen | (other._seen if isinstance(other, mappingproxy) else other)
    def __ror__(self, other): return other | self._seen
    def __reversed__(self): return reversed(self._seen)
    def get(self, key, default=None): return self._seen.get(key, default)
    def keys(self): return self._seen.keys()
    def values(self): return self._seen.values()
    def items(self): return self._seen.items()
    def copy(self): return self._seen.copy()
"""


def _method(function: Any, owner: Any) -> Bound:
    """`types.MethodType(f, obj)`: a function of the script bound to an object."""
    if not isinstance(function, Function):
        raise TorchError("first argument must be a function of the script", kind="TypeError")
    return Bound(function, owner)
