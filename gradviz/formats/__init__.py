"""Recording to file and back, one module per format.

A new format is one module with `write` and, where it can be read again, `read`, and one entry in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import NamedTuple

from gradviz.errors import FormatError
from gradviz.formats import gradviz_file, json_file
from gradviz.formats.safe_write import put
from gradviz.recording import Recording


class Format(NamedTuple):
    """One kind of file.

    Attributes:
        words: what a person calls it.
        write: a recording to the bytes of a file.
        read: the bytes of a file to a recording; None where the format cannot be loaded again.
        read_mapped: the same of a file that is mapped into memory, so that of its arrays only what is looked at is
            read; None where all of a file is read anyway.
    """

    words: str
    write: Callable[[Recording], bytes]
    read: Callable[[bytes], Recording] | None = None
    read_mapped: Callable[[mmap], Recording] | None = None


FORMATS: dict[str, Format] = {
    ".json": Format("gradviz recording as text", json_file.write, json_file.read),
    ".gradviz": Format("gradviz recording", gradviz_file.write, gradviz_file.read, gradviz_file.read),
}
"""The formats by the suffix of the file, in lower case."""

MAPPED_FROM = 256 * 2**20
"""Bytes from which on a file is mapped. A smaller one is read whole: a mapped file that somebody cuts off while it is
looked at ends the program that looks."""


def load(path: Path) -> Recording:
    """The recording in a file.

    Raises:
        FormatError: the file is missing or is not what its suffix says; the message says what and where.
        UnsupportedVersionError: a newer gradviz wrote it.
    """
    path = Path(path)
    known = FORMATS.get(path.suffix.lower())
    if known is None or known.read is None:
        readable = ", ".join(suffix for suffix, format in FORMATS.items() if format.read is not None)
        raise FormatError(f"'{path.suffix}' is not a format that gradviz reads; it reads {readable}.")
    try:
        if known.read_mapped is not None and path.stat().st_size >= MAPPED_FROM:
            with path.open("rb") as file:
                return known.read_mapped(mmap(file.fileno(), 0, access=ACCESS_READ))
        content = path.read_bytes()
    except (OSError, ValueError) as error:  # a ValueError of a file that is empty by now
        reason = getattr(error, "strerror", None) or error
        raise FormatError(f"{path.name} cannot be read: {reason}.") from None
    except MemoryError:
        raise FormatError(f"{path.name} cannot be read: there is not enough memory for it.") from None
    return known.read(content)


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
