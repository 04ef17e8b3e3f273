"""Normalisation against a live PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as ours
import gradviz.engine.nn.functional as F
from tests.engine.layer_calls import Call, compare, compare_errors, params, waves

X, IMAGES, ROWS = waves(2, 3, 4), waves(2, 4, 3, 2), waves(5, 4)
W, B = waves(4), waves(4, shift=1)
MEAN, VARIANCE = waves(4) * 0.2, np.abs(waves(4)) + 0.5

CALLS = [
    Call("layer_norm", lambda _, F, x: F.layer_norm(x, (4,)), (X,)),
    Call("layer_norm weight bias", lambda _, F, x, w, b: F.layer_norm(x, (4,), w, b, 1e-3), (X, W, B)),
    Call("layer_norm weight", lambda _, F, x, w: F.layer_norm(x, [4], w), (X, W)),
    Call("layer_norm bias", lambda _, F, x, b: F.layer_norm(x, [4], None, b), (X, B), order=1),
    Call("layer_norm two dims", lambda _, F, x, w, b: F.layer_norm(x, (3, 4), w, b),
         (X, waves(3, 4), waves(3, 4, shift=2))),
    Call("rms_norm", lambda _, F, x: F.rms_norm(x, (4,)), (X,)),
    Call("rms_norm weight", lambda _, F, x, w: F.rms_norm(x, (4,), w, 1e-3), (X, W)),
    Call("batch_norm", lambda _, F, x: F.batch_norm(x, None, None, training=True), (ROWS,)),
    Call("batch_norm weight bias", lambda _, F, x, w, b: F.batch_norm(x, None, None, w, b, True), (ROWS, W, B)),
    Call("batch_norm images", lambda _, F, x, w, b: F.batch_norm(x, None, None, w, b, True, eps=0.1), (IMAGES, W, B)),
    Call("batch_norm sequences", lambda _, F, x, w, b: F.batch_norm(x, None, None, w, b, True), (IMAGES[..., 0], W, B)),
    Call("batch_norm eval", lambda _, F, x, m, v: F.batch_norm(x, m, v), (IMAGES, MEAN, VARIANCE), fixed=(1, 2)),
    Call("batch_norm eval weight bias", lambda _, F, x, m, v, w, b: F.batch_norm(x, m, v, w, b),
         (IMAGES, MEAN, VARIANCE, W, B), fixed=(1, 2)),
    Call("batch_norm moves statistics",
         lambda _, F, x, m, v: (F.batch_norm(x, m, v, training=True, momentum=0.3), m, v),
         (IMAGES, MEAN, VARIANCE), fixed=(1, 2)),
    *[Call(f"group_norm {n}", lambda _, F, x, n=n: F.group_norm(x, n), (IMAGES,)) for n in (1, 2, 4)],
    Call("group_norm weight bias", lambda _, F, x, w, b: F.group_norm(x, 2, w, b, 1e-2), (IMAGES, W, B)),
    Call("instance_norm", lambda _, F, x: F.instance_norm(x), (IMAGES,)),
    Call("instance_norm weight bias", lambda _, F, x, w, b: F.instance_norm(x, None, None, w, b), (IMAGES, W, B)),
    Call("instance_norm moves statistics",
         lambda _, F, x, m, v: (F.instance_norm(x, m, v, momentum=0.3), m, v), (IMAGES, MEAN, VARIANCE), fixed=(1, 2)),
    Call("instance_norm by running statistics",
         lambda _, F, x, m, v: F.instance_norm(x, m, v, use_input_stats=False), (IMAGES, MEAN, VARIANCE), fixed=(1, 2)),
]  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize(("call", "dtype"), params(CALLS))
def test_numbers_and_derivatives_are_those_of_pytorch(call, dtype):
    compare(pytest.importorskip("torch"), call, dtype)


REFUSED = {
    "layer_norm of other dims": lambda t, F: F.layer_norm(t.ones(2, 5), (4,)),
    "layer_norm weight": lambda t, F: F.layer_norm(t.ones(2, 5), (5,), t.ones(4)),
    "layer_norm of a number": lambda t, F: F.layer_norm(t.ones(2, 5), 5),
    "layer_norm of whole numbers": lambda t, F: F.layer_norm(t.ones(5).long(), (5,)),
    "batch_norm of one number": lambda t, F: F.batch_norm(t.ones(1, 3), None, None, training=True),
    "batch_norm running mean": lambda t, F: F.batch_norm(t.ones(2, 2), t.zeros(3), t.ones(3)),
    "batch_norm weight": lambda t, F: F.batch_norm(t.ones(2, 2), t.zeros(2), t.ones(2), t.ones(3)),
    "batch_norm without statistics": lambda t, F: F.batch_norm(t.ones(2, 2), None, None),
    "batch_norm of whole numbers": lambda t, F: F.batch_norm(t.ones(4, 3).long(), None, None, training=True),
    "group_norm": lambda t, F: F.group_norm(t.ones(1, 2, 5, 5), 3),
    "group_norm weight": lambda t, F: F.group_norm(t.ones(1, 2, 5, 5), 2, t.ones(3)),
    "instance_norm of pixels": lambda t, F: F.instance_norm(t.ones(1, 2, 1, 1)),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_the_words_of_pytorch(name):
    compare_errors(pytest.importorskip("torch"), REFUSED[name])


def test_running_statistics_move_in_place():
    running = ours.zeros(2)
    same = running

    F.batch_norm(ours.tensor([[1.0, 2.0], [3.0, 6.0]]), running, ours.ones(2), training=True, momentum=0.5)

    assert same.tolist() == [1.0, 2.0]
