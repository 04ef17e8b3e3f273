"""Boxes side by side that read the same and feed the same stand in the order of their numbers, which people read by.

Any other order has as many crossings, so the engines take one at random.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.layout.layered.proper import Proper
from gradviz.layout.plan import Flags, Floats, Ints

if TYPE_CHECKING:
    from gradviz.layout.routes.routes import Placed

Marks = np.ndarray[Any, np.dtype[np.uint64]]


def in_turn(placed: Placed) -> Placed:
    """The same with twins that stand next to each other in the order of their numbers, where they stood together."""
    order, nodes = placed.order, placed.proper.nodes
    is_twin = _are_twins(placed)
    if not is_twin.any():
        return placed
    run = np.cumsum(np.concatenate([[True], ~is_twin]))
    turned = order[np.lexsort((np.where(order < nodes, order, 0), run))]
    widths = np.append(placed.sizes[:, 0], np.zeros(placed.proper.vertices - nodes))
    x = placed.x.copy()
    x[turned] = _repacked(placed.x[order], widths[order], widths[turned], is_twin)
    return replace(placed, x=x, order=turned)


def _are_twins(placed: Placed) -> Flags:
    """Whether each vertex and the next one in `placed.order` are twins; shape (v - 1,)."""
    proper, count = placed.proper, placed.proper.vertices
    traits = np.zeros((2, count), dtype=np.uint64)
    traits[:, : proper.nodes] = [marks_of(proper, side) for side in (0, 1)]
    here, after = placed.order[:-1], placed.order[1:]
    same: Flags = (here < proper.nodes) & (after < proper.nodes) & (proper.row[here] == proper.row[after])
    same &= (traits[:, here] == traits[:, after]).all(axis=0) & (traits[:, here] > 0).any(axis=0)
    # What is joined to a frame stands as its ports do there.
    is_tied = np.append(proper.plane.is_port, np.zeros(count - proper.nodes, dtype=np.bool_))
    is_tied[proper.ends[(~np.isnan(proper.plane.attached)).any(axis=1)]] = True
    same &= ~(is_tied[here] | is_tied[after])
    return same


def marks_of(proper: Proper, side: int) -> Marks:
    """A number for each node that is the same for those with the same neighbours only, 0 without any; shape (n,).

    Args:
        side: 0 for the sources of a node, 1 for its consumers.
    """
    marks = np.random.default_rng(0).integers(1, 1 << 62, size=proper.nodes + len(proper.ends), dtype=np.uint64)
    # Sums of random numbers, which wrap around.
    found = np.zeros(proper.nodes, dtype=np.uint64)
    read = proper.ends[:, 1] if side else _places(proper.plane.tensors)
    np.add.at(found, proper.ends[:, 1 - side], marks[read])
    return found


def _places(numbers: Ints) -> Ints:
    """The numbers 0, 1, 2, ... in place of others, in the same order."""
    return np.unique(numbers, return_inverse=True)[1]


def _repacked(x: Floats, widths: Floats, turned: Floats, is_twin: Flags) -> Floats:
    """The x of boxes of other widths in the same places, with the gaps as they were."""
    gaps = np.where(is_twin, np.diff(x) - (widths[1:] + widths[:-1]) / 2, 0.0)
    run = np.cumsum(np.concatenate([[True], ~is_twin])) - 1
    first: Ints = np.flatnonzero(np.concatenate([[True], ~is_twin]))
    apart = np.concatenate([[0.0], np.where(is_twin, gaps + (turned[1:] + turned[:-1]) / 2, 0.0)])
    along = np.cumsum(apart)
    start = x[first] - widths[first] / 2 + turned[first] / 2 - along[first]
    packed: Floats = start[run] + along
    return packed
