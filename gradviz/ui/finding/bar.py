"""The find bar: a card in the corner of the graph with the field, "3 of 17", next and previous, and one sentence."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

from gradviz.ui.look.icons import icon_button
from gradviz.ui.look.plain_label import plain_label
from gradviz.ui.look.theme import Theme

PLACEHOLDER = "Name, op, (3, 2), :7, norm > 1e3, nan"
_MARGIN, _WIDEST = 12, 460


class FindBar(QFrame):
    """Lies over its parent, at the top right, and is hidden until it is opened.

    Attributes:
        field: what is looked for.
        count: "3 of 17".
        sentence: why nothing is found.

    Signals:
        query_changed: payload: the text.
        step_requested: payload: 1 for the next, -1 for the one before.
        close_requested: the cross was pressed.
        covers_changed: payload: screen pixels from the top of its parent that it lies over; 0 while it is hidden.
    """

    query_changed = Signal(str)
    step_requested = Signal(int)
    close_requested = Signal()
    covers_changed = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("find")
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.field, self.count, self.sentence = _Field(), QLabel(), plain_label(role="dim")
        self.previous = icon_button("up", "Previous match (Shift+F3)", theme)
        self.next = icon_button("down", "Next match (F3)", theme)
        self.close_button = icon_button("close", "Close (Esc)", theme)
        self._arrange()
        self.field.textEdited.connect(self.query_changed)
        self.field.stepped.connect(self.step_requested)
        self.previous.clicked.connect(lambda: self.step_requested.emit(-1))
        self.next.clicked.connect(lambda: self.step_requested.emit(1))
        self.close_button.clicked.connect(self.close_requested)
        parent.installEventFilter(self)
        self.hide()

    def open(self) -> None:
        """Show the bar and begin to type; what was looked for last is marked, so that typing replaces it."""
        self.show()
        self.raise_()
        self._place()
        self.field.setFocus()
        self.field.selectAll()

    def show_result(self, at: int | None, total: int, sentence: str = "", *, is_error: bool = False) -> None:
        """Show how many are found, and at which one we are (from 0); a sentence where there is something to say."""
        here = f"{at + 1:,} of {total:,}" if at is not None else f"{total:,} found"
        self.count.setText("" if sentence and not total else here if self.field.text().strip() else "")
        self.count.setAccessibleName(self.count.text())
        self.count.setVisible(bool(self.count.text()))
        for button in (self.previous, self.next):
            button.setEnabled(total > 0)
        self.sentence.setText(sentence)
        self.sentence.setProperty("role", "error" if is_error else "dim")
        self.sentence.style().polish(self.sentence)
        self.sentence.setAccessibleName(sentence)
        self.sentence.setVisible(bool(sentence))
        self._place()

    def _arrange(self) -> None:
        self.field.setPlaceholderText(PLACEHOLDER)
        self.field.setAccessibleName("Find a node")
        self.field.setToolTip("A name, an op, a shape, a line, or a condition such as norm > 1e3, out norm < 1e-6, nan")
        self.count.setMinimumWidth(64)
        self.count.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.count.setProperty("role", "dim")
        self.sentence.setContentsMargins(4, 0, 4, 2)
        self.sentence.hide()
        row = QHBoxLayout()
        row.setSpacing(2)
        row.addWidget(self.field, 1)
        row.addWidget(self.count)
        for button in (self.previous, self.next, self.close_button):
            button.setFixedSize(28, 28)
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.setSpacing(6)
        column.addLayout(row)
        column.addWidget(self.sentence)

    def _place(self) -> None:
        around = self.parentWidget()
        if around is None:
            return
        width = min(_WIDEST, max(around.width() - 2 * _MARGIN, 200))
        layout = self.layout()
        assert layout is not None
        height = layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else self.sizeHint().height()
        self.setGeometry(around.width() - width - _MARGIN, _MARGIN, width, height)

    def _tell_cover(self) -> None:
        self.covers_changed.emit(self.geometry().bottom() if self.isVisible() else 0)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._tell_cover()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._tell_cover()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell_cover()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False


class _Field(QLineEdit):
    """Return and the arrows up and down go to the next one or the one before.

    Signals:
        stepped: payload: 1 or -1.
    """

    stepped = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setClearButtonEnabled(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, is_shifted = Qt.Key, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.key() in (keys.Key_Return, keys.Key_Enter):
            self.stepped.emit(-1 if is_shifted else 1)
        elif event.key() in (keys.Key_Down, keys.Key_Up):
            self.stepped.emit(1 if event.key() == keys.Key_Down else -1)
        else:
            super().keyPressEvent(event)
