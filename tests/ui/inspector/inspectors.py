"""What can be seen in a part of the inspector."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QWidget

from gradviz.ui.inspector.card import CardHead, Text, visible
from gradviz.ui.inspector.cells import Cells, fitted


def seen(widget: QWidget) -> str:
    """All words that can be seen, in no order."""
    labels = [label for label in widget.findChildren(QLabel) if label.isVisibleTo(widget)]
    words = [label.words() if isinstance(label, Text) else visible(label.text()) for label in labels]
    words += [f"{head.caption}\n{head.note}" for head in widget.findChildren(CardHead) if head.isVisibleTo(widget)]
    return "\n".join(words)


def numbers(widget: QWidget) -> list[list[str]]:
    """The texts of the cells that can be seen, one list per array."""
    found = [cells for cells in widget.findChildren(Cells) if cells.isVisibleTo(widget)]
    return [fitted(cells._array, 400).column.texts for cells in found]
