"""Recordings as files, against orjson for the same document and numpy for the same arrays.

Saving JSON is against `orjson.dumps` and a write, loading it against a read and `orjson.loads`; a `.gradviz` of large
arrays is against `numpy.savez` and `numpy.load`. Both sides take turns, and each round gives one ratio. Web pages and
films have no peer: they are written by `gradviz export`, and their aims are seconds.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from gradviz.formats import load, save
from gradviz.formats.json_write import arrays
from gradviz.recording import Recording
from tests.benchmarks.figures import Row, clocked, in_turns, row
from tests.benchmarks.script import ran
from tests.recorded import run

Work = Callable[[], object]

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


AIMS = {"save": 15.0, "load": 2.0}
"""Times what orjson needs for the same document: a recording is checked field by field, and made of objects."""
LARGE_AIMS = {"save": 2.0, "load and add up": 2.0}
EXPORTS = {"web page": (3_000, "page.html", 12.0), "film": (10, "film.gif", 5.0)}
"""By case how many lines of the scalar graph, the file, and the seconds that it may take."""


def cases(smoke: bool) -> Iterator[Row]:
    """Rows of figures; with `smoke` few nodes, and one round."""
    nodes, rounds = (200, 2) if smoke else (10_000, 15)
    with tempfile.TemporaryDirectory() as folder:
        for name, (text, share) in CASES.items():
            yield from small_rows(name, run(text.format(ops=int(nodes * share))).recording, Path(folder), rounds)
        large = run(LARGE_ARRAYS.format(side=50 if smoke else 1000)).recording
        yield from large_rows(large, Path(folder), rounds)
        for case, (ops, name, aim) in EXPORTS.items():
            text = SCALARS.format(ops=min(ops, 20) if smoke else ops)
            yield exported(case, text, name, aim, Path(folder), 1 if smoke else 3)


def small_rows(name: str, recording: Recording, folder: Path, rounds: int) -> Iterator[Row]:
    """JSON of numbers and small arrays, against the quickest library for the same document."""
    path, plain = folder / "ours.json", folder / "plain.json"
    save(recording, path)
    content = path.read_bytes()
    document = orjson.loads(content)
    pairs: tuple[tuple[str, Work, str, Work], ...] = (
        (
            "save",
            lambda: save(recording, path),
            "orjson.dumps and a write",
            lambda: plain.write_bytes(orjson.dumps(document)),
        ),
        ("load", lambda: load(path), "a read and orjson.loads", lambda: orjson.loads(path.read_bytes())),
    )
    for what, ours, against, theirs in pairs:
        yield beside(f"{what} {name}", len(recording.nodes), ours, theirs, against, AIMS[what], rounds)


def large_rows(recording: Recording, folder: Path, rounds: int) -> Iterator[Row]:
    """A `.gradviz` of large arrays, against numpy's own files of the same arrays."""
    ours, plain = folder / "large.gradviz", folder / "large.npz"
    found = {f"a{i}": array for i, array in enumerate(_arrays(recording))}

    def save_plainly() -> None:
        np.savez(plain, **found)

    def add_up_plainly() -> float:
        with np.load(plain) as arrays_:
            return sum(float(arrays_[name].sum()) for name in arrays_)

    pairs: tuple[tuple[str, Work, str, Work], ...] = (
        ("save", lambda: save(recording, ours), "numpy.savez", save_plainly),
        ("load and add up", lambda: _sum_up(load(ours)), "numpy.load and the same sums", add_up_plainly),
    )
    count = sum(array.size for array in found.values())
    for what, mine, against, theirs in pairs:
        yield beside(f"{what}, large arrays", count, mine, theirs, against, LARGE_AIMS[what], rounds)


def exported(case: str, text: str, name: str, aim: float, folder: Path, rounds: int) -> Row:
    """A file that `gradviz export` writes of a recording, process start to end."""
    recording = run(text).recording
    given = folder / "given.gradviz"
    save(recording, given)
    command = [sys.executable, "-m", "gradviz", "export", str(given), str(folder / name)]
    times = [clocked(lambda: ran(command)) for _ in range(rounds)]
    return row("files", case, times, "s", len(recording.nodes), aim=aim)


def beside(case: str, n: int, ours: Work, theirs: Work, against: str, aim: float, rounds: int) -> Row:
    """One row: both in turns, after each has run once."""
    ours()
    theirs()
    times = in_turns({"ours": lambda: 1e3 * clocked(ours), "theirs": lambda: 1e3 * clocked(theirs)}, rounds)
    return row("files", case, times["ours"], "ms", n, theirs=times["theirs"], against=against, aim=aim)


def _arrays(recording: Recording) -> list[Any]:
    """Each array once."""
    return list({id(array): array for array in arrays(recording) if array is not None}.values())


def _sum_up(recording: Recording) -> float:
    return sum(float(array.sum()) for array in _arrays(recording))
