"""One script, one picture: whoever ran it, a recording has the same facts, field by field."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from gradviz.run.host import Host  # noqa: E402
from gradviz.run.job import Job  # noqa: E402
from gradviz.shipped import shipped  # noqa: E402
from tests.capture.capturing import captured  # noqa: E402
from tests.capture.contract import EXCEPT, RECORDING_FIELDS, SWEEP_FIELDS, Contract, compared  # noqa: E402
from tests.forking.hosts import quick_host  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]
LESSONS = sorted(Path(str(shipped("examples"))).glob("*.py"))
CORPUS = Path(__file__).parent.parent / "corpus" / "inside"
SCRIPTS: dict[str, dict[str, str]] = {
    "accumulate_and_zero": {},
    "array_engine_from_scratch": {},
    "backward_of_each_line_by_hand": {
        ": name": "of two variables that hold a tensor, PyTorch's recorder takes the last"
    },
    "broadcasting_gradients": {},
    "callbacks_and_csv": {},
    "copies_of_everything": {
        ": scope": "a copy of a parameter belongs where it is used, PyTorch's recorder says",
        ": origin.module": "as its scope",
    },
    "forum_why_is_grad_none": {},
    "grad_with_a_graph": {
        ": origin.in_place": "the first gradient that has a graph itself is a copy here, and there one into an empty tensor",
        ": value": "the numbers of that empty tensor are whatever stood there",
    },
    "homework_two_layer_by_hand": {},
    "modules_around_modules": {": line": "PyTorch's recorder sees where a module was made that another one is given"},
    "non_leaf_grad": {},
    "numpy_next_to_torch": {},
    "own_optimizer_and_ema": {},
    "parameters_reset_and_shared": {": line": "PyTorch's recorder has not seen where a parameter was made anew"},
    "saved_in_memory": {},
    "stack_and_arange": {},
    "straight_through": {},
    "tape_over_arrays": {},
    "vjp_of_three_seeds": {},
    "what_backward_keeps": {},
}
"""Scripts of the corpus, with what in them may differ, and why."""


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with quick_host() as made:
        yield made


@pytest.mark.parametrize("file", LESSONS, ids=lambda file: file.stem)
def test_a_lesson_has_the_same_recording_from_both_engines(file: Path, host: Host, tmp_path: Path) -> None:
    own = host.run(Job(file.read_text(encoding="utf-8"), file.name, seed=0)).recording
    contract = Contract(own, captured(file, tmp_path))

    assert contract.differences == []
    if not own.sweeps:
        assert [node.op for node in own.nodes] == [node.op for node in contract.theirs.nodes]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_of_the_corpus_has_the_same_recording_from_both_engines(name: str, host: Host, tmp_path: Path) -> None:
    file = CORPUS / f"{name}.py"
    own = host.run(Job(file.read_text(encoding="utf-8"), file.name, seed=0)).recording
    contract = Contract(own, captured(file, tmp_path))
    differing = {next((each for each in SCRIPTS[name] if each in line), line) for line in contract.differences}

    assert own.sweeps
    assert differing <= set(SCRIPTS[name]), contract.differences


@pytest.mark.parametrize("kind", EXCEPT)
def test_every_field_of_a_recording_is_compared_or_an_exception_with_its_reason(kind: type) -> None:
    names = {*compared(kind), *EXCEPT[kind]}

    assert names == set(getattr(kind, "_fields", None) or kind.__dataclass_fields__)
    assert all(EXCEPT[kind].values())


def test_every_field_that_is_no_exception_has_its_comparison() -> None:
    from gradviz.recording import Recording, Sweep

    assert set(compared(Sweep)) == SWEEP_FIELDS.keys()
    assert set(compared(Recording)) == RECORDING_FIELDS.keys()


def test_a_difference_is_found(host: Host, tmp_path: Path) -> None:
    file = LESSONS[0]
    own = host.run(Job(file.read_text(encoding="utf-8").replace("** 2", "** 3").replace("**2", "**3"), file.name))

    assert Contract(own.recording, captured(file, tmp_path)).differences != []


def test_the_lessons_are_there() -> None:
    assert len(LESSONS) == 39
    assert len(SCRIPTS) == 20
    assert sys.version_info >= (3, 11)
