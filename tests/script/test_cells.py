"""Notebooks run cell by cell: a cell that is no Python, one whose output is captured, values displayed."""

from __future__ import annotations

from gradviz.errors import ScriptError
from gradviz.script.run import run


def notebook(*cells: str) -> str:
    return "\n\n".join(f"# %% cell {number}\n{cell}" for number, cell in enumerate(cells, 1)) + "\n"


def test_cells_before_one_that_is_no_python_have_run() -> None:
    done = run(notebook("print('first')", "1 + 1", "if x > 1\n    print(x)", "print('last')"), kind="notebook")

    assert done.recording.output == "first\n2\n"
    assert isinstance(done.error, ScriptError)
    assert done.error.message == "SyntaxError: expected ':'"
    assert done.error.line == 8


def test_what_a_captured_cell_prints_is_heard_by_nobody() -> None:
    done = run(notebook("# %%capture out\nprint('quiet')\n5", "print('loud')"), kind="notebook")

    assert done.recording.output == "loud\n"


def test_display_shows_each_value_as_the_end_of_a_cell_does() -> None:
    cells = notebook("display('a', [1])", "from IPython.display import display, HTML\ndisplay(HTML('x'))")

    shown = run(cells, kind="notebook")

    assert shown.recording.output == "'a'\n[1]\n<IPython.core.display.HTML object>\n"


def test_what_the_compiler_warns_of_is_told_with_its_line() -> None:
    warned = run("x = 1\ny = x is 1\nprint(y)", seed=0).recording.warnings

    assert [(each.line, each.category) for each in warned] == [(2, "SyntaxWarning")]
