"""Padding, interpolation and pixel shuffle, against a live PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as engine
from gradviz.engine.errors import Beyond
from tests.engine.layer_calls import Call, compare, compare_errors, params, waves

IMAGES = {1: waves(2, 3, 5), 2: waves(2, 3, 4, 5)}
SCALES = {"twice": {"scale_factor": 2}, "size": {"size": 3}, "odd": {"scale_factor": 1.4}}
MODES = {1: ("nearest", "linear"), 2: ("nearest", "bilinear")}
ALIGNED = {1: ("linear",), 2: ("bilinear",)}

CALLS = [
    Call("pad", lambda _, F, x: F.pad(x, (1, 2)), (IMAGES[2],)),
    Call("pad two dims", lambda _, F, x: F.pad(x, (1, 2, 3, 0), value=0.7), (IMAGES[2],)),
    Call("pad negative", lambda _, F, x: F.pad(x, (-1, 2, 1, -2)), (IMAGES[2],)),
    Call("pad whole numbers", lambda _, F, x: F.pad(x, (1, 1), value=3), (np.arange(3),), dtypes=("float64",)),
    *[Call(f"pad {mode} {n}", lambda _, F, x, mode=mode, n=n: F.pad(x, (1, 2, 2, 1, 1, 0)[: 2 * n], mode=mode),
           (IMAGES[n],)) for n in (1, 2) for mode in ("reflect", "replicate", "circular")],
    *[Call(f"interpolate {mode} {n} {name}", lambda _, F, x, mode=mode, s=s: F.interpolate(x, mode=mode, **s),
           (IMAGES[n],)) for n in (1, 2) for mode in MODES[n] for name, s in SCALES.items()],
    *[Call(f"interpolate {mode} aligned {size}", lambda _, F, x, mode=mode, size=size: F.interpolate(
        x, size, mode=mode, align_corners=True), (IMAGES[n],)) for n in (1, 2) for mode in ALIGNED[n]
      for size in (1, 7)],
    Call("interpolate unequal", lambda _, F, x: F.interpolate(x, (7, 2), mode="bilinear"), (IMAGES[2],)),
    Call("upsample", lambda _, F, x: F.upsample(x, scale_factor=3), (IMAGES[2],)),
]  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize(("call", "dtype"), params(CALLS))
def test_numbers_and_derivatives_are_those_of_pytorch(call, dtype):
    compare(pytest.importorskip("torch"), call, dtype)


REFUSED = {
    "odd padding": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (1, 1, 1)),
    "reflection too wide": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (7, 1, 1, 1), mode="reflect"),
    "circle too wide": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (7, 1, 1, 1), mode="circular"),
    "padding mode": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (1, 1, 1, 1), mode="mirror"),
    "padding value": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (1, 1, 1, 1), mode="reflect", value=2),
    "neither size nor scale": lambda t, F: F.interpolate(t.ones(1, 2, 5, 5)),
    "size and scale": lambda t, F: F.interpolate(t.ones(1, 2, 5, 5), size=3, scale_factor=2),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_the_words_of_pytorch(name):
    compare_errors(pytest.importorskip("torch"), REFUSED[name])


@pytest.mark.parametrize(
    "options", [{"mode": "bicubic"}, {"mode": "linear"}, {"mode": "area"}], ids=lambda options: options["mode"]
)
def test_other_interpolations_are_beyond_the_engine(options):
    with pytest.raises(Beyond, match="is beyond the built-in engine"):
        engine.nn.functional.interpolate(engine.ones(1, 2, 5, 5), size=3, **options)
