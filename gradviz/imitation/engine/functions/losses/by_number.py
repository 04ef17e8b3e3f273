"""The losses as `torch` itself has them, below those of `functional`: how they are reduced is given as a number.

1 takes the mean of the losses and 2 their sum; any other number keeps them all. So does a call that gives none, though
PyTorch's texts speak of the mean there.
Source: aten/src/ATen/native/Loss.cpp and its kin.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradviz.imitation.engine.functions.linalg import distances
from gradviz.imitation.engine.functions.losses import alignment
from gradviz.imitation.engine.functions.losses import elementwise as losses
from gradviz.imitation.engine.tensor import Tensor


def _named(reduction: int) -> str:
    return {1: "mean", 2: "sum"}.get(reduction, "none")


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    pos_weight: Tensor | None = None,
    reduction: int = 0,
) -> Tensor:
    return losses.binary_cross_entropy_with_logits(
        input, target, weight, pos_weight=pos_weight, reduction=_named(reduction)
    )


def kl_div(input: Tensor, target: Tensor, reduction: int = 0, *, log_target: bool = False) -> Tensor:
    return losses.divergence(input, target, _named(reduction), log_target)


def poisson_nll_loss(
    input: Tensor, target: Tensor, log_input: bool, full: bool, eps: float, reduction: int
) -> Tensor:  # fmt: skip
    return losses.poisson_nll_loss(input, target, log_input, full, eps=eps, reduction=_named(reduction))


def hinge_embedding_loss(input: Tensor, target: Tensor, margin: float = 1.0, reduction: int = 0) -> Tensor:
    return losses.hinge_embedding_loss(input, target, margin, reduction=_named(reduction))


def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:  # fmt: skip
    return losses.margin_ranking_loss(input1, input2, target, margin, reduction=_named(reduction))


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, margin: float = 0.0, reduction: int = 0
) -> Tensor:  # fmt: skip
    return distances.cosine_embedding_loss(input1, input2, target, margin, reduction=_named(reduction))


def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, margin: float = 1.0, p: float = 2, eps: float = 1e-06,
    swap: bool = False, reduction: int = 0,
) -> Tensor:  # fmt: skip
    return distances.triplet_losses(anchor, positive, negative, margin, p, eps, swap, _named(reduction))


def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: int = 0,
    zero_infinity: bool = False,
) -> Tensor:  # fmt: skip
    return alignment.ctc_loss(
        log_probs, targets, input_lengths, target_lengths, blank, _named(reduction), zero_infinity
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        binary_cross_entropy_with_logits, kl_div, poisson_nll_loss, hinge_embedding_loss, margin_ranking_loss,
        cosine_embedding_loss, triplet_margin_loss, ctc_loss,
    )
}  # fmt: skip
METHODS: dict[str, Callable[..., Any]] = {}
