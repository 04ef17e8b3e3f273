"""Where the numbers of a captured run left the graph, and what is said of it."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gradviz.capture.recorder import Recorder  # noqa: E402
from gradviz.formats import load  # noqa: E402
from gradviz.playback.health.cuts import no_gradient_text  # noqa: E402
from gradviz.playback.track import Track  # noqa: E402
from gradviz.recording import Recording  # noqa: E402

pytestmark = pytest.mark.torch

START = """
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
y = x * 2
"""


WITHOUT = "a tensor that is made of them knows nothing of where they come from."


def captured(text: str, folder: Path) -> Recording:
    file = folder / "script.py"
    file.write_text(START + text, encoding="utf-8")
    space: dict[str, Any] = {"__name__": "__main__"}
    recorder = Recorder(main=str(file))
    recorder.space = space
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with recorder:
                exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), space)
        except RuntimeError:
            pass
    assert recorder.faults == []
    recorder.save(folder / "run.gradviz")
    return load(folder / "run.gradviz")


@pytest.mark.parametrize(
    ("line", "how"),
    [
        ("a = y.detach()", "detach()"),
        ("a = y.data", ".data"),
        ("a = torch.tensor(y, dtype=getattr(torch, str('float32')))", "tensor()"),
        ("a = y.detach().clone() + 1", "detach()"),
        ("a = (y > 2).float()", "a comparison"),
        ("a = y.argmax().float()", "argmax()"),
        ("a = y.long().float()", "long()"),
        ("with torch.no_grad(): a = y * 3", "torch.no_grad()"),
    ],
)
def test_a_constant_says_what_it_was_cut_off_from_and_how(line: str, how: str, tmp_path: Path) -> None:
    recording = captured(f"{line}\n(a * w).sum().backward()\n", tmp_path)

    (cut,) = [cut for cut in recording.cuts if cut.result is not None]
    (leaf,) = [node.id for node in recording.nodes if node.name == "x"]
    assert ([recording.nodes[each].name for each in cut.sources], cut.how, cut.line) == (["y"], how, 6)
    assert cut.result is not None
    assert recording.nodes[cut.result].op == "constant"
    assert no_gradient_text(Track(recording, 0), leaf) == f"no gradient: the graph was cut at line 6 by {how}"


@pytest.mark.parametrize(("taken", "how"), [("y.sum().item()", "item()"), ("float(y[0])", "float()")])
def test_numbers_that_python_got(taken: str, how: str, tmp_path: Path) -> None:
    recording = captured(f"k = {taken}\n(y * k * w).sum().backward()\n", tmp_path)

    assert [(cut.how, cut.line, cut.result) for cut in recording.cuts] == [(how, 6, None)]


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        (
            "y.detach().sum().backward()",
            "The graph was cut at line 6 by detach(): from there on no gradient is recorded.",
        ),
        ("torch.tensor(y.sum().item()).backward()", "Numbers left the graph at line 6 by item(): " + WITHOUT),
    ],
)
def test_backward_without_a_graph_names_the_cut(line: str, hint: str, tmp_path: Path) -> None:
    problem = captured(line + "\n", tmp_path).problem

    assert problem is not None
    assert "does not require grad" in problem.message
    assert problem.hint == hint


def test_a_training_that_reads_its_loss_every_step_keeps_one_note_for_the_line() -> None:
    w = torch.zeros(2, requires_grad=True)
    with Recorder() as recorder:
        for _ in range(20):
            loss = ((w - 1) ** 2).sum()
            loss.backward()
            loss.item()
            with torch.no_grad():
                w -= 0.1 * w.grad

    assert len(recorder.forward.cuts.left) == 1
    assert recorder.forward.cuts.made_of == {}
