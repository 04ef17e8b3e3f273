"""The windows that stay open beside the graph: the seed laboratory, and the arrow field.

Each is made when it is first asked for, opens where it was, and follows the picture while it is seen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDialog, QWidget

from gradviz.errors import GradvizError
from gradviz.ui.app.settings import Settings
from gradviz.ui.field.words import NEEDED
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.session import Session

if TYPE_CHECKING:  # the main window stands before there is a picture
    from gradviz.playback.field import Field
    from gradviz.recording import Recording
    from gradviz.ui.field.window import ArrowField
    from gradviz.ui.seed.laboratory import SeedLaboratory


def show_in_front(window: QWidget) -> None:
    """Show a window, or bring it to the front."""
    window.show()
    window.raise_()
    window.activateWindow()


def keep_place(window: QDialog, settings: Settings, part: str) -> None:
    """Put a window where it was when it was closed last, and remember that from now on."""
    state = settings.window_state(part)
    if state is not None:
        window.restoreGeometry(state)
    window.finished.connect(lambda _: settings.remember_window_state(part, window.saveGeometry()))


class SeedCompanion:
    """Opens the laboratory, and runs the v that was chosen there.

    Args:
        visit: shows a node of the graph.

    Attributes:
        window: once it was asked for.
    """

    def __init__(
        self, parent: QWidget, session: Session, settings: Settings, theme: Theme, visit: Callable[[int], None]
    ) -> None:
        self._visit = visit
        self._parent, self._session, self._settings, self._theme = parent, session, settings, theme
        self.window: SeedLaboratory | None = None
        session.picture_changed.connect(self._follow)
        session.closed.connect(self._end)

    def open(self) -> None:
        """Show the window, in front.

        Raises:
            GradvizError: no v can be tried, in one sentence.
        """
        if self._session.picture is None or self._session.no_seed:
            raise GradvizError(self._session.no_seed)
        if self.window is None:
            from gradviz.ui.seed.laboratory import SeedLaboratory

            self.window = SeedLaboratory(self._theme, self._parent)
            keep_place(self.window, self._settings, "seed_laboratory")
            self.window.seed_chosen.connect(self._session.sweep_by_hand)
            self.window.node_chosen.connect(self._visit)
            self.window.board.v.setFocus()  # the keys change v at once
        show_in_front(self.window)
        self._follow()

    def _follow(self) -> None:
        picture = self._session.picture
        if self.window is not None and self.window.isVisible() and picture is not None:
            is_of_run = self._session.document.content.supposed is None  # of what if, the run knows nothing
            self.window.show_track(picture.track, self._session.run_asked() if is_of_run else None)

    def _end(self) -> None:
        if self.window is not None:
            self.window.end()


class FieldCompanion:
    """Finds the fields of the chosen sweep and shows them on request.

    Attributes:
        window: once it was asked for.
    """

    def __init__(self, parent: QWidget, session: Session, settings: Settings, theme: Theme) -> None:
        self._parent, self._session, self._settings, self._theme = parent, session, settings, theme
        self._found_for: tuple[Recording, int | None] | None = None
        self._fields: tuple[Field, ...] = ()
        self._tip = ""
        self.window: ArrowField | None = None
        session.picture_changed.connect(self._follow)

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

            self.window = ArrowField(self._theme, self._parent)
            keep_place(self.window, self._settings, "arrow_field")
        show_in_front(self.window)
        self._follow()

    def allow(self, action: QAction, *, is_working: bool) -> None:
        """Enable the action where there is a field to show; its tool tip says what is needed where there is none."""
        self._tip = self._tip or action.toolTip()
        is_there = is_working and bool(self.fields)
        action.setEnabled(is_there)
        action.setToolTip(self._tip if is_there else NEEDED)

    def _follow(self) -> None:
        if self.window is not None and self.window.isVisible():
            self.window.show_fields(self.fields, Path(self._session.document.content.name).stem)
