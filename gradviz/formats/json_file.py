"""The JSON format, version 1: what `gradviz export x.json` writes and `gradviz x.json` opens.

The format is described by resources/schema/gradviz-1.schema.json. It holds all of a recording. Keys may be added in
version 1; none is renamed or dropped, and readers pass over keys that they do not know. Of a recording whose arrays
would have more than `summaries.MOST_TEXT` bytes, the largest are written as summaries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from mmap import mmap
from typing import Any

from gradviz.collection import no_collection
from gradviz.errors import FormatError
from gradviz.formats import json_write
from gradviz.formats.json_parse import decode, long_lists, parse, parse_fast, refuse_foreign
from gradviz.formats.json_read import read_top
from gradviz.formats.json_write import VERSION
from gradviz.formats.summaries import left_out, shortened
from gradviz.formats.watched import Nobody, Part, Watch, go_on
from gradviz.recording import Recording

__all__ = ["VERSION", "dumps", "left_out", "loads", "read", "write"]


_NOBODY = Nobody()
_FREED = 1_000
"""Objects of the document that are freed at once."""
_PARSED = 0.3
"""Share of the work that is done once the text is parsed."""


def loads(
    text: str, fill: Callable[[Mapping[str, Any]], None] = lambda _top: None, watch: Watch = _NOBODY
) -> Recording:
    """The recording in a JSON text.

    Args:
        text: of the file.
        fill: puts arrays into the document where they stand beside it.
        watch: who waits for it.

    Raises:
        FormatError: not JSON, another format, a member that is missing or wrong; with its place.
        UnsupportedVersionError: another version of the format.
        Cancelled: nobody wants it any more.
    """
    refuse_foreign(text)
    with no_collection():
        with suppress(FormatError, ValueError, RecursionError):
            return _recording(parse_fast(text, Part(watch, 0.0, _PARSED)), fill, watch, is_exact=False)
        try:
            return _recording(parse(text), fill, watch, is_exact=True)
        except RecursionError:
            raise FormatError("The file is nested too deeply to be a gradviz recording.") from None


def _recording(
    top: Mapping[str, Any], fill: Callable[[Mapping[str, Any]], None], watch: Watch, *, is_exact: bool
) -> Recording:
    go_on(watch, _PARSED)
    fill(top)
    recording = read_top(top, Part(watch, _PARSED, 1.0), is_exact=is_exact)
    for values in long_lists(top):
        while values:  # while all of it is freed at once, no other thread runs
            del values[-_FREED:]
    return recording


def dumps(recording: Recording) -> str:
    """The text of a file.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    return write(recording).decode()


def write(recording: Recording, most: int | None = None) -> bytes:
    """The bytes of a file.

    Args:
        most: bytes of text that the arrays may have, beyond which the largest become summaries; None for what is usual.

    Raises:
        FormatError: a dtype that the format does not have.
    """
    with no_collection():
        return json_write.write(shortened(recording, most))


def read(content: bytes | mmap, watch: Watch = _NOBODY) -> Recording:
    """The recording in the bytes of a file, for whoever waits for it.

    Raises:
        FormatError: as `loads`, and for a file that is empty or is no text.
        UnsupportedVersionError: another version of the format.
        Cancelled: nobody wants it any more.
    """
    return loads(decode(bytes(content)), watch=watch)
