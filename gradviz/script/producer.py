"""What a call of a function with `yield` gives."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from gradviz.script.levels import Level
from gradviz.script.machine import Machine

Steps = Generator[Any, Any, Any]
"""Yields what the script yields; its result is a signal, or the value of an expression."""


class Producer:
    """An iterator over what the body yields, which goes on one step at a time.

    Attributes:
        level: where in its body it stopped, or None before it began.
    """

    __slots__ = ("_machine", "_steps", "level", "name")

    def __init__(self, name: str, machine: Machine, steps: Steps) -> None:
        self.name = name
        self._machine = machine
        self._steps = steps
        self.level: Level | None = None

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        return self.send(None)

    def send(self, value: Any) -> Any:
        """Go on to the next `yield`, which the value is given to."""
        return self._machine.resume(self, lambda: self._steps.send(value))

    def close(self) -> None:
        """End it where it stands; its `finally` blocks run."""
        self._machine.resume(self, self._steps.close)

    def __repr__(self) -> str:
        return f"<generator object {self.name} at 0x7f0000000000>"
