"""Files into text that can be run: scripts as they are, notebooks cell by cell."""

from __future__ import annotations

import codecs
import json
from pathlib import Path
from typing import Any

from gradviz.errors import FormatError
from gradviz.recording import Source
from gradviz.imitation.script.limits.depth import on_deep_stack
from gradviz.imitation.script.run import MAX_CHARACTERS
from gradviz.imitation.script.text.magics import without_magics

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
    """The text of a file: UTF-8, or the UTF-16 that some editors and shells of Windows write, which says so itself.

    Raises:
        FormatError: binary data.
    """
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        text = data.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        encoding = "UTF-16" if is_wide else "UTF-8"
        raise FormatError(
            f"'{name}' is not a text file (byte {error.start} is not {encoding})",
            hint="Open a .py, .ipynb or .json file.",
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
    found = _listed(notebook)
    if found is None:
        raise FormatError(f"'{name}' is not a notebook: it has no cells", hint="Open a .ipynb file.")
    parts: list[str] = []
    for cell in found:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            code = "".join(map(str, source)) if isinstance(source, list) else str(source)
            parts.append(f"# %% cell {len(parts) + 1}\n{without_magics(code)}")
    if not parts:
        raise FormatError(f"'{name}' has no code cells", hint="Open a notebook with code.")
    return "\n\n".join(parts) + "\n"


def _listed(notebook: Any) -> list[Any] | None:
    """The cells, which notebooks of before 2015 keep on worksheets."""
    if not isinstance(notebook, dict):
        return None
    sheets = notebook.get("worksheets")
    if isinstance(sheets, list):
        kept = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
        return [cell for cells in kept if isinstance(cells, list) for cell in cells]
    found = notebook.get("cells")
    return found if isinstance(found, list) else None
