"""A value as a notebook shows it at the end of a cell: containers over several lines where they are long.

The form is that of IPython's `lib.pretty`, for cells that run without IPython. Nothing here asks an object for its
class, for it may be a script's.
"""

from __future__ import annotations

import inspect
import re
import types
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any, Callable

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
        if call is None:
            return _plain(value).replace("\n", "\n" + " " * indent)
        if id(value) in around or len(around) > DEEPEST:
            return f"{kind.__name__}(...)"
        return _called(kind.__name__, call(value), indent, after, (*around, id(value)))
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


def _called(name: str, given: list[Any], indent: int, after: int, around: tuple[int, ...]) -> str:
    """A call that would make the value; where it is too long for a line, each argument on lines of its own."""
    inner = indent + len(name) + 1
    parts = [_text(each, inner, 1, around) for each in given]
    one_line = f"{name}({', '.join(parts)})"
    if len(parts) < 2 or ("\n" not in one_line and indent + len(one_line) + after <= WIDTH):
        return one_line
    return f"{name}({(',' + chr(10) + ' ' * inner).join(parts)})"


_CALLS: dict[type, Callable[[Any], list[Any]]] = {
    OrderedDict: lambda value: [list(value.items())],
    Counter: lambda value: [dict(value.most_common())],
    deque: lambda value: [list(value)],
    defaultdict: lambda value: [value.default_factory, dict(value)],
}


def _sorted(items: Any) -> list[Any]:
    try:
        return sorted(items)
    except Exception:  # whatever the script's own comparison raises: the order is as it comes
        return list(items)


def _plain(value: Any) -> str:
    kind = type(value)
    if _is_class(value) and kind.__dict__.get("__repr__") in (None, type.__repr__):
        return _named(value)
    if kind in (types.FunctionType, types.BuiltinFunctionType):
        return f"<function {_named(value)}{_signature(value)}>"
    text = repr(value)
    bare = _BARE.fullmatch(text)
    if bare is not None and (_repr_of(kind) is object.__repr__ or _home(kind) != _SCRIPT):
        return f"<{bare[1]} at {bare[2]}>"
    return text


_SCRIPT = "__main__"
_BARE = re.compile(r"<([\w.<>]+) object at (0x[0-9a-fA-F]+)>")
"""What Python shows of an object that says nothing of itself."""
_OF_PYTHON = frozenset(("builtins", "__builtin__", "exceptions"))
_bases: Callable[[type], tuple[type, ...]] = type.__dict__["__mro__"].__get__


def _is_class(value: object) -> bool:
    return type in _bases(type(value))


def _repr_of(kind: type) -> Any:
    return next((each.__dict__["__repr__"] for each in _bases(kind) if "__repr__" in each.__dict__), None)


def _home(value: Any) -> str:
    """The module that a class or function was made in; "" for what a library of ours stands in for."""
    home = getattr(value, "__module__", None)
    return home if type(home) is str and home.partition(".")[0] != "gradviz" else ""


def _named(value: Any) -> str:
    """A class or function with its module, unless that is Python's own."""
    home = _home(value)
    return value.__qualname__ if home in _OF_PYTHON or not home else f"{home}.{value.__qualname__}"


def _signature(function: Any) -> str:
    try:
        return str(inspect.signature(function))
    except (TypeError, ValueError):
        return ""
