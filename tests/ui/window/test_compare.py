"""Two recordings, or two backward calls, on one layout: what differs is said, marked, and found."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog

from gradviz.formats import save
from tests.recorded import run
from tests.ui.real_windows import real_window, settle

TEXT = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * x
y = (h * 3).sum()
y.backward()
"""
OTHER = TEXT.replace("2.0]", "20.0]")
LONGER = TEXT.replace("(h * 3).sum()", "(torch.tanh(h) * 3).sum()")
CALLS = TEXT.replace(
    "y.backward()", "h.backward(torch.tensor([1.0, 0.0]), retain_graph=True)\nh.backward(torch.tensor([0.0, 1.0]))"
)


@pytest.fixture
def window(qtbot, tmp_path):
    made = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(made)
    made.session.open_script(TEXT, "one.py")
    settle(qtbot, made)
    return made


def compare_with(qtbot, window, text: str, folder, monkeypatch) -> None:
    path = folder / "other.gradviz"
    save(run(text).recording, path)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", staticmethod(lambda *_args, **_kw: (str(path), "")))
    window.trigger("compare_file")
    settle(qtbot, window)


def names(box) -> list[str]:
    return [box.itemText(at) for at in range(box.count())]


def test_a_file_is_shown_beside_this_run_on_one_layout_with_what_differs(qtbot, window, tmp_path, monkeypatch):
    compare_with(qtbot, window, OTHER, tmp_path, monkeypatch)
    bench, strip = window.workbench, window.workbench.compare
    own, layout = window.session.document.content.own, window.session.picture.layout

    assert strip.isVisible()
    assert names(strip.choice) == names(strip.against) == ["This run", "other.gradviz"]
    assert (strip.choice.currentText(), strip.against.currentText()) == ("This run", "other.gradviz")
    assert strip.words.text() == (
        "4 of 5 values and 1 of 4 gradients differ from other.gradviz, first at x ([1, 2] here, [1, 20] there)."
    )
    assert set(bench.canvas._lights.difference.values) == {0, 1, 3, 4}
    assert bench.canvas._lights.difference.values[0].word == "there"

    strip.go.click()
    settle(qtbot, window)
    assert bench.selected == 0

    strip.choice.setCurrentIndex(1)
    strip.shown_chosen.emit(1)
    settle(qtbot, window)

    assert window.session.document.content.recording.values[0].tolist() == [1, 20]
    assert (strip.choice.currentText(), strip.against.currentText()) == ("other.gradviz", "This run")
    assert window.session.picture.layout is layout
    assert "[1, 20] here, [1, 2] there" in strip.words.text()

    window.trigger("compare_end")
    settle(qtbot, window)
    assert strip.isHidden()
    assert bench.canvas._lights.difference is None
    assert window.session.document.content.recording is own


def test_while_another_is_shown_the_own_one_is_saved_with_its_v_and_comes_back(qtbot, window, tmp_path, monkeypatch):
    session = window.session
    session.sweep_by_hand(4, np.float32(10))
    settle(qtbot, window)
    own, seeds = session.document.content.own, session.document.content.hand_seeds
    compare_with(qtbot, window, OTHER, tmp_path, monkeypatch)
    window.workbench.compare.shown_chosen.emit(1)
    settle(qtbot, window)
    assert session.document.content.own is not own

    written = session.recording_to_write(None)
    assert written.values is own.values
    assert written.view.by_hand == 1

    window.trigger("compare_end")
    settle(qtbot, window)
    assert session.document.content.own is own
    assert session.document.content.hand_seeds == seeds
    assert session.document.content.aside is None
    session.sweep_by_hand(4, np.float32(7))
    settle(qtbot, window)
    assert len(session.document.content.own.sweeps) == 3


def test_of_graphs_that_differ_what_can_be_paired_is_compared_and_the_rest_counted(
    qtbot, window, tmp_path, monkeypatch
):
    compare_with(qtbot, window, LONGER, tmp_path, monkeypatch)
    words = window.workbench.compare.words.text()
    assert "Without a counterpart: 1 there of the nodes." in words
    difference = window.session.picture.difference
    ops = {window.session.picture.track.recording.nodes[node].op for node in difference.values}
    assert ops == {"mul", "sum"}
    assert len(difference.node_of) == len(window.session.picture.track.forward)


def test_this_run_is_kept_and_the_next_ones_are_compared_with_it(qtbot, window):
    window.trigger("compare_runs")
    settle(qtbot, window)
    strip = window.workbench.compare
    assert names(strip.choice) == ["This run", "Run before"]
    assert strip.words.text() == "From now on every run is compared with this one: change the script."

    window.workbench.editor.set_text(OTHER)
    window.session.edit(OTHER)
    settle(qtbot, window)
    assert strip.words.text().startswith("4 of 5 values and 1 of 4 gradients differ from Run before, first at x")

    window.workbench.editor.set_text(TEXT)
    window.session.edit(TEXT)
    settle(qtbot, window)
    assert strip.words.text() == "All numbers are those of Run before."
    assert strip.go.isHidden()


def test_two_seeds_are_compared_on_one_layout(qtbot, window):
    window.session.open_script(CALLS, "calls.py")
    settle(qtbot, window)
    window.trigger("compare_calls")
    settle(qtbot, window)
    strip = window.workbench.compare

    assert strip.choice.count() == 2
    assert (strip.choice.currentIndex(), strip.against.currentIndex()) == (0, 1)
    assert strip.words.text().startswith(
        "2 of 2 gradients differ from 2: h.backward([0, 1]), first at h ([1, 0] here, [0, 1] there)."
    )

    layout = window.session.picture.layout
    strip.shown_chosen.emit(1)
    settle(qtbot, window)
    assert window.session.document.content.sweep == 1
    assert (strip.choice.currentIndex(), strip.against.currentIndex()) == (1, 0)
    assert window.session.picture.layout is layout

    window.session.sweep_by_hand(2, np.array([1.0, 0.0], np.float32))
    settle(qtbot, window)
    assert window.session.document.content.place is not None or strip.words.text() == ""


def test_a_what_if_is_shown_against_the_run_even_while_files_are_compared(qtbot, window, tmp_path, monkeypatch):
    from gradviz.changes import Spot

    compare_with(qtbot, window, OTHER, tmp_path, monkeypatch)
    window.workbench.change_number(Spot(0, 1), 5.0)
    settle(qtbot, window)
    assert set(window.session.picture.difference.values) == {0, 1, 3, 4}
    assert window.session.picture.difference.values[0].was.tolist() == [1, 2]
    window.trigger("back_to_run")
    settle(qtbot, window)
    assert window.session.picture.difference.values[0].was.tolist() == [1, 20]


def test_a_file_that_is_no_recording_is_one_sentence(qtbot, window, tmp_path, monkeypatch):
    path = tmp_path / "broken.gradviz"
    path.write_bytes(b"nothing")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", staticmethod(lambda *_args, **_kw: (str(path), "")))
    window.trigger("compare_file")
    settle(qtbot, window)
    assert "broken.gradviz" in window.statusBar().currentMessage()
    assert window.workbench.compare.isHidden()


def test_one_call_alone_has_nothing_to_be_compared_with(qtbot, window):
    window.trigger("compare_calls")
    assert "no other backward call" in window.statusBar().currentMessage()


def test_both_choices_can_be_read_in_a_small_window(qtbot, window):
    window.resize(900, 600)
    window.session.open_script(CALLS, "two.py")
    settle(qtbot, window)
    window.trigger("compare_calls")
    settle(qtbot, window)
    strip = window.workbench.compare

    assert strip.against.isVisible()
    for box in (strip.choice, strip.against):
        assert box.width() >= box.fontMetrics().horizontalAdvance("2: h.back") + 28
    assert strip.end.geometry().right() <= strip._buttons.width()
