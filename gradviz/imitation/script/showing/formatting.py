"""f-strings, str.format and %: Python's formatting, without the doors that str.format opens."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from itertools import count
from typing import Any

from gradviz.errors import LimitError, TorchError
from gradviz.imitation.script.subscripts import get_item
from gradviz.imitation.script.values import type_name

MAX_WIDTH = 10_000
PERCENT = re.compile(r"%[^a-zA-Z%]*")
"""A % specification up to its letter."""

CONVERSIONS: dict[str, Callable[[Any], str]] = {"s": str, "r": repr, "a": ascii}


def checked(spec: str) -> str:
    """A format spec whose widths are within the limit."""
    if any(int(digits) > MAX_WIDTH for digits in re.findall(r"\d{5,}", spec)):
        raise LimitError(f"a format width above {MAX_WIDTH:,} is not allowed", hint="Use a smaller width.")
    return spec


def formatted(value: Any, spec: str) -> str:
    """`format(value, spec)`."""
    try:
        return format(value, checked(spec)) if spec else _plain(value)
    except TypeError:
        raise TorchError(
            f"unsupported format string passed to {type_name(value)}.__format__", kind="TypeError"
        ) from None


def _plain(value: Any) -> str:
    return format(value, "")


def percent(text: str, values: Any) -> str:
    """`text % values`."""
    for spec in PERCENT.findall(text):
        checked(spec)
        if "*" in spec and isinstance(values, tuple):
            # Any of the numbers may be the width.
            checked(" ".join(str(value) for value in values if isinstance(value, int)))
    try:
        return str(text % values)
    except TypeError as error:
        raise TorchError(str(error), kind="TypeError") from None
    except TorchError as error:
        raise _as_percent_says(error, text) from None


def _as_percent_says(error: TorchError, text: str) -> TorchError:
    """What `%d` and `%f` say of an object that is no number, where `int()` and `float()` have words of their own."""
    function, _, kind = error.message.partition("() argument must be ")
    name = kind.rpartition("not ")[2].strip("'")
    if not kind or function not in ("int", "float"):
        return error
    if function == "float":
        return TorchError(f"must be real number, not {name}", kind="TypeError")
    letter = next((spec[-1] for spec in re.findall(r"%[^a-zA-Z%]*[a-zA-Z]", text) if spec[-1] in "diu"), "d")
    return TorchError(f"%{letter} format: a real number is required, not {name}", kind="TypeError")


def str_format(machine: Any, text: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> str:
    """`text.format(...)`; attributes and items in a field are looked up as the script itself would."""
    return _filled(machine, text, arguments, keywords, Numbers(), 2)


class Numbers:
    """The numbers of fields: counted, or all written out.

    Raises:
        TorchError: both in one text.
    """

    def __init__(self) -> None:
        self._count = count()
        self._is_counted: bool | None = None

    def of(self, first: str) -> str:
        """The number or name that a field begins with."""
        if first and not first.isdigit():
            return first
        is_counted = not first
        if self._is_counted not in (None, is_counted):
            before, now = "manual field specification", "automatic field numbering"
            before, now = (before, now) if is_counted else (now, before)
            raise TorchError(f"cannot switch from {before} to {now}", kind="ValueError")
        self._is_counted = is_counted
        return str(next(self._count)) if is_counted else first


def _filled(
    machine: Any,
    text: str,
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    numbers: Numbers,
    depth: int,
) -> str:
    if depth == 0:
        raise TorchError("Max string recursion exceeded", kind="ValueError")
    out = []
    for literal, field, spec, conversion in string.Formatter().parse(text):
        out.append(literal)
        if field is None:
            continue
        first = re.match(r"[^.\[]*", field)
        assert first is not None
        named = numbers.of(first.group()) + field[first.end() :]
        value = _field(machine, named, arguments, keywords)
        if conversion and conversion not in CONVERSIONS:
            raise TorchError(f"Unknown conversion specifier {conversion}", kind="ValueError")
        shown = CONVERSIONS[conversion](value) if conversion else value
        inner = _filled(machine, spec, arguments, keywords, numbers, depth - 1) if spec and "{" in spec else spec
        out.append(formatted(shown, inner or ""))
    return "".join(out)


def _field(machine: Any, field: str, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    from gradviz.imitation.script import attributes

    match = re.match(r"[^.\[]+", field)
    first = match.group() if match else ""
    if first.isdigit():
        if int(first) >= len(arguments):
            raise TorchError(f"Replacement index {first} out of range for positional args tuple", kind="IndexError")
        value = arguments[int(first)]
    elif first in keywords:
        value = keywords[first]
    else:
        raise TorchError(f"'{first}'", kind="KeyError")
    if re.search(r"\.(?=[.\[]|$)", field):
        raise TorchError("Empty attribute in format string", kind="ValueError")
    for attribute, item in re.findall(r"\.([^.\[]+)|\[([^\]]+)\]", field[len(first) :]):
        if attribute:
            value = attributes.get(machine, value, attribute)
        else:
            value = get_item(value, int(item) if item.isdigit() else item)
    return value
