"""`owner.name`, by a list for each kind of owner. What is on no list does not exist, for any owner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.callables import Once
from gradviz.imitation.script.classes.special_methods import OF_ANY, maker, special
from gradviz.imitation.script.errors.failures import suggestion
from gradviz.imitation.script.errors.unsupported import Unsupported, exists, no_longer, unsupported
from gradviz.imitation.script.hinting import read_hints
from gradviz.imitation.script.plain_methods import PLAIN_METHODS, plain_method
from gradviz.imitation.script.readers import READERS
from gradviz.imitation.script.tensors.grad_nodes import NOTHING
from gradviz.imitation.script.tensors.members import TENSOR_ATTRIBUTES, TENSOR_METHODS
from gradviz.imitation.script.values import (
    Bound,
    Class,
    Function,
    Instance,
    Namespace,
    Native,
    Object,
    OnClass,
    Property,
    Proxy,
    Static,
    type_name,
)


def get(machine: Any, owner: Any, name: str) -> Any:
    """The attribute of a value.

    Raises:
        TorchError: an AttributeError in Python's words, with a suggestion.
    """
    kind = type(owner)
    if kind is Tensor:
        if name in TENSOR_ATTRIBUTES:
            return TENSOR_ATTRIBUTES[name](owner)
        if name in TENSOR_METHODS:
            return Bound(TENSOR_METHODS[name], owner)
        own = owner.extra.attributes if owner.extra is not None else None
        if own and name in own:
            return own[name]
        if name == "__class__":
            return machine.call(machine.builtins["type"], (owner,), {})
        if exists("Tensor", name):
            raise Unsupported(f"Tensor.{name}")
        added = machine.state["Tensor"].attributes.get(name)
        if isinstance(added, Property):
            return machine.call(added.getter, (owner,), {})
        if added is not None:
            return bound(added, owner)
        if name[:2] == "__" and (found := special(machine, owner, name)) is not NOTHING:
            return found
        raise missing(owner, name, (*TENSOR_ATTRIBUTES, *TENSOR_METHODS))
    if isinstance(owner, Class):
        return of_class(machine, owner, name)
    if kind is Object or isinstance(owner, Instance):
        return of_instance(machine, owner, name)
    if isinstance(owner, Namespace) and kind not in READERS:
        if name in owner.members:
            return owner.members[name]
        if owner.name.partition(".")[0] in machine.modules and name in ("__name__", "__dict__"):
            return owner.name if name == "__name__" else Proxy(owner.members)
        raise of_namespace(owner, name)
    reader = READERS.get(kind)
    if reader is not None:
        found = reader(machine, owner, name)
        if found is not NOTHING:
            return found
    found, known = of_plain(machine, owner, name)
    if found is not NOTHING:
        return found
    if name == "__class__":
        return machine.call(machine.builtins["type"], (owner,), {})
    raise missing(owner, name, known)


def of_plain(machine: Any, owner: Any, name: str) -> tuple[Any, list[str]]:
    """A method of one of Python's own values, special ones too, and the names that there are."""
    known: list[str] = []
    for python, names in PLAIN_METHODS.items():
        if isinstance(owner, python) and not isinstance(owner, bool):
            if name in names and hasattr(type(owner), name):
                return plain_method(machine, owner, name), known
            known.extend(names)
    if name in STEPPING and hasattr(type(owner), name):
        return Native(name, lambda: STEPPING[name](owner)), known
    return (special(machine, owner, name) if name[:2] == "__" else NOTHING), known


STEPPING: dict[str, Callable[[Any], Any]] = {"__next__": next, "__iter__": iter}


def missing(owner: Any, name: str, known: Any, hint: str = "") -> TorchError:
    """The AttributeError for a value."""
    if name.startswith("_"):
        hint = "Names that begin with an underscore are not part of what gradviz reads."
    return TorchError(
        f"'{type_name(owner)}' object has no attribute '{name}'",
        kind="AttributeError",
        hint=hint or suggestion(name, known) or (unsupported(f"Tensor.{name}") if isinstance(owner, Tensor) else ""),
    )


def of_namespace(owner: Namespace, name: str) -> Exception:
    """What is raised for a name that a module has not got."""
    if exists(owner.name, name):
        return Unsupported(f"{owner.name}.{name}")
    return TorchError(
        no_longer(owner.name, name) or f"module '{owner.name}' has no attribute '{name}'",
        kind="AttributeError",
        hint=suggestion(name, owner.members, f"{owner.name}.") or unsupported(f"{owner.name}.{name}"),
    )


def of_instance(machine: Any, owner: Instance, name: str) -> Any:
    """An attribute of an object, by its class's `__getattribute__` where it has one."""
    if not owner.cls.intercepts:
        return own_of_instance(machine, owner, name)
    try:
        return machine.call(owner.cls.find("__getattribute__"), (owner, name), {})
    except TorchError as error:
        fallback = owner.cls.find("__getattr__")
        if error.kind != "AttributeError" or fallback is None:
            raise
    return machine.call(fallback, (owner, name), {})


def own_of_instance(machine: Any, owner: Any, name: str) -> Any:
    """`object.__getattribute__`: the object's own, or its class's, bound to it."""
    if not isinstance(owner, Instance):
        return get(machine, owner, name)
    found = owner.cls.find(name)
    if isinstance(found, Property):
        return machine.call(found.getter, (owner,), {})
    if isinstance(found, Instance) and found.cls.has("__set__"):
        return found.special("__get__", owner, owner.cls)
    if name in owner.attributes:
        return owner.attributes[name]
    if isinstance(found, Instance) and found.cls.has("__get__"):
        return found.special("__get__", owner, owner.cls)
    if isinstance(found, Once):
        value = owner.attributes[name] = machine.call(found.function, (owner,), {})
        return value
    if found is not None or owner.cls.has(name):
        return bound(found, owner)
    if name == "__class__":
        return owner.cls
    if name == "__dict__" and owner.cls.slots is None:
        return owner.attributes
    if type(owner) is not Object:
        method, _ = of_plain(machine, owner, name)
        if method is not NOTHING:
            return method
    if name in ABOUT_CLASS:
        return of_class(machine, owner.cls, name)
    if name in OF_ANY:
        return Bound(Native(name, OF_ANY[name], is_method=True), owner)
    fallback = owner.cls.find("__getattr__")
    if fallback is not None:
        return machine.call(fallback, (owner, name), {})
    raise absent(owner, name)


def absent(owner: Instance, name: str) -> TorchError:
    """The AttributeError for an object of a class."""
    known = [*owner.attributes, *(key for cls in owner.cls.mro for key in cls.attributes)]
    return TorchError(
        f"'{owner.cls.name}' object has no attribute '{name}'", kind="AttributeError", hint=suggestion(name, known)
    )


ABOUT_CLASS = ("__doc__", "__module__", "__annotations__")
"""Names that an object has from its class."""


def bound(found: Any, owner: Any) -> Any:
    """A class attribute seen from an object."""
    if isinstance(found, Static):
        return found.function
    if isinstance(found, OnClass):
        return Bound(found.function, owner.cls if isinstance(owner, Instance) else owner)
    if isinstance(found, Function) or (isinstance(found, Native) and found.is_method):
        return Bound(found, owner)
    return found


def of_class(machine: Any, owner: Class, name: str) -> Any:
    """An attribute of a class."""
    over = owner.meta.find(name) if owner.meta is not None else None
    if isinstance(over, Property):
        return machine.call(over.getter, (owner,), {})
    if owner.has(name):
        return _class_attribute(owner, owner.find(name))
    if name in FACTS:
        return FACTS[name](machine, owner)
    if name in OF_ANY:
        return Native(name, OF_ANY[name], is_method=True)
    if over is not None:
        return Bound(over.function, owner.meta) if isinstance(over, OnClass) else bound(over, owner)
    fallback = owner.meta.find("__getattr__") if owner.meta is not None else None
    if fallback is not None:
        return machine.call(fallback, (owner, name), {})
    if owner.members is not None and name in owner.members:
        return owner.members[name]
    if owner.python and any(name in PLAIN_METHODS.get(kind, ()) for kind in owner.python):
        run = lambda value, *rest, **named: _unbound(machine, owner, name, value, rest, named)  # noqa: E731 - one line
        return Native(name, run, is_method=True)
    if owner.members is not None:
        raise TorchError(name, kind="AttributeError", hint=suggestion(name, owner.members))
    known = [key for cls in owner.mro for key in cls.attributes]
    raise TorchError(
        f"type object '{owner.name}' has no attribute '{name}'", kind="AttributeError", hint=suggestion(name, known)
    )


def _class_attribute(owner: Class, found: Any) -> Any:
    if isinstance(found, Static):
        return found.function
    if isinstance(found, OnClass):
        return Bound(found.function, owner)
    if isinstance(found, Instance) and not isinstance(found, Class) and found.cls.has("__get__"):
        return found.special("__get__", None, owner)
    return found


def _unbound(machine: Any, owner: Class, name: str, value: Any, rest: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """`str.upper(text)`."""
    if not isinstance(value, owner.python):
        raise TorchError(
            f"descriptor '{name}' for '{owner.name}' objects doesn't apply to a '{type_name(value)}' object",
            kind="TypeError",
        )
    method, _ = of_plain(machine, value, name)  # the type's own, whatever a class derived from it has
    return machine.call(method, rest, named)


FACTS: dict[str, Callable[[Any, Class], Any]] = {
    "__name__": lambda machine, cls: cls.name,
    "__qualname__": lambda machine, cls: cls.qualname,
    "__module__": lambda machine, cls: cls.module or "builtins",
    "__base__": lambda machine, cls: cls.bases[0] if cls.bases else None,
    "__bases__": lambda machine, cls: cls.bases,
    "__mro__": lambda machine, cls: tuple(cls.mro),
    "mro": lambda machine, cls: Native("mro", lambda: list(cls.mro)),
    "__class__": lambda machine, cls: cls.meta or machine.builtins["type"],
    "__abstractmethods__": lambda machine, cls: cls.abstract,
    "__subclasses__": lambda machine, cls: Native("__subclasses__", lambda: list(cls.children)),
    "__doc__": lambda machine, cls: None,
    "__new__": maker,
    "__members__": lambda machine, cls: Proxy(cls.members or {}),
    "__dict__": lambda machine, cls: Proxy({k: v for k, v in cls.attributes.items() if k[:1] != " "}),
    "__annotations__": lambda machine, cls: read_hints(
        machine.state["module"], cls.hints, machine.state.get("annotations are text", False)
    ),
}  # fmt: skip
"""What every class tells about itself."""
