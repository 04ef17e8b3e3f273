"""The same position is the same picture, whichever way it was reached: parts, copies and moved pictures."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen
from PySide6.QtWidgets import QApplication

from gradviz.playback.track import Track
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.edges.shapes import Shapes, window_around
from gradviz.ui.canvas.ink.bulk import clipped, draw_lines, painter_on
from gradviz.ui.canvas.ink.panels import Surface, put_panel
from gradviz.ui.canvas.ink.text import Pen, Role
from gradviz.ui.canvas.plane.geometry import points_at
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.moment import Strand
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.theme import Theme
from tests.samples import weighted_sum
from tests.ui.canvas.canvases import RATIOS, picture, shades, shown
from tests.ui.canvas.grids import drawn_out, grid, placed

# ---- the same position is the same picture ----


def test_every_position_draws_another_picture(canvas, track):
    pictures = []
    for position in range(track.length + 1):
        canvas.show_position(position)
        pictures.append(picture(canvas))

    assert all(pictures[i] != pictures[j] for i in range(len(pictures)) for j in range(i))


@pytest.mark.parametrize("zoom", [0.08, 0.25, 1.0, 1.7])
@pytest.mark.parametrize("ratio", RATIOS)
def test_same_position_is_the_same_picture_whichever_way_it_was_reached(qtbot, theme, zoom, ratio, monkeypatch):
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: ratio)
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
@pytest.mark.parametrize("ratio", RATIOS)
def test_moved_picture_is_the_one_drawn_there_anew(qtbot, theme, zoom, ratio, monkeypatch):
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: ratio)
    track, layout = grid(60, 6)
    moved, fresh = (shown(qtbot, theme, track, layout) for _ in range(2))
    for canvas in (moved, fresh):
        canvas.zoom_by(zoom / canvas.view.scale)
        canvas.show_position(track.turn + 12)
    for number, (dx, dy) in enumerate([(20, 0), (0, -40), (-60, 40), (20, 60), (-20, -20)]):
        moved.move_by(dx, dy)
        moved.show_position(track.turn + 13 + number)
        QApplication.processEvents()

    fresh.move_by(-40, 40)
    fresh.show_position(track.turn + 17)
    fresh._kept.forget()
    qtbot.waitUntil(lambda: moved.is_at_rest)  # where the rim cuts thin lines, they are drawn anew then

    assert moved.view == fresh.view
    assert picture(moved) == picture(fresh)


@pytest.mark.parametrize("zoom", [0.4, 1.0, 1.6])
def test_a_mark_paints_nothing_outside_of_the_place_that_is_drawn_again_for_it(canvas, track, zoom):
    canvas.zoom_by(zoom / canvas.view.scale)
    canvas.select(track.recording.nodes[3].id)
    kinds = set()
    for position in range(track.length + 1):
        canvas.show_position(position)
        QApplication.processEvents()
        for mark in canvas._marks:
            image = QImage(700, 520, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(0)
            with painter_on(image) as painter:
                mark.paint(painter)
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
                painter.fillRect(mark.rect.toAlignedRect(), Qt.GlobalColor.transparent)
            kinds.add(mark.key[0] if mark.key else "")
            assert not shades(image).any(), mark.key

    assert {"ring", "pill"} <= kinds


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


def test_text_between_two_parts_of_a_pixel_is_the_same_at_whichever_pixel_it_begins(theme):
    ratio, zoom = 1.1, 1.25

    def drawn(at: int) -> QImage:
        # Qt counts in 64ths of a pixel, and keeps a picture of each sign for each sixteen of them.
        x = ((at + 20 + 95.5 / 64) / ratio - at / ratio) / zoom
        image = QImage(400, 40, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(0xFFFFFFFF)
        with painter_on(image) as painter:
            painter.translate(at / ratio, 0.0)
            painter.scale(zoom, zoom)
            Pen(painter).write(x, 16.0, "sum · output", Role.WORD, "#000000")
        image.setDevicePixelRatio(1.0)
        return image.copy(at, 0, 200, 40)

    first = drawn(0)

    assert all(drawn(at) == first for at in range(1, 200))


PARTS = [(0, 0, 120, 520), (580, 0, 120, 520), (0, 0, 700, 100), (0, 420, 700, 100), (100, 100, 480, 300)]


@pytest.mark.parametrize("ratio", RATIOS)
def test_a_panel_is_the_same_at_whichever_pixel_it_begins(qapp, ratio):
    surface = Surface("#fdf7ff", "#814ca4", 12.4)

    def drawn(x: int, y: int) -> QImage:
        """On the device pixels from (x, y) on; where it is on the screen has a rounding of its own."""
        image = QImage(400, 400, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        image.fill(QColor("#ffffff"))
        with painter_on(image) as painter:
            put_panel(painter, (x / ratio, y / ratio, x / ratio + 90 / ratio, y / ratio + 70 / ratio), surface, ratio)
        image.setDevicePixelRatio(1.0)
        return image.copy(x, y, 90, 70)

    first = drawn(0, 0)

    assert all(drawn(at, 3 * at) == first for at in range(100))


@pytest.mark.parametrize("zoom", [0.08, 0.12, 0.5])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("ratio", RATIOS)
def test_part_drawn_again_is_as_it_was_in_the_whole(qtbot, theme, part, zoom, ratio, monkeypatch):
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: ratio)
    canvas = shown(qtbot, theme, *grid(600, 20))
    canvas.zoom_by(zoom / canvas.view.scale)
    canvas.show_position(700)
    before = picture(canvas)
    frame, whole = canvas._frame(canvas._moment()), QRect(0, 0, 700, 520)

    canvas._kept._draw(canvas.view, frame, [QRect(*part)], whole, ratio)
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


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5])
@pytest.mark.parametrize("zoom", [0.03, 0.12, 0.5, 0.7, 1.0])
@pytest.mark.parametrize(("share", "position"), [(0.5, 60), (0.3, 120)])
def test_part_of_long_edges_drawn_again_is_as_it_was_in_the_whole(
    qtbot, theme, share, position, zoom, ratio, monkeypatch
):
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: ratio)
    canvas = amid_long_edges(qtbot, theme, zoom, share, position)
    before = picture(canvas)
    frame, whole = canvas._frame(canvas._moment()), QRect(0, 0, 700, 520)

    for part in PARTS:
        canvas._kept._draw(canvas.view, frame, [QRect(*part)], whole, ratio)
    canvas.update()

    assert picture(canvas) == before


@pytest.mark.parametrize("zoom", [0.35, 0.7, 1.0])
@pytest.mark.parametrize(("share", "position"), [(0.5, 60), (0.3, 120)])
def test_stretches_of_long_edges_look_as_the_whole_ones_do(qtbot, theme, monkeypatch, share, position, zoom):
    stretches = shades(picture(amid_long_edges(qtbot, theme, zoom, share, position)))
    monkeypatch.setattr("gradviz.ui.canvas.edges.edges._window_of", lambda _painter, _view: None)
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


@pytest.mark.parametrize("ratio", RATIOS)
@pytest.mark.parametrize("zoom", [0.9, 1.7, 3.0])
def test_edges_that_the_rim_cuts_do_not_tell_how_they_came_there(qtbot, theme, zoom, ratio, monkeypatch):
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: ratio)
    track, layout = grid(60, 6)
    wide = replace(layout, curves=tuple(curve * (7.0, 1.0) for curve in layout.curves))
    canvas = shown(qtbot, theme, track, wide)
    canvas.zoom_by(zoom / canvas.view.scale)
    canvas.show_position(track.turn + 12)
    for dx, dy in ((60, 20), (-110, 40), (35, -150)):
        canvas.move_by(dx, dy)
        QApplication.processEvents()
        qtbot.waitUntil(lambda: canvas.is_at_rest)
        moved = picture(canvas)
        for _ in range(3):  # what is drawn a second time is copied from then on
            canvas._kept.forget()
            canvas._redraw()
            assert picture(canvas) == moved
        canvas._dress()
        assert picture(canvas) == moved


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


@pytest.mark.parametrize(("count", "columns", "zoom", "at_once"), [(60, 6, 0.5, 0), (60, 6, 1.0, 0), (6, 3, 1.0, 1)])
def test_thin_lines_and_edges_moved_over_the_rim_are_drawn_anew_at_rest(qtbot, theme, count, columns, zoom, at_once):
    canvas = shown(qtbot, theme, *grid(count, columns))
    canvas.zoom_by(zoom / canvas.view.scale)
    QApplication.processEvents()
    canvas.move_by(40, 30)
    QApplication.processEvents()
    assert canvas.is_at_rest == at_once
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
@pytest.mark.parametrize("ratio", RATIOS)
def test_copied_boxes_and_edges_are_those_that_were_drawn(qtbot, zoom, name, ratio, monkeypatch):
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: ratio)
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
    monkeypatch.setattr("gradviz.ui.canvas.boxes.sprites._MOST_BYTES", 200_000)
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


# ---- edges of use ----


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


@pytest.mark.parametrize("is_smooth", [False, True])
@pytest.mark.parametrize("width", [1.0, 2.0])
def test_lines_in_a_clip_that_cuts_nothing_off_are_what_they_are_without(qapp, is_smooth, width):
    rng = np.random.default_rng(2)
    starts = rng.uniform(-60, 460, (600, 2))
    lines = np.hstack([starts, starts + rng.uniform(-90, 90, (600, 2))])

    def drawn(clip) -> QImage:
        image = QImage(400, 300, QImage.Format.Format_RGB32)
        image.fill(QColor("white"))
        with painter_on(image) as painter, clip(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, is_smooth)
            painter.setPen(QPen(QColor("#8090A0"), width))
            draw_lines(painter, lines)
        return image

    assert drawn(clipped) == drawn(nullcontext)
