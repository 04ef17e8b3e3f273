"""A gradient as it is typed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.errors import GradvizError
from gradviz.source.answers import read_answer


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("3", 3),
        (" = 3 ", 3),
        ("−6", -6),
        ("1/3", 1 / 3),
        ("-1 / 4", -0.25),
        ("2·3", 6),
        ("2*3*4", 24),
        ("[3, 4]", [3, 4]),
        ("3 4", [3, 4]),
        ("(3, 4)", [3, 4]),
        ("[1/3, 2/3]", [1 / 3, 2 / 3]),
        ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        ("1 2; 3 4", [[1, 2], [3, 4]]),
        ("tensor([1., 2.])", [1, 2]),
        ("ones(3)", [1, 1, 1]),
        ("nan", np.nan),
        ("-∞", -np.inf),
        ("1/0", np.inf),
        ("1e-3", 0.001),
    ],
)
def test_any_usual_notation_is_read(typed, numbers):
    np.testing.assert_allclose(read_answer(typed), np.array(numbers, float), rtol=1e-12)


@pytest.mark.parametrize("typed", ["", "x", "2*", "[1, 2", "1/x", "[[1], [2, 3]]"])
def test_what_is_no_number_is_refused_in_a_sentence(typed):
    with pytest.raises(GradvizError):
        read_answer(typed)


@given(st.text(alphabet="0123456789.,;/*-+ []()einfta", max_size=24))
def test_whatever_is_typed_gives_numbers_or_a_sentence(typed):
    try:
        found = read_answer(typed)
    except GradvizError as error:
        said = error.one_line()
    else:
        said = ""
        assert found.dtype == np.float64

    assert "\n" not in said
