"""Labels of plain words, whole in as many lines as they take."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel


def plain_label(words: str = "", role: str = "") -> QLabel:
    """A label of words that go on in the next line where there is no room.

    Args:
        role: of the style sheet, e.g. "dim".
    """
    label = QLabel(words)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", role)
    return label
