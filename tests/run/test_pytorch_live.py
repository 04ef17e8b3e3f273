"""Run with PyTorch, with the PyTorch of this very Python: what a user's script may do to the run."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from gradviz.graph.compare import compare
from gradviz.run import pytorch
from gradviz.run.host import Child
from gradviz.run.pytorch import Choice, Script, TorchRun, run_with_pytorch
from gradviz.shipped import shipped
from tests import recorded
from tests.forking.hosts import quick_torch
from tests.run.test_recorder import NAMES, PLACES

pytest.importorskip("torch")
on_posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

SUM = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x * x).sum()
y.backward()
print(x.grad)
"""
LONG = """\
import time
end = time.monotonic() + 1.2
while time.monotonic() < end:
    (x * x).sum().backward()
    time.sleep(0.05)
"""
"""Longer than the recorder waits before it writes its file a second time."""


@pytest.fixture(scope="module")
def quick() -> Iterator[type[Child]]:
    with quick_torch() as made:
        yield made


@pytest.fixture(autouse=True)
def children_are_forked(quick: type[Child], monkeypatch: pytest.MonkeyPatch) -> None:
    """From a process that has loaded PyTorch already."""
    monkeypatch.setattr(pytorch, "Child", quick)


@pytest.fixture
def children_start(children_are_forked: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they do for a user."""
    monkeypatch.setattr(pytorch, "Child", Child)


def run(text: str, **wishes: object) -> TorchRun:
    script = {name: wishes.pop(name) for name in list(wishes) if name in Script.__dataclass_fields__}
    return run_with_pytorch(Script(text, **script), Path(sys.executable), **wishes)  # type: ignore[arg-type]


@pytest.mark.parametrize("number", ["04", "15", "18", "23", "28"])
def test_a_lesson_prints_the_same_and_has_the_same_leaves(number: str) -> None:
    """Printed numbers, an error that ends it, a training, a pass that fails, hooks; capture/test_lessons has them all."""
    (lesson,) = shipped("examples").glob(f"{number}_*.py")
    text = lesson.read_text(encoding="utf-8")
    ours, theirs = recorded.run(text).recording, run(text, name=lesson.name).recording

    assert theirs.output == ours.output
    assert (theirs.problem is None) == (ours.problem is None)
    assert [sweep.error is None for sweep in theirs.sweeps] == [sweep.error is None for sweep in ours.sweeps]
    for name, gradient in ours.gradients.items():
        if gradient is not None:
            np.testing.assert_allclose(np.asarray(theirs.gradients[name]), gradient, rtol=2e-6, atol=5e-6)


def test_every_node_that_has_a_rule_of_ours_agrees_with_it() -> None:
    ran = run(
        "import torch\nfrom torch import nn\ntorch.manual_seed(0)\n"
        "net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))\n"
        "nn.functional.cross_entropy(net(torch.randn(2, 1, 4, 4)), torch.tensor([0, 2])).backward()\n"
    )

    rows = compare(ran.recording, 0)

    assert sum(row.difference is not None for row in rows) >= 5
    assert [row for row in rows if row.differs] == []


def test_it_runs_where_and_as_it_stands(children_start: None, tmp_path: Path) -> None:
    file = tmp_path / "my net ä.py"
    (tmp_path / "helper_of_mine.py").write_text("number = 3\n")
    text = (
        "import sys, os, helper_of_mine\n"
        "print(sys.argv, os.getcwd(), __name__, os.path.basename(__file__), helper_of_mine.number)\n"
    )
    file.write_text(text, encoding="utf-8")

    ran = run(text, name=file.name, file=file, argv=("--lr", "0.1 2", "", "ü"))

    assert ran.recording.output == f"{[str(file), '--lr', '0.1 2', '', 'ü']} {tmp_path} __main__ my net ä.py 3\n"


def test_sys_exit_ends_it_with_its_code() -> None:
    ran = run(SUM + "import sys\nsys.exit(3)\n")

    assert (ran.exit_code, ran.error) == (3, None)
    assert len(ran.recording.sweeps) == 1


def test_leaves_in_dicts_and_objects_are_named_as_the_script_reaches_them() -> None:
    recording = run(PLACES).recording

    assert sorted(node.name or "" for node in recording.nodes if node.op == "leaf") == sorted(NAMES)
    assert {name for name, gradient in recording.gradients.items() if gradient is not None} == set(NAMES)
    other = run(PLACES.replace('"', "'")).recording
    assert "p['w']" in other.gradients


def test_an_error_has_pytorchs_words_and_its_line() -> None:
    ran = run(SUM + "torch.ones(2) @ torch.ones(3)\n")

    assert ran.recording.problem is not None
    assert ran.recording.problem.line == 6
    assert "size" in ran.recording.problem.message
    assert len(ran.recording.sweeps) == 1


def test_an_error_in_another_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "helper_of_mine.py").write_text("def half(x):\n    return x / nothing\n")

    ran = run("import helper_of_mine\nhelper_of_mine.half(3)\n", file=tmp_path / "a.py")

    assert ran.recording.problem is not None
    assert "nothing" in ran.recording.problem.message
    assert ran.recording.problem.line in (1, 2)


def test_a_script_that_asks_for_input_is_told_what_to_do() -> None:
    ran = run(SUM + "input('name?')\n")

    assert ran.recording.problem is not None
    assert "EOF" in ran.recording.problem.message
    assert ran.recording.problem.hint
    assert len(ran.recording.sweeps) == 1


@on_posix
@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("import os\nos._exit(5)\n", "exit code 5"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "memory may have been short"),
        ("import ctypes\nctypes.string_at(0)\n", "segmentation fault"),
        ("import os\nos.abort()\n", "abort"),
    ],
)
def test_however_it_ends_what_was_recorded_is_there(end: str, words: str) -> None:
    ran = run(SUM + LONG + end)

    assert ran.recording.problem is not None
    assert words in ran.recording.problem.message
    assert len(ran.recording.sweeps) > 1
    assert "tensor([2., 4.])" in ran.recording.output


@on_posix
def test_what_is_killed_just_after_its_first_pass_leaves_it(children_start: None) -> None:
    ran = run(SUM.removesuffix("print(x.grad)\n") + "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")

    (sweep,) = ran.recording.sweeps
    assert len(sweep.steps) == 3
    assert "tensor" not in ran.recording.output


def test_a_pass_knows_what_had_been_printed_when_it_began() -> None:
    ran = run("print('one')\n" + SUM + "(x * x).sum().backward()\n")

    first, second = ran.recording.sweeps
    assert first.printed == len("one\n")
    assert second.printed == len(ran.recording.output)


def test_too_much_memory_is_an_error_of_the_script() -> None:
    ran = run(SUM + "torch.empty(10**15)\n")

    assert ran.recording.problem is not None
    assert "memory" in ran.recording.problem.message
    assert len(ran.recording.sweeps) == 1


def test_a_flood_is_ended_and_the_rest_is_there() -> None:
    ran = run(SUM + "while True: print('x' * 10000)\n", output_characters=1_000_000)

    assert ran.recording.problem is not None
    assert "printed more than 1,000,000 characters" in ran.recording.problem.message
    assert len(ran.recording.sweeps) == 1


def test_stop_keeps_what_was_recorded() -> None:
    begun = threading.Event()

    ran = run(
        SUM.replace("print", "str") + "while True:\n    (x * x).sum().backward()\n    print(1)\n",
        on_output=lambda _: begun.set(), stopping=begun.is_set,
    )  # fmt: skip

    assert ran.recording.problem is not None
    assert ran.recording.problem.message == "Stopped."
    assert ran.recording.problem.line in (6, 7, 8)
    assert len(ran.recording.sweeps) > 1
    assert ran.recording.thinned is None or ran.recording.thinned.last


def test_the_time_that_was_given_is_kept() -> None:
    ran = run(SUM + "import time\nwhile True: time.sleep(0.01)\n", seconds=0.3)

    assert ran.recording.problem is not None
    assert "ran longer than 0.3 seconds" in ran.recording.problem.message
    assert len(ran.recording.sweeps) == 1


def test_what_is_large_is_summed_up() -> None:
    ran = run(
        "import torch\nx = torch.ones(100, 100, requires_grad=True)\n(x * 3).sum().backward()\n",
        choice=Choice(summary_above=1000),
    )

    recording = ran.recording
    (sweep,) = recording.sweeps
    (leaf,) = [node.id for node in recording.nodes if node.op == "leaf"]
    assert recording.values[leaf] is None
    assert recording.summaries[leaf].norm == pytest.approx(100)
    assert sweep.summaries.incoming[leaf].norm == pytest.approx(300)
    assert sweep.summaries.after[leaf].max == 3


def test_processes_that_the_script_starts_are_gone_with_it() -> None:
    ran = run(SUM + "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(1 + 1)'])\nprint('done')\n")

    assert ran.error is None
    assert ran.recording.output.endswith("2\ndone\n")


def test_what_a_process_of_the_script_printed_stands_where_it_was_printed() -> None:
    ran = run(
        SUM
        + "import os\nfor k in range(300):\n    print(k)\n    os.write(1, b'\\xe2\\x82')\n    os.write(1, b'\\xac\\n')\n"
        "os.write(1, b'end\\n')\n"
    )

    assert ran.recording.output.split("\n")[-602:] == [line for k in range(300) for line in (str(k), "€")] + ["end", ""]


def test_warnings_come_with_their_lines() -> None:
    ran = run(SUM + "import warnings\nwarnings.warn('careful')\n")

    assert [(warned.message, warned.line) for warned in ran.recording.warnings] == [("careful", 7)]


def test_the_child_is_where_it_is_looked_for() -> None:
    assert pytorch.CHILD.is_file()


def test_the_last_value_of_a_cell_is_shown_as_by_the_built_in_engine() -> None:
    text = """\
# %% cell 1
import torch
from collections import Counter, defaultdict
x = torch.ones(2, requires_grad=True)
{"y": x * 2, "many": list(range(30)), "set": {3, 1, 2}}
# %% cell 2
[torch.nn.Linear, torch.Size([2]), Counter("abca"), defaultdict(list, a=[1]), list(range(1_002))]
# %% cell 3
class Net: pass
def f(a, b=1): pass
(Net, f, torch.float32)
"""
    theirs = run(text, kind="notebook").recording.output

    assert theirs == recorded.run(text, kind="notebook").recording.output
    assert theirs.startswith("{'y': tensor([2., 2.], grad_fn=<MulBackward0>),\n 'many': [0,\n          1,\n")
    assert "<torch._C.Generator at 0x" in run("import torch\ntorch.manual_seed(0)\n", kind="notebook").recording.output


def test_the_last_expression_of_a_script_is_shown_to_the_window_and_to_nobody_else() -> None:
    text = "import torch\nx = torch.ones(2, requires_grad=True)\nx.sum().backward()\nx.grad\n# %% cell 2\nx.grad"

    assert run(text, echo_last=True).recording.output == "tensor([1., 1.])\n"
    assert run(f"{text};", echo_last=True).recording.output == ""
    assert run(text).recording.output == ""


def test_a_name_that_is_used_again_lists_the_gradient_of_what_it_names_at_the_end() -> None:
    text = "import torch\n" + "".join(
        f"x = torch.tensor([{number}.], requires_grad=True)\ny{number} = x**2\ny{number}.backward()\n"
        for number in "123"
    )
    ended = text + "x = torch.zeros(2, requires_grad=True)\n"

    assert recorded.run(text).recording.gradients["x"] == run(text).recording.gradients["x"] == 6
    assert {name: recorded.run(ended).recording.gradients[name] for name in "x"} == run(ended).recording.gradients
