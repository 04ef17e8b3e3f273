"""Numbers in tiles: dragged, typed over, changed by keys, and taken back."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit

from gradviz.ui.look.dragging import PIXELS, Drag
from gradviz.ui.look.number_tiles import EMPTY, NumberTiles
from gradviz.ui.look.theme import Theme

NUMBERS = st.floats(-1e20, 1e20, allow_nan=False)


@pytest.mark.parametrize(
    ("start", "steps", "expected"),
    [(1.0, 3, 1.3), (1.0, -10, 0.0), (250.0, 2, 270.0), (0.037, 1, 0.038), (0.0, -2, -0.2), (1.2345, 1, 1.3)],
)
def test_a_drag_goes_in_steps_of_the_size_of_its_number(start: float, steps: int, expected: float) -> None:
    assert Drag(start).number(steps * PIXELS) == expected


def test_fine_steps_are_ten_times_smaller() -> None:
    assert Drag(1.0).number(3 * PIXELS, is_fine=True) == 1.03


def test_whole_numbers_stay_whole() -> None:
    assert Drag(3.0, is_whole=True).number(2 * PIXELS) == 5.0
    assert Drag(3.0, is_whole=True).number(2 * PIXELS, is_fine=True) == 5.0


@given(NUMBERS, NUMBERS, st.integers(-500, 500))
def test_a_drag_is_finite_goes_the_right_way_and_comes_back(start: float, scale: float, steps: int) -> None:
    drag = Drag(start, scale)

    reached = drag.after(steps)

    assert math.isfinite(reached)
    assert drag.after(0) == start
    assert (reached > start) == (steps > 0) or abs(reached - start) <= drag.step


@pytest.fixture
def tiles(qtbot) -> NumberTiles:
    made = NumberTiles(Theme("light"))
    qtbot.addWidget(made)
    made.show_numbers(np.array([1.0, 2.0, 30.0], np.float32), is_editable=True)
    made.show()
    return made


def _drag(qtbot, tiles: NumberTiles, index: int, pixels: int, *, releases: bool = True) -> None:
    start = tiles.box(index).center()
    qtbot.mousePress(tiles, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(tiles, start + QPoint(pixels, 0))
    if releases:
        qtbot.mouseRelease(tiles, Qt.MouseButton.LeftButton, pos=start + QPoint(pixels, 0))


def test_dragging_a_tile_changes_its_number_and_settles_when_let_go(qtbot, tiles: NumberTiles) -> None:
    changes: list[list[float]] = []
    tiles.numbers_changed.connect(lambda array: changes.append(array.tolist()))

    with qtbot.waitSignal(tiles.settled) as settled:
        _drag(qtbot, tiles, 1, 5 * PIXELS)

    assert changes == [[1.0, 2.5, 30.0]]
    assert settled.args[0].tolist() == [1.0, 2.5, 30.0]
    assert settled.args[0].dtype == np.float32


def test_a_click_is_no_drag(qtbot, tiles: NumberTiles) -> None:
    with qtbot.assertNotEmitted(tiles.numbers_changed), qtbot.waitSignal(tiles.tile_clicked) as clicked:
        qtbot.mouseClick(tiles, Qt.MouseButton.LeftButton, pos=tiles.box(2).center())

    assert clicked.args == [2]


def test_escape_takes_back_what_is_being_dragged(qtbot, tiles: NumberTiles) -> None:
    _drag(qtbot, tiles, 0, 10 * PIXELS, releases=False)
    assert tiles.array.tolist() == [2.0, 2.0, 30.0]

    qtbot.keyClick(tiles, Qt.Key.Key_Escape)

    assert tiles.array.tolist() == [1.0, 2.0, 30.0]
    assert not tiles.is_changing


def test_a_number_is_typed_over(qtbot, tiles: NumberTiles) -> None:
    qtbot.mouseDClick(tiles, Qt.MouseButton.LeftButton, pos=tiles.box(1).center())
    field = tiles.findChild(QLineEdit)
    assert field is not None
    field.setText("-0.5")

    with qtbot.waitSignal(tiles.settled):
        qtbot.keyClick(field, Qt.Key.Key_Return)

    assert tiles.array.tolist() == [1.0, -0.5, 30.0]


@pytest.mark.parametrize("text", ["abc", "", "nan", "1e999"])
def test_what_is_no_finite_number_is_refused_in_a_sentence(qtbot, tiles: NumberTiles, text: str) -> None:
    tiles.write(1)
    field = tiles.findChild(QLineEdit)
    assert field is not None
    field.setText(text)

    with qtbot.waitSignal(tiles.refused) as refused, qtbot.assertNotEmitted(tiles.settled):
        qtbot.keyClick(field, Qt.Key.Key_Return)

    assert refused.args[0].endswith(".")
    assert tiles.array.tolist() == [1.0, 2.0, 30.0]


def test_a_number_that_was_typed_is_not_opened_again_by_the_same_key(qtbot, tiles: NumberTiles) -> None:
    tiles.activateWindow()
    tiles.setFocus()
    qtbot.keyClick(tiles, Qt.Key.Key_Return)
    field = tiles.findChild(QLineEdit)
    qtbot.keyClicks(field, "9")

    QApplication.sendEvent(field, QKeyEvent(QKeyEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier))

    assert tiles.array[0] == 9
    assert not tiles.is_changing


def test_keys_go_from_tile_to_tile_and_change_numbers(qtbot, tiles: NumberTiles) -> None:
    tiles.setFocus()
    qtbot.keyClick(tiles, Qt.Key.Key_Right)
    qtbot.keyClick(tiles, Qt.Key.Key_PageUp)
    qtbot.keyClick(tiles, Qt.Key.Key_Right)
    qtbot.keyClick(tiles, Qt.Key.Key_PageDown)

    assert tiles.at == 2
    assert tiles.array.tolist() == pytest.approx([1.0, 2.1, 29.0])


def test_a_drag_goes_on_while_other_numbers_of_the_shape_are_shown(qtbot, tiles: NumberTiles) -> None:
    _drag(qtbot, tiles, 0, 10 * PIXELS, releases=False)
    tiles.show_numbers(tiles.array.copy(), is_editable=True)
    assert tiles.is_changing

    tiles.show_numbers(np.ones(2), is_editable=True)
    assert not tiles.is_changing


def test_what_cannot_be_changed_takes_no_drag(qtbot, tiles: NumberTiles) -> None:
    tiles.show_numbers(np.ones((2, 2)), looks=[EMPTY] * 4)

    _drag(qtbot, tiles, 0, 10 * PIXELS)

    assert tiles.array.tolist() == [[1, 1], [1, 1]]
    assert tiles.tip(0) == ""


def test_a_single_number_is_one_tile(qtbot, tiles: NumberTiles) -> None:
    tiles.show_numbers(np.float64(1.0), is_editable=True)

    _drag(qtbot, tiles, 0, -5 * PIXELS)

    assert tiles.array.shape == ()
    assert float(tiles.array) == 0.5
