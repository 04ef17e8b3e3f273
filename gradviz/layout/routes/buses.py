"""Wide fans as buses: edges of one box that spread far to the side share one level line and branch off it.

As curves of their own they lie so flat, and so near to each other, that a fan of a hundred is a solid band.
"""

from __future__ import annotations

import numpy as np

from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import Flags, Floats, Ints

FLAT = 8.0
"""A piece of an edge is flat when it goes so many times as far aside as down."""
FEW = 5
"""So many flat pieces of one box make a bus."""
CLOSEST = 4.0
"""Scene units between two buses; where more would be needed in one gap than have room, there are none."""
TURN = 22.0
"""How far from its corner a bus is level; scene units."""
LEVELS = (0.25, 0.75)
"""The buses of a gap lie between these shares of its height."""


def bus_levels(pieces: Floats, edge: Ints, proper: Proper, top: Floats, bottom: Floats) -> Floats:
    """y of the bus that each piece of an edge runs along; NaN for one that runs by itself. Shape (p,).

    Args:
        pieces: start and end of each piece, from top to bottom; shape (p, 2, 2).
        edge: of each; shape (p,).
        top, bottom: y of the borders of each row of boxes; shape (rows,).
    """
    levels = np.full(len(pieces), np.nan)
    aside, down = np.abs(pieces[:, 1] - pieces[:, 0]).T
    row, below = _gaps(
        pieces[:, 0, 1], proper.component[proper.row[proper.ends[edge, 0]]], proper.component, top, bottom
    )
    # What is less flat would cross the line that the others of its fan run along.
    aslant = np.flatnonzero((aside > 2 * TURN) & (pieces[:, 1, 1] <= below + 0.5))
    is_flat = (aside > FLAT * down)[aslant]
    if is_flat.sum() < FEW:
        return levels
    ends = np.stack([proper.plane.tensors, proper.ends[:, 1]], axis=1)[edge[aslant]]
    fans = _fans(row[aslant], ends, is_flat)
    aslant, fans = aslant[fans >= 0], fans[fans >= 0]
    order = np.argsort(row[aslant], kind="stable")
    aslant, fans = aslant[order], fans[order]
    cuts = np.flatnonzero(np.diff(row[aslant])) + 1
    for mine, of in zip(np.split(aslant, cuts), np.split(fans, cuts), strict=True):
        if len(mine):
            _spread(levels, mine, of, pieces[mine, 0, 1].max(), pieces[mine, 1, 1].min())
    return levels


def _gaps(y: Floats, component: Ints, of_row: Ints, top: Floats, bottom: Floats) -> tuple[Ints, Floats]:
    """The row that a piece which begins at `y` lies right below, and the top of the next row of its component.

    Where there is no row on one of the sides, the top is -inf: nothing ends above it.
    """
    # Each component has rows at the same heights, so the heights are told apart by a lift for each.
    lift = 1.0 + bottom.max(initial=0.0)
    row = np.searchsorted(bottom + lift * of_row, y + 0.5 + lift * component) - 1
    has_next = (row >= 0) & (np.append(of_row, -1)[row] == np.append(of_row, -1)[row + 1])
    return row, np.where(has_next, np.append(top, 0.0)[row + 1], -np.inf)


def _fans(row: Ints, ends: Ints, is_flat: Flags) -> Ints:
    """The fan of each piece, those of sources before those of consumers; -1 for one in a fan of few flat ones."""
    many = int(ends.max(initial=0)) + 1
    sources, consumers = (np.unique(row * many + ends[:, side], return_inverse=True)[1] for side in (0, 1))
    from_source, to_consumer = (np.bincount(fan, is_flat) for fan in (sources, consumers))
    leaving, entering = from_source[sources], to_consumer[consumers]
    fans: Ints = np.where(leaving >= entering, sources, len(from_source) + consumers)
    fans[np.maximum(leaving, entering) < FEW] = -1
    return fans


def _spread(levels: Floats, pieces: Ints, fans: Ints, top: float, bottom: float) -> None:
    numbers, place = np.unique(fans, return_inverse=True)
    first, last = (top + share * (bottom - top) for share in LEVELS)
    if (last - first) >= CLOSEST * (len(numbers) - 1):
        levels[pieces] = first + (last - first) * (place + 0.5) / len(numbers)


def along(pieces: Floats, levels: Floats) -> Floats:
    """Three cubic Bézier pieces for each piece along a bus: down to it, level, and down again; shape (p, 3, 4, 2)."""
    start, end = pieces[:, 0], pieces[:, 1]
    aside = end[:, 0] - start[:, 0]
    turn = np.sign(aside) * np.minimum(TURN, np.abs(aside) / 2)
    on, off = (np.stack([x, levels], axis=1) for x in (start[:, 0] + turn, end[:, 0] - turn))
    corners = [np.stack([point[:, 0], levels], axis=1) for point in (start, end)]
    level = [on + (off - on) * share for share in (0.0, 1 / 3, 2 / 3, 1.0)]
    chains = [
        [start, (start + corners[0]) / 2, corners[0], on],
        level,
        [off, corners[1], (corners[1] + end) / 2, end],
    ]
    return np.stack([np.stack(chain, axis=1) for chain in chains], axis=1)
