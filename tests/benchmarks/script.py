"""Whole scripts, training loops, and the memory of a long training.

A lesson, by `gradviz run`, is against `python -c "import numpy"`. Training loops are recorded, as the window runs them,
against Python with PyTorch, by the clock that the script itself has: neither side's imports count, and both must print
the same. They take turns, and each round gives one ratio. PyTorch is looked for in the Python that runs this, or in the
one that the variable TORCH_PYTHON names; without it our side runs alone.

Memory is the peak of the process that runs the script and records it, after many iterations against after a few.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from gradviz.run.host import Host
from gradviz.run.job import Job, Limits
from gradviz.shipped import shipped
from tests.benchmarks.figures import Row, in_turns, row

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ("01_square", "14_the_whole_jacobian", "18_training_a_small_network")

LOOP = """\
import time
import torch

w = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
start = time.perf_counter()
for i in range({n}):
    loss = (w * 2.0 + b - 3.0) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        b -= 0.01 * b.grad
    w.grad.zero_()
    b.grad.zero_()
seconds = time.perf_counter() - start
print(w, b)
print(seconds)
"""

LINEAR = """\
import time
import torch
from torch import nn

model = nn.Linear(3, 1)
with torch.no_grad():
    model.weight.fill_(0.5)
    model.bias.zero_()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.arange(12.0).reshape(4, 3) / 12
y = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
start = time.perf_counter()
for epoch in range({n}):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
seconds = time.perf_counter() - start
print(round(loss.item(), 3))
print(seconds)
"""

ADAM = """\
import time
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=0.001)
x, y = torch.randn(64, 64), torch.randint(10, (64,))
start = time.perf_counter()
for step in range({n}):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
seconds = time.perf_counter() - start
print(round(loss.item(), 2))
print(seconds)
"""

IMAGES = """\
import time
import torch
from torch import nn

torch.set_num_threads(1)
torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 8, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(64, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, y = torch.randn(16, 1, 16, 16), torch.randint(10, (16,))
start = time.perf_counter()
for step in range({n}):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
seconds = time.perf_counter() - start
print(round(loss.item(), 2))
print(seconds)
"""

LOOPS = (
    ("scalars", LOOP, 16_000, 1.0),
    ("Linear with SGD", LINEAR, 2_000, 1.0),
    ("MLP with Adam", ADAM, 300, 1.2),
    ("CNN with SGD", IMAGES, 200, 1.6),
)
"""Name, script, iterations, and aim of each loop."""

TRAINING = """\
import torch
from torch import nn

torch.manual_seed(0)
rnn = nn.RNN(4, 8, batch_first=True)
head = nn.Linear(8, 1)
optimizer = torch.optim.Adam([*rnn.parameters(), *head.parameters()], lr=0.01)
x = torch.sin(torch.arange(0, 80) / 5).reshape(4, 5, 4)
y = torch.cos(torch.arange(0, 4) / 5).reshape(4, 1)
for i in range({n}):
    optimizer.zero_grad()
    out, _ = rnn(x)
    loss = ((head(out[:, -1]) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
print(loss.item() < 0.01)
"""

PEAK = """\
import resource, sys
from gradviz.run.host import Host
from gradviz.run.job import Job, Limits
with Host(keeps_spare=False) as host:
    run = host.run(Job(sys.stdin.read(), limits=Limits(seconds=None)))
    assert run.error is None, run.error
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def cases(smoke: bool) -> Iterator[Row]:
    """Rows of figures; with `smoke` short loops, and one round."""
    rounds = 1 if smoke else 9
    for lesson in LESSONS[: 1 if smoke else None]:
        yield whole(Path(str(shipped("examples"))) / f"{lesson}.py", rounds)
    theirs = torch_python()
    if theirs is None:
        print("script: PyTorch is not installed here (TORCH_PYTHON may name a Python that has it).", file=sys.stderr)
    for name, text, most, aim in LOOPS:
        yield loop(name, text, 20 if smoke else most, aim, theirs, rounds)
    if importlib.util.find_spec("resource"):  # not on Windows
        yield memory(20 if smoke else 1_000, 40 if smoke else 6_000)


def whole(file: Path, rounds: int) -> Row:
    """A lesson, process start to end."""
    commands = {
        "ours": [sys.executable, "-m", "gradviz", "run", str(file)],
        "numpy": [sys.executable, "-c", "import numpy"],
    }
    ran(commands["ours"])  # compiles what has changed
    times = in_turns({name: partial(_whole_seconds, command) for name, command in commands.items()}, rounds)
    case = f"lesson {file.stem}"
    return row("script", case, times["ours"], "s", 1, theirs=times["numpy"], against="import numpy", aim=3.0)


def _whole_seconds(command: list[str]) -> float:
    start = time.perf_counter()
    ran(command)
    return time.perf_counter() - start


def loop(name: str, text: str, n: int, aim: float, python: str | None, rounds: int) -> Row:
    """A training loop recorded as the window records it, and the same script in PyTorch, by the script's own clock.

    Args:
        python: one that has PyTorch; without it our side runs alone, and the row has no aim.

    Raises:
        RuntimeError: the two do not print the same.
    """
    text = text.format(n=n)
    printed: dict[str, list[str]] = {"ours": [], "theirs": []}

    def noted(side: str, output: str) -> float:
        *lines, seconds = output.splitlines()
        printed[side] = lines
        return float(seconds)

    sides = {"ours": lambda: noted("ours", recorded(text))}
    if python is not None:
        sides["theirs"] = lambda: noted("theirs", ran([python, "-c", text]))
    times = in_turns(sides, rounds)
    if python is None:
        return row("script", f"a loop: {name}", times["ours"], "s", n)
    if printed["ours"] != printed["theirs"]:
        raise RuntimeError(f"{name}: gradviz printed {printed['ours']}, and PyTorch {printed['theirs']}")
    against = "Python with PyTorch"
    return row("script", f"a loop: {name}", times["ours"], "s", n, theirs=times["theirs"], against=against, aim=aim)


def recorded(text: str) -> str:
    """What a script printed that ran as the window runs it."""
    with Host(keeps_spare=False) as host:
        recording = host.run(Job(text, limits=Limits(seconds=None))).recording
    if recording.problem is not None:
        raise RuntimeError(f"the script of a benchmark failed: {recording.problem}")
    return recording.output


def torch_python() -> str | None:
    """A Python that has PyTorch."""
    return os.environ.get("TORCH_PYTHON") or (sys.executable if importlib.util.find_spec("torch") else None)


def memory(few: int, many: int) -> Row:
    """The peak after many iterations of a training against that after a few."""
    peaks = [int(ran([sys.executable, "-c", PEAK], TRAINING.format(n=n))) for n in (few, many)]
    few_, many_ = ([peak / (1e6 if sys.platform == "darwin" else 1e3)] for peak in peaks)
    against = f"{few:,} iterations"
    return row("script", "memory of a recorded training", many_, "MB", many, theirs=few_, against=against, aim=1.2)


def printed_seconds(command: list[str]) -> float:
    """The seconds that a script printed last."""
    return float(ran(command).splitlines()[-1])


def environment() -> dict[str, str]:
    """As installed: pip compiles what it installs, and whoever forbids that would measure Python's compiler."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def ran(command: list[str], given: str = "") -> str:
    """What a process printed."""
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), check=True, capture_output=True, text=True, encoding="utf-8", input=given
    )
    return done.stdout
