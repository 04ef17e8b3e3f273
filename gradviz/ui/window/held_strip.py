"""Above the graph while a script from elsewhere is shown and not run: what it waits for, and the button."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from gradviz.ui.look.plain_label import plain_label

WORDS = (
    "{name} was not run here before as it stands now. Read it first if it is not your own; from then on this text runs "
    "when it is opened."
)


class HeldStrip(QFrame):
    """One sentence and one button.

    Attributes:
        words: the sentence.
        run: the button.

    Signals:
        run_requested: the button was pressed.
    """

    run_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("held")
        self.words, self.run = plain_label(), QPushButton("Run it")
        self.run.setProperty("role", "primary")
        self.run.setToolTip("Run the script, and run it by itself when it is opened again (F5)")
        self.run.clicked.connect(self.run_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(12)
        row.addWidget(self.words, 1)
        row.addWidget(self.run, 0, Qt.AlignmentFlag.AlignTop)

    def show_file(self, file: Path | None) -> None:
        """Show the file that waits; hidden where none does."""
        self.words.setText("" if file is None else words_about(file))
        self.setVisible(file is not None)


def words_about(file: Path) -> str:
    """What is said of a file that waits: where no wall holds, also that only the button stands before the files."""
    from gradviz.run.confine.walls import ONLY_THE_PRESS, holds  # late: most windows show no such file

    said = WORDS.format(name=file.name)
    return said if holds() else f"{said} {ONLY_THE_PRESS}"
