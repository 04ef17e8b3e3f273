"""Every script inside the frontier agrees with PyTorch 2.13; those beyond are refused in one sentence each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gradviz.run.host import Host
from tests.corpus.compare import differences
from tests.corpus.corpus import BESIDE, BEYOND, DIFFERING, INSIDE, expected, sources
from tests.corpus.engines import builtin
from tests.forking.hosts import quick_host

RECORDED_WITH = {"Python": (3, 11), "numpy": (2, 4)}
RUNS_WITH = {"Python": sys.version_info[:2], "numpy": tuple(map(int, np.__version__.split(".")[:2]))}
SHOW_THEIR_VERSION = {
    "Python": (
        "classes_of_every_kind", "command_lines", "configured_and_registered", "containers_and_tied_weights",
        "data_wrangled_first", "errors_of_the_language", "flags_and_enums", "functions_over_functions",
        "hooks_by_example", "language_in_one_go", "lazy_before_the_first_call", "losses_classify_padded_tokens",
        "losses_refused", "micrograd_with_unit_tests", "pipeline_of_stages", "pruned_in_every_way", "records_and_enums",
        "registry_enums_dataclasses", "tape_over_arrays", "texts_and_numbers", "trees_of_tensors",
        "typed_enums_and_data_sets", "vectors_and_dispatch", "words_counted_and_attended",
    ),
    "numpy": (
        "arrays_formatted_and_looked_at", "homework_with_doctests", "numpy_in_one_go", "numpy_shown_in_every_dtype",
        "records_texts_dates_and_tables",
    ),
}  # fmt: skip
"""Scripts that show what later versions word otherwise: of Python the repr of OrderedDict and words of errors, of numpy
some warnings and complex eigenvalues. gradviz shows what the version has that it runs on."""


@pytest.fixture(scope="session")
def host() -> Iterator[Host]:
    with quick_host() as host:
        yield host


def skip_where_versions_differ(path: Path) -> None:
    for library, version in RECORDED_WITH.items():
        if path.stem in SHOW_THEIR_VERSION[library] and RUNS_WITH[library] != version:
            pytest.skip(f"recorded with another {library}, whose texts differ")


@pytest.mark.parametrize("path", sources(INSIDE, BESIDE), ids=lambda path: path.stem)
def test_script_agrees_with_pytorch(path: Path, host: Host):
    skip_where_versions_differ(path)

    answer = builtin(path, host)

    assert (answer.refusal, answer.failure) == ("", "")
    assert differences(expected(path).read_text(encoding="utf-8"), answer.recording) == []


@pytest.mark.parametrize("path", sources(BEYOND), ids=lambda path: path.stem)
def test_script_beyond_the_frontier_is_refused_in_one_sentence_with_its_place(path: Path, host: Host):
    answer = builtin(path, host)

    place, _, sentence = answer.refusal.partition(": ")
    assert place.partition(":")[0].isdecimal(), answer
    assert "\n" not in sentence


@pytest.mark.parametrize("path", sources(DIFFERING), ids=lambda path: path.stem)
def test_script_that_asks_for_what_is_not_imitated_ends_without_a_fault_of_gradviz(path: Path, host: Host):
    answer = builtin(path, host)

    assert "gradviz itself" not in answer.failure + answer.refusal + answer.recording
