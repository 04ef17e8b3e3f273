"""Frames in the layered layout: members side by side in every row, and foreign boxes pushed out of the rectangle.

Every box, dummy and frame has one key, a number on a common scale. Where two things inside the same frame stand in
one row, the smaller key stands left, in every row alike. So "left of" never runs in a circle, and the places of
boxes and frame borders follow from one pass to the right and one to the left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter

import numpy as np

from gradviz.layout.frames.frames import Sides, boxes_held, extents_of
from gradviz.layout.frames.inlets import Inlets, Pads
from gradviz.layout.frames.nesting import Chain, Nesting
from gradviz.layout.frames.passing import Passing, passings_of
from gradviz.layout.frames.rails import Rails, borders_of
from gradviz.layout.layered.order import PATIENCE, Rows, sortable_rows
from gradviz.layout.layered.place import gap_between, means_of, tops_of
from gradviz.layout.layered.proper import Proper
from gradviz.layout.layered.twins import marks_of
from gradviz.layout.plan import NO_FRAME, Flags, Floats, Ints, Request

SWEEPS = 12
WORSE, FREE = 1.5, 8
"""How many crossings more the order of numbers may cost: so many times the fewest, and so many more."""


@dataclass(frozen=True, eq=False)
class Bands(Nesting):
    """The frames of a layered graph, and the order of the rows that keeps their members side by side."""

    @cached_property
    def rows(self) -> Rows:
        """The rows of the graph, to count crossings in."""
        return sortable_rows(self.proper)

    @staticmethod
    def of(proper: Proper, request: Request) -> Bands:
        """The frames of a request."""
        return Bands(proper, request, proper.framed)

    def values(self, position: Ints) -> Floats:
        """A number for each vertex that sorts every row near to the positions given, with few crossings."""
        free, fewest = self._swept(_centred(self.proper, position), self._upright)
        for tidied in (self._in_turn_one_sided, self._in_turn):
            tidy, crossings = self._swept(free, tidied)
            if crossings <= WORSE * fewest + FREE:
                return tidy
        return free

    def _swept(self, value: Floats, kept: Callable[[Floats], Floats]) -> tuple[Floats, int]:
        """The best of some sweeps by the means of the neighbours, and its crossings; `kept` mends each of them."""
        best = self.on_one_side(kept(value))
        position = self.positions(best)
        fewest, failures = self.rows.crossings(position), 0
        for turn in range(SWEEPS):
            if failures == PATIENCE or not fewest:
                break
            value = self.on_one_side(kept(self._means(_centred(self.proper, position), turn % 2)))
            position = self.positions(value)
            crossings = self.rows.crossings(position)
            failures = 0 if crossings < fewest else failures + 1
            if crossings < fewest:
                best, fewest = value, crossings
        return best, fewest

    def on_one_side(self, value: Floats) -> Floats:
        """With every long edge on one side of each frame that it passes, and along the border of one that it enters."""
        for passing in self._passings:
            value = passing.on_one_side(value, self.keys(value))
        return self.inlets.along_borders(value)

    @cached_property
    def inlets(self) -> Inlets:
        """What enters frames from above."""
        return Inlets.of(self)

    @cached_property
    def _passings(self) -> list[Passing]:
        return passings_of(self)

    def _upright(self, value: Floats) -> Floats:
        """With one number for all of a spine: what is beside it stays on its side."""
        return means_of(value, self.spines, np.ones(len(value)))

    def _in_turn_one_sided(self, value: Floats) -> Floats:
        """As `_in_turn`, with what is in the frames of spines on one side of them, the same for all: where most was."""
        upright, straight = self._upright(value), self.spines[self._straight]
        middle = np.full(len(self.chains), np.nan)
        middle[self.framed[self._straight]] = upright[straight]
        middle[NO_FRAME] = np.nan
        aside = np.nan_to_num(upright - middle[self.framed])
        side = -1.0 if aside.sum() < 0 else 1.0
        return self._in_turn(np.where(aside != 0, middle[self.framed] + side * np.abs(aside), upright))

    @cached_property
    def spines(self) -> Ints:
        """The vertex that stands for each one: the same for all of a spine that can be straight; shape (v,)."""
        _, first, group = np.unique(self._whole_spines[self._straight], return_index=True, return_inverse=True)
        together = np.arange(self.proper.vertices)
        together[self._straight] = self._straight[first][group]
        return together

    @cached_property
    def _straight(self) -> Ints:
        """The vertices of spines, but for those beside a frame through which their spine runs: there it bends."""
        rows, whole = self.proper.row, self._whole_spines
        spine = self.proper.spine[np.lexsort((rows[self.proper.spine], whole[self.proper.spine]))]
        ones, framed = whole[spine].tolist(), self.framed[spine]
        holding = {(one, frame) for one, home in zip(ones, framed.tolist(), strict=True) for frame in self.chains[home]}
        pairs = np.array(sorted(holding), dtype=np.int64).reshape(-1, 2)
        # The part of each spine in the rows of each of its frames.
        places = whole[spine] * len(self.proper.component) + rows[spine]
        start, (tops, bottoms) = pairs[:, 0] * len(self.proper.component), self.spans
        firsts = np.searchsorted(places, start + tops[pairs[:, 1]]).tolist()
        lasts = np.searchsorted(places, start + bottoms[pairs[:, 1]], side="right").tolist()
        is_beside = np.zeros(len(spine), dtype=np.bool_)
        for frame, first, last in zip(pairs[:, 1].tolist(), firsts, lasts, strict=True):
            depth = len(self.chains[frame]) - 1
            is_beside[first:last] |= self.at_depth[depth][framed[first:last]] != frame
        return np.setdiff1d(self.proper.spine, spine[is_beside])

    @cached_property
    def _whole_spines(self) -> Ints:
        """The uppermost vertex of the spine that each vertex belongs to, or the vertex itself; shape (v,)."""
        above = np.arange(self.proper.vertices)
        above[self.proper.lower[self.proper.is_spine]] = self.proper.upper[self.proper.is_spine]
        return tops_of(above)

    def _in_turn(self, value: Floats) -> Floats:
        """As `_upright`, alike frames that begin in one row, and alike boxes, in the order of their numbers.

        People count by it.
        """
        value = self._upright(value)
        keys, shift = self.keys(value), np.zeros(len(self.chains))
        for group in self._alike:
            shift[group] = np.sort(keys[group]) - keys[group]
        for frame, parent in enumerate(self.parents):
            if parent != NO_FRAME:
                shift[frame] += shift[parent]
        value = value + shift[self.framed]
        for boxes in self._alike_boxes:
            value[boxes] = np.sort(value[boxes])
        return value

    @cached_property
    def _alike(self) -> list[list[int]]:
        """The frames of each parent, number of boxes and first row."""
        rows = self.proper.row[: self.proper.nodes].astype(np.float64)
        tops = extents_of(self.request, rows, lowest=True)
        groups: dict[tuple[int, int, float], list[int]] = {}
        kinds = zip(self.parents, boxes_held(self.request).tolist(), tops.tolist(), strict=True)
        for frame, kind in enumerate(kinds):
            groups.setdefault(kind, []).append(frame)
        return list(groups.values())

    @cached_property
    def _alike_boxes(self) -> list[Ints]:
        """Of each row and frame the boxes that read the same things, as neurons do, and the parameters of one box."""
        ends, nodes = self.proper.ends, self.proper.nodes
        reads, uses = (np.bincount(ends[:, side], minlength=nodes) for side in (1, 0))
        is_foreign = self.framed[ends[:, 0]] != self.framed[ends[:, 1]]
        # What one is made of, such as the weight of its transpose, is above it alone and moves along.
        is_alone = np.bincount(ends[is_foreign, 1], minlength=nodes) == 0
        is_parameter = (reads <= 1) & (uses == 1) & is_alone & (self.framed[:nodes] != NO_FRAME)
        return [*self._boxes_with_same(reads > 1, side=0), *self._boxes_with_same(is_parameter, side=1)]

    def _boxes_with_same(self, among: Flags, side: int) -> list[Ints]:
        """Those of each row and frame with the same sources (`side` 0) or consumers (1), but for spines."""
        proper, free = self.proper, among.copy()
        free[proper.spine[proper.spine < proper.nodes]] = False
        boxes = np.flatnonzero(free)
        kinds = np.stack([proper.row[boxes], self.framed[boxes], marks_of(proper, side)[boxes].view(np.int64)])
        order = np.lexsort(kinds)
        starts = np.flatnonzero(np.any(np.diff(kinds[:, order]) != 0, axis=0)) + 1
        return [group for group in np.split(boxes[order], starts) if len(group) > 1]

    def positions(self, value: Floats) -> Ints:
        """Positions in the rows, sorted by a number for each vertex, with the members of every frame side by side."""
        order = np.lexsort([*self._columns(value, value, self.framed)[::-1], self.proper.row])
        position = np.empty(len(order), dtype=np.int64)
        position[order] = np.arange(len(order)) - np.repeat(self.proper.row_start[:-1], self.proper.row_size)
        return position

    def _means(self, value: Floats, upwards: int) -> Floats:
        """For each vertex the mean value of its neighbours, those on one side counting more."""
        upper, lower, count = self.proper.upper, self.proper.lower, self.proper.vertices
        heavy, light = (3.0, 1.0) if upwards else (1.0, 3.0)
        total = np.bincount(upper, heavy * value[lower], count) + np.bincount(lower, light * value[upper], count)
        weight = np.bincount(upper, np.full(len(upper), heavy), count)
        weight = weight + np.bincount(lower, np.full(len(lower), light), count)
        return np.where(weight > 0, total / np.maximum(weight, 1e-9), value)

    def _columns(self, value: Floats, own: Floats, framed: Ints) -> list[Floats]:
        """What things in a row are sorted by, the most important first: the keys of their frames, then their own.

        Args:
            value: of each vertex, which the keys of the frames come from.
            own: of the things to sort.
            framed: the innermost frame of each of them.
        """
        keys = np.append(self.keys(value), 0.0)
        columns = []
        for depth in range(self.depth):
            level = self.at_depth[depth][framed]
            # Of equal keys the one in no frame stands left, in every row alike.
            columns += [np.where(level == NO_FRAME, own, keys[level]), level.astype(np.float64)]
        return [*columns, own]

    def separated(self, value: Floats, x: Floats, widths: Floats, sides: Sides) -> Floats:
        """The x of each vertex, near to the x wanted, so that no frame touches what is not in it."""
        rails = self.rails(value, widths, sides)
        return self.with_inlets(rails.nudged(rails.separated(rails.wanted(x)), x), value, widths, sides)

    def rails(self, value: Floats, widths: Floats, sides: Sides) -> Rails:
        """What stands left of what in the rows sorted by `value`."""
        pads = self.inlets.pads(value, sides)
        links = list(self._links(value, widths, pads))
        upright = Rails(self, widths, pads, links, self.spines)
        # Where frames with parts of one spine stand side by side, it cannot be straight.
        return upright if upright.is_sorted else Rails(self, widths, pads, links, np.arange(self.proper.vertices))

    def with_inlets(self, x: Floats, value: Floats, widths: Floats, sides: Sides) -> Floats:
        """The x of each vertex, with the inlets along the borders of their frames."""
        return self.inlets.placed(x, value, self.borders(x, value, widths, sides), sides)

    def borders(self, x: Floats, value: Floats, widths: Floats, sides: Sides) -> tuple[Floats, Floats]:
        """Left and right x of each frame; each of shape (k,). `value` sorts the rows."""
        return borders_of(self, x, widths, self.inlets.pads(value, sides))

    def _links(self, value: Floats, widths: Floats, pads: Pads) -> Iterator[tuple[int, int, float]]:
        """(left, right, distance at the least) of neighbours in a row, frame borders among them, but for inlets."""
        left, right = (pad.tolist() for pad in pads)
        first = self.proper.vertices
        last = first + len(self.parents)
        half = (widths / 2).tolist()
        for row in self._rows(value):
            before: Chain = ()
            edge, reach, is_box = -1, 0.0, False
            for vertex, chain in (*row, (-1, ())):
                shared = _shared(before, chain)
                for frame in reversed(before[shared:]):
                    if edge >= 0:
                        yield edge, last + frame, reach + right[frame]
                    edge, reach, is_box = last + frame, 0.0, True
                for frame in chain[shared:]:
                    if edge >= 0:
                        inner = first <= edge < last
                        yield edge, first + frame, left[edge - first] if inner else reach + gap_between(is_box, True)
                    edge, reach, is_box = first + frame, 0.0, True
                if vertex >= 0:
                    wide = vertex < self.proper.nodes
                    inner = first <= edge < last
                    if edge >= 0:
                        beside = left[edge - first] if inner else reach + gap_between(is_box, wide)
                        yield edge, vertex, half[vertex] + beside
                    edge, reach, is_box = vertex, half[vertex], wide
                before = chain

    def _rows(self, value: Floats) -> Iterator[list[tuple[int, Chain]]]:
        """The vertices of each row from left to right, each with its frames; -1 for a frame without one there."""
        proper = self.proper
        blank_rows, blank_frames = self._blanks()
        framed = np.concatenate([self.framed, blank_frames])
        rows = np.concatenate([proper.row, blank_rows])
        own = np.concatenate([value, self.keys(value)[blank_frames]])
        order = np.lexsort([*self._columns(value, own, framed)[::-1], rows])
        order = order[~np.append(proper.is_inlet, np.zeros(len(blank_rows), dtype=np.bool_))[order]].tolist()
        entries = ((int(rows[i]), i if i < proper.vertices else -1, self.chains[framed[i]]) for i in order)
        for _, row in groupby(entries, itemgetter(0)):
            yield [(vertex, chain) for _, vertex, chain in row]

    def _blanks(self) -> tuple[Ints, Ints]:
        """(rows, frames): the rows between its first and its last in which a frame has no vertex."""
        seen: list[set[int]] = [set() for _ in self.parents]
        for row, frame in zip(self.proper.row.tolist(), self.held.tolist(), strict=True):
            if frame != NO_FRAME:
                seen[frame].add(row)
        for frame in range(len(seen) - 1, -1, -1):
            if self.parents[frame] != NO_FRAME:
                seen[self.parents[frame]] |= seen[frame]
        found = [(row, f) for f, rows in enumerate(seen) for row in range(min(rows), max(rows)) if row not in rows]
        pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]


def _shared(one: Chain, other: Chain) -> int:
    """How many frames two chains have in common."""
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def _centred(proper: Proper, position: Ints) -> Floats:
    """Positions counted from the middle of each row: so rows of different lengths compare."""
    return position - (proper.row_size[proper.row] - 1) / 2
