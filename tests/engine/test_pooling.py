"""Pooling against a live PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.layer_calls import Call, compare, compare_errors, params, waves

IMAGES = {1: waves(2, 3, 7), 2: waves(2, 3, 5, 6)}
MAX = {
    "plain": {}, "stride": {"stride": 1}, "padding": {"padding": 1}, "ceil": {"ceil_mode": True},
    "dilation": {"dilation": 2, "stride": 1}, "ceil padding": {"ceil_mode": True, "padding": 1, "stride": 3},
}  # fmt: skip
AVERAGE = {
    "plain": {}, "stride": {"stride": 1}, "padding": {"padding": 1}, "ceil": {"ceil_mode": True},
    "without padding": {"padding": 1, "count_include_pad": False, "ceil_mode": True},
}  # fmt: skip
DIMS = (1, 2)
TIES = np.array([[[1.0, 1, 0, 2, 2, 2], [3, 3, 3, 3, 0, 0]]])

CALLS = [
    *[Call(f"max_pool{n}d {name}", lambda _, F, x, n=n, s=s: getattr(F, f"max_pool{n}d")(x, 2, **s), (IMAGES[n],))
      for n in DIMS for name, s in MAX.items()],
    *[Call(f"max_pool{n}d indices {name}",
           lambda _, F, x, n=n, s=s: getattr(F, f"max_pool{n}d")(x, 2, return_indices=True, **s), (IMAGES[n],))
      for n in DIMS for name, s in MAX.items()],
    *[Call(f"avg_pool{n}d {name}", lambda _, F, x, n=n, s=s: getattr(F, f"avg_pool{n}d")(x, 2, **s), (IMAGES[n],))
      for n in DIMS for name, s in AVERAGE.items()],
    Call("avg_pool2d divisor", lambda _, F, x: F.avg_pool2d(x, 2, divisor_override=3), (IMAGES[2],)),
    Call("unequal windows", lambda _, F, x: F.max_pool2d(x, (3, 2), (2, 1), (1, 0)), (IMAGES[2],)),
    Call("unequal means", lambda _, F, x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 0)), (IMAGES[2],)),
    Call("one image", lambda _, F, x: F.max_pool2d(x, 2), (IMAGES[2][0],)),
    Call("one image's mean", lambda _, F, x: F.avg_pool2d(x, 2), (IMAGES[2][0],)),
    Call("ties", lambda _, F, x: F.max_pool1d(x, 3, 1, return_indices=True), (TIES,), order=1),
    Call("ties in two dims", lambda _, F, x: F.max_pool2d(x, 2, return_indices=True), (TIES[None],), order=1),
    *[Call(f"adaptive_avg_pool{n}d {out}", lambda _, F, x, n=n, out=out: getattr(F, f"adaptive_avg_pool{n}d")(x, out),
           (IMAGES[n],)) for n in DIMS for out in (1, 2, 3)],
    Call("adaptive_avg_pool2d to more", lambda _, F, x: F.adaptive_avg_pool2d(x, (8, None)), (IMAGES[2],)),
]  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize(("call", "dtype"), params(CALLS))
def test_numbers_and_derivatives_are_those_of_pytorch(call, dtype):
    compare(pytest.importorskip("torch"), call, dtype)


REFUSED = {
    "window too large": lambda t, F: F.max_pool2d(t.ones(1, 2, 5, 5), 6),
    "mean of a window too large": lambda t, F: F.avg_pool2d(t.ones(1, 2, 5, 5), 6),
    "two dims": lambda t, F: F.max_pool2d(t.ones(5, 5), 2),
    "one dim": lambda t, F: F.max_pool1d(t.ones(3), 2),
    "padding": lambda t, F: F.max_pool2d(t.ones(1, 2, 5, 5), 2, padding=2),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_the_words_of_pytorch(name):
    compare_errors(pytest.importorskip("torch"), REFUSED[name])
