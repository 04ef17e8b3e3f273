"""Widgets that are only ever asked how high they are at the width that they have.

Qt asks a layout for its least and its preferred size before it gives it one, and where texts wrap, lays them all out at
each of those widths. In a column of a given width that is most of what a change of text costs.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from gradviz.ui.look.theme import ui_font


class Column(QFrame):
    """Widgets one below the other, as wide as the column, each as high as it says it is at that width.

    A layout of Qt asks each of them for three sizes, and all again whenever one is shown. Here one walk from above asks
    each that can be seen once.

    Args:
        left, top, right, bottom: margins in pixels.
        spacing: pixels between two widgets.

    Attributes:
        settled: the width at which all was placed last, and its height there.
    """

    def __init__(self, left: int = 0, top: int = 0, right: int = 0, bottom: int = 0, *, spacing: int = 0) -> None:
        super().__init__()
        self._margins, self._spacing = (left, top, right, bottom), spacing
        self._parts: list[tuple[QWidget, bool]] = []
        self.settled = (-1, 0)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, widget: QWidget, before: QWidget | None = None) -> None:
        """Put a widget below all others, or above one of them. One of a fixed width keeps that, at the left."""
        is_hidden = widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide) and widget.isHidden()
        is_fixed = widget.sizePolicy().horizontalPolicy() is QSizePolicy.Policy.Fixed
        places = [part for part, _ in self._parts]
        self._parts.insert(len(places) if before is None else places.index(before), (widget, is_fixed))
        widget.setParent(self)  # which hides it
        widget.setVisible(not is_hidden)

    def settle(self, width: int) -> int:
        """Place everything at a width in pixels, also within columns in this one; returns the height of all."""
        (left, y, right, bottom), edges = self._margins, self.contentsMargins()
        left, y = left + edges.left(), y + edges.top()
        room, apart = max(width - left - right - edges.right(), 0), 0
        for part, is_fixed in self._parts:
            if part.isHidden():
                continue
            y += apart
            high = part.settle(room) if isinstance(part, Column) else height_of(part, room)
            part.setGeometry(left, y, min(part.sizeHint().width(), room) if is_fixed else room, high)
            y, apart = y + high, self._spacing
        self.settled = (width, y + bottom + edges.bottom())
        return self.settled[1]

    # ---- Qt ----

    def sizeHint(self) -> QSize:
        return QSize(0, 0)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def heightForWidth(self, width: int) -> int:
        if self.settled[0] == width:
            return self.settled[1]
        high = self.settle(width)
        self.settle(self.width())  # it is only asked, and may not be given that width
        return high

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != self.settled[0]:
            self.settle(event.size().width())

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # of a widget in it, which has another height now
            before = self.settled[1]
            if self.settle(self.width()) != before:
                self.updateGeometry()
        return super().event(event)


def height_of(widget: QWidget, width: int) -> int:
    """How high a widget is at a width, in pixels."""
    high = widget.heightForWidth(width)
    return high if high >= 0 else max(widget.sizeHint().height(), widget.minimumHeight())


class WordsMeasure:
    """How much room plain texts take in one font; the last few are remembered."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self._metrics = QFontMetrics(font)
        self.width = lru_cache(maxsize=32)(self._width)
        self.longest = lru_cache(maxsize=32)(self._longest)

    def _width(self, text: str) -> int:
        return self._metrics.horizontalAdvance(text) + 2 if text else 0

    def _longest(self, text: str) -> int:
        return max((self.width(word) for word in text.split()), default=0)

    def height(self, text: str, width: int) -> int:
        """In pixels, where it wraps at a width."""
        if self.width(text) <= width:
            return self._metrics.height()
        return self._metrics.boundingRect(QRect(0, 0, width, 10_000), Qt.TextFlag.TextWordWrap, text).height()

    def paint(
        self, painter: QPainter, box: QRect, text: str, side: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft
    ) -> None:
        """Write a text at one side of a box, in its middle from top to bottom."""
        flags = side | Qt.AlignmentFlag.AlignVCenter
        wraps = self.width(text) > box.width()  # which takes Qt three times as long
        painter.setFont(self.font)
        painter.drawText(box, flags | Qt.TextFlag.TextWordWrap if wraps else flags, text)


class TintedLabel(QLabel):
    """A few plain words on one line, in a colour that changes with them."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._fonts = {bold: ui_font(12, bold=bold) for bold in (False, True)}
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
