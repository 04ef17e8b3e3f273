"""A sentence in at most so many lines: what has no room ends in "…", and the whole stays in the tool tip."""

from __future__ import annotations

import math
from html import escape

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.ui.look.rich_label import RichLabel, unbroken


class FittedLabel(RichLabel):
    """Words that wrap, in at most so many lines.

    Args:
        lines: the most lines it takes; may be changed with `allow`.
    """

    def __init__(self, lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines, self._sentence, self._bold = lines, "", ""
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def say(self, sentence: str, bold: str = "") -> None:
        """Show a sentence; where it begins with `bold`, that is bold."""
        self._sentence, self._bold = unbroken(sentence), bold
        self.setToolTip(sentence)
        self.setAccessibleName(sentence)
        self._fit()

    def allow(self, lines: int) -> None:
        """Take at most so many lines."""
        if lines != self._lines:
            self._lines = lines
            self._fit()

    def lines_taken(self) -> int:
        """How many lines the text takes at this width."""
        line = QFontMetrics(self.font()).lineSpacing()
        edges = self.contentsMargins()
        text = self.heightForWidth(max(1, self.width())) - edges.top() - edges.bottom()
        return max(1, round(text / line)) if self._sentence else 0

    def _fit(self) -> None:
        """The longest beginning in whole words that fits; nearly always that is all of it."""
        self.write(_with_bold(self._sentence, self._bold))
        if self.lines_taken() <= self._lines:
            return
        words = self._sentence.split(" ")
        low, high = 1, len(words)
        while low + 1 < high:
            middle = (low + high) // 2
            self.write(_with_bold(" ".join(words[:middle]) + " …", self._bold))
            low, high = (middle, high) if self.lines_taken() <= self._lines else (low, middle)
        self.write(_with_bold(" ".join(words[:low]) + " …", self._bold))

    # ---- Qt ----

    def heightForWidth(self, width: int) -> int:
        """What is written is cut for the present width; a layout that is about to give another asks for that one."""
        if width == self.width():
            return super().heightForWidth(width)
        edges = self.contentsMargins()
        whole = QTextDocument()
        whole.setDocumentMargin(0.0)
        self._take(whole, _with_bold(self._sentence, self._bold))
        whole.setTextWidth(max(width - edges.left() - edges.right(), 1))
        text, line = whole.size().height(), QFontMetrics(self.font()).lineSpacing()
        taken = max(1, round(text / line))
        shown = math.ceil(text / taken * min(taken, self._lines)) if self._sentence else 0
        return shown + edges.top() + edges.bottom()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()


def _with_bold(text: str, name: str) -> str:
    bold = f"<span style='font-weight:600'>{escape(name)}</span>" if name and text.startswith(name) else ""
    rest = text[len(name) :] if bold else text
    return bold + escape(rest).replace("\n", "<br>")
