"""Every script and notebook of the corpus prints, warns and ends as it does in PyTorch 2.13."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.errors import TorchError
from gradviz.script.parsing import cell_place
from gradviz.script.run import Run, run
from gradviz.script.source import read
from gradviz.script.warned import NOTE
from tests.corpus.record import expected, sources, text, without_paths

SOURCES = sources()


def ran(path: Path) -> Run:
    source = read(path)
    return run(source.text, source.name, kind=source.kind, seed=0)


def said(done: Run) -> str:
    """What a run left, in the form of the recordings."""
    recording, error = done.recording, done.error
    source = recording.source
    assert source is not None

    def line(number: int | None) -> int | None:
        """In a notebook lines are counted in each cell."""
        place = cell_place(source.text, number) if source.kind == "notebook" and number is not None else None
        return number if place is None else place[1]

    warned = [
        f"{line(each.line)}: {each.category}: {without_paths(each.message)}"
        for each in recording.warnings
        if each.category not in (NOTE, "stderr")
    ]
    if error is None:
        return text(recording.output, warned, "")
    assert isinstance(error, TorchError), error
    return text(recording.output, warned, f"{line(error.line)}: {error.kind}: {error.message}")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_script_says_what_pytorch_says(path: Path):
    assert said(ran(path)) == expected(path).read_text(encoding="utf-8")
