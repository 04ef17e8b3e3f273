"""Small parts of the window: the top bar, captions, the strip of what to watch, the state of the run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenuBar,
    QSizePolicy,
    QStatusBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gradviz.ui.look.fitted_label import FittedLabel
from gradviz.ui.look.icons import dress, icon_button, redraw
from gradviz.ui.look.theme import CHOICES, Theme, color

ROOMY_PX = 1000
"""Width from which the buttons of the top bar have words besides their icons."""
EDGE_PX = 16
"""Between the border of an area and its words."""

WATCH_LINES = 8
LEAST_BODY = 56
"""Least height of what stands under a caption."""

THEME_NAMES = {
    "system": "System",
    "light": "Light",
    "dark": "Dark",
    "contrast_light": "High contrast, white",
    "contrast_dark": "High contrast, black",
}


class TopBar(QFrame):
    """Name of what is open, the menus, search, theme.

    Attributes:
        menus: the menu bar.
        find_button, commands_button: the search and the command palette for those who do not know their keys.

    Signals:
        action_requested: payload: the name of an action.
        theme_requested: payload: one of `CHOICES`.
    """

    action_requested = Signal(str)
    theme_requested = Signal(str)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setObjectName("top")
        self.setFixedHeight(46)
        self.brand, self.slash, self.name = QLabel("gradviz"), QLabel("/"), QLabel()
        self.brand.setObjectName("brand")
        self.slash.setObjectName("slash")
        self.menus = QMenuBar()
        self.find_button, self.commands_button = QToolButton(), QToolButton()
        for button, name, icon, text, tip in (
            (self.find_button, "find", "find", "Find", "Find a node by name, op, shape, line or gradient (Ctrl+F)"),
            (self.commands_button, "commands", "commands", "Commands", "Find and run any command (Ctrl+Shift+P)"),
        ):
            button.setText(text)
            button.setToolTip(tip)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.clicked.connect(lambda _checked=False, name=name: self.action_requested.emit(name))
            dress(button, icon, theme, "dim")
        self.theme_button = QToolButton()
        self.theme_button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.theme_button.clicked.connect(self._ask_theme)
        dress(self.theme_button, theme.choice, theme, "dim")
        self._arrange()
        theme.changed.connect(self.show_theme)
        self.show_theme()

    def show_name(self, name: str, is_modified: bool) -> None:
        """What is open; "" on the start page."""
        self.name.setText(f"{name} •" if is_modified else name)
        self.name.setToolTip("Not saved yet" if is_modified else "")
        self._make_room()

    def show_tools(self, *, is_working: bool, has_picture: bool) -> None:
        """Offer the search where there is something to search in."""
        self.find_button.setVisible(is_working)
        self.find_button.setEnabled(has_picture)

    def show_theme(self) -> None:
        """Show the choice in force."""
        choice = self._theme.choice
        self.theme_button.setText(THEME_NAMES[choice])
        following = THEME_NAMES[self._next_theme()]
        self.theme_button.setToolTip(f"Theme: {THEME_NAMES[choice]}. Click for {following}.")
        redraw(self.theme_button, choice, self._theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        """In a narrow window the menus need the room that the words of the buttons take, and then the name."""
        styles = Qt.ToolButtonStyle
        style = styles.ToolButtonTextBesideIcon if self.width() >= ROOMY_PX else styles.ToolButtonIconOnly
        buttons = (self.find_button, self.commands_button, self.theme_button)
        for button in buttons:
            button.setToolButtonStyle(style)
        rest = sum(part.sizeHint().width() + 8 for part in (self.brand, self.slash, self.menus, *buttons)) + 52
        for part in (self.slash, self.name):
            part.setVisible(bool(self.name.text()) and rest + self.name.sizeHint().width() <= self.width())

    def _next_theme(self) -> str:
        return CHOICES[(CHOICES.index(self._theme.choice) + 1) % len(CHOICES)]

    def _ask_theme(self) -> None:
        self.theme_requested.emit(self._next_theme())

    def _arrange(self) -> None:
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 0, 12, 0)
        layout.setSpacing(8)
        self.menus.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        for part in (self.brand, self.slash, self.name):
            layout.addWidget(part)
        layout.addSpacing(16)
        layout.addWidget(self.menus, 1, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self.find_button)
        layout.addWidget(self.commands_button)
        layout.addWidget(self.theme_button)


class Caption(QWidget):
    """The small heading of an area, with a word on its state at the right.

    Attributes:
        state: the label at the right.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        title = QLabel(text.upper())
        title.setProperty("role", "caption")
        self.state = QLabel()
        self.state.setStyleSheet("font-size: 11px; font-weight: 600;")
        self.layout_row = QHBoxLayout(self)
        self.layout_row.setContentsMargins(16, 10, 12, 4)
        self.layout_row.addWidget(title)
        self.layout_row.addStretch()
        self.layout_row.addWidget(self.state)


class RunState(QWidget):
    """How the last run went, at the right of the script's caption; while one takes long, a Stop button.

    Signals:
        stop_requested: the user wants the run to end.
    """

    stop_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.text = QLabel()
        self.stop = QToolButton()
        self.stop.setText("Stop")
        self.stop.setToolTip("Stop the script (Ctrl+.)")
        self.stop.setVisible(False)
        self.stop.clicked.connect(self.stop_requested)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.text)
        layout.addWidget(self.stop)
        self._role = "dim"
        theme.changed.connect(self._dress)

    def show_running(self, share: float | None = None) -> None:
        """A run has been under way for a while; `share` of it is done, where that is known."""
        done = "" if share is None else f" {share:.0%}"
        self._show(f"● running…{done}", "forward", is_running=True)

    @property
    def is_running(self) -> bool:
        """Whether it says that a run is under way."""
        return not self.stop.isHidden()

    def show_result(self, seconds: float | None, *, is_good: bool) -> None:
        """A run has ended, or none was made (None)."""
        if seconds is None:
            self._show("", "dim", is_running=False)
        elif is_good:
            self._show(f"● ran in {duration_text(seconds)}", "leaf", is_running=False)
        else:
            self._show("● error", "error", is_running=False)

    def _show(self, text: str, role: str, *, is_running: bool) -> None:
        self._role = role
        self.text.setText(text)
        self.stop.setVisible(is_running)
        self._dress()

    def _dress(self) -> None:
        paint = getattr(self._theme.palette, self._role)
        self.text.setStyleSheet(f"color: {paint}; font-size: 11px; font-weight: 600;")
        self.stop.setStyleSheet(f"padding: 1px 8px; border: 1px solid {self._theme.palette.hairline}; font-size: 11px;")


def duration_text(seconds: float) -> str:
    """ "less than 1 ms", "12 ms", "3.4 s"."""
    if seconds < 0.001:
        return "less than 1 ms"
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


class WatchStrip(QFrame):
    """What to watch in a lesson: a quiet strip above the canvas.

    Signals:
        dismissed: it has been read.
    """

    dismissed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("watch")
        self.text = FittedLabel(WATCH_LINES)
        mark, close = QToolButton(), icon_button("close", "Hide what to watch", theme)
        mark.setEnabled(True)
        mark.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        mark.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        dress(mark, "watch", theme, "forward")
        mark.setIconSize(QSize(16, 16))
        close.clicked.connect(self.dismissed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 4, 8, 4)
        layout.setSpacing(6)
        layout.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        layout.addWidget(self.text, 1)
        layout.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)

    def show_watch(self, sentences: Sequence[str]) -> None:
        """Show the sentences; hidden where there are none."""
        self.text.say("\n".join(sentences))
        self.setVisible(bool(sentences))

    def allow(self, lines: int) -> None:
        """Take at most so many lines: in a low window the graph needs the room."""
        self.text.allow(lines)


class StatusLine(QStatusBar):
    """The status bar: its sentence begins where the captions above it do, and ends in "…" before the figures.

    Where it would be whole without them, they go for as long as it is said.

    Attributes:
        figures: what stands at the right.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._error = theme, ""
        self.figures = QLabel()
        self.figures.setContentsMargins(0, 0, 12, 0)
        self.addPermanentWidget(self.figures)
        self.setSizeGripEnabled(False)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.messageChanged.connect(self._make_room)

    def _make_room(self) -> None:
        wide = self.fontMetrics().horizontalAdvance(self.currentMessage())
        whole, beside = self.width() - 2 * EDGE_PX, self.figures.sizeHint().width()
        self.figures.setVisible(not whole - beside < wide <= whole)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    def show_error(self, sentence: str, milliseconds: int) -> None:
        """A sentence that stands out: what was asked for could not be done."""
        self._error = sentence
        self.showMessage(sentence, milliseconds)

    def _has_figures(self) -> bool:
        return bool(self.figures.text()) and self.figures.isVisible()

    def ink(self) -> QColor:
        """The colour of the sentence."""
        if self.currentMessage() == self._error:
            return color(self._theme.palette.error)
        return self.palette().color(QPalette.ColorRole.WindowText)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        room = self.figures.x() - 2 * EDGE_PX if self._has_figures() else self.width() - 2 * EDGE_PX
        words = self.fontMetrics().elidedText(self.currentMessage(), Qt.TextElideMode.ElideRight, room)
        painter.setPen(self.ink())
        painter.drawText(QRect(EDGE_PX, 0, room, self.height()), Qt.AlignmentFlag.AlignVCenter, words)
        painter.end()


def area(head: QWidget | None, body: QWidget) -> QWidget:
    """A panel: a caption, where it has one, over what fills it."""
    panel = QWidget()
    panel.setProperty("role", "panel")
    panel.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    layout = QVBoxLayout(panel)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    if head is not None:
        layout.addWidget(head)
    body.setMinimumHeight(max(LEAST_BODY, body.minimumHeight()))
    layout.addWidget(body, 1)
    return panel
