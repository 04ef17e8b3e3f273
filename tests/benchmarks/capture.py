"""A training step recorded as `gradviz.capture()` does it unasked, against the same step without the recorder.

Steps are measured by the processor time of the thread; both sides take turns, each round gives one ratio. PyTorch runs
on one thread. Scripts are run by `gradviz export --python` and by python alone, and time their own training, without
imports. Memory is the peak of a process that trains, recorded against plain. Where TorchLens is installed, its forward
and backward pass of the same models is measured in a process of its own, since it leaves its wrappers in PyTorch: both
recorders are held against the step alone of their own process.
"""

from __future__ import annotations

import gc
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import Row, clocked, in_turns, peak_megabytes, row
from tests.benchmarks.script import ADAM, environment, printed_seconds, ran

ROOT = Path(__file__).resolve().parents[2]
AIMS = {"mlp": 4.0, "resnet18": 1.8, "transformer": 3.0, "llama": 3.0, "lstm50": 4.0, "gpt2": 1.25}
LIKE_TORCHLENS = ("mlp", "resnet18", "transformer", "lstm50")
LENS_ROUNDS = 7

START = """\
import time, torch
start = time.perf_counter()
from gradviz.capture import capture
with capture(): pass
print(time.perf_counter() - start)
"""

CELLS = """\
import time
import torch

torch.set_num_threads(1)
torch.manual_seed(0)
cell, out = torch.nn.LSTMCell(32, 64), torch.nn.Linear(64, 10)
optimizer = torch.optim.SGD([*cell.parameters(), *out.parameters()], lr=0.01)
x, y = torch.randn(50, 16, 32), torch.randint(10, (16,))
for step in range({n} + 1):
    if step == 1:
        start = time.perf_counter()
    optimizer.zero_grad()
    h = c = torch.zeros(16, 64)
    for t in range(50):
        h, c = cell(x[t], (h, c))
    torch.nn.functional.cross_entropy(out(h), y).backward()
    optimizer.step()
seconds = time.perf_counter() - start
"""

SCRIPTS = {"LSTMCell x50": (CELLS, 20, 4.0), "MLP with Adam": (ADAM, 200, 1.2)}
"""Scripts, how many steps they take, and aims."""


def cases(smoke: bool) -> Iterator[Row]:
    """Rows of figures; with `smoke` few rounds of what is small."""
    if not importlib.util.find_spec("torch"):
        print("capture: PyTorch is not installed here.", file=sys.stderr)
        return
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        chosen = ("mlp",) if smoke else tuple(AIMS)
        for name in chosen:
            yield from steps(name, 2 if smoke else 9 if name == "gpt2" else 25)
        yield training(20 if smoke else 1_000, 2 if smoke else 9)
        for name in tuple(SCRIPTS)[: 1 if smoke else None]:
            yield script(name, 2 if smoke else 7, smoke)
        yield start(1 if smoke else 9)
        yield writing(1 if smoke else 9)
        yield from large(smoke)
    finally:
        torch.set_num_threads(threads)


def made(name: str) -> tuple[Callable[[], None], tuple[Any, Any, Any]]:
    """A training step of a model, and model, input, classes."""
    import torch

    from tests.benchmarks.language import gpt2, llama
    from tests.capture.models import MODELS

    torch.manual_seed(0)
    net, x, y = (MODELS | {"gpt2": gpt2, "llama": llama})[name]()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step() -> None:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(net(x), y).backward()
        optimizer.step()

    return step, (net, x, y)


def steps(name: str, rounds: int) -> Iterator[Row]:
    """One model, recorded as nobody asked for anything else; and against TorchLens, where that is."""
    import gradviz

    step, _ = made(name)

    def recorded() -> None:
        with gradviz.capture():  # type: ignore[operator]
            step()

    for _ in range(2):
        recorded()
        step()
    times = in_turns({"ours": lambda: busy_ms(recorded), "alone": lambda: busy_ms(step)}, rounds)
    yield row(
        "capture", f"{name}, a step", times["ours"], "ms", 1,
        theirs=times["alone"], against="the step alone", aim=AIMS[name],
    )  # fmt: skip
    if name in LIKE_TORCHLENS and importlib.util.find_spec("torchlens"):
        pairs = zip(times["ours"][:LENS_ROUNDS], times["alone"][:LENS_ROUNDS], strict=True)
        ours = [mine / alone for mine, alone in pairs]
        theirs = lens_in_steps(name, min(rounds, LENS_ROUNDS))
        yield row("capture", f"{name}, a step", ours, "steps", 1, theirs=theirs, against="TorchLens", aim=1.0)


def busy_ms(run: Callable[[], Any]) -> float:
    """Milliseconds of processor time of this thread."""
    gc.collect()
    begin = time.thread_time()
    run()
    return 1e3 * (time.thread_time() - begin)


def lens_in_steps(name: str, rounds: int) -> list[float]:
    """Times of TorchLens in multiples of the step alone, in a process of its own."""
    code = f"from tests.benchmarks.capture import time_lens; time_lens({name!r}, {rounds})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(), check=True, capture_output=True, text=True
    )
    return [float(each) for each in json.loads(done.stdout.splitlines()[-1])]


def time_lens(name: str, rounds: int) -> None:
    """Print how many times a step TorchLens takes to trace forward and backward; for a process of its own."""
    import torch

    torch.set_num_threads(1)
    step, (net, x, y) = made(name)
    for _ in range(2):
        step()
    alone = sorted(busy_ms(step) for _ in range(rounds))[rounds // 2]  # before there is a wrapper around anything
    import torchlens  # type: ignore[import-not-found]

    options = torchlens.options.CaptureOptions(save_grads="all")
    warnings.simplefilter("ignore")

    def traced() -> None:
        log = torchlens.trace(net, x, capture=options)
        log.log_backward(torch.nn.functional.cross_entropy(log[log.output_layers[0]].out, y))

    traced()
    print(json.dumps([busy_ms(traced) / alone for _ in range(rounds)]))


def training(count: int, rounds: int) -> Row:
    """Many steps of a small network, kept as many as are unasked."""
    import torch

    import gradviz

    net = torch.nn.Sequential(torch.nn.Linear(32, 64), torch.nn.Tanh(), torch.nn.Linear(64, 10))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    x, y = torch.randn(16, 32), torch.randint(10, (16,))

    def train() -> None:
        for _ in range(count):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()

    def recorded() -> None:
        with gradviz.capture():  # type: ignore[operator]
            train()

    recorded()
    times = in_turns({"ours": lambda: busy_ms(recorded), "alone": lambda: busy_ms(train)}, rounds)
    against = "the steps alone"
    return row(
        "capture", "many small steps", times["ours"], "ms", count, theirs=times["alone"], against=against, aim=1.5
    )


def script(name: str, rounds: int, smoke: bool) -> Row:
    """A script with its own clock, exported and plain."""
    text, n, aim = SCRIPTS[name]
    n = 2 if smoke else n
    with tempfile.TemporaryDirectory() as folder:
        file, told = Path(folder) / "training.py", Path(folder) / "seconds"
        ending = f"\nwith open({str(told)!r}, 'w') as told:\n    told.write(str(seconds))\n"
        file.write_text(text.format(n=n) + ending, encoding="utf-8")

        def measure(command: list[str]) -> float:
            ran(command)
            return float(told.read_text(encoding="utf-8"))

        exporting = [sys.executable, "-m", "gradviz", "export", "--python", sys.executable]
        exporting += [str(file), str(Path(folder) / "run.gradviz")]
        sides = {"ours": partial(measure, exporting), "alone": partial(measure, [sys.executable, str(file)])}
        times = in_turns(sides, rounds)
    case = f"{name}, exported with --python"
    return row("capture", case, times["ours"], "s", n, theirs=times["alone"], against="python alone", aim=aim)


def start(rounds: int) -> Row:
    """What the recorder adds to the start of a program that has imported PyTorch."""
    command = [sys.executable, "-c", START]
    printed_seconds(command)  # compiles what has changed
    return row("capture", "start", [printed_seconds(command) for _ in range(rounds)], "s", 1, aim=0.1)


def writing(rounds: int) -> Row:
    """A recording of 100 MB to a file."""
    import torch

    import gradviz

    with gradviz.capture(megabytes=1_000) as recorder:  # type: ignore[operator]
        x = torch.randn(1_000, 1_000, requires_grad=True)
        y = x
        for _ in range(12):
            y = y.sin()
        y.sum().backward()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.gradviz"
        times = [clocked(lambda: recorder.save(file)) for _ in range(rounds)]
        size = file.stat().st_size
    return row("capture", "writing", times, "s", size, aim=0.5)


def large(smoke: bool) -> Iterator[Row]:
    """Peak of the memory of a process that trains GPT-2 small for three steps, and the size of the file."""
    if not importlib.util.find_spec("resource"):  # not on Windows
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.gradviz"
        peaks = [peak_of(kept, smoke) for kept in ("", str(file))]
        megabytes = file.stat().st_size / 1e6
    case = "GPT-2 small, three steps"
    yield row("capture", f"{case}: memory", peaks[1:], "MB", 3, theirs=peaks[:1], against="plain", aim=1.3)
    yield row("capture", f"{case}: file", [megabytes], "MB", 3, aim=300.0)


def peak_of(kept: str, smoke: bool) -> float:
    """Megabytes at most of a process that trains, recorded to a file or plain where that is ""."""
    code = f"from tests.benchmarks.capture import train_large; train_large({kept!r}, {smoke})"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment(), check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def train_large(kept: str, smoke: bool) -> None:
    """Train GPT-2 small, and print the peak of memory in MB; for a process of its own."""
    from contextlib import nullcontext

    import torch

    import gradviz
    from tests.benchmarks.language import gpt2

    net, x, y = gpt2(2, 64, 100) if smoke else gpt2()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    with gradviz.capture(path=kept) if kept else nullcontext():  # type: ignore[operator]
        for _ in range(3):
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(net(x), y).backward()
            optimizer.step()
    print(peak_megabytes())
