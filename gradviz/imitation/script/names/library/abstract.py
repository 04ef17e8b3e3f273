"""`abc`: abstract classes."""

from __future__ import annotations

from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.making import natives, plain_class
from gradviz.imitation.script.syntax.classes import ABSTRACT
from gradviz.imitation.script.values import Class, Function, Namespace, Native, OnClass, Property, Static

ABC_META = "ABCMeta"


def _abstract(function: Any) -> Any:
    inner = function.getter if isinstance(function, Property) else function
    inner = inner.function if isinstance(inner, Static | OnClass) else inner
    if isinstance(inner, Function):
        inner.members[ABSTRACT] = True
    return function


def _register(cls: Class, other: Any) -> Any:
    """`Base.register(Other)`: its objects count as those of a derived class."""
    if not isinstance(other, Class):
        raise TorchError("Can only register classes", kind="TypeError")
    cls.registered.append(other)
    return other


def module(machine: Machine) -> Namespace:
    """The names."""
    kind = Class(ABC_META, (machine.builtins["type"],), {"register": Native("register", _register, is_method=True)},
                 module="abc")  # fmt: skip
    abstract = plain_class(machine, "ABC", "abc", {})
    abstract.meta = kind
    return Namespace("abc", {
        "ABC": abstract,
        ABC_META: kind,
        **natives({"abstractmethod": _abstract, "abstractproperty": lambda f: Property(_abstract(f))}),
    })  # fmt: skip
