"""What travels between host and child: frames that lose nothing, and refuse what is none."""

from __future__ import annotations

import io
import struct
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from gradviz.errors import Cancelled, ConditionError, FormatError, GradvizError, LimitError, TorchError
from gradviz.recording import Accumulation, Node, Problem, Recording, Source, Step, Sweep, Thinned, Warned
from gradviz.run.job import Job, Keep, Limits
from gradviz.run.packing import pack, pack_array, unpack, unpack_array, unpack_sweep
from gradviz.run.protocol import (
    BrokenProtocol,
    Message,
    error_from_json,
    error_to_json,
    frame_of,
    head_of,
    job_from_json,
    job_to_json,
    read_frame,
)
from tests.formats.recordings import plain, recordings


def sent(recording: Recording) -> tuple[dict[str, Any], bytes]:
    """The header and body of a recording as they arrive."""
    packed = pack(recording)
    body = b"".join(packed.pieces)
    assert len(body) == packed.size
    frame = read_frame(io.BytesIO(head_of(Message.RECORDING, packed.header, packed.size) + body))
    return frame.header, frame.body


def same(a: Any, b: Any) -> bool:
    """Whether two values are the same, arrays by type, dtype and bits."""
    if isinstance(a, np.ndarray | np.generic):
        return type(a) is type(b) and a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    if isinstance(a, tuple | list):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if hasattr(a, "__dataclass_fields__"):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    return type(a) is type(b) and (a == b or a != a)


def full() -> Recording:
    """A recording in which every field holds something."""
    x = np.array([[1.0, np.nan], [-np.inf, -0.0]], np.float32)
    y = np.float32(2.5)
    g = np.ones((2, 2), np.float32)
    nodes = (
        Node(0, "leaf", (), {}, (2, 2), "float32", "x", True, 1, ("f", "epoch = 3")),
        Node(1, "constant", (), {}, (0, 3), "int64", None, False, None, ()),
        Node(
            2, "sum", (0,), {"dim": (0, -1), "p": float("inf"), "n": None, "t": [True, "é"]}, (), "float32", "L", True
        ),
        Node(3, "scale", (2, 2), {"by": g, "more": {"a": (1,)}, "big": 2**70}, (), "bool", "b", False, 7),
    )
    sweep = Sweep(
        (2,),
        (y,),
        (Step(2, y, (g,)), Step(0, g)),
        (Accumulation(0, None, g), Accumulation(0, g, x)),
        line=4,
        retain_graph=True,
        create_graph=True,
        number=17,
        since=1,
    )
    values = (x, np.empty((0, 3), np.int64), y, np.bool_(True))
    return Recording(
        nodes,
        values,
        (sweep, Sweep((3,), (np.bool_(False),), (Step(3, None, (None, y)),))),
        {"x": g, "unused": None},
        "printed ∂\n\ud800",
        Source("notebook", "a.ipynb", "text"),
        Problem("what", "hint", 3, 4, 2),
        (Warned("careful", "UserWarning", 3, 9), Warned("again")),
        Thinned(100, 5, True),
    )


def test_every_part_of_a_recording_comes_back() -> None:
    recording = full()

    assert same(recording, unpack(*sent(recording)))


@given(recordings())
@settings(max_examples=60, suppress_health_check=[HealthCheck.filter_too_much])
def test_whatever_a_recording_has_comes_back(recording: Recording) -> None:
    try:
        header, body = sent(recording)
    except FormatError:  # complex numbers are none of the built-in engine's
        reject()

    assert plain(unpack(header, body)) == plain(recording)


def test_an_empty_recording_comes_back() -> None:
    assert same(Recording(), unpack(*sent(Recording())))


def test_one_array_in_two_places_is_sent_once() -> None:
    g = np.ones(1000)
    nodes = tuple(Node(i, "leaf", shape=(1000,), dtype="float64") for i in range(50))

    _, body = sent(Recording(nodes, (g,) * 50))

    assert len(body) == 8000


def test_arrays_of_any_order_and_byte_order_come_back() -> None:
    values = (
        np.arange(6.0).reshape(2, 3).T,
        np.arange(12, dtype=">i4")[::2],
        np.broadcast_to(np.float32(3), (4,)),
    )
    nodes = tuple(Node(i, "leaf", shape=value.shape) for i, value in enumerate(values))

    got = unpack(*sent(Recording(nodes, values))).values

    assert [each.tolist() for each in got] == [each.tolist() for each in values]


def test_what_comes_back_cannot_be_written_to() -> None:
    value = unpack(*sent(full())).values[0]

    with pytest.raises(ValueError, match="read-only"):
        value[0] = 1


@pytest.mark.parametrize("dtype", ["O", "c8", "U3", "M8[s]"])
def test_an_array_of_anything_but_numbers_is_refused(dtype: str) -> None:
    with pytest.raises(FormatError, match="cannot hold"):
        pack(Recording((Node(0, "leaf", shape=(2,)),), (np.zeros(2, dtype),)))


def test_one_array_comes_back_with_its_header() -> None:
    packed = pack_array(np.float64(3), output=5)

    assert packed.header["output"] == 5
    assert same(unpack_array(packed.header, b"".join(packed.pieces)), np.float64(3))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("blocks",), [["object", [2], 1]]),
        (("blocks",), [["float32", [2, 2], 10**9]]),
        (("blocks",), [["float32", [-1], 1]]),
        (("blocks",), [["float32", [2**40, 2**40], 1]]),
        (("arrays",), [99]),
        (("arrays",), None),
        (("nodes", "value"), [0]),
        (("nodes", "value"), [-1, 0, 0, 0]),
        (("nodes",), []),
        (("nodes", "op"), ["leaf"]),
        (("nodes", "op"), [1, 2, 3, 4]),
        (("nodes", "inputs"), [[], [], [3], []]),
        (("nodes", "inputs"), [[], [], ["0"], [2, 2]]),
        (("nodes", "shape"), [[1.5], [], [], []]),
        (("nodes", "scope"), [0, 0, 0, 99]),
        (("nodes", "params"), [{"pickle": "x"}, 0, 0, 0]),
        (("backward",), [{}]),
        (("gradients",), []),
        (("output",), 3),
        (("source",), "x"),
        (("warnings",), [[1]]),
        (("kept",), {"calls": "x"}),
        (("cuts",), [[[99], "detach()", 1, None]]),
        (("cuts",), [[[0], 3, 1, None]]),
    ],
)
def test_a_header_that_is_no_recording_is_one_sentence(path: tuple[str, ...], value: Any) -> None:
    header, body = sent(full())
    inner = header
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value

    with pytest.raises(FormatError, match="no recording"):
        unpack(header, body)


def test_a_body_that_is_too_short_is_one_sentence() -> None:
    header, body = sent(full())

    with pytest.raises(FormatError, match="fewer numbers"):
        unpack(header, body[:20])


def test_a_sweep_of_another_graph_is_one_sentence() -> None:
    header, body = sent(full())

    with pytest.raises(FormatError, match="no sweep"):
        unpack_sweep({**header, "sweep": header["backward"][0]}, body, Recording())


# ---- frames ----


def test_frames_come_one_after_the_other() -> None:
    stream = io.BytesIO(frame_of(Message.OUTPUT, {"text": "a"}) + frame_of(Message.SEED, {"output": 1}, [b"xy", b"z"]))

    assert read_frame(stream) == (Message.OUTPUT, {"text": "a"}, b"")
    assert read_frame(stream) == (Message.SEED, {"output": 1}, b"xyz")
    assert read_frame(stream) is None


@pytest.mark.parametrize(
    "content",
    [
        b"\x01",
        struct.pack("!BIQ", Message.OUTPUT, 5, 0) + b"{",
        struct.pack("!BIQ", Message.OUTPUT, 2**32 - 1, 0),
        struct.pack("!BIQ", Message.RECORDING, 0, 2**63),
        struct.pack("!BIQ", Message.OUTPUT, 2**25, 0) + b"x" * 2**25,
        struct.pack("!BIQ", Message.OUTPUT, 2, 1) + b"{}x",
        struct.pack("!BIQ", 200, 0, 0),
        struct.pack("!BIQ", Message.OUTPUT, 2, 0) + b"[]",
        struct.pack("!BIQ", Message.OUTPUT, 3, 0) + b"nul",
        struct.pack("!BIQ", Message.OUTPUT, 2, 0) + b"\xff\xff",
        struct.pack("!BIQ", Message.OUTPUT, 10**6, 0) + b"[" * 10**6,
    ],
)
def test_what_is_no_frame_is_refused(content: bytes) -> None:
    with pytest.raises(BrokenProtocol):
        read_frame(io.BytesIO(content))


@given(st.binary(max_size=60))
def test_any_bytes_are_a_frame_or_refused(content: bytes) -> None:
    try:
        frame = read_frame(io.BytesIO(content))
    except BrokenProtocol:
        return
    assert frame is None or isinstance(frame.kind, Message)


def test_a_job_comes_back() -> None:
    job = Job(
        "x", "a.py", "notebook", Limits(None, 5, 6, 7), Keep(1, 2, 3, frozenset({4, 9})), 12, True, False, {"a": [1]}
    )
    stream = io.BytesIO(frame_of(Message.JOB, job_to_json(job)))

    assert job_from_json(read_frame(stream).header) == job


@pytest.mark.parametrize("made", [GradvizError, LimitError, Cancelled])
def test_an_error_comes_back_with_its_class_and_place(made: type[GradvizError]) -> None:
    error = error_from_json(error_to_json(made("what", hint="do", line=3, column=4)))

    assert type(error) is made
    assert (error.message, error.hint, error.line, error.column) == ("what", "do", 3, 4)


def test_an_error_of_pytorch_keeps_its_kind() -> None:
    assert error_from_json(error_to_json(TorchError("what", kind="IndexError"))).headline == "IndexError: what"


def test_an_error_that_the_other_side_does_not_know_is_its_nearest() -> None:
    assert type(error_from_json(error_to_json(ConditionError("what")))) is GradvizError
    with pytest.raises(BrokenProtocol):
        error_from_json({"message": 3})
