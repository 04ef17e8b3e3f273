"""Above the graph while a folder of ranks is open: which rank is shown, and what differs between them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from gradviz.playback.ranks import LeafOfRanks, compare_ranks
from gradviz.playback.words import number_text
from gradviz.recording import Recording
from gradviz.ui.look.theme import Theme

ALIKE = "No gradient stands out on any rank, and .grad is the same on all after the reduction."
MOST_ROWS = 2_000
"""Rows of the table; the ones that differ most come first."""


class RankStrip(QFrame):
    """A choice of ranks, one sentence on what differs, and a table of all parameters.

    Signals:
        rank_chosen: the place of the recording to show.
        leaf_chosen: (place of the recording, index of the backward call, id of the leaf) to go to.
    """

    rank_chosen = Signal(int)
    leaf_chosen = Signal(int, int, int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._rows: list[LeafOfRanks] = []
        self._numbers: list[int] = []
        self.setObjectName("ranks")
        self.choice, self.words = QComboBox(), QLabel()
        self.choice.setAccessibleName("Rank that is shown")
        self.choice.setToolTip("Show another rank's recording on the same layout")
        self.words.setWordWrap(True)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.go, self.compare = QPushButton("Show it"), QPushButton("All parameters…")
        self.go.setToolTip("Go to that parameter on the rank that stands out")
        self.compare.setToolTip("Compare the gradients of all ranks, parameter by parameter")
        self.choice.activated.connect(self.rank_chosen)
        self.go.clicked.connect(lambda: self._choose(0))
        self.compare.clicked.connect(self.show_table)
        row = QHBoxLayout()
        row.setSpacing(12)
        row.addWidget(self.choice)
        row.addWidget(self.go)
        row.addWidget(self.compare)
        row.addStretch(1)
        stack = QVBoxLayout(self)  # the sentence has the whole width: between the buttons a narrow window cut it
        stack.setContentsMargins(16, 8, 12, 8)
        stack.addWidget(self.words)
        stack.addLayout(row)
        theme.changed.connect(self._dress)
        self._dress()
        self.hide()

    def show_ranks(self, recordings: Sequence[Recording]) -> None:
        """Compare these recordings, one of each rank; none hides the strip."""
        self._numbers = [place if each.rank is None else each.rank.rank for place, each in enumerate(recordings)]
        self._rows = compare_ranks(recordings)
        self.choice.clear()
        self.choice.addItems([f"Rank {number}" for number in self._numbers])
        said = self._rows[0].sentence(self._numbers) if self._rows else ""
        self.words.setText(said or self._nothing(recordings))
        self.go.setVisible(bool(said))
        self.compare.setVisible(bool(self._rows))
        self.setVisible(bool(recordings))

    def show_choice(self, place: int) -> None:
        """Say which recording is shown."""
        self.choice.setCurrentIndex(place)

    def show_table(self) -> None:
        """Open the table of all parameters; a double click goes to one."""
        dialog = RankTable(self._rows, self._numbers, self)
        dialog.row_chosen.connect(self._choose)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()

    def _nothing(self, recordings: Sequence[Recording]) -> str:
        if len(recordings) == 1:
            world = recordings[0].rank.world if recordings[0].rank is not None else 1
            return f"Only rank {self._numbers[0]} of {world} is in this folder: there is nothing to compare with."
        return ALIKE if self._rows else "These ranks have no parameter in common: there is nothing to compare."

    def _choose(self, number: int) -> None:
        if number < len(self._rows):
            row = self._rows[number]
            place = row.outlier or 0
            self.leaf_chosen.emit(place, row.sweep, row.nodes[place])

    def _dress(self) -> None:
        p = self._theme.palette
        self.setStyleSheet(
            f"QFrame#ranks {{ background: {p.card}; border-bottom: 1px solid {p.hairline}; }}"
            f"QFrame#ranks QLabel {{ color: {p.text}; }}"
        )


class RankTable(QDialog):
    """The norms of every parameter's gradient on every rank, before and after the reduction.

    Signals:
        row_chosen: the number of a row.
    """

    row_chosen = Signal(int)

    def __init__(self, rows: Sequence[LeafOfRanks], ranks: Sequence[int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Gradients of all ranks")
        self.resize(820, 480)
        heads = ["Parameter", "Call", *(f"Rank {rank}, own" for rank in ranks), "After the reduction"]
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
        words = QLabel("Norms of each rank's own gradient, which comes into the parameter, and of .grad afterwards. "
                       "A bold one stands out. Double-click a row to go there.")  # fmt: skip
        words.setWordWrap(True)
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
