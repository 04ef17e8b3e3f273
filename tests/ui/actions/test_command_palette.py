"""The command palette holds all that the menus do, finds it by words, runs it and gives the keys back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication, QMenu

from gradviz.ui.actions.command_match import Command, ranked
from gradviz.ui.actions.command_palette import MATCH, CommandPalette, actions_in, command_of
from gradviz.ui.actions.command_rows import CATEGORY_PX, PAD
from gradviz.ui.actions.table import SPECS
from gradviz.ui.look.theme import ui_font

COMMANDS = (
    Command("new", "File", "New script", "Ctrl+N", "Start with an empty script"),
    Command("next_stop", "Play", "Next breakpoint", "F8"),
    Command("here", "Play › Breakpoints", "Breakpoint here", "F9"),
    Command("dark", "View › Theme", "Dark", "", "Light on dark"),
    Command("light", "View › Theme", "Light"),
    Command("definition", "Go", "Go to definition", "F12"),
)


def found(query: str, *recent: str) -> list[str]:
    return [match.command.key for match in ranked(COMMANDS, query, recent)]


# ---- words ----


def test_without_words_all_stand_in_the_order_of_the_menus_those_used_lately_first():
    assert found("") == [command.key for command in COMMANDS]
    assert found("", "dark", "new")[:3] == ["dark", "new", "next_stop"]


def test_start_of_a_word_comes_before_the_inside_and_that_before_another_field():
    assert found("break")[:2] == ["here", "next_stop"]
    assert found("ight")[:1] == ["light"]
    assert found("theme") == ["dark", "light"]
    assert found("f12") == ["definition"]


def test_every_word_must_fit_in_any_order():
    assert found("next br") == found("br next") == ["next_stop"]
    assert found("next dark") == []


def test_first_letters_fit_but_letters_strewn_about_do_not():
    assert found("gtd") == ["definition"]
    assert found("ns")[0] == "new"
    assert found("ognt") == []


def test_of_equal_ones_the_one_used_lately_comes_first():
    assert found("theme", "light") == ["light", "dark"]
    assert found("break", "next_stop")[0] == "next_stop"


def test_what_cannot_be_done_now_comes_after_what_fits_as_well():
    both = (Command("stop", "Play", "Stop", is_enabled=False), Command("step", "Play", "Step on"))

    assert [match.command.key for match in ranked(both, "st", ())] == ["step", "stop"]
    assert [match.command.key for match in ranked(both, "sto", ())] == ["stop", "step"]


def test_letters_that_were_typed_are_told():
    (match,) = ranked(COMMANDS, "def", ())

    assert sorted(match.letters) == [6, 7, 8]


# ---- the palette ----


@pytest.fixture
def palette(opened) -> CommandPalette:
    opened.trigger("commands")
    made = opened.findChild(CommandPalette)
    assert made is not None
    return made


def shown(palette: CommandPalette) -> list[Command]:
    model = palette.rows.model()
    return [model.index(row, 0).data(MATCH).command for row in range(model.rowCount())]


def settle() -> None:
    for _ in range(3):
        QApplication.processEvents()


def test_every_action_of_the_menus_is_in_the_palette_and_has_words(opened, palette):
    listed = {command.key: command for command in shown(palette)}
    reached = list(actions_in(opened.top.menus))

    assert {spec.name for spec in SPECS} <= set(listed)
    assert len(reached) == len(listed) > len(SPECS)
    assert all(command.text.strip() and command.category for command in listed.values())
    assert {command_of(path, action).key for path, action in reached} == set(listed)


def test_path_to_every_command_stands_clear_of_its_words(palette):
    metrics = QFontMetricsF(ui_font(12))
    longest = max(metrics.horizontalAdvance(command.category) for command in shown(palette))

    assert PAD + longest + PAD <= CATEGORY_PX


def test_words_in_a_menu_that_do_nothing_are_no_command(window):
    commands = [action.text() for _, action in actions_in(window.top.menus)]
    entries = [action for menu in window.findChildren(QMenu) for action in menu.actions()]
    recent = next(action.menu() for action in entries if action.text() == "Open recent")

    assert [action.text() for action in recent.actions()] == ["No files yet"]
    assert "No files yet" not in commands


def test_every_action_can_be_reached_by_keys_alone(opened, palette):
    (spec,) = (spec for spec in SPECS if spec.name == "commands")
    assert spec.keys  # and through it all others
    assert palette.field.hasFocus()
    keys = {command.key: command.keys for command in shown(palette)}
    for spec in SPECS:
        assert keys[spec.name] == ", ".join((*spec.canvas_keys, *spec.keys))


def test_enter_runs_the_first_and_it_is_remembered(qtbot, opened, palette):
    qtbot.keyClicks(palette.field, "to the end")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    settle()

    assert opened.session.clock.player.position == opened.session.clock.player.length
    assert not palette.isVisible()
    assert opened.workbench.canvas.hasFocus()
    opened.trigger("commands")
    assert shown(palette)[0].key == "last"
    assert palette.field.text() == ""


def test_arrows_choose_and_go_around_the_ends(qtbot, opened, palette):
    qtbot.keyClicks(palette.field, "theme")
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        qtbot.keyClick(palette.field, key)

    assert palette.rows.currentIndex().row() == 1
    qtbot.keyClick(palette.field, Qt.Key.Key_PageUp)
    assert palette.rows.currentIndex().row() == 0


def test_escape_closes_and_gives_the_keys_back_without_doing_anything_else(qtbot, opened):
    opened.workbench.select(3)
    opened.workbench.editor.area.setFocus()
    opened.trigger("commands")
    palette = opened.findChild(CommandPalette)
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)

    assert not palette.isVisible()
    assert opened.workbench.editor.area.hasFocus()
    assert opened.workbench.selected == 3


def test_what_cannot_be_done_now_is_shown_so_and_is_not_done(qtbot, opened, palette):
    qtbot.keyClicks(palette.field, "stop the script")
    (stop,) = [command for command in shown(palette) if command.key == "stop"]
    assert not stop.is_enabled
    assert "Not possible now" in palette.hint.text()

    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()
    assert palette.hint.text() == "Stop: not possible now."
    assert opened._settings.recent_actions == ()


def test_choices_say_whether_they_are_on(palette):
    tips = {command.key: command.tip for command in shown(palette)}

    assert tips["follow"].endswith("(now on)")
    assert tips["across"].endswith("(now off)")


def test_nothing_that_fits_is_said(qtbot, palette):
    qtbot.keyClicks(palette.field, "qqq")

    assert shown(palette) == []
    assert palette.hint.text() == "Nothing fits 'qqq'."
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_a_click_elsewhere_closes_it_and_a_click_on_a_row_runs_it(qtbot, opened, palette):
    opened.workbench.editor.area.setFocus()
    settle()
    assert not palette.isVisible()
    assert opened.workbench.editor.area.hasFocus()

    opened.trigger("commands")
    qtbot.keyClicks(palette.field, "to the start")
    place = palette.rows.visualRect(palette.rows.currentIndex()).center()
    qtbot.mouseClick(palette.rows.viewport(), Qt.MouseButton.LeftButton, pos=place)
    settle()
    assert opened.session.clock.player.position == 0


def test_the_keys_that_opened_it_close_it(opened, palette):
    opened.trigger("commands")

    assert not palette.isVisible()


def test_it_opens_on_the_start_page_too(qtbot, window):
    window.trigger("commands")
    palette = window.findChild(CommandPalette)

    assert palette.isVisible()
    assert any("Lessons" in command.category for command in shown(palette))
    assert not next(command for command in shown(palette) if command.key == "play").is_enabled


def test_rows_are_read_out_with_menu_words_and_keys(palette):
    index = palette.rows.model().index(0, 0)

    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "File: New script, Ctrl+N"


def test_in_a_low_window_the_card_is_no_higher_than_the_window(opened, palette):
    opened.resize(760, 520)
    settle()

    assert opened.rect().contains(palette.geometry())


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_rows_are_drawn_with_the_letters_typed_and_greyed_where_they_cannot_be_done(qtbot, opened, palette, choice):
    opened.commands.choose_theme(choice)
    before = palette.rows.grab().toImage()
    qtbot.keyClicks(palette.field, "s")

    assert palette.rows.grab().toImage() != before
