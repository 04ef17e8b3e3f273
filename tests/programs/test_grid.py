"""The grid makes calls that stand for themselves and run here, whatever they raise."""

from __future__ import annotations

from random import Random

import pytest

from tests.programs.compare import by_gradviz
from tests.programs.families import FAMILIES
from tests.programs.grid import call, calls, combinations
from tests.programs.sweep import marked, stopped, told


@pytest.mark.parametrize("family", FAMILIES)
def test_calls_of_every_template_run_one_after_another_whatever_they_raise(family: str) -> None:
    made = [each for _, some in calls(FAMILIES[family], 3, Random(family)) for each in some]
    numbered = dict(enumerate(made))
    said = by_gradviz(marked(numbered))

    assert stopped(said) == ""
    assert told(said).keys() == numbered.keys()


def test_few_combinations_are_taken_all_and_of_many_so_many() -> None:
    values = {"a": ("1", "2"), "b": ("3", "4", "5")}

    assert list(combinations(values, 6, Random(0))) == [(a, b) for a in "12" for b in "345"]
    assert len(list(combinations(values, 5, Random(0)))) == 5


def test_values_with_a_dollar_are_written_into_the_call_and_others_are_told_with_their_gradients() -> None:
    given = {"x": "torch.tensor(3., dtype=torch.float64, requires_grad=True)", "n": "2"}
    said = told(by_gradviz(marked({0: call("x.pow($n)", given, is_higher=True)})))[0]

    assert said[0] == "r torch.float64 () False True PowBackward0 9.0"
    assert "given torch.float64 () True True None 3.0" in said
    assert "g torch.float64 () False True MulBackward0 108.0" in said  # of x ** 4
    assert said[-1].startswith("gg torch.float64 () ")
    assert said[-1].endswith(" 23328.0")  # of 16 x ** 6
