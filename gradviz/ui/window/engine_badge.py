"""Over the graph: whose numbers these are, where they are not those of gradviz's own engine."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from gradviz.recording import Recording

BY_HAND = "A v that is set by hand goes through gradviz's own rules."

_MARGIN = 12


class EngineBadge(QLabel):
    """The name and version of the engine; hidden where it is gradviz's own. Its tool tip tells what was other."""

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self.setObjectName("badge")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.move(_MARGIN, _MARGIN)
        self.hide()

    def show_recording(self, recording: Recording) -> None:
        """Show who made what is drawn."""
        engine = recording.engine
        if engine is not None:
            rank = recording.rank
            process = "" if rank is None else f"  ·  rank {rank.rank} of {rank.world}"
            self.setText(f"{recording.engine_name}{process}")
            python = f"It ran in Python {engine.python}." if engine.python else ""
            said = f"These are the numbers of {recording.engine_name}. {python}".strip()
            self.setToolTip("\n".join((said, BY_HAND, *notes(recording))))
            self.setAccessibleName(f"Made by {recording.engine_name}")
            self.adjustSize()
        self.setVisible(engine is not None and bool(recording.nodes))


def notes(recording: Recording) -> list[str]:
    """What was other than in a run that is not recorded, and what the recorder could not do."""
    own = () if recording.engine is None else recording.engine.notes
    faults = [f"The recorder failed at a place, and the run went on: {fault}" for fault in recording.faults[:3]]
    return [*own, *faults]
