"""Many numbers as rows and columns, in a dialog of their own."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from gradviz.errors import GradvizError
from gradviz.source.values import Values, fill_shape, flatten, number_source, parse_values, shape_of
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import Theme, color, mono_font
from gradviz.ui.variables.cell_texts import sentence_of

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
MAX_SIDE = 10_000
_CELL_PX = 72


class GridModel(QAbstractTableModel):
    """Numbers in rows; more than two axes are unrolled, with the leading indices as heading of a row.

    Signals:
        complained: what was typed last is no number, "" when all are. Payload: one sentence.
    """

    complained = Signal(str)

    def __init__(self, values: Values, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shape = shape_of(values)
        self._columns = self._shape[-1] if self._shape else 1
        numbers = flatten(values)
        self._rows = [numbers[i : i + self._columns] for i in range(0, len(numbers), max(self._columns, 1))]
        self._drafts: dict[tuple[int, int], str] = {}

    @property
    def axes(self) -> int:
        """How many axes the numbers have."""
        return len(self._shape)

    def values(self) -> Values:
        """The numbers in their shape."""
        numbers: list[Values] = [number for row in self._rows for number in row]
        if self.axes <= 2:
            shape: Sequence[int] = (len(self._rows), self._columns)[2 - self.axes :]
            return fill_shape(numbers, shape)
        return fill_shape(numbers, self._shape)

    def is_complete(self) -> bool:
        """Whether every cell holds a number."""
        return not self._drafts

    def resize(self, rows: int, columns: int) -> None:
        """Cut, or fill up with 0."""
        self.beginResetModel()
        zero = 0.0 if any(isinstance(n, float) for n in itertools.chain(*self._rows)) else 0
        kept = [(row + [zero] * columns)[:columns] for row in self._rows[:rows]]
        self._rows = kept + [[zero] * columns for _ in range(rows - len(kept))]
        self._columns = columns
        self._drafts.clear()
        self.endResetModel()
        self.complained.emit("")

    def paste(self, index: Index, text: str) -> None:
        """Put a block of numbers with its first one at a cell; what reaches beyond the edge is left out."""
        try:
            values = parse_values(text)
        except GradvizError as error:
            self.complained.emit(sentence_of(error))
            return
        block = (
            fill_shape(values, (math.prod(shape_of(values)[:-1]), *shape_of(values)[-1:]))
            if shape_of(values)
            else [[values]]
        )
        assert isinstance(block, list)
        for line, numbers in zip(range(index.row(), len(self._rows)), block, strict=False):
            end = min(index.column() + len(numbers), self._columns)
            self._rows[line][index.column() : end] = numbers[: end - index.column()]
            for column in range(index.column(), end):
                self._drafts.pop((line, column), None)
        self.complained.emit("")
        self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, self._columns - 1))

    # ---- Qt's own names ----

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self._columns

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Horizontal or self.axes <= 2:
            return str(section)
        place: list[int] = []
        for size in reversed(self._shape[:-1]):
            section, digit = divmod(section, max(size, 1))
            place.insert(0, digit)
        return ", ".join(map(str, place))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        draft = self._drafts.get((index.row(), index.column()))
        number = self._rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return draft if draft is not None else f"{number:.6g}" if isinstance(number, float) else str(number)
        if role == Qt.ItemDataRole.EditRole:
            exact = number_source(number).removesuffix(".") if math.isfinite(number) else str(number)
            return draft if draft is not None else exact
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ForegroundRole:
            return color(self._theme.palette.error if draft is not None else self._theme.palette.text)
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if str(value) == self.data(index, Qt.ItemDataRole.EditRole):
            return True
        place = (index.row(), index.column())
        try:
            number = parse_values(str(value))
            if isinstance(number, list):
                raise GradvizError("Type one number per cell.")
        except GradvizError as error:
            self._drafts[place] = str(value)
            self.complained.emit(error.message)
            return False
        self._rows[index.row()][index.column()] = number
        self._drafts.pop(place, None)
        self.complained.emit("")
        self.dataChanged.emit(index, index)
        return True


class GridEditor(QDialog):
    """The dialog. Use `ask`."""

    def __init__(self, name: str, values: Values, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Values of {name}")
        self.model = GridModel(values, theme)
        self.table = _GridTable(self.model)
        self.rows, self.columns = _side(self.model.rowCount()), _side(self.model.columnCount())
        self.sentence = plain_label(role="error")
        choices = QDialogButtonBox.StandardButton
        self.buttons = QDialogButtonBox(choices.Ok | choices.Cancel)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        self._arrange(shape_of(values))
        self.model.complained.connect(self._say)
        for side in (self.rows, self.columns):
            side.valueChanged.connect(self._resize)

    @classmethod
    def ask(cls, name: str, values: Values, theme: Theme, parent: QWidget | None = None) -> Values | None:
        """Let the user edit the numbers; None where the dialog was left without."""
        dialog = cls(name, values, theme, parent)
        return dialog.model.values() if dialog.exec() == QDialog.DialogCode.Accepted else None

    def _arrange(self, shape: Sequence[int]) -> None:
        sides = QHBoxLayout()
        sides.setSpacing(8)
        shape_label = QLabel(f"Shape [{', '.join(map(str, shape))}]")
        for part in (QLabel("Rows"), self.rows, QLabel("Columns"), self.columns):
            sides.addWidget(part)
            part.setVisible(len(shape) <= 2)
        self.rows.setEnabled(len(shape) == 2)
        sides.addWidget(shape_label)
        shape_label.setVisible(len(shape) > 2)
        sides.addStretch()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 16, 16, 16)
        layout.setSpacing(12)
        layout.addLayout(sides)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.sentence)
        layout.addWidget(self.buttons)
        self.sentence.hide()
        width = 120 + _CELL_PX * min(self.model.columnCount(), 10)
        self.resize(max(360, width), min(220 + 28 * self.model.rowCount(), 640))

    def _resize(self) -> None:
        self.model.resize(self.rows.value(), self.columns.value())

    def _say(self, sentence: str) -> None:
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))
        self.buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(self.model.is_complete())


class _GridTable(QTableView):
    def __init__(self, model: GridModel) -> None:
        super().__init__()
        self._grid = model
        self.setModel(model)
        self.setFont(mono_font())
        self.setAccessibleName("Values")
        self.setCornerButtonEnabled(False)
        self.setStyleSheet("QTableCornerButton::section { background: transparent; border: none; }")
        self.horizontalHeader().setDefaultSectionSize(_CELL_PX)
        self.verticalHeader().setDefaultSectionSize(28)
        self.verticalHeader().setMinimumWidth(32)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Paste) and self.currentIndex().isValid():
            self._grid.paste(self.currentIndex(), QGuiApplication.clipboard().text())
            return
        super().keyPressEvent(event)


def _side(value: int) -> QSpinBox:
    box = QSpinBox()
    box.setRange(1, MAX_SIDE)
    box.setMinimumWidth(64)
    box.setAlignment(Qt.AlignmentFlag.AlignCenter)
    box.setKeyboardTracking(False)  # 12 is not first 1 and then 12, which would cut the numbers
    box.setValue(value)
    return box
