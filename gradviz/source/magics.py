"""Lines of a notebook's cell that are no Python: magics (`%time`), shell lines (`!pip`), questions (`torch.sum?`)."""

from __future__ import annotations

import re

from gradviz.errors import ScriptError
from gradviz.source.prompts import without_prompts
from gradviz.source.syntax import parse_script

RUNS_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cell magics whose cell is Python all the same."""

_SIGNS = ("%", "!", "?")
_BARE = tuple(f"{name} " for name in ("cd", "conda", "cp", "ls", "mkdir", "mv", "pip", "rm"))
"""Magics that a cell of one line may name without `%`."""

_PUNCTUATION = re.compile(r"""\\.|\"{3}|'{3}|["'()\[\]{}#]""")
_ASSIGNED = re.compile(r"(\s*[\w.,][\w., ]*=\s*)([%!])(\s*[\w./~].*)")
"""A magic whose result is kept; of a shell line that is the lines it prints, none here."""

_TIMED = re.compile(r"(\s*)((?:[\w.,][\w., ]*=\s*)?)%time (.*)")
"""A statement that runs as it is, and tells how long it took."""

_COMPOUND = ("for ", "while ", "with ", "if ")
"""Statements that no other statement can precede on their line."""


def without_magics(code: str) -> str:
    """The code of a cell with magics and shell lines as comments; no line is added or lost."""
    lines = _dedented(without_prompts(code.replace("\r\n", "\n").rstrip()).split("\n"))
    first = next((line.split()[0] for line in lines if line.strip()), "")
    if (first.startswith("%%") and first not in RUNS_PYTHON) or _is_bare_magic(lines):
        return "\n".join(f"# {line}" for line in lines)
    starts, continued = _line_kinds(lines)
    last = max(starts)
    for at in starts:
        lines[at] = _plain_line(lines[at], is_last=at == last > 0)
    return "\n".join(f"# {line}" if at in continued else line for at, line in enumerate(lines))


def _dedented(lines: list[str]) -> list[str]:
    """The lines without the indentation of the first, as IPython takes them."""
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    return [line.removeprefix(indent) for line in lines]


def _is_bare_magic(lines: list[str]) -> bool:
    if len(lines) > 1 or not lines[0].startswith(_BARE):
        return False
    try:
        parse_script(lines[0])
    except ScriptError:
        return True
    return False


def _line_kinds(lines: list[str]) -> tuple[set[int], set[int]]:
    """The indices of lines that start a statement, and of those that continue a magic.

    Elsewhere `%` is an operator; and quotes in a magic are no quotes of Python.
    """
    starts, continued = set[int](), set[int]()
    depth, quote, is_continued, is_magic = 0, "", False, False
    for at, line in enumerate(lines):
        if is_magic:
            continued.add(at)
        elif not (depth or quote or is_continued):
            starts.add(at)
            is_magic = line.lstrip().startswith(_SIGNS)
        if is_magic:
            is_magic = line.endswith("\\")
            continue
        for match in _PUNCTUATION.finditer(line):
            mark = match.group()
            if quote:
                quote = "" if mark == quote else quote
            elif mark == "#":
                break
            elif mark[0] == "\\":
                continue
            elif mark[0] in "\"'":
                quote = mark
            else:
                depth = max(0, depth + (1 if mark in "([{" else -1))
        quote = quote if len(quote) == 3 else ""
        is_continued = line.endswith("\\")
    return starts, continued


def _plain_line(line: str, *, is_last: bool) -> str:
    """A line that starts a statement as Python, of the same length where something of it runs, so that columns stay."""
    bare = line.lstrip()
    if (timed := _TIMED.fullmatch(line)) is not None:
        indent, target, statement = timed.groups()
        if statement.startswith(_COMPOUND):
            return f"{indent}{statement}"
        return f"{indent}{target}{'      ' if target else 'None; '}{statement}"
    if (kept := _ASSIGNED.fullmatch(line)) is not None:
        return f"{kept[1]}{'[]' if kept[2] == '!' else 'None'}  # {kept[2]}{kept[3]}"
    if not bare.startswith(_SIGNS) and not (bare.endswith("?") and "#" not in bare and '"' not in bare):
        return line
    indent = line[: len(line) - len(bare)]
    # A block may consist of nothing else, and a value before the last line of a cell is not shown.
    return f"{indent}pass  # {bare}" if indent or is_last else f"# {bare}"
