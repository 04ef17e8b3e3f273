"""The start page: what gradviz is, a field to type into, the lessons, recent files."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPaintEvent, QResizeEvent
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
    QStyle,
    QStyleOption,
    QVBoxLayout,
    QWidget,
)

from gradviz.ui.canvas.ink.painter import painter_on
from gradviz.ui.look.theme import mono_font, ui_font
from gradviz.ui.session.lessons import Lesson

if TYPE_CHECKING:
    from gradviz.ui.session.drafts import Found

SENTENCE = (
    "Step through what backward() really does: every gradient that comes in at a node, and every one that goes out."
)
PLACEHOLDER = "sum(x**2 * w)     or paste a PyTorch script"
CARD_WIDTH = 270
_COLUMN = 1180
_RECENT_SHOWN, _DRAFTS_SHOWN = 6, 4
_TIP_LINES = 12
_FIELD_MARGIN = 6


class Card(QAbstractButton):
    """A lesson as a card that is clicked."""

    def __init__(self, number: int, title: str, text: str) -> None:
        super().__init__()
        self.setObjectName("lesson")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)  # as high as those beside it
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(f"Lesson {number}: {title}")
        self.setAccessibleDescription(text)
        self._number, self._title, self._text = QLabel(str(number)), QLabel(title), QLabel(text)
        self._number.setObjectName("number")
        self._text.setObjectName("watch")
        self._title.setFont(ui_font(14, bold=True))
        for label in (self._title, self._text):
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self._text.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 14)
        layout.setSpacing(4)
        layout.addWidget(self._number)
        layout.addWidget(self._title)
        layout.addWidget(self._text, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOption()
        option.initFrom(self)
        with painter_on(self) as painter:
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, painter, self)

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

    def __init__(self, lessons: Sequence[Lesson], parent: QWidget | None = None) -> None:
        super().__init__(parent)
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
        card = Card(number, lesson.title, lesson.watch[0] if lesson.watch else "")
        card.clicked.connect(lambda: self.lesson_opened.emit(lesson))
        return card

    def _build(self) -> None:
        page = QWidget()
        page.setObjectName("start")
        self.setWidget(page)
        outer = QHBoxLayout(page)
        outer.setContentsMargins(32, 40, 32, 32)
        column = QWidget()
        column.setMaximumWidth(_COLUMN)
        outer.addWidget(column)
        self._layout = QVBoxLayout(column)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(12)
        title = QLabel("gradviz")
        title.setFont(ui_font(34, bold=True))
        sentence = QLabel(SENTENCE)
        sentence.setFont(ui_font(16))
        sentence.setWordWrap(True)
        sentence.setProperty("role", "dim")
        head = QHBoxLayout()
        head.addWidget(title, 1)
        head.addWidget(self.back)
        self._layout.addLayout(head)
        self._layout.addWidget(sentence)
        self._layout.addSpacing(12)
        self._layout.addWidget(self._entry())
        self._draft_title = _heading("Not saved")
        self._layout.addWidget(self._draft_title)
        self._draft_row = QHBoxLayout()
        self._draft_row.setSpacing(4)
        self._draft_row.addStretch()
        self._layout.addLayout(self._draft_row)
        self._draft_title.hide()
        self._recent_title = _heading("Recent files")
        self._layout.addWidget(self._recent_title)
        self._recent_row = QHBoxLayout()
        self._recent_row.addStretch()
        self._layout.addLayout(self._recent_row)
        self._layout.addSpacing(8)
        self._layout.addWidget(_heading("Lessons"))
        self._grid = QGridLayout()
        self._grid.setSpacing(12)
        self._layout.addLayout(self._grid)
        self._layout.addStretch()
        self._place_cards(4)

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
        open_file = QPushButton("Open a file…")
        open_file.setMinimumHeight(38)
        open_file.clicked.connect(self.open_requested)
        frame = QFrame()
        frame.setObjectName("entry")
        frame.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        row = QHBoxLayout(frame)
        row.setContentsMargins(10, 6, 8, 6)
        row.addWidget(self.field, 1, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.go, 0, Qt.AlignmentFlag.AlignBottom)
        row.addWidget(open_file, 0, Qt.AlignmentFlag.AlignBottom)
        return frame

    def _fit_field(self) -> None:
        """One line while one is enough, up to twelve for a pasted script."""
        lines = min(12, max(1, self.field.document().blockCount()))
        self.field.setFixedHeight(2 * _FIELD_MARGIN + 20 * lines)

    def _enter(self) -> None:
        text = self.field.toPlainText()
        if text.strip():
            self.text_entered.emit(text)
        else:
            self.field.setFocus()

    def _place_cards(self, columns: int) -> None:
        if columns == self._columns:
            return
        self._columns = columns
        for place, card in enumerate(self.cards):
            self._grid.addWidget(card, place // columns, place % columns)
        for column in range(8):
            self._grid.setColumnStretch(column, 1 if column < columns else 0)

    # ---- Qt ----

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
        self._place_cards(max(1, (usable + 12) // (CARD_WIDTH + 12)))
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
