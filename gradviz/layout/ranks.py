"""Which layer each node stands in: short edges, and every node as near to its consumer as that allows.

Layers come from networkx's topological generations, pulled as late as possible. Alone that makes a graph with
much reuse grow quadratically many long edges, because a late node drags its whole expression along; so whole
expressions are then slid up or down while that shortens the edges in total. Graphviz solves the same problem
exactly by a network simplex, which is too slow in Python.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from gradviz.errors import LayoutError
from gradviz.layout.plan import Ints

if TYPE_CHECKING:
    import networkx as nx

ROUNDS = 6
"""Slides up and down at most; nearly all of the gain comes in the first two."""

Links = list[list[int]]
"""Neighbours of each node, one entry per edge."""


def ranks_of(graph: nx.MultiDiGraph[int], ends: Ints) -> Ints:
    """The layer of each node of `graph` (indices 0..n-1), smallest 0 or more; shape (n,).

    Args:
        graph: as `graph_of` makes it.
        ends: source and consumer index of every edge; shape (m, 2).

    Raises:
        LayoutError: the graph has a cycle.
    """
    count = graph.number_of_nodes()
    if not len(ends):
        return np.zeros(count, dtype=np.int64)
    order, ranks = _generations(graph)
    sources, consumers = _links(ends[:, 1], ends[:, 0], count), _links(ends[:, 0], ends[:, 1], count)
    _pull_late(order, ranks, consumers)
    _slide(order, ranks, sources, consumers, ends)
    result = np.array(ranks, dtype=np.int64)
    result -= result.min()
    return result


def _generations(graph: nx.MultiDiGraph[int]) -> tuple[list[int], list[int]]:
    """Node indices in topological order, and each node's generation."""
    import networkx as nx

    order: list[int] = []
    ranks = [0] * graph.number_of_nodes()
    try:
        for rank, generation in enumerate(nx.topological_generations(graph)):
            order.extend(generation)
            for node in generation:
                ranks[node] = rank
    except nx.NetworkXUnfeasible:
        raise LayoutError("The graph has a cycle, so it has no layers. Check the file it came from.") from None
    return order, ranks


def _links(keys: Ints, values: Ints, count: int) -> Links:
    order = np.argsort(keys, kind="stable")
    bounds = np.searchsorted(keys[order], np.arange(count + 1)).tolist()
    flat = values[order].tolist()
    return [flat[a:b] for a, b in pairwise(bounds)]


def _pull_late(order: list[int], ranks: list[int], consumers: Links) -> None:
    """Move every node down to right above its nearest consumer; a node without consumers stays."""
    for node in reversed(order):
        if consumers[node]:
            ranks[node] = min([ranks[c] for c in consumers[node]]) - 1


def _slide(order: list[int], ranks: list[int], sources: Links, consumers: Links, ends: Ints) -> None:
    """Slide expressions up and down until the total length of the edges no longer falls."""
    best = _total(ranks, ends)
    for _ in range(ROUNDS):
        kept = ranks.copy()
        _slide_up(order, ranks, sources, consumers)
        _slide_down(order, ranks, sources, consumers)
        total = _total(ranks, ends)
        if total >= best:
            ranks[:] = kept
            return
        best = total


def _total(ranks: list[int], ends: Ints) -> int:
    array = np.array(ranks, dtype=np.int64)
    return int((array[ends[:, 1]] - array[ends[:, 0]]).sum())


def _expressions(order: list[int], ranks: list[int], sources: Links, consumers: Links) -> tuple[list[int], list[float]]:
    """Per node, its expression: itself and all that is used only by it, directly or not.

    Returns:
        How many edges enter the expression from outside, and how far it could move up before one is too short.
    """
    outside, room = [0] * len(ranks), [float("inf")] * len(ranks)
    for node in order:
        for source in sources[node]:
            if len(consumers[source]) == 1:
                outside[node] += outside[source]
                room[node] = min(room[node], room[source])
            else:
                outside[node] += 1
                room[node] = min(room[node], ranks[node] - ranks[source] - 1)
    return outside, room


def _slide_up(order: list[int], ranks: list[int], sources: Links, consumers: Links) -> None:
    """Move up every expression that more edges enter than leave."""
    outside, room = _expressions(order, ranks, sources, consumers)
    shift = [0] * len(ranks)
    for node in reversed(order):
        uses = consumers[node]
        if len(uses) == 1:
            shift[node] = shift[uses[0]]
        if outside[node] > len(uses) and room[node] != float("inf"):
            shift[node] = max(shift[node], int(room[node]))
    for node, up in enumerate(shift):
        ranks[node] -= up


def _slide_down(order: list[int], ranks: list[int], sources: Links, consumers: Links) -> None:
    """Move down every expression that at least as many edges leave as enter; what only it uses moves along."""
    outside, _ = _expressions(order, ranks, sources, consumers)
    shift = [0] * len(ranks)
    for node in reversed(order):
        uses = consumers[node]
        if not uses:
            continue
        if len(uses) >= outside[node]:
            shift[node] = min([ranks[c] + shift[c] for c in uses]) - 1 - ranks[node]
        elif len(uses) == 1:
            shift[node] = shift[uses[0]]
    for node, down in enumerate(shift):
        ranks[node] += down
