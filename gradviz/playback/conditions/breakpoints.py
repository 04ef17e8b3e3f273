"""Breakpoints: conditions at which playing stops. Plain values; what a script keeps of them is their text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gradviz.playback.conditions.condition import Condition, Subject, Term, parse, text_of
from gradviz.playback.conditions.fitting import Fitting, where
from gradviz.playback.track import Ranks, Track
from gradviz.playback.words import label, op_word
from gradviz.recording import Recording

Moved = Callable[[int], "int | None"]
"""Where a line is after an edit; None where it is gone."""

_FIRST_LOOK = 256
"""Positions looked through at first; twice as many each time nothing is found."""


class Breakpoint(NamedTuple):
    """A condition, and whether it counts."""

    text: str
    is_on: bool = True

    @property
    def condition(self) -> Condition:
        """The condition read from the text."""
        return parse(self.text)

    @property
    def line(self) -> int | None:
        """The line where it is a breakpoint on a line and nothing else."""
        terms = self.condition
        is_line = len(terms) == 1 and terms[0].subject is Subject.LINE and terms[0].sign == "="
        return int(terms[0].shown) if is_line else None


def read(text: str, is_on: bool = True) -> Breakpoint:
    """A breakpoint from what was typed, its text written as it is shown.

    Raises:
        ConditionError: the text is no condition.
    """
    return Breakpoint(text_of(parse(text)), is_on)


def on_line(line: int) -> Breakpoint:
    """The breakpoint of a line of the script, from 1."""
    return Breakpoint(f"line = {line}")


def on_node(track: Track, node: int) -> Breakpoint:
    """The breakpoint of one node, by what it is called and not by its number, so that it holds in the next run."""
    here = track.recording.nodes[node]
    terms: list[Term] = []
    found: Sequence[int] = track.forward
    for term in _said_of(track, node):
        narrower = sorted(Fitting(track, (*terms, term)).nodes)
        if len(narrower) < len(found) or term.subject is Subject.NAME:
            terms, found = [*terms, term], narrower
        if len(found) == 1:
            break
    if not terms:
        terms = [Term(Subject.OP, "=", op_word(here), op_word(here))]
    if len(found) > 1:
        time = found.index(node) + 1
        terms.append(Term(Subject.TIME, "=", time, str(time)))
    return Breakpoint(text_of(tuple(terms)))


def _said_of(track: Track, node: int) -> list[Term]:
    here = track.recording.nodes[node]
    name = here.name or ("" if _is_split(label(track.recording, node)) else label(track.recording, node))
    said = [Term(Subject.NAME, "=", name, name)] if name and name != op_word(here) else []
    said.append(Term(Subject.OP, "=", op_word(here), op_word(here)))
    if here.line is not None:
        said.append(Term(Subject.LINE, "=", here.line, str(here.line)))
    return said


def _is_split(name: str) -> bool:
    """Whether a name could not be read back as one word of a condition."""
    return bool(re.search(r"[<>=!&]|\band\b|^['\"]|['\"]$", name))


def toggled(breakpoints: Sequence[Breakpoint], one: Breakpoint) -> tuple[Breakpoint, ...]:
    """Without the breakpoint of that text, or with it where there is none."""
    rest = tuple(known for known in breakpoints if known.text != one.text)
    return rest if len(rest) < len(breakpoints) else (*rest, one)


def moved_with_text(breakpoints: Sequence[Breakpoint], old: str, new: str) -> tuple[Breakpoint, ...]:
    """Breakpoints on lines after an edit: those behind it move along, those on lines that are gone go too."""
    if old == new or not any(_lines_in(known) for known in breakpoints):
        return tuple(breakpoints)
    before, after = old.split("\n"), new.split("\n")
    start = _common(before, after)
    behind = _common(before[start:][::-1], after[start:][::-1])
    shift, end = len(after) - len(before), len(before) - behind

    def moved(line: int) -> int | None:
        if line <= start:
            return line
        if line > end:
            return line + shift
        kept = line <= len(after) - behind  # as many lines in the middle of the edit as there still are keep theirs
        return line if kept else None

    result = (_with_lines(known, moved) for known in breakpoints)
    return tuple(dict.fromkeys(known for known in result if known is not None))


def _with_lines(known: Breakpoint, moved: Moved) -> Breakpoint | None:
    terms: list[Term] = []
    for term in known.condition:
        line = moved(int(term.shown)) if term.subject is Subject.LINE else None
        if term.subject is not Subject.LINE:
            terms.append(term)
        elif line is None:
            return None
        else:
            terms.append(Term(Subject.LINE, term.sign, line, str(line)))
    return Breakpoint(text_of(tuple(terms)), known.is_on)


def _lines_in(known: Breakpoint) -> bool:
    return any(term.subject is Subject.LINE for term in known.condition)


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = zip(one, other, strict=False)
    return next((index for index, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


class Stops:
    """Where some breakpoints hold in a track; those that are on stop it.

    Args:
        until: the last position whose numbers may be told; None for all of them.
    """

    def __init__(self, track: Track, breakpoints: Sequence[Breakpoint], until: int | None = None) -> None:
        self._track = track
        self._every = [(known, Fitting(track, known.condition, until)) for known in breakpoints]
        self._on = [(known, fitting) for known, fitting in self._every if known.is_on]

    @property
    def is_measured(self) -> bool:
        """Whether finding all stops needs the numbers of the whole track."""
        return any(fitting.is_measured for _, fitting in self._on)

    @property
    def counts_are_measured(self) -> bool:
        """Whether counting where they hold, on or off, needs the numbers of the whole track."""
        return any(fitting.is_measured for _, fitting in self._every)

    def first(self, low: int, high: int) -> int | None:
        """The first stop in low + 1 .. high, or None."""
        size = _FIRST_LOOK
        while low < high:
            until = min(low + size, high)
            found = self._positions(low + 1, until)
            if len(found):
                return int(found[0])
            low, size = until, 2 * size
        return None

    def last(self, low: int, high: int) -> int | None:
        """The last stop in low .. high - 1, or None."""
        size = _FIRST_LOOK
        while low < high:
            since = max(high - size, low)
            found = self._positions(since, high - 1)
            if len(found):
                return int(found[-1])
            high, size = since, 2 * size
        return None

    @cached_property
    def all(self) -> Ranks:
        """Every stop of the track, ascending."""
        return _union([there for (known, _), there in zip(self._every, self._everywhere, strict=True) if known.is_on])

    @property
    def counts(self) -> tuple[int, ...]:
        """At how many positions each breakpoint holds, on or off."""
        return tuple(len(where) for where in self._everywhere)

    @cached_property
    def nodes(self) -> frozenset[int]:
        """The nodes at which playing stops."""
        found = (self._track.node_at(position) for position in self.all.tolist())
        return frozenset(node for node in found if node is not None)

    @cached_property
    def nodes_off(self) -> frozenset[int]:
        """The nodes of the breakpoints that are off, as far as they are known without measuring."""
        off = (fitting for known, fitting in self._every if not known.is_on and not fitting.is_measured)
        return frozenset(node for fitting in off for node in fitting.found())

    @cached_property
    def _everywhere(self) -> list[Ranks]:
        return [fitting.positions(1, self._track.length) for _, fitting in self._every]

    def _positions(self, low: int, high: int) -> Ranks:
        return _union([fitting.positions(low, high) for _, fitting in self._on])

    def held(self, position: int) -> frozenset[str]:
        """The texts of the breakpoints that stop at a position."""
        return frozenset(known.text for known, fitting in self._on if fitting.holds(position))

    def why(self, position: int) -> str:
        """Why playing stops at a position, "norm of dL/dy = 1.2e4 > 1e3 at node h2 (mul), line 7", or ""."""
        held = [fitting.reason(position) for _, fitting in self._on if fitting.holds(position)]
        return f"{'; '.join(dict.fromkeys(held))} at {where(self._track, position)}" if held else ""


def stop_in_calls(
    recording: Recording, sweeps: range, breakpoints: Sequence[Breakpoint], cancelled: Callable[[], bool]
) -> tuple[int, int] | None:
    """The sweep and the position of the first stop in some sweeps, looked through in their order; None without one.

    Args:
        sweeps: where they descend, each is looked through from its end.
    """
    for sweep in sweeps:
        track = Track(recording, sweep)
        stops = Stops(track, breakpoints)
        if stops.is_measured:
            track.measures.cover(np.arange(track.length + 1), cancelled)
        if cancelled():
            return None
        found = stops.first(0, track.length) if sweeps.step > 0 else stops.last(1, track.length + 1)
        if found is not None:
            return sweep, found
    return None


def _union(parts: Sequence[Ranks]) -> Ranks:
    return np.unique(np.concatenate(parts)) if parts else np.zeros(0, dtype=np.int64)
