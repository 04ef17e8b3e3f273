"""A script's text together with its syntax tree, and where in the text each piece of the tree stands.

Knows text and `ast`. Runs nothing.
A line that does not parse (one is being typed) is left out of the tree; every place still fits the whole text.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from gradviz.imitation.script.text.parsing import NO_FILE

MAX_TEXT = 4_000_000
"""Longer texts are not parsed, in characters."""

_MAX_SKIPPED_LINES = 40
_LINE_END = re.compile(r"\r\n|\r|\n")


class Change(NamedTuple):
    """Replace the characters start..end (end excluded) of a text by `new`."""

    start: int
    end: int
    new: str


class _Placed(Protocol):
    """What every expression, statement, keyword and alias of `ast` has. Columns count UTF-8 bytes."""

    lineno: int
    col_offset: int
    end_lineno: int | None
    end_col_offset: int | None


@dataclass(frozen=True)
class Located:
    """A text and its tree.

    Attributes:
        text: the whole text, as given.
        tree: the tree of what parses.
        skipped: lines that were left out because they do not parse, from 1.
    """

    text: str
    tree: ast.Module
    skipped: tuple[int, ...]
    _starts: tuple[int, ...]

    def offset(self, line: int, column_bytes: int) -> int:
        """The index in `text` of a line (from 1) and a column in UTF-8 bytes (from 0)."""
        start = self._starts[line - 1]
        if column_bytes == 0:
            return start
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        written = self.text[start:end]
        if written.isascii():
            return start + column_bytes
        return start + len(written.encode()[:column_bytes].decode(errors="ignore"))

    def span(self, node: _Placed) -> tuple[int, int]:
        """First index of the node in `text`, and the index just past it."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def written(self, node: _Placed) -> str:
        """The node as it stands in the text."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_of(self, index: int) -> tuple[int, int]:
        """The place of a character: line from 1, column from 1, both in characters."""
        line = bisect_right(self._starts, index)
        return line, index - self._starts[line - 1] + 1

    def after_line(self, index: int) -> int:
        """The index just past the line that holds `index`, its line end included."""
        found = _LINE_END.search(self.text, index)
        return found.end() if found else len(self.text)

    @property
    def newline(self) -> str:
        """The line end that the text uses."""
        found = _LINE_END.search(self.text)
        return found.group() if found else "\n"


def locate(text: str) -> Located:
    """Parse a text; lines that stand in the way of parsing are skipped, up to a limit, then the tree is empty."""
    starts = (0, *(match.end() for match in _LINE_END.finditer(text)))
    lines = _LINE_END.split(text)
    skipped: list[int] = []
    while len(skipped) <= _MAX_SKIPPED_LINES and len(text) <= MAX_TEXT:
        tree, bad = _parse("\n".join(lines))
        if tree is not None:
            return Located(text, tree, tuple(skipped), starts)
        if bad is None or not 1 <= bad <= len(lines) or not lines[bad - 1]:
            break
        content = lines[bad - 1]
        # "pass" keeps an indented block from being empty; a line whose indentation is the fault goes altogether.
        lines[bad - 1] = "" if bad in skipped else content[: len(content) - len(content.lstrip())] + "pass"
        if bad not in skipped:
            skipped.append(bad)
    return Located(text, ast.Module([], []), tuple(skipped) or (1,), starts)


def _parse(text: str) -> tuple[ast.Module | None, int | None]:
    """The tree, or None and the line that does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in the user's string is no concern of ours
            return ast.parse(text, NO_FILE), None
    except SyntaxError as error:
        return None, error.lineno
    except (ValueError, RecursionError, MemoryError):
        return None, None


def changed(text: str, changes: Iterable[Change]) -> str:
    """The text with all changes made; they must not overlap."""
    for change in sorted(changes, reverse=True):
        text = text[: change.start] + change.new + text[change.end :]
    return text
