"""Files as text that can be run: scripts as they are, notebooks cell by cell."""

from __future__ import annotations

import codecs
from pathlib import Path

from gradviz.errors import FormatError
from gradviz.recording import Source
from gradviz.source.notebook import notebook_text
from gradviz.source.syntax import MAX_CHARACTERS

RECORDING = "recording"
NOTEBOOK = "notebook"
SCRIPT = "script"
RECORDINGS = (".gradviz", ".json")
"""Suffixes of saved recordings."""
READ = "a .py, .ipynb, .gradviz or .json file"


def read_source(path: Path) -> Source:
    """The text of a file, with its kind: "script", "notebook" or "recording" (a saved one, not read here).

    Raises:
        FormatError: missing, empty, too large, binary, or a broken notebook.
    """
    name, suffix = path.name, path.suffix.lower()
    try:
        size = path.stat().st_size
        if path.is_dir():
            raise FormatError(f"'{name}' is a folder", hint=f"Open {READ}.")
        if suffix in RECORDINGS:
            return Source(RECORDING, name, "")
        if suffix != ".ipynb" and size > 4 * MAX_CHARACTERS:
            raise FormatError(
                f"'{name}' has {size / 1e6:.0f} MB; gradviz reads scripts up to {MAX_CHARACTERS / 1e6:.0f} MB",
                hint="Paste only the part to look at.",
            )
        data = path.read_bytes()
    except OSError as error:
        raise FormatError(f"'{name}' cannot be read: {error.strerror or error}", hint="Check the path.") from None
    text = decode(data, name)
    if suffix == ".ipynb":
        return Source(NOTEBOOK, name, notebook_text(text, name))
    if not text.strip():
        raise FormatError(f"'{name}' is empty", hint="Write or paste a PyTorch snippet.")
    return Source(SCRIPT, name, text)


def decode(data: bytes, name: str) -> str:
    """The text of a file: UTF-8, or the UTF-16 with a byte order mark that some editors and shells of Windows write.

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
            hint=f"Open {READ}.",
        ) from None
    if "\0" in text:
        raise FormatError(f"'{name}' is not a text file", hint=f"Open {READ}.")
    return text.replace("\r\n", "\n").replace("\r", "\n")
