"""Tensors print as PyTorch prints them; data/engine_printing.json holds what PyTorch 2.13 printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradviz.engine.dtypes import FLOAT64, dtype_of
from gradviz.engine.printing import DEFAULT_OPTIONS, PrintOptions, change_options, format_tensor
from tests.engine.printed_arrays import printed_array, text_by_torch

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "engine_printing.json").read_text(encoding="utf-8"))


def text_by_engine(array: Any, options: dict[str, Any], suffixes: dict[str, Any]) -> str:
    return format_tensor(
        array,
        dtype_of(np.asarray(array).dtype),
        requires_grad=bool(suffixes),
        grad_fn_name="ViewBackward0" if "grad_fn" in suffixes else None,
        options=change_options(DEFAULT_OPTIONS, **options),
    )


@pytest.mark.parametrize("part", range(8))
def test_every_recorded_tensor_prints_as_in_pytorch(part):
    for case in RECORDED["printed"][part::8]:
        numbers = [float(number) if isinstance(number, str) else number for number in case["numbers"]]
        array = np.array(numbers, case["dtype"]).reshape(case["shape"])

        assert text_by_engine(array, case["options"], case["suffixes"]) == case["text"]


@pytest.mark.torch
@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2**32))
def test_a_live_pytorch_prints_the_same(seed):
    torch = pytest.importorskip("torch")
    array, options, suffixes = printed_array(seed)

    assert text_by_engine(array, options, suffixes) == text_by_torch(torch, array, options, suffixes)


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.float32(2), "tensor(2.)"),
        (np.float64(0.1), "tensor(0.1000, dtype=torch.float64)"),
        (np.array([1.0, 2.5], np.float32), "tensor([1.0000, 2.5000])"),
        (np.array([1.0, 1e5 + 0.5], np.float32), "tensor([1.0000e+00, 1.0000e+05])"),
        (np.array([[1, -20], [300, 4]]), "tensor([[  1, -20],\n        [300,   4]])"),
        (np.array([True, False]), "tensor([ True, False])"),
        (np.array([], np.float32), "tensor([])"),
        (np.zeros((0, 3), np.float32), "tensor([], size=(0, 3))"),
        (np.zeros((0,), np.int64), "tensor([], dtype=torch.int64)"),
        (np.arange(1001), "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
        (np.array([np.nan, 1], np.float32), "tensor([nan, 1.])"),
    ],
)
def test_tensors_print_as_learners_know_them(array, text):
    assert text_by_engine(array, {}, {}) == text


def test_the_default_dtype_goes_without_saying():
    assert format_tensor(np.float64(2), FLOAT64, default_dtype=FLOAT64) == "tensor(2.)"


def test_a_prefix_and_a_suffix_that_does_not_fit_break_lines_at_the_bracket():
    text = format_tensor(
        np.full(11, 0.5, np.float32), dtype_of(np.dtype(np.float32)), prefix="MyTensor", grad_fn_name="MulBackward0"
    )

    assert text == (
        "MyTensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000,\n"
        "          0.5000, 0.5000, 0.5000], grad_fn=<MulBackward0>)"
    )


def test_options_change_one_by_one_and_scientific_mode_every_time():
    options = change_options(DEFAULT_OPTIONS, precision=2, sci_mode=True)

    assert options == PrintOptions(precision=2, sci_mode=True)
    assert change_options(options, edgeitems=1) == PrintOptions(precision=2, edgeitems=1)
    assert change_options(options, profile="full").threshold == float("inf")


@pytest.mark.parametrize("wrong", [{"precision": -1}, {"edgeitems": 1.5}])
def test_options_that_no_tensor_can_be_printed_with_are_refused(wrong):
    with pytest.raises(ValueError, match="must be a whole number of 0 or more"):
        change_options(DEFAULT_OPTIONS, **wrong)
