"""Looks through a run for the first NaN, or else the first infinity, as soon as it is there."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gradviz.playback.health.first import First, first_birth
from gradviz.recording import Recording
from gradviz.ui.session.picture import numbers_in
from gradviz.ui.session.runner import Latest
from gradviz.ui.session.session import Session

_FEW_STEPS, _FEW_NUMBERS = 1_000, 200_000
"""A run of no more than these is looked through at once: it takes a few milliseconds."""


class Alarm(QObject):
    """The first birth of the run that is open.

    Attributes:
        first: where it is; None where all is finite, and while that is not known yet.

    Signals:
        changed: `first` is another, or the run is.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._recording: Recording | None = None
        self._latest = Latest()
        self._latest.answered.connect(self._take)
        self._latest.failed.connect(self._fail)
        self.first: First | None = None
        session.picture_changed.connect(self.look)
        session.closed.connect(self._latest.close)

    @property
    def is_looking(self) -> bool:
        """Whether it is not known yet."""
        return self._latest.is_busy

    def look(self) -> None:
        """Look through what is open, where that is another run than before."""
        content = self._session.document.content
        recording, calls = content.own, content.script_sweeps
        if recording is self._recording:
            return
        self._recording = recording
        self._latest.drop()
        if _is_small(recording):
            self._take(first_birth(recording, calls))
        else:
            self._take(None)
            self._latest.ask(lambda cancelled: first_birth(recording, calls, cancelled))

    def _take(self, first: object) -> None:
        assert first is None or isinstance(first, First)
        self.first = first
        self.changed.emit()

    def _fail(self, error: BaseException) -> None:
        raise error


def _is_small(recording: Recording) -> bool:
    steps = sum(len(sweep.steps) for sweep in recording.sweeps)
    if steps + len(recording.nodes) > _FEW_STEPS:
        return False
    return numbers_in(recording) <= _FEW_NUMBERS
