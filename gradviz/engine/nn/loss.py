"""Losses: how far a prediction is from its target, as one number or one for each sample."""

from __future__ import annotations

from collections.abc import Callable

from gradviz.engine.nn import functional as F
from gradviz.engine.nn.distance import PairwiseDistance
from gradviz.engine.nn.module import Module
from gradviz.engine.state import warn
from gradviz.engine.tensor import Tensor


class Loss(Module):
    """What all losses have in common.

    Attributes:
        reduction: "mean", "sum", or "none" for one loss per element or sample.
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        self.reduction = reduction_of(size_average, reduce, reduction)


class WeightedLoss(Loss):
    """A loss with weights.

    Attributes:
        weight: one for each class, or None.
    """

    weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


def reduction_of(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """The reduction, where one of the two older arguments may say it instead."""
    if size_average is None and reduce is None:
        return reduction
    averages = True if size_average is None else size_average
    reduces = True if reduce is None else reduce
    # Both are asked for their truth, which a target that was given here by mistake refuses.
    found = "mean" if averages and reduces else "sum" if reduces else "none"
    warn(f"size_average and reduce args will be deprecated, please use reduction='{found}' instead.")
    return found


class MSELoss(Loss):
    """(input − target)²."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(Loss):
    """|input − target|."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.l1_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(Loss):
    """|input − target|, rounded to a parabola where it is below beta."""

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        beta: float = 1.0,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(Loss):
    """A parabola up to delta, a straight line beyond.

    Source: Huber, Robust estimation of a location parameter, 1964.
    """

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class BCELoss(WeightedLoss):
    """−target · log(input) − (1 − target) · log(1 − input), for probabilities."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(WeightedLoss):
    """Binary cross-entropy of σ(input), for logits.

    Attributes:
        pos_weight: weights of the positive examples, or None.
    """

    pos_weight: Tensor | None

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        pos_weight: Tensor | None = None,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.binary_cross_entropy_with_logits(
            input, target, weight=self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


class NLLLoss(WeightedLoss):
    """Minus the log-probability of the target class.

    Attributes:
        ignore_index: a target that counts for nothing.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of log-probabilities of shape (N, C, ...) for classes of shape (N, ...)."""
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class CrossEntropyLoss(WeightedLoss):
    """Minus the log of softmax at the target class; targets may be probabilities too.

    Attributes:
        ignore_index: a target that counts for nothing.
        label_smoothing: how much of the target's probability is spread over all classes.
    """

    def __init__(
        self,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        ignore_index: int = -100,
        reduce: bool | None = None,
        reduction: str = "mean",
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss of logits of shape (N, C, ...) for classes of shape (N, ...) or probabilities like the input."""
        return F.cross_entropy(
            input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )  # fmt: skip


class KLDivLoss(Loss):
    """target · (log(target) − input), for an input of log-probabilities.

    Attributes:
        log_target: whether the target is given as log-probabilities too.
    """

    def __init__(
        self,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
        log_target: bool = False,
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class HingeEmbeddingLoss(Loss):
    """input where the target is 1, max(0, margin − input) where it is −1."""

    def __init__(
        self,
        margin: float = 1.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(Loss):
    """max(0, −target · (input1 − input2) + margin)."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(Loss):
    """log(1 + exp(−target · input))."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class CosineEmbeddingLoss(Loss):
    """1 − cos where the target is 1, max(0, cos − margin) where it is −1."""

    def __init__(
        self,
        margin: float = 0.0,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MultiMarginLoss(WeightedLoss):
    """Σ max(0, margin − input[target] + input[i])ᵖ over the other classes i."""

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


class MultiLabelMarginLoss(Loss):
    """Hinge losses between all target classes of a sample and all others."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss; each row of targets lists classes up to the first −1."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """Binary cross-entropy of σ(input), averaged over the classes."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """The loss."""
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class TripletMarginLoss(Loss):
    """max(0, d(anchor, positive) − d(anchor, negative) + margin).

    Attributes:
        p: of the norm that measures distances, and `eps`, which keeps its derivative finite.
        swap: whether d(positive, negative) counts where it is smaller.
    """

    def __init__(
        self,
        margin: float = 1.0,
        p: float = 2.0,
        eps: float = 1e-6,
        swap: bool = False,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss."""
        return F.triplet_margin_loss(
            anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps, swap=self.swap,
            reduction=self.reduction,
        )  # fmt: skip


class TripletMarginWithDistanceLoss(Loss):
    """The triplet loss with a distance of one's own; the Euclidean one by default."""

    def __init__(
        self,
        *,
        distance_function: Callable[[Tensor, Tensor], Tensor] | None = None,
        margin: float = 1.0,
        swap: bool = False,
        reduction: str = "mean",
    ) -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead"
            )
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        """The loss."""
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin,
            swap=self.swap, reduction=self.reduction,
        )  # fmt: skip
