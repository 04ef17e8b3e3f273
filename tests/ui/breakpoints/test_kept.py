"""Breakpoints are kept: from run to run, with the text, in files and in settings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gradviz.playback.conditions.breakpoints import Breakpoint
from gradviz.ui.app.settings import MAX_DOCUMENTS, Settings
from tests.ui.windows import TEXT, open_in


@pytest.fixture
def stopping(opened):
    return opened.workbench.stopping


def texts(window) -> list[str]:
    return [one.text for one in window.session.document.content.breakpoints]


def test_breakpoints_hold_in_the_next_run_and_lines_move_with_the_text(qtbot, opened, stopping):
    stopping.toggle_line(6)
    stopping.add("name = y")
    with qtbot.waitSignal(opened.session.document.run_ended):
        opened.session.edit("new\n" + TEXT)

    assert texts(opened) == ["line = 7", "name = y"]
    assert stopping.nodes(on=True) == {4}


def test_dots_move_along_while_lines_are_typed_above(qtbot, opened, stopping):
    area = opened.workbench.editor.area
    stopping.toggle_line(6)
    area.moveCursor(area.textCursor().MoveOperation.Start)
    qtbot.keyClick(area, Qt.Key.Key_Return)

    assert (area.marks.stop_of(6), area.marks.stop_of(7)) == (None, True)


def test_breakpoints_of_a_file_come_back_when_it_is_opened_again(qtbot, window, tmp_path):
    path = tmp_path / "script.py"
    open_in(qtbot, window, name="script.py", path=path)
    window.workbench.stopping.add("norm > 5")
    window.workbench.stopping.turn("norm > 5", False)
    open_in(qtbot, window, "other", "other.py")
    assert texts(window) == []

    open_in(qtbot, window, name="script.py", path=path)
    assert window.session.document.content.breakpoints == (Breakpoint("norm > 5", False),)
    assert window.workbench.breakpoints.isVisible()


def test_a_script_in_no_file_leaves_nothing_behind(qtbot, window):
    open_in(qtbot, window, name="untitled.py")
    window.workbench.stopping.add("nan")
    open_in(qtbot, window, name="untitled.py")

    assert texts(window) == []


def test_saving_under_another_name_keeps_them_there(qtbot, window, tmp_path):
    open_in(qtbot, window, name="untitled.py")
    window.workbench.stopping.add("nan")
    window.session.document.set_saved(tmp_path / "named.py")

    assert window._settings.breakpoints(str(tmp_path / "named.py")) == (Breakpoint("nan"),)


def test_damaged_settings_are_read_as_far_as_they_go(tmp_path: Path):
    settings = Settings(tmp_path / "s.ini")
    settings.store.setValue("breakpoints", '{"a": [["nan", true], ["norm >", true], 3, ["inf", "yes"]], "b": 7}')
    assert settings.breakpoints("a") == (Breakpoint("nan"),)
    assert settings.breakpoints("b") == ()

    settings.store.setValue("breakpoints", "{")
    assert settings.breakpoints("a") == ()


def test_settings_keep_the_breakpoints_of_the_documents_used_last(tmp_path: Path):
    settings = Settings(tmp_path / "s.ini")
    for number in range(MAX_DOCUMENTS + 2):
        settings.remember_breakpoints(f"{number}.py", (Breakpoint("nan"),))
    settings.remember_breakpoints("5.py", ())

    assert settings.breakpoints("0.py") == settings.breakpoints("5.py") == ()
    assert settings.breakpoints("2.py") == (Breakpoint("nan"),)


def test_picture_without_a_backward_pass_has_breakpoints_too(qtbot, opened, stopping):
    content = opened.session.document.content
    opened.session.document._write(recording=replace(content.recording, sweeps=()), sweep=None, script_sweeps=0)
    QApplication.processEvents()
    stopping.add("norm > 0")
    stopping.toggle_line(4)

    assert stopping.positions == (3,)


def test_another_document_opens_while_playing_is_stopped(qtbot, opened):
    stopping = opened.workbench.stopping
    stopping.add("op = mul")
    stopping.add("op = sum")
    opened.trigger("first")
    opened.trigger("next_stop")
    assert stopping.held()

    open_in(qtbot, opened, "another\n", "two.py")

    assert stopping.breakpoints == ()
    assert stopping.counts == ()
    assert opened.workbench.breakpoints.tree.topLevelItemCount() == 0
