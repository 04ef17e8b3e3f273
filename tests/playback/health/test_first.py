"""The first NaN of a run over all of its calls, and what a parameter has from the call before."""

from __future__ import annotations

import pytest

from gradviz.playback.health.births import births, births_at
from gradviz.playback.health.first import first_birth
from gradviz.playback.health.trail import born_text, nan_findings
from gradviz.playback.track import Track
from gradviz.recording import Recording
from tests.recorded import run

HEAD = """import torch
w = torch.tensor([1., 2.], requires_grad=True)
for step in range(6):
"""
UPDATE = """
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
"""
SQRT = """    h = w - 100 if step == 2 else w
    loss = h.sqrt().sum()
    loss.backward()
"""
SUMMED = """    h = w - 100 if step == 2 else w
    loss = h.sqrt().sum()
    loss.backward()
    if step == 4:
        with torch.no_grad():
            w -= 0.1 * w.grad
"""
WRITTEN = """    loss = (w * w).sum()
    loss.backward()
    if step == 3:
        with torch.no_grad():
            w *= float("nan")
"""
INFINITE = """    loss = (w * 1e30).square().sum() if step == 4 else (w * 2).sum()
    loss.backward()
"""


def recorded(body: str) -> Recording:
    recording = run(HEAD + body).recording
    assert recording.problem is None, recording.problem
    return recording


def text_of_leaf(recording: Recording, sweep: int) -> str:
    track = Track(recording, sweep)
    leaf = next(node for node in track.forward if recording.nodes[node].name == "w")
    (birth,) = births_at(track, track.index_of[leaf] + 1)
    return born_text(track, birth)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (SQRT + UPDATE, "NaN first in call 3, line 5"),
        (SUMMED, "NaN first in call 3, line 5"),
        (WRITTEN, "NaN first in call 5, line 2"),
        (INFINITE, "Infinity first in call 5, line 4"),
    ],
)
def test_the_first_of_all_calls(body: str, words: str) -> None:
    recording = recorded(body)

    first = first_birth(recording, len(recording.sweeps))

    assert first is not None
    assert first.words == words


def test_of_one_call_the_line_alone_is_said() -> None:
    recording = run("import torch\nx = torch.tensor(-1., requires_grad=True)\nx.log().backward()\n").recording

    first = first_birth(recording, 1)

    assert first is not None
    assert first.words == "NaN first in line 3"


def test_a_finite_run_has_none() -> None:
    recording = recorded("    (w * step).sum().backward()\n")

    assert first_birth(recording, len(recording.sweeps)) is None


def test_only_the_calls_of_the_script_are_looked_through() -> None:
    assert first_birth(recorded(SQRT + UPDATE), 2) is None


def test_what_an_update_wrote_is_the_earlier_calls() -> None:
    recording = recorded(SQRT + UPDATE)

    for sweep in (3, 4, 5):
        assert births(Track(recording, sweep)) == ()
        assert text_of_leaf(recording, sweep).startswith("NaN is in w when this call begins")
        assert "it comes from call 3" in text_of_leaf(recording, sweep)
    track = Track(recording, 4)
    (finding,) = nan_findings(track, track.turn, next(n for n in track.forward if recording.nodes[n].name == "w"))
    assert not finding.is_wrong


def test_an_update_two_calls_later_leads_to_the_same_call() -> None:
    recording = recorded(SUMMED)

    assert births(Track(recording, 5)) == ()
    assert "it comes from call 3" in text_of_leaf(recording, 5)


def test_what_the_script_wrote_between_two_calls_is_said_to_be_so() -> None:
    recording = recorded(WRITTEN)

    (birth,) = births(Track(recording, 4))
    assert birth.before == 3
    assert "in call 4 it and its gradient were finite, so it was written after that" in text_of_leaf(recording, 4)
    assert births(Track(recording, 5)) == ()
