"""A text with its syntax tree, the place of each piece of the tree in the text, and edits of the text.

A line that does not parse (it is being typed) is left out of the tree, and so are the prompts of a pasted session;
every place still fits the whole text.
"""

from __future__ import annotations

import ast
import re
import warnings
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from gradviz.source.prompts import without_prompts

MAX_CHARACTERS = 4_000_000
"""Longer texts are not parsed."""

_MAX_SKIPPED_LINES = 40
_LINE_END = re.compile(r"\r\n|\r|\n")


class Edit(NamedTuple):
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
class ParsedText:
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
    _prompts: Mapping[int, int]

    def index_of(self, line: int, column_bytes: int) -> int:
        """The index in `text` of a line (from 1) and a column in UTF-8 bytes (from 0)."""
        start = self._starts[line - 1] + self._prompts.get(line, 0)
        if column_bytes == 0:
            return start
        end = self._starts[line] if line < len(self._starts) else len(self.text)
        written = self.text[start:end]
        if written.isascii():
            return start + column_bytes
        return start + len(written.encode()[:column_bytes].decode(errors="ignore"))

    def start_of(self, line: int) -> int:
        """The index in `text` of the first character of a line (from 1), which may be a prompt."""
        return self._starts[line - 1]

    def prompt(self, line: int) -> str:
        """What stands in a line (from 1) before its code: ">>> "; "" where nothing does."""
        start = self.start_of(line)
        return self.text[start : start + self._prompts.get(line, 0)]

    def span(self, node: _Placed) -> tuple[int, int]:
        """First index of the node in `text`, and the index just past it."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.index_of(node.lineno, node.col_offset), self.index_of(node.end_lineno, node.end_col_offset)

    def end(self, node: _Placed) -> int:
        """The index in `text` just past the node."""
        return self.span(node)[1]

    def written(self, node: _Placed) -> str:
        """The node as it stands in the text."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_and_column(self, index: int) -> tuple[int, int]:
        """The place of a character, both from 1."""
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


def parse_text(text: str) -> ParsedText:
    """Parse a text; lines that stand in the way are skipped, up to a limit, beyond which the tree is empty."""
    starts = (0, *(match.end() for match in _LINE_END.finditer(text)))
    lines, prompts = _without_prompts(text, _LINE_END.split(text))
    skipped: list[int] = []
    while len(skipped) <= _MAX_SKIPPED_LINES and len(text) <= MAX_CHARACTERS:
        tree, bad = _tree_or_bad_line("\n".join(lines))
        if tree is not None:
            return ParsedText(text, tree, tuple(skipped), starts, prompts)
        if bad is None or not 1 <= bad <= len(lines) or not lines[bad - 1]:
            break
        content = lines[bad - 1]
        # "pass" keeps an indented block from being empty; a line whose indentation is the fault goes altogether.
        lines[bad - 1] = "" if bad in skipped else content[: len(content) - len(content.lstrip())] + "pass"
        if bad not in skipped:
            skipped.append(bad)
    return ParsedText(text, ast.Module([], []), tuple(skipped) or (1,), starts, prompts)


def _without_prompts(text: str, lines: list[str]) -> tuple[list[str], dict[int, int]]:
    """The lines as they are run, and by number of a line (from 1) how many characters of it stand before that."""
    if len(text) > MAX_CHARACTERS or not (">>>" in text or "]:" in text):
        return lines, {}
    plain = _LINE_END.split(without_prompts("\n".join(lines)))
    if len(plain) != len(lines):
        return lines, {}
    pairs = enumerate(zip(lines, plain, strict=True), 1)
    return plain, {
        at: len(line) - len(code) for at, (line, code) in pairs if code and line.endswith(code) and line != code
    }


def _tree_or_bad_line(text: str) -> tuple[ast.Module | None, int | None]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "\d" in the user's string is no concern of ours
            return ast.parse(text, ""), None  # with a name, Python would look for the file to quote a bad line
    except SyntaxError as error:
        return None, error.lineno
    except (ValueError, RecursionError, MemoryError):
        return None, None


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with all edits made; they must not overlap."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.new + text[edit.end :]
    return text
