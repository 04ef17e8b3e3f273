"""Undo of whatever the user changes, by name and in the order in which it happened."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt

from gradviz.playback.conditions.breakpoints import on_line
from gradviz.source.leaf_changes import LeafChange
from gradviz.ui.session.history import MOST, History, Snapshot, edit_name
from tests.ui.windows import TEXT, open_in


def type_in(window, text: str) -> None:
    """Type a whole text, and rest."""
    window.workbench.editor.set_text(text)
    window.workbench.editor._told = None
    window.workbench.editor.flush()


def words(window) -> tuple[str, str]:
    return tuple(window.actions_by_name.by_name[name].text() for name in ("undo", "redo"))


def seeds(window) -> list[float]:
    return [float(each.seed) for each in window.session.document.content.hand_seeds]


def set_seed(qtbot, window, number: float) -> None:
    with qtbot.waitSignal(window.session.picture_changed):
        window.session.sweep_by_hand(4, np.float32(number))


def test_an_edit_is_taken_back_by_name_and_made_again(qtbot, opened, reader):
    type_in(opened, TEXT.replace("three", "3"))
    assert words(opened) == ("Undo: edit of line 3", "Redo")

    opened.trigger("undo")
    assert opened.workbench.editor.text() == opened.session.document.content.text == TEXT
    assert words(opened) == ("Undo", "Redo: edit of line 3")

    reader.texts.clear()
    opened.trigger("redo")
    assert opened.session.document.content.text == TEXT.replace("three", "3")
    qtbot.waitUntil(lambda: TEXT.replace("three", "3") in reader.texts)  # a run that was given up may read later


def test_what_was_typed_a_moment_ago_is_taken_back_too(qtbot, opened):
    opened.workbench.editor.area.setFocus()
    qtbot.keyClicks(opened.workbench.editor.area, "abc")

    opened.trigger("undo")

    assert opened.workbench.editor.text() == TEXT
    assert opened.session.document.content.text == TEXT


def test_the_key_in_the_editor_takes_back_what_was_last_wherever_that_was(qtbot, opened):
    type_in(opened, TEXT + "more\n")
    opened.session.document.set_breakpoints([on_line(2)])
    area = opened.workbench.editor.area
    area.setFocus()

    qtbot.keyClick(area, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert opened.session.document.content.breakpoints == ()
    assert opened.session.document.content.text == TEXT + "more\n"

    qtbot.keyClick(area, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert opened.session.document.content.text == TEXT
    qtbot.keyClick(area, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert opened.session.document.content.text == TEXT + "more\n"


def test_a_seed_is_taken_back_with_its_sweep_and_set_again(qtbot, opened):
    document = opened.session.document
    script_sweeps = len(document.content.recording.sweeps)
    set_seed(qtbot, opened, 2)
    set_seed(qtbot, opened, 3)
    assert words(opened)[0] == "Undo: v of y"

    opened.trigger("undo")
    assert seeds(opened) == [2]
    assert len(document.content.recording.sweeps) == script_sweeps + 1
    assert document.content.sweep == script_sweeps
    opened.trigger("undo")
    assert seeds(opened) == []
    assert len(document.content.recording.sweeps) == script_sweeps

    with qtbot.waitSignal(opened.session.picture_changed):
        opened.trigger("redo")
    assert seeds(opened) == [2]
    assert words(opened) == ("Undo: v of y", "Redo: v of y")


def test_a_seed_that_an_edit_made_impossible_comes_back_with_the_text(qtbot, opened):
    set_seed(qtbot, opened, 2)
    with qtbot.waitSignal(opened.session.document.run_ended):
        type_in(opened, "bad")
    assert seeds(opened) == []

    with qtbot.waitSignal(opened.session.document.recording_changed):
        opened.trigger("undo")
    assert seeds(opened) == [2]
    assert words(opened) == ("Undo: v of y", "Redo: 7 lines less at line 1")


def test_a_breakpoint_lost_with_its_line_comes_back_with_it(opened):
    opened.session.document.set_breakpoints([on_line(3)])
    type_in(opened, "one\ntwo\nfour\n")
    assert words(opened)[0].startswith("Undo: 4 lines less")

    opened.trigger("undo")

    assert opened.session.document.content.text == TEXT
    assert opened.session.document.content.breakpoints == (on_line(3),)


def test_a_new_change_ends_what_could_be_made_again(opened):
    type_in(opened, "a")
    opened.trigger("undo")
    type_in(opened, "b")

    assert words(opened) == ("Undo: 7 lines less at line 1", "Redo")
    opened.trigger("redo")
    assert opened.session.document.content.text == "b"


def test_another_document_has_a_history_of_its_own(qtbot, opened):
    type_in(opened, "a")
    open_in(qtbot, opened, "other", "two.py")

    assert words(opened) == ("Undo", "Redo")
    opened.trigger("undo")
    assert opened.session.document.content.text == "other"


def test_a_change_in_the_table_of_variables_has_the_name_of_the_variable(qtbot, opened):
    text = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\n"
    open_in(qtbot, opened, text, "x.py")
    opened.workbench.change_leaf("x", LeafChange(values=[3.0, 4.0]))
    assert words(opened)[0] == "Undo: change of x"

    opened.trigger("undo")

    assert opened.workbench.editor.text() == opened.session.document.content.text == text


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("a\nb", "a\nc", "edit of line 2"),
        ("a", "a\nb", "1 line more at line 1"),
        ("a\nb\nc\nd", "a\nd", "2 lines less at line 2"),
        ("", "x", "edit of line 1"),
    ],
)
def test_an_edit_is_named_by_its_line(old, new, name):
    assert edit_name(old, new) == name


def test_the_oldest_of_very_many_changes_go():
    history = History(Snapshot("0"))
    for number in range(1, MOST + 10):
        history.note("edit", Snapshot(str(number)))
    texts = []
    while (wanted := history.undo()) is not None:
        texts.append(wanted.target.text)

    assert len(texts) == MOST
    assert texts[-1] == "9"


def test_a_change_that_changes_nothing_is_none():
    history = History(Snapshot("a"))

    assert not history.note("edit", Snapshot("a"))
    assert history.undoes == ""
