"""The start page: what gradviz answers, a field to type into, recent files, a lesson that plays, and all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from gradviz.ui.app.settings import Progress
from gradviz.ui.canvas.ink.painter import painter_on
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import Theme, color, mono_font, ui_font
from gradviz.ui.session.lessons import GROUPS, Lesson
from gradviz.ui.window.preview import LessonPreview

if TYPE_CHECKING:
    from gradviz.ui.session.drafts import Found

SENTENCE = "What does backward(v) take, what does it give back, and why is no Jacobian needed? Step through it and see."
PLACEHOLDER = "sum(x**2 * w)     or paste a PyTorch script"
ABOUT_FIELD = (
    "Return shows its backward pass. The variables of an expression get numbers that you can change; "
    "a script or a notebook runs as it is."
)
CARD_WIDTH = 270
NUMBER_WIDTH = 28
"""Of the column of numbers before the titles."""
PREVIEW_WIDTHS = {1000: 480, 820: 400}
"""Of the lesson that plays, by the least width of the page; in a narrower one there is no room beside the field."""
_THREE = 700
"""Width from which the groups of lessons stand side by side."""
_COLUMN = 1180
_RECENT_SHOWN, _DRAFTS_SHOWN = 6, 4
_TIP_LINES = 12
_FIELD_MARGIN = 6


class Card(QAbstractButton):
    """A lesson as a row that is clicked: its number, its title, and how far somebody has come in it."""

    def __init__(self, theme: Theme, number: int, lesson: Lesson) -> None:
        super().__init__()
        self._theme = theme
        self.number, self.title, self.done = number, lesson.title, ""
        self._text = lesson.question or (lesson.watch[0] if lesson.watch else "")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFont(ui_font(13))
        self.setToolTip(self._text)
        self.setAccessibleName(f"Lesson {number}: {lesson.title}")
        self.setAccessibleDescription(self._text)

    def show_progress(self, progress: Progress) -> None:
        """Show whether it was stepped to its end, and how many gradients were predicted."""
        predicted = f"{progress.right} of {progress.asked}" if progress.asked else ""
        self.done = predicted or ("✓" if progress.is_done else "")
        words = (f"{predicted} predicted" if predicted else "", "done" if progress.is_done else "")
        self.setAccessibleDescription(". ".join(text for text in (self._text, *words) if text))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(CARD_WIDTH, QFontMetrics(self.font()).height() + 13)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        p, metrics = self._theme.palette, QFontMetrics(self.font())
        with painter_on(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            whole = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            if self.hasFocus() or self.underMouse():
                painter.setPen(QPen(color(p.forward if self.hasFocus() else p.hairline), 2 if self.hasFocus() else 1))
                painter.setBrush(color(p.card))
                painter.drawRoundedRect(whole, 7, 7)
            middle, room = Qt.AlignmentFlag.AlignVCenter, self.rect().adjusted(10, 0, -10, 0)
            painter.setFont(self.font())
            painter.setPen(color(p.leaf))
            painter.drawText(room, middle | Qt.AlignmentFlag.AlignRight, self.done)
            painter.setPen(color(p.dim))
            painter.drawText(room, middle, str(self.number))
            room.setLeft(room.left() + NUMBER_WIDTH)
            room.setRight(room.right() - (metrics.horizontalAdvance(self.done) + 8 if self.done else 0))
            painter.setPen(color(p.text))
            painter.drawText(room, middle, metrics.elidedText(self.title, Qt.TextElideMode.ElideRight, room.width()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


class StartPage(QScrollArea):
    """Where the app begins without a file.

    Attributes:
        field: an expression or a script is typed or pasted here.
        cards: one per lesson.
        preview: plays the first lesson; None where there is none.
        recent: one button per recent file.
        drafts: one button per draft that was not saved, and one to discard it.
        back: back to what is open; hidden where nothing is.

    Signals:
        text_entered: payload: what was typed or pasted.
        lesson_opened: payload: the Lesson.
        file_opened: payload: a Path.
        draft_opened: payload: a Found.
        draft_discarded: payload: a Found.
        open_requested: the user wants to choose a file.
        back_requested: the user wants what is open.
    """

    text_entered = Signal(str)
    lesson_opened = Signal(object)
    file_opened = Signal(object)
    draft_opened = Signal(object)
    draft_discarded = Signal(object)
    open_requested = Signal()
    back_requested = Signal()

    def __init__(self, theme: Theme, lessons: Sequence[Lesson], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._lessons = theme, tuple(lessons)
        self.setAccessibleName("Start page")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.field = QPlainTextEdit()
        self.recent: list[QPushButton] = []
        self.drafts: list[tuple[QPushButton, QPushButton]] = []
        self.back = QPushButton()
        self.back.setToolTip("Back to what is open (Esc)")
        self.back.clicked.connect(self.back_requested)
        self.offer_back("")
        self.cards = [self._card(number, lesson) for number, lesson in enumerate(lessons, 1)]
        self.preview = LessonPreview(theme, lessons[0]) if lessons else None
        self._columns = 0
        self._build()

    def show_recent(self, files: Sequence[Path]) -> None:
        """List the files opened lately; the heading goes where there are none."""
        while self.recent:
            self.recent.pop().deleteLater()
        for path in files[:_RECENT_SHOWN]:
            button = QPushButton(path.name)
            button.setToolTip(str(path))
            button.clicked.connect(lambda _checked=False, path=path: self.file_opened.emit(path))
            self._recent_row.insertWidget(len(self.recent), button)
            self.recent.append(button)
        self._recent_title.setVisible(bool(self.recent))
        self._order()

    def show_drafts(self, found: Sequence[Found]) -> None:
        """List what was not saved, the latest first; the heading goes where there is nothing."""
        while self.drafts:
            for button in self.drafts.pop():
                button.deleteLater()
        for entry in found[:_DRAFTS_SHOWN]:
            words = f"{entry.draft.content.name}, {_time_text(entry.draft.kept_at)}"
            button, discard = QPushButton(words.replace("&", "&&")), QPushButton("×")
            button.setToolTip(f"<pre>{escape(_beginning(entry.draft.content.text))}</pre>")
            button.clicked.connect(lambda _checked=False, entry=entry: self.draft_opened.emit(entry))
            discard.setToolTip("Discard it for good")
            discard.setAccessibleName(f"Discard {words}")
            discard.clicked.connect(lambda _checked=False, entry=entry: self.draft_discarded.emit(entry))
            for place, part in enumerate((button, discard), 2 * len(self.drafts)):
                self._draft_row.insertWidget(place, part)
            self.drafts.append((button, discard))
        self._draft_title.setVisible(bool(self.drafts))
        self._fit_drafts(self.viewport().width() - 64)
        self._order()

    def _fit_drafts(self, width: int) -> None:
        """Show as many drafts as a row of so many pixels holds, but at least one."""
        used = 0
        for number, pair in enumerate(self.drafts):
            used += sum(button.sizeHint().width() + self._draft_row.spacing() for button in pair)
            for button in pair:
                button.setVisible(number == 0 or used <= width)

    def offer_back(self, name: str) -> None:
        """Offer to go back to what is open, by its name; "" where nothing is."""
        self.back.setText(f"Back to {name}")
        self.back.setVisible(bool(name))

    def clear(self) -> None:
        """Empty the field."""
        self.field.clear()

    # ---- building ----

    def _card(self, number: int, lesson: Lesson) -> Card:
        card = Card(self._theme, number, lesson)
        card.clicked.connect(lambda: self.lesson_opened.emit(lesson))
        return card

    def _build(self) -> None:
        page = QWidget()
        page.setObjectName("start")
        self.setWidget(page)
        outer = QHBoxLayout(page)
        outer.setContentsMargins(32, 28, 32, 28)
        column = QWidget()
        column.setMaximumWidth(_COLUMN)
        outer.addWidget(column)
        self._layout = QVBoxLayout(column)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(12)
        title = QLabel("gradviz")
        title.setFont(ui_font(30, bold=True))
        sentence = plain_label(SENTENCE, "dim")
        sentence.setFont(ui_font(16))
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self.back)
        self._layout.addLayout(head)
        self._layout.addWidget(sentence)
        self._layout.addSpacing(4)
        beside = QHBoxLayout()
        beside.setSpacing(20)
        beside.addLayout(self._own_side(), 1)
        if self.preview is not None:
            self.preview.opened.connect(lambda: self.lesson_opened.emit(self._lessons[0]))
            beside.addWidget(self.preview, 0, Qt.AlignmentFlag.AlignTop)
        self._layout.addLayout(beside)
        self._draft_title = _heading("Not saved")
        self._layout.addWidget(self._draft_title)
        self._draft_row = QHBoxLayout()
        self._draft_row.setSpacing(4)
        self._draft_row.addStretch()
        self._layout.addLayout(self._draft_row)
        self._draft_title.hide()
        self._layout.addSpacing(4)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(20)
        self._grid.setVerticalSpacing(20)
        self._groups = [self._group(group) for group in GROUPS]
        self._layout.addLayout(self._grid)
        self._layout.addStretch()
        self._place_groups(3)
        self._order()

    def _own_side(self) -> QVBoxLayout:
        """What is one's own: the field and recent files."""
        side = QVBoxLayout()
        side.setSpacing(10)
        side.addWidget(self._entry())
        about = plain_label(ABOUT_FIELD, "dim")
        about.setContentsMargins(10, 0, 10, 4)
        side.addWidget(about)
        self._recent_title = _heading("Recent files")
        side.addWidget(self._recent_title)
        self._recent_row = QHBoxLayout()
        self._recent_row.addStretch()
        side.addLayout(self._recent_row)
        side.addStretch()
        return side

    def _group(self, group: str) -> QWidget:
        """The lessons of one group below its name."""
        about = plain_label(GROUPS[group], "dim")
        about.setContentsMargins(10, 0, 0, 6)
        heading = QLabel(group)
        heading.setFont(ui_font(15, bold=True))
        heading.setContentsMargins(10, 0, 0, 0)
        area = QWidget()
        column = QVBoxLayout(area)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(heading)
        column.addWidget(about)
        for lesson, card in zip(self._lessons, self.cards, strict=True):
            if lesson.group == group:
                column.addWidget(card)
        column.addStretch()
        return area

    def _entry(self) -> QWidget:
        self.field.setPlaceholderText(PLACEHOLDER)
        self.field.setAccessibleName("Type an expression or paste a script")
        self.field.setFont(mono_font(14))
        self.field.document().setDocumentMargin(_FIELD_MARGIN)
        self.field.setTabChangesFocus(True)
        self._fit_field()
        self.field.textChanged.connect(self._fit_field)
        self.field.installEventFilter(self)
        self.go = QPushButton("Show backward")
        self.go.setProperty("role", "primary")
        self.go.setMinimumHeight(38)
        self.go.clicked.connect(self._enter)
        self.open_file = QPushButton("Open a file…")
        self.open_file.setMinimumHeight(38)
        self.open_file.clicked.connect(self.open_requested)
        frame = QFrame()
        frame.setObjectName("entry")
        frame.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        row = QHBoxLayout(frame)
        row.setContentsMargins(10, 6, 8, 6)
        row.addWidget(self.field, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.go, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(self.open_file, 0, Qt.AlignmentFlag.AlignBottom)
        return frame

    def _fit_field(self) -> None:
        """One line while one is enough, up to twelve for a pasted script."""
        lines = min(12, max(1, self.field.document().blockCount()))
        bars = Qt.ScrollBarPolicy
        is_long = self.field.document().blockCount() > lines
        self.field.setVerticalScrollBarPolicy(bars.ScrollBarAsNeeded if is_long else bars.ScrollBarAlwaysOff)
        self.field.setFixedHeight(2 * _FIELD_MARGIN + QFontMetrics(self.field.font()).lineSpacing() * lines)

    def _enter(self) -> None:
        text = self.field.toPlainText()
        if text.strip():
            self.text_entered.emit(text)
        else:
            self.field.setFocus()

    def _place_groups(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for place, area in enumerate(self._groups):
            self._grid.addWidget(area, place // columns, place % columns)
        for column in range(len(GROUPS)):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    def _order(self) -> None:
        """The order of the Tab key is that of the eye."""
        own = [self.field, self.go, self.open_file, *self.recent]
        unsaved = [part for pair in self.drafts for part in pair]
        playing = [] if self.preview is None else [self.preview.pause_button, self.preview.open_button]
        numbered = list(zip(self.cards, self._lessons, strict=True))
        grouped = [card for group in GROUPS for card, lesson in numbered if lesson.group == group]
        order: list[QWidget] = [*own, *playing, *unsaved, *grouped]
        for before, after in pairwise(order):
            QWidget.setTabOrder(before, after)

    def show_progress(self, progress: Mapping[str, Progress]) -> None:
        """Show how far each lesson was taken, by its file name."""
        for lesson, card in zip(self._lessons, self.cards, strict=True):
            card.show_progress(progress.get(lesson.path.name, Progress()))

    # ---- Qt ----

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_field()  # in the font that it has been given by now

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Return opens what was typed; Shift+Return makes a new line."""
        if watched is self.field and event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            if is_return and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._enter()
                return True
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The size of the viewport. To ask the viewport itself, Python needs every class of Qt that it might be.
        usable = min(event.size().width() - 64, _COLUMN)
        self._place_groups(3 if usable >= _THREE else 1)
        if self.preview is not None:
            width = next((width for least, width in PREVIEW_WIDTHS.items() if usable >= least), 0)
            self.preview.setVisible(width > 0)
            self.preview.setFixedWidth(width or PREVIEW_WIDTHS[1000])
        self._fit_drafts(usable)


def _time_text(seconds: float) -> str:
    """A time since 1970 as people say it: the hour today, else the day."""
    then = datetime.fromtimestamp(seconds).astimezone()
    if then.date() == datetime.now().astimezone().date():
        return f"{then:%H:%M}"
    return f"{then.day} {then:%b, %H:%M}"


def _beginning(text: str) -> str:
    lines = text.strip().splitlines()
    return "\n".join([*lines[:_TIP_LINES], *(["…"] if len(lines) > _TIP_LINES else [])])


def _heading(text: str) -> QLabel:
    label = QLabel(text.upper())
    label.setProperty("role", "caption")
    return label
