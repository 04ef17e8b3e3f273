"""Normal distributions of vectors, and beta distributions, against a live PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import gradviz.engine as engine

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch


def _covariance(t: Any) -> Any:
    return t.tensor([[2.0, 0.5], [0.5, 1.0]])


def _normal(t: Any, **which: Any) -> Any:
    t.manual_seed(0)
    given = which or {"covariance_matrix": _covariance(t)}
    return t.distributions.MultivariateNormal(t.tensor([1.0, -1.0], requires_grad=True), **given)


def _beta(t: Any) -> Any:
    return t.distributions.Beta(t.tensor([2.0, 3.0], requires_grad=True), t.tensor([1.0, 4.0]))


def _all_of(normal: Any, t: Any) -> Any:
    return [
        normal, normal.log_prob(t.ones(3, 2)), normal.entropy(), normal.mean, normal.variance, normal.stddev,
        normal.covariance_matrix, normal.scale_tril, normal.precision_matrix, normal.sample(), normal.sample((3,)),
        normal.batch_shape, normal.event_shape,
    ]  # fmt: skip


def _slope(normal: Any, t: Any) -> Any:
    return t.autograd.grad(normal.log_prob(t.zeros(2)), normal.loc)


CASES: dict[str, Callable[[Any], Any]] = {
    "covariance": lambda t: _all_of(_normal(t), t),
    "factor": lambda t: _all_of(_normal(t, scale_tril=t.linalg.cholesky(_covariance(t))), t),
    "precision": lambda t: _all_of(_normal(t, precision_matrix=_covariance(t)), t),
    "gradient": lambda t: _slope(_normal(t), t),
    "none of three": lambda t: t.distributions.MultivariateNormal(t.zeros(2)),
    "not definite": lambda t: t.distributions.MultivariateNormal(t.zeros(2), t.tensor([[1.0, 2.0], [2.0, 1.0]])),
    "not symmetric": lambda t: t.distributions.MultivariateNormal(t.zeros(2), t.tensor([[1.0, 0.2], [0.1, 1.0]])),
    "no vector": lambda t: t.distributions.MultivariateNormal(t.tensor(1.0), _covariance(t)),
    "no factor": lambda t: t.distributions.MultivariateNormal(t.zeros(2), scale_tril=t.ones(2, 2)),
    "batch of means": lambda t: t.distributions.MultivariateNormal(t.zeros(3, 2), _covariance(t)).log_prob(t.zeros(2)),
    "batch of covariances": lambda t: t.distributions.MultivariateNormal(
        t.zeros(2), _covariance(t).expand(3, 2, 2)
    ).entropy(),
    "beta": lambda t: [
        _beta(t), _beta(t).mean, _beta(t).log_prob(t.tensor([0.2, 0.7])), _beta(t).concentration1, _beta(t).support,
    ],
    "beta of numbers": lambda t: t.distributions.Beta(2.0, 3.0).mean,
    "negative beta": lambda t: t.distributions.Beta(-1.0, 2.0),
    "outside of beta": lambda t: t.distributions.Beta(1.0, 2.0).log_prob(t.tensor(2.0)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_distributions_answer_as_those_of_pytorch(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.distributions.Distribution, "_validate_args", True)  # torch.compile turns it off for good

    def outcome(t: Any) -> str:
        try:
            return repr(CASES[case](t))
        except ValueError as error:
            return str(error)

    assert outcome(engine) == outcome(torch)
