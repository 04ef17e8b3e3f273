"""Any way through the window: no exception, no warning of Qt, and a picture that tells nothing of the way to it.

Hypothesis edits, undoes, steps, folds, searches, resizes, clicks, opens, exports and so on: every action of the
table is among it. What is on the canvas after it must be what a canvas that has just been made draws of the same
state, and in the end what another window shows that is brought to that state at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from traceback import format_exception

import pytest
from hypothesis import HealthCheck, Phase, Verbosity, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from PySide6.QtCore import QPoint, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMenu

from gradviz.source.leaf_changes import LeafChange
from gradviz.ui.actions.table import SPECS
from gradviz.ui.canvas.canvas import Canvas
from gradviz.ui.look.number_tiles import NumberTiles
from gradviz.ui.seed.vector_choice import KINDS
from gradviz.ui.timeline.sweeps import SweepPicker
from tests.ui.real_windows import lay_out_parts, real_window, settle
from tests.ui.same_state import assert_same, copy_of, window_in_state_of

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
    "many": HEAD + "for i in range(12):\n    layer(x, w).sum().backward()\n",
    "flat": "import torch\nx = torch.tensor(3.0, requires_grad=True)\ny = x * x\ny.backward()\n",
    "wide": "import torch\nw = torch.ones(40, 30, requires_grad=True)\nh = w * w\nh.sum().backward()\nprint(w.grad)\n",
    "valley": "import torch\na = torch.tensor(1.0, requires_grad=True)\nb = torch.tensor(2.0, requires_grad=True)\n"
    "z = a * a + b * b\nz.backward()\n",
    "spoilt": HEAD + "h = torch.sqrt(x - 1)\nloss = (layer(h, w) * h / h * torch.tensor([0.0, 1.0])).sum()\n"
    "loss.backward()\n",
    "no calls": HEAD + "loss = layer(x, w).sum()\n",
    "bad": HEAD + "loss = layer(x, w).sum()\nloss.backward()\noops\n",
    "empty": "print(1)\n",
}
SIZES = ((760, 520), (900, 900), (1200, 800), (1500, 700))
STEPS = ("step", "back", "first", "turn", "last", "next_sweep", "previous_sweep")
FOLDS = ("fold", "fold_all", "unfold_all", "focus_group", "leave_focus")
THEMES = tuple(f"theme_{name}" for name in ("light", "dark", "contrast_light", "contrast_dark", "system"))
CARRIED_OUT = (
    "compare_file",
    "play",
    "seed",
    "open",
    "save",
    "save_as",
    "export",
    "start",
    "commands",
    "find",
    "help",
    "about",
    "present",
)
"""Actions that ask something or go on by themselves: they have rules of their own."""
NEVER = ("quit",)
REST = tuple(
    spec.name for spec in SPECS if spec.name not in {*STEPS, *FOLDS, *THEMES, *CARRIED_OUT, *NEVER, "undo", "redo"}
)
OF_NO_SCREEN = "This plugin does not support"
"""What Qt says of a dialog where there is no screen."""
FEW = settings(
    max_examples=int(os.environ.get("GRADVIZ_WAYS", "3")),
    stateful_step_count=int(os.environ.get("GRADVIZ_WAYS_STEPS", "12")),
    phases=[Phase.generate],  # each example opens two windows: to make a failing one smaller would take minutes
    derandomize="GRADVIZ_WAYS" not in os.environ,
    # Hypothesis tries what has failed again, and where that goes well tells of that alone: this tells of the failure.
    verbosity=Verbosity.verbose,
    database=None,
    suppress_health_check=list(HealthCheck),
)
"""The same few each time; with GRADVIZ_WAYS=200 two hundred others."""
SEARCHES = ("w", "op = mul", "grad > 0", "line = 4", "nothing like it", "norm >")
CONDITIONS = ("op = mul", "norm > 0.5", "line = 4", "not a condition", "nan")
COMMANDS = ("fold all", "zoom in", "to the turn", "fit", "dark", "no such thing", "lesson square", "")
TYPED = ("\n", "x", "# ", "(", "    ", "y = x\n", "'")
SUFFIXES = (".json", ".svg", ".png", ".pdf", ".txt")
shares = st.floats(0, 1)


class Ways(RuleBasedStateMachine):
    """One window; the tests make a class of it that knows `qtbot`, where files go, and what Qt and Python said.

    Its screen has more device pixels than pixels, or as many: `patch` sees to that.
    """

    qtbot: object
    folder: Path
    numbers: Iterator[int]
    said: list[str]
    patch: pytest.MonkeyPatch

    @initialize(text=st.sampled_from(sorted(TEXTS)), ratio=st.sampled_from((1.0, 1.25, 1.5, 2.0)))
    def begin(self, text: str, ratio: float) -> None:
        self.said.clear()
        self.folder /= str(next(self.numbers))  # what was kept of another window is none of its business
        self.folder.mkdir()
        self.patch.setattr(Canvas, "devicePixelRatioF", lambda _canvas: ratio)
        answer = staticmethod(lambda *_args, **_kw: str(self.folder))  # else the question would wait for somebody
        self.patch.setattr(QFileDialog, "getExistingDirectory", answer)
        self.window = real_window(self.folder / "settings.ini")
        self.window.session.open_script(TEXTS[text], "one.py")
        self.settle()

    @property
    def bench(self):
        return self.window.workbench

    def settle(self) -> None:
        settle(self.qtbot, self.window)
        self.qtbot.waitUntil(lambda: not self.window.session.clock.is_running, timeout=60_000)
        lay_out_parts(self.window)

    def act(self, name: str) -> None:
        """As a key would: what cannot be done now is not."""
        self.window.trigger(name)
        self.settle()

    def choose_file(self, name: str) -> None:
        """What the dialogs of Qt will answer."""
        chosen = staticmethod(lambda *_args, **_kw: (str(self.folder / name), ""))
        for method in ("getOpenFileName", "getSaveFileName"):
            self.patch.setattr(QFileDialog, method, chosen)

    def point(self, x: float, y: float) -> QPoint:
        """A point of the canvas."""
        size = self.bench.canvas.size()
        return QPoint(round(x * (size.width() - 1)), round(y * (size.height() - 1)))

    # ---- the script ----

    @rule(text=st.sampled_from(sorted(TEXTS)))
    def edit(self, text: str) -> None:
        self.bench.editor.area.setFocus()
        self.bench.editor.area.selectAll()
        self.bench.editor.area.insertPlainText(TEXTS[text])
        self.bench.editor.flush()
        self.settle()

    @rule(share=shares, text=st.sampled_from(TYPED), goes_back=st.booleans())
    def type(self, share: float, text: str, goes_back: bool) -> None:
        area = self.bench.editor.area
        area.setFocus()
        cursor = area.textCursor()
        cursor.setPosition(round(share * len(area.toPlainText())))
        area.setTextCursor(cursor)
        for sign in text:
            QTest.keyClick(area, Qt.Key.Key_Return) if sign == "\n" else QTest.keyClicks(area, sign)
        if goes_back:
            QTest.keyClick(area, Qt.Key.Key_Backspace)
        self.bench.editor.flush()
        self.settle()

    @rule(line=st.integers(0, 12), name=st.sampled_from(("run_to", "breakpoint", "definition")))
    def in_line(self, line: int, name: str) -> None:
        area = self.bench.editor.area
        area.setFocus()
        cursor = area.textCursor()
        cursor.setPosition(area.document().findBlockByNumber(min(line, area.blockCount() - 1)).position())
        area.setTextCursor(cursor)
        self.act(name)

    @rule(name=st.sampled_from(("undo", "redo", "run")))
    def undo(self, name: str) -> None:
        self.act(name)
        self.bench.editor.flush()
        self.settle()

    @rule(name=st.sampled_from(("x", "w", "none")), wants=st.booleans())
    def change_leaf(self, name: str, wants: bool) -> None:
        self.bench.change_leaf(name, LeafChange(requires_grad=wants))
        self.settle()

    @rule(share=shares, by=st.sampled_from((-2.0, -0.25, 0.0, 1.0, 1e6, 1e-9)))
    def what_if(self, share: float, by: float) -> None:
        """As by dragging: any number of the inspector that can be dragged."""
        inspector = self.bench.inspector
        tiles = [each for each in inspector.findChildren(NumberTiles) if each.isVisibleTo(inspector)]
        if tiles:
            one = tiles[round(share * (len(tiles) - 1))]
            at = round(share * (one.array.size - 1))
            one._move_to(at)
            one.put(at, float(one.array.reshape(-1)[at]) + by)
            one.settled.emit(one.array)
            self.settle()

    # ---- steps ----

    @rule(names=st.lists(st.sampled_from(STEPS), min_size=1, max_size=4))
    def step(self, names: list[str]) -> None:
        for name in names:
            self.act(name)

    @rule(share=shares)
    def slide(self, share: float) -> None:
        slider = self.bench.timeline.slider
        slider.setValue(round(share * slider.maximum()))
        self.settle()

    @rule(ms=st.integers(0, 20_000), faster=st.booleans())
    def play(self, ms: int, faster: bool) -> None:
        self.window.trigger("faster" if faster else "slower")
        self.window.trigger("play")
        clock = self.window.session.clock
        clock.advance(float(ms))
        if clock.player.is_playing:
            clock.player.toggle()
        self.settle()

    @rule(number=st.integers(0, 11), text=st.sampled_from(("", "1", "no such call")))
    def choose_sweep(self, number: int, text: str) -> None:
        """With the mouse: one of the chips, or a row of the list that the only chip opens."""
        sweeps = self.bench.timeline.sweeps
        if not (sweeps.isVisible() and sweeps.chips):
            return
        QTest.mouseClick(sweeps.chips[number % len(sweeps.chips)], Qt.MouseButton.LeftButton)
        for picker in sweeps.findChildren(SweepPicker):
            picker.field.setText(text)
            row = picker.list.visualRect(picker.rows.index(number, 0))
            QTest.mouseClick(picker.list.viewport(), Qt.MouseButton.LeftButton, pos=row.center())
            picker.close()
        self.settle()

    @rule(kind=st.sampled_from([kind for kind, _ in KINDS]), index=st.integers(0, 3))
    def seed(self, kind: str, index: int) -> None:
        self.act("seed")
        laboratory = self.window.commands.seed.window
        if laboratory is not None and laboratory.isVisible():
            laboratory.output.setCurrentIndex(index % laboratory.output.count())
            laboratory.v.choose(kind)
            laboratory.play.click()
            laboratory.close()
        self.settle()

    @rule(text=st.sampled_from(CONDITIONS))
    def breakpoint(self, text: str) -> None:
        self.act("breakpoint_new")
        if self.window.is_working:
            self.bench.breakpoints.field.setText(text)
            QTest.keyClick(self.bench.breakpoints.field, Qt.Key.Key_Return)
            self.settle()

    # ---- the picture ----

    @rule(share=shares)
    def select(self, share: float) -> None:
        picture = self.window.session.picture
        if picture is not None:
            nodes = picture.track.forward
            self.bench.visit(nodes[round(share * (len(nodes) - 1))])
            self.settle()

    @rule(name=st.sampled_from(FOLDS))
    def fold(self, name: str) -> None:
        self.act(name)

    @rule(number=st.integers(0, 4))
    def fold_one(self, number: int) -> None:
        board = self.bench.folds.board
        if board is not None and board.groups.groups:
            self.bench.select_group(number % len(board.groups.groups))
            self.act("fold")

    @rule(x=shares, y=shares, double=st.booleans())
    def click(self, x: float, y: float, double: bool) -> None:
        click = QTest.mouseDClick if double else QTest.mouseClick
        click(self.bench.canvas, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, self.point(x, y))
        self.settle()

    @rule(x=shares, y=shares, leaves=st.booleans())
    def hover(self, x: float, y: float, leaves: bool) -> None:
        canvas = self.bench.canvas
        canvas.pointed_at(self.point(x, y).toTuple())
        canvas._show_card()
        if leaves:
            canvas.pointed_at(None)
        self.settle()

    @rule(dx=st.integers(-300, 300), dy=st.integers(-300, 300))
    def drag(self, dx: int, dy: int) -> None:
        self.bench.canvas.move_by(dx, dy)
        self.settle()

    @rule(x=shares, y=shares, factor=st.floats(0.3, 3))
    def zoom(self, x: float, y: float, factor: float) -> None:
        self.bench.canvas.zoom_by(factor, self.point(x, y).toTuple())
        self.settle()

    @rule(number=st.integers(0, 30))
    def choose_in_menu(self, number: int) -> None:
        menu = self.window.commands.ways.menu()
        entries = [entry for entry in menu.actions() if not entry.isSeparator()]
        entries[number % len(entries)].trigger()
        menu.deleteLater()
        self.settle()

    @rule(text=st.sampled_from(SEARCHES), leaves=st.booleans())
    def search(self, text: str, leaves: bool) -> None:
        self.act("find")
        self.bench.find_bar.field.setText(text)
        self.act("find_next")
        if leaves:
            self.act("leave")

    # ---- the window ----

    @rule(name=st.sampled_from(REST))
    def anything(self, name: str) -> None:
        self.act(name)

    @rule(text=st.sampled_from(COMMANDS))
    def command(self, text: str) -> None:
        self.act("commands")
        palette = self.window.commands.ways._palette
        QTest.keyClicks(palette.field, text)
        QTest.keyClick(palette.field, Qt.Key.Key_Return if text else Qt.Key.Key_Escape)
        self.settle()
        palette.close_again()
        self.settle()

    @rule(size=st.sampled_from(SIZES))
    def resize(self, size: tuple[int, int]) -> None:
        self.window.resize(*size)
        self.settle()

    @rule(left=shares, right=shares)
    def divide(self, left: float, right: float) -> None:
        whole = self.bench.columns.width()
        self.bench.columns.setSizes([round(left * whole / 2), whole, round(right * whole / 2)])
        self.settle()

    @rule(theme=st.sampled_from(THEMES))
    def dress(self, theme: str) -> None:
        self.act(theme)

    @rule(name=st.sampled_from(("help", "about")))
    def read(self, name: str) -> None:
        self.act(name)
        for shown in self.window.findChildren(QDialog):
            shown.close()
        if self.window.commands._help is not None:
            self.window.commands._help.close()
        self.settle()

    @rule(name=st.sampled_from(("output", "inspector")))
    def copy(self, name: str) -> None:
        part = getattr(self.bench, name)
        part.copy()
        if part.text():
            assert QApplication.clipboard().text() == part.text()

    @rule(steps=st.lists(st.sampled_from((Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_F)), max_size=4))
    def present(self, steps: list[Qt.Key]) -> None:
        """What was prepared comes back."""
        size, where = self.window.size(), self.window.session.clock.player.position
        self.act("present")
        for key in steps if self.window.is_presenting else ():
            self.qtbot.keyClick(self.bench.canvas, key)
        self.window.presenter.leave()
        self.qtbot.waitUntil(lambda: self.window.size() == size, timeout=60_000)
        self.settle()
        assert self.window.session.clock.player.position == where

    # ---- files ----

    @rule(suffix=st.sampled_from(SUFFIXES))
    def export(self, suffix: str) -> None:
        self.choose_file(f"out{suffix}")
        self.act("export")
        dialog = self.window.files._export
        if dialog is not None and dialog.isVisible():
            dialog.go.click()
            self.qtbot.waitUntil(lambda: not dialog.slices.is_busy, timeout=60_000)
            dialog.reject()
        self.settle()

    @rule(name=st.sampled_from(("save", "save_as")))
    def save(self, name: str) -> None:
        self.choose_file("saved.py")
        self.act(name)

    @rule(name=st.sampled_from(("out.json", "none.json")), place=st.integers(0, 1))
    def compare(self, name: str, place: int) -> None:
        self.choose_file(name)
        self.act("compare_file")
        if len(self.window.session.document.content.beside) > place:
            self.bench.compare.shown_chosen.emit(place)
            self.settle()

    @rule(name=st.sampled_from(("saved.py", "out.json", "none.py")))
    def open(self, name: str) -> None:
        self.choose_file(name)
        self.act("open")

    @rule()
    def open_recent(self) -> None:
        (menu,) = (one for one in self.window.findChildren(QMenu) if one.title() == "Open recent")
        menu.aboutToShow.emit()
        menu.actions()[0].trigger()
        self.settle()

    @rule(number=st.integers(0, 30))
    def learn(self, number: int) -> None:
        lessons = self.window._lessons
        self.window.open_lesson(lessons[number % len(lessons)])
        self.settle()

    @rule(text=st.sampled_from(("", "sum(x**2 * w)", "x +", TEXTS["deep"])))
    def start(self, text: str) -> None:
        self.act("start")
        if text:
            self.window.open_text(text)
            self.settle()
        else:
            self.act("leave")

    # ---- what holds ----

    @invariant()
    def nothing_was_said(self) -> None:
        assert self.said == []

    @invariant()
    def the_picture_is_what_a_new_canvas_draws(self) -> None:
        if hasattr(self, "window"):
            canvas = self.bench.canvas
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
                mine, its = self.bench, other.workbench
                if mine.canvas.isVisible():
                    assert_same(mine.canvas, its.canvas)
                    assert mine.canvas.accessibleDescription() == its.canvas.accessibleDescription()
                    assert mine.inspector.text() == its.inspector.text()
                    assert mine.timeline.now.toolTip() == its.timeline.now.toolTip()
                    assert mine.output.text() == its.output.text()
            finally:
                for one in (other, self.window):
                    one.close()
                    one.deleteLater()
                QApplication.processEvents()


def test_every_action_is_among_the_ways() -> None:
    done = {*STEPS, *FOLDS, *THEMES, *CARRIED_OUT, *REST, "undo", "redo"}

    assert {spec.name for spec in SPECS} - done == set(NEVER)
    assert all(f'"{name}"' in Path(__file__).read_text(encoding="utf-8") for name in CARRIED_OUT)


@pytest.fixture
def way(qtbot, tmp_path, monkeypatch) -> Iterator[type[Ways]]:
    """The class of a way, in whose `said` stands what Qt and Python say meanwhile."""
    heard: list[str] = []

    def hear(kind: QtMsgType, _where: object, text: str) -> None:
        if kind is not QtMsgType.QtDebugMsg and not text.startswith(OF_NO_SCREEN):
            heard.append(text)

    before = qInstallMessageHandler(hear)
    names = {"qtbot": qtbot, "folder": tmp_path, "numbers": count(), "said": heard, "patch": monkeypatch}
    monkeypatch.setattr(sys, "excepthook", lambda *what: heard.append("".join(format_exception(*what))))
    yield type("Way", (Ways,), names)
    qInstallMessageHandler(before)


def test_the_picture_tells_nothing_of_the_way_to_it(way) -> None:
    run_state_machine_as_test(way, settings=FEW)


SEEN: dict[str, tuple[tuple[str, dict[str, object]], ...]] = {
    "warnings that an edit brings": (
        ("begin", {"text": "flat", "ratio": 2.0}), ("save", {"name": "save"}),
        ("type", {"share": 0.0, "text": "# ", "goes_back": False}),
    ),
    "a lesson that is opened as the file it was saved as": (
        ("begin", {"text": "one", "ratio": 1.5}), ("learn", {"number": 23}), ("save", {"name": "save_as"}),
        ("open_recent", {}),
    ),
    "a recording whose script waits to be run": (
        ("begin", {"text": "no calls", "ratio": 2.0}), ("export", {"suffix": ".json"}), ("learn", {"number": 21}),
        ("save", {"name": "save_as"}), ("open", {"name": "out.json"}),
    ),
    "a check": (("begin", {"text": "one", "ratio": 1.0}), ("anything", {"name": "check"})),
    "a backward call whose groups are folded": (
        ("begin", {"text": "many", "ratio": 1.5}), ("choose_sweep", {"number": 8, "text": ""}),
        ("fold", {"name": "fold_all"}),
    ),
    "a changed number in a window that was presented": (
        ("begin", {"text": "spoilt", "ratio": 1.25}), ("breakpoint", {"text": "nan"}), ("choose_in_menu", {"number": 19}),
        ("what_if", {"share": 0.45, "by": 1e6}), ("present", {"steps": []}),
    ),
    "a folder without ranks": (
        ("begin", {"text": "one", "ratio": 1.0}), ("anything", {"name": "open_ranks"}),
    ),
    "plumbing, and no group to fold": (
        ("begin", {"text": "two", "ratio": 1.0}), ("learn", {"number": 7}), ("fold_one", {"number": 1}),
    ),
    "a window divided while something is looked for": (
        ("begin", {"text": "wide", "ratio": 1.25}), ("search", {"text": "op = mul", "leaves": False}),
        ("divide", {"left": 0.52, "right": 0.0}),
    ),
}  # fmt: skip
"""Ways after which there were two pictures of one state, by what they had in common."""


@pytest.mark.parametrize("steps", SEEN.values(), ids=SEEN)
def test_a_way_that_once_was_seen_tells_nothing(way, steps) -> None:
    walked = way()
    for name, details in steps:
        getattr(walked, name)(**details)
        walked.nothing_was_said()
        walked.the_picture_is_what_a_new_canvas_draws()
    walked.teardown()
