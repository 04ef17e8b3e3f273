"""Functions of `torch.special` and their kin, and losses over classes, against a live PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.engine.against_torch import assert_same, assert_same_error

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

SHARES = np.array([[0.1, 0.45, 0.8], [0.3, 0.99, 0.02]])
ANY = np.array([[-1.3, 0.4, 2.1], [0.7, -2.6, 1.1]])
ABOVE = np.abs(ANY)
CLASSES = np.array([2, 0])

CALLS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "entr": (lambda torch, a: torch.special.entr(a), (SHARES,)),
    "other names": (lambda torch, a: sum(getattr(torch.special, f)(a) for f in ("expit", "erf", "gammaln")), (ABOVE,)),
    "multi_margin_loss": (lambda torch, x, t: torch.nn.functional.multi_margin_loss(x, t), (ANY, CLASSES)),
    "multi_margin_loss of weights": (
        lambda torch, x, t: torch.nn.functional.multi_margin_loss(
            x, t, 1, 0.5, torch.tensor([1.0, 2.0, 0.5], dtype=torch.float64), reduction="none"
        ),
        (ANY, CLASSES),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CALLS)
def test_values_and_gradients_are_those_of_pytorch(name: str) -> None:
    call, arrays = CALLS[name]

    assert_same(call, *arrays, second="margin" not in name)


def test_squared_margins_have_pytorchs_gradient() -> None:
    assert_same(lambda torch, x, t: torch.nn.functional.multi_margin_loss(x, t, 2, 0.5), ANY, CLASSES, second=False)


REFUSED: dict[str, Callable[..., Any]] = {
    "weight of bce": lambda torch, x: torch.nn.functional.binary_cross_entropy(
        x, x.detach(), weight=x.requires_grad_()
    ),
    "pos_weight": lambda torch, x: torch.nn.functional.binary_cross_entropy_with_logits(
        x, x.detach(), pos_weight=x.requires_grad_()
    ),
    "weight of classes": lambda torch, x: torch.nn.functional.cross_entropy(
        x, torch.tensor([0, 1]), weight=x[0].requires_grad_()
    ),
    "whole numbers in kl_div": lambda torch, x: torch.nn.functional.kl_div(x, x.long()),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_derivative_is_refused_in_pytorchs_words(name: str) -> None:
    assert_same_error(REFUSED[name], SHARES)
