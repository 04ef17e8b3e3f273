"""What a module holds: parameters, buffers and modules, all kept in the object's attributes in order of assignment.

A module also keeps books: which attributes are buffers, which parameters are registered as None, and its hooks.
"""

from __future__ import annotations

import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import TorchError
from gradviz.imitation.script.names.nn.parameter import is_parameter
from gradviz.imitation.script.torch_values import Uninitialized
from gradviz.imitation.script.values import Instance

BOOKS = "(books)"
"""No name that a script can write, so it can neither read nor overwrite it."""


BEGIN = "Call super().__init__() first in its __init__."


@dataclass
class Books:
    """The books of one module.

    Attributes:
        buffers: whether each buffer is part of `state_dict`, by name.
        absent: names registered as parameters that are None.
        vacant: names registered as modules that are None.
        hooks: by kind ("forward", "forward_pre", "backward", "backward_pre", "old_backward") and number of the handle.
        path: a module around it, and its path in there.
        reworked: weights that are worked out anew before every call, by kind and name.
        begun: the arguments that a module of ours was made with.
    """

    buffers: dict[str, bool] = field(default_factory=dict)
    absent: set[str] = field(default_factory=set)
    vacant: set[str] = field(default_factory=set)
    hooks: dict[str, OrderedDict[int, Any]] = field(default_factory=dict)
    path: tuple[weakref.ref[Instance], str] | None = None
    reworked: dict[tuple[str, str], Any] = field(default_factory=dict)
    begun: tuple[tuple[Any, ...], dict[str, Any]] = ((), {})


def books(module: Instance) -> Books:
    """The module's books.

    Raises:
        TorchError: its `__init__` did not call `super().__init__()`.
    """
    found = module.attributes.get(BOOKS)
    if found is None:
        raise TorchError(
            f"'{module.cls.name}' object has no attribute '_backward_hooks'",
            kind="AttributeError",
            hint=BEGIN,
        )
    return found  # type: ignore[no-any-return]


def is_module(x: Any) -> bool:
    """Whether it is an object of a class derived from nn.Module."""
    return isinstance(x, Instance) and x.cls.is_a(x.machine.state["Module"])


def own(module: Instance, kind: Callable[[str, Any], bool]) -> list[tuple[str, Any]]:
    """The module's own attributes of a kind."""
    return [(name, value) for name, value in module.attributes.items() if name != BOOKS and kind(name, value)]


def own_parameters(module: Instance) -> list[tuple[str, Tensor]]:
    """Its parameters, without those of the modules inside."""
    return own(module, lambda _, value: is_parameter(value))


def own_known(module: Instance) -> list[tuple[str, Tensor]]:
    """Its parameters as a script sees them, with those that a lazy module does not have yet."""
    return own(
        module, lambda _, value: is_parameter(value) or (isinstance(value, Uninitialized) and value.is_parameter)
    )


def own_waiting(module: Instance) -> list[tuple[str, Uninitialized]]:
    """The parameters and buffers that a lazy module does not have yet."""
    return own(module, lambda _, value: isinstance(value, Uninitialized))


def own_buffers(module: Instance) -> list[tuple[str, Tensor]]:
    """Its buffers, without those of the modules inside."""
    known = module.attributes[BOOKS].buffers if BOOKS in module.attributes else {}
    return own(module, lambda name, value: name in known and isinstance(value, Tensor))


def children(module: Instance) -> Iterator[tuple[str, Instance]]:
    """The modules in its attributes, each once, by name."""
    seen: set[int] = set()
    for name, value in own(module, lambda _, value: is_module(value)):
        if id(value) not in seen:
            seen.add(id(value))
            yield name, value


def all_children(module: Instance) -> list[tuple[str, Instance]]:
    """The modules in its attributes, one that has two names twice."""
    return own(module, lambda _, value: is_module(value))


DEEPEST = 900
"""Modules inside one another: Python's own limit, which PyTorch's recursion meets."""


def places(module: Instance) -> list[tuple[str, Instance | None]]:
    """The modules in its attributes, and None where there could be one."""
    vacant = books(module).vacant
    return own(module, lambda name, value: is_module(value) or (value is None and name in vacant))


def named_modules(module: Instance, prefix: str = "", *, once: bool = True) -> Iterator[tuple[str, Instance]]:
    """The module and all inside it with dotted names, each before what is inside it.

    Raises:
        RecursionError: a module is inside itself, and not each is wanted once.
    """
    seen: set[int] = set()
    pending = [(prefix, module, 0)]
    while pending:
        path, found, depth = pending.pop()
        if once and id(found) in seen:
            continue
        if depth > DEEPEST:
            raise RecursionError
        seen.add(id(found))
        yield path, found
        pending += [(dotted(path, name), child, depth + 1) for name, child in reversed(all_children(found))]


def dotted(path: str, name: str) -> str:
    """A name inside another."""
    return path + "." + name if path else path + name  # what is no text is refused as Python refuses it


def named(
    module: Instance,
    of_one: Callable[[Instance], list[tuple[str, Tensor]]],
    prefix: str = "",
    recurse: bool = True,
    *,
    once: bool = True,
) -> Iterator[tuple[str, Tensor]]:
    """Parameters or buffers with dotted names, each once."""
    seen: set[int] = set()
    for path, found in named_modules(module, prefix, once=once) if recurse else [(prefix, module)]:
        for name, value in of_one(found):
            if id(value) not in seen or not once:
                seen.add(id(value))
                yield dotted(path, name), value


def named_parameters(module: Instance, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
    """All parameters, each once, with dotted names."""
    yield from named(module, own_parameters, prefix, recurse)


def named_buffers(module: Instance, prefix: str = "", recurse: bool = True) -> Iterator[tuple[str, Tensor]]:
    """All buffers, each once, with dotted names."""
    yield from named(module, own_buffers, prefix, recurse)
