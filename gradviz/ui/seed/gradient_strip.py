"""v·J of every leaf, in a row: a name and its numbers as tiles."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QToolButton, QWidget

from gradviz.playback.words import short_value
from gradviz.recording import Array, Recording
from gradviz.ui.look.number_tiles import Look, NumberTiles
from gradviz.ui.look.palette import SPACE
from gradviz.ui.look.theme import Theme, mono_font
from gradviz.ui.seed.pairs import short_name

MOST_LEAVES, MOST_NUMBERS = 12, 6
TILE = (46, 20)


class GradientStrip(QScrollArea):
    """One entry a leaf; of many leaves the first ones. Not seen where there is but one.

    Signals:
        leaf_chosen: the name of a leaf was clicked. Payload: its id.
    """

    leaf_chosen = Signal(int)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._shown: tuple[int, ...] = ()
        self._nodes: object = None
        self.names: dict[int, QToolButton] = {}
        self.tiles: dict[int, NumberTiles | QLabel] = {}
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFixedHeight(TILE[1] + 24)
        self.setAccessibleName("v·J of every leaf")
        self.hide()

    def show_gradients(self, recording: Recording, gradients: Mapping[int, Array], chosen: int | None) -> None:
        """Show the gradients of leaves, by their ids."""
        leaves = tuple(list(gradients)[:MOST_LEAVES])
        self.setVisible(len(gradients) > 1)
        if leaves != self._shown or recording.nodes is not self._nodes:
            self._shown, self._nodes = leaves, recording.nodes
            self._build(recording, leaves, len(gradients) - len(leaves))
        for leaf in leaves:
            g, shown = np.asarray(gradients[leaf]), self.tiles[leaf]
            self.names[leaf].setChecked(leaf == chosen)
            if isinstance(shown, NumberTiles):
                shown.show_numbers(np.ravel(g), columns=g.size, looks=[Look(0.5 if leaf != chosen else 1.0)] * g.size)
            else:
                shown.setText(short_value(g, 20))

    def _build(self, recording: Recording, leaves: tuple[int, ...], others: int) -> None:
        inside = QWidget()
        inside.setObjectName("leaves")
        row = QHBoxLayout(inside)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2 * SPACE)
        words = QLabel("Every leaf gets its v·J:")
        words.setProperty("role", "dim")
        row.addWidget(words)
        self.names.clear()
        self.tiles.clear()
        for leaf in leaves:
            name = self.names[leaf] = QToolButton()
            name.setText(short_name(recording, leaf))
            name.setCheckable(True)
            name.setToolTip("Show J in this leaf")
            name.clicked.connect(lambda _on, node=leaf: self.leaf_chosen.emit(node))
            size = int(np.prod(recording.nodes[leaf].shape))
            shown = self.tiles[leaf] = (
                NumberTiles(self._theme, "backward", tile=TILE) if size <= MOST_NUMBERS else QLabel()
            )
            if isinstance(shown, QLabel):
                shown.setFont(mono_font(12))
            row.addWidget(name)
            row.addWidget(shown)
            row.addSpacing(SPACE)
        if others:
            more = QLabel(f"and {others:,} more")
            more.setProperty("role", "dim")
            row.addWidget(more)
        row.addStretch()
        self.setWidget(inside)
