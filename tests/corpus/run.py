"""Where an engine stands: python tests/corpus/run.py [--engine NAME] [--learner FILE] [--sort] [NAME ...]

Runs scripts of the corpus and prints a table of those that agree with PyTorch's recording, differ (with the first
difference), are refused (with the sentence) or fail (with what happened).
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.corpus.compare import differences, warning_differences
from tests.corpus.corpus import BEYOND, DIFFERING, INSIDE, expected, sources
from tests.corpus.engines import ENGINES, Answer, ask

AGREE, DIFFER, REFUSED, FAILED = "agree", "differ", "refused", "failed"


class Verdict(NamedTuple):
    """How a script did.

    Attributes:
        state: "agree", "differ", "refused" or "failed".
        reasons: what it differs in, or the sentence.
        other_warnings: how many lines of the warnings differ, which decides nothing.
    """

    path: Path
    state: str
    reasons: list[str]
    other_warnings: int


def judge(path: Path, answer: Answer) -> Verdict:
    """Compare what an engine answered with PyTorch's recording."""
    wanted = expected(path).read_text(encoding="utf-8")
    other = len(warning_differences(wanted, answer.recording))
    if answer.failure:
        return Verdict(path, FAILED, [answer.failure], other)
    if answer.refusal:
        return Verdict(path, REFUSED, [answer.refusal], other)
    found = differences(wanted, answer.recording)
    return Verdict(path, DIFFER if found else AGREE, found, other)


def chosen(names: Iterable[str], learner: Path | None) -> list[Path]:
    """The scripts that are asked for, by name or by a list of names."""
    wanted = {Path(name).stem for name in names}
    if learner is not None:
        wanted |= {Path(line).stem for line in learner.read_text(encoding="utf-8").split()}
    return [path for path in sources() if not wanted or path.stem in wanted]


def verdicts(engine: str, paths: Iterable[Path]) -> list[Verdict]:
    """Run the scripts, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda path: judge(path, ask(engine, path)), paths))


def sort_into_folders(results: Iterable[Verdict]) -> None:
    """Move what agrees into `inside`, what is refused into `beyond`, and the rest into `differing`."""
    folders = {AGREE: INSIDE, REFUSED: BEYOND, DIFFER: DIFFERING}
    for result in results:
        folder = folders.get(result.state, DIFFERING)
        if result.path.parent != folder:
            folder.mkdir(exist_ok=True)
            result.path.rename(folder / result.path.name)


def print_table(results: list[Verdict], count: int) -> None:
    """A line per script, and the sums."""
    for path, state, reasons, other in results:
        notes = f" ({other} warnings differ)" if other else ""
        print(f"{state:8}{path.name:44}{notes}{'  ' if reasons else ''}{' | '.join(reasons[:count])}")
    sums = Counter(result.state for result in results)
    print(", ".join(f"{number} {state}" for state, number in sums.most_common()), f"of {len(results)}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Where an engine stands against PyTorch's recordings.")
    parser.add_argument("names", nargs="*", help="scripts, with or without suffix; all of them where none is named")
    parser.add_argument("--engine", choices=ENGINES, default="library")
    parser.add_argument("--learner", type=Path, metavar="FILE", help="only the scripts that this file lists")
    parser.add_argument("--sort", action="store_true", help="move scripts into inside/ and beyond/ by their result")
    parser.add_argument("--all", action="store_true", help="show every difference, not only the first")
    parser.add_argument("--bad", action="store_true", help="leave out the lines of those that agree")
    options = parser.parse_args()
    results = verdicts(options.engine, chosen(options.names, options.learner))
    if options.sort:
        sort_into_folders(results)
    shown = [result for result in results if not (options.bad and result.state == AGREE)]
    print_table(shown, 20 if options.all else 1)
    if options.bad:
        print(f"{len(results) - len(shown)} agree")
    return 0 if all(result.state == AGREE for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
