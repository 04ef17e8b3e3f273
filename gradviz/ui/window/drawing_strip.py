"""While a large graph is laid out: how far that is, and a button that ends it. Lies over the top of the canvas."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QToolButton, QVBoxLayout, QWidget

from gradviz.ui.look.theme import Theme
from gradviz.ui.session.session import Session

_MARGIN = 8
_LEAST_BAR = 20
_PER_CENT = 100


class DrawingStrip(QFrame):
    """Words, a bar and a button; hidden while nothing is laid out."""

    def __init__(self, theme: Theme, session: Session, over: QWidget) -> None:
        super().__init__(over)
        self._theme, self._session = theme, session
        self.words, self.bar, self.cancel = QLabel(), QProgressBar(), QToolButton()
        self.bar.setRange(0, _PER_CENT)
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setMinimumWidth(_LEAST_BAR)
        self.bar.setAccessibleName("Progress of the layout")
        self.cancel.setText("Cancel")
        self.cancel.setToolTip("Keep the picture that is shown (Ctrl+.)")
        self.cancel.clicked.connect(session.cancel_drawing)
        session.drawing_changed.connect(self._show_drawing)
        session.drawing_progressed.connect(lambda share: self.bar.setValue(round(share * _PER_CENT)))
        row = QHBoxLayout(self)
        row.setContentsMargins(14, 8, 10, 8)
        row.setSpacing(10)
        for part in (self.words, self.bar, self.cancel):
            row.addWidget(part)
        place = QVBoxLayout(over)
        place.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        place.addWidget(self, 0, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.hide()
        theme.changed.connect(self._dress)
        self._dress()

    def _show_drawing(self, is_drawing: bool) -> None:
        self.words.setText(f"Laying out {self._session.wanted_nodes:,} nodes…")
        self.setVisible(is_drawing)
        self.raise_()
        if not is_drawing:
            self.bar.setValue(0)

    def _dress(self) -> None:
        palette = self._theme.palette
        self.setStyleSheet(
            f"DrawingStrip {{ background: {palette.card}; border: 1px solid {palette.hairline}; border-radius: 8px; }}"
            f"QProgressBar {{ background: {palette.hairline}; border: none; border-radius: 3px; }}"
            f"QProgressBar::chunk {{ background: {palette.forward}; border-radius: 3px; }}"
            f"QToolButton {{ padding: 3px 10px; border: 1px solid {palette.hairline}; border-radius: 5px; }}"
        )
