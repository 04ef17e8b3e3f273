"""The view: wheel, drag and keys move it, and it follows what is shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.playback.track import Track
from gradviz.ui.canvas.plane.view import READABLE, fitted
from tests.ui.canvas.canvases import middle_of, shown
from tests.ui.canvas.grids import grid, placed


def wheel(canvas, point, delta):
    event = QWheelEvent(point, canvas.mapToGlobal(point), QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton,
                        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    QApplication.sendEvent(canvas, event)


# ---- the view ----


def test_wheel_zooms_about_the_pointer(qtbot, canvas):
    point = QPointF(200.0, 150.0)
    before, scale = canvas.view.to_scene(point.toTuple()), canvas.view.scale

    with qtbot.waitSignal(canvas.view_changed):
        wheel(canvas, point, 120)

    assert canvas.view.to_scene(point.toTuple()) == pytest.approx(before, abs=0.51 / scale)  # on whole pixels
    assert canvas.view.scale == pytest.approx(scale * 1.2, rel=0.01)


def test_drag_moves_the_picture_and_is_no_click(qtbot, canvas):
    clicks = []
    canvas.node_clicked.connect(clicks.append)
    canvas.background_clicked.connect(lambda: clicks.append(None))
    start, before = middle_of(canvas, 3).toPoint(), canvas.view

    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    for step in (20, 40, 60):
        QTest.mouseMove(canvas, start + QPoint(step, step))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start + QPoint(60, 60))

    assert (canvas.view.x - before.x, canvas.view.y - before.y) == pytest.approx((60.0, 60.0))
    assert clicks == []


def test_click_names_the_node_or_the_background(qtbot, canvas):
    with qtbot.waitSignal(canvas.node_clicked) as clicked:
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=middle_of(canvas, 2).toPoint())
    with qtbot.waitSignal(canvas.background_clicked):
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))

    assert clicked.args == [2]


def test_keys_zoom_and_fit(canvas):
    was = canvas.view

    QTest.keyClicks(canvas, "++-")
    zoomed = canvas.view.scale
    QTest.keyClicks(canvas, "0")

    assert zoomed == pytest.approx(was.scale * 1.25)
    assert canvas.view == was


def test_double_click_fits(canvas):
    was = canvas.view
    canvas.move_by(300.0, 40.0)

    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))

    assert canvas.view == was


def test_view_stays_where_the_same_nodes_are_shown_again(canvas, track):
    canvas.zoom_by(1.5)
    view = canvas.view

    canvas.show_track(Track(track.recording, 0), placed(track, 2))
    kept = canvas.view
    canvas.show_track(*grid(12, 3))

    assert kept == view
    assert canvas.view != view


def test_fitted_picture_is_fitted_again_when_the_window_grows(qtbot, canvas):
    canvas.resize(1100, 900)
    QApplication.processEvents()
    grown = canvas.view
    canvas.fit()

    assert canvas.view == grown


def test_long_graph_is_shown_where_it_can_be_read_and_follows_the_step(qtbot, theme):
    canvas = shown(qtbot, theme, *grid(100, 1))
    places = []
    for position in (1, 50, 100):
        canvas.show_position(position)
        places.append(middle_of(canvas, position - 1))

    assert canvas.view.scale == READABLE
    assert all(canvas.rect().contains(place.toPoint()) for place in places)
    assert places[1].y() == pytest.approx(245, abs=30)

    canvas.move_by(0, 4000)
    canvas.show_position(5)
    assert not canvas.rect().contains(middle_of(canvas, 4).toPoint())  # moved by hand: it stays there


def test_picture_stays_until_the_node_of_a_step_is_out_of_sight_then_shows_it_in_the_middle(qtbot, theme):
    canvas = shown(qtbot, theme, *grid(60, 1))
    canvas.zoom_by(0.9 / canvas.view.scale)
    canvas.show_position(61, follows=True)
    _, top, _, bottom = canvas._camera.free_space
    turns = 0
    for position in range(62, 110):
        before = canvas.view
        canvas.show_position(position, follows=True)
        if canvas.view != before:
            turns += 1
            node = canvas._scene.track.node_at(position)
            assert middle_of(canvas, node).y() == pytest.approx((top + bottom) / 2, abs=1.0)

    assert 10 < turns < 48


def test_the_first_and_the_last_node_come_in_sight_without_emptiness_beyond_them(qtbot, theme):
    canvas = shown(qtbot, theme, *grid(60, 1))
    canvas.zoom_by(0.9 / canvas.view.scale)
    _, top, _, bottom = canvas._camera.free_space
    for position in (30, 1, 30, 120):  # the last is the step of the first node
        canvas.show_position(position, follows=True)
    upper = canvas.view.rect_to_screen(canvas._scene.around)[1]
    canvas.show_position(30, follows=True)
    canvas.show_position(60, follows=True)

    assert upper == pytest.approx(top, abs=1.0)
    assert canvas.view.rect_to_screen(canvas._scene.around)[3] == pytest.approx(bottom, abs=1.0)


@pytest.mark.parametrize("height", [566, 571, 577])
def test_a_fitted_picture_stays_where_its_lowest_box_touches_the_rim(qtbot, theme, height):
    canvas = shown(qtbot, theme, *grid(24, 2))
    canvas.resize(800, height)
    canvas.fit()
    before = canvas.view

    canvas.show_position(24, follows=True)

    assert canvas.view == before


def test_reveal_brings_a_node_into_sight(canvas):
    canvas.move_by(-5000.0, 0.0)

    canvas.reveal(4)

    assert canvas.rect().contains(middle_of(canvas, 4).toPoint())


# ---- edges of use ----


def test_a_graph_too_large_to_read_opens_around_its_current_node(qtbot, theme):
    canvas = shown(qtbot, theme, *grid(600, 10))
    canvas.show_position(595)

    canvas.read(READABLE)

    assert canvas.view.scale == READABLE
    assert abs(middle_of(canvas, 594).x() - canvas.width() / 2) < 2
    assert canvas.rect().contains(middle_of(canvas, 594).toPoint())


def test_before_the_first_step_its_node_is_in_sight(qtbot, theme):
    track, layout = grid(40, 5)
    canvas = shown(qtbot, theme, track, layout)
    canvas.zoom_by(READABLE / canvas.view.scale)
    canvas.show_position(track.turn, follows=True)
    stayed = canvas.view

    canvas.show_position(0)
    assert canvas.view == stayed
    canvas.show_position(1)
    canvas.show_position(0, follows=True)

    seen = canvas.view.to_screen(tuple(layout.centres[track.index_of[track.forward[0]]].tolist()))
    assert canvas.rect().contains(QPointF(*seen).toPoint())


def test_fitted_strip_stays_until_its_node_is_out_of_sight(qtbot, theme):
    canvas = shown(qtbot, theme, *grid(60, 1))
    canvas.show_position(80)
    assert canvas._camera.hides_a_part
    turns = 0
    for position in range(81, 101):
        before, has_room = canvas.view, canvas._camera.following(position, follows=True) == canvas.view
        canvas.show_position(position, follows=True)
        turns += canvas.view != before

        assert (canvas.view == before) is has_room
        assert canvas.rect().contains(middle_of(canvas, canvas._scene.track.node_at(position)).toPoint())
    assert 1 < turns < 12
    canvas.resize(500, 600)
    there = canvas.view
    canvas.show_anew()
    assert canvas.view == there


@pytest.mark.parametrize(
    ("size", "scale"), [((700, 500), 1.25), ((1000, 640), 1.25), ((1500, 1200), 1.875), ((9000, 9000), 2.0)]
)
def test_a_small_graph_is_larger_on_a_large_screen(size, scale):
    view = fitted((0.0, 0.0, 100.0, 100.0), (0.0, 0.0, *map(float, size)))

    assert view.scale == pytest.approx(scale)
    assert view.to_screen((50.0, 50.0)) == pytest.approx((size[0] / 2, size[1] / 2))


@pytest.mark.parametrize("count", [60, 3_000])
def test_fit_shows_all_of_a_graph_however_long_it_is(qtbot, theme, count):
    canvas = shown(qtbot, theme, *grid(count, 1))
    assert canvas._camera.hides_a_part

    canvas.fit()

    assert not canvas._camera.hides_a_part
    left, top, right, bottom = canvas.view.rect_to_screen(canvas._scene.around)
    assert 0 <= left < right <= canvas.width()
    assert 0 <= top < bottom <= canvas.height()
    canvas.resize(500, 300)
    assert not canvas._camera.hides_a_part


def test_fit_shows_all_of_a_graph_as_long_as_a_loop_of_a_million_rounds(canvas):
    whole = fitted((0.0, 0.0, 100.0, 3e8), (0.0, 0.0, 800.0, 600.0))

    assert whole.rect_to_screen((0.0, 0.0, 100.0, 3e8))[3] <= 600.0 + 1e-6
