"""Distributions answer as PyTorch's do; data/engine_distributions.json holds what PyTorch 2.13 answered."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import gradviz.engine as torch
from gradviz.engine.distributions import Bernoulli, Categorical, Normal, kl_divergence
from gradviz.engine.errors import Beyond
from tests.engine.distribution_calls import CALLS, answer

RECORDED = Path(__file__).parents[1] / "data" / "engine_distributions.json"
ANSWERS = json.loads(RECORDED.read_text(encoding="utf-8"))["answers"]


@pytest.mark.parametrize("call", CALLS)
def test_a_call_is_answered_as_in_pytorch(call):
    assert answer(torch, call) == ANSWERS[call]


def test_the_density_of_a_normal_integrates_to_one():
    x = torch.linspace(-8, 8, 4001, dtype=torch.float64)
    density = Normal(torch.tensor(0.5, dtype=torch.float64), 1.3).log_prob(x).exp()

    assert np.trapezoid(density.numpy(), x.numpy()) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    "distribution",
    [Categorical(torch.tensor([0.2, 0.5, 0.3])), Bernoulli(0.3), Categorical(logits=torch.tensor([1.0, -2.0]))],
    ids=repr,
)
def test_probabilities_sum_to_one_and_make_the_entropy(distribution):
    logs = [
        distribution.log_prob(value).item()
        for value in torch.arange(distribution.probs.numel() if distribution.probs.ndim else 2)
    ]

    assert sum(map(math.exp, logs)) == pytest.approx(1)
    assert -sum(math.exp(log) * log for log in logs) == pytest.approx(distribution.entropy().item(), rel=1e-5)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (Categorical(torch.tensor([0.2, 0.5, 0.3])), Categorical(torch.tensor([0.6, 0.2, 0.2]))),
        (Bernoulli(0.3), Bernoulli(logits=torch.tensor(2.0))),
    ],
    ids=["Categorical", "Bernoulli"],
)
def test_a_divergence_is_the_mean_of_the_difference_of_logarithms(p, q):
    expected = sum(
        math.exp(p.log_prob(value).item()) * (p.log_prob(value) - q.log_prob(value)).item()
        for value in torch.arange(p.probs.numel() if p.probs.ndim else 2)
    )

    assert kl_divergence(p, q).item() == pytest.approx(expected, rel=1e-5)
    assert kl_divergence(p, p).item() == pytest.approx(0, abs=1e-6)


def test_gradients_flow_through_rsample_and_not_through_sample():
    loc, scale = torch.tensor(1.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    normal = Normal(loc, scale)
    sample = normal.rsample()

    sample.backward()

    assert loc.grad.item() == 1
    assert scale.grad.item() == pytest.approx((sample.item() - 1) / 2, rel=1e-6)
    assert not normal.sample().requires_grad


def test_the_score_function_has_the_gradient_of_the_log_probability():
    logits = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)

    Categorical(logits=logits).log_prob(torch.tensor(2)).backward()

    expected = np.array([0, 0, 1]) - np.exp([0.1, 0.2, 0.3]) / np.exp([0.1, 0.2, 0.3]).sum()
    np.testing.assert_allclose(logits.grad.numpy(), expected, rtol=1e-5)


def test_another_distribution_is_beyond_the_engine():
    with pytest.raises(Beyond, match=r"torch\.distributions\.Gamma is beyond"):
        torch.distributions.Gamma  # noqa: B018


def test_what_distributions_have_in_pytorch_alone_is_beyond_the_engine_too():
    with pytest.raises(Beyond, match=r"drawing from torch\.distributions\.Beta is beyond"):
        torch.distributions.Beta(1.0, 2.0).sample()
    with pytest.raises(Beyond, match=r"torch\.distributions\.Distribution\.enumerate_support is beyond"):
        Bernoulli(0.3).enumerate_support()
    with pytest.raises(AttributeError, match="'Normal' object has no attribute 'scales'"):
        Normal(0.0, 1.0).scales  # noqa: B018
