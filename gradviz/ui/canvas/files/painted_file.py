"""Painting without a window."""

from __future__ import annotations

import os


def application() -> object:
    """What Qt needs to paint; pictures can be painted as long as somebody holds it.

    Raises:
        ImportError: a system library that Qt needs is missing.
    """
    # No window is shown, so no screen is needed, whatever QT_QPA_PLATFORM asks for.
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtGui import QGuiApplication

    from gradviz.ui.look.theme import load_fonts

    app = QGuiApplication.instance() or QGuiApplication(["gradviz"])
    load_fonts()
    return app
