"""The window wires everything: keys, clicks, files, errors, what is unsaved, what is remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog

from gradviz.errors import FormatError
from gradviz.ui.actions_table import MENUS
from gradviz.ui.canvas.view import fitted
from gradviz.ui.settings import Settings
from gradviz.ui.start_page_lessons import read_lesson
from gradviz.ui.theme import CHOICES, Theme
from gradviz.ui.window import Window
from gradviz.ui.window_files import Unsaved
from tests.ui.sessions import Reader, new_session

TEXT = "one\ntwo\n\n\n\nsix\nseven\n"

# The offscreen platform names what it cannot do; nothing of it is ours.


@pytest.fixture(autouse=True)
def nothing_asks(monkeypatch):
    """A question nobody answers would wait for ever; a test that means one says so with `answer`."""
    answer(monkeypatch, Unsaved.DISCARD)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def reader() -> Reader:
    return Reader()


def new_window(qtbot, settings: Settings, reader: Reader) -> Window:
    theme = Theme(settings.theme)
    window = Window(theme, settings, new_session(reader))
    qtbot.addWidget(window)
    window.resize(1200, 800)
    window.show()
    return window


@pytest.fixture
def window(qtbot, settings, reader, monkeypatch) -> Iterator[Window]:
    made = new_window(qtbot, settings, reader)
    yield made
    answer(monkeypatch, Unsaved.DISCARD)
    reader.release.set()
    made.session.close()


@pytest.fixture
def opened(qtbot, window: Window) -> Window:
    """With a script open and its picture there; the keys go to the canvas."""
    with qtbot.waitSignal(window.session.picture_changed):
        window.session.open_script(TEXT, "one.py")
    window.workbench.canvas.setFocus()
    QApplication.processEvents()
    return window


def position(window: Window) -> int:
    return window.session.clock.player.position


def answer(monkeypatch, text: str) -> list[str]:
    asked: list[str] = []
    monkeypatch.setattr(Unsaved, "ask", classmethod(lambda cls, parent, name: asked.append(name) or text))
    return asked


def choose_file(monkeypatch, method: str, path: Path) -> None:
    monkeypatch.setattr(QFileDialog, method, staticmethod(lambda *_args, **_kw: (str(path), "")))


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


# ---- keys ----


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
    opened.workbench.timeline.position_requested.emit(8)
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
        opened.session.edit("bad")

    assert opened.session.picture is picture
    assert "not defined" in opened.workbench.output.text()
    assert opened.workbench.run_state.text.text() == "● error"
    assert opened.workbench.editor.area.marks.lit_line() is None


def test_seed_is_refused_while_the_script_fails(qtbot, opened):
    assert opened.workbench.timeline.sweeps.seed_chip.isEnabled()
    with qtbot.waitSignal(opened.session.document.run_ended):
        opened.session.edit("bad")

    assert not opened.workbench.timeline.sweeps.seed_chip.isEnabled()
    opened.trigger("seed")
    assert "mend the script" in opened.statusBar().currentMessage()


def test_file_that_cannot_be_read_is_a_message(window, tmp_path):
    window.open_path(tmp_path / "missing.py")

    assert "cannot be read" in window.statusBar().currentMessage()
    assert not window.is_working


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
    assert not opened.actions_by_name.by_name["step"].isEnabled()


# ---- variables ----


def test_change_of_a_variable_is_written_into_the_script_and_run(qtbot, window, reader):
    from gradviz.script.leaves import LeafChange

    text = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)  # kept\n"
    with qtbot.waitSignal(window.session.picture_changed):
        window.session.open_script(text, "x.py")
    with qtbot.waitSignal(window.session.document.run_ended):
        window.workbench.change_leaf("x", LeafChange(values=[3.0, 4.0]))

    assert "[3., 4.]" in reader.texts[-1].replace("3.0", "3.").replace("4.0", "4.")
    assert "# kept" in reader.texts[-1]
    window.trigger("undo")
    assert window.workbench.editor.text() == text


# ---- files ----


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
    with pytest.raises(FormatError, match=r"\.png, \.svg, \.json"):
        opened.files.export_to(tmp_path / "a.gif")


@pytest.mark.parametrize("suffix", [".png", ".svg"])
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
    with qtbot.waitSignal(window.session.picture_changed):
        window.dropEvent(drop)

    assert window.session.document.content.path == file
    assert window._settings.recent == (file,)


# ---- what is remembered ----


def test_size_and_columns_are_there_again(qtbot, opened, settings, reader, monkeypatch):
    opened.resize(790, 600)
    opened.workbench.columns.setSizes([240, 280, 270])
    sizes = opened.workbench.columns.sizes()
    assert opened.close()

    again = new_window(qtbot, settings, reader)
    again.restoreGeometry(settings.window_state("geometry"))
    with qtbot.waitSignal(again.session.picture_changed):
        again.session.open_script("one", "one.py")
    assert (again.width(), again.height()) == (790, 600)
    assert again.workbench.columns.sizes() == sizes
    again.session.close()


def test_theme_is_remembered_and_goes_round(window, settings):
    seen = []
    for _ in CHOICES:
        window.top.theme_button.click()
        seen.append(settings.theme)

    assert seen == [*CHOICES[1:], "system"]
    assert window.actions_by_name.by_name["theme_system"].isChecked()


def test_columns_can_be_hidden(opened):
    opened.trigger("show_right")
    assert opened.workbench.inspector.isHidden()
    assert not opened.actions_by_name.by_name["show_right"].isChecked()

    opened.trigger("show_right")
    assert not opened.workbench.inspector.isHidden()


def test_direction_turns_the_picture(qtbot, opened, settings):
    with qtbot.waitSignal(opened.session.picture_changed):
        opened.trigger("across")

    assert opened.session.picture.direction == "right"
    assert settings.direction == "right"


def test_a_turned_picture_is_fitted(qtbot, opened):
    canvas = opened.workbench.canvas
    canvas.zoom_by(3.0)

    with qtbot.waitSignal(opened.session.picture_changed):
        opened.trigger("across")

    assert canvas.view.scale == fitted(canvas._scene.around, canvas._free_space()).scale


def test_what_was_said_of_one_script_is_gone_with_the_next(qtbot, opened):
    opened.show_message("This picture has no groups.")

    opened.session.open_script("two", "two.py")

    assert opened.statusBar().currentMessage() == ""


def test_a_long_message_ends_before_the_figures(qtbot, opened):
    line = opened.statusBar()
    opened.show_message("x")
    figures = line.figures.geometry()
    before = line.grab(figures).toImage()

    opened.show_message("no room " * 90)

    assert line.grab(figures).toImage() == before


def test_choosing_a_size_says_when_it_is_seen(opened, settings):
    opened.trigger("size_150")

    assert settings.size == 150
    assert "150 % from the next start" in opened.statusBar().currentMessage()
    assert opened.actions_by_name.by_name["size_150"].isChecked()
    assert not opened.actions_by_name.by_name["size_100"].isChecked()
