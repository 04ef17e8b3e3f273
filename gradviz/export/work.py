"""Writing a file bit by bit, so that whoever waits for it can show how far it is, or give it up."""

from __future__ import annotations

from collections.abc import Callable, Generator

Work = Generator[float, None, bytes]
"""Writes a file in memory, bit by bit: yields the share that is done, 0..1, and returns the file."""


def done(work: Work, tell: Callable[[float], None] = lambda _: None) -> bytes:
    """All of the work at once: the file. `tell` is told the share that is done."""
    while True:
        try:
            tell(next(work))
        except StopIteration as end:
            return bytes(end.value)
