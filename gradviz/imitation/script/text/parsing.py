"""Text into a syntax tree, with one sentence for what is no Python; cells of a notebook found again in the text."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from gradviz.errors import GradvizError, LimitError, ScriptError
from gradviz.imitation.script.errors.advice import SYNTAX, WRITTEN

MAX_CHARACTERS = 2_000_000
LATE_CHECKS = 200_000
"""Up to this many characters a script is also checked for what only Python's compiler sees, `return` at the top."""

NO_FILE = ""
"""Python opens the file of a text with a mistake in it, to quote its line; no file has this name."""

CELL = re.compile(r"^# %% cell (\d+)$", re.MULTILINE)
"""The line that `source.cells` puts before each cell of a notebook."""

ECHO = " echo"
"""The name of what shows the last value of a cell; no script can spell it."""


class Compiled(NamedTuple):
    """A script as Python reads it.

    Attributes:
        tree: its syntax tree.
        warned: what Python's compiler warns of, as (line, class, message).
        broken: for a notebook, the mistake in the first cell that is no Python; the cells before it are in the tree.
    """

    tree: ast.Module
    warned: list[tuple[int, str, str]]
    broken: ScriptError | None = None


def compiled(text: str, *, by_cell: bool) -> Compiled:
    """A script, or the cells of a notebook as far as they are Python.

    Raises:
        ScriptError: it is no Python, with the place.
        LimitError: it is too long, or nested too deeply.
    """
    broken: ScriptError | None = None
    while True:
        warned: list[tuple[int, str, str]] = []
        try:
            return Compiled(parse(text, warned), warned, broken)
        except ScriptError as error:
            starts = [start for _, start in _cells(text) if error.line is not None and start < error.line]
            if not by_cell or not starts:
                raise
            broken = error
            text = "\n".join(text.split("\n")[: starts[-1] - 1])


def parse(text: str, warned: list[tuple[int, str, str]] | None = None) -> ast.Module:
    """The syntax tree of a script.

    Args:
        warned: takes what Python's compiler warns of, as (line, class, message).

    Raises:
        ScriptError: it is no Python, with the place.
        LimitError: it is too long, or nested too deeply.
    """
    if len(text) > MAX_CHARACTERS:
        raise LimitError(
            f"the script has {len(text):,} characters; gradviz reads up to {MAX_CHARACTERS:,}",
            hint="Paste only the part to look at.",
        )
    if "\0" in text:
        raise ScriptError("this is not a text file: it contains a zero byte", hint="Open a .py or .ipynb file.")
    try:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("ignore")
            tree = ast.parse(text, NO_FILE)
            warnings.simplefilter("always", SyntaxWarning)
            if len(text) <= LATE_CHECKS:
                _compile(text)
        if warned is not None:
            warned += [(each.lineno, each.category.__name__, str(each.message)) for each in seen]
        return tree
    except SyntaxError as error:
        raise _not_python(error) from None
    except (RecursionError, MemoryError):
        raise too_deep(text) from None
    except ValueError as error:
        raise ScriptError(f"this is not a Python script: {error}", hint="Open a .py or .ipynb file.") from None


def _compile(text: str) -> None:
    """What only Python's compiler sees; each cell of a notebook may begin with what it takes from the future."""
    starts = [start for _, start in _cells(text)]
    try:
        compile(text, NO_FILE, "exec", dont_inherit=True)
    except SyntaxError as error:
        if "__future__" not in error.msg or not starts:
            raise
        lines = text.split("\n")
        for start, end in pairwise([*starts, len(lines) + 1]):
            compile("\n" * start + "\n".join(lines[start : end - 1]), NO_FILE, "exec", dont_inherit=True)


def _not_python(error: SyntaxError) -> ScriptError:
    written = (hint for pattern, hint in WRITTEN if re.search(pattern, error.text or ""))
    said = (hint for pattern, hint in SYNTAX if re.search(pattern, error.msg))
    hint = next(written, "") or next(said)
    column = error.offset if error.offset is not None and error.offset > 0 else None
    return ScriptError(f"{type(error).__name__}: {error.msg}", hint=hint, line=error.lineno, column=column)


def too_deep(text: str) -> LimitError:
    """The error for code that nests more than gradviz can follow; nobody says where, so it is the longest line."""
    lines = text.split("\n")
    longest = max(range(len(lines)), key=lambda number: len(lines[number]))
    return LimitError(
        "the script is nested too deeply", hint="Split long expressions into several lines.", line=longest + 1, column=1
    )


def echo(tree: ast.Module, text: str, *, each_cell: bool) -> None:
    """Let the bare last line of the script, or of each cell, show its value, as an interactive session does."""
    ends = [match.start() for match in CELL.finditer(text)] if each_cell else []
    cell_lines = [text.count("\n", 0, end) + 1 for end in ends]
    lines = text.split("\n")
    timed = [start for start in cell_lines if _magic(lines, start)[:1] == ["%%timeit"]]

    def is_timed(line: int) -> bool:
        """Whether it stands in a cell that only tells how long it took."""
        return max((start for start in cell_lines if start < line), default=0) in timed

    for position, node in enumerate(tree.body):
        following = tree.body[position + 1] if position + 1 < len(tree.body) else None
        end = node.end_lineno or node.lineno
        is_last = following is None or any(end < line <= following.lineno for line in cell_lines)
        if is_last and isinstance(node, ast.Expr) and not _is_silenced(lines, node) and not is_timed(node.lineno):
            call = ast.Call(ast.Name(ECHO, ast.Load()), [node.value], [])
            tree.body[position] = ast.copy_location(ast.Expr(ast.copy_location(call, node)), node)
            ast.fix_missing_locations(tree.body[position])


BEGIN = " begin"
"""The name of what begins a cell, called with its number; no script can spell it."""


def begin(tree: ast.Module, text: str) -> list[str]:
    """Let each cell of a notebook tell that it begins; the texts of those that are not empty, as they are numbered."""
    lines = text.split("\n")
    starts = [start for _, start in _cells(text)] + [len(lines) + 1]
    typed: list[str] = []
    for start, end in pairwise(starts):
        cell = "\n".join(lines[start : end - 1]).rstrip("\n")
        if not cell.strip():
            continue
        typed.append(cell)
        place = next((place for place, node in enumerate(tree.body) if start < node.lineno < end), None)
        if place is not None:
            call = ast.Expr(ast.Call(ast.Name(BEGIN, ast.Load()), [ast.Constant(len(typed))], []))
            tree.body.insert(place, ast.copy_location(call, tree.body[place]))
    ast.fix_missing_locations(tree)
    return typed


QUIET, LOUD = " quiet", " loud"
"""The names of what begins and ends a cell whose output is captured; no script can spell them."""


def capture(tree: ast.Module, text: str) -> None:
    """Let what a cell under `%%capture` prints be heard by nobody."""
    lines = text.split("\n")
    starts = [start for _, start in _cells(text)] + [len(lines) + 1]
    for start, end in pairwise(starts):
        inside = [place for place, node in enumerate(tree.body) if start < node.lineno < end]
        magic, *options = _magic(lines, start) or [""]
        if inside and magic == "%%capture":
            named = list(filter(str.isidentifier, options))[:1]
            kept: list[ast.expr] = [ast.Constant(name) for name in named]
            for place, name, given in ((inside[-1] + 1, LOUD, kept), (inside[0], QUIET, [])):
                call = ast.Expr(ast.Call(ast.Name(name, ast.Load()), given, []))
                tree.body.insert(place, ast.copy_location(call, tree.body[inside[0]]))
    ast.fix_missing_locations(tree)


def _magic(lines: list[str], start: int) -> list[str]:
    """The magic of the cell that begins at this line, with its options; none where it has none."""
    first = next((line for line in lines[start:] if line.strip()), "")
    return first.split()[1:] if first.startswith("# %%") and not CELL.match(first) else []


def _is_silenced(lines: list[str], node: ast.Expr) -> bool:
    """Whether a semicolon stands behind it."""
    rest = lines[(node.end_lineno or 1) - 1].encode()[node.end_col_offset or 0 :]
    return rest.lstrip().startswith(b";")


def in_characters(error: GradvizError, text: str) -> None:
    """Python's syntax tree counts columns in UTF-8 bytes; people count characters."""
    if error.line is None or error.column is None:
        return
    lines = re.split(r"\r\n|\r|\n", text)
    if 1 <= error.line <= len(lines) and not lines[error.line - 1].isascii():
        before = lines[error.line - 1].encode()[: error.column - 1]
        error.column = len(before.decode(errors="ignore")) + 1


def cell_place(text: str, line: int) -> tuple[int, int] | None:
    """The number of the cell that a line of a notebook's text stands in, and the line in it, both from 1."""
    found: tuple[int, int] | None = None
    for number, start in _cells(text):
        if start < line:
            found = number, line - start
    return found


def _cells(text: str) -> Iterator[tuple[int, int]]:
    for match in CELL.finditer(text):
        yield int(match.group(1)), text.count("\n", 0, match.start()) + 1


__all__ = [
    "BEGIN",
    "CELL",
    "ECHO",
    "LOUD",
    "MAX_CHARACTERS",
    "NO_FILE",
    "QUIET",
    "begin",
    "capture",
    "cell_place",
    "compiled",
    "echo",
    "in_characters",
    "parse",
    "too_deep",
]
