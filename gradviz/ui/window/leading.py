"""What leads through a lesson: a sentence at each step, the gradients that are asked for, how far one has come."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from gradviz.errors import GradvizError
from gradviz.playback.guide import Guide
from gradviz.playback.prediction import questions
from gradviz.playback.track import Track
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.document import Content
from gradviz.ui.session.lessons import guide_beside, shipped_guide
from gradviz.ui.session.predicting import Predicting
from gradviz.ui.session.session import Session
from gradviz.ui.window.lesson_strip import LessonStrip


class Leading(QObject):
    """The strip of a lesson over a session.

    Attributes:
        strip: what is seen of it.
        predicting: asks for gradients.
        is_quiet: whether the strip stays hidden: what it says is said elsewhere.
        guide: what the open lesson says, or None.
        following: the title of the lesson after the one of that name, or ""; given by the window.

    Signals:
        action_requested: payload: name of an action.
        finished: a lesson was stepped to its end. Payload: its name.
        predicted: the gradients of one backward call were asked for. Payload: name of the lesson, number of the call
            from 1, how many were predicted, and of how many.
    """

    action_requested = Signal(str)
    finished = Signal(str)
    predicted = Signal(str, int, int, int)

    def __init__(self, theme: Theme, session: Session) -> None:
        super().__init__()
        self._session = session
        self.guide: Guide | None = None
        self.is_quiet = False
        self.following: Callable[[str], str] = lambda _name: ""
        self.strip, self.predicting = LessonStrip(theme), Predicting(session)
        self._asks: tuple[Track | None, bool] = (None, False)
        strip = self.strip
        strip.answered.connect(self._answer)
        strip.hint_requested.connect(self.predicting.show_hint)
        for signal, name in (
            (strip.reveal_requested, "reveal"),
            (strip.predict_requested, "predict"),
            (strip.next_requested, "next_lesson"),
        ):
            signal.connect(lambda name=name: self.action_requested.emit(name))
        strip.dismissed.connect(self.dismiss)
        self.predicting.changed.connect(self.show_moment)
        self.predicting.held.connect(self._ask)
        self.predicting.scored.connect(self._keep_score)
        session.document.opened.connect(self.open_content)
        session.document.watch_changed.connect(self._leave)

    def open_content(self) -> None:
        """Take the guide of what has been opened."""
        content = self._session.document.content
        self.predicting.turn(False)
        self.guide = self._guide_of(content)
        self.predicting.ask_about(() if self.guide is None else self.guide.predict)
        self.strip.show_lesson(is_lesson=self.guide is not None, following=self.following(content.name))
        self.show_moment()

    def dismiss(self) -> None:
        """Nothing more is said or asked until another lesson is opened."""
        self.guide = None
        self._session.document.dismiss_watch()
        self.predicting.turn(False)
        self.show_moment()

    def toggle_predict(self) -> None:
        """Ask for each gradient before it is shown, or show all again."""
        self.predicting.turn(not self.predicting.is_on)
        if self.predicting.is_on:
            self._ask()

    def show_moment(self) -> None:
        """Show what belongs to the position."""
        strip, predicting = self.strip, self.predicting
        content, picture = self._session.document.content, self._session.picture
        track = None if picture is None else picture.track
        strip.setVisible(not self.is_quiet and (self.guide is not None or predicting.is_on))
        if track is not None and self._is_at_end(track):
            self.finished.emit(content.name)
        if strip.isHidden():
            return
        strip.show_predicting(is_on=predicting.is_on, is_possible=self._has_questions(track), score=predicting.score)
        question = predicting.question
        verdict = "" if predicting.verdict is None else predicting.verdict.words
        if question is not None:
            strip.show_question(question, verdict)
        else:
            said = self._sentence(track)
            strip.show_sentence(f"{verdict} {said}".strip() if predicting.is_on else said)

    def sentence(self) -> str:
        """What the lesson says at the position that is shown; "" where there is none."""
        picture = self._session.picture
        return "" if self.guide is None or picture is None else self._sentence(picture.track)

    def _sentence(self, track: Track | None) -> str:
        if self.guide is None:
            return "" if self.predicting.hides_later else "Nothing more is asked in this backward call."
        return self.guide.question if track is None else self.guide.sentence(track, self._session.clock.player.position)

    def _is_at_end(self, track: Track) -> bool:
        """Whether this is the end of the last backward call, in a lesson."""
        is_last = track.sweep is None or track.sweep == len(track.recording.sweeps) - 1
        return self.guide is not None and is_last and self._session.clock.player.position == track.length

    def _has_questions(self, track: Track | None) -> bool:
        if self._asks[0] is not track:
            labels = () if self.guide is None else self.guide.predict
            self._asks = (track, track is not None and bool(questions(track, labels)))
        return self._asks[1]

    def _guide_of(self, content: Content) -> Guide | None:
        try:
            return shipped_guide(content.name) if content.path is None else guide_beside(content.path)
        except GradvizError as error:
            self._session.refused.emit(error)
            return None

    def _leave(self) -> None:
        """The sentences go with those of the script that they are about."""
        if self.guide is not None and not self._session.document.content.watch:
            self.dismiss()

    def _answer(self, text: str) -> None:
        before = self.predicting.question
        try:
            self.predicting.answer(text)
        except GradvizError as error:
            if before is not None:
                self.strip.show_question(before, error.one_line())
            return
        if self.predicting.question is not before:
            self.strip.field.clear()
            self._ask()
        else:
            self.strip.field.selectAll()

    def _ask(self) -> None:
        if self.predicting.question is not None:
            self.strip.field.setFocus()

    def _keep_score(self) -> None:
        content, predicting = self._session.document.content, self.predicting
        if self.guide is not None and content.sweep is not None:
            self.predicted.emit(content.name, content.sweep + 1, predicting.right, predicting.asked)
