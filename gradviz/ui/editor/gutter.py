"""The strip left of the text: line numbers, and the dots of breakpoints."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QPen, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from gradviz.ui.editor.marks import Marks
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.theme import Theme, color

STOP_ROOM = 22
"""Width of the place where breakpoints are, in pixels."""
_MARGIN = 12  # pixels between the numbers and the text
_RADIUS = 5.0


def paint_stop(painter: QPainter, x: float, y: float, palette: Palette, *, is_on: bool | None) -> None:
    """A filled dot for a breakpoint, a hollow one where it is off, a faint one where it could be set (None)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if is_on is False:
        painter.setPen(QPen(color(palette.error), 1.6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(x, y), _RADIUS - 0.8, _RADIUS - 0.8)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(palette.error, 0.3 if is_on is None else 1.0))
        painter.drawEllipse(QPointF(x, y), _RADIUS, _RADIUS)
    painter.restore()


class Gutter(QWidget):
    """A click left of the numbers sets a breakpoint; one on a number selects the line.

    Attributes:
        pointed: the line (from 1) where a click would set or take away a breakpoint, or None.

    Signals:
        stop_clicked: the place of a breakpoint was clicked. Payload: the line, from 1.
    """

    stop_clicked = Signal(int)

    def __init__(self, area: QPlainTextEdit, marks: Marks, theme: Theme) -> None:
        super().__init__(area)
        self._area, self._marks, self._theme = area, marks, theme
        self.pointed: int | None = None
        self.setMouseTracking(True)
        theme.changed.connect(self.update)
        marks.changed.connect(self.update)

    def room(self) -> int:
        """Its width in pixels; never less than for two digits, so that text does not jump."""
        digits = max(2, len(str(self._area.blockCount())))
        return STOP_ROOM + _MARGIN + round(digits * QFontMetricsF(self._area.font()).horizontalAdvance("0"))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, palette, area, text = QPainter(self), self._theme.palette, event.rect(), self._area
        current = text.textCursor().blockNumber() if text.hasFocus() else -1
        block = text.firstVisibleBlock()
        top = text.blockBoundingGeometry(block).translated(text.contentOffset()).top()
        painter.fillRect(area, color(palette.panel))
        painter.setFont(text.font())
        while block.isValid() and top <= area.bottom():
            height = text.blockBoundingRect(block).height()
            number = block.blockNumber()
            tint = self._marks.tint_of(number + 1)
            if tint is not None:
                painter.fillRect(QRect(0, round(top), self.width(), round(height)), tint)
            is_on = self._marks.stop_of(number + 1)
            if is_on is not None or number + 1 == self.pointed:
                paint_stop(painter, STOP_ROOM / 2, top + height / 2, palette, is_on=is_on)
            painter.setPen(color(palette.text if number == current or tint is not None else palette.dim))
            room = QRect(0, round(top), self.width() - _MARGIN, round(height))
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number + 1))
            top += height
            block = block.next()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        cursor = self._cursor(event)
        line = self._line(event)
        if line is not None:
            self.stop_clicked.emit(line)
        elif event.position().x() >= STOP_ROOM:
            cursor.movePosition(QTextCursor.MoveOperation.StartOfBlock)
            cursor.movePosition(QTextCursor.MoveOperation.NextBlock, QTextCursor.MoveMode.KeepAnchor)
            self._area.setTextCursor(cursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point(self._line(event))

    def leaveEvent(self, event: QEvent) -> None:
        self._point(None)
        super().leaveEvent(event)

    def _point(self, line: int | None) -> None:
        if line != self.pointed:
            self.pointed = line
            self.setCursor(Qt.CursorShape.PointingHandCursor if line is not None else Qt.CursorShape.ArrowCursor)
            self.setToolTip("" if line is None else f"Breakpoint on line {line} (F9)")
            self.update()

    def _line(self, event: QMouseEvent) -> int | None:
        """The line (from 1) whose place for a breakpoint the pointer is on, or None."""
        cursor = self._cursor(event)
        rect = self._area.cursorRect(cursor)
        is_beside = rect.top() <= event.position().y() <= rect.bottom() + 1
        return cursor.blockNumber() + 1 if event.position().x() < STOP_ROOM and is_beside else None

    def _cursor(self, event: QMouseEvent) -> QTextCursor:
        return self._area.cursorForPosition(QPoint(0, round(event.position().y())))
