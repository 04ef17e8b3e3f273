"""Random programs say on gradviz what they say on PyTorch: values, gradients, order of steps, errors, warnings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.programs.compare import alike, by_gradviz, by_pytorch, first_difference
from tests.programs.found import FOUND
from tests.programs.generate import program
from tests.programs.prelude import PRELUDE
from tests.programs.search import shrunk
from tests.programs.writer import script

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "programs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", FOUND)
def test_what_once_differed_is_what_pytorch_says(name: str) -> None:
    said = by_gradviz(PRELUDE + FOUND[name])

    assert first_difference(said, RECORDED["found"][name]) is None


@pytest.mark.parametrize("number", range(len(RECORDED["random"])))
def test_random_program_says_what_pytorch_said(number: int) -> None:
    recorded = RECORDED["random"][number]
    source = script([recorded["lines"]])

    assert first_difference(by_gradviz(source), recorded["said"]) is None, source


@pytest.mark.torch
@pytest.mark.parametrize("number", range(0, len(RECORDED["random"]), 7))
def test_live_pytorch_still_says_what_was_recorded(number: int) -> None:
    pytest.importorskip("torch")
    recorded = RECORDED["random"][number]

    assert first_difference(by_pytorch(script([recorded["lines"]])), recorded["said"]) is None


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
