"""The second graph beside the first, drawn: each node with what its backward step makes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QToolButton, QWidget

from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import mono_font, ui_font
from gradviz.ui.seed.pairs import Pair

MOST_STEPS, MOST_NODES = 60, 24
FIRST, SECOND = "First graph, in the order of the pass", "Second graph: what each step makes"
NOTHING = "passes on what comes in"


class SecondGraphView(QScrollArea):
    """Two columns, paired.

    Signals:
        node_chosen: a node of the first graph was clicked. Payload: its id.
    """

    node_chosen = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.pairs: Sequence[Pair] = ()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setAccessibleName("The second graph beside the first")

    def show_pairs(self, pairs: Sequence[Pair]) -> None:
        """Show the nodes of both graphs."""
        if pairs == self.pairs and self.widget() is not None:
            return
        self.pairs = pairs
        inside = QWidget()
        inside.setObjectName("pairs")
        grid = QGridLayout(inside)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6 * SPACE)
        grid.setVerticalSpacing(2 * SPACE)
        for column, text in enumerate((FIRST, "", SECOND)):
            title = QLabel(text)
            title.setFont(ui_font(12, bold=True))
            title.setObjectName(("first", "arrow", "second")[column])
            grid.addWidget(title, 0, column)
        for row, pair in enumerate(pairs[:MOST_STEPS], start=1):
            button = QToolButton()
            button.setText(f"{pair.text} = {pair.value}" if pair.value else pair.text)
            button.setFont(mono_font(12))
            button.setToolTip("Show it in the graph")
            button.clicked.connect(lambda _on, node=pair.node: self.node_chosen.emit(node))
            arrow, made = QLabel("→"), QLabel(_lines(pair))
            arrow.setObjectName("arrow")
            made.setObjectName("made" if pair.made else "arrow")
            made.setTextFormat(Qt.TextFormat.PlainText)
            made.setFont(mono_font(12))
            made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            top = Qt.AlignmentFlag.AlignTop
            grid.addWidget(button, row, 0, top | Qt.AlignmentFlag.AlignRight)
            grid.addWidget(arrow, row, 1, top)
            grid.addWidget(made, row, 2, top | Qt.AlignmentFlag.AlignLeft)
        if len(pairs) > MOST_STEPS:
            grid.addWidget(QLabel(f"and {len(pairs) - MOST_STEPS:,} more steps"), MOST_STEPS + 1, 0)
        grid.setColumnStretch(2, 1)
        grid.setRowStretch(min(len(pairs), MOST_STEPS) + 2, 1)
        self.setWidget(inside)


def _lines(pair: Pair) -> str:
    shown = [f"{text} = {value}" if value else text for text, value in pair.made[:MOST_NODES]]
    more = len(pair.made) - len(shown)
    return "\n".join(shown + ([f"and {more} more"] if more else [])) or NOTHING
