"""One press, one place: whatever goes to a node moves position, selection, lit line, sentence and camera."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from gradviz.ui.window.window import Window
from tests.ui.windows import open_in, position

X, W, PRODUCTS, LOSS = 0, 2, 3, 4
"""Nodes of `weighted_sum`; to `W` no gradient goes."""


def find(window: Window, text: str) -> None:
    bench = window.workbench
    bench.finder.open()
    bench.find_bar.field.setText(text)
    bench.find_bar.query_changed.emit(text)
    bench.finder.step(1)


def press_in(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> Callable:
    return lambda qtbot, window: qtbot.keyClick(window.workbench.canvas, key, modifiers)


def from_line(qtbot, window: Window) -> None:
    window.workbench.editor.go_to_line(6)
    window.workbench.editor.area.setFocus()
    window.trigger("definition")


GESTURES: dict[str, tuple[Callable, int]] = {
    "a link in the inspector": (lambda _, window: window.workbench.inspector.node_requested.emit(PRODUCTS), PRODUCTS),
    "a line in the inspector": (
        lambda _, window: (window.workbench.select(W), window.workbench.inspector.line_requested.emit(4)), W,
    ),
    "a row of the table of variables": (lambda _, window: window.workbench.variables.leaf_requested.emit("w"), W),
    "a result of find": (lambda _, window: find(window, "sum"), LOSS),
    "a node where two runs differ": (lambda _, window: window.workbench.compare.node_chosen.emit(W), W),
    "a parameter that ranks disagree on": (
        lambda _, window: (
            window.session.compare_with_present(), window.workbench.compare.leaf_chosen.emit(0, 0, X)
        ), X,
    ),
    "a row of the heat strip": (
        lambda _, window: (window.workbench.show_heat(True), window.workbench._heat.leaf_chosen.emit(0, X)), X,
    ),
    "the key for an input": (press_in(Qt.Key.Key_Up), PRODUCTS),
    "the line in the script": (from_line, LOSS),
    "from a node to its line": (
        lambda _, window: (window.workbench.select(W), window.workbench.canvas.setFocus(), window.trigger("definition")),
        W,
    ),
}  # fmt: skip


def is_at(window: Window, node: int) -> dict[str, bool]:
    """What of the window is at a node."""
    bench, track = window.workbench, window.session.picture.track
    index = bench.canvas._scene.track.index_of[node]
    middle = bench.canvas.view.to_screen(tuple(bench.canvas._scene.layout.centres[index].tolist()))
    now, _ = bench.sentence(track, position(window))
    return {
        "position": track.node_at(position(window)) == node,
        "selection": bench.selected == node,
        "line": bench.editor.area.marks.lit_line() == track.recording.nodes[node].line,
        "sentence": bool(now) and bench.timeline.now.accessibleName() == now,
        "camera": bench.canvas.rect().contains(QPointF(*middle).toPoint()),
    }


@pytest.mark.parametrize("start", ["forward", "turn", "backward"])
@pytest.mark.parametrize("gesture", GESTURES)
def test_every_gesture_that_goes_to_a_node_moves_all(qtbot, opened, gesture, start):
    ask, node = GESTURES[gesture]
    track, player = opened.session.picture.track, opened.session.clock.player
    player.go({"forward": 1, "turn": track.turn, "backward": track.turn + 1}[start])
    if gesture == "the key for an input":
        opened.workbench.select(LOSS)
    opened.workbench.canvas.zoom_by(4.0)
    opened.workbench.canvas.move_by(5000.0, 5000.0)

    ask(qtbot, opened)
    qtbot.waitUntil(lambda: not opened.session._layouts.is_busy)
    QApplication.processEvents()

    assert all(is_at(opened, node).values()), is_at(opened, node)


def test_a_node_beyond_what_is_still_to_be_predicted_is_selected_and_the_position_stays(qtbot, opened):
    opened.trigger("predict")
    before = position(opened)

    opened.workbench.visit(X)

    assert opened.workbench.selected == X
    assert position(opened) == before


def test_a_leaf_in_another_backward_call_is_gone_to_once_that_is_drawn(qtbot, window):
    open_in(qtbot, window, "two calls", "two.py")

    window.workbench.visit(W, 1)
    qtbot.waitUntil(lambda: window.session.picture.track.sweep == 1 and window.workbench.selected == W)

    assert is_at(window, W)["position"]
