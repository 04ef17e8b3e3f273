"""`owner.name = value` and `del owner.name`. What is on no list cannot be set."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.custom.context import Context
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import ScriptError, TorchError
from gradviz.imitation.script.arrays.values import Flags
from gradviz.imitation.script.attributes import missing, own_of_instance
from gradviz.imitation.script.names.torch.surroundings import Settings
from gradviz.imitation.script.readers import set_of_array
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.tensors import grad_nodes
from gradviz.imitation.script.tensors.grad_nodes import GradNode
from gradviz.imitation.script.tensors.members import TENSOR_ATTRIBUTES, TENSOR_METHODS
from gradviz.imitation.script.tensors.settings import del_attribute, set_attribute
from gradviz.imitation.script.values import Class, Function, Instance, Namespace, Native, Property, no_place, type_name


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
    elif isinstance(owner, Context) or (isinstance(owner, Class) and _takes_more(machine, owner, name)):
        owner.attributes[name] = value
    elif isinstance(owner, Function) and name not in NOT_SET:
        owner.members[name] = value
    else:
        raise TorchError(
            f"'{type_name(owner)}' object has no attribute '{name}'",
            kind="AttributeError",
            hint="Its attributes cannot be set here.",
        )


def _takes_more(machine: Any, owner: Class, name: str) -> bool:
    """Whether a script can set an attribute of a class: of its own any, of PyTorch's none that works inside.

    Raises:
        ScriptError: it is there already.
    """
    if owner.module == "__main__":
        return True
    of_tensors = owner is machine.state["Tensor"]
    if not of_tensors and not owner.is_a(machine.state["Module"]):
        return False
    if name == "forward" and not of_tensors:
        return True
    if owner.has(name) or (of_tensors and (name in TENSOR_ATTRIBUTES or name in TENSOR_METHODS)) or name[:2] == "__":
        raise ScriptError(
            f"'{owner.name}.{name}' cannot be replaced", hint="Give the new one another name, or derive a class."
        )
    return True


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
        raise no_place(owner.cls.name, name)
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
