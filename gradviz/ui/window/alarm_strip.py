"""Above the graph of a run that has NaN or infinity: where the first is, and the button that leads there."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from gradviz.ui.look.plain_label import plain_label


class AlarmStrip(QFrame):
    """One sentence and one button.

    Attributes:
        words: the sentence.
        go: the button.

    Signals:
        go_requested: the button was pressed.
    """

    go_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("alarm")
        self.words, self.go = plain_label(role="error"), QPushButton("Go there")
        self.go.setToolTip("Show the step at which it was born, with its call, its node and its line")
        self.go.clicked.connect(self.go_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(self.words, 1)
        row.addWidget(self.go)

    def show_words(self, words: str) -> None:
        """Show where the first is; hidden where there is none."""
        self.words.setText(words)
        self.setVisible(bool(words))
