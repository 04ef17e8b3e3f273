"""Methods of Python's own values, for a script: what they take is made stoppable, what they make is limited."""

from __future__ import annotations

import ast
from collections import ChainMap, Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Any

import numpy as np

from gradviz.imitation.engine.tensor import Tensor
from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script import operators
from gradviz.imitation.script.arrays.operands import held
from gradviz.imitation.script.machine import MOST, Machine
from gradviz.imitation.script.names.numpy.calls import wrapped
from gradviz.imitation.script.showing.formatting import str_format
from gradviz.imitation.script.values import Native, type_name

PLAIN_METHODS: dict[type, frozenset[str]] = {
    kind: frozenset(names.split())
    for kind, names in {
        bytearray: "append clear copy count decode endswith extend find hex index insert isalnum isdigit join lower "
        "pop remove replace reverse rfind split startswith strip upper",
        str: "capitalize casefold center count endswith expandtabs find index isalnum isalpha isdecimal isdigit "
        "islower isnumeric isspace istitle isupper join ljust lower lstrip partition removeprefix removesuffix "
        "replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith strip swapcase title upper "
        "isascii isidentifier isprintable encode translate format_map zfill",
        list: "append clear copy count extend index insert pop remove reverse",
        tuple: "count index",
        range: "count index",
        dict: "clear copy fromkeys get items keys pop popitem setdefault update values",
        OrderedDict: "move_to_end",
        ChainMap: "get items keys new_child pop popitem setdefault update values",
        Counter: "elements most_common subtract total",
        deque: "append appendleft clear copy count extend extendleft index insert pop popleft remove reverse rotate",
        set: "add clear copy difference difference_update discard intersection intersection_update isdisjoint issubset "
        "issuperset pop remove symmetric_difference symmetric_difference_update union update",
        frozenset: "copy difference intersection isdisjoint issubset issuperset symmetric_difference union",
        bytes: "count decode endswith find hex index isalnum isdigit join lower lstrip partition rfind rstrip split "
        "splitlines startswith strip title upper",
        int: "bit_length bit_count conjugate as_integer_ratio to_bytes",
        float: "is_integer as_integer_ratio hex conjugate",
        complex: "conjugate",
        np.ndarray: "all any argmax argmin argsort astype clip conj copy cumprod cumsum diagonal dot fill flatten item "
        "max mean min nonzero prod put ravel repeat reshape round searchsorted sort squeeze std sum swapaxes take "
        "tolist trace transpose var choose compress conjugate partition argpartition tobytes view setflags",
        np.generic: "item tolist astype sum mean round copy all any max min is_integer as_integer_ratio conj "
        "conjugate argmax argmin clip cumsum cumprod flatten nonzero prod ravel repeat reshape squeeze std take "
        "tobytes trace transpose var",
        np.integer: "bit_count",
    }.items()
}

WIDTHS = frozenset(("center", "ljust", "rjust", "zfill", "expandtabs"))
FROM_ITERABLE = frozenset((
    "extend", "extendleft", "update", "difference", "intersection", "isdisjoint", "issubset", "issuperset",
    "symmetric_difference",
    "union",
))  # fmt: skip


def plain_method(machine: Machine, owner: Any, name: str) -> Native:
    """A method of a text, list, tuple, dict, set, number or array."""
    made = _method(machine, owner, name)
    made.owner = type_name(owner)
    return made


def _method(machine: Machine, owner: Any, name: str) -> Native:
    method = getattr(owner, name)
    if name == "view" and isinstance(owner, np.ndarray):
        method = _looked_at(owner)
    if name == "setflags":
        return Native(name, lambda write=None: owner.setflags(write=write))
    if name == "tobytes" and isinstance(owner, np.ndarray) and owner.dtype.hasobject:
        raise TorchError("the memory of objects is not shown", kind="TypeError", hint="Use tolist().")
    if isinstance(owner, np.ndarray | np.generic):
        return wrapped(name, method, owner)
    if isinstance(owner, str):
        return Native(name, _of_text(machine, owner, name, method))
    if isinstance(owner, bytes) and name == "decode":
        return Native(name, lambda encoding="utf-8", errors="strict": owner.decode(known_encoding(encoding), errors))
    if name == "to_bytes":
        return Native(name, lambda length=1, *rest, **named: method(_bytes(length), *rest, **named))
    if name in ("update", "subtract") and isinstance(owner, Counter):
        return Native(
            name, lambda items=(), **named: method(items if isinstance(items, dict) else machine.whole(items), **named)
        )
    if name in FROM_ITERABLE:
        return Native(name, lambda *items, **named: method(*map(_stoppable(machine), items), **named))
    if name in ("index", "count", "remove") and isinstance(owner, list | tuple):
        return Native(name, _search(owner, name, method))
    return Native(name, method)


def _looked_at(owner: np.ndarray) -> Callable[..., Any]:
    """`array.view(dtype)`: its memory as other numbers; as texts or objects it could be what no text is."""

    def run(dtype: Any = None) -> Any:
        if dtype is None:
            return owner.view()
        kind = np.dtype(dtype)
        if kind.hasobject or owner.dtype.hasobject:
            raise TorchError("Cannot change data-type for array of references.", kind="TypeError")
        if not held(kind) or kind.kind in "USMm":
            raise TorchError(f"a view as {kind} is not supported", kind="TypeError", hint="Use a dtype of numbers.")
        return owner.view(kind)

    return run


def _bytes(count: int) -> int:
    if count > MOST:
        raise LimitError(f"{count:,} bytes are too many", hint="Use fewer.")
    return count


ENCODINGS = ("utf-8", "utf8", "ascii", "latin-1", "latin1", "utf-16")


def known_encoding(name: str) -> str:
    """The name of an encoding; looking for another would load a module.

    Raises:
        TorchError: not one of the usual ones.
    """
    if str(name).lower() not in ENCODINGS:
        raise TorchError(f"unknown encoding: {name}", kind="LookupError", hint="Use 'utf-8'.")
    return name


def _stoppable(machine: Machine) -> Callable[[Any], Any]:
    return lambda items: items if isinstance(items, dict | set | frozenset) else machine.each(items)


def _search(owner: Any, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    """Beside tensors each `==` is asked for its truth, which one of several numbers has not got."""

    def run(item: Any, *bounds: Any) -> Any:
        has_tensors = isinstance(item, Tensor) or any(type(each) is Tensor for each in owner)
        try:
            return _found(owner, name, item, bounds) if has_tensors else method(item, *bounds)
        except ValueError:
            text = f"{item!r} is not in {type_name(owner)}" if name == "index" else "list.remove(x): x not in list"
            raise TorchError(text, kind="ValueError") from None

    return run


def _found(owner: Any, name: str, item: Any, bounds: tuple[Any, ...]) -> int | None:
    """What `index`, `count` or `remove` does; a ValueError where the item is not there."""
    equal = operators.COMPARE[ast.Eq]
    start, stop = (*bounds, None, None)[:2]
    places = range(len(owner))[start:stop]
    found = (at for at in places if at < len(owner) and (owner[at] is item or bool(equal(owner[at], item))))
    if name == "count":
        return sum(1 for _ in found)
    at = next(found, None)
    if at is None:
        raise ValueError
    if name == "index":
        return at
    del owner[at]
    return None


def _of_text(machine: Machine, owner: str, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
    if name in WIDTHS:
        return lambda *arguments, **named: _widened(owner, name, method, arguments, named)
    if name == "replace":
        return lambda *given, **named: _replaced(owner, *given) if len(given) in (2, 3) else method(*given, **named)
    if name == "encode":
        return lambda encoding="utf-8", errors="strict": owner.encode(known_encoding(encoding), errors)
    if name == "translate":
        return lambda table: _translated(owner, table)
    if name == "format_map":
        return lambda mapping: str_format(machine, owner, (), mapping)
    if name == "join":
        return lambda items: _joined(owner, _all_of(machine, items))
    return method


def _translated(owner: str, table: Any) -> str:
    if not isinstance(table, dict):
        raise TorchError(f"'{type_name(table)}' object is not subscriptable", kind="TypeError")
    _length(len(owner) * max((len(text) for text in table.values() if isinstance(text, str)), default=1))
    return owner.translate(table)


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


def _replaced(owner: str, old: Any, new: Any, count: int = -1) -> str:
    if isinstance(old, str) and isinstance(new, str):
        times = owner.count(old) if old else len(owner) + 1
        _length(len(owner) + (len(new) - len(old)) * (times if count < 0 else min(times, count)))
    return owner.replace(old, new, count)


def _all_of(machine: Machine, items: Any) -> list[Any]:
    if not hasattr(type(items), "__iter__"):
        raise TorchError("can only join an iterable", kind="TypeError")
    return machine.listed(items)


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
