"""Methods of Python's own values, for a script: what they take is made stoppable, what they make is limited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.errors import LimitError, TorchError
from gradviz.script.machine import MOST, Machine
from gradviz.script.names.numpy_names import wrapped
from gradviz.script.values import Native, type_name

WIDTHS = frozenset(("center", "ljust", "rjust", "zfill", "expandtabs"))
FROM_ITERABLE = frozenset((
    "extend", "update", "difference", "intersection", "isdisjoint", "issubset", "issuperset", "symmetric_difference",
    "union",
))  # fmt: skip


def plain_method(machine: Machine, owner: Any, name: str) -> Native:
    """A method of a text, list, tuple, dict, set, number or array."""
    method = getattr(owner, name)
    if isinstance(owner, np.ndarray | np.generic):
        return wrapped(name, method, owner)
    if isinstance(owner, str):
        return Native(name, _of_text(machine, owner, name, method))
    if name in FROM_ITERABLE:
        return Native(name, lambda *items, **named: method(*map(_stoppable(machine), items), **named))
    if name in ("index", "count", "remove") and isinstance(owner, list | tuple):
        return Native(name, _search(owner, name, method))
    return Native(name, method)


def _stoppable(machine: Machine) -> Callable[[Any], Any]:
    return lambda items: items if isinstance(items, dict | set | frozenset) else machine.each(items)


def _search(owner: Any, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Tensors in a list are told apart by identity, as Python cannot make one truth of `==` between them."""

    def run(item: Any, *bounds: Any) -> Any:
        try:
            return method(item, *bounds)
        except ValueError:
            raise TorchError(f"{item!r} is not in {type_name(owner)}", kind="ValueError") from None

    return run


def _of_text(machine: Machine, owner: str, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    if name in WIDTHS:
        return lambda *arguments, **named: _widened(owner, name, method, arguments, named)
    if name == "replace":
        return lambda old, new, count=-1: _replaced(owner, old, new, count)
    if name == "join":
        return lambda items: _joined(owner, machine.listed(items))
    return method


def _length(characters: int) -> None:
    if characters > MOST:
        raise LimitError(f"a text of {characters:,} characters is too long", hint="Use a shorter one.")


def _widened(
    owner: str, name: str, method: Callable[..., str], arguments: tuple[Any, ...], named: dict[str, Any]
) -> str:
    width = arguments[0] if arguments else named.get("tabsize", 8)
    if isinstance(width, int):
        _length(width * owner.count("\t") if name == "expandtabs" else width)
    return method(*arguments, **named)


def _replaced(owner: str, old: Any, new: Any, count: int) -> str:
    if isinstance(old, str) and isinstance(new, str):
        times = owner.count(old) if old else len(owner) + 1
        _length(len(owner) + (len(new) - len(old)) * (times if count < 0 else min(times, count)))
    return owner.replace(old, new, count)


def _joined(owner: str, items: list[Any]) -> str:
    for number, item in enumerate(items):
        if not isinstance(item, str):
            raise TorchError(
                f"sequence item {number}: expected str instance, {type_name(item)} found",
                kind="TypeError",
                hint="Turn each into text with str(...).",
            )
    _length(len(owner) * len(items) + sum(map(len, items)))
    return owner.join(items)
