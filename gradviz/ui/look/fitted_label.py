"""A sentence in at most so many lines: what has no room ends in "…", and the whole stays in the tool tip."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QTextCharFormat, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy

from gradviz.ui.look.rich_label import unbroken


class FittedLabel(QLabel):
    """Words that wrap, in at most so many lines. They are laid out once for a width, to be measured and painted.

    Args:
        lines: the most lines it takes; may be changed with `allow`.

    Attributes:
        bold: what stands in bold at the beginning of the words.
        is_centred: whether the words stand in the middle of what is higher than they are, not at its top.
    """

    def __init__(self, lines: int) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(True)
        self._lines, self.bold, self.is_centred = lines, "", False
        self._layouts: dict[int, QTextLayout] = {}
        self._option = QTextOption()
        self._option.setWrapMode(QTextOption.WrapMode.WordWrap)
        self._strong = QTextCharFormat()
        self._strong.setFontWeight(QFont.Weight.DemiBold)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def say(self, sentence: str, bold: str = "") -> None:
        """Show a sentence; where it begins with `bold`, that is bold."""
        self.bold = unbroken(bold) if bold and sentence.startswith(bold) else ""
        self._layouts.clear()
        self.setText(unbroken(sentence))
        self.setToolTip(sentence)
        self.setAccessibleName(sentence)

    def allow(self, lines: int) -> None:
        """Take at most so many lines."""
        if lines != self._lines:
            self._lines = lines
            self._layouts.clear()
            self.updateGeometry()
            self.update()

    def shown(self) -> str:
        """The words as far as they are seen."""
        return self._layout(self.width()).text()

    def lines_taken(self) -> int:
        """How many lines the text takes at this width."""
        return self._layout(self.width()).lineCount() if self.text() else 0

    def _layout(self, width: int) -> QTextLayout:
        """The longest beginning in whole words that fits, nearly always all of it, laid out at a width."""
        if width not in self._layouts:
            edges = self.contentsMargins()
            room = max(width - edges.left() - edges.right(), 1)
            found = self._laid_out(self.text(), room)
            if found.lineCount() > self._lines:
                words = self.text().split(" ")
                low, high = 1, len(words)
                while low + 1 < high:
                    middle = (low + high) // 2
                    is_short = self._laid_out(_begun(words, middle), room).lineCount() <= self._lines
                    low, high = (middle, high) if is_short else (low, middle)
                found = self._laid_out(_begun(words, low), room)
            self._layouts[width] = found
        return self._layouts[width]

    def _laid_out(self, text: str, room: int) -> QTextLayout:
        layout = QTextLayout(text.replace("\n", "\u2028"), self.font())
        layout.setTextOption(self._option)
        if self.bold:
            strong = QTextLayout.FormatRange()
            strong.start, strong.length, strong.format = 0, min(len(self.bold), len(text)), self._strong
            layout.setFormats([strong])
        layout.beginLayout()
        y = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(room)
            line.setPosition(QPointF(0.0, y))
            y += line.height()
        layout.endLayout()
        return layout

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(self.font()).height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def heightForWidth(self, width: int) -> int:
        edges = self.contentsMargins()
        words = math.ceil(self._layout(width).boundingRect().height()) if self.text() else 0
        return words + edges.top() + edges.bottom()

    def paintEvent(self, event: QPaintEvent) -> None:
        room = self.contentsRect()
        painter = QPainter(self)
        painter.setPen(self.palette().color(self.foregroundRole()))
        layout = self._layout(self.width())
        spare = room.height() - layout.boundingRect().height() if self.is_centred else 0.0
        layout.draw(painter, QPointF(room.left(), room.top() + math.floor(max(spare, 0.0) / 2)))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        self._layouts.clear()
        super().changeEvent(event)


def _begun(words: list[str], count: int) -> str:
    return " ".join(words[:count]) + " …"
