"""A file from elsewhere waits for one press, and where no wall holds it is said that nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QWidget

from gradviz.run.confine.walls import ONLY_THE_PRESS
from gradviz.ui.window.held_strip import HeldStrip


@pytest.mark.parametrize("holds", [True, False])
def test_where_no_wall_holds_the_strip_says_so(qtbot, monkeypatch: pytest.MonkeyPatch, holds: bool):
    monkeypatch.setattr("gradviz.run.confine.walls.holds", lambda: holds)
    around = QWidget()
    qtbot.addWidget(around)
    strip = HeldStrip()
    strip.setParent(around)

    strip.show_file(Path("model.py"))

    assert strip.words.text().startswith("model.py was not run here before")
    assert (ONLY_THE_PRESS in strip.words.text()) is not holds
