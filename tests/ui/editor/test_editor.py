"""The script editor: keys, marks, undo, and when an edit is told."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QColor, QTextCursor, QWheelEvent
from PySide6.QtWidgets import QApplication, QTextEdit

from gradviz.recording import Problem
from gradviz.ui.editor import ScriptEditor
from gradviz.ui.editor.brackets import matching
from gradviz.ui.editor.lexer import IN_DOUBLE
from gradviz.ui.editor.script_editor import LEAST_AREA
from gradviz.ui.editor.text_area import LARGEST_PX, MAX_CHARACTERS, SMALLEST_PX
from gradviz.ui.look.theme import MONO_FAMILY, TEXT_PX, Theme
from gradviz.ui.window.parts import LEAST_BODY


@pytest.fixture
def editor(qtbot, theme: Theme) -> ScriptEditor:
    editor = ScriptEditor(theme, rest_ms=0)
    qtbot.addWidget(editor)
    editor.resize(400, 300)
    editor.show()
    return editor


def put_cursor(editor: ScriptEditor, start: int, end: int | None = None) -> None:
    cursor = editor.area.textCursor()
    cursor.setPosition(start)
    cursor.setPosition(start if end is None else end, QTextCursor.MoveMode.KeepAnchor)
    editor.area.setTextCursor(cursor)


def marked(editor: ScriptEditor, paint: str) -> list[str]:
    """The texts of the marks with that background."""
    parts = editor.area.extraSelections()
    return [_text(part) for part in parts if part.format.background().color() == QColor(paint)]


def _text(part: QTextEdit.ExtraSelection) -> str:
    return part.cursor.selectedText() or part.cursor.block().text()


# ---- keys ----


@pytest.mark.parametrize(
    ("text", "at", "key", "result"),
    [
        ("if a:", 5, Qt.Key.Key_Return, "if a:\n    "),
        ("ab", 1, Qt.Key.Key_Tab, "a   b"),
        ("        x", 8, Qt.Key.Key_Backspace, "    x"),
        ("      x", 6, Qt.Key.Key_Backspace, "    x"),
        ("ab", 2, Qt.Key.Key_Backspace, "a"),
        ("      x", 7, Qt.Key.Key_Backtab, "  x"),
    ],
)
def test_keys_know_python(editor, qtbot, text, at, key, result):
    editor.set_text(text, keep_undo=False)
    put_cursor(editor, at)

    qtbot.keyClick(editor.area, key)

    assert editor.text() == result


def test_tab_indents_the_selected_lines_and_one_undo_takes_it_back(editor, qtbot):
    editor.set_text("a\nb\nc", keep_undo=False)
    put_cursor(editor, 0, 3)

    qtbot.keyClick(editor.area, Qt.Key.Key_Tab)

    assert editor.text() == "    a\n    b\nc"
    editor.area.undo()
    assert editor.text() == "a\nb\nc"


def test_selection_that_ends_before_a_line_does_not_mean_that_line(editor, qtbot):
    editor.set_text("a\nb", keep_undo=False)
    put_cursor(editor, 0, 2)

    qtbot.keyClick(editor.area, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)

    assert editor.text() == "# a\nb"


def test_comment_key_toggles(editor, qtbot):
    editor.set_text("  x = 1", keep_undo=False)

    qtbot.keyClick(editor.area, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "  # x = 1"
    qtbot.keyClick(editor.area, Qt.Key.Key_Slash, Qt.KeyboardModifier.ControlModifier)
    assert editor.text() == "  x = 1"


# ---- telling edits ----


def test_typed_text_is_told_once_after_a_rest(editor, qtbot):
    told = []
    editor.text_edited.connect(told.append)

    with qtbot.waitSignal(editor.text_edited):
        qtbot.keyClicks(editor.area, "x=1")

    assert told[-1] == "x=1"
    assert not editor.rest.isActive()


def test_edit_is_not_told_before_the_keys_rest(qtbot, theme):
    editor = ScriptEditor(theme, rest_ms=60_000)
    qtbot.addWidget(editor)
    told = []
    editor.text_edited.connect(told.append)

    qtbot.keyClicks(editor.area, "x=1")
    assert told == []

    editor.flush()
    assert told == ["x=1"]
    assert not editor.rest.isActive()


def test_text_set_by_the_program_and_new_colours_are_not_told(editor, qtbot, theme):
    told = []
    editor.text_edited.connect(told.append)

    editor.set_text("x = 1")
    editor.set_text("y = 2", keep_undo=False)
    theme.choose("dark")
    editor.area.highlighter.rehighlight()
    editor.flush()

    assert told == []
    assert not editor.rest.isActive()


def test_text_set_by_the_program_is_one_step_of_undo(editor, qtbot):
    editor.set_text("x = [1.]\n", keep_undo=False)
    put_cursor(editor, 6)
    qtbot.keyClicks(editor.area, "12")
    editor.set_text("x = [123., 4.]\ny = 𝛼\n")

    editor.area.undo()
    assert editor.text() == "x = [112.]\n"
    editor.area.undo()
    assert editor.text() == "x = [1.]\n"
    editor.area.redo()
    assert editor.text() == "x = [112.]\n"
    editor.area.redo()
    assert editor.text() == "x = [123., 4.]\ny = 𝛼\n"


def test_undo_of_a_set_text_is_told_as_an_edit(editor, qtbot):
    editor.set_text("a = 1", keep_undo=False)
    editor.set_text("a = 2")

    with qtbot.waitSignal(editor.text_edited) as told:
        editor.area.undo()

    assert told.args == ["a = 1"]


def test_cursor_stays_where_it_is_when_text_before_it_is_exchanged(editor):
    editor.set_text("x = tensor([1.])\ny = x\n", keep_undo=False)
    put_cursor(editor, len("x = tensor([1.])\ny = "))

    editor.set_text("x = tensor([1., 2., 3.])\ny = x\n")

    assert editor.area.textCursor().position() == len("x = tensor([1., 2., 3.])\ny = ")


def test_new_file_starts_a_new_history_without_marks(editor):
    editor.set_text("x = 1\ny = 2", keep_undo=False)
    editor.light_line(2)
    editor.show_problem(Problem("No.", line=1))

    editor.set_text("z = 3", keep_undo=False)

    assert not editor.area.document().isUndoAvailable()
    assert editor.area.marks.lit_line() is None
    assert editor.strip.isHidden()


# ---- marks ----


def test_line_of_the_current_node_is_lit_in_the_tint_of_its_pass(editor, theme):
    editor.set_text("a\nbb\nc", keep_undo=False)

    editor.light_line(2)
    assert marked(editor, theme.palette.backward_tint) == ["bb"]

    editor.light_line(2, True)
    assert marked(editor, theme.palette.forward_tint) == ["bb"]

    editor.light_line(None)
    assert marked(editor, theme.palette.forward_tint) == []


def test_lit_line_is_scrolled_into_view(editor):
    editor.set_text("\n".join(f"x{i} = {i}" for i in range(500)), keep_undo=False)

    editor.light_line(400)

    first = editor.area.firstVisibleBlock().blockNumber() + 1
    assert first < 400 < first + 30


def test_run_of_what_is_being_typed_does_not_scroll_away(editor, qtbot):
    editor.set_text("\n".join(f"x{i} = {i}" for i in range(500)), keep_undo=False)
    qtbot.keyClicks(editor.area, "1")
    editor.flush()

    editor.light_line(400)
    assert editor.area.firstVisibleBlock().blockNumber() == 0

    editor.light_line(300)
    assert editor.area.firstVisibleBlock().blockNumber() > 200


@pytest.mark.parametrize("line", [0, -1, 99])
def test_line_that_is_not_there_is_not_lit(editor, line):
    editor.set_text("a", keep_undo=False)

    editor.light_line(line)

    assert editor.area.marks.lit_line() is None


def test_problem_underlines_its_word_and_says_what_to_do(editor, theme):
    editor.set_text("𝛼 = 1\n𝛼 + torch.tahn(x)\n", keep_undo=False)

    editor.show_problem(Problem("no attribute 'tahn'", "Did you mean 'tanh'?", line=2, column=5))

    assert marked(editor, theme.palette.error_tint) == ["torch.tahn"]
    assert editor.strip.text() == "Line 2: no attribute 'tahn' Did you mean 'tanh'?"
    assert "tanh" in editor.area.marks.message_at(QTextCursor(editor.area.document().findBlockByNumber(1)))
    assert editor.area.marks.message_at(QTextCursor(editor.area.document().findBlockByNumber(0))) == ""
    editor.show_problem(None)
    assert marked(editor, theme.palette.error_tint) == []
    assert editor.strip.isHidden()


@pytest.mark.parametrize(("line", "column"), [(None, None), (99, 1), (1, 99), (1, None)])
def test_problem_without_a_place_in_the_text_is_still_said(editor, line, column):
    editor.set_text("x = 1", keep_undo=False)

    editor.show_problem(Problem("It ends here.", line=line, column=column))

    assert "It ends here." in editor.strip.text()


def test_rows_of_an_array_in_a_message_are_written_in_columns(editor):
    editor.strip.show_text("Jacobian mismatch\nnumerical:tensor([[3., 0.],\n        [0., 12.]])\n")
    assert editor.strip.message.text().endswith("]])")
    in_columns = editor.strip.message.font().family()
    editor.strip.show_text("name 'x' is not defined")

    assert in_columns == MONO_FAMILY != editor.strip.message.font().family()


def test_a_problem_without_room_is_told_whole_by_the_tool_tip(editor, qtbot):
    message, hint = "one word after another " * 12, "and what to do about it " * 8
    editor.resize(400, 600)
    editor.strip.show_text(message, hint)

    words = editor.strip.message
    qtbot.waitUntil(lambda: words.height() >= words.heightForWidth(words.width()))
    assert editor.strip.toolTip() == ""

    editor.resize(400, 100)
    qtbot.waitUntil(lambda: editor.strip.height() <= 70)
    assert editor.strip.toolTip() == f"{message}\n{hint}".strip()


@pytest.mark.parametrize(
    "message", ["The size of a (2) must match that of b (3)", "numerical:\n" + "  [ 0.5, 0. ],\n" * 10]
)
@pytest.mark.parametrize(("width", "height"), [(180, 71), (205, 141), (320, 311)])
def test_words_of_a_problem_are_whole_and_scroll_where_there_is_no_room(editor, qtbot, width, height, message):
    strip = editor.strip
    editor.setMinimumHeight(LEAST_BODY)
    editor.resize(width, height)
    strip.show_text(message, "Sizes must be equal or 1, counted from the right.")

    qtbot.waitUntil(lambda: 0 < strip.height() <= strip.sizeHint().height())
    for label in (strip.message, strip.hint):
        assert label.height() >= label.heightForWidth(label.width())
    assert strip.message.geometry().bottom() < strip.hint.y()
    assert editor.area.height() >= LEAST_AREA
    assert editor.area.geometry().bottom() < strip.y()
    assert strip.geometry().bottom() < editor.height()

    bar = strip.view.verticalScrollBar()
    assert bool(bar.maximum()) == bool(strip.toolTip())
    bar.setValue(bar.maximum())
    assert strip.hint.mapTo(strip, strip.hint.rect().bottomLeft()).y() < strip.height()


def test_strip_is_as_high_as_its_words_after_others(editor, qtbot):
    editor.resize(300, 600)
    editor.strip.show_text("one word after another " * 12, "and what to do about it " * 8)
    qtbot.waitUntil(lambda: editor.strip.height() > 100)
    editor.strip.show_text("one word")
    qtbot.waitUntil(lambda: editor.strip.height() < 50)
    assert editor.strip.message.height() < 30

    editor.strip.show_text("one word", "and what to do")

    qtbot.waitUntil(lambda: editor.strip.hint.visibleRegion().boundingRect() == editor.strip.hint.rect())
    assert editor.strip.view.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize(
    "message",
    [
        "torch.autograd.gradcheck.GradcheckError: Jacobian mismatch",
        "torch.autograd.gradcheck.GradcheckError:\n    [ 0.5, 0. ]",
        "abcdefghij" * 4,
        "a._b..c/" * 9,
    ],
)
def test_no_word_of_a_problem_is_wider_than_the_narrowest_strip(editor, qtbot, message):
    editor.resize(180, 300)
    editor.strip.show_text(message)
    label = editor.strip.message

    qtbot.waitUntil(lambda: 0 < label.width() < 160)
    words = label.text().replace("\u200b", " ").split()
    assert max(map(label.fontMetrics().horizontalAdvance, words)) <= label.width()
    assert editor.strip.text() == message


def test_click_on_the_strip_goes_to_the_problem(editor, qtbot):
    editor.set_text("x = 1\ny = tahn(x)", keep_undo=False)
    editor.show_problem(Problem("no", line=2, column=5))

    qtbot.mouseClick(editor.strip, Qt.MouseButton.LeftButton)

    assert editor.area.textCursor().position() == 10


@pytest.mark.parametrize(
    ("text", "at", "partner"),
    [
        ("f(x)", 1, 3),
        ("f(x)", 4, 1),
        ("([)", 0, 2),
        ("(\n')'\n)", 0, 6),
        ("(\n# )\n)", 1, 6),
        ("(", 0, None),
        ("x", 0, ...),
    ],
)
def test_bracket_at_the_cursor_has_its_partner(editor, text, at, partner):
    editor.set_text(text, keep_undo=False)

    found = matching(editor.area.document(), at)

    assert (found[1] if found is not None else ...) == partner


# ---- paste, drop, zoom ----


def test_paste_of_fifty_megabytes_is_refused_with_a_sentence(editor):
    data = QMimeData()
    data.setText("x" * 50_000_000)

    editor.area.insertFromMimeData(data)

    assert editor.text() == ""
    assert f"50,000,000 characters, and {MAX_CHARACTERS:,} fit" in editor.strip.text()


def test_pasted_text_goes_in_as_it_is(editor):
    data = QMimeData()
    data.setText("π = 3\r\n\tx")

    editor.area.insertFromMimeData(data)

    assert editor.text() == "π = 3\n\tx"


def test_dropped_file_is_told_and_not_pasted(editor, qtbot, tmp_path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "a.py"))])

    with qtbot.waitSignal(editor.file_dropped) as told:
        editor.area.insertFromMimeData(data)

    assert told.args == [(tmp_path / "a.py").as_posix()]
    assert editor.text() == ""


def turn_wheel(editor: ScriptEditor, angle: int) -> None:
    place = QPointF(50, 50)
    event = QWheelEvent(
        place, editor.area.viewport().mapToGlobal(place), QPoint(), QPoint(0, angle), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(editor.area.viewport(), event)


def test_wheel_with_control_zooms_within_bounds(editor):
    turn_wheel(editor, 120)
    assert editor.area.font().pixelSize() == TEXT_PX + 1

    editor.zoom(-1000)
    assert editor.area.pixels() == SMALLEST_PX
    editor.zoom(1000)
    assert editor.area.pixels() == LARGEST_PX


def test_ten_thousand_lines_are_coloured_and_numbered(editor):
    editor.set_text("x = torch.tensor([1., 2.])  # π\n" * 10_000, keep_undo=False)

    assert editor.area.gutter.room() > ScriptEditor(Theme("light")).area.gutter.room()
    put_cursor(editor, 0)
    editor.area.insertPlainText('"""')
    assert editor.area.document().lastBlock().previous().userState() == IN_DOUBLE


def test_theme_change_recolours_the_text(editor, theme):
    editor.set_text("import torch", keep_undo=False)

    theme.choose("dark")

    (first, *_) = editor.area.document().firstBlock().layout().formats()
    assert first.format.foreground().color() == QColor(theme.palette.keyword)
