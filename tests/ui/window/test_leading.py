"""Lessons that lead: a sentence at each step, gradients that are predicted before they are shown, the next lesson."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QLineEdit, QPlainTextEdit, QWidget

from gradviz.playback import prediction
from gradviz.playback.prediction import questions
from gradviz.playback.words import label, number_text
from gradviz.ui.app.settings import Settings
from gradviz.ui.canvas.ink.text import Pen
from gradviz.ui.canvas.step.pointed import POINTED
from gradviz.ui.session.lessons import GROUPS, guide_beside, lessons
from gradviz.ui.window.commands import PREDICT_FIRST, TELLING
from gradviz.ui.window.window import Window
from tests.ui.canvas.canvases import marks_of
from tests.ui.real_windows import real_window, settle
from tests.ui.same_state import copy_of, grab

SCRIPT = """\
import torch
x = torch.tensor([1.37, -2.41], requires_grad=True)
w = torch.tensor([0.73, 1.19], requires_grad=True)
p = x * x
q = p * w
y = torch.exp(q.sum() / 10)
print("start", y.item())
y.backward()
print("x.grad =", x.grad)
print("w.grad =", w.grad)
"""
"""Every gradient of it is a number that stands nowhere else."""


@pytest.fixture
def window(qtbot, tmp_path: Path) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini", size=(1280, 800))
    qtbot.addWidget(made)
    yield made
    made.session.close()


def opened(qtbot, window: Window, text: str = SCRIPT, name: str = "own.py") -> Window:
    window.session.open_script(text, name)
    settle(qtbot, window)
    return window


def lesson(qtbot, window: Window, number: int) -> Window:
    window.open_lesson(lessons()[number - 1])
    settle(qtbot, window)
    return window


def step(window: Window, by: int = 1) -> None:
    window.session.clock.player.step(by)
    QApplication.processEvents()


def said(window: Window) -> str:
    """The sentence of the strip."""
    return window.workbench.leading.strip.text.accessibleName()


# ---- sentences ----


def test_a_lesson_says_its_question_and_then_a_sentence_at_each_step(qtbot, window):
    lesson(qtbot, window, 4)
    strip = window.workbench.leading.strip

    assert strip.isVisible()
    assert not window.workbench.watch.isVisible()
    assert said(window) == "x stands twice in x · x · w. How many gradients come back to x?"
    step(window)
    assert said(window) == "sum hands its 1 to each of the two elements."
    window.session.clock.player.last()
    QApplication.processEvents()
    assert said(window).startswith("Both arrive at x")
    step(window, -1)
    assert said(window).startswith("Two edges lead to the same x")


def test_the_height_of_the_strip_does_not_depend_on_what_it_says(qtbot, window):
    lesson(qtbot, window, 4)
    player, strip = window.session.clock.player, window.workbench.leading.strip
    heights = set()
    for position in range(player.length + 1):
        player.go(position)
        QApplication.processEvents()
        heights.add(strip.height())
    window.trigger("predict")
    QApplication.processEvents()
    heights.add(strip.height())

    assert len(heights) == 1


def test_a_script_of_ones_own_has_no_strip_until_it_is_predicted(qtbot, window):
    opened(qtbot, window)

    assert not window.workbench.leading.strip.isVisible()
    window.trigger("predict")
    assert window.workbench.leading.strip.isVisible()
    window.trigger("predict")
    assert not window.workbench.leading.strip.isVisible()


def test_a_file_has_the_sentences_of_the_file_beside_it(qtbot, window, tmp_path):
    (tmp_path / "mine.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "mine.toml").write_text('question = "Why?"\n[backward]\ny = "Because."\n', encoding="utf-8")
    window._settings.trust(SCRIPT)
    window.open_path(tmp_path / "mine.py")
    settle(qtbot, window)

    assert said(window) == "Why?"
    step(window)
    assert said(window) == "Because."


def test_a_damaged_file_beside_a_script_is_one_sentence_and_the_script_opens(qtbot, window, tmp_path):
    (tmp_path / "mine.py").write_text(SCRIPT, encoding="utf-8")
    (tmp_path / "mine.toml").write_text("question = ", encoding="utf-8")
    window._settings.trust(SCRIPT)
    with qtbot.waitSignal(window.session.refused) as refused:
        window.open_path(tmp_path / "mine.py")
    settle(qtbot, window)

    assert "is no TOML" in refused.args[0].message
    assert window.session.picture is not None
    assert not window.workbench.leading.strip.isVisible()


def test_the_strip_goes_when_it_is_dismissed_or_the_script_is_another(qtbot, window):
    lesson(qtbot, window, 4)
    window.workbench.leading.strip.dismissed.emit()
    assert not window.workbench.leading.strip.isVisible()

    lesson(qtbot, window, 1)
    assert window.workbench.leading.strip.isVisible()
    assert window.workbench.watch.isHidden()  # though a script stood there before: what it says, the strip says
    window.session.edit(SCRIPT)
    assert not window.workbench.leading.strip.isVisible()


# ---- the lessons that are shipped ----


@pytest.mark.parametrize("lesson", lessons(), ids=lambda one: one.path.stem)
def test_a_shipped_lesson_has_a_group_a_question_and_sentences_for_boxes_that_it_has(lesson, qtbot, window):
    guide = guide_beside(lesson.path)
    assert guide is not None
    assert lesson.group in GROUPS
    assert lesson.question == guide.question
    assert lesson.question.endswith("?")
    window.open_lesson(lesson)
    settle(qtbot, window)

    recording = window.session.document.content.recording
    from gradviz.playback.words import labels

    assert [name for name in guide.labels if name not in labels(recording)] == []
    every = [
        text
        for said in (guide.forward, guide.backward, *guide.calls.values())
        for texts in said.values()
        for text in texts
    ]
    assert every
    assert max(map(len, (*every, guide.question))) <= 130
    assert all(text.endswith((".", "!", "?")) for text in every)


def test_the_groups_are_of_like_size():
    sizes = [sum(one.group == group for one in lessons()) for group in GROUPS]

    assert max(sizes) <= 1.5 * min(sizes)


# ---- the next lesson, and how far one has come ----


def test_next_lesson_goes_through_every_lesson_group_by_group(qtbot, window):
    window.trigger("next_lesson")
    names = [window.session.document.content.name]
    while window.workbench.leading.strip.next.isVisibleTo(window.workbench.leading.strip):
        window.workbench.leading.strip.next.click()
        names.append(window.session.document.content.name)

    every = lessons()
    assert sorted(names) == [one.path.name for one in every]
    groups = [next(one.group for one in every if one.path.name == name) for name in names]
    assert list(dict.fromkeys(groups)) == list(GROUPS)
    assert groups == sorted(groups, key=list(GROUPS).index)


def test_a_lesson_is_done_when_its_last_call_is_stepped_to_the_end(qtbot, window, tmp_path):
    lesson(qtbot, window, 6)
    window.session.clock.player.last()
    assert window._settings.progress() == {}

    window.session.document.choose_sweep(1)
    settle(qtbot, window)
    window.session.clock.player.last()

    assert Settings(tmp_path / "settings.ini").progress()["06_one_row_at_a_time.py"].is_done


def test_what_was_predicted_is_kept_and_a_worse_pass_does_not_undo_it(qtbot, window, tmp_path):
    lesson(qtbot, window, 4)
    predicting = window.workbench.leading.predicting
    window.trigger("predict")
    for typed in ("[1, 1]", "[3, 5]", "0", "[-3, 10]", "[-6, 20]"):
        predicting.answer(typed)
    assert predicting.score == "3 of 4 at the first try"
    kept = Settings(tmp_path / "settings.ini").progress()["04_weighted_sum.py"]
    assert (kept.is_done, kept.right, kept.asked) == (True, 3, 4)

    window.trigger("predict")
    window.trigger("predict")
    for _ in range(4):
        window.trigger("reveal")
    assert predicting.score == "0 of 4 at the first try"
    assert window._settings.progress()["04_weighted_sum.py"] == kept


@pytest.mark.parametrize(
    "damaged", ["", "3", "[]", '{"a": 3}', '{"a": {"done": 1, "calls": [1]}}', '{"a": {"calls": {"1": ["x"]}}}']
)
def test_damaged_progress_reads_as_none(tmp_path, damaged):
    settings = Settings(tmp_path / "settings.ini")
    settings.store.setValue("lessons", damaged)

    assert [(one.is_done, one.asked) for one in settings.progress().values()] in ([], [(False, 0)])
    settings.keep_prediction("a", 1, 2, 3)
    settings.finish_lesson("a")
    assert settings.progress()["a"] == (True, 2, 3)


# ---- predict, then reveal ----


def test_no_move_goes_past_a_gradient_that_is_asked_for(qtbot, window):
    opened(qtbot, window)
    window.trigger("predict")
    player = window.session.clock.player
    turn = window.session.picture.track.turn

    for move in (player.step, player.last, player.toggle, lambda: player.go(turn + 3), lambda: player.tick(5)):
        move()
        assert player.position == turn
        assert not player.is_playing
    player.first()
    player.toggle()
    for _ in range(turn + 3):
        player.tick()
    assert player.position == turn
    assert not player.is_playing


def test_the_canvas_shows_along_what_the_asked_gradient_goes(qtbot, window):
    lesson(qtbot, window, 4)
    canvas, player = window.workbench.canvas, window.session.clock.player
    window.trigger("predict")
    recording = window.session.picture.track.recording
    names = []
    while (question := window.workbench.leading.predicting.question) is not None:
        marks = [mark for mark in marks_of(canvas) if mark.kind == POINTED]
        assert len(marks) == 1
        assert {question.node, question.target} == set(canvas._asked.nodes)
        names.append((label(recording, question.node), len(canvas._asked.edges)))
        player.step(-1)
        assert canvas._asked is None
        player.step(1)
        window.trigger("reveal")

    assert names == [("y", 1), ("x·x·w", 1), ("x·x", 2), ("x", 0)]
    assert canvas._asked is None


def test_no_number_of_the_inspector_can_be_changed_while_what_follows_is_to_be_predicted(qtbot, window):
    opened(qtbot, window)
    cards = window.workbench.inspector.cards
    window.trigger("predict")
    assert not any(card.can_change for card in cards)

    window.trigger("predict")
    assert all(card.can_change for card in cards)


def test_a_move_past_the_question_leads_to_the_field(qtbot, window):
    opened(qtbot, window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.trigger("predict")
    window.workbench.canvas.setFocus()
    qtbot.keyClick(window.workbench.canvas, Qt.Key.Key_Right)

    assert window.workbench.leading.strip.field.hasFocus()


def test_a_right_answer_is_typed_and_the_step_is_taken(qtbot, window):
    lesson(qtbot, window, 1)
    window.trigger("predict")
    field = window.workbench.leading.strip.field
    qtbot.keyClicks(field, "1")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert said(window).startswith("That is what comes in at y; multiply it by the derivative of y. 1 comes in")
    turn = window.session.picture.track.turn
    assert window.session.clock.player.position == turn

    qtbot.keyClick(window.workbench.leading.strip.field, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClicks(field, "4/2")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert window.session.clock.player.position == turn + 1
    assert said(window).startswith("Right: 2.")
    assert window.workbench.leading.predicting.score == "0 of 1 at the first try"


def test_what_is_no_number_gets_a_sentence_and_loses_nothing(qtbot, window):
    lesson(qtbot, window, 1)
    window.trigger("predict")
    strip = window.workbench.leading.strip
    strip.field.setText("two")
    strip.check.click()
    assert "'two' is not a number" in said(window)

    strip.field.setText("2")
    strip.check.click()
    assert window.workbench.leading.predicting.score == "1 of 1 at the first try"


def test_predict_at_the_end_begins_again_where_backward_begins(qtbot, window):
    opened(qtbot, window)
    window.session.clock.player.last()
    window.trigger("predict")

    assert window.session.clock.player.position == window.session.picture.track.turn
    assert window.workbench.leading.predicting.question is not None


def test_another_script_is_not_predicted(qtbot, window):
    opened(qtbot, window)
    window.trigger("predict")
    lesson(qtbot, window, 1)

    assert not window.workbench.leading.predicting.is_on
    assert not window.actions_by_name.by_name["predict"].isChecked()
    assert window.session.clock.player.limit is None


def test_an_edit_keeps_asking_about_the_new_numbers(qtbot, window):
    opened(qtbot, window)
    window.trigger("predict")
    window.session.edit(SCRIPT.replace("1.37", "1.5"))
    settle(qtbot, window)
    track, predicting = window.session.picture.track, window.workbench.leading.predicting

    assert predicting.is_on
    assert predicting.question == questions(track)[0] or predicting.question.words == questions(track)[0].words


def test_of_a_long_call_all_is_asked_for(qtbot, window, monkeypatch):
    monkeypatch.setattr(prediction, "_MOST_QUESTIONS", 2)
    opened(qtbot, window)
    window.trigger("predict")
    predicting, player = window.workbench.leading.predicting, window.session.clock.player
    while predicting.hides_later:
        player.last()
        predicting.reveal()
    monkeypatch.undo()

    assert predicting.asked == len(questions(window.session.picture.track))


# ---- nothing gives it away ----


def texts_of(window: Window) -> Iterator[tuple[str, str]]:
    """Every text that the window shows or reads out, but for the script itself, with what it is of."""
    script = window.workbench.editor.area
    for part in window.findChildren(QWidget):
        if not part.isVisibleTo(window) or part is script:
            continue
        place = f"{type(part).__name__} {part.objectName()}"
        yield place, part.toolTip()
        yield place, part.accessibleName()
        yield place, part.accessibleDescription()
        if isinstance(part, QLabel | QLineEdit):
            yield place, part.text()
        elif isinstance(part, QPlainTextEdit):
            yield place, part.toPlainText()
        elif isinstance(part, QAbstractItemView) and part.model() is not None:
            model = part.model()
            for row in range(model.rowCount()):
                for column in range(model.columnCount()):
                    for role in (
                        Qt.ItemDataRole.DisplayRole,
                        Qt.ItemDataRole.ToolTipRole,
                        Qt.ItemDataRole.AccessibleTextRole,
                    ):
                        yield f"{place} {row}:{column}", str(model.index(row, column).data(role) or "")
        read = QAccessible.queryAccessibleInterface(part)
        if read is not None:
            for kind in (QAccessible.Text.Name, QAccessible.Text.Description, QAccessible.Text.Value):
                yield f"{place} read out", read.text(kind)
    yield "copied output", window.workbench.output.text()
    yield "copied inspector", window.workbench.inspector.text()


def drawn_on(window: Window, pointed_at: int | None, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that a canvas draws which has just been made, with the card of the node that is pointed at."""
    written: list[str] = []
    write = Pen.write

    def noting(pen: Pen, x: float, middle: float, text: str, *rest: Any) -> None:
        written.append(text)
        write(pen, x, middle, text, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(Pen, "write", noting)
        canvas = copy_of(window.workbench.canvas, window)
        canvas._hovered, canvas._has_card = pointed_at, pointed_at is not None
        grab(canvas)
        canvas.close()
    return written


def tells(text: str, gradient: np.ndarray) -> bool:
    """Whether one of the numbers of a gradient is in a text, in any precision of two digits or more."""
    wanted = [float(number) for number in np.ravel(gradient) if abs(number) not in (0, 1)]
    found = [float(number) for number in re.findall(r"-?\d+\.\d+(?:e-?\d+)?", text.replace("−", "-"))]
    return any(abs(a - b) <= 0.02 * abs(b) for a in found for b in wanted)


def test_the_test_itself_finds_what_is_shown(qtbot, window, monkeypatch):
    opened(qtbot, window)
    track = window.session.picture.track
    first = questions(track)[2]
    window.session.clock.player.go(first.position)
    QApplication.processEvents()

    assert any(tells(text, first.gradient) for _, text in texts_of(window))
    assert any(tells(text, first.gradient) for text in drawn_on(window, None, monkeypatch))


def test_no_panel_gives_away_what_is_asked_for(qtbot, window, monkeypatch):
    opened(qtbot, window)
    bench = window.workbench
    window.trigger("predict")
    predicting = bench.leading.predicting
    track = window.session.picture.track
    every = questions(track)
    seen = 0
    while predicting.hides_later:
        if predicting.question is None:
            step(window)
        ahead = [question.gradient for question in every if question.position >= predicting.question.position]
        known = [q.gradient for q in every if q.position < predicting.question.position]
        known += [np.asarray(value) for value in track.recording.values if value is not None]
        hidden = [g for g in ahead if not any(tells(number_text(float(n)), k) for n in np.ravel(g) for k in known)]
        for chosen in (None, *track.forward):
            bench.select(chosen)
            QApplication.processEvents()
            drawn = [("canvas", text) for text in drawn_on(window, chosen, monkeypatch)]
            assert drawn
            said = {*texts_of(window), *drawn}
            for gradient in hidden:
                for place, text in said:
                    assert not tells(text, gradient), f"{place} tells {gradient}: {text!r}"
        seen += len(hidden)
        predicting.reveal()
        QApplication.processEvents()
    assert seen > 4
    assert "x.grad" in bench.output.text()


@pytest.mark.parametrize("name", TELLING)
def test_what_shows_later_gradients_waits_until_they_are_predicted(qtbot, window, name):
    opened(qtbot, window)
    window.trigger("predict")
    action = window.actions_by_name.by_name[name]
    action.setEnabled(True)
    before = {part for part in QApplication.topLevelWidgets() if part.isVisible()}
    action.trigger()

    assert window.statusBar().currentMessage() == PREDICT_FIRST
    assert {part for part in QApplication.topLevelWidgets() if part.isVisible()} == before
    assert not window.workbench.has_heat


def test_what_shows_later_gradients_is_closed_before_they_are_asked_for(qtbot, window):
    opened(qtbot, window)
    window.trigger("show_heat")
    window.trigger("seed")
    laboratory = window.commands.seed.window
    assert laboratory is not None
    assert laboratory.isVisible()

    window.trigger("predict")

    assert not laboratory.isVisible()
    assert not window.workbench.has_heat


def test_what_was_printed_later_is_hidden_until_the_last_answer(qtbot, window):
    opened(qtbot, window)
    output = window.workbench.output
    window.trigger("predict")

    assert output.text().startswith("start")
    assert "x.grad" not in output.text()
    assert "x.grad" not in output.pane.toPlainText()
    window.trigger("predict")
    assert "x.grad" in output.pane.toPlainText()


# ---- from the help to a lesson ----


def test_a_row_of_the_questions_opens_its_lesson(qtbot, window):
    opened(qtbot, window)
    window.trigger("help")
    help_window = window.commands._help
    help_window.page.anchorClicked.emit(QUrl("../examples/25_why_is_grad_none.py"))
    settle(qtbot, window)

    assert window.session.document.content.name == "25_why_is_grad_none.py"
    assert said(window) == "backward() has run. Why is the .grad of y None?"
    help_window.close()
