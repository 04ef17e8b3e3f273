"""Windows for tests: their session reads any text as `weighted_sum`, and the test answers for the person at them."""

from __future__ import annotations

from pathlib import Path

import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject
from PySide6.QtWidgets import QApplication, QFileDialog

from gradviz.ui.app.settings import Settings
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.runner import Latest
from gradviz.ui.window.files import Unsaved
from gradviz.ui.window.window import Window
from tests.ui.sessions import Reader, new_session

DISCARDED: list[QObject] = []
"""Objects of Python whose object of Qt is gone."""

TEXT = "one\ntwo\nthree\nfour\n\nsix\nseven\n"


def new_window(qtbot, settings: Settings, reader: Reader) -> Window:
    """An empty window."""
    window = Window(Theme(settings.theme), settings, new_session(reader))
    qtbot.addWidget(window)
    window.resize(1200, 800)
    window.show()
    return window


def discard_windows() -> None:
    """Let Qt forget windows that were closed, with what they own that has no parent: session, theme, threads.

    A lambda connected to a signal is held by the signal's object where Python does not see it, so nothing of a window
    would ever be collected, and each would take longer to close than the one before. Python's side of them is kept, as
    it would be then: it must not be collected in a thread that happens to run.
    """
    windows = [each for each in QApplication.topLevelWidgets() if isinstance(each, Window)]
    owned = [each for window in windows for each in _owned(window)]
    for each in owned:
        if isinstance(each, Latest):
            each.close()
    for window in windows:
        window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    DISCARDED.extend(owned)
    for each in owned:
        if shiboken6.isValid(each) and each.parent() is None and shiboken6.ownedByPython(each):
            shiboken6.delete(each)


def _owned(root: QObject) -> list[QObject]:
    """Every object of Qt that is reached through the attributes of ours."""
    found, seen, pending = [], {id(root)}, [root]
    while pending:
        each = pending.pop()
        if isinstance(each, QObject) and shiboken6.isValid(each):
            found.append(each)
        inner = each.values() if isinstance(each, dict) else each if isinstance(each, list | tuple | set) else None
        for value in vars(each).values() if inner is None and hasattr(each, "__dict__") else inner or ():
            is_ours = type(value).__module__.startswith("gradviz.ui")
            if (is_ours or isinstance(value, QObject | list | tuple | set | dict)) and id(value) not in seen:
                seen.add(id(value))
                pending.append(value)
    return found


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
