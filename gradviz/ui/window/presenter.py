"""Presenter mode: the graph and the step in large type, a step per key, nothing that could be changed by mistake.

What was prepared comes back afterwards: parts and their sizes, backward call, position, selection, sight.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QLabel, QMenu, QVBoxLayout, QWidget

from gradviz.playback.words import label
from gradviz.ui.canvas.canvas import Sight
from gradviz.ui.inspector import Inspector
from gradviz.ui.look.fitted_label import FittedLabel
from gradviz.ui.look.magnified import Magnified
from gradviz.ui.look.theme import Theme, ui_font
from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.ui.window.window import Window
    from gradviz.ui.window.workbench import Workbench

ALLOWED = frozenset((
    "present", "step", "back", "first", "turn", "last", "play", "faster", "slower", "next_sweep", "previous_sweep",
    "next_stop", "previous_stop", "fit", "zoom_in", "zoom_out", "move_left", "move_right", "move_up", "move_down",
    "select_current", "select_input", "select_consumer", "select_next", "select_previous", "zoom_selection",
    "theme_system", "theme_light", "theme_dark", "theme_contrast_light", "theme_contrast_dark",
    "copy_picture", "copy_value", "copy_formula", "copy_markdown",
))  # fmt: skip
"""The actions that change nothing of what is open, and that leave nothing behind."""

_K = Qt.Key
_FORWARD = (_K.Key_PageDown, _K.Key_Right, _K.Key_Down, _K.Key_Space, _K.Key_Return, _K.Key_Enter)
_BACK = (_K.Key_PageUp, _K.Key_Left, _K.Key_Up, _K.Key_Backspace)
"""As keyboards and the clickers of lecturers send them."""
_LARGER = 1.55
_PANEL_PX, _PANEL_SHARE = 560, 0.4
"""Width of the inspector: at most so many pixels, and that share of the window."""
_SENTENCE_PX, _LONG_PX, _BESIDE_PX = 28, 20, 18
_LINES, _LONG_LINES = 2, 3
"""A sentence that does not fit into two lines of large type has three of smaller."""


class Prepared(NamedTuple):
    """What comes back."""

    states: Qt.WindowState
    shown: tuple[tuple[QWidget, bool], ...]
    sizes: tuple[list[int], list[int], list[int]]
    sweep: int | None
    position: int
    speed: float
    selected: int | None
    group: int | None
    sight: Sight
    predicts: bool
    focus: QWidget | None


class Presenter(QObject):
    """Presents what is open in a window.

    Attributes:
        strip: the step in words; this and the next two are None before the first time.
        inspector: what happens at the node.
        panel: the inspector in large type.
    """

    def __init__(self, window: Window, session: Session, theme: Theme) -> None:
        super().__init__(window)
        self._window, self._session, self._theme = window, session, theme
        self._prepared: Prepared | None = None
        self._to_restore: Prepared | None = None
        self.strip: StepStrip | None = None
        self.inspector: Inspector | None = None
        self.panel: Magnified | None = None
        session.clock.moved.connect(self._show_step)
        session.picture_changed.connect(self._picture_changed)

    @property
    def is_on(self) -> bool:
        """Whether something is presented."""
        return self._prepared is not None

    def toggle(self) -> None:
        """Begin to present, or end it."""
        if self.is_on:
            self.leave()
        elif self._session.picture is not None:
            self.begin()

    def begin(self) -> None:
        """Hide the controls, and take the whole screen."""
        bench, window = self._window.workbench, self._window
        if bench.finder.is_open:
            bench.leave_find()
        self._build(bench)
        hidden = (
            window.top, window.statusBar(), bench.left, bench.right, bench.timeline, *bench.around_graph,
        )  # fmt: skip
        has_inspector = not bench.inspector.isHidden()
        player = self._session.clock.player
        window.remember_layout()  # whoever closes the window finds that the next time
        self._prepared = Prepared(
            window.windowState(),
            tuple((part, not part.isHidden()) for part in hidden),
            (bench.columns.sizes(), bench.left.sizes(), bench.right.sizes()),
            self._session.document.content.sweep,
            player.position,
            player.speed,
            bench.selected,
            bench.selected_group,
            bench.canvas.sight(),
            bench.leading.predicting.is_on,
            QApplication.focusWidget(),
        )
        player.go(player.position)
        bench.leading.is_quiet = True
        if bench.leading.predicting.is_on:
            bench.leading.predicting.turn(False)
        for part in (*hidden, bench.leading.strip):
            part.hide()
        assert self.panel is not None
        assert self.strip is not None
        assert self.inspector is not None
        self.panel.setVisible(has_inspector)
        self.strip.show()
        bench.inspectors.append(self.inspector)
        bench.folds.is_locked = True
        bench.canvas.card_size = _LARGER
        bench.node_chosen.connect(self._show_panel)
        self._has_inspector = has_inspector
        app = QApplication.instance()
        assert app is not None
        app.installEventFilter(self)
        window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
        window.show_state()
        bench.show_node()
        self._show_panel()
        self._show_step()
        bench.canvas.setFocus()

    def leave(self) -> None:
        """Put everything back as it was."""
        prepared, self._prepared = self._prepared, None
        if prepared is None:
            return
        bench, window = self._window.workbench, self._window
        app = QApplication.instance()
        assert app is not None
        app.removeEventFilter(self)
        bench.node_chosen.disconnect(self._show_panel)
        if self.inspector in bench.inspectors:
            bench.inspectors.remove(self.inspector)
        bench.folds.is_locked = False
        bench.canvas.card_size = 1.0
        bench.leading.is_quiet = False
        bench.leading.predicting.turn(prepared.predicts)
        bench.leading.show_moment()
        for mine in (self.panel, self.strip):
            assert mine is not None
            mine.hide()
        for part, was_shown in prepared.shown:
            part.setVisible(was_shown)
        window.setWindowState(prepared.states)
        for splitter, sizes in zip((bench.columns, bench.left, bench.right), prepared.sizes, strict=True):
            if not splitter.isHidden():  # one that is hidden has kept its own
                splitter.setSizes(sizes)
        window.show_state()
        self._session.clock.player.set_speed(prepared.speed)
        document = self._session.document
        is_other = prepared.sweep is not None and prepared.sweep != document.content.sweep
        if prepared.sweep is not None and is_other and prepared.sweep < len(document.content.recording.sweeps):
            self._to_restore = prepared
            document.choose_sweep(prepared.sweep)
        else:
            self._restore(prepared)

    # ---- building ----

    def _build(self, bench: Workbench) -> None:
        """The parts of its own, made when they are first needed."""
        if self.strip is not None:
            return
        self.strip = StepStrip(self._theme)
        self.inspector = Inspector(self._theme)
        self.inspector.node_requested.connect(bench.visit)
        self.inspector.steps_requested.connect(lambda: bench.select(None))
        self.inspector.jacobian_requested.connect(self._session.ask_jacobian)
        self._session.jacobian_known.connect(self.inspector.take_jacobian)
        self.panel = Magnified(self.inspector, _LARGER, self._theme)
        for part in (self.panel, self.strip):
            part.hide()
        bench.beside.addWidget(self.panel)
        bench.below.addWidget(self.strip)

    # ---- what has happened ----

    def _show_step(self) -> None:
        picture, player = self._session.picture, self._session.clock.player
        if self.is_on and self.strip is not None and picture is not None:
            now, following = self._window.workbench.sentence(picture.track, player.position)
            node = picture.track.node_at(player.position)
            name = "" if node is None else label(picture.track.recording, node)
            turn = min(player.position, picture.track.turn), max(player.position - picture.track.turn, 0)
            lengths = picture.track.turn, picture.track.length - picture.track.turn
            said = self._window.workbench.leading.sentence()
            self.strip.show_step(now, name, said or following, turn, lengths)

    def _show_panel(self) -> None:
        """The inspector is there where it was prepared, and for a node that is selected."""
        bench = self._window.workbench
        if self.panel is not None and self.is_on:
            is_selected = bench.selected is not None or bench.selected_group is not None
            least = math.ceil(_LARGER * self.inspector.minimumWidth()) if self.inspector is not None else 0
            self.panel.setFixedWidth(max(least, min(_PANEL_PX, round(_PANEL_SHARE * self._window.width()))))
            self.panel.setVisible(self._has_inspector or is_selected)

    def _picture_changed(self) -> None:
        prepared, self._to_restore = self._to_restore, None
        if prepared is not None:
            self._restore(prepared)
        self._show_step()

    def _restore(self, prepared: Prepared) -> None:
        """The moment, what was selected, and the sight."""
        bench = self._window.workbench
        self._session.clock.player.go(prepared.position)
        if prepared.group is not None:
            bench.select_group(prepared.group)
        else:
            bench.select(prepared.selected)
        bench.canvas.take_sight(prepared.sight)
        if prepared.focus is not None:
            prepared.focus.setFocus()

    # ---- Qt ----

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self._show_panel()
        if not isinstance(event, QKeyEvent) or event.type() not in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            return False
        if not isinstance(watched, QWidget) or isinstance(watched, QMenu) or watched.window() is not self._window:
            return False
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if modifiers != Qt.KeyboardModifier.NoModifier:
            return False
        key = event.key()
        if key not in (*_FORWARD, *_BACK, Qt.Key.Key_Escape):
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # it comes as a key then, not as a shortcut
            return True
        if key == Qt.Key.Key_Escape:
            self.leave()
        else:
            self._session.clock.player.step(1 if key in _FORWARD else -1)
        return True


class StepStrip(QFrame):
    """The step in words that are read from the last row, and how far the pass is."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._done, self._lengths = (0, 0), (0, 0)
        self.setObjectName("steps")
        self.now, self.next = FittedLabel(_LINES), FittedLabel(_LINES)
        self.where = QLabel()
        for text in (self.next, self.where):
            text.setProperty("role", "dim")
        words = QVBoxLayout()
        words.setSpacing(4)
        words.addWidget(self.now)
        words.addWidget(self.next)
        row = QHBoxLayout(self)
        row.setContentsMargins(28, 20, 28, 16)
        row.setSpacing(28)
        row.addLayout(words, 1)
        row.addWidget(self.where, 0, Qt.AlignmentFlag.AlignTop)
        theme.changed.connect(self._dress)
        self._dress()

    def show_step(self, now: str, name: str, following: str, done: tuple[int, int], lengths: tuple[int, int]) -> None:
        """Say what happens now, to whom, and what comes next or what the lesson says.

        Args:
            done: forward and backward steps done.
            lengths: how many there are of each.
        """
        self.now.say(now, name)
        self._fit_sentence()
        self.next.say(following)
        is_forward = not done[1]
        self.where.setText(
            f"forward {done[0]:,} of {lengths[0]:,}" if is_forward else f"backward {done[1]:,} of {lengths[1]:,}"
        )
        self._done, self._lengths = done, lengths
        self.update()

    def _dress(self) -> None:
        p = self._theme.palette
        self.setStyleSheet(
            f"QFrame#steps {{ background: {p.panel}; border-top: 1px solid {p.hairline}; }}"
            f"QLabel {{ font-size: {_BESIDE_PX}px; }}"
        )
        both = QFontMetrics(ui_font(_SENTENCE_PX)).lineSpacing() + QFontMetrics(ui_font(_BESIDE_PX)).lineSpacing()
        self.setFixedHeight(_LINES * both + 48)
        self._fit_sentence()

    def _fit_sentence(self) -> None:
        """Say what happens now as large as all of it has room."""
        for pixels, lines in ((_SENTENCE_PX, _LINES), (_LONG_PX, _LONG_LINES)):
            sheet = f"font-size: {pixels}px; color: {self._theme.palette.text};"
            if self.now.styleSheet() != sheet:
                self.now.setStyleSheet(sheet)
                self.now.ensurePolished()
            self.now.allow(lines)
            if self.now.shown() == self.now.text():
                return

    # ---- Qt ----

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        layout = self.layout()
        if layout is not None:
            layout.activate()
        self._fit_sentence()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        whole, p = max(sum(self._lengths), 1), self._theme.palette
        painter = QPainter(self)
        x = 0.0
        for done, length, ink in zip(self._done, self._lengths, (p.forward, p.backward), strict=True):
            width = self.width() * length / whole
            painter.fillRect(QRectF(x, 0, width * done / max(length, 1), 4), QColor(ink))
            x += width
        painter.end()
