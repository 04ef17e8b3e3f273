"""The gradient of each parameter in each backward call: its norm, its ratio to the parameter, where NaN came first.

Rows are the parameters, those of a module together; columns are the calls. In a training loop a parameter is another
node in each call: it is known by its name. Knows no Qt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from gradviz.playback.measures import measured
from gradviz.playback.words import label, number_text
from gradviz.recording import LEAF, Array, Recording, Summary

Floats = np.ndarray[Any, np.dtype[np.float64]]
Flags = np.ndarray[Any, np.dtype[np.bool_]]
Ids = np.ndarray[Any, np.dtype[np.int64]]

NOT_THERE = -1
"""In the place of a node: the parameter has no gradient in that call."""


class Cell(NamedTuple):
    """One parameter in one call: numbers of a row and a column."""

    row: int
    column: int


@dataclass(frozen=True, eq=False)
class Heat:
    """The table of all parameters and calls.

    Attributes:
        names: of the rows: "net.0.weight".
        sweeps: of the columns: indices in `Recording.sweeps`.
        numbers: of the columns: which call of the run each was, from 1.
        nodes: id of each parameter's node in each call, or `NOT_THERE`; shape (rows, columns).
        norms: of its gradient there; nan where there is none, or where NaN is in it.
        ratios: of that norm to the norm of the parameter itself.
        odd: whether NaN or infinity is in it.
    """

    names: tuple[str, ...]
    sweeps: tuple[int, ...]
    numbers: tuple[int, ...]
    nodes: Ids
    norms: Floats
    ratios: Floats
    odd: Flags

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The module of each row: "net.0"; "" for a variable of its own."""
        return tuple([name.rpartition(".")[0] for name in self.names])

    @cached_property
    def first_odd(self) -> Cell | None:
        """The first parameter of the first call in which NaN or infinity is; None where it is in none."""
        columns = np.flatnonzero(self.odd.any(axis=0))
        if not len(columns):
            return None
        return Cell(int(np.argmax(self.odd[:, columns[0]])), int(columns[0]))

    def values(self, *, as_ratios: bool) -> Floats:
        """What is shown: norms, or ratios."""
        return self.ratios if as_ratios else self.norms

    def text(self, cell: Cell) -> str:
        """A cell in words."""
        row, column = cell
        where = f"{self.names[row]}, backward {self.numbers[column]:,}"
        if self.nodes[cell] == NOT_THERE:
            return f"{where}: no gradient"
        if self.odd[cell]:
            first = ", the first of the run" if cell == self.first_odd else ""
            return f"{where}: NaN or infinity{first}"
        ratio = self.ratios[cell]
        beside = "" if math.isnan(ratio) else f", {number_text(float(ratio))} of the parameter's"
        return f"{where}: norm {number_text(float(self.norms[cell]))}{beside}"


def heat_of(
    recording: Recording, cancelled: Callable[[], bool] = lambda: False, tell: Callable[[float], None] = lambda _: None
) -> Heat:
    """The table of a recording: of its calls those that reach a leaf, and all its leaves that have a part in the graph.

    Args:
        cancelled: asked after each call; what is found by then is returned.
        tell: is told the share that is done.
    """
    rows: dict[str, int] = {}
    sweeps: list[int] = []
    cells: list[tuple[int, int, int, float, float, bool]] = []
    sizes: dict[int, float] = {}
    for number, sweep in enumerate(recording.sweeps):
        if cancelled():
            break
        tell(number / len(recording.sweeps))
        came = [(step.node, sweep.incoming(step)) for step in sweep.steps if recording.nodes[step.node].op == LEAF]
        known = sorted([each for each in came if each[1] is not None], key=lambda each: each[0])
        if not known:
            continue
        norms, nans, infs = measured([gradient for _, gradient in known if gradient is not None])
        new = [node for node, _ in known if node not in sizes]
        sizes.update(zip(new, _norms_of_values(recording, new), strict=True))
        for (node, _), norm, is_odd in zip(known, norms.tolist(), (nans | infs).tolist(), strict=True):
            row = rows.setdefault(_name(recording, node), len(rows))
            cells.append((row, len(sweeps), node, math.nan if is_odd else norm, sizes[node], is_odd))
        sweeps.append(number)
    for entry in recording.nodes if sweeps else ():
        if entry.op == LEAF and entry.name and recording.consumers[entry.id]:
            rows.setdefault(entry.name, len(rows))  # one that no call reaches is a row without gradients
    return _table(recording, rows, sweeps, cells)


def _name(recording: Recording, node: int) -> str:
    """What a parameter is called in every call: its name, else what the picture calls it."""
    entry = recording.nodes[node]
    return entry.name or f"{'.'.join(entry.scope)} {label(recording, node)}".strip()


def _norms_of_values(recording: Recording, nodes: Sequence[int]) -> list[float]:
    values: list[Array | Summary | None] = [recording.value(node) for node in nodes]
    known = [value for value in values if value is not None]
    norms = iter(measured(known)[0].tolist())
    return [math.nan if value is None else next(norms) for value in values]


def _table(
    recording: Recording,
    rows: dict[str, int],
    sweeps: list[int],
    cells: list[tuple[int, int, int, float, float, bool]],
) -> Heat:
    shape = len(rows), len(sweeps)
    nodes = np.full(shape, NOT_THERE, dtype=np.int64)
    norms, ratios = np.full(shape, np.nan), np.full(shape, np.nan)
    odd = np.zeros(shape, dtype=np.bool_)
    order = _together(list(rows))
    place = {row: at for at, row in enumerate(order)}
    for row, column, node, norm, size, is_odd in cells:
        at = place[row], column
        if norms[at] >= norm:  # two leaves of one name: the larger gradient is shown
            continue
        nodes[at], norms[at], odd[at] = node, norm, is_odd or odd[at]
        ratios[at] = norm / size if size else math.nan
    names = tuple(rows)
    numbers = tuple([recording.number(sweep) for sweep in sweeps])
    return Heat(tuple([names[row] for row in order]), tuple(sweeps), numbers, nodes, norms, ratios, odd)


def _together(names: Sequence[str]) -> list[int]:
    """The rows with those of a module side by side, modules in the order in which they were first met."""
    first: dict[str, int] = {}
    for row, name in enumerate(names):
        first.setdefault(name.rpartition(".")[0], row)
    return sorted(range(len(names)), key=lambda row: (first[names[row].rpartition(".")[0]], row))


def thinned(heat: Heat, rows: int, columns: int, *, as_ratios: bool) -> tuple[Floats, Flags, Flags]:
    """The table in at most so many rows and columns: of those that share one, the largest; NaN is seen before all.

    Returns:
        The numbers, where NaN or infinity is, and where there is any gradient.
    """
    down, across = _starts(heat.nodes.shape[0], rows), _starts(heat.nodes.shape[1], columns)
    values = np.nan_to_num(heat.values(as_ratios=as_ratios), nan=-1.0, posinf=np.inf)
    shown = np.maximum.reduceat(np.maximum.reduceat(values, down), across, axis=1)
    odd = np.logical_or.reduceat(np.logical_or.reduceat(heat.odd, down), across, axis=1)
    there = np.logical_or.reduceat(np.logical_or.reduceat(heat.nodes != NOT_THERE, down), across, axis=1)
    return np.where(shown < 0, np.nan, shown), odd, there


def _starts(count: int, most: int) -> Ids:
    """Where the parts begin in which so many are divided."""
    parts = min(count, max(most, 1))
    return np.arange(parts, dtype=np.int64) * count // parts


def cell_at(heat: Heat, rows: int, columns: int, at: Cell, *, as_ratios: bool) -> Cell:
    """The cell that a cell of the thinned table shows: the odd one, or the largest of those in it."""
    height, width = heat.nodes.shape
    down, across = [*_starts(height, rows).tolist(), height], [*_starts(width, columns).tolist(), width]
    top, left = down[at.row], across[at.column]
    part = slice(top, down[at.row + 1]), slice(left, across[at.column + 1])
    odd, values = heat.odd[part], np.nan_to_num(heat.values(as_ratios=as_ratios)[part], nan=-1.0)
    flat = int(np.argmax(odd)) if odd.any() else int(np.argmax(values))
    row, column = np.unravel_index(flat, odd.shape)
    return Cell(top + int(row), left + int(column))
