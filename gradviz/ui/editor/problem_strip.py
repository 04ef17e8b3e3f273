"""A strip with one problem: where, what, and what to do. Shared by all that can fail in the left column."""

from __future__ import annotations

import re

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from gradviz.ui.look.columns import has_columns
from gradviz.ui.look.modest_bar import ModestBar
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import mono_font, ui_font

MAX_SHOWN = 600
"""Longer messages are cut in the strip, in characters."""
_LONG_WORD = re.compile(r"\S{19,}")
_PIECE = re.compile(r"[._/]?[^._/]{1,17}|[._/]")


class ProblemStrip(QFrame):
    """Hidden while all is well. It is as high as its words, up to what `allow` gives it; beyond, they scroll.

    Attributes:
        view: shows the words.
        offer: a button for what may help; hidden where there is nothing.

    Signals:
        clicked: the strip was clicked.
        offer_taken: the button was pressed.
    """

    clicked = Signal()
    offer_taken = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("problem")
        self.message, self.hint, self.offer = plain_label(), plain_label(), QPushButton()
        self._whole = ""
        self._room, self._height = QSize(320, 200), 0
        words, self.view = QWidget(), QScrollArea()
        self._column = QVBoxLayout(words)
        self._arrange(words)
        self.hint.setObjectName("hint")
        self.hide()

    def _arrange(self, words: QWidget) -> None:
        self._column.setContentsMargins(16, 8, 4, 8)
        self._column.setSpacing(2)
        for label in (self.message, self.hint):
            self._column.addWidget(label)
        self.offer.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.offer.clicked.connect(self.offer_taken)
        self.offer.hide()
        self._column.addSpacing(4)
        self._column.addWidget(self.offer)
        self.view.setVerticalScrollBar(ModestBar(Qt.Orientation.Vertical))
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setFrameShape(QFrame.Shape.NoFrame)
        self.view.setWidgetResizable(True)
        self.view.setWidget(words)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.view)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Maximum)

    def allow(self, room: QSize) -> None:
        """Take the width of `room` and at most its height, in pixels."""
        if room != self._room:
            self._room = room
            self._fit()

    def show_text(self, message: str, hint: str = "", offer: str = "") -> None:
        """Show a sentence, what to do, and a button where one may help; an empty message hides the strip."""
        self.offer.setText(offer)
        self.offer.setVisible(bool(offer))
        self.message.setText(_breakable(message.rstrip()))
        self.message.setFont(mono_font(12) if has_columns(message) else ui_font(bold=True))
        self.hint.setText(_breakable(hint))
        self.hint.setVisible(bool(hint))
        self._whole = f"{message}\n{hint}".strip()
        for part in (self, self.view):
            part.setAccessibleName(f"{message} {hint}".strip())
        self.view.verticalScrollBar().setValue(0)
        self._fit()
        self.setVisible(bool(message))

    def text(self) -> str:
        """What is shown, message and hint."""
        return f"{self.message.text()} {self.hint.text()}".strip().replace("\u200b", "")

    def _needed(self) -> int:
        """The height that shows all words, in pixels."""
        for label in (self.message, self.hint):
            label.ensurePolished()
        edges, bar = self.contentsMargins(), self.view.verticalScrollBar().sizeHint().width()
        self._column.invalidate()  # a hidden label does not tell that its text is another
        height = self._column.totalHeightForWidth(self._room.width() - edges.left() - edges.right() - bar)
        return height + edges.top() + edges.bottom()

    def _fit(self) -> None:
        """Ask for the room of the words. The tool tip has them all where some are out of sight."""
        needed = self._needed()
        is_cut = needed > self._room.height()
        self._height = min(needed, self._room.height())
        self.setToolTip(self._whole if is_cut or len(self._whole) > MAX_SHOWN else "")
        self.view.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_cut else Qt.FocusPolicy.NoFocus)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self._room.width(), self._height)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()
        super().mousePressEvent(event)


def _breakable(text: str) -> str:
    """The text cut to what fits, with places to break inside words longer than a line of the narrowest strip."""
    cut = text if len(text) <= MAX_SHOWN else text[:MAX_SHOWN] + "…"
    return _LONG_WORD.sub(lambda word: "\u200b".join(_PIECE.findall(word[0])), cut)
