"""Without a display or a library the app says so in one sentence; a mistake of its own opens a report."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from PySide6.QtCore import Qt, QThread, QThreadPool
from PySide6.QtGui import QFont, QGuiApplication
from PySide6.QtWidgets import QWidget

from gradviz.errors import GradvizError
from gradviz.ui.app import report
from gradviz.ui.app import start as app_module
from gradviz.ui.app.display import check_display, missing_library
from gradviz.ui.app.rooms import Rooms
from gradviz.ui.app.settings import Settings
from gradviz.ui.app.start import build
from gradviz.ui.canvas.scene.scene import Scene
from gradviz.ui.look.theme import Theme
from gradviz.ui.session.lessons import lessons
from gradviz.ui.window.help import HelpWindow


def check(environment: dict[str, str], *, platform: str = "linux", answers: bool = True, problem: str = "") -> None:
    check_display(platform, environment, x_answers=lambda _: answers, plugin_problem=lambda: problem)


def test_no_display_is_one_sentence_with_the_way_out():
    with pytest.raises(GradvizError) as caught:
        check({})

    assert "gradviz export FILE out.json" in caught.value.one_line()
    assert "\n" not in caught.value.one_line()


@pytest.mark.parametrize("environment", [{"QT_QPA_PLATFORM": "offscreen"}, {"QT_QPA_PLATFORM": "minimal:x"}])
def test_platform_without_a_screen_needs_no_display(environment):
    check(environment)


@pytest.mark.parametrize("asked", ["nothing", "nothing:x;nor-this"])
def test_platform_that_qt_has_not_is_named_with_those_it_has(asked):
    with pytest.raises(GradvizError) as caught:
        check({"QT_QPA_PLATFORM": asked, "DISPLAY": ":0"})

    assert f"asks for '{asked}'" in caught.value.message
    assert "minimal, " in caught.value.hint
    assert "offscreen" in caught.value.hint


def test_platform_may_be_the_second_of_a_list_or_in_a_folder_of_its_own():
    check({"QT_QPA_PLATFORM": "nothing;minimal"})
    check({"QT_QPA_PLATFORM": "nothing", "QT_PLUGIN_PATH": "/elsewhere"})


@pytest.mark.parametrize("asked", ["wayland", "wayland-egl"])
def test_wayland_that_does_not_answer_is_named(asked):
    with pytest.raises(GradvizError, match="No Wayland display answers"):
        check({"QT_QPA_PLATFORM": asked, "DISPLAY": ":0"})


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_other_systems_always_have_a_display(platform):
    check({}, platform=platform)


def test_display_that_does_not_answer_is_named():
    with pytest.raises(GradvizError, match=":77 does not answer"):
        check({"DISPLAY": ":77"}, answers=False)


def test_display_that_nobody_serves_does_not_answer():
    with pytest.raises(GradvizError, match="does not answer"):
        check_display("linux", {"DISPLAY": ":6789"}, plugin_problem=lambda: "")


def test_display_that_answers_is_taken():
    check({"DISPLAY": ":0"})


def test_missing_library_is_named_with_the_line_that_installs_it():
    with pytest.raises(GradvizError) as caught:
        check({"DISPLAY": ":0"}, problem="libxcb-cursor.so.0: cannot open shared object file")

    assert "libxcb-cursor.so.0" in caught.value.message
    assert "apt install" in caught.value.hint
    assert "libegl1" in missing_library("linux", "libEGL.so.1: cannot open").hint


def test_app_without_a_display_ends_in_an_error_not_in_an_abort():
    code = "from gradviz.ui.app.start import start\nstart(None)"
    done = subprocess.run([sys.executable, "-c", code], env={"PATH": "/usr/bin"}, capture_output=True, text=True)

    assert done.returncode == 1
    assert "GradvizError: There is no display" in done.stderr


def test_window_that_with_its_frame_is_larger_than_the_screen_is_maximized(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    room = window.screen().availableSize()
    is_large = {}
    for height in (room.height() - 60, room.height() - 20):
        window.resize(room.width(), height)
        app_module.fit_screen(window)
        is_large[height - room.height()] = window.isMaximized()

    assert is_large == {-60: False, -20: True}
    assert window.height() < room.height()


def test_importing_the_app_loads_no_qt():
    code = "import sys, gradviz.ui.app.start\nprint([m for m in sys.modules if m.startswith('PySide6')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_mistake_in_another_thread_is_reported_in_that_of_the_windows(qtbot, monkeypatch, capsys):
    threads = []
    monkeypatch.setattr(report.Report, "open", lambda _self: threads.append(QThread.isMainThread()))
    error = ValueError("of a worker")
    pool = QThreadPool()

    pool.start(lambda: report.report(ValueError, error, None))
    pool.waitForDone()

    assert threads == []
    qtbot.waitUntil(lambda: threads == [True])
    report.Report.shown.reject()


def test_mistake_opens_one_report_that_can_be_copied(qtbot, capsys):
    error = ZeroDivisionError("first")
    report.report(type(error), error, None)
    shown = report.Report.shown
    qtbot.addWidget(shown)
    report.report(ValueError, ValueError("second"), None)
    shown.copy.click()

    assert report.Report.shown is shown
    copied = QGuiApplication.clipboard().text()
    assert "ZeroDivisionError: first" in copied
    assert "ValueError: second" in copied
    assert "gradviz " in copied
    shown.reject()
    assert report.Report.shown is None


def test_settings_survive_and_damage_reads_as_the_default(tmp_path):
    file, script = tmp_path / "s.ini", tmp_path / "a.py"
    script.write_text("x = 1")
    first = Settings(file)
    first.theme, first.reduced_motion = "dark", True
    first.remember_file(script)
    first.remember_file(tmp_path / "gone.py")
    first.save()

    again = Settings(file)
    assert (again.theme, again.reduced_motion, again.recent) == ("dark", True, (script,))
    file.write_text("[General]\ntheme=purple\ndirection=\nreduced_motion=perhaps\n")
    damaged = Settings(tmp_path / "s.ini")
    assert (damaged.theme, damaged.direction, damaged.reduced_motion) == ("system", "auto", False)


def test_latest_recent_file_stands_first_and_once(tmp_path):
    settings, files = Settings(tmp_path / "s.ini"), [tmp_path / f"{i}.py" for i in range(12)]
    for file in (*files, files[3]):
        file.write_text("")
        settings.remember_file(file)

    assert settings.recent[0] == files[3]
    assert len(settings.recent) == len(set(settings.recent)) == 10


def test_esc_closes_the_help(qtbot, qapp) -> None:
    window = HelpWindow(Theme("light"))
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.find_line.setFocus()

    qtbot.keyClick(window.find_line, Qt.Key.Key_Escape)

    assert not window.isVisible()


def test_help_shows_pages_and_keys(qtbot, tmp_path):
    (tmp_path / "a.md").write_text("# First steps\n\nOpen a lesson. See [more](b.md).", encoding="utf-8")
    (tmp_path / "b.md").write_text("# More\n\nText.", encoding="utf-8")
    window = HelpWindow(Theme("light"), folder=tmp_path)
    qtbot.addWidget(window)

    titles = [window.pages.item(row).text() for row in range(window.pages.count())]
    made = ["Walls around a script", "All names", "All ops and their derivatives"]
    assert titles == ["First steps", "More", *made, "Keys"]
    assert "Open a lesson." in window.page.toPlainText()
    window.page.anchorClicked.emit("b.md")
    assert window.pages.currentRow() == 1
    for row, words in ((2, "A file from elsewhere"), (3, "torch.linalg"), (4, "MulBackward0")):
        window.pages.setCurrentRow(row)
        assert words in window.page.toPlainText()
    window.pages.setCurrentRow(5)
    assert "Shift+F10" in window.page.toPlainText()


def test_help_is_in_no_bolder_type_than_the_fonts_have(qtbot):
    window = HelpWindow(Theme("light"))
    qtbot.addWidget(window)

    for row in range(window.pages.count()):
        window.pages.setCurrentRow(row)
        block, weights = window.page.document().begin(), set()
        while block.isValid():
            weights |= {form.format.fontWeight() for form in block.textFormats()}
            block = block.next()
        assert max(weights) == QFont.Weight.DemiBold


def test_help_has_air_below_lists_and_code_as_below_paragraphs(qtbot, tmp_path):
    text = "# One\n\nWords.\n\n- a\n- b\n\nWords.\n\n```\nx = 1\ny = 2\n```\n\nWords.\n"
    (tmp_path / "a.md").write_text(text, encoding="utf-8")
    window = HelpWindow(Theme("light"), folder=tmp_path)
    qtbot.addWidget(window)

    block, below = window.page.document().begin(), []
    while block.isValid():
        below.append((block.text(), block.blockFormat().bottomMargin()))
        block = block.next()
    assert below[1:] == [("Words.", 8), ("a", 3), ("b", 8), ("Words.", 8), ("x = 1", 0), ("y = 2", 8), ("Words.", 8)]


def test_help_finds_words_on_the_page_and_says_where_there_are_none(qtbot, tmp_path):
    (tmp_path / "a.md").write_text("# First steps\n\nOpen a lesson. Run the lesson.", encoding="utf-8")
    window = HelpWindow(Theme("light"), folder=tmp_path)
    qtbot.addWidget(window)

    window.find_line.setText("lesson")
    places = [window.page.textCursor().position()]
    for _ in range(2):
        window.find_line.returnPressed.emit()
        places.append(window.page.textCursor().position())
    assert places[0] < places[1]
    assert places[2] == places[0]
    assert window.found.text() == ""

    window.find_line.setText("LBFGS")
    assert window.found.text() == "Not on this page"
    window.pages.setCurrentRow(2)
    assert window.page.textCursor().selectedText() == "LBFGS"
    assert window.found.text() == ""


def test_real_lesson_runs_is_laid_out_and_takes_a_v_by_hand(qtbot, qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    rooms = Rooms()
    window = build(qapp, rooms, tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitSignal(window.session.picture_changed, timeout=20_000):
        window.open_lesson(next(lesson for lesson in lessons() if lesson.path.name == "15_no_seed_for_a_vector.py"))
    picture = window.session.picture
    assert "implicitly created only for scalar outputs" in window.session.document.content.problem.message
    assert picture.track.call is None

    with qtbot.waitSignal(window.session.picture_changed, timeout=20_000):
        window.session.sweep_by_hand(picture.track.forward[-1], np.array([0, 0, 0, 0, 1], dtype=np.float32))

    call = window.session.picture.track.call
    np.testing.assert_array_equal(call.steps[-1].incoming, [0, 0, 0, 0, 2])
    window.close()


def test_what_a_large_picture_is_drawn_with_is_made_off_the_thread_of_the_window(qtbot, qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    threads = []
    monkeypatch.setattr(Scene, "prepare", lambda scene: threads.append((scene, threading.get_ident())))
    window = build(qapp, Rooms(), tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.show()
    text = (
        "import torch\nx = torch.tensor(1.0, requires_grad=True)\nfor _ in range(9):\n    x = x.sin()\nx.backward()\n"
    )
    with qtbot.waitSignal(window.session.picture_changed, timeout=20_000):
        window.session.open_script(text, "x.py")

    ((scene, thread),) = threads
    assert window.workbench.canvas._scene is scene is window.session.picture.scene
    assert thread != threading.get_ident()
    window.close()


def test_exported_lesson_opens_again_with_its_gradients(qtbot, qapp, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    window = build(qapp, Rooms(), tmp_path / "settings.ini")
    qtbot.addWidget(window)
    window.show()
    with qtbot.waitSignal(window.session.picture_changed, timeout=20_000):
        window.open_lesson(next(lesson for lesson in lessons() if lesson.path.name == "04_weighted_sum.py"))
    window.files.export_to(tmp_path / "four.json")
    with qtbot.waitSignal(window.session.picture_changed, timeout=20_000):
        window.open_path(tmp_path / "four.json")

    leaf = window.session.picture.track.call.steps[-1]
    np.testing.assert_array_equal(leaf.incoming, [-6, 20])
    assert window.session.document.content.name == "four.json"
    window.close()


def test_the_size_of_everything_is_kept_and_taken_at_the_next_start(qtbot, tmp_path, monkeypatch):
    settings = Settings(tmp_path / "s.ini")
    monkeypatch.setattr("gradviz.ui.app.settings.Settings", lambda: settings)
    monkeypatch.setattr(os, "environ", {})
    usual = settings.size
    app_module._take_size()
    untouched = dict(os.environ)

    settings.size = 150
    settings.save()
    app_module._take_size()

    assert (usual, untouched) == (100, {})
    assert Settings(tmp_path / "s.ini").size == 150
    assert os.environ == {"QT_SCALE_FACTOR": "1.5"}


def test_a_size_that_the_surroundings_ask_for_is_left_alone(tmp_path, monkeypatch):
    settings = Settings(tmp_path / "s.ini")
    settings.size = 200
    monkeypatch.setattr("gradviz.ui.app.settings.Settings", lambda: settings)
    monkeypatch.setattr(os, "environ", {"QT_SCALE_FACTOR": "3"})

    app_module._take_size()

    assert os.environ == {"QT_SCALE_FACTOR": "3"}


UNTIL_PAINTED = """
import sys
from pathlib import Path
from gradviz.ui.app.start import application, build
app = application()
from gradviz.ui.app.rooms import Rooms
from gradviz.ui.app.first_paint import FirstPaint
window = build(app, Rooms(), Path(sys.argv[1]))
FirstPaint(window, app.quit)
window.show()
app.exec()
print(*sys.modules)
"""


def test_window_is_painted_before_canvas_layout_and_engine_are_loaded(tmp_path) -> None:
    command = [sys.executable, "-c", UNTIL_PAINTED, str(tmp_path / "settings.ini")]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600, check=True)
    loaded = set(done.stdout.split())

    assert "gradviz.ui.window.window" in loaded
    later = {"networkx", "pygraphviz", "pyqtgraph", "gradviz.engine.tensor", "gradviz.layout.layered.layers",
             "gradviz.ui.canvas.canvas", "gradviz.ui.window.workbench", "gradviz.ui.app.report"}  # fmt: skip
    assert loaded & later == set()


def test_what_the_window_needs_besides_qt_is_imported_before_qt_and_no_more_than_that() -> None:
    code = (
        "import sys, gradviz.ui.app.before_qt as b; before = set(sys.modules);"
        "import gradviz.ui.window.window; own = {m for m in set(sys.modules) - before if m.startswith('gradviz.')};"
        "print([m for m in before if m.startswith('PySide6')],"
        "[m for m in own if not m.startswith('gradviz.ui')], 'gradviz.playback.groups.folded' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[] [] False"
