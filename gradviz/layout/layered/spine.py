"""The spine of a graph: its longest path, which is drawn straight. That of frames is found in `frames.ways`.

Of a chain with skips, a residual network or an unrolled loop it is what people follow; left to the mean of all
neighbours, it wanders aside wherever a long edge joins it. So does the chain of sums of a neuron in a scalar network.
"""

from __future__ import annotations

import numpy as np

from gradviz.layout.plan import Ints

SHORTEST, LEAST_SHARE = 3, 0.38
"""A path of fewer edges is no spine, nor is one of a smaller share of the nodes: a net has no way to follow."""


def spine_of(ends: Ints, ranks: Ints) -> Ints:
    """The edges of the longest path from its end to its start, those of the first inputs where several are as long.

    Args:
        ends: source and consumer of every edge; shape (m, 2).
        ranks: of each node, smaller at the source of an edge than at its consumer; shape (n,).

    Returns:
        Rows of `ends`; none where the graph has no spine.
    """
    length, last = [0] * len(ranks), [-1] * len(ranks)
    order = np.argsort(ranks[ends[:, 0]], kind="stable")
    sources, consumers = ends[order, 0].tolist(), ends[order, 1].tolist()
    for edge, source, consumer in zip(order.tolist(), sources, consumers, strict=True):
        if length[source] >= length[consumer]:
            length[consumer], last[consumer] = length[source] + 1, edge
    longest = max(length, default=0)
    path: list[int] = []
    if longest >= max(SHORTEST, LEAST_SHARE * len(ranks)):
        node = length.index(longest)
        while last[node] >= 0:
            path.append(last[node])
            node = int(ends[last[node], 0])
    return np.array(path, dtype=np.int64)
