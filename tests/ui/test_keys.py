"""The keys of the window: where they move, where they type, where they play."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt

from tests.ui.windows import position


@pytest.mark.parametrize(
    ("key", "wanted"),
    [
        (Qt.Key.Key_F10, 6),
        (Qt.Key.Key_Right, 6),
        (Qt.Key.Key_Left, 4),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_End, 9),
    ],
)
def test_step_keys_move_while_the_canvas_has_the_focus(qtbot, opened, key, wanted):
    qtbot.keyClick(opened.workbench.canvas, key)

    assert position(opened) == wanted


def test_space_plays_and_pauses(qtbot, opened):
    qtbot.keyClick(opened.workbench.canvas, Qt.Key.Key_Space)
    assert opened.session.clock.player.is_playing

    qtbot.keyClick(opened.workbench.canvas, Qt.Key.Key_Space)
    assert not opened.session.clock.player.is_playing


def test_plain_keys_type_in_the_editor_and_f10_still_steps(qtbot, opened):
    area = opened.workbench.editor.area
    area.setFocus()
    before = position(opened)

    for key in (Qt.Key.Key_End, Qt.Key.Key_Space, Qt.Key.Key_F):
        qtbot.keyClick(area, key)
    assert position(opened) == before
    assert opened.workbench.editor.text().startswith("one f")
    qtbot.keyClick(area, Qt.Key.Key_F10)
    assert position(opened) == before + 1
    qtbot.keyClick(area, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    assert position(opened) == before


def test_arrows_in_the_table_of_variables_and_space_on_a_button_are_theirs(qtbot, opened):
    opened.session.open_script("import torch\nx = torch.tensor([1., 2.])\n", "x.py")
    qtbot.waitUntil(lambda: opened.session.picture is not None)
    table, first = opened.workbench.variables.table, opened.workbench.timeline.transport.buttons["first"]
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Right)
    assert position(opened) == 5

    first.setFocus()
    qtbot.keyClick(first, Qt.Key.Key_Space)
    assert position(opened) == 0
    assert not opened.session.clock.player.is_playing


def test_escape_leaves_the_editor_for_the_canvas(qtbot, opened):
    opened.workbench.editor.area.setFocus()
    qtbot.keyClick(opened.workbench.editor.area, Qt.Key.Key_Escape)

    assert opened.workbench.canvas.hasFocus()


def test_escape_on_the_canvas_ends_the_selection(qtbot, opened):
    opened.workbench.select(3)
    qtbot.keyClick(opened.workbench.canvas, Qt.Key.Key_Escape)

    assert opened.workbench.selected is None
