"""`owner.name`, by a list for each kind of owner. What is on no list does not exist, for any owner."""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

import numpy as np

from gradviz.engine.function_context import Context
from gradviz.engine.functions.reduction import MaxResult
from gradviz.engine.tensor import Tensor
from gradviz.errors import ScriptError, TorchError
from gradviz.script import grad_nodes
from gradviz.script.exceptions import raised
from gradviz.script.failures import suggestion
from gradviz.script.formatting import str_format
from gradviz.script.grad_nodes import NOTHING, GradNode, context_attribute
from gradviz.script.names.streams import Stream
from gradviz.script.names.streams import attribute as stream_attribute
from gradviz.script.names.surroundings import Settings
from gradviz.script.names.type_info import FloatInfo, WholeInfo
from gradviz.script.plain_methods import plain_method
from gradviz.script.producer import Producer
from gradviz.script.silent import Silent
from gradviz.script.supers import Super
from gradviz.script.tensors import TENSOR_ATTRIBUTES, TENSOR_METHODS, set_attribute
from gradviz.script.torch_values import Device, DTypeName, Handle, Scoped, Size
from gradviz.script.values import (
    Bound,
    Class,
    Function,
    Instance,
    Namespace,
    Native,
    OnClass,
    Property,
    Static,
    type_name,
)
from gradviz.script.warned import WarningMessage

PLAIN_METHODS: dict[type, frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        str: "capitalize casefold center count endswith expandtabs find index isalnum isalpha isdecimal isdigit "
        "islower isnumeric isspace istitle isupper join ljust lower lstrip partition removeprefix removesuffix "
        "replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title upper "
        "zfill",
        list: "append clear copy count extend index insert pop remove reverse",
        tuple: "count index",
        dict: "clear copy get items keys pop popitem setdefault update values",
        set: "add clear copy difference discard intersection isdisjoint issubset issuperset pop remove "
        "symmetric_difference union update",
        int: "bit_length",
        float: "is_integer",
        np.ndarray: "all any argmax argmin astype copy cumsum dot flatten item max mean min prod ravel reshape "
        "round squeeze std sum tolist transpose var",
        np.generic: "item tolist astype",
    }.items()
}


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
        raise missing(owner, name, (*TENSOR_ATTRIBUTES, *TENSOR_METHODS), tensor_hint(name))
    if kind is Instance:
        return of_instance(machine, owner, name)
    if kind is Namespace:
        if name in owner.members:
            return owner.members[name]
        raise of_namespace(owner, name)
    if kind is Class:
        return of_class(owner, name)
    reader = READERS.get(kind)
    if reader is not None:
        found = reader(machine, owner, name)
        if found is not NOTHING:
            return found
    known: list[str] = []
    for python, names in PLAIN_METHODS.items():
        if isinstance(owner, python) and not isinstance(owner, bool):
            if name in names:
                return plain_method(machine, owner, name)
            known.extend(names)
    raise missing(owner, name, known)


def missing(owner: Any, name: str, known: Any, hint: str = "") -> TorchError:
    """The AttributeError for a value."""
    if name.startswith("_"):
        hint = "Names that begin with an underscore are not part of what gradviz reads."
    return TorchError(
        f"'{type_name(owner)}' object has no attribute '{name}'",
        kind="AttributeError",
        hint=hint or suggestion(name, known) or (OURS if isinstance(owner, Tensor) else ""),
    )


OURS = "gradviz does not support it, if PyTorch has it."


def tensor_hint(name: str) -> str:
    """For a name of PyTorch's that gradviz has not got."""
    return suggestion(name, (*TENSOR_ATTRIBUTES, *TENSOR_METHODS))


COMPLEX = ("complex32", "complex64", "complex128", "chalf", "cfloat", "cdouble", "polar", "view_as_complex")


def of_namespace(owner: Namespace, name: str) -> Exception:
    """The AttributeError for a module."""
    if name in COMPLEX and owner.name == "torch":
        return ScriptError("complex tensors are not supported by gradviz", hint="Use two real tensors.")
    return TorchError(
        f"module '{owner.name}' has no attribute '{name}'",
        kind="AttributeError",
        hint=suggestion(name, owner.members, f"{owner.name}.") or f"'{owner.name}.{name}' is not supported by gradviz.",
    )


def of_instance(machine: Any, owner: Instance, name: str) -> Any:
    """An attribute of an object: its own, or its class's, bound to it."""
    found = owner.cls.find(name)
    if isinstance(found, Property):
        return machine.call(found.getter, (owner,), {})
    if name in owner.attributes:
        return owner.attributes[name]
    if found is not None or owner.cls.has(name):
        return bound(found, owner)
    if name == "__class__":
        return owner.cls
    if name == "__dict__":
        return owner.attributes
    fallback = owner.cls.find("__getattr__")
    if fallback is not None:
        return machine.call(fallback, (owner, name), {})
    known = [*owner.attributes, *(key for cls in owner.cls.mro for key in cls.attributes)]
    raise TorchError(
        f"'{owner.cls.name}' object has no attribute '{name}'", kind="AttributeError", hint=suggestion(name, known)
    )


def bound(found: Any, owner: Any) -> Any:
    """A class attribute seen from an object."""
    if isinstance(found, Static):
        return found.function
    if isinstance(found, OnClass):
        return Bound(found.function, owner.cls if isinstance(owner, Instance) else owner)
    if isinstance(found, Function) or (isinstance(found, Native) and found.is_method):
        return Bound(found, owner)
    return found


def of_class(owner: Class, name: str) -> Any:
    """An attribute of a class."""
    if name in ("__name__", "__qualname__"):
        return owner.name
    if owner.has(name):
        found = owner.find(name)
        return (
            found.function
            if isinstance(found, Static)
            else bound(found, owner)
            if isinstance(found, OnClass)
            else found
        )
    known = [key for cls in owner.mro for key in cls.attributes]
    raise TorchError(
        f"type object '{owner.name}' has no attribute '{name}'", kind="AttributeError", hint=suggestion(name, known)
    )


# ---- the small values of torch, and Python's own ----


def _context(machine: Any, owner: Context, name: str) -> Any:
    found = context_attribute(owner, name)
    if found is NOTHING:
        raise TorchError(
            f"'{owner.name}Backward' object has no attribute '{name}'",
            kind="AttributeError",
            hint="Set it in forward: ctx.name = value.",
        )
    return found


def _text(machine: Any, owner: str, name: str) -> Any:
    if name == "format":
        return Native(name, lambda *args, **keywords: str_format(machine, owner, args, keywords))
    return NOTHING


def _list(machine: Any, owner: list[Any], name: str) -> Any:
    if name == "sort":

        def sort(*, key: Any = None, reverse: bool = False) -> None:
            owner.sort(key=None if key is None else (lambda x: machine.call(key, (x,), {})), reverse=reverse)

        return Native(name, sort)
    return NOTHING


def _fields(*names: str) -> Callable[[Any, Any, str], Any]:
    return lambda machine, owner, name: getattr(owner, name) if name in names else NOTHING


def _array(machine: Any, owner: Any, name: str) -> Any:
    if name in ("shape", "ndim", "size", "T"):
        return getattr(owner, name)
    return DTypeName(owner.dtype) if name == "dtype" else NOTHING


def _function(machine: Any, owner: Any, name: str) -> Any:
    return owner.name if name == "__name__" else owner.doc if name == "__doc__" else NOTHING


def _dtype(owner: DTypeName, name: str) -> Any:
    if name == "is_floating_point":
        return owner.dtype.kind == "f"
    return {"itemsize": owner.dtype.itemsize, "is_complex": False, "is_signed": owner.dtype.kind in "if"}.get(
        name, NOTHING
    )


def _super(machine: Any, owner: Super, name: str) -> Any:
    return owner.find(name)


def _property(machine: Any, owner: Property, name: str) -> Any:
    if name == "setter":
        return Native(name, lambda function: Property(owner.getter, function))
    if name == "getter":
        return Native(name, lambda function: Property(function, owner.setter))
    return NOTHING


def _producer(machine: Any, owner: Producer, name: str) -> Any:
    if name == "throw":
        return Native(name, lambda error, *more: owner.throw(raised(machine, error, *more)))
    if name == "send":
        return Native(name, owner.send)
    return Native(name, owner.close) if name == "close" else NOTHING


def _rounds(machine: Any, owner: Any, name: str) -> Any:
    return Native(name, owner.close) if name == "close" else NOTHING


def _handle(machine: Any, owner: Handle, name: str) -> Any:
    return Native(name, owner.remove) if name == "remove" else owner.id if name == "id" else NOTHING


READERS: dict[type, Callable[[Any, Any, str], Any]] = {
    Super: _super,
    Context: _context,
    GradNode: grad_nodes.attribute,
    str: _text,
    list: _list,
    MaxResult: _fields("values", "indices"),
    Size: lambda machine, owner, name: Native(name, owner.numel) if name == "numel" else NOTHING,
    Property: _property,
    Producer: _producer,
    GeneratorType: _rounds,
    Silent: lambda machine, owner, name: owner.child(name),
    range: _fields("start", "stop", "step"),
    Device: _fields("type", "index"),
    WarningMessage: lambda machine, owner, name: getattr(owner, name) if name in WarningMessage.FIELDS else NOTHING,
    Handle: _handle,
    np.ndarray: _array,
    Function: _function,
    slice: _fields("start", "stop", "step"),
    Stream: lambda machine, owner, name: (
        NOTHING if (found := stream_attribute(machine, owner, name)) is None else found
    ),
    Settings: lambda machine, owner, name: owner.members.get(name, NOTHING),
    FloatInfo: _fields(*FloatInfo.FIELDS),
    WholeInfo: _fields(*WholeInfo.FIELDS),
    DTypeName: lambda machine, owner, name: _dtype(owner, name),
    complex: _fields("real", "imag"),
    float: _fields("real", "imag"),
    int: _fields("real", "imag"),
}


def put(machine: Any, owner: Any, name: str, value: Any) -> None:
    """`owner.name = value`.

    Raises:
        TorchError: the owner takes no such attribute.
    """
    if type(owner) is Tensor:
        set_attribute(owner, name, value)
    elif isinstance(owner, Instance):
        setter = owner.cls.find("__setattr__")
        if setter is None or setter is SET_PLAIN:
            set_plain(machine, owner, name, value)
        else:
            machine.call(setter, (owner, name, value), {})
    elif isinstance(owner, Settings):
        owner.members[name] = value
    elif isinstance(owner, Silent):
        pass  # plt.rcParams and the like
    elif isinstance(owner, Context) or (isinstance(owner, Class) and owner.module == "__main__"):
        owner.attributes[name] = value
    elif isinstance(owner, Function):
        raise TorchError("attributes of functions are not supported", kind="AttributeError", hint="Use a variable.")
    else:
        raise TorchError(
            f"'{type_name(owner)}' object has no attribute '{name}'",
            kind="AttributeError",
            hint="Its attributes cannot be set here.",
        )


def set_plain(machine: Any, owner: Instance, name: str, value: Any) -> None:
    """`object.__setattr__`: by the class's property of that name, else into the object."""
    found = owner.cls.find(name)
    if not isinstance(found, Property):
        owner.attributes[name] = value
    elif found.setter is None:
        raise TorchError(f"property '{name}' of '{owner.cls.name}' object has no setter", kind="AttributeError")
    else:
        machine.call(found.setter, (owner, value), {})


SET_PLAIN = Native("__setattr__", set_plain, needs_machine=True, is_method=True)

__all__ = ["SET_PLAIN", "Scoped", "get", "put"]
