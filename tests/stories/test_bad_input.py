"""Bad files through the whole program: one line on stderr that names the file, exit 2, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from gradviz.cli import main
from gradviz.formats import json_file
from tests.samples import weighted_sum


class Bad(NamedTuple):
    """A file that cannot be opened, and what must be said of it."""

    name: str
    content: bytes
    words: str


GOOD_JSON = json_file.write(weighted_sum())
NODE = json.loads(GOOD_JSON)["nodes"][0]


def changed(key: str, value: object) -> bytes:
    """The good file with another value under a key."""
    return json.dumps(json.loads(GOOD_JSON) | {key: value}).encode()


BAD = (
    Bad("empty.py", b"", "empty"),
    Bad("binary.py", b"\0\1\2", "not a text file"),
    Bad("latin.py", b"x = 1 # \xff\n", "byte 8 is not UTF-8"),
    Bad("open.py", b"x = (1,\n", "open.py:1:5: SyntaxError: '(' was never closed"),
    Bad("system.py", b"import os\nos.system('ls')\n", "system.py:2:1: PermissionError: a script here starts"),
    Bad("read.py", b"x = 1\nopen('secret')\n", "read.py:2:1: "),
    Bad("name.py", b"import torch\ny = torch.tnesor(1.0)\n", "name.py:2:"),
    Bad("grad.py", b"import torch\nx = torch.ones(2)\nx.backward()\n", "grad.py:3:1: RuntimeError: element 0 of"),
    Bad("shape.py", b"import torch\ntorch.ones(2) + torch.ones(3)\n", "shape.py:2:1: RuntimeError: The size of"),
    Bad("deep.py", b"x = " + b"(" * 5000 + b")" * 5000 + b"\n", "deep.py"),
    Bad("broken.ipynb", b"{", "broken.ipynb"),
    Bad("no_cells.ipynb", b'{"cells": []}', "no code cells"),
    Bad("empty.json", b"", "empty.json: The file is empty. Export the recording again."),
    Bad("binary.json", b"\x89PNG\0", "binary.json: The file is binary"),
    Bad("script.json", b"import torch\n", "script.json:1:1: The file is not JSON"),
    Bad("half.json", GOOD_JSON[: len(GOOD_JSON) // 2], "The file breaks off here: its end is missing."),
    Bad("later.json", changed("version", 2), "later.json: The file is format version 2;"),
    Bad("other.json", b'{"model": 1}', 'it does not say "format": "gradviz"'),
    Bad("place.json", changed("nodes", [NODE | {"shape": [3]}]), "place.json: nodes[0].value is not"),
)  # fmt: skip


@pytest.mark.parametrize("command", ["run", "export", "check"])
@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.name)
def test_a_bad_file_is_one_line_on_stderr(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], bad: Bad, command: str
) -> None:
    file, out = tmp_path / bad.name, tmp_path / "out.json"
    file.write_bytes(bad.content)

    code = main([command, str(file), *([str(out)] if command == "export" else [])])

    printed = capsys.readouterr()
    assert code == 2
    assert printed.err.count("\n") == 1
    assert bad.words in printed.err
    assert bad.name in printed.err
    assert "Traceback" not in printed.err
    assert not out.exists()


@pytest.mark.parametrize("command", ["run", "check"])
def test_a_file_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path, command: str) -> None:
    assert main([command, str(tmp_path / "gone.py")]) == 2
    assert "'gone.py' cannot be read: No such file or directory" in capsys.readouterr().err


def test_a_folder_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["run", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_to_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "fine.py"
    script.write_text("print(1)\n")

    assert main(["export", str(script), str(tmp_path / "gone" / "out.json")]) == 2
    assert "out.json cannot be written: No such file or directory." in capsys.readouterr().err


def test_a_suffix_that_is_no_format_is_refused_before_anything_runs(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["export", str(tmp_path / "not_read.py"), str(tmp_path / "out.xml")]) == 2
    assert "out.xml: gradviz cannot write '.xml' files" in capsys.readouterr().err


def test_what_was_printed_before_an_error_is_printed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    script = tmp_path / "half.py"
    script.write_text("print('before')\nx = 1 / 0\nprint('after')\n")

    assert main(["run", str(script)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "before\n"
    assert "half.py:2:" in printed.err
    assert "ZeroDivisionError" in printed.err
