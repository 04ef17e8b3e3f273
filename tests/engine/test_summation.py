"""Sums are PyTorch's to the last digit; data/sums.json holds what PyTorch 2.13 gave."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.kernels.summation import total
from tests.data.sum_cases import LAYOUTS, array

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "sums.json").read_text(encoding="utf-8"))
CASES = [(dtype, layout) for dtype in ("float32", "float64") for layout in LAYOUTS]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sum_is_that_of_pytorch_to_the_last_digit(dtype: str):
    found = {}
    for (kind, layout), recorded in zip(CASES, RECORDED, strict=True):
        if kind == dtype:
            sums = np.asarray(total(array(layout, dtype), layout.axes)).reshape(-1)[:40]
            if sums.tolist() != np.array(recorded, dtype).tolist():
                found[layout] = sums.tolist(), recorded

    assert not found


@pytest.mark.parametrize("layout", [layout for layout in LAYOUTS if np.prod(layout.shape) < 400])
def test_sum_has_the_shape_and_about_the_value_of_any_sum(layout):
    x = array(layout, "float64")
    for keepdims in (False, True):
        ours, theirs = total(x, layout.axes, keepdims), x.sum(axis=layout.axes, keepdims=keepdims)

        assert ours.shape == theirs.shape
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def test_sum_of_negative_zeros_is_zero_for_it_starts_from_zero():
    for n in (1, 3, 8, 40):
        assert not np.signbit(total(np.full(n, -0.0, np.float32)))


def test_sum_of_nothing_is_zero_and_of_whole_numbers_a_whole_number():
    assert total(np.zeros((0, 3)), (0,)).tolist() == [0.0, 0.0, 0.0]
    assert total(np.arange(10)) == 45
    assert total(np.float32(2.5)) == 2.5


def test_sum_in_half_precision_and_of_very_many_numbers_is_numpys():
    for x in (np.linspace(0, 1, 300, dtype=np.float16), np.linspace(0, 1, 40000, dtype=np.float32)):
        assert total(x) == x.sum()


# ---- against PyTorch's loops, one number after the other ----


def cascade(terms: list[Any]) -> Any:
    """Sum of numbers, or of registers, as `multi_row_sum` of SumKernel.cpp forms it, with four levels."""
    levels, power = 4, max(4, (len(terms) - 1).bit_length() // 4)
    sums: list[Any] = [0 * terms[0]] * levels
    done = 0
    while done + (1 << power) <= len(terms):
        for term in terms[done : done + (1 << power)]:
            sums[0] = sums[0] + term
        done += 1 << power
        for level in range(1, levels):
            sums[level], sums[level - 1] = sums[level] + sums[level - 1], 0 * terms[0]
            if done & (((1 << power) - 1) << (level * power)):
                break
    for term in terms[done:]:
        sums[0] = sums[0] + term
    return sums[0] + sums[1] + sums[2] + sums[3]


def row(terms: list[Any]) -> Any:
    """`row_sum`: four sums side by side, then what is left over, then the four."""
    whole = len(terms) // 4 * 4
    parts = [cascade(terms[k:whole:4]) if whole else 0 * terms[0] for k in range(4)]
    for term in terms[whole:]:
        parts[0] = parts[0] + term
    return parts[0] + parts[1] + parts[2] + parts[3]


def vector(x: Any) -> Any:
    """`vectorized_inner_sum` where the numbers are next to each other and fill a register."""
    lanes = 32 // x.itemsize
    whole = len(x) // lanes * lanes
    if not whole:
        return row(list(x))
    out = x.dtype.type(0)
    for number in (*x[whole:], *row([x[i : i + lanes] for i in range(0, whole, lanes)])):
        out = out + number
    return out


def numbers(count: int, dtype: str) -> Any:
    return np.random.default_rng(count).normal(size=count).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sum_of_a_vector_is_that_of_pytorchs_loop(dtype: str):
    for n in (*range(2, 70), 127, 128, 129, 255, 511, 513, 1100, 2047, 2049, 4000):
        x = numbers(2 * n, dtype)

        assert total(x[:n]) == vector(x[:n]), n
        assert total(x[::-2]) == row(list(x[::-2])), n


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("width", [2, 3, 4, 6, 8, 9, 33])
def test_sums_of_rows_and_columns_are_those_of_pytorchs_loops(dtype: str, width: int):
    for height in (2, 3, 5, 16, 17, 64, 70):
        x = numbers(height * width, dtype).reshape(height, width)
        lanes = 32 // x.itemsize
        group = 4 * lanes if width >= lanes else 4
        in_groups = width // group * group
        columns = [(cascade if k < in_groups else row)(list(x[:, k])) for k in range(width)]

        assert total(x, (1,)).tolist() == [vector(line) for line in x], height
        assert total(x, (0,)).tolist() == columns, height
