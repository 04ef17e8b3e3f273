"""A sentence in at most so many lines: what has no room ends in "…", and the whole stays in the tool tip."""

from __future__ import annotations

import math
from html import escape

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
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
        edges = self.contentsMargins()
        text = self.heightForWidth(max(1, self.width())) - edges.top() - edges.bottom()
        return max(1, round(text / QFontMetrics(self.font()).lineSpacing())) if self._sentence else 0

    def _fit(self) -> None:
        width = self.width()
        markup, height = self._cut(width)
        self.write(markup)
        self._heights[width] = height

    def _cut(self, width: int) -> tuple[str, int]:
        """The longest beginning in whole words that fits a width, nearly always all of it, and its height there."""
        edges, line = self.contentsMargins(), QFontMetrics(self.font()).lineSpacing()
        room = max(width - edges.left() - edges.right(), 1)

        def height(markup: str) -> float:
            return self._laid_out(room, markup).size().height()

        words = self._sentence.split(" ")
        markup = _with_bold(self._sentence, self._bold)
        if round(height(markup) / line) > self._lines:
            low, high = 1, len(words)
            while low + 1 < high:
                middle = (low + high) // 2
                fits = round(height(self._begun(words, middle)) / line) <= self._lines
                low, high = (middle, high) if fits else (low, middle)
            markup = self._begun(words, low)
        shown = math.ceil(height(markup)) if self._sentence else 0
        return markup, shown + edges.top() + edges.bottom()

    def _begun(self, words: list[str], count: int) -> str:
        return _with_bold(" ".join(words[:count]) + " …", self._bold)

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(self.font()).height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def heightForWidth(self, width: int) -> int:
        """Of what is written at that width, which a layout asks for before it gives it."""
        if width not in self._heights:
            self._heights[width] = self._cut(width)[1]
        return self._heights[width]

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
