"""What is lit stands out and the rest is pale; breakpoints are dots; neither depends on the way to it."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

from gradviz.playback.track import Track
from gradviz.ui.canvas.scene.moment import Mood, Stage, Strand, frame_of, mood_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.spotlight import Lit, Spotlight
from gradviz.ui.look.palette import LIGHT
from tests.samples import weighted_sum
from tests.ui.canvas.canvases import middle_of, picture, shown
from tests.ui.canvas.grids import grid, placed

PATH = Spotlight(frozenset({0, 1, 3, 4}), with_edges=True)
FOUND = Spotlight(frozenset({2}))


def test_all_but_the_lit_and_the_current_node_is_pale(track):
    scene = Scene(track, placed(track, 2))
    frame = frame_of(scene, track.length, Stage.REST)
    lit = Lit(scene, Spotlight(frozenset({2, 3}))).frame(frame)

    moods = [mood_of(face) for face in lit.faces]
    assert moods == [Mood.BACKWARD, Mood.PALE, Mood.PLAIN, Mood.PLAIN, Mood.PALE]
    assert set(lit.strands.tolist()) == {Strand.PALE}
    assert [face & 3 for face in lit.faces] == [face & 3 for face in frame.faces]


def test_edges_of_a_path_keep_their_look_and_others_are_pale(track):
    scene = Scene(track, placed(track, 2))
    frame = frame_of(scene, track.turn, Stage.REST)
    lit = Lit(scene, PATH).frame(frame)

    kept = [edge for edge, (a, b) in enumerate(zip(lit.strands, frame.strands, strict=True)) if a == b]
    assert [track.edges[edge] for edge in kept] == [(1, 0), (1, 1), (3, 0), (4, 0)]


def test_lit_nodes_are_ringed_and_all_is_as_before_when_the_light_goes(canvas):
    before = picture(canvas)
    canvas.light(PATH)
    lit = picture(canvas)
    canvas.light(None)

    assert lit != before
    assert picture(canvas) == before


@pytest.mark.parametrize("zoom", [0.08, 0.3, 1.0])
def test_the_lit_picture_does_not_depend_on_the_way_to_it(qtbot, theme, zoom):
    track, layout = grid(40, 5)
    early, late = (shown(qtbot, theme, track, layout) for _ in range(2))
    light = Spotlight(frozenset(track.forward[30:90:3]), with_edges=True)
    stops = (frozenset(track.forward[::7]), frozenset(track.forward[1::9]))
    early.light(light)
    early.show_stops(*stops)
    for canvas in (early, late):
        canvas.zoom_by(zoom / canvas.view.scale)
        for position in range(track.turn, track.turn + 12):
            canvas.show_position(position)
            QApplication.processEvents()
    late.show_stops(*stops)
    late.light(light)

    assert picture(early) == picture(late)


def test_dots_are_at_the_corner_of_a_box_filled_or_hollow(canvas, track):
    scene = canvas._scene
    canvas.show_stops(frozenset({3}), frozenset({1}))
    image = picture(canvas)

    for node, is_filled in ((3, True), (1, False)):
        left, top = scene.boxes[track.index_of[node]][:2]
        x, y = canvas.view.to_screen((left, top))
        colour = image.pixelColor(round(x) + 3, round(y) + 3).name().upper()
        assert (colour == LIGHT.error) is is_filled


def test_dots_of_nodes_that_are_in_no_picture_are_left_out(canvas):
    before = picture(canvas)
    canvas.show_stops(frozenset({99}), frozenset())

    assert picture(canvas) == before


def test_lights_stay_for_the_next_picture_of_the_same_nodes(canvas, track, qtbot, theme):
    canvas.light(FOUND)
    canvas.show_stops(frozenset({3}), frozenset())
    before = picture(canvas)
    canvas.show_track(Track(weighted_sum(), 0), placed(track, 2))

    assert picture(canvas) == before


def test_zoom_to_nodes_shows_them_large_and_in_the_middle(canvas):
    canvas.zoom_by(0.2)
    canvas.zoom_to([1, 3])

    left, top, right, bottom = canvas._camera.free_space
    for node in (1, 3):
        point = middle_of(canvas, node)
        assert left < point.x() < right
        assert top < point.y() < bottom
    assert canvas.view.scale > 0.8
    canvas.zoom_to([99])
    assert canvas.view.scale > 0.8


# ---- input ----


def test_the_right_button_selects_what_is_there_and_asks_for_a_menu(qtbot, canvas):
    clicked = []
    canvas.node_clicked.connect(clicked.append)
    place = middle_of(canvas, 3).toPoint()
    with qtbot.waitSignal(canvas.menu_requested) as asked:
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, canvas.mapToGlobal(place))
        QApplication.sendEvent(canvas, event)

    assert clicked == [3]
    assert asked.args == [canvas.mapToGlobal(place), False]


def test_the_menu_key_keeps_the_selection(qtbot, canvas):
    clicked = []
    canvas.node_clicked.connect(clicked.append)
    with qtbot.waitSignal(canvas.menu_requested) as asked:
        QApplication.sendEvent(canvas, QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(1, 1), QPoint(1, 1)))

    assert clicked == []
    assert asked.args[1]


@pytest.mark.parametrize(
    ("button", "signal"), [(Qt.MouseButton.BackButton, "turned_back"), (Qt.MouseButton.ForwardButton, "turned_forward")]
)
def test_the_buttons_at_the_side_of_a_mouse_go_back_and_forward(qtbot, canvas, button, signal):
    with qtbot.waitSignal(getattr(canvas, signal)):
        event = QMouseEvent(
            QEvent.Type.MouseButtonPress, QPointF(5, 5), QPointF(5, 5), button, button, Qt.KeyboardModifier.NoModifier
        )
        QApplication.sendEvent(canvas, event)
