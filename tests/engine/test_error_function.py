"""The error function of arrays against Python's own."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gradviz.ops.error_function import erf, erfc

POINTS = [*np.linspace(-7, 7, 2001).tolist(), 1e-20, 0.0, 30.0, -30.0, math.inf, -math.inf]


@pytest.mark.parametrize(("dtype", "precision"), [(np.float32, 3e-6), (np.float64, 1e-14)])
@pytest.mark.parametrize("count", [len(POINTS), 10])
def test_agrees_with_math(dtype, precision, count):
    x = np.array(POINTS[::-1][:count], dtype)

    for ours, theirs in ((erf, math.erf), (erfc, math.erfc)):
        expected = [theirs(value) for value in x.tolist()]
        np.testing.assert_allclose(ours(x), expected, rtol=precision, atol=1e-30)
        assert ours(x).dtype == dtype


def test_nan_and_the_sign_of_zero_stay():
    x = np.array([math.nan, -0.0] * 50)

    found = erf(x)

    assert np.isnan(found[::2]).all()
    assert np.signbit(found[1::2]).all()


def test_a_number_gives_a_number():
    assert erf(np.float32(0.5)).dtype == np.float32
    assert erf(np.float32(0.5)).shape == ()
