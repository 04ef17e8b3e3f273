"""The JSON format, version 1: what `gradviz export x.json` writes and `gradviz x.json` opens.

The format is described by resources/schema/gradviz-1.schema.json. It holds all of a recording but the problem
that ended its run. Keys may be added in version 1; none is renamed or dropped, and readers pass over keys that
they do not know.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from gradviz.errors import FormatError
from gradviz.formats import json_write
from gradviz.formats.json_parse import decode, parse, parse_fast, refuse_foreign
from gradviz.formats.json_read import read_top
from gradviz.formats.json_write import VERSION
from gradviz.recording import Recording

__all__ = ["VERSION", "dumps", "loads", "read", "write"]


@contextmanager
def _no_collection() -> Iterator[None]:
    """Hundreds of thousands of lists are made, and the garbage collector would look through them again and again."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def loads(text: str) -> Recording:
    """The recording in a JSON text.

    Raises:
        FormatError: not JSON, another format, a member that is missing or wrong; with its place.
        UnsupportedVersionError: another version of the format.
    """
    refuse_foreign(text)
    with _no_collection():
        with suppress(FormatError, ValueError, RecursionError):
            return read_top(parse_fast(text), is_exact=False)
        try:
            return read_top(parse(text))
        except RecursionError:
            raise FormatError("The file is nested too deeply to be a gradviz recording.") from None


def dumps(recording: Recording) -> str:
    """The text of a file.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    return write(recording).decode()


def write(recording: Recording) -> bytes:
    """The bytes of a file.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    with _no_collection():
        return json_write.write(recording)


def read(content: bytes) -> Recording:
    """The recording in the bytes of a file.

    Raises:
        FormatError: as `loads`, and for a file that is empty or is no text.
        UnsupportedVersionError: another version of the format.
    """
    return loads(decode(content))
