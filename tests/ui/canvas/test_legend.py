"""The legend: where it leaves the height to a narrow graph."""

from __future__ import annotations

import pytest

from gradviz.playback.track import Track
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.plane.view import holds
from tests.recorded import run
from tests.samples import weighted_sum
from tests.ui.canvas.canvases import shown
from tests.ui.canvas.grids import placed
from tests.ui.same_state import grab


def legend_of(canvas) -> tuple[float, float, float, float]:
    rect = canvas._legend_marks()[0].rect
    return rect.left(), rect.top(), rect.right(), rect.bottom()


def test_a_narrow_graph_has_all_the_height_beside_an_upright_legend(qtbot, theme):
    text = "import torch\nh = torch.tensor(0.5, requires_grad=True)\nfor _ in range(6):\n    h = h.sigmoid()\nh.backward()\n"
    track = Track(run(text, "one.py").recording, 0)
    canvas = shown(qtbot, theme, track, placed(track, 1), size=(800, 480))

    left, top, right, bottom = legend_of(canvas)
    boxes = canvas.view.boxes_to_screen(canvas._scene.boxes.copy())

    assert canvas._camera.has_tall_legend
    assert bottom - top > right - left - 60
    assert boxes[:, 3].max() > top
    assert not any(x0 < right and x1 > left and y0 < bottom and y1 > top for x0, y0, x1, y1 in boxes.tolist())
    assert holds(canvas._camera.sight, (left, top, right, bottom))


@pytest.mark.parametrize("size", [(700, 520), (400, 300)])
def test_under_a_wide_graph_the_legend_lies_flat(qtbot, theme, size):
    track = Track(weighted_sum(), 0)
    canvas = shown(qtbot, theme, track, placed(track, 5), size=size)

    assert not canvas._camera.has_tall_legend


def test_under_a_graph_of_which_a_part_is_out_of_sight_it_stands_in_a_strip_of_its_own(qtbot, theme):
    track = Track(weighted_sum(), 0)
    canvas = shown(qtbot, theme, track, placed(track, 1), size=(900, 620))
    whole = canvas._camera.sight
    canvas.zoom_by(3.0)

    left, top, right, bottom = legend_of(canvas)

    assert (left, right, bottom) == (0.0, 901.0, 621.0)  # with what may be a part of a pixel
    assert canvas._camera.sight == (*whole[:3], top)
    for node in range(5):
        canvas.reveal(node)
        box = canvas.view.boxes_to_screen(canvas._scene.boxes[[canvas._scene.track.index_of[node]]].copy())[0]
        assert (box[1] + box[3]) / 2 < top
    canvas.fit()
    assert canvas._camera.sight == whole


def test_a_graph_is_fitted_alike_from_wherever_it_was_seen(qtbot, theme):
    track = Track(weighted_sum(), 0)
    canvas = shown(qtbot, theme, track, placed(track, 1), size=(900, 620))
    before = canvas.view

    canvas.zoom_by(4.0)
    canvas.fit()

    assert canvas.view == before


def test_the_strip_leaves_no_part_of_a_pixel_open(qtbot, theme, monkeypatch):
    monkeypatch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: 1.25)
    track = Track(weighted_sum(), 0)
    canvas = shown(qtbot, theme, track, placed(track, 1), size=(538, 611))
    canvas.zoom_by(3.0)
    assert canvas._camera.has_docked_legend

    image = grab(canvas)

    corner = image.pixelColor(image.width() - 1, image.height() - 1)
    assert corner == image.pixelColor(image.width() - 9, image.height() - 9)


@pytest.mark.parametrize(("height", "has_legend"), [(120, False), (129, False), (131, True), (300, True)])
def test_a_low_canvas_leaves_its_room_to_the_graph(qtbot, theme, height, has_legend):
    track = Track(weighted_sum(), 0)
    canvas = shown(qtbot, theme, track, placed(track, 5), size=(700, height))

    assert bool(canvas._legend_marks()) is has_legend


@pytest.mark.parametrize("height", [140, 180, 240])
def test_in_a_low_canvas_no_upright_legend_lies_over_the_graph(qtbot, theme, height):
    text = "import torch\nh = torch.tensor(0.5, requires_grad=True)\nfor _ in range(40):\n    h = h.sigmoid()\nh.backward()\n"
    track = Track(run(text, "one.py").recording, 0)
    canvas = shown(qtbot, theme, track, placed(track, 1), size=(440, height))

    for mark in canvas._legend_marks():
        assert mark.rect.height() <= 0.4 * height + 8
