"""Frames around boxes that belong together: nothing foreign in them, and what is in one stands together."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.layout.frames.frames import PAD, TITLE
from gradviz.layout.graph import indices_of, request_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.layered.place import NODE_GAP
from gradviz.layout.layouter import Layouter
from gradviz.layout.plan import NO_FRAME, Layout, Request
from tests.layout.plans import boxes_hit, intruders, overlaps, request_from_pairs
from tests.playback.scoped import blocks, folded, names, track


def framed(request: Request, boxes: list[int], parents: list[int]) -> Request:
    return replace(request, framed=np.array(boxes, dtype=np.int64), frame_parents=np.array(parents, dtype=np.int64))


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


@settings(max_examples=12)
@given(framed_requests())
def test_no_foreign_box_is_in_a_frame_and_the_rest_holds_as_ever(request: Request) -> None:
    layout = lay_out_layers(request)

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


def test_frames_of_one_depth_do_not_overlap() -> None:
    # Two chains side by side, and an edge from each to the end.
    pairs = [(0, 1), (1, 2), (3, 4), (4, 5), (2, 6), (5, 6)]
    request = framed(request_from_pairs(7, pairs), [0, 0, 0, 1, 1, 1, NO_FRAME], [NO_FRAME, NO_FRAME])

    one, other = lay_out_layers(request).frames.tolist()

    assert one[2] < other[0] or other[2] < one[0]


def test_members_without_edges_between_them_are_kept_together() -> None:
    request = framed(request_from_pairs(4, [(0, 1), (2, 3)]), [0, 0, NO_FRAME, 0], [NO_FRAME])

    assert intruders(lay_out_layers(request), request) == []


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


def test_a_frame_that_feeds_another_stands_above_it() -> None:
    above, below = lay_out_layers(stairs()).frames.tolist()

    assert above[3] < below[1]


def test_frames_one_after_the_other_leave_room_for_title_and_edge() -> None:
    above, below = lay_out_layers(stairs()).frames.tolist()

    assert below[1] - above[3] >= 20.0


def test_what_is_in_one_frame_stays_near_to_it_even_where_all_that_it_reads_is_far_above() -> None:
    # In the fifth frame the product of two leaves that all frames use: alone, its two long edges would pull it up.
    pairs, boxes = [], [NO_FRAME, NO_FRAME, NO_FRAME]
    before = 2
    for frame in range(5):
        product, total = 3 + 2 * frame, 4 + 2 * frame
        pairs += [(0, product), (1, product), (product, total), (before, total)]
        boxes += [frame, frame]
        before = total
    request = framed(request_from_pairs(13, pairs), boxes, [NO_FRAME] * 5)

    heights = np.diff(lay_out_layers(request).frames[:, [1, 3]], axis=1).ravel()

    assert np.ptp(heights) < 1.0


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

    layout = lay_out_layers(request)

    gaps = layout.frames[8:12, 0] - layout.frames[7:11, 2]
    assert gaps == pytest.approx([NODE_GAP] * 4)


def test_layers_stand_amid_one_another() -> None:
    layout = lay_out_layers(perceptron(3, 5))

    middles = (layout.frames[[0, 6, 12], 0] + layout.frames[[0, 6, 12], 2]) / 2
    width = layout.frames[6, 2] - layout.frames[6, 0]
    assert np.ptp(middles) < 0.1 * width


def test_the_sums_of_a_neuron_run_straight_down_beside_its_products_and_weights() -> None:
    request = perceptron(2, 6)

    layout = lay_out_layers(request)

    for neuron in range(8, 14):
        boxes = np.flatnonzero(request.framed == neuron)
        sums, others = boxes[[6, *range(12, 17)]], boxes[[0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11]]
        assert np.ptp(layout.centres[sums, 0]) < 1.0
        assert len(np.unique(np.sign(layout.centres[others[1:], 0] - layout.centres[sums[0], 0]))) == 1


def test_a_spine_from_beside_its_frame_is_straight_within_it() -> None:
    pairs = [(0, 2), (1, 2), (2, 3), (3, 4), (4, 5), (6, 1)]

    layout = lay_out_layers(framed(request_from_pairs(7, pairs), [NO_FRAME, *[0] * 4, NO_FRAME, 0], [NO_FRAME]))

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

    layout = lay_out_layers(request)

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
    layout = lay_out_layers(linear_layers(count))

    # The first layer's weight is on the way through the model.
    biases, turned = (layout.centres[first::5, 0] for first in (6, 8))
    assert len(np.unique(np.sign(biases - turned))) == 1


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

    layout = lay_out_layers(request)

    sides = set()
    for neuron in range(8, 14):
        boxes = np.flatnonzero(request.framed == neuron)
        sides.add(np.sign(layout.centres[boxes[8], 0] - layout.centres[boxes[13], 0]))
    assert len(sides) == 1


def test_what_is_in_a_frame_leans_to_no_side() -> None:
    request = framed(
        request_from_pairs(6, [(0, 2), (2, 5), (3, 5), (4, 5), (1, 2)]), [NO_FRAME] * 2 + [0] * 4, [NO_FRAME]
    )

    layout = lay_out_layers(request)

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

    layout = lay_out_layers(request)

    assert layout.centres[0, 1] < layout.frames[0, 1]
