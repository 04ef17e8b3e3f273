"""What the graph keeps for backward, and where a second backward would stop: at PyTorch's own node, as recorded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gradviz.playback.health.saved import Stop, keeping, keeping_text, second_stop, stop_text
from gradviz.playback.track import Track
from tests.recorded import run

RECORDED = json.loads((Path(__file__).parents[2] / "data" / "second_backward.json").read_text(encoding="utf-8"))
SCRIPTS = RECORDED["scripts"]
HEAD = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\nw = torch.tensor([3., 4.], requires_grad=True)\n"


def track_of(text: str, sweep: int = 0) -> Track:
    return Track(run(HEAD + text).recording, sweep)


def predicted(text: str) -> tuple[Track, Stop | None]:
    """The last call of a script, and where it would stop if it were called again."""
    recording = run(text).recording
    assert recording.problem is None, recording.problem
    track = Track(recording, len(recording.sweeps) - 1)
    return track, second_stop(track, track.length)


def test_there_are_fifty_scripts_and_most_of_them_stop():
    assert len(SCRIPTS) >= 50
    assert sum(script["error"] is not None for script in SCRIPTS) >= 40


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script["text"].split("\n")[7])
def test_a_second_backward_would_stop_at_the_node_at_which_pytorch_stops(script):
    _, found = predicted(script["text"])

    if script["error"] is None:
        assert found is None
    else:
        assert found is not None
        assert found.torch == script["ran"][-1]


@pytest.mark.parametrize(
    "script",
    [each for each in SCRIPTS if each["error"] and len(each["ran"]) > 2],
    ids=lambda s: s["text"].split("\n")[7],
)
def test_as_many_nodes_run_before_it_as_in_pytorch(script):
    track, found = predicted(script["text"])
    assert found is not None

    ops = [step.node for step in track.steps if not track.recording.nodes[step.node].is_leaf]
    before = ops[: ops.index(found.node)]

    assert len(before) == len(script["ran"]) - 1


def test_it_is_known_before_it_is_asked_and_only_once_the_step_has_run():
    track = track_of("y = (x * w).sum()\ny.backward()\n")
    mul = next(i for i in track.forward if track.recording.nodes[i].op == "mul")
    step = track.turn + 2

    assert second_stop(track, track.turn) is None
    assert stop_text(track, step - 1, mul) == ""
    assert stop_text(track, step, mul) == (
        "A second backward would stop here: MulBackward0 needs x and w again, freed at its step."
    )
    assert stop_text(track, track.length, mul - 1) == ""


def test_a_retained_graph_stops_nowhere():
    track = track_of("y = (x * w).sum()\ny.backward(retain_graph=True)\n")

    assert second_stop(track, track.length) is None


def test_a_retained_graph_stops_after_the_call_that_frees_it():
    text = "y = (x * w).sum()\ny.backward(retain_graph=True)\ny.backward()\n"

    assert second_stop(track_of(text, 0), track_of(text, 0).length) is None
    assert second_stop(track_of(text, 1), track_of(text, 1).length) is not None


def test_what_is_kept_grows_forward_and_is_freed_step_by_step():
    track = track_of("y = (x * w).exp().sum()\ny.backward()\n")

    kept = keeping(track)

    assert kept is not None
    # Two leaves of 8 bytes for the product, its exponential for itself, nothing for the sum.
    assert kept.nodes.tolist() == [0, 0, 0, 1, 2, 2, 2, 1, 0, 0, 0]
    assert kept.bytes.tolist() == [0, 0, 0, 16, 24, 24, 24, 16, 0, 0, 0]
    assert keeping_text(kept, 4) == "2 nodes keep 24 bytes for backward"
    assert keeping_text(kept, 3) == "1 node keeps 16 bytes for backward"
    assert keeping_text(kept, 0) == "nothing is kept for backward"


def test_what_several_nodes_keep_is_counted_once_and_freed_with_the_last():
    track = track_of("y = (x.exp() * x.sin()).sum()\ny.backward()\n")

    kept = keeping(track)

    assert kept is not None
    assert [track.recording.nodes[i].op for i in track.forward] == ["leaf", "exp", "sin", "mul", "sum"]
    assert [track.recording.nodes[step.node].op for step in track.steps] == ["sum", "mul", "sin", "exp", "leaf"]
    # exp keeps its result, sin its input x, mul both of their results: that of exp is kept by two.
    assert kept.bytes.tolist() == [0, 0, 8, 16, 24, 24, 24, 16, 8, 0, 0]


def test_a_function_of_the_scripts_own_is_not_sure():
    text = (
        "class Double(torch.autograd.Function):\n"
        "    @staticmethod\n    def forward(ctx, x):\n        ctx.save_for_backward(x)\n        return x * 2\n"
        "    @staticmethod\n    def backward(ctx, g):\n        ctx.saved_tensors\n        return g * 2\n"
        "y = Double.apply(x).sum()\ny.backward()\n"
    )
    track = track_of(text)

    found = second_stop(track, track.length)

    assert found is not None
    assert not found.is_sure
    assert (
        found.text == "A second backward would stop here, at DoubleBackward, if it has saved tensors: they are freed."
    )
