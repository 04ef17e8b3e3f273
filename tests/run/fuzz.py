"""Run very many broken sources behind both walls: python -m tests.run.fuzz --count 200000 --seed 1 --out FOLDER

One confined process runs them, another watches it and starts it again where it ends or hangs. A finding is a file in
the folder with the source and what happened; of each sort the first few are kept. The last line sums up. Sorts:

    fault     an exception of our own, or "gradviz itself failed"
    touch     a file, process or socket that only the second wall refused
    escape    the script held what the gate keeps from it, or changed what is not its own
    text      a traceback in what a user reads
    problem   a recording that is not sound
    ended     the process died by itself
    hung      the process could not be ended

What the time limit ends is counted, and no finding; so are suspects: Python's errors in our code that a script is told
as its own, which may be another message than PyTorch's. `--only BATCH NUMBER` runs one source again and shows it.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from tests.run.fuzzing.reader import Finding, Reader, public_names
from tests.run.fuzzing.sources import Sources

EACH = 500
"""Sources of a batch, in sight of what one whole script left."""

FRESH_EVERY = 100
"""After so many of them that script runs again."""

BATCHES = 4
"""Batches that one process runs."""

WHOLE_EVERY = 250
"""Of so many sources one runs with its recording, which is checked."""

KEPT = 3
SILENT_SECONDS, ENDING_SECONDS = 6.0, 10.0


def work(seed: int, batch: int, number: int, until: int, count: int, pipe: int) -> None:
    """Run sources from this one on, and say before each which it is.

    Args:
        seed: of the sources.
        batch: number of the first batch.
        number: of the first source in it.
        until: the batch to end before.
        count: of all sources.
        pipe: what is said goes there, a line each.
    """
    warnings.simplefilter("ignore")
    sources = Sources(seed, public_names())
    reader = Reader(confined=True)
    seen: Counter[tuple[str, str]] = Counter()

    def say(**what: Any) -> None:
        os.write(pipe, f"{json.dumps(what)}\n".encode())

    def tell(found: Finding, at: int, kind: str, text: str) -> None:
        seen[found.kind, found.mark] += 1
        kept = seen[found.kind, found.mark] <= KEPT
        say(found=found.kind, mark=found.mark, text=found.text[:4000] if kept else "", batch=batch, number=at,
            kind=kind, source=text[:6000] if kept else "")  # fmt: skip

    say(walls=reader.standing)
    while batch < until:
        for at in range(number, min(EACH, count - batch * EACH)):
            if at == number or at % FRESH_EVERY == 0:
                say(at=[batch, at, "first"])
                reader.begin(sources.first(batch))
            kind, text = sources.source(batch, at)
            say(at=[batch, at, ""])
            for found in reader.read(kind, text):
                tell(found, at, kind, text)
            if at % WHOLE_EVERY == 7:
                whole = f"{sources.first(batch)}\n{text}"
                for found in reader.read_whole(whole):
                    tell(found, at, kind, whole)
        for found in reader.changes():
            tell(found, EACH, "script", "one of the last sources of the batch")
        for found in reader.suspects:
            tell(found, EACH, "script", "")
        reader.suspects.clear()
        say(done=batch, read=reader.read_count, ran=reader.ran, stopped=reader.stopped)
        reader.read_count = reader.ran = reader.stopped = 0
        batch, number = batch + 1, 0


class Watch:
    """The watching process: what all that run sources found.

    Attributes:
        ran, limited: sources that ended without an error, and those that a limit ended.
        findings: by sort and mark.
        at: the source that runs: batch, number, and "first" while the script before it runs.
    """

    def __init__(self, seed: int, count: int, start: int, out: Path) -> None:
        self.seed, self.count, self.start, self.out = seed, count, start, out
        self.ran = self.limited = 0
        self.findings: Counter[tuple[str, str]] = Counter()
        self.suspects: Counter[str] = Counter()
        self.at: list[Any] = [start, 0, ""]
        self._began = self._told = time.monotonic()
        self._sources: Sources | None = None

    def line(self) -> str:
        """One line for people."""
        kinds = Counter(kind for (kind, _), count in self.findings.items() for _ in range(count))
        found = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "no findings"
        read = min(self.at[0] * EACH + self.at[1], self.count) - self.start * EACH
        seconds = time.monotonic() - self._began
        return (
            f"fuzz: {read:,} sources, {self.ran:,} of them ran to their end, {self.limited:,} met a limit; {found}; "
            f"{len(self.suspects)} suspects; {seconds / 60:.1f} min, {read / seconds:.0f} a second"
        )

    def run(self) -> None:
        """Start processes until every batch has run."""
        batches = -(-self.count // EACH)
        while self.at[0] < batches:
            until = min(self.at[0] + BATCHES, batches)
            self._one(until)
        (self.out / "suspects.txt").write_text(
            "".join(f"{count:6} {mark}\n" for mark, count in self.suspects.most_common()), encoding="utf-8"
        )

    def _one(self, until: int) -> None:
        batch, number, _ = self.at
        words = ["--worker", *map(str, (self.seed, batch, number, until, self.count))]
        environment = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path.cwd())}
        with (self.out / "stderr").open("ab") as errors:
            command = [sys.executable, "-X", "utf8", "-m", "tests.run.fuzz", *words]
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, env=environment
            )
            assert process.stdout is not None
            was_silent = self._listen(process)
            if was_silent:
                process.kill()
            try:
                process.wait(ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                self._keep("hung", "the process could not be ended", "")
            process.stdout.close()
        if process.returncode == 0:
            self.at = [until, 0, ""]
            return
        if was_silent:
            self.limited += 1
        else:
            self._keep("ended", f"with {process.returncode} {self.at[2]}", "")
        if self.at == [batch, number, "first"]:  # the script before the sources itself: without this batch
            self.at = [batch + 1, 0, ""]
        else:
            self.at = [self.at[0], self.at[1] + 1, ""]
            if self.at[1] >= EACH:
                self.at = [self.at[0] + 1, 0, ""]

    def _listen(self, process: subprocess.Popen[bytes]) -> bool:
        """Take in what it says until it ends; whether it fell silent."""
        assert process.stdout is not None
        pipe, rest = process.stdout.fileno(), b""
        patience = 60.0  # it has to start first
        while True:
            if not select.select([pipe], [], [], patience)[0]:
                return True
            content = os.read(pipe, 2**16)
            if not content:
                return False
            patience = SILENT_SECONDS
            *lines, rest = (rest + content).split(b"\n")
            for line in lines:
                self._take(json.loads(line))
            if time.monotonic() - self._told > 60:
                self._told = time.monotonic()
                print(self.line(), flush=True)

    def _take(self, said: dict[str, Any]) -> None:
        if "at" in said:
            self.at = said["at"]
        elif "found" in said and said["found"] == "suspect":
            self.suspects[said["mark"]] += 1
        elif "found" in said:
            at = said["batch"], said["number"]
            self._keep(said["found"], said["mark"], said["text"], at, (said["kind"], said["source"]))
        elif "done" in said:
            self.ran += said["ran"]
            self.limited += said["stopped"]

    def _keep(
        self, kind: str, mark: str, text: str, at: tuple[int, int] | None = None, source: tuple[str, str] | None = None
    ) -> None:
        """Write a finding down, where there are not several of its sort."""
        self.findings[kind, mark] += 1
        if self.findings[kind, mark] > KEPT:
            return
        at = at or (self.at[0], self.at[1])
        if source is None:
            if self._sources is None:
                self._sources = Sources(self.seed, public_names())
            source = self._sources.source(*at)
        name = "".join(c if c.isalnum() else "_" for c in f"{kind}-{mark}")[:90]
        place = f"batch {at[0]} number {at[1]} seed {self.seed} {source[0]}"
        report = f"{kind} {mark}\n{place}\n{text}\n=== source\n{source[1]}\n"
        (self.out / f"{name}-{at[0]}-{at[1]}.txt").write_text(report, encoding="utf-8", errors="backslashreplace")


def again(seed: int, batch: int, number: int) -> None:
    """Run one source in this process, in sight of the script before it, and show it."""
    sources = Sources(seed, public_names())
    kind, text = sources.source(batch, number)
    print(text)
    reader = Reader(confined=False)
    reader.begin(sources.first(batch))
    for found in reader.read(kind, text):
        print("===", found.kind, found.mark, found.text, sep="\n")


def main() -> None:
    """Read the arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.run.fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=10_000, help="sources to run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0, help="batch to begin with")
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"), help="folder for the findings")
    parser.add_argument("--only", type=int, nargs=2, metavar=("BATCH", "NUMBER"), help="run one source again")
    parser.add_argument("--worker", type=int, nargs=5, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.worker:
        work(*given.worker, os.dup(1))
        os._exit(0)
    if given.only:
        again(given.seed, *given.only)
        return
    given.out.mkdir(parents=True, exist_ok=True)
    watch = Watch(given.seed, given.count, given.start, given.out)
    watch.run()
    print(watch.line())


if __name__ == "__main__":
    main()
