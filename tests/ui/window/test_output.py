"""The output pane: exact text, the error below it, and visible cuts."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QEnterEvent, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit

from gradviz.recording import Problem, Warned
from gradviz.ui.look.sheet import style_sheet
from gradviz.ui.look.theme import Theme, mono_font
from gradviz.ui.window.output import MAX_CHARACTERS, MAX_LINE, MAX_LINES, Output, shortened


@pytest.fixture
def output(qtbot, qapp) -> Output:
    output = Output(Theme("light"))
    qtbot.addWidget(output)
    output.resize(300, 200)
    output.show()
    return output


def test_printed_text_is_shown_and_copied_exactly(output):
    printed = "tensor([-6., 20.])\n\t<b>π</b>  \n\n"

    output.show_run(printed, None, 0.003)
    output.copy_button.click()

    assert output.pane.toPlainText() == printed.removesuffix("\n")
    assert QGuiApplication.clipboard().text() == printed


def test_where_it_stopped_stands_below_in_the_colour_of_errors_and_why_is_copied_with_it(output):
    output.show_run("1\n", Problem("RuntimeError: no", "Do this.", line=3), 0.1)

    assert output.pane.toPlainText() == "1\n\nStopped at line 3."
    cursor = QTextCursor(output.pane.document().findBlockByNumber(2))
    cursor.movePosition(QTextCursor.MoveOperation.Right)
    assert cursor.charFormat().foreground().color() == QColor(Theme("light").palette.error)
    assert output.text() == "1\nLine 3: RuntimeError: no\nDo this."


def test_note_on_what_was_kept_stands_below_and_is_no_part_of_the_text(output):
    output.show_run("1\n", None, 0.1, note="Kept 3 of 90 backward calls.")

    assert output.pane.toPlainText() == "1\n\nKept 3 of 90 backward calls."
    assert output.text() == "1\n"


def test_next_run_takes_the_problem_away(output):
    output.show_run("1\n", Problem("no"), 0.1)

    output.show_run("1\n", None, 0.1)

    assert output.pane.toPlainText() == "1"


def test_text_beyond_the_limit_is_cut_visibly_in_its_middle(output):
    printed = "a" + ("0" * 999 + "\n") * (MAX_CHARACTERS // 500) + "z"

    output.show_run(printed)

    shown = output.pane.toPlainText()
    assert shown.startswith("a0")
    assert shown.endswith("0\nz")
    assert f"{len(printed) - MAX_CHARACTERS:,} characters are not shown" in shown
    assert output.text() == printed


def test_lines_beyond_the_limit_are_cut_visibly_in_their_middle():
    shown = shortened("\n".join(str(n) for n in range(MAX_LINES + 7)))

    assert shown.startswith("0\n1\n")
    assert shown.endswith(f"\n{MAX_LINES + 6}")
    assert "\n… 7 lines are not shown here" in shown


def test_endless_line_is_cut_visibly_at_its_end():
    shown = shortened("x" * (MAX_LINE + 5) + "\nshort")

    assert shown == "x" * MAX_LINE + "… 5 more characters in this line\nshort"


def test_pane_cannot_be_edited(output, qtbot):
    output.show_run("1\n")

    qtbot.keyClicks(output.pane, "abc")

    assert output.pane.toPlainText() == "1"


def test_copy_button_appears_under_the_pointer_where_there_is_something_to_copy(output):
    enter = QEnterEvent(output.pos().toPointF(), output.pos().toPointF(), output.pos().toPointF())

    QApplication.sendEvent(output, enter)
    assert output.copy_button.isHidden()

    output.show_run("1\n")
    QApplication.sendEvent(output, enter)
    assert not output.copy_button.isHidden()
    QApplication.sendEvent(output, QEvent(QEvent.Type.Leave))
    assert output.copy_button.isHidden()


def test_warning_stands_after_the_line_that_was_printed_before_it(output):
    output.show_run(
        "one\ntwo\n", None, 0.1, (Warned("careful", line=2, at=4), Warned("again", "FutureWarning", None, 7))
    )

    lines = "one\nLine 2: UserWarning: careful\ntwo\nFutureWarning: again\n"
    assert output.text() == lines
    assert output.pane.toPlainText() == lines.removesuffix("\n")
    assert output.pane.document().findBlockByNumber(1).begin().fragment().charFormat().foreground().color() == QColor(
        Theme("light").palette.warning
    )


def test_next_run_takes_the_warnings_away(output):
    output.show_run("1\n", None, 0.1, (Warned("careful"),))
    output.show_run("1\n", None, 0.1)

    assert output.pane.toPlainText() == "1"


@pytest.mark.parametrize(
    "text",
    [
        "tensor([[nan, nan],\n        [nan, nan]])\n",
        "tensor([[-inf, inf],\n        [-inf, inf]])\n",
        "tensor([[True],\n        [False]])\n",
        "tensor([0.1, 0.2,\n        0.3])\n",
        "[[ 0.1  0.2]\n [-0.1  0.2]]\n",
    ],
)
def test_columns_stay_whole_whatever_stands_in_them(output, text):
    output.show_run(text)

    assert output.pane.lineWrapMode() is QPlainTextEdit.LineWrapMode.NoWrap


def test_columns_of_a_printed_array_stay_whole_and_sentences_still_wrap(output):
    rows = f"tensor([[{'0.1234, ' * 8}],\n        [{'0.1234, ' * 8}]])\n"

    output.show_run(rows, None, 0.1, note="Of very many backward calls a few are kept. " * 6)
    assert output.pane.lineWrapMode() is QPlainTextEdit.LineWrapMode.NoWrap
    shown = output.pane.toPlainText()
    output.show_run("a plain line " * 20)

    assert shown.startswith(rows)
    assert max(map(len, shown.removeprefix(rows).splitlines())) < 60
    assert output.pane.lineWrapMode() is QPlainTextEdit.LineWrapMode.WidgetWidth


def test_hint_of_an_empty_pane_needs_no_more_than_two_lines_in_the_narrowest_column(output):
    output.resize(206, 80)
    output.pane.setFont(mono_font())
    metrics, free = output.pane.fontMetrics(), output.pane.viewport().rect().adjusted(0, 0, 0, 1000)

    needed = metrics.boundingRect(free, Qt.TextFlag.TextWordWrap, output.pane.placeholderText())

    assert needed.height() < 3 * metrics.lineSpacing()


def test_nothing_is_drawn_where_two_scroll_bars_meet(output):
    output.setStyleSheet(style_sheet(Theme("light").palette))
    output.show_run("tensor([[" + "1., " * 60 + "],\n" + ("        [" + "1., " * 60 + "],\n") * 40, None, 0.1)
    QApplication.processEvents()
    pane = output.pane
    assert pane.verticalScrollBar().isVisible()
    assert pane.horizontalScrollBar().isVisible()

    image = pane.grab().toImage()

    wide, high = image.width(), image.height()
    corner = {image.pixel(wide - x, high - y) for x in range(1, 11) for y in range(1, 11)}
    assert corner == {image.pixel(2, 2)}


def test_what_a_run_prints_is_shown_as_it_prints_in_place_of_what_stood_there(output):
    output.show_run("old\n", Problem("no", line=1), 0.1)

    output.hear("one\nt")
    output.hear("wo\n")
    shown_while_it_ran = output.pane.toPlainText()
    output.show_run("one\ntwo\n", None, 0.5)

    assert shown_while_it_ran == "one\ntwo\n"
    assert output.pane.toPlainText() == "one\ntwo"
    assert output.text() == "one\ntwo\n"


def test_endless_output_keeps_its_last_lines_and_endless_lines_their_beginning(output):
    output.hear("x" * (MAX_LINE + 5))
    output.hear("y" * 5)
    output.hear("\n" + "z\n" * (MAX_LINES + 10))

    assert output.pane.document().blockCount() == MAX_LINES
    output.hear("a" * (2 * MAX_LINE))
    assert len(output.pane.document().lastBlock().text()) == MAX_LINE


def dimmed(output: Output) -> str:
    """What stands in a quieter colour."""
    (later,) = output.pane.extraSelections() or [None]
    return "" if later is None else later.cursor.selectedText().replace("\u2029", "\n")


def test_what_was_printed_after_the_moment_is_dimmed_and_the_error_is_not(output):
    output.show_run("one\ntwo\nthree\n", Problem("no", line=4), 0.1, (Warned("careful", at=4),))

    output.show_until(8)

    assert dimmed(output) == "three"
    output.show_until(4)
    assert dimmed(output) == "two\nthree"
    output.show_until(None)
    assert not dimmed(output)


def test_another_run_is_dimmed_from_the_same_moment_on(output):
    output.show_until(4)

    output.show_run("one\ntwo\n")

    assert dimmed(output) == "two"


def test_the_end_of_what_was_printed_by_then_is_in_sight(output, qtbot):
    text = "".join(f"line {number}\n" for number in range(200))
    output.show_run(text)
    QApplication.processEvents()

    output.show_until(text.index("line 150"))

    place = output.pane.cursorRect(QTextCursor(output.pane.document().findBlockByNumber(149)))
    assert output.pane.viewport().rect().contains(place.center())
