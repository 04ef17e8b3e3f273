"""A border that changes of layout do not cross."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget


class Enclosure(QWidget):
    """Gives its inside all of its own size, and no more.

    A text that changes has the layout around it ask for its size again, and that the one around it, up to the window:
    with a text in each corner that was a third of a step. In here that ends; so an enclosure is for areas whose size
    does not depend on what they say.
    """

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self._inside = inside
        inside.setParent(self)

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        return self._inside.sizeHint()

    def minimumSizeHint(self) -> QSize:
        return self._inside.minimumSizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._inside.setGeometry(self.rect())
