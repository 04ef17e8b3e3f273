"""What travels between host and child: frames over two pipes, never pickle.

A frame is 13 bytes (kind, length of the header, length of the body, in network order), then a header in JSON and a
body of raw bytes. Whoever reads checks both lengths against stated bounds before anything is taken in, since a script
that broke out of its gate may write what it likes.

This module needs nothing but the standard library, so that a child without numpy can speak it too.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable
from dataclasses import asdict, replace
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from gradviz.errors import Cancelled, GradvizError, LimitError, ScriptError, TorchError
from gradviz.run.job import Job, Keep, Limits

_HEAD = struct.Struct("!BIQ")

MAX_HEADER = 512 * 2**20
"""Bytes of JSON in one frame: a recording of a million nodes has about 200 MB."""

MAX_SMALL = 16 * 2**20
"""The same in a frame that is neither a document nor an answer."""

MAX_BODY = 8 * 2**30
"""Bytes of arrays in one frame, where the reader states no smaller bound."""


class Message(IntEnum):
    """What a frame is. The child sends the first ten, the host the others."""

    READY = 1
    """The child waits for a job; no header."""
    STARTED = 2
    """The walls stand and the clock runs: {"walls": [...]}."""
    OUTPUT = 3
    """{"text": what was printed}."""
    ASIDE = 4
    """{"text": what was said beside the output}."""
    PROGRESS = 5
    """{"share": 0..1}."""
    ENDED = 6
    """The script has ended, and what it left is being packed; no header."""
    RECORDING = 7
    """A recording as `gradviz.run.packing` packs it."""
    SWEEP = 8
    """One sweep, likewise: the answer to SEED."""
    DONE = 9
    """{"seconds", "exit_code", "problem", "warnings"}: the run is over."""
    FAILED = 10
    """An error as `error_to_json` writes it: the answer to anything that did not work."""
    ANSWER = 11
    """{"value": plain JSON}: the answer to ASK."""

    JOB = 20
    """A job as `job_to_json` writes it."""
    STOP = 21
    """End the script now: an error as `error_to_json` writes it."""
    SEED = 22
    """{"output": node id} and one packed array."""
    ASK = 23
    """{"what": name, "value": plain JSON}."""


_SMALL = {
    Message.READY,
    Message.STARTED,
    Message.OUTPUT,
    Message.ASIDE,
    Message.PROGRESS,
    Message.ENDED,
    Message.FAILED,
}


class Frame(NamedTuple):
    """One frame as it was read."""

    kind: Message
    header: dict[str, Any]
    body: bytes


class BrokenProtocol(Exception):
    """What came through a pipe is no frame: the other side has lost its mind, or is not ours."""


class Readable(Protocol):
    """What frames are read from: a buffered binary stream, whose `read` waits for all it was asked for."""

    def read(self, size: int, /) -> bytes | None:
        """So many bytes; fewer only at the end."""


def head_of(kind: Message, header: Any, body_bytes: int = 0) -> bytes:
    """The beginning of a frame, header included; `body_bytes` bytes must follow."""
    text = b"" if header is None else json.dumps(header, separators=(",", ":")).encode()
    return _HEAD.pack(kind, len(text), body_bytes) + text


def frame_of(kind: Message, header: Any = None, body: Iterable[bytes | memoryview] = ()) -> bytes:
    """A whole small frame."""
    content = b"".join(body)
    return head_of(kind, header, len(content)) + content


def read_frame(stream: Readable, max_header: int = MAX_HEADER, max_body: int = MAX_BODY) -> Frame | None:
    """The next frame, or None at the end of the stream.

    Raises:
        BrokenProtocol: an unknown kind, a length beyond its bound, a header that is no JSON object, or a stream that
            ends within a frame.
    """
    head = stream.read(_HEAD.size)
    if not head:
        return None
    if len(head) < _HEAD.size:
        raise BrokenProtocol("a frame ends early")
    number, header_bytes, body_bytes = _HEAD.unpack(head)
    if number in _SMALL:
        max_header, max_body = MAX_SMALL, 0
    if header_bytes > max_header or body_bytes > max_body:
        raise BrokenProtocol(f"a frame of {header_bytes} and {body_bytes} bytes")
    text = _read(stream, header_bytes)
    body = _read(stream, body_bytes)
    try:
        header = json.loads(text) if text else {}
        kind = Message(number)
    except (ValueError, RecursionError, MemoryError) as error:
        raise BrokenProtocol(f"a frame that cannot be read: {type(error).__name__}") from None
    if type(header) is not dict:
        raise BrokenProtocol("a header that is no object")
    return Frame(kind, header, body)


def _read(stream: Readable, size: int) -> bytes:
    try:
        content = stream.read(size) if size else b""
    except MemoryError:
        raise BrokenProtocol(f"there is no memory for {size} bytes") from None
    if content is None or len(content) < size:
        raise BrokenProtocol("a frame ends early")
    return content


def job_to_json(job: Job) -> dict[str, Any]:
    """A job as the header of a frame."""
    header = asdict(job)
    header["keep"]["pinned"] = sorted(job.keep.pinned)
    return header


def job_from_json(header: dict[str, Any]) -> Job:
    """The job that `job_to_json` wrote; the host is trusted."""
    keep = Keep(**header["keep"])
    return Job(
        **{
            **header,
            "limits": Limits(**header["limits"]),
            "keep": replace(keep, pinned=frozenset(keep.pinned)),
        }
    )


_ERRORS: dict[str, type[GradvizError]] = {
    each.__name__: each for each in (GradvizError, TorchError, ScriptError, LimitError, Cancelled)
}


def error_to_json(error: GradvizError) -> dict[str, Any]:
    """An error as the header of a frame; a class that only one side knows becomes the nearest one that both do."""
    name = next((each.__name__ for each in type(error).__mro__ if each.__name__ in _ERRORS), "GradvizError")
    return {
        "class": name,
        "kind": error.kind if isinstance(error, TorchError) else None,
        "message": error.message,
        "hint": error.hint,
        "line": error.line,
        "column": error.column,
    }


def error_from_json(header: dict[str, Any]) -> GradvizError:
    """The error that `error_to_json` wrote.

    Raises:
        BrokenProtocol: it is none.
    """
    message, hint = header.get("message"), header.get("hint")
    line, column = header.get("line"), header.get("column")
    places = (type(line) in (int, type(None)), type(column) in (int, type(None)))
    if type(message) is not str or type(hint) is not str or not all(places):
        raise BrokenProtocol("an error that is none")
    made = _ERRORS.get(str(header.get("class")), GradvizError)
    error = (
        TorchError(message, kind=str(header.get("kind")), hint=hint)
        if issubclass(made, TorchError)
        else made(message, hint=hint)
    )
    error.line, error.column = line, column
    return error
