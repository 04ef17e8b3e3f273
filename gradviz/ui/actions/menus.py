"""The table of actions made into menus and shortcuts of a window. The window gives each action its handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QMenuBar,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from gradviz.ui.actions.table import MENUS, SPECS, Spec
from gradviz.ui.app.first_paint import FirstPaint
from gradviz.ui.look.icons import dress
from gradviz.ui.look.theme import Theme

KEYS = "keys"
"""Property of an action: all its keys as text, the plain ones too."""
ONLY_WORDS = "only words"
"""Property of a menu entry that can do nothing, such as one that says that the menu is empty."""


class Actions(QObject):
    """The table made into Qt actions of a window.

    Attributes:
        by_name: the QAction of each spec.
        menus: the QMenu of each title, "View>Theme" included.
    """

    def __init__(
        self, window: QWidget, bar: QMenuBar, handlers: Mapping[str, Callable[[], None]], theme: Theme
    ) -> None:
        super().__init__(window)  # so that Qt forgets it with the window
        self.by_name: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {title: bar.addMenu(title) for title in MENUS}
        self._plain: list[tuple[QShortcut, str]] = []
        self._to_dress: list[tuple[QAction, str]] = []
        for spec in SPECS:
            self._add(spec, window, handlers[spec.name], theme)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_changed)
        FirstPaint(window, lambda: self._dress(theme))  # no menu is open before it

    def _dress(self, theme: Theme) -> None:
        while self._to_dress:
            dress(*self._to_dress.pop(), theme, "dim")

    def allow(self, present: frozenset[str], only: frozenset[str] | None = None) -> None:
        """Enable what can be done while `present` ("open", "script", "picture", "run") is there.

        Args:
            only: the names of those that can be done at all; None for any.
        """
        for spec in SPECS:
            is_allowed = only is None or spec.name in only
            self.by_name[spec.name].setEnabled(is_allowed and (not spec.needs or spec.needs in present))

    def show_choice(self, name: str, is_on: bool) -> None:
        """Tick or clear a choice without triggering it."""
        self.by_name[name].setChecked(is_on)

    def _add(self, spec: Spec, window: QWidget, handler: Callable[[], None], theme: Theme) -> None:
        menu = self._menu(spec.menu)
        if spec.starts_group and not menu.isEmpty():
            menu.addSeparator()
        # A plain key stands in the menu as words only: as a shortcut it would be taken from text fields too.
        plain = "" if spec.keys else "".join(f"\t{key}" for key in spec.canvas_keys)
        action = QAction(spec.text + plain, window)
        action.setObjectName(spec.name)
        action.setShortcuts([QKeySequence(key) for key in spec.keys])
        action.setStatusTip(spec.tip)
        action.setToolTip(spec.tip + self._keys_text(spec))
        action.setProperty(KEYS, ", ".join((*spec.canvas_keys, *spec.keys)))
        action.setCheckable(spec.is_choice)
        action.triggered.connect(lambda: handler())  # noqa: PLW0108  (Qt would pass whether it is ticked)
        if spec.icon:
            self._to_dress.append((action, spec.icon))
        menu.addAction(action)
        window.addAction(action)
        self.by_name[spec.name] = action
        for key in spec.canvas_keys:
            shortcut = QShortcut(QKeySequence(key), window)
            shortcut.activated.connect(action.trigger)
            self._plain.append((shortcut, key))

    def _menu(self, title: str) -> QMenu:
        if title not in self.menus:
            outer, _, inner = title.partition(">")
            self.menus[title] = self.menus[outer].addMenu(inner)
        return self.menus[title]

    @staticmethod
    def _keys_text(spec: Spec) -> str:
        keys = (*spec.canvas_keys, *spec.keys)
        return f" ({' or '.join(keys)})" if keys else ""

    def _focus_changed(self, _old: QWidget | None, now: QWidget | None) -> None:
        for shortcut, key in self._plain:
            shortcut.setEnabled(not needs_key(now, key))


def needs_key(widget: QWidget | None, key: str) -> bool:
    """Whether a focused widget uses that plain key itself."""
    if isinstance(widget, QPlainTextEdit | QTextEdit):
        return not widget.isReadOnly()
    if isinstance(widget, QAbstractButton):
        return key == "Space"
    if key in getattr(widget, "plain_keys", ()):
        return True
    return isinstance(widget, QLineEdit | QAbstractSpinBox | QComboBox | QAbstractItemView)
