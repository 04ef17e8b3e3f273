"""A training step recorded, against the same step without the recorder, by the CPU time of the thread.

Both sides take turns, each round gives one ratio, and the median of the rounds counts. PyTorch runs on one thread. Where
TorchLens is installed, its forward and backward pass of the same model stand beside.
"""

from __future__ import annotations

import gc
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
AIMS = {"resnet18": (2.5, 2.2), "transformer": (2.8, 2.4), "mlp": (4.0, 4.0), "lstm50": (6.0, 6.0)}
SUMMARY_ABOVE = 4096
"""Elements; what is smaller is sooner copied than summarised."""

START = """\
import time, torch
start = time.perf_counter()
from gradviz.capture import capture
with capture(): pass
print(time.perf_counter() - start)
"""


def cases(smoke: bool) -> Iterator[dict[str, Any]]:
    """Rows of figures; with `smoke` one round of each."""
    if not importlib.util.find_spec("torch"):
        print("capture: PyTorch is not installed here.", file=sys.stderr)
        return
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        rounds = 1 if smoke else 25
        for name, aims in AIMS.items():
            yield from steps(name, aims, rounds)
        yield training(20 if smoke else 1_000, 4 if smoke else 16, 1 if smoke else 5)
        yield start(1 if smoke else 5)
        yield writing(1 if smoke else 5)
    finally:
        torch.set_num_threads(threads)


def steps(name: str, aims: tuple[float, float], rounds: int) -> Iterator[dict[str, Any]]:
    """One model: everything kept, summaries, and TorchLens."""
    import torch

    from gradviz.capture.recorder import Recorder
    from tests.capture.models import MODELS

    torch.manual_seed(0)
    net, x, y = MODELS[name]()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()

    def recorded(above: int | None) -> None:
        with Recorder(megabytes=4_000, summary_above=above):
            step()

    sides: dict[str, tuple[Callable[[], Any], float | None]] = {
        "with everything": (lambda: recorded(None), aims[0]),
        "with summaries": (lambda: recorded(SUMMARY_ABOVE), aims[1]),
    }
    if importlib.util.find_spec("torchlens"):
        sides["TorchLens"] = (lambda: lens(net, x, y), None)
    for side, (run, aim) in sides.items():
        row = compared(run, step, rounds)
        yield {"bench": "capture", "case": f"{name} {side}", "against": "the step alone", "aim": aim, **row, "n": 1}


def lens(net: Any, x: Any, y: Any) -> None:
    """The same with TorchLens, which records activations and gradients too."""
    import torch
    import torchlens  # type: ignore[import-not-found]

    log = torchlens.log_forward_pass(net, x, vis_opt="none")
    torch.nn.functional.cross_entropy(log[-1].tensor_contents, y).backward()


def compared(mine: Callable[[], Any], theirs: Callable[[], Any], rounds: int) -> dict[str, Any]:
    """Our median time in milliseconds, and the median ratio to theirs."""
    times, ratios = [], []
    for _ in range(2):
        mine()
        theirs()
    for _ in range(rounds):
        seconds, others = timed(mine), timed(theirs)
        times.append(seconds)
        ratios.append(seconds / others)
    return {
        "ratio": round(statistics.median(ratios), 2),
        "unit": "ms",
        "value": round(1e3 * statistics.median(times), 2),
    }


def timed(run: Callable[[], Any]) -> float:
    """CPU seconds of this thread."""
    gc.collect()
    begin = time.thread_time()
    run()
    return time.thread_time() - begin


def training(count: int, keep: int, rounds: int) -> dict[str, Any]:
    """Many steps of a small network, of which few are kept."""
    import torch

    from gradviz.capture.recorder import Recorder

    net = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.Tanh(), torch.nn.Linear(64, 10))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x, y = torch.randn(16, 32), torch.randint(10, (16,))

    def train() -> None:
        for _ in range(count):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()

    def recorded() -> None:
        with Recorder(keep):
            train()

    row = compared(recorded, train, rounds)
    case = f"{count:,} steps, {keep} kept"
    return {"bench": "capture", "case": case, "against": "the steps alone", "aim": 1.5, **row, "n": count}


def start(rounds: int) -> dict[str, Any]:
    """What the recorder adds to the start of a program that has imported PyTorch."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    times = []
    for _ in range(rounds + 1):
        done = subprocess.run(
            [sys.executable, "-c", START], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
        )
        times.append(float(done.stdout))
    value = round(statistics.median(times[1:]), 4)  # the first one compiles what has changed
    return {
        "bench": "capture",
        "case": "start",
        "against": None,
        "aim": 0.1,
        "ratio": None,
        "unit": "s",
        "value": value,
        "n": 1,
    }


def writing(rounds: int) -> dict[str, Any]:
    """A recording of 100 MB to a file."""
    import torch

    from gradviz.capture.recorder import Recorder

    with Recorder(megabytes=1_000) as recorder:
        x = torch.randn(1_000, 1_000, requires_grad=True)
        y = x
        for _ in range(12):
            y = y.sin()
        y.sum().backward()
    size = recorder.keeper.budget.bytes
    times = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(rounds):
            begin = time.perf_counter()
            recorder.save(Path(folder) / "run.gradviz")
            times.append(time.perf_counter() - begin)
    value = round(statistics.median(times), 3)
    return {
        "bench": "capture",
        "case": "writing",
        "against": None,
        "aim": 0.5,
        "ratio": None,
        "unit": "s",
        "value": value,
        "n": size,
    }
