"""Classes made by a class of the script: `class Meta(type)` and `class A(metaclass=Meta)`.

Such a class is an object of its metaclass, so that `len(A)`, `A[key]` and `print(A)` reach the metaclass's special
methods as those of any object.
"""

from __future__ import annotations

from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.hinting import HINTS, Hint, read_hints
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.values import Class, Instance, Native, OnClass, Static


class Ruled(Instance, Class):  # type: ignore[override]  # its type's name is that of the metaclass
    """A class with a metaclass of the script."""

    def __new__(cls, *_: Any, **__: Any) -> Ruled:
        return object.__new__(cls)

    def __init__(
        self, meta: Class, machine: Machine, name: str, bases: tuple[Class, ...], attributes: dict[str, Any]
    ) -> None:
        self.cls, self.machine, self.label, self.number = meta, machine, "", 0
        Class.__init__(self, name, bases, attributes)
        self.meta = meta

    def __bool__(self) -> bool:
        return Instance.__bool__(self)


class Annotations(dict[str, Any]):
    """`__annotations__` in the namespace that a metaclass is given; `nodes` are the hints as they are written."""

    nodes: dict[str, Any]


def is_type(cls: Any) -> bool:
    """Whether its objects are classes."""
    return isinstance(cls, Class) and any(known.name == "type" and not known.module for known in cls.mro)


def metaclass(machine: Machine, given: Any, bases: list[Any]) -> Any:
    """What makes a class: the given metaclass, or that of a base where it is derived from it; None for `type`.

    Raises:
        TorchError: metaclasses of which none is derived from all others.
    """
    if given is not None and not isinstance(given, Class):
        return given  # any function of a name, bases and a namespace
    if given is not None and not is_type(given):
        if bases:
            raise TorchError(CONFLICT, kind="TypeError")
        return given
    winner = given
    for base in (base.origin if isinstance(base, Hint) else base for base in bases):
        other = base.meta if isinstance(base, Class) else None
        if other is None or (winner is not None and winner.is_a(other)):
            continue
        if winner is not None and not other.is_a(winner):
            raise TorchError(CONFLICT, kind="TypeError")
        winner = other
    return None if winner is machine.builtins["type"] else winner


CONFLICT = (
    "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all "
    "its bases"
)


def of_script(meta: Any) -> bool:
    """Whether a metaclass must be called; those of ours do nothing that a class here has not got."""
    return meta is not None and (not is_type(meta) or meta.module == "__main__")


def namespace(machine: Machine, meta: Any, name: str, parents: list[Any], keywords: dict[str, Any]) -> Any:
    """What the body of a class fills: what `__prepare__` of its metaclass gives, or a base of ours asks for."""
    prepare = meta.find("__prepare__") if of_script(meta) and isinstance(meta, Class) else None
    if prepare is not None:
        given = (name, tuple(parents))
        if isinstance(prepare, OnClass):
            return machine.call(prepare.function, (meta, *given), keywords)
        return machine.call(getattr(prepare, "function", prepare), given, keywords)
    spaces = (known.space for base in parents if isinstance(base, Class) for known in base.mro)
    make = next((space for space in spaces if space is not None), None)
    return {} if make is None else make(machine, parents)


def made(machine: Machine, meta: Any, name: str, parents: list[Any], inside: Any, keywords: dict[str, Any]) -> Any:
    """`meta(name, bases, namespace)`, as a `class` statement calls it."""
    hints = inside.pop(HINTS, None)
    if hints:
        notes = inside["__annotations__"] = Annotations(
            read_hints(machine.state["module"], hints, machine.state.get("annotations are text", False))
        )
        notes.nodes = hints
    return machine.call(meta, (name, tuple(parents), inside), keywords)


def _new(machine: Machine, meta: Class, *arguments: Any, **keywords: Any) -> Any:
    """`type.__new__`."""
    from gradviz.imitation.script.syntax.classes import make_class

    plain: Class = machine.builtins["type"]
    if len(arguments) == 1 and meta is plain:
        assert plain.make is not None
        return plain.make.run(machine, *arguments)
    if len(arguments) != 3:
        text = f"type.__new__() takes exactly 3 arguments ({len(arguments)} given)"
        raise TorchError(text if meta is not plain else "type() takes 1 or 3 arguments", kind="TypeError")
    name, bases, inside = arguments
    attributes = dict(inside)
    notes = attributes.pop("__annotations__", None)
    if isinstance(notes, Annotations):
        attributes[HINTS] = notes.nodes
    qualname = attributes.pop("__qualname__", name)
    attributes.pop("__module__", None)
    winner = metaclass(machine, meta, list(bases))
    return make_class(machine, str(name), str(qualname), list(bases), attributes, keywords, meta=winner)


def _call(machine: Machine, cls: Class, *arguments: Any, **keywords: Any) -> Any:
    """`type.__call__`: an object is made."""
    from gradviz.imitation.script.syntax.classes import construct

    return construct(machine, cls, arguments, keywords)


def _nothing(cls: Class, *_: Any, **__: Any) -> None:
    """`type.__init__`."""


def of_type() -> dict[str, Any]:
    """The special methods of `type`, for the metaclasses derived from it."""
    return {
        "__new__": Static(Native("__new__", _new, needs_machine=True)),
        "__init__": Native("__init__", _nothing, is_method=True),
        "__call__": Native("__call__", _call, needs_machine=True, is_method=True),
        "__repr__": Native("__repr__", Class.__repr__, is_method=True),
        "__setattr__": Native("__setattr__", _put, is_method=True),
    }


def _put(cls: Class, name: str, value: Any) -> None:
    """`type.__setattr__`."""
    cls.attributes[name] = value
