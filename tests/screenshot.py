"""The picture of the window in README and help: lesson 13 in the middle of its first backward step.

    python -m tests.screenshot [FILE]    writes resources/help/screenshot.png, or FILE; needs no display

It is the app itself; only its clock is told how much time has passed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtWidgets import QApplication, QLabel

from gradviz.shipped import shipped
from gradviz.ui.app.rooms import Rooms
from gradviz.ui.app.start import application, build
from gradviz.ui.session.clock import HAND_MS
from gradviz.ui.window.window import Window
from tests.ui.real_windows import lay_out_parts

SIZE = (1440, 900)
LESSON = "13_a_function_of_your_own.py"


def show_lesson(window: Window) -> None:
    """Open the lesson, and stand half way through the first step of backward."""
    window.resize(*SIZE)
    window.show()
    session, clock = window.session, window.session.clock
    window.open_path(shipped("examples", LESSON))
    wait(lambda: session.picture is not None and not session._layouts.is_busy)
    clock.player.go(session.picture.track.turn)
    lay_out_parts(window)
    clock.player.step()
    clock._timer.stop()
    clock.advance(0.6 * HAND_MS)
    clock._timer.stop()
    wait(lambda: not any("is asked for" in text.text() for text in window.findChildren(QLabel) if text.isVisible()))
    lay_out_parts(window)


def wait(is_done) -> None:
    """Let events through until something holds."""
    while not is_done():
        QApplication.processEvents()


def main() -> None:
    """Write the picture."""
    app = application()
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else shipped("help", "screenshot.png")
    with tempfile.TemporaryDirectory() as folder:
        window = build(app, Rooms(), Path(folder) / "settings.ini")
        show_lesson(window)
        window.grab().save(str(file))
        window.close()


if __name__ == "__main__":
    main()
