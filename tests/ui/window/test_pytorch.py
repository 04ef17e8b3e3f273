"""Run with PyTorch in the window: asked once per file, offered at refusals, never while typing, stopped gently."""

from __future__ import annotations

import json
import math
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QFileDialog

from gradviz.errors import GradvizError
from gradviz.formats import save
from gradviz.recording import Engine, Problem, Recording, Source, Step, Summaries, Summary
from gradviz.run.interpreters import Interpreter
from gradviz.ui.session.document import Content
from gradviz.ui.session.session import WithPyTorch
from gradviz.ui.window.offer import CHOOSE, RUN, offer
from gradviz.ui.window.pytorch import LOOKING, PyTorchDialog
from gradviz.ui.window.window import Window
from tests.samples import F, array, weighted_sum
from tests.ui.sessions import FakeRun
from tests.ui.windows import TEXT, choose_file, open_in

PYTHON = Path("/somewhere/bin/python")
FOUND = [
    Interpreter(PYTHON, "3.11.9", "2.13.0", "/somewhere"),
    Interpreter(Path("/bare/bin/python"), "3.12.1", "", "/bare", "/bare/bin/python has no PyTorch"),
]


class Torch:
    """Stands for PyTorch: every run is `weighted_sum`, by PyTorch; "long" waits until it is stopped."""

    def __init__(self) -> None:
        self.runs: list[tuple[str, WithPyTorch, dict[str, object]]] = []
        self.begun = threading.Event()
        self.change = lambda recording: recording

    def __call__(self, text, name, wish, cancelled, stopping, **details):
        self.runs.append((text, wish, details))
        self.begun.set()
        problem = None
        if "long" in text:
            while not stopping() and not cancelled():
                threading.Event().wait(0.001)
            problem = Problem("Stopped.", "What was recorded until then is shown.")
        if "none" in text:
            raise GradvizError("/somewhere has no PyTorch", hint="Install it, or choose another Python.")
        recording = replace(
            weighted_sum(),
            source=Source("script", name, text),
            engine=Engine("PyTorch", "2.13.0", "3.11.9", ("torch.compile was off while recording.",)),
            problem=problem,
        )
        return FakeRun(self.change(recording))


@pytest.fixture
def torch(window: Window) -> Torch:
    made = Torch()
    window.session._run_pytorch = made
    window.commands.pytorch.search = lambda _beside, _cancelled: list(FOUND)
    return made


def dialog(window: Window) -> PyTorchDialog:
    found = window.commands.pytorch.dialog
    assert found is not None
    return found


def agree(qtbot, window: Window) -> None:
    """Answer the question with the first Python, and wait for the picture."""
    asked = dialog(window)
    qtbot.waitUntil(asked.pythons.isEnabled)
    with qtbot.waitSignal(window.session.picture_changed):
        asked.go.click()


def run(qtbot, window: Window) -> None:
    window.trigger("pytorch")
    agree(qtbot, window)


# ---- the question ----


def test_the_first_run_of_a_file_asks_plainly_and_the_next_ones_do_not(
    qtbot, window: Window, torch: Torch, tmp_path: Path
) -> None:
    file = tmp_path / "net.py"
    open_in(qtbot, window, TEXT, "net.py", file)

    window.trigger("pytorch")

    assert torch.runs == []
    assert "net.py will be executed by your own Python, with your rights" in dialog(window).words.text()
    agree(qtbot, window)
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("pytorch")
    assert [wish.python for _, wish, _ in torch.runs] == [PYTHON, PYTHON]
    assert [details["path"] for *_, details in torch.runs] == [file, file]


def test_a_file_that_was_not_run_here_yet_can_be_run_with_pytorch_from_its_strip(
    qtbot, window: Window, torch: Torch, tmp_path: Path
) -> None:
    file = tmp_path / "net.py"
    file.write_text(TEXT)
    window.open_path(file)
    held = window.workbench.held
    assert held.run_pytorch.isVisibleTo(held)

    held.run_pytorch.click()
    assert torch.runs == []  # it asks first
    agree(qtbot, window)

    assert [details["path"] for *_, details in torch.runs] == [file]
    assert held.isHidden()


def test_a_file_that_somebody_else_has_written_since_asks_again(
    qtbot, window: Window, torch: Torch, tmp_path: Path
) -> None:
    file = tmp_path / "net.py"
    open_in(qtbot, window, TEXT, "net.py", file)
    run(qtbot, window)

    open_in(qtbot, window, TEXT + "import os\n", "net.py", file)
    window.trigger("pytorch")

    assert len(torch.runs) == 1
    assert "net.py will be executed" in dialog(window).words.text()
    dialog(window).reject()


def test_what_is_typed_into_a_file_that_was_agreed_to_and_saved_is_not_asked_about(
    qtbot, window: Window, torch: Torch, tmp_path: Path
) -> None:
    file = tmp_path / "net.py"
    open_in(qtbot, window, TEXT, "net.py", file)
    run(qtbot, window)
    window.session.edit(TEXT + "mine\n")
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("pytorch")
    window.session.edit(TEXT + "mine, saved\n")
    window.trigger("save")

    open_in(qtbot, window, TEXT + "mine, saved\n", "net.py", file)
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("pytorch")

    assert len(torch.runs) == 3


def test_another_file_asks_again_and_proposes_the_same_python(
    qtbot, window: Window, torch: Torch, tmp_path: Path
) -> None:
    open_in(qtbot, window, TEXT, "one.py", tmp_path / "one.py")
    window.commands.pytorch.search = lambda _beside, _cancelled: list(reversed(FOUND))
    window.trigger("pytorch")
    qtbot.waitUntil(dialog(window).pythons.isEnabled)
    dialog(window).pythons.setCurrentIndex(dialog(window).pythons.findData(str(PYTHON)))
    dialog(window)._check()
    agree(qtbot, window)

    open_in(qtbot, window, TEXT + "two\n", "two.py", tmp_path / "two.py")
    window.trigger("pytorch")

    qtbot.waitUntil(dialog(window).pythons.isEnabled)
    assert dialog(window).pythons.currentData() == str(PYTHON)
    assert len(torch.runs) == 1


def test_what_is_in_no_file_is_asked_about_until_it_is_agreed_to(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window)
    run(qtbot, window)
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("pytorch")
    assert len(torch.runs) == 2

    open_in(qtbot, window, TEXT + "other\n")
    window.trigger("pytorch")

    assert len(torch.runs) == 2
    dialog(window).reject()


def test_to_cancel_runs_nothing(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window)
    window.trigger("pytorch")

    dialog(window).reject()

    assert torch.runs == []
    assert not window.session.document.content.with_pytorch


def test_arguments_and_folder_are_kept_for_the_file(qtbot, window: Window, torch: Torch, tmp_path: Path) -> None:
    open_in(qtbot, window, TEXT, "net.py", tmp_path / "net.py")
    window.trigger("pytorch_options")
    dialog(window).args.setText("--lr '0.1 2'")
    dialog(window).folder.setText(str(tmp_path))
    agree(qtbot, window)

    assert torch.runs[0][1] == WithPyTorch(PYTHON, ("--lr", "0.1 2"), tmp_path)
    window.trigger("pytorch_options")
    assert (dialog(window).args.text(), dialog(window).folder.text()) == ("--lr '0.1 2'", str(tmp_path))
    dialog(window).reject()


def test_a_python_without_pytorch_cannot_be_agreed_to(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window)
    window.trigger("pytorch")
    asked = dialog(window)
    assert asked.pythons.currentText() == LOOKING
    assert not asked.go.isEnabled()
    qtbot.waitUntil(asked.pythons.isEnabled)
    assert asked.go.isEnabled()

    asked.pythons.setCurrentIndex(asked.pythons.findData("/bare/bin/python"))
    asked._check()

    assert not asked.go.isEnabled()
    assert "has no PyTorch. Install it there" in asked.problem.text()
    asked.reject()


def test_pythons_with_pytorch_come_first_and_those_without_last(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window)
    window.commands.pytorch.search = lambda _beside, _cancelled: list(reversed(FOUND))
    window.trigger("pytorch")
    asked = dialog(window)
    qtbot.waitUntil(asked.pythons.isEnabled)

    listed = [asked.pythons.itemText(row).partition(",")[0] for row in range(asked.pythons.count())]
    assert listed == ["PyTorch 2.13.0", "Other…", "Look again…", "Python 3.12.1"]
    assert asked.pythons.currentData() == str(PYTHON)
    asked.reject()


def test_the_pythons_are_looked_for_once_and_again_when_that_is_asked_for(qtbot, window: Window, torch: Torch) -> None:
    searches: list[Path | None] = []
    window.commands.pytorch.search = lambda beside, _cancelled: searches.append(beside) or list(FOUND)
    open_in(qtbot, window)
    for _ in range(2):
        window.trigger("pytorch")
        qtbot.waitUntil(dialog(window).pythons.isEnabled)
        dialog(window).reject()
    assert len(searches) == 1

    window.trigger("pytorch")
    asked = dialog(window)
    assert asked.pythons.isEnabled()
    asked.pythons.setCurrentIndex(asked.pythons.findText("Look again…"))
    asked._activated(asked.pythons.currentIndex())
    assert asked.pythons.currentText() == LOOKING
    qtbot.waitUntil(asked.pythons.isEnabled)
    assert len(searches) == 2
    assert asked.pythons.currentData() == str(PYTHON)
    asked.reject()


def test_no_row_of_the_question_lies_over_another_when_a_sentence_comes_in(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window)
    window.trigger("pytorch")
    asked = dialog(window)
    qtbot.waitUntil(asked.pythons.isEnabled)

    asked.pythons.setCurrentIndex(asked.pythons.findData("/bare/bin/python"))
    asked._check()
    qtbot.waitUntil(lambda: asked.problem.isVisible())

    parts = [asked.words, asked.pythons, asked.args, asked.folder, asked.problem, asked.buttons]
    rows = [part.mapTo(asked, part.rect().topLeft()).y() for part in parts]
    ends = [row + part.height() for row, part in zip(rows, parts, strict=True)]
    assert all(end <= below for end, below in zip(ends, rows[1:], strict=False))
    assert all(part.height() >= part.minimumSizeHint().height() for part in parts)
    asked.reject()


@pytest.mark.parametrize(("part", "text"), [("args", "'open"), ("folder", "/no/such/folder")])
def test_what_cannot_be_is_said_before_it_runs(qtbot, window: Window, torch: Torch, part: str, text: str) -> None:
    open_in(qtbot, window)
    window.trigger("pytorch")
    asked = dialog(window)
    qtbot.waitUntil(asked.pythons.isEnabled)

    getattr(asked, part).setText(text)

    assert asked.problem.text()
    assert not asked.go.isEnabled()
    asked.reject()


def test_a_python_can_be_chosen_by_hand(qtbot, window: Window, torch: Torch, monkeypatch) -> None:
    open_in(qtbot, window)
    window.trigger("pytorch")
    asked = dialog(window)
    qtbot.waitUntil(asked.pythons.isEnabled)
    mine = Interpreter(Path("/mine/bin/python"), "3.13.0", "2.13.0", "/mine")
    looked_at: list[Path] = []
    monkeypatch.setattr("gradviz.run.interpreters.ask", lambda path: looked_at.append(path) or mine)
    choose_file(monkeypatch, "getOpenFileName", mine.path)

    asked.pythons.setCurrentIndex(asked.pythons.findData(""))
    asked.pythons.activated.emit(asked.pythons.currentIndex())
    qtbot.waitUntil(asked.pythons.isEnabled)

    assert looked_at == [mine.path]
    assert asked.pythons.currentData() == str(mine.path)
    assert asked.pythons.findData(str(PYTHON)) >= 0
    with qtbot.waitSignal(window.session.picture_changed):
        asked.go.click()
    assert [wish.python for _, wish, _ in torch.runs] == [mine.path]


def test_a_python_that_was_not_chosen_after_all_leaves_the_first(
    qtbot, window: Window, torch: Torch, monkeypatch
) -> None:
    open_in(qtbot, window)
    window.trigger("pytorch")
    asked = dialog(window)
    qtbot.waitUntil(asked.pythons.isEnabled)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))

    asked.pythons.setCurrentIndex(asked.pythons.findData(""))
    asked.pythons.activated.emit(asked.pythons.currentIndex())

    assert asked.pythons.currentData() == str(PYTHON)
    assert asked.go.isEnabled()
    asked.reject()


def test_where_nothing_is_found_it_says_what_to_do(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window)
    window.commands.pytorch.search = lambda _beside, _cancelled: []
    window.trigger("pytorch")
    qtbot.waitUntil(dialog(window).pythons.isEnabled)

    assert "pip install torch" in dialog(window).problem.text()
    assert not dialog(window).go.isEnabled()
    dialog(window).reject()


# ---- the run ----


def test_a_badge_says_whose_numbers_are_shown(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window)
    bench = window.workbench
    assert bench.badge.isHidden()
    assert "built-in engine" in window.figures.text()

    run(qtbot, window)

    assert not bench.badge.isHidden()
    assert bench.badge.text() == "PyTorch 2.13.0"
    assert "torch.compile was off" in bench.badge.toolTip()
    assert "set by hand goes through gradviz's own rules" in bench.badge.toolTip()
    assert "PyTorch 2.13.0" in window.figures.text()
    assert "torch.compile was off" in bench.output.pane.toPlainText()
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("run")
    assert bench.badge.isHidden()


def test_typing_runs_nothing_and_dims_the_picture_until_it_is_asked_for(
    qtbot, window: Window, torch: Torch, reader
) -> None:
    open_in(qtbot, window)
    run(qtbot, window)
    texts = len(reader.texts)

    window.session.edit(TEXT + "more\n")

    assert (len(reader.texts), len(torch.runs)) == (texts, 1)
    assert window.session.document.content.is_stale
    window.session.edit(TEXT)
    assert not window.session.document.content.is_stale
    window.session.edit(TEXT + "more\n")
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("pytorch")
    assert not window.session.document.content.is_stale
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("run")
    with qtbot.waitSignal(window.session.document.run_ended):
        window.session.edit(TEXT + "again\n")
    assert len(torch.runs) == 2


def test_what_is_typed_while_it_runs_leaves_the_picture_dimmed(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window, "long\n")
    window.trigger("pytorch")
    qtbot.waitUntil(dialog(window).pythons.isEnabled)
    dialog(window).go.click()
    torch.begun.wait(10)
    window.session.edit("long, changed\n")

    with qtbot.waitSignal(window.session.document.run_ended):
        window.session.stop()

    assert window.session.document.content.is_stale


def test_stop_shows_what_was_recorded(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window, "long\n")
    window.trigger("pytorch")
    qtbot.waitUntil(dialog(window).pythons.isEnabled)
    dialog(window).go.click()
    torch.begun.wait(10)

    with qtbot.waitSignal(window.session.picture_changed):
        window.session.stop()

    content = window.session.document.content
    assert content.problem is not None
    assert content.problem.message == "Stopped."
    assert content.recording.engine is not None


def test_an_error_before_anything_was_recorded_is_said_with_a_way_on(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window, "none\n")
    window.trigger("pytorch")
    qtbot.waitUntil(dialog(window).pythons.isEnabled)
    with qtbot.waitSignal(window.session.document.run_ended):
        dialog(window).go.click()

    strip = window.workbench.editor.strip
    assert "has no PyTorch" in strip.text()
    assert strip.offer.text() == "Choose another Python…"
    strip.offer.click()
    assert dialog(window).isVisible()
    dialog(window).reject()


def test_where_pytorch_could_not_run_the_built_in_engine_goes_on(qtbot, window: Window, torch: Torch, reader) -> None:
    open_in(qtbot, window, "none\n")
    window.trigger("pytorch")
    qtbot.waitUntil(dialog(window).pythons.isEnabled)
    with qtbot.waitSignal(window.session.document.run_ended):
        dialog(window).go.click()

    with qtbot.waitSignal(window.session.document.run_ended):
        window.session.edit("typed\n")

    assert reader.texts[-1] == "typed\n"


def test_a_window_that_only_shows_recordings_says_so(qtbot, opened: Window) -> None:
    opened.trigger("pytorch")

    assert opened.commands.pytorch.dialog is None
    assert "only shows recordings" in opened.statusBar().currentMessage()


# ---- the offer ----


@pytest.mark.parametrize(
    ("message", "hint", "with_pytorch", "action"),
    [
        ("torch.bfloat16 is beyond the built-in engine", "Run it with PyTorch.", False, RUN),
        ("NotImplementedError: x", "Run it with PyTorch.", False, RUN),
        ("the script ran longer than 60 seconds", "", False, RUN),
        ("a script reads no files here", "", False, RUN),
        ("NameError: name 'x' is not defined", "Define it.", False, ""),
        ("SyntaxError: invalid syntax", "", False, ""),
        ("torch.OutOfMemoryError: CUDA", "", False, ""),
        ("Stopped.", "", False, ""),
        ("/bare/python has no PyTorch", "Install it, or choose another Python.", True, CHOOSE),
        ("RuntimeError: shapes", "", True, ""),
    ],
)
def test_the_offer_stands_at_what_another_engine_can_do(
    message: str, hint: str, with_pytorch: bool, action: str
) -> None:
    assert offer(Content(problem=Problem(message, hint), with_pytorch=with_pytorch)) == action
    assert offer(Content()) == ""


def test_the_button_is_there_only_while_there_is_something_to_offer(
    qtbot, window: Window, torch: Torch, reader
) -> None:
    open_in(qtbot, window)
    strip = window.workbench.editor.strip
    assert strip.offer.isHidden()
    problem = Problem("torch.bfloat16 is beyond the built-in engine", "Run it with PyTorch.", 3, 1)

    window.session.document.take_failure(problem, 0.1)

    assert not strip.offer.isHidden()
    strip.offer.click()
    assert dialog(window).isVisible()
    agree(qtbot, window)
    assert strip.offer.isHidden()


# ---- verify ----


def verified(qtbot, window: Window) -> str:
    window.trigger("verify")
    qtbot.waitUntil(lambda: "rules" in window.statusBar().currentMessage() and "Comparing" not in window.statusBar().currentMessage())  # fmt: skip
    return window.statusBar().currentMessage()


def test_verify_says_that_all_agree(qtbot, window: Window, torch: Torch) -> None:
    open_in(qtbot, window)
    run(qtbot, window)

    assert verified(qtbot, window) == "PyTorch 2.13.0 and gradviz's own rules agree at all 3 nodes that were compared."
    assert not window.workbench.canvas.lit_nodes


def test_verify_lights_where_they_differ(qtbot, window: Window, torch: Torch) -> None:
    def change(recording: Recording) -> Recording:
        steps = list(recording.sweeps[0].steps)
        steps[1] = Step(3, array(1, 1), (array(3, 6), None))
        return replace(recording, sweeps=(replace(recording.sweeps[0], steps=tuple(steps)),))

    torch.change = change
    open_in(qtbot, window)
    run(qtbot, window)

    said = verified(qtbot, window)

    assert "differ at 1 of 3 nodes: x·x·w (the gradient of input 0)." in said
    assert window.workbench.canvas.lit_nodes == {3}
    assert window.workbench.selected == 3


# ---- what was not kept ----


def test_what_was_not_kept_is_said_with_its_norm_or_with_what_is_infinite_in_it(
    qtbot, window: Window, torch: Torch
) -> None:
    def change(recording: Recording) -> Recording:
        kept = Summary((2,), "float32", "size", math.inf, 0.5, math.inf, 0, 1, (0.5,))
        finite = Summary((2,), "float32", "size", 3.2, 0.5, 3.16, 0, 0, (0.5,))
        sweep = recording.sweeps[0]
        steps = list(sweep.steps)
        steps[1] = Step(3, None, (None, None))
        sweep = replace(
            sweep,
            steps=tuple(steps),
            summaries=Summaries(incoming={3: kept}, outgoing={(3, 0): kept, (4, 0): kept}),
        )
        first = Step(4, F(1), (None,))
        sweep = replace(sweep, steps=(first, *sweep.steps[1:]))
        values = (*recording.values[:3], None, recording.values[4])
        return replace(recording, values=values, sweeps=(sweep,), summaries={3: finite})

    torch.change = change
    open_in(qtbot, window)
    run(qtbot, window)
    window.session.clock.player.go(window.session.picture.track.turn + 2)
    window.workbench.select(3)

    text = window.workbench.inspector.text()

    words = "from 0.5 to inf, 1 infinite, too large to keep; among its numbers are 0.5"
    assert "value: Norm 3.2, from 0.5 to 3.16, too large to keep; among its numbers are 0.5." in text
    assert f"comes in: Norm inf, {words}." in text
    assert any(line.startswith("goes out to") and line.endswith(words) for line in text.splitlines())
    track = window.session.picture.track
    assert track.edge_text(track.edges.index((3, 0)), 20) == "1 infinite of 2"
    assert window.workbench.canvas._scene.cards[3].value == "norm 3.2"


# ---- recordings and notebooks ----


def test_a_recording_of_pytorch_is_run_by_nothing_but_a_wish(
    qtbot, window: Window, torch: Torch, reader, tmp_path: Path
) -> None:
    file = tmp_path / "run.gradviz"
    source = Source("script", "net.py", TEXT)
    save(replace(weighted_sum(), source=source, engine=Engine("PyTorch", "2.13.0")), file)
    with qtbot.waitSignal(window.session.picture_changed):
        window.open_path(file)

    window.session.edit(TEXT + "more\n")

    assert reader.texts == []
    assert window.workbench.held.isHidden()
    assert window.session.document.content.is_stale
    run(qtbot, window)
    (_, wish, details) = torch.runs[0]
    assert (wish.folder, details["path"]) == (tmp_path, None)


def test_a_notebook_runs_beside_its_file(qtbot, window: Window, torch: Torch, tmp_path: Path) -> None:
    file = tmp_path / "book.ipynb"
    cell = {"cell_type": "code", "source": "x = 1", "metadata": {}, "outputs": [], "execution_count": None}
    file.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    window.open_path(file)

    run(qtbot, window)
    with qtbot.waitSignal(window.session.picture_changed):
        window.trigger("pytorch")

    assert [(wish.folder, details["kind"]) for _, wish, details in torch.runs] == [(tmp_path, "notebook")] * 2
