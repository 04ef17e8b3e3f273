"""Cells: values shown, what was typed and shown before, captured output, a cell that is no Python."""

from __future__ import annotations

import re
from collections import defaultdict

import pytest

from gradviz.trace.pretty import shown
from tests import recorded
from tests.run.scripts import Ran, output_of, run


def notebook(*cells: str) -> str:
    """The text of a notebook with these cells."""
    return "\n\n".join(f"# %% cell {number}\n{cell}" for number, cell in enumerate(cells, 1)) + "\n"


def ran(*cells: str) -> Ran:
    """A notebook that has run."""
    return run(notebook(*cells), kind="notebook")


def test_the_value_of_a_last_line_is_shown() -> None:
    done = ran("1 + 1", "x = 2\nx", "None", "x; ", "x;", "x\ny = 3", "[1,\n 2]")

    assert (done.message, done.output) == ("", "2\n2\n[1, 2]\n")


@pytest.mark.parametrize(
    ("text", "output"), [("x = 1\nx + 1", "2\n"), ("x = 1", ""), ("print(1)", "1\n"), ("'a'", "'a'\n"), ("5;", "")]
)
def test_a_script_shows_its_last_value_when_asked(text: str, output: str) -> None:
    assert run(text, echo_last=True).output == output
    assert run(text).output == ("1\n" if text == "print(1)" else "")


def test_cells_before_one_that_is_no_python_have_run() -> None:
    done = ran("print('first')", "1 + 1", "if x > 1\n    print(x)", "print('last')")

    assert done.output == "first\n2\n"
    assert done.message == "SyntaxError: expected ':'"
    assert done.place == (8, 9)


def test_cells_find_what_was_typed_and_shown_before() -> None:
    done = ran(
        "1 + 1", "_ * 10", "", "__ + _", "x = 5", "Out[1], _2, In[4], _i, _ii", "Out", "for _ in [7]:\n    3\n_", "4",
        "_, _8",
    )  # fmt: skip

    assert done.output == (
        "2\n20\n22\n(2, 20, 'x = 5', 'x = 5', '__ + _')\n"
        "{1: 2, 2: 20, 3: 22, 5: (2, 20, 'x = 5', 'x = 5', '__ + _')}\n7\n4\n(7, 4)\n"
    )


def test_a_value_kept_for_later_cells_is_no_variable_of_the_script() -> None:
    assert "_1" not in ran("5", "x = _1").result.variables


def test_what_a_captured_cell_prints_is_kept_under_the_name_it_was_given() -> None:
    done = ran(
        "# %%capture out\nprint('kept')", "out.show()", "out.stdout, str(out)", "# %%capture\nout()\n1", "print(2)"
    )

    assert done.output == "kept\n('kept\\n', 'kept\\n')\n2\n"


def test_the_shell_of_a_notebook_takes_magics_and_tells_what_it_is() -> None:
    done = ran(
        "get_ipython().run_line_magic('matplotlib', 'inline')",
        "'google.colab' in str(get_ipython()), type(get_ipython()).__name__, 'IPKernelApp' in get_ipython().config",
        "from IPython import get_ipython as asked\nasked() is get_ipython()",
    )

    assert done.output == "(False, 'ZMQInteractiveShell', True)\nTrue\n"
    assert run("from IPython import get_ipython\nprint(get_ipython())").output == "None\n"


def test_display_shows_each_value_as_the_end_of_a_cell_does() -> None:
    done = ran("display('a', [1])", "from IPython.display import display, HTML\ndisplay(HTML('x'))", "plt.plot([1])")

    assert done.output == "'a'\n[1]\n<IPython.core.display.HTML object>\n"


def test_each_cell_may_begin_with_what_it_takes_from_the_future() -> None:
    cells = ("x = 1", "from __future__ import annotations\ndef f(x: Unknown): pass\nf")

    assert ran(*cells).output == "<function __main__.f(x: 'Unknown')>\n"
    returned = ran(*cells, "print(2)", "return 3")
    assert (returned.output[-2:], returned.place[0]) == ("2\n", 13)


def test_an_error_in_a_cell_has_the_line_in_the_whole_text() -> None:
    assert ran("x = 1", "\n1 / 0").place == (6, 1)


class Text:
    """A value with a given repr."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


LONG = Text("tensor(" + 40 * "1" + ")")
MATRIX = Text("tensor([[1., 2.],\n        [3., 4.]])")

# Recorded from IPython 9.18, pretty().
CASES = [
    ([1, 2, 3], "[1, 2, 3]"),
    ((1,), "(1,)"),
    ((), "()"),
    (set(), "set()"),
    (frozenset({2, 1}), "frozenset({1, 2})"),
    ({"a": [1, 2], "b": ()}, "{'a': [1, 2], 'b': ()}"),
    ((LONG, LONG), f"({LONG},\n {LONG})"),
    ((MATRIX, 1), "(tensor([[1., 2.],\n         [3., 4.]]),\n 1)"),
    ({"w": MATRIX, "b": 1}, "{'w': tensor([[1., 2.],\n         [3., 4.]]),\n 'b': 1}"),
    (defaultdict(list, a=[1]), "defaultdict(list, {'a': [1]})"),
    (
        defaultdict(list, a=[LONG], b=[LONG]),
        f"defaultdict(list,\n            {{'a': [{LONG}],\n             'b': [{LONG}]}})",
    ),
    ([(LONG, 1), (LONG, LONG)], f"[({LONG}, 1),\n ({LONG},\n  {LONG})]"),
]


@pytest.mark.parametrize(("value", "text"), CASES, ids=range(len(CASES)))
def test_a_value_is_shown_as_ipython_shows_it(value: object, text: str) -> None:
    assert shown(value) == text


@pytest.mark.parametrize(
    ("source", "start"),
    [
        ("def f(x, y=1): pass\nf", "<function __main__.f(x, y=1)>"),
        ("class A: pass\nA", "__main__.A"),
        ("class A: pass\nA()", "<__main__.A at 0x"),
        ("int", "int"),
        ("object()", "<object at 0x"),
        ("len", "<function len(obj, /)>"),
        ("from types import SimpleNamespace as S\nS(a=1, b=[2])", "namespace(a=1, b=[2])"),
        ("from collections import *\nCounter('aab'), deque([1]), defaultdict(list)", "(Counter({'a': 2, 'b': 1}), deque([1]), defaultdict(list, {}))"),
    ],
)  # fmt: skip
def test_objects_are_shown_as_ipython_shows_them(source: str, start: str) -> None:
    assert run(source, echo_last=True).output.startswith(start)


@pytest.mark.parametrize(
    ("source", "pattern"),
    [
        ("torch.manual_seed(0)", r"<torch\._C\.Generator at 0x[0-9a-f]+>\n"),
        ("print(torch.manual_seed(0))", r"<torch\._C\.Generator object at 0x[0-9a-f]+>\n"),
        ("torch.ones(2, requires_grad=True).exp().grad_fn", r"<ExpBackward0 at 0x[0-9a-f]+>\n"),
        ("torch.nn.Linear", r"torch\.nn\.modules\.linear\.Linear\n"),
    ],
)
def test_what_pytorch_gives_is_shown_as_ipython_shows_it(source: str, pattern: str) -> None:
    output = recorded.run(f"# %% cell 1\nimport torch\n{source}\n", kind="notebook").recording.output

    assert re.fullmatch(pattern, output)


def test_a_list_that_holds_itself_or_is_deep_ends() -> None:
    value: list[object] = [1]
    value.append(value)
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]

    assert shown(value) == "[1, [...]]"
    assert shown(deep).count("[") > 100


def test_only_the_first_thousand_members_are_shown() -> None:
    lines = shown(list(range(1_001))).split("\n")

    assert (lines[-2], lines[-1], len(lines)) == (" 999,", " ...]", 1_001)


def test_a_semicolon_in_a_text_does_not_silence() -> None:
    assert output_of("'a;'", echo_last=True) == "'a;'\n"
