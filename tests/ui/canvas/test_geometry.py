"""Geometry of the picture: the view as a map of places, and lines as points."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.ui.canvas.plane.geometry import (
    Curves,
    Tips,
    dense,
    lengths_along,
    point_at,
    runs,
    touching,
    until,
)
from gradviz.ui.canvas.plane.view import READABLE, View, fitted, fitted_around

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


def test_segments_of_curves_are_in_their_order():
    curves = [CURVE, np.vstack([CURVE, CURVE[1:] + 100]), CURVE + 5]

    lines, owners = Curves(curves).segments(2, 2, 8)

    assert owners.tolist() == [0, 0, 1, 1, 1, 1, 2, 2]
    assert lines[[0, 2, 6], :2].tolist() == [[0.0, 0.0], [0.0, 0.0], [5.0, 5.0]]
    assert lines[[1, 5, 7], 2:].tolist() == [[100.0, 100.0], [200.0, 200.0], [105.0, 105.0]]


def test_touching_finds_exactly_the_boxes_near_an_area():
    boxes = np.array([[0, 0, 10, 10], [50, 0, 60, 10], [0, 50, 10, 60], [50, 50, 60, 60]], dtype=float)

    assert touching(boxes, (5.0, 5.0, 6.0, 6.0)).tolist() == [0]
    assert touching(boxes, (5.0, 5.0, 6.0, 6.0), 45.0).tolist() == [0, 1, 2, 3]
    assert touching(boxes, (20.0, -5.0, 55.0, 100.0)).tolist() == [1, 3]
    assert touching(np.zeros((0, 4)), (0.0, 0.0, 9.0, 9.0)).tolist() == []


def test_runs_are_where_sorted_codes_change():
    assert runs(np.array([1, 1, 4, 9, 9, 9])) == [(1, slice(0, 2)), (4, slice(2, 3)), (9, slice(3, 6))]
    assert runs(np.array([], dtype=np.int64)) == []


@pytest.mark.parametrize("share", [0.01, 0.3, 0.77, 1.0])
def test_line_until_a_share_is_as_long(share):
    line = dense(CURVE)

    assert lengths_along(until(line, share))[-1] == pytest.approx(share * lengths_along(line)[-1])


@pytest.mark.parametrize("size", [10.0, 15.0, 1e6])
def test_arrowhead_stands_at_the_end_of_its_curve_which_ends_inside_it(size):
    straight = np.array([[0.0, 0.0], [0.0, 30.0], [0.0, 60.0], [0.0, 90.0]])

    tips = Tips(np.stack([straight, straight + 5.0, CURVE]), np.full(3, size), 3.0)

    tip, one, notch, other = tips.arrows[0].tolist()
    assert tip == pytest.approx([0.0, 87.0])
    assert one[1] == pytest.approx(other[1]) == pytest.approx(87.0 - min(size, 0.8 * 87.0))
    assert one[0] == pytest.approx(-other[0])
    assert tips.ends[0, 0].tolist() == [0.0, 0.0]
    assert notch[1] < tips.ends[0, 3, 1] < tip[1]
    np.testing.assert_allclose(tips.arrows[1], tips.arrows[0] + 5.0)
    assert tips.arrows[2, 0] == pytest.approx([100.0, 97.0], abs=0.2)


def test_point_at_half_of_a_symmetric_curve_is_its_middle():
    assert point_at(dense(CURVE), 0.5) == pytest.approx((50.0, 50.0))
