"""Edges between boxes: which edges (consumer, slot) become one when groups are folded. Knows no Qt.

Between two nodes every slot stays an edge of its own. Into a group a tensor goes once, however often it is used
there. More than a few tensors out of one group to the same box share an edge.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gradviz.playback.track import Flags, Ranks, Track

HIDDEN = -1
"""Box of a node that is out of sight."""

MOST_TENSORS = 3
"""Up to so many tensors from one box to another go along edges of their own; more share one."""


class Bundles(NamedTuple):
    """Edges between boxes, by consumer. What edge e stands for is real[starts[e]:starts[e + 1]].

    Attributes:
        sources, consumers: indices of boxes; shape (m,).
        ports: number of each edge at its consumer: of a node, the slot of the first edge; shape (m,).
        real: indices in the edges of the whole track.
        starts: shape (m + 1,).
    """

    sources: Ranks
    consumers: Ranks
    ports: Ranks
    real: Ranks
    starts: Ranks


def bundled(base: Track, box_of: Ranks, is_group: Flags) -> Bundles:
    """The edges between boxes.

    Args:
        base: the whole track.
        box_of: box of each of its nodes, or `HIDDEN`; shape (len(base.forward),).
        is_group: whether each box is a folded group; shape (boxes,).
    """
    sources, consumers = box_of[base.edge_sources], box_of[base.edge_consumers]
    real = np.flatnonzero((sources != HIDDEN) & (consumers != HIDDEN) & (sources != consumers))
    sources, consumers = sources[real], consumers[real]
    keys = _keys(base, is_group, real, sources, consumers)
    # Edges stand by consumer, and there in the order of the first that each stands for.
    _, first, bundle = np.unique(keys, return_index=True, return_inverse=True)
    order = np.lexsort((real, real[first][bundle], consumers))
    starts = np.flatnonzero(np.diff(bundle[order], prepend=-1))
    heads = order[starts]
    boxes = consumers[heads]
    numbers = np.arange(len(boxes)) - np.searchsorted(boxes, boxes)
    slots = np.array([base.edges[edge][1] for edge in real[heads].tolist()], dtype=np.int64)
    ports = np.where(is_group[boxes], numbers, slots)
    return Bundles(sources[heads], boxes, ports, real[order], np.append(starts, len(real)))


def _keys(base: Track, is_group: Flags, real: Ranks, sources: Ranks, consumers: Ranks) -> Ranks:
    """Real edges with equal keys become one edge."""
    count, many = len(is_group), len(base.edges) + len(base.forward)
    pairs = sources * count + consumers
    tensors = np.where(is_group[consumers], base.edge_sources[real], len(base.forward) + real)
    different, tensors_of = np.unique(np.unique(pairs * many + tensors) // many, return_counts=True)
    crowded = tensors_of[np.searchsorted(different, pairs)] > MOST_TENSORS
    together = is_group[sources] & crowded
    keys: Ranks = pairs * many + np.where(together, 0, tensors)
    return keys


def any_of(flags: Flags, starts: Ranks) -> Flags:
    """Whether any flag is set in each stretch flags[starts[e]:starts[e + 1]]; none is empty."""
    some: Flags = np.logical_or.reduceat(flags, starts[:-1]) if len(flags) else np.zeros(0, dtype=np.bool_)
    return some
