"""Exports as text, from the command line and from the window."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

from gradviz.cli import main
from gradviz.export.texts import TEXTS
from gradviz.formats import save
from gradviz.recording import ChangedNumber, SavedView
from tests.recorded import run

SQUARE = "import torch\nx = torch.tensor(3., requires_grad=True)\ny = x ** 2\ny.backward()\nprint(x.grad)\n"


@pytest.fixture
def square(tmp_path: Path) -> Path:
    file = tmp_path / "square.py"
    file.write_text(SQUARE, encoding="utf-8")
    return file


def test_every_text_is_written_by_its_suffix(square: Path, tmp_path: Path) -> None:
    outs = [tmp_path / f"out{suffix}" for row in TEXTS for suffix in row.suffixes]

    assert main(["export", str(square), *map(str, outs)]) == 0

    assert len(nx.read_graphml(tmp_path / "out.graphml")) == 2
    assert (tmp_path / "out.dot").read_text(encoding="utf-8").startswith("digraph")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8-sig").splitlines()[1].startswith("1,y (pow),1,")
    assert (tmp_path / "out.md").read_text(encoding="utf-8").startswith("## backward call 1, line 4")
    done = subprocess.run(
        [sys.executable, "-I", str(tmp_path / "out.py")], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert done.stdout == "x.grad = 6.0\n"


def test_a_script_is_not_replaced_by_its_own_export(square: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(square), str(square)]) == 2

    assert capsys.readouterr().err.count("\n") == 1
    assert square.read_text(encoding="utf-8") == SQUARE


def test_an_op_that_is_not_written_out_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "gamma.py"
    file.write_text("import torch\nx = torch.ones(3, requires_grad=True)\nx.lgamma().sum().backward()\n")

    assert main(["export", str(file), str(tmp_path / "out.py")]) == 2

    assert "does not write out lgamma" in capsys.readouterr().err
    assert not (tmp_path / "out.py").exists()


@pytest.mark.parametrize(("name", "begins"), [("sheet.html", b"<!DOCTYPE html>"), ("sheet.pdf", b"%PDF")])
def test_a_worksheet_is_written(qapp: object, square: Path, tmp_path: Path, name: str, begins: bytes) -> None:
    assert main(["steps", "--worksheet", str(tmp_path / name), str(square)]) == 0

    assert (tmp_path / name).read_bytes().startswith(begins)


def test_a_worksheet_of_another_kind_is_one_line(
    square: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["steps", "--worksheet", str(tmp_path / "sheet.doc"), str(square)]) == 2

    assert capsys.readouterr().err.endswith("a worksheet is a .pdf or an .html file\n")


def test_one_file_that_cannot_be_written_keeps_no_other_from_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gamma.py"
    file.write_text("import torch\nx = torch.ones(3, requires_grad=True)\nx.lgamma().sum().backward()\n")

    assert main(["export", str(file), str(tmp_path / "out.py"), str(tmp_path / "out.md")]) == 2

    assert capsys.readouterr().err.count("\n") == 1
    assert (tmp_path / "out.md").exists()


def test_a_saved_what_if_is_not_taken_for_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = replace(run(SQUARE).recording, view=SavedView(sweep=0, what_if=(ChangedNumber(0, 0, None, None, 5.0),)))
    save(recording, tmp_path / "saved.json")

    assert main(["export", str(tmp_path / "saved.json"), str(tmp_path / "again.gradviz")]) == 0
    assert capsys.readouterr().err == ""
    assert main(["export", str(tmp_path / "saved.json"), str(tmp_path / "out.md")]) == 0

    assert "numbers are those of the run" in capsys.readouterr().err
    assert "x.grad = 6" in (tmp_path / "out.md").read_text(encoding="utf-8")
