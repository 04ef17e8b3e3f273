"""Padding, interpolation, pixel shuffle and sampling at points, against a live PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

from tests.engine.layer_calls import Call, compare, compare_errors, params, waves

IMAGES = {1: waves(2, 3, 5), 2: waves(2, 3, 4, 5), 3: waves(1, 2, 3, 4, 3)}
POINTS = np.stack([waves(2, 3, 4), waves(2, 3, 4, shift=1)], -1) * 0.8
SCALES = {
    "twice": {"scale_factor": 2}, "size": {"size": 3}, "odd": {"scale_factor": 1.4},
    "odd anew": {"scale_factor": 1.4, "recompute_scale_factor": True},
}  # fmt: skip
MODES = {
    1: ("nearest", "nearest-exact", "linear", "area"), 2: ("nearest", "nearest-exact", "bilinear", "bicubic", "area"),
    3: ("nearest", "trilinear", "area"),
}  # fmt: skip
ALIGNED = {1: ("linear",), 2: ("bilinear", "bicubic"), 3: ("trilinear",)}

CALLS = [
    Call("pad", lambda _, F, x: F.pad(x, (1, 2)), (IMAGES[2],)),
    Call("pad two dims", lambda _, F, x: F.pad(x, (1, 2, 3, 0), value=0.7), (IMAGES[2],)),
    Call("pad negative", lambda _, F, x: F.pad(x, (-1, 2, 1, -2)), (IMAGES[2],)),
    Call("pad whole numbers", lambda _, F, x: F.pad(x, (1, 1), value=3), (np.arange(3),), dtypes=("float64",)),
    *[Call(f"pad {mode} {n}", lambda _, F, x, mode=mode, n=n: F.pad(x, (1, 2, 2, 1, 1, 0)[: 2 * n], mode=mode),
           (IMAGES[n],)) for n in (1, 2, 3) for mode in ("reflect", "replicate", "circular")],
    *[Call(f"interpolate {mode} {n} {name}", lambda _, F, x, mode=mode, s=s: F.interpolate(x, mode=mode, **s),
           (IMAGES[n],)) for n in (1, 2, 3) for mode in MODES[n] for name, s in SCALES.items()],
    *[Call(f"interpolate {mode} aligned {size}", lambda _, F, x, mode=mode, size=size: F.interpolate(
        x, size, mode=mode, align_corners=True), (IMAGES[n],)) for n in (1, 2, 3) for mode in ALIGNED[n]
      for size in (1, 7)],
    Call("interpolate unequal", lambda _, F, x: F.interpolate(x, (7, 2), mode="bilinear"), (IMAGES[2],)),
    Call("upsample", lambda _, F, x: F.upsample(x, scale_factor=3), (IMAGES[2],)),
    Call("channel_shuffle", lambda _, F, x: F.channel_shuffle(x, 2), (waves(2, 6, 3, 2),)),
    Call("pad cut and circular", lambda _, F, x: F.pad(x, (-1, 2, 1, -1), mode="circular"), (waves(2, 2, 4, 4),)),
    Call("pixel_shuffle", lambda _, F, x: F.pixel_shuffle(x, 2), (waves(2, 8, 3, 2),)),
    Call("pixel_unshuffle", lambda _, F, x: F.pixel_unshuffle(x, 2), (waves(2, 3, 4, 6),)),
    *[Call(f"grid_sample {mode} {border} {align}", lambda _, F, x, g, mode=mode, border=border, align=align:
           F.grid_sample(x, g, mode, border, align), (IMAGES[2], POINTS), order=1)
      for mode in ("bilinear", "nearest") for border in ("zeros", "border", "reflection") for align in (False, True)],
    Call("grid_sample far outside", lambda _, F, x, g: F.grid_sample(x, g, padding_mode="reflection",
         align_corners=False), (IMAGES[2], POINTS * 4), order=1),
    *[Call(f"affine_grid {align}", lambda _, F, t, align=align: F.affine_grid(t, (2, 1, 3, 4), align_corners=align),
           (waves(2, 2, 3),)) for align in (False, True)],
    Call("affine_grid of volumes", lambda _, F, t: F.affine_grid(t, (2, 1, 2, 3, 4), align_corners=False),
         (waves(2, 3, 4),)),
]  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize(("call", "dtype"), params(CALLS))
def test_numbers_and_derivatives_are_those_of_pytorch(call, dtype):
    compare(pytest.importorskip("torch"), call, dtype)


REFUSED = {
    "odd padding": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (1, 1, 1)),
    "reflection too wide": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (7, 1, 1, 1), mode="reflect"),
    "circle too wide": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (7, 1, 1, 1), mode="circular"),
    "padding of other dims": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (1, 1), mode="replicate"),
    "padding mode": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (1, 1, 1, 1), mode="mirror"),
    "padding value": lambda t, F: F.pad(t.ones(1, 2, 5, 5), (1, 1, 1, 1), mode="reflect", value=2),
    "neither size nor scale": lambda t, F: F.interpolate(t.ones(1, 2, 5, 5)),
    "size and scale": lambda t, F: F.interpolate(t.ones(1, 2, 5, 5), size=3, scale_factor=2),
    "mode of other dims": lambda t, F: F.interpolate(t.ones(1, 2, 5, 5), size=3, mode="linear"),
    "mode": lambda t, F: F.interpolate(t.ones(1, 2, 5, 5), size=3, mode="smooth"),
    "aligned nearest": lambda t, F: F.interpolate(t.ones(1, 2, 5, 5), size=3, align_corners=True),
    "pixel_shuffle": lambda t, F: F.pixel_shuffle(t.ones(1, 2, 5, 5), 2),
    "sampling mode": lambda t, F: F.grid_sample(t.ones(1, 2, 5, 5), t.ones(1, 2, 2, 2), mode="linear"),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_the_words_of_pytorch(name):
    compare_errors(pytest.importorskip("torch"), REFUSED[name])
