"""How cells are drawn and edited: the dot of requires_grad, a line for text, a list for the dtype, the grid."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPersistentModelIndex, QPointF, QRect, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QComboBox, QLineEdit, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from gradviz.source.creation import DTYPES
from gradviz.ui.look.theme import Theme, color, mono_font
from gradviz.ui.variables.cell_texts import Column
from gradviz.ui.variables.leaf_model import Role

Index = QModelIndex | QPersistentModelIndex

DOT_ROOM = 30
"""Pixels at the left of a name that hold the dot and take its clicks."""

_RADIUS = 3.5
_MARGIN = 16  # the left edge of the area's caption
NAME_SHIFT = 27  # Qt adds 3 pixels of its own before the text
TEXT_SHIFT = 5  # the text then stands under its heading
_WIDTHS: dict[int, int] = {Column.NAME: 120, Column.SHAPE: 90, Column.VALUE: 200, Column.DTYPE: 104}


class LeafDelegate(QStyledItemDelegate):
    """Draws a filled dot before a leaf that requires a gradient, a ring before a constant."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def _draw_dot(self, painter: QPainter, area: QRect, is_leaf: bool) -> None:
        palette = self._theme.palette
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint = color(palette.leaf if is_leaf else palette.constant)
        painter.setPen(QPen(paint, 1.4))
        painter.setBrush(paint if is_leaf else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(area.left() + _MARGIN + _RADIUS, area.center().y() + 0.5), _RADIUS, _RADIUS)
        painter.restore()

    # ---- Qt's own names ----

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        self._set_up(option)
        if index.column() == Column.NAME:  # "…linear1.weight": the end of a path tells it from its neighbours
            option.textElideMode = Qt.TextElideMode.ElideLeft

    def _set_up(self, option: Any) -> None:  # Any: the stubs of PySide6 lack the fields of the base class
        option.features &= ~QStyleOptionViewItem.ViewItemFeature.HasCheckIndicator
        option.textElideMode = Qt.TextElideMode.ElideRight

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        area: QRect = option.rect
        shifted = QStyleOptionViewItem(option)
        shifted.rect = area.adjusted(NAME_SHIFT if index.column() == Column.NAME else TEXT_SHIFT, 0, 0, 0)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, color(self._theme.palette.forward_tint))
        super().paint(painter, shifted, index)
        if index.column() == Column.NAME:
            state = index.data(Role.CheckStateRole)
            self._draw_dot(painter, area, Qt.CheckState(state) == Qt.CheckState.Checked)
        painter.fillRect(area.left(), area.bottom(), area.width(), 1, color(self._theme.palette.hairline))

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        if index.column() == Column.NAME and self._asks_to_switch(event, option.rect):
            checked = Qt.CheckState(index.data(Role.CheckStateRole)) == Qt.CheckState.Checked
            wanted = Qt.CheckState.Unchecked if checked else Qt.CheckState.Checked
            return model.setData(index, wanted, Role.CheckStateRole)
        return False

    def _asks_to_switch(self, event: QEvent, area: QRect) -> bool:
        if isinstance(event, QMouseEvent):
            return event.type() == QEvent.Type.MouseButtonRelease and event.position().x() - area.left() < DOT_ROOM
        return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Space

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        if index.column() == Column.DTYPE:
            combo = QComboBox(parent)
            combo.addItems(list(DTYPES))
            combo.setStyleSheet("padding: 0 8px; border-radius: 4px; min-height: 0;")
            combo.activated.connect(lambda _: self._finish(combo))
            QTimer.singleShot(0, combo, combo.showPopup)  # the list is what was asked for
            return combo
        line = QLineEdit(parent)
        line.setFont(mono_font())
        line.setFrame(False)
        line.setStyleSheet("padding: 0 6px; border-radius: 4px; min-height: 0;")
        return line

    def _finish(self, editor: QWidget) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        text = str(index.data(Role.EditRole))
        if isinstance(editor, QComboBox):
            editor.setCurrentText(text)
        elif isinstance(editor, QLineEdit) and not editor.isModified():  # what is being typed is not overwritten
            editor.setText(text)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, editor.currentText(), Role.EditRole)
        elif isinstance(editor, QLineEdit) and editor.isModified():
            model.setData(index, editor.text(), Role.EditRole)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        area: QRect = option.rect
        left = area.left() + (NAME_SHIFT - 6 if index.column() == Column.NAME else 0)
        # A text is longer than its short form in the cell: its line reaches further, but not out of the table.
        width = max(area.right() - left, _WIDTHS.get(index.column(), 60))
        parent = editor.parentWidget()
        assert parent is not None
        room = parent.width() - 4
        left = max(4, min(left, room - width))
        editor.setGeometry(QRect(left, area.top() + 2, min(width, room - left), area.height() - 5))
