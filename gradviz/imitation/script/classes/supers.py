"""What `super()` gives."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.classes.special_methods import OF_ANY
from gradviz.imitation.script.values import Bound, Class, Function, Native, OnClass, Property, Static, type_name


def _owner(cls: Class, receiver: Any) -> Class:
    """The class in whose order a receiver's attributes are looked for.

    Raises:
        TorchError: it is neither an object of the class nor derived from it.
    """
    # A class is looked at as such where it is derived, and as an object of its metaclass elsewhere.
    if isinstance(receiver, Class) and receiver.is_a(cls):
        return receiver
    found = getattr(receiver, "cls", None)
    if not isinstance(found, Class) or cls not in found.mro:
        raise TorchError(_unrelated(cls, receiver), kind="TypeError")
    return found


def _unrelated(cls: Class, receiver: Any) -> str:
    """Python's words where an object has nothing to do with a class."""
    if sys.version_info < (3, 13):
        return "super(type, obj): obj must be an instance or subtype of type"
    kind = type_name(receiver)
    given = f"type {receiver.name}" if kind == "type" else f"instance of {kind}"
    return f"super(type, obj): obj ({given}) is not an instance or subtype of type ({cls.name})."


class Super:
    """What `super()` gives: the attributes of the classes after one in an object's order."""

    __slots__ = ("_machine", "cls", "owner", "receiver")

    def __init__(self, machine: Any, cls: Class, receiver: Any) -> None:
        self._machine = machine
        self.cls = cls
        self.receiver = receiver
        self.owner = _owner(cls, receiver)

    def find(self, name: str) -> Any:
        """The attribute, bound to the object.

        Raises:
            TorchError: no class after this one has it.
        """
        order = self.owner.mro
        for cls in order[order.index(self.cls) + 1 :]:
            if name in cls.attributes:
                return self._bound(cls.attributes[name])
        if name in OF_OBJECT:
            return Native(name, lambda *given, **named: OF_OBJECT[name](self, *given, **named))
        if self.owner is not self.receiver:
            from gradviz.imitation.script.attributes import of_plain
            from gradviz.imitation.script.tensors.grad_nodes import NOTHING

            found, _ = of_plain(self._machine, self.receiver, name)
            if found is not NOTHING:
                return found
        raise TorchError(f"'super' object has no attribute '{name}'", kind="AttributeError")

    def _bound(self, found: Any) -> Any:
        if isinstance(found, Static):
            return found.function
        if isinstance(found, Property):
            return self._machine.call(found.getter, (self.receiver,), {})
        if isinstance(found, OnClass):
            return Bound(found.function, self.owner)
        if isinstance(found, Function) or (isinstance(found, Native) and found.is_method):
            return Bound(found, self.receiver)
        return found

    def new(self, cls: Class, *arguments: Any, **keywords: Any) -> Any:
        """`object.__new__(cls)`."""
        from gradviz.imitation.script.syntax.classes import blank

        return blank(self._machine, cls, arguments, keywords)


class Unbound(Super):
    """`super(Class)`, which belongs to no object: to begin it does nothing, and it finds no method of others."""

    __slots__ = ()

    def __init__(self, machine: Any, cls: Class) -> None:
        self._machine, self.cls, self.owner, self.receiver = machine, cls, cls, None

    def find(self, name: str) -> Any:
        if name == "__init__":
            return Native(name, lambda *_, **__: None)
        text = f"'super' object has no attribute '{name}'"
        raise TorchError(text, kind="AttributeError", hint=f"Write super().{name}.")


def no_keywords(cls: Class, keywords: dict[str, Any]) -> None:
    """`object.__init_subclass__`."""
    if keywords:
        raise TorchError(f"{cls.name}.__init_subclass__() takes no keyword arguments", kind="TypeError")


def _of_receiver(run: Callable[..., Any]) -> Callable[..., Any]:
    return lambda s, *given, **named: run(s.receiver, *given, **named)


OF_OBJECT: dict[str, Callable[..., Any]] = {
    **{name: _of_receiver(run) for name, run in OF_ANY.items()},
    "__init_subclass__": lambda s, **named: no_keywords(s.owner, named),
    "__new__": Super.new,
}
"""What every object has."""
