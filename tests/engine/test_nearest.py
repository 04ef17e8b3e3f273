"""Functions in float32, rounded as PyTorch rounds them."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.imitation.engine.dtypes import FLOAT32
from gradviz.imitation.engine.kernels import nearest
from gradviz.imitation.engine.kernels.softmax import along, log_softmax, softmax

NUMBERS = np.linspace(-4, 4, 401, dtype=FLOAT32)


@pytest.mark.parametrize("name", ["exp", "expm1", "sin", "cos", "tanh", "sinh"])
def test_a_function_of_float32_is_the_nearest_float32_number(name: str):
    function = getattr(math, name)

    made = getattr(nearest, name)(NUMBERS)

    assert made.dtype == FLOAT32
    assert made.tolist() == [float(np.float32(function(float(x)))) for x in NUMBERS]


@pytest.mark.parametrize("name", ["exp", "log1p", "sin", "tanh", "atan"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_function_of_one_number_is_that_of_an_array(name: str, dtype: str):
    function, x = getattr(nearest, name), np.linspace(-0.9, 4, 301, dtype=dtype)

    made = [function(number) for number in x]

    assert {type(number) for number in made} == {x.dtype.type}
    assert np.array(made).tobytes() == function(x).tobytes()


@given(st.floats())
def test_a_float_times_1_of_a_type_is_that_number_of_the_type(x: float):
    with np.errstate(all="ignore"):
        for kind, one in nearest.ONE_OF.items():
            made = one * x
            assert type(made) is kind
            assert made.tobytes() == kind(x).tobytes()


LIBRARY = {
    "exp2": [1.0892989912812543, 1.2923528306374923, 1.526259208960559, 1.7143955376698912, 1.8829569290824124],
    "sinh": [0.1237134186856138, 0.3785001420129849, 0.6485402648535687, 0.8584995431576733, 1.0452341153568352],
    "cosh": [1.0076234465130722, 1.0692344726503396, 1.1918911339280687, 1.3179611017029043, 1.4465525762673772],
    "asinh": [0.12308894663324824, 0.3620391212409711, 0.5773808916491501, 0.7151600272435714, 0.8184985809366488],
    "tanh": [0.12277743150353423, 0.35399171247704597, 0.5441270988535675, 0.6513845833905322, 0.7225690462312216],
}
"""What PyTorch 2.13 gives for single numbers of float64."""


@pytest.mark.parametrize("name", LIBRARY)
@pytest.mark.parametrize("form", [np.float64, np.array], ids=["scalar", "array"])
def test_a_function_of_one_number_of_float64_is_pytorchs_to_the_last_digit(name: str, form: Callable[[float], Any]):
    numbers = [form(x) for x in (0.1234, 0.37, 0.61, 0.7777, 0.913)]

    assert [getattr(nearest, name)(x) for x in numbers] == LIBRARY[name]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_beyond_the_domain_of_a_function_and_its_range_there_is_no_error(dtype: type):
    with np.errstate(all="ignore"):
        made = [f(dtype(x)) for f, x in ((nearest.log, -1), (nearest.cosh, 1e5), (nearest.sin, math.inf))]

    assert [type(y) for y in made] == [dtype] * 3
    assert [str(y) for y in made] == ["nan", "inf", "nan"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_one_minus_a_square_is_rounded_in_numbers_as_in_arrays(dtype: str):
    y = np.linspace(-1, 1, 301, dtype=dtype)

    made = nearest.one_minus_square(y)

    assert made.tolist() == [nearest.one_minus_square(number).item() for number in y]
    assert made.tolist() == nearest.fused(-y, y, np.ones_like(y)).tolist()


def test_one_minus_the_square_of_a_float64_number_is_the_nearest_number():
    numbers = [*np.linspace(-1, 1, 301), np.float64(1e-9), np.float64(1 - 2**-53)]

    assert [nearest.one_minus_square(y) for y in numbers] == [float(1 - Fraction(float(y)) ** 2) for y in numbers]


def test_one_minus_the_square_of_a_large_number_or_none_is_as_python_has_it():
    with np.errstate(all="ignore"):
        made = [str(nearest.one_minus_square(np.float64(y))) for y in (1e200, math.inf, math.nan)]

    assert made == ["-inf", "-inf", "nan"]


def test_float64_is_left_to_numpy():
    x = np.array([0.1, 2.5])

    assert nearest.log(x).tolist() == np.log(x).tolist()


def test_a_row_shorter_than_a_register_is_added_from_left_to_right():
    row = np.array([[1.0, 1e8, -1e8, 0.5, 0.25, 3.0, 4.0, 5.0, 6.0, 7.0]], dtype=FLOAT32)
    expected = np.float32(0)
    for number in row[0]:
        expected = np.float32(expected + number)

    assert along(row, 1).tolist() == [[float(expected)]]


def test_a_long_row_is_added_in_sixteen_lanes_and_then_in_halves():
    row = np.arange(1, 36, dtype=FLOAT32)[None] / np.float32(7)
    lanes = [row[0, i::16].tolist() for i in range(16)]
    sums = []
    for lane in lanes:
        held = np.float32(0)
        for number in lane:
            held = np.float32(held + np.float32(number))
        sums.append(held)
    while len(sums) > 1:
        half = len(sums) // 2
        sums = [np.float32(a + b) for a, b in zip(sums[:half], sums[half:], strict=True)]

    assert along(row, 1).tolist() == [[float(sums[0])]]


def test_softmax_of_two_equal_numbers_is_one_half_along_any_axis():
    x = np.zeros((2, 2), dtype=FLOAT32)

    assert softmax(x, 0).tolist() == softmax(x, 1).tolist() == [[0.5, 0.5]] * 2
    assert log_softmax(x, 1).tolist() == [[float(np.float32(-math.log(2)))] * 2] * 2
