"""The seed laboratory: what follows from a v moves along while its numbers are dragged, J is built row by row beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QToolButton

from gradviz.graph.derivatives import Derivatives
from gradviz.playback.track import Track
from gradviz.recording import Recording
from gradviz.shipped import shipped
from gradviz.ui.look.dragging import PIXELS
from gradviz.ui.look.number_tiles import EMPTY, NumberTiles
from gradviz.ui.seed.board import Board
from gradviz.ui.seed.experiment import MOST, SAMPLED, Experiment, Wish, counted, spread
from gradviz.ui.seed.laboratory import BUILD, SeedLaboratory
from gradviz.ui.seed.pairs import extended, name_of, paired
from gradviz.ui.window.window import Window
from tests.recorded import run
from tests.ui.real_windows import real_window, settle

CUSTOM = shipped("examples", "13_a_function_of_your_own.py").read_text(encoding="utf-8")
TWO_LEAVES = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
y = x * x * w
y.backward(torch.ones(2))
"""
CUBES = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x ** 3).sum() + x[0] * x[1]
y.backward()
"""
LARGE = """\
import torch
x = torch.linspace(-1, 1, 20, requires_grad=True)
y = x.reshape(4, 5).cumsum(1).exp()
y.sum().backward()
"""
ROOT = """\
import torch
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = x.sqrt()
y.backward(torch.tensor([0.0, 1.0]))
"""


def wait(qtbot, laboratory: SeedLaboratory) -> None:
    """Until nothing is computed and nothing waits to be."""
    qtbot.waitUntil(lambda: not laboratory.is_busy, timeout=30_000)


@pytest.fixture
def window(qtbot, tmp_path: Path) -> Iterator[Window]:
    made = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(made)
    yield made
    made.session.close()


def opened(qtbot, window: Window, text: str) -> SeedLaboratory:
    """The laboratory over a script."""
    window.session.open_script(text, "one.py")
    settle(qtbot, window)
    window.trigger("seed")
    laboratory = window.commands.seed.window
    assert laboratory is not None
    wait(qtbot, laboratory)
    return laboratory


def over(qtbot, theme, recording: Recording) -> SeedLaboratory:
    """The laboratory over a recording, without a window around it."""
    made = SeedLaboratory(theme)
    qtbot.addWidget(made)
    made.show()
    made.show_track(Track(recording, 0))
    wait(qtbot, made)
    return made


def drag(qtbot, tiles: NumberTiles, index: int, steps: int) -> QPoint:
    """Press a tile and move it; it is still held."""
    start = tiles.box(index).center()
    end = start + QPoint(steps * PIXELS, 0)
    qtbot.mousePress(tiles, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(tiles, end)
    return end


def looks(board: Board) -> list[bool]:
    """Which entries of J are not there yet."""
    return [board.matrix._look(index) == EMPTY for index in range(board.matrix.array.size)]


def test_lesson_thirteen_shows_v_and_j_and_both_products_side_by_side(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)
    board = laboratory.board

    assert laboratory.output.currentText().startswith("f ")
    assert board.v.array.tolist() == [1, 1, 1]
    assert board.matrix.array.tolist() == [[2, 0], [2, 1], [0, 4]]
    assert board.back.array.tolist() == [4, 5]
    assert board.forward.array.tolist() == [2, 3, 4]
    np.testing.assert_allclose(board.back_difference.array, [4, 5], rtol=1e-6)
    np.testing.assert_allclose(board.forward_difference.array, [2, 3, 4], rtol=1e-6)
    assert "computed two ways" in board.identity.text()
    assert "adds up all 3 rows" in laboratory.question.toolTip()
    assert "the Jacobians of these would have 6" in laboratory.count.toolTip()
    assert not laboratory.problem.isVisible()


def test_what_follows_moves_along_while_a_number_of_v_is_dragged(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)

    end = drag(qtbot, laboratory.board.v, 2, -10)
    wait(qtbot, laboratory)
    assert laboratory.board.v.is_changing
    assert laboratory.board.back.array.tolist() == [4, 1]
    assert laboratory.v.field.text() == "1, 1, 0"
    assert "mixes 2 of the 3 rows" in laboratory.question.toolTip()

    qtbot.mouseRelease(laboratory.board.v, Qt.MouseButton.LeftButton, pos=end)
    wait(qtbot, laboratory)
    assert laboratory.board.back.array.tolist() == [4, 1]
    np.testing.assert_allclose(laboratory.board.back_difference.array, [4, 1], rtol=1e-6)


def test_escape_takes_a_drag_back_and_the_laboratory_stays(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)
    laboratory._seconds = 1.0  # as if it were a slow graph: differences wait until it is let go
    drag(qtbot, laboratory.board.v, 2, -10)
    wait(qtbot, laboratory)
    assert laboratory.findings.backward_difference is None

    qtbot.keyClick(laboratory.board.v, Qt.Key.Key_Escape)
    wait(qtbot, laboratory)

    assert laboratory.isVisible()
    assert laboratory.board.back.array.tolist() == [4, 5]
    assert laboratory.findings.backward_difference is not None


def test_u_is_dragged_in_the_same_way(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)

    end = drag(qtbot, laboratory.board.u, 0, -10)
    qtbot.mouseRelease(laboratory.board.u, Qt.MouseButton.LeftButton, pos=end)
    wait(qtbot, laboratory)

    assert laboratory.board.forward.array.tolist() == [0, 1, 4]


def test_a_click_moves_the_one_of_a_one_hot_v(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)
    laboratory.v.buttons["one_hot"].click()
    qtbot.mouseClick(laboratory.board.v, Qt.MouseButton.LeftButton, pos=laboratory.board.v.box(1).center())
    wait(qtbot, laboratory)

    assert laboratory.board.v.array.tolist() == [0, 1, 0]
    assert laboratory.board.back.array.tolist() == [2, 1]
    assert "picks row 2" in laboratory.question.toolTip()


def test_j_is_built_row_by_row_and_v_comes_back(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)
    laboratory.v.choose("ones")
    laboratory.build.click()
    laboratory._timer.stop()  # the passes are asked for here

    for row in range(3):
        wait(qtbot, laboratory)
        assert laboratory.question.toolTip() == f"Pass {row + 1} of 3: this v gives row {row + 1} of J."
        assert laboratory.board.v.array.tolist() == np.eye(3)[row].tolist()
        assert looks(laboratory.board) == [at // 2 > row for at in range(6)]
        assert laboratory.board.back.array.tolist() == laboratory.board.matrix.array[row].tolist()
        laboratory.build_on()
    wait(qtbot, laboratory)

    assert laboratory.board.v.array.tolist() == [1, 1, 1]
    assert "J took 3 passes" in laboratory.question.toolTip()
    assert laboratory.build.text() == BUILD
    assert not any(looks(laboratory.board))


def test_building_can_be_stopped(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)
    laboratory.build.click()
    wait(qtbot, laboratory)

    laboratory.build.click()
    wait(qtbot, laboratory)

    assert laboratory.board.v.array.tolist() == [1, 1, 1]
    assert not laboratory.is_building


def test_a_v_is_played_as_a_backward_call_of_the_picture(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)
    laboratory.v.field.setText("")
    qtbot.keyClicks(laboratory.v.field, "0 1 2")
    calls = len(window.session.picture.track.recording.sweeps)

    qtbot.keyClick(laboratory.v.field, Qt.Key.Key_Return)
    settle(qtbot, window)

    recording = window.session.picture.track.recording
    assert len(recording.sweeps) == calls + 1
    assert recording.sweeps[-1].accumulated[0].after.tolist() == [2, 9]
    wait(qtbot, laboratory)
    assert laboratory.board.v.array.tolist() == [0, 1, 2]
    assert laboratory.isVisible()


@pytest.mark.parametrize(
    ("text", "words"), [("1 2", "v needs shape (3,)"), ("a b c", "number"), ("", "Type 3 numbers for v")]
)
def test_a_v_that_does_not_fit_is_said_in_a_sentence_and_the_rest_stays(qtbot, window, text, words):
    laboratory = opened(qtbot, window, CUSTOM)
    laboratory.v.field.setFocus()
    laboratory.v.field.selectAll()
    qtbot.keyClick(laboratory.v.field, Qt.Key.Key_Backspace)
    qtbot.keyClicks(laboratory.v.field, text)

    assert words in laboratory.problem.text()
    assert not laboratory.play.isEnabled()
    assert laboratory.board.back.array.tolist() == [4, 5]

    laboratory.v.buttons["ones"].click()
    wait(qtbot, laboratory)
    assert not laboratory.problem.isVisible()
    assert laboratory.play.isEnabled()


def test_a_number_that_is_no_number_is_refused_in_place(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)

    laboratory.board.v.refused.emit("“abc” is not a number.")

    assert laboratory.problem.text() == "“abc” is not a number."


def test_what_is_not_finite_is_said(qtbot, window):
    laboratory = opened(qtbot, window, ROOT)

    assert "not finite" in laboratory.problem.text()  # 1 times infinity

    laboratory.v.field.setText("0 1")
    laboratory.v.field.textEdited.emit("0 1")
    wait(qtbot, laboratory)
    assert np.isnan(laboratory.board.back.array[0])  # 0 times infinity
    assert "not finite" in laboratory.problem.text()
    assert "nothing to compare" in laboratory.board.identity.text()


def test_at_a_kink_it_is_said_that_differences_say_something_else(qtbot, window):
    text = CUBES.replace("(x ** 3).sum() + x[0] * x[1]", "torch.relu(x - 1)").replace(
        "backward()", "backward(x.detach())"
    )
    laboratory = opened(qtbot, window, text)

    assert laboratory.board.back.array.tolist() == [0, 1]
    np.testing.assert_allclose(laboratory.board.back_difference.array, [0.5, 1], rtol=1e-6)
    assert "a kink" in laboratory.problem.text()


def test_every_leaf_has_its_product_and_leads_to_its_j(qtbot, window):
    laboratory = opened(qtbot, window, TWO_LEAVES)
    strip = laboratory.gradients
    assert strip.isVisible()
    x, w = strip.names

    assert [np.ravel(strip.tiles[leaf].array).tolist() for leaf in (x, w)] == [[6, 12], [5]]
    strip.names[w].click()
    wait(qtbot, laboratory)

    assert laboratory.leaf.currentData() == w
    assert laboratory.board.matrix.array.tolist() == [[1], [4]]
    assert laboratory.board.forward.array.tolist() == [1, 4]


def test_second_derivatives_are_those_of_v_times_the_output(qtbot, window):
    laboratory = opened(qtbot, window, CUBES)
    laboratory.second.click()
    wait(qtbot, laboratory)

    assert laboratory.board.matrix.array.tolist() == [[6, 1], [1, 12]]
    assert laboratory.board.forward.array.tolist() == [7, 13]
    np.testing.assert_allclose(laboratory.board.forward_difference.array, [7, 13], rtol=1e-6)
    assert not laboratory.board.v.isVisible()
    assert not laboratory.board.identity.isVisible()

    laboratory.first.click()
    wait(qtbot, laboratory)
    assert laboratory.board.v.isVisible()
    assert laboratory.board.matrix.array.tolist() == [[5, 13]]


def test_the_second_graph_stands_beside_the_first(qtbot, window):
    laboratory = opened(qtbot, window, CUBES)
    laboratory.both.click()
    wait(qtbot, laboratory)
    by_text = {pair.text: pair.made for pair in laboratory.graphs.pairs}

    assert laboratory.graphs.isVisible()
    assert list(by_text) == ["y", "x[0]·x[1]", "x[1]", "x[0]", "sum(x³)", "x³"]
    assert by_text["y"] == ()  # a sum hands on what comes in
    assert by_text["x[0]·x[1]"] == (("v·x[1]", "2"), ("v·x[0]", "1"))
    assert by_text["sum(x³)"] == (("expand(v)", "[1, 1]"),)
    assert [text for text, _ in by_text["x³"]][:2] == ["x²", "x²·3"]
    assert by_text["x³"][-1][1] == "[5, 13], v·J of x"

    (button,) = [each for each in laboratory.graphs.findChildren(QToolButton) if each.text().startswith("x³")]
    button.click()
    assert window.workbench.selected is not None
    assert window.session.picture.track.recording.nodes[window.workbench.selected].op == "pow"


def test_the_second_graph_of_a_custom_function_is_what_its_own_lines_made(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)
    laboratory.both.click()
    wait(qtbot, laboratory)

    (pair,) = laboratory.graphs.pairs
    assert pair.text == "f"
    assert ("point[0]·2·v[0] + point[1]·v[1]", "4") in pair.made
    assert pair.made[-1] == ("stack", "[4, 5], v·J of point")


def test_a_single_number_begins_with_v_1_in_its_field(qtbot, window):
    laboratory = opened(qtbot, window, CUBES)

    assert laboratory.v.field.text() == "1"
    assert laboratory.v.buttons["ones"].isChecked()
    assert laboratory.v.buttons["one_hot"].isHidden()


def test_of_a_large_j_some_rows_and_columns_are_shown_and_it_is_said(qtbot, window):
    laboratory = opened(qtbot, window, LARGE)
    laboratory.output.setCurrentIndex(1)
    wait(qtbot, laboratory)
    found = laboratory.findings

    assert laboratory.board.matrix.array.shape == (SAMPLED, SAMPLED)
    assert "20 × 20" in laboratory.count.toolTip()
    assert f"{SAMPLED} of its rows" in laboratory.count.toolTip()
    assert found.gradient.shape == (20,)
    assert found.is_same

    end = drag(qtbot, laboratory.board.v, SAMPLED - 1, 10)
    qtbot.mouseRelease(laboratory.board.v, Qt.MouseButton.LeftButton, pos=end)
    wait(qtbot, laboratory)
    assert laboratory.v.array.ravel().tolist() == [1] * 19 + [2]


def test_the_one_of_a_large_v_is_put_at_a_place_that_is_counted(qtbot, window):
    laboratory = opened(qtbot, window, LARGE)
    laboratory.output.setCurrentIndex(1)
    laboratory.v.choose("one_hot")
    assert len(laboratory.v.positions) == 2

    laboratory.v.positions[0].setValue(3)
    laboratory.v.positions[1].setValue(4)

    assert np.flatnonzero(laboratory.v.array).tolist() == [19]


def test_a_recording_without_rules_says_so_in_a_sentence(qtbot, theme):
    recording = run(TWO_LEAVES).recording
    nodes = tuple([node._replace(op="mystery") if node.op == "mul" else node for node in recording.nodes])

    laboratory = over(qtbot, theme, replace(recording, nodes=nodes))

    assert "mystery" in laboratory.problem.text()
    assert not laboratory.board.matrix.isVisible()
    assert "no derivative rule" in laboratory.problem.text()
    laboratory.end()


def test_a_recording_without_values_says_so_in_a_sentence(qtbot, theme):
    recording = run(TWO_LEAVES).recording

    laboratory = over(qtbot, theme, replace(recording, values=(None,) * len(recording.values)))

    assert "is not part of the recording" in laboratory.problem.text()
    laboratory.end()


def test_the_number_that_is_pointed_at_tells_its_terms(qtbot, window):
    board = opened(qtbot, window, CUSTOM).board

    board._point("back", 1)
    assert board.terms.text() == "v·J for point[1] = 1·1 + 1·4 = 5"
    board._point("forward", 1)
    assert board.terms.text() == "J·u for f[1] = 2·1 + 1·1 = 3"
    board._point("matrix", 5)
    assert board.terms.text() == "∂f[2]/∂point[1] = 4"
    board._point("matrix", -1)
    assert "Drag a number" in board.terms.text()


def test_a_closed_laboratory_computes_nothing(qtbot, window):
    laboratory = opened(qtbot, window, CUSTOM)
    laboratory.close()
    before = laboratory.findings

    window.session.open_script(TWO_LEAVES, "two.py")
    settle(qtbot, window)

    assert not laboratory.is_busy
    assert laboratory.findings is before
    window.trigger("seed")
    wait(qtbot, laboratory)
    assert laboratory.output.currentText().startswith("y ")


def test_it_may_be_closed_before_there_is_an_answer(qtbot, window):
    window.session.open_script(CUSTOM, "one.py")
    settle(qtbot, window)
    window.trigger("seed")
    laboratory = window.commands.seed.window
    laboratory.close()

    window.trigger("seed")
    wait(qtbot, laboratory)

    assert laboratory.board.back.array.tolist() == [4, 5]


def test_it_follows_another_run_of_the_script(qtbot, window):
    laboratory = opened(qtbot, window, TWO_LEAVES)

    window.session.edit(TWO_LEAVES.replace("3.0", "5.0"))
    settle(qtbot, window)
    wait(qtbot, laboratory)

    assert laboratory.board.back.array.tolist() == [10, 20]


def test_of_a_what_if_it_takes_the_changed_numbers_and_the_run_is_not_asked(qtbot, window):
    laboratory = opened(qtbot, window, TWO_LEAVES)
    laboratory.v.choose("one_hot")
    wait(qtbot, laboratory)
    run_itself = window.session.document.content.recording
    values = (np.array([5.0, 2.0], np.float32), *run_itself.values[1:])
    changed = Track(replace(run_itself, values=values), 0)

    laboratory.show_track(changed, None)
    wait(qtbot, laboratory)

    assert laboratory.board.back.array.tolist() == [30, 0]
    assert laboratory.board.v.array.tolist() == [1, 0]


def test_no_v_is_asked_for_where_no_result_requires_grad(qtbot, window):
    window.session.open_script("import torch\nx = torch.tensor(1.0, requires_grad=True)\nx.oops\n", "one.py")
    settle(qtbot, window)

    assert not window.workbench.timeline.sweeps.seed_chip.isEnabled()
    window.trigger("seed")
    assert "a result that requires grad" in window.statusBar().currentMessage()
    assert window.commands.seed.window is None


# ---- what is asked, without a window ----


def test_while_a_number_is_dragged_a_slow_graph_is_asked_for_no_more_than_it_must():
    recording = run(TWO_LEAVES).recording
    output = next(node.id for node in recording.nodes if node.name == "y")
    experiment = Experiment(recording, output, None)
    v, leaf = np.ones(2, np.float32), 0

    found = experiment.find(Wish(v, leaf, np.ones(2, np.float32), is_quick=True))

    assert found.forward is not None
    assert found.forward_difference is None
    assert found.backward_difference is None


def test_counts_are_those_of_the_edges_that_a_gradient_takes():
    recording = run(TWO_LEAVES).recording
    output = next(node.id for node in recording.nodes if node.name == "y")

    # x * x sends 2 + 2 numbers, times w sends 2 and 1; their Jacobians would have 2 (4 + 4) and 4 + 2.
    assert counted(recording, output) == (7, 2, 14)


@pytest.mark.parametrize(("count", "shown"), [(1, 1), (MOST, MOST), (MOST + 1, SAMPLED), (10_000, SAMPLED)])
def test_what_is_shown_of_many_is_evenly_spread_from_the_first_to_the_last(count, shown):
    found = spread(count)

    assert len(found) == len(set(found)) == shown
    assert (found[0], found[-1]) == (0, count - 1)


def test_the_second_graph_of_a_long_first_one_is_refused_in_a_sentence(monkeypatch):
    recording = run(TWO_LEAVES).recording
    output = next(node.id for node in recording.nodes if node.name == "y")
    monkeypatch.setattr("gradviz.ui.seed.experiment.MOST_PAIRED", 1)

    found = Experiment(recording, output, None).find(Wish(np.ones(2, np.float32), 0, None, is_paired=True))

    assert found.pairs == ()
    assert found.problems == ("The second graph is shown for up to 1 nodes; here are 2.",)


def test_in_a_large_graph_nodes_are_called_by_variable_or_op(monkeypatch):
    recording = run(TWO_LEAVES).recording
    inner = next(node.id for node in recording.nodes if node.op == "mul" and node.name is None)
    assert name_of(recording, inner) == "x·x"

    monkeypatch.setattr("gradviz.ui.seed.pairs.MOST_NAMED", 1)

    assert name_of(recording, inner) == "mul"
    assert name_of(recording, 0) == "x"


def test_of_two_v_that_of_the_pass_is_called_seed():
    recording = run("import torch\nv = torch.tensor(2.0, requires_grad=True)\ny = v * v\ny.backward()\n").recording
    graph = Derivatives(recording, 1).second_graph(np.float32(1))

    assert extended(recording, graph).nodes[2].name == "seed"
    assert next(text for pair in paired(recording, 1, graph) for text, _ in pair.made) == "seed·v"
