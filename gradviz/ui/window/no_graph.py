"""Words in place of a graph where there is none: how to begin, or why a script led to nothing."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from gradviz.ui.session.document import Content

EMPTY = "No tensors yet.\nType an expression such as  sum(x**2 * w)  into the script, or open a lesson."
NONE_MADE = (
    "The script ran and created no PyTorch tensors, so there is no graph to draw.\nPlain Python numbers have no graph; "
    "compute something from  torch.tensor(2.0, requires_grad=True)  to get one."
)
STOPPED = "No tensors yet.\nThe script stopped before it created one: see the error on the left."
HELD = "Not run yet.\nThe script comes from a file, and was not run here before as it stands: read it, then run it."


class NoGraph(QLabel):
    """The words."""

    def __init__(self) -> None:
        super().__init__(EMPTY)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setWordWrap(True)
        self.setMargin(16)
        self.setProperty("role", "dim")

    def explain(self, content: Content) -> None:
        """Say why what is open has no graph."""
        ran = NONE_MADE if content.text.strip() else EMPTY
        why = ran if content.problem is None else STOPPED
        self.setText(why if content.held is None else HELD)
