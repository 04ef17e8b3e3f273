"""Values of cells are shown, those of scripts are not; and what only a notebook understands is told."""

from __future__ import annotations

import json

import pytest

from gradviz.imitation.script.run import run
from gradviz.source.notebook import notebook_text as cells


def notebook(*code: str | list[str]) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": source} for source in code]})


def test_last_value_of_a_cell_is_shown_unless_it_is_none_or_silenced() -> None:
    text = cells(notebook("1\n2", "'a'", "None", "3;", "x = 4", "if True:\n    5", "[x,\n 6]"), "n.ipynb")

    assert run(text, kind="notebook").recording.output == "2\n'a'\n[4, 6]\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("%matplotlib inline", "notebook's command"),
        ("!pip install torch", "notebook's command"),
        ("pip install torch", "notebook's command"),
        ("torch.sum?", "notebook's command"),
        (">>> x = 1", "prompt"),
        ("In [3]: x = 1", "prompt"),
        ("x = = 1", "Look at this place"),
    ],
)
def test_what_only_a_notebook_understands_is_told_in_a_script(line: str, words: str) -> None:
    error = run(f"x = 1\n{line}\n").error

    assert error is not None
    assert error.line == 2
    assert words in error.hint


def test_values_of_a_script_are_not_shown() -> None:
    assert run("1\n'a'").recording.output == ""


def test_last_value_of_a_script_is_shown_where_it_is_asked_for() -> None:
    assert run("1\nx = 2\nx", echo_last=True).recording.output == "2\n"
    assert run("x = 2", echo_last=True).recording.output == ""
