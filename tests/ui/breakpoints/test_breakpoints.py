"""Breakpoints in the window: set by gutter, key, menu and field; where they stop is seen and said."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from gradviz.playback.conditions.breakpoints import Breakpoint
from gradviz.playback.player import Player
from gradviz.playback.track import Track
from gradviz.ui.session import survey
from gradviz.ui.session.picture import Picture
from tests.samples import random_graph
from tests.ui.sessions import lay_out, measure
from tests.ui.windows import open_in


@pytest.fixture
def stopping(opened):
    return opened.workbench.stopping


def texts(window) -> list[str]:
    return [one.text for one in window.session.document.content.breakpoints]


def rows(window) -> list[tuple[str, str]]:
    tree = window.workbench.breakpoints.tree
    items = [tree.topLevelItem(row) for row in range(tree.topLevelItemCount())]
    return [(item.text(0), item.text(1)) for item in items]


def play_on(window) -> Player:
    """Play until it stops, in large ticks."""
    player = window.session.clock.player
    player.toggle()
    while player.is_playing:
        player.tick(50)
    return player


def place_in_gutter(window, line: int, x: int = 8) -> QPoint:
    area = window.workbench.editor.area
    block = area.document().findBlockByNumber(line - 1)
    top = area.blockBoundingGeometry(block).translated(area.contentOffset()).top()
    return QPoint(x, round(top + 8))


# ---- setting them ----


def test_click_in_the_gutter_sets_a_breakpoint_and_another_takes_it_away(qtbot, opened):
    gutter = opened.workbench.editor.area.gutter
    qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=place_in_gutter(opened, 6))
    assert texts(opened) == ["line = 6"]
    assert opened.workbench.editor.area.marks.stop_of(6) is True

    qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=place_in_gutter(opened, 6))
    assert texts(opened) == []
    assert opened.workbench.editor.area.marks.stop_of(6) is None


def test_click_on_a_number_still_selects_its_line(qtbot, opened):
    area = opened.workbench.editor.area
    qtbot.mouseClick(area.gutter, Qt.MouseButton.LeftButton, pos=place_in_gutter(opened, 2, x=28))

    assert texts(opened) == []
    assert area.textCursor().selectedText().startswith("two")


def test_no_breakpoint_is_set_below_the_last_line(qtbot, opened):
    area = opened.workbench.editor.area
    qtbot.mouseClick(area.gutter, Qt.MouseButton.LeftButton, pos=QPoint(8, area.gutter.height() - 2))

    assert texts(opened) == []


def test_the_dot_is_drawn_in_the_gutter_and_faint_under_the_pointer(qtbot, opened):
    gutter = opened.workbench.editor.area.gutter
    plain = gutter.grab().toImage()
    qtbot.mouseMove(gutter, place_in_gutter(opened, 6))
    pointed = gutter.grab().toImage()
    opened.workbench.stopping.toggle_line(6)

    assert pointed != plain
    assert gutter.grab().toImage() not in (plain, pointed)


def test_f9_sets_a_breakpoint_on_the_selected_node_or_on_the_line_of_the_cursor(qtbot, opened):
    opened.workbench.select(3)
    qtbot.keyClick(opened.workbench.canvas, Qt.Key.Key_F9)
    assert texts(opened) == ["name = x·x·w"]

    opened.workbench.editor.go_to_line(6)
    qtbot.keyClick(opened.workbench.editor.area, Qt.Key.Key_F9)
    assert texts(opened) == ["name = x·x·w", "line = 6"]


def test_f9_without_a_selection_takes_the_node_of_this_step_or_says_what_to_do(qtbot, opened):
    opened.trigger("breakpoint")
    assert texts(opened) == ["name = y"]

    opened.trigger("first")
    opened.trigger("breakpoint")
    assert texts(opened) == ["name = y"]
    assert "No node is selected" in opened.statusBar().currentMessage()


def test_field_of_the_list_adds_a_condition_or_says_in_one_sentence_what_is_wrong(qtbot, opened):
    opened.trigger("breakpoint_new")
    panel = opened.workbench.breakpoints
    assert panel.isVisible()
    assert panel.field.hasFocus()

    qtbot.keyClicks(panel.field, "norm >")
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    assert panel.sentence.accessibleName() == "After 'norm >' comes a value, for example norm > 1e3."
    qtbot.keyClicks(panel.field, "5")
    assert not panel.sentence.isVisible()
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)
    assert texts(opened) == ["norm > 5"]
    assert panel.field.text() == ""


def test_rows_stay_beside_a_sentence_where_there_is_room_for_both(qtbot, opened):
    panel = opened.workbench.breakpoints
    opened.trigger("breakpoint_new")
    opened.workbench.stopping.add("nan")
    qtbot.keyClicks(panel.field, "norm >")
    qtbot.keyClick(panel.field, Qt.Key.Key_Return)

    for height, has_rows in ((200, True), (150, True), (120, False)):
        panel.resize(300, height)
        assert (panel.tree.isVisible(), panel.sentence.isVisible()) == (has_rows, True)


def test_menu_of_the_graph_offers_what_fits_the_selection(opened):
    opened.workbench.select(3)
    entries = {action.text().partition("\t")[0]: action for action in opened.commands.ways.menu().actions()}
    entries["Breakpoint on every mul"].trigger()

    assert texts(opened) == ["op = mul"]
    assert {"Breakpoint here", "Run to the cursor", "Show path to the output", "Fit the graph"} <= set(entries)
    opened.workbench.select(None)
    assert "Breakpoint here" not in [action.text() for action in opened.commands.ways.menu().actions()]


def test_right_click_selects_and_opens_the_menu(opened):
    opened.workbench.canvas.menu_requested.emit(QPoint(40, 40), False)
    menu = QApplication.activePopupWidget()

    assert menu is not None
    menu.close()


# ---- where they stop ----


def test_playing_stops_exactly_there_and_the_status_says_why(opened):
    opened.workbench.stopping.add("norm > 5")
    player = play_on(opened)

    assert player.position == 8
    reason = "norm of what comes in = 5.831 > 5 at node x·x (mul), line 6"
    assert opened.statusBar().currentMessage() == f"Stopped at breakpoint: {reason}."
    assert rows(opened) == [("norm > 5", "stopped here")]
    opened.trigger("step")
    assert opened.statusBar().currentMessage() == ""
    assert rows(opened) == [("norm > 5", "2 stops")]


def test_inspector_shows_what_a_breakpoint_stopped_at_and_not_what_was_selected(opened):
    bench = opened.workbench
    bench.select(0)
    bench.stopping.add("norm > 5")
    play_on(opened)
    assert bench.selected is None

    here = bench._track.node_at(opened.session.clock.player.position)
    bench.select(here)
    opened.trigger("step")
    opened.trigger("previous_stop")
    assert bench.selected == here


def test_reason_comes_back_after_another_sentence(opened):
    opened.workbench.stopping.add("norm > 5")
    play_on(opened)
    opened.trigger("path")
    assert "on the way" in opened.statusBar().currentMessage()

    opened.trigger("show_all")
    assert opened.statusBar().currentMessage().startswith("Stopped at breakpoint: norm of what comes in")


@pytest.mark.parametrize("speed", [100.0, 3000.0])
def test_timer_at_any_speed_stops_at_the_step(qtbot, opened, stopping, speed):
    stopping.add("op = mul and name = x·x and backward")
    opened.session.clock.player.set_speed(speed)
    opened.trigger("play")
    opened.session.clock.advance(60_000.0)

    assert (opened.session.clock.player.position, opened.session.clock.player.is_halted) == (8, True)


def test_breakpoint_that_is_off_does_not_stop_and_is_hollow(opened, stopping):
    stopping.add("norm > 5")
    item = opened.workbench.breakpoints.tree.topLevelItem(0)
    item.setCheckState(0, Qt.CheckState.Unchecked)

    assert play_on(opened).position == 9
    assert opened.session.document.content.breakpoints == (Breakpoint("norm > 5", False),)
    assert stopping.positions == ()
    opened.workbench.stopping.toggle_line(6)
    opened.workbench.stopping.turn("line = 6", False)
    assert stopping.nodes(on=False) == {1, 3, 4}
    assert opened.workbench.editor.area.marks.stop_of(6) is False


def test_where_it_will_stop_is_marked_in_graph_gutter_timeline_and_list(opened, stopping):
    slider = opened.workbench.timeline.slider
    before = slider.grab().toImage()
    stopping.toggle_line(6)

    assert stopping.positions == (2, 4, 5, 6, 7, 8)
    assert stopping.nodes(on=True) == {1, 3, 4}
    assert slider.grab().toImage() != before
    assert rows(opened) == [("line = 6", "6 stops")]


def test_marks_of_a_longer_pass_come_with_it(qtbot, opened, stopping):
    stopping.add("op = mul")
    marks = list(opened.workbench.timeline.slider._wedges)
    for text in ("empty", "another"):
        with qtbot.waitSignal(opened.session.picture_changed):
            opened.session.edit(text)

    assert marks
    assert opened.workbench.timeline.slider._wedges == marks


def test_keys_lead_to_the_next_breakpoint_and_to_the_one_before(qtbot, opened, stopping):
    canvas, player = opened.workbench.canvas, opened.session.clock.player
    qtbot.keyClick(canvas, Qt.Key.Key_F8)
    assert "There is no breakpoint yet" in opened.statusBar().currentMessage()
    stopping.add("op = mul and backward")
    seen = []
    for _ in range(2):
        qtbot.keyClick(canvas, Qt.Key.Key_F8)
        seen.append(player.position)
    qtbot.keyClick(canvas, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)

    assert [*seen, player.position] == [7, 8, 7]
    assert "op = mul and backward at node" in opened.statusBar().currentMessage()
    qtbot.keyClick(canvas, Qt.Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert "No breakpoint comes before" in opened.statusBar().currentMessage()
    stopping.turn_all()
    opened.trigger("next_stop")
    assert "All breakpoints are off" in opened.statusBar().currentMessage()


def test_where_none_is_left_in_this_call_the_next_one_is_in_another(qtbot, window):
    open_in(qtbot, window, "two calls\n")
    content, player, stopping = window.session.document, window.session.clock.player, window.workbench.stopping
    stopping.add("op = mul and backward")
    player.go(8)
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("next_stop")

    assert (content.content.sweep, player.position) == (1, 7)
    assert "op = mul and backward at node" in window.statusBar().currentMessage()
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("previous_stop")
    assert (content.content.sweep, player.position) == (0, 8)

    stopping.add("nan")
    assert rows(window)[-1] == ("nan", "not in this call")
    stopping.remove("op = mul and backward")
    with qtbot.waitSignal(window.session.refused):
        window.trigger("next_stop")
    assert window.statusBar().currentMessage() == "No breakpoint comes after this step."


def test_run_to_the_cursor_goes_to_the_node_or_the_line_and_stops_on_the_way(opened, stopping):
    player = opened.session.clock.player
    opened.workbench.select(1)
    opened.trigger("run_to")
    assert player.position == 8

    opened.trigger("first")
    opened.workbench.editor.go_to_line(4)
    opened.trigger("run_to")
    assert player.position == 3
    opened.workbench.editor.go_to_line(2)
    opened.trigger("run_to")
    assert "No tensor of this picture was made in line 2" in opened.statusBar().currentMessage()

    stopping.add("op = sum and backward")
    opened.workbench.canvas.setFocus()
    opened.trigger("run_to")
    assert (player.position, player.is_halted) == (6, True)
    opened.workbench.select(None)
    opened.trigger("run_to")
    assert "Nothing is selected" in opened.statusBar().currentMessage()


def test_list_removes_jumps_and_clears(qtbot, opened, stopping):
    for text in ("nan", "norm > 5", "line = 4"):
        stopping.add(text)
    tree = opened.workbench.breakpoints.tree
    tree.setCurrentItem(tree.topLevelItem(0))
    tree.setFocus()
    qtbot.keyClick(tree, Qt.Key.Key_Delete)
    assert texts(opened) == ["norm > 5", "line = 4"]

    tree.itemActivated.emit(tree.topLevelItem(0), 0)
    assert opened.session.clock.player.position == 8
    opened.trigger("breakpoints_turn")
    assert [one.is_on for one in stopping.breakpoints] == [False, False]
    opened.trigger("breakpoints_turn")
    assert [one.is_on for one in stopping.breakpoints] == [True, True]
    opened.trigger("breakpoints_clear")
    assert texts(opened) == []
    assert opened.workbench.breakpoints.empty.isVisible()


def test_list_comes_with_the_first_breakpoint_and_stays_away_once_closed(opened, stopping):
    panel = opened.workbench.breakpoints
    assert not panel.isVisible()
    stopping.add("nan")
    assert panel.isVisible()
    assert opened.actions_by_name.by_name["show_breakpoints"].isChecked()

    opened.trigger("show_breakpoints")
    stopping.add("inf")
    assert not panel.isVisible()
    opened.trigger("show_right")
    assert not opened.workbench.right.isVisible()


def test_list_goes_with_a_document_that_has_no_breakpoints(qtbot, opened, stopping):
    panel = opened.workbench.breakpoints
    stopping.add("nan")
    stopping.remove("nan")
    assert panel.isVisible()  # the next one is typed there
    stopping.add("nan")

    open_in(qtbot, opened, "two", "two.py")
    assert not panel.isVisible()
    open_in(qtbot, opened)
    assert panel.isVisible()
    assert texts(opened) == ["nan"]


# ---- large tracks ----


def test_numbers_of_a_long_track_are_measured_in_a_thread_and_play_need_not_wait(qtbot, opened, monkeypatch):
    track = Track(random_graph(1500), 0)
    monkeypatch.setattr(survey, "_FEW_POSITIONS", 100)
    sizes = measure(track)
    opened.session._show(Picture(track, lay_out(track, sizes, "down", lambda: False)))
    stopping, player = opened.workbench.stopping, opened.session.clock.player
    order = sorted((float(abs(step.incoming)), place) for place, step in enumerate(track.steps))
    largest, place = order[-1]
    second = order[-2][0]
    stopping.add(f"norm > {(largest + second) / 2:.9g}")
    assert stopping.counts == (None,)
    player.go(track.turn)
    play_on(opened)
    assert (player.position, player.is_halted) == (track.turn + place + 1, True)

    with qtbot.waitSignal(stopping.stops_changed):
        pass
    assert stopping.counts == (1,)
    assert stopping.positions == (track.turn + place + 1,)
