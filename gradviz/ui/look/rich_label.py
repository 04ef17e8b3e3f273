"""A label of rich text that is laid out once."""

from __future__ import annotations

import math
import re

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QLabel

_ROW_OF_NUMBERS = re.compile(r"\[[^\[\]]{1,28}\]")


def unbroken(text: str) -> str:
    """A text whose rows of a few numbers, as in [1.5, -0.25, 2], gradients ∂L/∂x and last cases stay on one line."""
    text = _ROW_OF_NUMBERS.sub(lambda row: row[0].replace(" ", "\u00a0"), text)
    return text.replace("/∂", "/\u2060∂").replace(", else ", ", else\u00a0")


class RichLabel(QLabel):
    """Rich text that wraps.

    QLabel lays its document out anew for every question about its height, and again to paint it. Here another document
    answers and is painted, which takes less than half the time; QLabel's own is made only where somebody touches it:
    to select, or to go from link to link.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self._heights: dict[int, int] = {}
        self._document = QTextDocument(self)
        self._document.setUndoRedoEnabled(False)
        self._document.setDocumentMargin(0.0)
        self._markup = ""
        self._held: str | None = None
        self._is_dressed = False
        self._context: QAbstractTextDocumentLayout.PaintContext | None = None

    def write(self, markup: str) -> None:
        """Show rich text."""
        self._heights.clear()
        self._markup = markup
        self.setText(markup)

    def _laid_out(self, width: int) -> QTextDocument:
        """The document, as wide as `width`, in pixels."""
        markup, document = self._markup, self._document
        if self._held != markup:
            self._held = markup
            self._dress()
            if document.textWidth() != width:
                document.clear()  # or the old text would be laid out for that width first
                document.setTextWidth(width)
            document.setHtml(markup)
        elif document.textWidth() != width:  # Qt lays all out again even for the same width
            document.setTextWidth(width)
        return document

    def _dress(self) -> None:
        """Give the document the font of this label, where that may be another one: all is laid out anew for it."""
        if self._is_dressed:
            return
        self._is_dressed = True
        self._document.clear()
        self._document.setDefaultFont(self.font())
        option = QTextOption(self.alignment() & Qt.AlignmentFlag.AlignHorizontal_Mask)
        option.setWrapMode(QTextOption.WrapMode.WordWrap)
        self._document.setDefaultTextOption(option)

    def _is_touched(self) -> bool:
        return self.hasFocus() or self.hasSelectedText()

    # ---- Qt ----

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            edges = self.contentsMargins()
            room = max(width - edges.left() - edges.right(), 1)
            text = math.ceil(self._laid_out(room).size().height()) if self._markup else 0
            self._heights[width] = text + edges.top() + edges.bottom()
        return self._heights[width]

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._is_touched():
            super().paintEvent(event)
            return
        room = self.contentsRect()
        document = self._laid_out(room.width())
        spare = room.height() - document.size().height()
        is_top = self.alignment() & Qt.AlignmentFlag.AlignTop
        top = room.top() + (0 if is_top else math.floor(max(spare / 2, 0.0)))
        context = self._context
        if context is None:
            context = self._context = QAbstractTextDocumentLayout.PaintContext()
            ink = self.palette().color(self.foregroundRole())
            context.palette.setColor(QPalette.ColorRole.Text, ink)
        context.clip = QRectF(event.rect().translated(-room.left(), -top))
        painter = QPainter(self)
        painter.translate(QPointF(room.left(), top))
        document.documentLayout().draw(painter, context)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        self._heights.clear()
        self._held, self._context, self._is_dressed = None, None, False
        super().changeEvent(event)
