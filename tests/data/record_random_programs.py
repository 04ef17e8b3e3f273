"""Record what PyTorch says of random programs: python -m tests.data.record_random_programs [SEED:COUNT ...]

Needs torch 2.13; run from the root. With seeds, programs are written anew and take the place of those that are kept,
whether gradviz agrees or not; without any, the programs stay and are recorded again. Those over which PyTorch crashes
are left out. The seeds of those over which the two disagree are listed beside, and printed with where they differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from multiprocessing import Pool

from tests.programs.compare import CRASHED, Apart, by_gradviz, first_difference
from tests.programs.generate import program
from tests.programs.recorded import DIFFER, Recorded, recorded, write
from tests.programs.search import fill_new_memory
from tests.programs.writer import script

APART = Apart()


def grown(seed: str) -> Recorded:
    """The program of a seed, recorded."""
    return again(Recorded(seed, "\n".join(program(seed)), ""))


def again(each: Recorded) -> Recorded:
    """A program recorded anew."""
    return each._replace(said=APART.says(script([each.lines])))


def difference(each: Recorded) -> str | None:
    """Where gradviz says something else than was recorded."""
    return first_difference(by_gradviz(script([each.lines])), each.said)


def seeds(arguments: list[str]) -> Iterator[str]:
    """Each seed of arguments like 7:3, which are 7-0, 7-1 and 7-2."""
    for argument in arguments:
        first, _, count = argument.partition(":")
        yield from (f"{first}-{number}" for number in range(int(count)))


def main() -> None:
    """Record, and tell what differs."""
    fill_new_memory("tests.data.record_random_programs")
    made = [grown(seed) for seed in seeds(sys.argv[1:])] or [again(each) for each in recorded()]
    kept = [each for each in made if each.said != CRASHED]
    write(kept)
    with Pool() as pool:
        found = dict(zip((each.seed for each in kept), pool.map(difference, kept, 20), strict=True))
    differing = {seed: text for seed, text in found.items() if text is not None}
    DIFFER.write_text("".join(f"{seed}\n" for seed in differing), encoding="utf-8")
    print(*(f"{seed}\n{text}" for seed, text in differing.items()), sep="\n")
    print(f"{len(kept)} programs, {len(differing)} differ")


if __name__ == "__main__":
    main()
