"""The layered engine: layers, order, places, lanes, components, size."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.errors import Cancelled, LayoutError
from gradviz.layout.graph import graph_of, indices_of
from gradviz.layout.layered import lanes, proper
from gradviz.layout.layered.layers import lay_out_layers, layered
from gradviz.layout.layered.order import order_of, smooth, sorted_rows, sweep
from gradviz.layout.layered.order_arrays import ArrayRows, crossings_of, inversions
from gradviz.layout.layered.order_lists import ListRows
from gradviz.layout.layered.place import packed, separated
from gradviz.layout.layered.plane import Plane
from gradviz.layout.layered.proper import proper_of
from gradviz.layout.layered.ranks import ranks_of
from gradviz.layout.plan import Floats, Ints, Request
from tests.benchmarks.graphs import KINDS, request_of_kind
from tests.layout.plans import check_layout, overlaps, request_from_pairs


def ranks(request: Request) -> Ints:
    return ranks_of(len(request.nodes), indices_of(request))


@pytest.mark.parametrize("kind", ["local", "scalar_mlp", "residual", "skipping_chain", "scattered"])
def test_every_consumer_stands_in_a_later_layer_than_its_source(kind: str) -> None:
    request = request_of_kind(kind, 200, seed=9)

    ends, layer = indices_of(request), ranks(request)

    assert (layer[ends[:, 1]] > layer[ends[:, 0]]).all()
    assert layer.min() == 0


def test_a_leaf_is_pulled_down_to_its_first_consumer() -> None:
    assert ranks(request_from_pairs(5, [(0, 1), (1, 2), (2, 3), (4, 3), (4, 2)])).tolist() == [0, 1, 2, 3, 1]


def test_sliding_whole_expressions_keeps_a_scalar_mlp_short() -> None:
    request = request_of_kind("scalar_mlp", 1000, seed=1)
    graph, ends = graph_of(request), indices_of(request)
    late = np.zeros(len(request.nodes), dtype=np.int64)
    for node in reversed(list(nx.topological_sort(graph))):
        late[node] = min((late[consumer] for consumer in graph.successors(node)), default=0) - 1

    layer = ranks(request)

    def total(of: Ints) -> int:
        return int((of[ends[:, 1]] - of[ends[:, 0]]).sum())

    assert total(layer) < 0.6 * total(late)


def test_a_cycle_is_a_layout_error() -> None:
    request = request_from_pairs(3, [(0, 1), (1, 2), (2, 0)])

    with pytest.raises(LayoutError, match="cycle"):
        lay_out_layers(request)


@pytest.mark.parametrize("size", [0, 1, 2, 3, 17, 64, 100])
def test_inversions_agree_with_counting_pairs(size: int) -> None:
    permutation = np.array(random.Random(size).sample(range(size), size), dtype=np.int64)

    counted = sum(int((permutation[:i] > permutation[i]).sum()) for i in range(size))

    assert inversions(permutation) == counted


def test_links_that_share_an_end_do_not_cross() -> None:
    fan = layered(Plane.of(request_from_pairs(4, [(0, 1), (0, 2), (0, 3)])))

    assert crossings_of(fan, np.array([0, 2, 1, 0])) == 0


def test_two_links_in_opposite_order_cross_once() -> None:
    joined = layered(Plane.of(request_from_pairs(5, [(0, 2), (1, 3), (2, 4), (3, 4)])))

    assert crossings_of(joined, np.array([0, 1, 1, 0, 0])) == 1
    assert crossings_of(joined, np.array([0, 1, 0, 1, 0])) == 0


def test_a_graph_that_can_be_drawn_without_crossings_is() -> None:
    ladder = layered(Plane.of(request_of_kind("residual", 300, seed=2)))

    assert crossings_of(ladder, order_of(ladder, lambda _: None)) == 0


@pytest.mark.parametrize(
    ("kind", "most"), [("local", 0.7), ("scattered", 0.85), ("skipping_chain", 0.8), ("scalar_mlp", 0.6)]
)
def test_sweeps_and_exchanges_remove_crossings_of_the_smooth_start(kind: str, most: float) -> None:
    graph = layered(Plane.of(request_of_kind(kind, 400, seed=1)))
    start = crossings_of(graph, sorted_rows(graph, smooth(graph, 400, lambda _: None)))

    assert crossings_of(graph, order_of(graph, lambda _: None)) < most * start


@pytest.mark.parametrize("kind", KINDS)
def test_rows_in_lists_and_in_arrays_agree(kind: str) -> None:
    graph = layered(Plane.of(request_of_kind(kind, 60, seed=3)))
    lists, arrays = ListRows(graph), ArrayRows(graph)
    start = sorted_rows(graph, np.random.default_rng(0).normal(size=graph.vertices))

    assert lists.crossings(start) == arrays.crossings(start)
    for upwards in (False, True):
        found = [rows.sorted_by_means(start, upwards=upwards).tolist() for rows in (lists, arrays)]
        assert found[0] == found[1]
    # Where one finds no exchange that removes a crossing, neither does the other.
    settled, removed = lists.exchanged(start, 100, 1)
    assert removed == lists.crossings(start) - lists.crossings(settled)
    assert arrays.exchanged(settled, 1, 1)[0].tolist() == settled.tolist()
    swapped, by_arrays = arrays.exchanged(start, 5, 1)
    assert by_arrays == arrays.crossings(start) - arrays.crossings(swapped)
    # Passes go on as long as they gain, and end with the first that does not.
    settled, _ = arrays.exchanged(start, 100, 1)
    assert arrays.exchanged(settled, 1, 1)[1] == 0


def test_sweeps_alone_untangle_what_exchanges_of_neighbours_cannot() -> None:
    graph = layered(Plane.of(request_of_kind("skipping_chain", 400, seed=2)))
    start = sorted_rows(graph, smooth(graph, 400, lambda _: None))

    swept = sweep(ArrayRows(graph), start, 6, lambda _: None)

    assert crossings_of(graph, swept) < crossings_of(graph, start)


@given(st.data())
def test_separated_x_are_the_nearest_that_keep_order_and_distances(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    plane = Plane.of(request_from_pairs(sum(sizes), []))
    graph = proper_of(plane, np.repeat(np.arange(len(sizes)), sizes), np.zeros(sum(sizes), dtype=np.int64))
    numbers = st.lists(st.integers(-500, 500), min_size=sum(sizes), max_size=sum(sizes))
    wanted = np.array(data.draw(numbers), dtype=np.float64)
    strength = 1.0 + np.abs(np.array(data.draw(numbers))) / 50
    row = packed(graph, np.concatenate([np.arange(size) for size in sizes]), np.full(sum(sizes), 40.0))

    x = separated(graph, row, wanted, strength)

    expected = np.empty_like(x)
    for size, start in zip(sizes, np.cumsum([0, *sizes]).tolist(), strict=False):
        part = slice(start, start + size)
        expected[part] = pooled(wanted[part] - row.offset[part], strength[part]) + row.offset[part]
    assert x == pytest.approx(expected, abs=1e-6)


def pooled(wanted: Floats, strength: Floats) -> Floats:
    """Isotonic regression, one value at a time: the textbook form of pooling adjacent violators."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(wanted.tolist(), strength.tolist(), strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            (a, wa, na), (b, wb, nb) = pools[-2], pools[-1]
            pools[-2:] = [((a * wa + b * wb) / (wa + wb), wa + wb, na + nb)]
    return np.repeat([pool[0] for pool in pools], [pool[2] for pool in pools])


def test_an_edge_past_a_chain_is_straight_from_end_to_end() -> None:
    skip = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (0, 7)]

    layout = lay_out_layers(request_from_pairs(8, skip))

    past = layout.curves[layout.edges[:, [0, 1]].tolist().index([10, 31])]
    assert np.ptp(past[3:-3, 0]) < 4.0  # of 700 that it is long; at its ends it goes under the boxes
    assert np.ptp(layout.centres[:, 0]) < 1e-6


def test_the_order_of_a_row_counts_up_from_the_left() -> None:
    graph = layered(Plane.of(request_of_kind("local", 150, seed=5)))

    position = order_of(graph, lambda _: None)

    for row, size in enumerate(graph.row_size.tolist()):
        assert sorted(position[graph.row == row].tolist()) == list(range(size))


def test_a_long_edge_has_a_dummy_in_every_row_it_crosses() -> None:
    graph = layered(Plane.of(request_from_pairs(5, [(0, 1), (1, 2), (2, 3), (3, 4), (0, 4)])))

    assert graph.vertices == 5 + 3
    assert sorted(graph.row[5:].tolist()) == [1, 2, 3]
    assert (graph.row[graph.lower] - graph.row[graph.upper] == 1).all()


@pytest.fixture
def _few_dummies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proper, "BENDS_ALWAYS", 40)
    monkeypatch.setattr(proper, "BENDS_PER_NODE", 0)


def two_hubs(count: int) -> Request:
    chain = [(node, node + 1) for node in range(2, count - 1)]
    return request_from_pairs(
        count, chain + [(0, node) for node in range(3, count, 3)] + [(1, node) for node in range(4, count, 4)]
    )


@pytest.mark.usefixtures("_few_dummies")
def test_the_longest_edges_run_in_lanes_beside_the_boxes() -> None:
    request = two_hubs(60)

    graph = layered(Plane.of(request))
    layout = lay_out_layers(request)

    assert graph.laned.sum() > 10
    assert graph.vertices < 60 + 300
    check_layout(layout, request)


@pytest.mark.usefixtures("_few_dummies")
def test_lane_edges_of_one_source_share_a_lane_and_other_sources_keep_apart() -> None:
    graph = layered(Plane.of(two_hubs(60)))
    x = np.zeros(graph.vertices)

    where, _ = lanes.lanes_of(graph, x, lanes.extents_of(graph, x, np.full(graph.vertices, 90.0)))

    by_source = {source: set(where[graph.laned & (graph.ends[:, 0] == source)].tolist()) for source in (0, 1)}
    assert [len(used) for used in by_source.values()] == [1, 1]
    assert by_source[0] != by_source[1]


@pytest.mark.parametrize("dummies", [50, 100, 150])
def test_all_long_edges_of_one_box_are_in_its_lane_or_none(monkeypatch: pytest.MonkeyPatch, dummies: int) -> None:
    monkeypatch.setattr(proper, "BENDS_PER_NODE", 0)
    monkeypatch.setattr(proper, "BENDS_ALWAYS", dummies)

    graph = layered(Plane.of(two_hubs(60)))

    long = (graph.row[graph.ends[:, 1]] - graph.row[graph.ends[:, 0]]) > proper.SPAN_AT_LEAST
    for source in (0, 1):
        assert len(set(graph.laned[(graph.ends[:, 0] == source) & long].tolist())) == 1
    assert not graph.laned[~long].any()
    assert graph.vertices <= 60 + dummies + 2 * proper.SPAN_AT_LEAST


@pytest.mark.usefixtures("_few_dummies")
def test_a_lane_is_used_again_further_down() -> None:
    chain = [(node, node + 1) for node in range(99)]
    far = [(start, start + 20) for start in (0, 25, 50, 75)] + [(0, 2), (0, 3)]
    graph = layered(Plane.of(request_from_pairs(100, chain + far)))
    x = np.zeros(graph.vertices)

    where, _ = lanes.lanes_of(graph, x, lanes.extents_of(graph, x, np.full(graph.vertices, 90.0)))

    assert graph.laned.sum() >= 2
    assert len(set(where[graph.laned].tolist())) == 1


def test_components_stand_apart_and_many_of_them_fill_several_shelves() -> None:
    request = request_from_pairs(120, [(2 * i, 2 * i + 1) for i in range(30)])

    layout = lay_out_layers(request)

    assert overlaps(layout) == []
    width, height = layout.bounds[2:]
    assert 0.5 < width / height < 4


def test_small_components_stand_beside_the_main_one_and_not_in_one_long_row() -> None:
    request = request_from_pairs(90, [(node, node + 1) for node in range(49)])

    layout = lay_out_layers(request)

    assert overlaps(layout) == []
    assert layout.centres[50:, 0].min() > layout.centres[:50, 0].max()
    assert layout.bounds[2] < 12 * 130
    assert layout.bounds[3] == pytest.approx(layout.centres[49, 1] + 20)


def test_nodes_without_edges_are_laid_out_too() -> None:
    request = request_from_pairs(7, [])

    layout = lay_out_layers(request)

    assert layout.engine == "layers"
    check_layout(layout, request)


def test_a_chain_of_twenty_thousand_nodes_is_one_straight_column() -> None:
    request = request_from_pairs(20_000, [(node, node + 1) for node in range(19_999)])

    layout = lay_out_layers(request)

    assert np.ptp(layout.centres[:, 0]) < 1.0
    assert (np.diff(layout.centres[:, 1]) > 40).all()
    assert len(layout.curves) == 19_999


def test_a_hub_over_a_long_chain_needs_few_dummies() -> None:
    count = 3_000
    pairs = [(node, node + 1) for node in range(1, count - 1)] + [(0, node) for node in range(2, count)]

    graph = layered(Plane.of(request_from_pairs(count, pairs)))

    assert graph.vertices < 10 * count


def test_cancelling_ends_the_work_at_the_next_look() -> None:
    looks: list[bool] = []

    def cancelled() -> bool:
        looks.append(len(looks) == 5)
        return looks[-1]

    with pytest.raises(Cancelled):
        lay_out_layers(request_of_kind("local", 300, seed=1), cancelled)

    assert len(looks) == 6


def test_progress_rises_from_0_to_1() -> None:
    told: list[float] = []

    lay_out_layers(request_of_kind("local", 300, seed=1), progress=told.append)

    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)
    assert len(told) > 10
