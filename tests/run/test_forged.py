"""A child may be hostile: whatever it sends in the place of any field of any frame ends in one sentence, and soon."""

from __future__ import annotations

import copy
import json
import math
import struct
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.errors import MOST_SHOWN, FormatError, GradvizError
from gradviz.run import host, pytorch
from gradviz.run.host import Host
from gradviz.run.interpreters import Interpreter
from gradviz.run.job import Job
from gradviz.run.packing import pack_sweep, unpack, unpack_sweep
from gradviz.run.protocol import FIELDS, MAX_HEADER, Message, frame_of, head_of
from gradviz.run.pytorch import Script, run_with_pytorch
from tests.run.forged import HEARS, forging
from tests.run.test_protocol import full, sent

SOON = 5.0
"""Seconds, on a busy machine; the sentence comes within some hundredths."""


def deep(levels: int) -> list[Any]:
    """A list in a list, and so on."""
    made: list[Any] = []
    for _ in range(levels):
        made = [made]
    return made


MISSING = object()
VALUES: dict[str, Any] = {
    "missing": MISSING,
    "null": None,
    "true": True,
    "negative": -1,
    "huge": 2**70,
    "beyond a float": 10**400,
    "a fraction": 0.5,
    "large": 1e308,
    "NaN": math.nan,
    "infinity": math.inf,
    "minus infinity": -math.inf,
    "no text": "",
    "a text": "x" * 1000,
    "no list": [],
    "a list": [None, "x", -1, 2**70],
    "many": [0] * 10_000,
    "lists": [[-1]],
    "no object": {},
    "an object": {"a": 1},
    "nested": deep(400),
}

HEADERS: dict[Message, dict[str, Any]] = {
    Message.STARTED: {"walls": ["limits"]},
    Message.OUTPUT: {"text": "out"},
    Message.ASIDE: {"text": "aside"},
    Message.PROGRESS: {"share": 0.5},
    Message.DONE: {
        "seconds": 0.5,
        "exit_code": 0,
        "problem": {"message": "no", "hint": "Do.", "line": 3, "column": 2, "node": 1, "file": ""},
        "warnings": [["old", "UserWarning", 3, 4]],
    },
    Message.FAILED: {"class": "TorchError", "kind": "E", "message": "no", "hint": "", "line": 1, "column": 1},
    Message.ANSWER: {"value": [1]},
}


def packed_recording() -> bytes:
    header, body = sent(full())
    return head_of(Message.RECORDING, header, len(body)) + body


def packed_sweep() -> bytes:
    packed = pack_sweep(full().sweeps[0])
    return frame_of(Message.SWEEP, packed.header, packed.pieces)


def conversation(changed: Message | None = None, header: Any = None) -> list[bytes]:
    """All that a child says in a run, with one frame that has another header."""
    headers = HEADERS if changed is None else {**HEADERS, changed: header}
    said = {kind: frame_of(kind, headers[kind]) for kind in headers}
    failed = [said[Message.FAILED]] if changed == Message.FAILED else []
    return [
        *(frame_of(Message.READY), HEARS, said[Message.STARTED], said[Message.OUTPUT], said[Message.ASIDE]),
        *(said[Message.PROGRESS], *failed, frame_of(Message.ENDED), packed_recording(), said[Message.DONE]),
        *(HEARS, said[Message.ANSWER], HEARS, packed_sweep()),
    ]


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to each field of a header, and to the first of what stands in a list."""
    if path:
        yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value[:2]) if isinstance(value, list) else ()
    for key, each in inside:
        yield from paths(each, (*path, key))


def changed(header: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """A header with another value somewhere."""
    made = copy.deepcopy(header)
    holder: Any = made
    for key in path[:-1]:
        holder = holder[key]
    if value is MISSING:
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return made


def listen(says: list[bytes]) -> None:
    """Do with a child all that is done with one.

    Raises:
        GradvizError: it said what none of ours says.
    """
    with Host(keeps_spare=False, start=forging(says)) as made:
        run = made.run(Job("x"), on_output=str, on_aside=str, on_progress=float)
        assert isinstance(run.seconds, float)
        assert isinstance(run.exit_code % 256, int)
        assert run.problem is None or run.error is not None
        _ = run.warnings, run.recording
        run.ask("a")
        run.with_seed(2, np.float32(1))


FRAMES = [(kind, path) for kind, header in HEADERS.items() for path in paths(header)]


def test_the_conversation_that_the_others_change_is_heard_to_its_end() -> None:
    listen(conversation())


def test_every_field_that_is_stated_is_forged() -> None:
    assert {(kind, name) for kind, names in FIELDS.items() for name in names} <= {(k, path[0]) for k, path in FRAMES}


@pytest.mark.parametrize(("kind", "path"), FRAMES)
def test_a_forged_field_ends_in_a_sentence(kind: Message, path: tuple[Any, ...]) -> None:
    started = time.monotonic()
    sentences: list[str] = []

    for value in VALUES.values():
        try:
            listen(conversation(kind, changed(HEADERS[kind], path, value)))
        except GradvizError as error:
            sentences.append(error.one_line("f.py"))

    assert sentences or kind == Message.ANSWER  # any plain JSON is an answer
    assert not [each for each in sentences if "\n" in each]
    assert time.monotonic() - started < SOON


@pytest.mark.parametrize("kind", [kind for kind in HEADERS if kind != Message.ANSWER])
@pytest.mark.parametrize("path", [("message",), ("seconds",), ("text",), ("share",), ("walls",)])
def test_the_same_of_a_python_with_pytorch(kind: Message, path: tuple[str], monkeypatch: pytest.MonkeyPatch) -> None:
    if path[0] not in HEADERS[kind]:
        return
    monkeypatch.setattr(pytorch, "usable", lambda path: Interpreter(path, "3.11.9", "2.13.0"))
    monkeypatch.setattr(pytorch, "_end_all", lambda child: child.end())
    monkeypatch.setattr(pytorch, "_LEAVE_SECONDS", 0.0)
    sentences: list[str] = []

    for value in VALUES.values():
        says = [each for each in conversation(kind, changed(HEADERS[kind], path, value)) if each != packed_recording()]
        monkeypatch.setattr(pytorch, "Child", forging(says))
        try:
            run_with_pytorch(Script("x"), Path(sys.executable))
        except GradvizError as error:
            sentences.append(error.one_line("f.py"))

    assert sentences
    assert not [each for each in sentences if "\n" in each]


def test_a_recording_is_refused_where_none_is_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        Host(keeps_spare=False, start=forging(conversation())) as made,
        pytest.raises(GradvizError, match="cannot read"),
    ):
        made.run(Job("x", wants_recording=False))


HEADER, BODY = sent(full())


@pytest.mark.parametrize("path", list(paths(HEADER)))
def test_a_forged_field_of_a_recording_is_a_recording_or_a_sentence(path: tuple[Any, ...]) -> None:
    started = time.monotonic()

    for value in VALUES.values():
        try:
            recording = unpack(changed(HEADER, path, value), BODY)
        except FormatError:
            continue
        json.dumps([recording.kept, [node.shape for node in recording.nodes]])

    assert time.monotonic() - started < SOON


SWEEP = json.loads(json.dumps(pack_sweep(full().sweeps[0]).header))


@pytest.mark.parametrize("path", list(paths(SWEEP)))
def test_a_forged_field_of_a_sweep_is_a_sweep_or_a_sentence(path: tuple[Any, ...]) -> None:
    body = b"".join(pack_sweep(full().sweeps[0]).pieces)

    for value in VALUES.values():
        try:
            unpack_sweep(changed(SWEEP, path, value), body, full())
        except FormatError:
            continue


@pytest.mark.parametrize("twice", [Message.READY, Message.STARTED, Message.ENDED, Message.RECORDING, Message.DONE])
def test_what_comes_once_is_refused_when_it_comes_again(twice: Message) -> None:
    """A clock that starts again would let a script run for as long as it likes."""
    says = conversation()
    (at,) = [at for at, each in enumerate(says) if each is not HEARS and each[0] == twice]
    says.insert(at, says[at])

    with pytest.raises(GradvizError, match="cannot read"):
        listen(says)


def test_an_answer_to_nothing_is_refused() -> None:
    says = [each for each in conversation() if each is not HEARS]

    with pytest.raises(GradvizError, match="cannot read"):
        listen(says)


LARGE = struct.Struct("!BIQ")


@pytest.mark.parametrize("kind", list(Message))
@pytest.mark.parametrize("size", [(MAX_HEADER + 1, 0), (2**32 - 1, 0), (0, 2**63)])
def test_a_frame_that_claims_too_much_is_refused_before_it_is_taken_in(kind: Message, size: tuple[int, int]) -> None:
    says = conversation()
    at = next((at for at, each in enumerate(says) if each is not HEARS and each[0] == kind), 4)
    says[at:] = [LARGE.pack(kind, *size)]
    started = time.monotonic()

    with pytest.raises(GradvizError):
        listen(says)

    assert time.monotonic() - started < SOON


@pytest.mark.parametrize("kind", [Message.RECORDING, Message.DONE])
@pytest.mark.parametrize("text", [b"[" * 10**6, b"[],", b"{},", b"[[[[[]]]]],"])
def test_a_header_of_nothing_but_lists_is_refused(kind: Message, text: bytes) -> None:
    content = b'{"nodes":[' + text * (16 * 10**6 // len(text)) + b"0]}"
    says = conversation()
    at = next(at for at, each in enumerate(says) if each is not HEARS and each[0] == kind)
    says[at:] = [LARGE.pack(kind, len(content), 0) + content]
    started = time.monotonic()

    with pytest.raises(GradvizError):
        listen(says)

    assert time.monotonic() - started < SOON


def test_more_arrays_than_any_recording_has_are_refused() -> None:
    header, body = sent(full())
    header["blocks"].append(["float32", [0], 2**40])

    with pytest.raises(FormatError, match="no recording"):
        unpack(header, body)


def test_what_a_terminal_obeys_is_shown_as_text() -> None:
    forged = {
        **HEADERS[Message.FAILED],
        "message": "\x1b[2J\x1b]0;x\x07no\u202e",
        "hint": "a\x9bb\r",
        "kind": "\x1b[31m",
    }

    with pytest.raises(GradvizError) as refused:
        listen(conversation(Message.FAILED, forged))

    assert refused.value.one_line("\x1b.py") == (
        "\\x1b.py:1:1: \\x1b[31m: \\x1b[2J\\x1b]0;x\\x07no\\u202e. a\\x9bb\\x0d"
    )


def test_the_words_of_a_problem_are_shown_as_text_and_cut_at_a_page() -> None:
    problem = {"message": "\x1b[31m" + "x" * 100_000, "hint": "h" * 10_000, "line": 1, "column": 1, "node": None}
    header = {**HEADERS[Message.DONE], "problem": problem}

    with Host(keeps_spare=False, start=forging(conversation(Message.DONE, header))) as made:
        run = made.run(Job("x"))
        error = run.error

    assert error is not None
    assert error.message.startswith("\\x1b[31mxxx")
    assert len(error.message) <= MOST_SHOWN
    assert error.message.endswith("xxx …")
    assert len(error.hint) <= MOST_SHOWN


def test_a_child_that_is_killed_within_a_frame_is_not_called_hostile() -> None:
    class Short(forging([frame_of(Message.READY), HEARS, b"\x03\0"])):  # type: ignore[misc]
        def next_frame(self, seconds: float) -> Any:
            if self._hearing._came is not None:
                self._process.kill()
            return super().next_frame(seconds)

    with Host(keeps_spare=False, start=Short) as made, pytest.raises(GradvizError, match="killed it"):
        made.run(Job("x"))


def test_the_time_that_a_test_allows_is_less_than_what_a_host_waits() -> None:
    assert SOON < host.PACK_SECONDS
