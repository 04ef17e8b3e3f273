"""Graphviz dot through networkx and pygraphviz: the best picture of a small or middle-sized graph.

Runs in this process and cannot be interrupted, so the caller decides how large a graph may be.
"""

from __future__ import annotations

import threading
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.errors import LayoutError
from gradviz.layout.graph import graph_of
from gradviz.layout.place import NODE_GAP, RANK_GAP
from gradviz.layout.plan import Floats, Layout, Request
from gradviz.layout.shape import laid_out, turned

if TYPE_CHECKING:
    import networkx as nx

POINTS_PER_INCH = 72.0
"""dot takes sizes in inches and answers in points; one scene unit is one point."""

# Graphviz keeps its state in globals.
_one_at_a_time = threading.Lock()


def has_dot() -> bool:
    """Whether pygraphviz is installed."""
    return find_spec("pygraphviz") is not None


def lay_out_dot(request: Request) -> Layout:
    """Lay out a request with dot. The same request gives the same layout.

    Raises:
        LayoutError: pygraphviz is missing, or dot failed.
    """
    if request.direction == "right":
        return turned(lay_out_dot(turned(request)))
    if not len(request.nodes):
        return laid_out(request, np.zeros((0, 2)), (), "dot")
    if not has_dot():
        raise LayoutError("Graphviz is not available here: install pygraphviz.")
    graph = graph_of(request)
    _set_attributes(graph, request)
    with _one_at_a_time:
        drawn = _run(graph)
        centres = np.array([_points(drawn.get_node(node).attr["pos"])[0] for node in graph])
        curves = tuple(_spline(drawn, source, consumer, row) for source, consumer, row in _edges_by_row(graph))
    return laid_out(request, centres, _touching(request, centres, curves), "dot")


def _set_attributes(graph: nx.MultiDiGraph[int], request: Request) -> None:
    inches = request.sizes / POINTS_PER_INCH
    for node, (width, height) in enumerate(inches.tolist()):
        graph.nodes[node].update(width=f"{width:.6f}", height=f"{height:.6f}")
    # Without labels dot opens no font, which would be slow and print warnings where fonts are missing.
    node_style = {"shape": "box", "fixedsize": "true", "label": ""}
    # We draw the arrowheads: without dot's the spline reaches the border.
    edge_style = {"arrowhead": "none"}
    spacing = {"nodesep": f"{NODE_GAP / POINTS_PER_INCH:.6f}", "ranksep": f"{RANK_GAP / POINTS_PER_INCH:.6f}"}
    graph.graph.update(graph=spacing, node=node_style, edge=edge_style)


def _run(graph: nx.MultiDiGraph[int]) -> Any:
    import networkx as nx

    try:
        drawn = nx.nx_agraph.to_agraph(graph)
        drawn.layout("dot")
    except Exception as error:
        # pygraphviz raises bare errors of many kinds; all mean that there is no picture.
        raise LayoutError(f"Graphviz dot failed: {error}") from error
    return drawn


def _edges_by_row(graph: nx.MultiDiGraph[int]) -> list[tuple[int, int, int]]:
    return sorted(graph.edges(keys=True), key=lambda edge: edge[2])


def _points(text: str) -> Floats:
    """dot's "x,y x,y ..." as points with y growing downwards; shape (k, 2)."""
    numbers = np.array(text.replace(",", " ").split(), dtype=np.float64).reshape(-1, 2)
    return numbers * (1.0, -1.0)


def _spline(drawn: Any, source: int, consumer: int, row: int) -> Floats:
    text = drawn.get_edge(source, consumer, row).attr["pos"]
    if not text:
        raise LayoutError(f"Graphviz dot drew no line for edge {row}.")
    # Several splines stand where dot breaks an edge for a label; ours have none, so the first is the edge.
    return _points(text.split(";")[0])


def _touching(request: Request, centres: Floats, curves: tuple[Floats, ...]) -> tuple[Floats, ...]:
    """The curves with their ends exactly on the borders: dot rounds, and clips a little outside."""
    ends = np.searchsorted(request.nodes, request.edges[:, :2])
    bottom = centres[:, 1] + request.sizes[:, 1] / 2
    top = centres[:, 1] - request.sizes[:, 1] / 2
    for curve, (source, consumer) in zip(curves, ends.tolist(), strict=True):
        curve[0, 1], curve[-1, 1] = bottom[source], top[consumer]
    return curves
