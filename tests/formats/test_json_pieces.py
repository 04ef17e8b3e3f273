"""A large JSON text is parsed in pieces, and what comes of it is what comes of it as a whole."""

from __future__ import annotations

import random

import orjson
import pytest
from hypothesis import given, settings

from gradviz.errors import Cancelled, FormatError
from gradviz.formats import json_file, json_parse
from gradviz.formats.watched import Nobody
from gradviz.recording import Recording
from tests.formats.recordings import plain, recordings
from tests.formats.test_snapshot import Waiting
from tests.samples import random_graph

LONG = json_file.write(random_graph(300)).decode()


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_parse, "PIECE", 1_000)


@given(recordings())
@settings(max_examples=150)
def test_what_is_read_in_pieces_is_what_was_written(recording: Recording) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_parse, "PIECE", 300)

        assert plain(json_file.read(json_file.write(recording))) == plain(recording)


def test_no_piece_and_no_rest_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    usual = orjson.loads

    def loads(text: str) -> object:
        sizes.append(len(text))
        return usual(text)

    monkeypatch.setattr(json_parse.orjson, "loads", loads)

    assert json_parse.parse_fast(LONG, Nobody()) == usual(LONG)
    assert len(sizes) > 50
    assert max(sizes) < len(LONG) / 5


def test_whoever_waits_hears_of_each_piece_and_can_end_it() -> None:
    waiting = Waiting()
    json_parse.parse_fast(LONG, waiting)

    assert len(waiting.heard) > 50
    with pytest.raises(Cancelled):
        json_parse.parse_fast(LONG, Waiting(20))


LINES = ",".join(f'\n{{"id":{at},"pad":"{"x" * 40}"}}' for at in range(100))


@pytest.mark.parametrize(
    "inside",
    [
        f'"nodes":[{LINES}]',
        f'"params":[{LINES}]',
        f'"nodes":[{LINES}],"nodes":[]',
        f'"nodes":[[{LINES}]]',
        f'"backward":[{{"steps":[{LINES}],"accumulated":[{LINES.replace("id", "node")}]}}]',
        f'"backward":[{LINES}]',
        f'"nodes":"{LINES[1:9]}"',
        f'"nodes":[1,{LINES},2]',
        f'"nodes":[{LINES},]',
        f'"nodes":{{"a":{LINES}}}',
        f'"nodes":[{LINES}',
    ],
)
def test_a_text_that_is_other_than_ours_is_read_as_a_whole_or_refused_as_one(inside: str) -> None:
    text = f'{{"format":"gradviz","version":1,{inside}}}'
    try:
        whole = orjson.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            json_parse.parse_fast(text, Nobody())
        return

    assert json_parse.parse_fast(text, Nobody()) == whole


def test_a_text_that_is_damaged_anywhere_is_refused_with_its_place() -> None:
    rng = random.Random(0)
    for _ in range(60):
        at = rng.randrange(len(LONG))
        damaged = LONG[:at] + rng.choice('{}[],:"\n0') + LONG[at + rng.randrange(2) :]
        try:
            whole = orjson.loads(damaged)
        except ValueError:
            with pytest.raises(FormatError):
                json_file.loads(damaged)
        else:
            assert json_parse.parse_fast(damaged, Nobody()) == whole
