"""What the small values have: of torch, and Python's own. A name that a list here does not hold does not exist."""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

import numpy as np

from gradviz.imitation.engine.custom.context import Context
from gradviz.imitation.engine.dtypes import FLOATING
from gradviz.imitation.engine.functions.named import TYPES, Named
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.arrays.values import Flags, Flat, NumpyType
from gradviz.imitation.script.classes.supers import Super, Unbound
from gradviz.imitation.script.errors.exceptions import Traceback, raised
from gradviz.imitation.script.errors.overheard import told
from gradviz.imitation.script.errors.warned import WarningMessage
from gradviz.imitation.script.hinting import Hint, read_hints
from gradviz.imitation.script.managed import Managed
from gradviz.imitation.script.names.torch.generators import Stream
from gradviz.imitation.script.names.torch.generators import attribute as stream_attribute
from gradviz.imitation.script.names.torch.surroundings import Settings
from gradviz.imitation.script.names.torch.type_info import FloatInfo, WholeInfo
from gradviz.imitation.script.producer import Producer
from gradviz.imitation.script.showing.formatting import str_format
from gradviz.imitation.script.silent import Adding, Figure, Silent
from gradviz.imitation.script.tensors import grad_nodes
from gradviz.imitation.script.tensors.grad_nodes import (
    NOTHING,
    GradientEdge,
    GradNode,
    InputMetadata,
    context_attribute,
)
from gradviz.imitation.script.torch_values import (
    Device,
    DTypeName,
    Handle,
    LateDTypeName,
    Memory,
    MultiHandle,
    Scoped,
    Size,
    Uninitialized,
    UninitializedBuffer,
)
from gradviz.imitation.script.values import Bound, Function, Native, Property


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

        def sort(*given: Any, key: Any = None, reverse: bool = False) -> None:
            if given:
                raise TorchError("sort() takes no positional arguments", kind="TypeError")
            owner.sort(key=None if key is None else (lambda x: machine.call(key, (x,), {})), reverse=reverse)

        return Native(name, sort)
    return NOTHING


def _named(machine: Any, owner: Named, name: str) -> Any:
    return getattr(owner, name) if name in owner._fields else NOTHING


def _uninitialized(machine: Any, owner: Uninitialized, name: str) -> Any:
    if name in ("requires_grad", "is_leaf"):
        return owner.is_parameter or name == "is_leaf"
    if name == "data":
        return machine.tensor(np.zeros(0, machine.tape.float_dtype.name))
    if name == "dtype":
        return DTypeName(owner.dtype or machine.tape.float_dtype)
    if name in ("grad", "grad_fn"):
        return None
    if name == "shape":
        raise TorchError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. Call `forward` "
            "to initialize the parameters before accessing their attributes."
        )
    raise TorchError(
        f"Attempted to use an uninitialized parameter in <method '{name}' of 'torch._C.TensorBase' objects>. This "
        "error happens when you are using a `LazyModule` or explicitly manipulating "
        "`torch.nn.parameter.UninitializedParameter` objects. When using LazyModules Call `forward` with a dummy "
        "batch to initialize the parameters before calling torch functions",
        kind="ValueError",
    )


Reader = Callable[[Any, Any, str], Any]
"""(machine, owner, name): the attribute, or NOTHING."""


def fields(*names: str) -> Reader:
    """Reads these attributes and no others."""
    return lambda machine, owner, name: getattr(owner, name) if name in names else NOTHING


def with_methods(*names: str, methods: tuple[str, ...]) -> Reader:
    """Reads these attributes, and these methods as functions of ours."""

    def read(machine: Any, owner: Any, name: str) -> Any:
        if name in methods:
            return Native(name, getattr(owner, name))
        return getattr(owner, name) if name in names else NOTHING

    return read


OF_ARRAYS = ("shape", "ndim", "size", "T", "mT", "itemsize", "nbytes", "strides", "real", "imag")
SET_OF_ARRAYS = ("shape", "real", "imag", "flat")
"""What a script may set: the same memory in another shape, or other numbers in it."""


def set_of_array(owner: Any, name: str, value: Any) -> None:
    """`array.shape = (2, 3)`.

    Raises:
        TorchError: an attribute that is not to be set.
    """
    if name not in SET_OF_ARRAYS:
        known = name in OF_ARRAYS
        said = f"attribute '{name}' of 'numpy.ndarray' objects is not writable" if known else (
            f"'numpy.ndarray' object has no attribute '{name}'"
        )  # fmt: skip
        raise TorchError(said, kind="AttributeError")
    told(setattr, owner, name, value.data if isinstance(value, Tensor) else value)


def _array(machine: Any, owner: Any, name: str) -> Any:
    if name in OF_ARRAYS:
        return getattr(owner, name)
    if name == "base":
        return owner.base if isinstance(owner.base, np.ndarray) else None
    if name in ("flat", "flags"):
        return Flat(owner) if name == "flat" else Flags(owner)
    return NumpyType(owner.dtype) if name == "dtype" else NOTHING


def _numpy_type(machine: Any, owner: NumpyType, name: str) -> Any:
    if name == "type":
        return next((cls for cls in machine.state["types"] if owner.dtype.type in cls.python), NOTHING)
    return getattr(owner.dtype, name) if name in NumpyType.READ else NOTHING


def _function(machine: Any, owner: Function, name: str) -> Any:
    if name in owner.members:
        return owner.members[name]
    if name == "__annotations__":
        is_text = machine.state.get("annotations are text", False)
        return read_hints(owner.outer, owner.hints, is_text)
    if name == "__defaults__":
        given = [owner.params.defaults[key] for key in owner.params.positional if key in owner.params.defaults]
        return tuple(given) or None
    if name == "__kwdefaults__":
        given_by_name = {key: value for key, value in owner.params.defaults.items() if key in owner.params.keyword_only}
        return given_by_name or None
    fields = {"__name__": owner.name, "__qualname__": owner.qualname, "__doc__": None, "__module__": "__main__"}
    if name == "__dict__":
        return {key: value for key, value in owner.members.items() if key != "__doc__" and key[:1] != " "}
    return fields.get(name, NOTHING)


def _native(machine: Any, owner: Native, name: str) -> Any:
    if name in owner.members:
        return owner.members[name]
    if name == "__doc__":
        return None
    if name == "__name__":
        return owner.name.rpartition(".")[2]
    return owner.name if name == "__qualname__" else NOTHING


def _bound(machine: Any, owner: Bound, name: str) -> Any:
    from gradviz.imitation.script.attributes import get

    if name == "__self__":
        return owner.receiver
    if isinstance(owner.function, Function):
        return get(machine, owner.function, name)  # as in Python, down to what it says of a name that is not there
    return get(machine, owner.function, name) if name in FUNCTION_NAMES else NOTHING


FUNCTION_NAMES = ("__name__", "__qualname__", "__doc__", "__func__")


def _super(machine: Any, owner: Super, name: str) -> Any:
    return owner.find(name)


def _property(machine: Any, owner: Property, name: str) -> Any:
    if name == "setter":
        return Native(name, lambda function: Property(owner.getter, function, owner.deleter, owner.doc))
    if name == "getter":
        return Native(name, lambda function: Property(function, owner.setter, owner.deleter, owner.doc))
    if name == "deleter":
        return Native(name, lambda function: Property(owner.getter, owner.setter, function, owner.doc))
    if name == "__doc__":
        if owner.doc is not None:
            return owner.doc
        return owner.getter.members.get("__doc__") if isinstance(owner.getter, Function | Native) else None
    return {"fget": owner.getter, "fset": owner.setter, "fdel": owner.deleter}.get(name, NOTHING)


def _memory(machine: Any, owner: Memory, name: str) -> Any:
    members = {"data_ptr": owner.start, "nbytes": owner.count, "size": owner.count}
    return Native(name, lambda: members[name]) if name in members else NOTHING


def _slice(machine: Any, owner: slice, name: str) -> Any:
    if name == "indices":
        return Native(name, owner.indices)
    return getattr(owner, name) if name in ("start", "stop", "step") else NOTHING


def _producer(machine: Any, owner: Producer, name: str) -> Any:
    if name == "throw":
        return Native(name, lambda error, *more: owner.throw(raised(machine, error, *more)))
    if name == "send":
        return Native(name, owner.send)
    if name in ("__name__", "__qualname__"):
        return owner.name.rpartition(".")[2] if name == "__name__" else owner.name
    return Native(name, owner.close) if name == "close" else NOTHING


def _rounds(machine: Any, owner: Any, name: str) -> Any:
    """What a generator expression has."""
    if name == "throw":
        return Native(name, lambda error, *more: owner.throw(raised(machine, error, *more)))
    if name in ("__name__", "__qualname__"):
        return getattr(owner, name)
    return Native(name, getattr(owner, name)) if name in ("close", "send") else NOTHING


def _handle(machine: Any, owner: Handle, name: str) -> Any:
    return Native(name, owner.remove) if name == "remove" else owner.id if name == "id" else NOTHING


def _dtype(owner: DTypeName, name: str) -> Any:
    if name == "is_floating_point":
        return owner.dtype.kind in FLOATING
    return {"itemsize": owner.dtype.itemsize, "is_complex": False, "is_signed": owner.dtype.kind in "ifV"}.get(
        name, NOTHING
    )


def members_of(machine: Any, owner: Any, name: str) -> Any:
    """Reads what the owner itself lists."""
    return owner.members.get(name, NOTHING)


def _managed(machine: Any, owner: Managed, name: str) -> Any:
    if name == "__enter__":
        return Native(name, owner.enter)
    if name == "__exit__":
        return Native(name, lambda kind, value, trace: owner.leave(None if value is None else raised(machine, value)))
    return members_of(machine, owner, name)


def _scoped(machine: Any, owner: Scoped, name: str) -> Any:
    """`__enter__` and `__exit__` called by hand."""

    def enter() -> Any:
        owner.tokens.append(owner.enter())
        return owner.given(owner.tokens[-1])

    def leave(*_: Any) -> None:
        if not owner.tokens:
            raise TorchError(f"'{owner.name}' is left before it was entered")
        owner.leave(owner.tokens.pop())

    return {"__enter__": Native(name, enter), "__exit__": Native(name, leave)}.get(name, NOTHING)


def found_by(attribute: Reader) -> Reader:
    """Reads what a function gives that says None for what there is not."""

    def read(machine: Any, owner: Any, name: str) -> Any:
        found = attribute(machine, owner, name)
        return NOTHING if found is None else found

    return read


READERS: dict[type, Reader] = {
    Super: _super,
    Unbound: _super,
    Context: _context,
    GradNode: grad_nodes.attribute,
    GradientEdge: fields(*GradientEdge._fields, "_fields"),
    InputMetadata: fields(*InputMetadata._fields),
    str: _text,
    list: _list,
    **dict.fromkeys(TYPES.values(), _named),
    Size: lambda machine, owner, name: Native(name, owner.numel) if name == "numel" else NOTHING,
    Property: _property,
    Producer: _producer,
    GeneratorType: _rounds,
    **dict.fromkeys((Silent, Figure, Adding), lambda machine, owner, name: owner.child(name)),
    range: fields("start", "stop", "step"),
    **dict.fromkeys((Uninitialized, UninitializedBuffer), _uninitialized),
    Device: fields("type", "index"),
    WarningMessage: lambda machine, owner, name: getattr(owner, name) if name in WarningMessage.FIELDS else NOTHING,
    Hint: lambda machine, owner, name: owner.text.rpartition(".")[2] if name == "__name__" else NOTHING,
    Handle: _handle,
    MultiHandle: _handle,
    Memory: _memory,
    np.ndarray: _array,
    **dict.fromkeys(set(np.sctypeDict.values()), _array),
    NumpyType: _numpy_type,
    Function: _function,
    Native: _native,
    Bound: _bound,
    slice: _slice,
    Stream: lambda machine, owner, name: (
        NOTHING if (found := stream_attribute(machine, owner, name)) is None else found
    ),
    Managed: _managed,
    Flags: fields(*Flags.NAMES),
    Scoped: _scoped,
    Traceback: fields(*Traceback.FIELDS),
    Settings: lambda machine, owner, name: owner.members.get(name, NOTHING),
    FloatInfo: fields(*FloatInfo.FIELDS),
    WholeInfo: fields(*WholeInfo.FIELDS),
    **dict.fromkeys((DTypeName, LateDTypeName), lambda machine, owner, name: _dtype(owner, name)),
    complex: fields("real", "imag"),
    float: fields("real", "imag"),
    int: fields("real", "imag"),
}
"""By the type of the owner; modules of the library add those of their own values."""
