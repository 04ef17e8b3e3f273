"""Folding in the window: keys and actions, what stays from run to run, stepping over, finding what is folded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.formats import save
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.recording import Source
from gradviz.ui.session.saving import recording_to_write
from gradviz.ui.window.window import Window
from tests.playback.scoped import blocks, names, recording
from tests.playback.test_plumbing import linear
from tests.ui.real_windows import lay_out, real_window
from tests.ui.sessions import FakeRun, measure


def interpret(text: str, name: str, cancelled: Callable[[], bool], **_details: object) -> FakeRun:
    """A text of n lines is a net of n blocks."""
    made = recording(blocks(len(text.splitlines())))
    return FakeRun(replace(made, source=Source("script", name, text)))


@pytest.fixture
def window(qtbot, tmp_path) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini", interpret=interpret, lay_out=lay_out, measure=measure)
    qtbot.addWidget(made)
    with qtbot.waitSignal(made.session.picture_changed):
        made.session.open_script("1\n2\n", "two.py")
    made.workbench.canvas.setFocus()
    QApplication.processEvents()
    yield made
    made.close()


def board(window: Window) -> FoldedTrack:
    drawn = window.session.picture.drawn
    assert isinstance(drawn, FoldedTrack)
    return drawn


def do(qtbot, window: Window, name: str) -> list[str]:
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger(name)
    return names(board(window))


def press(qtbot, window: Window, key: Qt.Key) -> list[str]:
    with qtbot.waitSignal(window.session.picture_changed):
        qtbot.keyClick(window.workbench.canvas, key)
    return names(board(window))


def group(window: Window, title: str) -> int:
    return next(number for number, one in enumerate(board(window).groups.groups) if one.title == title)


def node(window: Window, name: str) -> int:
    return next(one.id for one in window.session.picture.track.recording.nodes if one.name == name)


def position(window: Window) -> int:
    return window.session.clock.player.position


ALL = ["x", "w0", "a0", "y0", "w1", "a1", "y1", "loss"]


def test_fold_all_and_unfold_all(qtbot, window) -> None:
    assert names(board(window)) == ALL
    assert do(qtbot, window, "fold_all") == ["x", "loss", "net"]
    assert do(qtbot, window, "unfold_all") == ALL


@pytest.mark.parametrize("key", [Qt.Key.Key_E, Qt.Key.Key_Return])
def test_a_key_folds_the_group_around_the_selected_node_and_opens_it_again(qtbot, window, key) -> None:
    window.workbench.select(node(window, "a0"))

    folded = press(qtbot, window, key)

    assert folded == ["x", "w1", "a1", "y1", "loss", "layers.0"]
    assert press(qtbot, window, key) == ALL


def test_a_key_folds_the_selected_frame(qtbot, window) -> None:
    window.workbench.select_group(group(window, "net"))

    assert press(qtbot, window, Qt.Key.Key_E) == ["x", "loss", "net"]


def test_without_a_group_around_the_node_nothing_folds_and_it_is_said(qtbot, window) -> None:
    window.workbench.select(node(window, "x"))

    with qtbot.waitSignal(window.workbench.folds.told) as told:
        window.trigger("fold")

    assert "No group is selected" in told.args[0]
    assert names(board(window)) == ALL


def test_focus_shows_a_group_and_its_neighbours_and_escape_leaves_it(qtbot, window) -> None:
    window.workbench.select_group(group(window, "layers.0"))

    assert do(qtbot, window, "focus_group") == ["x", "w0", "a0", "y0", "a1", "y1"]

    window.workbench.select(None)
    assert press(qtbot, window, Qt.Key.Key_Escape) == ALL


def test_folding_keeps_the_position_and_goes_on_playing(qtbot, window) -> None:
    player = window.session.clock.player
    player.go(9)
    player.toggle()

    do(qtbot, window, "fold_all")

    assert (player.position, player.is_playing) == (9, True)
    player.toggle()


def test_a_selected_group_is_shown_by_the_inspector(window) -> None:
    window.session.clock.player.last()
    window.workbench.select_group(group(window, "layers.0"))

    text = window.workbench.inspector.text()

    assert "layers.0" in text
    assert "1 add, 1 mul" in text
    assert "GOES OUT: x" in text


def test_selecting_a_node_ends_the_selection_of_a_group(window) -> None:
    bench = window.workbench
    bench.select_group(group(window, "layers.0"))

    bench.select(node(window, "a1"))

    assert bench.selected_group is None
    assert bench.inspector.text().startswith("a1")


def test_a_node_that_is_found_in_a_folded_group_is_opened_and_selected(qtbot, window) -> None:
    do(qtbot, window, "fold_all")

    with qtbot.waitSignal(window.session.picture_changed):
        window.workbench.visit(node(window, "a1"))

    assert names(board(window)) == ["x", "w1", "a1", "y1", "loss", "layers.0"]
    assert window.workbench.selected == node(window, "a1")
    assert window.workbench.canvas.box_at(centre(window, "a1")) == node(window, "a1")


def centre(window: Window, name: str) -> tuple[float, float]:
    canvas = window.workbench.canvas
    x, y = window.session.picture.layout.centres[names(board(window)).index(name)].tolist()
    return canvas.view.to_screen((x, y))


def test_a_step_over_a_folded_group_is_one_step_there_and_back(qtbot, window) -> None:
    do(qtbot, window, "fold_all")
    window.session.clock.player.go(1)
    QApplication.processEvents()

    window.trigger("step")
    assert position(window) == 7
    assert window.workbench.timeline.now.text().startswith("net has run forward")
    window.trigger("back")
    assert position(window) == 1


def test_a_step_can_go_through_a_folded_group(qtbot, window) -> None:
    do(qtbot, window, "fold_all")
    window.session.clock.player.go(1)

    window.trigger("step_over")
    window.trigger("step")

    assert position(window) == 2
    assert not window.session.steps_over
    assert not window.actions_by_name.by_name["step_over"].isChecked()


def test_playing_goes_from_stop_to_stop(qtbot, window) -> None:
    do(qtbot, window, "fold_all")
    player = window.session.clock.player
    player.first()
    player.toggle()

    seen = []
    while player.is_playing:
        player.tick()
        seen.append(player.position)

    assert seen == [1, 7, 8, 9, 15, 16]


def test_a_breakpoint_in_a_folded_group_stops_there(qtbot, window) -> None:
    do(qtbot, window, "fold_all")
    player = window.session.clock.player
    player.find_stop = lambda low, high: 4 if low < 4 <= high else None
    player.go(1)
    player.toggle()

    player.tick()

    assert (player.position, player.is_halted) == (4, True)


def test_what_is_folded_stays_folded_in_the_next_run_and_what_is_new_is_open(qtbot, window) -> None:
    window.workbench.select(node(window, "a0"))
    press(qtbot, window, Qt.Key.Key_E)

    with qtbot.waitSignal(window.session.picture_changed):
        window.session.edit("1\n2\n3\n")

    assert names(board(window)) == ["x", "w1", "a1", "y1", "w2", "a2", "y2", "loss", "layers.0"]


def test_another_document_opens_as_if_nothing_had_been_folded(qtbot, window) -> None:
    do(qtbot, window, "fold_all")

    window.session.open_script("1\n2\n", "other.py")
    qtbot.waitUntil(lambda: window.session.picture is not None)

    assert names(board(window)) == ALL


def test_the_menu_of_a_group_offers_to_fold_it(window) -> None:
    window.workbench.select_group(group(window, "net"))

    menu = window.commands.ways.menu()
    texts = [action.text().partition("\t")[0] for action in menu.actions()]

    assert texts[:3] == ["Fold or unfold", "Focus on the group", "Leave focus"]


def test_a_picture_without_groups_says_so(qtbot, window) -> None:
    window.session.open_script("", "none.py")
    window.session.run()
    qtbot.waitUntil(lambda: window.session.picture is not None)

    with qtbot.waitSignal(window.workbench.folds.told) as told:
        window.trigger("fold_all")

    assert "no groups" in told.args[0]


def test_the_figures_tell_how_many_boxes_are_shown(qtbot, window) -> None:
    do(qtbot, window, "fold_all")

    assert "8 nodes   ·   shown as 3 boxes" in window.figures.text()


def test_every_step_can_be_shown_where_its_node_is_out_of_focus(qtbot, window):
    window.workbench.select_group(group(window, "layers.0"))
    do(qtbot, window, "focus_group")
    canvas, length = window.workbench.canvas, window.session.picture.track.length
    for position in range(length + 1):
        window.session.clock.player.go(position)
        assert not canvas.grab().isNull()


def test_folds_are_undone_by_name_and_made_again(qtbot, window):
    window.workbench.select_group(group(window, "layers.0"))
    do(qtbot, window, "fold")
    folded = names(board(window))
    assert folded != ALL
    undo, redo = (window.actions_by_name.by_name[name] for name in ("undo", "redo"))
    assert undo.text() == "Undo: fold layers.0"

    assert do(qtbot, window, "undo") == ALL
    assert redo.text() == "Redo: fold layers.0"
    assert do(qtbot, window, "redo") == folded
    do(qtbot, window, "fold_all")
    do(qtbot, window, "undo")
    assert names(board(window)) == folded


def test_what_a_search_has_opened_is_not_closed_by_an_undo_of_the_script(qtbot, window):
    do(qtbot, window, "fold_all")
    window.workbench.editor.set_text("1\n2 \n")
    with qtbot.waitSignal(window.session.picture_changed):
        window.session.edit("1\n2 \n")
    with qtbot.waitSignal(window.session.picture_changed):
        window.workbench.visit(node(window, "y0"))
    opened = names(board(window))

    do(qtbot, window, "undo")

    assert window.session.document.content.text == "1\n2\n"
    assert names(board(window)) == opened


def test_below_the_timeline_plumbing_without_a_box_is_called_what_it_hands_on(qtbot, window, monkeypatch) -> None:
    monkeypatch.setattr("gradviz.playback.groups.plumbing.SMALL", 3)
    with qtbot.waitSignal(window.session.picture_changed):
        window.session.open_recording(linear(), "linear.json")
    timeline, track = window.workbench.timeline, window.session.picture.track

    def called() -> list[str]:
        return [timeline.step_name(at) for at in range(1, track.turn + 1)]

    assert called() == ["x", "net.fc.weight", "net.fc.weight", "net.fc.bias", "addmm", "addmm", "relu", "loss"]
    do(qtbot, window, "plumbing")
    assert called()[2] == "net.fc.weight.T"


def test_one_switch_shows_plumbing_and_hides_it(qtbot, window, tmp_path, monkeypatch) -> None:
    switch = window.actions_by_name.by_name["plumbing"]
    assert switch.isChecked()
    window.trigger("plumbing")
    assert window.statusBar().currentMessage().startswith("This picture has no plumbing")

    monkeypatch.setattr("gradviz.playback.groups.plumbing.SMALL", 3)
    save(linear(), tmp_path / "linear.json")
    with qtbot.waitSignal(window.session.picture_changed):
        window.open_path(tmp_path / "linear.json")
    assert names(board(window)) == ["x", "", "loss", "fc"]
    assert not switch.isChecked()

    do(qtbot, window, "unfold_all")
    assert do(qtbot, window, "plumbing") == ["x", "net.fc.weight", "", "net.fc.bias", "", "", "", "loss"]
    assert switch.isChecked()
    assert window.workbench.undoing.history.undoes == "show plumbing"
    looked_at = recording_to_write(window.session.document.content, None, board(window).folding, None)
    assert do(qtbot, window, "undo") == ["x", "net.fc.weight", "net.fc.bias", "", "", "loss"]

    save(looked_at, tmp_path / "again.json")
    with qtbot.waitSignal(window.session.picture_changed):
        window.open_path(tmp_path / "again.json")
    assert len(names(board(window))) == 8


# ---- the camera ----


def on_screen(window: Window, number: int) -> tuple[float, float]:
    """The middle of the upper side of a group, folded or open, in pixels of the canvas."""
    canvas = window.workbench.canvas
    box = canvas._camera.box_of(board(window).box_of_group(number)) or canvas._painting.frames.sides_of(number)
    left, top, right, _ = canvas.view.rect_to_screen(box)
    return (left + right) / 2, top


def test_a_double_click_opens_a_group_in_place_while_the_step_is_elsewhere(qtbot, window) -> None:
    canvas, player = window.workbench.canvas, window.session.clock.player
    canvas.reduced_motion = window.session.clock.reduced_motion = True
    do(qtbot, window, "fold_all")
    with qtbot.waitSignal(window.session.picture_changed):
        window.workbench.folds.toggle(group(window, "net"))
    with qtbot.waitSignal(window.session.picture_changed):
        window.workbench.folds.toggle(group(window, "layers.0"))
    player.go(1)
    number = group(window, "layers.1")
    canvas.zoom_by(0.8 / canvas.view.scale)
    canvas.reveal_group(number)
    canvas.move_by(0.0, 60.0 - on_screen(window, number)[1])
    before = on_screen(window, number)
    assert not canvas.rect().contains(QPointF(*middle(window, "x")).toPoint())

    with qtbot.waitSignal(window.session.picture_changed):
        QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=QPointF(before[0], before[1] + 40.0).toPoint())
    QApplication.processEvents()

    assert not window.workbench.folds.is_folded(number)
    assert on_screen(window, number) == pytest.approx(before, abs=2.0)
    assert window.session.clock.player.position == 1


def middle(window: Window, name: str) -> tuple[float, float]:
    canvas = window.workbench.canvas
    index = board(window).index_of[node(window, name)]
    return canvas.view.to_screen(tuple(canvas._scene.layout.centres[index].tolist()))
