"""The 2,000 random programs of the tests, and what PyTorch says of them, packed: unpacked they are seven megabytes."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).parents[1] / "data" / "random_programs.json.xz"
DIFFER = FILE.with_name("random_programs_that_differ.txt")


class Recorded(NamedTuple):
    """A program: the seed it grew from, its lines after the prelude, and what PyTorch says."""

    seed: str
    lines: str
    said: str


def recorded() -> list[Recorded]:
    """The programs that are kept."""
    return [Recorded(*each) for each in json.loads(lzma.decompress(FILE.read_bytes()))]


def write(programs: Iterable[Recorded]) -> None:
    """Keep these programs."""
    FILE.write_bytes(lzma.compress(json.dumps(list(programs)).encode(), preset=9))


def known_to_differ() -> set[str]:
    """The seeds of the programs over which gradviz and PyTorch disagree."""
    return {*DIFFER.read_text(encoding="utf-8").split()}
