"""Shallow and deep copies of everything that a script can hold."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.imitation.engine import autograd
from gradviz.imitation.engine.functions.numbers.conversion import detach
from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script import attributes
from gradviz.imitation.script.classes.extended import CONTENT
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.producer import Producer
from gradviz.imitation.script.subscripts import set_item
from gradviz.imitation.script.values import Class, Function, Instance, Namespace, Object, type_name

SHARED = (int, float, complex, str, bytes, bool, type(None), range, slice)


def shallow(machine: Machine, value: Any) -> Any:
    """`copy.copy`."""
    if isinstance(value, Instance):
        own = value.special("__copy__")
        if own is not NotImplemented:
            return own
        parts = _reduced(value)
        if parts is not NotImplemented:
            return value if isinstance(parts, str) else _made_of(machine, parts)
        return _with_state(_alike(value, {}), _state(value))
    if isinstance(value, Tensor):
        return _sharing(value)
    if isinstance(value, list | dict | set | deque | np.ndarray):
        return copy.copy(value)
    _refuse_running(value)
    return value


def _sharing(value: Tensor) -> Tensor:
    """A leaf over the same numbers, as `copy.copy` makes one."""
    made = detach(value)
    if value.requires_grad:
        autograd.set_requires_grad(made, True)
    if value.extra is not None and value.extra.is_parameter:
        made.more.is_parameter = True
    return made


def _alike(value: Instance, attributes: dict[str, Any]) -> Instance:
    """Another object of the class, with these attributes."""
    if type(value) is Object:
        made: Any = Instance(value.cls, value.machine)
    else:
        made = _carried(value, value)
    made.attributes = attributes
    return made  # type: ignore[no-any-return]


def _carried(value: Any, content: Any) -> Any:
    """A value of a class derived from one of Python's own, with this content."""
    kind: Any = type(value)
    builtin: Any = kind.__mro__[2]
    if issubclass(builtin, list | dict | set | deque):
        made = builtin.__new__(kind)
        builtin.__init__(made, CONTENT.get(builtin, builtin)(content))
    else:
        made = builtin.__new__(kind, CONTENT.get(builtin, builtin)(content))
    made.cls, made.machine, made.label, made.number = value.cls, value.machine, "", 0
    return made


def leaf_like(machine: Machine, value: Tensor) -> Tensor:
    """A copy of a leaf, with its gradient unless it is a parameter.

    Raises:
        TorchError: it is not a leaf, in PyTorch's words.
    """
    if value.op is not None and value.requires_grad:
        raise TorchError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  "
            "If you were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, "
            "see https://github.com/pytorch/pytorch/pull/103001"
        )
    made = machine.tensor(np.array(value.data)[()], requires_grad=False)
    if value.requires_grad:
        autograd.set_requires_grad(made, True)
    if value.extra is not None and value.extra.is_parameter:
        made.more.is_parameter = True
        if value.extra.label is not None:
            machine.rename(made, value.extra.label)
        return made
    made.more.first_version = 1  # PyTorch lets an empty tensor look at the copied numbers
    buffers = machine.state.get("buffers", {})
    if id(value) in buffers:
        buffers[id(made)] = made
    if value.grad is not None:
        autograd.set_grad(made, machine.tensor(np.array(value.grad.data)[()]))
    return made


def deep(machine: Machine, value: Any, memo: Any = None) -> Any:
    """`copy.deepcopy`."""
    return _deep(machine, value, {} if memo is None else memo)


def _deep(machine: Machine, value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, SHARED) and not isinstance(value, Instance):
        return value
    if id(value) in memo:
        return memo[id(value)]
    machine.spend(1)
    if type(value).__name__ == "Books":
        return _books(machine, value, memo)
    for kind, copy_one in DEEP.items():
        if isinstance(value, kind):
            made = copy_one(machine, value, memo)
            memo[id(value)] = made
            # Kept alive, for the number would else be given to another object.
            memo.setdefault(id(memo), []).append(value)
            return made
    _refuse_running(value, memo)
    return value


def _refuse_running(value: Any, memo: Any = None) -> None:
    if isinstance(memo, Packing) and isinstance(value, Namespace):
        raise TorchError("cannot pickle 'module' object", kind="TypeError")
    if isinstance(value, Producer) or type(value).__name__ in ("generator", "Stream"):
        raise TorchError(f"cannot pickle '{type_name(value)}' object", kind="TypeError")


def _tensor(machine: Machine, value: Tensor, memo: dict[int, Any]) -> Tensor:
    made = leaf_like(machine, value)
    if isinstance(memo, Packing) and made.grad is not None:
        autograd.set_grad(made, None)  # which a file of a tensor does not hold
    return made


class Packing(dict[int, Any]):
    """What has been copied so far, for `pickle`: objects are kept as their state, which the copy is made of later."""


class Packed:
    """An object as `pickle` keeps it."""

    __slots__ = ("state", "value")

    def __init__(self, value: Any, state: Any) -> None:
        self.value = value
        self.state = state


class Reduced:
    """An object as `pickle` keeps it where its class says how one is made anew."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = parts


def _reduced(value: Instance) -> Any:
    """What a class of the script says of how another such object is made: a tuple, a name, or NotImplemented."""
    parts = value.special("__reduce_ex__", 4)
    if parts is NotImplemented:
        parts = value.special("__reduce__")
    if parts is NotImplemented or isinstance(parts, str):
        return parts
    if not isinstance(parts, tuple) or not 2 <= len(parts) <= 6 or not isinstance(parts[1], tuple):
        said = (
            "__reduce__ must return a string or tuple"
            if not isinstance(parts, tuple)
            else ("tuple returned by __reduce__ must contain 2 through 6 elements, the second a tuple")
        )
        raise TorchError(said, kind="PicklingError", hint="Return (callable, (arguments)).")
    return parts


def _made_of(machine: Machine, parts: tuple[Any, ...]) -> Any:
    """The object that a function makes of arguments, given its state, items and keys."""
    make, arguments, state, items, pairs = (*parts, None, None, None)[:5]
    made = machine.call(make, arguments, {})
    if state is not None and isinstance(made, Instance):
        _with_state(made, state)
    for item in machine.whole(items or ()):
        machine.call(attributes.get(machine, made, "append"), (item,), {})
    for key, item in machine.whole(pairs or ()):
        set_item(made, key, item)
    return made


def _anew(machine: Machine, value: Reduced, memo: dict[int, Any]) -> Any:
    return _made_of(machine, tuple(_deep(machine, part, memo) for part in value.parts))


def _object(machine: Machine, value: Instance, memo: dict[int, Any]) -> Any:
    own = NotImplemented if isinstance(memo, Packing) else value.special("__deepcopy__", memo)
    if own is not NotImplemented:
        return own
    parts = _reduced(value)
    if parts is not NotImplemented:
        return value if isinstance(parts, str) else _remade(machine, parts, memo)
    if type(value) is Object:
        made: Any = Instance(value.cls, machine)
    else:
        made = _carried(value, _content(machine, value, memo))
    made.attributes = {}
    packed = Packed(made, None)
    memo[id(value)] = packed if isinstance(memo, Packing) else made
    _refuse_local(value.cls, memo)
    state = _deep(machine, _state(value), memo)
    if isinstance(memo, Packing):
        packed.state = state
        return packed
    return _with_state(made, state)


def _remade(machine: Machine, parts: tuple[Any, ...], memo: dict[int, Any]) -> Any:
    make, *rest = parts
    listed = [part if part is None or isinstance(part, tuple) else machine.listed(part) for part in rest[2:4]]
    copied = (make, *(_deep(machine, part, memo) for part in (*rest[:2], *listed)))
    return Reduced(copied) if isinstance(memo, Packing) else _made_of(machine, copied)


def _state(value: Instance) -> Any:
    """What an object says of itself: by its own method, or its attributes."""
    state = value.special("__getstate__")
    return dict(value.attributes) if state is NotImplemented else state


def _with_state(made: Any, state: Any) -> Any:
    """An object given what another one said of itself."""
    if made.special("__setstate__", state) is NotImplemented:
        made.attributes.update(state or {})
    return made


def _unpacked(machine: Machine, value: Packed, memo: dict[int, Any]) -> Any:
    made = _alike(value.value, {}) if type(value.value) is Object else _carried(value.value, value.value)
    made.attributes = {}
    memo[id(value)] = made
    return _with_state(made, _deep(machine, value.state, memo))


def _function(machine: Machine, value: Any, memo: dict[int, Any]) -> Any:
    _refuse_local(value, memo)
    return value


def _refuse_local(value: Function | Class, memo: dict[int, Any]) -> None:
    """`pickle` finds functions and classes by their names."""
    if not isinstance(memo, Packing):
        return
    if "<locals>" in value.qualname:
        raise TorchError(f"Can't pickle local object '{value.qualname}'", kind="AttributeError")
    if value.name == "<lambda>":
        said = f"Can't pickle {value!r}: attribute lookup {value.name} on __main__ failed"
        raise TorchError(said, kind="PicklingError", hint="Give it a name with def.")


def _books(machine: Machine, value: Any, memo: dict[int, Any]) -> Any:
    """The books of a module: its hooks stay the same functions."""
    hooks = {kind: copy.copy(held) for kind, held in value.hooks.items()}
    return replace(value, buffers=dict(value.buffers), absent=set(value.absent), hooks=hooks, path=None)


def _content(machine: Machine, value: Any, memo: dict[int, Any]) -> Any:
    if isinstance(value, dict):
        return {_deep(machine, key, memo): _deep(machine, item, memo) for key, item in value.items()}
    return [_deep(machine, item, memo) for item in value] if isinstance(value, list | tuple | set | deque) else value


def _list(machine: Machine, value: list[Any], memo: dict[int, Any]) -> list[Any]:
    made: list[Any] = []
    memo[id(value)] = made
    made.extend(_deep(machine, item, memo) for item in value)
    return made


def _tuple(machine: Machine, value: tuple[Any, ...], memo: dict[int, Any]) -> tuple[Any, ...]:
    items = [_deep(machine, item, memo) for item in value]
    return value if all(new is old for new, old in zip(items, value, strict=True)) else tuple(items)


def _dict(machine: Machine, value: dict[Any, Any], memo: dict[int, Any]) -> dict[Any, Any]:
    made = copy.copy(value)
    made.clear()
    memo[id(value)] = made
    for key, item in value.items():
        made[_deep(machine, key, memo)] = _deep(machine, item, memo)
    return made


def _group(machine: Machine, value: Any, memo: dict[int, Any]) -> Any:
    items = [_deep(machine, item, memo) for item in value]
    return deque(items, value.maxlen) if isinstance(value, deque) else type(value)(items)


def _array(machine: Machine, value: Any, memo: dict[int, Any]) -> Any:
    made = np.array(value)
    memo[id(value)] = made
    if made.dtype.hasobject:
        made[...] = np.frompyfunc(lambda item: _deep(machine, item, memo), 1, 1)(value)
    return made


DEEP: dict[Any, Callable[[Machine, Any, dict[int, Any]], Any]] = {
    Instance: _object, Tensor: _tensor, list: _list, tuple: _tuple, dict: _dict, (set, frozenset, deque): _group,
    np.ndarray: _array, Packed: _unpacked, Reduced: _anew,
    Function: _function,
}  # fmt: skip
