"""Any way through the window: no exception, no warning of Qt, and a picture that tells nothing of the way to it.

Hypothesis edits, undoes, steps, folds, searches, resizes and so on. What is on the canvas after it must be what a
canvas that has just been made draws of the same state, and in the end what another window shows that is brought to
that state at once.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from PySide6.QtCore import Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.window.window import Window
from tests.ui.real_windows import real_window, settle

HEAD = """\
import torch

def layer(h, w):
    return torch.tanh(h * w + 1)

x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([0.5, 0.3], requires_grad=True)
"""
TEXTS = {
    "one": HEAD + "loss = layer(x, w).sum()\nloss.backward()\n",
    "deep": HEAD + "h = x\nfor i in range(4):\n    h = layer(h, w)\nloss = h.sum()\nloss.backward()\n",
    "two": HEAD + "y = layer(layer(x, w), w)\ny.sum().backward(retain_graph=True)\n(y * y).sum().backward()\n",
    "flat": "import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x * x\ny.backward()\n",
    "no calls": HEAD + "loss = layer(x, w).sum()\n",
    "bad": HEAD + "loss = layer(x, w).sum()\nloss.backward()\noops\n",
    "empty": "print(1)\n",
}
SIZES = ((760, 520), (900, 900), (1200, 800), (1500, 700))
THEMES = ("light", "dark", "contrast_light", "contrast_dark")
STEPS = ("step", "back", "first", "turn", "last", "next_sweep", "previous_sweep")
FOLDS = ("fold", "fold_all", "unfold_all", "focus_group", "leave_focus")
LOOKS = ("fit", "zoom_in", "zoom_out", "zoom_selection", "across", "gauges", "follow", "step_over")
WAYS = ("path", "ancestors", "descendants", "show_all", "go_back", "go_forward", "select_current", "definition")
STOPS = ("breakpoint", "breakpoints_turn", "breakpoints_clear", "next_stop", "previous_stop", "run_to")
PARTS = ("show_left", "show_right", "show_breakpoints")
DEBUG = QtMsgType.QtDebugMsg
FEW = settings(
    max_examples=int(os.environ.get("GRADVIZ_WAYS", "3")),
    stateful_step_count=12,
    phases=[Phase.generate],  # each example opens two windows: to make a failing one smaller would take minutes
    derandomize="GRADVIZ_WAYS" not in os.environ,
    database=None,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
"""The same few each time; with GRADVIZ_WAYS=200 two hundred others."""
SEARCHES = ("w", "op = mul", "grad > 0", "line = 4", "nothing like it", "norm >")


class Ways(RuleBasedStateMachine):
    """One window; the tests make a class of it that knows `qtbot`, where settings go, and what Qt and Python said.

    Its screen has more device pixels than pixels, or as many: `patch` sees to that.
    """

    qtbot: object
    folder: Path
    said: list[str]
    patch: pytest.MonkeyPatch

    @initialize(text=st.sampled_from(sorted(TEXTS)), ratio=st.sampled_from((1.0, 1.25, 1.5, 2.0)))
    def open(self, text: str, ratio: float) -> None:
        self.said.clear()
        self.patch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: ratio)
        self.window = real_window(self.folder / "settings.ini")
        self.window.session.open_script(TEXTS[text], "one.py")
        self.settle()

    def settle(self) -> None:
        settle(self.qtbot, self.window)
        self.qtbot.waitUntil(lambda: self.window.workbench.canvas.is_at_rest)
        QApplication.processEvents()

    def act(self, name: str) -> None:
        """As a key would: what cannot be done now is not."""
        self.window.trigger(name)
        self.settle()

    # ---- what is done ----

    @rule(text=st.sampled_from(sorted(TEXTS)))
    def edit(self, text: str) -> None:
        self.window.workbench.editor.area.setFocus()
        self.window.workbench.editor.area.selectAll()
        self.window.workbench.editor.area.insertPlainText(TEXTS[text])
        self.window.workbench.editor.flush()
        self.settle()

    @rule(name=st.sampled_from(("undo", "redo", "run")))
    def undo(self, name: str) -> None:
        self.act(name)
        self.window.workbench.editor.flush()
        self.settle()

    @rule(names=st.lists(st.sampled_from(STEPS), min_size=1, max_size=4))
    def step(self, names: list[str]) -> None:
        for name in names:
            self.act(name)

    @rule(share=st.floats(0, 1))
    def select(self, share: float) -> None:
        picture = self.window.session.picture
        if picture is not None:
            nodes = picture.track.forward
            self.window.workbench.visit(nodes[round(share * (len(nodes) - 1))])
            self.settle()

    @rule(name=st.sampled_from(FOLDS))
    def fold(self, name: str) -> None:
        self.act(name)

    @rule(number=st.integers(0, 4))
    def fold_one(self, number: int) -> None:
        board = self.window.workbench.folds.board
        if board is not None:
            self.window.workbench.select_group(number % len(board.groups.groups))
            self.act("fold")

    @rule(text=st.sampled_from(SEARCHES), leaves=st.booleans())
    def search(self, text: str, leaves: bool) -> None:
        self.act("find")
        self.window.workbench.find_bar.field.setText(text)
        self.act("find_next")
        if leaves:
            self.act("leave")

    @rule(name=st.sampled_from(WAYS + STOPS))
    def go(self, name: str) -> None:
        self.act(name)

    @rule(name=st.sampled_from(LOOKS))
    def look(self, name: str) -> None:
        self.act(name)

    @rule(dx=st.integers(-300, 300), dy=st.integers(-300, 300))
    def drag(self, dx: int, dy: int) -> None:
        self.window.workbench.canvas.move_by(dx, dy)
        self.settle()

    @rule(name=st.sampled_from(PARTS))
    def show(self, name: str) -> None:
        self.act(name)

    @rule(size=st.sampled_from(SIZES))
    def resize(self, size: tuple[int, int]) -> None:
        self.window.resize(*size)
        self.settle()

    @rule(theme=st.sampled_from(THEMES))
    def dress(self, theme: str) -> None:
        self.act(f"theme_{theme}")

    # ---- what holds ----

    @invariant()
    def nothing_was_said(self) -> None:
        assert self.said == []

    @invariant()
    def the_picture_is_what_a_new_canvas_draws(self) -> None:
        if hasattr(self, "window"):
            canvas = self.window.workbench.canvas
            if canvas.isVisible():
                copy = copy_of(canvas, self.window)
                try:
                    assert_same(canvas, copy)
                finally:
                    copy.deleteLater()

    def teardown(self) -> None:
        if hasattr(self, "window"):
            other = window_in_state_of(self.window, self.folder / "other.ini", self.qtbot)
            try:
                mine, its = self.window.workbench.canvas, other.workbench.canvas
                if mine.isVisible():
                    assert_same(mine, its)
                    assert mine.accessibleDescription() == its.accessibleDescription()
            finally:
                for one in (other, self.window):
                    one.close()
                    one.deleteLater()
                QApplication.processEvents()


def grab(canvas: Canvas) -> QImage:
    """What a canvas draws, without the find bar that may lie over it."""
    ratio = canvas.devicePixelRatioF()
    image = QImage(canvas.size() * ratio, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    canvas.render(image, renderFlags=QWidget.RenderFlag(0))
    return image


def assert_same(mine: Canvas, its: Canvas) -> None:
    assert its.size() == mine.size()
    assert its.view == mine.view
    assert grab(its) == grab(mine), f"two pictures of one state: {mine.accessibleDescription()}"


def copy_of(canvas: Canvas, window: Window) -> Canvas:
    """A canvas that has just been made, given the state of a canvas."""
    made = Canvas(window._theme)
    made.setAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
    made.resize(canvas.size())
    made.show()
    show_state(made, canvas, window)
    return made


def show_state(made: Canvas, canvas: Canvas, window: Window) -> None:
    picture, bench = window.session.picture, window.workbench
    made.set_stale(window.session.document.content.is_stale)
    if picture is not None:
        made.show_track(picture.drawn, picture.layout)
        made.show_position(window.session.clock.player.position)
        made.select(bench.selected)
        made.select_group(bench.selected_group)
    made.show_gauges(canvas._lights.gauges)
    made.show_stops(*canvas._lights.stops)
    made.light(canvas._lights.spotlight)
    made._look(canvas.view)


def window_in_state_of(window: Window, settings_file: Path, qtbot) -> Window:
    """Another window, brought to the state of a window at once: text, sweep, folding, position, selection and sight."""
    session, content = window.session, window.session.document.content
    other = real_window(settings_file, window._theme.choice)
    its = other.session
    its.direction, its.steps_over = session.direction, session.steps_over
    drawn = content.recording.source.text if content.is_stale and content.recording.source else content.text
    its.open_script(drawn, content.name)
    settle(qtbot, other)
    its.edit(content.text)
    settle(qtbot, other)
    its.document.set_breakpoints(content.breakpoints)
    if content.sweep is not None:
        its.document.choose_sweep(content.sweep)
    board = window.workbench.folds.board
    if board is not None:
        its.refold(board.folding)
    settle(qtbot, other)
    look_alike(other, window)
    return other


def look_alike(other: Window, window: Window) -> None:
    """The same parts in the same sizes, and the same point of the picture in the middle."""
    mine, its = window.workbench, other.workbench
    other.resize(window.size())
    its.left.setVisible(not mine.left.isHidden())
    for a, b in ((its.inspector, mine.inspector), (its.breakpoints, mine.breakpoints)):
        its.show_part(a, not b.isHidden())
    QApplication.processEvents()
    its.columns.setSizes(mine.columns.sizes())
    other.session.clock.player.go(window.session.clock.player.position)
    its.select(mine.selected)
    if mine.selected_group is not None:
        its.select_group(mine.selected_group)
    QApplication.processEvents()
    its.canvas.show_gauges(mine.canvas._lights.gauges)
    its.canvas.light(mine.canvas._lights.spotlight)
    its.canvas._look(mine.canvas.view)


def test_the_picture_tells_nothing_of_the_way_to_it(qtbot, tmp_path, monkeypatch) -> None:
    heard: list[str] = []
    before = qInstallMessageHandler(lambda kind, _where, text: heard.append(text) if kind != DEBUG else None)
    names = {"qtbot": qtbot, "folder": tmp_path, "said": heard, "patch": monkeypatch}
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _trace: heard.append(repr(error)))
    try:
        run_state_machine_as_test(type("Way", (Ways,), names), settings=FEW)
    finally:
        qInstallMessageHandler(before)
