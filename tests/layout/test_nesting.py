"""Frames taken apart into planes, one for each depth, and the pieces of edges joined again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings

from gradviz.errors import Cancelled, LayoutError
from gradviz.layout.frames.frames import TITLE, is_inside, sides_of
from gradviz.layout.frames.nesting import NO_OUTLINES, Nesting
from gradviz.layout.frames.ways import NEVER, ways_of
from gradviz.layout.graph import indices_of
from gradviz.layout.layered import proper
from gradviz.layout.layered.layers import arrange, lay_out_layers, layered
from gradviz.layout.layered.plane import Plane
from gradviz.layout.layered.ranks import generations_of
from gradviz.layout.plan import NO_FRAME, Ints, Request
from gradviz.layout.shape import x_at
from tests.benchmarks.graphs import FRAMED, looped, neurons, without_frames
from tests.layout.plans import check_layout, intruders, request_from_pairs
from tests.layout.test_frames import framed, framed_requests, perceptron
from tests.layout.test_passing import frames_crossed, recurrent_net


def ways(request: Request) -> tuple[Ints, Ints]:
    """From which depth on each edge is on a way: where it leaves frames, and where it enters them."""
    ends, nesting = indices_of(request), Nesting.of(request)
    return ways_of(ends, generations_of(len(request.nodes), ends), nesting.around)


@settings(max_examples=25)
@given(framed_requests())
def test_every_box_and_frame_is_in_one_plane_and_every_edge_between_boxes_is_at_home_in_one(request: Request) -> None:
    assume(len(request.frame_parents))
    nesting, outlines = Nesting.of(request), NO_OUTLINES
    boxes, frames, at_home = [], [], []
    for depth in reversed(range(nesting.depth + 1)):
        level = nesting.level(depth, outlines)
        outlines = level.outlines(arrange(level.plane, sides_of("down"), lambda _: None), sides_of("down"))
        boxes += level.boxes.tolist()
        frames += level.frames.tolist()
        at_home += level.edges[level.turn == 0].tolist()

    assert sorted(boxes) == list(range(len(request.nodes)))
    assert sorted(frames) == list(range(len(request.frame_parents)))
    assert sorted(at_home) == list(range(len(request.edges)))


@settings(max_examples=25)
@given(framed_requests())
def test_edges_enter_frames_at_the_top_and_leave_them_at_the_bottom(request: Request) -> None:
    layout = lay_out_layers(request)

    down = request.direction == "down"
    for (source, consumer), curve in zip(indices_of(request).tolist(), layout.curves, strict=True):
        line = curve if down else curve[:, ::-1]
        for frame, border in enumerate(layout.frames.tolist()):
            left, top, right, bottom = border if down else np.array(border)[[1, 0, 3, 2]].tolist()
            inside = [is_inside(request, box, frame) for box in (source, consumer)]
            if inside[0] != inside[1]:
                height = bottom if inside[0] else top
                assert left <= x_at(line, np.array([height]))[0] <= right


@pytest.mark.parametrize("kind", FRAMED)
@pytest.mark.parametrize("count", [60, 300])
def test_pictures_of_loops_and_nets_keep_every_promise(kind: str, count: int) -> None:
    request = FRAMED[kind](count)

    layout = lay_out_layers(request)

    check_layout(layout, request)
    assert intruders(layout, request) == []
    assert frames_crossed(layout, request) == []


def test_frames_that_are_alike_look_alike() -> None:
    request = recurrent_net(8)

    layout = lay_out_layers(request)

    # The first step has no step before it, and the last none after it.
    steps = range(2, 14, 2)
    shapes = [layout.centres[np.isin(request.framed, [step, step + 1])] - layout.frames[step, :2] for step in steps]
    assert np.ptp(shapes, axis=0).max() < 0.5


def test_a_tensor_enters_a_frame_once_however_often_it_is_read_there() -> None:
    request = framed(request_from_pairs(4, [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3)]), [NO_FRAME, 0, 0, 0], [NO_FRAME])

    layout = lay_out_layers(request)

    entering = [curve for curve, edge in zip(layout.curves, layout.edges, strict=True) if edge[0] == 10]
    places = [x_at(curve, np.array([layout.frames[0, 1]]))[0] for curve in entering]
    assert len(places) == 3
    assert np.ptp(places) < 1e-6


def test_a_loop_runs_straight_down_through_its_rounds() -> None:
    request = looped(60)
    out, into = ways(request)

    layout = lay_out_layers(request)

    way = indices_of(request)[(out < NEVER) & (into < NEVER)]
    assert len(way) > 50
    assert np.ptp(layout.centres[way.ravel(), 0]) < 1.0


def test_a_net_of_frames_has_a_way_in_every_frame_that_has_one_to_follow() -> None:
    out, into = ways(perceptron(2, 6))
    request = perceptron(2, 6)

    inside = request.framed[indices_of(request)]
    within = np.flatnonzero((into < NEVER) & (inside[:, 0] == inside[:, 1]))
    assert set(inside[within, 0].tolist()) == set(range(8, 14))
    assert into[within].tolist() == [2] * len(within)
    assert (out[into == NEVER] == NEVER).mean() > 0.9


def test_boxes_side_by_side_have_no_way() -> None:
    pairs = [(0, box) for box in range(1, 9)] + [(box, 9) for box in range(1, 9)]

    out, into = ways(framed(request_from_pairs(10, pairs), [0] * 10, [NO_FRAME]))

    assert (out == NEVER).all()
    assert (into == NEVER).all()


@pytest.mark.parametrize("count", [600, 6_000])
def test_a_weight_read_in_every_round_of_a_loop_bends_in_no_row(count: int) -> None:
    rows = layered(Plane.of(without_frames(looped(count))))

    assert len(rows.via) <= max(proper.BENDS_ALWAYS, proper.BENDS_PER_NODE * count)
    assert rows.vertices < 12 * count


def test_the_curves_of_a_loop_grow_with_its_rounds_only() -> None:
    few, many = (sum(map(len, lay_out_layers(looped(count)).curves)) for count in (600, 6_000))

    assert many < 12 * few


def test_work_on_frames_can_be_cancelled_at_every_depth() -> None:
    request, looks = neurons(300), []
    told: list[float] = []
    lay_out_layers(request, lambda: looks.append(1) is not None, told.append)

    for last in range(0, len(looks), 5):
        left = iter(range(last))
        with pytest.raises(Cancelled):
            lay_out_layers(request, lambda left=left: next(left, None) is None)
    assert told == sorted(told)
    assert (told[0], told[-1]) == (0.0, 1.0)


def test_a_frame_that_feeds_itself_by_way_of_a_box_outside_is_a_layout_error() -> None:
    request = framed(request_from_pairs(3, [(0, 1), (1, 2)]), [0, NO_FRAME, 0], [NO_FRAME])

    with pytest.raises(LayoutError, match="cycle"):
        lay_out_layers(request)


def test_the_title_of_a_frame_has_room_above_its_boxes() -> None:
    request = framed(request_from_pairs(3, [(0, 1), (1, 2)]), [NO_FRAME, 0, 0], [NO_FRAME])

    layout = lay_out_layers(request)

    assert layout.centres[1, 1] - 20 - layout.frames[0, 1] >= TITLE - 1e-6
