"""Run benchmarks and print one JSON row per figure: python tests/benchmarks/run.py [--smoke] NAME ..., from any folder.

NAME is a module of this folder with a function cases(smoke) that yields rows; without NAME all of them run.
A row has: bench, case, against, ratio (ours over theirs, null without a peer), unit, value (ours), n (size);
where there is an aim, aim: for the ratio at most, for images a second at least, for what else has no ratio at most.
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
    return sorted(file.stem for file in HERE.glob("*.py") if "def cases(" in file.read_text(encoding="utf-8"))


def rows(name: str, smoke: bool) -> Iterator[dict[str, Any]]:
    """The rows of one benchmark."""
    module = importlib.import_module(f"tests.benchmarks.{name}")
    yield from module.cases(smoke)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rows as they come; 0 when all ran."""
    if str(ROOT) not in sys.path:  # as a plain script
        sys.path.insert(0, str(ROOT))
    parser = argparse.ArgumentParser(prog="run", description="Run benchmarks and print one JSON row per figure.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which to run; all without one")
    parser.add_argument("--smoke", action="store_true", help="small sizes, to see that they work")
    chosen = parser.parse_args(arguments)
    known = [name for name in names() if name != Path(__file__).stem]
    for name in chosen.names or known:
        if name not in known:
            parser.error(f"{name!r} is not a benchmark. There are: {', '.join(known)}.")
        for row in rows(name, chosen.smoke):
            sys.stdout.write(json.dumps(row) + "\n")
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
