"""A lesson that plays by itself on the start page: the real picture of a real run, small, with its sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHideEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from gradviz.ui.look.fitted_label import FittedLabel
from gradviz.ui.look.icons import dress, redraw
from gradviz.ui.look.theme import Theme, ui_font
from gradviz.ui.session.lessons import Lesson, guide_beside

if TYPE_CHECKING:  # the start page stands before there is anything to play
    from gradviz.playback.guide import Guide
    from gradviz.ui.canvas.canvas import Canvas
    from gradviz.ui.session.session import Session

HEIGHT = 214
_SPEED = 0.5
"""Steps per second: slow enough to read the sentence."""
_ROUNDS = 2
"""It plays so many times by itself and then rests: who has not looked by then does other things."""
_LINES = 2


class LessonPreview(QFrame):
    """A small player of one lesson. It costs nothing until `play`, and rests while it is not seen.

    Attributes:
        lesson: what plays.
        open_button: opens it.
        pause_button: stops it, and lets it go on.

    Signals:
        opened: somebody wants to go into it.
    """

    opened = Signal()

    def __init__(self, theme: Theme, lesson: Lesson) -> None:
        super().__init__()
        self._theme, self.lesson = theme, lesson
        self._session: Session | None = None
        self._canvas: Canvas | None = None
        self._guide: Guide | None = None
        self._rounds = 0
        self._was_playing = True
        self.setObjectName("entry")
        self.setFixedHeight(HEIGHT)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"Lesson 1 plays: {lesson.title}")
        self.title = QLabel(lesson.title)
        self.title.setFont(ui_font(13, bold=True))
        self.open_button, self.pause_button = QPushButton("Open"), QToolButton()
        self.open_button.setAccessibleName(f"Open lesson 1: {lesson.title}")
        self.open_button.setToolTip("Open this lesson, and step through it yourself")
        self.open_button.clicked.connect(self.opened)
        self.pause_button.setAccessibleName("Pause or play the lesson")
        self.pause_button.clicked.connect(self._toggle)
        self.pause_button.setIconSize(QSize(16, 16))
        self.pause_button.hide()
        self.sentence = FittedLabel(_LINES)
        self.sentence.setProperty("role", "dim")
        self.sentence.setMinimumHeight(_LINES * QFontMetrics(self.sentence.font()).lineSpacing())
        self._place = QWidget()
        QVBoxLayout(self._place).setContentsMargins(0, 0, 0, 0)
        head = QHBoxLayout()
        head.addWidget(self.title, 1)
        head.addWidget(self.pause_button)
        head.addWidget(self.open_button)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 8, 8, 10)
        column.setSpacing(4)
        column.addLayout(head)
        column.addWidget(self._place, 1)
        column.addWidget(self.sentence)
        self.sentence.say(lesson.question)

    def play(self, session: Session) -> None:
        """Run the lesson in a session of its own, and play it."""
        self._session = session
        session.direction = "right"
        session.picture_changed.connect(self._show_picture)
        session.clock.moved.connect(self._show_moment)
        session.open_script(self.lesson.text, self.lesson.path.name)

    def close_session(self) -> None:
        """End what plays."""
        if self._session is not None:
            self._session.close()
            self._session = None

    # ---- what has happened ----

    def _show_picture(self) -> None:
        from gradviz.ui.canvas.canvas import Canvas  # once there is something to draw on it

        session = self._session
        if session is None or session.picture is None:
            return
        if self._canvas is None:
            self._guide = guide_beside(self.lesson.path)
            self._canvas = Canvas(self._theme, legend=False)
            self._canvas.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self._canvas.setAccessibleName("The picture of the lesson that plays")
            layout = self._place.layout()
            assert layout is not None
            layout.addWidget(self._canvas)
            dress(self.pause_button, "pause", self._theme, "dim")  # not before the window stands: icons take long
            self.pause_button.show()
            self._canvas.resize(self._place.size())  # as large as it will be, before something is fitted into it
        picture = session.picture
        self._canvas.reduced_motion = session.clock.reduced_motion
        self._canvas.show_track(picture.drawn, picture.layout, scene=picture.scene)
        player = session.clock.player
        player.set_speed(_SPEED)
        player.go(0 if not session.clock.reduced_motion else picture.track.turn)
        if not session.clock.reduced_motion:
            player.toggle()
        self._show_moment()

    def _show_moment(self) -> None:
        session, canvas = self._session, self._canvas
        if session is None or canvas is None or session.picture is None:
            return
        player, track = session.clock.player, session.picture.track
        canvas.show_position(player.position, session.clock.phase)
        self.sentence.say(self._said())
        is_playing = player.is_playing
        if self._was_playing != is_playing:
            self._was_playing = is_playing
            redraw(self.pause_button, "pause" if is_playing else "play", self._theme)
            if not is_playing and player.position == track.length and self.isVisible():
                self._rounds += 1
                if self._rounds < _ROUNDS:
                    player.toggle()

    def _said(self) -> str:
        session = self._session
        if session is None or session.picture is None or self._guide is None:
            return self.lesson.question
        return self._guide.sentence(session.picture.track, session.clock.player.position)

    def _toggle(self) -> None:
        if self._session is not None:
            self._rounds = _ROUNDS
            self._session.clock.player.toggle()

    # ---- Qt ----

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._rest_or_go_on(is_seen=True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._rest_or_go_on(is_seen=False)

    def _rest_or_go_on(self, *, is_seen: bool) -> None:
        if self._session is not None and self._canvas is not None:
            player = self._session.clock.player
            if not is_seen and player.is_playing:
                player.go(player.position)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(event.position().toPoint()):
            self.opened.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.sentence.setMinimumHeight(_LINES * QFontMetrics(self.sentence.font()).lineSpacing())
