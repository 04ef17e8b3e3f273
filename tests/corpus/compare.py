"""The one comparison of the corpus: text equal, numbers within 1e-4 relative.

A recording has three parts: what was printed, the warnings, and the error that ended the run with its line. Compared
are what was printed and the error. How wide the columns of a printed tensor are, and where its rows are broken,
depends on digits, so whitespace between words and numbers does not count, and an indented line goes on with the one
before it.
"""

from __future__ import annotations

import math
import re
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import NamedTuple

RELATIVE = 1e-4
ABSOLUTE = 1e-6
DECIMALS = 4
"""Numbers printed with as many decimals or more may differ by one in the last: they were rounded on both sides."""

_TOKEN = re.compile(
    r"(?P<word>[^\W\d]\w*)"
    r"|(?P<number>(?:(?<![\w\])}.])[-+])?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)"
    r"|(?P<sign>\S)"
)
_CONTINUED = re.compile(r"\s*\n[ \t]+(?=\S)")
_MARKS = ("\n=== warnings\n", "=== error\n")


class Recording(NamedTuple):
    """The parts of a recording, each as text; `error` is "LINE: Type: message" or ""."""

    output: str
    warnings: str
    error: str


class _Line(NamedTuple):
    """A printed line: its text, its tokens, and the shape of it by which lines are matched."""

    text: str
    tokens: list[str]
    key: str


def parts_of(recording: str) -> Recording:
    """Take a recording's text apart.

    Raises:
        ValueError: it is not the text of a recording.
    """
    output, mark, rest = recording.rpartition(_MARKS[0])
    warnings, second, error = rest.partition(_MARKS[1])
    if not mark or not second:
        raise ValueError("a recording has the parts output, warnings and error")
    return Recording(output, warnings, error.removesuffix("\n"))


def differences(expected: str, actual: str, *, limit: int = 20) -> list[str]:
    """What two recordings differ in, one sentence each; an empty list where they agree.

    Args:
        expected: the recording of PyTorch.
        actual: the recording to judge.
        limit: how many differences are listed at most.
    """
    wanted, got = parts_of(expected), parts_of(actual)
    found = text_differences(wanted.output, got.output)
    if not _same_error(wanted.error, got.error):  # it comes first, since it says why something is missing
        found.insert(0, f"error: expected {wanted.error or 'none'!r}, got {got.error or 'none'!r}")
    return found[:limit]


def text_differences(expected: str, actual: str) -> list[str]:
    """What two printed texts differ in, line by line."""
    wanted, got = _lines(expected), _lines(actual)
    pairs = _matched(wanted, got)
    return [_sentence(a, b) for a, b in pairs if a is None or b is None or not _same_line(a, b)]


def warning_differences(expected: str, actual: str) -> list[str]:
    """What the warnings of two recordings differ in. They do not decide whether a script agrees."""
    return text_differences(parts_of(expected).warnings, parts_of(actual).warnings)


def _same_error(expected: str, actual: str) -> bool:
    """Whether type and line are equal, and the message up to numbers."""
    a, b = _lines(f"_{expected}"), _lines(f"_{actual}")  # the line's number stands in a word, so that it must be equal
    return len(a) == len(b) and all(map(_same_line, a, b))


def _lines(text: str) -> list[_Line]:
    """The lines that say anything; what is indented belongs to the line before it."""
    joined = _CONTINUED.sub(" ", text.strip("\n"))
    return [_line(line) for line in joined.split("\n") if line.strip()]


def _line(text: str) -> _Line:
    matches = list(_TOKEN.finditer(text))
    key = " ".join(_kind(match.group()) if match.lastgroup == "number" else match.group() for match in matches)
    return _Line(text, [match.group() for match in matches], key)


def _kind(number: str) -> str:
    return "1" if re.fullmatch(r"[-+]?[\d_]+", number) else "1."


def _matched(wanted: list[_Line], got: list[_Line]) -> list[tuple[_Line | None, _Line | None]]:
    """Lines side by side; None where one side has none."""
    keys, other_keys = [line.key for line in wanted], [line.key for line in got]
    if keys == other_keys:
        return list(zip(wanted, got, strict=True))
    pairs: list[tuple[_Line | None, _Line | None]] = []
    matcher = SequenceMatcher(None, keys, other_keys, autojunk=False)
    for _, start, end, other_start, other_end in matcher.get_opcodes():
        pairs.extend(zip_longest(wanted[start:end], got[other_start:other_end]))
    return pairs


def _same_line(a: _Line, b: _Line) -> bool:
    return len(a.tokens) == len(b.tokens) and all(map(_same_token, a.tokens, b.tokens))


def _same_token(a: str, b: str) -> bool:
    """Whether two tokens are the same word or sign, the same whole number, or close numbers."""
    if a == b:
        return True
    if not (_is_decimal(a) and _is_decimal(b)):
        return False
    x, y = float(a), float(b)
    if math.isclose(x, y, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
        return True
    is_rounded = min(_decimals(a), _decimals(b)) >= DECIMALS
    return is_rounded and abs(x - y) <= 1.001 * max(_last_place(a), _last_place(b))


def _is_decimal(token: str) -> bool:
    return token.lstrip("+-")[:1] in tuple(".0123456789") and _kind(token) == "1."


def _decimals(token: str) -> int:
    """How many digits stand behind the point."""
    return len(token.lower().partition("e")[0].partition(".")[2])


def _last_place(token: str) -> float:
    """What one in the last printed digit is worth."""
    exponent = int(token.lower().partition("e")[2] or 0)
    return float(10.0 ** (exponent - _decimals(token)))


def _sentence(wanted: _Line | None, got: _Line | None) -> str:
    if wanted is None:
        assert got is not None
        return f"not expected: {_short(got.text)}"
    if got is None:
        return f"missing: {_short(wanted.text)}"
    return f"expected {_short(wanted.text)}, got {_short(got.text)}"


def _short(text: str) -> str:
    return repr(text if len(text) <= 160 else f"{text[:160]} …")
