"""Measures the numbers of a whole track off the GUI thread, where there are many, before something needs them all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject

from gradviz.playback.track import Track
from gradviz.ui.session.runner import Latest

_FEW_POSITIONS, _FEW_NUMBERS = 2_000, 400_000
"""A track of no more than these is measured at once: it takes a few milliseconds."""


class Survey(QObject):
    """One request at a time; a new one replaces the one before."""

    def __init__(self) -> None:
        super().__init__()
        self._latest = Latest()
        self._then: Callable[[], None] = lambda: None
        self._latest.answered.connect(self._answer)
        self._latest.failed.connect(self._fail)

    def when_measured(self, track: Track, then: Callable[[], None]) -> None:
        """Call `then` once all of a track is measured: at once where that is quick, else later."""
        self._latest.drop()
        if _is_quick(track):
            then()
            return
        self._then = then
        every = np.arange(track.length + 1)
        self._latest.ask(lambda cancelled: track.measures.cover(every, cancelled))

    def drop(self) -> None:
        """What was asked for is no longer wanted."""
        self._latest.drop()

    def close(self) -> None:
        """End what is under way."""
        self._latest.close()

    def _answer(self, _nothing: object) -> None:
        self._then()

    def _fail(self, error: BaseException) -> None:
        raise error


def _is_quick(track: Track) -> bool:
    # Counting the numbers of a long track is itself no small work.
    if track.measures.is_complete:
        return True
    return track.length <= _FEW_POSITIONS and track.measures.missing <= _FEW_NUMBERS
