"""Long edges that share a trunk: what is drawn of them in a window."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage

from gradviz.ui.canvas.boxes.sprites import Art
from gradviz.ui.canvas.edges.edges import EdgePainter
from gradviz.ui.canvas.edges.trunks import Trunks
from gradviz.ui.canvas.ink.bulk import painter_on
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.moment import Strand
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.palette import LIGHT
from tests.ui.canvas.canvases import picture, shades, shown
from tests.ui.canvas.grids import grid

DEPTHS = np.array([20000.0, 21000.0, 22000.0, 23000.0])
MIDDLE = (-500.0, 8000.0, 500.0, 9000.0)
ENDS = (-500.0, 19000.0, 500.0, 24000.0)


def branch(depth: float) -> np.ndarray:
    """Out of one place, around a bend, down a trunk, and off to the left at some depth."""
    down, off = 100.0 + (depth - 100.0) * np.array([1 / 3, 2 / 3]), depth + np.array([10.0, 40.0, 50.0])
    return np.array([[0, 0], [0, 50], [100, 50], [100, 100], [100, down[0]], [100, down[1]], [100, depth],
                     [100, off[0]], [-200, off[1]], [-200, off[2]]])  # fmt: skip


def branched() -> Scene:
    """The first edges of a grid branch off from one trunk; the widest is the second."""
    track, layout = grid(60, 6)
    curves = list(Scene(track, layout).curves)
    curves[: len(DEPTHS)] = [branch(depth) for depth in DEPTHS.tolist()]
    order = np.lexsort((layout.edges[:, 2], layout.edges[:, 1]))
    placed = dict(zip(order.tolist(), curves, strict=True))
    scene = Scene(track, replace(layout, curves=tuple(placed[row] for row in range(len(curves)))))
    scene.edge_widths[: len(DEPTHS)] = [2.0, 4.0, 3.0, 2.5]
    return scene


def drawn(scene: Scene, which: list[int], strand: Strand, view: View) -> QImage:
    image = QImage(400, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    strands = np.full(len(scene.curves), strand, dtype=np.uint8)
    with painter_on(image) as painter:
        EdgePainter(scene).paint(painter, view, strands, np.array(which), Art(LIGHT, view.scale, 1.0))
    return image


def test_of_a_trunk_the_widest_edge_is_drawn_and_where_they_part_all_are(qapp):
    trunks, fan = Trunks(branched()), np.arange(5)

    assert trunks.apart(fan, MIDDLE).tolist() == [1, 4]
    assert trunks.apart(fan[[0, 2, 3]], MIDDLE).tolist() == [2]
    assert sorted(trunks.apart(fan, ENDS).tolist()) == [0, 1, 2, 3, 4]
    assert sorted(trunks.apart(fan, None).tolist()) == [0, 1, 2, 3, 4]


def test_edges_that_have_branched_off_above_a_window_are_not_of_the_trunk_in_it(qapp):
    trunks = Trunks(branched())

    assert sorted(trunks.apart(np.arange(4), (-500.0, 20500.0, 500.0, 20800.0)).tolist()) == [0, 1]


def test_dashed_edges_are_alike_where_their_dashes_are(qapp):
    scene = branched()
    scene.is_dashed[:3] = True
    later = branch(23000.0)
    later[0] -= (0.0, 4.0)  # its dashes begin earlier
    scene.curves[2][:] = later

    assert sorted(Trunks(scene).apart(np.arange(4), MIDDLE).tolist()) == [1, 2, 3]


@pytest.mark.parametrize("zoom", [0.4, 1.0])
@pytest.mark.parametrize("strand", [Strand.QUIET, Strand.FORWARD, Strand.BACKWARD])
@pytest.mark.parametrize("is_dashed", [False, True])
def test_a_trunk_looks_like_its_widest_edge(qapp, strand, zoom, is_dashed):
    scene, view = branched(), View(zoom, 100.0, -8000.0 * zoom)
    scene.is_dashed[:4] = is_dashed

    trunk = shades(drawn(scene, [0, 1, 2, 3], strand, view))

    assert (trunk < 255).any()
    assert trunk.tolist() == shades(drawn(scene, [1], strand, view)).tolist()


@pytest.mark.parametrize("zoom", [0.4, 0.7, 1.0])
@pytest.mark.parametrize("depth", [60.0, 8000.0, 21000.0])
def test_part_of_a_trunk_drawn_again_is_as_it_was_in_the_whole(qtbot, theme, zoom, depth):
    scene = branched()
    canvas = shown(qtbot, theme, scene.track, scene.layout, scene=scene)
    canvas.show_position(scene.track.turn + 20)
    canvas._look(View(zoom, 350.0, 260.0 - depth * zoom))
    before = picture(canvas)
    frame, whole = canvas._frame(canvas._moment()), QRect(0, 0, 700, 520)

    for part in ((340, 200, 60, 40), (300, 240, 120, 8), (0, 300, 700, 100)):
        canvas._kept._draw(canvas.view, frame, [QRect(*part)], whole, 1.0)
    canvas.update()

    assert picture(canvas) == before
