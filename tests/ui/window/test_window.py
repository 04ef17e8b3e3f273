"""The window wires everything: start, selection, lines, errors, variables, messages."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QLabel

from gradviz.recording import Problem
from gradviz.ui.actions.table import MENUS
from gradviz.ui.canvas.plane.view import fitted
from gradviz.ui.session.lessons import read_lesson
from tests.samples import weighted_sum
from tests.ui.real_windows import lay_out_parts, settle
from tests.ui.windows import TEXT, position

# ---- start and workbench ----


def test_app_begins_with_the_start_page_and_builds_no_workbench(window):
    assert not window.is_working
    assert window._workbench is None
    assert not window.actions_by_name.by_name["save"].isEnabled()


def test_opening_a_script_shows_it_and_its_picture(opened):
    assert opened.is_working
    assert opened.workbench.editor.text() == TEXT
    assert opened.windowTitle().startswith("one.py")
    assert "5 nodes" in opened.figures.text()


def test_lesson_shows_what_to_watch_until_it_is_dismissed(qtbot, window, tmp_path):
    file = tmp_path / "01.py"
    file.write_text("# A lesson\n# Watch: the fan-out.\n")
    with qtbot.waitSignal(window.session.picture_changed):
        window.open_lesson(read_lesson(file))

    assert window.workbench.watch.text.text() == "the fan-out."
    assert window.workbench.watch.isVisible()
    window.workbench.watch.dismissed.emit()
    assert not window.workbench.watch.isVisible()


def test_start_page_says_why_a_file_cannot_be_opened(window, tmp_path):
    broken = tmp_path / "broken.ipynb"
    broken.write_text('{"cells": [', encoding="utf-8")
    assert not window.statusBar().isVisible()

    window.open_path(broken)

    assert window.statusBar().isVisible()
    assert "'broken.ipynb' is not a notebook" in window.statusBar().currentMessage()
    window.show_message("")
    assert not window.statusBar().isVisible()


@pytest.mark.parametrize("exists", [True, False])
def test_window_that_begins_with_a_file_shows_no_start_page_before_it(window, tmp_path, exists):
    path = tmp_path / "one.py"
    if exists:
        path.write_text(TEXT)

    go_on = window.opening(path)
    says = [label.text() for label in window.findChildren(QLabel) if label.isVisible()]
    is_start_seen = window.start.isVisible()
    go_on()

    assert "Opening one.py …" in says
    assert not is_start_seen
    assert window.is_working is exists
    assert window.start.isVisible() is not exists
    assert ("one.py" in window.statusBar().currentMessage()) is not exists


def test_expression_from_the_start_page_becomes_a_script(qtbot, window):
    with qtbot.waitSignal(window.session.picture_changed):
        window.start.text_entered.emit("sum(x**2)")

    assert "backward" in window.session.document.content.text
    assert "x**2" in window.session.document.content.text


def test_all_menus_have_room_in_the_narrowest_window(opened):
    opened.resize(760, 520)
    QApplication.processEvents()
    menus, bar = opened.actions_by_name.menus, opened.top.menus

    tops = [menus[title].menuAction() for title in MENUS]
    assert all(bar.rect().contains(bar.actionGeometry(action)) for action in tops)


# ---- selection, lines, sweeps ----


def test_click_on_a_node_selects_it_and_steps_leave_the_selection(opened):
    opened.workbench.canvas.node_clicked.emit(1)
    assert opened.workbench.selected == 1

    opened.trigger("step")
    assert opened.workbench.selected == 1
    opened.workbench.inspector.steps_requested.emit()
    assert opened.workbench.selected is None

    opened.workbench.select(1)
    opened.workbench.canvas.background_clicked.emit()
    assert opened.workbench.selected is None


def test_line_of_the_current_node_is_lit(opened):
    assert opened.workbench.editor.area.marks.lit_line() == 6

    opened.trigger("first")
    assert opened.workbench.editor.area.marks.lit_line() is None


def test_slider_and_keys_move_the_same_position(opened):
    opened.workbench.timeline.slider.position_requested.emit(8)
    assert position(opened) == 8

    opened.trigger("back")
    assert opened.workbench.timeline.slider.value() == 7


def test_step_brings_its_node_into_sight_unless_that_is_off(opened):
    canvas = opened.workbench.canvas
    canvas.zoom_by(4.0)
    zoomed = canvas.view
    opened.trigger("first")
    opened.trigger("step")
    assert canvas.view != zoomed

    opened.trigger("follow")
    opened.trigger("last")
    here = canvas.view
    opened.trigger("turn")
    assert canvas.view == here


def test_sweep_keys_choose_the_next_and_the_previous_call(qtbot, window):
    with qtbot.waitSignal(window.session.picture_changed):
        window.session.open_script("two calls", "two.py")

    window.trigger("next_sweep")
    assert window.session.document.content.sweep == 1
    window.trigger("next_sweep")
    assert window.session.document.content.sweep == 1
    window.trigger("previous_sweep")
    assert window.session.document.content.sweep == 0


def test_search_visits_the_nodes_that_fit_in_turn(qtbot, opened):
    opened.trigger("find")
    field = opened.workbench.find_bar.field
    qtbot.keyClicks(field, "mul")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert opened.workbench.selected == 1
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert opened.workbench.selected == 3


# ---- errors ----


def test_error_is_shown_and_the_picture_stays(qtbot, opened):
    picture = opened.session.picture
    with qtbot.waitSignal(opened.session.document.run_ended):
        opened.session.edit(f"{TEXT}broken")

    assert opened.session.picture is picture
    assert "not defined" in opened.workbench.output.text()
    assert opened.workbench.run_state.text.text() == "● error"
    assert opened.workbench.editor.area.marks.lit_line() is None


def test_seed_is_refused_while_the_script_fails(qtbot, opened):
    assert opened.workbench.timeline.sweeps.seed_chip.isEnabled()
    with qtbot.waitSignal(opened.session.document.run_ended):
        opened.session.edit(f"{TEXT}broken")

    assert not opened.workbench.timeline.sweeps.seed_chip.isEnabled()
    opened.trigger("seed")
    assert "mend the script" in opened.statusBar().currentMessage()


def test_file_that_cannot_be_read_is_a_message(window, tmp_path):
    window.open_path(tmp_path / "missing.py")

    assert "cannot be read" in window.statusBar().currentMessage()
    assert not window.is_working


def test_what_could_not_be_opened_stays_said_on_the_start_page_and_goes_with_it(opened, tmp_path):
    def is_passing() -> bool:
        return any(timer.isActive() for timer in opened.status.findChildren(QTimer))

    opened.open_path(tmp_path / "missing.py")
    assert is_passing()
    opened.show_start()
    opened.open_path(tmp_path / "missing.py")
    assert not is_passing()

    opened.trigger("leave")
    assert opened.statusBar().currentMessage() == ""


def test_long_run_says_so_with_a_stop_button(qtbot, opened, reader):
    with qtbot.waitSignal(opened.session.running_changed):
        opened.session.edit("slow")
    assert opened.workbench.run_state.stop.isVisible()
    assert opened.actions_by_name.by_name["stop"].isEnabled()

    with qtbot.waitSignal(opened.session.document.run_ended):
        opened.workbench.run_state.stop.click()
    assert not opened.workbench.run_state.stop.isVisible()
    assert not opened.actions_by_name.by_name["stop"].isEnabled()


def test_script_without_tensors_says_what_to_do(qtbot, opened):
    with qtbot.waitSignal(opened.session.picture_changed):
        opened.session.edit("empty")

    assert opened.workbench.empty.isVisible()
    assert "The script ran and created no PyTorch tensors" in opened.workbench.empty.text()
    assert not opened.actions_by_name.by_name["step"].isEnabled()
    with qtbot.waitSignal(opened.session.document.run_ended):
        opened.session.edit("empty, bad")
    assert "The script stopped" in opened.workbench.empty.text()


def test_script_without_a_word_says_how_to_begin(qtbot, opened):
    with qtbot.waitSignal(opened.session.picture_changed):
        opened.session.edit("empty")
    opened.session.open_script(" ", "two.py")

    assert "open a lesson" in opened.workbench.empty.text()


# ---- variables ----


def test_change_of_a_variable_is_written_into_the_script_and_run(qtbot, window, reader):
    from gradviz.source.leaf_changes import LeafChange

    text = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)  # kept\n"
    with qtbot.waitSignal(window.session.picture_changed):
        window.session.open_script(text, "x.py")
    with qtbot.waitSignal(window.session.document.run_ended):
        window.workbench.change_leaf("x", LeafChange(values=[3.0, 4.0]))

    assert "[3., 4.]" in reader.texts[-1].replace("3.0", "3.").replace("4.0", "4.")
    assert "# kept" in reader.texts[-1]
    window.trigger("undo")
    assert window.workbench.editor.text() == text


# ---- what is remembered ----


def test_a_turned_picture_is_fitted(qtbot, opened):
    canvas = opened.workbench.canvas
    canvas.zoom_by(3.0)

    with qtbot.waitSignal(opened.session.picture_changed):
        opened.trigger("across")

    assert canvas.view.scale == fitted(canvas._scene.around, canvas._camera._fitting_space).scale


def test_what_was_said_of_one_script_is_gone_with_the_next(qtbot, opened):
    opened.show_message("This picture has no groups.")

    opened.session.open_script("two", "two.py")

    assert opened.statusBar().currentMessage() == ""


def test_a_file_that_cannot_be_opened_is_named_in_the_colour_of_errors(qtbot, opened, tmp_path):
    file = tmp_path / "run.json"
    file.write_bytes(bytes(range(256)))
    opened.show_message("This picture has no groups.")
    plain = opened.status.ink().name()

    with qtbot.waitSignal(opened.session.opening.refused):
        opened.open_path(file)

    assert opened.statusBar().currentMessage() == (
        "run.json: The file is binary or not in UTF-8, so it is not a JSON recording."
    )
    assert opened.status.ink().name() == opened._theme.palette.error.lower() != plain
    opened.open_path(tmp_path / "gone.py")
    assert opened.statusBar().currentMessage().startswith("'gone.py' cannot be read")


def test_a_long_message_ends_before_the_figures(qtbot, opened):
    line = opened.statusBar()
    opened.show_message("x")
    figures = line.figures.geometry()
    before = line.grab(figures).toImage()

    opened.show_message("no room " * 90)

    assert line.grab(figures).toImage() == before


def test_figures_go_where_a_message_is_whole_without_them(opened):
    line = opened.statusBar()
    step = line.fontMetrics().horizontalAdvance("x")
    words = "x" * ((line.width() - 60) // step)
    opened.show_message(words)
    assert not line.figures.isVisible()

    opened.resize(opened.width() - 100, opened.height())
    assert line.figures.isVisible()
    opened.resize(opened.width() + 100, opened.height())
    assert not line.figures.isVisible()
    opened.show_message("")
    assert line.figures.isVisible()


def test_a_change_of_theme_dresses_no_part_more_often_than_it_has_sheets_around_it(opened, qtbot):
    class Count(QObject):
        times = 0

        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
            self.times += event.type() == QEvent.Type.StyleChange
            return False

    opened.trigger("theme_dark")
    count = Count()
    part = opened.workbench.inspector.cards[0]
    part.installEventFilter(count)
    opened.trigger("theme_light")

    assert 1 <= count.times <= 2


@pytest.mark.parametrize("width", range(220, 300, 8))
def test_what_to_watch_is_as_high_as_its_words_after_a_change_of_width(qtbot, window, width):
    window.session.open_script(TEXT, "three.py", watch=window._lessons[2].watch)
    settle(qtbot, window)
    window.resize(900, 900)
    lay_out_parts(window)
    watch = window.workbench.watch
    window.workbench.columns.setSizes([900 - width - 240, width, 240])
    lay_out_parts(window)

    assert watch.height() == watch.heightForWidth(watch.width())


def test_node_at_which_a_pass_stopped_is_selected_until_the_script_is_mended(qtbot, window):
    recording = weighted_sum()
    broken_off = replace(recording.sweeps[0], steps=recording.sweeps[0].steps[:2], accumulated=())
    failed = replace(recording, sweeps=(broken_off,), problem=Problem("no", line=7, node=1))

    with qtbot.waitSignal(window.session.picture_changed):
        window.session.open_recording(failed, "failed.json")
    assert window.workbench.selected == 1
    assert "stopped" in window.workbench.inspector.text()

    with qtbot.waitSignal(window.session.picture_changed):
        window.session.edit("mended")
    assert window.workbench.selected is None
