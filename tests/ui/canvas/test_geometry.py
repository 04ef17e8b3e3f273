"""Geometry of the picture: the view as a map of places, and lines as points."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.ui.canvas.edges.shapes import _tipped
from gradviz.ui.canvas.plane.geometry import (
    Joined,
    Segments,
    arrowhead,
    curve_until,
    dashes,
    dense,
    length,
    part,
    point_at,
    points_at,
    ribbon,
    split,
    stretches,
)
from gradviz.ui.canvas.plane.view import READABLE, View, fitted, fitted_around
from gradviz.ui.canvas.scene.edge_pieces import Pieces

CURVE = np.array([[0.0, 0.0], [0.0, 50.0], [100.0, 50.0], [100.0, 100.0]])

# ---- view ----


def test_zoom_keeps_the_point_under_the_pointer():
    view = View(0.7, 31.0, -12.0)
    before = view.to_scene((400.0, 300.0))

    after = view.zoomed(1.9, (400.0, 300.0)).to_scene((400.0, 300.0))

    assert after == pytest.approx(before)


def test_fitted_view_shows_the_bounds_in_the_middle():
    view = fitted((0.0, 0.0, 200.0, 100.0), (10.0, 10.0, 110.0, 210.0))

    assert view.rect_to_screen((0.0, 0.0, 200.0, 100.0)) == pytest.approx((10.0, 85.0, 110.0, 135.0))


def test_very_long_graph_is_fitted_by_its_narrow_side():
    frame = (0.0, 0.0, 600.0, 400.0)
    bounds = (0.0, 0.0, 200.0, 90_000.0)

    def scene_at(y: float) -> View:
        return fitted_around(bounds, bounds, frame, (100.0, y))

    assert scene_at(45_000.0).to_screen((100.0, 45_000.0)) == pytest.approx((300.0, 200.0))
    assert scene_at(10.0).to_screen((0.0, 0.0))[1] == pytest.approx(0.0)
    assert scene_at(89_990.0).to_screen((0.0, 90_000.0))[1] == pytest.approx(400.0)


def test_wide_or_legible_graph_is_fitted_whole():
    frame, wide, short = (0.0, 0.0, 600.0, 400.0), (0.0, 0.0, 9000.0, 9000.0), (0.0, 0.0, 200.0, 1_500.0)

    assert fitted_around(wide, wide, frame, (0.0, 0.0)) == fitted(wide, frame)
    assert fitted_around(short, short, frame, (0.0, 0.0)) == fitted(short, frame)


def test_a_strip_that_fits_across_is_seen_across_as_a_whole():
    frame, strip = (0.0, 0.0, 600.0, 400.0), (0.0, 0.0, 9000.0, 500.0)

    view = fitted_around(strip, strip, frame, (4500.0, 500.0))

    assert view.rect_to_screen((0.0, 0.0, 0.0, 500.0))[1::2] == pytest.approx((20.0, 380.0))


def test_lines_beside_a_long_graph_do_not_make_its_boxes_small():
    frame, body = (0.0, 0.0, 600.0, 400.0), (0.0, 0.0, 200.0, 90_000.0)

    assert fitted_around((0.0, 0.0, 9000.0, 90_000.0), body, frame, (100.0, 0.0)).scale == READABLE


def test_snapped_view_lies_on_device_pixels():
    view = View(0.7, 31.4, -12.6).snapped(1.5)

    assert (view.x * 1.5, view.y * 1.5) == pytest.approx((47.0, -19.0))


def test_revealing_moves_no_more_than_needed():
    view = View().revealing((90.0, 10.0, 120.0, 20.0), (0.0, 0.0, 100.0, 100.0))

    assert (view.x, view.y) == (-20.0, 0.0)


def test_what_is_revealed_comes_with_what_is_around_it_and_what_is_in_sight_stays():
    frame = (0.0, 0.0, 100.0, 100.0)

    assert View().revealing((90.0, 10.0, 120.0, 20.0), frame, 0.25).moved(45.0, 0.0) == View()
    assert View().revealing((-900.0, 200.0, 20.0, 210.0), frame, 0.25).y == -135.0
    assert View().revealing((1.0, 10.0, 99.0, 20.0), frame, 0.25) == View()


# ---- geometry ----


def test_dense_line_begins_and_ends_with_its_curve_and_lies_on_it():
    line = dense(CURVE)

    assert line[0].tolist() == [0.0, 0.0]
    assert line[-1].tolist() == [100.0, 100.0]
    assert np.abs(line - (50.0, 50.0)).sum(axis=1).min() == pytest.approx(0.0)


def test_straight_curve_is_two_points():
    assert len(dense(np.array([[0.0, 0.0], [0.0, 10.0], [0.0, 20.0], [0.0, 30.0]]))) == 2


def test_segments_of_some_curves_are_theirs():
    curves = [CURVE, np.vstack([CURVE, CURVE[1:] + 100]), CURVE + 5]
    segments = Segments(Joined(curves), 2, 2, 8)

    some = segments.of(np.array([0, 2]))

    assert some[0, :2].tolist() == [0.0, 0.0]
    assert some[-1, 2:].tolist() == [105.0, 105.0]
    assert len(segments.lines) == 2 + 4 + 2
    np.testing.assert_array_equal(np.vstack([some[:2], segments.of(np.array([1])), some[2:]]), segments.lines)


def test_part_of_a_line_has_the_length_asked_for():
    line = dense(CURVE)

    assert length(part(line, 10.0, 40.0)) == pytest.approx(30.0, abs=0.5)


@pytest.mark.parametrize("distance", [0.0, 15.0, 40.0, 1e6])
def test_curve_until_a_distance_ends_where_the_line_does(distance):
    cut, line = curve_until(CURVE, distance), part(dense(CURVE), 0.0, distance)

    assert len(cut) % 3 == 1
    np.testing.assert_allclose(cut[[0, -1]], line[[0, -1]], atol=0.5)
    assert length(dense(cut)) == pytest.approx(length(line), abs=0.5)


def test_dashes_leave_gaps():
    line = np.array([[0.0, 0.0], [0.0, 90.0]])

    assert dashes(line, [slice(0, 2)])[:2].tolist() == [[0.0, 0.0, 0.0, 5.0], [0.0, 9.0, 0.0, 14.0]]


def test_dashes_of_a_stretch_are_those_of_the_whole_line():
    line = split(np.array([[0.0, 0.0], [0.0, 900.0], [400.0, 900.0]]), 50.0)
    near = stretches(line, (-10.0, 420.0, 10.0, 560.0))
    all_of_them, some = dashes(line, stretches(line, None)).tolist(), dashes(line, near).tolist()

    assert len(some) < 40
    assert [dash for dash in all_of_them if dash[3] >= 420.0 and dash[1] <= 560.0 and dash[0] < 10.0] == [
        dash for dash in some if dash[3] >= 420.0 and dash[1] <= 560.0
    ]


def test_stretches_reach_beyond_their_window_on_both_sides():
    line = np.column_stack([np.arange(11) * 10.0, np.zeros(11)])

    assert stretches(line, (42.0, -1.0, 58.0, 1.0)) == [slice(4, 7)]
    assert stretches(line, (42.0, 1.0, 58.0, 2.0)) == []
    assert stretches(line, None) == [slice(0, 11)]


def test_line_that_leaves_its_window_and_comes_back_has_two_stretches():
    line = np.array([[0.0, 0.0], [40.0, 0.0], [90.0, 0.0], [90.0, 50.0], [40.0, 50.0], [0.0, 50.0]])

    assert stretches(line, (-1.0, -1.0, 30.0, 60.0)) == [slice(0, 2), slice(4, 6)]


def test_arrowhead_of_a_long_line_is_that_of_its_end():
    line = split(np.array([[0.0, 0.0], [0.0, 9000.0], [0.0, 9001.0]]), 50.0)

    whole, arrow = _tipped(line, 10.0)

    assert arrow[0].tolist() == [0.0, 8998.0]
    assert length(whole) == pytest.approx(8991.0)


def test_split_line_has_no_long_segments_and_keeps_its_points():
    line = np.array([[0.0, 0.0], [0.0, 90.0], [30.0, 130.0]])

    cut = split(line, 20.0)

    assert np.hypot(*np.diff(cut, axis=0).T).max() <= 20.0
    assert all(point in cut.tolist() for point in line.tolist())
    assert length(cut) == pytest.approx(length(line))


def test_pieces_cover_edges_and_are_much_smaller():
    curves = [CURVE * 40, CURVE, np.vstack([CURVE * 40, CURVE[1:] * 40 + 4000])]
    pieces = Pieces.along(np.zeros((0, 4)), Segments(Joined(curves), 14, 14, 1000), 250.0)

    for edge, curve in enumerate(curves):
        sides = pieces.of(np.array([edge]))
        x, y = points_at(dense(curve), np.linspace(0.0, 1.0, 500)).T[:, :, None]
        inside = (x >= sides[:, 0] - 1) & (x <= sides[:, 2] + 1) & (y >= sides[:, 1] - 1) & (y <= sides[:, 3] + 1)
        assert inside.any(axis=1).all()
    assert (pieces.sides[:, 2:] - pieces.sides[:, :2]).max() <= 500.0


def test_only_edges_that_pass_are_near_a_place():
    boxes = np.array([[3900.0, 100.0, 4000.0, 200.0]])
    pieces = Pieces.along(boxes, Segments(Joined([CURVE * 40, CURVE * 40 + [3900.0, 0.0]]), 14, 14, 1000), 250.0)
    corner = np.array([[3950.0, 100.0, 3960.0, 150.0], [3970.0, 100.0, 3980.0, 150.0]])

    assert [found.tolist() for found in pieces.near(corner, 1.0)] == [[0], [1]]
    assert [found.tolist() for found in pieces.near(corner[:1], 1.0)] == [[0], [1]]


def test_arrowhead_points_along_the_end_of_the_line():
    tip, one, other = arrowhead(np.array([0.0, 90.0]), np.array([0.0, 0.0]), 10.0)

    assert tip.tolist() == [0.0, 90.0]
    assert one[1] == other[1] == 80.0
    assert one[0] == -other[0] != 0.0


def test_ribbon_is_as_wide_as_asked_for():
    outline = ribbon(np.array([[0.0, 0.0], [0.0, 90.0]]), 4.0, slice(0, 2))

    assert np.ptp(outline[:, 0]) == pytest.approx(4.0)


def test_point_at_half_of_a_symmetric_curve_is_its_middle():
    assert point_at(dense(CURVE), 0.5) == pytest.approx((50.0, 50.0))
