"""Every script and notebook of the corpus prints, warns and ends as it does in PyTorch 2.13."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from gradviz.errors import TorchError
from gradviz.imitation.script.errors.warned import NOTE
from gradviz.imitation.script.run import Run, run
from gradviz.source.files import read_source
from gradviz.source.notebook import cell_place
from tests.corpus.corpus import expected, sources, without_paths
from tests.corpus.corpus import recording_text as text

SOURCES = sources()
RECORDED_WITH = {"Python": (3, 11), "numpy": (2, 4)}
HERE = {"Python": sys.version_info[:2], "numpy": tuple(map(int, np.__version__.split(".")[:2]))}
SHOW_THEIR_VERSION = {
    "Python": (
        "classes_of_every_kind", "command_lines", "configured_and_registered", "containers_and_tied_weights",
        "data_wrangled_first", "errors_of_the_language", "functions_over_functions", "hooks_by_example",
        "language_in_one_go", "lazy_before_the_first_call", "losses_classify_padded_tokens",
        "losses_refused", "micrograd_with_unit_tests", "pipeline_of_stages", "pruned_in_every_way", "records_and_enums",
        "tape_over_arrays", "texts_and_numbers", "trees_of_tensors", "vectors_and_dispatch",
        "words_counted_and_attended",
    ),
    "numpy": (
        "arrays_formatted_and_looked_at", "homework_with_doctests", "numpy_in_one_go", "numpy_shown_in_every_dtype",
        "records_texts_dates_and_tables",
    ),
}  # fmt: skip
"""Scripts that show what later versions word otherwise: of Python the repr of OrderedDict and words of errors, of numpy
some warnings and complex eigenvalues. gradviz shows what the version has that it runs on."""


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
        return text(recording.output, warned, "")
    assert isinstance(error, TorchError), error
    return text(recording.output, warned, f"{line(error.line)}: {error.kind}: {error.message}")


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_script_says_what_pytorch_says(path: Path):
    for library, version in RECORDED_WITH.items():
        if path.stem in SHOW_THEIR_VERSION[library] and HERE[library] != version:
            pytest.skip(f"recorded with another {library}, whose texts differ")
    assert said(ran(path)) == expected(path).read_text(encoding="utf-8")
