"""The map in the corner: where it is, what a click on it does, and what keeps clear of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.ui.canvas import minimap
from gradviz.ui.canvas.ink.marks import PILL
from gradviz.ui.canvas.minimap import Minimap
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import LIGHT
from tests.ui.canvas.canvases import marks_of, shown
from tests.ui.canvas.grids import grid

# ---- the view ----


def map_of(canvas) -> tuple[float, float]:
    """The middle of the map."""
    middle = Minimap.place(canvas._camera.sight).center()
    return middle.x(), middle.y()


def test_map_is_there_only_where_the_graph_does_not_fit(canvas):
    assert not canvas.is_on_map((640.0, 460.0))

    canvas.zoom_by(3.0)

    assert canvas.is_on_map(map_of(canvas))


def test_click_on_the_map_shows_that_part(canvas):
    canvas.zoom_by(3.0)
    x, y = map_of(canvas)
    left, top, right, bottom = canvas._scene.around

    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(round(x), round(y)))

    assert canvas.view.to_scene((350.0, 260.0)) == pytest.approx(((left + right) / 2, (top + bottom) / 2), abs=6.0)


# ---- edges of use ----


def test_the_map_leaves_a_small_canvas_to_the_graph(canvas):
    canvas.zoom_by(3.0)
    assert canvas.is_on_map(map_of(canvas))

    canvas.resize(380, 240)

    assert not canvas.is_on_map((330.0, 200.0))


def test_the_map_of_a_very_long_graph_stays_in_its_card(qapp):
    track, layout = grid(20, 1)
    scene = Scene(track, replace(layout, bounds=(0.0, 0.0, 300.0, 2_000_000.0)))

    left, top, right, bottom = Minimap(scene, LIGHT)._map.rect_to_screen(scene.around)

    assert 0.0 < left < right < minimap.WIDTH
    assert 0.0 < top < bottom < minimap.HEIGHT


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
        assert not Minimap.place(canvas._camera.sight).intersects(box)
        assert canvas.rect().contains(box.center().toPoint())


def test_no_label_lies_under_the_map(qtbot, theme):
    track, layout = grid(400, 20)
    canvas = shown(qtbot, theme, track, layout)
    canvas.zoom_by(0.6 / canvas.view.scale)
    place = Minimap.place(canvas._camera.sight)
    found = 0
    for position in range(track.turn + 5, track.turn + 300, 7):
        node = track.index_of[track.node_at(position)]
        x, y = canvas._scene.layout.centres[node].tolist()
        scale = canvas.view.scale
        # The current node is above the map, so that its labels would go there.
        canvas._look(View(scale, place.center().x() - x * scale, place.top() - 10.0 - y * scale))
        canvas.show_position(position)
        QApplication.processEvents()
        labels = [mark.rect for mark in marks_of(canvas) if mark.kind == PILL]
        found += len(labels)
        assert not any(rect.adjusted(4, 4, -4, -6).intersects(place) for rect in labels)

    assert found > 20
