"""Every script and notebook of the corpus prints, warns and ends as it does in PyTorch 2.13, in the old interpreter."""

from __future__ import annotations

from pathlib import Path

import pytest

from gradviz.errors import TorchError
from gradviz.imitation.script.errors.warned import NOTE
from gradviz.imitation.script.run import Run, run
from gradviz.source.files import read_source
from gradviz.source.notebook import cell_place
from tests.corpus.corpus import HERE, expected, recording_text, sources, without_paths
from tests.corpus.test_corpus import skip_where_versions_differ

SOURCES = sources(HERE / "scripts", HERE / "notebooks")


def ran(path: Path) -> Run:
    source = read_source(path)
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
        return recording_text(recording.output, warned, "")
    assert isinstance(error, TorchError), error
    return recording_text(recording.output, warned, f"{line(error.line)}: {error.kind}: {error.message}")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_script_says_what_pytorch_says(path: Path):
    skip_where_versions_differ(path)
    assert said(ran(path)) == expected(path).read_text(encoding="utf-8")
