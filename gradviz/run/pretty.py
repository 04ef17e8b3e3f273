"""A value as a notebook shows it at the end of a cell: containers over several lines where they are long."""

from __future__ import annotations

import inspect
import types
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import Any

from gradviz.run.levels import SCRIPT, module_of

WIDTH = 79
MOST = 1_000
"""Members of one container that are shown."""

DEEPEST = 200
"""Containers inside one another."""

_BRACKETS: dict[type, tuple[str, str]] = {
    list: ("[", "]"), tuple: ("(", ")"), set: ("{", "}"), frozenset: ("frozenset({", "})"), dict: ("{", "}"),
}  # fmt: skip


def shown(value: Any) -> str:
    """The text of a value; lines of at most 79 characters where they can be."""
    return _text(value, 0, 0, ())


def _text(value: Any, indent: int, after: int, around: tuple[int, ...]) -> str:
    """The text of a value that begins at a column, with room for `after` characters behind it."""
    kind = type(value)
    brackets = _BRACKETS.get(kind)
    if brackets is None:
        call = _CALLS.get(kind)
        if call is not None and not _one_line_fits(value, indent, after):
            name, inside = call(value)
            return f"{name}({_text(inside, indent + len(name) + 1, after + 1, around)})"
        return _plain(value).replace("\n", "\n" + " " * indent)
    first, last = brackets
    if not value and kind in (set, frozenset):
        return repr(value)
    if id(value) in around:
        return f"{first}...{last}"
    if len(around) > DEEPEST:
        return f"{first}...{last}"
    inner = indent + len(first)
    around = (*around, id(value))
    items = _sorted(value) if kind in (set, frozenset) else list(value.items()) if kind is dict else list(value)
    parts = [_item(item, kind is dict, inner, around) for item in items[:MOST]]
    if len(items) > MOST:
        parts.append("...")
    end = "," + last if kind is tuple and len(value) == 1 else last
    one_line = first + ", ".join(parts) + end
    if "\n" not in one_line and indent + len(one_line) + after <= WIDTH:
        return one_line
    return first + (",\n" + " " * inner).join(parts) + end


def _item(item: Any, is_pair: bool, indent: int, around: tuple[int, ...]) -> str:
    if not is_pair:
        return _text(item, indent, 1, around)
    key = _text(item[0], indent, 2, around)
    column = indent + len(key) + 2
    # a text of several lines is indented as its container is, a container as it stands
    return f"{key}: {_text(item[1], column if type(item[1]) in _BRACKETS else indent, 1, around)}"


def _one_line_fits(value: Any, indent: int, after: int) -> bool:
    text = repr(value)
    return "\n" not in text and indent + len(text) + after <= WIDTH


_CALLS: dict[type, Callable[[Any], tuple[str, Any]]] = {
    OrderedDict: lambda value: ("OrderedDict", list(value.items())),
    Counter: lambda value: ("Counter", dict(value.most_common())),
    deque: lambda value: ("deque", list(value)),
}


def _sorted(items: Any) -> list[Any]:
    try:
        return sorted(items)
    except Exception:  # whatever the script's own comparison raises: the order is as it comes
        return list(items)


def _plain(value: Any) -> str:
    kind = type(value)
    if isinstance(value, type) and type(value).__dict__.get("__repr__") in (None, type.__repr__):
        home = module_of(value)
        return value.__qualname__ if home == "builtins" else f"{home}.{value.__qualname__}"
    if kind is types.FunctionType:
        return f"<function {_home(value)}{value.__qualname__}{_signature(value)}>"
    if kind is types.BuiltinFunctionType and getattr(value, "__module__", None) == "builtins":
        return f"<function {value.__name__}{_signature(value)}>"
    if getattr(kind, "__repr__", None) is object.__repr__ and module_of(kind) == SCRIPT:
        return f"<{SCRIPT}.{kind.__qualname__} at {id(value):#x}>"
    return repr(value)


def _home(function: types.FunctionType) -> str:
    return f"{SCRIPT}." if function.__module__ == SCRIPT else ""


def _signature(function: Any) -> str:
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return ""
