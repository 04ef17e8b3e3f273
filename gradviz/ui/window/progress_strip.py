"""While something takes long: what it is, how far it is, and a button that ends it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QToolButton, QVBoxLayout, QWidget

from gradviz.ui.session.session import Session

MARGIN = 8
"""Between a strip and the edge of what it lies on, in pixels."""
_LEAST_BAR = 20
_MOST_WORDS = 320
"""Width of the words in pixels: the name of a file may be long."""
_PER_CENT = 100


class ProgressStrip(QFrame):
    """Words, a bar and a button; hidden while nothing takes long. Lies over the top of a part of the window.

    Args:
        over: on which it lies; None where whoever makes it gives it a place.
    """

    def __init__(self, over: QWidget | None, name: str, hint: str, cancel: Callable[[], None]) -> None:
        super().__init__(over)
        self.setObjectName("progress")
        self.words, self.bar, self.cancel = QLabel(), QProgressBar(), QToolButton()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.bar.setRange(0, _PER_CENT)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setMinimumWidth(_LEAST_BAR)
        self.bar.setAccessibleName(name)
        self.cancel.setText("Cancel")
        self.cancel.setToolTip(f"{hint} (Ctrl+.)")
        self.cancel.clicked.connect(cancel)
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 10, 8)
        row.setSpacing(10)
        for part in (self.words, self.bar, self.cancel):
            row.addWidget(part)
        if over is not None:
            place = QVBoxLayout(over)
            place.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
            place.addWidget(self, 0, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.hide()

    def tell(self, share: float) -> None:
        """Show which share is done, 0..1."""
        self.bar.setValue(round(share * _PER_CENT))

    def show_words(self, words: str) -> None:
        """Say what takes long; "" for nothing any more."""
        self.words.setText(self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, _MOST_WORDS))
        self.setVisible(bool(words))
        self.raise_()


class DrawingStrip(ProgressStrip):
    """Over the graph while a large one is laid out; while a file is opened, that is said instead."""

    def __init__(self, session: Session, over: QWidget) -> None:
        hint = "Keep the picture that is shown"
        super().__init__(over, "Progress of the layout", hint, session.cancel_drawing)
        self._session = session
        session.drawing_changed.connect(self.show_layout)
        session.opening.slow_changed.connect(self.show_layout)
        session.drawing_progressed.connect(self.tell)

    def show_layout(self) -> None:
        """Show of how many nodes it is."""
        is_slow = self._session.is_drawing_slow
        is_said = is_slow and not self._session.opening.is_slow
        self.show_words(f"Laying out {self._session.wanted_nodes:,} nodes…" if is_said else "")
        if not is_slow:
            self.tell(0)


class OpeningStrip(ProgressStrip):
    """At the top of the window while a large file is read."""

    def __init__(self, session: Session) -> None:
        super().__init__(None, "Progress of opening", "Keep what is open", session.opening.stop)
        self._opening = session.opening
        session.opening.slow_changed.connect(self.show_file)
        session.opening.progressed.connect(self.tell)
        self.show_file()

    def show_file(self) -> None:
        """Show which file it is, and how far it is."""
        self.show_words(f"Opening {self._opening.name}…" if self._opening.is_slow else "")
        self.tell(self._opening.share)
