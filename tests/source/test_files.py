"""Files into text: scripts as they are, notebooks cell by cell, and one sentence for what is neither."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradviz.errors import FormatError
from gradviz.source.files import decode, read_source
from gradviz.source.magics import without_magics
from gradviz.source.notebook import cell_place, notebook_text, split_cells


def notebook(*code: str | list[str]) -> str:
    return json.dumps({"cells": [{"cell_type": "code", "source": source} for source in code]})


def test_script_is_read_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"\xef\xbb\xbfx = 1\r\ny = 2\r")

    source = read_source(file)

    assert (source.kind, source.name, source.text) == ("script", "a.py", "x = 1\ny = 2\n")


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_script_in_utf_16_is_read_source(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "a.py"
    file.write_bytes("\ufeffx = 1  # \u5c42\r\n".encode(encoding))

    assert read_source(file).text == "x = 1  # \u5c42\n"


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.py", b"", "'a.py' is empty"),
        ("a.py", b"  \n\t\n", "'a.py' is empty"),
        ("a.py", b"x = '\xff'", "'a.py' is not a text file (byte 5 is not UTF-8)"),
        ("a.py", b"\xff\xfex", "'a.py' is not a text file (byte 2 is not UTF-16)"),
        ("a.py", b"x\0", "'a.py' is not a text file"),
        ("a.ipynb", b"{", "it is no JSON"),
        ("a.ipynb", b"[]", "it has no cells"),
        ("a.ipynb", b'{"cells": 3}', "it has no cells"),
        ("a.ipynb", b'{"cells": [{"cell_type": "markdown", "source": "x"}]}', "has no code cells"),
        ("a.ipynb", b"[" * 100_000, "it is no JSON"),
    ],
)
def test_what_is_no_script_says_why(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)

    with pytest.raises(FormatError) as raised:
        read_source(file)

    assert words in raised.value.message
    assert raised.value.hint


def test_missing_file_and_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"'gone\.py' cannot be read: No such file"):
        read_source(tmp_path / "gone.py")
    with pytest.raises(FormatError, match="is a folder"):
        read_source(tmp_path)


def test_saved_recording_is_left_to_the_formats(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text("{}", encoding="utf-8")

    assert read_source(file).kind == "recording"


def test_cells_stand_in_order_under_a_line_with_their_number() -> None:
    text = notebook_text(notebook(["a = 1\n", "b = 2"], "c = 3"), "n.ipynb")

    assert text == "# %% cell 1\na = 1\nb = 2\n\n# %% cell 2\nc = 3\n"


@pytest.mark.parametrize(
    ("code", "plain"),
    [
        ("%matplotlib inline\nx = 1", "# %matplotlib inline\nx = 1"),
        ("!pip install torch", "# !pip install torch"),
        ("print?", "# print?"),
        ("?print", "# ?print"),
        ("if x:\n    !ls\n", "if x:\n    pass  # !ls"),
        ("%%bash\nls\nrm x", "# %%bash\n# ls\n# rm x"),
        ("%%time\nx = 1", "# %%time\nx = 1"),
        ("x = 5 % 3\ny = '?'", "x = 5 % 3\ny = '?'"),
        ("# why?", "# why?"),
        ("", ""),
        ('print("%d"\n      % 3)', 'print("%d"\n      % 3)'),
        ("y = 5 \\\n  % 2\n%pwd\ny", "y = 5 \\\n  % 2\n# %pwd\ny"),
        ('s = """\n!text\n"""\n!ls "it\'s"\n%pwd', 's = """\n!text\n"""\n# !ls "it\'s"\npass  # %pwd'),
        ("files = !ls\nt = %timeit -o f()", "files = []  # !ls\nt = None  # %timeit -o f()"),
        ("d = [1,  # (\n     2]\n%time d", "d = [1,  # (\n     2]\nNone; d"),
        ("if x:\n    %time y = x", "if x:\n    None; y = x"),
        ("y = %time f(x)", "y =       f(x)"),
        ("%time for i in x: f(i)", "for i in x: f(i)"),
        ("!pip install \\\n    torch \\\n    numpy\nx", "# !pip install \\\n#     torch \\\n#     numpy\nx"),
        ("\n%%bash\nls", "# \n# %%bash\n# ls"),
        (">>> def f():\n...     return 1\n...\n>>> f()", "def f():\n    return 1\n\nf()"),
        ("  x = 1\n  if x:\n    y", "x = 1\nif x:\n  y"),
        ("pip install torch", "# pip install torch"),
        ("cd = 1", "cd = 1"),
    ],
)
def test_magics_become_comments_and_lines_stay_countable(code: str, plain: str) -> None:
    assert without_magics(code) == plain
    assert plain.count("\n") == code.rstrip().count("\n")


def test_a_line_of_very_many_spaces_is_read_at_once() -> None:
    line = f"{' ' * 500_000}x"

    assert without_magics(f"y = 1\n{line}") == f"y = 1\n{line}"


def test_place_of_a_line_is_its_cell_and_the_line_in_it() -> None:
    text = notebook_text(notebook("a = 1\nb = 2", "c = 3\n\nd = 4"), "n.ipynb")
    lines = text.split("\n")

    assert cell_place(text, lines.index("b = 2") + 1) == (1, 2)
    assert cell_place(text, lines.index("d = 4") + 1) == (2, 3)
    assert cell_place("x = 1", 1) is None


def test_notebooks_of_the_older_form_keep_their_cells_on_worksheets() -> None:
    code = [{"cell_type": "code", "input": ["a = 1\n", "a"]}, {"cell_type": "heading", "source": "b"}]

    assert notebook_text(json.dumps({"worksheets": [{"cells": code}, {"cells": None}], "nbformat": 3}), "n.ipynb") == (
        "# %% cell 1\na = 1\na\n"
    )


def test_bytes_that_are_no_text_are_refused_with_their_place() -> None:
    with pytest.raises(FormatError, match="byte 3"):
        decode(b"abc\xff", "a.py")


def test_a_text_is_split_into_its_cells_again() -> None:
    text = notebook_text(notebook("%%capture out\na = 1", "", "c = 3\n\nd = 4"), "n.ipynb")

    cells = split_cells(text)

    assert [(cell.number, cell.text, cell.magic) for cell in cells] == [
        (1, "# %%capture out\na = 1", ("%%capture", "out")),
        (2, "", ()),
        (3, "c = 3\n\nd = 4", ()),
    ]
    lines = text.split("\n")
    assert [lines[cell.line - 1] for cell in cells] == ["# %%capture out", "", "c = 3"]
    assert [cell.is_captured for cell in cells] == [True, False, False]
    assert split_cells("x = 1") == []
