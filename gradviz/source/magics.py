"""The lines of a notebook that are no Python: magics, shell lines, questions, and what was pasted with its prompts."""

from __future__ import annotations

import re

from gradviz.errors import ScriptError
from gradviz.imitation.script.text.parsing import parse

RUNS_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cell magics whose cell is Python all the same."""


def without_magics(code: str) -> str:
    """The code with magics and shell lines as comments; no line is added or lost."""
    lines = _without_prompts(code.replace("\r\n", "\n").rstrip().split("\n"))
    first = next((line.split()[0] for line in lines if line.strip()), "")
    if (first.startswith("%%") and first not in RUNS_PYTHON) or _is_automatic(lines):
        return "\n".join(f"# {line}" for line in lines)
    begins, goes_on = _beginnings(lines)
    last = max(begins)
    plain = {at: _plain_line(lines[at], is_last=at == last > 0) for at in begins}
    return "\n".join(f"# {line}" if at in goes_on else plain.get(at, line) for at, line in enumerate(lines))


PROMPT = re.compile(r"(?:>>>|\.\.\.)(?: |$)")


def _without_prompts(lines: list[str]) -> list[str]:
    """What was copied together with Python's prompts, without them; an indentation of the whole goes too."""
    first = next((line for line in lines if line.strip()), "")
    if PROMPT.match(first):
        return [PROMPT.sub("", line, count=1) for line in lines]
    indent = first[: len(first) - len(first.lstrip())]
    return [line.removeprefix(indent) for line in lines]


AUTOMATIC = ("cd", "conda", "cp", "ls", "mkdir", "mv", "pip", "rm")
"""Magics that a cell of one line names without `%`."""


def _is_automatic(lines: list[str]) -> bool:
    """Whether it is such a line, and no Python."""
    if len(lines) > 1 or not lines[0].startswith(tuple(f"{name} " for name in AUTOMATIC)):
        return False
    try:
        parse(lines[0])
    except ScriptError:
        return True
    return False


def _beginnings(lines: list[str]) -> tuple[set[int], set[int]]:
    """The lines that go on with nothing, and those that go on with a magic.

    `%` at the beginning of another line is an operator, and the quotes of a magic are no quotes of Python.
    """
    found, of_magics = set[int](), set[int]()
    depth, quote, goes_on, is_magic = 0, "", False, False
    for at, line in enumerate(lines):
        if is_magic:
            of_magics.add(at)
        elif not (depth or quote or goes_on):
            found.add(at)
            is_magic = line.lstrip().startswith(MAGIC)
        if is_magic:
            is_magic = line.endswith("\\")
            continue
        for match in PUNCTUATION.finditer(line):
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
        goes_on = line.endswith("\\")
    return found, of_magics


MAGIC = ("%", "!", "?")
PUNCTUATION = re.compile(r"""\\.|\"{3}|'{3}|["'()\[\]{}#]""")
ASSIGNED = re.compile(r"(\s*[\w.,][\w., ]*=\s*)([%!])(\s*[\w./~].*)")
"""A magic whose result is kept: of a shell line the lines that it prints, which are none here."""

TIMED = re.compile(r"(\s*)((?:[\w.,][\w., ]*=\s*)?)%time (.*)")
"""A statement that is run as it is and its time told."""

COMPOUND = ("for ", "while ", "with ", "if ")
"""What no other statement stands before on its line."""


def _plain_line(line: str, *, is_last: bool) -> str:
    bare = line.lstrip()
    if (timed := TIMED.fullmatch(line)) is not None:
        if timed[3].startswith(COMPOUND):
            return f"{timed[1]}{timed[3]}"
        # as long as what it stands for, so that columns stay
        return f"{timed[1]}{timed[2]}{'      ' if timed[2] else 'None; '}{timed[3]}"
    if (kept := ASSIGNED.fullmatch(line)) is not None:
        return f"{kept[1]}{'[]' if kept[2] == '!' else 'None'}  # {kept[2]}{kept[3]}"
    if not bare.startswith(MAGIC) and not (bare.endswith("?") and "#" not in bare and '"' not in bare):
        return line
    indent = line[: len(line) - len(bare)]
    # A block may consist of nothing else; and a value before the last line of a cell is not shown.
    return f"{indent}pass  # {bare}" if indent or is_last else f"# {bare}"
