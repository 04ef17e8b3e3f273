"""Compare single calls with PyTorch: python -m tests.programs.sweep --kind view --count 3000 --seed 1 --out FOLDER

Needs torch 2.13. A whole random program stops telling at its first difference; single calls of the same kinds, many in
a script, tell of each statement. Each disagreement is written as a script with both answers; those whose statement is
the same but for numbers and names are counted together. Without --kind all kinds are swept.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from pathlib import Path
from random import Random
from typing import NamedTuple, Protocol

from tests.programs.compare import CRASHED, Apart, alike, by_gradviz, plain
from tests.programs.search import DIGITS, fill_new_memory
from tests.programs.single_calls import NAMED, single_calls
from tests.programs.writer import script

TOGETHER = 50
"""Calls in a script: starting PyTorch's side takes the time of many."""

MARK = "@@"
PRINTED = f"print('{MARK}"
WARNING = re.compile(r"(\d+): (\w*Warning: .*)", re.DOTALL)


class Difference(NamedTuple):
    """The statements of a call, and the first line that differs on both sides."""

    chunks: list[str]
    ours: str
    theirs: str


def marked(calls: dict[int, list[str]]) -> str:
    """The calls as one script, the number of each printed before it."""
    return script(line for number, chunks in calls.items() for line in (f"{PRINTED}{number}')", *chunks))


def told(said: str) -> dict[int, list[str]]:
    """The lines that each call printed."""
    parts = plain(said).partition("\n=== warnings")[0].split(MARK)[1:]
    return {int(head): lines for head, *lines in (part.rstrip("\n").split("\n") for part in parts)}


def warned(said: str, calls: dict[int, list[str]]) -> dict[str, int]:
    """The warnings and the call that each came from first: PyTorch gives some once in a process."""
    text = plain(said).partition("\n=== warnings\n")[2].partition("=== error")[0]
    numbers = [int(line[len(PRINTED) : -2]) if line.startswith(PRINTED) else None for line in marked(calls).split("\n")]
    found: dict[str, int] = {}
    for each in re.split(r"\n(?=\d+: )", text):
        if warning := WARNING.match(each):
            before = [n for n in numbers[: int(warning[1])] if n is not None]
            found.setdefault(warning[2].strip(), before[-1] if before else min(calls))  # a line of the prelude
    return found


def stopped(said: str) -> str:
    """The error that ended the script."""
    return said.partition("\n=== error\n")[2].strip()


def first_apart(ours: list[str], theirs: list[str]) -> tuple[str, str] | None:
    """The first line that differs."""
    for mine, other in zip(ours, theirs, strict=False):
        if mine != other and not alike(mine, other):
            return mine, other
    return None if len(ours) == len(theirs) else (f"{len(ours)} lines", f"{len(theirs)} lines")


class Says(Protocol):
    """Who says what a script prints."""

    def says(self, source: str) -> str:
        """All that it prints; CRASHED where it says nothing any more."""


def differences(calls: dict[int, list[str]], apart: Says) -> list[Difference]:
    """The calls over which both disagree; where we refuse to go on, the call at which we stop."""
    found, left = [], dict(calls)
    while left:
        mine = by_gradviz(marked(left))
        if not stopped(mine):
            break
        found.append(Difference(left.pop(max(told(mine))), stopped(mine), ""))
    theirs = apart.says(marked(left)) if left else CRASHED
    if theirs == CRASHED:
        return found if len(left) < 2 else found + [d for half in halves(left) for d in differences(half, apart)]
    ours, others = told(mine), told(theirs)
    for number, chunks in left.items():
        if lines := first_apart(ours[number], others[number]):
            found.append(Difference(chunks, *lines))
    mine_warned, other_warned = warned(mine, left), warned(theirs, left)
    for text in mine_warned.keys() ^ other_warned.keys():
        sides = ("", text) if text in other_warned else (text, "")
        found.append(Difference(left[(mine_warned | other_warned)[text]], *sides))
    return found


def halves(calls: dict[int, list[str]]) -> list[dict[int, list[str]]]:
    """Where PyTorch crashes over a script, the call that does it is left alone with few."""
    items = list(calls.items())
    return [dict(items[: len(items) // 2]), dict(items[len(items) // 2 :])]


def keep(path: Path, found: Difference) -> None:
    """Write a disagreement down as a script that shows it."""
    both = "".join(f"# {line}\n" for line in (f"gradviz: {found.ours}\nPyTorch: {found.theirs}").split("\n"))
    path.write_text(script(found.chunks) + both, encoding="utf-8")


def sweep(kind: str, count: int, seed: int, out: Path) -> None:
    """Sweep a kind, and print which statements disagree."""
    random, apart = Random(f"{kind}-{seed}"), Apart()
    sorts: dict[str, list[Path]] = defaultdict(list)
    for start in range(0, count, TOGETHER):
        calls = single_calls(kind, min(TOGETHER, count - start), random)
        for number, found in enumerate(differences(dict(enumerate(calls, start)), apart)):
            path = out / f"{kind}-{seed}-{start}-{number}.py"
            keep(path, found)
            sorts[DIGITS.sub("#", f"{found.ours} | {found.theirs}")[:120]].append(path)
    for sort, paths in sorted(sorts.items(), key=lambda each: -len(each[1])):
        print(f"--- {len(paths)} {paths[0].name}\n{sort}")
    print(f"{kind}: {count:,} calls; {sum(map(len, sorts.values()))} disagree in {len(sorts)} ways", flush=True)


def main() -> None:
    """Read the arguments and sweep."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.sweep", description=__doc__.split("\n")[0])
    parser.add_argument("--kind", choices=NAMED, action="append")
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("sweep-findings"))
    arguments = parser.parse_args()
    fill_new_memory("tests.programs.sweep")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for kind in arguments.kind or NAMED:
        sweep(kind, arguments.count, arguments.seed, arguments.out)


if __name__ == "__main__":
    main()
