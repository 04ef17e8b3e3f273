"""Files into text that can be run: scripts as they are, notebooks cell by cell."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from gradviz.errors import FormatError
from gradviz.recording import Source
from gradviz.script.limits.depth import on_deep_stack
from gradviz.script.run import MAX_CHARACTERS

JSON = "json"
NOTEBOOK = "notebook"
SCRIPT = "script"


def read(path: Path) -> Source:
    """The text of a file, with its kind: "script", "notebook" or "json" (a saved recording, not read here).

    Raises:
        FormatError: missing, empty, too large, binary, or a broken notebook.
    """
    name = path.name
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise FormatError(f"'{name}' is a folder", hint="Open a .py, .ipynb or .json file.")
        if path.suffix.lower() == ".json":
            return Source(JSON, name, "")
        if path.suffix.lower() != ".ipynb" and size > 4 * MAX_CHARACTERS:
            raise FormatError(
                f"'{name}' has {size / 1e6:.0f} MB; gradviz reads scripts up to {MAX_CHARACTERS / 1e6:.0f} MB",
                hint="Paste only the part to look at.",
            )
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"'{name}' cannot be read: {error.strerror or error}", hint="Check the path.") from None
    text = decode(data, name)
    if path.suffix.lower() == ".ipynb":
        return Source(NOTEBOOK, name, cells(text, name))
    if not text.strip():
        raise FormatError(f"'{name}' is empty", hint="Write or paste a PyTorch snippet.")
    return Source(SCRIPT, name, text)


def decode(data: bytes, name: str) -> str:
    """UTF-8 text.

    Raises:
        FormatError: binary data.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"'{name}' is not a text file (byte {error.start} is not UTF-8)", hint="Open a .py, .ipynb or .json file."
        ) from None
    if "\0" in text:
        raise FormatError(f"'{name}' is not a text file", hint="Open a .py, .ipynb or .json file.")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def cells(text: str, name: str) -> str:
    """The code cells of a notebook in order; magics and shell lines become comments, so that lines stay countable.

    Raises:
        FormatError: no notebook.
    """
    try:
        # on a deep stack: while a script runs, Python lets C code nest deeper than a usual stack holds
        notebook: Any = on_deep_stack(lambda: json.loads(text))
    except (ValueError, RecursionError):
        raise FormatError(f"'{name}' is not a notebook: it is no JSON", hint="Open a .ipynb file.") from None
    found = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(found, list):
        raise FormatError(f"'{name}' is not a notebook: it has no cells", hint="Open a .ipynb file.")
    parts: list[str] = []
    for cell in found:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", "")
            code = "".join(map(str, source)) if isinstance(source, list) else str(source)
            parts.append(f"# %% cell {len(parts) + 1}\n{without_magics(code)}")
    if not parts:
        raise FormatError(f"'{name}' has no code cells", hint="Open a notebook with code.")
    return "\n\n".join(parts) + "\n"


RUNS_PYTHON = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cell magics whose cell is Python all the same."""


def without_magics(code: str) -> str:
    """The code with magics and shell lines as comments; no line is added or lost."""
    lines = code.replace("\r\n", "\n").rstrip().split("\n")
    first = lines[0].split()
    if first and first[0].startswith("%%") and first[0] not in RUNS_PYTHON:
        return "\n".join(f"# {line}" for line in lines)
    begins = _beginnings(lines)
    return "\n".join(_plain_line(line) if at in begins else line for at, line in enumerate(lines))


def _beginnings(lines: list[str]) -> set[int]:
    """The lines that go on with nothing: `%` at the beginning of another one is an operator."""
    found, depth, quote, goes_on = set(), 0, "", False
    for at, line in enumerate(lines):
        if not (depth or quote or goes_on):
            found.add(at)
            if line.lstrip().startswith(MAGIC):
                continue  # its quotes are no quotes of Python
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
    return found


MAGIC = ("%", "!", "?")
PUNCTUATION = re.compile(r"""\\.|\"{3}|'{3}|["'()\[\]{}#]""")
ASSIGNED = re.compile(r"(\s*[\w., ]+=\s*)([%!]\s*[\w./~].*)")
"""A magic whose result is kept."""


def _plain_line(line: str) -> str:
    bare = line.lstrip()
    if (kept := ASSIGNED.fullmatch(line)) is not None:
        return f"{kept[1]}None  # {kept[2]}"
    if not bare.startswith(MAGIC) and not (bare.endswith("?") and "#" not in bare and '"' not in bare):
        return line
    indent = line[: len(line) - len(bare)]
    # A block may consist of nothing else.
    return f"{indent}pass  # {bare}" if indent else f"# {bare}"
