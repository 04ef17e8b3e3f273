"""What both engines promise, on graphs of every kind."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from gradviz.errors import LayoutError
from gradviz.layout.dot.dot import lay_out_dot
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.plan import Layout, Request
from gradviz.layout.shape import turned
from tests.benchmarks.graphs import KINDS, request_of_kind
from tests.layout.plans import check_layout, request_from_pairs, requests, sampled

Engine = Callable[[Request], Layout]
ENGINES = [pytest.param(lay_out_layers, id="layers"), pytest.param(lay_out_dot, id="dot")]
any_graph = settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])


@pytest.mark.parametrize("engine", ENGINES)
@any_graph
@given(request=requests())
def test_boxes_never_overlap_and_curves_join_borders_without_touching_boxes(engine: Engine, request: Request) -> None:
    check_layout(engine(request), request)


@pytest.mark.parametrize("engine", ENGINES)
def test_parallel_edges_pass_beside_a_narrow_box(engine: Engine) -> None:
    request = request_from_pairs(4, [(0, 1), (0, 2), (0, 2), (0, 2), (1, 2), (2, 3)], [(20.0, 10.0)] * 4, "down")

    check_layout(engine(request), request)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_graph_of_a_hundred_nodes_keeps_every_promise(engine: Engine, kind: str) -> None:
    request = request_of_kind(kind, 100, seed=4)

    check_layout(engine(request), request)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_edge_runs_downwards_to_its_consumer(engine: Engine) -> None:
    layout = engine(request_of_kind("local", 80, seed=2))

    assert all((np.diff(curve[::3, 1]) > 0).all() for curve in layout.curves)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["scattered", "skipping_chain"])
def test_no_piece_of_a_curve_swings_beyond_its_two_ends(engine: Engine, kind: str) -> None:
    layout = engine(request_of_kind(kind, 80, seed=2))

    for curve in layout.curves:
        for start in range(0, len(curve) - 1, 3):
            piece = sampled(curve[start : start + 4])[:, 0]
            low, high = sorted((piece[0], piece[-1]))
            assert low - 1e-6 <= piece.min()
            assert piece.max() <= high + 1e-6


@pytest.mark.parametrize("engine", ENGINES)
def test_the_same_request_gives_the_same_layout(engine: Engine) -> None:
    first, second = (engine(request_of_kind("scattered", 60, seed=1)) for _ in range(2))

    assert np.array_equal(first.centres, second.centres)
    assert all(np.array_equal(a, b) for a, b in zip(first.curves, second.curves, strict=True))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_two_edges_of_x_times_x_run_side_by_side_in_the_order_of_their_slots(engine: Engine) -> None:
    layout = engine(request_from_pairs(2, [(0, 1), (0, 1)]))

    left, right = layout.curves
    assert (right[:, 0] - left[:, 0] > 10).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_arrowheads_at_one_box_do_not_coincide(engine: Engine) -> None:
    layout = engine(request_from_pairs(9, [(source, 8) for source in range(8)], [(90, 40)] * 8 + [(200, 40)]))

    ends = np.sort([curve[-1, 0] for curve in layout.curves])
    assert (np.diff(ends) > 10).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_leaf_stands_right_above_its_first_consumer(engine: Engine) -> None:
    layout = engine(request_from_pairs(6, [(0, 1), (1, 2), (2, 3), (3, 5), (4, 5)]))

    assert layout.centres[4, 1] == layout.centres[3, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_chain_is_a_straight_line(engine: Engine) -> None:
    layout = engine(request_from_pairs(5, [(0, 1), (1, 2), (2, 3), (3, 4)], [(60 + 40 * i, 40) for i in range(5)]))

    assert np.ptp(layout.centres[:, 0]) < 1.0
    assert all(np.ptp(curve[:, 0]) < 1.0 for curve in layout.curves)


@pytest.mark.parametrize("engine", ENGINES)
def test_to_the_right_is_downwards_with_x_and_y_exchanged(engine: Engine) -> None:
    request = request_of_kind("local", 40, seed=3)
    sideways = Request(request.nodes, request.sizes, request.edges, "right")

    layout = engine(sideways)

    downwards = engine(turned(sideways))
    assert np.array_equal(layout.centres, downwards.centres[:, ::-1])
    assert layout.bounds[2:] == downwards.bounds[3:1:-1]
    assert (layout.sizes == request.sizes).all()


@pytest.mark.parametrize("engine", ENGINES)
def test_nothing_to_lay_out_is_an_empty_layout(engine: Engine) -> None:
    layout = engine(request_from_pairs(0, []))

    assert (len(layout.centres), layout.curves, layout.bounds) == (0, (), (0.0, 0.0, 0.0, 0.0))


@pytest.mark.parametrize("engine", ENGINES)
def test_one_node_fills_the_bounds(engine: Engine) -> None:
    layout = engine(request_from_pairs(1, [], [(120, 50)]))

    assert layout.bounds == (0.0, 0.0, 120.0, 50.0)


@pytest.mark.parametrize("engine", ENGINES)
def test_an_edge_to_a_node_that_is_not_there_is_a_layout_error(engine: Engine) -> None:
    request = request_from_pairs(2, [(0, 1)])
    broken = Request(request.nodes, request.sizes, np.array([(10, 11, 0)]))

    with pytest.raises(LayoutError, match="node 11"):
        engine(broken)


def test_dot_prints_nothing() -> None:
    script = (
        "from tests.layout.plans import request_from_pairs\n"
        "from gradviz.layout.dot.dot import lay_out_dot\n"
        "lay_out_dot(request_from_pairs(3, [(0, 1), (0, 1), (1, 2)]))\n"
    )

    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)

    assert (ended.stdout, ended.stderr) == (b"", b"")


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(4))
def test_boxes_that_read_and_feed_the_same_stand_in_the_order_of_their_numbers(engine: Engine, seed: int) -> None:
    names = np.random.default_rng(seed).permutation(9).tolist()  # so that no order comes from that of the request
    above, below = sorted(names[:5]), names[5:8]
    pairs = [*((one, other) for one in above for other in below), *((one, names[8]) for one in below)]
    request = request_from_pairs(9, pairs, [(60.0 + 10 * box, 40.0) for box in range(9)])

    layout = engine(request)

    check_layout(layout, request)
    assert (np.diff(layout.centres[above, 0]) > 0).all()
    assert (np.diff(layout.centres[sorted(below), 0]) > 0).all()
