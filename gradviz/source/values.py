"""Numbers as people type them, as nested lists, and as Python source.

The values of a tensor are a number, or nested lists of numbers (int, float or bool) of equal length.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
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


# ---- reading what is typed ----


class _Bracket(NamedTuple):
    """An open bracket: the rows so far, where it was opened, and the function before it, or ""."""

    rows: list[list[Values]]
    column: int
    call: str
    commas: list[int]  # columns of its commas; they also tell "1," from "1"


def parse_values(text: str) -> Values:
    """Read numbers as people type them.

    `[1, 2; 3 4]`, `[[1, 2], [3, 4]]`, `1 2 3`, a block pasted from a spreadsheet, `tensor([1., 2.])`, or
    a call of linspace, arange, ones, zeros, full or eye with numbers. A single number is a scalar.

    Raises:
        GradvizError: what is wrong, with its column in the text from 1.
    """
    brackets = [_Bracket([[]], 1, "", [])]
    for match in _TOKEN.finditer(text.replace("\r\n", "\n")):
        _take(match, brackets)
    if len(brackets) > 1:
        raise _mistake("This bracket is not closed.", brackets[-1].column)
    outer = brackets[0]
    if outer.rows == [[]]:
        raise _mistake("There is no number here.", 1)
    values: Values = _items(outer)
    if len(outer.rows) == 1 and len(outer.rows[0]) == 1 and not outer.commas:
        values = outer.rows[0][0]
    shape_of(values)
    return values


def _take(match: re.Match[str], brackets: list[_Bracket]) -> None:
    """Put one token into the innermost open bracket, or open or close one."""
    kind, column, inner = match.lastgroup, match.start() + 1, brackets[-1]
    if kind in ("open", "call", "name"):
        if len(brackets) > _MAX_DEPTH:
            raise _mistake(f"There are more than {_MAX_DEPTH} brackets inside one another.", column)
        brackets.append(_Bracket([[]], column, (match["name"] or "").lower(), []))
    elif kind == "close":
        if len(brackets) == 1:
            raise _mistake(f"'{match.group()}' closes a bracket that was not opened.", column)
        brackets.pop()
        brackets[-1].rows[-1].append(_call_result(inner) if inner.call else _items(inner))
    elif kind == "number":
        inner.rows[-1].append(_number(match.group()))
    elif kind == "truth":
        inner.rows[-1].append(match.group().lower() == "true")
    elif kind == "comma":
        inner.commas.append(column)
    elif kind == "row" or (kind == "line" and len(brackets) == 1):
        if inner.rows[-1]:
            inner.rows.append([])
    elif kind == "other":
        raise _mistake(f"'{match.group()[:20]}' is not a number.", column)


def _number(text: str) -> int | float:
    digits = text.replace("_", "")
    return int(digits) if re.fullmatch(r"[+-]?\d{1,18}", digits) else float(digits)


def _items(bracket: _Bracket) -> list[Values]:
    """What a bracket holds: its rows where it has several, else its items."""
    rows = bracket.rows
    if len(rows) > 1 and not rows[-1]:
        rows.pop()
    if len(rows) == 1:
        return rows[0]
    items = [item for row in rows for item in row]
    if all(isinstance(item, list) for item in items):
        return items  # rows that are lists already, one under the other
    return [row for row in rows if row]


def _call_result(bracket: _Bracket) -> Values:
    arguments = _items(bracket)
    if bracket.call in ("tensor", "array", "list"):
        return arguments[0] if arguments else []
    make = MAKERS.get(bracket.call)
    if make is None:
        raise _mistake(f"'{bracket.call}' is not known here.", bracket.column)
    try:
        return make(*arguments)
    except (TypeError, ValueError, ArithmeticError, MemoryError) as error:
        raise _mistake(f"{bracket.call} does not take these arguments.", bracket.column) from error


def _mistake(message: str, column: int) -> GradvizError:
    return GradvizError(message, hint=EXAMPLES, column=column)


def parse_shape(text: str) -> tuple[int, ...]:
    """Read a shape: `2×3`, `[2, 3]`, `2x3`, `2 3`, `(2, 3)`; an empty text, `[]` or `scalar` is a single number.

    Raises:
        GradvizError: it is not a shape.
    """
    inside = text.strip().removeprefix("torch.Size").strip("[]() \t")
    inside = "" if inside.lower() == "scalar" else inside
    parts = [part for part in re.split(r"[\s,;x×*]+", inside) if part]
    if not all(part.isdecimal() and len(part) < 10 for part in parts):
        raise GradvizError(f"'{text.strip()[:30]}' is not a shape.", hint="Write whole numbers such as 2×3.")
    return tuple(int(part) for part in parts)


# ---- values of torch's functions that are the same in every run ----


def size_of(arguments: Sequence[Any]) -> tuple[int, ...]:
    """The size that `zeros(2, 3)` or `zeros((2, 3))` names.

    Raises:
        ValueError: it is not made of whole numbers from 0.
    """
    sizes = arguments[0] if len(arguments) == 1 and isinstance(arguments[0], (list, tuple)) else arguments
    if any(isinstance(n, bool) or not isinstance(n, int) or n < 0 for n in sizes):
        raise ValueError("a size is a whole number")
    return tuple(sizes)


def _allowed_size(*arguments: Any) -> tuple[int, ...]:
    size = size_of(arguments)
    if math.prod(size) > MAX_ELEMENTS:
        raise ValueError("too many elements")
    return size


def _arange(*limits: float) -> list[Any]:
    start, stop, step = {1: (0, *limits, 1), 2: (*limits, 1), 3: limits}[len(limits)] if 1 <= len(limits) <= 3 else ()
    if not 0 <= (stop - start) / step <= MAX_ELEMENTS:
        raise ValueError("too many elements")
    kind = np.int64 if all(isinstance(n, int) for n in limits) else np.float64
    return list(np.arange(start, stop, step, dtype=kind).tolist())


def _linspace(start: float, end: float, steps: float) -> list[Any]:
    (count,) = _allowed_size(steps)
    return list(np.linspace(start, end, count).tolist())


def _eye(n: int, m: int | None = None) -> Values:
    rows, columns = _allowed_size(n, n if m is None else m)
    return np.eye(rows, columns).tolist()


MAKERS: dict[str, Callable[..., Values]] = {
    "ones": lambda *size: np.ones(_allowed_size(*size)).tolist(),
    "zeros": lambda *size: np.zeros(_allowed_size(*size)).tolist(),
    "full": lambda size, value: np.full(_allowed_size(size), value).tolist(),
    "eye": _eye,
    "arange": _arange,
    "linspace": _linspace,
}


# ---- shapes ----


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


def flatten(values: Values) -> list[Any]:
    """The numbers in reading order."""
    level: list[Any] = [values]
    while any(isinstance(item, list) for item in level):
        level = [part for item in level for part in (item if isinstance(item, list) else [item])]
    return level


def fill_shape(values: Values, shape: Sequence[int]) -> Values:
    """The numbers in reading order in another shape: what is missing is 0, what is too much is cut.

    Raises:
        GradvizError: the shape has more elements than is allowed.
    """
    count = math.prod(shape)
    if count > MAX_ELEMENTS:
        raise GradvizError(f"{count:,} values are more than the {MAX_ELEMENTS:,} that fit here.")
    numbers = flatten(values)
    padded = (numbers + [_zero_like(numbers)] * (count - len(numbers)))[:count]
    filled: Values = np.array(padded, dtype=object).reshape(tuple(shape)).tolist()
    return filled


def _zero_like(numbers: Sequence[Any]) -> int | float | bool:
    if numbers and all(isinstance(n, bool) for n in numbers):
        return False
    return 0 if numbers and all(isinstance(n, int) for n in numbers) else 0.0


# ---- writing ----


def number_source(value: float) -> str:
    """One number as Python source, the shortest that reads back as the same: `1.`, `-2`, `float("nan")`."""
    if isinstance(value, (bool, int)):
        return str(value)
    if not math.isfinite(value):
        return f'float("{value}")'
    text = repr(float(value))
    return text[:-1] if text.endswith(".0") else text


def values_source(values: Values, *, indent: int = 0, newline: str = "\n", width: int = 88) -> str:
    """The values as Python source: `[[1., 2.], [3., 4.]]`, broken between rows where it gets too wide.

    Args:
        indent: the column at which it will stand, in characters.
        width: columns that one line may take.
    """
    if not isinstance(values, list):
        return number_source(values)
    one_line = _bracketed(values, number_source, ", ")
    if indent + len(one_line) <= width or not values or not isinstance(values[0], list):
        return one_line
    rows = (_bracketed(row, number_source, ", ") for row in values)
    return "[" + f",{newline}{' ' * (indent + 1)}".join(rows) + "]"


def values_text(values: Values, number: Callable[[Any], str] = lambda n: f"{n:g}") -> str:
    """The values as people type them: `1 2`, `1 2; 3 4`, nested brackets for three axes and more."""
    depth = len(shape_of(values))
    if depth == 0:
        return number(values)
    assert isinstance(values, list)
    if depth == 1:
        return "  ".join(number(n) for n in values) if len(values) > 1 else _bracketed(values, number, " ")
    if depth == 2 and len(values) > 1 and values[0]:
        return "; ".join(" ".join(number(n) for n in row) for row in values)
    return _bracketed(values, number, " ")


def _bracketed(values: Values, number: Callable[[Any], str], comma: str) -> str:
    """Nested lists in brackets; the depth is that of the axes, so that recursion is bounded."""
    if not isinstance(values, list):
        return number(values)
    return f"[{comma.join(_bracketed(item, number, comma) for item in values)}]"
