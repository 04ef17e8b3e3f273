"""Recordings of PyTorch that were written before are read without it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gradviz.formats import load
from gradviz.recording import Recording

FOLDER = Path(__file__).resolve().parent / "recorded"
FILES = sorted(FOLDER.glob("*.gradviz"))


def read(name: str) -> Recording:
    return load(FOLDER / f"{name}.gradviz")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recording_of_pytorch_is_read(file: Path) -> None:
    recording = load(file)

    assert recording.nodes
    assert recording.sweeps
    assert recording.engine is not None
    assert recording.engine.name == "PyTorch"


def test_there_is_one_of_each_kind() -> None:
    assert {file.stem for file in FILES} == {"failed", "parts", "precisions", "summaries", "training"}
    assert sum(file.stat().st_size for file in FILES) < 300_000


def test_a_long_training_is_thinned() -> None:
    recording = read("training")

    assert recording.thinned is not None
    assert recording.thinned.calls == 30
    assert 1 <= len(recording.sweeps) <= 4
    assert recording.number(0) == 1
    assert "net.0.weight" in recording.gradients


def test_gradients_of_a_layer_add_up() -> None:
    recording = read("training")
    sweep = recording.sweeps[0]
    node = next(node for node in recording.nodes if node.op == "addmm")
    step = sweep.steps[sweep.step_of[node.id]]
    bias, x, weight = (recording.values[source] for source in node.inputs)

    assert bias is not None
    np.testing.assert_allclose(step.outgoing[0], step.incoming.sum(0), rtol=1e-5)
    np.testing.assert_allclose(step.outgoing[2], x.T @ step.incoming, rtol=1e-4, atol=1e-7)
    assert weight.shape == step.outgoing[2].shape


def test_a_pass_that_failed_has_the_steps_before_it() -> None:
    recording = read("failed")

    assert [len(sweep.steps) for sweep in recording.sweeps] == [3, 2]
    assert recording.problem is not None
    assert "no way back" in recording.problem.message
    assert recording.problem.node is not None
    assert recording.nodes[recording.problem.node].op == "Broken"


def test_an_op_with_several_outputs_has_a_node_for_each() -> None:
    recording = read("parts")
    node = next(node for node in recording.nodes if node.op == "unbind")

    outputs = [each for each in recording.nodes if each.op == "output" and each.inputs == (node.id,)]
    assert [each.params["index"] for each in outputs] == [0, 1, 2]
    assert [each.name for each in outputs] == ["a", "b", "c"]
