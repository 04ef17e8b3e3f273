"""Functions of single numbers come from the C library where it is at hand, and from numpy where it is not."""

from __future__ import annotations

import ctypes
from fractions import Fraction

import numpy as np
import pytest

from gradviz.imitation.engine.kernels import one_number

NUMBERS = [float(x) for x in np.linspace(-2, 2, 101)]


def _missing(name: str | None) -> None:
    raise TypeError(name)


def test_without_the_library_the_widest_format_is_numpys(monkeypatch: pytest.MonkeyPatch):
    of_library = one_number.in_widest("tanh")
    monkeypatch.setattr(ctypes, "PyDLL", _missing)

    of_numpy = one_number.in_widest("tanh")

    assert type(of_numpy(0.5)) is float
    assert [of_numpy(x) for x in NUMBERS] == [of_library(x) for x in NUMBERS]


@pytest.mark.skipif(np.finfo(np.longdouble).nmant < 63, reason="this machine has no format wider than float64")
@pytest.mark.parametrize("function", [one_number.fused, one_number.in_steps])
def test_a_product_and_a_sum_are_rounded_once(function: one_number.OfNumbers):
    a, c = 1.0 + 2.0**-30, -1.0 - 2.0**-29

    made = [function(a, a, c), function(0.1, 0.3, 0.7)]

    assert made == [float(Fraction(a) ** 2 + Fraction(c)), float(Fraction(0.1) * Fraction(0.3) + Fraction(0.7))]
