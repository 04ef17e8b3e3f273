"""A scroll bar that keeps its room and is seen only where there is something to scroll to."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QScrollBar


class ModestBar(QScrollBar):
    """For areas in which the width of everything would change with a bar that comes and goes."""

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.maximum() > self.minimum():
            super().paintEvent(event)
