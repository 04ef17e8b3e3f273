"""The shipped JSON Schema takes what gradviz writes and refuses what it would not read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft202012Validator

from gradviz.document import schema
from gradviz.formats import json_file
from gradviz.recording import Recording
from gradviz.shipped import shipped
from tests.formats.recordings import recordings
from tests.formats.test_json_bad_files import CHANGES, good
from tests.samples import random_graph, weighted_sum

SCHEMA: dict[str, Any] = json.loads(shipped("schema", "gradviz-1.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)

# What depends on two places of a file is beyond a schema; the reader refuses these.
BEYOND = {
    *("wrong shape", "shape of more", "large shape", "huge shape", "huge empty shape", "grad shape", "ragged gradient"),
    *("cycle", "own input", "duplicate id", "id left out", "slot twice", "to elsewhere", "seed shape"),
    *("step nowhere", "output nowhere", "grad nowhere", "no seed", "seed null", "size a float"),
    *("view of no pass", "view of more v", "framing nowhere", "what if nowhere"),
}


def test_the_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "recording", [Recording(), weighted_sum(), random_graph(100)], ids=["empty", "small", "larger"]
)
def test_an_export_is_valid(recording: Recording) -> None:
    VALIDATOR.validate(json.loads(json_file.dumps(recording)))


@given(recordings())
@settings(max_examples=40)
def test_any_export_is_valid(recording: Recording) -> None:
    VALIDATOR.validate(json.loads(json_file.dumps(recording)))


@pytest.mark.parametrize("case", sorted(CHANGES.keys() - BEYOND))
def test_a_member_out_of_place_is_invalid(case: str) -> None:
    top = good()
    CHANGES[case][0](top)

    assert not VALIDATOR.is_valid(top)


@pytest.mark.parametrize("case", sorted(BEYOND))
def test_what_is_beyond_the_schema_is_valid_to_it(case: str) -> None:
    top = good()
    CHANGES[case][0](top)

    assert VALIDATOR.is_valid(top)


def test_the_shipped_file_is_what_the_table_of_fields_gives() -> None:
    shipped_text = shipped("schema", "gradviz-1.schema.json").read_text(encoding="utf-8")

    assert shipped_text == schema.text(), "python -m gradviz.document.schema writes it"


def test_another_version_is_invalid() -> None:
    assert not VALIDATOR.is_valid({**good(), "version": 2})
