"""Finding one's way in the window: the find bar, paths, selections back and forward, node to line and back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.playback.track import Track
from gradviz.ui.session import survey
from gradviz.ui.session.picture import Picture
from tests.samples import random_graph
from tests.ui.sessions import lay_out, measure
from tests.ui.windows import TEXT, open_in

SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def bar(opened):
    opened.trigger("find")
    return opened.workbench.find_bar


def lit(window) -> frozenset[int]:
    return window.workbench.canvas.lit_nodes


def look_for(qtbot, bar, text: str) -> None:
    bar.field.selectAll()
    qtbot.keyClicks(bar.field, text)


# ---- the find bar ----


def test_find_bar_opens_with_the_keys_in_it_and_lies_inside_the_graph(opened, bar):
    assert bar.isVisible()
    assert bar.field.hasFocus()
    assert opened.workbench.canvas.rect().contains(bar.geometry())


def test_fitted_graph_makes_room_for_the_find_bar_and_takes_it_back(opened, bar):
    canvas = opened.workbench.canvas
    canvas.fit()
    under_bar = canvas.view.rect_to_screen(canvas._scene.around)

    opened.workbench.leave_find()

    assert under_bar[1] > bar.geometry().bottom()
    assert canvas.view.rect_to_screen(canvas._scene.around)[1] < under_bar[1]


def test_matches_are_lit_and_counted_while_typing(qtbot, opened, bar):
    look_for(qtbot, bar, "mul")

    assert lit(opened) == {1, 3}
    assert bar.count.text() == "2 found"
    look_for(qtbot, bar, "norm > 5")
    assert lit(opened) == {0, 1}


def test_return_and_f3_visit_the_matches_in_turn_and_say_which_it_is(qtbot, opened, bar):
    look_for(qtbot, bar, "[2]")
    seen = []
    for key, modifier in ((Qt.Key.Key_Return, 0), (Qt.Key.Key_F3, 0), (Qt.Key.Key_Down, 0), (Qt.Key.Key_Return, SHIFT)):
        qtbot.keyClick(bar.field, key, modifier or Qt.KeyboardModifier.NoModifier)
        seen.append((opened.workbench.selected, bar.count.text()))

    assert seen == [(0, "1 of 4"), (1, "2 of 4"), (2, "3 of 4"), (1, "2 of 4")]
    for _ in range(2):
        qtbot.keyClick(bar.field, Qt.Key.Key_F3, SHIFT)
    assert bar.count.text() == "4 of 4"


def test_buttons_do_the_same(qtbot, opened, bar):
    look_for(qtbot, bar, "mul")
    qtbot.mouseClick(bar.previous, Qt.MouseButton.LeftButton)
    assert (opened.workbench.selected, bar.count.text()) == (3, "2 of 2")
    qtbot.mouseClick(bar.next, Qt.MouseButton.LeftButton)
    assert (opened.workbench.selected, bar.count.text()) == (1, "1 of 2")
    qtbot.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()


def test_bad_condition_is_one_sentence_in_the_bar_and_red_only_once_it_is_asked(qtbot, opened, bar):
    look_for(qtbot, bar, "grad > ")
    sentence = "After 'norm >' comes a value, for example norm > 1e3."
    assert bar.sentence.text() == sentence
    assert bar.sentence.property("role") == "dim"
    assert not bar.next.isEnabled()

    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.sentence.text() == sentence
    assert bar.sentence.property("role") == "error"
    assert lit(opened) == frozenset()


def test_nothing_found_is_said_and_nothing_goes_pale(qtbot, opened, bar):
    look_for(qtbot, bar, "zzz")

    assert bar.sentence.text() == "No node of this picture fits 'zzz'."
    assert bar.count.text() == ""
    assert lit(opened) == frozenset()


def test_where_there_are_several_calls_it_is_said_which_was_searched(qtbot, window):
    open_in(qtbot, window, "two calls\n")
    window.trigger("find")
    look_for(qtbot, window.workbench.find_bar, "zzz")

    assert window.workbench.find_bar.sentence.text() == "No node of backward call 1 fits 'zzz'."


def test_escape_closes_the_bar_lights_all_and_keeps_the_selection(qtbot, opened, bar):
    look_for(qtbot, bar, "mul")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)

    assert not bar.isVisible()
    assert lit(opened) == frozenset()
    assert opened.workbench.selected == 1
    assert opened.workbench.canvas.hasFocus()


def test_f3_goes_on_with_the_last_search(qtbot, opened, bar):
    look_for(qtbot, bar, "mul")
    opened.trigger("leave")
    qtbot.keyClick(opened.workbench.canvas, Qt.Key.Key_F3)

    assert opened.workbench.selected == 1
    assert bar.isVisible()


def test_f3_without_a_search_begins_one(qtbot, opened):
    qtbot.keyClick(opened.workbench.canvas, Qt.Key.Key_F3)

    assert opened.workbench.find_bar.field.hasFocus()


def test_the_search_looks_again_in_the_next_picture(qtbot, opened, bar):
    look_for(qtbot, bar, "tanh")
    assert lit(opened) == frozenset()
    track = Track(random_graph(60), 0)
    opened.session._show(Picture(track, lay_out(track, measure(track), "down", lambda: False)))

    assert lit(opened)
    assert bar.count.text() == f"{len(lit(opened))} found"


def begin_measuring(qtbot, opened, bar, monkeypatch):
    """Search a graph of which so much must be measured that a thread does it."""
    monkeypatch.setattr(survey, "_FEW_POSITIONS", 100)
    track = Track(random_graph(1500), 0)
    opened.session._show(Picture(track, lay_out(track, measure(track), "down", lambda: False)))
    look_for(qtbot, bar, "norm >= 0")
    assert bar.sentence.text() == "Measuring…"
    return track


def test_large_graphs_are_searched_in_a_thread_and_return_waits_for_it(qtbot, opened, bar, monkeypatch):
    track = begin_measuring(qtbot, opened, bar, monkeypatch)
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bar.sentence.text() == "")

    assert len(lit(opened)) == len(track.steps)
    assert bar.count.text().startswith("1 of ")


def test_return_visits_what_was_measured_while_it_was_pressed(qtbot, opened, bar, monkeypatch):
    begin_measuring(qtbot, opened, bar, monkeypatch)
    monkeypatch.setattr(survey, "_FEW_POSITIONS", 10_000)  # as if it was done by then

    bar.field.stepped.emit(1)

    assert bar.count.text().startswith("1 of ")


# ---- paths ----


@pytest.mark.parametrize(
    ("action", "key", "nodes"),
    [("path", Qt.Key.Key_P, {1, 3, 4}), ("ancestors", Qt.Key.Key_A, {0, 1}), ("descendants", Qt.Key.Key_D, {1, 3, 4})],
)
def test_keys_light_kin_of_the_selected_node_and_again_all(qtbot, opened, action, key, nodes):
    opened.workbench.select(1)
    qtbot.keyClick(opened.workbench.canvas, key)
    assert lit(opened) == nodes
    assert "x·x" in opened.statusBar().currentMessage()

    opened.trigger(action)
    assert lit(opened) == frozenset()


def test_escape_first_lights_all_and_then_ends_the_selection(qtbot, opened):
    opened.workbench.select(0)
    opened.trigger("path")
    assert opened.statusBar().currentMessage() == (
        "4 of 5 nodes are on the way from x to the output; Esc shows all again."
    )
    qtbot.keyClick(opened.workbench.canvas, Qt.Key.Key_Escape)
    assert (lit(opened), opened.workbench.selected) == (frozenset(), 0)
    qtbot.keyClick(opened.workbench.canvas, Qt.Key.Key_Escape)
    assert opened.workbench.selected is None


def test_a_path_stays_lit_in_the_next_run_and_a_search_takes_its_place(qtbot, opened):
    opened.workbench.select(0)
    opened.trigger("path")
    with qtbot.waitSignal(opened.session.document.run_ended):
        opened.session.edit("another text")
    assert lit(opened) == {0, 1, 3, 4}

    opened.trigger("find")
    qtbot.keyClicks(opened.workbench.find_bar.field, "sum")
    assert lit(opened) == {4}
    opened.trigger("ancestors")
    assert not opened.workbench.find_bar.isVisible()
    assert lit(opened) == {0}
    opened.trigger("show_all")
    assert lit(opened) == frozenset()


def test_without_a_node_it_is_said_what_to_do(opened):
    opened.trigger("first")
    opened.trigger("path")

    assert "No node is selected" in opened.statusBar().currentMessage()
    assert lit(opened) == frozenset()


# ---- selections ----


def test_back_and_forward_lead_through_the_selections(qtbot, opened):
    for node in (0, 3, 4):
        opened.workbench.canvas.node_clicked.emit(node)
    canvas = opened.workbench.canvas
    seen = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right):
        qtbot.keyClick(canvas, key, ALT)
        seen.append(opened.workbench.selected)

    assert seen == [3, 0, 3]
    canvas.turned_back.emit()
    canvas.turned_back.emit()
    assert opened.workbench.selected == 0
    assert "No selection comes before" in opened.statusBar().currentMessage()
    canvas.turned_forward.emit()
    assert opened.workbench.selected == 3


def test_another_document_begins_with_no_way_back(qtbot, opened):
    opened.workbench.select(0)
    opened.workbench.select(3)
    open_in(qtbot, opened, "other", "other.py")
    opened.trigger("go_back")

    assert opened.workbench.selected is None


def test_s_selects_the_node_of_this_step_and_z_shows_it_large(qtbot, opened):
    canvas = opened.workbench.canvas
    canvas.zoom_by(0.3)
    qtbot.keyClick(canvas, Qt.Key.Key_S)
    assert opened.workbench.selected == 4
    before = canvas.view.scale
    qtbot.keyClick(canvas, Qt.Key.Key_Z)
    assert canvas.view.scale > before

    opened.trigger("first")
    opened.workbench.select(None)
    qtbot.keyClick(canvas, Qt.Key.Key_Z)
    assert "No node is selected" in opened.statusBar().currentMessage()


# ---- definition ----


def test_f12_goes_from_the_node_to_its_line_and_back_to_the_last_node_of_the_line(qtbot, opened):
    opened.workbench.select(1)
    qtbot.keyClick(opened.workbench.canvas, Qt.Key.Key_F12)
    area = opened.workbench.editor.area
    assert area.hasFocus()
    assert opened.workbench.editor.line() == 6

    qtbot.keyClick(area, Qt.Key.Key_F12)
    assert opened.workbench.selected == 4
    assert opened.workbench.canvas.hasFocus()
    assert opened.statusBar().currentMessage() == "Line 6 made 3 tensors; the last of them is selected."


def test_a_line_without_a_tensor_is_said(opened):
    opened.workbench.editor.go_to_line(2)
    opened.trigger("definition")

    assert opened.statusBar().currentMessage() == "No tensor of this picture was made in line 2."


def test_an_older_picture_leads_to_no_line(qtbot, opened):
    with qtbot.waitSignal(opened.session.document.run_ended):
        opened.session.edit(f"{TEXT}broken")
    opened.workbench.canvas.setFocus()
    QApplication.processEvents()
    opened.trigger("definition")

    assert "mend the script first" in opened.statusBar().currentMessage()
    assert opened.workbench.canvas.hasFocus()


def test_keys_walk_from_node_to_node(qtbot, opened):
    bench = opened.workbench
    track = opened.session.picture.track
    output = track.forward[-1]
    bench.select(output)

    QTest.keyClick(bench.canvas, Qt.Key.Key_Up)
    source = bench.selected
    QTest.keyClick(bench.canvas, Qt.Key.Key_Down)
    back = bench.selected
    QTest.keyClick(bench.canvas, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    before = bench.selected
    QTest.keyClick(bench.canvas, Qt.Key.Key_N)

    assert source == track.recording.nodes[output].inputs[0]
    assert (back, before, bench.selected) == (output, track.forward[-2], output)

    QTest.keyClick(bench.canvas, Qt.Key.Key_N)
    assert bench.selected == output
    assert "has no node after it" in opened.statusBar().currentMessage()
    bench.select(track.forward[0])
    QTest.keyClick(bench.canvas, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert bench.selected == track.forward[0]


def test_keys_move_over_the_graph(opened):
    canvas = opened.workbench.canvas
    view = canvas.view

    QTest.keyClick(canvas, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(canvas, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)

    assert (canvas.view.x, canvas.view.y) == (view.x - 120, view.y - 120)
