"""Shapes, orders of dims, copies, parts: as PyTorch has them."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as engine
from tests.engine.against_torch import assert_same, assert_same_error

X = np.array([[1.0, -2.0, 3.5], [0.5, 4.0, -1.0]])
CUBE = np.arange(24.0).reshape(2, 3, 4) / 7 - 1.3
V = np.array([0.5, -1.5, 2.0])

CALLS = {
    "view": (lambda t, x: x.view(3, 2) ** 2, X),
    "view tuple": (lambda t, x: x.view((-1,)) ** 2, X),
    "view size": (lambda t, x: x.view(x.size()) ** 2, X),
    "view as": (lambda t, x, y: x.view_as(y) * y, X, X.reshape(3, 2)),
    "reshape": (lambda t, x: x.reshape(-1, 2).exp(), X),
    "reshape of transpose": (lambda t, x: x.t().reshape(6).exp(), X),
    "reshape named": (lambda t, x: t.reshape(x, shape=(6,)), X),
    "contiguous view": (lambda t, x: x.t().contiguous().view(6).exp(), X),
    "flatten": (lambda t, x: x.flatten(1).exp(), CUBE),
    "flatten middle": (lambda t, x: t.flatten(x, 0, 1).exp(), CUBE),
    "flatten number": (lambda t, x: x.sum().flatten(), X),
    "squeeze": (lambda t, x: x[None, :, None].squeeze().exp(), X),
    "squeeze dim": (lambda t, x: x[None, :, None].squeeze(0).exp(), X),
    "squeeze dim other": (lambda t, x: x.squeeze(0).exp(), X),
    "squeeze dims": (lambda t, x: t.squeeze(x[None, :, None], (0, 2)).exp(), X),
    "unsqueeze": (lambda t, x: x.unsqueeze(-1).exp(), X),
    "t": (lambda t, x: x.t().exp(), X),
    "t vector": (lambda t, x: x.t().exp(), V),
    "T": (lambda t, x: x.T * x.T, X),
    "mT": (lambda t, x: x.mT.exp(), CUBE),
    "transpose": (lambda t, x: x.transpose(0, -1).exp(), CUBE),
    "swapaxes": (lambda t, x: x.swapaxes(0, 1).exp(), CUBE),
    "permute": (lambda t, x: x.permute(2, 0, 1).exp(), CUBE),
    "permute function": (lambda t, x: t.permute(x, (2, 0, 1)).exp(), CUBE),
    "movedim": (lambda t, x: x.movedim(0, -1).exp(), CUBE),
    "movedim several": (lambda t, x: t.movedim(x, (0, 1), (2, 0)).exp(), CUBE),
    "expand": (lambda t, x: x.expand(4, -1, 3).exp(), X),
    "expand ones": (lambda t, x: x[:, :1].expand(2, 5) ** 2, X),
    "expand as": (lambda t, x, y: x.expand_as(y) * y, V, X),
    "broadcast to": (lambda t, x: t.broadcast_to(x, (4, 2, 3)).exp(), X),
    "repeat": (lambda t, x: x.repeat(2, 1, 2).exp(), X),
    "tile": (lambda t, x: x.tile(2).exp(), X),
    "tile function": (lambda t, x: t.tile(x, (2, 2)).exp(), V),
    "repeat interleave flat": (lambda t, x: t.repeat_interleave(x, 2).exp(), X),
    "repeat interleave counts": (lambda t, x, n: x.repeat_interleave(n, 0).exp(), X, np.array([1, 3])),
    "cat": (lambda t, x, y: t.cat([x, y], dim=0).exp(), X, X[:1]),
    "cat last": (lambda t, x, y: t.cat((x, y), -1).exp(), X, X[:, :2]),
    "cat axis": (lambda t, x, y: t.concat([x, y], axis=1).exp(), X, X[:, :2]),
    "cat same twice": (lambda t, x: t.cat([x, x]).exp(), X),
    "cat with nothing": (lambda t, x: t.cat([t.empty(0, dtype=x.dtype), x]).exp(), X),
    "cat whole and float": (lambda t, x, n: t.cat([x, n]), V.astype(np.float32), np.array([1, 2])),
    "stack": (lambda t, x, y: t.stack([x, y], dim=1).exp(), X, X + 1),
    "stack numbers": (lambda t, x: t.stack([x[0], x[1] * x[2]]), V),
    "atleast": (lambda t, x: (t.atleast_1d(x[0]), t.atleast_2d(x)), V),
    "hstack": (lambda t, x, y: t.hstack([x, y]).exp(), X, X[:, :1]),
    "hstack vectors": (lambda t, x: t.hstack([x, x]), V),
    "vstack": (lambda t, x, y: t.vstack([x, y]).exp(), X, V),
    "kron": (lambda t, x, y: t.kron(x, y), X, V),
    "unbind": (lambda t, x: [each.exp() for each in x.unbind(1)], X),
    "iterate": (lambda t, x: [row * row for row in x], X),
    "unpack": (lambda t, x: t.mul(*x), X),
    "unflatten": (lambda t, x: x.unflatten(2, (2, -1)).exp(), CUBE),
    "repeat interleave": (lambda t, x: x.repeat_interleave(2, dim=1).exp(), X),
    "split": (lambda t, x: [each.exp() for each in x.split(2, dim=1)], X),
    "split sizes": (lambda t, x: [each.exp() for each in t.split(x, [1, 2], 1)], X),
    "chunk": (lambda t, x: [each.exp() for each in x.chunk(2, dim=-1)], X),
    "chunk more than there are": (lambda t, x: [each.exp() for each in x.chunk(5)], V),
    "narrow": (lambda t, x: x.narrow(1, 1, 2).exp(), X),
    "select": (lambda t, x: x.select(1, -1).exp(), X),
    "unfold": (lambda t, x: x.unfold(1, 2, 1).exp(), X),
    "unfold step": (lambda t, x: x.unfold(2, 2, 2).exp(), CUBE),
    "flip": (lambda t, x: x.flip(0, 1).exp(), X),
    "flip dims": (lambda t, x: t.flip(x, dims=[1]).exp(), X),
    "roll": (lambda t, x: x.roll(1).exp(), X),
    "roll dims": (lambda t, x: t.roll(x, (1, -1), (0, 1)).exp(), X),
    "tril": (lambda t, x: x.tril(-1).exp(), X),
    "triu": (lambda t, x: t.triu(x, diagonal=1).exp(), CUBE),
    "diag of matrix": (lambda t, x: x.diag(1).exp(), X),
    "diag of vector": (lambda t, x: t.diag(x, -1).exp(), V),
    "diagonal": (lambda t, x: x.diagonal(0, 1, 2).exp(), CUBE),
    "diag embed": (lambda t, x: t.diag_embed(x, 1).exp(), X),
    "meshgrid ij": (lambda t, x, y: t.meshgrid(x, y, indexing="ij"), V, np.array([1.0, 2.0])),
    "meshgrid xy": (lambda t, x, y: t.meshgrid([x, y], indexing="xy"), V, np.array([1.0, 2.0])),
    "cartesian prod": (lambda t, x, y: t.cartesian_prod(x, y).exp(), V, np.array([1.0, 2.0])),
    "combinations": (lambda t, x: t.combinations(x).exp(), V),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", CALLS)
def test_call_agrees_with_pytorch(name):
    pytest.importorskip("torch")
    call, *arrays = CALLS[name]
    assert_same(call, *arrays)


ERRORS = {
    "view": (lambda t, x: x.view(2, 2), X),
    "reshape inferred": (lambda t, x: x.reshape(4, -1), X),
    "two inferred": (lambda t, x: x.reshape(-1, -1), X),
    "view of transpose": (lambda t, x: x.T.view(6), X),
    "transpose": (lambda t, x: x.transpose(0, 2), X),
    "permute": (lambda t, x: x.permute(0, 0), X),
    "unsqueeze": (lambda t, x: x.unsqueeze(3), X),
    "squeeze": (lambda t, x: x.squeeze(2), X),
    "t": (lambda t, x: x.t(), CUBE),
    "expand": (lambda t, x: x.expand(3, 3), X),
    "expand fewer": (lambda t, x: x.expand(3), X),
    "expand in front": (lambda t, x: x.expand(-1, 2, 3), X),
    "repeat": (lambda t, x: x.repeat(2), X),
    "cat sizes": (lambda t, x: t.cat([x, x[:, :2]]), X),
    "cat dims": (lambda t, x: t.cat([x, x[0]]), X),
    "cat numbers": (lambda t, x: t.cat([x[0], x[0]]), V),
    "cat nothing": (lambda t: t.cat([]),),
    "cat no tensor": (lambda t, x: t.cat([x, 1]), X),
    "cat tensor": (lambda t, x: t.cat(x), X),
    "stack sizes": (lambda t, x: t.stack([x, x[0]]), X),
    "stack nothing": (lambda t: t.stack([]),),
    "stack dim": (lambda t, x: t.stack([x, x], 4), X),
    "split sizes": (lambda t, x: x.split([1, 2]), X),
    "chunk": (lambda t, x: x.chunk(0), X),
    "narrow": (lambda t, x: x.narrow(0, 1, 2), X),
    "flatten": (lambda t, x: x.flatten(1, 0), X),
    "diag": (lambda t, x: t.diag(x), CUBE),
    "tril": (lambda t, x: t.tril(x), V),
    "meshgrid": (lambda t, x: t.meshgrid(x, x, indexing="zz"), V),
    "roll": (lambda t, x: x.roll((1, 1), (0,)), X),
    "unfold": (lambda t, x: x.unfold(1, 4, 1), X),
    "select": (lambda t, x: x.select(0, 2), X),
    "mT": (lambda t, x: x.mT, V),
    "unbind number": (lambda t, x: t.unbind(x[0]), V),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", ERRORS)
def test_error_is_pytorchs(name):
    pytest.importorskip("torch")
    call, *arrays = ERRORS[name]
    assert_same_error(call, *arrays)


@pytest.mark.torch
@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.view(6), lambda x: x.reshape(6), lambda x: x.t(), lambda x: x.T, lambda x: x.mT,
        lambda x: x.squeeze(),
        lambda x: x.squeeze(0), lambda x: x.unsqueeze(0), lambda x: x.expand(2, 2, 3), lambda x: x.permute(1, 0),
        lambda x: x.unbind()[0], lambda x: x.split(1)[0], lambda x: x.split([1, 1])[0], lambda x: x.flip(0),
        lambda x: x.repeat(2, 2), lambda x: x.diag(), lambda x: x.diagonal(), lambda x: x.tril(), lambda x: x.flatten(),
        lambda x: x.narrow(0, 0, 1), lambda x: x.unfold(1, 2, 1), lambda x: x.roll(1),
    ],
)  # fmt: skip
def test_node_has_pytorchs_name(call):
    torch = pytest.importorskip("torch")
    names = [call(t.tensor(X, requires_grad=True)).grad_fn.name() for t in (engine, torch)]
    assert names[0] == names[1]


def test_views_see_what_is_written_to_their_base():
    x = engine.tensor([[1.0, 2.0], [3.0, 4.0]])
    seen = [x.t(), x.view(4), x.unsqueeze(0), x.diagonal(), x.unbind(1)[1]]
    x[0, 1] = 7.0
    assert [each.tolist() for each in seen] == [[[1, 3], [7, 4]], [1, 7, 3, 4], [[[1, 7], [3, 4]]], [1, 4], [7, 4]]


def test_base_sees_what_is_written_to_a_view():
    x = engine.tensor([[1.0, 2.0], [3.0, 4.0]])
    x.t()[0].fill_(9)
    x.diagonal().zero_()
    assert x.tolist() == [[0, 2], [9, 0]]


def test_shapes_changed_in_place_are_changes_of_the_tensor_itself():
    x = engine.tensor([[1.0, 2.0], [3.0, 4.0]])
    seen = x.view(4)
    x.t_().unsqueeze_(0)
    x[0, 0, 1] = 7.0
    assert x.tolist() == [[[1, 7], [2, 4]]]
    assert seen.tolist() == [1, 2, 7, 4]


def test_shape_changed_in_place_sends_the_gradient_back():
    x = engine.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 3).unsqueeze_(1)
    y.mul_(2)
    (y * y).sum().backward()
    assert x.grad.tolist() == [72, 144]


def test_reshape_of_a_transpose_is_a_copy():
    x = engine.tensor([[1.0, 2.0], [3.0, 4.0]])
    x.t().reshape(4).zero_()
    assert x.tolist() == [[1, 2], [3, 4]]


def test_one_of_several_views_must_not_be_written_to():
    y = engine.ones(2, 2, requires_grad=True) * 1
    first, _ = y.unbind()
    with pytest.raises(RuntimeError, match="Output 0 of Unbind is a view and is being modified inplace"):
        first.add_(1)


def test_meshgrid_without_indexing_warns():
    with pytest.warns(UserWarning, match=r"torch\.meshgrid: in an upcoming release"):
        engine.meshgrid(engine.ones(2), engine.ones(3))


def test_contiguity_is_that_of_the_views_made():
    x = engine.ones(2, 3)
    assert x.is_contiguous()
    assert not x.t().is_contiguous()
    assert x.t().contiguous().is_contiguous()
    assert x[0].is_contiguous()
    assert not x[:, 0].is_contiguous()
