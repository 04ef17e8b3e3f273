"""Opening files: a recording is read off the GUI thread, and what is open stays until it is there."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from gradviz.errors import Cancelled, GradvizError
from gradviz.ui.session.runner import Latest, Work


class _Asked(NamedTuple):
    """What is being read, and what takes it. It is remembered as a file that was opened, or not."""

    path: Path
    take: Callable[[Any], None]
    replaces: bool


class Opening(QObject):
    """Reads the file that was asked for last.

    Attributes:
        may_replace: whether what is open may go for what has been read: something may have been typed meanwhile.
        share: how much of the file is done, 0..1.

    Signals:
        slow_changed: whether a file has been read for a while.
        progressed: the share of it that is done, 0..1.
        opened: a file is open now in the place of another. Payload: its Path.
        refused: a file cannot be read, or the user has given it up. Payload: its Path, and a GradvizError.
    """

    slow_changed = Signal(bool)
    progressed = Signal(float)
    opened = Signal(object)
    refused = Signal(object, object)

    def __init__(self) -> None:
        super().__init__()
        self.may_replace: Callable[[], bool] = lambda: True
        self.share = 0.0
        self._asked: _Asked | None = None
        self._work = Latest()
        self._work.answered.connect(self._take)
        self._work.failed.connect(self._lose)
        self._work.slow_changed.connect(self.slow_changed)
        self._work.progressed.connect(self._hear)

    @property
    def is_busy(self) -> bool:
        """Whether a file is being read."""
        return self._work.is_busy

    @property
    def is_slow(self) -> bool:
        """Whether a file has been read for a while."""
        return self._work.is_slow

    @property
    def name(self) -> str:
        """Of the file that is being read, or ""."""
        return "" if self._asked is None else self._asked.path.name

    def read(self, path: Path, work: Work, take: Callable[[Any], None], *, replaces: bool = True) -> None:
        """Read a file; what was asked for before is dropped.

        Args:
            path: of the file.
            work: reads it, in a worker thread; raises GradvizError where that cannot be done.
            take: is given the answer.
            replaces: whether it comes in the place of what is open.
        """
        self._asked, self.share = _Asked(path, take, replaces), 0.0
        self._work.ask(work)

    def open_now(self, path: Path, open_it: Callable[[], None]) -> None:
        """Open a file that takes no time."""
        try:
            open_it()
        except GradvizError as error:
            self.refused.emit(path, error)
        else:
            self.opened.emit(path)

    def stop(self) -> None:
        """Give up what is being read."""
        self._work.stop()

    def drop(self) -> None:
        """Forget what is being read, for something else is open now."""
        self._work.drop()

    def close(self) -> None:
        """End what is under way."""
        self._work.close()

    def _take(self, answer: object) -> None:
        asked, self._asked = self._asked, None
        if asked is None:
            return
        if not asked.replaces:
            asked.take(answer)
        elif self.may_replace():
            asked.take(answer)
            self.opened.emit(asked.path)

    def _lose(self, error: BaseException) -> None:
        asked, self._asked = self._asked, None
        if not isinstance(error, GradvizError):
            raise error
        if asked is not None:
            words = GradvizError("Opening was cancelled.")
            self.refused.emit(asked.path, words if isinstance(error, Cancelled) else error)

    def _hear(self, share: float) -> None:
        self.share = share
        self.progressed.emit(share)
