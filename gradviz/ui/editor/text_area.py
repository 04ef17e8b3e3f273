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
    QResizeEvent,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QPlainTextEdit, QToolTip

from gradviz.ui.editor import typing_aids
from gradviz.ui.editor.gutter import Gutter
from gradviz.ui.editor.highlighter import Highlighter
from gradviz.ui.editor.marks import Marks
from gradviz.ui.look.theme import TEXT_PX, Theme, mono_font

MAX_CHARACTERS = 2_000_000
"""A longer text is refused, in characters."""

SMALLEST_PX, LARGEST_PX = 8, 40
_TOP = 4  # pixels above the first line


class TextArea(QPlainTextEdit):
    """A plain text of Python.

    Attributes:
        marks: what is lit, underlined and matched.
        gutter: the strip left of the text.

    Signals:
        paste_refused: a text was too long. Payload: its length in characters.
        files_dropped: payload: the paths.
    """

    paste_refused = Signal(int)
    files_dropped = Signal(list)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._pixels = TEXT_PX
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setWordWrapMode(QTextOption.WrapMode.NoWrap)
        self.setAccessibleName("Script")
        self.setCursorWidth(2)
        self.document().setDocumentMargin(0)  # a lit line then meets the gutter
        self.highlighter = Highlighter(self.document(), theme)
        self.marks = Marks(self, theme)
        self.gutter = Gutter(self, self.marks, theme)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self.gutter.update)
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

    def _make_room(self) -> None:
        self.setViewportMargins(self.gutter.room(), _TOP, 0, 0)
        self._place_gutter()

    def _place_gutter(self) -> None:
        inside = self.contentsRect()
        self.gutter.setGeometry(inside.left(), inside.top() + _TOP, self.gutter.room(), inside.height() - _TOP)

    def _scroll_gutter(self, area: QRect, moved: int) -> None:
        if moved:
            self.gutter.scroll(0, moved)
        else:
            self.gutter.update(0, area.y(), self.gutter.width(), area.height())

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
