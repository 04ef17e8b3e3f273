"""Attention and embeddings against a live PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as ours
import gradviz.engine.nn.functional as F
from tests.engine.layer_calls import Call, compare, compare_errors, params, waves

Q, K, V = waves(2, 2, 3, 4), waves(2, 2, 5, 4, shift=1), waves(2, 2, 5, 6, shift=2)
SEEN = np.array([[True, False, True, True, False], [True] * 5, [False, True, True, True, True]])
BLIND = SEEN & np.array([[False], [True], [True]])
ADDED = waves(3, 5, shift=3)
TABLE = waves(6, 3)
ROWS = np.array([[0, 2, 2], [5, 1, 0]])

ATTENTION = [
    Call("attention", lambda _, F, q, k, v: F.scaled_dot_product_attention(q, k, v), (Q, K, V), order=1),
    Call("attention causal", lambda _, F, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), (Q, K, V),
         order=1),
    Call("attention scale", lambda _, F, q, k, v: F.scaled_dot_product_attention(q, k, v, scale=0.3), (Q, K, V),
         order=1),
    Call("attention bool mask", lambda _, F, q, k, v, m: F.scaled_dot_product_attention(q, k, v, m), (Q, K, V, SEEN),
         order=1),
    Call("attention blind row", lambda _, F, q, k, v, m: F.scaled_dot_product_attention(q, k, v, m), (Q, K, V, BLIND),
         order=1),
    Call("attention float mask", lambda _, F, q, k, v, m: F.scaled_dot_product_attention(q, k, v, m),
         (Q, K, V, ADDED), order=1, fixed=(3,)),
    Call("attention infinite mask", lambda _, F, q, k, v, m: F.scaled_dot_product_attention(q, k, v, m),
         (Q, K, V, np.where(SEEN, 0, -np.inf)), order=1, fixed=(3,)),
    Call("attention of matrices", lambda _, F, q, k, v: F.scaled_dot_product_attention(q, k, v),
         (Q[0, 0], K[0, 0], V[0, 0])),
    Call("attention differentiated twice", lambda torch, F, q, k, v: torch.softmax(
        q @ k.transpose(-2, -1) / 2, -1) @ v, (Q, K, V)),
]  # fmt: skip
EMBEDDING = [
    Call("embedding", lambda _, F, w, i: F.embedding(i, w), (TABLE, ROWS)),
    Call("embedding of what was computed", lambda _, F, w, i: F.embedding(i, w * w).tanh(), (TABLE, ROWS)),
    Call("embedding padding", lambda _, F, w, i: F.embedding(i, w, padding_idx=2), (TABLE, ROWS)),
    Call("embedding padding from the end", lambda _, F, w, i: F.embedding(i, w, padding_idx=-1), (TABLE, ROWS)),
    Call("embedding of one number", lambda _, F, w, i: F.embedding(i, w), (TABLE, np.array(3))),
]  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize(("call", "dtype"), params([*ATTENTION, *EMBEDDING]))
def test_numbers_and_derivatives_are_those_of_pytorch(call, dtype):
    compare(pytest.importorskip("torch"), call, dtype)


REFUSED = {
    "mask of another size": lambda t, F: F.scaled_dot_product_attention(
        t.ones(2, 3, 4), t.ones(2, 3, 4), t.ones(2, 3, 4), t.ones(2, 2).bool()),
    "two dtypes": lambda t, F: F.scaled_dot_product_attention(t.ones(3, 4), t.ones(3, 4).double(), t.ones(3, 4)),
    "one dim": lambda t, F: F.scaled_dot_product_attention(t.ones(4), t.ones(4), t.ones(4)),
    "mask of whole numbers": lambda t, F: F.scaled_dot_product_attention(
        t.ones(3, 4), t.ones(3, 4), t.ones(3, 4), t.ones(3, 3).long()),
    "row out of range": lambda t, F: F.embedding(t.tensor([6]), t.ones(6, 3)),
    "negative row": lambda t, F: F.embedding(t.tensor([-1]), t.ones(6, 3)),
    "row of floats": lambda t, F: F.embedding(t.tensor([1.0]), t.ones(6, 3)),
    "a list of rows": lambda t, F: F.embedding([1], t.ones(6, 3)),
    "padding out of range": lambda t, F: F.embedding(t.tensor([1]), t.ones(6, 3), padding_idx=9),
    "a table of one dim": lambda t, F: F.embedding(t.tensor([1]), t.ones(6)),
}  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize("name", REFUSED)
def test_refusals_have_the_words_of_pytorch(name):
    compare_errors(pytest.importorskip("torch"), REFUSED[name])


def test_attention_is_made_of_products_and_a_softmax():
    q = ours.ones(2, 3, requires_grad=True)

    y = F.scaled_dot_product_attention(q, q, q)

    names, node = [], y.grad_fn
    for _ in range(4):
        names.append(node.name())
        node = node.next_functions[0][0]
    assert names == ["MmBackward0", "SoftmaxBackward0", "MulBackward0", "MmBackward0"]
