"""`x[i]`, `x[i] = v` and `del x[i]` on everything a script can hold."""

from __future__ import annotations

import re
from collections import ChainMap, deque
from typing import Any

import numpy as np

from gradviz.imitation.engine.creation import MAX_ELEMENTS
from gradviz.imitation.engine.dtypes import c_name
from gradviz.imitation.engine.dtypes import type_name as dtype_name
from gradviz.imitation.engine.indexing import reading as indexing
from gradviz.imitation.engine.memory.views import lost_history
from gradviz.imitation.engine.nicknames import call_part
from gradviz.imitation.engine.protocol import index_number
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.arrays.values import Flags, Flat, Grid, Index, Walk
from gradviz.imitation.script.errors.hints import on_item
from gradviz.imitation.script.hinting import Hint, shown
from gradviz.imitation.script.limits.sizes import indexed, too_large
from gradviz.imitation.script.silent import Silent
from gradviz.imitation.script.values import Class, Instance, Object, Proxy, type_name

PLAIN: tuple[Any, ...] = (list, tuple, str, dict, range, np.ndarray, np.generic, bytes, deque, bytearray, ChainMap)


def get_item(owner: Any, index: Any) -> Any:
    """`owner[index]`."""
    if type(owner) is Tensor:
        _admit(owner, index)
        try:
            part = indexing.get(owner, index)
        except TorchError as error:
            is_read = not error.message.startswith("too many indices")
            raise (lost_history([owner]) if is_read else None) or error from None
        call_part(part, owner, index)
        return part
    if isinstance(owner, Instance) and (owner.cls.has("__getitem__") or not isinstance(owner, Class)):
        return _special(owner, "__getitem__", index)
    if isinstance(owner, np.ndarray):
        _admit(owner, index)
    if isinstance(owner, PLAIN):
        try:
            return owner[_plain_index(owner, index)]
        except LookupError as error:
            raise (error if isinstance(owner, np.ndarray | np.generic) else on_item(owner, error)) from None
    if isinstance(owner, re.Match):
        return owner[index]
    if isinstance(owner, Silent):
        return owner
    if isinstance(owner, Grid | Walk | Flat | Flags | Index):
        return owner.of(index)
    if isinstance(owner, Hint):
        return owner.of(index)
    if isinstance(owner, Class):
        return _of_class(owner, index)
    raise TorchError(f"'{type_name(owner)}' object is not subscriptable", kind="TypeError")


def _of_class(owner: Class, index: Any) -> Any:
    """`list[int]`, or a member of an Enum by its name."""
    if owner.members is not None:
        if index not in owner.members:
            raise KeyError(index)
        return owner.members[index]
    item = owner.find("__class_getitem__")
    if item is not None and owner.module == "__main__":
        return item.function.outer.machine.call(item.function, (owner, index), {})
    if not owner.is_generic:
        raise TorchError(f"type '{owner.name}' is not subscriptable", kind="TypeError")
    return Hint(shown(owner), owner).of(index)


def _admit(owner: Any, index: Any) -> None:
    """Refuse an index whose places repeat beyond the limit."""
    if isinstance(index, int | slice):
        return
    try:
        elements = indexed(owner, index)
    except (TypeError, LookupError):
        return  # the engine says what is wrong with the index
    if elements > MAX_ELEMENTS:
        raise too_large("this index", elements)


def set_item(owner: Any, index: Any, value: Any) -> None:
    """`owner[index] = value`."""
    if type(owner) is Tensor:
        indexing.set(owner, index, _assigned(value, owner))
    elif isinstance(owner, Instance):
        _special(owner, "__setitem__", index, value)
    elif isinstance(owner, list | dict | np.ndarray | np.void | deque | bytearray | ChainMap) and not isinstance(
        owner, Proxy
    ):
        owner[_plain_index(owner, index)] = (
            value.data if isinstance(owner, np.ndarray) and isinstance(value, Tensor) else value
        )
    elif isinstance(owner, Flat | Flags):
        owner.put(index, value)
    elif isinstance(owner, Walk):
        owner.of(0)[...] = value
    elif not isinstance(owner, Silent):
        raise TorchError(f"'{type_name(owner)}' object does not support item assignment", kind="TypeError")


def _assigned(value: Any, owner: Tensor) -> Any:
    """What a part of a tensor may become: a tensor, or a number."""
    if isinstance(value, complex):
        raise TorchError(f"value cannot be converted to type {c_name(owner.dtype)} without overflow")
    if not isinstance(value, Tensor | np.generic | int | float):
        name = "numpy.ndarray" if isinstance(value, np.ndarray) else type_name(value)
        raise TorchError(f"can't assign a {name} to a torch.{dtype_name(owner.dtype)}Tensor", kind="TypeError")
    return value.item() if isinstance(value, np.generic) else value


def del_item(owner: Any, index: Any) -> None:
    """`del owner[index]`."""
    if isinstance(owner, Instance):
        _special(owner, "__delitem__", index)
    elif isinstance(owner, list | dict | deque | bytearray | ChainMap) and not isinstance(owner, Proxy):
        del owner[_plain_index(owner, index)]
    else:
        raise TorchError(f"'{type_name(owner)}' object doesn't support item deletion", kind="TypeError")


def _plain_index(owner: Any, index: Any) -> Any:
    if type(index) is Object and isinstance(owner, list | tuple | str) and not index.cls.has("__index__"):
        kind = "string" if isinstance(owner, str) else type_name(owner)
        slices = "" if isinstance(owner, str) else " or slices"
        raise TorchError(f"{kind} indices must be integers{slices}, not {index.cls.name}", kind="TypeError")
    if (
        isinstance(index, Tensor)
        and isinstance(owner, np.ndarray)
        and index.data.ndim
        and index.data.dtype.kind in "ib"
    ):
        return index.data
    # A dict may have tensors as its keys, such as an optimizer's state.
    return index_number(index) if isinstance(index, Tensor) and not isinstance(owner, dict) else index


def _special(owner: Instance, name: str, *arguments: Any) -> Any:
    result = owner.special(name, *arguments)
    if result is NotImplemented:
        raise TorchError(f"'{owner.cls.name}' object {REFUSED[name]}", kind="TypeError")
    return result


REFUSED = {
    "__getitem__": "is not subscriptable", "__setitem__": "does not support item assignment",
    "__delitem__": "doesn't support item deletion",
}  # fmt: skip
