"""Finds the leaves of a script for the table: at once in a short text, off the GUI thread in a long one."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gradviz.source.leaves import LeafSpec, find_leaves
from gradviz.ui.session.runner import Latest

_SHORT = 20_000
"""Characters that are searched in about 20 ms."""


class LeafSearch(QObject):
    """One text at a time; a new one replaces the one before.

    Attributes:
        found: the leaves of the text that was searched last.

    Signals:
        changed: those of another text are found.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.found: tuple[LeafSpec, ...] = ()
        self._text = ""
        self._latest = Latest()
        self._latest.answered.connect(self._take)
        self._latest.failed.connect(self._fail)

    def look_in(self, text: str) -> None:
        """Find the leaves of a text; nothing happens where it is the one that was looked in last."""
        if text == self._text:
            return
        self._text = text
        self._latest.drop()
        if len(text) <= _SHORT:
            self._take(find_leaves(text))
        else:
            self._latest.ask(lambda _cancelled: find_leaves(text))

    def close(self) -> None:
        """End what is under way."""
        self._latest.close()

    def _take(self, found: tuple[LeafSpec, ...]) -> None:
        self.found = found
        self.changed.emit()

    def _fail(self, error: BaseException) -> None:
        raise error
