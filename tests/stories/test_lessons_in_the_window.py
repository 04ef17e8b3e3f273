"""Every lesson opened in the real window and stepped through, key by key, to its figures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gradviz.shipped import shipped
from gradviz.ui.app.rooms import Rooms
from gradviz.ui.app.start import build
from gradviz.ui.inspector.product_plan import OUT, J, V
from gradviz.ui.inspector.product_view import ProductView
from gradviz.ui.window.files import Unsaved
from gradviz.ui.window.window import Window
from tests.ui.windows import discard_windows

FIGURES: dict[int, list[tuple[str, Any]]] = {
    1: [("x", 2)],
    2: [("x", 200)],
    3: [("x", [-2, -1, 0, 1, 2])],
    4: [("x", [-6, 20])],
    5: [("x", [[-1, 1]] * 3)],
    6: [("x", -3), ("x", 5)],
    7: [("x", [[1, 1], [1, 1]])],
    9: [("x", [1, 1]), ("x", [100, 100])],
    10: [("x", [[35.1094]]), ("x", [[3.5109]]), ("x", [[7.0219]])],
    11: [("x", [[43.4037, 0], [5.4059, 0]]), ("x", [[43.4037, 2.0519], [5.4059, 18.7634]])],
    12: [("x", [[2.1471], [18.3086]])],
    13: [("point", [4, 5])],
}
"""`.grad` after each backward call, by variable."""


@pytest.fixture
def window(qtbot, tmp_path: Path, monkeypatch) -> Iterator[Window]:
    monkeypatch.setattr(Unsaved, "ask", classmethod(lambda *_: Unsaved.DISCARD))
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    made = build(app, Rooms(), tmp_path / "settings.ini")
    qtbot.addWidget(made)
    made.resize(1300, 850)
    made.show()
    yield made
    made.session.close()
    discard_windows()


def opened(qtbot, window: Window, number: int) -> Window:
    (file,) = shipped("examples").glob(f"{number:02}_*.py")
    window.open_path(file)
    qtbot.waitUntil(lambda: drawn(window) == (file.name, window.session.document.content.sweep), timeout=20_000)
    window.session.clock.reduced_motion = True
    return window


def drawn(window: Window) -> tuple[str | None, int | None]:
    """The script and the sweep of the picture that stands."""
    picture = window.session.picture
    if picture is None or picture.track.recording.source is None:
        return None, None
    return picture.track.recording.source.name, picture.track.sweep


def stepped_to_the_end(qtbot, window: Window) -> int:
    """Press Home, then F10 until nothing moves; returns the number of steps."""
    player = window.session.clock.player
    window.activateWindow()  # the offscreen platform takes it away when a picture is first made
    window.workbench.canvas.setFocus()
    qtbot.waitUntil(window.isActiveWindow)
    qtbot.keyClick(window.workbench.canvas, Qt.Key.Key_Home)
    assert player.position == 0
    for step in range(1, player.length + 1):
        qtbot.keyClick(window.workbench.canvas, Qt.Key.Key_F10)
        assert player.position == step
    return player.length


@pytest.mark.parametrize("number", FIGURES)
def test_stepping_a_lesson_ends_at_its_figures(qtbot, window: Window, number: int) -> None:
    opened(qtbot, window, number)
    sweeps = window.session.document.content.recording.sweeps

    assert len(sweeps) == len(FIGURES[number])
    for index, (name, figure) in enumerate(FIGURES[number]):
        if index != window.session.document.content.sweep:
            window.session.document.choose_sweep(index)
            qtbot.waitUntil(lambda: drawn(window)[1] == window.session.document.content.sweep, timeout=20_000)
        assert window.session.picture is not None
        track = window.session.picture.track
        length = stepped_to_the_end(qtbot, window)
        assert length == track.length > 0
        ends = {track.recording.nodes[a.node].name: a.after for a in sweeps[index].accumulated}
        np.testing.assert_allclose(ends[name], figure, rtol=2e-4, atol=1e-6)
        assert f"{name}.grad" in window.workbench.inspector.text()


def test_the_field_of_lesson_eight_has_both_gradients(qtbot, window: Window) -> None:
    opened(qtbot, window, 8)
    stepped_to_the_end(qtbot, window)

    gradients = window.session.document.content.recording.gradients

    assert gradients["X"].shape == gradients["Y"].shape == (9, 9)


def test_lesson_thirteen_draws_v_the_jacobian_and_what_goes_out(qtbot, window: Window) -> None:
    """The Jacobian of the script's own Function is asked of the process that ran it."""
    opened(qtbot, window, 13)
    picture, inspector = window.session.picture, window.workbench.inspector
    assert picture is not None
    view = inspector.findChild(ProductView)
    assert isinstance(view, ProductView)

    window.session.clock.player.go(picture.track.turn + 1)
    qtbot.waitUntil(view.isVisible, timeout=20_000)

    assert [(tile.kind, tile.text) for tile in view.plan().tiles] == [
        *[(V, "1")] * 3, *[(J, text) for text in "202104"], (OUT, "4"), (OUT, "5"),
    ]  # fmt: skip
    assert view.described().endswith("4 = 1·2 + 1·2 + 1·0; 5 = 1·0 + 1·1 + 1·4")
    assert "took 3 numbers and gave back 2; the matrix would have 6." in inspector.text()


def test_the_rows_of_lesson_fourteen_are_three_passes(qtbot, window: Window) -> None:
    opened(qtbot, window, 14)
    sweeps = window.session.document.content.recording.sweeps

    rows = [next(s.incoming for s in sweep.steps if not s.outgoing) for sweep in sweeps[:3]]

    np.testing.assert_allclose(rows, [[2, 0], [2, 1], [0, 4]])


def test_lesson_fifteen_shows_the_error_and_the_graph(qtbot, window: Window) -> None:
    opened(qtbot, window, 15)
    content = window.session.document.content

    assert "grad can be implicitly created only for scalar outputs" in content.recording.problem.message
    assert stepped_to_the_end(qtbot, window) > 0
