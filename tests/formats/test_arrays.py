"""Numbers in a file: the fewest digits, and the same bits when they are read back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.document.arrays import from_json, spelled_out, to_json
from gradviz.errors import FormatError
from gradviz.formats.json_write import encode


def read(value: Any, dtype: str, shape: tuple[int, ...]) -> Any:
    return from_json(value, dtype, shape, "here")


def written(array: Any) -> str:
    """The text of an array in a file."""
    return encode(spelled_out([array]).get(id(array), array)).decode()


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (np.float32(0.1), "0.1"),
        (np.float16(0.1), "0.1"),
        (np.float64(0.1), "0.1"),
        (np.float32(1) / np.float32(3), "0.33333334"),
        (np.float32(-0.0), "-0.0"),
        (np.float32(1e-45), "1e-45"),
        (np.float32(3.4028235e38), "3.4028235e+38"),
        (np.float32(16777216), "16777216.0"),
        (np.int64(2**63 - 1), "9223372036854775807"),
        (np.bool_(True), "true"),
        (np.float32("nan"), '"NaN"'),
        (np.float32("inf"), '"Infinity"'),
        (np.float64("-inf"), '"-Infinity"'),
    ],
)
def test_a_number_is_written_with_the_fewest_digits(number: Any, text: str) -> None:
    assert written(number) == text
    assert written(np.full(3, number)) == f"[{text},{text},{text}]"


SPECIAL = [0.0, -0.0, 1.0, 0.1, 1e-4, 1.17e-5, 9.9e-13, 1e-45, 7.038531e-26, 2.5e9, 3.4e38, np.inf, -np.inf, np.nan]


@given(st.lists(st.floats(width=32) | st.floats(-1, 1, width=32) | st.sampled_from(SPECIAL), min_size=24, max_size=24))
def test_arrays_of_every_layout_and_dtype_are_written_number_by_number(numbers: list[float]) -> None:
    array = np.array(numbers, dtype=np.float32)
    whole = np.where(np.isfinite(array), array, 0).clip(-9, 9).astype(np.int64)

    for each in (
        array, array.reshape(2, 3, 4), array.reshape(4, 6).T, array[:0].reshape(2, 0), array.astype(float), array[::5],
        whole, whole > 0, whole.astype(np.float16), array.astype(">f4"),
    ):  # fmt: skip
        assert json.loads(written(each)) == to_json(each)


def test_only_what_is_not_finite_or_has_half_precision_is_spelled_out() -> None:
    plain, nan, half = np.ones((2, 2), np.float32), np.array([1.0, np.nan]), np.ones(1, np.float16)
    large = np.full(5000, 2.0)
    large[-1] = np.inf

    found = spelled_out([plain, None, nan, plain, half, np.arange(3), large])

    assert found == {id(nan): [1.0, "NaN"], id(half): [1.0], id(large): [2.0] * 4999 + ["Infinity"]}


@given(st.integers(0, 2**32 - 1))
def test_every_float32_reads_back_to_its_bits(bits: int) -> None:
    array = (np.arange(bits, bits + 64) % 2**32).astype(np.uint32).view(np.float32)

    back = read(json.loads(written(array)), "float32", (64,))

    np.testing.assert_array_equal(array, back)
    assert (np.signbit(array) == np.signbit(back))[~np.isnan(array)].all()


def test_every_float16_reads_back_to_its_bits() -> None:
    array = np.arange(2**16, dtype=np.uint16).view(np.float16)

    back = read(json.loads(written(array)), "float16", array.shape)

    np.testing.assert_array_equal(array, back)


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 2)])
def test_an_empty_array_keeps_its_shape(shape: tuple[int, ...]) -> None:
    back = read(to_json(np.zeros(shape, np.float32)), "float32", shape)

    assert back.shape == shape
    assert back.dtype == np.float32


def test_a_bfloat16_is_kept_in_float32() -> None:
    assert read([1.5], "bfloat16", (1,)).dtype == np.float32


def test_whole_numbers_are_read_as_floats_where_floats_belong() -> None:
    assert read([1, 2], "float32", (2,)).tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("value", "dtype", "shape", "message"),
    [
        ([1.0, 2.0], "float32", (3,), "here is not of shape (3,): it has a list of 2 where a list of 3 belongs."),
        (1.0, "float32", (1,), "here is not of shape (1,): it has 1.0 where a list of 1 belongs."),
        ([[1.0], [2.0, 3.0]], "float32", (2, 1), "a list of 2 where a list of 1 belongs"),
        ([1.0], "float32", (), "here holds a list, which is no float32 number."),
        ([None], "float32", (1,), "here holds null, which is no float32 number."),
        ([True], "float32", (1,), "here holds True, which is no float32 number."),
        (["1"], "float32", (1,), "here holds '1', which is no float32 number."),
        ([{}], "float32", (1,), "here holds an object, which is no float32 number."),
        ([1.5], "int64", (1,), "here holds 1.5, which is no int64 number."),
        (["NaN"], "int64", (1,), "here holds 'NaN', which is no int64 number."),
        ([1], "bool", (1,), "here holds 1, which is no bool number."),
        ([256], "uint8", (1,), "here holds a number that is too large for uint8."),
        ([-1], "uint8", (1,), "here holds a number that is too large for uint8."),
        ([2**63], "int64", (1,), "here holds a number that is too large for int64."),
        ([1e39], "float32", (1,), "here holds a number that is too large for float32."),
        ([10**400], "float64", (1,), "here holds a number that is too large for float64."),
        ([float("inf")], "float64", (1,), "here holds a number that is too large for float64."),
        (["NaN", 1e39], "float32", (2,), "here holds a number that is too large for float32."),
    ],
)
def test_what_does_not_fit_is_refused(value: Any, dtype: str, shape: tuple[int, ...], message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(value, dtype, shape)

    assert message in caught.value.message
