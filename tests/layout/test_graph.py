"""Requests from tracks, through networkx."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.errors import LayoutError
from gradviz.layout.graph import graph_of, picture_graph, request_of
from gradviz.playback.track import Track
from tests.layout.plans import request_from_pairs
from tests.samples import random_graph, weighted_sum

SIZES = np.array([(200.0 + i, 80.0) for i in range(5)])


def test_a_request_has_the_nodes_sizes_and_edges_of_the_track_in_its_order() -> None:
    track = Track(random_graph(50), 0)
    sizes = np.full((len(track.forward), 2), 60.0)

    request = request_of(track, sizes)

    assert tuple(request.nodes.tolist()) == track.forward
    assert [(consumer, slot) for _, consumer, slot in request.edges.tolist()] == list(track.edges)
    assert (request.nodes[track.edge_sources] == request.edges[:, 0]).all()


def test_both_edges_of_x_times_x_are_asked_for() -> None:
    request = request_of(Track(weighted_sum(), 0), SIZES, "right")

    assert request.edges.tolist() == [[0, 1, 0], [0, 1, 1], [1, 3, 0], [2, 3, 1], [3, 4, 0]]
    assert request.sizes.tolist() == SIZES.tolist()
    assert request.direction == "right"


def test_the_picture_is_a_multigraph_keyed_by_slot() -> None:
    graph = picture_graph(Track(weighted_sum(), 0), SIZES)

    assert sorted(graph[0][1]) == [0, 1]


def test_a_track_without_nodes_is_an_empty_request() -> None:
    track = Track(type(weighted_sum())())

    request = request_of(track, np.zeros((0, 2)))

    assert (request.nodes.shape, request.sizes.shape, request.edges.shape) == ((0,), (0, 2), (0, 3))


def test_sizes_that_do_not_fit_the_nodes_are_refused() -> None:
    with pytest.raises(LayoutError, match="5 nodes have 4 box sizes"):
        request_of(Track(weighted_sum(), 0), SIZES[:4])


def test_an_unknown_direction_is_refused_and_the_known_ones_named() -> None:
    with pytest.raises(LayoutError, match="down, right"):
        request_of(Track(weighted_sum(), 0), SIZES, "up")


def test_a_graph_of_a_request_has_an_edge_per_row() -> None:
    graph = graph_of(request_from_pairs(3, [(0, 1), (0, 1), (1, 2)]))

    assert sorted(graph.edges(keys=True)) == [(0, 1, 0), (0, 1, 1), (1, 2, 2)]


def test_an_edge_without_any_nodes_is_refused() -> None:
    nothing = request_from_pairs(0, [])
    broken = type(nothing)(nothing.nodes, nothing.sizes, np.array([(1, 2, 0)]))

    with pytest.raises(LayoutError, match="there are no nodes"):
        graph_of(broken)
