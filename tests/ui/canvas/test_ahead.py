"""Steps that are drawn before they are asked for: the same pictures, at once, and nothing old is ever shown."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QImage

from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.drawing import Drawing
from gradviz.ui.canvas.kept import KeptPicture
from gradviz.ui.canvas.painting import Painting
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.moment import Stage, frame_of
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.spotlight import Spotlight
from tests.ui.canvas.canvases import RATIOS, middle_of, picture, shown
from tests.ui.canvas.grids import grid


@pytest.fixture
def stepped(qtbot, theme):
    """A canvas amid its backward pass, all of it in sight, the node of its position is selected."""
    track, layout = grid(40, 5)
    canvas = shown(qtbot, theme, track, layout)
    canvas.show_position(track.turn + 9)
    canvas.select(track.node_at(track.turn + 9))
    canvas.show_position(track.turn + 10)
    picture(canvas)
    return canvas


def step(canvas, by: int = 1) -> bool:
    """Draw the steps from here, then make one; whether it had been drawn."""
    for _ in range(2):
        canvas._look_ahead()
    canvas.show_position(canvas._position + by)
    return canvas._laid is not None


def parts_on_screen(canvas) -> tuple[list[QImage], list[QImage]]:
    """What the last step brought to the screen, and the same places of the whole picture."""
    region, ratio = canvas._laid.region, canvas.devicePixelRatioF()
    images = picture(canvas, region), picture(canvas)
    inside = [QRectF(r.x() * ratio, r.y() * ratio, r.width() * ratio, r.height() * ratio) for r in region]
    places = [rect.toAlignedRect().adjusted(1, 1, -1, -1) for rect in inside]
    part, whole = ([image.copy(place) for place in places] for image in images)
    return part, whole


@pytest.mark.parametrize("zoom", [0.08, 0.25, 1.0, 1.7])
@pytest.mark.parametrize("ratio", RATIOS)
def test_step_drawn_ahead_is_the_picture_of_its_position(stepped, qtbot, theme, zoom, ratio, monkeypatch):
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: ratio)
    track, layout = stepped._scene.track, stepped._scene.layout
    jumped = shown(qtbot, theme, track, layout)
    jumped.select(stepped._selected)
    jumped.zoom_by(zoom / jumped.view.scale)
    stepped._look(jumped.view)
    for canvas in (stepped, jumped):
        picture(canvas)

    for by in (1, 1, 1, -1, -1, 1, 1):
        assert step(stepped, by)
        on_screen, whole = parts_on_screen(stepped)
        jumped.show_position(stepped._position)

        assert on_screen == whole
        assert picture(stepped) == picture(jumped)
        assert stepped.accessibleDescription() == jumped.accessibleDescription()


@pytest.mark.parametrize("ratio", RATIOS)
def test_change_between_two_frames_is_exact_at_any_resolution(theme, ratio):
    scene = Scene(*grid(40, 5))
    painting, view, size = Painting(scene, theme.palette), View(0.4, 20.0, 20.0).snapped(ratio), QSize(400, 400)
    one, other = (frame_of(scene, scene.track.turn + k, Stage.REST) for k in (10, 11))
    kept, drawn = KeptPicture(painting), KeptPicture(painting)
    for picture_of in (KeptPicture(painting), drawn, kept):
        picture_of.show(view, one, size, ratio)
    before = kept.image.copy()
    region = drawn.show(view, other, size, ratio)

    change = kept.change_to(other, [], (lambda *_: None, lambda *_: None))

    assert change is not None
    assert kept.image == before
    assert change.region == region
    kept.take(change.after)
    for place, part in change.after.picture:
        assert part == kept.image.copy(place)
        assert part == drawn.image.copy(place)
    kept.take(change.undone().after)
    assert kept.image == before


CHANGES = {
    "hover": lambda canvas: canvas.pointed_at(canvas.view.to_screen(tuple(canvas._scene.layout.centres[3].tolist()))),
    "select": lambda canvas: canvas.select(canvas._scene.track.forward[2]),
    "move": lambda canvas: canvas.move_by(10, 0),
    "light": lambda canvas: canvas.light(Spotlight(frozenset(canvas._scene.track.forward[:9]))),
    "stops": lambda canvas: canvas.show_stops(frozenset(canvas._scene.track.forward[:3]), frozenset()),
    "gauges": lambda canvas: canvas.show_gauges(is_on=False),
    "stale": lambda canvas: canvas.set_stale(True),
    "resize": lambda canvas: canvas.resize(640, 500),
}


@pytest.mark.parametrize("name", CHANGES)
def test_change_after_a_step_was_drawn_is_in_the_picture(stepped, qtbot, theme, name):
    canvas, made = stepped, shown(qtbot, theme, stepped._scene.track, stepped._scene.layout)
    for _ in range(2):
        canvas._look_ahead()
    made.select(canvas._selected)
    made.show_position(canvas._position + 1)
    for one in (canvas, made):
        CHANGES[name](one)
        picture(one)

    step(canvas)
    if name == "hover":  # its card comes a moment later, on a busy machine before or after the step
        qtbot.waitUntil(lambda: canvas._has_card and made._has_card)

    assert picture(canvas) == picture(made)


def test_end_of_an_animation_is_drawn_on_the_way(stepped, qtbot, theme):
    jumped = shown(qtbot, theme, stepped._scene.track, stepped._scene.layout)
    jumped.select(stepped._selected)
    for phase in (0.0, 0.4, 0.9):
        stepped.show_position(stepped._scene.track.turn + 11, phase)
        picture(stepped)
        stepped._look_ahead()

    assert stepped._ahead.to(stepped._position) is not None
    stepped.show_position(stepped._position)
    jumped.show_position(stepped._position)
    assert picture(stepped) == picture(jumped)


def test_step_is_drawn_while_nothing_else_is_to_be_done(stepped, qtbot):
    stepped.show_position(stepped._position + 1)

    qtbot.waitUntil(lambda: stepped._ahead.to(stepped._position + 1) is not None)


def test_two_steps_before_one_paint_show_the_second(stepped, qtbot, theme):
    jumped = shown(qtbot, theme, stepped._scene.track, stepped._scene.layout)
    jumped.select(stepped._selected)
    assert step(stepped)
    assert step(stepped)

    jumped.show_position(stepped._position)

    assert picture(stepped) == picture(jumped)


def test_step_that_turns_the_page_has_been_drawn_on_it(qtbot, theme, monkeypatch):
    stepped, jumped = (shown(qtbot, theme, *grid(60, 1)) for _ in range(2))
    for canvas in (stepped, jumped):
        canvas._ahead_timer.blockSignals(True)  # here a step is drawn ahead when the test says so
        canvas.read(0.9)
        canvas.show_position(80, follows=True)
        picture(canvas)
    turns = 0
    for position in (*range(81, 100), *range(98, 80, -1)):
        for _ in range(2):
            stepped._look_ahead()
        before = stepped.view
        with monkeypatch.context() as patch:
            patch.setattr(KeptPicture, "_draw", lambda *_args: pytest.fail("drawn when it was asked for"))
            stepped.show_position(position, follows=True)
            picture(stepped)
        turns += stepped.view != before
        jumped._look(stepped.view)
        jumped.show_position(position)

        assert picture(stepped) == picture(jumped)
    assert turns > 4


def test_fitted_strip_stays_until_its_node_is_out_of_sight(qtbot, theme):
    canvas = shown(qtbot, theme, *grid(60, 1))
    canvas.show_position(80)
    assert canvas._hides_a_part()
    turns = 0
    for position in range(81, 101):
        before, has_room = canvas.view, canvas._view_at(position, follows=True) == canvas.view
        canvas.show_position(position, follows=True)
        turns += canvas.view != before

        assert (canvas.view == before) is has_room
        assert canvas.rect().contains(middle_of(canvas, canvas._scene.track.node_at(position)).toPoint())
    assert 1 < turns < 12
    canvas.resize(500, 600)
    there = canvas.view
    canvas.fit()
    assert canvas.view == there


def test_moved_picture_is_drawn_exactly_before_a_step_from_it(qtbot, theme):
    canvas = shown(qtbot, theme, *grid(60, 6))
    canvas.zoom_by(0.5 / canvas.view.scale)
    canvas.show_position(canvas._scene.track.turn + 20)
    picture(canvas)
    canvas.move_by(40, 30)
    picture(canvas)
    assert not canvas._kept.is_exact

    for _ in range(2):
        canvas._look_ahead()

    assert canvas._kept.is_exact
    assert canvas._ahead.to(canvas._position + 1) is not None


def test_steps_that_pass_over_positions_are_drawn(stepped):
    stepped.after = lambda position, by: position + 5 * by
    picture(stepped)
    stepped._look_ahead()

    stepped.show_position(stepped._position + 5)

    assert stepped._laid is not None


def test_error_while_a_step_is_drawn_leaves_no_half_of_it(stepped, monkeypatch):
    before = picture(stepped)
    stepped._ahead.drop()
    monkeypatch.setattr(Drawing, "_paint_over", lambda *_args, **_names: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        stepped._look_ahead()
    monkeypatch.undo()
    stepped._refresh()

    assert picture(stepped) == before
