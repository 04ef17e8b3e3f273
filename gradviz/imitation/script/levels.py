"""Where a run is: the calls, modules and rounds of loops around what it computes. See `recording.Node.scope`.

A level is made for every call and every round, so making one is cheap; it gets its name once the run has ended,
and only if it, or a level inside it, made a node.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from gradviz.imitation.engine.tensor import Tape, Tensor

SHOWN = 30
"""Characters of a loop variable's value."""


class Level:
    """One call of a function or module, or one round of a loop.

    Attributes:
        outer: the level around it; None for the script's own.
        name: of the function or module, or what the loop assigns to.
        number: of the round, from 0; -1 for a call.
        line: of a call, the line that called.
        value: of the loop variable, where it is a number or a text.
        module: the module called, and `root`, the outermost module that its path begins at.
    """

    __slots__ = ("line", "module", "name", "number", "outer", "root", "value")

    def __init__(self, outer: Level | None, name: str, number: int = -1, item: Any = None, line: int = 0) -> None:
        self.outer = outer
        self.line = line
        self.name = name
        self.number = number
        while type(item) is tuple and item:
            item = item[0]
        # anything else is not kept, for it may be large
        self.value = item if type(item) in (int, float, str, bool) else None
        self.module: Any = None
        self.root: Any = None if outer is None else outer.root

    @property
    def round(self) -> Level | None:
        """The innermost round of a loop that it is in, or is."""
        level: Level | None = self
        while level is not None and level.number < 0:
            level = level.outer
        return level

    @property
    def text(self) -> str:
        """E.g. "block", "epoch = 3" or "x, y [3]"."""
        if self.number < 0:
            return self.name
        if self.value is None:
            return f"{self.name} [{self.number}]"
        return f"{self.name.partition(', ')[0]} = {str(self.value)[:SHOWN]}"


Marks = Sequence[tuple[int, Level]]
"""(number of entries, level): from that entry on, entries were made there."""


def scopes(tape: Tape, marks: Marks, positions: Sequence[int]) -> list[tuple[str, ...]]:
    """The scopes of entries, as `recording.Node.scope` has them."""
    names = Names()
    levels = _levels(tape, marks, positions)
    return [() if level is None else names.of(level) for level in levels]


Mark = TypeVar("Mark")


def needed(marks: list[tuple[int, Mark]], positions: Sequence[int]) -> list[tuple[int, Mark]]:
    """The marks that one of the positions (ascending) falls under, and the last."""
    found: list[tuple[int, Mark]] = []
    at = 0
    for position in positions:
        while at < len(marks) and marks[at][0] <= position:
            at += 1
        if at and (not found or found[-1] is not marks[at - 1]):
            found.append(marks[at - 1])
    if marks and (not found or found[-1] is not marks[-1]):
        found.append(marks[-1])
    return found


def _levels(tape: Tape, marks: Marks, positions: Sequence[int]) -> Iterator[Level | None]:
    used = _first_uses(tape, positions)
    starts = [start for start, _ in marks]
    for i in positions:
        at = bisect_right(starts, used.get(i, i))
        level = marks[at - 1][1] if at else None
        yield level if i in used else tape.levels.get(i, level)


def _first_uses(tape: Tape, positions: Sequence[int]) -> dict[int, int]:
    """The first consumer of each parameter: it was made when the module was, but belongs where it is used."""
    used: dict[int, int] = {}
    for i in positions:
        for j in tape.entries[i].inputs:
            if j not in used and _is_parameter(tape.entries[j]):
                used[j] = i
    return used


def _is_parameter(entry: Tensor) -> bool:
    if entry.op is not None or entry.extra is None:
        return False
    owner = entry.extra.owner
    return entry.extra.is_parameter or (owner is not None and owner.extra is not None and owner.extra.is_parameter)


class Names:
    """Gives levels their names, those inside one another outermost first; a name that comes again gets a number."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, ...]] = {}
        self._seen: dict[tuple[tuple[str, ...], str], int] = {}

    def of(self, level: Level) -> tuple[str, ...]:
        """The texts of the level and of those around it."""
        for inner in reversed(list(self._unknown(level))):
            self._known[id(inner)] = self._named(inner)
        return self._known[id(level)]

    def _unknown(self, level: Level | None) -> Iterable[Level]:
        while level is not None and id(level) not in self._known:
            yield level
            level = level.outer

    def _named(self, level: Level) -> tuple[str, ...]:
        if level.outer is None:
            return ()
        around, text = self._known[id(level.outer)], level.text
        count = self._seen[around, text] = self._seen.get((around, text), 0) + 1
        return (*around, text if count == 1 else f"{text} #{count}")
