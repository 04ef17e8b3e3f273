"""Activations, softmax, dropout and measures of vectors, against a live PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as ours
import gradviz.engine.nn.functional as F
from tests.engine.layer_calls import Call, compare, compare_errors, params, waves

X = waves(2, 3, 4) * 3
ROW = waves(5)
KINKS = np.array([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0, 6.0])

SIMPLE = [
    "relu", "relu6", "elu", "selu", "silu", "mish", "softplus",
    "softsign", "logsigmoid", "hardtanh", "hardsigmoid", "hardswish",
    "gelu", "leaky_relu", "sigmoid", "tanh",
]  # fmt: skip
ROUGH = {"hardsigmoid": 1e-6, "hardswish": 1e-6}
"""Where PyTorch computes the derivative with constants of single precision."""
CALLS = [
    *[Call(name, lambda _, F, x, name=name: getattr(F, name)(x), (X,),
           order=1 if name == "hardsigmoid" else 2, precision=ROUGH.get(name, 1e-9)) for name in SIMPLE],
    *[Call(f"{name} at kinks", lambda _, F, x, name=name: getattr(F, name)(x), (KINKS,), order=1,
           precision=ROUGH.get(name, 1e-9)) for name in SIMPLE],
    *[Call(f"{name} of a number", lambda _, F, x, name=name: getattr(F, name)(x), (np.array(-0.7),), order=1,
           precision=ROUGH.get(name, 1e-9)) for name in SIMPLE],
    Call("leaky_relu slope", lambda _, F, x: F.leaky_relu(x, 0.3), (X,)),
    Call("elu alpha", lambda _, F, x: F.elu(x, 0.7), (X,)),
    Call("gelu tanh", lambda _, F, x: F.gelu(x, approximate="tanh"), (X,)),
    Call("softplus beta", lambda _, F, x: F.softplus(x, 2, 3), (X,)),
    Call("hardtanh bounds", lambda _, F, x: F.hardtanh(x, -0.5, 2), (X,)),
    Call("relu in place", lambda _, F, x: F.relu(x * 2, inplace=True), (X,)),
    Call("method relu", lambda _, F, x: x.relu() + torch_relu_in_place(x), (X,)),
    Call("prelu one", lambda _, F, x, w: F.prelu(x, w), (X, np.array([0.3]))),
    Call("prelu per channel", lambda _, F, x, w: F.prelu(x, w), (X, np.array([0.3, -0.2, 0.1]))),
    Call("glu", lambda _, F, x: F.glu(x), (X,)),
    Call("glu dim", lambda _, F, x: F.glu(x, 0), (X,)),
    Call("softmax of a number", lambda _, F, x: F.softmax(x, 0), (np.array(0.4),)),
    Call("softmax dtype", lambda torch, F, x: F.softmax(x, 1, dtype=torch.float64), (X,)),
    Call("softmax large", lambda _, F, x: F.softmax(x * 1000, 1) + F.log_softmax(x * 1000, 1), (X,), order=1),
    Call("torch.softmax", lambda torch, F, x: torch.softmax(x, 1) + x.log_softmax(dim=1), (X,)),
    Call("torch.softmax by its second name", lambda torch, F, x: torch.softmax(x, axis=1), (X,)),
    Call("gumbel_softmax", lambda _, F, x: F.gumbel_softmax(x, 0.7), (X,), seed=1),
    Call("gumbel_softmax hard", lambda _, F, x: F.gumbel_softmax(x, 0.7, hard=True), (X,), seed=1),
    Call("dropout", lambda _, F, x: F.dropout(x, 0.4), (X,), seed=2),
    Call("dropout off", lambda _, F, x: F.dropout(x, 0.4, training=False) * 1, (X,)),
    Call("dropout all", lambda _, F, x: F.dropout(x, 1.0), (X,)),
    Call("dropout in place", lambda _, F, x: F.dropout(x * 2, 0.3, inplace=True), (X,), seed=4),
    Call("alpha_dropout", lambda _, F, x: F.alpha_dropout(x, 0.4, training=True), (X,), seed=2),
    *[Call(f"{name} {dim}", lambda _, F, x, name=name, dim=dim: getattr(F, name)(x, dim=dim), (X,))
      for name in ("softmax", "log_softmax") for dim in (0, 1, -1, None)],
    Call("dropout2d", lambda _, F, x: F.dropout2d(x, 0.4), (waves(2, 3, 2, 2),), seed=2),
    Call("normalize", lambda _, F, x: F.normalize(x), (X,)),
    Call("normalize 1-norm", lambda _, F, x: F.normalize(x, 1.0, dim=0), (X,)),
    Call("cosine_similarity", lambda _, F, x, y: F.cosine_similarity(x, y), (X, waves(2, 3, 4, shift=1))),
    Call("cosine_similarity dim", lambda _, F, x, y: F.cosine_similarity(x, y, dim=-1), (X, waves(1, 3, 4, shift=1))),
    Call("pairwise_distance", lambda _, F, x, y: F.pairwise_distance(x, y), (X, waves(2, 3, 4, shift=1))),
    Call("pairwise_distance 1", lambda _, F, x, y: F.pairwise_distance(x, y, 1.0, keepdim=True),
         (X, waves(2, 3, 4, shift=1))),
    Call("bilinear", lambda _, F, x, y, w, b: F.bilinear(x, y, w, b),
         (waves(2, 3), waves(2, 4), waves(5, 3, 4), waves(5))),
    Call("one_hot", lambda _, F, i: F.one_hot(i), (np.array([[0, 2], [1, 0]]),), dtypes=("float64",)),
    Call("one_hot classes", lambda _, F, i: F.one_hot(i, 5), (np.array([0, 2]),), dtypes=("float64",)),
]  # fmt: skip


def torch_relu_in_place(x):
    y = x * 1
    return y.relu_()


@pytest.mark.torch
@pytest.mark.parametrize(("call", "dtype"), params(CALLS))
def test_numbers_and_derivatives_are_those_of_pytorch(call, dtype):
    compare(pytest.importorskip("torch"), call, dtype)


REFUSED = {
    "softmax of whole numbers": lambda torch, F: F.softmax(torch.tensor([1, 2]), 0),
    "log_softmax of whole numbers": lambda torch, F: F.log_softmax(torch.tensor([1, 2]), 0),
    "softmax along the first of two dims": lambda torch, F: F.softmax(torch.tensor([[1, 2]]), 0),
    "torch.softmax without dim": lambda torch, F: torch.softmax(torch.ones(2)),
    "no such dim": lambda torch, F: F.softmax(torch.ones(2), 5),
    "gelu of whole numbers": lambda torch, F: F.gelu(torch.tensor([1, 2])),
    "silu of whole numbers": lambda torch, F: F.silu(torch.tensor([1, 2])),
    "gelu approximate": lambda torch, F: F.gelu(torch.ones(2), approximate="fast"),
    "glu of an odd size": lambda torch, F: F.glu(torch.ones(3)),
    "prelu of other channels": lambda torch, F: F.prelu(torch.ones(2, 3), torch.ones(2)),
    "dropout probability": lambda torch, F: F.dropout(torch.ones(2), 1.5),
    "dropout of whole numbers": lambda torch, F: F.dropout(torch.tensor([1, 2])),
    "one_hot too few classes": lambda torch, F: F.one_hot(torch.tensor([5]), 3),
    "one_hot negative": lambda torch, F: F.one_hot(torch.tensor([-1])),
    "leaf in place": lambda torch, F: F.relu(torch.ones(2, requires_grad=True), inplace=True),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_the_words_of_pytorch(name):
    compare_errors(pytest.importorskip("torch"), REFUSED[name])


def test_softmax_without_dim_warns():
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax has been deprecated"):
        F.softmax(ours.ones(2, 3))


def test_dropout_is_recorded_as_a_product_with_a_constant_mask():
    x = ours.ones(4, requires_grad=True)

    y = F.dropout(x, 0.5)

    assert type(y.grad_fn).__name__ == "MulBackward0" or y.grad_fn.name() == "MulBackward0"
