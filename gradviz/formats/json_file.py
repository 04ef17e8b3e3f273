"""The JSON format, version 1: what `gradviz export x.json` writes and `gradviz x.json` opens.

The format is described by resources/schema/gradviz-1.schema.json. It holds all of a recording but the problem
that ended its run. Keys may be added in version 1; none is renamed or dropped, and readers pass over keys that
they do not know.
"""

from __future__ import annotations

from gradviz.errors import FormatError
from gradviz.formats.json_parse import decode, parse
from gradviz.formats.json_read import read_top
from gradviz.formats.json_write import VERSION, dumps
from gradviz.recording import Recording

__all__ = ["VERSION", "dumps", "loads", "read", "write"]


def loads(text: str) -> Recording:
    """The recording in a JSON text.

    Raises:
        FormatError: not JSON, another format, a member that is missing or wrong; with its place.
        UnsupportedVersionError: another version of the format.
    """
    try:
        return read_top(parse(text))
    except RecursionError:
        raise FormatError("The file is nested too deeply to be a gradviz recording.") from None


def write(recording: Recording) -> bytes:
    """The bytes of a file.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    # A lone surrogate has no UTF-8; written with a backslash it is what JSON calls it.
    return dumps(recording).encode("utf-8", "backslashreplace")


def read(content: bytes) -> Recording:
    """The recording in the bytes of a file.

    Raises:
        FormatError: as `loads`, and for a file that is empty or is no text.
        UnsupportedVersionError: another version of the format.
    """
    return loads(decode(content))
