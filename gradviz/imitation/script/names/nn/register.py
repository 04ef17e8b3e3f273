"""How parameters, buffers and modules come into a module: by assignment or by name."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.engine.dtypes import type_name as tensor_kind
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.assigned_attributes import set_plain
from gradviz.imitation.script.names.nn.books import BOOKS, Books, is_module
from gradviz.imitation.script.names.nn.parameter import is_parameter
from gradviz.imitation.script.values import Bound, Class, Function, Instance, Native, Property, type_name


def books_for(module: Instance, what: str = "parameters") -> Books:
    """The module's books, for an assignment of `what`.

    Raises:
        TorchError: `super().__init__()` has not been called.
    """
    found = module.attributes.get(BOOKS)
    if found is None:
        raise TorchError(
            f"cannot assign {what} before Module.__init__() call",
            kind="AttributeError",
            hint="Call super().__init__() first in __init__.",
        )
    return found  # type: ignore[no-any-return]


def class_of(value: Any) -> str:
    """The type of a value as PyTorch's messages give it, e.g. torch.FloatTensor."""
    return f"torch.{tensor_kind(value.dtype)}Tensor" if isinstance(value, Tensor) else type_name(value)


def path_of(obj: Any) -> str:
    """`torch.typename` of anything: where it is defined, or where its type is."""
    if isinstance(obj, Tensor):
        return class_of(obj)
    if isinstance(obj, Bound) and isinstance(obj.receiver, Instance):
        name = obj.function.name if isinstance(obj.function, Native) else obj.function.qualname
        return _within(obj.receiver.cls.module, name)
    if isinstance(obj, Function):
        return f"__main__.{obj.qualname}"
    if isinstance(obj, Native):
        return _within(_module_of(obj), obj.name)
    if isinstance(obj, Class):
        return _within(obj.module, obj.qualname)
    return _within(obj.cls.module, obj.cls.qualname) if isinstance(obj, Instance) else type_name(obj)


def _within(module: str, name: str) -> str:
    return f"{module}.{name}" if module else name


def _module_of(native: Native) -> str:
    if getattr(native.run, "__module__", "").startswith("gradviz.imitation.engine.functions"):
        return "torch.nn.functional" if native.is_functional else "torch._VariableFunctionsClass"
    return ""


def set_attribute(module: Instance, name: str, value: Any) -> None:
    """`module.name = value`.

    Raises:
        TorchError: a value of another kind than the parameter, module or buffer of that name.
    """
    found = module.cls.find(name)
    if isinstance(found, Property) and (found.setter is not None or not (is_parameter(value) or is_module(value))):
        set_plain(module.machine, module, name, value)
        return
    kept = module.attributes.get(BOOKS)
    if is_parameter(value):
        books_for(module)
        _make_room(module, "parameter", name)
        module.attributes[BOOKS].absent.discard(name)
    elif is_module(value):
        books_for(module, "module")
        _make_room(module, "module", name)
        module.attributes[BOOKS].vacant.discard(name)
    elif kept is not None and value is not None:
        _check_kind(module, kept, name, value)
        if id(value) in module.machine.state["buffers"]:
            _make_room(module, "buffer", name)
            kept.buffers[name] = True
    elif kept is not None and is_parameter(module.attributes.get(name)):
        kept.absent.add(name)
    elif kept is not None and is_module(module.attributes.get(name)):
        kept.vacant.add(name)
    module.attributes[name] = value


def _make_room(module: Instance, kind: str, name: str) -> None:
    """What was no such thing goes, so that the new one stands behind those that are."""
    if name in module.attributes and not _is_one(module, kind, name):
        del module.attributes[name]


def _check_kind(module: Instance, kept: Books, name: str, value: Any) -> None:
    present = module.attributes.get(name)
    if is_parameter(present) or name in kept.absent:
        raise TorchError(
            f"cannot assign '{class_of(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)",
            kind="TypeError",
            hint=f"Wrap it: nn.Parameter(...), or change the numbers: {name}.data.copy_(...).",
        )
    if is_module(present) or name in kept.vacant:
        raise TorchError(
            f"cannot assign '{class_of(value)}' as child module '{name}' (torch.nn.Module or None expected)",
            kind="TypeError",
        )
    if name in kept.buffers and not isinstance(value, Tensor):
        raise TorchError(
            f"cannot assign '{type_name(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)",
            kind="TypeError",
        )


def _is_one(module: Instance, kind: str, name: str) -> bool:
    """Whether the module has one of that kind under that name, which a new one may replace."""
    value, kept = module.attributes[name], module.attributes[BOOKS]
    if kind == "parameter":
        return is_parameter(value) or name in kept.absent
    return is_module(value) or name in kept.vacant if kind == "module" else name in kept.buffers


def _is_taken(module: Instance, kind: str, name: str) -> bool:
    if name in module.attributes:
        return not _is_one(module, kind, name)
    return module.cls.has(name)


def _check_name(module: Instance, kind: str, name: Any) -> None:
    if not isinstance(name, str):
        raise TorchError(f"{kind} name should be a string. Got {type_name(name)}", kind="TypeError")
    if _is_taken(module, kind, name):
        raise TorchError(f"\"attribute '{name}' already exists\"", kind="KeyError")
    if "." in name:
        which = f", got: {name}" if kind == "module" else ""
        raise TorchError(repr(f'{kind} name can\'t contain "."{which}'), kind="KeyError")
    if name == "":
        raise TorchError(f"'{kind} name can\\'t be empty string \"\"'", kind="KeyError")


def register_parameter(module: Instance, name: str, param: Any) -> None:
    """Add a parameter, or None to say that there could be one.

    Raises:
        TorchError: a name that is taken or no name, or no parameter.
    """
    kept = books_for(module)
    _check_name(module, "parameter", name)
    if param is None:
        kept.absent.add(name)
    elif not is_parameter(param):
        raise TorchError(
            f"cannot assign '{class_of(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)",
            kind="TypeError",
        )
    else:
        module.machine.name(param, name, is_global=False)
    module.attributes[name] = param


def register_buffer(module: Instance, name: str, tensor: Any, persistent: bool = True) -> None:
    """Add a tensor that is part of the module's state but is not trained.

    Raises:
        TorchError: a name that is taken or no name, or no tensor.
    """
    kept = books_for(module, "buffer")
    _check_name(module, "buffer", name)
    if tensor is not None and not isinstance(tensor, Tensor):
        raise TorchError(
            f"cannot assign '{path_of(tensor)}' object to buffer '{name}' (torch Tensor or None required)",
            kind="TypeError",
        )
    kept.buffers[name] = persistent
    if tensor is not None:
        module.machine.name(tensor, name, is_global=False)
    module.attributes[name] = tensor


def add_module(module: Instance, name: str, child: Any) -> None:
    """Add a module under a name.

    Raises:
        TorchError: a name that is taken or no name, or no module.
    """
    if child is not None and not is_module(child):
        raise TorchError(f"{path_of(child)} is not a Module subclass", kind="TypeError")
    kept = books_for(module, "module")
    _check_name(module, "module", name)
    kept.vacant.discard(name) if child is not None else kept.vacant.add(name)
    module.attributes[name] = child
