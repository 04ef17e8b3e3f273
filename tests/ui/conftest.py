"""A window with settings of its own, and with a script open in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from gradviz.ui.app.settings import Settings
from gradviz.ui.look.theme import Theme
from gradviz.ui.window.files import Unsaved
from gradviz.ui.window.window import Window
from tests.ui.sessions import Reader
from tests.ui.windows import answer, discard_windows, new_window, open_in


@pytest.fixture(autouse=True)
def nothing_asks(monkeypatch) -> None:
    """A question nobody answers would wait for ever; a test that means one says so with `answer`."""
    answer(monkeypatch, Unsaved.DISCARD)


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Autouse, so that it comes last: what a test uses has been closed by then."""
    yield
    if QApplication.instance() is not None:
        discard_windows()


@pytest.fixture
def theme(qapp) -> Theme:
    return Theme("light")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(tmp_path / "settings.ini")


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def window(qtbot, settings: Settings, reader: Reader, monkeypatch) -> Iterator[Window]:
    made = new_window(qtbot, settings, reader)
    yield made
    answer(monkeypatch, Unsaved.DISCARD)
    reader.release.set()
    made.session.close()


@pytest.fixture
def opened(qtbot, window: Window) -> Window:
    """With a script open and its picture there; the keys go to the canvas."""
    return open_in(qtbot, window)
