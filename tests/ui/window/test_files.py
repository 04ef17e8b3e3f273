"""Files in the window: unsaved changes, saving, exports, what is dropped."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent

from gradviz.errors import FormatError
from gradviz.shipped import shipped
from gradviz.ui.window.files import Unsaved
from tests.ui.windows import TEXT, answer, choose_file


def test_unsaved_changes_are_asked_about_before_closing(opened, monkeypatch):
    opened.session.document.set_text("changed")
    asked = answer(monkeypatch, Unsaved.CANCEL)

    assert not opened.close()
    assert asked == ["one.py"]
    answer(monkeypatch, Unsaved.DISCARD)
    assert opened.close()


def test_unsaved_changes_are_asked_about_before_opening(opened, monkeypatch, tmp_path):
    (tmp_path / "other.py").write_text("other")
    opened.session.document.set_text("changed")
    asked = answer(monkeypatch, Unsaved.CANCEL)

    opened.open_path(tmp_path / "other.py")
    assert asked == ["one.py"]
    assert opened.session.document.content.text == "changed"


def test_what_was_typed_a_moment_ago_counts_as_unsaved(qtbot, opened, monkeypatch):
    asked = answer(monkeypatch, Unsaved.CANCEL)
    opened.workbench.editor.area.setFocus()
    qtbot.keyClicks(opened.workbench.editor.area, "x")

    assert not opened.close()
    assert asked == ["one.py"]


def test_unchanged_script_closes_without_a_question(opened, monkeypatch):
    asked = answer(monkeypatch, Unsaved.CANCEL)

    assert opened.close()
    assert asked == []


def test_save_asks_for_a_file_once(opened, monkeypatch, tmp_path):
    file = tmp_path / "mine.py"
    choose_file(monkeypatch, "getSaveFileName", file)
    opened.trigger("save")
    assert file.read_text() == TEXT

    opened.session.document.set_text("more")
    choose_file(monkeypatch, "getSaveFileName", tmp_path / "not asked for.py")
    opened.trigger("save")
    assert file.read_text() == "more"
    assert not opened.session.document.content.is_modified
    assert opened.top.name.text() == "mine.py"


def test_file_that_cannot_be_written_is_a_message(opened, monkeypatch, tmp_path):
    choose_file(monkeypatch, "getSaveFileName", tmp_path / "no folder" / "mine.py")
    opened.trigger("save")

    assert "cannot be written" in opened.statusBar().currentMessage()
    assert opened.session.document.content.path is None


def test_export_by_an_unknown_suffix_names_the_known_ones(opened, tmp_path):
    with pytest.raises(FormatError, match=r"\.png, \.svg, \.pdf, \.json"):
        opened.files.export_to(tmp_path / "a.gif")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_picture_is_exported(opened, tmp_path, suffix):
    opened.files.export_to(tmp_path / f"a{suffix}")

    assert (tmp_path / f"a{suffix}").stat().st_size > 500


def test_recording_is_exported_and_opens_again(qtbot, opened, tmp_path):
    opened.files.export_to(tmp_path / "a.json")
    with qtbot.waitSignal(opened.session.picture_changed):
        opened.open_path(tmp_path / "a.json")

    assert opened.session.document.content.name == "a.json"
    assert opened.session.document.content.text == TEXT


def test_dropped_file_is_opened(qtbot, window, tmp_path):
    file = tmp_path / "dropped.py"
    file.write_text("dropped")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    drop = QDropEvent(
        QPointF(10, 10), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    window.dropEvent(drop)

    assert window.session.document.content.path == file
    assert window._settings.recent == (file,)


def test_file_from_elsewhere_is_shown_first_and_run_by_a_button_that_is_remembered(qtbot, window, reader, tmp_path):
    file = tmp_path / "strange.py"
    file.write_text("strange")

    window.open_path(file)
    held = window.workbench.held
    assert reader.texts == []
    assert not held.isHidden()
    assert "strange.py" in held.words.text()
    assert "Not run yet" in window.workbench.empty.text()

    with qtbot.waitSignal(window.session.picture_changed):
        qtbot.mouseClick(held.run, Qt.MouseButton.LeftButton)
    assert held.isHidden()

    with qtbot.waitSignal(window.session.document.run_ended):
        window.open_path(file)
    qtbot.waitUntil(lambda: reader.texts == ["strange", "strange"])


def test_lesson_runs_at_once_though_it_is_opened_as_a_file(qtbot, window):
    with qtbot.waitSignal(window.session.picture_changed):
        window.open_path(shipped("examples") / "01_square.py")

    assert window.workbench.held.isHidden()


def test_script_that_was_typed_and_saved_here_runs_at_once(qtbot, opened, tmp_path, monkeypatch):
    choose_file(monkeypatch, "getSaveFileName", tmp_path / "mine.py")
    opened.files.save_as()

    with qtbot.waitSignal(opened.session.picture_changed):
        opened.open_path(tmp_path / "mine.py")

    assert opened.session.document.content.held is None
