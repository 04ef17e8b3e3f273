"""The heat strip in the window: nothing while it is closed, a click leads to the call and the leaf."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from gradviz.playback.health.heat import Cell
from gradviz.ui.heat.panel import NOTHING, HeatPanel
from gradviz.ui.heat.strip import Decades
from gradviz.ui.window.window import Window
from tests.playback.health.test_heat import TRAINING
from tests.ui.canvas.canvases import picture
from tests.ui.real_windows import lay_out_parts, real_window, settle


@pytest.fixture
def window(qtbot, tmp_path) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(made)
    made.session.open_script(TRAINING, "training.py")
    settle(qtbot, made)
    yield made
    made.session.close()


def opened(qtbot, window: Window) -> HeatPanel:
    window.trigger("show_heat")
    panel = window.workbench._heat
    assert panel is not None
    qtbot.waitUntil(lambda: not panel.is_busy)
    lay_out_parts(window)
    return panel


def middle_of(panel: HeatPanel, cell: Cell) -> QPointF:
    return panel.strip._rect(cell).center()


def test_it_is_built_only_when_it_is_opened_and_measures_nothing_once_closed(qtbot, window):
    assert window.workbench._heat is None

    panel = opened(qtbot, window)
    heat = panel._heat
    window.trigger("show_heat")
    window.session.edit(TRAINING.replace("range(12)", "range(13)"))
    settle(qtbot, window)

    assert panel.isHidden()
    assert panel._heat is heat

    window.trigger("show_heat")
    qtbot.waitUntil(lambda: not panel.is_busy)

    assert panel._heat is not heat
    assert len(panel._heat.sweeps) == 13


def test_a_click_goes_to_the_step_of_that_leaf_in_that_call(qtbot, window):
    panel = opened(qtbot, window)
    heat = panel._heat

    QTest.mouseClick(panel.strip, Qt.MouseButton.LeftButton, pos=middle_of(panel, Cell(2, 9)).toPoint())
    settle(qtbot, window)

    track, player = window.session.picture.track, window.session.clock.player
    assert track.sweep == heat.sweeps[9]
    assert window.workbench.selected == heat.nodes[2, 9]
    assert track.recording.nodes[window.workbench.selected].name == "net.2.weight"
    assert track.node_at(player.position) == window.workbench.selected
    assert player.position > track.turn


def test_the_keys_walk_over_the_cells_and_return_goes_there(qtbot, window):
    panel = opened(qtbot, window)
    panel.strip.setFocus()

    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(panel.strip, key)

    assert panel.strip.accessibleDescription() == panel._heat.text(Cell(1, 2))

    QTest.keyClick(panel.strip, Qt.Key.Key_Return)
    settle(qtbot, window)

    assert window.session.picture.track.sweep == 2
    assert window.workbench.selected == panel._heat.nodes[1, 2]


def test_the_words_name_the_first_nan_and_the_cell_under_the_pointer(qtbot, window):
    panel = opened(qtbot, window)

    assert panel.words.text().startswith("First NaN or infinity: net.0.weight, backward 8.")

    panel.strip.cell_pointed.emit(Cell(0, 0))

    assert panel.words.text() == panel._heat.text(Cell(0, 0))


def test_a_nan_is_drawn_in_the_colour_of_errors_and_ratios_look_otherwise(qtbot, window):
    panel = opened(qtbot, window)
    at = middle_of(panel, Cell(2, 7)).toPoint()
    error = window._theme.palette.error.lower()

    norms = picture(panel.strip)
    panel.choose_kind(1)
    ratios = picture(panel.strip)

    assert norms.pixelColor(at).name() == error
    assert ratios.pixelColor(at).name() == error
    assert norms != ratios


def test_a_run_without_gradients_says_so(qtbot, window):
    panel = opened(qtbot, window)

    window.session.edit("import torch\nx = torch.ones(2, requires_grad=True)\ny = x * 2\n")
    settle(qtbot, window)
    qtbot.waitUntil(lambda: not panel.is_busy)

    assert panel.words.text() == NOTHING


def test_the_scale_has_as_few_decades_as_hold_the_numbers():
    assert Decades.of(np.array([[0.02, 0.5], [np.nan, 0.0]])) == Decades(-2, 0)
    assert Decades.of(np.array([[np.nan]])) == Decades(-6, 3)
    assert Decades.of(np.array([[1e-9, 1e9]])) == Decades(2, 3)
