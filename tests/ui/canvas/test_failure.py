"""The mark on the node at which a run ended."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtGui import QColor

from gradviz.playback.track import Track
from gradviz.recording import Broken, Problem
from gradviz.ui.canvas.ink.marks import PILL
from gradviz.ui.canvas.step.failure import failed_box, failure_marks
from tests.recorded import run
from tests.samples import weighted_sum
from tests.ui.canvas.canvases import marks_of, middle_of, picture, shown


def failing(node: int | None) -> Track:
    return Track(replace(weighted_sum(), problem=Problem("no", node=node)), 0)


def test_the_node_at_which_the_run_ended_has_a_frame_and_a_tab(qtbot, theme):
    canvas = shown(qtbot, theme, failing(2))
    image = picture(canvas)
    box = canvas.view.boxes_to_screen(canvas._scene.boxes[2][None])[0]
    error = QColor(theme.palette.error)

    middle = round((box[1] + box[3]) / 2)
    across = [image.pixelColor(x, middle) for x in range(round(box[0]) - 6, round(box[0]))]

    assert min(abs(c.red() - error.red()) + abs(c.green() - error.green()) for c in across) < 40
    assert canvas._scene.boxes[2][0] < canvas.view.to_scene(middle_of(canvas, 2).toTuple())[0]


@pytest.mark.parametrize("node", [None, 999])
def test_without_such_a_node_in_the_picture_there_is_no_mark(qtbot, theme, node):
    canvas = shown(qtbot, theme, failing(node))

    assert failed_box(canvas._scene) is None
    assert not failure_marks(canvas._scene, canvas.view, canvas._camera.sight, theme.palette)


def test_the_mark_is_there_however_far_the_picture_is(qtbot, theme):
    canvas = shown(qtbot, theme, failing(2))

    canvas.zoom_by(0.05)

    assert any(mark.kind == PILL for mark in marks_of(canvas))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("y = x * 2\nz = y + 1\ny.backward()\n", "y"),
        ("y = (x * 2).sum()\ny.backward(torch.ones(3))\n", "y"),
        ("y = x.exp()\ny.mul_(2)\ny.sum().backward()\n", "y"),
        ("y = (x * 2).sum()\ny.backward()\ny.backward()\n", None),
    ],
)
def test_a_refused_backward_names_the_node_it_was_asked_of(text, name):
    recording = run(f"import torch\nx = torch.tensor([1., 2.], requires_grad=True)\n{text}", "one.py").recording

    assert recording.problem is not None
    assert recording.problem.node is not None
    assert name is None or recording.nodes[recording.problem.node].name == name


def test_a_call_that_failed_in_a_run_that_went_on_is_marked_too(qtbot, theme):
    (sweep,) = weighted_sum().sweeps
    broken = replace(sweep, error=Broken("no", 1))
    recording = replace(weighted_sum(), sweeps=(broken, sweep))

    assert failed_box(shown(qtbot, theme, Track(recording, 0))._scene) == 1
    assert failed_box(shown(qtbot, theme, Track(recording, 1))._scene) is None
    ended = replace(recording, problem=Problem("no", node=2))
    assert [Track(ended, index).failed for index in (0, 1)] == [1, 2]
