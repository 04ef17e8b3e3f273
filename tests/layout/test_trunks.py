"""Trunks of the layered layout: many long edges of one box are one line that branches."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.layout.dot.dot import has_dot
from gradviz.layout.layered.layers import lay_out_layers, layered
from gradviz.layout.layered.plane import Plane
from gradviz.layout.layouter import Layouter, suits_layers
from gradviz.layout.plan import Floats, Layout, Request
from gradviz.layout.shape import x_at
from tests.layout.plans import check_layout, request_from_pairs

COUNT = 12


def recurrent(uses: list[int]) -> Request:
    """A chain 1, 2, ... whose boxes `uses` also read box 0, as the steps of a recurrent network read its weight."""
    chain = [(node, node + 1) for node in range(1, COUNT - 1)]
    return request_from_pairs(COUNT, chain + [(0, node) for node in uses])


def curves_of(layout: Layout, source: int) -> list[Floats]:
    return [curve for curve, edge in zip(layout.curves, layout.edges, strict=True) if edge[0] == 10 + 3 * source]


def trunks_of(request: Request, source: int) -> list[int]:
    graph = layered(Plane.of(request))
    return graph.trunk[graph.ends[:, 0] == source].tolist()


def test_many_long_edges_of_one_box_run_together_until_they_branch_off() -> None:
    request = recurrent([1, 5, 8, 11])

    layout = lay_out_layers(request)

    check_layout(layout, request)
    curves = curves_of(layout, 0)[1:]
    above = np.linspace(curves[0][0, 1], layout.centres[4, 1], 20)
    where = [x_at(curve, above) for curve in curves]
    assert np.allclose(where[0], where[1], atol=0.5)
    assert np.allclose(where[1], where[2], atol=0.5)


def test_many_long_edges_into_one_box_run_together_from_where_they_join() -> None:
    chain = [(node, node + 1) for node in range(COUNT - 1)]
    request = request_from_pairs(COUNT, chain + [(node, COUNT - 1) for node in (1, 3, 5)])

    layout = lay_out_layers(request)

    check_layout(layout, request)
    joined = [c for c, edge in zip(layout.curves, layout.edges, strict=True) if edge[1] == 10 + 3 * (COUNT - 1)][:3]
    below = np.linspace(layout.centres[8, 1], joined[0][-1, 1], 20)
    where = [x_at(curve, below) for curve in joined]
    assert np.allclose(where[0], where[1], atol=0.5)
    assert np.allclose(where[1], where[2], atol=0.5)


def test_two_long_edges_run_alone() -> None:
    assert len(set(trunks_of(recurrent([5, 8]), 0))) == 2


def test_two_edges_between_the_same_boxes_stay_two_lines() -> None:
    request = recurrent([1, 4, 6, 8, 10, 10])

    numbers = trunks_of(request, 0)[1:]

    assert len(set(numbers[:3])) == 1
    assert len(set(numbers)) == 3
    check_layout(lay_out_layers(request), request)


@pytest.mark.parametrize(("uses", "engine"), [([1, 4, 7], "dot"), ([1, *range(2, 11)], "layers")])
def test_a_graph_with_many_lines_side_by_side_is_laid_out_with_trunks(uses: list[int], engine: str) -> None:
    request = recurrent(uses)
    layouter = Layouter()

    try:
        layout = layouter.lay_out(request)
    finally:
        layouter.close()

    assert suits_layers(request) is (engine == "layers")
    assert layout.engine == engine or not has_dot()
