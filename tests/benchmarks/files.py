"""Recordings as files, against what the JSON library of Python alone needs for the same document.

Saving is against `json.dumps` and a write of the text, loading against `json.loads` of what was saved. A `.gradviz` file
of large arrays is against our own `.json` of the same recording. Both sides take turns; each round gives one ratio, and
the median of the rounds counts.
"""

from __future__ import annotations

import gc
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gradviz.formats import load, save
from gradviz.formats.json_write import arrays
from gradviz.recording import Recording
from gradviz.run.builtin import run_job
from gradviz.run.job import Job

SCALARS = """\
import torch

torch.manual_seed(0)
xs = [torch.randn((), requires_grad=True) for _ in range(20)]
y = xs[0]
for i in range({ops}):
    y = torch.tanh(y + xs[i % 7]) if i % 3 == 0 else y * xs[i % 20] + y
y.backward()
"""

SMALL_ARRAYS = """\
import torch

torch.manual_seed(0)
v = torch.randn(4)
w = (torch.eye(4) - 2 * torch.outer(v, v) / (v @ v)).requires_grad_()
x = torch.randn(4, requires_grad=True)
h = x
for i in range({ops}):
    h = w @ (h + x) if i % 3 else torch.sin(h) * x
h.sum().backward()
"""

LARGE_ARRAYS = """\
import torch

torch.manual_seed(0)
x = torch.randn({side}, {side}, requires_grad=True)
(torch.tanh(x) * x).sum().backward()
"""

CASES = {"a scalar graph": (SCALARS, 0.6), "small arrays": (SMALL_ARRAYS, 0.5)}
"""Scripts, and their rounds for a node."""


class Silent:
    """What a run may say, to nobody."""

    def output(self, text: str) -> None:
        """Printed."""

    def aside(self, text: str) -> None:
        """Said beside."""

    def progress(self, made: int) -> None:
        """How far it is."""


def cases(smoke: bool) -> Iterator[dict[str, Any]]:
    """Rows of figures; with `smoke` few nodes, and one round."""
    nodes, rounds = (200, 1) if smoke else (10_000, 15)
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, share) in CASES.items():
            recording = run_job(Job(text.format(ops=int(nodes * share)), "made.py"), Silent()).recording
            yield from _rows(name, recording, Path(folder), rounds)
        large = LARGE_ARRAYS.format(side=50 if smoke else 1000)
        yield from _large_rows(run_job(Job(large, "large.py"), Silent()).recording, Path(folder), min(rounds, 5))


def _rows(name: str, recording: Recording, folder: Path, rounds: int) -> Iterator[dict[str, Any]]:
    path, plain = folder / "ours.json", folder / "plain.json"
    save(recording, path)
    text = path.read_text(encoding="utf-8")
    document = json.loads(text)

    def write_plainly() -> None:
        plain.write_text(json.dumps(document), encoding="utf-8")

    count = len(recording.nodes)
    pairs: tuple[tuple[str, Callable[[], object], str, Callable[[], object], float], ...] = (
        ("save", lambda: save(recording, path), "json.dumps and a write", write_plainly, 2.0),
        ("load", lambda: load(path), "json.loads", lambda: json.loads(text), 4.0),
    )
    for what, ours, against, theirs, aim in pairs:
        times = [(_seconds(ours), _seconds(theirs)) for _ in range(rounds)]
        ratio = statistics.median(mine / other for mine, other in times)
        value = statistics.median(mine for mine, _ in times) * 1e3
        yield {"bench": "files", "case": f"{what} {name}", "against": against, "ratio": round(ratio, 3), "aim": aim,
               "unit": "ms", "value": round(value, 2), "n": count}  # fmt: skip


def _large_rows(recording: Recording, folder: Path, rounds: int) -> Iterator[dict[str, Any]]:
    ours, text = folder / "large.gradviz", folder / "large.json"
    save(recording, ours)
    save(recording, text)
    pairs: tuple[tuple[str, Callable[[], object], Callable[[], object]], ...] = (
        ("save", lambda: save(recording, ours), lambda: save(recording, text)),
        ("load", lambda: load(ours), lambda: load(text)),
        ("load and add up all of", lambda: _sum_up(load(ours)), lambda: _sum_up(load(text))),
    )
    count = sum(array.size for array in _arrays(recording))
    for what, mine, other in pairs:
        times = [(_seconds(mine), _seconds(other)) for _ in range(rounds)]
        ratio = statistics.median(a / b for a, b in times)
        value = statistics.median(a for a, _ in times) * 1e3
        yield {"bench": "files", "case": f"{what} large arrays", "against": ".json", "ratio": round(ratio, 4), "aim": 0.2,
               "unit": "ms", "value": round(value, 2), "n": count}  # fmt: skip


def _arrays(recording: Recording) -> list[Any]:
    """Each array once."""
    return list({id(array): array for array in arrays(recording) if array is not None}.values())


def _sum_up(recording: Recording) -> float:
    return sum(float(array.sum()) for array in _arrays(recording))


def _seconds(work: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
