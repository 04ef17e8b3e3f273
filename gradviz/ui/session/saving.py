"""The script that is edited, into its file. Asks nobody."""

from __future__ import annotations

from pathlib import Path

from gradviz.errors import FormatError
from gradviz.formats.safe_write import put
from gradviz.source.files import decode
from gradviz.ui.session.document import Content


def write_script(content: Content, path: Path) -> None:
    """Write the text to a file, whole or not at all.

    Raises:
        FormatError: it cannot be written; what was there before is unchanged.
    """
    try:
        written = content.text.encode()
    except UnicodeEncodeError as error:
        line = content.text.count("\n", 0, error.start) + 1
        raise FormatError(
            f"{path.name} cannot be written: line {line} has half of a character, which no file can hold.",
            hint="Delete it.",
        ) from None
    put(path, written)


def is_changed_elsewhere(content: Content) -> bool:
    """Whether another program has written the document's file since it was opened or saved here."""
    path = content.path
    if path is None:
        return False
    try:
        return decode(path.read_bytes(), path.name) != content.saved_text
    except FormatError:
        return True  # it is no text any more
    except OSError:
        return False  # it is gone, or cannot be read: writing it takes nothing away
