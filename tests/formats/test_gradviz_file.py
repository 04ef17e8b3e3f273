"""The `.gradviz` format: nothing is lost, nothing is read before it is asked for, and no file is trusted."""

from __future__ import annotations

import io
import json
import random
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from gradviz.errors import FormatError, GradvizError
from gradviz.formats import gradviz_file, json_file, load, save, snapshot
from gradviz.formats.gradviz_file import DOCUMENT
from gradviz.recording import Accumulation, Engine, Node, Recording, Step, Sweep
from tests.formats.recordings import plain, recordings
from tests.samples import random_graph, weighted_sum


def large() -> Recording:
    """Two arrays of a hundred numbers, one of which stands in several places, and a truth for each."""
    x, g = np.linspace(-1, 1, 100, dtype=np.float32).reshape(4, 25), np.ones((4, 25), np.float32)
    nodes = (
        Node(0, "leaf", shape=(4, 25), name="x", requires_grad=True),
        Node(1, "sum", (0,), requires_grad=True),
        Node(2, "gt", (0,), shape=(4, 25), dtype="bool"),
    )
    steps = (Step(1, np.float32(1), (g,)), Step(0, g))
    sweep = Sweep((1,), (np.float32(1),), steps, (Accumulation(0, None, g),))
    return Recording(nodes, (x, np.float32(x.sum()), x > 0), (sweep,), {"x": g}, engine=Engine("PyTorch", "2.13.0"))


def members(content: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        return {name: file.read(name) for name in file.namelist()}


def zipped(parts: dict[str, bytes], how: int = zipfile.ZIP_STORED) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", how) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return sink.getvalue()


def npy(array: Any, **options: Any) -> bytes:
    sink = io.BytesIO()
    np.save(sink, array, **options)
    return sink.getvalue()


@given(recordings())
@settings(max_examples=300)
def test_nothing_is_lost_in_either_format(recording: Recording) -> None:
    was = plain(recording)

    assert plain(json_file.read(json_file.write(recording))) == was
    assert plain(gradviz_file.read(gradviz_file.write(recording))) == was


@given(recordings())
@settings(max_examples=40)
def test_a_file_that_went_through_the_other_format_is_the_same(recording: Recording) -> None:
    text = json_file.write(recording)

    assert json_file.write(gradviz_file.read(gradviz_file.write(json_file.read(text)))) == text


@pytest.mark.parametrize("recording", [Recording(), weighted_sum(), random_graph(200), large()])
def test_a_recording_comes_back(recording: Recording) -> None:
    assert plain(gradviz_file.read(gradviz_file.write(recording))) == plain(recording)


def test_few_numbers_stand_in_the_document_and_many_beside_it_once() -> None:
    parts = members(gradviz_file.write(large()))
    top = json.loads(parts[DOCUMENT])

    assert sorted(parts) == ["a/0.npy", "a/1.npy", "a/2.npy", DOCUMENT]
    assert top["nodes"][0]["value"] == {"member": "a/0.npy"}
    assert top["nodes"][1]["value"] == pytest.approx(0, abs=1e-5)
    assert top["backward"][0]["steps"][0]["outgoing"][0]["gradient"] == {"member": "a/2.npy"}
    assert top["gradients"]["x"] == top["backward"][0]["steps"][1]["incoming"] == {"member": "a/2.npy"}


def test_numpy_opens_the_arrays(tmp_path: Path) -> None:
    path = tmp_path / "run.gradviz"
    save(large(), path)

    with np.load(path) as file:
        np.testing.assert_array_equal(file["a/0"], large().values[0])


def test_an_array_is_a_view_of_the_file_and_begins_where_it_can_be_computed_with() -> None:
    content = gradviz_file.write(large())

    recording = gradviz_file.read(content)

    file, value = np.frombuffer(content, np.uint8), recording.values[0]
    assert isinstance(value, np.ndarray)
    assert np.shares_memory(value, file)
    assert value.flags.aligned
    assert not value.flags.writeable
    assert recording.gradients["x"] is recording.sweeps[0].steps[1].incoming


@pytest.mark.parametrize("size", [0, 1, 10, 10**5])
def test_what_is_no_recording_is_refused_in_a_sentence(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.gradviz"
    path.write_bytes(random.Random(size).randbytes(size))

    for start in (1, 2**40):
        monkeypatch.setattr(snapshot, "LARGE", start)
        with pytest.raises(FormatError):
            load(path)


# ---- files that lie ----


def change_document(content: bytes, change: Callable[[dict[str, Any]], None]) -> bytes:
    parts = members(content)
    top = json.loads(parts[DOCUMENT])
    change(top)
    return zipped(parts | {DOCUMENT: json.dumps(top).encode()})


def put_member(name: str, content: bytes) -> bytes:
    return zipped(members(gradviz_file.write(large())) | {name: content})


def test_a_graph_that_would_not_open_again_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradviz_file, "MAX_DOCUMENT", 1_000)

    with pytest.raises(FormatError, match="more than gradviz opens again"):
        gradviz_file.write(weighted_sum())


def bomb() -> bytes:
    return zipped({DOCUMENT: b" " * (gradviz_file.MAX_DOCUMENT + 1)}, zipfile.ZIP_DEFLATED)


def small_claim() -> bytes:
    """A zip whose document unpacks to more than its list of members says."""
    content = bytearray(zipped({DOCUMENT: b" " * 10**6}, zipfile.ZIP_DEFLATED))
    at = content.rindex(b"PK\1\2")
    content[at + 24 : at + 28] = struct.pack("<I", 100)
    return bytes(content)


def two_sizes() -> bytes:
    """A zip that says of a stored member that it is longer than what is there."""
    content = bytearray(zipped({DOCUMENT: b" " * 10**6}, zipfile.ZIP_STORED))
    at = content.rindex(b"PK\1\2")
    content[at + 24 : at + 28] = struct.pack("<I", 5 * 10**8)
    return bytes(content)


def half_a_gigabyte() -> bytes:
    """Half a MB that would be 500."""
    return zipped({DOCUMENT: b" " * 500_000_000}, zipfile.ZIP_DEFLATED)


class Evil:
    """Whatever unpickles it runs this."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (pytest.fail, ("it was unpickled",))


LIES: dict[str, tuple[Callable[[], bytes], str]] = {
    "no zip": (lambda: b"hello", "it is no zip file"),
    "cut off": (lambda: gradviz_file.write(large())[:-30], "its list of members cannot be read"),
    "no document": (lambda: zipped({"a/0.npy": npy(np.ones(9))}), "a zip without recording.json"),
    "a bomb": (bomb, "its recording.json claims 0.5 GB"),
    "a smaller bomb": (half_a_gigabyte, "its recording.json claims 0.5 GB"),
    "a member of two sizes": (two_sizes, "its member recording.json has two sizes"),
    "a small claim": (small_claim, "recording.json is longer or shorter than the file says"),
    "member missing": (
        lambda: zipped({k: v for k, v in members(gradviz_file.write(large())).items() if k != "a/0.npy"}),
        "its member a/0.npy is missing",
    ),
    "member compressed": (
        lambda: zipped(members(gradviz_file.write(large())), zipfile.ZIP_DEFLATED),
        "its member a/0.npy is compressed or encrypted",
    ),
    "member no array": (lambda: put_member("a/0.npy", b"hello, hello"), "a/0.npy is no array"),
    "member pickled": (
        lambda: put_member("a/0.npy", npy(np.array([Evil()] * 100, object), allow_pickle=True)),
        "a/0.npy is no array of plain numbers",
    ),
    "member of records": (lambda: put_member("a/0.npy", npy(np.zeros(9, "i4,f4"))), "no array of plain numbers"),
    "member big endian": (lambda: put_member("a/0.npy", npy(np.ones((4, 25), ">f4"))), "no array of plain numbers"),
    "member in Fortran order": (
        lambda: put_member("a/0.npy", npy(np.asfortranarray(np.ones((4, 25), "<f4")))),
        "plain numbers in C order",
    ),
    "member short": (
        lambda: put_member("a/0.npy", npy(np.ones((4, 25), "<f4"))[:-4]),
        "a/0.npy has 396 bytes for an array of shape 4×25",
    ),
    "member huge": (
        lambda: put_member(
            "a/0.npy",
            npy(np.ones((4, 25), "<f4")).replace(b"(4, 25), }" + b" " * 20, b"(4000000000, 2500000000), }".ljust(30)),
        ),
        "claims to be larger than any memory",
    ),
    "member of another shape": (
        lambda: put_member("a/0.npy", npy(np.ones((25, 4), "<f4"))),
        "nodes[0].value is an array of shape 25×4, but 4×25 belongs here",
    ),
    "member of another type": (
        lambda: put_member("a/0.npy", npy(np.ones((4, 25), "<i4"))),
        "nodes[0].value is an array of int32, which holds no float32 numbers",
    ),
    "neither true nor false": (
        lambda: put_member("a/1.npy", npy(np.ones((4, 25), bool)).replace(b"\1" * 50, b"\2" * 50)),
        "a/1.npy holds what is neither true nor false",
    ),
    "a name that is none": (
        lambda: change_document(
            gradviz_file.write(large()), lambda top: top["nodes"][0].update(value={"member": ["a"]})
        ),
        "a member is called a list",
    ),
    "a member for a number": (
        lambda: change_document(
            gradviz_file.write(large()), lambda top: top["nodes"][0].update(id={"member": "a/0.npy"})
        ),
        "nodes[0].id is an object, not a whole number",
    ),
}


@pytest.mark.parametrize("case", LIES)
def test_a_file_that_lies_is_refused_in_a_sentence(case: str) -> None:
    make, words = LIES[case]

    with pytest.raises(FormatError) as refused:
        gradviz_file.read(make())

    assert words in refused.value.message


def test_members_that_share_their_bytes_are_no_way_to_more_memory() -> None:
    content = bytearray(zipped({"a/0.npy": npy(np.ones(10**4))} | {f"a/{i}.npy": b"" for i in range(1, 50)}))
    first = content.index(b"PK\1\2")
    entry = bytes(content[first : first + 46])
    at = first
    while (at := content.find(b"PK\1\2", at)) >= 0:  # every entry points at the first member
        content[at : at + 28], content[at + 42 : at + 46] = entry[:28], entry[42:46]
        at += 4

    with pytest.raises(FormatError, match="its members claim to be larger than the file"):
        gradviz_file.read(bytes(content))


def test_json_knows_no_members() -> None:
    text = json.dumps(json.loads(members(gradviz_file.write(large()))[DOCUMENT])).encode()

    with pytest.raises(FormatError, match=r"nodes\[0\].value"):
        json_file.read(text)


@pytest.mark.parametrize("seed", range(3))
def test_a_damaged_file_opens_or_is_refused_in_a_sentence(seed: int) -> None:
    rng, whole = random.Random(seed), gradviz_file.write(large())
    refused = 0
    for _ in range(300):
        content = bytearray(whole)
        for _ in range(rng.choice((1, 1, 3, 20))):
            content[rng.randrange(len(content))] = rng.randrange(256)
        if rng.random() < 0.2:
            del content[rng.randrange(len(content)) :]
        try:
            plain(gradviz_file.read(bytes(content)))
        except GradvizError:
            refused += 1

    assert refused > 50


def test_what_repeats_itself_is_stored_so_that_it_can_be_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gradviz_file, "_SMALL", 10_000)
    recording = replace(weighted_sum(), output="again\n" * 100_000)

    content = gradviz_file.write(recording)

    assert gradviz_file.read(content).output == recording.output


def test_a_bomb_is_refused_before_anything_of_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    content = half_a_gigabyte()
    assert len(content) < 1_000_000
    monkeypatch.setattr(gradviz_file.zlib, "decompressobj", None)

    with pytest.raises(FormatError, match="times its size in the file"):
        gradviz_file.read(content)
