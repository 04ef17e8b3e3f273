"""The command palette: everything the menus can do, found by typing, with its keys. Enter runs it, Esc closes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QLineEdit, QListView, QMenu, QMenuBar, QVBoxLayout, QWidget

from gradviz.ui.actions.command_match import Command, Match, ranked
from gradviz.ui.actions.command_rows import ROW_PX, CommandRows
from gradviz.ui.actions.menus import KEYS, ONLY_WORDS
from gradviz.ui.look.theme import Theme

Index = QModelIndex | QPersistentModelIndex

WIDTH = 600
_TOP = 54
_MOST_ROWS = 12
_REST = 110
"""Height of field, hint and margins, and what stays free below."""
MATCH = Qt.ItemDataRole.UserRole


def actions_in(menus: QMenuBar) -> Iterator[tuple[str, QAction]]:
    """Every action that the menus lead to, with the titles on the way there: ("View › Theme", Dark)."""
    pending: list[tuple[str, QAction]] = [("", action) for action in menus.actions()]
    while pending:
        path, action = pending.pop(0)
        menu: QMenu | None = action.menu()  # type: ignore[assignment]
        if menu is not None:
            menu.aboutToShow.emit()  # some menus are filled only when they open
            title = plain(menu.title())
            inner = f"{path} › {title}" if path else title
            pending = [(inner, entry) for entry in menu.actions()] + pending
        elif not action.isSeparator() and action.text() and not action.property(ONLY_WORDS):
            yield path, action


def plain(text: str) -> str:
    """The words of an action: without the mark of its letter, and without the keys behind them."""
    return text.partition("\t")[0].replace("&", "")


def command_of(path: str, action: QAction) -> Command:
    """What the palette shows of an action."""
    words, _, written = action.text().partition("\t")
    native = QKeySequence.SequenceFormat.NativeText
    # Plain keys, which are no shortcuts of the action, are told by a property.
    told = str(action.property(KEYS) or "") or written
    keys = told or ", ".join(key.toString(native) for key in action.shortcuts())
    tip = action.statusTip() or ("" if action.toolTip() == action.text() else action.toolTip())
    text = plain(words)
    if action.isCheckable():
        tip = f"{tip} (now {'on' if action.isChecked() else 'off'})"
    return Command(action.objectName() or f"{path}: {text}", path, text, keys, tip, action.isEnabled())


class _Matches(QAbstractListModel):
    """What is shown, best first."""

    def __init__(self) -> None:
        super().__init__()
        self.matches: Sequence[Match] = ()

    def show(self, matches: Sequence[Match]) -> None:
        self.beginResetModel()
        self.matches = matches
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.matches)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        match = self.matches[index.row()]
        command = match.command
        if role == MATCH:
            return match
        if role == Qt.ItemDataRole.DisplayRole:
            return command.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return command.tip
        if role == Qt.ItemDataRole.AccessibleTextRole:
            keys = f", {command.keys}" if command.keys else ""
            return f"{command.category}: {command.text}{keys}{'' if command.is_enabled else ', not possible now'}"
        return None


class CommandPalette(QFrame):
    """A card over the window.

    Attributes:
        field: where the words are typed.
        rows: the commands that fit.
        hint: what the chosen one does.

    Signals:
        chosen: an action is run. Payload: the key it is remembered by.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__(window)
        self._theme = theme
        self._actions: dict[str, QAction] = {}
        self._commands: list[Command] = []
        self._recent: Sequence[str] = ()
        self._before: QWidget | None = None
        self.setObjectName("commands")
        self.setAttribute(Qt.WidgetAttribute.WA_NoMousePropagation)
        self.field, self.rows, self.hint = QLineEdit(), QListView(), QLabel()
        self._model = _Matches()
        self._arrange()
        self.field.textEdited.connect(lambda _text: self._fill())
        self.rows.clicked.connect(lambda _index: self.run())
        self.rows.selectionModel().currentChanged.connect(lambda _now, _before: self._tell())
        self.field.installEventFilter(self)
        window.installEventFilter(self)
        self.hide()

    def open(self, menus: QMenuBar, recent: Sequence[str]) -> None:
        """Show what the menus hold now; pressed again it closes.

        Args:
            recent: keys of what was chosen lately, the latest first.
        """
        if self.isVisible():
            self.close_again()
            return
        self._before = QApplication.focusWidget()
        pairs = [(command_of(path, action), action) for path, action in actions_in(menus)]
        self._actions = {command.key: action for command, action in pairs}
        self._commands, self._recent = [command for command, _ in pairs], recent
        self.field.clear()
        self._fill()
        self.show()
        self.raise_()
        self.field.setFocus()

    def run(self) -> None:
        """Do the chosen one, after the keys are back where they were."""
        match = self.rows.currentIndex().data(MATCH)
        if not isinstance(match, Match):
            return
        if not match.command.is_enabled:
            self.hint.setText(f"{match.command.text}: not possible now.")
            return
        action = self._actions[match.command.key]
        self.close_again()
        self.chosen.emit(match.command.key)
        # A dialog that the action opens must not be run from within a key press of this card.
        QTimer.singleShot(0, action, action.trigger)

    def close_again(self) -> None:
        """Hide, and give the keys back to where they were."""
        if self.isHidden():
            return
        self.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus()

    # ---- showing ----

    def _fill(self) -> None:
        self._model.show(ranked(self._commands, self.field.text(), self._recent))
        if self._model.matches:
            self.rows.setCurrentIndex(self._model.index(0))
        self._tell()
        self._place()

    def _tell(self) -> None:
        match = self.rows.currentIndex().data(MATCH)
        if isinstance(match, Match):
            why = "" if match.command.is_enabled else " Not possible now."
            self.hint.setText(f"{match.command.tip or match.command.text}.{why}".replace("..", "."))
        else:
            self.hint.setText(f"Nothing fits '{self.field.text()}'.")

    def _place(self) -> None:
        window = self.parentWidget()
        if window is None:
            return
        width = min(WIDTH, window.width() - 32)
        room = (window.height() - _TOP - _REST) // ROW_PX
        rows = max(1, min(len(self._model.matches), _MOST_ROWS, room))
        self.rows.setFixedHeight(rows * ROW_PX + 2)
        self.setGeometry(QPoint((window.width() - width) // 2, _TOP).x(), _TOP, width, self.sizeHint().height())

    def _arrange(self) -> None:
        self.field.setPlaceholderText("What do you want to do?")
        self.field.setAccessibleName("Command")
        self.rows.setAccessibleName("Commands")
        self.rows.setModel(self._model)
        self.rows.setItemDelegate(CommandRows(self._theme, MATCH, self.rows))
        self.rows.setUniformItemSizes(True)
        self.rows.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rows.setMouseTracking(True)
        self.rows.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.hint.setProperty("role", "dim")
        self.hint.setTextFormat(Qt.TextFormat.PlainText)
        self.hint.setContentsMargins(6, 0, 6, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(10, 10, 10, 8)
        column.setSpacing(6)
        for part in (self.field, self.rows, self.hint):
            column.addWidget(part)

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return QSize(WIDTH, layout.sizeHint().height() if layout is not None else 0)

    # ---- Qt ----

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.field and isinstance(event, QKeyEvent):
            return self._key(event)
        if watched is self.field and event.type() == QEvent.Type.FocusOut:
            QTimer.singleShot(0, self, self._focus_went)
        elif watched is self.parentWidget() and event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def _focus_went(self) -> None:
        """A click outside closes; the keys stay where it put them."""
        if self.isVisible() and not self.field.hasFocus() and QApplication.activePopupWidget() is None:
            self._before = None
            self.close_again()

    def _key(self, event: QKeyEvent) -> bool:
        keys, key = Qt.Key, event.key()
        moves = {keys.Key_Down: 1, keys.Key_Up: -1, keys.Key_PageDown: _MOST_ROWS, keys.Key_PageUp: -_MOST_ROWS}
        if event.type() == QEvent.Type.ShortcutOverride and key == keys.Key_Escape:
            event.accept()
            return True
        if event.type() != QEvent.Type.KeyPress:
            return False
        if key == keys.Key_Escape:
            self.close_again()
        elif key in (keys.Key_Return, keys.Key_Enter):
            self.run()
        elif key in moves and self._model.matches:
            self._move(moves[keys(key)])
        else:
            return False
        return True

    def _move(self, by: int) -> None:
        count, here = len(self._model.matches), self.rows.currentIndex().row()
        # A single step goes around the ends, a page stops at them.
        row = (here + by) % count if abs(by) == 1 else min(max(here + by, 0), count - 1)
        self.rows.setCurrentIndex(self._model.index(row))
