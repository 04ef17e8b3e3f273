"""Files in the window: unsaved changes, saving, exports, what is dropped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication

from gradviz.errors import FormatError
from gradviz.formats import json_file
from gradviz.formats.summaries import LeftOut, Place, Weighed
from gradviz.shipped import shipped
from gradviz.ui.session.document import Content
from gradviz.ui.session.drafts import Drafts, draft_of
from gradviz.ui.window.files import Changed, Discarded, Unsaved
from gradviz.ui.window.window import OVERTAKEN, SHARED, VANISHED
from tests.ui.windows import TEXT, answer, choose_file, new_window, open_in

LARGE = LeftOut([Weighed(Place("values", at), np.zeros(10), 0, "float32", 120) for at in (0, 1)], 4 * 10**9)


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
    with pytest.raises(FormatError, match=r"\.png, \.svg, \.pdf, \.gif, \.apng, \.mp4, \.html, \.gradviz, \.json"):
        opened.files.export_to(tmp_path / "a.bmp")


@pytest.mark.parametrize("suffix", [".png", ".svg", ".pdf"])
def test_picture_is_exported(opened, tmp_path, suffix):
    opened.files.export_to(tmp_path / f"a{suffix}")

    assert (tmp_path / f"a{suffix}").stat().st_size > 500


def test_page_is_exported_while_the_window_goes_on_painting(opened, tmp_path):
    opened.files.export_to(tmp_path / "a.html")

    assert (tmp_path / "a.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_page_that_cannot_be_written_is_an_error(opened, tmp_path):
    with pytest.raises(FormatError, match="cannot be written"):
        opened.files.export_to(tmp_path / "no folder" / "a.html")


def test_recording_is_exported_and_opens_again(qtbot, opened, tmp_path):
    opened.files.export_to(tmp_path / "a.json")
    with qtbot.waitSignal(opened.session.picture_changed):
        opened.open_path(tmp_path / "a.json")

    assert opened.session.document.content.name == "a.json"
    assert opened.session.document.content.text == TEXT


def test_text_that_leaves_numbers_out_is_said_before_it_is_exported(opened, monkeypatch):
    opened.trigger("export")
    dialog = opened.files._export
    dialog.format.setCurrentIndex(dialog.format.findData(".json"))
    assert "summar" not in dialog.holds.text()

    monkeypatch.setattr(json_file, "left_out", lambda *_: LARGE)
    opened.trigger("export")
    assert "2 arrays are summaries in it (norm, extremes, a sample)" in dialog.holds.text()
    assert "A .gradviz file keeps them all." in dialog.holds.text()
    dialog.format.setCurrentIndex(dialog.format.findData(".gradviz"))
    assert "summar" not in dialog.holds.text()
    dialog.reject()


@pytest.mark.parametrize(("name", "is_written"), [("mine.json", False), ("mine.gradviz", True)])
def test_what_is_saved_loses_no_number(opened, monkeypatch, tmp_path, name, is_written):
    monkeypatch.setattr(json_file, "left_out", lambda *_: LARGE)
    choose_file(monkeypatch, "getSaveFileName", tmp_path / name)

    opened.trigger("save_as")

    assert (tmp_path / name).exists() == is_written
    assert ("Save it as .gradviz" in opened.statusBar().currentMessage()) != is_written
    assert opened.session.document.content.path == (tmp_path / name if is_written else None)


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


def test_file_that_somebody_else_has_written_since_it_was_run_is_shown_first_again(qtbot, window, reader, tmp_path):
    file = tmp_path / "strange.py"
    file.write_text("strange")
    window.open_path(file)
    with qtbot.waitSignal(window.session.picture_changed):
        qtbot.mouseClick(window.workbench.held.run, Qt.MouseButton.LeftButton)

    file.write_text("stranger")
    window.open_path(file)

    assert reader.texts == ["strange"]
    assert window.session.document.content.held == file
    assert not window.workbench.held.isHidden()


def test_text_that_was_run_here_runs_at_once_from_any_file(qtbot, window, reader, tmp_path):
    window._settings.trust("known")
    (tmp_path / "copy.py").write_text("known")

    with qtbot.waitSignal(window.session.picture_changed):
        window.open_path(tmp_path / "copy.py")

    assert reader.texts == ["known"]


def test_script_that_was_typed_and_saved_here_runs_at_once(qtbot, opened, tmp_path, monkeypatch):
    choose_file(monkeypatch, "getSaveFileName", tmp_path / "mine.py")
    opened.files.save_as()

    with qtbot.waitSignal(opened.session.picture_changed):
        opened.open_path(tmp_path / "mine.py")

    assert opened.session.document.content.held is None


# ---- nothing is lost ----


def test_an_expression_is_never_asked_about(qtbot, window, monkeypatch):
    asked = answer(monkeypatch, Unsaved.CANCEL)
    with qtbot.waitSignal(window.session.picture_changed):
        window.open_text("sum(x**2)")
    window.session.document.set_text("changed")

    assert window.close()
    assert asked == []


def test_what_has_no_name_is_on_the_start_page_of_the_next_start(qtbot, window, settings, reader):
    with qtbot.waitSignal(window.session.picture_changed):
        window.open_text("sum(x**2)")
    window.session.document.set_text("changed")
    window.close()

    following = new_window(qtbot, settings, reader)
    qtbot.waitUntil(lambda: len(following.start.drafts) == 1)
    button, _ = following.start.drafts[0]
    assert button.text().startswith("untitled.py, ")
    with qtbot.waitSignal(following.session.picture_changed):
        button.click()

    assert following.workbench.editor.text() == "changed"
    assert following.session.document.content.is_modified
    following.trigger("start")
    qtbot.waitUntil(lambda: following.start.drafts == [])
    following.session.close()


def test_a_draft_is_discarded_for_good_only_after_a_question(qtbot, settings, reader, monkeypatch):
    drafts = Drafts(settings.drafts)
    drafts.keep(draft_of(Content(text="a & <b>")))
    drafts.let_go(stays=True)
    window = new_window(qtbot, settings, reader)
    qtbot.waitUntil(lambda: len(window.start.drafts) == 1)

    for may_go in (False, True):
        monkeypatch.setattr(Discarded, "ask", classmethod(lambda _cls, _parent, _name, may_go=may_go: may_go))
        with qtbot.waitSignal(window.autosave.found_changed):
            window.start.drafts[0][1].click()
            window.autosave.look()
        assert len(drafts.found()) == (not may_go)

    qtbot.waitUntil(lambda: window.start.drafts == [])
    window.session.close()


def test_where_drafts_cannot_be_kept_what_has_no_name_is_asked_about(opened, settings, monkeypatch):
    settings.drafts.rename(settings.drafts.with_name("away"))
    settings.drafts.write_text("a file where the folder should be")
    opened.session.open_script("", "untitled.py", is_new=True)
    opened.session.document.set_text("typed")
    asked = answer(monkeypatch, Unsaved.CANCEL)

    assert not opened.close()
    assert asked == ["untitled.py"]


def test_a_save_that_fails_while_closing_keeps_the_window(opened, monkeypatch, tmp_path):
    opened.session.document.set_text("changed")
    answer(monkeypatch, Unsaved.SAVE)
    choose_file(monkeypatch, "getSaveFileName", tmp_path / "no folder" / "mine.py")

    assert not opened.close()
    assert "cannot be written" in opened.statusBar().currentMessage()
    assert opened.session.document.content.text == "changed"


@pytest.fixture
def on_disk(qtbot, opened, tmp_path):
    """A file that is open."""
    file = tmp_path / "mine.py"
    file.write_text("mine\n")
    return open_in(qtbot, opened, "mine\n", "mine.py", file), file


def choose(monkeypatch, text: str) -> list[str]:
    asked: list[str] = []
    monkeypatch.setattr(Changed, "ask", classmethod(lambda _cls, _parent, name: asked.append(name) or text))
    return asked


def test_a_file_that_another_program_has_changed_is_not_overwritten_unasked(on_disk, monkeypatch):
    window, file = on_disk
    window.session.document.set_text("mine, changed\n")
    file.write_text("of another program\n")
    asked = choose(monkeypatch, Changed.CANCEL)

    window.trigger("save")

    assert asked == ["mine.py"]
    assert file.read_text() == "of another program\n"
    assert window.session.document.content.is_modified
    choose(monkeypatch, Changed.OVERWRITE)
    window.trigger("save")
    assert file.read_text() == "mine, changed\n"
    assert not window.session.document.content.is_modified


def test_a_file_that_another_program_has_changed_can_be_saved_beside_it(on_disk, monkeypatch, tmp_path):
    window, file = on_disk
    window.session.document.set_text("mine, changed\n")
    file.write_bytes(b"\xff\xfe\x00 no text any more")
    choose(monkeypatch, Changed.SAVE_AS)
    choose_file(monkeypatch, "getSaveFileName", tmp_path / "beside.py")

    window.trigger("save")

    assert (tmp_path / "beside.py").read_text() == "mine, changed\n"
    assert file.read_bytes().startswith(b"\xff\xfe")


@pytest.mark.parametrize("change", [lambda file: file.unlink(), lambda file: file.write_bytes(b"mine\r\n")],
                         ids=["it is gone", "only its line ends"])  # fmt: skip
def test_a_file_that_lost_nothing_is_saved_without_a_question(on_disk, monkeypatch, change):
    window, file = on_disk
    window.session.document.set_text("mine, changed\n")
    change(file)
    asked = choose(monkeypatch, Changed.CANCEL)

    window.trigger("save")

    assert asked == []
    assert file.read_text() == "mine, changed\n"


def test_half_a_character_cannot_be_saved_and_the_line_is_named(on_disk):
    window, file = on_disk
    window.session.document.set_text("one\ntwo \ud800\n")

    window.trigger("save")

    assert "line 2 has half of a character" in window.statusBar().currentMessage()
    assert file.read_text() == "mine\n"


def test_a_file_that_is_open_in_another_window_is_said(qtbot, window, settings, reader, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("mine\n")
    drafts = Drafts(settings.drafts)
    drafts.keep(draft_of(Content(text="mine\n", name="mine.py", path=file, saved_text="mine\n")))
    settings.trust("mine\n")

    with qtbot.waitSignal(window.autosave.shared):
        window.open_path(file)

    assert window.statusBar().currentMessage() == SHARED.format(name="mine.py")
    drafts.let_go(stays=False)


@pytest.mark.parametrize("suffix", [".gv", ".dot", ".graphml", ".csv", ".md", ".py"])
def test_a_text_is_exported(opened, tmp_path, suffix):
    opened.files.export_to(tmp_path / f"a{suffix}")

    assert (tmp_path / f"a{suffix}").stat().st_size > 100


def test_an_export_does_not_replace_the_script(on_disk):
    window, file = on_disk

    with pytest.raises(FormatError, match="is the script itself"):
        window.files.export_to(file)
    assert file.read_text() == "mine\n"


def test_a_change_by_another_program_is_said_once_when_the_window_is_looked_at_again(qtbot, on_disk):
    window, file = on_disk
    told: list[Path] = []
    window.autosave.overtaken.connect(told.append)
    look_again(window)
    assert told == []

    file.write_text("of another program\n")
    look_again(window)
    look_again(window)

    assert told == [file]
    assert window.statusBar().currentMessage() == OVERTAKEN.format(name="mine.py")
    assert window.session.document.content.text == "mine\n"


def test_a_file_that_is_gone_is_said_once_when_the_window_is_looked_at_again(qtbot, on_disk):
    window, file = on_disk
    told: list[Path] = []
    window.autosave.vanished.connect(told.append)

    file.unlink()
    look_again(window)
    look_again(window)

    assert told == [file]
    assert window.statusBar().currentMessage() == VANISHED.format(name="mine.py")
    assert window.session.document.content.text == "mine\n"


def look_again(window) -> None:
    window.activateWindow()
    QApplication.sendEvent(window, QEvent(QEvent.Type.ActivationChange))
    assert window.autosave.is_safe()
    QApplication.processEvents()
