"""The text itself: line numbers, keys, marks under the text, paste and drop, zoom."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QRect, Qt, Signal
from PySide6.QtGui import (
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QPainter,
    QResizeEvent,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QPlainTextEdit, QToolTip

from gradviz.ui.editor import typing_aids
from gradviz.ui.editor.gutter import STOP_ROOM, Gutter, paint_stop
from gradviz.ui.editor.highlighter import Highlighter
from gradviz.ui.editor.marks import Marks
from gradviz.ui.look.theme import TEXT_PX, Theme, color, mono_font

MAX_CHARACTERS = 2_000_000
"""A longer text is refused, in characters."""

SMALLEST_PX, LARGEST_PX = 8, 40
_TOP = 4  # pixels above the first line
_GUTTER_MARGIN = 12  # pixels between the numbers and the text


class TextArea(QPlainTextEdit):
    """A plain text of Python.

    Attributes:
        marks: what is lit, underlined and matched.

    Signals:
        paste_refused: a text was too long. Payload: its length in characters.
        files_dropped: payload: the paths.
        stop_clicked: the place of a breakpoint was clicked. Payload: the line, from 1.
    """

    stop_clicked = Signal(int)
    paste_refused = Signal(int)
    files_dropped = Signal(list)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._pixels = TEXT_PX
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setAccessibleName("Script")
        self.setCursorWidth(2)
        self.document().setDocumentMargin(0)  # a lit line then meets the gutter
        self._gutter = Gutter(self, theme)
        self.highlighter = Highlighter(self.document(), theme)
        self.marks = Marks(self, theme)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self._gutter.update)
        self.set_pixels(TEXT_PX)

    def pixels(self) -> int:
        """The size of the letters, in pixels."""
        return self._pixels

    def set_pixels(self, pixels: int) -> None:
        """Change the size of the letters, within bounds."""
        self._pixels = max(SMALLEST_PX, min(LARGEST_PX, pixels))
        font = mono_font(self._pixels)
        self.setFont(font)
        self.setTabStopDistance(4 * QFontMetricsF(font).horizontalAdvance(" "))
        self._make_room()

    def gutter_width(self) -> int:
        """Room for the line numbers, in pixels; never less than for two digits, so that text does not jump."""
        digits = max(2, len(str(self.blockCount())))
        return STOP_ROOM + _GUTTER_MARGIN + round(digits * QFontMetricsF(self.font()).horizontalAdvance("0"))

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        """Draw the numbers of the lines that are seen in `area`."""
        palette = self._theme.palette
        bar = self._gutter.width()
        current = self.textCursor().blockNumber() if self.hasFocus() else -1
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        painter.fillRect(area, color(palette.panel))
        painter.setFont(self.font())
        while block.isValid() and top <= area.bottom():
            height = self.blockBoundingRect(block).height()
            number = block.blockNumber()
            tint = self.marks.tint_of(number + 1)
            if tint is not None:
                painter.fillRect(QRect(0, round(top), bar, round(height)), tint)
            is_on = self.marks.stop_of(number + 1)
            if is_on is not None or number + 1 == self._gutter.pointed:
                paint_stop(painter, STOP_ROOM / 2, top + height / 2, palette, is_on=is_on)
            painter.setPen(color(palette.text if number == current or tint is not None else palette.dim))
            room = QRect(0, round(top), bar - _GUTTER_MARGIN, round(height))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number + 1))
            top += height
            block = block.next()

    def _make_room(self) -> None:
        self.setViewportMargins(self.gutter_width(), _TOP, 0, 0)
        self._place_gutter()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self._gutter.setGeometry(inside.left(), inside.top() + _TOP, self.gutter_width(), inside.height() - _TOP)

    def _scroll_gutter(self, area: QRect, moved: int) -> None:
        if moved:
            self._gutter.scroll(0, moved)
        else:
            self._gutter.update(0, area.y(), self._gutter.width(), area.height())

    def refresh(self) -> None:
        """Draw the numbers again after a mark has changed."""
        self._gutter.update()

    # ---- Qt's own names ----

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            place = self.viewport().mapFrom(self, event.pos())
            QToolTip.showText(event.globalPos(), self.marks.message_at(self.cursorForPosition(place)), self)
            return True
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_gutter()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._take(event):
            super().keyPressEvent(event)

    def _take(self, event: QKeyEvent) -> bool:
        """Do what a key means in Python text; False leaves it to Qt."""
        key, cursor = event.key(), self.textCursor()
        keys, modifiers = Qt.Key, event.modifiers()
        if key == keys.Key_Slash and modifiers & Qt.KeyboardModifier.ControlModifier:
            typing_aids.toggle_comment(cursor)
        elif modifiers & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            return False
        elif key in (keys.Key_Return, keys.Key_Enter):
            typing_aids.break_line(cursor)
            self.setTextCursor(cursor)
            self.ensureCursorVisible()
        elif key == keys.Key_Backtab:
            typing_aids.outdent(cursor)
        elif key == keys.Key_Tab:
            typing_aids.indent(cursor)
        else:
            return key == keys.Key_Backspace and typing_aids.erase_indent(cursor)
        return True

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            turned = event.angleDelta().y()
            self.set_pixels(self._pixels + (1 if turned > 0 else -1 if turned < 0 else 0))
            event.accept()
            return
        super().wheelEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasUrls() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        paths = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if paths:
            self.files_dropped.emit(paths)
            return
        length = len(source.text())
        room = MAX_CHARACTERS - self.document().characterCount() + len(self.textCursor().selectedText())
        if length > room:
            self.paste_refused.emit(length)
            return
        self.textCursor().insertText(source.text())
        self.ensureCursorVisible()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self._welcome(event) or super().dragEnterEvent(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._welcome(event) or super().dragMoveEvent(event)

    def _welcome(self, event: QDropEvent) -> bool:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()
            return True
        return False

    def dropEvent(self, event: QDropEvent) -> None:
        if event.mimeData().hasUrls():
            self.insertFromMimeData(event.mimeData())
            event.acceptProposedAction()
            return
        super().dropEvent(event)
