"""Where each vertex stands: x from its neighbours without overlaps, y from the tallest box of each row.

What should be straight is moved as one: vertices that belong above each other (the dummies of a long edge, a
chain of nodes) form a block, and a block is drawn to one common x.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gradviz.layout.layered.proper import LARGE, Proper
from gradviz.layout.plan import NO_FRAME, Floats, Ints
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
"""Free space between two frames, or a frame and the row beside it."""

STEPS = 60
SMALL, SHORT = 400, 9
"""A graph of fewer vertices comes to rest in so few steps, and of one with frames these are only a start."""

NODE_LINK, MIXED_LINK, DUMMY_LINK = 1.0, 2.0, 8.0
"""How strongly two linked vertices draw each other, by how many of the two are dummies; as in dot."""

ENTRY_LINK, TURN_LINK = 1.0, 0.05
"""The same where an edge enters a frame, and where it turns off to its consumer there: it is to bend at both places."""

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


def widths_of(proper: Proper, sizes: Floats) -> Floats:
    """Width of each vertex in scene units, 0 for a dummy of one edge; shape (v,)."""
    return np.concatenate([sizes[:, 0], np.where(proper.is_shared[proper.nodes :], TRUNK_WIDTH, 0.0)])


def gap_between(one_is_box: bool, other_is_box: bool) -> float:
    """Free space between two neighbours in a row, each of them a box or a long edge."""
    return sum(NODE_GAP / 2 if is_box else LANE_GAP / 2 for is_box in (one_is_box, other_is_box))


def packed(proper: Proper, position: Ints, widths: Floats) -> Row:
    """The rows with every vertex as close to its left neighbour as allowed."""
    order = np.empty(proper.vertices, dtype=np.int64)
    order[proper.row_start[proper.row] + position] = np.arange(proper.vertices)
    half = widths[order] / 2
    margin = np.where(order < proper.nodes, NODE_GAP / 2, LANE_GAP / 2)
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
    blocks = blocks_of(proper, x)
    strength = _strengths(proper, weights)
    is_short = proper.vertices < SMALL or bool((proper.framed != NO_FRAME).any())
    steps = SHORT if is_short else STEPS // 2 if proper.vertices > LARGE else STEPS
    for step in range(steps):
        if step % 10 == 0:
            pulse(step / steps)
        wanted = pulled(proper, x, weights, ("above", "below", "both")[step % 3])
        x = separated(proper, row, means_of(wanted, blocks, strength), strength)
        # What the other boxes of a row pushed aside takes its block along.
        x = separated(proper, row, means_of(x, blocks, strength), strength)
    return x


def weights_of(proper: Proper) -> Floats:
    """How strongly the ends of each link draw each other; shape (links,)."""
    dummies = (proper.upper >= proper.nodes).astype(np.int64) + (proper.lower >= proper.nodes)
    weights = np.array([NODE_LINK, MIXED_LINK, DUMMY_LINK])[dummies]
    weights[proper.is_entry] = ENTRY_LINK
    weights[proper.is_inlet[proper.upper] & (proper.lower < proper.nodes)] = TURN_LINK
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
        total += np.bincount(proper.lower, weights * x[proper.upper], count)
        weight += np.bincount(proper.lower, weights, count)
    if side != "above":
        total += np.bincount(proper.upper, weights * x[proper.lower], count)
        weight += np.bincount(proper.upper, weights, count)
    return np.asarray(np.where(weight > 0, total / np.maximum(weight, 1e-300), x), dtype=np.float64)


def blocks_of(proper: Proper, x: Floats, *, kept: bool = False) -> Ints:
    """A label per vertex; vertices that want to stand exactly above each other share it; shape (v,).

    A link is straight when it is the first choice of both ends: one of the spine or between dummies before any other,
    then the neighbour nearest to the middle of all neighbours.

    Args:
        kept: whether links that are straight already come before all others but those of the spine.
    """
    upper, lower = proper.upper[~proper.is_entry], proper.lower[~proper.is_entry]
    liked = (upper >= proper.nodes).astype(np.int64) + (lower >= proper.nodes)
    if kept:
        liked[np.abs(x[upper] - x[lower]) < STRAIGHT] = 3
    liked[proper.is_spine[~proper.is_entry]] = 4 if kept else 2
    down, up = _first_choice(proper, x, upper, lower, liked), _first_choice(proper, x, lower, upper, liked)
    head = np.arange(proper.vertices)
    mutual = np.flatnonzero((up >= 0) & (down[up] == head))
    head[mutual] = up[mutual]
    return tops_of(head)


def tops_of(above: Ints) -> Ints:
    """The uppermost vertex of each one's chain; `above` has the next one upwards, or the vertex itself; shape (v,)."""
    # Doubling the jumps finds the top of long chains in log steps.
    while True:
        further = above[above]
        if np.array_equal(further, above):
            return above
        above = further


def _first_choice(proper: Proper, x: Floats, of: Ints, among: Ints, liked: Ints) -> Ints:
    """For each vertex the neighbour it would most like to be straight with, or -1; shape (v,).

    Args:
        of, among: the ends of each link; shape (links,).
        liked: how much each link should be straight; shape (links,).
    """
    count = proper.vertices
    degree = np.bincount(of, minlength=count)
    middle = np.bincount(of, x[among], count) / np.maximum(degree, 1)
    order = np.lexsort((among, np.abs(x[among] - middle[of]), -liked, of))
    keys, first = np.unique(of[order], return_index=True)
    choice = np.full(count, -1, dtype=np.int64)
    choice[keys] = among[order][first]
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
    value: Floats = wanted.take(row.order) - row.offset
    heavy, of_row = strength.take(row.order), proper.row.take(row.order)
    label = np.arange(len(value))
    while True:
        violates = (value[1:] < value[:-1]) & (of_row[1:] == of_row[:-1])
        if not violates.any():
            break
        is_first = np.ones(len(value), dtype=np.bool_)
        np.logical_not(violates, out=is_first[1:])
        pool = is_first.cumsum() - 1
        total = np.asarray(np.bincount(pool, heavy), dtype=np.float64)
        value = np.bincount(pool, value * heavy) / total
        heavy, of_row = total, of_row[is_first]
        label = pool.take(label)
    x = np.empty(proper.vertices)
    x[row.order] = value.take(label) + row.offset
    return x


def y_of(
    proper: Proper, x: Floats, heights: Floats, room: Floats, lines: Floats | float = 0.0
) -> tuple[Floats, Floats]:
    """Top and bottom y of each row, every component with its frames starting at 0; each of shape (rows,).

    Args:
        room: kept free for frames above each row and below it; shape (2, rows).
        lines: kept free for what runs level below each row and its frames; shape (rows,).

    Rows lie further apart where an edge between them goes far to the side, so that it does not lie flat.
    """
    rows = len(proper.component)
    tall = np.zeros(rows)
    np.maximum.at(tall, proper.row[: proper.nodes], heights)
    reach = np.zeros(rows)
    np.maximum.at(reach, proper.row[proper.upper], np.abs(x[proper.lower] - x[proper.upper]))
    gap = RANK_GAP * (1.0 + np.clip(reach / 900.0 - 0.5, 0.0, 1.0))
    framed = room[1] + np.append(room[0][1:], 0.0)
    gap = np.maximum(gap, np.where(framed > 0, framed + NEAR_FRAME + lines, 0.0))
    bottom = np.cumsum(tall + gap) - gap
    top = bottom - tall
    is_first = np.diff(proper.component, prepend=-1) > 0
    origin = (top - room[0])[np.flatnonzero(is_first)][np.cumsum(is_first) - 1] if rows else top
    return top - origin, bottom - origin
