"""Run benchmarks and print one JSON row per figure: python tests/benchmarks/run.py [--smoke] [--judge] NAME ...

It works from any folder. NAME is a module of this folder with a function cases(smoke) that yields rows; without NAME all
of them run. A row has: bench, case, against, ratio (ours over theirs, null without a peer), aim, unit, value (ours), n
(size), low and high. The aim is for the ratio where there is one, else for the value: at most, and for images a second
at least; null where a figure is only told. low and high bound what is judged, as far as the noise of the run lets one
see. With --judge a table of what is met and missed follows, and the exit code is 1 where an aim is missed by more than
the noise.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def names() -> list[str]:
    """The modules of this folder that have cases."""
    return sorted(file.stem for file in HERE.glob("*.py") if "\ndef cases(" in file.read_text(encoding="utf-8"))


def rows(name: str, smoke: bool) -> Iterator[dict[str, Any]]:
    """The rows of one benchmark."""
    module = importlib.import_module(f"tests.benchmarks.{name}")
    yield from module.cases(smoke)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rows as they come; 1 where an aim is missed and that is asked, else 0."""
    if str(ROOT) not in sys.path:  # as a plain script
        sys.path.insert(0, str(ROOT))
    from tests.benchmarks.figures import MISSED, judged, table

    parser = argparse.ArgumentParser(prog="run", description="Run benchmarks and print one JSON row per figure.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which to run; all without one")
    parser.add_argument("--smoke", action="store_true", help="small sizes, to see that they work")
    parser.add_argument("--judge", action="store_true", help="say at the end which aims are missed; exit 1 if any is")
    chosen = parser.parse_args(arguments)
    known = names()
    for name in chosen.names:
        if name not in known:
            parser.error(f"{name!r} is not a benchmark. There are: {', '.join(known)}.")
    found = []
    for name in chosen.names or known:
        for row in rows(name, chosen.smoke):
            found.append(row)
            sys.stdout.write(json.dumps(row) + "\n")
            sys.stdout.flush()
    if not chosen.judge:
        return 0
    sys.stdout.write(f"\n{table(found)}\n")
    return int(any(judged(row) == MISSED for row in found))


if __name__ == "__main__":
    sys.exit(main())
