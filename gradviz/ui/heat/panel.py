"""The panel of the heat strip below the graph: what is shown, the strip itself, and the cell in words."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout

from gradviz.playback.health.heat import NOT_THERE, Cell, Heat, heat_of
from gradviz.playback.words import counted
from gradviz.recording import Recording
from gradviz.ui.heat.strip import HeatStrip
from gradviz.ui.look.fitted_label import FittedLabel
from gradviz.ui.look.icons import icon_button
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.runner import Latest

NOTHING = "No backward call of this run reaches a leaf: there are no gradients to compare."
MEASURING = "Measuring the gradients…"
KINDS = (("Norm", "Norm of each gradient"), ("Ratio", "Norm of each gradient, divided by that of its parameter"))


class HeatPanel(QFrame):
    """Measures a recording off the GUI thread when it is shown one, while it is open.

    Signals:
        leaf_chosen: (index of the backward call, id of the leaf) to go to.
        close_requested: it has been looked at.
    """

    leaf_chosen = Signal(int, int)
    close_requested = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._recording: Recording | None = None
        self._heat: Heat | None = None
        self._as_ratios = False
        self._latest = Latest()
        self.setObjectName("heat")
        self.strip, self.words = HeatStrip(theme), FittedLabel(1)
        self.kinds = QButtonGroup(self)
        self._arrange()
        self._latest.answered.connect(self._take)
        self._latest.failed.connect(self._fail)
        self.kinds.idClicked.connect(self.choose_kind)
        self.strip.cell_pointed.connect(self._say)
        self.strip.cell_chosen.connect(self._choose)

    @property
    def is_busy(self) -> bool:
        """Whether a recording is being measured."""
        return self._latest.is_busy

    def show_recording(self, recording: Recording | None) -> None:
        """Show a recording; the one that is shown already is not measured again."""
        if recording is self._recording:
            return
        self._recording, self._heat = recording, None
        self.strip.show_heat(None, as_ratios=self._as_ratios)
        self._latest.drop()
        if recording is not None:
            self.words.say(MEASURING)
            self._latest.ask(lambda going: heat_of(recording, going, going.tell))

    def show_place(self, sweep: int | None, node: int | None) -> None:
        """Mark the call and the leaf that the graph shows."""
        self.strip.show_place(sweep, node)

    def choose_kind(self, number: int) -> None:
        """Show norms (0) or ratios (1)."""
        self._as_ratios = number == 1
        self.kinds.button(number).setChecked(True)
        self.strip.show_heat(self._heat, as_ratios=self._as_ratios)

    def close_work(self) -> None:
        """End what is under way."""
        self._latest.close()

    def _take(self, heat: object) -> None:
        assert isinstance(heat, Heat)
        self._heat = heat
        self.strip.show_heat(heat, as_ratios=self._as_ratios)
        self._say(None)

    def _fail(self, error: BaseException) -> None:
        raise error

    def _say(self, cell: Cell | None) -> None:
        heat = self._heat
        if heat is None:
            return
        if not heat.nodes.size:
            self.words.say(NOTHING)
        elif cell is not None:
            self.words.say(heat.text(cell))
        elif heat.first_odd is not None:
            row, column = heat.first_odd
            where = f"{heat.names[row]}, backward {heat.numbers[column]:,}"
            self.words.say(f"First NaN or infinity: {where}. Click the ring to go there")
        else:
            rows, columns = heat.nodes.shape
            calls = counted(columns, "backward call")
            self.words.say(f"{counted(rows, 'parameter')}, {calls}: point at a cell, or click it to go there")

    def _choose(self, cell: Cell) -> None:
        heat = self._heat
        if heat is not None and heat.nodes[cell] != NOT_THERE:
            self.leaf_chosen.emit(heat.sweeps[cell.column], int(heat.nodes[cell]))

    def _arrange(self) -> None:
        title = QLabel("GRADIENTS BY CALL")
        title.setProperty("role", "caption")
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 8, 0)
        head.setSpacing(6)
        head.addWidget(title)
        for number, (word, tip) in enumerate(KINDS):
            button = QToolButton()
            button.setText(word)
            button.setToolTip(tip)
            button.setCheckable(True)
            button.setChecked(number == 0)
            self.kinds.addButton(button, number)
            head.addWidget(button)
        head.addStretch(1)
        close = icon_button("close", "Close the heat strip", self._theme)
        close.clicked.connect(self.close_requested)
        head.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        stack = QVBoxLayout(self)
        stack.setContentsMargins(0, 0, 0, 0)
        stack.setSpacing(0)
        stack.addLayout(head)
        stack.addWidget(self.strip, 1)
        self.words.setProperty("role", "dim")
        self.words.setContentsMargins(16, 0, 16, 6)
        stack.addWidget(self.words)
