"""Graphviz dot through networkx and pygraphviz: the best picture of a small or middle-sized graph.

dot says in which row and at which x each box stands, and on which side of every box its splines pass. The curves
are then drawn by `routes`: dot's own leave boxes at their corners and meet in one point, where ours have ports.

Runs in this process and cannot be interrupted, so the caller decides how large a graph may be.
"""

from __future__ import annotations

import threading
from importlib.util import find_spec
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from gradviz.errors import LayoutError
from gradviz.layout.graph import graph_of, indices_of
from gradviz.layout.layered.place import NODE_GAP, RANK_GAP, y_of
from gradviz.layout.layered.plane import Plane
from gradviz.layout.layered.proper import proper_of
from gradviz.layout.layered.ranks import generations_of
from gradviz.layout.layered.spine import spine_of
from gradviz.layout.layered.twins import in_turn
from gradviz.layout.plan import Floats, Ints, Layout, Request
from gradviz.layout.routes.routes import Placed, drawn
from gradviz.layout.shape import laid_out, turned, x_at

if TYPE_CHECKING:
    import networkx as nx

POINTS_PER_INCH = 72.0
"""dot takes sizes in inches and answers in points; one scene unit is one point."""

SPINE = 32
"""How much more an edge of the spine counts."""

# Graphviz keeps its state in globals.
_one_at_a_time = threading.Lock()


def has_dot() -> bool:
    """Whether pygraphviz is installed."""
    return find_spec("pygraphviz") is not None


def lay_out_dot(request: Request) -> Layout:
    """Lay out a request with dot, without its frames. The same request gives the same layout.

    Raises:
        LayoutError: pygraphviz is missing, or dot failed.
    """
    return turned(_lay_out(turned(request))) if request.direction == "right" else _lay_out(request)


def _lay_out(request: Request) -> Layout:
    """Lay out downwards."""
    if not len(request.nodes):
        return laid_out(request, np.zeros((0, 2)), np.zeros((0, 2)), np.zeros(0, dtype=np.int64), "dot")
    if not has_dot():
        raise LayoutError("Graphviz is not available here: install pygraphviz.")
    graph = graph_of(request)
    _set_attributes(graph, request)
    with _one_at_a_time:
        answer = _run(graph)
        centres = np.array([_points(answer.get_node(node).attr["pos"])[0] for node in graph])
        splines = [_spline(answer, *edge) for edge in sorted(graph.edges(keys=True), key=itemgetter(2))]
    return drawn(request, in_turn(_placed(request, centres, splines)), "dot")


def _set_attributes(graph: nx.MultiDiGraph[int], request: Request) -> None:
    inches = request.sizes / POINTS_PER_INCH
    for node, (width, height) in enumerate(inches.tolist()):
        graph.nodes[node].update(width=f"{width:.6f}", height=f"{height:.6f}")
    # Without labels dot opens no font, which would be slow and print warnings where fonts are missing.
    node_style = {"shape": "box", "fixedsize": "true", "label": ""}
    # Without an arrowhead the spline reaches the border.
    edge_style = {"arrowhead": "none"}
    spacing = {"nodesep": f"{NODE_GAP / POINTS_PER_INCH:.6f}", "ranksep": f"{RANK_GAP / POINTS_PER_INCH:.6f}"}
    _weigh(graph, request)
    graph.graph.update(graph=spacing, node=node_style, edge=edge_style)


def _weigh(graph: nx.MultiDiGraph[int], request: Request) -> None:
    """The edges of the spine count more, so that it is straight."""
    ends = indices_of(request)
    spine = set(spine_of(ends, generations_of(len(request.nodes), ends)).tolist())
    for _, _, row, data in graph.edges(keys=True, data=True):
        if row in spine:
            data["weight"] = str(SPINE)


def _run(graph: nx.MultiDiGraph[int]) -> Any:
    import networkx as nx

    try:
        drawn = nx.nx_agraph.to_agraph(graph)
        drawn.layout("dot")
    except Exception as error:
        # pygraphviz raises bare errors of many kinds; all mean that there is no picture.
        raise LayoutError(f"Graphviz dot failed: {error}") from error
    return drawn


def _points(text: str) -> Floats:
    """dot's "x,y x,y ..." as points with y growing downwards; shape (k, 2)."""
    numbers = np.array(text.replace(",", " ").split(), dtype=np.float64).reshape(-1, 2)
    return numbers * (1.0, -1.0)


def _spline(answer: Any, source: int, consumer: int, row: int) -> Floats:
    """The Bézier chain of one edge, from source to consumer; shape (3k + 1, 2)."""
    text = answer.get_edge(source, consumer, row).attr["pos"]
    if not text:
        raise LayoutError(f"Graphviz dot drew no line for edge {row}.")
    return _points(text)


def _placed(request: Request, centres: Floats, splines: list[Floats]) -> Placed:
    """dot's rows and x as a layered graph; its splines say where the long edges pass the rows between."""
    heights, ranks = rows_of(centres[:, 1])
    plane = Plane.of(request)
    ends = plane.ends
    if (ranks[ends[:, 0]] >= ranks[ends[:, 1]]).any():
        raise LayoutError("Graphviz dot drew an edge that does not run downwards.")
    proper = proper_of(plane, ranks, np.zeros_like(ranks), lanes=False)
    spans = [(edge, proper.via[a:b]) for edge, (a, b) in enumerate(pairwise(proper.first)) if a < b]
    passing = [x_at(splines[edge], heights[proper.row[passed]]) for edge, passed in spans]
    x = np.concatenate([centres[:, 0], *passing])
    _keep_clear(x, proper.row, request.sizes[:, 0])
    top, bottom = y_of(proper, x)
    order = np.lexsort((x, proper.row))
    return Placed(proper, x, top, bottom, order, np.zeros(len(splines)))


def _keep_clear(x: Floats, row: Ints, widths: Floats) -> None:
    """Move edges out of the boxes that they would pass through: dot lays parallel ones side by side, whatever is there.

    Args:
        x: of every box, then of every place where an edge passes a row; the latter are changed.
        row: the row of each, of the same shape.
        widths: of the boxes; shape (n,).
    """
    boxes = len(widths)
    reach = widths / 2 + NODE_GAP / 4  # boxes are a whole gap apart, so that beside one is not in the next
    for place in range(boxes, len(x)):
        beside = np.flatnonzero(row[:boxes] == row[place])
        inside = beside[np.abs(x[place] - x[beside]) < reach[beside]]
        if len(inside):
            box = inside[0]
            x[place] = x[box] + (reach[box] if x[place] >= x[box] else -reach[box])


def rows_of(y: Floats) -> tuple[Floats, Ints]:
    """The centre y of each row of boxes from top to bottom, shape (rows,), and the row of each box."""
    levels = np.unique(y)
    # dot prints five digits, so the boxes of one row may differ a little; rows lie much further apart.
    is_new = np.concatenate([[True], np.diff(levels) > RANK_GAP / 3])
    heights: Floats = levels[is_new]
    return heights, np.argmin(np.abs(y[:, None] - heights), axis=1)
