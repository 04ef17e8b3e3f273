"""Predict, then reveal: holds the player before a gradient until somebody has said what it will be, or asks for it.

All that comes later than the position stays hidden meanwhile; what that is, each view knows itself.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from gradviz.playback.flow import Way
from gradviz.playback.prediction import Question, Verdict, hint, judge, questions, way_of
from gradviz.playback.track import Track
from gradviz.ui.session.session import Session


class Predicting(QObject):
    """The questions of the backward call that is shown, and how many were answered.

    Attributes:
        is_on: whether gradients are asked for before they are shown.
        verdict: on the last answer, or None after the question has changed.
        right, asked: how many gradients were predicted at the first try, and how many were asked for until now.

    Signals:
        changed: another question, another verdict, or turned on or off.
        held: somebody wanted to go on past the question.
        scored: the last question of a call is done.
    """

    changed = Signal()
    held = Signal()
    scored = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self.is_on = False
        self.verdict: Verdict | None = None
        self.right = self.asked = 0
        self._track: Track | None = None
        self._waiting: tuple[Question, ...] = ()
        self._is_first_try = True
        self._labels: tuple[str, ...] = ()
        session.clock.player.held = self.held.emit
        session.picture_changed.connect(self._take_picture)

    @property
    def question(self) -> Question | None:
        """What is asked for at the position that is shown, or None."""
        first = self._waiting[0] if self._waiting else None
        return first if first is not None and self._session.clock.player.position == first.position - 1 else None

    @property
    def way(self) -> Way | None:
        """Along what the gradient goes that is asked for at the position that is shown, or None."""
        return None if self.question is None or self._track is None else way_of(self._track, self.question)

    @property
    def hides_later(self) -> bool:
        """Whether what comes later than the position is hidden, since some of it is still asked for."""
        return bool(self._waiting)

    @property
    def score(self) -> str:
        """ "3 of 4 at the first try"; "" where nothing has been asked."""
        return f"{self.right} of {self.asked} at the first try" if self.asked else ""

    def turn(self, is_on: bool) -> None:
        """Ask from here on, or show all. Where nothing more would be asked, it begins again at the first question."""
        self.is_on = is_on
        self._begin()
        player, track = self._session.clock.player, self._track
        if is_on and track is not None and not self._waiting and questions(track, self._labels):
            player.go(track.turn)
            self._begin()
        self.changed.emit()

    def ask_about(self, labels: tuple[str, ...]) -> None:
        """Ask about the steps of the nodes with these labels alone; of all, where there are none."""
        self._labels = labels
        self._begin()

    def answer(self, text: str) -> None:
        """Take an answer; the right one leads on.

        Raises:
            GradvizError: it cannot be read as numbers.
        """
        from gradviz.source.answers import read_answer

        question, track = self.question, self._track
        if question is None or track is None:
            return
        verdict = judge(track, question, read_answer(text))
        if verdict.is_right:
            self.right += self._is_first_try
            self._go_on(verdict)
        else:
            self._is_first_try = False
            self._tell(verdict)

    def show_hint(self) -> None:
        """Tell the rule; what is answered then still counts."""
        if self.question is not None and self._track is not None:
            self._tell(Verdict(False, hint(self._track, self.question)))

    def reveal(self) -> None:
        """Show the gradient without an answer."""
        if self.question is not None:
            self._go_on(None)

    # ---- what has happened ----

    def _take_picture(self) -> None:
        picture = self._session.picture
        track = None if picture is None else picture.track
        if track is not self._track:
            self._track = track
            self._begin()
            self.changed.emit()

    def _begin(self) -> None:
        """The questions that lie ahead of the position."""
        track = self._track
        self._waiting = self._ahead(track) if self.is_on and track is not None else ()
        self.right = self.asked = 0
        self.verdict, self._is_first_try = None, True
        self._limit()

    def _ahead(self, track: Track) -> tuple[Question, ...]:
        return questions(track, self._labels, self._session.clock.player.position)

    def _limit(self) -> None:
        self._session.clock.player.limit = self._waiting[0].position - 1 if self._waiting else None

    def _tell(self, verdict: Verdict) -> None:
        self.verdict = verdict
        self.changed.emit()

    def _go_on(self, verdict: Verdict | None) -> None:
        """To the next question; where that is about another step, this one is shown."""
        done, self._waiting = self._waiting[0], self._waiting[1:]
        self.asked += 1
        self.verdict, self._is_first_try = verdict, True
        self._limit()
        if not self._waiting or self._waiting[0].position > done.position:
            self._session.clock.player.go(done.position)
        if not self._waiting and self._track is not None:  # of a long call, the next part
            self._waiting = self._ahead(self._track)
            self._limit()
        self.changed.emit()
        if not self._waiting:
            self.scored.emit()
