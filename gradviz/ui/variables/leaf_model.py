"""The leaves as a table model. An edit goes out as a request, and comes back as new leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from gradviz.errors import GradvizError
from gradviz.playback.numbers import in_words
from gradviz.recording import Array, Known, Summary
from gradviz.source.leaf_changes import LeafChange
from gradviz.source.leaves import LeafSpec
from gradviz.ui.look.theme import Theme, color, mono_font
from gradviz.ui.variables.cell_texts import HEADINGS, Column, change_of, sentence_of, shown, typed, value_text
from gradviz.ui.variables.held import UNKNOWN, Held

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
        self._held: tuple[Held, ...] = ()
        self._drafts: dict[tuple[int, int], str] = {}
        self._texts: dict[tuple[int, int], tuple[Known, str]] = {}
        self._last: tuple[int, int, str] | None = None
        theme.changed.connect(self._repaint)

    def show(self, leaves: Sequence[LeafSpec], held: Sequence[Held] | None = ()) -> None:
        """Take other leaves, or what they hold; what has not changed is not told, so that an open editor stays open.

        Args:
            held: of each leaf; nothing where only the text is known; None where a run is about to tell, until when the
                gradients stay.
        """
        new = tuple(leaves)
        if held is None:
            is_alike = [leaf.name for leaf in new] == [leaf.name for leaf in self._leaves]
            held = [Held(gradient=each.gradient) for each in self._held] if is_alike else ()
        if new != self._leaves:
            self._last = None
            self._drafts.clear()
            self._take(new)
            self.complained.emit("")
        before, self._held = self._held, tuple(held)
        if before is not self._held:
            for row in range(len(new)):
                was, now = _nth(before, row), self._held_in(row)
                if was[2:] != now[2:] or not _same(was.value, now.value):
                    self.dataChanged.emit(self.index(row, Column.SHAPE), self.index(row, Column.VALUE))
                if not _same(was.gradient, now.gradient) or was.no_gradient != now.no_gradient:
                    self.dataChanged.emit(self.index(row, Column.GRAD), self.index(row, Column.GRAD))

    def _held_in(self, row: int) -> Held:
        return _nth(self._held, row)

    def _take(self, new: tuple[LeafSpec, ...]) -> None:
        if [leaf.name for leaf in new] != [leaf.name for leaf in self._leaves]:
            self.beginResetModel()
            self._leaves = new
            self._texts.clear()
            self.endResetModel()
            return
        self._leaves = new
        self._repaint()

    @property
    def has_recorded(self) -> bool:
        """Whether there are parameters among them."""
        return bool(self._leaves) and self._leaves[-1].is_recorded

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
        if self._leaves[index.row()].is_recorded:
            return flags
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
            return draft if draft is not None else self._shown(index.row(), column)
        if role == Role.EditRole:
            return draft if draft is not None else typed(leaf, column)
        if role == Role.CheckStateRole and column == Column.NAME:
            return Qt.CheckState.Checked if leaf.requires_grad else Qt.CheckState.Unchecked
        if role == Role.FontRole:
            return mono_font(_SIZES[column])
        if role == Role.ForegroundRole:
            return color(getattr(self._theme.palette, self._paint(leaf, column, self._held_in(index.row()), draft)))
        if role in (Role.ToolTipRole, Role.AccessibleDescriptionRole):
            return self._tip(leaf, column, self._held_in(index.row()))
        return None

    def _shown(self, row: int, column: int) -> str:
        """The text of a cell; the norm of a parameter, which can be large, is taken once."""
        leaf, held = self._leaves[row], self._held_in(row)
        if not leaf.is_recorded or column not in (Column.VALUE, Column.GRAD):
            return shown(leaf, column, held)
        array = held.value if column == Column.VALUE else held.gradient
        known = self._texts.get((row, column))
        if known is None or known[0] is not array or array is None:
            known = self._texts[row, column] = (array, shown(leaf, column, held))
        return known[1]

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        row, column, leaf = index.row(), index.column(), self._leaves[index.row()]
        if leaf.is_recorded:
            return False
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

    def _paint(self, leaf: LeafSpec, column: int, held: Held, draft: str | None) -> str:
        if draft is not None:
            return "error"
        if column == Column.GRAD:
            return "backward" if leaf.requires_grad and held.gradient is not None else "dim"
        is_quiet = column in (Column.DTYPE, Column.SHAPE) or (column == Column.VALUE and _is_pale(leaf, held))
        return "dim" if is_quiet else "text"

    def _tip(self, leaf: LeafSpec, column: int, held: Held) -> str:
        if column == Column.NAME and leaf.is_recorded:
            return f"{leaf.name}, {shown(leaf, Column.SHAPE, held)} {leaf.dtype}. Double-click shows it in the graph."
        if column == Column.NAME:
            now, then = ("requires a gradient", "a constant") if leaf.requires_grad else ("is a constant", "a leaf")
            return f"Line {leaf.line}: {leaf.name} {now}. Click the dot to make it {then}."
        if column == Column.GRAD:
            why = f"{held.no_gradient[:1].upper()}{held.no_gradient[1:]}"
            return (why and f"{why}.") if held.gradient is None else _whole(held.gradient)
        return _value_tip(leaf, held) if column == Column.VALUE else ""


def _value_tip(leaf: LeafSpec, held: Held) -> str:
    """The numbers at this moment, and what the script writes where that is something else."""
    if leaf.is_recorded:
        return "" if held.value is None else _whole(held.value)
    written = _cut(typed(leaf, Column.VALUE))
    if held.given_at is not None and held.value is not None:
        return f"{_whole(held.value)}\nGiven to backward at line {held.given_at}; line {leaf.line} makes {written}"
    if not held.is_made:
        return f"Line {leaf.line} has not run at this step.\n{written}".rstrip()
    if held.value is None or value_text(leaf, held.value) == value_text(leaf):
        return written
    return f"{_whole(held.value)}\nLine {leaf.line} makes {written}" if written else _whole(held.value)


def _is_pale(leaf: LeafSpec, held: Held) -> bool:
    return not held.is_made or (leaf.values is None and held.value is None)


def _whole(array: Array | Summary) -> str:
    if isinstance(array, Summary):
        return in_words(array)
    return _cut(np.array2string(np.asarray(array), precision=6, threshold=60))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_TIP else text[:_MAX_TIP] + " …"


def _nth(held: Sequence[Held], row: int) -> Held:
    return held[row] if row < len(held) else UNKNOWN


def _same(a: Known, b: Known) -> bool:
    if a is None or b is None or a is b:
        return a is b
    if isinstance(a, Summary) or isinstance(b, Summary):
        return a == b
    return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind in "fc")
