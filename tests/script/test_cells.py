"""Notebooks run cell by cell: a cell that is no Python, one whose output is captured, values displayed."""

from __future__ import annotations

from gradviz.errors import ScriptError
from gradviz.imitation.script.run import leaves, run


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


def test_cells_find_what_was_typed_and_shown_before() -> None:
    cells = notebook(
        "1 + 1",
        "_ * 10",
        "",
        "__ + _",
        "x = 5",
        "Out[1], _2, In[4], _i, _ii",
        "Out",
        "for _ in [7]:\n    3\n_",
        "4",
        "_, _8",
    )

    assert run(cells, kind="notebook").recording.output == (
        "2\n20\n22\n(2, 20, 'x = 5', 'x = 5', '__ + _')\n"
        "{1: 2, 2: 20, 3: 22, 5: (2, 20, 'x = 5', 'x = 5', '__ + _')}\n7\n4\n(7, 4)\n"
    )


def test_a_value_kept_for_later_cells_is_no_variable_of_the_script() -> None:
    cells = notebook("import torch\nx = torch.ones(1, requires_grad=True)", "x", "x.sum().backward()")

    done = run(cells, kind="notebook")

    assert done.machine is not None
    assert [name for name, _ in leaves(done.machine.state["globals"])] == ["x"]


def test_the_shell_of_a_notebook_takes_magics_and_tells_what_it_is() -> None:
    cells = notebook(
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "'google.colab' in str(get_ipython()), type(get_ipython()).__name__, 'IPKernelApp' in get_ipython().config",
        "from IPython import get_ipython as asked\nasked() is get_ipython()",
    )

    assert run(cells, kind="notebook").recording.output == "(False, 'ZMQInteractiveShell', True)\nTrue\n"
    assert run("from IPython import get_ipython\nprint(get_ipython())").recording.output == "None\n"


def test_a_name_that_is_not_there_is_not_taken_for_one_of_ours() -> None:
    error = run(notebook("echo"), kind="notebook").error

    assert error is not None
    assert "Did you mean" not in error.hint


def test_what_a_captured_cell_printed_is_kept_under_the_name_it_was_given() -> None:
    cells = notebook("# %%capture out\nprint('kept')", "out.show()", "out.stdout, str(out)", "# %%capture\nout()\n1")

    assert run(cells, kind="notebook").recording.output == "kept\n('kept\\n', 'kept\\n')\n"


def test_each_cell_may_begin_with_what_it_takes_from_the_future() -> None:
    cells = ("x = 1", "from __future__ import annotations\ndef f(x: Unknown): pass\nf")

    assert run(notebook(*cells), kind="notebook").recording.output == "<function __main__.f(x: 'Unknown')>\n"
    returned = run(notebook(*cells, "print(2)", "return 3"), kind="notebook")
    assert isinstance(returned.error, ScriptError)
    assert (returned.recording.output[-2:], returned.error.line) == ("2\n", 13)
    assert isinstance(run("x = 1\n" + cells[1]).error, ScriptError)


def test_display_shows_each_value_as_the_end_of_a_cell_does() -> None:
    cells = notebook("display('a', [1])", "from IPython.display import display, HTML\ndisplay(HTML('x'))")

    shown = run(cells, kind="notebook")

    assert shown.recording.output == "'a'\n[1]\n<IPython.core.display.HTML object>\n"


def test_what_the_compiler_warns_of_is_told_with_its_line() -> None:
    warned = run("x = 1\ny = x is 1\nprint(y)", seed=0).recording.warnings

    assert [(each.line, each.category) for each in warned] == [(2, "SyntaxWarning")]
