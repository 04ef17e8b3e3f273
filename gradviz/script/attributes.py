"""`owner.name`, by a list for each kind of owner. What is on no list does not exist, for any owner."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.engine.custom.context import Context
from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.arrays.values import Flags
from gradviz.script.callables import Once
from gradviz.script.classes.special_methods import OF_ANY, maker, special
from gradviz.script.errors.failures import suggestion
from gradviz.script.errors.unsupported import Unsupported, exists, no_longer, unsupported
from gradviz.script.hinting import read_hints
from gradviz.script.names.torch.surroundings import Settings
from gradviz.script.plain_methods import PLAIN_METHODS, plain_method
from gradviz.script.readers import READERS, set_of_array
from gradviz.script.silent import Silent
from gradviz.script.tensors import grad_nodes
from gradviz.script.tensors.grad_nodes import NOTHING, GradNode
from gradviz.script.tensors.members import TENSOR_ATTRIBUTES, TENSOR_METHODS
from gradviz.script.tensors.settings import del_attribute, set_attribute
from gradviz.script.torch_values import Scoped
from gradviz.script.values import (
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
    fallback = owner.cls.find("__getattr__")
    if fallback is not None:
        return machine.call(fallback, (owner, name), {})
    if name in ABOUT_CLASS:
        return of_class(machine, owner.cls, name)
    if name in OF_ANY:
        return Bound(Native(name, OF_ANY[name], is_method=True), owner)
    known = [*owner.attributes, *(key for cls in owner.cls.mro for key in cls.attributes)]
    raise TorchError(
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


# ---- values ----


def put(machine: Any, owner: Any, name: str, value: Any) -> None:
    """`owner.name = value`.

    Raises:
        TorchError: the owner takes no such attribute.
    """
    if type(owner) is Tensor:
        set_attribute(owner, name, value)
    elif isinstance(owner, Instance):
        setter = owner.cls.find("__setattr__")
        if isinstance(owner, Class):
            _put_on_class(machine, owner, name, value)
        elif setter is None or setter is SET_PLAIN:
            set_plain(machine, owner, name, value)
        else:
            machine.call(setter, (owner, name, value), {})
    elif isinstance(owner, Settings):
        owner.members[name] = value
    elif isinstance(owner, np.ndarray):
        set_of_array(owner, name, value)
    elif isinstance(owner, Flags):
        owner.set(name, value)
    elif isinstance(owner, Silent):
        pass  # plt.rcParams and the like
    elif isinstance(owner, Namespace):
        owner.members = {**owner.members, name: value}  # what it was made of may be a table for all runs
    elif isinstance(owner, Class) and name in (owner.members or ()):
        raise TorchError(f"cannot reassign member '{name}'", kind="AttributeError")
    elif isinstance(owner, GradNode):
        grad_nodes.put(machine, owner, name, value)
    elif isinstance(owner, Context) or (isinstance(owner, Class) and owner.module == "__main__"):
        owner.attributes[name] = value
    elif isinstance(owner, Function) and name not in NOT_SET:
        owner.members[name] = value
    else:
        raise TorchError(
            f"'{type_name(owner)}' object has no attribute '{name}'",
            kind="AttributeError",
            hint="Its attributes cannot be set here.",
        )


def _put_on_class(machine: Any, owner: Class, name: str, value: Any) -> None:
    """An attribute of a class with a metaclass, by the metaclass's property or `__setattr__`."""
    assert owner.meta is not None
    over = owner.meta.find(name)
    if isinstance(over, Property) and over.setter is not None:
        machine.call(over.setter, (owner, value), {})
    else:
        machine.call(owner.meta.find("__setattr__"), (owner, name, value), {})


NOT_SET = ("__code__", "__globals__", "__closure__", "__defaults__", "__kwdefaults__", "__class__", "__annotations__")
"""What Python keeps of a function, and what cannot be changed here."""


def set_plain(machine: Any, owner: Instance, name: str, value: Any) -> None:
    """`object.__setattr__`: by the class's property of that name, else into the object."""
    found = owner.cls.find(name)
    if isinstance(found, Property):
        if found.setter is None:
            raise TorchError(f"property '{name}' of '{owner.cls.qualname}' object has no setter", kind="AttributeError")
        machine.call(found.setter, (owner, value), {})
    elif isinstance(found, Instance) and found.cls.has("__set__"):
        found.special("__set__", owner, value)
    elif owner.cls.slots is not None and name not in owner.cls.slots:
        why = "" if sys.version_info < (3, 13) else " and no __dict__ for setting new attributes"
        raise TorchError(f"'{owner.cls.name}' object has no attribute '{name}'{why}", kind="AttributeError")
    elif name == "__dict__" and isinstance(value, dict):
        owner.attributes = value
    else:
        owner.attributes[name] = value


def remove(machine: Any, owner: Any, name: str) -> None:
    """`del owner.name`.

    Raises:
        TorchError: it has no such attribute, or not of its own.
    """
    if type(owner) is Tensor:
        del_attribute(owner, name)
        return
    if isinstance(owner, Instance) and not isinstance(owner, Class):
        own = owner.cls.find("__delattr__")
        if own is None or own is REMOVE_PLAIN:
            remove_plain(machine, owner, name)
        else:
            machine.call(own, (owner, name), {})
        return
    places = owner.members if isinstance(owner, Function) else getattr(owner, "attributes", {})
    if not isinstance(owner, Function | Context) and not (isinstance(owner, Class) and owner.module == "__main__"):
        places = {}
    _take_out(owner, places, name)


def remove_plain(machine: Any, owner: Any, name: str) -> None:
    """`object.__delattr__`: by the class's property or descriptor of that name, else out of the object."""
    if not isinstance(owner, Instance):
        remove(machine, owner, name)
        return
    found = owner.cls.find(name)
    if isinstance(found, Property):
        if found.deleter is None:
            text = f"property '{name}' of '{owner.cls.qualname}' object has no deleter"
            raise TorchError(text, kind="AttributeError")
        machine.call(found.deleter, (owner,), {})
    elif isinstance(found, Instance) and found.cls.has("__delete__"):
        found.special("__delete__", owner)
    else:
        _take_out(owner, owner.attributes, name)


def _take_out(owner: Any, places: dict[str, Any], name: str) -> None:
    if name not in places:
        raise missing(owner, name, ())
    del places[name]


SET_PLAIN = Native("__setattr__", set_plain, needs_machine=True, is_method=True)
REMOVE_PLAIN = Native("__delattr__", remove_plain, needs_machine=True, is_method=True)
GET_PLAIN = Native("__getattribute__", own_of_instance, needs_machine=True, is_method=True)
OF_OBJECT = {native.name: native for native in (SET_PLAIN, REMOVE_PLAIN, GET_PLAIN)}
"""How every object has its attributes read, set and removed."""

__all__ = ["OF_OBJECT", "SET_PLAIN", "Scoped", "get", "put", "remove"]
