"""Which layer each node stands in: short edges, and every node as near to its consumer as that allows.

Layers are topological generations, pulled as late as possible. Alone that makes a graph with
much reuse grow quadratically many long edges, because a late node drags its whole expression along; so whole
expressions are then slid up or down while that shortens the edges in total. Graphviz solves the same problem
exactly by a network simplex, which is too slow in Python.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from gradviz.errors import LayoutError
from gradviz.layout.plan import Ints

ROUNDS = 6
"""Slides up and down at most; nearly all of the gain comes in the first two."""

Links = list[list[int]]
"""Neighbours of each node, one entry per edge."""


def ranks_of(count: int, ends: Ints, weights: Ints | None = None) -> Ints:
    """The layer of each of the nodes 0..count-1, smallest 0 or more; shape (count,).

    Args:
        ends: source and consumer index of every edge; shape (m, 2).
        weights: how much the length of each edge counts; shape (m,). None: all the same.

    Raises:
        LayoutError: the graph has a cycle.
    """
    if not len(ends):
        return np.zeros(count, dtype=np.int64)
    if weights is None:
        weights = np.ones(len(ends), dtype=np.int64)
    sources, consumers = _links(ends[:, 1], ends[:, 0], count), _links(ends[:, 0], ends[:, 1], count)
    order, ranks = _generations(sources, consumers)
    _pull_late(order, ranks, consumers)
    _slide(order, ranks, _Pulls(sources, consumers, ends, weights))
    result = np.array(ranks, dtype=np.int64)
    result -= result.min()
    return result


def generations_of(count: int, ends: Ints) -> Ints:
    """The generation of each of the nodes 0..count-1: the length of the longest path to it; shape (count,).

    Raises:
        LayoutError: the graph has a cycle.
    """
    links = _links(ends[:, 1], ends[:, 0], count), _links(ends[:, 0], ends[:, 1], count)
    return np.array(_generations(*links)[1], dtype=np.int64)


def _generations(sources: Links, consumers: Links) -> tuple[list[int], list[int]]:
    """Node indices in topological order, and each node's generation."""
    waiting = [len(links) for links in sources]
    order, ranks, rank = [], [0] * len(waiting), 0
    generation = [node for node, count in enumerate(waiting) if not count]
    while generation:
        order += generation
        after: list[int] = []
        for node in generation:
            ranks[node] = rank
            for consumer in consumers[node]:
                waiting[consumer] -= 1
                if not waiting[consumer]:
                    after.append(consumer)
        generation, rank = after, rank + 1
    if len(order) < len(waiting):
        raise LayoutError("The graph has a cycle, so it has no layers. Check the file it came from.")
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


class _Pulls:
    """Who pulls at each node, and how strongly."""

    def __init__(self, sources: Links, consumers: Links, ends: Ints, weights: Ints) -> None:
        count = len(consumers)
        self.sources, self.consumers = sources, consumers
        self.forces = _links(ends[:, 1], weights, count)
        """The weights of the edges from `sources`."""
        self.leaving: list[int] = np.bincount(ends[:, 0], weights, count).astype(np.int64).tolist()
        """The weight of all uses of each node."""
        self._ends, self._weights = ends, weights

    def total(self, ranks: list[int]) -> int:
        """The length of all edges together."""
        array = np.array(ranks, dtype=np.int64)
        return int(((array[self._ends[:, 1]] - array[self._ends[:, 0]]) * self._weights).sum())


def _slide(order: list[int], ranks: list[int], pulls: _Pulls) -> None:
    """Slide expressions up and down until the total length of the edges no longer falls."""
    best = pulls.total(ranks)
    for _ in range(ROUNDS):
        kept = ranks.copy()
        _slide_up(order, ranks, pulls)
        _slide_down(order, ranks, pulls)
        total = pulls.total(ranks)
        if total >= best:
            ranks[:] = kept
            return
        best = total


def _expressions(order: list[int], ranks: list[int], pulls: _Pulls) -> tuple[list[int], list[float]]:
    """Per node, its expression: itself and all that is used only by it, directly or not.

    Returns:
        The weight of the edges that enter the expression from outside, and how far it could move up before one of
        them is too short.
    """
    outside, room = [0] * len(ranks), [float("inf")] * len(ranks)
    consumers = pulls.consumers
    for node in order:
        for source, weight in zip(pulls.sources[node], pulls.forces[node], strict=True):
            if len(consumers[source]) == 1:
                outside[node] += outside[source]
                room[node] = min(room[node], room[source])
            else:
                outside[node] += weight
                room[node] = min(room[node], ranks[node] - ranks[source] - 1)
    return outside, room


def _slide_up(order: list[int], ranks: list[int], pulls: _Pulls) -> None:
    """Move up every expression that more edges enter than leave."""
    outside, room = _expressions(order, ranks, pulls)
    shift = [0] * len(ranks)
    for node in reversed(order):
        uses = pulls.consumers[node]
        if len(uses) == 1:
            shift[node] = shift[uses[0]]
        if outside[node] > pulls.leaving[node] and room[node] != float("inf"):
            shift[node] = max(shift[node], int(room[node]))
    for node, up in enumerate(shift):
        ranks[node] -= up


def _slide_down(order: list[int], ranks: list[int], pulls: _Pulls) -> None:
    """Move down every expression that at least as many edges leave as enter; what only it uses moves along."""
    outside, _ = _expressions(order, ranks, pulls)
    shift = [0] * len(ranks)
    for node in reversed(order):
        uses = pulls.consumers[node]
        if not uses:
            continue
        if pulls.leaving[node] >= outside[node]:
            shift[node] = min([ranks[c] + shift[c] for c in uses]) - 1 - ranks[node]
        elif len(uses) == 1:
            shift[node] = shift[uses[0]]
    for node, down in enumerate(shift):
        ranks[node] += down
