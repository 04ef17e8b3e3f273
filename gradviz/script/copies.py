"""`copy.copy` and `copy.deepcopy` of what a script holds."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from gradviz.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.script.values import Instance, Namespace, Native

NON_LEAF = (
    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment.  If you "
    "were attempting to deepcopy a module, this may be because of a torch.nn.utils.weight_norm usage, see "
    "https://github.com/pytorch/pytorch/pull/103001"
)


def deep(machine: Any, value: Any, memo: dict[int, Any] | None = None) -> Any:
    """A copy that shares nothing that can change with the original.

    Raises:
        TorchError: a tensor that an op made.
    """
    known = {} if memo is None else memo
    if id(value) in known:
        return known[id(value)]
    if isinstance(value, Tensor):
        known[id(value)] = _tensor(machine, value)
        return known[id(value)]
    if isinstance(value, Instance):
        return _instance(machine, value, known)
    if type(value) is list:
        items: list[Any] = []
        known[id(value)] = items
        items.extend(deep(machine, item, known) for item in value)
        return items
    if type(value) is set:
        return {deep(machine, item, known) for item in value}
    if type(value) is tuple:
        return tuple(deep(machine, item, known) for item in value)
    if isinstance(value, dict):
        made: dict[Any, Any] = type(value)()
        known[id(value)] = made
        made.update((deep(machine, key, known), deep(machine, item, known)) for key, item in value.items())
        return made
    return value.copy() if isinstance(value, np.ndarray) else value


def _tensor(machine: Any, x: Tensor) -> Tensor:
    if x.op is not None:
        raise TorchError(NON_LEAF, hint="Copy x.detach() instead.")
    made: Tensor = machine.tensor(np.array(x.data)[()], requires_grad=x.requires_grad)
    more = made.more
    more.is_parameter = x.extra is not None and x.extra.is_parameter
    if x.extra is not None and x.extra.label is not None and more.is_parameter:
        machine.rename(made, x.extra.label)
    if x.grad is not None:
        more.grad = machine.tensor(np.array(x.grad.data)[()])
    return made


def _instance(machine: Any, value: Instance, known: dict[int, Any]) -> Instance:
    from gradviz.script.names.nn.books import Books

    made = known[id(value)] = Instance(value.cls, value.machine)
    for name, held in value.attributes.items():
        if isinstance(held, Books):
            made.attributes[name] = replace(
                held, buffers=dict(held.buffers), absent=set(held.absent),
                hooks={kind: dict(hooks) for kind, hooks in held.hooks.items()}, path=None,
            )  # fmt: skip
        else:
            made.attributes[name] = deep(machine, held, known)
    return made


def shallow(machine: Any, value: Any) -> Any:
    """A copy that holds the same things."""
    if isinstance(value, Tensor):
        from gradviz.engine.functions import FUNCTIONS

        return deep(machine, value) if value.op is None else FUNCTIONS["clone"](value)
    if isinstance(value, Instance):
        made = Instance(value.cls, value.machine)
        made.attributes.update(value.attributes)
        return made
    return copy.copy(value) if isinstance(value, list | dict | set | np.ndarray) else value


def namespace() -> Namespace:
    """The module `copy`."""
    return Namespace(
        "copy",
        {
            "copy": Native("copy", shallow, needs_machine=True),
            "deepcopy": Native("deepcopy", lambda machine, x, memo=None: deep(machine, x), needs_machine=True),
        },
    )
