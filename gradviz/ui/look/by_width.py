"""Widgets that are only ever asked how high they are at the width that they have.

Qt asks a layout for its least and its preferred size before it gives it one, and where texts wrap, lays them all out at
each of those widths. In a column of a given width that is most of what a change of text costs.
"""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from gradviz.ui.look.theme import ui_font


class ByWidth(QFrame):
    """A part of a column: it takes the width it is given, and is as high as its layout is there."""

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        return QSize(0, 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)


class TintedLabel(QLabel):
    """A few plain words on one line, in a colour that changes with them."""

    def __init__(self, pixels: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._fonts = {bold: ui_font(pixels, bold=bold) for bold in (False, True)}
        self._metrics = {bold: QFontMetrics(font) for bold, font in self._fonts.items()}
        self._is_bold, self._ink = False, ""

    def say(self, text: str, ink: str, *, bold: bool = False) -> None:
        """Show a text in a colour."""
        self._is_bold, self._ink = bold, ink
        self.setText(text)
        self.update()

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        metrics = self._metrics[self._is_bold]
        return QSize(metrics.horizontalAdvance(self.text()), metrics.height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self._fonts[self._is_bold])
        painter.setPen(QColor(self._ink))
        painter.drawText(self.rect(), self.alignment(), self.text())
        painter.end()


class WrappedLabel(QLabel):
    """Plain text that wraps. It measures a text once, where QLabel tries several widths whenever it is asked."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self._measured: tuple[str, int, int] = ("", 0, 0)
        self._heights: dict[int, int] = {}

    def _widths(self) -> tuple[int, int]:
        """How wide the text is, and its longest word."""
        text = self.text()
        if self._measured[0] != text:
            metrics = self.fontMetrics()
            words = [metrics.horizontalAdvance(word) for word in text.split()]
            self._measured = (text, metrics.horizontalAdvance(text) + 2, max(words, default=0) + 2)
            self._heights.clear()
        return self._measured[1:]

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        return QSize(self._widths()[0], self.fontMetrics().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._widths()[1], self.fontMetrics().height())

    def heightForWidth(self, width: int) -> int:
        whole, _ = self._widths()
        if width not in self._heights:
            room, metrics = QRect(0, 0, width, 10_000), self.fontMetrics()
            is_one_line = whole <= width
            lines = None if is_one_line else metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, self.text())
            self._heights[width] = metrics.height() if lines is None else lines.height()
        return self._heights[width]

    def changeEvent(self, event: QEvent) -> None:
        self._measured = ("", 0, 0)
        self._heights.clear()
        super().changeEvent(event)
