"""Above the timeline: what a lesson says at this step, the gradient that is asked for, the way to the next lesson."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QToolButton, QWidget

from gradviz.playback.prediction import Question
from gradviz.ui.look.enclosure import Enclosure
from gradviz.ui.look.fitted_label import FittedLabel
from gradviz.ui.look.icons import icon_button
from gradviz.ui.look.theme import Theme

ROOMY_PX = 1000
"""Width from which the sentence has enough room in two lines, and the way to the next lesson has words."""
_LINES, _LINES_NARROW = 2, 3
_FIELD_PX = 150


class LessonStrip(QFrame):
    """One sentence, and where a gradient is asked for, a field for it. Its height is the same at every step.

    Attributes:
        text: the sentence, or the question.
        field: takes the answer.
        score: how many were predicted.
        next: leads to the next lesson.

    Signals:
        answered: payload: what was typed.
        hint_requested, reveal_requested: the rule, or the gradient itself is to be shown.
        predict_requested: asking is to begin or to end.
        next_requested: the next lesson is wanted.
        dismissed: the strip is to go.
    """

    answered = Signal(str)
    hint_requested = Signal()
    reveal_requested = Signal()
    predict_requested = Signal()
    next_requested = Signal()
    dismissed = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._is_low = False
        self.setObjectName("lesson_strip")
        self._is_lesson, self._asks = False, True
        self._shown: tuple[bool, bool, str] | None = None
        self._said = ("", "")
        self.text = FittedLabel(_LINES)
        self.text.is_centred = True
        self.field = QLineEdit()
        self.field.setFixedWidth(_FIELD_PX)
        self.field.returnPressed.connect(self._answer)
        self.check, self.hint, self.reveal = QPushButton("Check"), QPushButton("Hint"), QPushButton("Show")
        for button, tip, signal in (
            (self.hint, "Show the rule of this step", self.hint_requested),
            (self.reveal, "Show the gradient and go on (Shift+Q)", self.reveal_requested),
        ):
            button.setToolTip(tip)
            button.clicked.connect(signal)
        self.check.setProperty("role", "primary")
        self.check.setToolTip("Compare the answer with the gradient (Return)")
        self.check.clicked.connect(self._answer)
        self.score = QLabel()
        self.score.setProperty("role", "dim")
        self.predict, self.next = QToolButton(), QToolButton()
        self.close_button = icon_button("close", "Hide this line", theme)
        self.predict.setText("Predict")
        self.predict.setCheckable(True)
        self.predict.setToolTip("Ask for each gradient before it is shown (Q)")
        self.predict.clicked.connect(self.predict_requested)
        self.next.clicked.connect(self.next_requested)
        self.close_button.setAccessibleName("Hide the line of the lesson")
        self.close_button.clicked.connect(self.dismissed)
        self._arrange()
        self._take_room()
        self._show_asking(None)

    def show_lesson(self, *, is_lesson: bool, following: str) -> None:
        """Whether a lesson is open; `following`: the title of the one after it, or ""."""
        self._is_lesson = is_lesson and bool(following)
        self._show_rest()
        self.next.setToolTip(f"Next lesson: {following} (L)")
        self.next.setAccessibleName(f"Next lesson: {following}")

    def show_sentence(self, sentence: str) -> None:
        """Show what is said at this step; nothing is asked."""
        if self._asks:
            self._show_asking(None)
        self._say(sentence)

    def show_question(self, question: Question, verdict: str) -> None:
        """Ask for a gradient; `verdict` is what there is to say of the last answer, or ""."""
        self._show_asking(question)
        self._say(f"{verdict} {question.words}" if verdict else question.words, verdict)

    def _say(self, words: str, bold: str = "") -> None:
        if (words, bold) != self._said:
            self._said = (words, bold)
            self.text.say(words, bold)

    def show_predicting(self, *, is_on: bool, is_possible: bool, score: str) -> None:
        """Show whether gradients are asked for, whether there are any, and how it goes."""
        if (is_on, is_possible, score) == self._shown:
            return
        self._shown = (is_on, is_possible, score)
        self.predict.setChecked(is_on)
        self.predict.setEnabled(is_on or is_possible)
        self.score.setText(score)
        self._show_rest()

    def be_low(self, is_low: bool) -> None:
        """Take two lines at most, in a low window."""
        self._is_low = is_low
        self._take_room()

    def _show_rest(self) -> None:
        """In a narrow window the question needs the room of what can wait until it is answered."""
        has_room = self.width() >= ROOMY_PX or not self._asks
        self.score.setVisible(has_room and bool(self.score.text()))
        self.next.setVisible(has_room and self._is_lesson)
        self.close_button.setVisible(has_room)

    def _show_asking(self, question: Question | None) -> None:
        self._asks = question is not None
        self._show_rest()
        for part in (self.field, self.check, self.hint, self.reveal):
            part.setVisible(question is not None)
        if question is None:
            self.field.clear()
            return
        size = question.gradient.size
        self.field.setPlaceholderText("a number" if size == 1 else f"{size} numbers")
        self.field.setAccessibleName(f"Your prediction. {question.words}")

    def _answer(self) -> None:
        if self.field.text().strip():
            self.answered.emit(self.field.text())

    def _arrange(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 8, 0)
        row.setSpacing(8)
        row.addWidget(Enclosure(self.text), 1)
        asking: tuple[QWidget, ...] = (self.field, self.check, self.hint, self.reveal)
        always: tuple[QWidget, ...] = (self.score, self.predict, self.next, self.close_button)
        for part in (*asking, *always):
            row.addWidget(part)

    def _take_room(self) -> None:
        is_roomy = self.width() >= ROOMY_PX
        lines = _LINES if is_roomy or self._is_low else _LINES_NARROW
        self.text.allow(lines)
        beside = self.check.sizeHint().height()
        self.setFixedHeight(max(lines * QFontMetrics(self.text.font()).lineSpacing(), beside) + 14)
        self._show_rest()
        self.next.setText("Next lesson" if is_roomy else "Next")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._take_room()
