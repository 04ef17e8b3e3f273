"""Requests and networkx graphs: the picture of a track as a MultiDiGraph, and a MultiDiGraph as a request.

An edge is keyed by its slot, so the two edges of x*x stay two. Knows no layout engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from gradviz.errors import LayoutError
from gradviz.layout.plan import Floats, Ints, Request
from gradviz.playback.groups.folded import FoldedTrack

if TYPE_CHECKING:
    import networkx as nx

DIRECTIONS = ("down", "right")


class Picture(Protocol):
    """What a layout needs of a `playback.Track`."""

    @property
    def forward(self) -> Sequence[int]:
        """Ids of the nodes to draw, ascending."""

    @property
    def edges(self) -> Sequence[tuple[int, int]]:
        """All edges (consumer, slot)."""

    @property
    def edge_sources(self) -> Ints:
        """Index in `forward` of each edge's source."""


def picture_graph(picture: Picture, sizes: Floats) -> nx.MultiDiGraph[int]:
    """The picture as a networkx graph: nodes with `size`, edges source -> consumer keyed by slot.

    Args:
        picture: a `playback.Track`, or anything with its nodes and edges.
        sizes: width and height of each box of `picture.forward`, in scene units; shape (n, 2).

    Raises:
        LayoutError: not one size per node.
    """
    import networkx as nx

    if len(sizes) != len(picture.forward):
        raise LayoutError(f"{len(picture.forward)} nodes have {len(sizes)} box sizes.")
    graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    pairs = zip(picture.forward, np.asarray(sizes, dtype=np.float64).tolist(), strict=True)
    graph.add_nodes_from((node, {"size": size}) for node, size in pairs)
    sources = np.asarray(picture.edge_sources, dtype=np.int64).tolist()
    ends = zip(sources, picture.edges, strict=True)
    graph.add_edges_from((picture.forward[source], consumer, slot) for source, (consumer, slot) in ends)
    return graph


def request_from(graph: nx.MultiDiGraph[int], direction: str = "down") -> Request:
    """A request from a graph as `picture_graph` makes it; edges in the order of their consumers and slots.

    Raises:
        LayoutError: an unknown direction.
    """
    if direction not in DIRECTIONS:
        raise LayoutError(f"{direction!r} is not a direction. Use one of: {', '.join(DIRECTIONS)}.")
    sizes = dict(graph.nodes(data="size"))
    nodes = np.array(sorted(sizes), dtype=np.int64)
    edges = np.array(list(graph.edges(keys=True)), dtype=np.int64).reshape(-1, 3)
    order = np.lexsort((edges[:, 2], edges[:, 1]))
    boxes = np.array([sizes[node] for node in nodes.tolist()], dtype=np.float64).reshape(-1, 2)
    return Request(nodes, boxes, edges[order], direction)


def request_of(picture: Picture, sizes: Floats, direction: str = "down") -> Request:
    """What to ask a layout for a picture.

    Args:
        picture: a `playback.Track`. The edges of the request stand in the order of its `edges`. The open groups of a
            folded one become frames.
        sizes: width and height of each box of `picture.forward`, in scene units; shape (n, 2).
        direction: "down" (inputs above, output below) or "right".

    Raises:
        LayoutError: not one size per node, or an unknown direction.
    """
    request = request_from(picture_graph(picture, sizes), direction)
    if not isinstance(picture, FoldedTrack) or not len(picture.frame_parents):
        return request
    return replace(request, framed=picture.frame_of, frame_parents=picture.frame_parents)


def graph_of(request: Request) -> nx.MultiDiGraph[int]:
    """The request as a networkx graph over the indices 0..n-1 of its nodes, edges keyed by their row.

    Raises:
        LayoutError: an edge names a node that is not in the request.
    """
    import networkx as nx

    graph: nx.MultiDiGraph[int] = nx.MultiDiGraph()
    graph.add_nodes_from(range(len(request.nodes)))
    ends = indices_of(request)
    graph.add_edges_from(zip(ends[:, 0].tolist(), ends[:, 1].tolist(), range(len(ends)), strict=True))
    return graph


def indices_of(request: Request) -> Ints:
    """Source and consumer of every edge as indices of `request.nodes`; shape (m, 2).

    Raises:
        LayoutError: an edge names a node that is not in the request.
    """
    ends: np.ndarray[Any, np.dtype[np.int64]] = request.edges[:, :2]
    if not ends.size:
        return np.zeros((0, 2), dtype=np.int64)
    if not len(request.nodes):
        raise LayoutError(f"An edge names node {ends[0, 0]}, but there are no nodes.")
    indices = np.minimum(np.searchsorted(request.nodes, ends), len(request.nodes) - 1)
    missing = ends[request.nodes[indices] != ends]
    if missing.size:
        raise LayoutError(f"An edge names node {missing[0]}, which is not among the nodes to lay out.")
    return indices
