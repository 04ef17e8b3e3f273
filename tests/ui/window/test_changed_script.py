"""A changed script in the window: what did not change stays where it is on the screen, the rest glides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from gradviz.layout.graph import request_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.near import lay_out_near, near_to
from gradviz.layout.plan import Floats, Layout
from gradviz.playback.track import Track
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.canvas.glide import DURATION_MS
from gradviz.ui.canvas.plane.view import View
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.picture import Errand
from gradviz.ui.window.window import Window
from tests.ui.real_windows import interpret, real_window, settle

TEXT = """\
import torch
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = c.tanh()
loss = d + a
loss.backward()
"""
LONGER = TEXT.replace("d = c.tanh()\n", "d = c.tanh()\nd = d.exp()\n")


def lay_out(track: Track, sizes: Floats, direction: str, errand: Errand) -> Layout:
    request = request_of(track, sizes, direction)
    layout = lay_out_layers(request)
    if errand.old is not None and errand.was is not None:
        layout = lay_out_near(request, near_to(errand.old, errand.was, request), layout)
    return layout


@pytest.fixture
def window(qtbot, tmp_path) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini", size=(1400, 1500), interpret=interpret, lay_out=lay_out)
    qtbot.addWidget(made)
    made.session.open_script(TEXT, "a.py")
    settle(qtbot, made)
    made.workbench.follows = False
    yield made
    made.close()


def hold_the_glide(window: Window) -> None:
    """Time does not move a glide: it goes where a test takes it, on a slow machine too."""
    window.workbench.canvas._glide_timer.timeout.disconnect()


def edit(qtbot, window: Window, text: str) -> None:
    window.session.edit(text)
    settle(qtbot, window)


def places(window: Window) -> dict[str, tuple[float, float]]:
    """Where the middle of each box is on the screen, by op and name."""
    return places_in(window.workbench.canvas._scene, window.workbench.canvas.view)


def places_in(scene: Scene, view: View) -> dict[str, tuple[float, float]]:
    nodes = [scene.track.recording.nodes[node] for node in scene.track.forward]
    middles = [view.to_screen(tuple(centre)) for centre in scene.layout.centres.tolist()]
    return {f"{node.op} {node.name}": middle for node, middle in zip(nodes, middles, strict=True)}


def image(canvas: Canvas) -> QImage:
    QApplication.processEvents()
    return canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def test_boxes_above_a_new_line_stay_where_they_are_on_the_screen_and_those_below_move_down(qtbot, window) -> None:
    before = places(window)

    edit(qtbot, window, LONGER)

    after = places(window)
    away = {name: np.subtract(after[name], place) for name, place in before.items()}
    still = [name for name, (dx, dy) in away.items() if abs(dx) < 1.0 and abs(dy) < 1.0]
    assert len(after) == len(before) + 1
    assert len(still) >= len(before) / 2
    assert all(abs(dx) < 1.0 for dx, _ in away.values())
    assert away["add loss"][1] > away["mul c"][1]


def test_a_line_taken_back_gives_the_layout_that_was(qtbot, window) -> None:
    layout, view = window.session.picture.layout, window.workbench.canvas.view

    edit(qtbot, window, LONGER)
    assert window.session.picture.layout is not layout
    edit(qtbot, window, TEXT)

    assert window.session.picture.layout is layout
    now = window.workbench.canvas.view
    assert np.allclose((now.scale, now.x, now.y), (view.scale, view.x, view.y), atol=1.0)


def test_stepping_never_moves_a_box(qtbot, window) -> None:
    edit(qtbot, window, LONGER)
    layout, view = window.session.picture.layout, window.workbench.canvas.view

    for position in range(window.session.clock.player.length + 1):
        window.session.clock.player.go(position)

    assert window.session.picture.layout is layout
    assert window.workbench.canvas.view == view


def test_a_picture_that_was_moved_by_hand_keeps_its_zoom(qtbot, window) -> None:
    canvas = window.workbench.canvas
    canvas.zoom_by(1.3)
    scale = canvas.view.scale
    before = places(window)["mul c"]

    edit(qtbot, window, LONGER)

    assert canvas.view.scale == scale
    assert np.allclose(places(window)["mul c"], before, atol=1.5)


def test_the_glide_begins_in_the_old_picture_and_ends_in_that_of_the_same_layout_without_it(qtbot, window) -> None:
    canvas = window.workbench.canvas
    before = places(window)
    window.session.clock.reduced_motion = False
    hold_the_glide(window)
    edit(qtbot, window, LONGER)
    glide = canvas._glide
    assert glide is not None

    scene, view = glide.now(canvas.view)
    begun = places_in(scene, view)
    assert all(np.allclose(begun[name], place, atol=0.01) for name, place in before.items())
    halfway = image(canvas)
    canvas.advance_glide(DURATION_MS)
    still = Canvas(Theme("light"))
    qtbot.addWidget(still)
    still.resize(canvas.size())
    picture = window.session.picture
    still.show_track(picture.drawn, picture.layout)
    still.show()
    still._camera.is_fitted = False
    still._set_view(canvas.view)
    still.show_position(canvas._position)

    assert image(canvas) == image(still)
    assert halfway != image(still)


def test_what_is_new_comes_in_when_the_others_have_made_room(qtbot, window) -> None:
    window.session.clock.reduced_motion = False
    hold_the_glide(window)
    edit(qtbot, window, LONGER)
    glide, scene = window.workbench.canvas._glide, window.workbench.canvas._scene

    shares = []
    for glide.share in (0.0, 0.5, 0.75, 1.0):
        shares.append(glide.coming().share)
    new = [scene.track.recording.nodes[scene.track.forward[i]].op for i in np.flatnonzero(glide.coming().boxes)]

    assert shares[:2] == [0.0, 0.0]
    assert 0.0 < shares[2] < shares[3] == 1.0
    assert new == ["exp"]


def test_with_reduced_motion_the_new_picture_is_there_at_once(qtbot, window) -> None:
    edit(qtbot, window, LONGER)

    assert window.workbench.canvas._glide is None


def test_another_script_is_fitted_and_does_not_glide(qtbot, window) -> None:
    window.session.clock.reduced_motion = False
    canvas = window.workbench.canvas
    canvas.zoom_by(1.7)

    window.session.open_script(LONGER, "b.py")
    settle(qtbot, window)

    assert canvas._glide is None
    fitted = canvas.view
    canvas.fit()
    assert canvas.view == fitted


def test_other_numbers_move_nothing(qtbot, window) -> None:
    window.session.clock.reduced_motion = False
    layout, view = window.session.picture.layout, window.workbench.canvas.view

    edit(qtbot, window, TEXT.replace("2.0", "2.5"))

    assert window.session.picture.layout is layout
    assert window.workbench.canvas.view == view
    assert window.workbench.canvas._glide is None


def test_a_selected_group_that_is_gone_with_an_edit_is_asked_for_no_more(qtbot, window) -> None:
    called = "import torch\n\ndef f(a):\n    return torch.tanh(a * a)\n\na = torch.tensor(2.0, requires_grad=True)\n"
    edit(qtbot, window, f"{called}b = f(f(f(a)))\nb.backward()\n")
    bench = window.workbench
    bench.select_group(len(bench.folds.board.groups.groups) - 1)

    with qtbot.captureExceptions() as raised:
        edit(qtbot, window, f"{called}b = f(a)\nb.backward()\n")

    assert raised == []
    assert bench.selected_group is None
    assert bench.folds.board is not None
