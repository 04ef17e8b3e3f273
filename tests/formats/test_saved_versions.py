"""Files as versions before have saved them open for good, with their numbers. See tests/data/record_saved.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradviz.formats import FORMATS, load
from gradviz.recording import ChangedNumber, Recording

FOLDER = Path(__file__).parent.parent / "data" / "saved"
FILES = sorted(FOLDER.iterdir())
X = np.arange(1.0, 13.0, dtype=np.float32)


def test_there_is_a_file_of_each_format() -> None:
    assert {file.suffix for file in FILES} == set(FORMATS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_of_any_version_opens_with_its_numbers(file: Path) -> None:
    recording = load(file)

    values = {node.name: value for node, value in zip(recording.nodes, recording.values, strict=True)}
    np.testing.assert_array_equal(values["x"], X)
    np.testing.assert_array_equal(values["s"], X**2)
    np.testing.assert_array_equal(values["y"], 2 * X**2)
    assert [node.op for node in recording.nodes] == ["leaf", "mul", "add", "sum"]
    assert [node.line for node in recording.nodes] == [7, 4, 5, 9]
    assert recording.nodes[1].scope == ("twice",)
    steps = {step.node: step for step in recording.sweeps[0].steps}
    np.testing.assert_array_equal(steps[1].incoming, np.full(12, 2.0))
    np.testing.assert_array_equal(steps[1].outgoing, [2 * X, 2 * X])
    np.testing.assert_array_equal(recording.sweeps[0].accumulated[0].after, 4 * X)
    np.testing.assert_array_equal(recording.gradients["x"], 4 * X)
    assert recording.output.startswith("tensor([ 4.,  8., 12.")
    assert recording.source is not None
    assert recording.source.text.startswith("import torch\n\ndef twice(t):\n")


@pytest.mark.parametrize("file", [file for file in FILES if file.suffix == ".gradviz"], ids=lambda file: file.name)
def test_what_was_set_by_hand_in_it_is_there(file: Path) -> None:
    recording = load(file)

    view = recording.view
    assert view is not None
    assert (view.sweep, view.position, view.by_hand) == (1, 4, 1)
    assert view.breakpoints == (("line = 9", True), ("line = 4", False))
    assert (view.folded, view.focus, view.text) == ((("twice",),), None, None)
    assert view.framing is not None
    assert (view.framing.scale, view.framing.node) == (1.875, 1)
    assert view.what_if == (ChangedNumber(0, 11, None, None, 20.0),)
    by_hand = recording.sweeps[1]
    np.testing.assert_array_equal(by_hand.seeds[0], np.full(12, 0.5))
    assert _reached(recording) == [2, 1, 0]
    np.testing.assert_array_equal(by_hand.steps[-1].incoming, 2 * X)


def _reached(recording: Recording) -> list[int]:
    return [step.node for step in recording.sweeps[1].steps]
