"""How tensors print inside the functions that `torch.func` transforms: wrapped, one level in the other.

`grad` and its kin wrap what is made inside them. `vmap` wraps what differs from slice to slice: the function runs
once for each, so a print leaves a mark where such a tensor stands, and the marks become text when all slices ran.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from textwrap import indent
from typing import Any, NamedTuple

import numpy as np

from gradviz.imitation.engine.protocol import text_of
from gradviz.imitation.engine.tensor import Tensor
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.autograd.forward_mode import takes_gradient

LEVELS = "levels of torch.func"


class Met(NamedTuple):
    """A tensor that was printed: itself, and its numbers, of which an inner `vmap` may have stacked many."""

    tensor: Tensor
    data: Any


class Level:
    """One call of a transformed function.

    Attributes:
        first: the tape's first entry that belongs to it, for `grad` and its kin; None for `vmap`.
        stands: for `grad` and its kin, by the id of an input the tensor that was given for it.
        met: for `vmap`, what each slice has printed so far.
        wholes: for `vmap`, by the id of a slice the tensor it was cut from, and along which dim.
    """

    def __init__(self, first: int | None) -> None:
        self.first = first
        self.stands: dict[int, Tensor] = {}
        self.met: list[list[Met]] = []
        self.wholes: dict[int, tuple[Any, int]] = {}


class Levels:
    """The calls that are going on, outermost first."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.open: list[Level] = []

    def text(self, tensor: Tensor) -> str:
        """`repr(tensor)` inside all that is open."""
        return self._wrapped(Met(tensor, tensor.data), len(self.open))

    def _wrapped(self, met: Met, depth: int) -> str:
        for number in range(depth, 0, -1):
            level = self.open[number - 1]
            if level.first is None:
                level.met[-1].append(met)
                return f"\0{number}.{len(level.met[-1]) - 1}\0"
            if met.tensor.index >= level.first:
                inside = Met(level.stands.get(id(met.tensor), met.tensor), met.data)
                return _wrap(f"GradTrackingTensor(lvl={number}, value=", self._wrapped(inside, number - 1))
        return text_of(met.tensor, met.data, takes_gradient=takes_gradient(self.machine, met.tensor))

    def filled(self, text: str, level: Level) -> str:
        """What the first slice printed, with the tensors of all slices where its marks are."""
        number = self.open.index(level) + 1
        mark = re.compile(rf"(?m)^(?P<before>.*?)\x00{number}\.(?P<at>\d+)\x00")

        def fill(match: re.Match[str]) -> str:
            before = match["before"]
            same = [slice_[int(match["at"])] for slice_ in level.met if int(match["at"]) < len(slice_)]
            lines = self._of_slices(same, number, level).splitlines()
            margin = re.match(r" *", before)[0]  # type: ignore[index]
            return before + "\n".join(margin + line if line and at else line for at, line in enumerate(lines))

        while mark.search(text):
            text = mark.sub(fill, text)
        return text

    def _of_slices(self, slices: Sequence[Met], number: int, level: Level) -> str:
        first = slices[0]
        if all(met.tensor is first.tensor for met in slices[1:]) and id(first.tensor) not in level.wholes:
            return self._wrapped(first, number - 1)
        whole, dim = level.wholes.get(id(first.tensor), (None, 0))
        data = np.stack([np.asarray(met.data) for met in slices]) if whole is None else whole.data
        return _wrap(
            f"BatchedTensor(lvl={number}, bdim={dim}, value=", self._wrapped(Met(first.tensor, data), number - 1)
        )


def _wrap(head: str, inner: str) -> str:
    return f"{head}\n{indent(inner, '    ')}\n)"


def levels(machine: Machine) -> Levels:
    """Those of a machine."""
    found = machine.state.get(LEVELS)
    if found is None:
        found = machine.state[LEVELS] = Levels(machine)
    return found


@contextmanager
def opened(machine: Machine, first: int | None) -> Iterator[Level]:
    """A transformed function is called; `first` as in Level."""
    all_ = levels(machine)
    level = Level(first)
    all_.open.append(level)
    machine.tape.shown = all_.text
    try:
        yield level
    finally:
        all_.open.remove(level)
        machine.tape.shown = all_.text if all_.open else None


@contextmanager
def marked(machine: Machine, level: Level) -> Iterator[Callable[[int], None]]:
    """The slices of a `vmap` run; what is given is told which one comes. Only the first is heard, at the end."""
    said: list[str] = []
    silent: Callable[[str], Any] = lambda _: None  # noqa: E731 - one line
    place = len(machine.writers)

    def begin(number: int) -> None:
        level.met.append([])
        machine.writers[place:] = [said.append if number == 0 else silent]

    try:
        yield begin
    finally:
        del machine.writers[place:]
        if said:
            machine.write(levels(machine).filled("".join(said), level))
