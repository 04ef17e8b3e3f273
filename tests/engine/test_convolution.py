"""Convolutions, their transposes, unfold and fold, against a live PyTorch."""

from __future__ import annotations

import pytest

from tests.engine.layer_calls import Call, compare, compare_errors, params, waves

SIZES = {1: (7,), 2: (5, 6)}
SETTINGS = {
    "plain": {}, "stride": {"stride": 2}, "padding": {"padding": 1}, "dilation": {"dilation": 2, "padding": 2},
    "all": {"stride": 2, "padding": 1, "dilation": 2, "groups": 2}, "same": {"padding": "same"},
    "same dilation": {"padding": "same", "dilation": 2}, "valid": {"padding": "valid"},
}  # fmt: skip
TRANSPOSED = {
    "plain": {}, "stride": {"stride": 2}, "output": {"stride": 2, "padding": 1, "output_padding": 1},
    "all": {"stride": 2, "padding": 1, "dilation": 2, "groups": 2, "output_padding": 1},
}  # fmt: skip


def _conv(dims, name, settings, *, transposed=False, bias=True):
    function = f"conv_transpose{dims}d" if transposed else f"conv{dims}d"
    groups = settings.get("groups", 1)
    channels = (4, 6 // groups) if transposed else (6, 4 // groups)
    kernel = (3, 2)[:dims]
    inputs = (waves(2, 4, *SIZES[dims]), waves(*channels, *kernel), *([waves(6)] if bias else []))
    return Call(f"{function} {name}{'' if bias else ' without bias'}",
                lambda _, F, *x: getattr(F, function)(*x, **settings), inputs)  # fmt: skip


CALLS = [
    *[_conv(dims, name, settings) for dims in (1, 2) for name, settings in SETTINGS.items()],
    *[_conv(dims, name, settings, transposed=True) for dims in (1, 2) for name, settings in TRANSPOSED.items()],
    *[_conv(dims, "plain", {}, bias=False, transposed=t) for dims in (1, 2) for t in (False, True)],
    Call("one image", lambda _, F, x, w: F.conv2d(x, w), (waves(2, 4, 4), waves(3, 2, 2, 2))),
    Call("one image transposed", lambda _, F, x, w: F.conv_transpose2d(x, w), (waves(2, 4, 4), waves(2, 3, 2, 2))),
    Call("unequal settings", lambda _, F, x, w: F.conv2d(x, w, stride=(1, 2), padding=(2, 0), dilation=(2, 1)),
         (waves(2, 2, 5, 6), waves(3, 2, 2, 3))),
    Call("depthwise", lambda _, F, x, w: F.conv2d(x, w, groups=3, padding=1), (waves(2, 3, 4, 4), waves(6, 1, 3, 3))),
    Call("pointwise", lambda _, F, x, w: F.conv2d(x, w), (waves(2, 3, 2, 2), waves(5, 3, 1, 1))),
    Call("of what was computed", lambda _, F, x, w: F.conv2d(x.tanh(), w * 2).relu(),
         (waves(2, 3, 4, 4), waves(5, 3, 2, 2))),
    Call("unfold", lambda _, F, x: F.unfold(x, (2, 3), dilation=(1, 2), padding=1, stride=(2, 1)),
         (waves(2, 3, 4, 5),)),
    Call("unfold one image", lambda _, F, x: F.unfold(x, 2), (waves(3, 4, 5),)),
]  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize(("call", "dtype"), params(CALLS))
def test_numbers_and_derivatives_are_those_of_pytorch(call, dtype):
    compare(pytest.importorskip("torch"), call, dtype)


REFUSED = {
    "other channels": lambda t, F: F.conv2d(t.ones(1, 2, 5, 5), t.ones(4, 3, 3, 3)),
    "two dims": lambda t, F: F.conv2d(t.ones(5, 5), t.ones(4, 3, 3, 3)),
    "one dim": lambda t, F: F.conv1d(t.ones(5), t.ones(1, 1, 3)),
    "kernel too large": lambda t, F: F.conv2d(t.ones(1, 3, 2, 2), t.ones(4, 3, 3, 3)),
    "bias of another size": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5), t.ones(4, 3, 3, 3), t.ones(3)),
    "two dtypes": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5).double(), t.ones(4, 3, 3, 3)),
    "whole numbers": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5).long(), t.ones(4, 3, 3, 3)),
    "bias of another dtype": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5), t.ones(4, 3, 3, 3), t.ones(4).double()),
    "stride 0": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5), t.ones(4, 3, 3, 3), stride=0),
    "three strides": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5), t.ones(4, 3, 3, 3), stride=(1, 2, 3)),
    "negative padding": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5), t.ones(4, 3, 3, 3), padding=-1),
    "same with stride": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5), t.ones(4, 3, 3, 3), padding="same", stride=2),
    "padding word": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5), t.ones(4, 3, 3, 3), padding="full"),
    "groups": lambda t, F: F.conv2d(t.ones(1, 3, 5, 5), t.ones(4, 3, 3, 3), groups=2),
    "channels of the transposed": lambda t, F: F.conv_transpose2d(t.ones(1, 2, 5, 5), t.ones(4, 3, 3, 3)),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_the_words_of_pytorch(name):
    compare_errors(pytest.importorskip("torch"), REFUSED[name])
