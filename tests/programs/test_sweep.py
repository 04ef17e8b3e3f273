"""The sweep makes single calls that stand for themselves, and tells which of them differ."""

from __future__ import annotations

from random import Random

import pytest

from tests.programs.compare import by_gradviz
from tests.programs.single_calls import NAMED, SingleCall, single_calls
from tests.programs.sweep import differences, marked, stopped, told, warned

TAKES_GRADIENT = "x = torch.ones(2, requires_grad=True)"


class Says:
    """Says the same of every script."""

    def __init__(self, said: str) -> None:
        self.said = said

    def says(self, source: str) -> str:
        return self.said


@pytest.mark.parametrize("kind", NAMED)
def test_calls_of_every_kind_run_one_after_another_whatever_they_raise(kind: str) -> None:
    calls = dict(enumerate(single_calls(kind, 2, Random(kind))))
    said = by_gradviz(marked(calls))

    assert told(said).keys() == calls.keys()
    assert stopped(said) == ""


def test_what_is_no_python_is_left_out() -> None:
    writer = SingleCall(Random(0))

    assert not writer.add("t1.t() += 1")
    assert writer.chunks == []


def test_the_call_that_differs_is_told_with_the_line_of_both() -> None:
    calls = {0: ["print(1)"], 1: ["print(2)", "print(3)"], 2: ["print(4)"]}
    said = by_gradviz(marked(calls))

    assert differences(calls, Says(said)) == []
    assert differences(calls, Says(said.replace("3", "5"))) == [(calls[1], "3", "5")]


def test_the_call_at_which_gradviz_stops_is_told_and_the_others_go_on() -> None:
    calls = {0: ["print(1)"], 1: ["print(2)", "1 / 0"], 2: ["print(3)"]}
    without = by_gradviz(marked({0: calls[0], 2: calls[2]}))

    ((chunks, ours, theirs),) = differences(calls, Says(without))

    assert chunks == calls[1]
    assert "ZeroDivisionError" in ours
    assert theirs == ""


def test_a_warning_belongs_to_the_call_that_gave_it() -> None:
    calls = {3: [TAKES_GRADIENT], 4: ["(x * 2).grad"], 5: ["(x * 3).grad"]}
    said = by_gradviz(marked(calls))

    assert [*warned(said, calls).values()] == [4]
    ((chunks, ours, theirs),) = differences(calls, Says(said.partition("\n=== warnings")[0]))
    assert chunks == calls[4]
    assert ours.startswith("UserWarning: The .grad attribute")
    assert theirs == ""
