"""The bar of colours below a heat map."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from gradviz.playback.numbers import rounded
from gradviz.ui.look.palette import Palette
from gradviz.ui.look.scales import signed
from gradviz.ui.look.theme import Theme, color, mono_font

STOPS = 17
"""Colours of the bar that are even; between them Qt blends."""


@lru_cache(maxsize=8)
def _stops(palette: Palette) -> list[tuple[float, QColor]]:
    """The colours of the bar with their places, 0..1."""
    places = np.linspace(0, 1, STOPS)
    rows = signed(palette, 2 * places - 1)[:, :3].tolist()
    return [(place, QColor(*row)) for place, row in zip(places.tolist(), rows, strict=True)]


class ScaleBar(QWidget):
    """The colours from least to greatest with their numbers."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._limit = 1.0
        self.setFixedHeight(26)

    def show_limit(self, limit: float) -> None:
        """Set the magnitude at both ends."""
        self._limit = limit
        self.setAccessibleName(f"colours from {rounded(-limit, 3)} over 0 to {rounded(limit, 3)}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        bar = QRectF(0, 0, self.width(), 8)
        blend = QLinearGradient(bar.topLeft(), bar.topRight())
        blend.setStops(_stops(self._theme.palette))
        painter.setBrush(blend)
        painter.setPen(color(self._theme.palette.hairline))
        painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.setPen(color(self._theme.palette.dim))
        painter.setFont(mono_font(10))
        below = self.rect().adjusted(0, 11, 0, 0)
        sides = (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignHCenter, Qt.AlignmentFlag.AlignRight)
        for side, value in zip(sides, (-self._limit, 0.0, self._limit), strict=True):
            painter.drawText(below, side | Qt.AlignmentFlag.AlignTop, rounded(value, 3))
