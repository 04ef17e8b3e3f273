"""Above the graph while a script from elsewhere is shown and not run: what it waits for, and the buttons."""

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
    """One sentence, and a button for each engine that can run it.

    Attributes:
        words: the sentence.
        run: the button for gradviz's own engine.
        run_pytorch: the button for the PyTorch of the user's own Python.

    Signals:
        run_requested, pytorch_requested: a button was pressed.
    """

    run_requested = Signal()
    pytorch_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("held")
        self.words, self.run = plain_label(), QPushButton("Run it")
        self.run_pytorch = QPushButton("Run with PyTorch…")
        self.run_pytorch.setToolTip("Choose a Python with PyTorch, and run the script there with your rights")
        self.run_pytorch.clicked.connect(self.pytorch_requested)
        self.run.setProperty("role", "primary")
        self.run.setToolTip("Run the script, and run it by itself when it is opened again (F5)")
        self.run.clicked.connect(self.run_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(12)
        row.addWidget(self.words, 1)
        row.addWidget(self.run_pytorch, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(self.run, 0, Qt.AlignmentFlag.AlignTop)

    def show_file(self, file: Path | None, *, has_pytorch: bool = True) -> None:
        """Show the file that waits; hidden where none does. `has_pytorch` says whether PyTorch can run it here."""
        self.run_pytorch.setVisible(has_pytorch)
        self.words.setText("" if file is None else words_about(file))
        self.setVisible(file is not None)


def words_about(file: Path) -> str:
    """What is said of a file that waits: where no wall holds, also that only the button stands before the files."""
    said = WORDS.format(name=file.name)
    try:
        from gradviz.run.confine.walls import ONLY_THE_PRESS, holds  # late: most windows show no such file
    except ImportError:
        return said  # recordings are played where nothing can be run
    return said if holds() else f"{said} {ONLY_THE_PRESS}"
