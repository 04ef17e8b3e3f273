"""While a graph is laid out: how far it is, and Cancel, which keeps the picture that is there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt

from gradviz.errors import Cancelled
from gradviz.layout.graph import request_of
from gradviz.layout.layered.layers import lay_out_layers
from gradviz.layout.plan import Floats, Layout
from gradviz.playback.track import Track
from gradviz.recording import Source
from gradviz.ui.session.picture import Errand
from gradviz.ui.session.session import CANCELLED
from gradviz.ui.window.window import Window
from tests.playback.scoped import blocks, recording
from tests.ui.real_windows import real_window
from tests.ui.sessions import FakeRun, measure


class Layouter:
    """Lays out at once, or, where `waits`, tells a share of 0.5 and goes on when released or cancelled."""

    def __init__(self) -> None:
        self.waits = False
        self.release = threading.Event()

    def __call__(self, track: Track, sizes: Floats, direction: str, errand: Errand) -> Layout:
        if self.waits:
            errand.tell(0.5)
            while not self.release.wait(0.005):
                if errand():
                    raise Cancelled("The layout was cancelled.")
        request = request_of(track, sizes, direction)
        return lay_out_layers(request)


def interpret(text: str, name: str, cancelled: Callable[[], bool], **_details: object) -> FakeRun:
    """A text of n lines is a net of n blocks."""
    made = recording(blocks(len(text.splitlines())))
    return FakeRun(replace(made, source=Source("script", name, text)))


@pytest.fixture
def layouter() -> Layouter:
    return Layouter()


@pytest.fixture
def window(qtbot, tmp_path, layouter) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini", interpret=interpret, lay_out=layouter, measure=measure)
    qtbot.addWidget(made)
    with qtbot.waitSignal(made.session.picture_changed):
        made.session.open_script("1\n2\n", "two.py")
    layouter.waits = True
    yield made
    layouter.release.set()
    made.close()


def test_a_layout_that_takes_long_says_of_how_many_nodes_and_how_far_it_is(qtbot, window, layouter) -> None:
    strip = window.workbench.drawing
    assert not strip.isVisible()

    window.session.edit("1\n2\n3\n")
    qtbot.waitUntil(lambda: strip.isVisible() and strip.bar.value() > 0)

    assert strip.words.text() == "Laying out 11 nodes…"
    assert 50 < strip.bar.value() < 70

    with qtbot.waitSignal(window.session.picture_changed):
        layouter.release.set()
    assert not strip.isVisible()


def test_words_bar_and_cancel_stand_beside_one_another_in_a_small_window_too(qtbot, window) -> None:
    strip = window.workbench.drawing
    window.resize(760, 520)
    qtbot.waitUntil(lambda: window.width() == 760)
    window.session.edit("1\n2\n3\n")
    qtbot.waitUntil(strip.isVisible)

    strip.words.setText("Laying out 16,808 nodes…")
    strip.layout().activate()
    parts = [part.geometry() for part in (strip.words, strip.bar, strip.cancel)]
    assert window.workbench.canvas.rect().contains(strip.geometry())
    assert strip.rect().contains(parts[-1])
    assert all(before.right() < after.left() for before, after in pairwise(parts))


def test_cancel_keeps_the_picture_says_so_and_greys_it(qtbot, window) -> None:
    picture, strip = window.session.picture, window.workbench.drawing
    window.session.edit("1\n2\n3\n")
    qtbot.waitUntil(strip.isVisible)

    qtbot.mouseClick(strip.cancel, Qt.MouseButton.LeftButton)

    assert window.session.picture is picture
    assert CANCELLED in window.statusBar().currentMessage()
    assert window.workbench.canvas._is_stale
    assert not strip.isVisible()


def test_after_cancel_another_run_draws_the_graph(qtbot, window, layouter) -> None:
    window.session.edit("1\n2\n3\n")
    qtbot.waitUntil(window.workbench.drawing.isVisible)
    window.session.cancel_drawing()
    layouter.waits = False

    with qtbot.waitSignal(window.session.picture_changed):
        window.session.run()

    assert len(window.session.picture.track.forward) == 11
    assert not window.workbench.canvas._is_stale


def test_what_is_folded_while_another_picture_is_laid_out_is_folded_in_it(qtbot, window, layouter) -> None:
    window.session.edit("1\n2\n3\n")
    qtbot.waitUntil(window.workbench.drawing.isVisible)
    window.trigger("fold_all")

    with qtbot.waitSignal(window.session.picture_changed):
        layouter.release.set()

    assert len(window.session.picture.track.forward) == 11
    assert len(window.session.picture.drawn.forward) < 11


def test_what_a_cancelled_layout_was_to_fold_or_turn_stays_as_it_is_seen(qtbot, window, layouter) -> None:
    session, picture = window.session, window.session.picture
    window.trigger("fold_all")
    qtbot.waitUntil(window.workbench.drawing.isVisible)
    session.cancel_drawing()
    assert session.document.content.folding == session.document.content.saved_folding
    session.turn_to("right")
    qtbot.waitUntil(window.workbench.drawing.isVisible)
    session.cancel_drawing()
    layouter.waits = False

    with qtbot.waitSignal(session.picture_changed):
        session.run()

    assert session.direction == "down"
    assert session.picture.layout is picture.layout
    assert not window.workbench.canvas._is_stale
