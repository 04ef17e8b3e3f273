"""A strip with one problem: where, what, and what to do. Shared by all that can fail in the left column."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from gradviz.ui.look.columns import has_columns
from gradviz.ui.look.theme import MONO_FAMILY, Theme

MAX_SHOWN = 600
"""Longer messages are cut in the strip, in characters."""


class ProblemStrip(QFrame):
    """Hidden while all is well. The words are plain text and can be selected with the mouse.

    Signals:
        clicked: the strip was clicked.
    """

    clicked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("problem")
        self.message, self.hint = QLabel(), QLabel()
        self._whole = ""
        self._has_columns = False
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 8, 12, 8)
        layout.setSpacing(2)
        for label in (self.message, self.hint):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            layout.addWidget(label)
        theme.changed.connect(self._dress)
        self._dress()
        self.hide()

    def show_text(self, message: str, hint: str = "") -> None:
        """Show a sentence and what to do; an empty message hides the strip."""
        self.message.setText(_breakable(message.rstrip()))
        if has_columns(message) != self._has_columns:
            self._has_columns = not self._has_columns
            self._dress()
        self.hint.setText(_breakable(hint))
        self.hint.setVisible(bool(hint))
        self._whole = f"{message}\n{hint}".strip()
        self._tell_what_is_cut()
        self.setAccessibleName(f"{message} {hint}".strip())
        self.setVisible(bool(message))

    def text(self) -> str:
        """What is shown, message and hint."""
        return f"{self.message.text()} {self.hint.text()}".strip().replace("\u200b", "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_what_is_cut()

    def _tell_what_is_cut(self) -> None:
        """The tool tip has all words where the strip, in a low window, has no room for them."""
        labels = [label for label in (self.message, self.hint) if not label.isHidden()]
        has_room = all(label.height() >= label.heightForWidth(label.width()) for label in labels)
        self.setToolTip("" if has_room and len(self._whole) <= MAX_SHOWN else self._whole)

    def _dress(self) -> None:
        p = self._theme.palette
        self.setStyleSheet(
            f"QFrame#problem {{ background: {p.error_tint}; border: none; border-left: 3px solid {p.error}; }}"
        )
        font = f'font-family: "{MONO_FAMILY}"; font-size: 12px;' if self._has_columns else "font-weight: 600;"
        self.message.setStyleSheet(f"color: {p.error}; {font} background: transparent;")
        self.hint.setStyleSheet(f"color: {p.text}; background: transparent;")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()
        super().mousePressEvent(event)


def _breakable(text: str) -> str:
    """The text cut to what fits, with places to break inside words longer than a line."""
    cut = text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
    return " ".join(
        "\u200b".join(word[i : i + 24] for i in range(0, len(word), 24)) if len(word) > 30 else word
        for word in cut.split(" ")
    )
