"""The classes that a script makes: by statements, by `type(...)`, and by those that make classes for it.

A class body can bind only names that the rewriter has seen; every other way to make a class comes through
`checked_namespace` with its names, since a class with `__array_interface__` lets numpy read and write any memory.
"""

from __future__ import annotations

import abc
import builtins
import collections
import dataclasses
import enum
import functools
import inspect
import types
import typing
from collections.abc import Callable
from typing import Any

from gradviz.run.names import CLOSED, TYPED, is_dunder, is_field_allowed, may_define, refusal_of_name
from gradviz.run.refused import Refused
from gradviz.run.visible import (
    SCRIPT,
    bases_of,
    home_of,
    is_class,
    is_of_script,
    is_script_class,
    is_script_function,
    module_of,
    real,
    show_as,
    show_metaclasses_as,
    visible,
)

MADE_BY_PYTHON = frozenset(
    f"__{name}__"
    for name in """
    module qualname annotations doc classcell firstlineno static_attributes orig_bases type_params annotate
    annotate_func classdictcell conditional_annotations
    """.split()
)
"""What Python puts into the namespace of a class by itself."""

LOOKUPS = ("__getattr__", "__getattribute__")


def checked_namespace(given: object) -> dict[str, Any]:
    """The namespace of a class to be, as a dict of its own.

    Raises:
        Refused: a name in it that no script may define.
    """
    if not issubclass(type(given), dict):
        raise TypeError(f"type.__new__() argument 3 must be dict, not {type(given).__name__}")
    made: dict[str, Any] = dict.copy(given)  # type: ignore[arg-type]
    for name in list(made):
        if type(name) is not str or (is_dunder(name) and not may_define(name) and name not in MADE_BY_PYTHON):
            raise Refused(refusal_of_name(name) if type(name) is str else "a class has attributes with plain names")
    if "__annotations__" in made:
        made["__annotations__"] = checked_annotations(made["__annotations__"])
    made["__module__"] = SCRIPT
    guard_lookups(made)
    return made


def checked_annotations(given: object) -> dict[str, Any]:
    """The annotations of a class; `dataclass` writes their names into a text that it executes."""
    if not issubclass(type(given), dict):
        raise Refused("the annotations of a class are a dict of names")
    made: dict[str, Any] = dict.copy(given)  # type: ignore[arg-type]
    for name in made:
        if type(name) is not str or not name.isidentifier() or is_dunder(name):
            raise Refused("the annotations of a class are a dict of names")
    return made


def checked_slots(made: Any) -> Any:
    """A class that was made, unless `__slots__`, any iterable, gave it a name that no script may define."""
    if is_class(made):
        for name, value in type.__dict__["__dict__"].__get__(made).items():
            if type(value) is types.MemberDescriptorType and is_dunder(name) and not may_define(name):
                raise Refused(refusal_of_name(name))
    return made


def guard_lookups(namespace: Any) -> None:
    """Let the methods that look up attributes hear of no name that no script may define.

    Called with a namespace before its class is made.

    Raises:
        Refused: `__match_args__` that a class pattern must not look up.
    """
    for name in LOOKUPS:
        if name in namespace and type(namespace[name]) is not _Guarded:
            namespace[name] = _Guarded(namespace[name], name)
    if "__match_args__" in namespace:
        fields = namespace["__match_args__"]
        if type(fields) is not tuple or not all(_is_pattern_field(field) for field in fields):
            raise Refused("'__match_args__' is a tuple of plain attribute names")


def _is_pattern_field(name: object) -> bool:
    return type(name) is str and name[:1] != "_" and name not in CLOSED and name not in TYPED


class _Guarded:
    """A method `__getattr__` of a script's class, as a descriptor that leaves some names to Python."""

    __slots__ = ("_method", "_name")

    def __init__(self, method: Any, name: str) -> None:
        self._method = method
        self._name = name

    def __get__(self, owner: Any, kind: type) -> Any:
        method = self._method
        binds = getattr(type(method), "__get__", None)
        bound = method if binds is None else binds(method, owner, kind)
        if owner is None:
            return functools.partial(_look_up_in, bound, self._name)
        return functools.partial(_look_up, bound, self._name, owner)


def _look_up(bound: Callable[[str], Any], way: str, owner: Any, name: str) -> Any:
    if is_dunder(name) and not may_define(name):
        if way == "__getattribute__":
            return object.__getattribute__(owner, name)
        raise AttributeError(f"'{type(owner).__name__}' object has no attribute '{name}'")
    return bound(name)


def _look_up_in(method: Callable[[Any, str], Any], way: str, owner: Any, name: str) -> Any:
    return _look_up(functools.partial(method, owner), way, owner, name)


# ---- type ----


class _TypeOfType(type):
    """What `type` itself is an object of: it makes `type(x)` and `isinstance(x, type)` work."""

    def __call__(cls, *given: Any, **named: Any) -> Any:
        """The class of an object, a new class, or an object of a script's metaclass."""
        if cls is not Type:
            return type.__call__(cls, *given, **named)
        if len(given) == 1 and not named:
            return visible(type(given[0]))
        if len(given) == 3:
            name, bases, namespace = given
            return checked_slots(type(name, checked_bases(bases), checked_namespace(namespace), **named))
        raise TypeError("type() takes 1 or 3 arguments")

    def __instancecheck__(cls, instance: object) -> bool:
        return is_class(instance) if cls is Type else type.__instancecheck__(cls, instance)

    def __subclasscheck__(cls, kind: type) -> bool:
        if cls is Type:
            return is_class(kind) and type in bases_of(kind)
        return type.__subclasscheck__(cls, kind)

    def __repr__(cls) -> str:
        return "<class 'type'>" if cls is Type else type.__repr__(cls)


class Type(type, metaclass=_TypeOfType):
    """`type` as scripts see it."""

    def __new__(mcs, name: Any, bases: Any = (), namespace: Any = None, /, **named: Any) -> Any:
        """A class, from what a script's metaclass hands on."""
        return checked_slots(type.__new__(mcs, name, checked_bases(bases), checked_namespace(namespace), **named))


class _ABCMetaType(_TypeOfType):
    def __call__(cls, *given: Any, **named: Any) -> Any:
        if cls is ABCMeta and len(given) == 3:
            name, bases, namespace = given
            return checked_slots(abc.ABCMeta(name, checked_bases(bases), checked_namespace(namespace), **named))
        return type.__call__(cls, *given, **named)

    def __instancecheck__(cls, instance: object) -> bool:
        return type.__instancecheck__(abc.ABCMeta if cls is ABCMeta else cls, instance)

    def __repr__(cls) -> str:
        return type.__repr__(cls)


class ABCMeta(abc.ABCMeta, metaclass=_ABCMetaType):
    """`abc.ABCMeta` as scripts see it."""

    def __new__(mcs, name: Any, bases: Any, namespace: Any, /, **named: Any) -> Any:
        """A class, from what a script's metaclass hands on."""
        return checked_slots(super().__new__(mcs, name, checked_bases(bases), checked_namespace(namespace), **named))


for _shown, _module, _name in ((Type, "builtins", "type"), (ABCMeta, "abc", "ABCMeta")):
    _shown.__module__, _shown.__name__, _shown.__qualname__ = _module, _name, _name
show_as(type, Type)
show_as(abc.ABCMeta, ABCMeta)
show_metaclasses_as(Type)


# ---- classes ----

NO_BASES = ("numpy", "dataclasses", "functools", "types", "enum", "argparse", "gradviz.run", "_io", "io", "inspect")
"""Modules whose classes a script cannot derive from, but for those in `BASES`."""

BASES: set[int] = set()
"""The classes of these modules, by id, that a script can derive from all the same."""


def allow_as_base(*kinds: type) -> None:
    """Let scripts derive classes from these."""
    BASES.update(map(id, kinds))


allow_as_base(functools.partial, functools.partialmethod)


class Unmade(type):
    """The metaclass of what stands for a class that scripts may ask for, and make or derive nothing with."""

    def __call__(cls, *_: Any, **__: Any) -> Any:
        raise Refused(f"a '{cls.__name__}' cannot be made by a script")

    def __instancecheck__(cls, instance: object) -> bool:
        return cls._of in bases_of(type(instance))  # type: ignore[attr-defined]


def stand_for(kind: type) -> type:
    """A class that scripts see in the place of one of Python's own, and can make nothing with."""
    made = Unmade(kind.__name__, (), {"_of": kind, "__module__": kind.__module__})
    show_as(kind, made)
    return made


def checked_bases(bases: Any) -> tuple[Any, ...]:
    """The bases of a class to be.

    Raises:
        Refused: a class that no script can derive from.
    """
    if type(bases) is not tuple:
        raise TypeError(f"type.__new__() argument 2 must be tuple, not {type(bases).__name__}")
    for base in bases:
        if type(base) is not type and Unmade in bases_of(type(base)):
            raise Refused(f"a class cannot be derived from '{base.__name__}' here")
        if is_class(base) and id(base) not in BASES:
            if not all(_is_pattern_field(name) for name in _pattern_fields(base)):
                # a metaclass may claim any object as its own, and a class pattern then reads these names of it
                raise Refused(f"a class cannot be derived from '{base.__name__}' here")
            home = home_of(base)
            if home != SCRIPT and home.startswith(NO_BASES) and not issubclass(base, BaseException):
                raise Refused(f"a class cannot be derived from '{base.__name__}' here")
    return bases


def _pattern_fields(kind: type) -> tuple[object, ...]:
    """What a class pattern by position looks up."""
    for base in bases_of(kind):
        found = type.__dict__["__dict__"].__get__(base).get("__match_args__")
        if found is not None:
            return found if type(found) is tuple else ()
    return ()


def build_class(function: Any, name: str, *bases: Any, **named: Any) -> Any:
    """Make the class of a `class` statement, as Python does."""
    checked_bases(bases)
    for base in checked_bases(types.resolve_bases(bases)):
        if visible(base) is not base:  # what `typing.Type` stands for, for one
            raise Refused(f"a class cannot be derived from '{base.__name__}' here")
        if not is_class(base) and not is_of_script(base):  # Python would call its class, whatever that does then
            raise TypeError(f"a class is derived from classes, not from a '{type(base).__name__}'")
    if named.pop(TYPED_FIELDS, False) and any(base is NamedTuple for base in bases):
        raise Refused("a field of a named tuple has a name here that is a method of arrays or texts")
    if "metaclass" in named:
        given = named["metaclass"]
        named["metaclass"] = real(given) if given is Type or given is ABCMeta else given
    return checked_slots(builtins.__build_class__(function, name, *bases, **named))


def end_class(namespace: Any) -> None:
    """Called at the end of a class body that binds methods which look up attributes."""
    guard_lookups(namespace)


# ---- dataclasses, named tuples, enums ----


def dataclass(cls: Any = None, /, **named: Any) -> Any:
    """`dataclasses.dataclass`, for classes of the script."""
    if cls is None:
        return lambda cls: dataclass(cls, **named)
    if not is_script_class(cls):
        raise Refused("only a class of the script can be made a dataclass")
    for base in bases_of(cls):
        fields = type.__dict__["__dict__"].__get__(base).get("__annotations__")
        if fields is not None and module_of(base) == SCRIPT:
            fields = checked_annotations(fields)
            if not all(_is_pattern_field(name) for name in fields):
                named = {**named, "match_args": False}
    return _with_own_methods(dataclasses.dataclass(cls, **named))


def _with_own_methods(cls: Any) -> Any:
    """Let what `dataclass` has written into a class set attributes of its own objects alone."""
    written = type.__dict__["__dict__"].__get__(cls)
    for name in ("__init__", "__setattr__", "__delattr__"):
        method = written.get(name)
        if type(method) is types.FunctionType and not is_script_function(method):
            type.__setattr__(cls, name, _own_method(cls, method))
    return cls


def _own_method(cls: type, method: types.FunctionType) -> Any:
    name = method.__name__

    def own(*given: Any, **named: Any) -> Any:
        if given and cls not in bases_of(type(given[0])):
            raise TypeError(f"{name}() requires a '{cls.__name__}' object but received a '{type(given[0]).__name__}'")
        return method(*given, **named)

    functools.update_wrapper(own, method)
    own.__signature__ = inspect.signature(method)  # type: ignore[attr-defined]
    del own.__wrapped__  # type: ignore[attr-defined]
    return own


def total_ordering(cls: Any) -> Any:
    """`functools.total_ordering`, for classes of the script."""
    if not is_script_class(cls):
        raise Refused("only a class of the script can be given an order")
    return functools.total_ordering(cls)


def make_dataclass(cls_name: Any, fields: Any, *, bases: Any = (), namespace: Any = None, **named: Any) -> Any:
    """`dataclasses.make_dataclass`."""
    fields = list(fields)
    for field in fields:
        check_field(field if issubclass(type(field), str) else field[0])
    made = checked_namespace({} if namespace is None else namespace)
    named.pop("module", None)
    if not all(_is_pattern_field(field if type(field) is str else field[0]) for field in fields):
        named["match_args"] = False
    return _with_own_methods(
        dataclasses.make_dataclass(cls_name, fields, bases=checked_bases(bases), namespace=made, **named)
    )


def check_field(name: object) -> None:
    """Raise for a name that no attribute of a script may have."""
    if not is_field_allowed(name) or name in CLOSED:
        raise Refused(f"an attribute cannot be called {name!r} here" if type(name) is str else "names are texts")


def _named_fields(names: Any) -> list[str]:
    found = names.replace(",", " ").split() if type(names) is str else [str(name) for name in names]
    for name in found:
        check_field(name)
    return found


def namedtuple(typename: Any, field_names: Any, **named: Any) -> Any:
    """`collections.namedtuple`."""
    found = _named_fields(field_names)
    make: Any = collections.namedtuple
    made = make(typename, found, **{**named, "module": SCRIPT})
    if not all(_is_pattern_field(name) for name in found):
        type.__setattr__(made, "__match_args__", ())
    return made


def _enum_names(names: Any) -> Any:
    if names is None or type(names) is str:
        for name in () if names is None else names.replace(",", " ").split():
            check_field(name)
        return names
    items = list(names.items() if issubclass(type(names), dict) else names)
    for item in items:
        name = item if issubclass(type(item), str) else item[0]
        check_field(name)
        if is_dunder(name):
            raise Refused(refusal_of_name(name))
    return items


class _EnumType(enum.EnumMeta):
    """Makes `Enum("Colour", "RED GREEN")` look at the names."""

    def __call__(cls, value: Any, names: Any = None, *more: Any, **named: Any) -> Any:
        if names is None and not more and not named:
            return super().__call__(value)
        if issubclass(type(names), str) or hasattr(type(names), "__iter__"):
            named["module"] = SCRIPT
            return super().__call__(value, _enum_names(names), *more, **named)
        return super().__call__(value, *((names,) if names is not None else ()), *more, **named)


ENUMS: dict[str, Any] = {}
"""`Enum` and its kinds as scripts see them."""

for _base in (enum.Enum, enum.IntEnum, enum.Flag, enum.IntFlag, enum.StrEnum):
    _made = _EnumType(_base.__name__, (_base,), _EnumType.__prepare__(_base.__name__, (_base,)))
    _made.__module__, _made.__doc__ = "enum", _base.__doc__
    ENUMS[_base.__name__] = _made
    show_as(_base, _made)
    allow_as_base(_made)
EnumType = stand_for(enum.EnumMeta)
"""`enum.EnumType` as scripts see it."""

show_as(_EnumType, EnumType)
if hasattr(enum, "ReprEnum"):
    show_as(enum.ReprEnum, ENUMS["Enum"])


class SimpleNamespace(types.SimpleNamespace):
    """`types.SimpleNamespace`, whose attributes have plain names."""

    def __init__(self, *given: Any, **named: Any) -> None:
        for mapping in given:
            named = {**dict(mapping), **named}
        for name in named:
            check_field(name)
        super().__init__(**named)

    def __repr__(self) -> str:
        return f"namespace({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


SimpleNamespace.__module__, SimpleNamespace.__qualname__ = "types", "SimpleNamespace"
show_as(types.SimpleNamespace, SimpleNamespace)
allow_as_base(SimpleNamespace)


def rebuild(cls: Any, *given: Any) -> Any:
    """A new object for a copy, in the place of `copyreg.__newobj__`.

    A class may make something else than its own objects, and a copy then sets its attributes past the gate.
    """
    made = cls.__new__(cls, *given)
    if cls not in bases_of(type(made)):
        raise TypeError(f"{cls.__name__}.__new__ made a '{type(made).__name__}', which cannot be given its attributes")
    return made


class cached_property:  # noqa: N801 (Python's name)
    """`functools.cached_property`, whose value is kept under a name that the class body has given it."""

    __slots__ = ("_function", "_name")

    def __init__(self, func: Any) -> None:
        self._function = func
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        check_field(name)
        self._name = self._name or name

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return self
        kept: dict[str, Any] = object.__getattribute__(owner, "__dict__")
        if self._name not in kept:
            kept[self._name] = self._function(owner)
        return kept[self._name]


class _NamedTuple:
    """`typing.NamedTuple`, as a base and as a call."""

    __slots__ = ()

    def __call__(self, typename: Any, fields: Any = (), /) -> Any:
        """A named tuple; the types are not kept."""
        return namedtuple(typename, [name for name, _ in fields])

    def __mro_entries__(self, _: tuple[Any, ...]) -> tuple[Any, ...]:
        return typing.NamedTuple.__mro_entries__((typing.NamedTuple,))  # type: ignore[attr-defined,no-any-return]

    def __repr__(self) -> str:
        return "<function NamedTuple>"


NamedTuple = _NamedTuple()
"""`typing.NamedTuple` as scripts see it."""

TYPED_FIELDS = " typed fields"
"""An argument of `build_class`: that the class annotates names that a class pattern must not look up."""


def wraps(wrapped: Any, assigned: Any = None, updated: Any = None) -> Callable[[Any], Any]:  # noqa: ARG001
    """`functools.wraps`, for the attributes that functions have."""
    return lambda wrapper: update_wrapper(wrapper, wrapped)


def update_wrapper(wrapper: Any, wrapped: Any, assigned: Any = None, updated: Any = None) -> Any:  # noqa: ARG001
    """`functools.update_wrapper`, likewise."""
    if is_script_function(wrapper):
        if type(wrapped) is types.FunctionType:
            vars(wrapper).update(vars(wrapped))
    elif not issubclass(type(wrapper), functools.partial) and (is_class(wrapper) or not is_of_script(wrapper)):
        return wrapper
    return functools.update_wrapper(wrapper, wrapped, updated=())
