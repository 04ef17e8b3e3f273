"""Whole scripts, process start to end, and the memory of a long training.

A lesson, by `gradviz run`, is against `python -c "import numpy"`; loops are against Python with PyTorch, and both sides
must print the same. They take turns, each round gives one ratio, and the median of the rounds counts. PyTorch is looked
for in the Python that runs this, or in the one that the variable TORCH_PYTHON names; without it our side runs alone.

Memory is the peak of the process that runs the script and records it, after many iterations against after a few.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gradviz.shipped import shipped

ROOT = Path(__file__).resolve().parents[2]
LESSONS = ("01_square", "14_the_whole_jacobian", "18_training_a_small_network")

LOOP = """\
import torch

w = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
for i in range({n}):
    loss = (w * 2.0 + b - 3.0) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        b -= 0.01 * b.grad
    w.grad.zero_()
    b.grad.zero_()
print(w, b)
"""

MODULE_LOOP = """\
import torch
from torch import nn

model = nn.Linear(3, 1)
with torch.no_grad():
    model.weight.fill_(0.5)
    model.bias.zero_()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.arange(12.0).reshape(4, 3) / 12
y = torch.tensor([[0.0], [1.0], [2.0], [3.0]])
for epoch in range({n}):
    optimizer.zero_grad()
    loss = ((model(x) - y) ** 2).mean()
    loss.backward()
    optimizer.step()
print(round(loss.item(), 3))
"""

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


def cases(smoke: bool) -> Iterator[dict[str, Any]]:
    """Rows of figures; with `smoke` short loops, and one round."""
    rounds = 1 if smoke else 9
    for lesson in LESSONS[: 1 if smoke else None]:
        file = Path(str(shipped("examples"))) / f"{lesson}.py"
        row = compared(ours(file), [sys.executable, "-c", "import numpy"], rounds, prints_the_same=False)
        yield {"bench": "script", "case": f"lesson {lesson}", "against": "import numpy", "aim": 3.0, **row, "n": 1}
    theirs = torch_python()
    if theirs is None:
        print("script: PyTorch is not installed here (TORCH_PYTHON may name a Python that has it).", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        for name, text, most in (("a loop", LOOP, 16_000), ("a loop with a module", MODULE_LOOP, 2_000)):
            n = 50 if smoke else most
            file = Path(folder) / f"{name.replace(' ', '_')}.py"
            file.write_text(text.format(n=n), encoding="utf-8")
            row = compared(ours(file), None if theirs is None else [theirs, str(file)], rounds)
            against = None if theirs is None else "Python with PyTorch"
            yield {"bench": "script", "case": name, "against": against, "aim": 1.0, **row, "n": n}
    if importlib.util.find_spec("resource"):  # not on Windows
        yield memory(20 if smoke else 1_000, 40 if smoke else 6_000)


def ours(file: Path) -> list[str]:
    """The command that runs a script here."""
    return [sys.executable, "-m", "gradviz", "run", str(file)]


def torch_python() -> str | None:
    """A Python that has PyTorch."""
    return os.environ.get("TORCH_PYTHON") or (sys.executable if importlib.util.find_spec("torch") else None)


def compared(mine: list[str], theirs: list[str] | None, rounds: int, *, prints_the_same: bool = True) -> dict[str, Any]:
    """Our median time, and the median ratio to theirs.

    Raises:
        RuntimeError: the two do not print the same, and should.
    """
    times, ratios = [], []
    ran(mine)  # compiles what has changed
    for _ in range(rounds):
        seconds, printed = ran(mine)
        times.append(seconds)
        if theirs is not None:
            others, expected = ran(theirs)
            ratios.append(seconds / others)
            if prints_the_same and printed != expected:
                raise RuntimeError(f"{mine[-1]}: gradviz printed {printed!r}, and PyTorch {expected!r}")
    ratio = round(statistics.median(ratios), 3) if ratios else None
    return {"ratio": ratio, "unit": "s", "value": round(statistics.median(times), 4)}


def memory(few: int, many: int) -> dict[str, Any]:
    """The peak after many iterations of a training against that after a few."""
    peaks = [int(ran([sys.executable, "-c", PEAK], TRAINING.format(n=n))[1]) for n in (few, many)]
    megabytes = peaks[1] / (1e6 if sys.platform == "darwin" else 1e3)
    return {
        "bench": "script", "case": "memory of a recorded training", "against": f"{few:,} iterations", "aim": 1.2,
        "ratio": round(peaks[1] / peaks[0], 3), "unit": "MB", "value": round(megabytes, 1), "n": many,
    }  # fmt: skip


def ran(command: list[str], given: str = "") -> tuple[float, str]:
    """Seconds of a process from start to end, and what it printed."""
    # As installed: pip compiles what it installs, and whoever forbids that would measure Python's compiler.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, encoding="utf-8", input=given
    )
    return time.perf_counter() - start, done.stdout
