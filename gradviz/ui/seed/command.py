"""The action "Seed laboratory": its window is made when first asked for, and follows the picture while it is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from gradviz.errors import GradvizError
from gradviz.ui.app.settings import Settings
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.session import Session

if TYPE_CHECKING:  # the window stands before anybody tries a v
    from gradviz.ui.seed.laboratory import SeedLaboratory

_PART = "seed_laboratory"
"""Name of the window's geometry in the settings."""


class SeedCommand:
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

            geometry = self._settings.window_state(_PART)
            self.window = SeedLaboratory(self._theme, self._parent, geometry=geometry)
            self.window.closed.connect(lambda state: self._settings.remember_window_state(_PART, state))
            self.window.seed_chosen.connect(self._session.sweep_by_hand)
            self.window.node_chosen.connect(self._visit)
            self.window.board.v.setFocus()  # the keys change v at once
        self.window.show()
        self._follow()
        self.window.raise_()
        self.window.activateWindow()

    def _follow(self) -> None:
        picture = self._session.picture
        if self.window is not None and self.window.isVisible() and picture is not None:
            is_of_run = self._session.document.content.supposed is None  # of what if, the run knows nothing
            self.window.show_track(picture.track, self._session.run_asked() if is_of_run else None)

    def _end(self) -> None:
        if self.window is not None:
            self.window.end()
