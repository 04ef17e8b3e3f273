"""The leaves as a table model. An edit goes out as a request, and comes back as new leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from gradviz.errors import GradvizError
from gradviz.recording import Array
from gradviz.source.leaf_changes import LeafChange
from gradviz.source.leaves import LeafSpec
from gradviz.ui.look.theme import Theme, color, mono_font
from gradviz.ui.variables.cell_texts import HEADINGS, Column, change_of, sentence_of, shown, typed

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
Role = Qt.ItemDataRole
_MAX_TIP = 1_500
_SIZES = (13, 12, 13, 11, 13)  # pixels of the letters, by column


class LeafModel(QAbstractTableModel):
    """Rows are leaves in the order of the script.

    Signals:
        edited: a cell asks for a change. Payload: name, LeafChange.
        complained: what was typed last cannot be; "" when it can. Payload: one sentence.
    """

    edited = Signal(str, object)
    complained = Signal(str)

    def __init__(self, theme: Theme, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._leaves: tuple[LeafSpec, ...] = ()
        self._gradients: Mapping[str, Array | None] = {}
        self._drafts: dict[tuple[int, int], str] = {}
        self._last: tuple[int, int, str] | None = None
        theme.changed.connect(self._repaint)

    def show(self, leaves: Sequence[LeafSpec], gradients: Mapping[str, Array | None]) -> None:
        """Take other leaves or gradients; what has not changed is not told, so that an open editor stays open."""
        new = tuple(leaves)
        if new != self._leaves:
            self._last = None
            self._drafts.clear()
            self._take(new)
            self.complained.emit("")
        if not _same_gradients(gradients, self._gradients):
            self._gradients = dict(gradients)
            if new:
                self.dataChanged.emit(self.index(0, Column.GRAD), self.index(len(new) - 1, Column.GRAD))

    def _take(self, new: tuple[LeafSpec, ...]) -> None:
        if [leaf.name for leaf in new] != [leaf.name for leaf in self._leaves]:
            self.beginResetModel()
            self._leaves = new
            self.endResetModel()
            return
        self._leaves = new
        self._repaint()

    def leaf(self, row: int) -> LeafSpec:
        """The leaf of a row."""
        return self._leaves[row]

    def refuse(self, error: GradvizError) -> None:
        """The last edit could not be made: keep what was typed in its cell, and say why."""
        if self._last is not None:
            row, column, text = self._last
            self._keep(row, column, text)
        self.complained.emit(sentence_of(error))

    def request(self, row: int, change: LeafChange) -> None:
        """Ask for a change of a leaf that was not typed into its cell."""
        self._last = None
        self.edited.emit(self._leaves[row].name, change)

    def _keep(self, row: int, column: int, text: str) -> None:
        self._drafts[row, column] = text
        self.dataChanged.emit(self.index(row, column), self.index(row, column))

    def _repaint(self) -> None:
        if self._leaves:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._leaves) - 1, len(HEADINGS) - 1))

    # ---- Qt's own names ----

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._leaves)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(HEADINGS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Role.DisplayRole:
            return HEADINGS[section]
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() != Column.GRAD:
            flags |= Qt.ItemFlag.ItemIsEditable
        if index.column() == Column.NAME:
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        return flags

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        leaf, column = self._leaves[index.row()], index.column()
        draft = self._drafts.get((index.row(), column))
        if role == Role.DisplayRole:
            return draft if draft is not None else shown(leaf, column, self._gradients)
        if role == Role.EditRole:
            return draft if draft is not None else typed(leaf, column)
        if role == Role.CheckStateRole and column == Column.NAME:
            return Qt.CheckState.Checked if leaf.requires_grad else Qt.CheckState.Unchecked
        if role == Role.FontRole:
            return mono_font(_SIZES[column])
        if role == Role.ForegroundRole:
            return color(getattr(self._theme.palette, self._paint(leaf, column, draft)))
        if role in (Role.ToolTipRole, Role.AccessibleDescriptionRole):
            return self._tip(leaf, column)
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        row, column, leaf = index.row(), index.column(), self._leaves[index.row()]
        if role == Role.CheckStateRole:
            self.request(row, LeafChange(requires_grad=Qt.CheckState(value) == Qt.CheckState.Checked, line=leaf.line))
            return True
        if role != Role.EditRole:
            return False
        return self._typed(row, column, str(value))

    def _typed(self, row: int, column: int, text: str) -> bool:
        try:
            change = change_of(self._leaves[row], column, text)
        except GradvizError as error:
            self._keep(row, column, text)
            self.complained.emit(sentence_of(error))
            return False
        self._drafts.pop((row, column), None)
        self._last = (row, column, text)
        self.complained.emit("")
        if change is not None:
            self.edited.emit(self._leaves[row].name, change)
        return True

    def _paint(self, leaf: LeafSpec, column: int, draft: str | None) -> str:
        if draft is not None:
            return "error"
        if column == Column.GRAD:
            return "backward" if leaf.requires_grad and self._gradients.get(leaf.name) is not None else "dim"
        is_quiet = column in (Column.DTYPE, Column.SHAPE) or (column == Column.VALUE and leaf.values is None)
        return "dim" if is_quiet else "text"

    def _tip(self, leaf: LeafSpec, column: int) -> str:
        if column == Column.NAME:
            now, then = ("requires a gradient", "a constant") if leaf.requires_grad else ("is a constant", "a leaf")
            return f"Line {leaf.line}: {leaf.name} {now}. Click the dot to make it {then}."
        if column == Column.GRAD:
            gradient = self._gradients.get(leaf.name)
            return "" if gradient is None else _cut(np.array2string(np.asarray(gradient), precision=6, threshold=60))
        return _cut(typed(leaf, column)) if column == Column.VALUE else ""


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TIP else text[:_MAX_TIP] + " …"


def _same_gradients(new: Mapping[str, Array | None], old: Mapping[str, Array | None]) -> bool:
    if new.keys() != old.keys():
        return False
    return all(_same(new[name], old[name]) for name in new)


def _same(a: Array | None, b: Array | None) -> bool:
    if a is None or b is None:
        return a is b
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
