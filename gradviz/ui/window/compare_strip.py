"""Above the graph while recordings are compared on one layout: which is shown, beside which, and what differs."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.playback.difference import Beside, Difference
from gradviz.playback.ranks import LeafOfRanks, compare_ranks
from gradviz.playback.words import number_text
from gradviz.recording import Recording
from gradviz.ui.look.plain_label import plain_label

ALIKE = "No gradient stands out on any rank, and .grad is the same on all after the reduction."
WAITS = "From now on every run is compared with this one: change the script."
_LETTERS = 8
"""For which the boxes to choose from have room at least; longer names are cut in a narrow window."""
MOST_ROWS = 2_000
"""Rows of the table; the ones that differ most come first."""


class CompareStrip(QFrame):
    """What is shown, what it is compared with, one sentence on what differs, and a table of all parameters.

    Attributes:
        choice, against: what is shown, and what it is compared with.
        words: the sentence.
        go, compare, end: the buttons.

    Signals:
        shown_chosen, against_chosen: payload: the place of what is to be shown, or compared with.
        leaf_chosen: (place of the recording, index of the backward call, id of the leaf) to go to.
        node_chosen: payload: id of the node of the shown recording to go to.
        end_requested: nothing is to be compared any more.
    """

    shown_chosen = Signal(int)
    against_chosen = Signal(int)
    leaf_chosen = Signal(int, int, int)
    node_chosen = Signal(int)
    end_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[LeafOfRanks] = []
        self._names: list[str] = []
        self._are_ranks = False
        self._first: int | None = None
        self._is_kept = self._has_first = False
        self.setObjectName("compare")
        self.choice, self.against, self.words = QComboBox(), QComboBox(), plain_label()
        self.beside = QLabel("beside")
        self.choice.setAccessibleName("What is shown")
        self.choice.setToolTip("Show another of these on the same layout")
        self.against.setAccessibleName("What it is compared with")
        self.against.setToolTip("Compare with another of these; what differs is marked Δ")
        self.go, self.compare, self.end = QPushButton("Show it"), QPushButton("All parameters…"), QPushButton("End")
        self.go.setToolTip("Go to where it differs")
        self.compare.setToolTip("Compare the gradients of all parameters")
        self.end.setToolTip("Compare no longer")
        self.choice.activated.connect(self.shown_chosen)
        self.against.activated.connect(self.against_chosen)
        self.go.clicked.connect(self._go)
        self.compare.clicked.connect(self.show_table)
        self.end.clicked.connect(self.end_requested)
        self._buttons = QWidget()
        self._buttons.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # see `_make_room`
        row = QHBoxLayout(self._buttons)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        for part in (self.choice, self.beside, self.against, self.go, self.compare):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self.end)
        for box in (self.choice, self.against):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(_LETTERS)  # once: Qt keeps the least size that it told first
            box.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            box.setMaximumWidth(220)
        stack = QVBoxLayout(self)  # the sentence has the whole width: between the buttons a narrow window cut it
        stack.setContentsMargins(16, 8, 12, 8)
        stack.addWidget(self.words)
        stack.addWidget(self._buttons)
        self.hide()

    def show_beside(self, beside: Sequence[Beside], place: int | None, against: int) -> None:
        """Offer these, of which one is shown and compared with another; none hides the strip."""
        recordings = [each.recording for each in beside]
        self._are_ranks = bool(beside) and all(each.rank is not None for each in recordings)
        self._names = [each.name for each in beside]
        self._is_kept = len(beside) > 1 and beside[0].recording is beside[1].recording and beside[0].sweep is None
        for box, at in ((self.choice, place), (self.against, against)):
            box.clear()
            box.addItems(self._names)
            box.setCurrentIndex(-1 if at is None else at)
        self._rows = compare_ranks(recordings) if all(each.sweep is None for each in beside) else []
        self._has_first = False
        self.words.setText("")
        if self._are_ranks:
            said = self._rows[0].sentence(self._numbers(recordings)) if self._rows else ""
            self.words.setText(said or self._nothing(recordings))
            self._has_first = bool(said)
        self._make_room()
        self.setVisible(bool(beside))

    def show_difference(self, difference: Difference | None) -> None:
        """Say what differs, but for ranks, of which the parameters are what counts."""
        if self._are_ranks or not self._names:
            return
        other = self.against.currentText()
        self._first = None if difference is None else difference.first
        said = "" if difference is None else difference.sentence(other)
        self.words.setText(WAITS if self._is_kept else said)
        self._has_first = self._first is not None
        self._make_room()

    def show_choice(self, place: int) -> None:
        """Say which is shown."""
        self.choice.setCurrentIndex(place)

    def show_table(self) -> None:
        """Open the table of all parameters; a double click goes to one."""
        dialog = ParameterTable(self._rows, self._names, are_ranks=self._are_ranks, parent=self)
        dialog.row_chosen.connect(self._choose)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _make_room(self) -> None:
        """In a narrow window the least needed goes first; what is left is not cut."""
        has_two = len(self._names) > 1
        wanted = {self.go: self._has_first, self.compare: bool(self._rows), self.beside: has_two, self.against: has_two}
        room = self.width() - 28 - sum(part.minimumSizeHint().width() + 12 for part in (self.choice, self.end))
        for part in (self.against, self.go, self.compare, self.beside):
            room -= part.minimumSizeHint().width() + 12 if wanted[part] else 0
            part.setVisible(wanted[part] and room >= 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._make_room()

    @staticmethod
    def _numbers(recordings: Sequence[Recording]) -> list[int]:
        return [place if each.rank is None else each.rank.rank for place, each in enumerate(recordings)]

    def _nothing(self, recordings: Sequence[Recording]) -> str:
        if len(recordings) == 1:
            world = recordings[0].rank.world if recordings[0].rank is not None else 1
            only = self._numbers(recordings)[0]
            return f"Only rank {only} of {world} is in this folder: there is nothing to compare with."
        return ALIKE if self._rows else "These ranks have no parameter in common: there is nothing to compare."

    def _go(self) -> None:
        if self._are_ranks:
            self._choose(0)
        elif self._first is not None:
            self.node_chosen.emit(self._first)

    def _choose(self, number: int) -> None:
        if number < len(self._rows):
            row = self._rows[number]
            place = row.outlier or 0
            self.leaf_chosen.emit(place, row.sweep, row.nodes[place])


class ParameterTable(QDialog):
    """The norms of every parameter's gradient in every recording, and whether `.grad` is the same after the call.

    Args:
        are_ranks: whether these are ranks of one run, whose gradients are reduced to one.

    Signals:
        row_chosen: the number of a row.
    """

    row_chosen = Signal(int)

    def __init__(
        self, rows: Sequence[LeafOfRanks], names: Sequence[str], *, are_ranks: bool, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Gradients of all ranks" if are_ranks else "Gradients of all parameters")
        self.resize(820, 480)
        own = ", own" if are_ranks else ""
        heads = ["Parameter", "Call", *(f"{name}{own}" for name in names)]
        heads.append("After the reduction" if are_ranks else ".grad after")
        shown = rows[:MOST_ROWS]
        self.table = QTableWidget(len(shown), len(heads))
        self.table.setHorizontalHeaderLabels(heads)
        self.table.verticalHeader().hide()
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for place, row in enumerate(shown):
            for column, text in enumerate(_cells(row)):
                item = QTableWidgetItem(text)
                if column:
                    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                if row.outlier is not None and column == 2 + row.outlier:
                    font = item.font()
                    font.setBold(True)
                    item.setFont(font)
                self.table.setItem(place, column, item)
        self.table.cellDoubleClicked.connect(self._choose)
        own = "Norms of each rank's own gradient, which" if are_ranks else "Norms of what"
        words = plain_label(
            f"{own} comes into the parameter, and of .grad afterwards. "
            "A bold one stands out. Double-click a row to go there."
        )
        stack = QVBoxLayout(self)
        stack.addWidget(words)
        stack.addWidget(self.table, 1)

    def _choose(self, row: int, _: int) -> None:
        self.row_chosen.emit(row)
        self.close()


def _cells(row: LeafOfRanks) -> list[str]:
    own, left = (["–" if norm is None else number_text(norm) for norm in norms] for norms in (row.before, row.after))
    if row.is_reduced_alike is False:
        after = f"differs: {', '.join(left)}"
    else:
        after = f"{left[0]}, the same" if row.is_reduced_alike else "–"
    return [row.name, str(row.sweep + 1), *own, after]
