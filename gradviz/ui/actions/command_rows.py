"""How a command is drawn in the palette: its menu, its words with the letters that were typed, its keys."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gradviz.ui.actions.command_match import Match
from gradviz.ui.look.theme import CAPTION_PX, TEXT_PX, Theme, color, ui_font

ROW_PX = 34
CATEGORY_PX = 180
"""The column of the menus, which the longest path to a command fits in."""
PAD = 10.0
_KEY_GAP = 6.0


class CommandRows(QStyledItemDelegate):
    """Draws one `Match` per row, read from a role of the model."""

    def __init__(self, theme: Theme, role: int, parent: QObject) -> None:
        super().__init__(parent)
        self._theme, self._role = theme, role

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, ROW_PX)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        match = index.data(self._role)
        if not isinstance(match, Match):
            return
        rect = QRectF(option.rect)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if is_chosen:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color(self._theme.palette.forward_tint))
            painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 7, 7)
        self._paint(painter, match, rect)
        painter.restore()

    def _paint(self, painter: QPainter, match: Match, rect: QRectF) -> None:
        p, command = self._theme.palette, match.command
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(ui_font(12))
        painter.setPen(color(p.dim))
        category = QRectF(rect.left() + PAD, rect.top(), CATEGORY_PX - PAD, rect.height())
        painter.drawText(category, Qt.AlignmentFlag.AlignLeft | middle, command.category)
        right = self._paint_keys(painter, match, rect)
        room = QRectF(rect.left() + CATEGORY_PX, rect.top(), right - rect.left() - CATEGORY_PX - PAD, rect.height())
        self._paint_words(painter, match, room, p.text if command.is_enabled else p.faint)

    def _paint_words(self, painter: QPainter, match: Match, room: QRectF, ink: str) -> None:
        """The words, run by run: what was typed is bold."""
        text, x = match.command.text, room.left()
        start = 0
        while start < len(text) and x < room.right():
            is_hit = start in match.letters
            end = start + 1
            while end < len(text) and (end in match.letters) == is_hit:
                end += 1
            font = ui_font(TEXT_PX, bold=is_hit)
            part = _fitted(text[start:end], font, room.right() - x)
            painter.setFont(font)
            painter.setPen(color(ink))
            painter.drawText(QRectF(x, room.top(), room.right() - x + 2, room.height()), _LEFT, part)
            x += QFontMetricsF(font).horizontalAdvance(part)
            start = end

    def _paint_keys(self, painter: QPainter, match: Match, rect: QRectF) -> float:
        """The keys as caps from the right; the left end of what they take."""
        p, right = self._theme.palette, rect.right() - PAD
        font = ui_font(CAPTION_PX)
        painter.setFont(font)
        for key in reversed([part for part in match.command.keys.split(", ") if part]):
            width = QFontMetricsF(font).horizontalAdvance(key) + 12
            cap = QRectF(right - width, rect.center().y() - 10, width, 20)
            painter.setPen(QPen(color(p.hairline), 1))
            painter.setBrush(color(p.window))
            painter.drawRoundedRect(cap, 5, 5)
            painter.setPen(color(p.dim))
            painter.drawText(cap, Qt.AlignmentFlag.AlignCenter, key)
            right -= width + _KEY_GAP
        return right


_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def _fitted(text: str, font: QFont, width: float) -> str:
    return QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, width)
