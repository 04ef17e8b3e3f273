"""Indices: reading and writing parts, gathering and scattering, as PyTorch does."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as engine
from tests.engine.against_torch import assert_same, assert_same_error

X = np.array([[1.0, -2.0, 3.5, 0.7], [0.5, 4.0, -1.0, -0.2], [2.5, 0.3, -0.7, 1.1]])
CUBE = np.arange(24.0).reshape(2, 3, 4) / 7 - 1.3
V = np.array([0.5, -1.5, 2.0])
PLACES = np.array([2, 0, 2])
MASK = X > 0.4
COLUMN = np.array([[0], [3], [1]])

READS = {
    "row": lambda t, x: x[1],
    "row from behind": lambda t, x: x[-1],
    "element": lambda t, x: x[1, 2],
    "element of element": lambda t, x: x[1][2],
    "column": lambda t, x: x[:, 1],
    "slice": lambda t, x: x[1:],
    "slices": lambda t, x: x[:2, 1:3],
    "step": lambda t, x: x[:, ::2],
    "slice from behind": lambda t, x: x[-2:],
    "nothing": lambda t, x: x[3:],
    "all": lambda t, x: x[:],
    "ellipsis": lambda t, x: x[..., 0],
    "ellipsis alone": lambda t, x: x[...],
    "new dim": lambda t, x: x[None],
    "new dims": lambda t, x: x[:, None, 1:, None],
    "list": lambda t, x: x[[0, 2, 0]],
    "lists": lambda t, x: x[[0, 2], [1, 3]],
    "column list": lambda t, x: x[:, [3, 0]],
    "row of list": lambda t, x: x[0, [1, 2]],
    "list and slice": lambda t, x: x[[0, 1], 1:3],
    "list and new dim": lambda t, x: x[[0, 1], None, [0, 1]],
    "ranges": lambda t, x: x[range(3), [0, 1, 2]],
    "tensor": lambda t, x: x[t.tensor([2, 0, 2])],
    "tensor of dims": lambda t, x: x[t.tensor([[0, 1], [2, 2]])],
    "tensor number": lambda t, x: x[t.tensor(1)],
    "tensors": lambda t, x: x[t.arange(3), t.tensor([0, 3, 1])],
    "tensors broadcast": lambda t, x: x[t.tensor([[0], [2]]), t.tensor([1, 3])],
    "mask": lambda t, x: x[x > 0],
    "row mask": lambda t, x: x[t.tensor([True, False, True])],
    "column mask": lambda t, x: x[:, t.tensor([True, False, True, False])],
    "mask and list": lambda t, x: x[t.tensor([True, False, True]), [0, 1]],
    "mask and number": lambda t, x: x[t.tensor([True, False, True]), 0],
    "list of bools": lambda t, x: x[[True, False, True]],
    "true": lambda t, x: x[True],
    "false": lambda t, x: x[False],
    "numpy": lambda t, x: x[np.array([1, 0])],
    "numpy number": lambda t, x: x[np.int64(1)],
    "empty list": lambda t, x: x[[]],
    "slice with tensors": lambda t, x: x[t.tensor(0) : t.tensor(2)],
    "bytes": lambda t, x: x[t.tensor([1, 0, 1], dtype=t.uint8)],
    "int32": lambda t, x: x[t.tensor([1, 0], dtype=t.int32)],
    "tuple": lambda t, x: x[(0, slice(1, 3))],
}


@pytest.mark.torch
@pytest.mark.parametrize("name", READS)
def test_reading_agrees_with_pytorch(name):
    pytest.importorskip("torch")
    assert_same(lambda t, x: READS[name](t, x) ** 2, X)


@pytest.mark.torch
def test_reading_a_cube_agrees_with_pytorch():
    pytest.importorskip("torch")
    assert_same(lambda t, x: (x[0, :, [1, 2]], x[:, 0, [1, 2]], x[[0, 1], :, [1, 2]], x[..., [0, 1], 0]), CUBE)
    assert_same(lambda t, x: (x[:, [0, 1]], x[:, None, [0, 1]], x[x.sum(2) > 0], x[1, x[1] > 0.5]), CUBE)


CALLS = {
    "gather": (lambda t, x, i: x.gather(1, i).exp(), X, COLUMN),
    "gather rows": (lambda t, x, i: t.gather(x, 0, i).exp(), X, np.array([[0, 0, 2, 1]])),
    "take along dim": (lambda t, x: t.take_along_dim(x, x.argsort(dim=1), dim=1).exp(), X),
    "take along dim broadcast": (lambda t, x, i: x.take_along_dim(i, 0).exp(), X, np.array([[1]])),
    "index select": (lambda t, x, i: x.index_select(0, i).exp(), X, PLACES),
    "index select columns": (lambda t, x, i: t.index_select(x, 1, i).exp(), X, PLACES),
    "masked select": (lambda t, x, m: x.masked_select(m).exp(), X, MASK),
    "masked select row": (lambda t, x, m: t.masked_select(x, m).exp(), X, MASK[0]),
    "masked fill": (lambda t, x, m: x.masked_fill(m, -3.0).exp(), X, MASK),
    "masked fill infinite": (lambda t, x, m: x.masked_fill(m, float("-inf")).exp(), X, MASK),
    "masked fill tensor": (lambda t, x, m, v: x.masked_fill(m, v).exp(), X, MASK, np.array(2.0)),
    "scatter": (lambda t, x, i, v: x.scatter(1, i, v).exp(), X, COLUMN, V[:, None]),
    "scatter number": (lambda t, x, i: x.scatter(1, i, 2.0).exp(), X, COLUMN),
    "scatter value": (lambda t, x, i: t.scatter(x, 1, i, value=2.0).exp(), X, COLUMN),
    "scatter add": (lambda t, x, i, v: x.scatter_add(0, i, v).exp(), X, np.array([[0, 0, 2, 1], [0, 1, 2, 1]]), X[:2]),
    "index add": (lambda t, x, i, v: x.index_add(0, i, v, alpha=2).exp(), X, PLACES, X),
    "where alone": (lambda t, x: t.where(x > 1), X),
    "nonzero": (lambda t, x: (t.nonzero(x > 1), t.nonzero(x > 1, as_tuple=True)), X),
    "bucketize": (lambda t, x: t.bucketize(x, t.tensor([0.0, 1.0])), X.astype(np.float32)),
    "bincount": (lambda t, i: (t.bincount(i), i.bincount(minlength=5)), PLACES),
    "bincount weights": (lambda t, i: t.bincount(i, weights=t.tensor([0.5, 1.0, 2.0])), PLACES),
    "unique": (lambda t, i: t.unique(i, return_inverse=True, return_counts=True), PLACES),
    "unique rows": (lambda t, i: t.unique(i, dim=0), np.array([[1, 2], [0, 1], [1, 2]])),
}  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize("name", CALLS)
def test_call_agrees_with_pytorch(name):
    pytest.importorskip("torch")
    call, *arrays = CALLS[name]
    assert_same(call, *arrays)


def written(write):
    """The call that writes to a product and returns it."""

    def call(t, x, v):
        y = x * 2
        write(t, y, v)
        return y**2

    return call


def assign(index):
    def write(t, y, v):
        y[index(t, y) if callable(index) else index] = v

    return write


WRITES = {
    "row": (assign(0), X[1]),
    "row of number": (assign(0), np.array(3.0)),
    "element": (assign((1, 2)), np.array([7.0])),
    "column": (assign((slice(None), 1)), V),
    "slice": (assign(slice(1, 3)), X[:2]),
    "broadcast": (assign(slice(1, 3)), X[0]),
    "ellipsis": (assign((..., 0)), V),
    "all": (assign(slice(None)), X[0]),
    "new dim": (assign(None), X[None]),
    "list": (assign([0, 2]), X[:2]),
    "lists": (assign(([0, 2], [1, 3])), V[:2]),
    "row of list": (assign((0, [1, 2])), V[:2]),
    "mask": (assign(lambda t, y: y > 1), np.array(0.5)),
    "mask values": (assign(lambda t, y: y > 3), V),
    "row mask": (assign(lambda t, y: t.tensor([True, False, True])), X[:2]),
    "masked fill": (lambda t, y, v: y.masked_fill_(y > 1, 2.0), V),
    "scatter": (lambda t, y, v: y.scatter_(1, t.tensor([[0], [1], [2]]), 4.0), V),
    "index add": (lambda t, y, v: y.index_add_(1, t.tensor([1]), v[:, None]), V),
    "add to part": (lambda t, y, v: y[0].add_(3), V),
    "write to view of view": (lambda t, y, v: y[1:][0].mul_(3), V),
    "zero column": (lambda t, y, v: y[:, 1].zero_(), V),
    "fill transpose": (lambda t, y, v: y.t()[0].fill_(3), V),
    "diagonal": (lambda t, y, v: y.diagonal().copy_(v), V),
}


@pytest.mark.torch
@pytest.mark.parametrize("name", WRITES)
def test_writing_agrees_with_pytorch(name):
    pytest.importorskip("torch")
    write, value = WRITES[name]
    assert_same(written(write), X, value)


def test_adding_to_a_part_in_place_writes_once():
    x = engine.ones(3, requires_grad=True)
    y = x * 1
    y[0] += 1
    assert "CopySlices" in y.grad_fn.name()
    assert y.grad_fn.next_functions[0][0].name() == "MulBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [1, 1, 1]


def test_writing_a_part_that_was_read_before_keeps_what_was_read():
    x = engine.ones(3, requires_grad=True)
    y = x * 2
    first = y[0] + y[1]
    y[2] = 5.0
    (first + y.sum()).backward()
    assert x.grad.tolist() == [4, 4, 0]


def test_expanded_tensor_is_written_where_one_element_stands():
    x = engine.zeros(2, 1)
    y = x.expand(2, 3)
    y[0, 1] = 5.0
    assert x.tolist() == [[5], [0]]
    assert y.tolist() == [[5, 5, 5], [0, 0, 0]]
    with pytest.raises(RuntimeError, match="more than one element of the written-to tensor refers to a single memory"):
        y[0] = 1.0


def test_leaf_without_gradient_is_written_to():
    x = engine.zeros(2, 3, dtype=engine.int64)
    x[0] = 2.7
    x[1, 1:] = engine.tensor([1.9, 2.0])
    assert x.tolist() == [[2, 2, 2], [0, 1, 2]]


ERRORS = {
    "row": (lambda t, x: x[5], X),
    "column": (lambda t, x: x[0, 7], X),
    "too many": (lambda t, x: x[0, 0, 0], X),
    "float": (lambda t, x: x[1.0], X),
    "list": (lambda t, x: x[[0, 7]], X),
    "floats": (lambda t, x: x[t.tensor([0.0, 1.0])], X),
    "mask": (lambda t, x: x[t.tensor([True, False])], X),
    "lists": (lambda t, x: x[t.tensor([0, 1]), t.tensor([0, 1, 2])], X),
    "backwards": (lambda t, x: x[::-1], X),
    "number": (lambda t, x: x[0][0][0], X),
    "dict": (lambda t, x: x[{}], X),
    "write": (lambda t, x: x.__setitem__(0, t.tensor([1.0, 2.0])), X),
    "write list": (lambda t, x: x.__setitem__(0, [1.0, 2.0]), X.astype(np.float32)),
    "write none": (lambda t, x: x.__setitem__(0, None), X.astype(np.float32)),
    "write at list": (lambda t, x: x.__setitem__([0, 1], t.zeros(3, dtype=x.dtype)), X),
    "write at mask": (lambda t, x: x.__setitem__(x > 3, t.zeros(3, dtype=x.dtype)), X),
    "write other dtype at list": (
        lambda t, x: (x.requires_grad_() * 1).__setitem__([0, 1], t.zeros(4, dtype=t.int64)), X.astype(np.float32)),
    "write leaf": (lambda t, x: x.requires_grad_().__setitem__(0, 1.0), X),
    "write leaf at mask": (lambda t, x: x.requires_grad_().__setitem__(x > 0, 1.0), X),
    "write leaf all": (lambda t, x: x.requires_grad_().__setitem__(slice(None), 1.0), X),
    "gather bounds": (lambda t, x: x.gather(0, t.tensor([[0, 5]])), X),
    "gather dims": (lambda t, x: x.gather(0, t.tensor([0])), X),
    "gather dtype": (lambda t, x: x.gather(0, t.tensor([[0.0]])), X),
    "gather size": (lambda t, x: x.gather(0, t.zeros(1, 5, dtype=t.int64)), X),
    "scatter bounds": (lambda t, x: x.scatter(0, t.tensor([[9, 1]]), 1.0), X),
    "scatter dtype": (lambda t, x: x.scatter(0, t.tensor([[0]]), t.tensor([[5]])), X),
    "index select": (lambda t, x: x.index_select(0, t.tensor([5])), X),
    "index select matrix": (lambda t, x: x.index_select(0, t.tensor([[5]])), X),
    "masked fill": (lambda t, x: x.masked_fill(t.tensor([1]), 1), X),
    "masked fill shape": (lambda t, x: x.masked_fill(t.tensor([True, False]), 1), X),
}  # fmt: skip


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
        lambda t, x: x[0], lambda t, x: x[1:], lambda t, x: x[:], lambda t, x: x[...], lambda t, x: x[:, 0],
        lambda t, x: x[None], lambda t, x: x[[0]], lambda t, x: x[x > 0], lambda t, x: x[0, [1]],
        lambda t, x: x.gather(0, t.tensor([[0]])), lambda t, x: x.index_select(0, t.tensor([0])),
        lambda t, x: x.masked_fill(x > 0, 0), lambda t, x: x.masked_select(x > 0),
        lambda t, x: x.scatter(0, t.tensor([[0]]), 1.0), lambda t, x: x.scatter(0, t.tensor([[0]]), x),
        lambda t, x: x.scatter_add(0, t.tensor([[0]]), x), lambda t, x: x.index_add(0, t.tensor([0]), x[:1]),

    ],
)  # fmt: skip
def test_node_has_pytorchs_name(call):
    torch = pytest.importorskip("torch")
    names = [call(t, t.tensor(X, requires_grad=True)).grad_fn.name() for t in (engine, torch)]
    assert names[0] == names[1]
