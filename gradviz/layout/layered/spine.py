"""The spine of a graph: its longest path, which is drawn straight; in a net without one, that of every frame.

Of a chain with skips, a residual network or an unrolled loop it is what people follow; left to the mean of all
neighbours, it wanders aside wherever a long edge joins it. So does the chain of sums of a neuron in a scalar network.
"""

from __future__ import annotations

import numpy as np

from gradviz.layout.plan import NO_FRAME, Floats, Ints

SHORTEST, LEAST_SHARE = 3, 0.38
"""A path of fewer edges is no spine, nor is one of a smaller share of the nodes: a net has no way to follow."""

LEAST_SHARE_OF_FRAME = 0.3
"""The same of the boxes that are in a frame but in none inside it. A neuron has a product and a weight per sum."""


def spine_of(ends: Ints, ranks: Ints) -> Ints:
    """The edges of the longest path from its end to its start, those of the first inputs where several are as long.

    Args:
        ends: source and consumer of every edge; shape (m, 2).
        ranks: of each node, smaller at the source of an edge than at its consumer; shape (n,).

    Returns:
        Rows of `ends`; none where the graph has no spine.
    """
    return _longest_paths(ends, ranks, np.zeros(len(ranks), dtype=np.int64), LEAST_SHARE)


def spines_of(ends: Ints, ranks: Ints, framed: Ints) -> Ints:
    """The edges of the spine, as `spine_of` says; where there is none those of the longest path in every frame.

    Args:
        framed: the innermost frame of each node, or `NO_FRAME`; shape (n,), or empty where there is no frame.
    """
    whole = spine_of(ends, ranks)
    return whole if len(whole) or not len(framed) else _longest_paths(ends, ranks, framed, LEAST_SHARE_OF_FRAME)


def _longest_paths(ends: Ints, ranks: Ints, group: Ints, least: float) -> Ints:
    """The longest path of each group of nodes that has one of so many edges and such a share of the nodes."""
    length, last = [0] * len(ranks), [-1] * len(ranks)
    inner = np.flatnonzero((group[ends[:, 0]] == group[ends[:, 1]]) & (group[ends[:, 0]] != NO_FRAME))
    order = inner[np.argsort(ranks[ends[inner, 0]], kind="stable")]
    sources, consumers = ends[order, 0].tolist(), ends[order, 1].tolist()
    for edge, source, consumer in zip(order.tolist(), sources, consumers, strict=True):
        if length[source] >= length[consumer]:
            length[consumer], last[consumer] = length[source] + 1, edge
    path: list[int] = []
    for end in _longest(np.array(length, dtype=np.float64), group, least).tolist():
        node = end
        while last[node] >= 0:
            path.append(last[node])
            node = int(ends[last[node], 0])
    return np.array(path, dtype=np.int64)


def _longest(length: Floats, group: Ints, least: float) -> Ints:
    """The end of the longest path of each group, where that is long enough."""
    _, of_group, count = np.unique(group, return_inverse=True, return_counts=True)
    order = np.lexsort((-np.arange(len(group)), length, of_group))
    heads = order[np.cumsum(count) - 1]
    is_long = length[heads] >= np.maximum(SHORTEST, least * count)
    return np.asarray(heads[is_long], dtype=np.int64)
