"""What a script can hold besides plain Python values and tensors: functions, classes, objects and modules of its own.

Nothing here wraps a real Python callable that the script could look into: a script sees names and may call; what
a call does is decided by `Native.run` or by the script's own code.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gradviz.imitation.engine.kind_names import kind_name
from gradviz.errors import TorchError
from gradviz.imitation.script.callables import Bound, Function, Native, OnClass, Property, Static
from gradviz.imitation.script.classes.values import Class

if TYPE_CHECKING:
    import ast

    from gradviz.imitation.script.machine import Machine


class Instance:
    """An object of a script's class.

    Python's own protocols (repr in a list, sorting, `in`, iteration) reach the script's special methods through
    the methods below; each asks the machine to run them. Values of a class derived from `dict`, `tuple` and the
    like are made by `classes.extended`; all others are an `Object`.

    Attributes:
        label: the variable or attribute it was first assigned to, or "".
    """

    # None of its own, so that a class derived from it may also be a dict or a tuple.
    __slots__ = ("attributes", "cls", "label", "machine", "number") if TYPE_CHECKING else ()
    cls: Class
    attributes: dict[str, Any]
    machine: Machine
    label: str
    number: int

    def __new__(cls, *_: Any, **__: Any) -> Instance:
        return object.__new__(Object) if cls is Instance else super().__new__(cls)

    @property
    def shown_as(self) -> str:
        """The name of its class, which messages give."""
        return self.cls.name

    def special(self, name: str, *arguments: Any) -> Any:
        """Call a special method of the class; NotImplemented where it has none."""
        method = self.cls.find(name)
        return NotImplemented if method is None else self.machine.call(Bound(method, self), arguments, {})

    def __repr__(self) -> str:
        result = self.special("__repr__")
        return self.plain_text() if result is NotImplemented else _text(result, "__repr__")

    def plain_text(self) -> str:
        """What `object.__repr__` gives."""
        return f"<{self.cls.module}.{self.cls.qualname} object at 0x7f0000000000>"

    def __str__(self) -> str:
        result = self.special("__str__")
        return repr(self) if result is NotImplemented else _text(result, "__str__")

    def __format__(self, spec: str) -> str:
        result = self.special("__format__", spec)
        if result is not NotImplemented:
            return _text(result, "__format__")
        if spec and type(self) is Object and self.cls.members is None:  # members of an Enum go by their text
            raise TorchError(f"unsupported format string passed to {self.cls.name}.__format__", kind="TypeError")
        return format(str(self), spec)

    def __eq__(self, other: object) -> Any:
        result = self.special("__eq__", other)
        return self is other if result is NotImplemented else result

    def __hash__(self) -> int:
        result = self.special("__hash__")
        if result is not NotImplemented:
            return int(result)
        if self.cls.has("__hash__"):
            raise TorchError(f"unhashable type: '{self.cls.name}'", kind="TypeError")
        return self.identity()

    def identity(self) -> int:
        """What `object.__hash__` gives: numbered as they come, so that a set has the same order in every run."""
        if not self.number:
            self.number = self.machine.numbered()
        return self.number

    def __bool__(self) -> bool:
        for name in ("__bool__", "__len__"):
            result = self.special(name)
            if result is not NotImplemented:
                return bool(result)
        return True

    def __len__(self) -> int:
        return int(self._needed("__len__", f"object of type '{self.cls.name}' has no len()"))

    def __iter__(self) -> Iterator[Any]:
        result = self.special("__iter__")
        if result is not NotImplemented:
            return _iterator(result)
        if not self.cls.has("__getitem__"):
            raise TorchError(f"'{self.cls.name}' object is not iterable", kind="TypeError")
        return self._by_index()

    def _by_index(self) -> Iterator[Any]:
        index = 0
        while True:
            try:
                item = self.special("__getitem__", index)
            except TorchError as error:
                if error.kind == "IndexError":
                    return
                raise
            yield item
            index += 1

    def __next__(self) -> Any:
        try:
            return self._needed("__next__", f"'{self.cls.name}' object is not an iterator")
        except TorchError as error:
            if error.kind == "StopIteration":
                raise StopIteration from None
            raise

    def __contains__(self, item: Any) -> bool:
        result = self.special("__contains__", item)
        return any(item == other for other in self) if result is NotImplemented else bool(result)

    def __lt__(self, other: Any) -> Any:
        return self._ordered("__lt__", "__gt__", "<", other)

    def __gt__(self, other: Any) -> Any:
        return self._ordered("__gt__", "__lt__", ">", other)

    def __le__(self, other: Any) -> Any:
        return self._ordered("__le__", "__ge__", "<=", other)

    def __ge__(self, other: Any) -> Any:
        return self._ordered("__ge__", "__le__", ">=", other)

    def _ordered(self, name: str, reflected: str, symbol: str, other: Any) -> Any:
        """A comparison of order; between two objects the error is told here, where the names of their classes are."""
        result = self.special(name, other)
        if result is NotImplemented and type(self) is type(other) is Object:
            result = other.special(reflected, self)
            if result is NotImplemented:
                between = f"'{self.cls.name}' and '{other.cls.name}'"
                raise TorchError(f"'{symbol}' not supported between instances of {between}", kind="TypeError")
        return result

    def __ne__(self, other: object) -> Any:
        result = self.special("__ne__", other)
        if result is not NotImplemented:
            return result
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __index__(self) -> int:
        return int(self._needed("__index__", f"'{self.cls.name}' object cannot be interpreted as an integer"))

    def __round__(self, digits: int | None = None) -> Any:
        given = () if digits is None else (digits,)
        method = self.cls.find("__round__")
        if method is None:
            raise TorchError(f"type {self.cls.name} doesn't define __round__ method", kind="TypeError")
        return self.special("__round__", *given)

    def __float__(self) -> float:
        if not self.cls.has("__float__") and self.cls.has("__index__"):
            return float(self.__index__())
        text = f"float() argument must be a string or a real number, not '{self.cls.name}'"
        return float(self._needed("__float__", text))

    def __int__(self) -> int:
        if not self.cls.has("__int__") and self.cls.has("__index__"):
            return self.__index__()
        text = f"int() argument must be a string, a bytes-like object or a real number, not '{self.cls.name}'"
        return int(self._needed("__int__", text))

    def __complex__(self) -> complex:
        found = self.special("__complex__")
        return complex(float(self)) if found is NotImplemented else complex(found)

    def __abs__(self) -> Any:
        return self._needed("__abs__", f"bad operand type for abs(): '{self.cls.name}'")

    def _needed(self, name: str, otherwise: str) -> Any:
        result = self.special(name)
        if result is NotImplemented:
            raise TorchError(otherwise, kind="TypeError")
        return result


class Object(Instance):
    """An object that is nothing else."""

    __slots__ = ("__weakref__", "attributes", "cls", "label", "machine", "number")

    def __init__(self, cls: Class, machine: Machine) -> None:
        self.cls = cls
        self.attributes = {}
        self.machine = machine
        self.label = ""
        self.number = 0


def asked_in_order(left: str, right: str, x: Any, y: Any, only_left: bool = False) -> list[tuple[Instance, str, Any]]:
    """Which operand of an operator is asked first, by which method, about which other.

    A class derived from the other's goes first with a method of its own; two of one class are not asked twice.
    """
    first = [(x, left, y)] if isinstance(x, Instance) else []
    if only_left or not isinstance(y, Instance) or (first and y.cls is x.cls):
        return first
    turned = (y, right, x)
    is_own = bool(first) and y.cls.is_a(x.cls) and y.cls.find(right) is not x.cls.find(right)
    return [turned, *first] if is_own else [*first, turned]


def _iterator(result: Any) -> Iterator[Any]:
    """What a script's `__iter__` returned, if it can be stepped."""
    is_stepped = result.cls.has("__next__") if isinstance(result, Instance) else hasattr(type(result), "__next__")
    if not is_stepped:
        raise TorchError(f"iter() returned non-iterator of type '{type_name(result)}'", kind="TypeError")
    return result  # type: ignore[no-any-return]


def _text(value: Any, method: str) -> str:
    if not isinstance(value, str):
        raise TorchError(f"{method} returned non-string (type {type_name(value)})", kind="TypeError")
    return value


class Namespace:
    """A module as the script sees it: a name and its members."""

    shown_as = "module"

    __slots__ = ("members", "name")

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self.name = name
        self.members = members

    def __repr__(self) -> str:
        return f"<module '{self.name}'>"


class Proxy(dict[str, Any]):
    """A look at what a class holds; a copy, which changes nothing."""

    shown_as = "mappingproxy"

    def __repr__(self) -> str:
        return f"mappingproxy({dict.__repr__(self)})"

    def __str__(self) -> str:
        return dict.__repr__(self)


class Raised(TorchError):
    """An exception that the script raised itself, or that it may catch by class.

    Attributes:
        value: the exception object of the script.
    """

    def __init__(self, value: Instance, message: str) -> None:
        super().__init__(message, kind=value.cls.name)
        self.value = value


def type_name(value: Any) -> str:
    """The name of a value's type, as error messages give it."""
    if getattr(getattr(value, "extra", None), "is_parameter", False):
        return "Parameter"
    return kind_name(value)


def no_place(kind: str, name: str) -> TorchError:
    """What this Python says where an attribute is set that objects of a type have no place for."""
    why = "" if sys.version_info < (3, 13) else " and no __dict__ for setting new attributes"
    return TorchError(f"'{kind}' object has no attribute '{name}'{why}", kind="AttributeError")


def can_be_iterated(value: Any) -> bool:
    """Whether its type says that it gives items."""
    if type(value) is Object:
        return value.cls.has("__iter__") or value.cls.has("__getitem__")
    return hasattr(type(value), "__iter__")


def refuse_single(value: Any, what: str) -> None:
    """Raise a TypeError that begins with `what` where a value cannot be iterated."""
    if not can_be_iterated(value):
        raise TorchError(f"{what}, not {type_name(value)}", kind="TypeError")


def place(node: ast.AST) -> tuple[int | None, int | None]:
    """Line and column of a piece of the source, from 1; of the library's own texts neither, as if they were ours."""
    line, column = getattr(node, "lineno", None), getattr(node, "col_offset", None)
    if line is not None and line < 0:
        return None, None
    return line, None if column is None else column + 1


__all__ = [
    "Bound", "Class", "Function", "Instance", "Namespace", "Native", "Object", "OnClass", "Property", "Proxy",
    "Raised", "Static", "asked_in_order", "can_be_iterated", "place", "type_name",
]  # fmt: skip
