"""Where each vertex stands: x from its neighbours without overlaps, y from the tallest box of each row.

What should be straight is moved as one: vertices that belong above each other (the dummies of a long edge, a
chain of nodes) form a block, and a block is drawn to one common x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.layout.layered.proper import LARGE, Proper
from gradviz.layout.plan import NO_FRAME, Flags, Floats, Ints
from gradviz.layout.pulse import Pulse

NODE_GAP = 36.0
"""Free space between two boxes of a row, in scene units."""
RANK_GAP = 64.0
"""Free space between two rows: room for a gradient's label on an edge."""
LANE_GAP = 12.0
"""Free space on each side of a long edge that passes through a row."""

TRUNK_WIDTH = 16.0
"""How much wider than one long edge a trunk of several is, with the room beside it."""

NEAR_FRAME = 30.0
"""Free space above and below a frame at the least."""

LINE_GAP = 10.0
"""Scene units between two edges that run level."""
MOST_ROOM = 1_200.0
"""Scene units that those between two rows may take; more lie closer."""

Sides = tuple[float, float, float, float]
"""Left, top, right, bottom."""
NO_SIDES: Sides = (0.0, 0.0, 0.0, 0.0)

STEPS = 60
SMALL, SHORT = 400, 9
"""A graph whose components have fewer vertices comes to rest in so few steps."""
STRAIGHTENED = 6
"""How often blocks that others pushed apart in a frame are drawn straight again."""

NODE_LINK, MIXED_LINK, DUMMY_LINK = 1.0, 2.0, 8.0
"""How strongly two linked vertices draw each other, by how many of the two are dummies; as in dot."""

STRAIGHT = 0.5
"""What is so little apart, in scene units, stands straight above each other."""

SPINE = 1e9
"""How much more a vertex of the spine resists what would push it aside: the others make room for it."""


@dataclass(frozen=True, eq=False)
class Row:
    """The vertices from left to right, row by row.

    Attributes:
        order: vertices sorted by row and position; shape (v,).
        offset: distance from the row's first vertex when all stand as close as allowed; shape (v,), in `order`.
    """

    order: Ints
    offset: Floats


def widths_of(proper: Proper) -> Floats:
    """Width of each vertex in scene units, 0 for a dummy of one edge; shape (v,)."""
    return np.concatenate([proper.plane.sizes[:, 0], np.where(proper.is_shared[proper.nodes :], TRUNK_WIDTH, 0.0)])


def packed(proper: Proper, position: Ints, widths: Floats) -> Row:
    """The rows with every vertex as close to its left neighbour as allowed."""
    order = np.empty(proper.vertices, dtype=np.int64)
    order[proper.row_start[proper.row] + position] = np.arange(proper.vertices)
    half = widths[order] / 2
    margin = np.where(proper.is_thin[order], LANE_GAP / 2, NODE_GAP / 2)
    apart = np.zeros(proper.vertices)
    apart[1:] = half[1:] + half[:-1] + margin[1:] + margin[:-1]
    offset = np.cumsum(apart)
    return Row(order, offset - np.repeat(offset[proper.row_start[:-1]], proper.row_size))


def x_of(proper: Proper, row: Row, pulse: Pulse) -> Floats:
    """Centre x of each vertex, so that edges are short and long edges straight; shape (v,)."""
    x: Floats = np.empty(proper.vertices)
    middle = np.repeat(row.offset[proper.row_start[1:] - 1] / 2, proper.row_size)
    x[row.order] = row.offset - middle
    if not len(proper.upper):
        return x
    weights = weights_of(proper)
    blocks, aside = blocks_of(proper, x)
    strength = _strengths(proper, weights)
    steps = SHORT if proper.largest < SMALL else STEPS // 2 if proper.vertices > LARGE else STEPS
    before = x
    for step in range(steps):
        if step % 10 == 0:
            pulse(step / steps)
        if step and step % 3 == 0:
            if np.array_equal(x, before):
                break
            before = x
        wanted = pulled(proper, x, weights, ("above", "below", "both")[step % 3])
        x = separated(proper, row, means_of(wanted - aside, blocks, strength) + aside, strength)
        # What the other boxes of a row pushed aside takes its block along.
        x = separated(proper, row, means_of(x - aside, blocks, strength) + aside, strength)
    for _ in range(STRAIGHTENED if proper.plane.is_framed else 0):
        before, x = x, separated(proper, row, means_of(x - aside, blocks, strength) + aside, strength)
        if np.abs(x - before).max() < STRAIGHT:
            break
    return x


def weights_of(proper: Proper) -> Floats:
    """How strongly the ends of each link draw each other; shape (links,)."""
    dummies = (proper.upper >= proper.nodes).astype(np.int64) + (proper.lower >= proper.nodes)
    weights: Floats = np.array([NODE_LINK, MIXED_LINK, DUMMY_LINK])[dummies]
    return weights


def _strengths(proper: Proper, weights: Floats) -> Floats:
    count = proper.vertices
    linked = np.bincount(proper.upper, weights, count) + np.bincount(proper.lower, weights, count)
    # A vertex without links must weigh something too, or a mean would divide by 0.
    strength = np.asarray(linked + 1e-3, dtype=np.float64)
    strength[proper.spine] *= SPINE
    return strength


def pulled(proper: Proper, x: Floats, weights: Floats, side: str) -> Floats:
    """The weighted mean x of each vertex's neighbours on one side; its own x where it has none."""
    count = proper.vertices
    total, weight = np.zeros(count), np.zeros(count)
    if side != "below":
        total += np.bincount(proper.lower, weights * (x[proper.upper] + proper.apart), count)
        weight += np.bincount(proper.lower, weights, count)
    if side != "above":
        total += np.bincount(proper.upper, weights * (x[proper.lower] - proper.apart), count)
        weight += np.bincount(proper.upper, weights, count)
    return np.asarray(np.where(weight > 0, total / np.maximum(weight, 1e-300), x), dtype=np.float64)


def blocks_of(proper: Proper, x: Floats, *, kept: bool = False) -> tuple[Ints, Floats]:
    """A label per vertex, and how far right of the first of its block it stands; each of shape (v,).

    Vertices whose links want to be straight share a block. A link is straight when it is the first choice of both
    ends: one of the spine or between dummies before any other, then the neighbour nearest to the middle of all.

    Args:
        kept: whether links that are straight already come before all others but those of the spine.
    """
    upper, lower, apart = proper.upper, proper.lower, proper.apart
    liked = (upper >= proper.nodes).astype(np.int64) + (lower >= proper.nodes)
    if kept:
        liked[np.abs(x[upper] + apart - x[lower]) < STRAIGHT] = 3
    liked[proper.is_spine] = 4 if kept else 2
    down = _first_choice(proper, upper, lower, x[lower] - apart, liked)
    up = _first_choice(proper, lower, upper, x[upper] + apart, liked)
    head, aside = np.arange(proper.vertices), np.zeros(proper.vertices)
    has_up = np.flatnonzero(up >= 0)
    mutual = has_up[lower[down[upper[up[has_up]]]] == has_up]
    head[mutual], aside[mutual] = upper[up[mutual]], apart[up[mutual]]
    # Doubling the jumps finds the top of long chains in log steps.
    while True:
        further = head[head]
        if np.array_equal(further, head):
            return head, aside
        head, aside = further, aside + aside[head]


def _first_choice(proper: Proper, of: Ints, among: Ints, places: Floats, liked: Ints) -> Ints:
    """For each vertex the link that it would most like to be straight, or -1; shape (v,).

    Args:
        of, among: the ends of each link; shape (links,).
        places: where each link would have the first of them; shape (links,).
        liked: how much each link should be straight; shape (links,).
    """
    count = proper.vertices
    degree = np.bincount(of, minlength=count)
    middle = np.bincount(of, places, count) / np.maximum(degree, 1)
    order = np.lexsort((among, np.abs(places - middle[of]), -liked, of))
    keys, first = np.unique(of[order], return_index=True)
    choice = np.full(count, -1, dtype=np.int64)
    choice[keys] = order[first]
    return choice


def means_of(wanted: Floats, blocks: Ints, strength: Floats) -> Floats:
    """The weighted mean of each block, for every vertex of it; shape (v,)."""
    count = len(wanted)
    total = np.bincount(blocks, wanted * strength, count)
    means: Floats = total / np.maximum(np.bincount(blocks, strength, count), 1e-300)
    return means.take(blocks)


def separated(proper: Proper, row: Row, wanted: Floats, strength: Floats) -> Floats:
    """The x nearest to the wanted ones (weighted least squares) that keep the order and the distances of every row.

    An isotonic regression by pooling adjacent violators; here all runs of violators of all rows at once.
    """
    x = np.empty(proper.vertices)
    x[row.order] = _ascending(wanted.take(row.order) - row.offset, strength.take(row.order), proper.row.take(row.order))
    x[row.order] += row.offset
    return x


def _ascending(value: Floats, heavy: Floats, of_row: Ints) -> Floats:
    """The values nearest to some (weighted least squares) that do not fall from left to right in any row.

    Args:
        value, heavy, of_row: of each place, row by row; each of shape (v,).
    """
    # What undoes each step: a pool for each place, or the places that the work goes on with.
    undo: list[tuple[Ints, Floats | None]] = []
    while True:
        violates = (value[1:] < value[:-1]) & (of_row[1:] == of_row[:-1])
        if not violates.any():
            break
        is_busy = np.zeros(int(of_row[-1]) + 1, dtype=np.bool_)
        is_busy[of_row[1:][violates]] = True
        busy = np.flatnonzero(is_busy.take(of_row))
        if 2 * len(busy) < len(value):
            # A long row may go on for long after all others are done.
            undo.append((busy, value))
            value, heavy, of_row = value[busy], heavy[busy], of_row[busy]
            violates = (value[1:] < value[:-1]) & (of_row[1:] == of_row[:-1])
        is_first = np.ones(len(value), dtype=np.bool_)
        np.logical_not(violates, out=is_first[1:])
        pool = is_first.cumsum() - 1
        total = np.asarray(np.bincount(pool, heavy), dtype=np.float64)
        value = np.bincount(pool, value * heavy) / total
        heavy, of_row = total, of_row[is_first]
        undo.append((pool, None))
    for places, whole in reversed(undo):
        if whole is None:
            value = value.take(places)
        else:
            whole[places] = value
            value = whole
    return value


def y_of(proper: Proper, x: Floats, sides: Sides = NO_SIDES, lines: Ints | None = None) -> tuple[Floats, Floats]:
    """Top and bottom y of each row, every component with its frame starting at 0; each of shape (rows,).

    Args:
        sides: room in a frame.
        lines: how many edges run level below each row; shape (rows,).

    Rows lie further apart where an edge between them goes far to the side, so that it does not lie flat.
    """
    rows, plane = len(proper.component), proper.plane
    tall = np.zeros(rows)
    np.maximum.at(tall, proper.row[: proper.nodes], plane.sizes[:, 1])
    reach = np.zeros(rows)
    aside = np.abs(x[proper.lower] - x[proper.upper] - proper.apart)
    np.maximum.at(reach, proper.row[proper.upper], aside)
    wider = RANK_GAP * np.clip(reach / 900.0 - 0.5, 0.0, 1.0)
    gap, begin = RANK_GAP + wider, np.zeros(rows)
    if plane.is_framed:
        has_frame, is_entry, is_exit = (
            _rows_with(proper, which) for which in (plane.is_frame, plane.is_entry, plane.is_exit)
        )
        after = np.append(has_frame[1:], False)
        # Between frames as much as between what is in them, but for their own room.
        gap -= has_frame * sides[3] + after * sides[1]
        gap = np.maximum(gap, np.where(has_frame | after, NEAR_FRAME, 0.0))
        gap = np.where(is_entry, sides[1] + wider, np.where(np.append(is_exit[1:], False), sides[3] + wider, gap))
        is_inside = _rows_with(proper, plane.groups != NO_FRAME) | is_entry
        begin = np.where(is_inside & ~is_entry, sides[1], 0.0)
    if lines is not None:
        gap += np.minimum(lines * LINE_GAP, MOST_ROOM)
    bottom = np.cumsum(tall + gap) - gap
    top = bottom - tall
    is_first = np.diff(proper.component, prepend=-1) > 0
    origin = (top - begin)[np.flatnonzero(is_first)][np.cumsum(is_first) - 1] if rows else top
    return top - origin, bottom - origin


def _rows_with(proper: Proper, nodes: Flags) -> Flags:
    """Which rows have one of some nodes; shape (rows,)."""
    found = np.zeros(len(proper.component), dtype=np.bool_)
    found[proper.row[: proper.nodes][nodes]] = True
    return found
