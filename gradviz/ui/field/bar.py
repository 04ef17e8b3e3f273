"""The colours of a surface from its lowest to its highest point, with round heights beside them."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gradviz.playback.numbers import rounded
from gradviz.ui.field import colours
from gradviz.ui.field.surface import levels
from gradviz.ui.look.theme import CAPTION_PX, Theme, color, mono_font, ui_font

_BAR, _GAP, _HEAD = 12, 8, 30


class HeightBar(QWidget):
    """An upright bar with the name of the surface above it."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._name, self._low, self._high = "", 0.0, 1.0
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def show_range(self, name: str, low: float, high: float) -> None:
        """Name the surface and its lowest and highest finite point."""
        self._name, self._low, self._high = name, low, high
        self.setAccessibleName(f"{name} from {rounded(low, 4)}, pale, to {rounded(high, 4)}, full colour")
        self.updateGeometry()
        self.update()

    def _marks(self) -> list[float]:
        return levels(self._low, self._high) or [self._low]

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        widest = max(metrics.horizontalAdvance(rounded(mark, 4)) for mark in self._marks())
        return QSize(max(_BAR + _GAP + widest + 12, 56), 120)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        p = self._theme.palette
        painter.setPen(color(p.text))
        painter.setFont(ui_font(13, bold=True))
        name = painter.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(QRectF(0, 0, self.width(), 20), Qt.AlignmentFlag.AlignLeft, name)
        bar = QRectF(0.5, _HEAD + 0.5, _BAR, self.height() - _HEAD - 40)
        self._paint_colours(painter, bar)
        painter.setFont(mono_font(CAPTION_PX))
        for mark in self._marks():
            span = self._high - self._low
            y = bar.bottom() - (bar.height() * (mark - self._low) / span if span > 0 else bar.height() / 2)
            painter.setPen(color(p.forward, 0.55))
            painter.drawLine(round(bar.left()), round(y), round(bar.right()) + 3, round(y))
            painter.setPen(color(p.dim))
            beside = QRectF(bar.right() + _GAP, y - 9, self.width(), 18)
            painter.drawText(beside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, rounded(mark, 4))

    def _paint_colours(self, painter: QPainter, bar: QRectF) -> None:
        shades = colours.table(self._theme.palette)[::-1].copy()
        image = QImage(shades.data, 1, len(shades), 4, QImage.Format.Format_RGBA8888)
        frame = QPainterPath()
        frame.addRoundedRect(bar, 3, 3)
        painter.save()
        painter.setClipPath(frame)
        painter.drawImage(bar, image)
        painter.restore()
        painter.setPen(color(self._theme.palette.faint))
        painter.drawPath(frame)
