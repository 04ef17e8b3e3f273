"""What is met, what is missed, and what the noise of a run leaves open."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from functools import partial

import pytest

from tests.benchmarks import run
from tests.benchmarks.figures import MET, MISSED, NOISY, UNAIMED, Row, in_turns, interval, judged, row, table

CONTRACT = {"bench", "case", "against", "ratio", "aim", "unit", "value", "n"}


def told(ours: list[float], aim: float | None, **more: object) -> Row:
    return row("made", "a case", ours, str(more.pop("unit", "ms")), 3, aim=aim, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("ours", "theirs", "aim", "unit", "verdict"),
    [
        ([2.0, 2.1, 2.2], [1.0, 1.0, 1.0], 2.5, "ms", MET),
        ([2.0, 2.0, 2.0], [1.0, 1.0, 1.0], 2.0, "ms", MET),
        ([2.0, 2.1, 2.2], [1.0, 1.0, 1.0], 1.9, "ms", MISSED),
        ([2.0, 2.1, 2.2], [1.0, 1.0, 1.0], 2.05, "ms", NOISY),
        ([4.0, 8.0, 2.0], [2.0, 4.0, 1.0], 1.9, "ms", MISSED),  # other work slows both sides of a round
        ([12.0, 13.0, 14.0], None, 16.0, "ms", MET),
        ([17.0, 18.0, 19.0], None, 16.0, "ms", MISSED),
        ([15.0, 18.0, 19.0], None, 16.0, "ms", NOISY),
        ([70.0, 72.0, 74.0], None, 60.0, "images a second", MET),
        ([50.0, 52.0, 54.0], None, 60.0, "images a second", MISSED),
        ([50.0, 52.0, 64.0], None, 60.0, "images a second", NOISY),
        ([50.0], None, None, "ms", UNAIMED),
    ],
)
def test_aim_is_missed_only_where_the_noise_cannot_explain_it(ours, theirs, aim, unit, verdict) -> None:
    assert judged(told(ours, aim, theirs=theirs, unit=unit)) == verdict


def test_row_has_what_readers_of_rows_rely_on() -> None:
    made = told([4.0, 9.0, 2.0], 1.9, theirs=[2.0, 3.0, 1.0], against="it")

    assert made.keys() >= CONTRACT
    assert (made["ratio"], made["value"], made["aim"], made["low"], made["high"]) == (2.0, 4.0, 1.9, 2.0, 3.0)
    assert json.loads(json.dumps(made)) == made


def test_one_slow_round_of_many_moves_neither_figure_nor_interval() -> None:
    calm = [1.0, 1.1, 0.9, 1.0, 1.05, 0.95, 1.0, 1.02, 0.98, 1.0, 1.01]
    low, high = interval([*calm[:-1], 50.0])

    assert 0.9 <= low <= statistics.median(calm) <= high <= 1.1


@pytest.mark.parametrize(("count", "cut"), [(1, 0), (2, 0), (5, 0), (8, 0), (9, 1), (11, 1), (12, 2), (25, 7)])
def test_interval_leaves_out_as_many_as_the_sign_test_allows(count: int, cut: int) -> None:
    assert interval(list(map(float, range(count)))) == (cut, count - 1 - cut)


def test_sides_take_turns() -> None:
    ran: list[str] = []

    def noted(name: str) -> float:
        ran.append(name)
        return float(len(ran))

    sides = {name: partial(noted, name) for name in "ab"}

    found = in_turns(sides, 5)

    assert [sorted(ran[i : i + 2]) for i in range(0, 10, 2)] == [["a", "b"]] * 5
    assert sorted(found["a"] + found["b"]) == list(range(1, 11))


def test_table_puts_what_is_missed_last() -> None:
    lines = table([told([3.0], 2.0), told([1.0], None), told([1.0], 2.0)]).splitlines()

    assert [line.split("  ")[0].strip() for line in lines] == ["", UNAIMED, MET, MISSED]


@pytest.mark.parametrize(("took", "arguments", "code"), [(3.0, ["--judge"], 1), (3.0, [], 0), (1.0, ["--judge"], 0)])
def test_exit_code_says_whether_an_aim_is_missed(monkeypatch, capsys, took, arguments, code) -> None:
    def rows(_name: str, _smoke: bool) -> Iterator[Row]:
        yield told([took], 2.0)

    monkeypatch.setattr(run, "rows", rows)

    assert run.main([*arguments, "start"]) == code
    printed = capsys.readouterr().out
    assert json.loads(printed.splitlines()[0])["value"] == took
    assert ("a case" in printed.partition("\n")[2]) is bool(arguments)


def test_unknown_name_is_said_before_anything_runs(monkeypatch, capsys) -> None:
    monkeypatch.setattr(run, "rows", lambda *_: pytest.fail("ran"))

    with pytest.raises(SystemExit):
        run.main(["start", "strat"])

    assert "'strat' is not a benchmark. There are: " in capsys.readouterr().err


def test_names_are_those_that_have_cases() -> None:
    assert {"engine", "script", "files", "canvas", "layout", "capture", "start"} <= set(run.names())
    assert not {"figures", "run", "graphs", "test_judging"} & set(run.names())
