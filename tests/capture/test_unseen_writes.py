"""Writes through `.data`, which autograd does not count: what backward reads then, and what a leaf is at its next use."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")

from gradviz.playback.report import node_report
from gradviz.playback.track import Track
from gradviz.recording import Read, Recording
from tests.capture.test_cuts import captured

pytestmark = pytest.mark.torch


def named(recording: Recording, name: str) -> list[int]:
    return [node.id for node in recording.nodes if node.name == name]


def reads(recording: Recording) -> dict[tuple[str, str], Read]:
    nodes = recording.nodes
    found = recording.sweeps[-1].read.items()
    return {(nodes[node].op, nodes[of].name or nodes[of].op): read for (node, of), read in found}


def test_what_was_changed_through_data_is_told_with_its_line(tmp_path: Path) -> None:
    recording = captured("z = (x ** 2).sum()\nx.data.mul_(10)\nz.backward()\n", tmp_path)

    (read,) = reads(recording).values()

    assert list(reads(recording)) == [("pow", "x")]
    assert read.value is not None
    assert read.value.tolist() == [10, 20]
    assert read.line == 7
    assert recording.values[named(recording, "x")[0]].tolist() == [1, 2]  # type: ignore[union-attr]


def test_what_no_step_reads_is_not_told(tmp_path: Path) -> None:
    recording = captured("z = (x * 3 + w).sum()\nx.data.mul_(10)\nz.backward()\n", tmp_path)

    assert reads(recording) == {}


def test_a_result_that_was_kept_is_told_too(tmp_path: Path) -> None:
    recording = captured("e = x.exp()\nz = e.sum()\ne.data.zero_()\nz.backward()\n", tmp_path)

    assert [value.value.tolist() for value in reads(recording).values()] == [[0, 0]]  # type: ignore[union-attr]
    assert list(reads(recording)) == [("exp", "e")]


def test_a_leaf_that_an_old_loop_changed_through_data_has_its_number_of_each_round(tmp_path: Path) -> None:
    recording = captured(
        "for _ in range(3):\n    (x * x).sum().backward()\n    x.data.sub_(1)\n    x.grad = None\n", tmp_path
    )

    values = [recording.values[step.node] for sweep in recording.sweeps for step in sweep.steps
              if recording.nodes[step.node].is_leaf]  # fmt: skip

    assert [value.tolist() for value in values if value is not None] == [[1, 2], [0, 1], [-1, 0]]
    assert not any(sweep.read for sweep in recording.sweeps)


def test_what_went_to_a_leaf_before_it_was_changed_is_no_work_of_a_hook(tmp_path: Path) -> None:
    recording = captured("z = x ** 2\nx.data.add_(1)\n(x * z).sum().backward()\n", tmp_path)
    track = Track(recording, 0)
    last = track.steps[-1]

    came = node_report(track, track.length, last.node).incoming

    assert last.incoming is not None
    assert last.incoming.tolist() == [9, 22]
    assert came is not None
    assert came.note == "With what went to x as it was before it was changed."
