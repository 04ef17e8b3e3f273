"""Windows for tests: the session reads any text as `weighted_sum`, and nobody is asked about unsaved changes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtWidgets import QApplication

from gradviz.ui.settings import Settings
from gradviz.ui.theme import Theme
from gradviz.ui.window import Window
from gradviz.ui.window_files import Unsaved
from tests.ui.sessions import Reader, new_session

TEXT = "one\ntwo\nthree\nfour\n\nsix\nseven\n"


@contextmanager
def shown_window(qtbot, monkeypatch, file: Path) -> Iterator[Window]:
    """An empty window with settings in a file."""
    monkeypatch.setattr(Unsaved, "ask", classmethod(lambda cls, parent, name: Unsaved.DISCARD))
    reader, settings = Reader(), Settings(file)
    window = Window(Theme("light"), settings, new_session(reader))
    qtbot.addWidget(window)
    window.resize(1200, 800)
    window.show()
    yield window
    reader.release.set()
    window.session.close()


def open_in(qtbot, window: Window, text: str = TEXT, name: str = "one.py", path: Path | None = None) -> Window:
    """Open a text and wait for its picture; the keys go to the graph."""
    with qtbot.waitSignal(window.session.picture_changed):
        window.session.open_script(text, name, path=path)
    window.workbench.canvas.setFocus()
    QApplication.processEvents()
    return window
