"""Colours Python text as it is typed, one line at a time."""

from __future__ import annotations

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from gradviz.ui.editor.lexer import PLAIN, spans, units
from gradviz.ui.look.theme import Theme, color

_ROLES = ("keyword", "number", "string", "comment")


class Highlighter(QSyntaxHighlighter):
    """Colours of the palette: keyword, number, string, comment. The block state is the lexer's state."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        super().__init__(document)
        self._theme = theme
        self._formats: dict[str, QTextCharFormat] = {}
        theme.changed.connect(self._recolour)
        self._read_palette()

    def _recolour(self) -> None:
        self._read_palette()
        self.rehighlight()

    def _read_palette(self) -> None:
        for role in _ROLES:
            paint = QTextCharFormat()
            paint.setForeground(color(getattr(self._theme.palette, role)))
            paint.setFontItalic(False)
            self._formats[role] = paint

    def highlightBlock(self, text: str) -> None:
        pieces, state = spans(text, max(self.previousBlockState(), PLAIN))
        self.setCurrentBlockState(state)
        for piece in pieces:
            paint = self._formats.get(piece.role)
            if paint is not None:
                start = units(text, piece.start)
                self.setFormat(start, units(text, piece.end) - start, paint)
