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

from gradviz.layout.frames import Sides, boxes_held, extents_of, homes_of
from gradviz.layout.order import Rows, sortable_rows
from gradviz.layout.place import LANE_GAP, NODE_GAP
from gradviz.layout.plan import NO_FRAME, Floats, Ints, Request
from gradviz.layout.proper import Flags, Proper

SWEEPS = 12
NUDGES = 4
"""How often everything is moved to where it is wanted, from the left and from the right in turn."""
WORSE, FREE = 1.2, 4
"""How many crossings more the order of numbers may cost: so many times the fewest, and so many more."""

Chain = tuple[int, ...]
"""Frames from the outermost to the innermost."""


@dataclass(frozen=True, eq=False)
class Bands:
    """The frames of a layered graph.

    Attributes:
        proper: the layered graph.
        request: what they are in.
        framed: innermost frame of each vertex, or `NO_FRAME`; shape (v,). A dummy is in the innermost frame that
            holds both ends of its edge.
    """

    proper: Proper
    request: Request
    framed: Ints

    @cached_property
    def rows(self) -> Rows:
        """The rows of the graph, to count crossings in."""
        return sortable_rows(self.proper)

    @cached_property
    def parents(self) -> tuple[int, ...]:
        """The frame around each frame, or `NO_FRAME`."""
        return tuple(self.request.frame_parents.tolist())

    @staticmethod
    def of(proper: Proper, request: Request) -> Bands:
        """The frames of a request."""
        framed = np.full(proper.vertices, NO_FRAME)
        framed[: proper.nodes] = request.framed
        framed[proper.via] = homes_of(request, proper.ends)[proper.owner]
        return Bands(proper, request, framed)

    @cached_property
    def chains(self) -> list[Chain]:
        """The frames around each frame and itself; of `NO_FRAME` (the last): none."""
        return _chains(self.parents)

    @cached_property
    def depths(self) -> Ints:
        """How many frames are around each vertex; shape (v,)."""
        return np.array(list(map(len, self.chains)), dtype=np.int64)[self.framed]

    def values(self, position: Ints) -> Floats:
        """A number for each vertex that sorts every row near to the positions given, with few crossings."""
        free, fewest = self._swept(_centred(self.proper, position), lambda value: value)
        tidy, crossings = self._swept(self._in_turn(free), self._in_turn)
        return tidy if crossings <= WORSE * fewest + FREE else free

    def _swept(self, value: Floats, kept: Callable[[Floats], Floats]) -> tuple[Floats, int]:
        """The best of some sweeps by the means of the neighbours, and its crossings; `kept` mends each of them."""
        best, fewest = value, self.rows.crossings(self.positions(value))
        for turn in range(SWEEPS):
            value = kept(self._means(_centred(self.proper, self.positions(value)), turn % 2))
            crossings = self.rows.crossings(self.positions(value))
            if crossings < fewest:
                best, fewest = value, crossings
        return best, fewest

    def _in_turn(self, value: Floats) -> Floats:
        """With frames of one size that begin in one row in the order of their numbers, which people count by."""
        keys, shift = self.keys(value), np.zeros(len(self.chains))
        for group in self._alike:
            shift[group] = np.sort(keys[group]) - keys[group]
        for frame, parent in enumerate(self.parents):
            if parent != NO_FRAME:
                shift[frame] += shift[parent]
        return value + shift[self.framed]

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
        for depth in range(max(map(len, self.chains))):
            table = [chain[depth] if depth < len(chain) else NO_FRAME for chain in self.chains]
            level = np.array(table, dtype=np.int64)[framed]
            # Of equal keys the one in no frame stands left, in every row alike.
            columns += [np.where(level == NO_FRAME, own, keys[level]), level.astype(np.float64)]
        return [*columns, own]

    def keys(self, value: Floats) -> Floats:
        """The key of each frame: the mean value of its vertices; shape (k,)."""
        count = len(self.parents)
        total, weight = np.zeros(count), np.zeros(count)
        inside = self.framed != NO_FRAME
        np.add.at(total, self.framed[inside], value[inside])
        np.add.at(weight, self.framed[inside], 1.0)
        for frame in range(count - 1, -1, -1):
            if self.parents[frame] != NO_FRAME:
                total[self.parents[frame]] += total[frame]
                weight[self.parents[frame]] += weight[frame]
        keys: Floats = total / np.maximum(weight, 1.0)
        return keys

    # ---- places ----

    def gathered(self, x: Floats, weights: Floats) -> Floats:
        """Every frame moved as a whole towards where its links to the outside pull it, outer frames first.

        Args:
            weights: how strongly the ends of each link draw each other.
        """
        pulled, puller, weight = self._both_ways(weights)
        for blocks in self._blocks:
            leaves = blocks[pulled] != blocks[puller]
            x = x + _pull(x, blocks, pulled[leaves], puller[leaves], weight[leaves]) / 2
        return x

    def centred(self, x: Floats, weights: Floats) -> Floats:
        """Every vertex amid those that it is linked to inside its frame: a frame that was moved leans to no side."""
        pulled, puller, weight = self._both_ways(weights)
        inner = self._is_inside[self.framed[puller], self.framed[pulled]]
        return x + _pull(x, np.arange(len(x)), pulled[inner], puller[inner], weight[inner])

    def _both_ways(self, weights: Floats) -> tuple[Ints, Ints, Floats]:
        """Both ends of each link, either of them first, and how strongly it draws."""
        upper, lower = self.proper.upper, self.proper.lower
        return np.concatenate([upper, lower]), np.concatenate([lower, upper]), np.tile(weights, 2)

    @cached_property
    def _is_inside(self) -> Flags:
        """Whether a frame is another one or in it; the last stands for no frame, in which all are; shape (k, k)."""
        inside = np.zeros((len(self.chains), len(self.chains)), dtype=np.bool_)
        for frame, chain in enumerate(self.chains):
            inside[frame, [*chain, NO_FRAME]] = True
        return inside

    @cached_property
    def _blocks(self) -> list[Ints]:
        """For every depth the frame that each vertex is in there; what is in none is one of its own."""
        alone = len(self.parents) + np.arange(self.proper.vertices)
        found = []
        for depth in range(max(map(len, self.chains))):
            table = np.array([chain[depth] if depth < len(chain) else NO_FRAME for chain in self.chains])
            frames = table[self.framed]
            found.append(np.where(frames == NO_FRAME, alone, frames))
        return found

    def separated(self, value: Floats, x: Floats, widths: Floats, sides: Sides) -> Floats:
        """The x of each vertex, near to the x wanted, so that no frame touches what is not in it."""
        rails = self.rails(value, widths, sides)
        return rails.nudged(rails.separated(rails.wanted(x)), x)

    def rails(self, value: Floats, widths: Floats, sides: Sides) -> Rails:
        """What stands left of what in the rows sorted by `value`."""
        links = list(self._links(value, widths, sides))
        return Rails(self, widths, sides, links)

    def with_borders(self, x: Floats, widths: Floats, sides: Sides) -> list[float]:
        """The x of the vertices, then of the left borders of the frames around them, then of the right borders."""
        count = len(self.parents)
        low, high = np.full(count, np.inf), np.full(count, -np.inf)
        inside = self.framed != NO_FRAME
        np.minimum.at(low, self.framed[inside], (x - widths / 2)[inside])
        np.maximum.at(high, self.framed[inside], (x + widths / 2)[inside])
        for frame in range(count - 1, -1, -1):
            low[frame] -= sides[0]
            high[frame] += sides[2]
            parent = self.parents[frame]
            if parent != NO_FRAME:
                low[parent], high[parent] = min(low[parent], low[frame]), max(high[parent], high[frame])
        wanted: list[float] = np.concatenate([x, low, high]).tolist()
        return wanted

    def _links(self, value: Floats, widths: Floats, sides: Sides) -> Iterator[tuple[int, int, float]]:
        """(left, right, distance at the least) of neighbours in a row, frame borders among them."""
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
                        yield edge, last + frame, reach + sides[2]
                    edge, reach, is_box = last + frame, 0.0, True
                for frame in chain[shared:]:
                    if edge >= 0:
                        inner = first <= edge < last
                        yield edge, first + frame, sides[0] if inner else reach + _gap(is_box, True)
                    edge, reach, is_box = first + frame, 0.0, True
                if vertex >= 0:
                    wide = vertex < self.proper.nodes
                    inner = first <= edge < last
                    if edge >= 0:
                        yield edge, vertex, half[vertex] + (sides[0] if inner else reach + _gap(is_box, wide))
                    edge, reach, is_box = vertex, half[vertex], wide
                before = chain

    def _rows(self, value: Floats) -> Iterator[list[tuple[int, Chain]]]:
        """The vertices of each row from left to right, each with its frames; -1 for a frame without one there."""
        proper = self.proper
        blank_rows, blank_frames = self._blanks()
        framed = np.concatenate([self.framed, blank_frames])
        rows = np.concatenate([proper.row, blank_rows])
        own = np.concatenate([value, self.keys(value)[blank_frames]])
        order = np.lexsort([*self._columns(value, own, framed)[::-1], rows]).tolist()
        entries = ((int(rows[i]), i if i < proper.vertices else -1, self.chains[framed[i]]) for i in order)
        for _, row in groupby(entries, itemgetter(0)):
            yield [(vertex, chain) for _, vertex, chain in row]

    def _blanks(self) -> tuple[Ints, Ints]:
        """(rows, frames): the rows between its first and its last in which a frame has no vertex."""
        seen: list[set[int]] = [set() for _ in self.parents]
        for row, frame in zip(self.proper.row.tolist(), self.framed.tolist(), strict=True):
            if frame != NO_FRAME:
                seen[frame].add(row)
        for frame in range(len(seen) - 1, -1, -1):
            if self.parents[frame] != NO_FRAME:
                seen[self.parents[frame]] |= seen[frame]
        found = [(row, f) for f, rows in enumerate(seen) for row in range(min(rows), max(rows)) if row not in rows]
        pairs = np.array(found, dtype=np.int64).reshape(-1, 2)
        return pairs[:, 0], pairs[:, 1]


def _chains(parents: Chain) -> list[Chain]:
    chains: list[Chain] = []
    for frame, parent in enumerate(parents):
        chains.append((*(chains[parent] if parent != NO_FRAME else ()), frame))
    return [*chains, ()]  # so that the chain of NO_FRAME, the last one, is empty


def _shared(one: Chain, other: Chain) -> int:
    """How many frames two chains have in common."""
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def _centred(proper: Proper, position: Ints) -> Floats:
    """Positions counted from the middle of each row: so rows of different lengths compare."""
    return position - (proper.row_size[proper.row] - 1) / 2


def _gap(one_is_box: bool, other_is_box: bool) -> float:
    return sum(NODE_GAP / 2 if is_box else LANE_GAP / 2 for is_box in (one_is_box, other_is_box))


def _pull(x: Floats, blocks: Ints, pulled: Ints, puller: Ints, weights: Floats) -> Floats:
    """How far vertices are pulled by others, those of one block alike; shape (v,)."""
    count = int(blocks.max(initial=-1)) + 1
    total = np.bincount(blocks[pulled], weights * (x[puller] - x[pulled]), count)
    pulls: Floats = total / np.maximum(np.bincount(blocks[pulled], weights, count), 1e-9)
    return pulls[blocks]


class Rails:
    """What stands left of what, and how far at the least: vertices and the borders of frames.

    Args:
        links: (left, right, distance at the least).
    """

    def __init__(self, bands: Bands, widths: Floats, sides: Sides, links: list[tuple[int, int, float]]) -> None:
        self._bands, self._widths, self._sides = bands, widths, sides
        count = bands.proper.vertices + 2 * len(bands.parents)
        self._out: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        self._back: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        for tail, head, distance in links:
            self._out[tail].append((head, distance))
            self._back[head].append((tail, distance))
        self._order = _sorted(self._out)

    def wanted(self, x: Floats) -> list[float]:
        """Where vertices and borders would best be."""
        return self._bands.with_borders(x, self._widths, self._sides)

    def separated(self, wanted: list[float]) -> Floats:
        """The x of the vertices with every distance kept: the mean of pushing all right and pushing all left."""
        right, left = wanted.copy(), wanted.copy()
        for vertex in self._order:
            here = right[vertex]
            for head, distance in self._out[vertex]:
                right[head] = max(right[head], here + distance)
        for vertex in reversed(self._order):
            left[vertex] = min([left[vertex], *(left[head] - distance for head, distance in self._out[vertex])])
        middle: Floats = (np.array(right) + np.array(left)) / 2
        return middle[: self._bands.proper.vertices]

    def nudged(self, x: Floats, towards: Floats) -> Floats:
        """From places that keep every distance: each vertex moved to another x as far as what is beside it allows."""
        places, wanted = self.wanted(x), self.wanted(towards)
        for sweep in range(NUDGES):
            for vertex in reversed(self._order) if sweep % 2 else self._order:
                low = max([places[tail] + distance for tail, distance in self._back[vertex]], default=-np.inf)
                high = min([places[head] - distance for head, distance in self._out[vertex]], default=np.inf)
                places[vertex] = min(max(wanted[vertex], low), high)
        return np.array(places[: self._bands.proper.vertices])


def _sorted(out: list[list[tuple[int, float]]]) -> list[int]:
    """Everything from left to right: nothing before what it must stand right of."""
    waiting = [0] * len(out)
    for links in out:
        for head, _ in links:
            waiting[head] += 1
    order = [vertex for vertex, count in enumerate(waiting) if not count]
    for vertex in order:
        for head, _ in out[vertex]:
            waiting[head] -= 1
            if not waiting[head]:
                order.append(head)
    return order
