"""Whole scripts, process start to end: `gradviz run` against `python` with PyTorch.

Both sides take turns, each round gives one ratio, and the median of the rounds counts; both must print the same.
PyTorch is looked for in the Python that runs this, or in the one that the variable TORCH_PYTHON names. Where it is
nowhere, our side runs alone and its rows have no ratio.
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
TUTORIALS = ("01_square", "14_the_whole_jacobian", "18_training_a_small_network")

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


def cases(smoke: bool) -> Iterator[dict[str, Any]]:
    """Rows of figures; with `smoke` short loops, and one round."""
    theirs = torch_python()
    if theirs is None:
        print("script: PyTorch is not installed here (TORCH_PYTHON may name a Python that has it).", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:
        for name, file, n in scripts(Path(folder), smoke):
            yield row(name, file, n, theirs, 1 if smoke else 7)


def scripts(folder: Path, smoke: bool) -> Iterator[tuple[str, Path, int]]:
    """Name, file and number of backward calls of every script; 1 where there is no loop to speak of."""
    for tutorial in TUTORIALS[: 1 if smoke else None]:
        yield f"tutorial {tutorial}", Path(str(shipped("examples"))) / f"{tutorial}.py", 1
    for name, text, n in (("loop", LOOP, 10_000), ("loop with a module", MODULE_LOOP, 2_000)):
        count = 50 if smoke else n
        file = folder / f"{name.replace(' ', '_')}.py"
        file.write_text(text.format(n=count), encoding="utf-8")
        yield name, file, count


def torch_python() -> str | None:
    """A Python that has PyTorch."""
    return os.environ.get("TORCH_PYTHON") or (sys.executable if importlib.util.find_spec("torch") else None)


def row(name: str, file: Path, n: int, theirs: str | None, rounds: int) -> dict[str, Any]:
    """Our median time, and the median ratio to PyTorch's.

    Raises:
        RuntimeError: the two do not print the same.
    """
    times, ratios = [], []
    ran([sys.executable, "-m", "gradviz", "run", str(file)])  # compiles what has changed
    for _ in range(rounds):
        ours, printed = ran([sys.executable, "-m", "gradviz", "run", str(file)])
        times.append(ours)
        if theirs is not None:
            seconds, expected = ran([theirs, str(file)])
            ratios.append(ours / seconds)
            if printed != expected:
                raise RuntimeError(f"{name}: gradviz printed {printed!r}, and PyTorch {expected!r}")
    return {
        "bench": "script",
        "case": name,
        "against": None if theirs is None else "PyTorch",
        "ratio": round(statistics.median(ratios), 3) if ratios else None,
        "unit": "s",
        "value": round(statistics.median(times), 4),
        "n": n,
    }


def ran(command: list[str]) -> tuple[float, str]:
    """Seconds of a process from start to end, and what it printed."""
    # As installed: pip compiles what it installs, and whoever forbids that would measure Python's compiler.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True, encoding="utf-8"
    )
    return time.perf_counter() - start, done.stdout
