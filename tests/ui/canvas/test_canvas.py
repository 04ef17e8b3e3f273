"""The widget: the same position is the same picture, and input says what was meant."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.playback.track import Track
from gradviz.recording import Recording
from gradviz.ui.canvas import minimap
from gradviz.ui.canvas.bulk import painter_on
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.cards import Card, Kind
from gradviz.ui.canvas.edge_shapes import Shapes, window_around
from gradviz.ui.canvas.edges import Ink, _ink, _share_of_long
from gradviz.ui.canvas.geometry import points_at
from gradviz.ui.canvas.minimap import Minimap
from gradviz.ui.canvas.moment import Strand
from gradviz.ui.canvas.names import largest_names, name_for, name_size
from gradviz.ui.canvas.scene import Scene
from gradviz.ui.canvas.text import Pen, Role, text_width
from gradviz.ui.canvas.view import READABLE, View
from gradviz.ui.palette import DARK, LIGHT
from gradviz.ui.theme import Theme
from tests.samples import weighted_sum
from tests.ui.canvas.grids import drawn_out, grid, placed


@pytest.fixture
def theme(qapp):
    return Theme("light")


@pytest.fixture
def track():
    return Track(weighted_sum(), 0)


def shown(qtbot, theme, track, layout=None, size=(700, 520)):
    canvas = Canvas(theme)
    qtbot.addWidget(canvas)
    canvas.resize(*size)
    canvas.show_track(track, layout or placed(track, 2))
    canvas.show()
    qtbot.waitExposed(canvas)
    return canvas


@pytest.fixture
def canvas(qtbot, theme, track):
    return shown(qtbot, theme, track)


def picture(canvas) -> QImage:
    QApplication.processEvents()
    return canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def shades(image: QImage) -> np.ndarray:
    """Red, green and blue of each pixel; whole numbers."""
    return np.frombuffer(image.constBits(), dtype=np.uint8).reshape(-1, 4)[:, :3].astype(int)


def middle_of(canvas, node):
    index = canvas._scene.track.index_of[node]
    return QPointF(*canvas.view.to_screen(tuple(canvas._scene.layout.centres[index])))


# ---- the same position is the same picture ---------------------------------------------------------------------


def test_every_position_draws_another_picture(canvas, track):
    pictures = []
    for position in range(track.length + 1):
        canvas.show_position(position)
        pictures.append(picture(canvas))

    assert all(pictures[i] != pictures[j] for i in range(len(pictures)) for j in range(i))


@pytest.mark.parametrize("zoom", [0.08, 0.25, 1.0, 1.7])
def test_same_position_is_the_same_picture_whichever_way_it_was_reached(qtbot, theme, zoom):
    track, layout = grid(40, 5)
    stepped, jumped = (shown(qtbot, theme, track, layout) for _ in range(2))
    for canvas in (stepped, jumped):
        canvas.zoom_by(zoom / canvas.view.scale)
    for position in (*range(track.length), *range(track.length, track.turn + 9, -1)):
        stepped.show_position(position)
        QApplication.processEvents()

    jumped.show_position(track.turn + 10)
    stepped.show_position(track.turn + 10)

    assert picture(stepped) == picture(jumped)


@pytest.mark.parametrize("zoom", [0.08, 0.2, 0.35, 1.0, 1.7])
def test_moved_picture_is_the_one_drawn_there_anew(qtbot, theme, zoom):
    track, layout = grid(60, 6)
    moved, fresh = (shown(qtbot, theme, track, layout) for _ in range(2))
    for canvas in (moved, fresh):
        canvas.zoom_by(zoom / canvas.view.scale)
        canvas.show_position(track.turn + 12)
    for number, (dx, dy) in enumerate([(7, 0), (0, -31), (-60, 44), (3, 5), (-20, -20)]):
        moved.move_by(dx, dy)
        moved.show_position(track.turn + 13 + number)
        QApplication.processEvents()

    fresh.move_by(-70, -2)
    fresh.show_position(track.turn + 17)
    fresh._kept.forget()
    qtbot.waitUntil(lambda: moved.is_at_rest)  # where the rim cuts thin lines, they are drawn anew then

    assert moved.view == fresh.view
    assert picture(moved) == picture(fresh)


def written(text: str, x: float, zoom: float) -> QImage:
    """The picture of a text that begins 30 scene units right of `x`."""
    image = QImage(400, 40, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    with painter_on(image) as painter:
        painter.translate(x, 0.0)
        painter.scale(zoom, zoom)
        Pen(painter).write(30.0, 16.0, text, Role.VALUE, "#000000")
    return image


def test_text_that_begins_left_of_the_picture_is_drawn_as_elsewhere(theme):
    for zoom in np.linspace(0.5, 1.5, 60).tolist():
        text = f"[1.25, {zoom:.2f}]"
        cut, whole = written(text, -60.0, zoom), written(text, 140.0, zoom)

        assert whole.copy(200, 0, 200, 40) == cut.copy(0, 0, 200, 40), zoom


PARTS = [(0, 0, 120, 520), (580, 0, 120, 520), (0, 0, 700, 100), (0, 420, 700, 100), (100, 100, 480, 300)]


@pytest.mark.parametrize("zoom", [0.08, 0.12, 0.5])
@pytest.mark.parametrize("part", PARTS)
def test_part_drawn_again_is_as_it_was_in_the_whole(qtbot, theme, part, zoom):
    canvas = shown(qtbot, theme, *grid(600, 20))
    canvas.zoom_by(zoom / canvas.view.scale)
    canvas.show_position(700)
    before = picture(canvas)
    frame, whole = canvas._frame(canvas._moment()), QRect(0, 0, 700, 520)

    canvas._kept._draw(canvas.view, frame, [QRect(*part)], whole, 1.0)
    canvas.update()

    assert picture(canvas) == before


def amid_long_edges(qtbot, theme, zoom, share, position):
    """A canvas in the middle of which, at a share of its length, a long edge passes."""
    track, layout = grid(60, 6)
    canvas = shown(qtbot, theme, track, drawn_out(layout, 30.0))
    canvas.show_position(position)
    scene = canvas._scene
    line = scene.line(int(np.argmax(np.ptp(scene.edge_boxes[:, ::2], axis=1))))
    x, y = points_at(line, np.linspace(0.0, 1.0, 101))[int(share * 100)]
    canvas._look(View(zoom, 350.0 - x * zoom, 260.0 - y * zoom))
    return canvas


@pytest.mark.parametrize("zoom", [0.03, 0.12, 0.5, 0.7, 1.0])
@pytest.mark.parametrize(("share", "position"), [(0.5, 60), (0.3, 120)])
def test_part_of_long_edges_drawn_again_is_as_it_was_in_the_whole(qtbot, theme, share, position, zoom):
    canvas = amid_long_edges(qtbot, theme, zoom, share, position)
    before = picture(canvas)
    frame, whole = canvas._frame(canvas._moment()), QRect(0, 0, 700, 520)

    for part in PARTS:
        canvas._kept._draw(canvas.view, frame, [QRect(*part)], whole, 1.0)
    canvas.update()

    assert picture(canvas) == before


@pytest.mark.parametrize("zoom", [0.35, 0.7, 1.0])
@pytest.mark.parametrize(("share", "position"), [(0.5, 60), (0.3, 120)])
def test_stretches_of_long_edges_look_as_the_whole_ones_do(qtbot, theme, monkeypatch, share, position, zoom):
    stretches = shades(picture(amid_long_edges(qtbot, theme, zoom, share, position)))
    monkeypatch.setattr("gradviz.ui.canvas.edges._window_of", lambda _painter, _view: None)
    wholes = shades(picture(amid_long_edges(qtbot, theme, zoom, share, position)))

    assert np.abs(stretches - wholes).max() <= 2


def test_moved_picture_of_long_edges_is_at_rest_the_one_drawn_there_anew(qtbot, theme):
    canvas = amid_long_edges(qtbot, theme, 1.0, 0.5, 60)
    for _ in range(4):
        canvas.move_by(240, 70)
        QApplication.processEvents()
    qtbot.waitUntil(lambda: canvas.is_at_rest)
    moved = picture(canvas)
    canvas._kept.forget()
    canvas._redraw()

    assert moved == picture(canvas)


def test_of_an_edge_many_screens_long_only_the_stretch_in_sight_is_drawn(qtbot, theme):
    track, layout = grid(60, 6)
    scene = Scene(track, drawn_out(layout, 300.0))
    longest = int(np.argmax(scene.edge_boxes[:, 3] - scene.edge_boxes[:, 1]))
    left, top, right, bottom = scene.edge_boxes[longest].tolist()
    shapes, middle = Shapes(scene), (top + bottom) / 2

    for strand in (Strand.QUIET, Strand.CARRIED, Strand.FORWARD):
        whole = shapes.of(longest, strand, None)
        near = shapes.of(longest, strand, window_around((left, middle, right, middle + 500.0), 1.0))
        beside = shapes.of(longest, strand, window_around((left, bottom + 9000.0, right, bottom + 9500.0), 1.0))

        assert 0 < near.body.elementCount() < whole.body.elementCount() / 2
        assert beside.line.isEmpty()


def test_thin_lines_moved_over_the_rim_are_drawn_anew_at_rest(qtbot, theme):
    canvas = shown(qtbot, theme, *grid(60, 6))
    for zoom, at_once in ((0.5, False), (1.0, True)):
        canvas.zoom_by(zoom / canvas.view.scale)
        QApplication.processEvents()
        canvas.move_by(40, 30)
        QApplication.processEvents()
        assert canvas.is_at_rest is at_once
        qtbot.waitUntil(lambda: canvas.is_at_rest)
        moved = picture(canvas)
        canvas._kept.forget()
        canvas._redraw()

        assert moved == picture(canvas)


def test_moved_picture_draws_only_the_strip_that_has_come_into_sight(qtbot, theme, monkeypatch):
    canvas = shown(qtbot, theme, *grid(400, 20))
    canvas.zoom_by(1.0 / canvas.view.scale)
    QApplication.processEvents()
    drawn = []
    draw = canvas._kept._draw
    monkeypatch.setattr(canvas._kept, "_draw", lambda view, frame, rects, *rest: drawn.extend(rects) or draw(
        view, frame, rects, *rest))  # fmt: skip

    canvas.move_by(-10, 0)
    QApplication.processEvents()

    assert [(rect.left(), rect.right(), rect.height()) for rect in drawn] == [(688, 699, 520)]


@pytest.mark.parametrize("name", ["light", "dark"])
@pytest.mark.parametrize("zoom", [0.25, 0.3, 0.5, 0.7, 0.93, 1.31])
def test_copied_boxes_and_edges_are_those_that_were_drawn(qtbot, zoom, name):
    track = Track(weighted_sum(), 0)
    graph = grid(80, 8) if name == "light" else (track, placed(track, 2))
    canvas = shown(qtbot, Theme(name), *graph)
    canvas.show_position(canvas._scene.track.turn + 2)
    canvas.zoom_by(zoom / canvas.view.scale)
    drawn = picture(canvas)
    copies = len(canvas._painting.art._copies)
    for _ in range(2):
        canvas._kept.forget()
        canvas._redraw()
        assert picture(canvas) == drawn

    assert len(canvas._painting.art._copies) > copies


def test_copies_take_a_limited_amount_of_memory(qtbot, theme, monkeypatch):
    monkeypatch.setattr("gradviz.ui.canvas.sprites._MOST_BYTES", 200_000)
    canvas = shown(qtbot, theme, *grid(40, 5))
    canvas.zoom_by(1.0 / canvas.view.scale)
    before = picture(canvas)
    for _ in range(3):
        canvas._kept.forget()
        canvas._redraw()
        assert picture(canvas) == before

    assert sum(sprite.width() * sprite.height() * 4 for sprite in canvas._painting.art._copies.values()) <= 200_000


def test_animation_ends_in_the_picture_at_rest(qtbot, theme, track):
    animated, jumped = shown(qtbot, theme, track), shown(qtbot, theme, track)
    for phase in (0.0, 0.2, 0.5, 0.8, 1.0):
        animated.show_position(8, phase)
        QApplication.processEvents()

    jumped.show_position(8)

    assert picture(animated) == picture(jumped)


def test_token_moves_with_the_phase(canvas):
    canvas.show_position(7, 0.3)
    early = picture(canvas)
    canvas.show_position(7, 0.6)

    assert picture(canvas) != early


def test_selection_hover_staleness_and_theme_change_the_picture(canvas, theme):
    canvas.show_position(7)
    plain = picture(canvas)

    canvas.select(1)
    selected = picture(canvas)
    canvas.select(None)
    canvas.set_stale(True)
    stale = picture(canvas)
    canvas.set_stale(False)
    assert picture(canvas) == plain
    theme.choose("dark")
    dark = picture(canvas)

    assert len({image.cacheKey() for image in (plain, selected, stale, dark)}) == 4
    assert plain not in (selected, stale, dark)


def test_card_appears_beside_the_node_that_is_pointed_at(qtbot, canvas):
    canvas.show_position(7)
    with qtbot.waitSignal(canvas.node_hovered) as hovered:
        QTest.mouseMove(canvas, middle_of(canvas, 3).toPoint())
    ringed = picture(canvas)
    qtbot.waitUntil(lambda: canvas._has_card)

    assert hovered.args == [3]
    assert picture(canvas) != ringed


# ---- the view ----------------------------------------------------------------------------------------------------


def wheel(canvas, point, delta):
    event = QWheelEvent(point, canvas.mapToGlobal(point), QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton,
                        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    QApplication.sendEvent(canvas, event)


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
    fitted = canvas.view

    QTest.keyClicks(canvas, "++-")
    zoomed = canvas.view.scale
    QTest.keyClicks(canvas, "0")

    assert zoomed == pytest.approx(fitted.scale * 1.25)
    assert canvas.view == fitted


def test_double_click_fits(canvas):
    fitted = canvas.view
    canvas.move_by(300.0, 40.0)

    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))

    assert canvas.view == fitted


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


def test_reveal_brings_a_node_into_sight(canvas):
    canvas.move_by(-5000.0, 0.0)

    canvas.reveal(4)

    assert canvas.rect().contains(middle_of(canvas, 4).toPoint())


def test_map_is_there_only_where_the_graph_does_not_fit(canvas):
    assert not canvas.is_on_map((640.0, 460.0))

    canvas.zoom_by(3.0)

    assert canvas.is_on_map((640.0, 460.0))


def test_click_on_the_map_shows_that_part(canvas):
    canvas.zoom_by(3.0)
    place = Minimap.place((0.0, 0.0, 700.0, 520.0)).center()
    left, top, right, bottom = canvas._scene.around

    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place.toPoint())

    assert canvas.view.to_scene((350.0, 260.0)) == pytest.approx(((left + right) / 2, (top + bottom) / 2), abs=6.0)


# ---- edges of use ------------------------------------------------------------------------------------------------


def test_ten_thousand_nodes_open_and_step(qtbot, theme):
    track, layout = grid(10_000)
    canvas = shown(qtbot, theme, track, layout, (1600, 1000))

    canvas.show_position(track.turn + 1)
    before = picture(canvas)
    canvas.show_position(track.turn + 2)

    assert picture(canvas) != before
    assert canvas.node_at(middle_of(canvas, 5000).toTuple()) is not None


def test_step_draws_only_a_part_of_the_picture_again(qtbot, theme):
    track, layout = grid(400, 20)
    canvas = shown(qtbot, theme, track, layout)
    canvas.show_position(track.turn + 100)
    QApplication.processEvents()

    frame = canvas._frame(canvas._moment())
    canvas._position += 1
    following = canvas._frame(canvas._moment())
    region = canvas._kept.show(canvas.view, following, canvas.size(), 1.0)

    assert frame is not following
    assert 0 < sum(r.width() * r.height() for r in [region.boundingRect()]) < 700 * 520 / 2


def test_position_beyond_the_track_is_its_end(canvas, track):
    canvas.show_position(track.length)
    last = picture(canvas)

    canvas.show_position(track.length + 50)

    assert picture(canvas) == last


def test_empty_canvas_takes_all_input(qtbot, theme):
    canvas = Canvas(theme)
    qtbot.addWidget(canvas)
    canvas.show()
    canvas.show_position(3)
    canvas.select(1)
    canvas.fit()
    canvas.reveal(2)

    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton)

    assert picture(canvas).width() == canvas.width()
    assert canvas.accessibleDescription() == ""


def test_graph_without_edges_or_backward_is_drawn(qtbot, theme):
    recording = weighted_sum()
    track = Track(Recording(recording.nodes[:1], recording.values[:1]), None)

    canvas = shown(qtbot, theme, track, placed(track, 1))
    canvas.show_position(1)

    assert picture(canvas).width() == 700


def test_cleared_canvas_shows_nothing(canvas):
    canvas.show_position(5)

    canvas.clear()

    image = picture(canvas)
    assert image.pixel(350, 260) == image.pixel(1, 1)
    assert canvas.accessibleDescription() == "No graph."


def test_description_says_what_is_current(canvas):
    canvas.show_position(7)

    assert canvas.accessibleName() == "Computational graph"
    assert canvas.accessibleDescription() == (
        "5 nodes, position 7 of 9. Current node x·x·w, mul, value [3.00, 20.00], gradient [1.00, 1.00]."
    )


def test_high_density_screen_gets_its_own_pixels(canvas, monkeypatch):
    monkeypatch.setattr(canvas, "devicePixelRatioF", lambda: 2.0)

    canvas._dress()
    canvas.repaint()

    assert canvas._kept.image.width() == 1400
    assert canvas._painting.art.ratio == 2.0


def test_legend_is_shown_only_where_it_fits(qtbot, theme, track):
    wide, narrow = (shown(qtbot, theme, track, size=(width, 520)) for width in (700, 300))

    assert len(wide._fixtures()) == 1
    assert narrow._fixtures() == []


def test_the_map_leaves_a_small_canvas_to_the_graph(canvas):
    canvas.zoom_by(3.0)
    assert canvas.is_on_map((640.0, 460.0))

    canvas.resize(380, 240)

    assert not canvas.is_on_map((330.0, 200.0))


def test_the_map_of_a_very_long_graph_stays_in_its_card(qapp):
    track, layout = grid(20, 1)
    scene = Scene(track, replace(layout, bounds=(0.0, 0.0, 300.0, 2_000_000.0)))

    left, top, right, bottom = Minimap(scene, LIGHT)._map.rect_to_screen(scene.around)

    assert 0.0 < left < right < minimap.WIDTH
    assert 0.0 < top < bottom < minimap.HEIGHT


@pytest.mark.parametrize("theme_palette", [LIGHT, DARK])
def test_long_edges_are_paler_in_a_small_picture_than_short_ones(qapp, theme_palette):
    def contrast(ink: Ink) -> float:
        return sum(abs(a - b) for a, b in zip(*(QColor(c).getRgb() for c in (ink.color, ground)), strict=True))

    ground = theme_palette.canvas
    shares = [_share_of_long(scale) for scale in (1.0, 0.5, 0.2, 0.01)]
    carried = [contrast(_ink(theme_palette, Strand.CARRIED, share)) for share in shares]

    assert shares[0] == 1.0
    assert carried == sorted(carried, reverse=True)
    assert len(set(carried[:3])) == 3
    assert carried[-1] > 0.2 * carried[0]
    # What happens now is told at any length.
    assert _ink(theme_palette, Strand.BACKWARD, shares[-1]) == _ink(theme_palette, Strand.BACKWARD, 1.0)


def test_what_is_read_or_revealed_is_clear_of_the_map(canvas):
    canvas.read(2.0)
    for node in range(5):
        canvas.move_by(-300.0, -300.0)
        canvas.reveal(node)

        index = canvas._scene.track.index_of[node]
        left, top, right, bottom = canvas.view.boxes_to_screen(canvas._scene.boxes[index : index + 1].copy())[
            0
        ].tolist()
        box = QRectF(left, top, right - left, bottom - top)
        assert not Minimap.place(canvas._sight()).intersects(box)
        assert canvas.rect().contains(box.center().toPoint())


def test_a_graph_too_large_to_read_opens_around_its_current_node(qtbot, theme):
    canvas = shown(qtbot, theme, *grid(600, 10))
    canvas.show_position(595)

    canvas.read(READABLE)

    assert canvas.view.scale == READABLE
    assert abs(middle_of(canvas, 594).x() - canvas.width() / 2) < 2
    assert canvas.rect().contains(middle_of(canvas, 594).toPoint())


def test_a_long_name_is_written_smaller_before_it_is_cut():
    wide = text_width("second.weight", Role.BIG)

    assert name_size("x", 100.0, 1.0, 0.5) == 1.0
    assert 0.7 < name_size("second.weight", wide * 0.8, 1.0, 0.5) <= 0.8
    assert name_size("second.weight", wide * 0.2, 1.0, 0.5) == pytest.approx(8.5 / (24 * 0.5))


def test_a_name_without_room_loses_its_path_or_what_it_is_called_with(qapp):
    weight = Card(Kind.LEAF, "w", "first.weight", "leaf", "[3]", "", short="weight")
    call = Card(Kind.OP, "conv", "conv2d(x, w)", "conv2d", "[3]", "", short="conv2d")
    wide = text_width("first.weight", Role.BIG)

    assert [name_for(weight, 10 * wide, has_path=paths) for paths in (True, False)] == ["first.weight", "weight"]
    assert [name_for(call, room, has_path=True) for room in (10 * wide, wide / 2)] == ["conv2d(x, w)", "conv2d"]
    assert largest_names([(weight, 4 * wide)]) > largest_names([(weight, 4 * wide), (weight, wide)])


def test_no_label_lies_under_the_map(qtbot, theme):
    track, layout = grid(400, 20)
    canvas = shown(qtbot, theme, track, layout)
    canvas.zoom_by(0.6 / canvas.view.scale)
    place = Minimap.place(canvas._sight())
    found = 0
    for position in range(track.turn + 5, track.turn + 300, 7):
        node = track.index_of[track.node_at(position)]
        x, y = canvas._scene.layout.centres[node].tolist()
        scale = canvas.view.scale
        # The current node is above the map, so that its labels would go there.
        canvas._look(View(scale, place.center().x() - x * scale, place.top() - 10.0 - y * scale))
        canvas.show_position(position)
        QApplication.processEvents()
        labels = [mark.rect for mark in canvas._marks if mark.key and mark.key[0] == "pill"]
        found += len(labels)
        assert not any(rect.adjusted(4, 4, -4, -6).intersects(place) for rect in labels)

    assert found > 20
