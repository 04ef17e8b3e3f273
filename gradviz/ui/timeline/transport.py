"""The transport: first, back, play, forward, last, and the speed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from gradviz.playback.player import Player
from gradviz.ui.look.icons import dress, redraw
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.clock import FRAME_MS

BUTTONS = (
    ("first", "first", "Go to start (Home)"),
    ("back", "back", "Step back (Left)"),
    ("play", "play", "Play or pause (Space)"),
    ("step", "forward", "Step forward (Right or F10)"),
    ("last", "last", "Go to end (End)"),
)
"""Name of the action, icon, tool tip."""

_SIZE = 38


class Transport(QWidget):
    """The row of buttons.

    Signals:
        pressed: payload: the name of the action, one of `BUTTONS`.
        speed_chosen: payload: steps per second.
    """

    pressed = Signal(str)
    speed_chosen = Signal(float)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        self.buttons = {name: self._button(name, icon, tip) for name, icon, tip in BUTTONS}
        for button in self.buttons.values():
            layout.addWidget(button)
        layout.addSpacing(8)
        layout.addWidget(self._speed_button())
        layout.addStretch()
        theme.changed.connect(self._dress)
        self._dress()

    def show_player(self, player: Player) -> None:
        """Show what the player can do and does."""
        at_start, at_end = player.position == 0, player.position >= player.length
        for name, is_usable in (
            ("first", not at_start),
            ("back", not at_start),
            ("play", player.length > 0),
            ("step", not at_end),
            ("last", not at_end),
        ):
            if self.buttons[name].isEnabled() != is_usable:
                self.buttons[name].setEnabled(is_usable)
        wanted = "pause" if player.is_playing else "play"
        if self.buttons["play"].property("icon_name") != wanted:
            redraw(self.buttons["play"], wanted, self._theme)
            self.buttons["play"].setAccessibleName("Pause" if player.is_playing else "Play")
        speed = _speed_text(player.speed)
        if self.speed.text() != speed:
            self.speed.setText(speed)
            self._check(player.speed)
            self.speed.setAccessibleName(_speed_words(player.speed))

    def _button(self, name: str, icon: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setToolTip(tip)
        button.setAccessibleName(tip.partition(" (")[0])
        button.setFixedSize(_SIZE, _SIZE)
        button.setIconSize(QSize(20, 20))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys with the canvas
        button.clicked.connect(lambda: self.pressed.emit(name))
        dress(button, icon, self._theme, "on_accent" if name == "play" else "text")
        return button

    def _speed_button(self) -> QToolButton:
        self.speed = QToolButton()
        self.speed.setObjectName("speed")
        self.speed.setAccessibleName(_speed_words(1.0))
        self.speed.setToolTip("Steps per second while playing ([ and ])")
        self.speed.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.speed)
        choices = QActionGroup(menu)
        for speed in Player.SPEEDS:
            choice = choices.addAction(menu.addAction(_speed_choice(speed)))
            choice.setCheckable(True)
            choice.triggered.connect(lambda _checked=False, speed=speed: self.speed_chosen.emit(speed))
        self.speed.setMenu(menu)
        self._check(1.0)
        return self.speed

    def _check(self, speed: float) -> None:
        """Mark a speed in the menu."""
        for known, choice in zip(Player.SPEEDS, self.speed.menu().actions(), strict=True):
            choice.setChecked(known == speed)

    def _dress(self) -> None:
        p = self._theme.palette
        edge = p.hairline if p.is_strong else p.constant_tint
        self.setStyleSheet(f"""
            QToolButton {{ background: {p.constant_tint}; border: 1px solid {edge}; border-radius: 9px; }}
            QToolButton:hover {{ background: {p.hairline}; border-color: {p.hairline}; }}
            QToolButton:focus {{ border-color: {p.forward}; }}
            QToolButton#play {{ background: {p.backward}; border-color: {p.backward}; }}
            QToolButton#play:focus {{ border: 2px solid {p.text}; }}
            QToolButton#play:disabled {{ background: {p.backward_tint}; border-color: {p.backward_tint}; }}
            QToolButton#speed {{ background: transparent; border-color: transparent; color: {p.dim}; padding: 8px; }}
            QToolButton#speed:focus {{ border-color: {p.forward}; }}
            QToolButton#speed::menu-indicator {{ image: none; }}
        """)
        self._keep_room()

    def _keep_room(self) -> None:
        """The speed has room for the longest one, so that nothing moves when it changes."""
        shown = self.speed.text()
        self.speed.ensurePolished()
        self.speed.setMinimumWidth(0)
        widths = []
        for speed in Player.SPEEDS:
            self.speed.setText(_speed_text(speed))
            widths.append(self.speed.sizeHint().width())
        self.speed.setText(shown or _speed_text(1.0))
        self.speed.setMinimumWidth(max(widths))

    # ---- Qt ----

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._keep_room()


def _speed_text(speed: float) -> str:
    return f"{speed:,g}×  ▾"


def _speed_choice(speed: float) -> str:
    """A speed in the menu; beyond one step in a frame it says how many are made at once."""
    at_once = round(speed * FRAME_MS / 1000)
    return f"{speed:,g}×" + (f"  ·  {at_once} steps at once" if at_once > 1 else "")


def _speed_words(speed: float) -> str:
    return f"Speed: {speed:,g} steps per second"
