"""The script for numpy of runs in which something beside the rules had a hand: it prints the gradients of the run."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gradviz.errors import GradvizError
from gradviz.playback.track import Track
from gradviz.recording import Recording
from gradviz.texts.numpy_script import numpy_script
from tests.recorded import run
from tests.texts.replaying import assert_same, expected, interpreter_of_numpy, replayed

START = "import torch\nx = torch.tensor([1., 2., 3.], requires_grad=True)\n"
SCRIPTS = {
    "hook_of_a_tensor": "y = x * x\ny.register_hook(lambda g: g * 10)\ny.sum().backward()",
    "hook_of_a_leaf": "x.register_hook(lambda g: g + 1)\n(x * x).sum().backward()",
    "hook_of_an_output": "y = x.exp().sum()\ny.register_hook(lambda g: g * 3)\ny.backward()",
    "hook_in_place": "def grow(g):\n    g.mul_(5)\ny = x * 2\ny.register_hook(grow)\n(y * y).sum().backward()",
    "hook_that_changes_nothing": "y = x * x\ny.register_hook(lambda g: g)\ny.sum().backward()",
    "hook_where_two_come_in": "y = x * x\ny.register_hook(lambda g: -g)\n(y.exp() + y * 3).sum().backward()",
    "hook_of_a_node": "y = x * x\ny.grad_fn.register_hook(lambda sent, came: (sent[0] * 4, sent[1]))\ny.sum().backward()",
    "early_hook_of_a_node": "y = x * x\ny.grad_fn.register_prehook(lambda came: (came[0] * 4,))\ny.sum().backward()",
    "hook_after_grad": (
        "def clip(p):\n    p.grad.clamp_(max=3)\n"
        "x.register_post_accumulate_grad_hook(clip)\n(x * x).sum().backward()"
    ),
    "hook_of_a_module": (
        "net = torch.nn.Linear(3, 2)\nnet.register_full_backward_hook(lambda m, sent, came: (sent[0] * 2,))\n"
        "net(x * 1).sum().backward()"
    ),
    "hook_and_grad": "y = x * x\ny.register_hook(lambda g: g * 10)\nprint(torch.autograd.grad(y.sum(), x))",
    "hook_and_another_pass": "(x * x).sum().backward()\nx.register_hook(lambda g: g * 2)\n(x * 3).sum().backward()",
    "retained": "y = x * x\ny.retain_grad()\ny.register_hook(lambda g: g * 10)\ny.sum().backward()",
    "function": (
        "class Clipped(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a, b):\n"
        "        ctx.save_for_backward(a, b)\n        return a * b\n    @staticmethod\n    def backward(ctx, g):\n"
        "        a, b = ctx.saved_tensors\n        return (g * b).clamp(max=2), None\n"
        "(Clipped.apply(x * 2, x) * x).sum().backward()"
    ),
    "function_of_two_outputs": (
        "class Both(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a):\n"
        "        return a * 2, a.sum() * 3\n    @staticmethod\n    def backward(ctx, g, h):\n"
        "        return g * 7 + h\n"
        "a, b = Both.apply(x * 1)\n(a.exp().sum() * b).backward()"
    ),
    "straight_through": "y = x + (x.round() - x).detach()\n(y * y).sum().backward()",
    "data": "y = x**2\nx.data += 1\ny.sum().backward()",
    "data_of_a_weight": "w = torch.ones(3, requires_grad=True)\ny = x * w\nw.data.mul_(4)\ny.sum().backward()",
    "in_place": "y = x * 2\ny.mul_(3)\n(y + x).sum().backward()",
    "written_through_a_view": "y = x * 2\ny[1] = x[0]\n(y + x).sum().backward()",
    "in_place_without_grad": "with torch.no_grad():\n    x.add_(1)\n(x * x).sum().backward()",
    "broadcast_and_changed": (
        "w = torch.ones(2, 3, requires_grad=True)\ny = w * x\nx.data.add_(1)\ny.register_hook(lambda g: g * w.detach())\n"
        "y.sum().backward()"
    ),
    "a_class_in_small_letters": (
        "class relu(torch.autograd.Function):\n    @staticmethod\n    def forward(ctx, a):\n"
        "        return a.clamp(min=0)\n    @staticmethod\n    def backward(ctx, g):\n        return g * 5\n"
        "relu.apply(x).sum().backward()"
    ),
}  # fmt: skip
UNTOUCHED = {"in_place", "hook_that_changes_nothing", "straight_through", "in_place_without_grad"}
"""Nothing but rules was at work: no number of a step is copied from the recording."""
REFUSED = {"written_through_a_view": "does not write out copy_slices"}


@pytest.fixture(scope="module")
def interpreter() -> Iterator[subprocess.Popen[str]]:
    with interpreter_of_numpy() as made:
        yield made


def own(name: str, _: Path) -> Recording:
    return run(START + SCRIPTS[name]).recording


def theirs(name: str, folder: Path) -> Recording:
    pytest.importorskip("torch")
    from tests.capture.capturing import captured

    (folder / "script.py").write_text(START + SCRIPTS[name] + "\n", encoding="utf-8")
    return captured(folder / "script.py", folder)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("recorded", [own, pytest.param(theirs, marks=pytest.mark.torch)], ids=["built-in", "pytorch"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_the_script_prints_the_gradients_of_the_run(name, recorded, interpreter, tmp_path) -> None:
    recording = recorded(name, tmp_path)
    assert recording.problem is None
    assert recording.sweeps

    if name in REFUSED:
        with pytest.raises(GradvizError, match=REFUSED[name]):
            numpy_script(Track(recording, 0))
        return

    for sweep in range(len(recording.sweeps)):
        text = numpy_script(Track(recording, sweep))
        assert_same(replayed(text, interpreter, tmp_path), expected(recording, sweep))
    assert ("# what came in here was" in text or "# by the backward" in text or "# other numbers" in text
            or "# changed after" in text) == (name not in UNTOUCHED)  # fmt: skip


def test_both_engines_say_which_gradients_hooks_changed(tmp_path) -> None:
    pytest.importorskip("torch")
    for name in SCRIPTS:
        if "hook" in name:
            found = [
                [(call.line, {recording.nodes[node].line for node in call.hooked}) for call in recording.sweeps]
                for recording in (own(name, tmp_path), theirs(name, tmp_path))
            ]
            assert found[0] == found[1], name


def test_the_recorded_numbers_of_a_hook_stand_in_the_script() -> None:
    recording = run(START + SCRIPTS["hook_of_a_tensor"]).recording

    text = numpy_script(Track(recording, 0))

    assert recording.sweeps[0].hooked == {1}
    assert "d_y = np.array([10.0, 10.0, 10.0], dtype=np.float32)" in text
    np.testing.assert_array_equal(recording.gradients["x"], [20, 40, 60])
