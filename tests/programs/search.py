"""Compare random programs with PyTorch: python -m tests.programs.search --count 2000 --seed 1 --out FOLDER

Needs torch 2.13. Each disagreement is cut down to the statements that it needs, and written as a script with both
answers; of each sort the first few are kept. The last line sums up.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tests.programs.compare import CRASHED, Apart, by_gradviz, first_difference
from tests.programs.generate import program
from tests.programs.writer import script

KEPT = 1
APART = Apart()
DIGITS = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?|\bt\d+\b|\[[^\]]*\]")


def difference(chunks: list[str]) -> str | None:
    """Where the two disagree over a program."""
    source = script(chunks)
    theirs = APART.says(source)
    return CRASHED if theirs == CRASHED else first_difference(by_gradviz(source), theirs)


def shrunk(chunks: list[str], still: Callable[[list[str]], bool]) -> list[str]:
    """The program without the statements that it does not need to disagree."""
    size = max(1, len(chunks) // 2)
    while size:
        at = 0
        while at < len(chunks):
            less = chunks[:at] + chunks[at + size :]
            if still(less):
                chunks = less
            else:
                at += size
        size //= 2
    return chunks


def sort_of(found: str) -> str:
    """What tells a disagreement from others: its lines without the numbers."""
    return DIGITS.sub("#", found)[:160]


def fill_new_memory(module: str = "tests.programs.search") -> None:
    """Start the module again so that new memory is full of zeros: what PyTorch leaves unwritten would differ by run."""
    if os.environ.get("MALLOC_PERTURB_") != ZEROS:
        os.environ["MALLOC_PERTURB_"] = ZEROS
        os.execv(sys.executable, [sys.executable, "-m", module, *sys.argv[1:]])


ZEROS = "255"
"""What glibc fills new memory with the complement of."""


def main() -> None:
    """Read the arguments and search."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs.search", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--whole", action="store_true", help="write programs as they are, which takes less time")
    parser.add_argument("--out", type=Path, default=Path("program-findings"))
    arguments = parser.parse_args()
    fill_new_memory()
    arguments.out.mkdir(parents=True, exist_ok=True)
    sorts: Counter[str] = Counter()
    statements, crashed, began = 0, 0, time.monotonic()
    for number in range(arguments.count):
        chunks = program(f"{arguments.seed}-{number}")
        statements += len(chunks)
        found = difference(chunks)
        if found == CRASHED:
            crashed += 1
        elif found is not None:
            sorts[sort_of(found)] += 1
            if sorts[sort_of(found)] <= KEPT:
                keep(arguments.out / f"{arguments.seed}-{number}.py", chunks, is_whole=arguments.whole)
        if number % 100 == 99:
            print(f"{number + 1} programs, {sum(sorts.values())} disagree in {len(sorts)} ways", flush=True)
    for sort, count in sorts.most_common():
        print(f"--- {count}\n{sort}")
    minutes = (time.monotonic() - began) / 60
    print(
        f"programs: {arguments.count:,} of {statements:,} statements; "
        f"{sum(sorts.values())} disagree in {len(sorts)} ways; "
        f"of {crashed} PyTorch has no answer, since it crashes; {minutes:.1f} min"
    )


def keep(path: Path, chunks: list[str], *, is_whole: bool = False) -> None:
    """Write the program down as short as it can be, with where the two disagree."""
    first = sort_of(difference(chunks) or "")
    small = chunks if is_whole else shrunk(chunks, lambda less: sort_of(difference(less) or "") == first)
    said = difference(small) or ""
    path.write_text(script(small) + "".join(f"# {line}\n" for line in said.split("\n")), encoding="utf-8")


if __name__ == "__main__":
    main()
