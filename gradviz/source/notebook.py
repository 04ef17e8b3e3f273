"""The code cells of a notebook as one text, and each cell found again in it."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from gradviz.errors import FormatError
from gradviz.source.magics import without_magics

_MARK = re.compile(r"^# %% cell (\d+)$", re.MULTILINE)
"""The line that stands before each cell."""


class Cell(NamedTuple):
    """One cell of a notebook's text.

    Attributes:
        number: from 1, in the order of the notebook.
        line: the line of the text in which its code begins, from 1.
        text: its code.
        magic: the words of the `%%` line that it begins with, e.g. ("%%capture", "out"); empty where it has none.
    """

    number: int
    line: int
    text: str
    magic: tuple[str, ...]

    @property
    def is_captured(self) -> bool:
        """Whether what it prints is not to be shown."""
        return self.magic[:1] == ("%%capture",)

    @property
    def is_timed(self) -> bool:
        """Whether it only tells how long it takes, so that its last value is not shown."""
        return self.magic[:1] == ("%%timeit",)


def notebook_text(data: str, name: str) -> str:
    """The code cells of a notebook in order; magics and shell lines become comments, so that lines keep their numbers.

    Args:
        data: the JSON of the file.
        name: of the file, for messages.

    Raises:
        FormatError: it is no notebook.
    """
    try:
        notebook: Any = json.loads(data)
    except (ValueError, RecursionError):
        raise FormatError(f"'{name}' is not a notebook: it is no JSON", hint="Open a .ipynb file.") from None
    cells = _listed_cells(notebook)
    if cells is None:
        raise FormatError(f"'{name}' is not a notebook: it has no cells", hint="Open a .ipynb file.")
    parts: list[str] = []
    for cell in cells:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            code = "".join(map(str, source)) if isinstance(source, list) else str(source)
            parts.append(f"# %% cell {len(parts) + 1}\n{without_magics(code)}")
    if not parts:
        raise FormatError(f"'{name}' has no code cells", hint="Open a notebook with code.")
    return "\n\n".join(parts) + "\n"


def _listed_cells(notebook: Any) -> list[Any] | None:
    """The cells, which notebooks from before 2015 keep on worksheets."""
    if not isinstance(notebook, dict):
        return None
    sheets = notebook.get("worksheets")
    if isinstance(sheets, list):
        listed = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        return [cell for cells in listed if isinstance(cells, list) for cell in cells]
    cells = notebook.get("cells")
    return cells if isinstance(cells, list) else None


def split_cells(text: str) -> list[Cell]:
    """The cells of a notebook's text, empty ones included; none where the text is a script."""
    marks = list(_MARK.finditer(text))
    ends = [*(mark.start() for mark in marks), len(text)][1:]
    cells = []
    for mark, end in zip(marks, ends, strict=True):
        code = text[mark.end() + 1 : end].rstrip("\n")
        first = next((line for line in code.split("\n") if line.strip()), "")
        magic = tuple(first.split()[1:]) if first.startswith("# %%") else ()
        cells.append(Cell(int(mark[1]), text.count("\n", 0, mark.end()) + 2, code, magic))
    return cells


def cell_place(text: str, line: int) -> tuple[int, int] | None:
    """The number of the cell that a line of a notebook's text stands in, and the line in it, both from 1."""
    before = [cell for cell in split_cells(text) if cell.line <= line]
    return (before[-1].number, line - before[-1].line + 1) if before else None
