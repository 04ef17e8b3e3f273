"""A v made by hand has the right shape, or one sentence says why not; and it is said what it asks of J."""

from __future__ import annotations

import numpy as np
import pytest

from gradviz.errors import GradvizError
from gradviz.playback.track import Track
from gradviz.ui.seed.candidates import candidates
from gradviz.ui.seed.words import one_hot, question, typed_seed
from tests.samples import array, weighted_sum

FLOAT = np.dtype(np.float32)


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        (np.float32(1), "v = 1 asks for its gradient as it is"),
        (np.float32(100), "v scales its gradient by 100; it selects nothing"),
        (array(1, 1, 1), "v adds up all 3 rows of J: the gradient of the sum of y"),
        (array(2, 2), "2 times the gradient of the sum of y"),
        (array(0, 1, 0), "v picks row 2 of J: the gradient of y[1] alone"),
        (array(0, 3), "v picks row 2 of J and scales it by 3"),
        (array(0, 0), "every gradient will be 0"),
        (array(1, 0, -0.5), "v mixes 2 of the 3 rows of J: the gradient of y[0] − 0.5·y[2]"),
        (np.array([[0, 0], [1, 0]], dtype=np.float32), "row 3 of J: the gradient of y[1, 0] alone"),
    ],
)
def test_question_says_which_rows_v_picks(seed, words):
    assert words in question(seed, "y")


def test_long_mixture_is_cut():
    assert question(np.arange(1, 100, dtype=np.float32), "y").endswith("+ ….")


def test_one_hot_is_1_in_one_place():
    np.testing.assert_array_equal(one_hot((2, 2), (1, 0), FLOAT), [[0, 0], [1, 0]])


def test_row_of_numbers_serves_any_shape_of_as_many_elements():
    np.testing.assert_array_equal(typed_seed("1 2 3 4", (2, 2), FLOAT), [[1, 2], [3, 4]])
    assert typed_seed("5", (), FLOAT).shape == ()


def test_typed_v_takes_the_dtype_of_its_node():
    assert typed_seed("1 2", (2,), np.dtype(np.float64)).dtype == np.float64


@pytest.mark.parametrize("text", ["", "1 2 3", "[[1, 2], [3, 4]]", "one two", "[1, 2"])
def test_v_that_does_not_fit_is_refused_with_a_sentence(text):
    with pytest.raises(GradvizError):
        typed_seed(text, (2,), FLOAT)


def test_wrong_shape_is_named_with_the_right_one():
    with pytest.raises(GradvizError, match=r"needs shape \(2,\), 2 numbers; this has shape \(3,\), 3 numbers"):
        typed_seed("1 2 3", (2,), FLOAT)


def test_outputs_stand_first_and_only_nodes_with_a_gradient_are_offered():
    assert list(candidates(Track(weighted_sum(), 0))) == [4, 3, 1]
