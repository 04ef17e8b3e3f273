"""Frames and boxes that are alike stand in the order of their numbers, where that costs few crossings: people count."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gradviz.layout.layered.order import PATIENCE, Rows, sortable_rows, sorted_rows
from gradviz.layout.layered.proper import Proper
from gradviz.layout.layered.twins import marks_of
from gradviz.layout.plan import Flags, Floats, Ints

SWEEPS = 12
WORSE, FREE = 1.5, 8
"""How many crossings more the order of numbers may cost: so many times the fewest, and so many more in each frame."""


def numbers_in_turn(proper: Proper, position: Ints) -> Ints:
    """Positions near to some, with what is alike in the order of its numbers, and beside spines on one side of them.

    Args:
        position: of each vertex in its row; shape (v,).
    """
    if int(proper.row_size.max(initial=0)) < 2:
        return position
    turns = _Turns(proper)
    if not turns.alike and not len(proper.spine):
        return position
    free, fewest = turns.swept(turns.centred(position), turns.upright)
    most = WORSE * fewest + FREE * (1 + int(proper.component.max(initial=0)))
    for tidied in (turns.one_sided, turns.in_turn):
        tidy, crossings = turns.swept(free, tidied)
        if crossings <= most:
            return sorted_rows(proper, tidy)
    return sorted_rows(proper, free)


def ports_spread(proper: Proper, x: Floats) -> Floats:
    """The x of each vertex, with ports that feed the same frames in turn over all their width, not above their middle.

    What comes in is likely to stand side by side above the frame as it does within: the outputs of a layer of neurons.
    """
    plane, found = proper.plane, x.copy()
    uses = np.bincount(proper.ends[:, 0], minlength=proper.nodes)
    ports = np.setdiff1d(np.flatnonzero(plane.is_entry & (uses > 1)), proper.spine)
    for group in _groups(ports, np.stack([proper.row[ports], marks_of(proper, 1)[ports].view(np.int64)])):
        fed = np.unique(proper.ends[proper.ends[:, 0] == group[0], 1])
        half = plane.sizes[fed, 0] / 2
        left, right = (x[fed] - half).min(), (x[fed] + half).max()
        found[group] = left + (right - left) * (np.arange(len(group)) + 0.5) / len(group)
    return found


class _Turns:
    """What is alike in a layered graph."""

    def __init__(self, proper: Proper) -> None:
        self._proper = proper
        self._rows: Rows = sortable_rows(proper)
        self._component = proper.component[proper.row]
        self.alike = [*_alike_frames(proper), *_alike_boxes(proper)]

    def centred(self, position: Ints) -> Floats:
        """Positions counted from the middle of each row: so rows of different lengths compare."""
        return np.asarray(position - (self._proper.row_size[self._proper.row] - 1) / 2)

    def swept(self, value: Floats, kept: Callable[[Floats], Floats]) -> tuple[Floats, int]:
        """The best of some sweeps by the means of the neighbours, and its crossings; `kept` mends each of them."""
        best = kept(value)
        position = sorted_rows(self._proper, best)
        fewest, failures = self._rows.crossings(position), 0
        for turn in range(SWEEPS):
            if failures == PATIENCE or not fewest:
                break
            value = kept(self._means(self.centred(position), turn % 2))
            position = sorted_rows(self._proper, value)
            crossings = self._rows.crossings(position)
            failures = 0 if crossings < fewest else failures + 1
            if crossings < fewest:
                best, fewest = value, crossings
        return best, fewest

    def upright(self, value: Floats) -> Floats:
        """With one number for all of the spine in each component: what is beside it stays on its side."""
        spine, component = self._proper.spine, self._component[self._proper.spine]
        found = value.copy()
        count = np.bincount(component, minlength=len(self._proper.component))
        found[spine] = (np.bincount(component, value[spine], len(count)) / np.maximum(count, 1))[component]
        return found

    def one_sided(self, value: Floats) -> Floats:
        """As `in_turn`, with what is beside spines on one side of them: the right, away from their titles."""
        upright, spine = self.upright(value), self._proper.spine
        middle = np.full(len(self._proper.component), np.nan)
        middle[self._component[spine]] = upright[spine]
        aside = np.nan_to_num(upright - middle[self._component])
        return self.in_turn(np.where(aside != 0, middle[self._component] + np.abs(aside), upright))

    def in_turn(self, value: Floats) -> Floats:
        """As `upright`, with what is alike in the order of its numbers."""
        value = self.upright(value)
        for group in self.alike:
            value[group] = np.sort(value[group])
        return value

    def _means(self, value: Floats, upwards: int) -> Floats:
        """For each vertex the mean value of its neighbours, those on one side counting more."""
        proper, count = self._proper, self._proper.vertices
        heavy, light = (3.0, 1.0) if upwards else (1.0, 3.0)
        total = np.bincount(proper.upper, heavy * (value[proper.lower] + proper.aside[:, 1]), count)
        total += np.bincount(proper.lower, light * (value[proper.upper] + proper.aside[:, 0]), count)
        weight = np.bincount(proper.upper, minlength=count) * heavy + np.bincount(proper.lower, minlength=count) * light
        return np.where(weight > 0, total / np.maximum(weight, 1e-9), value)


def _alike_frames(proper: Proper) -> list[Ints]:
    """The frames of each row with as many boxes in them."""
    frames = np.flatnonzero(proper.plane.is_frame)
    return _groups(frames, np.stack([proper.row[frames], proper.plane.held[frames]]))


def _alike_boxes(proper: Proper) -> list[Ints]:
    """Of each row the boxes that read the same things, as neurons do, and in frames the parameters of one box."""
    plane, nodes = proper.plane, proper.nodes
    reads, uses = (np.bincount(proper.ends[:, side], minlength=nodes) for side in (1, 0))
    # What one is made of, such as the weight of its transpose, is above it alone and moves along.
    is_fed = np.zeros(nodes, dtype=np.bool_)
    is_fed[proper.ends[plane.is_entry[proper.ends[:, 0]], 1]] = True
    is_parameter = (reads <= 1) & (uses == 1) & ~is_fed & (plane.groups >= 0)
    return [*_with_same(proper, reads > 1, side=0), *_with_same(proper, is_parameter, side=1)]


def _with_same(proper: Proper, among: Flags, side: int) -> list[Ints]:
    """The boxes of each row with the same sources (`side` 0) or consumers (1), but for spines."""
    free = among & proper.plane.is_box
    free[proper.spine[proper.spine < proper.nodes]] = False
    boxes = np.flatnonzero(free)
    return _groups(boxes, np.stack([proper.row[boxes], marks_of(proper, side)[boxes].view(np.int64)]))


def _groups(of: Ints, kinds: Ints) -> list[Ints]:
    """Those of the same kind, where there are several; `kinds` has a column for each; shape (2, n)."""
    order = np.lexsort(kinds)
    cuts = np.flatnonzero(np.any(np.diff(kinds[:, order]) != 0, axis=0)) + 1
    return [np.sort(group) for group in np.split(of[order], cuts) if len(group) > 1]
