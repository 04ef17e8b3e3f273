"""What if a number had been another: dragged, typed, taken back, and shown in the place of the run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from gradviz.changes import Spot
from gradviz.playback.conditions.breakpoints import on_line
from gradviz.playback.words import place_text
from gradviz.recording import ChangedNumber, SavedView
from gradviz.ui.canvas.scene.moment import moment_of
from gradviz.ui.inspector.array_view import ArrayView
from gradviz.ui.look.number_tiles import NumberTiles
from gradviz.ui.window.what_if_strip import spot_text
from tests.recorded import run
from tests.samples import weighted_sum
from tests.ui.real_windows import real_window, settle
from tests.ui.windows import new_window, open_in

TEXT = """\
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
h = x * x
y = h.log().sum()
y.backward()
print(x.grad)
"""
CUSTOM = """\
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return 2 * x
    @staticmethod
    def backward(ctx, g):
        return 2 * g
x = torch.tensor([1.0, 2.0], requires_grad=True)
t = Twice.apply(x * x)
y = t.sum()
y.backward()
"""


@pytest.fixture
def window(qtbot, tmp_path):
    made = real_window(tmp_path / "settings.ini")
    qtbot.addWidget(made)
    made.session.open_script(TEXT, "one.py")
    settle(qtbot, made)
    made.workbench.canvas.setFocus()
    return made


def node(window, name: str) -> int:
    return next(each.id for each in window.session.document.content.own.nodes if each.name == name)


def tiles(window) -> dict[str, NumberTiles]:
    """The numbers that can be changed now, by the name of their array."""
    inspector = window.workbench.inspector
    found = [each for each in inspector.findChildren(NumberTiles) if each.isVisibleTo(inspector)]
    return {each.accessibleName().removesuffix(", can be changed"): each for each in found}


def drag(one: NumberTiles, index: int, *pixels: int) -> None:
    """Press at a tile, move by so many pixels each, let go."""
    start, left = QPointF(one.box(index).center()), Qt.MouseButton.LeftButton
    places = [(QEvent.Type.MouseButtonPress, 0), *((QEvent.Type.MouseMove, by) for by in pixels)]
    for kind, by in (*places, (QEvent.Type.MouseButtonRelease, pixels[-1])):
        at = start + QPointF(by, 0)
        QApplication.sendEvent(
            one, QMouseEvent(kind, at, one.mapToGlobal(at), left, left, Qt.KeyboardModifier.NoModifier)
        )


def shown(window):
    return window.session.picture.track.recording


def test_a_dragged_leaf_is_computed_again_marked_and_taken_back_with_one_key(qtbot, window):
    bench, own = window.workbench, shown(window)
    window.session.clock.player.last()
    bench.select(node(window, "x"))

    drag(tiles(window)["value"], 1, 10, 20, 40)
    settle(qtbot, window)

    assert shown(window).values[0].tolist() == [1, 3]
    assert shown(window).gradients["x"].tolist() == pytest.approx([2, 2 / 3])
    assert bench.what_if.isVisible()
    assert bench.what_if.words.text() == "What if: x[1] = 3 (was 2)."
    assert "not run again" in bench.what_if.notes.text()
    difference = bench.canvas._lights.difference
    assert set(difference.values) == {0, 1, 2, 3}
    assert set(difference.gradients) == {0, 1}
    assert bench.canvas.accessibleDescription().endswith("4 nodes differ.")
    assert difference.edges.keys() >= {(2, 0), (1, 0), (1, 1)}
    assert window.actions_by_name.by_name["undo"].text() == "Undo: change x[1]"

    bench.canvas.setFocus()
    qtbot.keyClick(bench.canvas, Qt.Key.Key_Escape)
    settle(qtbot, window)

    assert shown(window) is own
    assert bench.what_if.isHidden()
    assert bench.canvas._lights.difference is None
    window.trigger("undo")
    settle(qtbot, window)
    assert shown(window).values[0].tolist() == [1, 3]
    window.trigger("undo")
    settle(qtbot, window)
    assert shown(window) is own
    window.trigger("redo")
    settle(qtbot, window)
    assert bench.what_if.words.text() == "What if: x[1] = 3 (was 2)."


def test_a_drag_goes_on_while_the_picture_follows_it(qtbot, window):
    bench = window.workbench
    window.session.clock.player.last()
    bench.select(node(window, "h"))
    one, left = tiles(window)["incoming gradient"], Qt.MouseButton.LeftButton
    seen = []

    def send(kind: QEvent.Type, by: int) -> None:
        at = QPointF(one.box(0).center()) + QPointF(by, 0)
        event = QMouseEvent(kind, at, one.mapToGlobal(at), left, left, Qt.KeyboardModifier.NoModifier)
        QApplication.sendEvent(one, event)
        settle(qtbot, window)
        seen.append(float(shown(window).sweeps[0].steps[-1].incoming[0]))

    send(QEvent.Type.MouseButtonPress, 0)
    for by in (20, 40, -40):
        send(QEvent.Type.MouseMove, by)
    assert one.is_changing
    send(QEvent.Type.MouseButtonRelease, -40)

    assert seen == pytest.approx([2, 3, 4, 0, 0])
    assert tiles(window)["incoming gradient"] is one
    assert one.array.tolist() == [0, 0.25]
    window.trigger("undo")  # all of it is one change
    settle(qtbot, window)
    assert not window.session.supposing.wanted


def test_a_typed_gradient_in_the_middle_of_a_pass_changes_what_comes_after_it(qtbot, window):
    bench = window.workbench
    window.session.clock.player.last()
    bench.select(node(window, "h"))
    position = window.session.clock.player.position

    tiles(window)["incoming gradient"].write(0)
    field = tiles(window)["incoming gradient"]._field
    field.setText("10")
    QTest.keyClick(field, Qt.Key.Key_Return)
    settle(qtbot, window)

    assert shown(window).gradients["x"].tolist() == [20, 1]
    assert window.session.clock.player.position == position
    assert bench.selected == node(window, "h")
    assert bench.what_if.words.text() == "What if: ∂L/∂h[0] = 10 (was 1)."
    assert set(bench.canvas._lights.difference.values) == set()
    assert "Δ was [1, 0.25]" in " ".join(
        label.text() for label in bench.inspector.findChildren(type(bench.inspector._remark))
    )


def test_the_gradient_on_an_edge_is_changed_where_it_goes_out(qtbot, window):
    bench = window.workbench
    window.session.clock.player.last()
    bench.change_number(Spot(1, 1, 0, 0), 7.0)
    settle(qtbot, window)
    assert shown(window).gradients["x"].tolist() == [2, 7.5]
    assert bench.what_if.words.text() == "What if: the gradient from h to x[1] = 7 (was 0.5)."


def test_a_number_back_at_that_of_the_run_is_no_change(qtbot, window):
    bench, own = window.workbench, shown(window)
    bench.change_number(Spot(0, 1), 7.0)
    settle(qtbot, window)
    bench.change_number(Spot(0, 1), 2.0)
    settle(qtbot, window)
    assert shown(window) is own
    assert bench.what_if.isHidden()


def test_a_number_that_makes_nan_is_shown_and_its_place_named(qtbot, window):
    bench = window.workbench
    bench.change_number(Spot(1, 1, 0, 0), float("inf"))
    bench.change_number(Spot(0, 0), 0.0)
    settle(qtbot, window)
    assert not np.isfinite(shown(window).values[3])
    assert "The value of log(h) is the first to be NaN or infinite." in bench.what_if.notes.text()


def test_a_custom_function_stays_as_in_the_run_and_says_so(qtbot, window):
    window.session.open_script(CUSTOM, "custom.py")
    settle(qtbot, window)
    window.workbench.change_number(Spot(node(window, "x"), 0), 5.0)
    settle(qtbot, window)
    assert window.workbench.what_if.notes.text().startswith(
        "As in the run stays t: it has no rule here, as a custom Function has none."
    )


def test_the_backward_of_a_custom_function_is_asked_of_the_run(qtbot, window):
    window.session.open_script(CUSTOM, "custom.py")
    settle(qtbot, window)
    window.workbench.change_number(Spot(node(window, "t"), 1, 0), 10.0)
    settle(qtbot, window)
    assert shown(window).gradients["x"].tolist() == [4, 80]
    assert not window.session.document.content.supposed.kept


def test_a_new_run_ends_a_what_if_and_another_v_goes_through_it(qtbot, window):
    bench, session = window.workbench, window.session
    bench.change_number(Spot(0, 1), 4.0)
    settle(qtbot, window)
    session.sweep_by_hand(3, np.float32(10))
    settle(qtbot, window)
    assert len(shown(window).sweeps) == 2
    assert shown(window).sweeps[1].steps[-1].incoming.tolist() == pytest.approx([20, 5])
    window.trigger("run")
    settle(qtbot, window)
    assert session.document.content.supposed is None
    assert bench.what_if.isHidden()
    assert not session.supposing.wanted


def test_the_old_picture_stands_until_the_numbers_are_there_and_only_the_newest_waits(qtbot, window, monkeypatch):
    import threading

    session, own = window.session, shown(window)
    go, asked = threading.Event(), []

    class Slow:
        def __init__(self, recording, ask):
            self.real = made(recording, ask)

        def apply(self, what_if, cancelled):
            asked.append(what_if.changes[-1].number)
            assert go.wait(10)
            return self.real.apply(what_if, cancelled)

    made = session.supposing.recalculate
    session.supposing.recalculate = Slow
    for number in (3.0, 4.0, 5.0, 6.0):
        window.workbench.change_number(Spot(0, 1), number, is_settled=number == 6.0)
    QApplication.processEvents()
    assert shown(window) is own
    session.supposing._work._became_slow()
    assert window.workbench.what_if.isVisible()
    assert window.workbench.what_if.words.text() == "Computing what follows…"
    go.set()
    settle(qtbot, window)
    assert window.workbench.what_if.words.text() == "What if: x[1] = 6 (was 2)."
    qtbot.waitUntil(lambda: not session.supposing.is_busy)
    assert asked == [3.0, 6.0]
    assert shown(window).values[0].tolist() == [1, 6]
    assert window.actions_by_name.by_name["undo"].text() == "Undo: change x[1]"


def test_escape_gives_up_what_is_still_being_computed(qtbot, window):
    import threading

    session, own, go = window.session, shown(window), threading.Event()

    class Slow:
        def __init__(self, recording, ask):
            self.real = made(recording, ask)

        def apply(self, what_if, cancelled):
            assert go.wait(10)
            return self.real.apply(what_if, cancelled)

    made = session.supposing.recalculate
    session.supposing.recalculate = Slow
    window.workbench.change_number(Spot(0, 1), 3.0)
    session.supposing._work._became_slow()
    qtbot.keyClick(window.workbench.canvas, Qt.Key.Key_Escape)
    go.set()
    settle(qtbot, window)
    assert shown(window) is own
    assert window.workbench.what_if.isHidden()
    assert not session.supposing.wanted


def test_the_boxes_stay_where_they_are(qtbot, window):
    layout = window.session.picture.layout
    window.workbench.change_number(Spot(1, 0, 0, 0), 3.0)
    settle(qtbot, window)
    assert window.session.picture.layout is layout


def test_escape_while_dragging_takes_the_drag_back_and_leaves_the_what_if(qtbot, window):
    bench = window.workbench
    bench.select(node(window, "x"))
    bench.change_number(Spot(0, 0), 9.0)
    settle(qtbot, window)
    one = tiles(window)["value"]
    one.setFocus()
    one.write(1)
    asked = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    asked.ignore()
    QApplication.sendEvent(one._field, asked)
    assert asked.isAccepted()  # it is no key of the window then
    QTest.keyClick(one._field, Qt.Key.Key_Escape)
    settle(qtbot, window)
    assert bench.what_if.words.text() == "What if: x[0] = 9 (was 1)."


def test_the_command_opens_a_number_and_says_where_there_is_none(qtbot, window):
    bench = window.workbench
    bench.select(node(window, "x"))
    window.trigger("what_if")
    assert tiles(window)["value"]._field is not None
    window.session.clock.player.go(window.session.picture.track.turn)
    bench.select(node(window, "h"))
    window.trigger("what_if")
    assert "No number here can be changed" in window.statusBar().currentMessage()


def test_a_what_if_that_was_saved_is_no_change_to_take_back(qtbot, window):
    saved = SavedView(what_if=(ChangedNumber(0, 1, None, None, 3.0),))
    window.session.open_recording(replace(run(TEXT).recording, view=saved), "saved.json")
    settle(qtbot, window)
    assert window.workbench.what_if.words.text() == "What if: x[1] = 3 (was 2)."
    window.workbench.change_number(Spot(0, 0), 9.0)
    settle(qtbot, window)
    window.trigger("undo")
    settle(qtbot, window)
    assert window.workbench.what_if.words.text() == "What if: x[1] = 3 (was 2)."


def marks(window) -> int:
    """How many boxes the canvas marks at the position that is shown; -1 where nothing is marked."""
    canvas = window.workbench.canvas
    frame = canvas._frame(moment_of(canvas._scene, canvas._position, 1.0))
    palette, edges = canvas._theme.palette, canvas._painting.edges
    return len(canvas._lights.changes(frame, canvas.view, canvas._camera.sight, palette, edges)) - 1


def test_what_differs_is_marked_from_the_moment_on_at_which_it_is_shown(qtbot, window):
    window.workbench.change_number(Spot(0, 1), 3.0)
    settle(qtbot, window)
    player, found = window.session.clock.player, []
    for position in range(player.length + 1):
        player.go(position)
        found.append(marks(window))
    assert found == [-1, 1, 2, 3, 4, 4, 4, 4, 4]
    window.trigger("back_to_run")
    settle(qtbot, window)
    window.workbench.change_number(Spot(1, 0, 0), 9.0)
    settle(qtbot, window)
    found.clear()
    for position in range(player.length + 1):
        player.go(position)
        found.append(marks(window))
    assert found == [-1] * 7 + [1, 2]


@pytest.mark.parametrize(
    ("spot", "expected"),
    [
        (Spot(0, 1), "x[1]"),
        (Spot(3, 0, 0), "∂L/∂(x·x·w)[0]"),
        (Spot(4, 0, 0), "∂L/∂y"),
        (Spot(1, 1, 0, 1), "the gradient from x·x to x[1]"),
        (Spot(3, 1, 0, 0), "the gradient from x·x·w to (x·x)[1]"),
    ],
)
def test_a_spot_is_called_by_the_name_of_its_node(spot, expected):
    assert spot_text(weighted_sum(), spot) == expected


def test_the_place_of_an_element_is_its_index():
    assert [place_text((2, 3), at) for at in (0, 4, 5)] == ["[0, 0]", "[1, 1]", "[1, 2]"]
    assert place_text((), 0) == ""


LARGE = """\
import torch
torch.manual_seed(1)
w = torch.rand(2, 9, 8, requires_grad=True)
y = (w * w).sum()
y.backward()
"""


def test_a_number_of_a_picture_is_changed_after_a_click(qtbot, window):
    window.session.open_script(LARGE, "large.py")
    settle(qtbot, window)
    bench = window.workbench
    bench.select(node(window, "w"))
    (view,) = [each for each in bench.inspector.findChildren(ArrayView) if each._map and each._map.isVisibleTo(each)]
    assert view._map.readout.text() == "click a value to change it"
    view._slices.choose(0, 1)
    view._map.picked.emit((3, 2))
    assert view._one.where.text() == "[1, 3, 2]"
    view._one.tile.put(0, 5.0)
    view._one.tile.settled.emit(view._one.tile.array)
    settle(qtbot, window)
    assert shown(window).values[0][1, 3, 2] == 5
    assert shown(window).gradients["w"][1, 3, 2] == 10
    assert int((shown(window).values[0] != window.session.document.content.own.values[0]).sum()) == 1
    assert bench.what_if.words.text().startswith("What if: w[1, 3, 2] = 5 (was ")


def test_of_a_slice_the_right_number_is_changed(qtbot, window):
    window.session.open_script(LARGE.replace("2, 9, 8", "2, 3, 2"), "small.py")
    settle(qtbot, window)
    bench = window.workbench
    bench.select(node(window, "w"))
    (view,) = [each for each in bench.inspector.findChildren(ArrayView) if each.tiles and each.tiles.isVisibleTo(each)]
    view._slices.choose(0, 1)
    view.tiles._move_to(3)
    view.tiles.put(3, 7.0)
    view.tiles.settled.emit(view.tiles.array)
    settle(qtbot, window)
    assert shown(window).values[0][1, 1, 1] == 7


def test_without_an_engine_nothing_can_be_changed(qtbot, settings, reader):
    made = open_in(qtbot, new_window(qtbot, settings, reader))
    made.session.clock.player.last()
    made.workbench.select(0)
    assert made.workbench.inspector.findChildren(NumberTiles) == []
    made.workbench.change_number(Spot(0, 1), 3.0)
    assert "needs the engine" in made.statusBar().currentMessage()
    made.session.close()


def test_a_run_that_ends_a_what_if_is_taken_back_by_no_undo(qtbot, window):
    window.workbench.change_number(Spot(0, 1), 3.0)
    settle(qtbot, window)
    window.trigger("run")
    settle(qtbot, window)
    own = shown(window)
    window.session.document.set_breakpoints([on_line(3)])
    for _ in range(2):
        window.trigger("undo")
        settle(qtbot, window)
        assert shown(window) is own
    assert not window.workbench.undoing.history.present.what_if
