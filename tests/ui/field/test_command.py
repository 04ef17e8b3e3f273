"""The action that opens the arrow field, and the backward call that it shows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from gradviz.playback.field import find_fields
from gradviz.recording import Recording
from gradviz.ui.app.settings import Settings
from gradviz.ui.field.words import NEEDED
from gradviz.ui.window.window import Window
from tests.playback.test_field import ACROSS, UP, recorded
from tests.samples import weighted_sum
from tests.ui.sessions import FakeRun, Reader, new_session


class MeshReader(Reader):
    """Reads "mesh" as a field, and any other text as `weighted_sum`."""

    def __call__(self, text, name, cancelled, kind="script", **told):
        run = super().__call__(text, name, cancelled, kind, **told)
        return FakeRun(two_sweeps()) if "mesh" in text else run


def two_sweeps() -> Recording:
    """A mesh with two backward calls; in the second one Y is not reached."""
    first = recorded(("X", ACROSS), ("Y", UP), output=np.zeros(45))
    second = recorded(("X", ACROSS), ("Y", UP), output=np.zeros(45), unreached="Y")
    return replace(first, sweeps=(*first.sweeps, *second.sweeps))


@pytest.fixture
def main(qtbot, tmp_path: Path, theme):
    made = Window(theme, Settings(tmp_path / "settings.ini"), new_session(MeshReader()))
    qtbot.addWidget(made)
    made.show()
    yield made
    made.session.close()


def opened(qtbot, main: Window, text: str) -> Window:
    main.session.open_script(text, "mesh.py")  # the picture before goes at once
    qtbot.waitUntil(lambda: main.session.picture is not None)
    return main


def choose(main: Window, sweep: int) -> None:
    main.session.document.choose_sweep(sweep)


def test_action_is_there_only_where_there_is_a_field(qtbot, main):
    action = main.actions_by_name.by_name["arrow_field"]
    assert not action.isEnabled()

    opened(qtbot, main, "weights")
    assert not action.isEnabled()
    assert action.toolTip() == NEEDED

    opened(qtbot, main, "mesh")
    choose(main, 0)
    assert action.isEnabled()
    assert "Ctrl+Shift+A" in action.toolTip()


def test_window_follows_the_chosen_backward_call(qtbot, main):
    opened(qtbot, main, "mesh")
    choose(main, 0)
    main.trigger("arrow_field")
    shown = main.commands.field.window
    assert shown is not None
    assert shown.title.text() == "∂Z/∂X, ∂Z/∂Y"
    assert not shown.isModal()

    choose(main, 1)

    assert shown.empty.isVisible()


def test_window_opens_at_the_size_it_had(qtbot, main):
    opened(qtbot, main, "mesh")
    choose(main, 0)
    main.trigger("arrow_field")
    main.commands.field.window.resize(530, 610)
    QApplication.processEvents()
    qtbot.keyClick(main.commands.field.window, Qt.Key.Key_Escape)
    assert not main.commands.field.window.isVisible()
    main.commands.field.window = None

    main.trigger("arrow_field")

    assert (main.commands.field.window.width(), main.commands.field.window.height()) == (530, 610)


def test_fields_are_looked_for_once_per_backward_call(qtbot, main, monkeypatch):
    asked: list[int | None] = []

    def counted(recording, sweep):
        asked.append(sweep)
        return find_fields(recording, sweep)

    monkeypatch.setattr("gradviz.playback.field.find_fields", counted)
    opened(qtbot, main, "mesh")
    choose(main, 0)
    qtbot.waitUntil(lambda: main.session.picture.track.sweep == 0)
    first = main.commands.field.fields
    asked.clear()

    assert first
    assert main.commands.field.fields is first
    assert asked == []
    choose(main, 1)
    qtbot.waitUntil(lambda: main.session.picture.track.sweep == 1)

    assert main.commands.field.fields == ()  # Y is not reached in this call
    assert main.commands.field.fields == ()
    assert asked == [1]


def test_lone_recording_without_leaves_in_pairs_has_no_field(qtbot, main):
    with qtbot.waitSignal(main.session.picture_changed):
        main.session.open_recording(weighted_sum(), "sum.json")

    assert main.commands.field.fields == ()
