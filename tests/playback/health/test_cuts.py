"""A leaf that no gradient reaches says where the graph was cut, and both sides of the cut say so."""

from __future__ import annotations

import gc
import json
import weakref

import pytest

import gradviz.engine as engine
from gradviz.engine.nn.module import Module
from gradviz.engine.tensor import Tensor
from gradviz.playback.health.cuts import cut_findings, cut_of, no_gradient_text
from gradviz.playback.track import Track
from gradviz.recording import Cut, Recording, check
from gradviz.run.job import Keep
from gradviz.run.levels import Trace
from gradviz.run.packing import pack, unpack
from gradviz.run.recorder import Recorder
from tests.recorded import run

HEAD = """\
import torch
w = torch.tensor([1., 2.], requires_grad=True)
x = torch.tensor([3., 4.], requires_grad=True)
h = w * 2
"""
TAIL = "y = (x * d).sum()\ny.backward()\n"

CUTS = {
    "d = h.detach()": "detach()",
    "d = h.detach().clone()[0] + 1": "detach()",
    "d = h.data * 3": ".data",
    "h.detach_(); d = h": "detach_()",
    "with torch.no_grad(): d = h * 3": "torch.no_grad()",
    "with torch.no_grad(): d = torch.relu(w)": "torch.no_grad()",
    "d = torch.tensor(h)": "torch.tensor()",
    "d = torch.tensor([h[0], h[1]])": "torch.tensor()",
    "d = (h > 1).float()": "a comparison",
    "d = torch.argmax(h).float()": "argmax()",
    "d = h.argmax() * 1.0": "argmax()",
    "d = h.long()": "to()",
    "d = h.clone().detach().requires_grad_()": "detach()",
}
LEFT = {
    "d = torch.tensor(h.tolist())": "tolist()",
    "d = torch.tensor([h[0].item(), 2.])": "item()",
    "d = float(h.sum())": "item()",
    "d = torch.from_numpy(h.detach().numpy())": "numpy()",
    "d = torch.zeros(2); d[0] = h[0].item()": "item()",
}


def track_of(text: str) -> Track:
    recording = run(HEAD + text + "\n" + TAIL).recording
    assert recording.problem is None, recording.problem
    return Track(recording, 0)


def named(track: Track, name: str) -> int:
    return next(node.id for node in track.recording.nodes if node.name == name)


@pytest.mark.parametrize(("line", "how"), CUTS.items())
def test_a_leaf_says_where_the_graph_was_cut(line, how):
    track = track_of(line)

    text = no_gradient_text(track, named(track, "w"))

    assert text == f"no gradient: the graph was cut at line 5 by {how}"
    assert no_gradient_text(track, named(track, "x")) == ""


@pytest.mark.parametrize(("line", "how"), LEFT.items())
def test_of_numbers_that_python_got_it_says_where_they_left(line, how):
    track = track_of(line)

    text = no_gradient_text(track, named(track, "w"))

    assert text == f"no gradient: y does not depend on w, whose numbers left the graph at line 5 by {how}"


def test_a_leaf_that_has_no_part_says_so():
    track = track_of("d = x * x")

    assert no_gradient_text(track, named(track, "w")) == "no gradient: y does not depend on w"


def test_a_cut_that_takes_no_gradient_from_a_leaf_is_not_spoken_of():
    track = track_of("d = (h > 1).float() * h")

    assert track.recording.cuts
    assert all(not list(cut_findings(track, track.length, node)) for node in track.forward)


def test_both_sides_of_the_cut_say_it_and_the_leaf_once_backward_has_begun():
    track = track_of("d = h.detach()")
    cut = cut_of(track, named(track, "w"))
    assert cut is not None
    assert cut.result is not None

    (at_source,) = cut_findings(track, track.length, named(track, "h"))
    (at_result,) = cut_findings(track, track.length, cut.result)
    (at_leaf,) = cut_findings(track, track.length, named(track, "w"))

    assert at_source.text == "The graph is cut here: taken by detach() at line 5. No gradient comes back that way."
    assert at_source.node == cut.result
    assert at_result.text == (
        "The graph was cut here: these are numbers of h, taken by detach() at line 5. Backward ends here."
    )
    assert at_leaf.text == "No gradient: the graph was cut at line 5 by detach()."
    assert not list(cut_findings(track, track.turn, named(track, "w")))
    assert not list(cut_findings(track, 0, named(track, "h")))


def test_a_leaf_that_another_call_reaches_does_not_blame_what_was_printed():
    text = (
        "import torch\na = torch.ones(2, requires_grad=True)\nb = torch.ones(2, requires_grad=True)\n"
        "u = (a * a).sum()\nv = (b * b).sum()\nprint(u.item(), v.item())\nu.backward()\nv.backward()\n"
    )
    recording = run(text).recording

    first = Track(recording, 0)

    assert no_gradient_text(first, named(first, "b")) == "no gradient: u does not depend on b"


def test_cuts_go_through_the_pipe():
    recording = track_of("d = h.detach()").recording

    packed = pack(recording)
    header = json.loads(json.dumps(packed.header))

    assert unpack(header, b"".join(packed.pieces)).cuts == recording.cuts != ()


def test_a_cut_that_names_no_node_is_refused():
    recording = track_of("d = h.detach()").recording

    with pytest.raises(Exception, match="names a node that is not there"):
        check(Recording(recording.nodes, recording.values, cuts=(Cut((99,), "detach()"),)))


def test_notes_of_cuts_keep_nothing_alive():
    recorder = Recorder("none", Trace((Tensor,), Module), Keep())
    recorder.start()
    try:
        w = engine.ones(3, requires_grad=True)
        h = w * 2
        kept = weakref.ref(h)
        d = h.detach() * 3
        assert recorder.cuts.of(d) is not None
        recorder.tape.clear()
        del h
        gc.collect()
        alive = kept() is not None
        del d
        gc.collect()
    finally:
        recorder.stop()

    assert not alive
    assert recorder.cuts.made_of == {}


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("y = h.detach().sum()", "The graph was cut at line 5 by detach(): from there on no gradient is recorded."),
        ("y = torch.argmax(h).float()", "The graph was cut at line 5 by argmax(): from there on no gradient is recorded."),
        (
            "y = torch.tensor(h.sum().item())",
            (
                "Numbers left the graph at line 5 by item(): "
                "a tensor that is made of them knows nothing of where they come from."
            ),
        ),
    ],
)  # fmt: skip
def test_backward_of_a_tensor_without_a_graph_names_the_cut_and_marks_the_node(line, hint):
    recording = run(f"{HEAD}{line}\ny.backward()\n").recording

    assert recording.problem is not None
    assert "does not require grad" in recording.problem.message
    assert recording.problem.hint == hint
    assert recording.problem.node is not None
    assert recording.nodes[recording.problem.node].requires_grad


def test_without_a_cut_the_hint_is_the_usual_one():
    recording = run("import torch\ny = torch.ones(2).sum()\ny.backward()\n").recording

    assert recording.problem is not None
    assert recording.problem.hint.startswith("Make an input with requires_grad=True")
