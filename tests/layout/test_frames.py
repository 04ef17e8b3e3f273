"""Frames around boxes that belong together: nothing foreign in them, by whichever engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.layout.dot.dot import has_dot, lay_out_dot
from gradviz.layout.dot.wire import request_in, request_message
from gradviz.layout.frames.bands import Bands
from gradviz.layout.frames.entering import entering_of
from gradviz.layout.frames.frames import PAD, TITLE, blocks_in_order, is_in_turn, sides_of, weights_of, with_frames
from gradviz.layout.frames.inlets import GAP
from gradviz.layout.frames.rails import NONE, _levels_of
from gradviz.layout.graph import indices_of, request_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.layered.place import NODE_GAP
from gradviz.layout.layered.proper import proper_of
from gradviz.layout.layouter import Layouter, suits_layers
from gradviz.layout.plan import NO_FRAME, Layout, Request
from tests.layout.plans import boxes_hit, intruders, overlaps, request_from_pairs
from tests.playback.scoped import blocks, folded, names, track

Engine = Callable[[Request], Layout]
needs_dot = pytest.mark.skipif(not has_dot(), reason="needs pygraphviz")
ENGINES = [pytest.param(lay_out_dot, marks=needs_dot, id="dot"), pytest.param(lay_out_layers, id="layers")]


def framed(request: Request, boxes: list[int], parents: list[int]) -> Request:
    return replace(request, framed=np.array(boxes, dtype=np.int64), frame_parents=np.array(parents, dtype=np.int64))


def laid_out(engine: Engine, request: Request) -> Layout:
    return with_frames(engine(request), request)


@st.composite
def framed_requests(draw: st.DrawFn) -> Request:
    """A chain of stretches of the evaluation order, some in frames inside one another, with edges of all lengths."""
    count = draw(st.integers(4, 16))
    cuts = sorted(draw(st.sets(st.integers(1, count - 1), min_size=1, max_size=4)))
    boxes, parents = [], []
    for first, last in zip([0, *cuts], [*cuts, count], strict=True):
        depth = draw(st.integers(0, 2))
        outer = NO_FRAME
        for _ in range(depth):
            parents.append(outer)
            outer = len(parents) - 1
        boxes += [outer] * (last - first)
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).filter(lambda pair: pair[0] != pair[1])
    pairs = [(min(pair), max(pair)) for pair in draw(st.lists(ends, min_size=count // 2, max_size=2 * count))]
    request = request_from_pairs(count, pairs, direction=draw(st.sampled_from(["down", "right"])))
    return framed(request, boxes, parents) if parents else request


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=12)
@given(framed_requests())
def test_no_foreign_box_is_in_a_frame_and_the_rest_holds_as_ever(engine: Engine, request: Request) -> None:
    layout = laid_out(engine, request)

    assert intruders(layout, request) == []
    assert overlaps(layout) == []
    assert boxes_hit(layout) == []
    check_frames(layout, request)


def check_frames(layout: Layout, request: Request) -> None:
    """Every frame keeps its distance from what is in it, and is inside the bounds."""
    low, high = layout.centres - layout.sizes / 2, layout.centres + layout.sizes / 2
    for box, frame in enumerate(request.framed.tolist()):
        here = frame
        while here != NO_FRAME:
            left, top, right, bottom = layout.frames[here]
            assert (low[box] >= (left + PAD - 1e-6, top + TITLE - 1e-6)).all()
            assert (high[box] <= (right - PAD + 1e-6, bottom - PAD + 1e-6)).all()
            here = int(request.frame_parents[here])
    assert (layout.frames[:, :2] >= -1e-6).all()
    assert (layout.frames[:, 2:] <= np.array(layout.bounds[2:]) + 1e-6).all()


@needs_dot
def test_long_edges_into_a_frame_keep_clear_of_the_boxes_that_they_pass() -> None:
    # Three edges from outside pass a box of the frame: dot's own splines graze it.
    request = framed(request_from_pairs(4, [(0, 1), (0, 2), (0, 2), (0, 2), (1, 2)]), [NO_FRAME, 0, 0, 0], [NO_FRAME])

    assert boxes_hit(laid_out(lay_out_dot, request)) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_frames_of_one_depth_do_not_overlap(engine: Engine) -> None:
    # Two chains side by side, and an edge from each to the end.
    pairs = [(0, 1), (1, 2), (3, 4), (4, 5), (2, 6), (5, 6)]
    request = framed(request_from_pairs(7, pairs), [0, 0, 0, 1, 1, 1, NO_FRAME], [NO_FRAME, NO_FRAME])

    one, other = laid_out(engine, request).frames.tolist()

    assert one[2] < other[0] or other[2] < one[0]


@pytest.mark.parametrize("engine", ENGINES)
def test_members_without_edges_between_them_are_kept_together(engine: Engine) -> None:
    request = framed(request_from_pairs(4, [(0, 1), (2, 3)]), [0, 0, NO_FRAME, 0], [NO_FRAME])

    assert intruders(laid_out(engine, request), request) == []


@needs_dot
def test_a_request_with_frames_reaches_the_dot_process_whole() -> None:
    request = framed(request_from_pairs(3, [(0, 1), (1, 2)]), [0, 1, NO_FRAME], [NO_FRAME, 0])

    read, _ = request_in(request_message(request, 1.0))

    assert read.framed.tolist() == [0, 1, NO_FRAME]
    assert read.frame_parents.tolist() == [NO_FRAME, 0]


def test_open_groups_of_a_track_become_frames() -> None:
    board = folded(track(blocks(2)), "layers.0")
    sizes = np.full((len(board.forward), 2), (100.0, 40.0))
    layouter = Layouter()

    try:
        layout = layouter.lay_out(request_of(board, sizes))
    finally:
        layouter.close()

    net, inner = layout.frames.tolist()
    assert net[0] < inner[0] < inner[2] < net[2]
    inside = layout.centres[names(board).index("a1")]
    assert inner[0] < inside[0] < inner[2]
    assert inner[1] < inside[1] < inner[3]


def stairs() -> Request:
    """Two frames, each a parameter and two ops; the second is fed by the first."""
    pairs = [(0, 1), (1, 2), (3, 5), (2, 4), (4, 5)]
    return framed(request_from_pairs(6, pairs), [NO_FRAME, 0, 0, 1, 1, 1], [NO_FRAME, NO_FRAME])


@pytest.mark.parametrize("engine", ENGINES)
def test_a_frame_that_feeds_another_stands_above_it(engine: Engine) -> None:
    above, below = laid_out(engine, stairs()).frames.tolist()

    assert above[3] < below[1]


def test_what_must_stand_above_what_is_the_lower_end_of_one_frame_and_the_upper_end_of_the_next() -> None:
    request = stairs()

    assert blocks_in_order(request, indices_of(request)) == [([2], [3, 4])]


@pytest.mark.parametrize("engine", ENGINES)
def test_frames_one_after_the_other_leave_room_for_title_and_edge(engine: Engine) -> None:
    above, below = laid_out(engine, stairs()).frames.tolist()

    assert below[1] - above[3] >= 20.0


def test_a_row_without_a_member_keeps_foreign_boxes_out_of_a_frame_too() -> None:
    # One box per row; the first and the last are in the frame, the one between is not.
    request = framed(request_from_pairs(3, []), [0, NO_FRAME, 0], [NO_FRAME])
    rows, ends = np.arange(3), np.zeros((0, 2), dtype=np.int64)
    proper = proper_of(rows, np.zeros(3, dtype=np.int64), ends, entering_of(request, ends))
    bands = Bands.of(proper, request)
    value, widths = bands.values(np.zeros(3, dtype=np.int64)), np.full(3, 90.0)

    x = bands.separated(value, np.zeros(3), widths, sides_of("down"))

    assert abs(x[0] - x[2]) < 1e-6
    assert abs(x[1] - x[0]) >= 90.0 + PAD


@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_in_one_frame_stays_near_to_it_even_where_all_that_it_reads_is_far_above(engine: Engine) -> None:
    # In the fifth frame the product of two leaves that all frames use: alone, its two long edges would pull it up.
    pairs, boxes = [], [NO_FRAME, NO_FRAME, NO_FRAME]
    before = 2
    for frame in range(5):
        product, total = 3 + 2 * frame, 4 + 2 * frame
        pairs += [(0, product), (1, product), (product, total), (before, total)]
        boxes += [frame, frame]
        before = total
    request = framed(request_from_pairs(13, pairs), boxes, [NO_FRAME] * 5)

    heights = np.diff(laid_out(engine, request).frames[:, [1, 3]], axis=1).ravel()

    assert np.ptp(heights) < 1.0


def test_the_length_of_an_edge_counts_more_for_every_frame_that_holds_both_its_ends() -> None:
    request = framed(request_from_pairs(4, [(0, 1), (1, 2), (2, 3)]), [NO_FRAME, 0, 1, 1], [NO_FRAME, 0])

    assert weights_of(request, indices_of(request)).tolist() == [1, 4, 7]


def rounds(count: int) -> Request:
    """Frames side by side that all read box 0 and feed the last box, as the rounds of a loop do."""
    pairs = []
    for first in range(1, 3 * count, 3):
        pairs += [(0, first), (first, first + 1), (0, first + 1), (first + 1, first + 2), (first + 2, 3 * count + 1)]
    inside = [number for number in range(count) for _ in range(3)]
    return framed(request_from_pairs(3 * count + 2, pairs), [NO_FRAME, *inside, NO_FRAME], [NO_FRAME] * count)


@pytest.mark.parametrize("count", [4, 9, 30])
def test_frames_side_by_side_stand_in_the_order_of_their_numbers(count: int) -> None:
    layouter = Layouter()

    try:
        layout = layouter.lay_out(rounds(count))
    finally:
        layouter.close()

    assert np.diff(layout.frames[:, 0]).min() > 0


@pytest.mark.parametrize("count", [3, 4, 6])
def test_boxes_that_read_the_same_stand_in_the_order_of_their_numbers_whatever_frame_they_feed(count: int) -> None:
    neurons, first = range(count, 2 * count), 2 * count
    pairs = [(source, neuron) for source in range(count) for neuron in neurons]
    products, sums = range(first, first + count), [first, *range(first + count, first + 2 * count - 1)]
    pairs += [*zip(neurons, products, strict=True), *pairwise(sums), *zip(products[1:], sums[1:], strict=True)]
    inside = [*[0] * count, *[1] * count, *[2] * (2 * count - 1)]

    layout = lay_out_layers(framed(request_from_pairs(len(inside), pairs), inside, [NO_FRAME] * 3))

    assert np.diff(layout.centres[list(neurons), 0]).min() > 0


def test_frames_out_of_turn_are_told_from_those_in_turn() -> None:
    request = rounds(3)
    layout = laid_out(lay_out_layers, request)

    assert is_in_turn(layout, request)
    assert not is_in_turn(replace(layout, frames=layout.frames[::-1]), request)


def perceptron(layers: int, width: int) -> Request:
    """Neurons in frames, side by side in the frames of their layers: each adds up what it reads times its weights."""
    pairs: list[tuple[int, int]] = []
    inside, parents, read = [NO_FRAME], [], [0]
    for _ in range(layers):
        layer = len(parents)
        parents.append(NO_FRAME)
        made = []
        for _ in range(width):
            first, count = len(inside), len(read)
            products = range(first + count, first + 2 * count)
            pairs += [*zip(range(first, first + count), products, strict=True), *zip(read, products, strict=True)]
            sums = [products[0], *range(first + 2 * count, first + 3 * count - 1)]
            pairs += [*pairwise(sums), *zip(products[1:], sums[1:], strict=True)]
            inside += [len(parents)] * (3 * count - 1)
            parents.append(layer)
            made.append(sums[-1])
        read = made
    return framed(request_from_pairs(len(inside), pairs), inside, parents)


def test_frames_side_by_side_stand_close_together() -> None:
    request = perceptron(3, 5)

    layout = laid_out(lay_out_layers, request)

    neuron = 3 * 90.0 + 2 * NODE_GAP + 2 * PAD + (5 + 1) * GAP
    assert layout.frames[6, 2] - layout.frames[6, 0] == pytest.approx(5 * neuron + 4 * NODE_GAP + 2 * PAD)


def test_layers_stand_amid_one_another() -> None:
    assert suits_layers(perceptron(2, 4))

    layout = laid_out(lay_out_layers, perceptron(3, 5))

    middles = (layout.frames[[0, 6, 12], 0] + layout.frames[[0, 6, 12], 2]) / 2
    width = layout.frames[6, 2] - layout.frames[6, 0]
    assert np.ptp(middles) < 0.05 * width


def test_the_sums_of_a_neuron_run_straight_down_beside_its_products_and_weights() -> None:
    request = perceptron(2, 6)

    layout = laid_out(lay_out_layers, request)

    for neuron in range(8, 14):
        boxes = np.flatnonzero(request.framed == neuron)
        sums, others = boxes[[6, *range(12, 17)]], boxes[[0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11]]
        assert np.ptp(layout.centres[sums, 0]) < 1.0
        assert len(np.unique(np.sign(layout.centres[others[1:], 0] - layout.centres[sums[0], 0]))) == 1


def test_a_spine_from_beside_its_frame_is_straight_within_it() -> None:
    pairs = [(0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (6, 1)]

    layout = laid_out(
        lay_out_layers, framed(request_from_pairs(7, pairs), [NO_FRAME, *[0] * 4, NO_FRAME, 0], [NO_FRAME])
    )

    assert np.ptp(layout.centres[2:6, 0]) < 1.0


def linear_layers(count: int) -> Request:
    """A model of linear layers, each in a frame: bias, weight, its transpose, the product; below it, the ReLU."""
    pairs: list[tuple[int, int]] = []
    inside = [NO_FRAME]
    for layer in range(count):
        bias, weight, turned, product, relu = range(5 * layer + 1, 5 * layer + 6)
        pairs += [(bias, product), (5 * layer, product), (weight, turned), (turned, product), (product, relu)]
        inside += [layer] * 4 + [NO_FRAME]
    return framed(request_from_pairs(len(inside), pairs), inside, [NO_FRAME] * count)


def test_a_model_runs_straight_through_its_frames_with_the_parameters_all_on_one_side() -> None:
    request = linear_layers(6)

    layout = laid_out(lay_out_layers, request)

    way = [box for layer in range(6) for box in (5 * layer + 4, 5 * layer + 5)]
    ends = indices_of(request).tolist()
    entries = [curve for curve, (source, _) in zip(layout.curves, ends, strict=True) if source in way[1:-1:2]]
    aside = np.delete(layout.centres[:, 0], way)[4:] - layout.centres[way[0], 0]
    assert np.ptp(layout.centres[way, 0]) < 1.0
    assert len(entries) == 5
    assert all(np.ptp(curve[:, 0]) < 45.0 for curve in entries)
    assert len(np.unique(np.sign(aside))) == 1


@pytest.mark.parametrize("count", range(2, 9))
def test_the_parameters_of_alike_layers_stand_in_one_order(count: int) -> None:
    layout = laid_out(lay_out_layers, linear_layers(count))

    # The first layer's weight is on the way through the model.
    biases, turned = (layout.centres[first::5, 0] for first in (6, 8))
    assert len(np.unique(np.sign(biases - turned))) == 1


@needs_dot
@pytest.mark.parametrize("count", [2, 4, 6])
def test_small_models_are_laid_out_straight_in_the_app_too(count: int) -> None:
    layouter, request = Layouter(), linear_layers(count)

    try:
        layout = layouter.lay_out(request)
    finally:
        layouter.close()

    way = [box for layer in range(count) for box in (5 * layer + 4, 5 * layer + 5)]
    assert np.ptp(layout.centres[way, 0]) < 1.0


def test_alike_neurons_have_their_products_on_the_same_side() -> None:
    request = perceptron(2, 6)

    layout = laid_out(lay_out_layers, request)

    sides = set()
    for neuron in range(8, 14):
        boxes = np.flatnonzero(request.framed == neuron)
        sides.add(np.sign(layout.centres[boxes[8], 0] - layout.centres[boxes[13], 0]))
    assert len(sides) == 1


def test_what_is_in_a_frame_leans_to_no_side() -> None:
    request = framed(
        request_from_pairs(6, [(0, 2), (2, 5), (3, 5), (4, 5), (1, 2)]), [NO_FRAME] * 2 + [0] * 4, [NO_FRAME]
    )

    layout = laid_out(lay_out_layers, request)

    above, below = layout.centres[2:5, 0], layout.centres[5, 0]
    assert below == pytest.approx(above.mean(), abs=1.0)


@pytest.mark.parametrize("are_in_turn", [False, True])
def test_what_parts_side_by_side_share_stands_above_their_frame_and_else_anywhere(are_in_turn: bool) -> None:
    parts = [(0, 1 + 3 * part + later) for part in range(3) for later in (1, 2)]
    pairs = [*parts, *((1 + 3 * part, 2 + 3 * part) for part in range(3)), *((2 + 3 * p, 3 + 3 * p) for p in range(3))]
    if are_in_turn:
        pairs += [(3, 4), (6, 7)]
    request = framed(
        request_from_pairs(10, pairs), [NO_FRAME, *(part for part in (1, 2, 3) for _ in range(3))], [NO_FRAME, 0, 0, 0]
    )

    blocks = blocks_in_order(request, indices_of(request))

    assert (([0], [1, 4, 7]) in blocks) is not are_in_turn
    layout = laid_out(lay_out_layers, request)
    assert are_in_turn or layout.centres[0, 1] < layout.frames[0, 1]


def test_what_must_stand_right_of_something_comes_in_a_later_level_and_a_circle_in_none():
    rng = np.random.default_rng(5)
    ends = np.sort(rng.choice(60, (150, 2)), axis=1)
    ends = ends[ends[:, 0] < ends[:, 1]]
    distances = rng.uniform(1, 9, len(ends))

    levels = _levels_of(ends, distances, 60)
    of = {vertex: number for number, level in enumerate(levels) for vertex in level.which.tolist()}

    assert sorted(of) == list(range(60))
    assert all(of[left] < of[right] for left, right in ends.tolist())
    for level in levels:
        for place, vertex in enumerate(level.which.tolist()):
            row = slice(level.left.starts[place], np.append(level.left.starts, len(level.left.others))[place + 1])
            links = zip(level.left.others[row].tolist(), level.left.distances[row].tolist(), strict=True)
            is_into = ends[:, 1] == vertex
            before = [*zip(ends[is_into, 0].tolist(), distances[is_into].tolist(), strict=True), (NONE, 0.0)]
            assert list(links) == before

    circle = np.array([[0, 1], [1, 2], [2, 1], [2, 3]])
    assert [level.which.tolist() for level in _levels_of(circle, np.ones(4), 4)] == [[0]]
