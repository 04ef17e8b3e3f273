"""Python text line by line as coloured spans, brackets and indentation. Knows no Qt.

A line is read with the state that the line before it ended in, so that one line can be coloured alone.
"""

from __future__ import annotations

import keyword
import re
from typing import NamedTuple

PLAIN, IN_SINGLE, IN_DOUBLE = 0, 1, 2
"""How a line ends: plainly, or inside a string of three quotes."""

INDENT = "    "
PAIRS = {"(": ")", "[": "]", "{": "}"}

_PREFIX = r"(?:[rRbBfFuU]{1,2})?"
_TOKEN = re.compile(
    rf"""(?P<comment>\#.*)
       | (?P<triple>{_PREFIX}(?:'''|\"\"\"))
       | (?P<string>{_PREFIX}(?:"(?:\\.|[^"\\])*(?:"|\\?$)|'(?:\\.|[^'\\])*(?:'|\\?$)))
       | (?P<number>(?<![\w.])(?:0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|
                    (?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?[jJ]?)(?!\w))
       | (?P<name>[^\W\d]\w*)
       | (?P<bracket>[()\[\]{{}}])""",
    re.VERBOSE,
)
_ENDS = {IN_SINGLE: re.compile(r"(?:\\.|[^\\])*?'''"), IN_DOUBLE: re.compile(r'(?:\\.|[^\\])*?"""')}
_KEYWORDS = frozenset([*keyword.kwlist, "match", "case"]) - {"match", "case"}
_CLOSING_WORDS = re.compile(r"\s*(?:return|pass|break|continue|raise)\b")


class Span(NamedTuple):
    """A piece of a line. `role` is "comment", "string", "number", "keyword" or "bracket"."""

    start: int
    end: int
    role: str


def spans(line: str, state: int) -> tuple[list[Span], int]:
    """The coloured pieces of a line and its brackets, and the state it ends in."""
    found: list[Span] = []
    at = 0
    if state != PLAIN:
        at, state = _string_end(line, 0, state)
        found.append(Span(0, at, "string"))
    while match := _TOKEN.search(line, at):
        kind, start, at = str(match.lastgroup), match.start(), match.end()
        if kind == "triple":
            state = IN_SINGLE if match.group().endswith("'") else IN_DOUBLE
            at, state = _string_end(line, at, state)
            kind = "string"
        elif kind == "name":
            kind = "keyword" if match.group() in _KEYWORDS else ""
        if kind:
            found.append(Span(start, at, kind))
    return found, state


def _string_end(line: str, at: int, state: int) -> tuple[int, int]:
    end = _ENDS[state].match(line, at)
    return (end.end(), PLAIN) if end else (len(line), state)


def indent_after(line: str) -> str:
    """The indentation of a line typed after this one."""
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    pieces, _ = spans(line, PLAIN)
    code = line[: pieces[-1].start] if pieces and pieces[-1].role == "comment" else line
    if code.rstrip().endswith((":", "(", "[", "{")):
        return indent + INDENT
    return indent.removesuffix(INDENT) if _CLOSING_WORDS.match(line) else indent


def commented(lines: list[str]) -> list[str]:
    """The lines with a comment sign before each, or without it where all have one. Empty lines stay empty."""
    filled = [line for line in lines if line.strip()]
    if filled and all(line.lstrip().startswith("#") for line in filled):
        return [re.sub(r"^(\s*)# ?", r"\1", line) for line in lines]
    depth = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    return [f"{line[:depth]}# {line[depth:]}" if line.strip() else line for line in lines]


def units(text: str, index: int) -> int:
    """How many UTF-16 units, by which Qt counts, come before the character at `index`."""
    before = text[:index]
    return len(before) if before.isascii() else len(before.encode("utf-16-le")) // 2
