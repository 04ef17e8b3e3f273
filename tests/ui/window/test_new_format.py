"""A new format is one row: command line, dialog, notes and sentences about suffixes know it at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.changes import Spot
from gradviz.cli import main, parser
from gradviz.errors import FormatError
from gradviz.export import table
from gradviz.export.row import Family, Library, Row, Subject
from gradviz.export.work import Work
from tests.ui.real_windows import real_window, settle
from tests.ui.windows import choose_file

TEXT = "import torch\nx = torch.tensor([1.0, 2.0], requires_grad=True)\nx.pow(2).sum().backward()\n"


def norms(subject: Subject) -> Work:
    """A line for each gradient, and the notes before them."""
    yield 0.5
    gradients = subject.recording.gradients
    lines = [f"{name} {float((array**2).sum()) ** 0.5:.3f}" for name, array in gradients.items() if array is not None]
    return "\n".join([*subject.notes, *lines, ""]).encode()


NORMS = Row(
    (".norms", ".nrm"),
    "List of norms",
    "The norm of every gradient.",
    Family.TEXT,
    norms,
    frozenset({"sweep", "pace"}),
    notes_place=" in its first line",
)


@pytest.fixture
def with_norms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "ROWS", (*table.ROWS, NORMS))


@pytest.fixture
def script(tmp_path: Path) -> Path:
    file = tmp_path / "one.py"
    file.write_text(TEXT, encoding="utf-8")
    return file


@pytest.fixture
def window(qtbot, tmp_path, with_norms):
    made = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(made)
    made.session.open_script(TEXT, "one.py")
    settle(qtbot, made)
    return made


def test_the_command_line_writes_it_and_names_it(with_norms, script, tmp_path, capsys):
    assert main(["export", str(script), str(tmp_path / "a.norms"), str(tmp_path / "b.NRM")]) == 0
    assert (tmp_path / "a.norms").read_text() == (tmp_path / "b.NRM").read_text() == "x 4.472\n"

    with pytest.raises(SystemExit):
        parser().parse_args(["export", "--help"])
    assert ".norms .nrm" in " ".join(capsys.readouterr().out.split())
    assert main(["export", str(script), str(tmp_path / "a.bmp")]) == 2
    assert ".mp4, .norms, .nrm, .pdf" in capsys.readouterr().err
    assert main(["export", "--pace", "2", str(script), str(tmp_path / "a.svg")]) == 2
    assert "--pace is for .gif, .apng, .mp4, .norms, .nrm, not for .svg" in capsys.readouterr().err
    assert main(["export", "--pace", "2", str(script), str(tmp_path / "a.norms")]) == 0


def test_without_its_row_it_is_unknown(script, tmp_path, capsys):
    assert main(["export", str(script), str(tmp_path / "a.norms")]) == 2
    assert "gradviz cannot write '.norms' files" in capsys.readouterr().err


def test_the_dialog_offers_and_writes_it(qtbot, window, monkeypatch, tmp_path):
    window.trigger("export")
    dialog = window.files._export
    place = dialog.format.findText("List of norms (*.norms *.nrm)")
    dialog.format.setCurrentIndex(place)
    assert dialog.holds.text() == "The norm of every gradient."
    assert dialog.form.isRowVisible(dialog.pace)
    assert not dialog.form.isRowVisible(dialog.legend)

    choose_file(monkeypatch, "getSaveFileName", tmp_path / "a")
    with qtbot.waitSignal(dialog.wrote):
        dialog.go.click()

    assert (tmp_path / "a.norms").read_text() == "x 4.472\n"
    with pytest.raises(FormatError, match=r"choose one of .*\.py, \.norms"):
        window.files.export_to(tmp_path / "a.bmp")


def test_the_notes_of_a_what_if_are_in_it_and_said(qtbot, window, tmp_path):
    window.session.supposing.change(Spot(0, 1), 3.5)
    settle(qtbot, window)
    window.trigger("export")
    dialog = window.files._export
    dialog.format.setCurrentIndex(dialog.format.findData(".norms"))

    window.files.export_to(tmp_path / "a.norms")

    assert "says so in its first line" in dialog.holds.text()
    assert (tmp_path / "a.norms").read_text().startswith("What if: x[1] = 3.5 (was 2).")
    dialog.reject()


def test_what_it_needs_is_said_where_it_is_missing(qtbot, tmp_path, script, monkeypatch, capsys):
    needing = Row((".norms",), "Norms", "Norms.", Family.TEXT, norms, needs=Library(
        "no_such_library", "norms need it, which is not installed", "it>=1", "A .csv needs nothing."
    ))  # fmt: skip
    monkeypatch.setattr(table, "ROWS", (*table.ROWS, needing))

    assert main(["export", str(script), str(tmp_path / "a.norms")]) == 2

    assert 'norms need it, which is not installed. Install it: "' in capsys.readouterr().err
    assert not (tmp_path / "a.norms").exists()


def test_no_suffix_belongs_to_two_rows():
    named = table.suffixes()

    assert len(named) == len(set(named))
    assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in named)
