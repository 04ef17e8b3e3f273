"""A large recording is opened off the GUI thread: how far it is, Cancel, and what is open stays until it is there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from gradviz import formats
from gradviz.formats import save
from gradviz.formats.watched import Watch, go_on
from gradviz.recording import Recording
from gradviz.ui.session.drafts import Drafts, draft_of
from gradviz.ui.window.files import Unsaved
from gradviz.ui.window.window import Window
from tests.samples import weighted_sum
from tests.ui.real_windows import lay_out_parts
from tests.ui.windows import TEXT, answer, choose_file


class Disk:
    """Reads a file at once, or, where `waits`, says that half is done and goes on when released or cancelled."""

    def __init__(self) -> None:
        self.waits, self.release, self.threads = True, threading.Event(), list[int]()
        self._load = formats.load

    def __call__(self, path: Path, watch: Watch = formats._NOBODY) -> Recording:
        self.threads.append(threading.get_ident())
        if self.waits:
            watch.tell(0.5)
            while not self.release.wait(0.005):
                go_on(watch, 0.5)
        return self._load(path, watch)


@pytest.fixture
def disk(monkeypatch) -> Iterator[Disk]:
    made = Disk()
    monkeypatch.setattr(formats, "load", made)
    yield made
    made.release.set()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sum.json"
    save(weighted_sum(), path)
    return path


def strip_of(qtbot, window: Window):
    qtbot.waitUntil(lambda: window._opening_strip is not None and window._opening_strip.isVisible())
    lay_out_parts(window)
    return window._opening_strip


def test_what_is_open_stays_until_the_file_is_there(qtbot, opened, disk, file):
    picture = opened.session.picture

    opened.open_path(file)
    strip = strip_of(qtbot, opened)

    assert (strip.words.text(), strip.bar.value()) == ("Opening sum.json…", 50)
    assert (opened.session.document.content.text, opened.session.picture) == (TEXT, picture)
    assert opened.actions_by_name.by_name["stop"].isEnabled()
    opened.session.clock.player.step()
    with qtbot.waitSignal(opened.session.picture_changed):
        disk.release.set()
    assert opened.session.document.content.name == "sum.json"
    assert not strip.isVisible()
    assert threading.get_ident() not in disk.threads
    assert opened._settings.recent[0] == file


def test_a_small_file_is_opened_without_a_flicker(qtbot, opened, disk, file):
    disk.waits = False
    said = []
    opened.session.opening.slow_changed.connect(said.append)

    with qtbot.waitSignal(opened.session.picture_changed):
        opened.open_path(file)

    assert said == []
    assert opened._opening_strip is None


def test_the_strip_is_in_the_middle_of_the_top_and_all_of_it_is_seen(qtbot, window, disk, file):
    window.resize(640, 420)
    long = file.with_name(f"{'a long name ' * 12}.json")
    file.rename(long)

    window.open_path(long)
    strip = strip_of(qtbot, window)

    pages = window._stack.geometry()
    assert pages.contains(strip.geometry())
    assert abs(strip.geometry().center().x() - pages.center().x()) <= 1
    assert strip.rect().contains(strip.cancel.geometry())
    assert strip.words.text().startswith("Opening a long name")


@pytest.mark.parametrize("way", ["button", "stop"])
def test_cancel_keeps_what_is_open_and_says_so(qtbot, opened, disk, file, way):
    opened.open_path(file)
    strip = strip_of(qtbot, opened)

    if way == "button":
        qtbot.mouseClick(strip.cancel, Qt.MouseButton.LeftButton)
    else:
        opened.trigger("stop")

    assert opened.statusBar().currentMessage() == "sum.json: Opening was cancelled."
    assert not strip.isVisible()
    assert opened.session.document.content.text == TEXT
    assert file not in opened._settings.recent


def test_a_file_that_cannot_be_read_leaves_what_is_open(qtbot, opened, disk, file):
    file.write_text('{"format": "gradviz", "version": 1, "nodes": 3}')
    disk.waits = False

    with qtbot.waitSignal(opened.session.opening.refused):
        opened.open_path(file)

    assert opened.statusBar().currentMessage().startswith("sum.json: ")
    assert opened.session.document.content.text == TEXT


def test_what_is_opened_meanwhile_is_not_replaced_later(qtbot, opened, disk, file):
    opened.open_path(file)
    strip = strip_of(qtbot, opened)
    with qtbot.waitSignal(opened.session.picture_changed):
        opened.session.open_script("another", "another.py")

    assert not strip.isVisible()
    disk.release.set()
    opened.session.opening._work._pool.waitForDone()
    assert opened.session.document.content.name == "another.py"


@pytest.mark.parametrize("given", [Unsaved.CANCEL, Unsaved.DISCARD])
def test_what_was_typed_meanwhile_is_asked_about(qtbot, opened, disk, file, monkeypatch, given):
    opened.open_path(file)
    strip_of(qtbot, opened)
    opened.workbench.editor.area.setFocus()
    qtbot.keyClicks(opened.workbench.editor.area, "x")
    asked = answer(monkeypatch, given)

    disk.release.set()
    qtbot.waitUntil(lambda: not opened.session.opening.is_busy)

    assert asked == ["one.py"]
    assert opened.session.document.content.name == ("one.py" if given == Unsaved.CANCEL else "sum.json")


def test_what_was_given_up_is_asked_about_once(qtbot, opened, disk, file, monkeypatch):
    opened.session.document.set_text("changed")
    asked = answer(monkeypatch, Unsaved.DISCARD)
    opened.open_path(file)
    strip_of(qtbot, opened)

    with qtbot.waitSignal(opened.session.picture_changed):
        disk.release.set()

    assert asked == ["one.py"]


@pytest.mark.parametrize("is_whole", [True, False])
def test_window_that_begins_with_a_recording_shows_no_start_page_before_it(qtbot, window, disk, file, is_whole):
    if not is_whole:
        file.write_text("{")
    window.opening(file)()
    strip = strip_of(qtbot, window)

    says = [label.text() for label in window.findChildren(QLabel) if label.isVisible()]
    assert "Opening sum.json …" in says
    assert not window.start.isVisible()

    disk.release.set()
    qtbot.waitUntil(lambda: window.is_working if is_whole else window.start.isVisible())

    assert not strip.isVisible()
    assert ("sum.json" in window.statusBar().currentMessage()) is not is_whole


def test_comparing_with_a_file_keeps_the_picture_until_it_is_read(qtbot, opened, disk, file, monkeypatch):
    choose_file(monkeypatch, "getOpenFileName", file)
    opened.trigger("compare_file")
    strip = strip_of(qtbot, opened)

    assert opened.session.document.content.beside == ()
    disk.release.set()
    qtbot.waitUntil(lambda: bool(opened.session.document.content.beside))

    assert [each.name for each in opened.session.document.content.beside] == ["This run", "sum.json"]
    assert not strip.isVisible()


def test_a_draft_of_a_large_document_is_read_off_the_gui_thread(qtbot, opened, disk, file, tmp_path):
    disk.waits = False
    with qtbot.waitSignal(opened.session.picture_changed):
        opened.open_path(file)
    opened.session.document.set_text("changed")
    drafts = Drafts(tmp_path / "drafts")
    drafts.keep(draft_of(opened.session.document.content))
    drafts.let_go(stays=True)
    (found,) = drafts.found()
    disk.waits, disk.threads = True, []

    opened.open_draft(found)
    strip_of(qtbot, opened)
    with qtbot.waitSignal(opened.session.document.opened):
        disk.release.set()

    assert threading.get_ident() not in disk.threads
    assert opened.session.document.content.text == "changed"
