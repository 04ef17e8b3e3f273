"""The same position is drawn alike, whichever way it was reached; and of long edges what is in sight."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.edges.edges import EdgePainter
from gradviz.ui.canvas.ink.marks import PILL
from gradviz.ui.canvas.ink.painter import painter_on
from gradviz.ui.canvas.plane.geometry import points_at
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene import scene as scene_module
from gradviz.ui.canvas.scene.moment import Strand
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.canvas.step.rings import RING
from tests.ui.canvas.canvases import RATIOS, marks_of, picture, shades, shown
from tests.ui.canvas.grids import drawn_out, grid


def test_every_position_draws_another_picture(canvas, track):
    pictures = []
    for position in range(track.length + 1):
        canvas.show_position(position)
        pictures.append(picture(canvas))

    assert all(pictures[i] != pictures[j] for i in range(len(pictures)) for j in range(i))


@pytest.mark.parametrize("zoom", [0.08, 0.25, 1.0, 1.7])
@pytest.mark.parametrize("ratio", RATIOS[::2])
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


@pytest.mark.parametrize("zoom", [0.08, 0.35, 1.0, 1.7])
@pytest.mark.parametrize("ratio", [1.0, 1.25, 2.0])
def test_moved_graph_is_the_one_drawn_there_anew(qtbot, theme, zoom, ratio, monkeypatch):
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

    assert moved.view == fresh.view
    assert picture(moved) == picture(fresh)


def test_the_animation_draws_no_more_than_its_marks(canvas, monkeypatch):
    canvas.show_position(7, 0.1)
    picture(canvas)
    drawn = []
    monkeypatch.setattr(canvas._painting, "paint", lambda *_: drawn.append(1))
    for phase in (0.2, 0.3, 0.5):
        canvas.show_position(7, phase)
        picture(canvas)

    assert not drawn


@pytest.mark.parametrize("zoom", [0.4, 1.0, 1.6])
def test_a_mark_paints_nothing_outside_of_its_rectangle(canvas, track, zoom):
    canvas.zoom_by(zoom / canvas.view.scale)
    canvas.select(track.recording.nodes[3].id)
    kinds = set()
    for position in range(track.length + 1):
        canvas.show_position(position)
        for mark in marks_of(canvas):
            image = QImage(700, 520, QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(0)
            with painter_on(image) as painter:
                mark.paint(painter)
                painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
                painter.fillRect(mark.rect.toAlignedRect(), Qt.GlobalColor.transparent)
            kinds.add(mark.kind)
            assert not shades(image).any(), mark.kind

    assert {RING, PILL} <= kinds


def test_animation_ends_in_the_picture_at_rest(qtbot, theme, track):
    animated, jumped = shown(qtbot, theme, track), shown(qtbot, theme, track)
    for phase in (0.0, 0.2, 0.5, 0.8, 1.0):
        animated.show_position(8, phase)
        QApplication.processEvents()

    jumped.show_position(8)

    assert picture(animated) == picture(jumped)


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


@pytest.mark.parametrize("zoom", [0.35, 0.7, 1.0])
@pytest.mark.parametrize(("share", "position"), [(0.5, 60), (0.3, 120)])
def test_stretches_of_long_edges_look_as_the_whole_ones_do(qtbot, theme, monkeypatch, share, position, zoom):
    stretches = shades(picture(amid_long_edges(qtbot, theme, zoom, share, position)))
    monkeypatch.setattr(scene_module, "_LONG", 1e9)
    wholes = shades(picture(amid_long_edges(qtbot, theme, zoom, share, position)))

    assert (stretches < 200).any()
    assert (np.abs(stretches - wholes).max(axis=1) > 90).mean() < 1e-3


def branch(depth: float) -> np.ndarray:
    """Out of one point, around a bend, down a trunk, and off to the left at some depth."""
    down, off = 100.0 + (depth - 100.0) * np.array([1 / 3, 2 / 3]), depth + np.array([10.0, 40.0, 50.0])
    return np.array([[0, 0], [0, 50], [100, 50], [100, 100], [100, down[0]], [100, down[1]], [100, depth],
                     [100, off[0]], [-200, off[1]], [-200, off[2]]])  # fmt: skip


@pytest.mark.parametrize("strand", [Strand.QUIET, Strand.FORWARD, Strand.CARRIED])
def test_of_edges_that_share_a_trunk_the_widest_is_drawn_and_where_they_part_all_are(qapp, strand):
    track, layout = grid(60, 6)
    curves = [branch(depth) for depth in (20000.0, 21000.0, 22000.0, 23000.0)]
    scene = Scene(track, replace(layout, curves=(*curves, *layout.curves[4:])))
    order = np.lexsort((layout.edges[:, 2], layout.edges[:, 1]))
    fan = np.flatnonzero(order < 4)
    scene.edge_widths[fan] = [2.0, 4.0, 3.0, 2.5]
    shapes = EdgePainter(scene)._shapes(strand)

    def drawn(top: float) -> list[int]:
        return sorted(edge for edge, _ in shapes.stretches(fan, (-500.0, top, 500.0, top + 1000.0)).values())

    trunk = drawn(8000.0)
    assert len(trunk) == 1
    assert strand is not Strand.CARRIED or trunk == [fan[1]]
    assert len(set(drawn(20500.0))) == 2
    assert drawn(40_000.0) == []
