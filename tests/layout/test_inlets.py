"""Long edges enter the frames of their consumers from above, and run along the borders until they turn off."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.layout.graph import indices_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.layered.place import LINE_GAP
from gradviz.layout.plan import NO_FRAME, Layout, Request
from gradviz.layout.shape import turned
from tests.layout.plans import check_layout, intruders, request_from_pairs, sampled
from tests.layout.test_buses import level_parts
from tests.layout.test_frames import framed, perceptron
from tests.layout.test_passing import frames_crossed

WIDTH = 12


def laid_out(request: Request) -> Layout:
    return lay_out_layers(request)


def entering(request: Request, layer: int) -> list[int]:
    """The edges from the outputs of a layer of the perceptron to the next one."""
    sources, consumers = request.framed[indices_of(request)].T
    parents = np.append(request.frame_parents, NO_FRAME)
    layers = np.unique(parents[parents != NO_FRAME])
    return np.flatnonzero((parents[sources] == layers[layer]) & (parents[consumers] == layers[layer + 1])).tolist()


def test_no_edge_of_a_perceptron_runs_through_a_neuron_that_it_does_not_feed() -> None:
    request = perceptron(3, WIDTH)

    layout = laid_out(request)

    check_layout(lay_out_layers(request), request)
    assert intruders(layout, request) == []
    assert frames_crossed(layout, request) == []


def test_frames_hold_the_edges_that_run_in_them() -> None:
    request = perceptron(2, WIDTH)
    ends = indices_of(request)

    layout = laid_out(request)

    for edge in entering(request, 0):
        left, top, right, _ = layout.frames[request.framed[ends[edge, 1]]]
        inside = sampled(layout.curves[edge])
        inside = inside[inside[:, 1] > top]
        assert (inside[:, 0] > left).all()
        assert (inside[:, 0] < right).all()


@pytest.mark.parametrize("width", [3, WIDTH])
def test_every_output_of_a_layer_has_one_line_above_the_next_which_all_its_edges_leave(width: int) -> None:
    request = perceptron(2, width)
    edges, ends = entering(request, 0), indices_of(request)

    layout = laid_out(request)

    levels = level_parts(layout)
    lines = {(ends[edge, 0], round(levels[edge], 6)) for edge in edges if edge in levels}
    heights = np.sort([height for _, height in lines])
    assert len(lines) == width
    assert np.diff(heights).min() > 0.9 * LINE_GAP
    for output in range(width):
        leaving = [layout.curves[edge][0, 0] for edge in edges if ends[edge, 0] == sorted(set(ends[edges, 0]))[output]]
        assert np.ptp(leaving) == 0.0


def test_what_enters_a_frame_turns_off_without_crossing_one_another() -> None:
    request = perceptron(2, WIDTH)
    ends = indices_of(request)

    layout = laid_out(request)

    for neuron in np.unique(request.framed[ends[entering(request, 0), 1]]).tolist():
        mine = [edge for edge in entering(request, 0) if request.framed[ends[edge, 1]] == neuron]
        # The first two are read in one row.
        mine = sorted(mine, key=lambda edge: layout.centres[ends[edge, 1], 1])[2:]
        lanes = [max(layout.curves[edge][-4:, 0], key=lambda x: abs(x - layout.curves[edge][-1, 0])) for edge in mine]
        assert np.allclose(np.abs(np.diff(lanes)), LINE_GAP)
        assert len(np.unique(np.sign(np.diff(lanes)))) == 1


def test_a_picture_that_runs_to_the_right_has_the_same_frames() -> None:
    request = perceptron(2, 6)

    layout = lay_out_layers(turned(request))

    assert frames_crossed(layout, turned(request)) == []


def test_what_several_steps_read_one_after_the_other_stays_beside_them() -> None:
    # A parameter, and frames of two boxes, each of which feeds the next.
    steps = 6
    pairs = [*((box, box + 1) for box in range(1, 2 * steps)), *((0, 2 * step) for step in range(1, steps + 1))]
    inside = [NO_FRAME, *(box // 2 for box in range(2 * steps))]
    request = framed(request_from_pairs(2 * steps + 1, pairs), inside, [NO_FRAME] * steps)

    layout = laid_out(request)

    assert frames_crossed(layout, request) == []
