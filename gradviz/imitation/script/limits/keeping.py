"""How much of a long run is kept: of many backward calls the first, the last and every nth.

n grows with the run, along 1, 5, 10, 50, 100, so what is kept of a training loop stays bounded however long it runs.
Backward calls of one round of a loop, as those of the two networks of a GAN, are kept or dropped together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gradviz.imitation.engine.passes.dropping import drop, remaining
from gradviz.imitation.engine.passes.sweep_record import SweepRecord
from gradviz.imitation.engine.tensor import Tape
from gradviz.recording import Thinned
from gradviz.imitation.script.levels import Level, needed

if TYPE_CHECKING:
    from gradviz.imitation.script.machine import Machine

BATCH_NODES, BATCH_BYTES = 5_000, 100_000_000
"""What is to be dropped is collected up to so much, since each time all that is kept is looked through."""


@dataclass(frozen=True)
class Keep:
    """How much is kept at most; the first and the last backward call always are.

    Attributes:
        sweeps: backward calls.
        nodes: of their graphs, and `megabytes`, of the values and gradients.
        pinned: numbers of calls, from 1, to keep besides.
    """

    sweeps: int = 200
    nodes: int = 500_000
    megabytes: int = 1_000
    pinned: frozenset[int] = frozenset()

    @classmethod
    def at_most(cls, sweeps: int) -> Keep:
        """Of a chosen number of calls, with as much room for each as is usual."""
        share = max(1.0, sweeps / cls.sweeps)
        return cls(sweeps, int(cls.nodes * share), int(cls.megabytes * share))


@dataclass(eq=False)
class Round:
    """The backward calls of one round of a loop, or one outside of loops.

    Attributes:
        place: the round, or None.
        nodes: how many were recorded for these calls, and `size`, their values and gradients in bytes.
    """

    place: Level | None
    records: list[SweepRecord] = field(default_factory=list)
    nodes: int = 0
    size: int = 0
    is_pinned: bool = False

    @property
    def batches(self) -> float:
        """How much of a batch it is."""
        return self.nodes / BATCH_NODES + self.size / BATCH_BYTES


@dataclass
class Totals:
    """Backward calls, nodes and bytes."""

    sweeps: int = 0
    nodes: int = 0
    size: int = 0

    def add(self, sweeps: int, nodes: int, size: int) -> None:
        """Count more."""
        self.sweeps += sweeps
        self.nodes += nodes
        self.size += size

    def is_over(self, keep: Keep) -> bool:
        """Whether it is more than may be kept."""
        return self.sweeps > keep.sweeps or self.nodes > keep.nodes or self.size > keep.megabytes * 1_000_000


class Keeping:
    """What is kept of one run so far.

    Attributes:
        every: of the rounds every so manieth is kept.
    """

    def __init__(self, keep: Keep) -> None:
        self.keep = keep
        self.every = 1
        self._rounds: dict[int, Round] = {}
        self._calls = 0
        self._count = 0
        self._end = 0
        self._waiting = 0.0
        self._chosen = Totals()

    @property
    def thinned(self) -> Thinned | None:
        """What was dropped, in words; None where nothing was."""
        kept = sum(len(one.records) for one in self._rounds.values())
        if kept == self._calls:
            return None
        return Thinned(self._calls, self.every, in_rounds=self._calls > self._count)

    def add(self, tape: Tape, record: SweepRecord, level: Level) -> None:
        """Take note of a backward call that has ended."""
        self._calls += 1
        record.number = self._calls
        record.start, end = self._end, max(record.outputs) + 1
        self._end = max(self._end, end)
        one = self._round(level)
        one.records.append(record)
        nodes = max(0, end - record.start)
        # The values, and as much again for what came in and what went out at each node.
        size = 3 * sum([entry.data.nbytes for entry in tape.entries[record.start : end]])
        one.nodes += nodes
        one.size += size
        one.is_pinned |= record.number in self.keep.pinned
        if (self._count - 1) % self.every == 0:
            self._chosen.add(1, nodes, size)

    def _round(self, level: Level) -> Round:
        place = level.round
        last = self._rounds.get(self._count - 1)
        if last is not None and place is not None and last.place is place:
            return last
        if last is not None and not self._stays(self._count - 1):
            self._waiting += last.batches
        self._count += 1
        made = self._rounds[self._count - 1] = Round(place)
        return made

    def _stays(self, number: int) -> bool:
        return number % self.every == 0 or number == self._count - 1 or self._rounds[number].is_pinned

    def thin(self, tape: Tape, *, is_last: bool = False) -> bool:
        """Drop what need not be kept, once it is much; returns whether anything was dropped."""
        while self._chosen.is_over(self.keep) and self.every < self._count:
            self.every *= 5 if str(self.every)[0] == "1" else 2
            self._chosen = self._totals()
            self._waiting = 1
        if self._waiting < 1 and not is_last:
            return False
        kept = {number: one for number, one in self._rounds.items() if self._stays(number)}
        self._waiting = 0
        if len(kept) == len(self._rounds):
            return False
        self._rounds = kept
        drop(tape, [record for one in kept.values() for record in one.records])
        return True

    def _totals(self) -> Totals:
        """How much the rounds that stay for their number are."""
        totals = Totals()
        for number, one in self._rounds.items():
            if number % self.every == 0:
                totals.add(len(one.records), one.nodes, one.size)
        return totals


def swept(machine: Machine, before: int) -> None:
    """Note the backward calls after the first `before` of the tape; of many, some are dropped."""
    for record in machine.tape.sweeps[before:]:
        if not record.number:
            record.line = machine.line
            machine.keeping.add(machine.tape, record, machine.level)
    if machine.sweeping == 0 and machine.keeping.thin(machine.tape):
        forget(machine)


def forget(machine: Machine) -> None:
    """Let go of what is known of the entries that were dropped."""
    tape = machine.tape
    positions = remaining(tape)
    machine.marks, machine.levels = needed(machine.marks, positions), needed(machine.levels, positions)
    machine.named_locally &= tape.names.keys()
    machine.bytes = sum([tape.entries[i].data.nbytes for i in positions])
    machine.counted_entries = len(tape.entries)
