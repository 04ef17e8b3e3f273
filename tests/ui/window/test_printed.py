"""How much of the output belongs to a position of a call."""

from __future__ import annotations

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
