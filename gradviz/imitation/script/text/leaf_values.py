"""Numbers as people type them, as nested lists, and as Python source.

A tensor's values are a number or nested lists of numbers of equal length: int, float or bool.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradviz.errors import GradvizError

Values = float | list[Any]
"""A number, or nested lists of numbers of equal length."""

MAX_ELEMENTS = 1_000_000
"""More numbers than this are refused."""

EXAMPLES = "Write numbers such as 1 2 3, [[1, 2], [3, 4]], 1 2; 3 4 or linspace(-1, 1, 5)."

_MAX_DEPTH = 32
_NUMBER = r"(?<![\w.)\]])[+-]?(?:(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf\b|nan\b|infinity\b)"
_TOKEN = re.compile(
    rf"""(?P<call>(?:torch\.|np\.|numpy\.)?(?P<name>[a-z]+)\()
       | (?P<truth>True\b|False\b)
       | (?P<number>{_NUMBER})(?![\w.])
       | (?P<open>[\[(]) | (?P<close>[\])]) | (?P<row>;) | (?P<line>\n) | (?P<comma>,) | (?P<space>[^\S\n]+)
       | (?P<other>[^\s,;\[\]()]+|.)""",
    re.VERBOSE | re.IGNORECASE,
)


class _Frame(NamedTuple):
    """An open bracket: the rows so far, and where it was opened."""

    rows: list[list[Values]]
    column: int
    call: str
    commas: list[int]  # columns of its commas; also tells "1," from "1"


def parse_values(text: str) -> Values:
    """Read numbers as people type them.

    `[1, 2; 3 4]`, `[[1, 2], [3, 4]]`, `1 2 3`, a block pasted from a spreadsheet, `tensor([1., 2.])`, or
    a call of linspace, arange, ones, zeros, full or eye with numbers. A single number is a scalar.

    Raises:
        GradvizError: what is wrong, with its column in the text from 1.
    """
    frames = [_Frame([[]], 1, "", [])]
    for match in _TOKEN.finditer(text.replace("\r\n", "\n")):
        _take(match, frames)
    if len(frames) > 1:
        raise _wrong("This bracket is not closed.", frames[-1].column)
    outer = frames[0]
    if outer.rows == [[]]:
        raise _wrong("There is no number here.", 1)
    values: Values = _closed(outer)
    if len(outer.rows) == 1 and len(outer.rows[0]) == 1 and not outer.commas:
        values = outer.rows[0][0]
    shape_of(values)
    return values


def _take(match: re.Match[str], frames: list[_Frame]) -> None:
    kind, column = match.lastgroup, match.start() + 1
    if kind in ("open", "call", "name"):
        if len(frames) > _MAX_DEPTH:
            raise _wrong(f"There are more than {_MAX_DEPTH} brackets inside one another.", column)
        frames.append(_Frame([[]], column, (match["name"] or "").lower(), []))
    elif kind == "close":
        if len(frames) == 1:
            raise _wrong(f"'{match.group()}' closes a bracket that was not opened.", column)
        frame = frames.pop()
        frames[-1].rows[-1].append(_called(frame) if frame.call else _closed(frame))
    elif kind == "number":
        frames[-1].rows[-1].append(_number(match.group()))
    elif kind == "truth":
        frames[-1].rows[-1].append(match.group().lower() == "true")
    elif kind == "comma":
        frames[-1].commas.append(column)
    elif kind == "row" or (kind == "line" and len(frames) == 1):
        if frames[-1].rows[-1]:
            frames[-1].rows.append([])
    elif kind == "other":
        raise _wrong(f"'{match.group()[:20]}' is not a number.", column)


def _number(text: str) -> int | float:
    digits = text.replace("_", "")
    return int(digits) if re.fullmatch(r"[+-]?\d{1,18}", digits) else float(digits)


def _closed(frame: _Frame) -> list[Values]:
    """What a bracket holds: its rows where it has several, else its items."""
    if len(frame.rows) > 1 and not frame.rows[-1]:
        frame.rows.pop()
    if len(frame.rows) == 1:
        return frame.rows[0]
    items = [item for row in frame.rows for item in row]
    if all(isinstance(item, list) for item in items):
        return items  # rows that are lists already, one under the other
    return [row for row in frame.rows if row]


def _called(frame: _Frame) -> Values:
    arguments = _closed(frame)
    if frame.call in ("tensor", "array", "list"):
        return arguments[0] if arguments else []
    make = MAKERS.get(frame.call)
    if make is None:
        raise _wrong(f"'{frame.call}' is not known here.", frame.column)
    try:
        return make(*arguments)
    except (TypeError, ValueError, ArithmeticError, MemoryError) as error:
        raise _wrong(f"{frame.call} does not take these arguments.", frame.column) from error


def _wrong(message: str, column: int) -> GradvizError:
    return GradvizError(message, hint=EXAMPLES, column=column)


def _size(arguments: Sequence[Any]) -> tuple[int, ...]:
    sizes = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], (list, tuple)) else arguments
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in sizes):
        raise ValueError("a size is a whole number")
    if math.prod(sizes) > MAX_ELEMENTS:
        raise ValueError("too many elements")
    return tuple(sizes)


def _arange(*limits: float) -> list[Any]:
    start, stop, step = {1: (0, *limits, 1), 2: (*limits, 1), 3: limits}[len(limits)] if 1 <= len(limits) <= 3 else ()
    if not 0 <= (stop - start) / step <= MAX_ELEMENTS:
        raise ValueError("too many elements")
    kind = np.int64 if all(isinstance(n, int) for n in limits) else np.float64
    return list(np.arange(start, stop, step, dtype=kind).tolist())


def _linspace(start: float, end: float, steps: float) -> list[Any]:
    (count,) = _size([steps])
    return list(np.linspace(start, end, count).tolist())


def _eye(n: int, m: int | None = None) -> Values:
    rows, columns = _size([n, n if m is None else m])
    return np.eye(rows, columns).tolist()


MAKERS: dict[str, Callable[..., Values]] = {
    "ones": lambda *size: np.ones(_size(size)).tolist(),
    "zeros": lambda *size: np.zeros(_size(size)).tolist(),
    "full": lambda size, value: np.full(_size([size] if isinstance(size, int) else size), value).tolist(),
    "eye": _eye,
    "arange": _arange,
    "linspace": _linspace,
}
"""The values of a call of torch with numbers, where they are the same in every run."""


def shape_of(values: Values) -> tuple[int, ...]:
    """The shape of nested lists, () for a number.

    Raises:
        GradvizError: the lists are ragged.
    """
    shape: list[int] = []
    level: list[Any] = [values]
    while any(isinstance(item, list) for item in level):
        sizes = [len(item) if isinstance(item, list) else None for item in level]
        if len(set(sizes)) > 1:
            raise GradvizError(_ragged(sizes), hint="Give every row the same number of values.")
        shape.append(len(level[0]))
        level = [part for item in level for part in item]
    return tuple(shape)


def _ragged(sizes: Sequence[int | None]) -> str:
    odd = next(i for i, size in enumerate(sizes) if size != sizes[0])
    first, other = ("a single number" if n is None else f"{n} value{'s' * (n != 1)}" for n in (sizes[0], sizes[odd]))
    return f"Row {odd + 1} has {other}, but row 1 has {first}."


def flat(values: Values) -> list[Any]:
    """The numbers in reading order."""
    level: list[Any] = [values]
    while any(isinstance(item, list) for item in level):
        level = [part for item in level for part in (item if isinstance(item, list) else [item])]
    return level


def reshaped(values: Values, shape: Sequence[int]) -> Values:
    """The numbers in reading order poured into a shape: the rest is filled with 0, what is too much is cut.

    Raises:
        GradvizError: the shape has more elements than is allowed.
    """
    count = math.prod(shape)
    if count > MAX_ELEMENTS:
        raise GradvizError(f"{count:,} values are more than the {MAX_ELEMENTS:,} that fit here.")
    numbers = flat(values)
    padded = (numbers + [_zero_like(numbers)] * (count - len(numbers)))[:count]
    poured: Values = np.array(padded, dtype=object).reshape(tuple(shape)).tolist()
    return poured


def _zero_like(numbers: Sequence[Any]) -> int | float | bool:
    if numbers and all(isinstance(n, bool) for n in numbers):
        return False
    return 0 if numbers and all(isinstance(n, int) for n in numbers) else 0.0


def parse_shape(text: str) -> tuple[int, ...]:
    """Read a shape: `[2, 3]`, `2x3`, `2 3`, `(2, 3)`; an empty text or `[]` is a single number.

    Raises:
        GradvizError: it is not a shape.
    """
    inside = text.strip().removeprefix("torch.Size").strip("[]() \t")
    parts = [part for part in re.split(r"[\s,;x×*]+", inside) if part]
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise GradvizError(f"'{text.strip()[:30]}' is not a shape.", hint="Write whole numbers such as [2, 3].")
    return tuple(int(part) for part in parts)


def source_of(values: Values, *, indent: int = 0, newline: str = "\n", width: int = 88) -> str:
    """The values as Python source: `[[1., 2.], [3., 4.]]`, broken between rows where it gets too wide.

    Args:
        indent: the column at which it will stand, in characters.
        width: columns that one line may take.
    """
    if not isinstance(values, list):
        return number_source(values)
    one_line = _joined(values, "[", "]", number_source, ", ")
    if indent + len(one_line) <= width or not values or not isinstance(values[0], list):
        return one_line
    rows = (_joined(row, "[", "]", number_source, ", ") for row in values)
    return "[" + f",{newline}{' ' * (indent + 1)}".join(rows) + "]"


def _joined(values: Values, left: str, right: str, number: Callable[[Any], str], comma: str) -> str:
    return "".join(_pieces(values, left, right, number, comma))


def _pieces(values: Values, left: str, right: str, number: Callable[[Any], str], comma: str) -> Iterator[str]:
    """The text piece by piece; the depth is bounded by the number of axes."""
    if not isinstance(values, list):
        yield number(values)
        return
    yield left
    for i, item in enumerate(values):
        if i:
            yield comma
        yield from _pieces(item, left, right, number, comma)
    yield right


def number_source(value: float) -> str:
    """One number as Python source, the shortest that reads back as the same: `1.`, `-2`, `float("nan")`."""
    if isinstance(value, (bool, int)):
        return str(value)
    if not math.isfinite(value):
        return f'float("{value}")'
    text = repr(float(value))
    return text[:-1] if text.endswith(".0") else text


def typed_text(values: Values, number: Callable[[Any], str] = lambda n: f"{n:g}") -> str:
    """The values as people type them: `1 2`, `1 2; 3 4`, nested brackets for three axes and more."""
    depth = len(shape_of(values))
    if depth == 0:
        return number(values)
    assert isinstance(values, list)
    if depth == 1:
        return "  ".join(number(n) for n in values) if len(values) > 1 else _joined(values, "[", "]", number, " ")
    if depth == 2 and len(values) > 1 and values[0]:
        return "; ".join(" ".join(number(n) for n in row) for row in values)
    return _joined(values, "[", "]", number, " ")
