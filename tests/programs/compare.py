"""What a program says on gradviz and on PyTorch, and whether that is the same but for the last digits."""

from __future__ import annotations

import math
import re
from multiprocessing import Pipe, Process
from typing import Any

from gradviz.errors import TorchError
from gradviz.imitation.script.errors.warned import NOTE
from gradviz.imitation.script.run import Run, run
from tests.corpus.record import record, text, without_paths

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|inf\b|nan\b)")
ADDRESS = re.compile(r"0x(?:[0-9a-f]+|ADDRESS)")
FRAMES = re.compile(r"\nException raised from [^\n]*(?:\n(?:frame #|<omitting)[^\n]*)*(?:\n(?=\n))?")
COARSE = (("float16", 2e-2), ("bfloat16", 2e-2), ("float32", 2e-5))


def by_gradviz(source: str) -> str:
    """What gradviz says of a script."""
    done: Run = run(source, seed=0)
    recording, error = done.recording, done.error
    warned = [
        f"{each.line}: {each.category}: {without_paths(each.message)}"
        for each in recording.warnings
        if each.category != NOTE
    ]
    if error is None:
        return text(recording.output, warned, "")
    if isinstance(error, TorchError):
        return text(recording.output, warned, f"{error.line}: {error.kind}: {error.message}")
    if error.message.startswith("SyntaxError: "):  # Python's own text of it ends with the place
        return text(recording.output, warned, f"{error.line}: {error.message} (corpus-script, line {error.line})")
    return text(recording.output, warned, f"{error.line}: {type(error).__name__}: {error.message}")


def by_pytorch(source: str) -> str:
    """What PyTorch says of it."""
    import torch

    torch.set_warn_always(True)
    torch.set_num_threads(1)  # which of several errors threads meet first differs by run
    return record(lambda names: exec(compile(source, "corpus-script", "exec"), names))


CRASHED = "PyTorch crashed"


class Apart:
    """PyTorch in a process of its own, since it ends whole processes now and then; a new one is made where it did."""

    def __init__(self) -> None:
        self._process: Process | None = None

    def says(self, source: str) -> str:
        """What PyTorch says of a script; CRASHED where it said nothing any more."""
        if self._process is None:
            self._pipe, theirs = Pipe()
            self._process = Process(target=_answer, args=(theirs,), daemon=True)
            self._process.start()
            theirs.close()
        try:
            self._pipe.send(source)
            return str(self._pipe.recv())
        except (EOFError, ConnectionError):
            self._process = None
            return CRASHED


def _answer(pipe: Any) -> None:
    while True:
        pipe.send(by_pytorch(pipe.recv()))


def first_difference(ours: str, theirs: str) -> str | None:
    """The first line that differs, in both; None where there is none."""
    mine, other = (once(plain(said).split("\n")) for said in (ours, theirs))
    for a, b in zip(mine, other, strict=False):
        if a != b and not alike(a, b):
            return f"gradviz: {a}\nPyTorch: {b}"
    if len(mine) != len(other):
        return f"gradviz: {len(mine)} lines\nPyTorch: {len(other)} lines"
    return None


def once(lines: list[str]) -> list[str]:
    """Each warning at its first place only: PyTorch gives some once in a process, and here it gives all always."""
    start = lines.index("=== warnings")
    seen: set[str] = set()
    kept, is_new = lines[: start + 1], True
    for line in lines[start + 1 :]:
        text = line.partition(": ")[2]
        if "Warning: " in line:
            is_new = text not in seen
            seen.add(text)
        elif line == "=== error":
            is_new = True
        if is_new:  # a warning of several lines goes as a whole
            kept.append(line)
    return kept


def plain(said: str) -> str:
    """Without addresses, and without the lines of C++ that PyTorch names in a few messages."""
    return ADDRESS.sub("0x", FRAMES.sub("", said))


def alike(a: str, b: str) -> bool:
    """Whether two lines differ in the last digits of their numbers only."""
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    mine, other = ([float(x) for x in NUMBER.findall(line)] for line in (a, b))
    largest = max((abs(x) for x in other if math.isfinite(x)), default=0.0)
    relative = next((t for name, t in COARSE if name in b), 1e-12 if "float64" in b else 1e-4)
    room = relative * max(largest, 0.1)
    return all(
        x == y or (math.isnan(x) and math.isnan(y)) or abs(x - y) <= room for x, y in zip(mine, other, strict=True)
    )
