"""The action "Arrow field": enabled where there is a field; its window is made when first asked for, and follows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from gradviz.ui.app.settings import Settings
from gradviz.ui.field.words import NEEDED
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.session import Session

if TYPE_CHECKING:  # the window stands before there is a field
    from gradviz.playback.field import Field
    from gradviz.recording import Recording
    from gradviz.ui.field.window import ArrowField

_PART = "arrow_field"
"""Name of the window's geometry in the settings."""


class FieldCommand:
    """Finds the fields of the chosen sweep and shows them on request."""

    def __init__(self, parent: QWidget, session: Session, settings: Settings, theme: Theme) -> None:
        self._parent, self._session, self._settings, self._theme = parent, session, settings, theme
        self._found_for: tuple[Recording, int | None] | None = None
        self._fields: tuple[Field, ...] = ()
        self._tip = ""
        self.window: ArrowField | None = None
        session.picture_changed.connect(self._show_fields)

    @property
    def fields(self) -> tuple[Field, ...]:
        """The fields of the sweep that is drawn; looked for once."""
        picture = self._session.picture
        if picture is None:
            return ()
        recording, sweep = picture.track.recording, picture.track.sweep
        if self._found_for is None or self._found_for[0] is not recording or self._found_for[1] != sweep:
            from gradviz.playback.field import find_fields

            self._found_for, self._fields = (recording, sweep), find_fields(recording, sweep)
        return self._fields

    def open(self) -> None:
        """Show the window, in front."""
        if self.window is None:
            from gradviz.ui.field.window import ArrowField

            geometry = self._settings.window_state(_PART)
            self.window = ArrowField(self._theme, self._parent, geometry=geometry)
            self.window.closed.connect(lambda state: self._settings.remember_window_state(_PART, state))
        self.window.show()
        self._show_fields()
        self.window.raise_()
        self.window.activateWindow()

    def allow(self, action: QAction, *, is_working: bool) -> None:
        """Enable the action where there is a field to show; its tool tip says what is needed where there is none."""
        self._tip = self._tip or action.toolTip()
        is_there = is_working and bool(self.fields)
        action.setEnabled(is_there)
        action.setToolTip(self._tip if is_there else NEEDED)

    def _show_fields(self) -> None:
        if self.window is not None and self.window.isVisible():
            self.window.show_fields(self.fields, Path(self._session.document.content.name).stem)
