"""How much of the output belongs to a position of a call."""

from __future__ import annotations

from gradviz.formats import load, save
from gradviz.playback.track import Track
from gradviz.ui.window.printed import printed_by
from tests.recorded import run

TEXT = (
    "import torch\nx = torch.ones(1, requires_grad=True)\nprint('a')\n(x * x).backward()\nprint('b')\n"
    "(x * 2).backward()\nprint('c')\n"
)


def test_what_comes_after_a_call_is_there_once_it_is_done():
    recording = run(TEXT, "one.py").recording
    first, second = Track(recording, 0), Track(recording, 1)

    def shown(track: Track, position: int) -> str:
        return recording.output[: printed_by(track, position)]

    assert shown(first, 0) == shown(first, first.length - 1) == "a\n"
    assert shown(first, first.length) == shown(second, 0) == "a\nb\n"
    assert shown(second, second.length) == "a\nb\nc\n"


def test_without_a_call_all_is_shown():
    recording = run("import torch\nprint('a')\nx = torch.ones(1, requires_grad=True) * 2\n", "one.py").recording

    assert printed_by(Track(recording), 0) is None


IN_THE_MIDST = """
import torch

class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        print("b")
        return 2 * g

x = torch.ones(1, requires_grad=True)
y = x * 3
y.register_hook(lambda g: print("c"))
x.register_hook(lambda g: print("d"))
z = Double.apply(y) * 5
print("a")
z.backward()
print("e")
"""


def test_what_a_step_printed_is_there_once_it_has_run(tmp_path):
    save(run(IN_THE_MIDST, "one.py").recording, tmp_path / "one.json")
    recording = load(tmp_path / "one.json")
    track = Track(recording, 0)
    nodes = [recording.nodes[step.node] for step in track.steps]
    steps = {node.name or node.op: track.turn + at for at, node in enumerate(nodes, 1)}

    shown = {name: recording.output[: printed_by(track, at)] for name, at in steps.items()}

    assert shown["z"] == "a\n"
    assert shown["Double"] == "a\nb\n"
    assert shown["y"] == "a\nb\nc\n"
    assert recording.output[: printed_by(track, track.length)] == "a\nb\nc\nd\ne\n"
    assert recording.output[: printed_by(track, track.turn)] == "a\n"
