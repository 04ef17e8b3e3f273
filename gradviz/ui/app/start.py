"""The application: looks whether a window can be shown at all, shows it, and only then loads the rest.

Imports no Qt before `start`: a machine without its system libraries gets a sentence, not a traceback.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType

    from PySide6.QtWidgets import QApplication, QWidget

    from gradviz.ui.app.rooms import Rooms
    from gradviz.ui.app.settings import Settings
    from gradviz.ui.session.session import Session
    from gradviz.ui.window.window import Window

_FRAME = 40
"""Pixels of a title bar, which is not known before a window is shown."""
_SHARE = 0.9
"""Of a screen, for a window that is no longer maximized."""


def start(file: str | None) -> int:
    """Run the app until its window is closed; the exit code.

    Args:
        file: what to open, or None for the start page.

    Raises:
        GradvizError: no window can be shown here.
    """
    app = application()

    from gradviz.ui.app.first_paint import FirstPaint
    from gradviz.ui.app.rooms import Rooms

    rooms = Rooms()
    window = build(app, rooms)
    go_on = None if file is None else window.opening(Path(file))

    def finish() -> None:
        """The window stands before the canvas and the layout engines are loaded."""
        rooms.warm()
        if go_on is not None:
            go_on()
        else:
            window.play_preview()

    FirstPaint(window, finish)
    fit_screen(window)
    window.show()
    return app.exec()


def fit_screen(window: QWidget) -> None:
    """Maximize a window that with its frame is larger than its screen: text at 200 % halves a screen."""
    from PySide6.QtCore import Qt

    room = window.screen().availableSize()
    if window.width() > room.width() or window.height() + _FRAME > room.height():
        window.resize(window.size().boundedTo(room * _SHARE))
        window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)


def application() -> QApplication:
    """The application object, named and with its icon.

    Raises:
        GradvizError: Qt's libraries or a display are missing.
    """
    from gradviz.ui.app.display import check_display, missing_library

    check_display(sys.platform, dict(os.environ))
    import gradviz.ui.app.before_qt  # noqa: F401

    try:
        from PySide6.QtGui import QGuiApplication
        from PySide6.QtWidgets import QApplication
    except ImportError as error:
        raise missing_library(sys.platform, str(error)) from None
    present = QApplication.instance()
    if isinstance(present, QApplication):
        return present
    QGuiApplication.setDesktopFileName("gradviz")
    _take_size()
    app = QApplication([sys.argv[0] if sys.argv else "gradviz"])
    app.setApplicationName("gradviz")
    app.setApplicationDisplayName("gradviz")
    app.setOrganizationName("gradviz")
    return app


def _take_size() -> None:
    """Draw everything as large as the user has chosen. Qt reads it once, when the application is made."""
    from gradviz.ui.app.settings import Settings

    size = Settings().size
    if size != 100:
        os.environ.setdefault("QT_SCALE_FACTOR", str(size / 100))


def build(app: QApplication, rooms: Rooms, settings_file: Path | None = None) -> Window:
    """The window with everything behind it, not shown yet."""
    from gradviz.ui.app.first_paint import FirstPaint
    from gradviz.ui.app.settings import Settings
    from gradviz.ui.look.icons import app_icon
    from gradviz.ui.look.theme import Theme
    from gradviz.ui.window.window import Window

    sys.excepthook = _report
    settings = Settings(settings_file)
    theme = Theme(settings.theme)
    theme.install(app)
    window = Window(theme, settings, new_session(settings, rooms))
    FirstPaint(window, lambda: app.setWindowIcon(app_icon()))
    return window


def _report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Show an exception that escapes into Qt, instead of losing it on a terminal nobody sees."""
    from gradviz.ui.app.report import report

    report(kind, error, trace)


def new_session(settings: Settings, rooms: Rooms) -> Session:
    """A session over the script reader and the layout engines."""
    from gradviz.ui.session.clock import Clock
    from gradviz.ui.session.session import Session

    clock = Clock(reduced_motion=settings.reduced_motion)
    session = Session(
        clock,
        interpret=rooms.interpret,
        lay_out=rooms.lay_out,
        measure=rooms.measure,
        prepare=rooms.prepare,
        revive=rooms.revive,
        run_pytorch=rooms.run_pytorch if rooms.can_run else None,
        recalculate=rooms.recalculate if rooms.can_run else None,
    )
    session.closed.connect(rooms.close)
    session.direction = settings.direction
    session.steps_over = settings.step_over
    return session
