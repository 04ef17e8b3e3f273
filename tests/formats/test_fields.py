"""The table of fields holds every field of a recording, and whatever writes a document writes what the table says."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, seed, settings
from jsonschema import Draft202012Validator

import gradviz.recording
from gradviz.document.fields import DOCUMENT, SAID_ELSEWHERE, SPREAD, records
from gradviz.document.kinds import COUNT, TEXT, TEXT_OR_NULL, Field, Record
from gradviz.errors import FormatError
from gradviz.formats import gradviz_file, json_file
from gradviz.formats.gradviz_file import DOCUMENT as MEMBER
from gradviz.recording import Recording
from tests.formats.recordings import plain, recordings
from tests.samples import weighted_sum

DATA = Path(__file__).parent.parent
RECORDED = [DATA / "data" / "pytorch.gradviz", *sorted((DATA / "capture" / "recorded").glob("*.gradviz"))]
"""Files that the recorder of PyTorch wrote by its own hand."""


def names_of(kind: type) -> list[str]:
    return [each.name for each in fields(kind)] if is_dataclass(kind) else list(kind._fields)  # type: ignore[attr-defined]


def document_in(file: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(file)) as members:
        return json.loads(members.read(MEMBER))


def inner(value: Any, depth: int = 3) -> list[Any]:
    """The objects in a member, which may be a list of them, or have them by name."""
    if isinstance(value, list):
        return [each for part in value for each in inner(part, depth)]
    return [value] if isinstance(value, dict) else []


def hold_against_table(record: Record, entries: Sequence[Any], where: str) -> None:
    """Fail where an object has a member that its record does not have, lacks one, or has one of another kind."""
    known = {field.key for field in record.fields} | {field.alias for field in record.fields}
    unknown = {key for entry in entries for key in entry if key not in known}
    assert not unknown, f"{where} has members that the table does not have: {sorted(unknown)}"
    record.columns(entries, lambda at: f"{where}[{at}]")
    for field in record.fields:
        given = [entry[key] for entry in entries for key in (field.key, field.alias) if key in entry]
        by_name = type(field.kind).__name__ == "ByName"
        for each in field.kind.records():
            held = [one for value in given for one in inner(list(value.values()) if by_name else value)]
            hold_against_table(each, held, f"{where}.{field.key}")


def test_every_field_of_a_recording_has_a_row() -> None:
    carried = [field.of for record in records() for field in record.fields if field.of != SAID_ELSEWHERE]
    named = {each.made.__name__ for each in records() if each.made is not tuple} | {k.__name__ for k in SPREAD.values()}
    told = {
        f"{name}.{each}" for name in named for each in names_of(getattr(gradviz.recording, name)) if each
    } - SPREAD.keys()

    # The line of an origin stands where else that of the node would.
    assert told - set(carried) == {"Origin.line"}
    assert {name.partition(".")[0] for name in carried} - {"tuple"} == named


def test_every_class_of_a_recording_is_in_the_table() -> None:
    """A class that nothing but a field of the table mentions would be forgotten by the test above."""
    classes = {
        name
        for name, kind in vars(gradviz.recording).items()
        if isinstance(kind, type) and kind.__module__ == gradviz.recording.__name__
    }

    assert classes == {each.made.__name__ for each in records() if each.made is not tuple} | {"Summaries", "Origin"}


@given(recordings())
@settings(max_examples=60)
def test_any_recording_comes_back_and_is_what_the_table_says(recording: Recording) -> None:
    text, file = json_file.write(recording), gradviz_file.write(recording)

    hold_against_table(DOCUMENT, [json.loads(text)], "json")
    hold_against_table(DOCUMENT, [document_in(file)], "gradviz")
    assert plain(json_file.read(text)) == plain(gradviz_file.read(file)) == plain(recording)


def seen_in(value: Any, found: set[str]) -> None:
    """Add the fields that hold anything but their default: those are what a round trip tries."""
    if isinstance(value, tuple | list | dict) and not hasattr(value, "_fields"):
        for each in value.values() if isinstance(value, dict) else value:
            seen_in(each, found)
    kind = type(value)
    if kind.__module__ != gradviz.recording.__name__:
        return
    defaults = {each.name: each.default for each in fields(kind)} if is_dataclass(kind) else kind._field_defaults
    for name in names_of(kind):
        held = getattr(value, name)
        seen_in(held, found)
        if name not in defaults or not (held is None or held == () or held == {} or held is defaults[name]):
            found.add(f"{kind.__name__}.{name}")


def test_every_field_is_drawn_with_more_than_its_default() -> None:
    """A field that no recording of the round trips has would be lost in silence."""
    found: set[str] = set()

    @seed(0)
    @settings(max_examples=300, database=None)
    @given(recordings())
    def draw(recording: Recording) -> None:
        seen_in(recording, found)

    draw()

    carried = {field.of for record in records() for field in record.fields} - {SAID_ELSEWHERE}
    assert {name for name in carried if not name.startswith("tuple.")} <= found


@pytest.mark.parametrize("file", RECORDED, ids=lambda file: file.stem)
def test_the_recorder_of_pytorch_writes_what_the_table_says(file: Path) -> None:
    hold_against_table(DOCUMENT, [document_in(file.read_bytes())], file.stem)


def test_a_member_that_the_table_does_not_have_is_found() -> None:
    top = json.loads(json_file.write(weighted_sum()))
    top["backward"][0]["steps"][1]["outgoing"][0]["weight"] = 1

    with pytest.raises(AssertionError, match="outgoing has members that the table does not have: \\['weight'\\]"):
        hold_against_table(DOCUMENT, [top], "top")


class Place(NamedTuple):
    """A class of a recording as it might be added to."""

    line: int
    file: str = ""
    note: str | None = None


PLACE = Record("place", Place, (Field("line", COUNT), Field("file", TEXT, default="")))


def test_a_field_is_one_row() -> None:
    more = Record("place", Place, (*PLACE.fields, Field("note", TEXT_OR_NULL, "More about it.", default=None)))
    places = [Place(3), Place(4, "a.py", "here")]

    assert PLACE.write(places) == [{"line": 3}, {"line": 4, "file": "a.py"}]
    written = more.write(places)
    assert written == [{"line": 3}, {"line": 4, "file": "a.py", "note": "here"}]
    assert more.read(written, str) == places
    assert [Draft202012Validator(more.schema()).is_valid({"line": 1, "note": note}) for note in ("x", 5)] == [
        True,
        False,
    ]
    with pytest.raises(FormatError, match=r"^p0\.note is 5, not a string or null\.$"):
        more.read([{"line": 1, "note": 5}], lambda at: f"p{at}")
