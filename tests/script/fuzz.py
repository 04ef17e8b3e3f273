"""Read very many broken sources: python -m tests.script.fuzz --count 1000000 --seed 1 --out FOLDER

One process reads, another watches it and starts it again where it ends or hangs. A finding is a file in the
folder with the script that ran first, the source, and what happened; of each sort the first few are kept.
The last line sums up. Sorts: fault (an exception of our own), touch (a file, process or socket), slow, memory,
text (a message of several lines), problem (of the recording), ended, hung; and suspect: Python's error in our
code told as the script's, which is no fault but may be another message than PyTorch's.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import resource
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gradviz.errors import GradvizError
from gradviz.recording import check
from gradviz.imitation.script.limits.depth import on_deep_stack
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.run import Run, run
from tests.script.fuzzing.guard import Guard
from tests.script.fuzzing.reader import SMALL, Finding, Reader, suspect
from tests.script.fuzzing.sources import Sources

EACH = 500
WHOLE_RUN_EVERY = 300
"""Of so many sources one goes through `run` with its recording checked."""

KEPT = 3
SILENT_SECONDS = 300
MOST_ADDRESSES = 5 << 30
"""Bytes of the reading process, its deep stack among them: what asks for more must have been refused before."""


def names_of(machine: Machine) -> list[str]:
    """All names that a script may put behind a dot."""
    found: set[str] = set()
    for module in machine.modules.values():
        found |= {*getattr(module, "members", ())}
    for value in machine.state["types"]:
        found |= {*value.attributes}
    return sorted(name for name in found if name.isidentifier())


def came_back(result: Run) -> Finding | None:
    """What is wrong with a run that must be sound whatever the source."""
    try:
        check(result.recording)
    except GradvizError as error:
        return Finding("problem", error.message[:60], error.message)
    if result.error is None:
        return None
    message = result.error.one_line("f.py")
    if "gradviz itself failed" in message:
        return Finding("fault", message[:120], message)
    return Finding("text", "more than one line", message) if "\n" in message else None


class Fuzz:
    """The reading process.

    Attributes:
        read: sources read.
        counts: findings by sort and mark.
        ran: sources that ended without an error.
    """

    def __init__(self, out: Path, seed: int) -> None:
        self.read = self.ran = 0
        self.counts: Counter[tuple[str, str]] = Counter()
        self._out = out
        self._guard = Guard()
        self._suspects: list[Finding] = []
        self._now = os.open(out / "now", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        reader = Reader("", self._guard)
        self._sources = Sources(seed, names_of(reader.machine), EACH)
        self._listen()

    def _listen(self) -> None:
        """Look at each exception of Python's that is turned into one of the script's."""
        from gradviz.imitation.script.errors import calls as call_errors
        from gradviz.imitation.script.errors import failures

        originals = (failures.converted, call_errors.call_error)

        def heard(original: Callable[[Any, Any], Any], number: int) -> Callable[[Any, Any], Any]:
            def convert(first: Any, second: Any) -> Any:
                with self._guard.looking_away():
                    found = suspect((first, second)[number])
                if found is not None:
                    self._suspects.append(found)
                return original(first, second)

            return convert

        replaced = {original: heard(original, number) for number, original in enumerate(originals)}
        for module in [module for name, module in sys.modules.items() if name.startswith("gradviz.imitation.script")]:
            for name, value in list(vars(module).items()):
                if callable(value) and getattr(value, "__hash__", None) and value in originals:
                    setattr(module, name, replaced[value])

    def batch(self, number: int, most: int) -> None:
        """Read the sources of one batch."""
        first, sources = self._sources.batch(number)
        reader = self._reader(first)
        for place, text in enumerate(sources):
            if place >= most:
                break
            os.pwrite(
                self._now,
                f"{number} {place} {len(text.encode('utf-8', 'replace'))}\n{text}\n".encode("utf-8", "replace"),
                0,
            )
            with reader.open():
                found = reader.read(text)
            self.read += 1
            self.ran += reader.said is None and found is None
            if found is None and self.read % WHOLE_RUN_EVERY == 0:
                found = self._whole(first, text)
            for each in (found, *self._suspects):
                if each is not None:
                    self.keep(each, first, text, f"{number}-{place}")
            self._suspects.clear()
            if reader.is_spoilt:
                reader.close()
                reader = self._reader(first)
        reader.close()

    def _say(self, number: int, place: int, text: str) -> None:
        """Leave the source where it can be found if it takes this process down."""
        os.pwrite(self._now, f"{number} {place}\n{text}\n=== end\n".encode("utf-8", "replace"), 0)

    def _reader(self, first: str) -> Reader:
        reader = Reader(first, self._guard)
        self._suspects.clear()
        return reader

    def _whole(self, first: str, text: str) -> Finding | None:
        with self._guard.watching():
            result = run(f"{first}\n{text}", seed=0, limits=SMALL)
        return came_back(result)

    def keep(self, found: Finding, first: str, text: str, place: str) -> None:
        """Write a finding down, where there are not several of its sort."""
        self.counts[found.kind, found.mark] += 1
        if self.counts[found.kind, found.mark] > KEPT:
            return
        name = "".join(c if c.isalnum() else "_" for c in f"{found.kind}-{found.mark}")[:90]
        report = f"{found.kind} {found.mark} {place}\n{found.text}\n=== first\n{first}\n=== source\n{text}\n"
        (self._out / f"{name}-{place}.txt").write_text(report, encoding="utf-8", errors="backslashreplace")


def work(arguments: argparse.Namespace) -> None:
    """Read batches and say after each how far it is."""
    warnings.simplefilter("error")  # Python's own would reach a user's terminal
    warnings.filterwarnings("ignore", "NotImplemented should not be used")  # it says so of the script's own doing
    resource.setrlimit(resource.RLIMIT_AS, (MOST_ADDRESSES, MOST_ADDRESSES))
    fuzz = Fuzz(arguments.out, arguments.seed)

    def batches() -> None:
        for number in range(arguments.start, -(-arguments.count // EACH)):
            fuzz.batch(number, arguments.count - number * EACH)
            kinds = Counter(kind for (kind, _), count in fuzz.counts.items() for _ in range(count))
            state = {"batch": number, "read": fuzz.read, "ran": fuzz.ran, "findings": kinds,
                     "sorts": len(fuzz.counts), "loaded": sorted(fuzz._guard.loaded)}  # fmt: skip
            print(json.dumps(state), flush=True)

    on_deep_stack(batches)


class Watch:
    """The watching process: what all readers together found."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._arguments = arguments
        self._began = time.monotonic()
        self.read = self.ran = 0
        self.findings: Counter[str] = Counter()

    def line(self) -> str:
        """One line for people."""
        found = ", ".join(f"{count} {kind}" for kind, count in sorted(self.findings.items())) or "no findings"
        minutes = (time.monotonic() - self._began) / 60
        return f"fuzz: {self.read:,} sources, {self.ran:,} of them ran to their end; {found}; {minutes:.1f} min"

    def all(self) -> None:
        """Start readers until every batch was read."""
        start, batches = self._arguments.start, -(-self._arguments.count // EACH)
        while start < batches:
            start = self._one(start) + 1

    def _one(self, start: int) -> int:
        """One reader; gives the batch that it ended with."""
        given = self._arguments
        options = {"--count": given.count, "--seed": given.seed, "--out": given.out, "--start": start}
        words = [str(word) for option in options.items() for word in option]
        command = [sys.executable, "-m", "tests.script.fuzz", "--worker", *words]
        log = self._arguments.out / "progress"
        log.write_text("")
        with log.open("w") as out, (self._arguments.out / "stderr").open("a") as errors:
            process = subprocess.Popen(command, stdout=out, stderr=errors)
            reason = self._waited(process)
        states = [json.loads(line) for line in log.read_text().splitlines() if line.endswith("}")]
        last = states[-1] if states else {"batch": start - 1, "read": 0, "ran": 0, "findings": {}}
        self.read += last["read"]
        self.ran += last["ran"]
        self.findings.update(last["findings"])
        if not reason:
            return int(last["batch"])
        self.findings[reason.split()[0]] += 1
        now = (self._arguments.out / "now").read_bytes().decode("utf-8", "replace")
        (self._arguments.out / f"{reason.replace(' ', '_')}-{last['batch'] + 1}.txt").write_text(now, encoding="utf-8")
        return int(last["batch"]) + 1

    def _waited(self, process: subprocess.Popen[bytes]) -> str:
        """Why it ended before its time, or ""."""
        now, seen, since, told = self._arguments.out / "now", b"", time.monotonic(), time.monotonic()
        while process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2)
            here = now.read_bytes()[:40] if now.exists() else b""
            if here != seen:
                seen, since = here, time.monotonic()
            if time.monotonic() - since > SILENT_SECONDS:
                process.kill()
                process.wait()
                return "hung"
            if time.monotonic() - told > 60:
                told = time.monotonic()
                print((self._arguments.out / "progress").read_text().splitlines()[-1:], flush=True)
        return f"ended {process.returncode}" if process.returncode else ""


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.script.fuzz", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=10_000, help="sources to read")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="batch to begin with")
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"), help="folder for the findings")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    if arguments.worker:
        work(arguments)
        return
    watch = Watch(arguments)
    watch.all()
    print(watch.line())


if __name__ == "__main__":
    main()
