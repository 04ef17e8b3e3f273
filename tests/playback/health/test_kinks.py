"""Kinks: which slope the rule takes where the slopes from the two sides differ, as PyTorch does."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.playback.health.kinks import Kink, kink_findings, kinks_of
from gradviz.playback.track import Track
from tests.recorded import run

HEAD = """\
import torch
import torch.nn.functional as F
x = torch.tensor([0., 1., -2., 6., 3., -3., .5, -.5], requires_grad=True)
z = torch.tensor([0., 2., -2., 1., 1., 1., 1., 1.], requires_grad=True)
"""

# The first kink of each input: its element, the slopes from the left and right, and the slope that is taken.
CASES = {
    "torch.relu(x)": [("x", 0, 0, 1, 0)],
    "x.abs()": [("x", 0, -1, 1, 0)],
    "F.leaky_relu(x, 0.1)": [("x", 0, 0.1, 1, 0.1)],
    "x.clamp(-2, 6)": [("x", 2, 0, 1, 1)],
    "x.clamp(min=0)": [("x", 0, 0, 1, 1)],
    "x.clamp(max=6)": [("x", 3, 1, 0, 1)],
    "F.relu6(x)": [("x", 0, 0, 1, 0)],
    "F.hardtanh(x)": [("x", 1, 1, 0, 0)],
    "F.hardsigmoid(x)": [("x", 4, 1 / 6, 0, 0)],
    "F.hardswish(x)": [("x", 4, 1.5, 1, 1)],
    "F.selu(x)": [("x", 0, 1.7581, 1.0507, 1.7581)],
    "F.elu(x, 0.5)": [("x", 0, 0.5, 1, 0.5)],
    "F.prelu(x, torch.tensor([.25]))": [("x", 0, 0.25, 1, 0.25)],
    "torch.maximum(x, z)": [("x", 0, 0, 1, 0.5), ("z", 0, 0, 1, 0.5)],
    "torch.minimum(x, z)": [("x", 0, 1, 0, 0.5), ("z", 0, 1, 0, 0.5)],
    "torch.clamp(x, z, z + 1)": [("x", 0, 0, 1, 1)],
    "z.view(2, 4).amax(1)": [("in", 4, 0, 1, 0.25)],
    "z.view(2, 4)[1].max()": [("in", 0, 0, 1, 0.25)],
}  # fmt: skip


def track_of(line: str) -> Track:
    recording = run(f"{HEAD}y = {line}\ny.sum().backward()\n").recording
    assert recording.problem is None, recording.problem
    return Track(recording, 0)


def found_in(track: Track) -> list[Kink]:
    return [kink for node in track.forward for kink in kinks_of(track, node)]


@pytest.mark.parametrize(("line", "expected"), CASES.items())
def test_the_slopes_of_both_sides_and_the_one_that_is_taken(line, expected):
    kinks = found_in(track_of(line))

    flat = [int(np.ravel_multi_index(kink.index, (2, 4))) if len(kink.index) == 2 else kink.index[0] for kink in kinks]
    assert flat == [at for _, at, *_ in expected]
    for kink, (_, _, *slopes) in zip(kinks, expected, strict=True):
        assert (kink.left, kink.right, kink.taken) == pytest.approx(slopes, abs=1e-4)


@pytest.mark.parametrize(("line", "expected"), CASES.items())
def test_what_is_taken_is_what_pytorch_takes(line, expected):
    pytest.importorskip("torch")
    space: dict[str, object] = {}

    exec(f"{HEAD}y = {line}\ny.sum().backward()\n", space)

    for name, at, _, _, taken in expected:
        if name != "in":
            gradient = space[name].grad.numpy()  # type: ignore[attr-defined]
            also = 1.0 if line.startswith("torch.clamp(x, z") and name == "z" else 0.0
            assert gradient[at] - also == pytest.approx(taken, abs=1e-4)


@pytest.mark.parametrize(
    "line", ["torch.relu(x + 0.25)", "x * x", "F.elu(x)", "x.sin()", "z[1:3].max()", "x.sort()[0]"]
)
def test_where_both_sides_agree_nothing_is_said(line):
    assert found_in(track_of(line)) == []


def test_the_sentence_says_which_convention_holds_once_the_node_is_computed():
    track = track_of("x.abs()")
    node = next(i for i in track.forward if track.recording.nodes[i].op == "abs")

    (finding,) = kink_findings(track, track.index_of[node] + 1, node)

    assert finding.text == (
        "x[0] = 0 is at a kink of abs. PyTorch 2.13 takes 0 here; the slopes from the left and right are -1 and 1. "
        "JAX takes 1."
    )
    assert not finding.is_wrong
    assert kink_findings(track, track.index_of[node], node) == ()


def test_a_tie_names_how_many_elements_share_it():
    track = track_of("z.view(2, 4).amax(1)")
    node = next(i for i in track.forward if track.recording.nodes[i].op == "amax")

    (finding,) = kink_findings(track, track.length, node)

    assert finding.text == (
        "in[1, 0] = 1 is at a tie of amax, as are 3 more. PyTorch 2.13 takes 0.25 here; "
        "the slopes from the left and right are 0 and 1."
    )
