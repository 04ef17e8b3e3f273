"""Sums are PyTorch's to the last digit; data/sums.json holds what PyTorch 2.13 gave."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gradviz.engine.summation import total
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
