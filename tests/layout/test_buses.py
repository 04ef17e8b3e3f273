"""Buses of the layered layout: a wide fan of one box is a level line from which its edges branch off."""

from __future__ import annotations

import numpy as np

from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.plan import Floats, Layout
from gradviz.layout.routes.buses import TURN
from tests.layout.plans import check_layout, request_from_pairs


def level_parts(layout: Layout) -> dict[int, float]:
    """By the number of an edge: y where it runs level, if it does."""
    found = {}
    for number, curve in enumerate(layout.curves):
        for at in range(0, len(curve) - 1, 3):
            piece = curve[at : at + 4]
            if np.ptp(piece[:, 1]) < 1e-9:
                found[number] = float(piece[0, 1])
    return found


def fan(layout: Layout, side: int, node: int) -> set[float]:
    """The levels of the edges that leave (side 0) or enter (side 1) a box."""
    levels = level_parts(layout)
    return {round(levels[n], 6) for n, edge in enumerate(layout.edges) if edge[side] == 10 + 3 * node and n in levels}


def test_a_wide_fan_out_of_one_box_is_one_level_line() -> None:
    request = request_from_pairs(41, [(0, node) for node in range(1, 41)])

    layout = lay_out_layers(request)

    check_layout(layout, request)
    (level,) = fan(layout, 0, 0)
    assert layout.centres[0, 1] < level < layout.centres[1, 1]
    assert len(level_parts(layout)) > 20


def test_a_wide_fan_into_one_box_is_one_level_line() -> None:
    # Of boxes that read something; leaves would stand in several rows.
    request = request_from_pairs(81, [*((node, 40 + node) for node in range(40)), *((40 + n, 80) for n in range(40))])

    layout = lay_out_layers(request)

    check_layout(layout, request)
    assert len(fan(layout, 1, 80)) == 1


def test_no_edge_of_a_wide_fan_crosses_its_line() -> None:
    request = request_from_pairs(41, [(0, node) for node in range(1, 41)])

    layout = lay_out_layers(request)

    levels = level_parts(layout)
    aside = [abs(curve[-1, 0] - curve[0, 0]) for curve in layout.curves]
    assert all(far <= 2 * TURN for number, far in enumerate(aside) if number not in levels)


def test_fans_of_two_boxes_keep_to_their_own_lines() -> None:
    request = request_from_pairs(42, [(source, node) for source in (0, 1) for node in range(2, 42)])

    layout = lay_out_layers(request)

    check_layout(layout, request)
    first, second = fan(layout, 0, 0), fan(layout, 0, 1)
    assert len(first) == len(second) == 1
    assert first != second


def test_fans_of_graphs_that_stand_side_by_side_run_below_their_own_boxes() -> None:
    tall = [(node, node + 1) for node in range(6)]
    pairs = [*tall, *((6, node) for node in range(7, 67)), *((67, node) for node in range(68, 108))]

    layout = lay_out_layers(request_from_pairs(108, pairs))

    levels = level_parts(layout)
    assert {int(layout.edges[number][0]) for number in levels} == {10 + 3 * 6, 10 + 3 * 67}
    for number, level in levels.items():
        assert layout.curves[number][0, 1] < level < layout.curves[number][-1, 1]


def test_a_narrow_fan_has_curves_of_its_own() -> None:
    request = request_from_pairs(9, [(0, node) for node in range(1, 9)])

    assert level_parts(lay_out_layers(request)) == {}


def test_more_fans_than_a_gap_has_room_for_are_drawn_as_curves() -> None:
    pairs = [(source, node) for source in range(40) for node in range(40, 80)]

    assert level_parts(lay_out_layers(request_from_pairs(80, pairs))) == {}


def test_a_bus_goes_on_where_its_edge_goes_on() -> None:
    request = request_from_pairs(41, [(0, node) for node in range(1, 41)])

    for curve in lay_out_layers(request).curves:
        joints: Floats = curve[3:-1:3]
        before, after = joints - curve[2:-2:3], curve[4::3] - joints
        turn = before[:, 0] * after[:, 1] - before[:, 1] * after[:, 0]
        assert np.allclose(turn, 0.0, atol=1e-6)
