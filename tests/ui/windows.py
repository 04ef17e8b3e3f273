"""Windows for tests: their session reads any text as `weighted_sum`, and the test answers for the person at them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication, QFileDialog

from gradviz.ui.app.settings import Settings
from gradviz.ui.look.theme import Theme
from gradviz.ui.window.files import Unsaved
from gradviz.ui.window.window import Window
from tests.ui.sessions import Reader, new_session

TEXT = "one\ntwo\nthree\nfour\n\nsix\nseven\n"


def new_window(qtbot, settings: Settings, reader: Reader) -> Window:
    """An empty window."""
    window = Window(Theme(settings.theme), settings, new_session(reader))
    qtbot.addWidget(window)
    window.resize(1200, 800)
    window.show()
    return window


def open_in(qtbot, window: Window, text: str = TEXT, name: str = "one.py", path: Path | None = None) -> Window:
    """Open a text and wait for its picture; the keys go to the graph."""
    with qtbot.waitSignal(window.session.picture_changed):
        window.session.open_script(text, name, path=path)
    window.workbench.canvas.setFocus()
    QApplication.processEvents()
    return window


def position(window: Window) -> int:
    """Steps done."""
    return window.session.clock.player.position


def answer(monkeypatch, text: str) -> list[str]:
    """Answer the question about unsaved changes so; what is asked about comes into the list that is returned."""
    asked: list[str] = []
    monkeypatch.setattr(Unsaved, "ask", classmethod(lambda _cls, _parent, name: asked.append(name) or text))
    return asked


def choose_file(monkeypatch, method: str, path: Path) -> None:
    """Choose this file in the dialog that a method of QFileDialog shows."""
    monkeypatch.setattr(QFileDialog, method, staticmethod(lambda *_args, **_kw: (str(path), "")))
