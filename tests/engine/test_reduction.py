"""Sums, means, extremes, norms, running sums, order and statistics: as PyTorch has them."""

from __future__ import annotations

import numpy as np
import pytest

import gradviz.engine as engine
from tests.engine.against_torch import assert_same, assert_same_error

X = np.array([[1.0, -2.0, 3.5, 0.7], [0.5, 4.0, -1.0, -0.2], [2.5, 0.3, -0.7, 1.1]])
CUBE = np.sin(np.arange(24.0) * 1.7).reshape(2, 3, 4)
TIES = np.array([[3.0, 3.0, 1.0], [2.0, 3.0, 2.0]])
ZEROS = np.array([[2.0, 0.0, 3.0], [0.0, 0.0, 1.5], [1.0, -2.0, 0.5]])
NANS = np.array([[1.0, np.nan, 3.0], [0.5, 2.0, np.nan]])
WHOLE = np.array([[3, 1, 2], [0, 5, 5]])
BOOLS = X > 0.6
NUMBER = np.array(2.5)

CALLS = {
    "sum": (lambda t, x: x.sum() ** 2, X),
    "sum dim": (lambda t, x: x.sum(0) ** 2, X),
    "sum dims": (lambda t, x: t.sum(x, dim=(0, -1)) ** 2, CUBE),
    "sum keepdim": (lambda t, x: x.sum(1, keepdim=True) * x, X),
    "sum axis": (lambda t, x: x.sum(axis=1, keepdims=True) * x, X),
    "sum no dims": (lambda t, x: x.sum(()) ** 2, X),
    "sum number": (lambda t, x: x.sum(0) ** 2, NUMBER),
    "sum dtype": (lambda t, x: x.sum(dtype=t.float64), X.astype(np.float32)),
    "sum whole": (lambda t, n: (n.sum(), n.int().sum(0), n.sum(1), n.to(t.uint8).sum()), WHOLE),
    "sum bools": (lambda t, b: (b.sum(), b.sum(0)), BOOLS),
    "mean": (lambda t, x: x.mean() ** 2, X),
    "mean dim": (lambda t, x: x.mean(-1) ** 2, CUBE),
    "mean dims": (lambda t, x: t.mean(x, (0, 2), True) * x, CUBE),
    "mean dtype": (lambda t, n: n.mean(dtype=t.float32), WHOLE),
    "prod": (lambda t, x: x.prod(), X),
    "prod dim": (lambda t, x: x.prod(1), X),
    "prod of zeros": (lambda t, x: (x.prod(1), x.prod(0, keepdim=True), x[0].prod()), ZEROS),
    "prod whole": (lambda t, n: (n.prod(), n.prod(0)), WHOLE),
    "logsumexp": (lambda t, x: (x.logsumexp(1), t.logsumexp(x, (0, 1)), x.logsumexp(0, keepdim=True)), X),
    "var": (lambda t, x: (x.var(), x.var(1), x.var(0, unbiased=False), x.var(0, correction=2, keepdim=True)), X),
    "var biased": (lambda t, x: (x.var(False), t.var(x, dim=1, unbiased=False)), X),
    "std": (lambda t, x: (x.std(), x.std(1), x.std(0, correction=0, keepdim=True)), X),
    "norm": (lambda t, x: (x.norm(), x.norm(dim=1), x.norm(2, 1, True), t.norm(x, p=1)), X),
    "norm p": (lambda t, x: (x.norm(3), x.norm(1.5, dim=0), x.norm(float("inf"), dim=1), x.norm(-1)), X),
    "norm infinite ties": (lambda t, x: x.norm(float("inf"), dim=1), TIES),
    "norm other": (lambda t, x: (x.norm("fro"), x.norm(0), t.norm(x, "nuc"), x.norm(float("-inf"))), X),
    "norm of 0": (lambda t, x: (x.norm(), x.norm(1), x.norm(3)), np.zeros(3)),
    "vector norm": (lambda t, x: (t.linalg.vector_norm(x), t.linalg.vector_norm(x, 3, dim=(0, 1))), X),
    "dist": (lambda t, x, y: (t.dist(x, y), x.dist(y, 1)), X, X[::-1].copy()),
    "max": (lambda t, x: (x.max() ** 2, x.max(1), t.max(x, 0, keepdim=True), x.max(dim=1).values ** 2), X),
    "min": (lambda t, x: (x.min() ** 2, x.min(1), t.min(x, dim=0), x.min(axis=1)[0] ** 2), X),
    "max of two": (lambda t, x, y: (t.max(x, y), x.min(y)), X, X[::-1].copy()),
    "max ties": (lambda t, x: x.max(), TIES),
    "max dim ties": (lambda t, x: x.max(1), TIES),
    "max of number": (lambda t, x: (x.max(), x.max(0)), NUMBER),
    "max whole": (lambda t, n: (n.max(), n.max(0)), WHOLE),
    "amax": (lambda t, x: (x.amax(1), x.amax(), x.amin((0, 1)), t.amin(x, 0, True)), X),
    "amax ties": (lambda t, x: (x.amax(1), x.amin(0), x.amax((0, 1))), TIES),
    "argmax": (lambda t, x: (x.argmax(), x.argmax(1), t.argmin(x, dim=0, keepdim=True)), X),
    "any all": (lambda t, b: (b.any(), b.all(0), t.any(b, dim=1), b.all(dim=(0, 1)), b.any(1, True)), BOOLS),
    "any whole": (lambda t, n: (n.any(), n.all(1)), WHOLE),
    "count nonzero": (lambda t, n: (n.count_nonzero(), t.count_nonzero(n, dim=0)), WHOLE),
    "var mean": (lambda t, x: t.var_mean(x, dim=1), X),
    "quantile of NaN": (lambda t, x: x.quantile(0.4, dim=0), NANS),
    "cumsum": (lambda t, x: x.cumsum(1) ** 2, X),
    "cumsum first": (lambda t, x: t.cumsum(x, dim=0) ** 2, CUBE),
    "cumsum whole": (lambda t, n: (n.cumsum(0), (n > 1).cumsum(1)), WHOLE),
    "cumprod": (lambda t, x: (x.cumprod(1), x.cumprod(0) ** 2), X),
    "cumprod zeros": (lambda t, x: (x.cumprod(1), x.cumprod(0)), ZEROS),
    "sort": (lambda t, x: (x.sort(), x.sort(0, descending=True), t.sort(x, dim=1)[0] ** 2), X),
    "sort stable": (lambda t, x: (t.sort(x, stable=True), t.sort(x, stable=True, descending=True)), TIES),
    "argsort": (lambda t, x: (x.argsort(), x.argsort(dim=0, descending=True)), X),
    "topk": (lambda t, x: (x.topk(2), t.topk(x, 1, dim=0, largest=False), x.topk(2)[0] ** 2), X),
    "median": (lambda t, x: (x.median(), x.median(1), t.median(x, 0, True), x.median(dim=1).values ** 2), X),
    "median ties": (lambda t, x: x.median(), TIES),
    "median of NaN": (lambda t, x: (x.median(), x.median(1)[0]), NANS),
    "quantile": (lambda t, x: (x.quantile(0.3), x.quantile(0.5, dim=1), t.quantile(x, 0.25, dim=0, keepdim=True)), X),
    "quantiles": (lambda t, x: x.quantile(t.tensor([0.1, 0.5, 1.0], dtype=x.dtype), dim=1), X),
    "diff": (lambda t, x: (x.diff(), x.diff(n=2, dim=0), t.diff(x, prepend=x[:, :1])), X),
    "cov": (lambda t, x: (t.cov(x), t.cov(x[0]), t.corrcoef(x)), X),
    "histc": (lambda t, x: (t.histc(x, 4), x.histc(bins=3, min=-1, max=2)), X),
    "float32": (lambda t, x: (x.sum(), x.mean(1), x.std(0), x.norm(), x.max(), x.prod(1), x.var(), x.cumsum(0)),
                X.astype(np.float32)),
}  # fmt: skip


@pytest.mark.torch
@pytest.mark.parametrize("name", CALLS)
def test_call_agrees_with_pytorch(name):
    pytest.importorskip("torch")
    call, *arrays = CALLS[name]
    assert_same(call, *arrays, second=name != "norm of 0")  # whose second derivative is NaN in PyTorch


ERRORS = {
    "sum dim": (lambda t, x: x.sum(2), X),
    "sum twice": (lambda t, x: x.sum((0, 0)), X),
    "sum list": (lambda t, x: t.mean([1.0, 2.0]), X),
    "mean whole": (lambda t, n: n.mean(), WHOLE),
    "mean bools": (lambda t, b: b.mean(), BOOLS),
    "var whole": (lambda t, n: n.var(), WHOLE),
    "norm whole": (lambda t, n: n.norm(), WHOLE),
    "max of nothing": (lambda t: t.empty(0).max(),),
    "max dim of nothing": (lambda t: t.empty(0, 3).max(0),),
    "argmax of nothing": (lambda t: t.empty(0).argmax(),),
    "topk": (lambda t, x: x.topk(9), X),
    "max dim": (lambda t, x: x.max(5), X),
    "argmax text": (lambda t, x: x.argmax("a"), X),
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
        lambda x: x.sum(), lambda x: x.sum(0), lambda x: x.mean(), lambda x: x.mean(0), lambda x: x.var(),
        lambda x: x.std(), lambda x: x.norm(), lambda x: x.max(), lambda x: x.max(0)[0], lambda x: x.min(),
        lambda x: x.amax(), lambda x: x.logsumexp(0), lambda x: x.cumsum(0), lambda x: x.cumprod(0),
        lambda x: x.median(),
        lambda x: x.median(0)[0], lambda x: x.sort()[0],
        lambda x: x.topk(1)[0], lambda x: x.prod(),
    ],
)  # fmt: skip
def test_node_has_pytorchs_name(call):
    torch = pytest.importorskip("torch")
    names = [call(t.tensor(X, requires_grad=True)).grad_fn.name() for t in (engine, torch)]
    assert names[0] == names[1]


@pytest.mark.torch
def test_results_print_as_pytorchs():
    torch = pytest.importorskip("torch")
    for call in (lambda t: t.tensor(X).max(0), lambda t: t.tensor(X).sort()):
        assert repr(call(engine)) == repr(call(torch))


def test_mean_of_nothing_is_nan():
    with np.errstate(all="ignore"):
        assert np.isnan(engine.empty(0).mean().item())
    assert engine.empty(0).sum().item() == 0


def test_several_results_can_be_named_and_unpacked():
    values, indices = engine.tensor([1.0, 3.0, 2.0]).sort()
    assert values.tolist() == [1, 2, 3]
    assert engine.tensor([1.0, 3.0, 2.0]).max(0).indices.item() == 1
    assert indices.dtype is engine.int64
