"""What is marked in the text besides its colours: the lit line, the error, the brackets at the cursor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QColor, QTextBlock, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from gradviz.ui.editor.brackets import matching
from gradviz.ui.editor.lexer import units
from gradviz.ui.look.theme import Theme, color

if TYPE_CHECKING:
    from gradviz.recording import Problem


class Marks(QObject):
    """Marks of one text area. A mark sits on a cursor, so that it moves along with the text typed before it.

    Attributes:
        is_forward: whether the line is lit in the tint of the forward pass.

    Signals:
        changed: what stands beside the text is to be drawn again.
    """

    changed = Signal()

    def __init__(self, area: QPlainTextEdit, theme: Theme) -> None:
        super().__init__(area)
        self._area = area
        self._theme = theme
        self._lit: QTextCursor | None = None
        self.is_forward = False
        self._error: QTextCursor | None = None
        self._problem: Problem | None = None
        self._stops: list[tuple[QTextCursor, bool]] = []
        area.cursorPositionChanged.connect(self.draw)
        theme.changed.connect(self.draw)

    def light(self, line: int | None, *, is_forward: bool) -> None:
        """Light a line (from 1) in the tint of a pass, or none."""
        block = self._block(line)
        self._lit = QTextCursor(block) if block is not None else None
        self.is_forward = is_forward
        self.draw()

    def underline(self, problem: Problem | None) -> None:
        """Underline the place of a problem, or nothing."""
        self._problem = problem
        self._error = self._place(problem) if problem is not None else None
        self.draw()

    def show_stops(self, lines: Mapping[int, bool]) -> None:
        """Mark the lines (from 1) with a breakpoint; whether it is on."""
        blocks = ((self._block(line), is_on) for line, is_on in lines.items())
        self._stops = [(QTextCursor(block), is_on) for block, is_on in blocks if block is not None]
        self.changed.emit()

    def stop_of(self, line: int) -> bool | None:
        """Whether the breakpoint of a line (from 1) is on; None where it has none."""
        return next((is_on for cursor, is_on in self._stops if cursor.blockNumber() + 1 == line), None)

    def tint_of(self, line: int) -> QColor | None:
        """The tint of a line (from 1) if it is lit."""
        if self._lit is None or self._lit.blockNumber() + 1 != line:
            return None
        return self._tint()

    def message_at(self, cursor: QTextCursor) -> str:
        """What to say about the text under a cursor: the problem on its line, or nothing."""
        if self._error is None or self._problem is None or cursor.block() != self._error.block():
            return ""
        return "\n".join(part for part in (self._problem.message, self._problem.hint) if part)

    def lit_line(self) -> int | None:
        """The line that is lit, from 1."""
        return None if self._lit is None else self._lit.blockNumber() + 1

    def error_place(self) -> QTextCursor | None:
        """What is underlined, as a selection."""
        return self._error

    def draw(self) -> None:
        """Put the marks on the text."""
        parts = [*self._lit_part(), *self._bracket_parts(), *self._error_part()]
        self._area.setExtraSelections(parts)
        self.changed.emit()

    def _tint(self) -> QColor:
        palette = self._theme.palette
        return color(palette.forward_tint if self.is_forward else palette.backward_tint)

    def _block(self, line: int | None) -> QTextBlock | None:
        if line is None:
            return None
        block = self._area.document().findBlockByNumber(line - 1)
        return block if block.isValid() else None

    def _place(self, problem: Problem) -> QTextCursor | None:
        """The word at the problem's column, or the whole line without its indentation."""
        block = self._block(problem.main_line)
        if block is None:
            return None
        text = block.text()
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
        if problem.column is not None and 1 <= problem.column <= max(end, 1):
            start = problem.column - 1
            end = max(_word_end(text, start), start + 1)
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + min(units(text, start), block.length() - 1))
        cursor.setPosition(
            block.position() + min(units(text, end), block.length() - 1), QTextCursor.MoveMode.KeepAnchor
        )
        return cursor

    def _lit_part(self) -> list[QTextEdit.ExtraSelection]:
        if self._lit is None:
            return []
        paint = QTextCharFormat()
        paint.setBackground(self._tint())
        paint.setProperty(QTextFormat.Property.FullWidthSelection, True)
        cursor = QTextCursor(self._lit.block())
        return [_selection(cursor, paint)]

    def _error_part(self) -> list[QTextEdit.ExtraSelection]:
        if self._error is None:
            return []
        paint = QTextCharFormat()
        paint.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        paint.setUnderlineColor(color(self._theme.palette.error))
        paint.setBackground(color(self._theme.palette.error_tint))
        return [_selection(self._error, paint)]

    def _bracket_parts(self) -> list[QTextEdit.ExtraSelection]:
        document = self._area.document()
        found = matching(document, self._area.textCursor().position())
        if found is None:
            return []
        palette = self._theme.palette
        start, partner = found
        paint = QTextCharFormat()
        paint.setBackground(color(palette.hairline if partner is not None else palette.error_tint))
        return [_selection(_one_letter(self._area, at), paint) for at in (start, partner) if at is not None]


def _word_end(text: str, start: int) -> int:
    end = start
    while end < len(text) and (text[end].isalnum() or text[end] in "_."):
        end += 1
    return end


def _one_letter(area: QPlainTextEdit, position: int) -> QTextCursor:
    cursor = QTextCursor(area.document())
    cursor.setPosition(position)
    cursor.setPosition(position + 1, QTextCursor.MoveMode.KeepAnchor)
    return cursor


def _selection(cursor: QTextCursor, paint: QTextCharFormat) -> QTextEdit.ExtraSelection:
    part = QTextEdit.ExtraSelection()
    part.cursor = cursor
    part.format = paint
    return part
