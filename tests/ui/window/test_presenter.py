"""Presenter mode: what it hides, its keys, what it locks, and that all that was prepared comes back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import QDropEvent

from gradviz.shipped import shipped
from gradviz.ui.actions.table import SPECS
from gradviz.ui.window.presenter import ALLOWED
from tests.ui.real_windows import lay_out_parts, real_window, settle
from tests.ui.windows import position

TWO = """\
import torch
def layer(x, w):
    return torch.tanh(x * w)
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, 0.3], requires_grad=True)
y = layer(layer(x, w), w)
y.sum().backward(retain_graph=True)
(y * y).sum().backward()
"""


def state(window) -> dict[str, object]:
    """What was prepared."""
    bench = window.workbench
    parts = {
        "top": window.top, "status": window.statusBar(), "left": bench.left, "right": bench.right,
        "inspector": bench.inspector, "breakpoints": bench.breakpoints, "timeline": bench.timeline,
        "lesson": bench.leading.strip, "watch": bench.watch, "held": bench.held,
        "compare": bench.compare, "find": bench.find_bar,
    }  # fmt: skip
    return {name: not part.isHidden() for name, part in parts.items()} | {
        "columns": bench.columns.sizes(),
        "rows": bench.left.sizes(),
        "panes": bench.right.sizes(),
        "view": bench.canvas.view,
        "size": window.size(),
        "position": position(window),
        "sweep": window.session.document.content.sweep,
        "selected": (bench.selected, bench.selected_group),
        "folding": None if bench.folds.board is None else bench.folds.board.folding,
        "text": bench.editor.text(),
        "actions": {name: action.isEnabled() for name, action in window.actions_by_name.by_name.items()},
    }


def back_in(qtbot, window, size) -> None:
    qtbot.waitUntil(lambda: window.size() == size)
    lay_out_parts(window)


@pytest.fixture
def presented(opened):
    opened.trigger("present")
    lay_out_parts(opened)
    yield opened
    opened.presenter.leave()


def test_only_graph_inspector_and_the_step_in_words_are_seen(presented):
    bench = presented.workbench
    seen = {name for name, is_shown in state(presented).items() if is_shown is True}

    assert seen == {"inspector"}  # in its column, which is hidden
    assert not bench.inspector.isVisible()
    assert presented.presenter.panel.isVisible()
    assert presented.presenter.strip.isVisible()
    assert presented.isFullScreen()
    assert "sends" in presented.presenter.strip.now.accessibleName() or presented.presenter.strip.now.accessibleName()


@pytest.mark.parametrize("key", ["PageDown", "Right", "Down", "Space", "Return"])
def test_keys_and_clickers_step_forward(qtbot, presented, key):
    before = position(presented)

    qtbot.keyClick(presented.workbench.canvas, getattr(Qt.Key, f"Key_{key}"))

    assert position(presented) == before + 1
    assert not presented.session.clock.player.is_playing


@pytest.mark.parametrize("key", ["PageUp", "Left", "Up", "Backspace"])
def test_keys_and_clickers_step_back(qtbot, presented, key):
    before = position(presented)

    qtbot.keyClick(presented.workbench.canvas, getattr(Qt.Key, f"Key_{key}"))

    assert position(presented) == before - 1


def test_the_step_is_said_in_words_that_follow_the_position(qtbot, presented):
    strip, said = presented.presenter.strip, []
    for _ in range(3):
        qtbot.keyClick(presented.workbench.canvas, Qt.Key.Key_PageDown)
        said.append((strip.now.accessibleName(), strip.where.text()))

    assert len(set(said)) == 3
    assert said[-1][1] == f"backward {position(presented) - presented.session.picture.track.turn} of 4"


def test_escape_leaves(qtbot, presented):
    qtbot.keyClick(presented.workbench.canvas, Qt.Key.Key_Escape)

    assert not presented.is_presenting
    assert not presented.isFullScreen()


def test_all_that_was_prepared_comes_back(qtbot, opened):
    bench = opened.workbench
    bench.columns.setSizes([300, 500, 400])
    bench.panes.keep(bench.columns)
    bench.left.setSizes([200, 150, 150])
    opened.session.clock.player.go(6)
    bench.select(3)
    bench.canvas.zoom_by(1.4)
    bench.canvas.move_by(31, -17)
    lay_out_parts(opened)
    before = state(opened)

    opened.trigger("present")
    lay_out_parts(opened)
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_Space, Qt.Key.Key_F, Qt.Key.Key_S):
        qtbot.keyClick(bench.canvas, key)
    bench.canvas.zoom_by(0.5)
    bench.select(0)
    assert state(opened) != before
    opened.trigger("present")
    back_in(qtbot, opened, before["size"])

    assert state(opened) == before


def test_a_graph_that_was_fitted_is_fitted_before_while_and_after(qtbot, opened):
    before = state(opened)

    opened.trigger("present")
    lay_out_parts(opened)
    assert opened.workbench.canvas.sight().is_fitted
    opened.workbench.canvas.zoom_by(2)
    opened.trigger("present")
    back_in(qtbot, opened, before["size"])

    assert opened.workbench.canvas.sight().is_fitted
    assert state(opened) == before


def test_columns_that_were_hidden_stay_so_and_a_selected_node_is_inspected_all_the_same(qtbot, opened):
    opened.trigger("show_left")
    opened.trigger("show_right")
    lay_out_parts(opened)
    before = state(opened)
    opened.trigger("present")
    lay_out_parts(opened)
    shown = [opened.presenter.panel.isVisible()]
    for node in (3, None):
        opened.workbench.select(node)
        shown.append(opened.presenter.panel.isVisible())

    assert shown == [False, True, False]
    opened.trigger("present")
    back_in(qtbot, opened, before["size"])
    assert state(opened) == before


def test_a_click_selects_and_the_large_inspector_shows_the_node(qtbot, presented):
    bench = presented.workbench
    at = bench.canvas.view.to_screen(tuple(presented.session.picture.layout.centres[0]))

    qtbot.mouseClick(bench.canvas, Qt.MouseButton.LeftButton, pos=QPointF(*at).toPoint())

    node = presented.session.picture.drawn.forward[0]
    assert bench.selected == node
    assert presented.presenter.inspector.report.place.node == node


def test_nothing_that_changes_what_is_open_can_be_done(qtbot, presented):
    enabled = {name for name, action in presented.actions_by_name.by_name.items() if action.isEnabled()}

    assert enabled <= ALLOWED
    assert {"step", "present", "fit"} <= enabled
    assert not {"undo", "run", "seed", "open", "save", "fold", "breakpoint", "export", "leave"} & enabled


def test_every_allowed_action_is_in_the_table():
    assert {spec.name for spec in SPECS} >= ALLOWED


def test_a_file_that_is_dropped_is_not_opened(presented, tmp_path):
    (tmp_path / "other.py").write_text("other")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "other.py"))])
    buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier

    presented.dropEvent(QDropEvent(QPointF(10, 10), Qt.DropAction.CopyAction, data, buttons, modifiers))

    assert presented.session.document.content.name == "one.py"


def test_closing_remembers_the_window_that_was_prepared(opened, settings):
    opened.workbench.columns.setSizes([300, 500, 400])
    opened.workbench.panes.keep(opened.workbench.columns)
    before = opened.workbench.columns.saveState(), opened.saveGeometry()
    opened.trigger("present")
    lay_out_parts(opened)

    opened.close()

    assert (settings.window_state("columns"), settings.window_state("geometry")) == before


def test_the_lesson_says_its_sentence_in_large_type(qtbot, tmp_path):
    window = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.open_path(shipped("examples", "13_a_function_of_your_own.py"))
    settle(qtbot, window)
    window.session.clock.player.step()
    before = state(window)

    window.trigger("present")
    window.session.clock.player.step()
    window.session.clock.player.step(-1)
    shown = window.workbench.leading.strip.isHidden(), window.presenter.strip.next.accessibleName()
    window.trigger("present")
    back_in(qtbot, window, before["size"])

    assert shown == (True, window.workbench.leading.sentence())
    assert shown[1].startswith("Three numbers come in")
    assert state(window) == before
    window.session.close()


@pytest.fixture
def two(qtbot, tmp_path):
    window = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.session.open_script(TWO, "two.py")
    settle(qtbot, window)
    window.workbench.canvas.setFocus()
    yield window
    window.session.close()


def test_another_backward_call_can_be_shown_and_the_prepared_one_comes_back(qtbot, two):
    two.trigger("previous_sweep")
    settle(qtbot, two)
    two.session.clock.player.step(2)
    before = state(two)

    two.trigger("present")
    two.trigger("next_sweep")
    settle(qtbot, two)
    assert two.session.picture.track.sweep == 1
    two.session.clock.player.last()
    two.trigger("present")
    settle(qtbot, two)
    back_in(qtbot, two, before["size"])

    assert state(two) == before


def test_groups_stay_as_they_were_folded(qtbot, two):
    before = state(two)["folding"]

    two.trigger("present")
    two.workbench.folds.toggle(0)
    two.workbench.canvas.fold_requested.emit(0)
    settle(qtbot, two)

    assert state(two)["folding"] == before
    two.presenter.leave()
    two.workbench.folds.toggle(0)
    settle(qtbot, two)
    assert state(two)["folding"] != before


@pytest.mark.parametrize("size", [(1280, 720), (900, 600), (1920, 1080)])
def test_a_long_sentence_is_read_whole_and_nothing_is_cut(qtbot, tmp_path, size):
    window = real_window(tmp_path / "settings.ini", size=size)
    qtbot.addWidget(window)
    lesson = shipped("examples") / "17_softmax_and_cross_entropy.py"
    window.session.open_script(lesson.read_text(encoding="utf-8"), lesson.name)
    settle(qtbot, window)
    window.trigger("present")
    window.setWindowState(Qt.WindowState.WindowNoState)
    back_in(qtbot, window, QSize(*size))
    player, strip, panel = window.session.clock.player, window.presenter.strip, window.presenter.panel

    for _ in range(player.length + 1):
        assert strip.now.shown() == strip.now.text()
        assert strip.now.height() >= strip.now.heightForWidth(strip.now.width())
        assert strip.next.height() >= strip.next.heightForWidth(strip.next.width())
        player.step()
        lay_out_parts(window)
    assert panel.width() >= 1.55 * window.presenter.inspector.minimumWidth()
    window.presenter.leave()
