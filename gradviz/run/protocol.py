"""What travels between host and child: frames over two pipes, never pickle.

A frame is 13 bytes (kind, length of the header, length of the body, in network order), then a header in JSON and a
body of raw bytes. A script that reached the pipe may write what it likes, so the host looks at each frame before it
takes it in: whether one of that kind is awaited at this point (`Hearing`), whether it is no larger than one can be, and
whether every field is what it must be (`FIELDS`).

This module needs nothing but the standard library, so that a child without numpy can speak it too.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable
from dataclasses import asdict, replace
from enum import IntEnum
from typing import Any, NamedTuple, Protocol

from gradviz.collection import no_collection
from gradviz.errors import Cancelled, GradvizError, LimitError, ScriptError, TorchError
from gradviz.run.job import Job, Keep, Limits

_HEAD = struct.Struct("!BIQ")

MAX_HEADER = 256 * 2**20
"""Bytes of JSON in one frame, at most: a recording of a million nodes has about 200 MB."""

MAX_BODY = 8 * 2**30
"""Bytes of arrays in one frame, where the reader states no smaller bound."""

_OPENING = 12
"""Bytes of JSON for each list or object in it, at least: ours have fewer, and to make many takes long."""
_FEW = 2**16
"""Lists and objects that a header may have in any case."""


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


class Frame(NamedTuple):
    """One frame as it was read."""

    kind: Message
    header: dict[str, Any]
    body: bytes


class BrokenProtocol(Exception):
    """What came through a pipe is no frame: the other side has lost its mind, or is not ours."""


class BrokenOff(BrokenProtocol):
    """The stream ends within a frame, as where a process was killed."""


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


class Bound(NamedTuple):
    """How large a frame may be: bytes of its header, and of its body."""

    header: int = MAX_HEADER
    body: int = MAX_BODY


_TRUSTED = Bound()


def read_frame(stream: Readable, bound_of: Callable[[Message], Bound] = lambda _: _TRUSTED) -> Frame | None:
    """The next frame, or None at the end of the stream.

    Args:
        stream: what it comes through.
        bound_of: how large a frame of a kind may be at this point; raises BrokenProtocol where none is awaited.

    Raises:
        BrokenProtocol: an unknown kind, a length beyond its bound, a header that is no JSON object or has a field that
            is not as `FIELDS` says, or a stream that ends within a frame.
    """
    head = stream.read(_HEAD.size)
    if not head:
        return None
    if len(head) < _HEAD.size:
        raise BrokenOff("a frame ends early")
    number, header_bytes, body_bytes = _HEAD.unpack(head)
    try:
        kind = Message(number)
    except ValueError:
        raise BrokenProtocol(f"a frame of kind {number}") from None
    bound = bound_of(kind)
    if header_bytes > bound.header or body_bytes > bound.body:
        raise BrokenProtocol(f"a frame of {header_bytes} and {body_bytes} bytes")
    text = _read(stream, header_bytes)
    body = _read(stream, body_bytes)
    if text.count(b"[") + text.count(b"{") > len(text) // _OPENING + _FEW:
        raise BrokenProtocol("a header of nothing but lists")
    try:
        with no_collection():
            header = json.loads(text) if text else {}
    except (ValueError, RecursionError, MemoryError) as error:
        raise BrokenProtocol(f"a frame that cannot be read: {type(error).__name__}") from None
    if type(header) is not dict:
        raise BrokenProtocol("a header that is no object")
    check_fields(kind, header)
    return Frame(kind, header, body)


def _read(stream: Readable, size: int) -> bytes:
    try:
        content = stream.read(size) if size else b""
    except MemoryError:
        raise BrokenProtocol(f"there is no memory for {size} bytes") from None
    if content is None or len(content) < size:
        raise BrokenOff("a frame ends early")
    return content


class Hearing:
    """What a host may be sent by a child next, and how large it may be.

    A run goes one way: READY, STARTED, ENDED, DONE come once each and in this order, a recording once between the last
    two, and an answer to a question that was asked. What the child prints may come at any time but before the first.
    """

    def __init__(self) -> None:
        self._came: Message | None = None
        self._has_recording = False
        self._awaited: Message | None = None
        self._said = 0
        self._nodes = 0
        self._most_nodes, self._body = 0, 0

    def expect(self, megabytes: int, nodes: int) -> None:
        """Allow a recording of so many nodes (none where that is 0), with arrays of so many MB and a little."""
        self._body, self._most_nodes = megabytes * 2**20 + _EXTRA_BYTES, nodes

    def ask(self, answer: Message) -> None:
        """A question is about to be sent, to which this is the answer."""
        self._awaited = answer

    def bound_of(self, kind: Message) -> Bound:
        """How large a frame of a kind may be now.

        Raises:
            BrokenProtocol: none of that kind is awaited.
        """
        if kind == Message.FAILED:
            if self._came == Message.DONE and self._awaited is None:
                raise BrokenProtocol("an answer to nothing")
            return Bound(_ERROR, 0)
        if kind in _PRINTED:
            if self._came is None:
                raise BrokenProtocol(f"{kind.name} before the beginning")
            return Bound(_TEXT, 0)
        if kind in (Message.SWEEP, Message.ANSWER):
            if kind != self._awaited:
                raise BrokenProtocol("an answer to nothing")
            is_sweep = kind == Message.SWEEP
            return Bound(min(_MORE + _ANSWER * self._nodes, MAX_HEADER), self._body if is_sweep else 0)
        if kind == Message.RECORDING and self._came == Message.ENDED and self._most_nodes and not self._has_recording:
            return Bound(min(_MORE + 2 * self._said + _NODE * self._most_nodes, MAX_HEADER), self._body)
        if _BEFORE.get(kind, kind) != self._came:
            raise BrokenProtocol(f"{kind.name} at a time when it is not awaited")
        return Bound(min(_MORE + 2 * self._said, MAX_HEADER) if kind == Message.DONE else _TINY, 0)

    def took(self, frame: Frame) -> None:
        """A frame has been read."""
        kind = frame.kind
        if kind in _BEFORE:
            self._came = kind
        elif kind == Message.RECORDING:
            self._has_recording = True
            nodes = frame.header.get("values")
            self._nodes = len(nodes) if type(nodes) is list else 0
        elif kind in (Message.SWEEP, Message.ANSWER) or (kind == Message.FAILED and self._came == Message.DONE):
            self._awaited = None
        elif kind in (Message.OUTPUT, Message.ASIDE):
            self._said += _CHARACTER * len(frame.header["text"])


_BEFORE: dict[Message, Message | None] = {
    Message.READY: None,
    Message.STARTED: Message.READY,
    Message.ENDED: Message.STARTED,
    Message.DONE: Message.ENDED,
}
"""What comes once, and what came before it."""
_PRINTED = frozenset((Message.OUTPUT, Message.ASIDE, Message.PROGRESS))

_TINY = 2**12
_ERROR = 2**17
_TEXT = 2**20
_MORE = 16 * 2**20
"""Bytes of a header besides what comes with the number of nodes: the source, warnings."""
_NODE = 256
_ANSWER = 1024
_CHARACTER = 6
"""Bytes of a character of what was printed, which is part of a recording."""
_EXTRA_BYTES = 64 * 2**20


# ---- the fields of frames ----

Check = Callable[[Any], bool]


def _is_text(value: Any) -> bool:
    return type(value) is str


def _is_place(value: Any) -> bool:
    """A line, a column or an id, or none."""
    return value is None or (type(value) is int and 0 <= value < 2**31)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and -1e18 < value < 1e18


def _is_problem(value: Any) -> bool:
    return value is None or (
        type(value) is dict
        and _is_text(value.get("message"))
        and all(type(value.get(name)) in (str, type(None)) for name in ("hint", "file"))
        and all(_is_place(value.get(name)) for name in ("line", "column", "node"))
    )


def _is_warning(value: Any) -> bool:
    """As the engine tells it, or as the recorder for PyTorch does."""
    given = [value.get(name) for name in ("message", "category", "line", "at")] if type(value) is dict else value
    if type(given) is not list or len(given) != len(("message", "category", "line", "at")):
        return False
    message, category, line, at = given
    return _is_text(message) and _is_text(category) and _is_place(line) and type(at) is int and 0 <= at < 2**63


def _is_code(value: Any) -> bool:
    return type(value) is int and -(2**31) <= value < 2**32


FIELDS: dict[Message, dict[str, Check]] = {
    Message.STARTED: {"walls": lambda value: type(value) is list and all(map(_is_text, value))},
    Message.OUTPUT: {"text": _is_text},
    Message.ASIDE: {"text": _is_text},
    Message.PROGRESS: {"share": _is_number},
    Message.DONE: {
        "seconds": lambda value: _is_number(value) and value >= 0,
        "exit_code": _is_code,
        "problem": _is_problem,
        "warnings": lambda value: type(value) is list and all(map(_is_warning, value)),
    },
    Message.FAILED: {
        "class": _is_text,
        "kind": lambda value: value is None or (_is_text(value) and len(value) < _MOST_NAME),
        "message": _is_text,
        "hint": _is_text,
        "line": _is_place,
        "column": _is_place,
    },
    Message.ANSWER: {"value": lambda _: True},
}
"""What a child's frames must say; recordings and sweeps are looked at as they are unpacked."""

_MOST_NAME = 200


def check_fields(kind: Message, header: dict[str, Any]) -> None:
    """Refuse a header of which a field is missing or wrong.

    Raises:
        BrokenProtocol: so it is.
    """
    for name, is_right in FIELDS.get(kind, {}).items():
        if name not in header or not is_right(header[name]):
            raise BrokenProtocol(f"{kind.name} without a {name} that can be read")


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
    check_fields(Message.FAILED, header)
    made = _ERRORS.get(header["class"], GradvizError)
    message, hint = header["message"], header["hint"]
    error = (
        TorchError(message, kind=header["kind"] or "RuntimeError", hint=hint)
        if issubclass(made, TorchError)
        else made(message, hint=hint)
    )
    error.line, error.column = header["line"], header["column"]
    return error
