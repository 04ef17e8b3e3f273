"""Windows for tests over the real reader of scripts and the real layout, both in this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication, QWidget

from gradviz.graph.what_if import Recalculation
from gradviz.layout.graph import request_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.plan import Floats, Layout
from gradviz.playback.track import Track
from gradviz.ui.app.settings import Settings
from gradviz.ui.canvas.scene.measure import box_sizes
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.clock import Clock
from gradviz.ui.session.session import Session
from gradviz.ui.window.window import Window
from tests.recorded import Ran, run


def interpret(text: str, name: str, cancelled: Callable[[], bool], **_details: object) -> Ran:
    return run(text, name)


def lay_out(track: Track, sizes: Floats, direction: str, cancelled: Callable[[], bool]) -> Layout:
    request = request_of(track, sizes, direction)
    return lay_out_layers(request)


def real_window(file: Path, theme: str = "light", size: tuple[int, int] = (1200, 800), **ways: Any) -> Window:
    """A shown window without animation; nothing is open in it.

    Args:
        file: of its settings.
        theme: "light" or "dark".
        size: in pixels.
        ways: other ways to `interpret` a script, to `lay_out` a graph and to `measure` its boxes.
    """
    given = {"interpret": interpret, "lay_out": lay_out, "measure": box_sizes, "recalculate": Recalculation}
    given |= ways
    window = Window(Theme(theme), Settings(file), Session(Clock(reduced_motion=True), **given))
    window.resize(*size)
    window.show()
    return window


def settle(qtbot, window: Window) -> None:
    """Wait until nothing runs and nothing is laid out, and what came of it is on the screen."""
    session = window.session
    heat = window._workbench and window._workbench._heat
    asked = (window.commands.checking, window.commands.pytorch._comparing, *([heat] if heat else []))
    work = (session.opening, session._runs, session._layouts, session._seeds, session.supposing, *asked)
    qtbot.waitUntil(lambda: not any(one.is_busy for one in work), timeout=60_000)
    lay_out_parts(window)


def lay_out_parts(window: Window) -> None:
    """Let events through until no part moves: a sentence that wraps makes its neighbours ask for their room again."""
    before: list[QRect] = []
    while before != (now := [part.geometry() for part in window.findChildren(QWidget)]):
        before = now
        QApplication.processEvents()
