"""Of a few functions of float32 PyTorch takes from the C library what fills no registers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import pytest

from gradviz.imitation.engine.dtypes import FLOAT32
from gradviz.imitation.engine.kernels import left_over, nearest
from gradviz.imitation.engine.kernels.one_number import of_library

NUMBERS = np.linspace(-0.9, 0.9, 7 * 40, dtype=FLOAT32).reshape(7, 40)
of_sinh = of_library("sinhf", ctypes.c_float, 1)

pytestmark = pytest.mark.skipif(of_sinh is None, reason="the C library is not at hand")


def by_library(x: Any) -> list[float]:
    assert of_sinh is not None
    return [of_sinh(number) for number in x.ravel()]


def test_of_all_numbers_in_a_row_two_registers_at_once_are_rounded():
    made = left_over.sinh(NUMBERS).ravel()

    assert made[:256].tobytes() == nearest.sinh(NUMBERS.ravel()[:256]).tobytes()
    assert made[256:].tolist() == by_library(NUMBERS.ravel()[256:])


def test_rows_with_gaps_between_them_are_rows_of_their_own():
    made = left_over.sinh(NUMBERS[:, 1:36])

    assert made[:, :32].tobytes() == nearest.sinh(NUMBERS[:, 1:33]).tobytes()
    assert made[:, 32:].ravel().tolist() == by_library(NUMBERS[:, 33:36])


def test_what_is_turned_lies_in_rows_still():
    made = left_over.sinh(NUMBERS.T)

    assert made.tobytes() == left_over.sinh(NUMBERS).T.tobytes()
    assert made.strides == NUMBERS.T.strides


@pytest.mark.parametrize("part", [NUMBERS[:, ::2], NUMBERS[0, :31], NUMBERS[2, 3], NUMBERS[:0]])
def test_what_lies_in_no_row_comes_from_the_library(part: Any):
    made = left_over.sinh(part)

    assert (made.shape, made.dtype) == (part.shape, FLOAT32)
    assert made.ravel().tolist() == by_library(part)


def test_other_dtypes_and_many_numbers_are_rounded():
    wide, many = NUMBERS.astype(np.float64), np.tile(NUMBERS, (20, 1))

    assert left_over.sinh(wide).tobytes() == nearest.sinh(wide).tobytes()
    assert left_over.sinh(many).tobytes() == nearest.sinh(many).tobytes()


def test_without_the_library_all_are_rounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(left_over, "of_library", lambda *_: None)

    assert left_over._by_library(nearest.sinh, "sinh", 32) is nearest.sinh
