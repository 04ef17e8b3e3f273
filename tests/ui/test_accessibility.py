"""What a screen reader is told: every widget that takes the keys has a name; steps and nodes are sentences."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.ui.inspector.card import Text
from gradviz.ui.window.start_page import Card
from gradviz.ui.window.window import Window
from tests.ui.real_windows import real_window, settle

TEXT = """\
import torch

def layer(h, w):
    return torch.tanh(h * w)

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, 0.3], requires_grad=True)
loss = layer(layer(x, w), w).sum()
loss.backward()
"""
NAME, DESCRIPTION = QAccessible.Text.Name, QAccessible.Text.Description


@pytest.fixture
def window(qtbot, tmp_path) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(made)
    yield made
    made.close()


def opened(qtbot, window: Window, text: str = TEXT) -> None:
    window.session.open_script(text, "one.py")
    settle(qtbot, window)
    window.trigger("unfold_all")
    settle(qtbot, window)


def interfaces(root: QWidget) -> Iterator[QAccessibleInterface]:
    """The tree below a widget, as a screen reader walks it."""
    waiting = [QAccessible.queryAccessibleInterface(root)]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += [child for index in range(one.childCount()) if (child := one.child(index)) is not None]


def read(window: Window, name: str) -> str:
    """The description of the one part of the tree that goes by a name."""
    (text,) = [one.text(DESCRIPTION) for one in interfaces(window) if one.text(NAME) == name]
    return text


def nameless(window: QWidget) -> list[str]:
    """The classes of the widgets that take the keys now and have no name."""
    widgets = [one for one in window.findChildren(QWidget) if one.isVisible()]
    taking = [one for one in widgets if one.focusPolicy() != Qt.FocusPolicy.NoFocus]
    assert taking
    return [type(one).__name__ for one in taking if not QAccessible.queryAccessibleInterface(one).text(NAME)]


def test_every_widget_of_the_start_page_that_takes_the_keys_has_a_name(window) -> None:
    assert nameless(window) == []


@pytest.mark.parametrize("text", [TEXT, TEXT + "oops\n", "print(1)\n", TEXT + TEXT], ids=["good", "bad", "no", "two"])
def test_every_widget_of_the_workbench_that_takes_the_keys_has_a_name(qtbot, window, text: str) -> None:
    opened(qtbot, window, text)
    for name in ("find", "show_breakpoints", "breakpoint", "step", "last"):
        if window.actions_by_name.by_name[name].isEnabled():
            window.trigger(name)

        assert nameless(window) == [], name


def test_the_tree_reads_a_sentence_for_every_step(qtbot, window) -> None:
    opened(qtbot, window)
    player = window.session.clock.player
    told = set()
    for position in range(window.session.picture.track.length + 1):
        player.go(position)

        graph, slider = read(window, "Computational graph"), read(window, "Step")
        assert f"position {position} of " in graph
        assert ("Current node" in graph) == (position > 0)
        assert slider == window.workbench.timeline.slider.describe(position)
        told.add((graph, slider))

    assert len(told) == player.length + 1


def test_the_sentence_of_a_step_says_what_came_in(qtbot, window) -> None:
    opened(qtbot, window)
    track = window.session.picture.track
    window.session.clock.player.go(track.turn + 1)

    assert "Current node loss, sum · output, value 0.3868, gradient 1." in read(window, "Computational graph")


def test_the_tree_reads_a_sentence_for_the_node_that_has_the_focus(qtbot, window) -> None:
    opened(qtbot, window)
    window.session.clock.player.last()
    node = next(node.id for node in window.session.picture.track.recording.nodes if node.name == "x")

    window.workbench.select(node)
    assert "Selected node x, leaf, value [1, 2], gradient [0.1865, 0.06241]." in read(window, "Computational graph")

    window.workbench.select(None)
    assert "elected" not in read(window, "Computational graph")


def test_a_node_is_not_read_with_numbers_that_are_still_to_come(qtbot, window) -> None:
    opened(qtbot, window)
    track, player = window.session.picture.track, window.session.clock.player
    leaf, loss = (next(n.id for n in track.recording.nodes if n.name == name) for name in ("x", "loss"))

    window.workbench.select(leaf)
    player.go(track.turn + 1)
    assert "Selected node x, leaf, value [1, 2]." in read(window, "Computational graph")

    window.workbench.select(loss)
    player.go(1)
    assert "Selected node loss, sum · output, not computed yet." in read(window, "Computational graph")


def test_the_tree_tells_whether_the_selected_group_is_folded(qtbot, window) -> None:
    opened(qtbot, window)
    window.workbench.select_group(0)
    name = window.workbench.folds.board.groups.groups[0].title
    assert f"Selected group {name}, open." in read(window, "Computational graph")

    window.trigger("fold")
    settle(qtbot, window)
    assert f"Selected group {name}, folded." in read(window, "Computational graph")


def test_the_slider_tells_of_the_new_graph_at_an_old_position(qtbot, window) -> None:
    opened(qtbot, window)
    position = window.session.clock.player.position

    window.session.edit(TEXT.replace("tanh", "sigmoid"))
    settle(qtbot, window)
    assert window.session.clock.player.position == position
    assert read(window, "Step") == window.workbench.timeline.slider.describe(position)


def test_keys_go_round_through_widgets_with_names_only(qtbot, window) -> None:
    opened(qtbot, window)
    window.workbench.canvas.setFocus()
    for _ in range(40):
        window.focusNextChild()
        widget = QApplication.focusWidget()

        assert widget is not None
        assert QAccessible.queryAccessibleInterface(widget).text(NAME), type(widget).__name__


def test_the_tab_key_stops_in_the_texts_of_a_node_at_their_links_alone(qtbot, window) -> None:
    opened(qtbot, window)
    for name in ("last", "back", "back", "select_current"):
        window.trigger(name)
    window.workbench.inspector._scroll.setFocus()
    links = []
    for _ in range(12):
        QTest.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        focused = QApplication.focusWidget()
        if isinstance(focused, Text):
            links.append(focused.selectedText())

    assert len(links) > 2
    assert all(links)


def test_lessons_are_buttons_and_the_speed_says_what_it_is(qtbot, window) -> None:
    roles = {QAccessible.queryAccessibleInterface(one).role() for one in window.findChildren(Card)}
    opened(qtbot, window)

    assert roles == {QAccessible.Role.Button}
    assert [one.text(NAME) for one in interfaces(window.workbench.timeline) if "Speed" in one.text(NAME)] == [
        "Speed: 1 steps per second"
    ]


@pytest.mark.parametrize("name", ["help", "about", "seed", "commands"])
def test_everything_that_takes_the_keys_in_what_opens_over_the_window_has_a_name(qtbot, window, name: str) -> None:
    opened(qtbot, window)
    before = {one for one in window.findChildren(QWidget) if one.isVisible()}
    window.trigger(name)

    assert {one for one in window.findChildren(QWidget) if one.isVisible()} - before
    assert nameless(window) == []
