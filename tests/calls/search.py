"""Compare the calls of every name with PyTorch: python -m tests.calls.search --family torch --part 1/8 --out FOLDER

Needs torch 2.13. What differs is written to FOLDER, a file for each name, with both answers; the last lines sum up.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from gradviz.imitation.script.machine import Limits
from gradviz.imitation.script.run import run
from tests.calls.compare import WAYS, Difference, answers, differences
from tests.calls.names import FAMILIES, names
from tests.calls.script import ENDED, MARK, script, without
from tests.programs.compare import CRASHED, Apart
from tests.programs.search import fill_new_memory


def by_gradviz(source: str) -> str:
    """What gradviz prints; a call that ends the script is told as such, and the script goes on after it."""
    printed, done = "", set[str]()
    while True:
        left = without(source, done)
        result = run(left, seed=0, limits=Limits(output_characters=10_000_000))
        printed += result.recording.output
        if result.error is None:
            return printed
        asked = {line.removeprefix(MARK) for line in result.recording.output.split("\n") if line.startswith(MARK)}
        if asked - done:
            done |= asked
            printed += f"{ENDED} {result.error.headline}\n"
        else:  # a module that is not supported ends the script before it is called
            ended = left.split("\n")[(result.error.line or 1) - 1]
            if not ended.startswith("module("):
                return printed
            source = source.replace(f"{ended}\n", "")


class Theirs:
    """What PyTorch says of a script, kept in a folder: it is asked once for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._apart = Apart()
        folder.mkdir(parents=True, exist_ok=True)

    def says(self, name: str, source: str) -> str:
        """Its output; CRASHED where it ended the process."""
        kept = self._folder / f"{name}.txt"
        asked = self._folder / f"{name}.py"
        if not kept.exists() or not asked.exists() or asked.read_text(encoding="utf-8") != source:
            kept.write_text(self._apart.says(source), encoding="utf-8")
            asked.write_text(source, encoding="utf-8")
        return kept.read_text(encoding="utf-8")


def part(listed: list[str], which: str) -> list[str]:
    """Every n-th name, e.g. for "2/8" the second, the tenth and so on."""
    first, _, step = which.partition("/")
    return listed[int(first) - 1 :: int(step or 1)]


def searched(family: str, chosen: list[str], theirs: Theirs) -> Iterator[tuple[str, int, list[Difference]]]:
    """Each name, how many of its calls PyTorch answered, and those that gradviz answers otherwise."""
    for name in chosen:
        source = script(family, name)
        said = theirs.says(f"{family}.{name}", source)
        if said == CRASHED:
            print(f"{family}.{name}: {CRASHED}", flush=True)
            continue
        yield name, len(answers(said)), differences(by_gradviz(source), said)


def written(found: list[Difference]) -> str:
    """The differences of a name, the worst first."""
    ordered = sorted(found, key=lambda difference: WAYS.index(difference.way))
    return "\n".join(f"## {d.way}: {d.call}\nPyTorch: {d.theirs}\ngradviz: {d.ours}\n" for d in ordered)


def main() -> None:
    """Read the arguments and search."""
    parser = argparse.ArgumentParser(prog="python -m tests.calls.search", description=__doc__.split("\n")[0])
    parser.add_argument("--family", choices=FAMILIES, action="append", help="all, if none is given")
    parser.add_argument("--name", action="append", help="of these names only")
    parser.add_argument("--part", default="1/1", help="every n-th name of a family from the k-th on, as k/n")
    parser.add_argument("--out", type=Path, default=Path("call-findings"))
    arguments = parser.parse_args()
    fill_new_memory("tests.calls.search")
    theirs = Theirs(arguments.out / "pytorch")
    for family in arguments.family or FAMILIES:
        began, asked, ways = time.monotonic(), 0, Counter[str]()
        listed = [name for name in names(family) if not arguments.name or name in arguments.name]
        for name, count, found in searched(family, part(listed, arguments.part), theirs):
            asked += count
            ways.update(difference.way for difference in found)
            report = arguments.out / f"{family}.{name}.txt"
            report.unlink(missing_ok=True)
            if found:
                report.write_text(written(found), encoding="utf-8")
        told = ", ".join(f"{way} {ways[way]}" for way in WAYS if ways[way])
        share = 100 * (1 - ways.total() / asked) if asked else 100.0
        minutes = (time.monotonic() - began) / 60
        print(f"{family}: {asked:,} calls, {share:.2f} % answered alike; {told} ({minutes:.1f} min)", flush=True)


if __name__ == "__main__":
    main()
