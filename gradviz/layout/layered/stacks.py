"""Many boxes that only one box reads, and that read nothing, stand in rows above one another like a paragraph.

Side by side they would be a row that no window shows. A line runs down amid them, which all join.
"""

from __future__ import annotations

import math

import numpy as np

from gradviz.layout.layered.order_arrays import crossings_of
from gradviz.layout.layered.place import NODE_GAP, RANK_GAP
from gradviz.layout.layered.plane import Plane
from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import Ints

ABREAST = 16
"""So many stand in one row still."""
NARROWEST, TALLEST = 8, 40
"""The fewest in a row of more, and the most rows."""


def stacks_of(plane: Plane) -> list[Ints]:
    """The boxes (by index, ascending) that stand in several rows, with one consumer each."""
    count, ends = len(plane.sizes), plane.ends
    reads, uses = (np.bincount(ends[:, side], minlength=count) for side in (1, 0))
    alone = np.flatnonzero((reads == 0) & (uses == 1) & plane.is_box)
    consumer = np.zeros(count, dtype=np.int64)
    consumer[ends[:, 0]] = ends[:, 1]
    alone = alone[np.argsort(consumer[alone], kind="stable")]
    cuts = np.flatnonzero(np.diff(consumer[alone])) + 1
    return [boxes for boxes in np.split(alone, cuts) if len(boxes) > ABREAST]


def rows_in_stacks(plane: Plane) -> list[tuple[int, int]]:
    """Pairs of boxes (by index) of the stacks, the first of which stands above the second."""
    pairs: list[tuple[int, int]] = []
    for boxes in stacks_of(plane):
        # Rows from which edges go far aside lie twice as far apart.
        width, height = plane.sizes[boxes].mean(axis=0) + np.array([NODE_GAP, 2 * RANK_GAP])
        square = math.ceil(math.sqrt(len(boxes) * height / width))
        across = max(NARROWEST, square, math.ceil(len(boxes) / TALLEST))
        across += across % 2  # as many on both sides of the line
        for first in range(across, len(boxes), across):
            pairs += [(above, int(boxes[first])) for above in boxes[first - across : first].tolist()]
    return pairs


def stacks_in_turn(proper: Proper, position: Ints, stacks: list[Ints]) -> Ints:
    """Positions with the boxes of every stack in the order of their numbers, and what joins them in the middle.

    Args:
        position: of each vertex in its row; shape (v,).
        stacks: as `stacks_of` says.
    """
    if not stacks:
        return position
    found = position.copy()
    for boxes in stacks:
        edges = np.flatnonzero(np.isin(proper.ends[:, 0], boxes))
        joining = np.unique(proper.via[np.isin(proper.owner, edges)])
        for row in np.unique(proper.row[boxes]).tolist():
            here, line = boxes[proper.row[boxes] == row], joining[proper.row[joining] == row]
            half = len(here) // 2
            turned = np.concatenate([here[:half], line, here[half:]])
            found[turned] = np.sort(position[turned])
    return found if crossings_of(proper, found) <= crossings_of(proper, position) else position
