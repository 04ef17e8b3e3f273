"""The search at work: what the find bar asks is found in the picture, lit, and visited in turn."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from gradviz.errors import ConditionError
from gradviz.playback.conditions.find import find, is_measured
from gradviz.playback.track import Track
from gradviz.ui.finding.bar import FindBar
from gradviz.ui.session.session import Session
from gradviz.ui.session.survey import Survey

LEFT_OUT = "Gradients that are still to be predicted are left out."

Show = Callable[[frozenset[int] | None], None]


class Finder(QObject):
    """One search in the present picture.

    Args:
        show: lights some nodes, or all (None).
        visit: selects a node and brings it into view.
    """

    def __init__(self, bar: FindBar, session: Session, show: Show, visit: Callable[[int], None]) -> None:
        super().__init__()
        self._bar, self._session, self._show, self._visit = bar, session, show, visit
        self._found: tuple[int, ...] = ()
        self._at: int | None = None
        self._steps = 0
        self._until: int | None = None
        self._survey = Survey()
        bar.query_changed.connect(lambda _text: self._look())
        bar.step_requested.connect(self.step)
        session.picture_changed.connect(self._picture_changed)
        session.closed.connect(self._survey.close)

    @property
    def is_open(self) -> bool:
        """Whether the bar is there."""
        return not self._bar.isHidden()

    def open(self) -> None:
        """Begin to type."""
        self._bar.open()
        self._look()

    def close(self) -> None:
        """Take the bar away, and light all again."""
        if self.is_open:
            self.hide()
            self._show(None)

    def hide(self) -> None:
        """Take the bar away; what is lit is somebody else's by now."""
        self._survey.drop()
        self._bar.hide()

    def step(self, by: int) -> None:
        """Visit the next node that fits (1), or the one before (-1); opens the bar where nothing is looked for."""
        if not self._bar.field.text().strip():
            self.open()
            return
        if not self.is_open:
            self._bar.show()
            self._bar.raise_()
            self._look()
        if not self._found:
            self._look(steps=by)
            return
        self._go(by)

    def keep_limit(self) -> None:
        """Find nothing by the numbers beyond the player's limit: they are still to be predicted."""
        if self.is_open and self._until != self._session.clock.player.limit:
            self._look()

    def _go(self, by: int) -> None:
        count = len(self._found)
        self._at = (self._at + by) % count if self._at is not None else (0 if by > 0 else count - 1)
        self._visit(self._found[self._at])
        self._bar.show_result(self._at, count)

    @property
    def _track(self) -> Track | None:
        return None if self._session.picture is None else self._session.picture.track

    def _picture_changed(self) -> None:
        if self.is_open:
            self._look()

    def _look(self, *, steps: int = 0) -> None:
        """Look for what is typed; go so many steps from what is found, as soon as it is, where Return was pressed."""
        self._survey.drop()
        self._found, self._at, self._steps = (), None, steps
        track, text, self._until = self._track, self._bar.field.text(), self._session.clock.player.limit
        if track is None or not text.strip():
            self._show(None)
            self._bar.show_result(None, 0)
            return
        try:
            needs_all = is_measured(track, text)
        except ConditionError as error:
            self._show(None)
            # While it is being typed a condition is not wrong yet, only not whole.
            self._bar.show_result(None, 0, error.message, is_error=bool(steps))
            return
        if needs_all:
            self._bar.show_result(None, 0, "Measuring…")
            self._survey.when_measured(track, lambda: self._take(track, text))
        else:
            self._take(track, text)

    def _take(self, track: Track, text: str) -> None:
        self._found = find(track, text, self._until)
        self._show(frozenset(self._found) if self._found else None)
        nothing = "" if self._found else f"No node of {_picture(track)} fits '{text.strip()}'."
        if self._until is not None and is_measured(track, text):
            nothing = f"{nothing} {LEFT_OUT}".strip()
        self._bar.show_result(None, len(self._found), nothing)
        if self._steps and self._found:
            self._go(self._steps)
        self._steps = 0


def _picture(track: Track) -> str:
    """What is searched: where there are several backward calls, which of them."""
    recording, sweep = track.recording, track.sweep
    if sweep is None or len(recording.sweeps) < 2:
        return "this picture"
    return f"backward call {recording.number(sweep)}"
