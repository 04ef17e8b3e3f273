"""Random programs say on gradviz what they say on PyTorch: values, gradients, order of steps, errors, warnings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.programs.compare import alike, by_gradviz, by_pytorch, first_difference
from tests.programs.found import FOUND
from tests.programs.generate import program
from tests.programs.prelude import PRELUDE
from tests.programs.recorded import Recorded, known_to_differ, recorded
from tests.programs.search import shrunk
from tests.programs.writer import script

SAID = json.loads((Path(__file__).parents[1] / "data" / "programs.json").read_text(encoding="utf-8"))
RANDOM = recorded()
DIFFERING = known_to_differ()


@pytest.mark.parametrize("name", FOUND)
def test_what_once_differed_is_what_pytorch_says(name: str) -> None:
    said = by_gradviz(PRELUDE + FOUND[name])

    assert first_difference(said, SAID[name]) is None


@pytest.mark.parametrize("each", RANDOM, ids=[each.seed for each in RANDOM])
def test_random_program_says_what_pytorch_said(each: Recorded) -> None:
    source = script([each.lines])
    found = first_difference(by_gradviz(source), each.said)

    assert (found is not None) is (each.seed in DIFFERING), f"{found}\n{source}"


def test_there_are_two_thousand_random_programs() -> None:
    assert len({each.seed for each in RANDOM}) == len(RANDOM) >= 2_000


@pytest.mark.torch
@pytest.mark.parametrize("each", RANDOM[::20], ids=[each.seed for each in RANDOM[::20]])
def test_live_pytorch_still_says_what_was_recorded(each: Recorded) -> None:
    pytest.importorskip("torch")

    assert first_difference(by_pytorch(script([each.lines])), each.said) is None


# ---- the comparison itself ----


def test_a_program_is_the_same_each_time_it_is_written() -> None:
    assert program("a") == program("a") != program("b")


def test_shrinking_leaves_what_is_needed() -> None:
    assert shrunk([str(n) for n in range(20)], lambda less: {"3", "17"} <= {*less}) == ["3", "17"]


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("g torch.float64 0.1234567890123", "g torch.float64 0.1234567890124", True),
        ("g torch.float64 0.12345678901", "g torch.float64 0.12345678902", False),
        ("g torch.float32 0.1234567", "g torch.float32 0.1234568", True),
        ("g torch.float64 nan", "g torch.float64 nan", True),
        ("g torch.float64 inf", "g torch.float64 1.0", False),
        ("MulBackward0 1.0", "AddBackward0 1.0", False),
        ("print 3 4", "print 3 5", False),
    ],
)
def test_lines_are_alike_up_to_the_last_digits(ours: str, theirs: str, same: bool) -> None:
    assert alike(ours, theirs) is same


def test_a_missing_line_is_a_difference() -> None:
    said = "a\nb\n=== warnings\n=== error\n\n"

    assert first_difference(said, said) is None
    assert first_difference(said, said.replace("b\n", "")) is not None
