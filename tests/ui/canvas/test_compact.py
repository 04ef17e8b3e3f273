"""Numbers in boxes: matrices row by row, and what is written in a box that is small on the screen."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.playback.track import Track
from gradviz.ui.canvas.boxes import compact
from gradviz.ui.canvas.boxes.boxes import Detail, detail_of
from gradviz.ui.canvas.boxes.compact import Line, texts_of
from gradviz.ui.canvas.ink.text import Role, text_width
from gradviz.ui.canvas.scene.cards import FEW_BOXES, Card, Kind, cards, matrix_rows
from gradviz.ui.canvas.scene.measure import HEIGHT, box_sizes, gradient_place
from tests.recorded import run

F = np.float32
VALUE, GRADIENT = 2, 1
SCALAR = Card(Kind.OP, "σ", "h", "sigmoid", "[]", "0.6225", "∂L/∂h", "0.9975", has_row=True)
MATRIX = SCALAR._replace(
    value="[[1, 2], [3, 4]]",
    value_rows=("1  2", "3  4"),
    gradient="[[0.5, 1], [2, 3]]",
    gradient_rows=("0.5  1", "  2  3"),
)


@pytest.mark.parametrize(
    ("array", "rows"),
    [
        (np.array([[1, -0.25], [10, 0.9975]], F), (" 1   -0.25", "10  0.9975")),
        (np.array([[1], [2], [3]]), ("1", "2", "3")),
        (np.array([1, 2], F), ()),
        (np.array([[1, 2]], F), ()),
        (np.zeros((5, 2), F), ()),
        (np.zeros((2, 0), F), ()),
        (np.zeros((2, 40), F), ()),
        (np.full((2, 6), 0.12345, F), ()),
        (F(3), ()),
        (None, ()),
    ],
)
def test_a_small_matrix_is_written_row_by_row_in_columns(array, rows):
    assert matrix_rows(array) == rows


def track_of(text: str) -> Track:
    return Track(run(f"import torch\n{text}", "one.py").recording, 0)


def test_the_gradient_of_a_matrix_stands_beside_its_value_and_the_box_is_no_higher_than_others(qapp):
    track = track_of("x = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)\nx.exp().sum().backward()\n")
    leaf = cards(track)[0]

    assert leaf.value_rows == ("1  2", "3  4")
    assert gradient_place(leaf)[0] > gradient_place(cards(track)[2])[0]
    assert box_sizes(track)[0, 1] <= HEIGHT


def test_in_a_picture_of_many_boxes_matrices_are_in_one_line(qapp):
    text = "x = torch.ones(2, 2, requires_grad=True)\ny = x\nfor _ in range(%d):\n    y = y.exp()\ny.sum().backward()\n"

    assert cards(track_of(text % 5))[0].value_rows
    assert not cards(track_of(text % FEW_BOXES))[0].value_rows


def test_a_box_of_two_lines_shows_the_newest_number():
    size = (60.0, 2 * compact.PITCH + 4)

    assert texts_of(SCALAR, VALUE, size).lines == (Line("0.6225", False),)
    assert texts_of(SCALAR, VALUE | GRADIENT, size).lines == (Line("0.9975", True),)
    assert texts_of(SCALAR, 0, size).lines == ()


def test_a_box_of_three_lines_shows_value_and_gradient():
    texts = texts_of(SCALAR, VALUE | GRADIENT, (60.0, 3 * compact.PITCH + 4))

    assert [line.text for line in texts.lines] == ["0.6225", "0.9975"]
    assert texts.is_whole


@pytest.mark.parametrize(
    ("lines", "shown"),
    [
        (6, ["1  2", "3  4", "0.5  1", "  2  3"]),
        (5, ["1  2", "3  4", "0.5  1", "  2  3"]),
        (4, ["[[1, 2], [3, 4]]", "0.5  1", "  2  3"]),
        (3, ["[[1, 2], [3, 4]]", "[[0.5, 1], [2, 3]]"]),
        (2, ["[[0.5, 1], [2, 3]]"]),
    ],
)
def test_a_matrix_gives_up_the_rows_of_its_value_before_those_of_its_gradient(lines, shown):
    texts = texts_of(MATRIX, VALUE | GRADIENT, (200.0, lines * compact.PITCH + 4))

    assert [line.text for line in texts.lines] == shown


def test_what_has_no_room_is_cut_and_the_box_says_that_it_is_not_whole():
    texts = texts_of(MATRIX, VALUE, (60.0, 2 * compact.PITCH + 4))

    assert texts.lines[0].text.endswith("…")
    assert not texts.is_whole


@given(st.floats(10, 400), st.floats(5, 200), st.integers(0, 3), st.sampled_from([SCALAR, MATRIX]))
def test_texts_stay_in_their_box(width, height, face, card):
    texts = texts_of(card, face, (width, height))

    assert (1 + len(texts.lines)) * compact.PITCH <= max(height, compact.PITCH)
    room = max(width - compact.start_of(card), 0) + 1
    assert all(text_width(line.text, Role.VALUE) * compact.NUMBER_SIZE <= room for line in texts.lines)


@pytest.mark.parametrize(
    ("scale", "detail"),
    [(0.1, Detail.FAR), (0.2, Detail.SIGN), (0.25, Detail.NAME), (0.3, Detail.NUMBERS), (0.7, Detail.FULL)],
)
def test_numbers_are_written_from_a_scale_on_at_which_they_can_be_read(scale, detail):
    assert detail_of(scale) is detail
