"""Recording to file and back, one module per format.

A new format is one module with `write` and, where it can be read again, `read`, and one entry in `FORMATS`; that it is
offered for export is its row in `export.recordings`.
"""

from __future__ import annotations

from collections.abc import Callable
from mmap import mmap
from pathlib import Path
from typing import NamedTuple

from gradviz.errors import FormatError
from gradviz.formats import gradviz_file, json_file
from gradviz.formats.safe_write import put
from gradviz.formats.snapshot import own_bytes
from gradviz.formats.watched import Nobody, Part, Watch
from gradviz.recording import Recording


class Format(NamedTuple):
    """One kind of file.

    Attributes:
        words: what a person calls it.
        write: a recording to the bytes of a file.
        read: the bytes of a file to a recording, for whoever waits for it; None where it cannot be loaded again.
        left_out: sentences on the numbers of a recording that such a file does not keep; "" where it keeps all.
        is_viewed: whether the arrays of what was read are views of those bytes, so that a large file is not read whole.
    """

    words: str
    write: Callable[[Recording], bytes]
    read: Callable[[bytes | mmap, Watch], Recording] | None = None
    is_viewed: bool = False
    left_out: Callable[[Recording], str] = lambda _recording: ""


FORMATS: dict[str, Format] = {
    ".json": Format(
        "gradviz recording as text",
        json_file.write,
        json_file.read,
        left_out=lambda recording: json_file.left_out(recording).sentences(),
    ),
    ".gradviz": Format("gradviz recording", gradviz_file.write, gradviz_file.read, is_viewed=True),
}
"""The formats by the suffix of the file, in lower case."""

_NOBODY = Nobody()
_READ, _COPIED = 0.1, 0.5
"""Shares of the work that are done once the bytes are there: all of them in memory, or perhaps in a copy."""


def load(path: Path, watch: Watch = _NOBODY) -> Recording:
    """The recording in a file. What becomes of the file later changes nothing in it.

    Args:
        watch: who waits for it.

    Raises:
        FormatError: the file is missing or is not what its suffix says; the message says what and where.
        UnsupportedVersionError: a newer gradviz wrote it.
        Cancelled: nobody wants it any more.
    """
    path = Path(path)
    known = FORMATS.get(path.suffix.lower())
    if known is None or known.read is None:
        readable = ", ".join(suffix for suffix, format in FORMATS.items() if format.read is not None)
        raise FormatError(f"'{path.suffix}' is not a format that gradviz reads; it reads {readable}.")
    share = _COPIED if known.is_viewed else _READ
    try:
        content = own_bytes(path, Part(watch, 0.0, share), whole=not known.is_viewed)
    except OSError as error:
        raise FormatError(f"{path.name} cannot be read: {error.strerror or error}.") from None
    except MemoryError:
        raise FormatError(f"{path.name} cannot be read: there is not enough memory for it.") from None
    return known.read(content, Part(watch, share, 1.0))


def save(recording: Recording, path: Path) -> None:
    """Write a recording in the format that the suffix says. A file that is there is replaced whole or not at all.

    Raises:
        FormatError: the suffix is no format of `FORMATS`, or the file cannot be written.
    """
    path = Path(path)
    known = FORMATS.get(path.suffix.lower())
    if known is None:
        raise FormatError(f"'{path.suffix}' is not a format to save in; choose one of {', '.join(FORMATS)}.")
    put(path, known.write(recording))


def left_out(recording: Recording, suffix: str) -> str:
    """Sentences on the numbers that a file of that suffix does not keep; "" where it keeps all, or is no recording."""
    known = FORMATS.get(suffix.lower())
    return "" if known is None else known.left_out(recording)
