"""`abc`: abstract classes."""

from __future__ import annotations

from typing import Any

from gradviz.script.classes import ABSTRACT
from gradviz.script.machine import Machine
from gradviz.script.names.library.making import natives, plain_class
from gradviz.script.values import Function, Namespace, OnClass, Property, Static

ABC_META = "ABCMeta"


def _abstract(function: Any) -> Any:
    inner = function.getter if isinstance(function, Property) else function
    inner = inner.function if isinstance(inner, Static | OnClass) else inner
    if isinstance(inner, Function):
        inner.members[ABSTRACT] = True
    return function


def module(machine: Machine) -> Namespace:
    """The names."""
    kind = machine.state[ABC_META] = plain_class(machine, ABC_META, "abc", {})
    return Namespace("abc", {
        "ABC": plain_class(machine, "ABC", "abc", {}),
        ABC_META: kind,
        **natives({"abstractmethod": _abstract, "abstractproperty": lambda f: Property(_abstract(f))}),
    })  # fmt: skip
