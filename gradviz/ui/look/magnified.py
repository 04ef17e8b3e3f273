"""A widget drawn larger than it is, all its sizes alike: the type of a panel for a lecture hall."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QGraphicsScene, QGraphicsView, QWidget

from gradviz.ui.look.sheet import style_sheet
from gradviz.ui.look.theme import Theme


class Magnified(QGraphicsView):
    """Shows a widget `scale` times as large, filling all of its own room; it can be clicked and scrolled as before."""

    def __init__(self, inside: QWidget, scale: float, theme: Theme) -> None:
        super().__init__()
        self._inside, self._scale, self._theme = inside, scale, theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        for turn_off in (self.setHorizontalScrollBarPolicy, self.setVerticalScrollBarPolicy):
            turn_off(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scene = QGraphicsScene(self)
        self.setScene(self._scene)
        self._proxy = self._scene.addWidget(inside)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.scale(scale, scale)
        theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self._inside.setStyleSheet(style_sheet(self._theme.palette))  # it is in no window that has one

    # ---- Qt ----

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width, height = self.width() / self._scale, self.height() / self._scale
        self._proxy.resize(width, height)
        self._scene.setSceneRect(QRectF(0, 0, width, height))
